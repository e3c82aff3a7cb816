//! Which files of the session's folders a command runs.

use std::path::Path;

use super::Walker;
use crate::shell::program::{has_sub_commands, runs_others};
use crate::shell::scripts::Script;
use crate::shell::{ShellAccess, Touch, TouchedPath, Use, Word};
use crate::{Access, PathAccess, lies_in, shown};

/// As many are looked into; the others count as not known.
const MOST: usize = 4;

impl Walker<'_> {
    /// The command itself, if its name is a path; the script of an interpreter, a shell or a wrapper; what
    /// one of these is fed. Values of options could be the script too: which options take one is not known
    /// of every interpreter.
    pub(super) fn scripts(&self, words: &[Word], fed: bool) -> Vec<Script> {
        let Some((first, rest)) = words.split_first() else { return Vec::new() };
        let Some(name) = first.literal() else { return Vec::new() };
        let mut found = Vec::new();
        if name.contains('/') {
            self.script(first, &mut found);
        }
        if !runs_others(name) {
            return found;
        }
        let mut go_on = has_sub_commands(name);
        for word in rest {
            if word.prefix().starts_with(['-', '+']) {
                go_on = true;
                continue;
            }
            self.script(word, &mut found);
            if !std::mem::replace(&mut go_on, false) {
                break;
            }
        }
        if fed {
            for access in &self.out.accesses {
                match access {
                    Access::Read(path) => self.script_at(path, &mut found),
                    Access::Shell(shell) if shell.reader => {
                        read(shell).for_each(|path| self.script_at(path, &mut found));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn script(&self, word: &Word, found: &mut Vec<Script>) {
        let Some(text) = word.literal() else { return add(Script::unknown(word.text()), found) };
        match self.place.folder.known() {
            Some(folder) => self.script_at(&self.looked.at(folder, text), found),
            None if text.starts_with('/') => self.script_at(&PathAccess::new(Path::new("/"), text), found),
            // It could lie anywhere.
            None if !self.at.roots.is_empty() => add(Script::unknown(text.to_owned()), found),
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
            true => Script::look(path),
            false => Some(Script::unknown(shown(&path.lexical).into_owned())),
        };
        if let Some(script) = script {
            add(script, found);
        }
    }
}

/// What the line itself writes before it runs it is another content than the one that is there now.
pub(super) fn rewritten(out: &mut [Access]) {
    let written: Vec<String> = out
        .iter()
        .filter_map(|access| match access {
            Access::Write(_, path) => Some(path.forms().map(|form| shown(form).into_owned())),
            _ => None,
        })
        .flatten()
        .collect();
    let scripts = out.iter_mut().filter_map(|access| match access {
        Access::Shell(shell) => Some(&mut shell.scripts),
        _ => None,
    });
    for script in scripts.flatten().filter(|script| written.contains(&script.path)) {
        script.digest = None;
    }
}

fn add(script: Script, found: &mut Vec<Script>) {
    if found.len() <= MOST && !found.contains(&script) {
        found.push(script);
    }
}

/// The files that a reader reads.
fn read(shell: &ShellAccess) -> impl Iterator<Item = &PathAccess> {
    let known = |touch: &'_ Touch| touch.how == Use::Read && matches!(touch.path, TouchedPath::Known(_));
    shell.touches.iter().filter(move |touch| known(touch)).filter_map(|touch| match &touch.path {
        TouchedPath::Known(path) => Some(path),
        TouchedPath::Open(_) => None,
    })
}
