//! Programs that a line gives to an interpreter or a shell otherwise than by its words: on its input, or in a
//! file that the line itself writes. What is not literal there is not known, and always asked about; what is
//! literal is bound to the very text: no pattern speaks for it.

use std::path::Path;
use std::rc::Rc;

use super::files::Content;
use super::input::Wrote;
use super::redirect::Feed;
use super::{Walker, fed};
use crate::shell::program::{Brings, Given, Language, brings, is_shell, said};
use crate::shell::scripts::Script;
use crate::shell::{Caveat, Named, Touch, Word};
use crate::{Access, PathAccess};

/// What a command is given to run: lines that are known, and what to ask about.
#[derive(Debug, Default)]
pub(super) struct Runs {
    pub(super) lines: Vec<String>,
    pub(super) caveats: Vec<Caveat>,
}

impl Walker<'_> {
    /// The paths that stand in what a program is fed and reads as a text in a language of its own.
    pub(super) fn named_in(&self, language: Language, input: &[String]) -> Vec<Touch> {
        let others = self.place.folder.candidates().iter().map(|folder| Some(&**folder));
        let any = self.place.folder.could_be_any().then_some(None);
        let known = self.place.folder.known().map(Some);
        let folders: Vec<Option<&Path>> = known.into_iter().chain(others).chain(any).collect();
        let texts = input.iter().filter(|_| language != Language::None);
        texts
            .flat_map(|text| folders.iter().flat_map(|folder| said(text, language, *folder, &self.looked)))
            .collect()
    }

    /// What `words` run besides themselves; `fed`: they have an input that the line gives them.
    pub(super) fn runs(&mut self, words: &[Word], given: &[Given], feed: &Feed, fed: bool) -> Runs {
        let mut runs = Runs::default();
        let name = words.first().and_then(Word::literal).unwrap_or_default();
        let base = name.rsplit('/').next().unwrap_or_default();
        let shell = is_shell(base) || matches!(base, "source" | "." | "ssh" | "at" | "batch" | "sudo");
        for given in given {
            self.run_one(given, shell, words, (feed, fed), &mut runs);
        }
        // A program of the line's own: `./x`.
        if name.contains('/') {
            let content = self.content_of(&Word::from(name), true);
            let lines = matches!(&content, Some(Content::Text(text)) if for_a_shell(text));
            content.into_iter().for_each(|content| runs.take(content, name, lines));
        }
        runs
    }

    fn run_one(
        &mut self,
        given: &Given,
        shell: bool,
        words: &[Word],
        (feed, fed): (&Feed, bool),
        runs: &mut Runs,
    ) {
        let word = match given {
            Given::File(word) if self.is_input(word) => None,
            Given::File(word) => Some((word, true)),
            Given::Perhaps(word) => Some((word, false)),
            Given::Input => None,
        };
        if let Some((word, certain)) = word {
            if let Some(content) = self.content_of(word, certain) {
                runs.take(content, &word.text(), shell);
            }
        } else if fed {
            // A shell with options that change how it reads is judged by the line, and asked about besides.
            let content = self.content_of_input(feed);
            let plain = super::parts::reads_shell(words);
            if let (Content::Text(text), true, false) = (&content, shell, plain) {
                runs.lines.push(text.clone());
            }
            runs.take(content, "its input", shell && plain);
        }
    }

    /// Whether this is another name of standard input.
    fn is_input(&self, word: &Word) -> bool {
        let Some(text) = word.literal() else { return false };
        let path = self.located(text);
        path.is_some_and(|path| {
            let path = path.lexical.to_string_lossy();
            matches!(&*path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "/proc/thread-self/fd/0")
        })
    }

    fn content_of_input(&mut self, feed: &Feed) -> Content {
        match feed {
            Feed::Text(text) => Content::Text(text.clone()),
            Feed::File(path) => self.content_at(path, true).unwrap_or_else(|| {
                let inside = path.within(self.at.roots);
                let digest = Script::look(path).and_then(|script| script.digest).filter(|_| inside);
                digest.map_or(Content::Unknown, |_| Content::Bound)
            }),
            Feed::Unknown => Content::Unknown,
            Feed::Nothing => self
                .place
                .input
                .exact
                .as_deref()
                .map_or(Content::Unknown, |text| Content::Text(text.to_owned())),
        }
    }

    /// What a file holds that the line writes or that is a pipe of it; none for files that are simply there.
    fn content_of(&mut self, word: &Word, certain: bool) -> Option<Content> {
        let files = self.place.files();
        let text = match word {
            Word::Literal(text) => text,
            Word::Open(open) => {
                let pipe = open.text.starts_with("<(") || word.prefix().starts_with("/dev/");
                let elsewhere = files.fetched() || files.could_have_made(open);
                return (pipe || elsewhere && certain || word.prefix().starts_with("/proc/"))
                    .then_some(Content::Unknown);
            }
        };
        match self.located(text) {
            Some(path) => self.content_at(&path, certain),
            None => {
                let same = files.made_by_name(text);
                (same || files.fetched() && certain).then_some(Content::Unknown)
            }
        }
    }

    fn content_at(&mut self, path: &PathAccess, certain: bool) -> Option<Content> {
        if !self.place.files_mut().runs(path) {
            return Some(Content::Unknown);
        }
        let special = |form: &Path| {
            let devices = ["/dev/fd", "/proc", "/dev/stdin", "/dev/tcp", "/dev/udp"];
            devices.iter().any(|folder| form.starts_with(folder))
        };
        match path.forms().any(special) {
            true => Some(Content::Unknown),
            false => self.place.files().content(path, certain),
        }
    }

    fn located(&self, text: &str) -> Option<PathAccess> {
        match self.place.folder.known() {
            Some(folder) => Some(self.looked.at(folder, text)),
            None if text.starts_with('/') => Some(PathAccess::new(Path::new("/"), text)),
            None => None,
        }
    }

    /// A file is written, with what is not known yet.
    pub(super) fn makes(&mut self, word: &Word) {
        let (path, name) = match word.literal() {
            Some(text) => (self.located(text), text.to_owned()),
            None => (None, word.text()),
        };
        self.place.files_mut().make(path, name);
    }

    /// What a command writes by itself, and what it brings.
    pub(super) fn brings(&mut self, words: &[Word], writes: &[String], exact: Option<&str>) {
        let what = brings(words);
        if matches!(what, Brings::Fetched | Brings::Told) {
            let last =
                |word: &str| word.split(['?', '#']).next()?.rsplit_once('/').map(|(_, name)| name.to_owned());
            let named = words.iter().filter_map(|word| last(&word.text())).filter(|name| !name.is_empty());
            self.place.files_mut().fetch(what == Brings::Fetched, named);
        }
        if what == Brings::Made && !words.iter().any(|word| self.may_be_made(word)) {
            return;
        }
        let tee = words.first().and_then(Word::literal) == Some("tee");
        let appends =
            words.iter().filter_map(Word::literal).any(|word| word == "--append" || is_letters(word, 'a'));
        let mark = self.place.files().made();
        writes.iter().for_each(|path| self.makes(&Word::from(path.as_str())));
        if let (true, Some(text)) = (tee, exact) {
            let files = self.place.files_mut();
            files.hold(mark..files.made(), text, appends);
        }
    }

    /// Whether the word is, or could be, the name of a file that the line wrote.
    fn may_be_made(&self, word: &Word) -> bool {
        let Some(text) = word.literal() else { return true };
        // Looking up every word of every command costs more than reading the line.
        let files = self.place.files();
        files.made() > 0 && files.wrote(self.located(text).as_ref(), text)
    }

    /// Parts of the line run again, later, or beside each other.
    pub(super) fn out_of_order(&mut self) {
        if !self.place.files().is_out_of_order() {
            self.place.files_mut().out_of_order();
        }
    }

    /// What is written after it was run, where that may run again.
    pub(super) fn rerun(&mut self) {
        let Some(path) = self.place.files().rerun() else { return };
        let caveat = unknown(&path.given);
        let last = self.out.accesses.iter_mut().rev().find_map(|access| match access {
            Access::Shell(shell) => Some(shell),
            _ => None,
        });
        last.into_iter().for_each(|shell| shell.caveats.push(caveat.clone()));
    }

    /// The text that a command writes to its output, if all of it is known.
    pub(super) fn exactly(&self, words: &[Word], input: Option<&str>) -> Wrote {
        let name = words.first().and_then(Word::literal);
        if self.is_function(name) {
            return None;
        }
        fed::exactly(words, input).map(Rc::from)
    }
}

