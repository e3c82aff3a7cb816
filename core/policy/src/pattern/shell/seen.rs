//! A command in the forms that denials look at, worked out once for all patterns.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::super::glob::Part;
use crate::fold::{fold, plain};
use mayi_call::ShellAccess;
use mayi_call::shell::{OpenWord, Word, join};

/// As many words of a line that was not understood are looked at as the start of a command.
const MOST_TAILS: usize = 4096;
/// As many bytes of such texts are looked at by regular expressions.
const MOST_TAIL_TEXT: usize = 1 << 20;

/// A command as denials see it.
#[derive(Debug)]
pub(crate) struct Seen<'a> {
    pub(super) shell: &'a ShellAccess,
    forms: OnceCell<Vec<SeenForm<'a>>>,
    texts: OnceCell<Vec<String>>,
    tails: OnceCell<Vec<String>>,
    line: OnceCell<Option<SeenForm<'a>>>,
}

/// One way to read it: its words.
#[derive(Debug)]
pub(crate) struct SeenForm<'a> {
    words: std::rc::Rc<[SeenWord<'a>]>,
    /// Where the command begins among them.
    from: usize,
}

/// A word, ready to be compared.
#[derive(Debug)]
pub(crate) enum SeenWord<'a> {
    Known {
        /// As names compare.
        folded: Cow<'a, str>,
        /// As options compare, whose case counts.
        plain: Cow<'a, str>,
    },
    Open {
        folded: Vec<Part>,
        plain: Vec<Part>,
        splits: bool,
        glob: bool,
    },
}

impl<'a> SeenForm<'a> {
    pub(super) fn words(&self) -> &[SeenWord<'a>] {
        self.words.get(self.from..).unwrap_or_default()
    }

    /// The names that its command goes by: as written, and without folders and endings that only some
    /// systems need. None if it is not known.
    pub(crate) fn names(&self) -> Option<impl Iterator<Item = &str>> {
        match self.words().first() {
            Some(SeenWord::Known { folded, .. }) => Some(names(folded)),
            _ => None,
        }
    }

    /// The word behind the name.
    pub(crate) fn second(&self) -> Second<'_> {
        match self.words().get(1) {
            None => Second::Missing,
            Some(SeenWord::Known { folded, .. }) => Second::Known(folded),
            Some(SeenWord::Open { .. }) => Second::Open,
        }
    }
}

/// What stands behind a command's name.
#[derive(Debug)]
pub(crate) enum Second<'a> {
    Missing,
    /// Folded.
    Known(&'a str),
    /// It could be any word, and more than one or none.
    Open,
}

/// The names that a command goes by.
pub(super) fn names(folded: &str) -> impl Iterator<Item = &str> {
    let base = folded.rsplit(['/', '\\']).next().unwrap_or(folded);
    let stem = [".exe", ".com", ".cmd", ".bat", ".ps1"].iter().find_map(|end| base.strip_suffix(end));
    let base = (base != folded).then_some(base);
    std::iter::once(folded).chain(base).chain(stem)
}

impl<'a> Seen<'a> {
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
    pub(crate) fn forms(&self) -> &[SeenForm<'a>] {
        self.forms.get_or_init(|| {
            let mut forms = Vec::new();
            let understood = self.shell.understood.then_some(&self.shell.words);
            for words in understood.into_iter().chain(&self.shell.outer).chain(&self.shell.spellings) {
                forms.push(SeenForm { words: words.iter().map(word).collect(), from: 0 });
            }
            for tail in &self.shell.tails {
                let words: std::rc::Rc<[_]> = tail.iter().map(word).collect();
                let known = |at: &usize| matches!(words.get(*at), Some(SeenWord::Known { .. }));
                let tails = (0..tail.len()).filter(known).take(MOST_TAILS.saturating_sub(forms.len()));
                forms.extend(tails.map(|from| SeenForm { words: words.clone(), from }));
            }
            // A command may stand behind wrappers and assignments: look at every tail.
            for candidate in &self.shell.candidates {
                let words: std::rc::Rc<[_]> = candidate.iter().map(|word| literal(word)).collect();
                let tails = (0..candidate.len()).take(MOST_TAILS.saturating_sub(forms.len()));
                forms.extend(tails.map(|from| SeenForm { words: words.clone(), from }));
            }
            forms
        })
    }

    /// Everything that a regular expression looks at.
    pub(super) fn texts(&self) -> &[String] {
        self.texts.get_or_init(|| {
            let mut texts = vec![self.shell.text()];
            let others = self.shell.outer.iter().chain(&self.shell.spellings).chain(&self.shell.tails);
            texts.extend(others.map(mayi_call::shell::texts));
            texts.extend(self.shell.candidates.iter().map(|candidate| join(candidate)));
            // By the base name, and without what shows nothing.
            let based: Vec<String> = self
                .forms()
                .iter()
                .filter(|form| form.from == 0)
                .filter_map(|form| {
                    let Some(SeenWord::Known { plain, .. }) = form.words().first() else { return None };
                    let base = names(plain).last().filter(|base| *base != plain.as_ref())?;
                    let rest = form.words().iter().skip(1).map(SeenWord::text);
                    Some(std::iter::once(base.to_owned()).chain(rest).collect::<Vec<_>>().join(" "))
                })
                .collect();
            texts.extend(based);
            let plain: Vec<String> =
                texts.iter().filter(|text| !text.is_ascii()).map(|text| plain(text).into_owned()).collect();
            texts.extend(plain);
            texts
        })
    }

    /// The texts of everything that may begin a command among words that are not understood: where it
    /// matters to an expression what its text begins with.
    pub(super) fn tails(&self) -> &[String] {
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
    pub(super) fn line(&self) -> Option<&SeenForm<'a>> {
        self.line
            .get_or_init(|| {
                let words = mayi_call::shell::split(&self.shell.line)?;
                let words = words.into_iter().map(|word| known(Cow::Owned(word))).collect();
                Some(SeenForm { words, from: 0 })
            })
            .as_ref()
    }
}

impl SeenWord<'_> {
    fn text(&self) -> String {
        match self {
            Self::Known { plain, .. } => mayi_call::shell::quote(plain),
            Self::Open { plain, .. } => {
                plain.iter().map(|part| if let Part::Char(c) = part { *c } else { '*' }).collect()
            }
        }
    }
}

fn word(word: &Word) -> SeenWord<'_> {
    match word {
        Word::Literal(text) => literal(text),
        Word::Open(open) => SeenWord::Open {
            folded: parts(open, fold),
            plain: parts(open, plain),
            splits: open.splits,
            glob: open.glob,
        },
    }
}

fn literal(text: &str) -> SeenWord<'_> {
    known(Cow::Borrowed(text))
}

fn known(text: Cow<'_, str>) -> SeenWord<'_> {
    match text {
        Cow::Borrowed(text) => SeenWord::Known { folded: fold(text), plain: plain(text) },
        Cow::Owned(text) => SeenWord::Known {
            folded: Cow::Owned(fold(&text).into_owned()),
            plain: Cow::Owned(plain(&text).into_owned()),
        },
    }
}

fn parts(open: &OpenWord, map: impl Fn(&str) -> Cow<'_, str>) -> Vec<Part> {
    let mut parts = Vec::new();
    for piece in &open.pieces {
        match piece {
            None => parts.push(Part::Gap { slashes: !open.glob }),
            Some(text) => parts.extend(map(text).chars().map(Part::Char)),
        }
    }
    parts
}
