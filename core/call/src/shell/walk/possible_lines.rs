//! Texts that might be run as lines: what they would run counts for deny, ask and protection, and
//! never has to be allowed.

use super::{TrialWalk, Walker};
use crate::Access;
use crate::shell::program::{self, CommandFacts};
use crate::shell::{Caveat, CaveatSubject, Dialect, ShellAccess, Touch, Use, Word, candidates};

/// As many commands are kept of such texts, for one command.
const MOST: usize = 512;

impl Walker<'_> {
    /// Takes what `text` would run into the access at `place`; `line`: it is no prose, so that a command
    /// may stand behind a program that is not known, too.
    pub(super) fn guess_text(&mut self, text: &str, place: usize, line: bool) {
        if !self.budget.spend_guess(text) {
            let Some(shell) = self.out.shell_access_mut(place) else { return };
            let reason = "more that may be lines than can be looked at".to_owned();
            let caveat = Caveat { reason, always: true, named: CaveatSubject::Nothing };
            if !shell.caveats.contains(&caveat) {
                add_outer_commands(candidates::candidate_commands(text), shell);
                shell.caveats.push(caveat);
                shell.reader = false;
            }
            return;
        }
        let there = self.place.clone();
        let TrialWalk { left, found, walked } = self.walk_trial(0, |walker| {
            walker.walk_with_state(there, |walker| walker.inner_line(text, Dialect::Unknown))
        });
        self.place.after_guess(left);
        let Some(shell) = self.out.shell_access_mut(place) else { return };
        if walked.is_err() {
            add_outer_commands(candidates::candidate_commands(text), shell);
        }
        for access in found {
            match access {
                Access::Shell(mut inner) => {
                    if !line {
                        inner.tails.clear();
                    }
                    merge_guess(inner, shell);
                }
                Access::Read(path) => shell.touches.push(Touch::known_path(path, Use::Read)),
                Access::Write(kind, path) => shell.touches.push(Touch::known_path(path, Use::Write(kind))),
                _ => {}
            }
        }
        shell.outer.truncate(MOST);
        shell.spellings.truncate(MOST);
        shell.tails.truncate(MOST);
    }
}

/// What code that a command is given, and text of which it is not known what it makes of it, could start.
pub(super) fn guessed_commands(
    known: &mut CommandFacts,
    input: &[String],
    code: &[String],
) -> Vec<Vec<Word>> {
    let mut guesses = std::mem::take(&mut known.guesses);
    guesses.extend(code.iter().flat_map(|text| program::quoted_commands(text)));
    if known.takes_any_text && !known.runs_input && !known.reader {
        guesses.extend(input.iter().flat_map(|text| program::commands_in_input(text)));
    }
    guesses
}

/// What one command of such a text adds.
fn merge_guess(inner: ShellAccess, shell: &mut ShellAccess) {
    let ShellAccess { words, outer, spellings, tails, guesses, candidates, touches, urls, .. } = inner;
    let known = |words: &Vec<Word>| words.first().is_some_and(|word| word.literal().is_some());
    shell.outer.extend(std::iter::once(words).chain(outer).filter(known));
    shell.spellings.extend(spellings);
    shell.tails.extend(tails);
    shell.guesses.extend(guesses);
    shell.touches.extend(touches);
    shell.urls.extend(urls);
    add_outer_commands(candidates, shell);
}

/// Of a text that is no line: what its parts begin with. A word further in is more likely prose.
fn add_outer_commands(candidates: Vec<Vec<String>>, shell: &mut ShellAccess) {
    shell.outer.extend(candidates.into_iter().map(|words| words.into_iter().map(Word::Literal).collect()));
}
