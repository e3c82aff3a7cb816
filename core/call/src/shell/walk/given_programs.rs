//! Programs that a line gives to an interpreter or a shell otherwise than by its words: on its input, or in a
//! file that the line itself writes. What is not literal there is not known, and always asked about; what is
//! literal is bound to the very text: no pattern speaks for it.

use std::path::Path;
use std::rc::Rc;

use super::files::FileContent;
use super::input::ExactOutput;
use super::redirect::Feed;
use super::{Walker, printed_input};
use crate::shell::program::{
    self, BroughtFiles, GivenProgram, Language, brought_files, is_shell, paths_in_text,
};
use crate::shell::scripts::Script;
use crate::shell::{Caveat, CaveatSubject, Touch, Word};
use crate::{Access, PathAccess};

/// As many lines of a script that its own commands may read are looked at each by itself.
const MOST_LEFT: usize = 16;

/// These read nothing of their input.
const READ_NOTHING: &[&str] = &[
    ":", "[", "[[", "((", "basename", "break", "cd", "chmod", "continue", "cp", "date", "declare", "dirname",
    "echo", "exit", "export", "false", "for", "hash", "hostname", "id", "ln", "local", "ls", "mkdir", "mv",
    "popd", "printf", "pushd", "pwd", "readlink", "readonly", "realpath", "return", "rm", "rmdir", "set",
    "shift", "sleep", "test", "touch", "true", "type", "typeset", "umask", "uname", "unset", "wait", "which",
    "whoami", "{",
];

/// What these write is written in files that they name, or is no file's text.
pub(super) const KEEP: &[&str] = &["tee", "chmod", "mkdir", "touch", "echo", "printf", "cat"];

/// These change only what their words name.
const APART: &[&str] = &["rm", "rmdir", "unlink", "truncate", "shred", "sed", "gsed", "dd", "sort", "chown"];

/// These give files other names.
const RENAME: &[&str] = &[
    "ln", "link", "symlink", "mv", "rename", "prename", "mmv", "cp", "install", "rsync", "mount", "exch",
    "ditto", "busybox", "toybox", "zf_ln", "zf_mv",
];

/// What a command is given to run: lines that are known, and what to ask about.
#[derive(Debug, Default)]
pub(super) struct ProgramsToRun {
    pub(super) lines: Vec<String>,
    /// Lines that stand on its input, where what they run reads on.
    pub(super) own: Vec<String>,
    /// Lines that it may run, and may not.
    pub(super) perhaps: Vec<String>,
    /// Programs in other languages.
    pub(super) texts: Vec<String>,
    pub(super) caveats: Vec<Caveat>,
}

