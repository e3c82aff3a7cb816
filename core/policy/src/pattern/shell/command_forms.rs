//! A command in the forms that denials look at, worked out once for all patterns.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::super::glob::TextPart;
use crate::fold::{fold_compatible, fold_text};
use mayi_call::shell::{OpenWord, Word, join_words};
use mayi_call::{ShellAccess, effort};

/// As many words of a line that was not understood are looked at as the start of a command.
const MOST_TAILS: usize = 4096;
/// As many bytes of such texts are looked at by regular expressions.
const MOST_TAIL_TEXT: usize = 1 << 20;

/// Steps for a word that is made ready to be compared.
const WORD: usize = 5;

/// A command as denials see it.
#[derive(Debug)]
pub(crate) struct CommandForms<'a> {
    pub(super) shell: &'a ShellAccess,
    forms: OnceCell<Vec<CommandForm<'a>>>,
    texts: OnceCell<Vec<String>>,
    tails: OnceCell<Vec<String>>,
    line: OnceCell<Option<CommandForm<'a>>>,
}

/// One way to read it: its words.
#[derive(Debug)]
pub(crate) struct CommandForm<'a> {
    words: std::rc::Rc<[ComparableWord<'a>]>,
    /// Where the command begins among them.
    from: usize,
}

/// A word, ready to be compared.
#[derive(Debug)]
pub(crate) enum ComparableWord<'a> {
    Known {
        /// As names compare.
        folded: Cow<'a, str>,
        /// As options compare, whose case counts.
        plain: Cow<'a, str>,
    },
    Open {
        folded: Vec<TextPart>,
        plain: Vec<TextPart>,
        splits: bool,
        glob: bool,
    },
}

impl<'a> CommandForm<'a> {
    pub(super) fn words(&self) -> &[ComparableWord<'a>] {
        self.words.get(self.from..).unwrap_or_default()
    }

    /// The names that its command goes by: as written, and without folders and endings that only some
    /// systems need. None if it is not known.
    pub(crate) fn command_names(&self) -> Option<impl Iterator<Item = &str>> {
        match self.words().first() {
            Some(ComparableWord::Known { folded, .. }) => Some(name_variants(folded)),
            _ => None,
        }
    }

    /// Its words without quotes, if any of them would be quoted.
    fn bare_text(&self) -> Option<String> {
        let known = |word: &ComparableWord<'_>| match word {
            ComparableWord::Known { plain, .. } => (plain.to_string(), word.quoted_text() != *plain),
            ComparableWord::Open { .. } => (word.quoted_text(), false),
        };
        let words: Vec<(String, bool)> = self.words().iter().map(known).collect();
        let quoted = words.iter().any(|(_, quoted)| *quoted);
        quoted.then(|| words.into_iter().map(|(word, _)| word).collect::<Vec<_>>().join(" "))
    }

    /// The word behind the name.
    pub(crate) fn second_word(&self) -> SecondWord<'_> {
        match self.words().get(1) {
            None => SecondWord::Missing,
            Some(ComparableWord::Known { folded, .. }) => SecondWord::Known(folded),
            Some(ComparableWord::Open { .. }) => SecondWord::Open,
        }
    }
}

/// What stands behind a command's name.
#[derive(Debug)]
pub(crate) enum SecondWord<'a> {
    Missing,
    /// Folded.
    Known(&'a str),
    /// It could be any word, and more than one or none.
    Open,
}

/// The names that a command goes by.
pub(super) fn name_variants(folded: &str) -> impl Iterator<Item = &str> {
    let base = folded.rsplit(['/', '\\']).next().unwrap_or(folded);
    let stem = [".exe", ".com", ".cmd", ".bat", ".ps1"].iter().find_map(|end| base.strip_suffix(end));
    let base = (base != folded).then_some(base);
    std::iter::once(folded).chain(base).chain(stem)
}

impl<'a> CommandForms<'a> {
    pub(crate) fn new(shell: &'a ShellAccess) -> Self {
        Self {
            shell,
            forms: OnceCell::new(),
            texts: OnceCell::new(),
            tails: OnceCell::new(),
            line: OnceCell::new(),
        }
    }

    /// Its words, those of its wrappers, and everything that a line which was not understood may run.
    pub(crate) fn forms(&self) -> &[CommandForm<'a>] {
        self.forms.get_or_init(|| {
            let mut forms = Vec::new();
            let understood = self.shell.understood.then_some(&self.shell.words);
            let others = self.shell.outer.iter().chain(&self.shell.spellings).chain(&self.shell.tails);
            let words: usize = understood.into_iter().chain(others).map(Vec::len).sum();
            let more: usize = self.shell.candidates.iter().map(Vec::len).sum();
            if !effort::spend((words + more) * WORD) {
                return forms;
            }
            for words in understood.into_iter().chain(&self.shell.outer).chain(&self.shell.spellings) {
                forms.push(CommandForm { words: words.iter().map(comparable_word).collect(), from: 0 });
            }
            for tail in &self.shell.tails {
                let words: std::rc::Rc<[_]> = tail.iter().map(comparable_word).collect();
                let known = |at: &usize| matches!(words.get(*at), Some(ComparableWord::Known { .. }));
                let tails = (0..tail.len()).filter(known).take(MOST_TAILS.saturating_sub(forms.len()));
                forms.extend(tails.map(|from| CommandForm { words: words.clone(), from }));
            }
            // A command may stand behind wrappers and assignments: look at every tail.
            for candidate in &self.shell.candidates {
                let words: std::rc::Rc<[_]> = candidate.iter().map(|word| literal_word(word)).collect();
                let tails = (0..candidate.len()).take(MOST_TAILS.saturating_sub(forms.len()));
                forms.extend(tails.map(|from| CommandForm { words: words.clone(), from }));
            }
            forms
        })
    }

