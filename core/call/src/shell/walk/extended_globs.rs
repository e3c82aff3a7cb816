//! Signs that zsh takes for a glob where somebody has set EXTENDED_GLOB, as many do for themselves (zshexpn(1)): `.e^x` is any
//! name that begins with `.e`, except `.ex`.
//!
//! A line that sets the option is asked about elsewhere. What is not seen is that it was set before, so a word with such a sign
//! stands for itself, and, for denials, asks and protection, for the names that it would give now (D2.6). Where none fits, zsh
//! refuses the line, or leaves the word as it is.

use std::path::{Path, PathBuf};

use super::Walker;
use crate::shell::program::{name_of, open_path_of};
use crate::shell::{OpenWord, Reach, Touch, Use, Word};
use crate::{glob_matches, names_below};

/// What comes before it, but not what follows: only beside another sign or a glob.
pub(in crate::shell) const EXCLUSION: char = '~';

/// Any but what follows; what stands before it as often as one likes.
const SIGNS: [char; 3] = ['^', '#', EXCLUSION];

/// As many names take the place of a word.
const MOST_NAMES: usize = 64;

/// As many commands, each with one of the names, may be what a rule is about.
const MOST_COMMANDS: usize = 8;

/// As much of a word is compared with names: what is longer could be any.
const LONGEST: usize = 64;

/// Whether `c` could be such a sign. At the beginning of a word, `~` is a home and `#` begins a comment.
pub(in crate::shell) fn is_extended_sign(c: char, begins: bool) -> bool {
    c == '^' || !begins && SIGNS.contains(&c)
}

/// A word that is a glob to some shells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExtendedGlob {
    /// The word, as [`Word::text`] has it.
    text: String,
    /// What it gives now; none if that is too much to look at.
    names: Option<Vec<String>>,
    /// The same as a glob of other signs.
    glob: OpenWord,
    /// It gives any name of its folder, as what people search for does (`^use`): only what a program makes of its operands tells.
    any: bool,
}

impl ExtendedGlob {
    /// What takes the place of the word, where it is one of the words of a loop.
    pub(super) fn into_words(self) -> Vec<Word> {
        match self.names {
            Some(names) => names.into_iter().map(Word::Literal).collect(),
            None => vec![Word::Open(self.glob)],
        }
    }
}

impl Walker<'_> {
    /// Notes what `word` could give, in which such a sign stands without quotes.
    pub(in crate::shell) fn note_extended_globs(&mut self, word: &Word) {
        let readings = match word {
            Word::Literal(text) => vec![vec![Some(text.clone())]],
            Word::Open(open) => std::iter::once(&open.pieces).chain(&open.variants).cloned().collect(),
        };
        let text = word.text();
        for parts in readings.iter().filter_map(|pieces| parts_of(pieces)) {
            self.note_extended_glob(&text, &parts);
        }
    }

    fn note_extended_glob(&mut self, text: &str, parts: &[Part]) {
        let pieces = pieces_of(parts);
        let glob = OpenWord { text: text.to_owned(), pieces, glob: true, ..OpenWord::default() };
        let name = parts.rsplit(|part| *part == Part::One('/')).next().unwrap_or_default();
        let any = name.iter().all(|part| *part == Part::Any);
        let found = if self.budget.spend_round() { self.given_now(&glob, name) } else { None };
        let Some(found) = found else {
            if text.contains("**") {
                self.note_caveat(true, format!("zsh may take {text} for a glob of names below the folder"));
            }
            return self.noted.globs.push(ExtendedGlob { text: text.to_owned(), names: None, glob, any });
        };
        let begun = glob.pieces.first().and_then(Option::as_deref).unwrap_or_default();
        let folder = begun.rfind('/').and_then(|at| begun.get(..=at)).unwrap_or_default();
        let alone = !text.contains("**")
            && !parts.iter().skip(folder.chars().count()).any(|part| *part == Part::One('/'));
        let mut names = Vec::new();
        for found in found {
            let base = found.file_name().unwrap_or_default().to_string_lossy();
            if !could_give(name, &base) {
                continue;
            }
            let path = self.looked.path_access(found.parent().unwrap_or(&found), &base);
            let leads_out = !self.at.roots.is_empty() && !path.is_within(self.at.roots);
            if leads_out && !any || folder.is_empty() && any && base.starts_with('-') {
                self.note_caveat(true, format!("zsh may take {text} for a glob, which gives {base}"));
            }
            if !any {
                let others = self.stands_for(&path);
                let all = std::iter::once(path).chain(others);
                self.noted.touches.extend(all.map(mentioned));
            }
            names.push(if alone { format!("{folder}{base}") } else { found.to_string_lossy().into_owned() });
        }
        if !names.is_empty() {
            let names = (names.len() <= MOST_NAMES).then_some(names);
            self.noted.globs.push(ExtendedGlob { text: text.to_owned(), names, glob, any });
        }
    }

    /// What `glob` gives now, where `name` is the pattern of the last name; none if that is too much to look at.
    fn given_now(&self, glob: &OpenWord, name: &[Part]) -> Option<Vec<PathBuf>> {
        let path = open_path_of(glob, self.place.folder.known_path(), &self.looked);
        let mut budget = self.looked.brief_budget();
        if !path.slashes {
            let found = glob_matches(&path.pieces, false, &mut budget)?;
            return Some(found.into_iter().map(|found| found.path).collect());
        }
        // `**` goes down any number of folders, but none that is hidden.
        let start = path
            .pieces
            .first()?
            .as_deref()
            .filter(|text| text.starts_with('/') && glob.text.contains("**"))?;
        let start = Path::new(start.rsplit_once('/').map_or("/", |(folder, _)| folder)).to_owned();
        let found = names_below(&start, Some(&pieces_of(name)), &mut budget)?;
        let shown = |path: &PathBuf| {
            let below = path.strip_prefix(&start).ok().and_then(Path::parent).unwrap_or(path);
            !below.iter().any(|name| name.to_string_lossy().starts_with('.'))
        };
        Some(found.into_iter().filter(shown).collect())
    }

    /// What a redirection to a word opens that is a glob to zsh.
    pub(super) fn touch_extended_targets(&mut self) {
        for glob in std::mem::take(&mut self.noted.globs) {
            for word in glob.into_words() {
                match word.literal().and_then(|text| self.path_from_here(text)) {
                    Some(path) => self.noted.touches.push(mentioned(path)),
                    None => self.open_touch(&word, Use::Either),
                }
            }
        }
    }
}