impl Runs {
    /// Takes what a program holds that is run; `shell`: as lines.
    fn take(&mut self, content: Content, from: &str, shell: bool) {
        match content {
            Content::Text(text) if shell => self.lines.push(text),
            Content::Text(_) | Content::Bound => self.add(Caveat {
                reason: format!("it runs a program that does not stand among its words, but in {from}"),
                always: false,
                named: Named::Nothing,
            }),
            Content::Unknown => self.add(unknown(from)),
        }
    }

    fn add(&mut self, caveat: Caveat) {
        if !self.caveats.contains(&caveat) {
            self.caveats.push(caveat);
        }
    }
}

fn unknown(from: &str) -> Caveat {
    let reason = format!("it runs a program that is not known: what the line puts into {from}");
    Caveat { reason, always: true, named: Named::Nothing }
}

/// Whether the kernel or a shell would run a file with this text as lines.
fn for_a_shell(text: &str) -> bool {
    let Some(first) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) else { return true };
    let mut words = first.split_whitespace();
    let mut base = || words.next().map(|word| word.rsplit('/').next().unwrap_or_default());
    match base() {
        Some("env") => base().is_some_and(is_shell),
        Some(name) => is_shell(name),
        None => true,
    }
}

/// `-ia`: letters behind a dash, with this one.
fn is_letters(word: &str, letter: char) -> bool {
    word.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
}
