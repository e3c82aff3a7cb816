//! Texts that might be run as lines: what they would run counts for deny, ask and protection, and
//! never has to be allowed.

use super::Walker;
use crate::Access;
use crate::shell::{Caveat, Dialect, Named, ShellAccess, Touch, Use, Word, candidates};

/// As many commands are kept of such texts, for one command.
const MOST: usize = 512;
/// As many such texts of one line are walked, and as much of them.
const MOST_GUESSES: usize = 128;
const MOST_TEXT: usize = 64 * 1024;

impl Walker<'_> {
    /// Takes what `text` would run into the access at `place`; `line`: it is no prose, so that a command
    /// may stand behind a program that is not known, too.
    pub(super) fn perhaps(&mut self, text: &str, place: usize, line: bool) {
        self.guesses = (self.guesses.0 + 1, self.guesses.1 + text.len());
        if self.guesses.0 > MOST_GUESSES || self.guesses.1 > MOST_TEXT {
            let Some(Access::Shell(shell)) = self.out.get_mut(place) else { return };
            let reason = "more that may be lines than can be looked at".to_owned();
            let caveat = Caveat { reason, always: true, named: Named::Nothing };
            if !shell.caveats.contains(&caveat) {
                heads(candidates::of(text), shell);
                shell.caveats.push(caveat);
                shell.reader = false;
            }
            return;
        }
        let (commands, weight, functions) = (self.commands, self.weight, self.functions.len());
        let (folder, fed, depth) = (self.folder.clone(), self.fed, self.depth);
        let out = std::mem::take(&mut self.out);
        let (files, wrote) = (self.files.clone(), self.wrote.take());
        let (input, exact, opened) = (self.input.clone(), self.exact.clone(), self.opened.clone());
        let walked = self.inner_line(text, Dialect::Unknown);
        (self.input, self.exact, self.opened) = (input, exact, opened);
        let found = std::mem::replace(&mut self.out, out);
        (self.folder, self.fed, self.depth) = (folder, fed, depth);
        (self.commands, self.weight) = (commands, weight);
        (self.files, self.wrote) = (files, wrote);
        self.functions.truncate(functions);
        let Some(Access::Shell(shell)) = self.out.get_mut(place) else { return };
        if walked.is_err() {
            heads(candidates::of(text), shell);
        }
        for access in found {
            match access {
                Access::Shell(mut inner) => {
                    if !line {
                        inner.tails.clear();
                    }
                    take(inner, shell);
                }
                Access::Read(path) => shell.touches.push(Touch::known(path, Use::Read)),
                Access::Write(kind, path) => shell.touches.push(Touch::known(path, Use::Write(kind))),
                _ => {}
            }
        }
        shell.outer.truncate(MOST);
        shell.spellings.truncate(MOST);
        shell.tails.truncate(MOST);
    }
}

/// What one command of such a text adds.
fn take(inner: ShellAccess, shell: &mut ShellAccess) {
    let ShellAccess { words, outer, spellings, tails, candidates, touches, urls, .. } = inner;
    let known = |words: &Vec<Word>| words.first().is_some_and(|word| word.literal().is_some());
    shell.outer.extend(std::iter::once(words).chain(outer).filter(known));
    shell.spellings.extend(spellings);
    shell.tails.extend(tails);
    shell.touches.extend(touches);
    shell.urls.extend(urls);
    heads(candidates, shell);
}

/// Of a text that is no line: what its parts begin with. A word further in is more likely prose.
fn heads(candidates: Vec<Vec<String>>, shell: &mut ShellAccess) {
    shell.outer.extend(candidates.into_iter().map(|words| words.into_iter().map(Word::Literal).collect()));
}
