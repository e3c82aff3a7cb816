//! Which files of the session's folders a command runs.

use std::path::Path;

use super::Walker;
use super::given_programs::{KEEP, base_name};
use crate::shell::program::{BroughtFiles, brought_files, has_sub_commands, runs_others};
use crate::shell::scripts::Script;
use crate::shell::{ShellAccess, Touch, TouchedPath, Use, Word};
use crate::{Access, PathAccess, display_path, lies_in};

/// As many are looked into; the others count as not known.
const MOST: usize = 4;

/// Programs that run a file which one of their options names, besides interpreters; with those options.
const BY_OPTION: &[(&str, &[&str])] = &[
    ("awk gawk mawk nawk original-awk", &["-f", "--file", "-E", "--exec", "-i", "--include"]),
    ("sed gsed", &["-f", "--file"]),
    ("jq yq", &["-f", "--from-file"]),
    ("make gmake bmake", &["-f", "--file", "--makefile"]),
    ("just", &["-f", "--justfile"]),
    ("psql", &["-f", "--file"]),
    ("sqlite3", &["-init", "--init"]),
    ("cmake", &["-P"]),
    ("vim vi nvim ex", &["-S", "-s", "-u"]),
    ("emacs", &["--script", "-l", "--load"]),
];

/// What interpreters put behind a name that they are given, and where they look for a module of that name.
const COMPLETIONS: &[&str] = &[
    ".js",
    ".cjs",
    ".mjs",
    ".ts",
    ".json",
    "/index.js",
    ".py",
    "/__main__.py",
    "/__init__.py",
    ".rb",
    ".lua",
];

