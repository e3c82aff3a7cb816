//! What commands have to read: on the standard input that they are given, and on what `exec <FILE` without a command opened.
//! The shell itself reads that from then on, and so does what it starts.

use std::rc::Rc;
use std::sync::Arc;

use super::redirect::Feed;
use crate::PathAccess;
use crate::shell::{Search, Word};

/// As many texts are kept of what was opened.
const MOST: usize = 16;

/// All of what a command writes to its output, where that is certain.
pub(super) type ExactOutput = Option<Rc<str>>;

/// What stands on standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StandardInput {
    /// It is a pipe, or something else that the line gives.
    pub(super) fed: bool,
    /// It is a pipe, for certain.
    pub(super) piped: bool,
    /// Texts that may stand there, as far as they are known.
    pub(super) texts: Rc<Vec<String>>,
    /// All of it, where one command reads it and that is certain.
    pub(super) exact: ExactOutput,
    /// It is all that this search prints, or a part of that.
    pub(super) search: Option<Arc<Search>>,
    /// It is this file.
    pub(super) file: Option<PathAccess>,
}

impl StandardInput {
    /// A pipe from a command that prints `texts`, and for certain nothing but `exact`.
    pub(super) fn from_pipe(texts: Vec<String>, exact: ExactOutput, search: Option<Arc<Search>>) -> Self {
        Self { fed: true, piped: true, texts: Rc::new(texts), exact, search, file: None }
    }

    /// The same for a reader that may have to share it: nobody knows who reads how much.
    pub(super) fn as_shared(&self) -> Self {
        Self { exact: None, search: None, ..self.clone() }
    }

    /// A redirection gives `feed`; `offered` is what process substitutions write there.
    pub(super) fn receive_feed(&mut self, feed: Feed, offered: &mut Vec<String>) {
        self.file = match &feed {
            Feed::Nothing => return,
            Feed::File(path) => Some(path.clone()),
            Feed::Unknown | Feed::Text(_) => None,
        };
        let texts = match feed {
            Feed::Nothing => return,
            Feed::Unknown | Feed::File(_) => std::mem::take(offered),
            Feed::Text(text) => vec![text],
        };
        (self.fed, self.piped, self.texts, self.search) = (true, false, Rc::new(texts), None);
    }
}

/// What the shell opened for itself, and what stands on other descriptors than its input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenedInputs {
    /// So often it got another input.
    times: usize,
    /// What may stand there.
    texts: Vec<String>,
    /// What other descriptors were given: `3<<<TEXT`. `<&3` and `/dev/fd/3` read it.
    elsewhere: Vec<String>,
}

impl OpenedInputs {
    pub(super) fn open_count(&self) -> usize {
        self.times
    }

    pub(super) fn descriptor_texts(&self) -> &[String] {
        &self.elsewhere
    }

    /// The shell opens `feed` for itself; `offered` is what process substitutions write there.
    pub(super) fn open_input(&mut self, feed: Feed, offered: Vec<String>) {
        self.times += 1;
        self.texts.extend(offered);
        if let Feed::Text(text) = feed {
            self.texts.push(text);
        }
        self.texts.truncate(MOST);
    }

    /// What a descriptor with another number is given.
    pub(super) fn add_descriptor_texts(&mut self, texts: impl IntoIterator<Item = String>) {
        self.elsewhere.extend(texts);
        self.elsewhere.truncate(MOST);
    }

    /// What comes next may read all of this. Several commands may share it, so nobody knows which reads how much.
    pub(super) fn add_to_input(&self, input: &mut StandardInput) {
        (input.fed, input.exact, input.search, input.file) = (true, None, None, None);
        for text in &self.texts {
            if !input.texts.contains(text) {
                Rc::make_mut(&mut input.texts).push(text.clone());
            }
        }
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