/// A path that could be meant, or nothing of the sort.
fn mentioned(path: crate::PathAccess) -> Touch {
    Touch { reach: Reach::Mentioned, ..Touch::known_path(path, Use::Either) }
}

/// A command some of whose words are what globs give.
pub(super) struct GlobbedCommand {
    pub(super) words: Vec<Word>,
    /// Of some of them, any name of a folder.
    any: bool,
}

impl GlobbedCommand {
    /// What counts of what it touches: how far it goes below stays. Where it is given any name, only what the program certainly
    /// takes for a file: `echo ^_^`, `git log ^main` and the like mean none.
    pub(super) fn counting_touch(&self, mut touch: Touch) -> Option<Touch> {
        if self.any && (touch.how == Use::Either || touch.reach.is_unsure()) {
            return None;
        }
        if matches!(touch.reach, Reach::Itself | Reach::Unmade | Reach::UnmadeShown) {
            touch.reach = Reach::Mentioned;
        }
        Some(touch)
    }
}

/// The command of `words` as it is with what the globs give: with all of it, or, where that is any name of a folder, with one
/// after the other, since what stands first may be no file to the program.
pub(super) fn globbed_commands(words: &[Word], globs: &[ExtendedGlob]) -> Vec<GlobbedCommand> {
    let texts: Vec<String> = words.iter().map(Word::text).collect();
    // To git, `^main` is what leads to a commit, and what it shows of that without a path is asked about anyway.
    let git = words.first().and_then(Word::literal).map(name_of) == Some("git");
    let find = |text: &String| globs.iter().find(|glob| glob.text == *text && !(git && glob.any));
    let given = |text: &String, word: &Word, at: Option<usize>| match find(text) {
        Some(glob) if glob.any => match (&glob.names, at) {
            (Some(names), Some(at)) => {
                names.get(at).or(names.first()).cloned().map(Word::Literal).into_iter().collect()
            }
            _ => vec![below_here(&glob.glob)],
        },
        Some(glob) => glob.clone().into_words(),
        None => vec![word.clone()],
    };
    let concerned: Vec<&ExtendedGlob> = texts.iter().filter_map(find).collect();
    let rounds =
        concerned.iter().filter(|glob| glob.any).filter_map(|glob| glob.names.as_ref().map(Vec::len)).max();
    let any = concerned.iter().any(|glob| glob.any);
    let command = |at| {
        let words = words.iter().zip(&texts).flat_map(|(word, text)| given(text, word, at)).collect();
        GlobbedCommand { words, any }
    };
    match (concerned.is_empty(), rounds) {
        (true, _) => Vec::new(),
        (false, None) => vec![command(None)],
        (false, Some(rounds)) => (0..rounds).map(Some).map(command).collect(),
    }
}

/// Of such commands, those that are compared with rules about commands.
pub(super) fn as_commands(globbed: &[GlobbedCommand]) -> impl Iterator<Item = Vec<Word>> {
    let most = if globbed.len() > MOST_COMMANDS { 0 } else { MOST_COMMANDS };
    globbed.iter().take(most).map(|command| command.words.clone())
}