impl Walker<'_> {
    /// The command itself, if its name is a path; the script of an interpreter, a shell or a wrapper; what
    /// one of these is fed. Values of options could be the script too: which options take one is not known
    /// of every interpreter.
    pub(super) fn executed_scripts(&self, words: &[Word], fed: bool) -> Vec<Script> {
        let Some((first, rest)) = words.split_first() else { return Vec::new() };
        let Some(name) = first.literal() else { return Vec::new() };
        let mut found = Vec::new();
        if name.contains('/') {
            self.collect_script(first, &mut found);
        }
        let base = base_name(name);
        if let Some((_, options)) = BY_OPTION.iter().find(|(names, _)| names.split(' ').any(|of| of == base))
        {
            self.collect_named_by_option(options, rest, &mut found);
        }
        if !runs_others(name) && base != "perl" {
            return found;
        }
        let mut go_on = has_sub_commands(name);
        for word in rest {
            if word.known_prefix().starts_with(['-', '+']) {
                go_on = true;
                // `--require=./s.js`, `-r./s.rb`
                let text = word.literal().unwrap_or_default();
                let glued = text.split_once('=').map(|(_, value)| value).or_else(|| text.get(2..));
                if let Some(glued) = glued.filter(|glued| glued.contains(['/', '.'])) {
                    self.collect_script(&Word::from(glued), &mut found);
                }
                continue;
            }
            self.collect_script(word, &mut found);
            self.collect_completed(word, &mut found);
            if !std::mem::replace(&mut go_on, false) {
                break;
            }
        }
        if fed {
            for access in &self.out.accesses {
                match access {
                    Access::Read(path) => self.script_at(path, &mut found),
                    Access::Shell(shell) if shell.reader => {
                        files_read_by(shell).for_each(|path| self.script_at(path, &mut found));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// What one of `options` names, in the next word or glued to it.
    fn collect_named_by_option(&self, options: &[&str], words: &[Word], found: &mut Vec<Script>) {
        for (at, word) in words.iter().enumerate() {
            let text = word.known_prefix();
            let Some(option) = options.iter().find(|option| text.starts_with(**option)) else { continue };
            let behind = text.get(option.len()..).unwrap_or_default();
            match (word, words.get(at + 1)) {
                (Word::Literal(_), Some(next)) if behind.is_empty() => self.collect_script(next, found),
                (Word::Literal(_), _) => {
                    self.collect_script(&Word::from(behind.trim_start_matches('=')), found)
                }
                (Word::Open(_), _) => self.collect_script(word, found),
            }
        }
    }

    /// What is there under a name that is not, as the interpreter completes it: `node server`, `python3 -m tools.gen`.
    fn collect_completed(&self, word: &Word, found: &mut Vec<Script>) {
        let (Some(text), Some(folder)) = (word.literal(), self.place.folder.known_path()) else { return };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        if text.is_empty() || !text.chars().all(is_name) {
            return;
        }
        let module = Some(text.replace('.', "/")).filter(|module| module != text && !text.contains('/'));
        for name in std::iter::once(text.to_owned()).chain(module) {
            for end in COMPLETIONS {
                let path = folder.join(format!("{name}{end}"));
                if let Some(path) = path.to_str().filter(|_| path.is_file()) {
                    self.script_at(&self.looked.path_access(folder, path), found);
                }
            }
        }
    }

    fn collect_script(&self, word: &Word, found: &mut Vec<Script>) {
        let Some(text) = word.literal() else {
            return push_script(Script::without_digest(word.text()), found);
        };
        match self.place.folder.known_path() {
            Some(folder) => self.script_at(&self.looked.path_access(folder, text), found),
            None if text.starts_with('/') => self.script_at(&PathAccess::new(Path::new("/"), text), found),
            // It could lie anywhere.
            None if !self.at.roots.is_empty() => push_script(Script::without_digest(text.to_owned()), found),
            None => {}
        }
    }

    fn script_at(&self, path: &PathAccess, found: &mut Vec<Script>) {
        let inside = path.forms().any(|form| self.at.roots.iter().any(|root| lies_in(form, root)));
        // A folder among the words of a script is no script.
        if !inside || (path.folder && !found.is_empty()) {
            return;
        }
        let script = match found.len() < MOST {
            true => Script::look_up(path),
            false => Some(Script::without_digest(display_path(&path.lexical).into_owned())),
        };
        if let Some(script) = script {
            push_script(script, found);
        }
    }
}

/// What the line itself writes, or another of its commands may change before it is run, is another content than the one that
/// is there now: no answer that was given for that counts. `in_order`: commands run one after the other, as they stand.
pub(super) fn drop_rewritten_digests(out: &mut [Access], in_order: bool) {
    let written: Vec<String> = out
        .iter()
        .filter_map(|access| match access {
            Access::Write(_, path) => Some(path.forms().map(|form| display_path(form).into_owned())),
            _ => None,
        })
        .flatten()
        .collect();
    for at in 0..out.len() {
        let others = out.iter().take(if in_order { at } else { out.len() });
        let others: Vec<&ShellAccess> = others.filter_map(as_shell_access).collect();
        let Some(Access::Shell(this)) = out.get(at) else { continue };
        let changed: Vec<bool> = this
            .scripts
            .iter()
            .map(|script| {
                let runs_it = |other: &ShellAccess| other.scripts.iter().any(|its| its.path == script.path);
                let path = Path::new(&script.path);
                written.contains(&script.path)
                    || others.iter().any(|other| !runs_it(other) && may_change(other, path))
            })
            .collect();
        let Some(Access::Shell(this)) = out.get_mut(at) else { continue };
        let changed = this.scripts.iter_mut().zip(changed).filter(|(_, changed)| *changed);
        changed.for_each(|(script, _)| script.digest = None);
    }
}

fn as_shell_access(access: &Access) -> Option<&ShellAccess> {
    match access {
        Access::Shell(shell) => Some(shell),
        _ => None,
    }
}

/// Commands of git that leave the files of a work tree as they are. All others may put other contents there.
const LEAVE_FILES: &[&str] = &[
    "add", "branch", "commit", "config", "fetch", "gc", "log", "notes", "push", "remote", "show", "status",
    "tag",
];

/// Whether a command may give the file at `script` another content, or put another file there.
fn may_change(command: &ShellAccess, script: &Path) -> bool {
    let name = command.words.first().and_then(Word::literal).map(base_name).unwrap_or_default();
    if command.reader || KEEP.contains(&name) {
        return false;
    }
    if name == "git" {
        let mut words = command.words.iter().skip(1).map(|word| word.literal().unwrap_or_default());
        let does = words.find(|word| !word.starts_with('-'));
        return does.is_none_or(|does| !LEAVE_FILES.contains(&does));
    }
    if brought_files(&command.words) == BroughtFiles::Fetched || name == "patch" {
        return true;
    }
    // It, or a folder above it.
    command.touches.iter().filter(|touch| touch.how != Use::Read).any(|touch| match &touch.path {
        TouchedPath::Known(path) => path.forms().any(|form| lies_in(script, form)),
        TouchedPath::Open(_) => matches!(touch.how, Use::Write(_)),
    })
}

fn push_script(script: Script, found: &mut Vec<Script>) {
    if found.len() <= MOST && !found.contains(&script) {
        found.push(script);
    }
}

/// The files that a reader reads.
fn files_read_by(shell: &ShellAccess) -> impl Iterator<Item = &PathAccess> {
    let known = |touch: &'_ Touch| touch.how == Use::Read && matches!(touch.path, TouchedPath::Known(_));
    shell.touches.iter().filter(move |touch| known(touch)).filter_map(|touch| match &touch.path {
        TouchedPath::Known(path) => Some(path),
        TouchedPath::Open(_) => None,
    })
}