    /// Everything that a regular expression looks at.
    pub(super) fn regex_texts(&self) -> &[String] {
        self.texts.get_or_init(|| {
            let mut texts = vec![self.shell.text()];
            texts.extend(self.shell.text_as_written());
            let others = self.shell.outer.iter().chain(&self.shell.spellings).chain(&self.shell.tails);
            texts.extend(others.map(mayi_call::shell::join_word_texts));
            texts.extend(self.shell.candidates.iter().map(|candidate| join_words(candidate)));
            // By the base name, and without what shows nothing.
            let based: Vec<String> = self
                .forms()
                .iter()
                .filter(|form| form.from == 0)
                .filter_map(|form| {
                    let Some(ComparableWord::Known { plain, .. }) = form.words().first() else { return None };
                    let base = name_variants(plain).last().filter(|base| *base != plain.as_ref())?;
                    let rest = form.words().iter().skip(1).map(ComparableWord::quoted_text);
                    Some(std::iter::once(base.to_owned()).chain(rest).collect::<Vec<_>>().join(" "))
                })
                .collect();
            texts.extend(based);
            // The words as they are, too: who writes an expression does not know which of them would be quoted.
            let bare = self.forms().iter().filter(|form| form.from == 0).filter_map(CommandForm::bare_text);
            texts.extend(bare.collect::<Vec<_>>());
            let plain: Vec<String> = texts
                .iter()
                .filter(|text| !text.is_ascii())
                .map(|text| fold_compatible(text).into_owned())
                .collect();
            texts.extend(plain);
            texts
        })
    }

    /// The texts of everything that may begin a command among words that are not understood: where it
    /// matters to an expression what its text begins with.
    pub(super) fn tail_texts(&self) -> &[String] {
        self.tails.get_or_init(|| {
            let mut left = MOST_TAIL_TEXT;
            let mut texts = Vec::new();
            for tail in &self.shell.tails {
                let words: Vec<String> = tail.iter().map(Word::text).collect();
                for (at, first) in words.iter().enumerate() {
                    let rest = words.get(at..).unwrap_or_default().join(" ");
                    left = left.saturating_sub(rest.len());
                    if left == 0 {
                        return texts;
                    }
                    let base = first.rfind('/').and_then(|at| rest.get(at + 1..)).map(str::to_owned);
                    texts.extend(base);
                    texts.push(rest);
                }
            }
            texts
        })
    }

    /// The words of the whole line.
    pub(super) fn line_form(&self) -> Option<&CommandForm<'a>> {
        self.line
            .get_or_init(|| {
                let words = mayi_call::shell::split_words(&self.shell.line)?;
                let words = words.into_iter().map(|word| known_word(Cow::Owned(word))).collect();
                Some(CommandForm { words, from: 0 })
            })
            .as_ref()
    }
}

impl ComparableWord<'_> {
    fn quoted_text(&self) -> String {
        match self {
            Self::Known { plain, .. } => mayi_call::shell::quote_word(plain),
            Self::Open { plain, .. } => {
                plain.iter().map(|part| if let TextPart::Char(c) = part { *c } else { '*' }).collect()
            }
        }
    }
}

pub(super) fn comparable_word(word: &Word) -> ComparableWord<'_> {
    match word {
        Word::Literal(text) => literal_word(text),
        Word::Open(open) => ComparableWord::Open {
            folded: open_word_parts(open, fold_text),
            plain: open_word_parts(open, fold_compatible),
            splits: open.splits,
            glob: open.glob,
        },
    }
}

fn literal_word(text: &str) -> ComparableWord<'_> {
    known_word(Cow::Borrowed(text))
}

fn known_word(text: Cow<'_, str>) -> ComparableWord<'_> {
    match text {
        Cow::Borrowed(text) => {
            ComparableWord::Known { folded: fold_text(text), plain: fold_compatible(text) }
        }
        Cow::Owned(text) => ComparableWord::Known {
            folded: Cow::Owned(fold_text(&text).into_owned()),
            plain: Cow::Owned(fold_compatible(&text).into_owned()),
        },
    }
}

fn open_word_parts(open: &OpenWord, map: impl Fn(&str) -> Cow<'_, str>) -> Vec<TextPart> {
    let mut parts = Vec::new();
    for piece in &open.pieces {
        match piece {
            None => parts.push(TextPart::Gap { slashes: !open.glob }),
            Some(text) => parts.extend(map(text).chars().map(TextPart::Char)),
        }
    }
    parts
}