/// Any name of the folder, which can't look like an option.
fn below_here(glob: &OpenWord) -> Word {
    let mut glob = glob.clone();
    if glob.pieces.first().is_some_and(Option::is_none) {
        glob.pieces.insert(0, Some("./".to_owned()));
    }
    Word::Open(glob)
}

/// A part of such a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    One(char),
    /// As often as one likes, or never.
    Repeated(char),
    /// Whatever stands there in a name.
    Any,
}

/// The pattern of a word of which this is known; none if no sign is in it.
fn parts_of(pieces: &[Option<String>]) -> Option<Vec<Part>> {
    let (mut parts, mut signs, mut excluded) = (Vec::new(), false, false);
    let characters = pieces.iter().flat_map(|piece| match piece {
        Some(text) => text.chars().map(Some).collect::<Vec<_>>(),
        None => vec![None],
    });
    for (at, c) in characters.enumerate() {
        let sign = c.is_some_and(|c| is_extended_sign(c, at == 0));
        signs |= sign;
        match c {
            // What is excluded goes on to the end of the name, or of the word.
            Some(EXCLUSION) if sign => break,
            Some('/') => {
                excluded = false;
                parts.push(Part::One('/'));
            }
            _ if excluded => {}
            Some('^') => {
                excluded = true;
                parts.push(Part::Any);
            }
            Some('#') if sign => match parts.pop() {
                Some(Part::One(c)) if c != '/' => parts.push(Part::Repeated(c)),
                Some(Part::One(c)) => parts.push(Part::One(c)),
                Some(part) => parts.push(part),
                None => {}
            },
            Some(c) => parts.push(Part::One(c)),
            None => parts.push(Part::Any),
        }
    }
    signs.then_some(parts)
}

/// Its known text, and a gap for the rest.
fn pieces_of(parts: &[Part]) -> Vec<Option<String>> {
    let mut pieces: Vec<Option<String>> = Vec::new();
    for part in parts {
        match (part, pieces.last_mut()) {
            (Part::One(c), Some(Some(text))) => text.push(*c),
            (Part::One(c), _) => pieces.push(Some(c.to_string())),
            (_, Some(None)) => {}
            _ => pieces.push(None),
        }
    }
    pieces
}

/// Whether a pattern of these parts could give `name`. No glob gives a name that is hidden unless it says the dot.
fn could_give(parts: &[Part], name: &str) -> bool {
    if name.starts_with('.') && !matches!(parts.first(), Some(Part::One('.') | Part::Repeated('.'))) {
        return false;
    }
    if parts.len() > LONGEST {
        return true;
    }
    // Which of the parts may come next.
    let behind = |from: &[bool]| {
        let mut next = from.to_vec();
        for (at, part) in parts.iter().enumerate() {
            if next.get(at) == Some(&true) && *part != Part::One('/') && !matches!(part, Part::One(_)) {
                next.iter_mut().skip(at + 1).take(1).for_each(|next| *next = true);
            }
        }
        next
    };
    let mut at = vec![false; parts.len() + 1];
    at.iter_mut().take(1).for_each(|first| *first = true);
    let mut at = behind(&at);
    for c in name.chars() {
        let mut next = vec![false; parts.len() + 1];
        for (place, part) in parts.iter().enumerate().filter(|(place, _)| at.get(*place) == Some(&true)) {
            let to = match part {
                Part::One(one) if *one == c => place + 1,
                Part::Repeated(one) if *one == c => place,
                Part::Any => place,
                _ => continue,
            };
            next.iter_mut().skip(to).take(1).for_each(|next| *next = true);
        }
        at = behind(&next);
    }
    at.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::{could_give, parts_of, pieces_of};

    /// zshexpn(1), "Filename Generation" and "Precedence", as zsh 5.9 does it.
    #[test]
    fn given_a_pattern_then_it_gives_what_zsh_gives() {
        let gives =
            |pattern: &str, name: &str| could_give(&parts_of(&[Some(pattern.to_owned())]).unwrap(), name);
        for (pattern, name) in [
            (".e^x", ".env"),
            ("^x", "a"),
            ("a#b", "aaab"),
            ("a#b", "b"),
            (".envv#", ".env"),
            ("x##", "xx"),
            ("a^b#", "ax"),
            (".#env", ".env"),
        ] {
            assert!(gives(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [(".e^x", "env"), ("^x", ".env"), ("a#b", "acb"), ("C#", "D"), ("a^b", "b")] {
            assert!(!gives(pattern, name), "{pattern} {name}");
        }
        let pieces = |pattern: &str| pieces_of(&parts_of(&[Some(pattern.to_owned())]).unwrap());
        assert_eq!(pieces("^a/b"), [None, Some("/b".to_owned())]);
        assert_eq!(pieces("src/a^b/c"), [Some("src/a".to_owned()), None, Some("/c".to_owned())]);
        assert_eq!(parts_of(&[Some("~/x".to_owned())]), None);
    }
}