impl Walker<'_> {
    /// The paths that stand in what a program is fed and reads as a text in a language of its own.
    pub(super) fn named_in(&self, language: Language, input: &[String]) -> Vec<Touch> {
        let others = self.place.folder.candidates().iter().map(|folder| Some(&**folder));
        let any = self.place.folder.could_be_any().then_some(None);
        let known = self.place.folder.known_path().map(Some);
        let folders: Vec<Option<&Path>> = known.into_iter().chain(others).chain(any).collect();
        let texts = input.iter().filter(|_| language != Language::None);
        texts
            .flat_map(|text| {
                folders.iter().flat_map(|folder| paths_in_text(text, language, *folder, &self.looked))
            })
            .collect()
    }

    /// What `words` run besides themselves; `fed`: they have an input that the line gives them.
    pub(super) fn collect_programs(
        &mut self,
        words: &[Word],
        given: &[GivenProgram],
        feed: &Feed,
        fed: bool,
    ) -> ProgramsToRun {
        let mut runs = ProgramsToRun::default();
        let name = words.first().and_then(Word::literal).unwrap_or_default();
        let base = name.rsplit('/').next().unwrap_or_default();
        let shell = is_shell(base) || matches!(base, "source" | "." | "ssh" | "at" | "batch" | "sudo");
        for given in given {
            self.run_one(given, shell, words, (feed, fed), &mut runs);
        }
        // A program of the line's own: `./x`.
        if name.contains('/') {
            let content = self.content_of(&Word::from(name), true);
            let lines = match &content {
                Some(FileContent::Text(text)) => for_a_shell(text),
                _ => true,
            };
            content.into_iter().for_each(|content| runs.take_content(content, name, lines));
        }
        runs
    }

    fn run_one(
        &mut self,
        given: &GivenProgram,
        shell: bool,
        words: &[Word],
        (feed, fed): (&Feed, bool),
        runs: &mut ProgramsToRun,
    ) {
        let word = match given {
            GivenProgram::File(word) if self.is_input(word) => None,
            GivenProgram::File(word) => Some((word, true)),
            GivenProgram::Perhaps(word) => Some((word, false)),
            GivenProgram::Input => None,
        };
        if let Some((word, certain)) = word
            && let Some(content) = self.content_of(word, certain)
        {
            runs.take_content(content, &word.text(), shell);
        }
        // A word that may become none leaves the program to its input: `sh $(read l)`.
        if fed && word.is_none_or(|(word, _)| may_vanish(word)) {
            // A shell with options that change how it reads is judged by the line, and asked about besides.
            let content = self.content_of_input(feed);
            let plain = super::command_parts::reads_shell(words);
            if let (FileContent::Text(text), true) = (&content, shell) {
                runs.own.push(text.clone());
            }
            if !(matches!(content, FileContent::Text(_)) && shell && plain) {
                runs.take_content(content, "its input", shell && plain);
            }
        }
    }

    /// Lines that a shell reads from its input, which is also that of the commands in them: one that reads takes away what
    /// stands further on, and what is left is read as other lines. `found`: what they run was found since then, for the
    /// command at `place`.
    pub(super) fn walk_input_as_shell(&mut self, text: &str, found: usize, place: usize) {
        if text.trim_end().lines().nth(1).is_none() {
            return;
        }
        let reads = |access: &Access| match access {
            Access::Shell(shell) => {
                let name = shell.words.first().map(|name| name.literal().map(base_name));
                !shell.understood
                    || name.is_some_and(|name| name.is_none_or(|name| !READ_NOTHING.contains(&name)))
            }
            _ => false,
        };
        if !self.out.accesses_since(found).iter().any(reads) {
            return;
        }
        if let Some(shell) = self.out.shell_access_mut(place) {
            shell.caveats.push(unknown_program_caveat("its input, which its own commands may read"));
        }
        for (at, _) in text.match_indices('\n').take(MOST_LEFT) {
            let left = text.get(at + 1..).unwrap_or_default();
            self.guess_text(left, place, true);
            self.guess_text(left.lines().next().unwrap_or_default(), place, true);
        }
    }

    /// Whether this is another name of standard input.
    fn is_input(&self, word: &Word) -> bool {
        let Some(text) = word.literal() else { return false };
        let path = self.located_path(text);
        path.is_some_and(|path| {
            let path = path.lexical.to_string_lossy();
            matches!(&*path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "/proc/thread-self/fd/0")
        })
    }

    fn content_of_input(&mut self, feed: &Feed) -> FileContent {
        match feed {
            Feed::Text(text) => FileContent::Text(text.clone()),
            Feed::File(path) => self.content_at(path, true).unwrap_or_else(|| {
                let inside = path.is_within(self.at.roots);
                let digest = Script::look_up(path).and_then(|script| script.digest).filter(|_| inside);
                digest.map_or(FileContent::Unknown, |_| FileContent::Bound)
            }),
            Feed::Unknown => FileContent::Unknown,
            Feed::Nothing => self
                .place
                .input
                .exact
                .as_deref()
                .map_or(FileContent::Unknown, |text| FileContent::Text(text.to_owned())),
        }
    }

    /// What a file holds that the line writes or that is a pipe of it; none for files that are simply there.
    fn content_of(&mut self, word: &Word, certain: bool) -> Option<FileContent> {
        let files = self.place.files();
        let text = match word {
            Word::Literal(text) => text,
            Word::Open(open) => {
                let pipe = open.text.starts_with("<(") || word.known_prefix().starts_with("/dev/");
                let elsewhere = files.has_fetched() || files.could_have_made(open);
                return (pipe || elsewhere && certain || word.known_prefix().starts_with("/proc/"))
                    .then_some(FileContent::Unknown);
            }
        };
        match self.located_path(text) {
            Some(path) => self.content_at(&path, certain),
            None => {
                let same = files.made_by_name(text);
                (same || files.has_fetched() && certain).then_some(FileContent::Unknown)
            }
        }
    }

    fn content_at(&mut self, path: &PathAccess, certain: bool) -> Option<FileContent> {
        if !self.place.files_mut().note_run(path) {
            return Some(FileContent::Unknown);
        }
        let special = |form: &Path| {
            let devices = ["/dev/fd", "/proc", "/dev/stdin", "/dev/tcp", "/dev/udp"];
            devices.iter().any(|folder| form.starts_with(folder))
        };
        match path.forms().any(special) {
            true => Some(FileContent::Unknown),
            false => self.place.files().file_content(path, certain),
        }
    }

    fn located_path(&self, text: &str) -> Option<PathAccess> {
        match self.place.folder.known_path() {
            Some(folder) => Some(self.looked.path_access(folder, text)),
            None if text.starts_with('/') => Some(PathAccess::new(Path::new("/"), text)),
            None => None,
        }
    }

    /// A file is written, with what is not known yet.
    pub(super) fn add_written_file(&mut self, word: &Word) {
        let (path, name) = match word.literal() {
            Some(text) => (self.located_path(text), text.to_owned()),
            None => (None, word.text()),
        };
        let files = self.place.files_mut();
        files.add_written(path, name);
        // Any of them may be it.
        if word.literal().is_none() {
            files.mark_disturbed(None);
        }
    }

    /// What a command writes by itself, and what it brings.
    pub(super) fn note_brought_files(&mut self, words: &[Word], writes: &[String], exact: Option<&str>) {
        let what = brought_files(words);
        if matches!(what, BroughtFiles::Fetched | BroughtFiles::Told) {
            let last =
                |word: &str| word.split(['?', '#']).next()?.rsplit_once('/').map(|(_, name)| name.to_owned());
            let named = words.iter().filter_map(|word| last(&word.text())).filter(|name| !name.is_empty());
            self.place.files_mut().add_fetched(what == BroughtFiles::Fetched, named);
        }
        let base = words.first().and_then(Word::literal).map(base_name).unwrap_or_default();
        let named = matches!(base, "cp" | "mv" | "ln" | "install");
        if what == BroughtFiles::Made && !words.iter().skip(1).any(|word| self.may_be_made(word, named)) {
            return;
        }
        let tee = base == "tee";
        let appends =
            words.iter().filter_map(Word::literal).any(|word| word == "--append" || is_letters(word, 'a'));
        let mark = self.place.files().written_count();
        writes.iter().for_each(|path| self.add_written_file(&Word::from(path.as_str())));
        // A folder that is not there yet, or is there by then.
        if let Some(to) = words.last().filter(|to| named && to.literal().is_some()) {
            self.add_written_file(to);
        }
        if let (true, Some(text)) = (tee, exact) {
            let files = self.place.files_mut();
            files.set_content(mark..files.written_count(), text, appends);
        }
    }

    /// What a command may do to files that the line wrote, besides writing them itself: it may take them away, or give
    /// them and their folders other names. One of which that is not known may do anything to any of them.
    pub(super) fn note_disturbed_files(&mut self, words: &[Word], writes: bool) {
        let name = words.first().and_then(Word::literal).map(base_name).unwrap_or_default();
        let options = words.iter().any(|word| word.known_prefix().starts_with('-'));
        let copies = name == "cp" && !options;
        if !copies && !APART.contains(&name) {
            let renames = RENAME.contains(&name);
            if renames || writes && !KEEP.contains(&name) && brought_files(words) != BroughtFiles::Made {
                self.place.files_mut().mark_disturbed(None);
            }
            return;
        }
        if self.place.files().written_count() == 0 {
            return;
        }
        let from = if copies { words.len().saturating_sub(1) } else { 1 };
        for word in words.iter().skip(from) {
            let path = word.literal().and_then(|text| self.located_path(text));
            self.place.files_mut().mark_disturbed(path.as_ref());
        }
    }

    /// Whether the word is, or could be, the name of a file that the line wrote; `named`: or of a folder that holds one.
    fn may_be_made(&self, word: &Word, named: bool) -> bool {
        let Some(text) = word.literal() else { return true };
        // Looking up every word of every command costs more than reading the line.
        let files = self.place.files();
        let below = |path: &PathAccess| named && files.wrote_below(path);
        files.written_count() > 0 && {
            let path = self.located_path(text);
            files.has_written(path.as_ref(), text) || path.as_ref().is_some_and(below)
        }
    }

    /// Parts of the line run again, later, or beside each other.
    pub(super) fn mark_out_of_order(&mut self) {
        if !self.place.files().is_out_of_order() {
            self.place.files_mut().mark_out_of_order();
        }
    }

    /// Parts of the line run beside each other, or later.
    pub(super) fn mark_concurrent(&mut self) {
        if !self.place.files().is_concurrent() {
            self.place.files_mut().mark_concurrent();
        }
    }

    /// What is written after it was run, where that may run again.
    pub(super) fn add_rerun_caveat(&mut self) {
        let Some(path) = self.place.files().changed_after_run() else { return };
        let caveat = unknown_program_caveat(&path.given);
        let last = self.out.accesses.iter_mut().rev().find_map(|access| match access {
            Access::Shell(shell) => Some(shell),
            _ => None,
        });
        last.into_iter().for_each(|shell| shell.caveats.push(caveat.clone()));
    }

    /// The text that a command writes to its output, if all of it is known.
    pub(super) fn exact_output(&self, words: &[Word], input: Option<&str>) -> ExactOutput {
        let name = words.first().and_then(Word::literal);
        if self.is_function(name) {
            return None;
        }
        printed_input::exact_output(words, input).map(Rc::from)
    }
}

