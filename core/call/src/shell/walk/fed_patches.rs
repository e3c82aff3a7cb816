//! `apply_patch`, which agents have in their shells: it takes a patch in the form that Codex made from its word or its input, and
//! changes the files that this names, also outside of the folder at hand.

use super::Walker;
use super::redirect::Feed;
use crate::WriteKind;
use crate::shell::program::{CommandFacts, patched_names};
use crate::shell::{Reach, Touch, TouchedPath, Use, Word};

const NAMES: &[&str] = &["apply_patch", "applypatch", "apply_patch.py"];
/// What such a patch says besides the files that it is about.
const OTHER_MARKS: &[&str] = &["*** Begin Patch", "*** End Patch", "*** End of File"];

impl Walker<'_> {
    /// Adds the files that a patch is about to what the command writes; if they are not known, why it is asked about.
    pub(super) fn add_patched_files(
        &self,
        words: &[Word],
        feed: &Feed,
        known: &mut CommandFacts,
    ) -> Option<String> {
        let words = words.get(known.transparent..).unwrap_or_default();
        let name = words.first().and_then(Word::literal)?.rsplit('/').next()?;
        if !NAMES.contains(&name) {
            return None;
        }
        known.reader = false;
        let unknown = || Some("which files the patch changes is known only when the line runs".to_owned());
        let text = match (words, feed) {
            ([_], Feed::Text(text)) | ([_, Word::Literal(text)], _) => text.as_str(),
            _ => return unknown(),
        };
        let Some(names) = files_of(text) else { return unknown() };
        let folder = &self.place.folder;
        for from in folder.known_path().into_iter().chain(folder.candidates().iter().map(|there| &**there)) {
            for name in &names {
                let path = self.looked.path_access(from, name);
                let how = Use::Write(WriteKind::Write);
                known.touches.push(Touch { path: TouchedPath::Known(path), how, reach: Reach::Itself });
            }
        }
        if folder.known_path().is_none() {
            return unknown();
        }
        // It does nothing but to write these, by the name that shells look up: the agent's own.
        known.reader = words.first().and_then(Word::literal) == Some(name);
        if known.reader {
            // What only reads is allowed as such: what this writes has to be allowed by itself.
            known.writes.extend(names.iter().map(|name| (WriteKind::Write, (*name).to_owned())));
        }
        None
    }
}

/// The files that a patch is about; none if there is a line in it that could be about another.
fn files_of(text: &str) -> Option<Vec<&str>> {
    let marks = text.lines().map(str::trim).filter(|line| line.starts_with("***"));
    let named = marks.filter(|line| !OTHER_MARKS.contains(line));
    let names: Vec<Vec<&str>> = named.map(|line| patched_names(line).collect()).collect();
    let understood = !names.is_empty() && names.iter().all(|names| !names.is_empty());
    understood.then(|| names.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_patch_then_its_files_are_known_or_it_is_said_that_they_are_not() {
        assert_eq!(
            files_of(
                "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b c\n*** Move to: ../d\n*** End Patch\n"
            ),
            Some(vec!["a", "b c", "../d"])
        );
        for text in [
            "",
            "*** Begin Patch\n*** End Patch",
            "*** Add File: a\n*** Environment ID: x\n",
            "--- a/x\n+++ b/x\n",
        ] {
            assert_eq!(files_of(text), None, "{text}");
        }
    }
}
