//! Commands that work in another folder than the one at hand: `git -C DIR`, `make -C DIR`.

use super::analyzer::{analyze_at_depth, analyze_from};
use super::{Command, CommandFacts};
use crate::WriteKind;
use crate::shell::{Touch, Use, Word};

/// As many folders of one command are looked from.
const MOST: usize = 8;

/// What is known of `git -C DIR ...` that only reads in a folder below the one at hand: as if it stood there.
pub(super) fn analyze_git_below(command: &Command<'_>) -> Option<CommandFacts> {
    let [git, c, folder, rest @ ..] = command.words else { return None };
    if git.literal() != Some("git") || c.literal() != Some("-C") || command.made {
        return None;
    }
    let (cwd, folder) = (command.cwd?, folder.literal()?);
    let there = command.looked.path_access(cwd, folder);
    let here = command.looked.resolved_folder(cwd)?;
    if folder.is_empty() || !there.resolved.starts_with(here) || !there.resolved.is_dir() {
        return None;
    }
    let words: Vec<Word> = std::iter::once(git).chain(rest).cloned().collect();
    let known = analyze_at_depth(&Command { words: &words, cwd: Some(&there.resolved), ..*command }, 0);
    if !known.reader {
        return None;
    }
    // Rules look at it as it is written, and without that.
    let mut whole = analyze_from(command, 0);
    whole.reader = true;
    whole.caveats.clear();
    whole.touches.extend(known.touches);
    whole.spellings.extend(known.spellings);
    whole.spellings.push(words);
    Some(whole)
}

/// Notes what the words mean from the folders that options name: `git -C .git clone ../src hooks` fills `.git/hooks`. Which of its
/// words a program reads from there is not known of each, so that they count from both.
pub(super) fn add_touches_from_there(command: &Command<'_>, known: &mut CommandFacts, depth: usize) {
    let Some(cwd) = command.cwd else { return };
    for folder in std::mem::take(&mut known.folders).iter().take(MOST) {
        let there = command.looked.path_access(cwd, folder).resolved;
        if there == cwd {
            continue;
        }
        let seen = analyze_from(&Command { cwd: Some(&there), ..*command }, depth);
        let written = |(kind, path): &(WriteKind, String)| {
            Touch::known_path(command.looked.path_access(&there, path), Use::Write(*kind))
        };
        for touch in seen.writes.iter().map(written).chain(seen.touches) {
            if !known.touches.contains(&touch) {
                known.touches.push(touch);
            }
        }
    }
}
