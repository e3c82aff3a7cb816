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
        if !runs_others(name) {
            return found;
        }
        let mut go_on = has_sub_commands(name);
        for word in rest {
            if word.known_prefix().starts_with(['-', '+']) {
                go_on = true;
                continue;
            }
            self.collect_script(word, &mut found);
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
