//! Commands that read no more, whatever some of their words hold: they only print these, or compare them.
//!
//! What is printed was printed or set by the line itself, so that it shows nothing that was not judged; what the
//! environment holds may be a secret, and is no such thing.

use super::Walker;
use super::open_words::UNUSED;
use crate::shell::program::{self, Command, CommandFacts};
use crate::shell::{GapContent, OpenWord, Word};

/// A text that nobody has, one that looks like an option, and none.
const TEXTS: [&str; 3] = ["mayi-one", "--mayi-one", ""];

impl Walker<'_> {
    /// Whether a command does no more than to print its words, or to compare them, whatever is in those that are only known
    /// when it runs.
    pub(super) fn only_prints(&self, words: &[Word], known: &CommandFacts) -> bool {
        let Some(cwd) = self.place.folder.known_path() else { return false };
        if known.caveats.iter().any(|caveat| caveat.always) {
            return false;
        }
        let behind = words.get(known.transparent..).unwrap_or_default();
        match behind.first().and_then(Word::literal).map(program::name_of) {
            Some("test") => return is_plain_comparison(behind.get(1..).unwrap_or_default()),
            Some("[") => {
                let ends = behind.last().and_then(Word::literal) == Some("]");
                let inner = behind.get(1..behind.len() - 1).filter(|_| ends);
                return inner.is_some_and(is_plain_comparison);
            }
            _ => {}
        }
        let mut open = words.iter().filter_map(as_open_word);
        if !open.clone().any(|_| true) || !open.all(is_printable) {
            return false;
        }
        TEXTS.iter().all(|text| {
            let words: Vec<Word> = words.iter().filter_map(|word| fill_gaps(word, text)).collect();
            let command = Command::with_input(&words, cwd, &self.looked, &self.repositories);
            let known = program::analyze_command(&command);
            let plain = known.prints_words
                && known.inner.is_empty()
                && known.writes.is_empty()
                && !known.caveats.iter().any(|caveat| caveat.always);
            plain
                && (known.reader && known.caveats.is_empty()
                    || text.starts_with('-') && known.harmless_options)
        })
    }

    /// Whether a command prints variables that are no secret, and that nothing else in the line speaks of: `printenv HOME`.
    pub(super) fn tells_variables(&self, words: &[Word], known: &CommandFacts) -> bool {
        let behind = words.get(known.transparent..).unwrap_or_default();
        let Some((printenv, names)) = behind.split_first() else { return false };
        let told = |word: &Word| {
            word.literal()
                .is_some_and(|name| program::tells_no_secret(name) && self.is_set_nowhere_else(name))
        };
        printenv.literal() == Some("printenv")
            && !names.is_empty()
            && known.caveats.is_empty()
            && known.inner.is_empty()
            && self.place.functions().is_empty()
            && names.iter().all(told)
    }
}

/// Whether a command does nothing but print its words, whatever is added to them.
pub(super) fn only_prints_words(command: &Command<'_>, words: &[Word]) -> bool {
    let words: Vec<Word> = words.iter().cloned().chain(UNUSED.map(Word::from)).collect();
    let known = program::analyze_command(&Command { words: &words, ..*command });
    known.reader && known.prints_words && known.harmless_options
}

/// Whether a command hands on what it reads, and keeps none of it: `tee /dev/null`.
pub(super) fn keeps_nothing(words: &[Word], known: &CommandFacts) -> bool {
    let behind = words.get(known.transparent..).unwrap_or_default();
    let Some((tee, operands)) = behind.split_first() else { return false };
    let operands = match operands {
        [append, rest @ ..] if append.literal() == Some("-a") => rest,
        operands => operands,
    };
    tee.literal() == Some("tee")
        && known.caveats.is_empty()
        && known.inner.is_empty()
        && operands.iter().all(|word| word.literal() == Some("/dev/null"))
}

fn as_open_word(word: &Word) -> Option<&OpenWord> {
    match word {
        Word::Literal(_) => None,
        Word::Open(open) => Some(open),
    }
}

/// Whether printing it shows nothing but what the line itself printed, and names of files in folders that it is in.
fn is_printable(open: &OpenWord) -> bool {
    let elsewhere = |piece: &String| piece.starts_with(['/', '~']) || piece.contains("..");
    match open.splits {
        // Without quotes it is read as a glob, which lists files.
        true => open.held >= GapContent::Name && !open.pieces.iter().flatten().any(elsewhere),
        false => open.held >= GapContent::Printed,
    }
}

/// A word with this text in its gaps; none where it is no word then.
fn fill_gaps(word: &Word, text: &str) -> Option<Word> {
    let Word::Open(open) = word else { return Some(word.clone()) };
    let bare = open.pieces.first().is_none_or(Option::is_none);
    let text = match text {
        text if open.held.is_no_option() && !text.is_empty() => open.held.sample(),
        text if !bare => text.trim_start_matches('-'),
        text => text,
    };
    let filled: String = open.pieces.iter().map(|piece| piece.as_deref().unwrap_or(text)).collect();
    (!filled.is_empty() || !open.splits).then_some(Word::Literal(filled))
}

/// Whether these operands of `test` are one comparison that evaluates nothing: whether a text is empty, whether two texts
/// are the same, or numbers.
fn is_plain_comparison(operands: &[Word]) -> bool {
    let operands = match operands {
        [not, rest @ ..] if not.literal() == Some("!") => rest,
        operands => operands,
    };
    let whole = |word: &Word| as_open_word(word).is_none_or(|open| !open.splits);
    let told =
        |word: &Word| as_open_word(word).is_none_or(|open| !open.splits && open.held >= GapContent::Printed);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = |word: &Word| match word {
        Word::Literal(text) => digits(text),
        Word::Open(open) => {
            open.held == GapContent::Number && open.pieces.iter().flatten().all(|piece| digits(piece))
        }
    };
    match operands {
        [how, word] => matches!(how.literal(), Some("-n" | "-z")) && whole(word),
        [one, how, other] => match how.literal() {
            Some("=" | "==" | "!=") => told(one) && told(other),
            Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => number(one) && number(other),
            _ => false,
        },
        _ => false,
    }
}