impl ProgramsToRun {
    /// Takes what a program holds that is run; `shell`: as lines.
    fn take_content(&mut self, content: FileContent, from: &str, shell: bool) {
        match content {
            FileContent::Text(text) if shell => self.lines.push(text),
            FileContent::Text(text) => {
                self.perhaps.extend(program::lines_of_code(&text));
                self.texts.push(text);
                self.add_bound_caveat(from);
            }
            FileContent::Bound => self.add_bound_caveat(from),
            FileContent::Perhaps(texts) => {
                self.perhaps.extend(texts.into_iter().filter(|_| shell));
                self.add_caveat(unknown_program_caveat(from));
            }
            FileContent::Unknown => self.add_caveat(unknown_program_caveat(from)),
        }
    }

    fn add_bound_caveat(&mut self, from: &str) {
        self.add_caveat(Caveat {
            reason: format!("it runs a program that does not stand among its words, but in {from}"),
            always: false,
            named: CaveatSubject::Nothing,
        });
    }

    fn add_caveat(&mut self, caveat: Caveat) {
        if !self.caveats.contains(&caveat) {
            self.caveats.push(caveat);
        }
    }
}

fn unknown_program_caveat(from: &str) -> Caveat {
    let reason = format!("it runs a program that is not known: what the line puts into {from}");
    Caveat { reason, always: true, named: CaveatSubject::Nothing }
}

/// Whether a word may become no word at all.
fn may_vanish(word: &Word) -> bool {
    matches!(word, Word::Open(open) if open.splits && open.pieces.iter().all(Option::is_none))
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

/// The name of a program without the folder that it stands in.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}
