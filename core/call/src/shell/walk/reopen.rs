//! `exec <FILE` without a command: the shell itself reads that from then on, and so does what it starts.

use super::Walker;
use super::redirect::Feed;
use crate::shell::Word;

/// As many texts are kept.
const MOST: usize = 16;

/// What the shell opened for itself, and what stands on other descriptors than its input.
#[derive(Clone, Debug, Default)]
pub(super) struct Opened {
    /// So often it got another input.
    times: usize,
    /// What may stand there.
    texts: Vec<String>,
    /// What other descriptors were given: `3<<<TEXT`. `<&3` and `/dev/fd/3` read it.
    pub(super) elsewhere: Vec<String>,
}

impl Opened {
    pub(super) fn times(&self) -> usize {
        self.times
    }
}

impl Walker<'_> {
    /// How often the input was opened by now.
    pub(super) fn times_opened(&self) -> usize {
        self.opened.times
    }

    /// A command opens the input of the shell that it stands in; `offered`: what its process substitutions write.
    pub(super) fn reopens(&mut self, feed: &Feed, offered: &[String]) {
        let before = self.opened.times;
        self.opened.times += 1;
        self.opened.texts.extend_from_slice(offered);
        if let Feed::Text(text) = feed {
            self.opened.texts.push(text.clone());
        }
        self.opened.texts.truncate(MOST);
        self.stays_opened(before);
    }

    /// If the input was opened since it had been `before` times, what comes next reads that. Several commands may
    /// share it, so nobody knows which reads how much.
    pub(super) fn stays_opened(&mut self, before: usize) {
        if self.opened.times == before {
            return;
        }
        (self.fed, self.exact) = (true, None);
        for text in &self.opened.texts {
            if !self.input.contains(text) {
                self.input.push(text.clone());
            }
        }
    }

    /// What a descriptor with another number is given.
    pub(super) fn opens_elsewhere(&mut self, texts: impl IntoIterator<Item = String>) {
        self.opened.elsewhere.extend(texts);
        self.opened.elsewhere.truncate(MOST);
    }
}

/// Whether these words are `exec` and no command behind it, so that its redirections are the shell's own.
pub(super) fn is_bare_exec(words: &[Word]) -> bool {
    let mut found = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.literal() {
            Some("exec") => found = true,
            // What only says how the next word is looked up.
            Some("command" | "builtin" | "noglob" | "nocorrect") if !found => {}
            // `exec -a NAME`
            Some(option) if option.starts_with('-') => {
                if found && option.ends_with('a') {
                    words.next();
                }
            }
            // It may come to nothing.
            None if found => {}
            _ => return false,
        }
    }
    found
}
