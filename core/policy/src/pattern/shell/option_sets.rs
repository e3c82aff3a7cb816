//! What denies or asks about a command with options is about them however they are written: `rm -rf *` is about `rm x --force -r`,
//! too (D3.7).

use mayi_call::shell::{GivenOption, OpenWord, OptionSet, Word, option_set};

use super::command_forms::{CommandForms, ComparableWord, comparable_word, name_variants};
use super::{BYTES, SimpleCommandPattern, WordPattern};
use crate::fold::fold_text;
use mayi_call::effort;

/// As many words are looked at behind the names in a line that was not understood: what goes on could be meant.
const MOST_WORDS: usize = 1 << 17;

/// A pattern whose options are apart from its other words.
#[derive(Clone, Debug)]
pub(super) struct OptionSetPattern {
    options: Vec<OptionPattern>,
    /// The pattern without them.
    others: SimpleCommandPattern,
    /// No further options are meant than these.
    exact: bool,
}

#[derive(Clone, Debug)]
struct OptionPattern {
    name: String,
    value: Option<WordPattern>,
}

impl OptionSetPattern {
    /// Of a pattern that names options of a program; none of any other.
    pub(super) fn new(of: &SimpleCommandPattern) -> Option<Self> {
        if of.operators || !of.words.iter().skip(1).any(WordPattern::begins_with_dash) {
            return None;
        }
        // Where a word is not known, its place counts all the same.
        let words: Vec<Word> = of.words.iter().map(WordPattern::to_word).collect();
        let set = option_set(&words);
        let value = |option: &GivenOption| match &option.value {
            None => None,
            Some((_, Some(text))) => Some(WordPattern::parse(text)),
            Some((place, None)) => of.words.get(*place).map(WordPattern::as_value),
        };
        let options: Vec<OptionPattern> = set
            .options
            .iter()
            .map(|option| OptionPattern { name: option.name.clone(), value: value(option) })
            .collect();
        let words = set.others.iter().filter_map(|place| of.words.get(*place).cloned()).collect();
        let others = SimpleCommandPattern {
            words,
            rest: of.takes_more_words(),
            glued: false,
            as_set: <_>::default(),
            ..of.clone()
        };
        (!options.is_empty()).then_some(Self { options, others, exact: !of.takes_more_words() })
    }

    /// Whether a command with these options could be meant.
    pub(super) fn could_match(&self, seen: &CommandForms<'_>, name: &str) -> bool {
        let shell = seen.shell;
        let lists =
            shell.understood.then_some(&shell.words).into_iter().chain(&shell.outer).chain(&shell.spellings);
        let meant = |word: Option<&Word>| {
            word.and_then(Word::literal)
                .is_some_and(|text| name_variants(&fold_text(text)).any(|of| of == name))
        };
        let starts = |words: &[Word]| (0..words.len()).filter(|at| meant(words.get(*at))).collect::<Vec<_>>();
        if lists.filter(|words| meant(words.first())).any(|words| self.is_about(words, seen)) {
            return true;
        }
        let mut left = MOST_WORDS;
        let mut any_tail = |words: &[Word]| {
            starts(words).into_iter().any(|at| {
                let tail = words.get(at..).unwrap_or_default();
                match left.checked_sub(tail.len()) {
                    None => true,
                    Some(rest) => {
                        left = rest;
                        self.is_about(tail, seen)
                    }
                }
            })
        };
        let is_name = |text: &String| name_variants(&fold_text(text)).any(|of| of == name);
        shell.tails.iter().any(|words| any_tail(words))
            || shell
                .candidates
                .iter()
                .filter(|words| words.iter().any(is_name))
                .any(|words| any_tail(&words.iter().cloned().map(Word::Literal).collect::<Vec<_>>()))
    }

    fn is_about(&self, words: &[Word], seen: &CommandForms<'_>) -> bool {
        let OptionSet { options, others } = option_set(words);
        let has = |own: &OptionPattern| options.iter().any(|given| own.could_match(given, words));
        let named = |given: &GivenOption| self.options.iter().any(|own| own.name == given.name);
        if !self.options.iter().all(has) || self.exact && !options.iter().all(named) {
            return false;
        }
        let others: Vec<ComparableWord<'_>> =
            others.iter().filter_map(|place| words.get(*place)).map(comparable_word).collect();
        let assigned = seen.shell.all_assignments();
        (self.others.assignments.is_empty() || self.others.could_match_assignments(assigned))
            && self.others.could_match_words(&others)
    }
}

impl OptionPattern {
    fn could_match(&self, given: &GivenOption, words: &[Word]) -> bool {
        if self.name != given.name {
            return false;
        }
        match (&self.value, &given.value) {
            (None, _) => true,
            (Some(own), None) => own.is_any(),
            (Some(own), Some((_, Some(text)))) => {
                let fits = |text: &str| {
                    let word = ComparableWord::Known { folded: fold_text(text), plain: text.into() };
                    own.could_match(&word, false)
                };
                fits(text) || plain_blanks(text).is_some_and(|text| fits(&text))
            }
            // A value that is not known, as a word of its own or glued to the option.
            (Some(own), Some((place, None))) => words.get(*place).is_none_or(|word| {
                word.literal().is_some() || own.could_match(&comparable_word(word), false)
            }),
        }
    }
}

/// A value as a reader of statements has it, to whom comments and all blanks are one blank (`drop/**/table`); none where nothing
/// else comes of it.
fn plain_blanks(text: &str) -> Option<String> {
    let differs = |c: char| c != ' ' && c.is_whitespace();
    if !text.contains("/*") && !text.contains("  ") && !text.contains(differs)
        || !effort::spend(text.len() / BYTES)
    {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let (mut rest, mut lines) = (text, true);
    while let Some(c) = rest.chars().next() {
        let comment = match rest.strip_prefix("/*") {
            Some(inner) => Some(inner.find("*/").map_or(rest.len(), |end| end + 4)),
            // To the end of its line, if it has one.
            None if lines && rest.starts_with("--") => {
                let end = rest.find('\n');
                lines = end.is_some();
                end
            }
            None => None,
        };
        match comment {
            None if !c.is_whitespace() => plain.push(c),
            _ if plain.ends_with(' ') => {}
            _ => plain.push(' '),
        }
        rest = rest.get(comment.unwrap_or(c.len_utf8())..).unwrap_or_default();
    }
    Some(plain)
}

impl WordPattern {
    fn begins_with_dash(&self) -> bool {
        self.to_word().known_prefix().starts_with('-')
    }

    /// The pattern as a word of a command: what its stars stand for is not known.
    fn to_word(&self) -> Word {
        let open = |pieces| Word::Open(OpenWord { pieces, ..OpenWord::default() });
        match self {
            Self::Literal(text) => Word::from(&*text.exact),
            Self::Glob { exact, .. } => open(exact.pieces()),
            Self::Any => open(vec![None]),
        }
    }

    /// What a word with the value of an option says of the value: all of it, or what is glued to the option.
    fn as_value(&self) -> Self {
        let Self::Glob { exact, .. } = self else { return self.clone() };
        let source: String =
            exact.pieces().into_iter().map(|piece| piece.unwrap_or_else(|| "*".to_owned())).collect();
        if !source.starts_with('-') {
            return self.clone();
        }
        let value = source.split_once('=').map_or_else(|| source.get(2..), |(_, value)| Some(value));
        value.map_or(Self::Any, Self::parse)
    }
}
