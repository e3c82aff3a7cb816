//! What is asked about, and its marks in the line as it was written, as the page and the editor have them (acp-server/ui/marks.js).

use std::path::Path;

use serde_json::Value;

use super::{Card, CardAccess};
use mayi_policy::{Effect, Finding, Source};

/// In a longer line nothing is looked for: it does not fit on a screen anyway.
const FINDABLE: usize = 10_000;

/// The line as it was sent, where the input has one; else the words of the one command.
#[must_use]
pub fn written_line(card: &Card) -> Option<&str> {
    let mut commands = card.accesses.iter().filter(|access| access.access == "shell");
    let first = commands.next()?;
    let sent = card.tool_call.raw_input.get("command").and_then(Value::as_str);
    sent.filter(|line| !line.trim().is_empty())
        .or_else(|| commands.next().is_none().then_some(first.display.as_str()))
}

/// A path as people name it: from the folder where it is below it.
#[must_use]
pub fn relative_path<'a>(path: &'a str, folder: &str) -> &'a str {
    let below = || path.strip_prefix(folder.trim_end_matches('/'))?.strip_prefix('/');
    // A name that goes up or begins anew is no name from the folder.
    let plain =
        |rest: &&str| !rest.is_empty() && !rest.starts_with('/') && !rest.split('/').any(|part| part == "..");
    if folder.is_empty() || folder == "/" || !Path::new(folder).is_absolute() {
        return path;
    }
    below().filter(plain).unwrap_or(path)
}

/// A part of the line, by its characters.
#[derive(Clone, Copy)]
struct CharRange {
    from: usize,
    to: usize,
}

/// The line with what is asked about marked, and what does not stand in it word by word.
#[derive(Debug)]
pub struct MarkedLine<'a> {
    /// Each character, and whether it is asked about or denied.
    pub chars: Vec<(char, bool)>,
    /// Accesses that are found in the line, and whether they are asked about or denied.
    pub found: Vec<(&'a CardAccess, bool)>,
    /// The same of those that are not.
    pub apart: Vec<(&'a CardAccess, bool)>,
}

impl Card {
    /// Whether `access`, or a part of it, is asked about or denied.
    #[must_use]
    pub fn is_asked(&self, access: &CardAccess) -> bool {
        let named = format!("{}({})", access.access, access.display);
        // A finding on a part of an access is about all of it.
        let about = |finding: &Finding| finding.within.as_ref().unwrap_or(&finding.access) == &named;
        self.why.iter().any(|finding| finding.effect != Effect::Allow && about(finding))
    }

    /// Whether nothing but an earlier answer speaks against `access`: that is about all which was denied together.
    #[must_use]
    pub fn is_asked_since_denied(&self, access: &CardAccess) -> bool {
        let named = format!("{}({})", access.access, access.display);
        let about = |finding: &&Finding| {
            finding.effect != Effect::Allow && finding.within.as_ref().unwrap_or(&finding.access) == &named
        };
        self.why.iter().filter(about).all(|finding| finding.source == Source::Grant)
    }
}

impl<'a> MarkedLine<'a> {
    /// Finds what `card` is about in `line`.
    #[must_use]
    pub fn new(line: &str, card: &'a Card) -> Self {
        let line: Vec<char> = line.chars().collect();
        let search = WordSearch::new(&line);
        let chars = line.iter().map(|c| (*c, false)).collect();
        let mut marked = Self { chars, found: Vec::new(), apart: Vec::new() };
        // Files stand within the words of commands, so each kind has places of its own.
        let (mut commands, mut others) = (Vec::new(), Vec::new());
        for access in &card.accesses {
            let asked = card.is_asked(access);
            let is_command = access.access == "shell";
            let taken = if is_command { &mut commands } else { &mut others };
            // A path is written as it is named from the folder as often as in full.
            let shorter = Some(relative_path(&access.display, &card.cwd)).filter(|_| !is_command);
            let found = search
                .find_free_range(&access.display, taken)
                .or_else(|| shorter.and_then(|name| search.find_free_range(name, taken)));
            match found {
                // What is not asked about has its place too, so that nothing else is marked there.
                Some(place) => {
                    taken.push(place);
                    marked.found.push((access, asked));
                    for (_, mark) in marked.chars.iter_mut().take(place.to).skip(place.from) {
                        *mark |= asked;
                    }
                }
                None => marked.apart.push((access, asked)),
            }
        }
        marked
    }

    /// Whether all of the line is asked about: a mark under all of it says nothing.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.chars.iter().all(|(c, asked)| c.is_whitespace() || *asked)
    }
}

/// A line without its quotes: mayi's are others than those that were written.
struct WordSearch<'a> {
    line: &'a [char],
    bare: Vec<char>,
    places: Vec<usize>,
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"' | '\\')
}

impl<'a> WordSearch<'a> {
    fn new(line: &'a [char]) -> Self {
        let kept = || line.iter().enumerate().filter(|(_, c)| !is_quote(**c));
        Self { line, bare: kept().map(|(_, c)| *c).collect(), places: kept().map(|(at, _)| at).collect() }
    }

    /// The first place of these words that is free, at the borders of words.
    fn find_free_range(&self, words: &str, taken: &[CharRange]) -> Option<CharRange> {
        let wanted: Vec<char> = words.chars().filter(|c| !is_quote(*c)).collect();
        if wanted.is_empty() || self.line.len() > FINDABLE {
            return None;
        }
        self.bare.windows(wanted.len()).enumerate().filter(|(_, here)| *here == wanted.as_slice()).find_map(
            |(from, _)| {
                let start = *self.places.get(from)?;
                let mut end = self.places.get(from + wanted.len() - 1)? + 1;
                // With the quotes that end there.
                while self.closes_quote(start, end) {
                    end += 1;
                }
                let free = !taken.iter().any(|place| start < place.to && end > place.from);
                (free && !self.in_word(from, wanted.len())).then_some(CharRange { from: start, to: end })
            },
        )
    }

    /// Whether the character at `end` closes a quote that was opened since `start`.
    fn closes_quote(&self, start: usize, end: usize) -> bool {
        let Some(sign) = self.line.get(end).filter(|sign| matches!(sign, '\'' | '"')) else { return false };
        self.line.get(start..end).unwrap_or_default().iter().filter(|c| *c == sign).count() % 2 == 1
    }

    /// Whether a place begins or ends in the middle of a word.
    fn in_word(&self, from: usize, length: usize) -> bool {
        let word = |at: Option<usize>| {
            let c = at.and_then(|at| self.bare.get(at));
            c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-'))
        };
        let (first, last) = (Some(from), Some(from + length - 1));
        (word(from.checked_sub(1)) && word(first)) || (word(Some(from + length)) && word(last))
    }
}

#[cfg(test)]
mod tests {
    use super::relative_path;

    #[test]
    fn given_a_path_below_the_folder_then_it_is_named_from_there() {
        assert_eq!(relative_path("/w/src/a.rs", "/w"), "src/a.rs");
        assert_eq!(relative_path("/w/src/a.rs", "/w/"), "src/a.rs");
        for (path, folder) in [
            ("/w", "/w"),
            ("/wx/a", "/w"),
            ("/w/../etc", "/w"),
            ("/w//etc", "/w"),
            ("/a", "/"),
            ("/a", ""),
            ("/w/", "/w"),
        ] {
            assert_eq!(relative_path(path, folder), path);
        }
    }
}
