//! A change that only the input of a tool tells: its texts as the diffs that a person is shown, and what is left of the input then
//! (S2.13). Agents call the same things by many names, so keys count by the words in them; a path is one that the call touches
//! anyway. What is not understood to its end stands open as it came.

mod patches;
mod words;

use std::path::{Path, PathBuf};

use mayi_call::{Access, Call, Diff, PathAccess};
use serde_json::{Map, Value};

use patches::ReadPatch;
use words::Role;

/// Members that lie deeper are not looked into.
const DEEPEST: usize = 8;

/// The most diffs that are made of one input.
const MOST: usize = 256;

/// The most bytes that are gone through to see whether one diff shows several changes.
const MOST_REPLACED: usize = 16 * 1024 * 1024;

/// The changes that the input of `call` tells and none of its diffs shows. One without an old text is all of a file.
#[must_use]
pub fn untold_diffs(call: &Call) -> Vec<Diff> {
    let (diffs, _) = InputReader::read(call);
    let untold = |(path, of): (PathBuf, Vec<Diff>)| {
        let shown = are_shown(call, &path, &of);
        of.into_iter().filter(move |diff| !shown && !is_shown(call, &path, diff)).collect::<Vec<_>>()
    };
    by_file(call, diffs).into_iter().flat_map(untold).collect()
}

/// What of the input of a call that changes files or sends something stands open on its card: all that neither the first line
/// nor the diffs say.
pub(super) fn open_input(call: &Call) -> Option<Value> {
    let told = |access: &Access| matches!(access, Access::Write(..) | Access::Fetch(_));
    if !call.accesses.iter().any(told) {
        return None;
    }
    let (diffs, rest) = InputReader::read(call);
    let shown = by_file(call, diffs)
        .iter()
        .all(|(path, of)| are_shown(call, path, of) || of.iter().all(|diff| is_shown(call, path, diff)));
    // Where a diff is not there, all of the input is.
    let open = if shown { rest } else { call.raw_input.clone() };
    says_something(&open).then_some(open)
}

/// The diffs of a patch that came beside the input, where each line of it is understood and of a file that the call changes.
#[must_use]
pub fn patch_diffs(patch: &str, changed: impl Fn(&str) -> bool) -> Option<Vec<Diff>> {
    let ReadPatch { diffs, complete } = patches::read_patch(patch, None, changed)?;
    complete.then_some(diffs)
}

/// Whether nothing of what a call would write is told: no diff, nothing of its input. What the agent says of it is not it.
pub(super) fn tells_no_change(call: &Call, open: Option<&Value>) -> bool {
    use mayi_call::WriteKind::{Create, Edit, Write};
    let writes = |access: &Access| matches!(access, Access::Write(Create | Edit | Write, _));
    let other = |access: &Access| matches!(access, Access::Shell(_) | Access::Mcp(_) | Access::Tool { .. });
    call.accesses.iter().any(writes)
        && !call.accesses.iter().any(other)
        && call.diffs.is_empty()
        && open.is_none()
}

/// Diffs by the file that they are of, in their order.
fn by_file(call: &Call, diffs: Vec<Diff>) -> Vec<(PathBuf, Vec<Diff>)> {
    let mut files: Vec<(PathBuf, Vec<Diff>)> = Vec::new();
    for diff in diffs {
        let path = lexical(&call.cwd, &diff.path);
        match files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, of)) => of.push(diff),
            None => files.push((path, vec![diff])),
        }
    }
    files
}

fn lexical(cwd: &Path, path: &str) -> PathBuf {
    PathAccess::without_lookup(cwd, path).lexical
}

fn diffs_of<'c>(call: &'c Call, path: &'c Path) -> impl Iterator<Item = &'c Diff> {
    call.diffs.iter().filter(move |diff| lexical(&call.cwd, &diff.path) == path)
}

/// Whether a diff of the call is this one.
fn is_shown(call: &Call, path: &Path, diff: &Diff) -> bool {
    diffs_of(call, path).any(|shown| {
        shown.new_text == diff.new_text && (diff.old_text.is_none() || shown.old_text == diff.old_text)
    })
}

/// Whether one diff of the call is what all of these come to, one after the other.
fn are_shown(call: &Call, path: &Path, diffs: &[Diff]) -> bool {
    diffs_of(call, path).any(|shown| {
        let Some(before) = &shown.old_text else { return false };
        let size = before.len().max(shown.new_text.len());
        if size.saturating_mul(diffs.len()) > MOST_REPLACED {
            return false;
        }
        let replaced = |all: bool| {
            diffs.iter().try_fold(before.clone(), |text, diff| match diff.old_text.as_deref() {
                Some(old) if old.is_empty() || !text.contains(old) => None,
                Some(old) if all => Some(text.replace(old, &diff.new_text)),
                Some(old) => Some(text.replacen(old, &diff.new_text, 1)),
                None => Some(diff.new_text.clone()),
            })
        };
        [false, true].into_iter().any(|all| replaced(all).as_ref() == Some(&shown.new_text))
    })
}

/// Whether a value says anything: what is off or empty does not.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) | Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => items.iter().any(says_something),
        Value::Object(members) => members.values().any(says_something),
    }
}

struct InputReader<'c> {
    call: &'c Call,
    /// The files that the call changes, and all that it touches.
    changed: Vec<&'c PathAccess>,
    touched: Vec<&'c PathAccess>,
    diffs: Vec<Diff>,
}

/// One object of the input, by what its members are.
#[derive(Default)]
struct Members<'v> {
    path: Option<&'v str>,
    old: Vec<(&'v str, &'v str)>,
    new: Vec<(&'v str, &'v str)>,
    /// What could be all of a file.
    whole: Vec<(&'v str, &'v str)>,
    /// What says more than how.
    others: usize,
    rest: Map<String, Value>,
}

impl<'c> InputReader<'c> {
    /// The changes in the input of `call`, and what is left of it beside them.
    fn read(call: &'c Call) -> (Vec<Diff>, Value) {
        let path = |access: &'c Access| match access {
            Access::Read(path) | Access::Write(_, path) => Some(path),
            _ => None,
        };
        let changed = call.accesses.iter().filter(|access| matches!(access, Access::Write(..)));
        let mut reader = Self {
            call,
            changed: changed.filter_map(path).collect(),
            touched: call.accesses.iter().filter_map(path).collect(),
            diffs: Vec::new(),
        };
        // Where it changes one file, that is the one.
        let only = match reader.changed.as_slice() {
            [only] => Some(only.given.as_str()),
            _ => None,
        };
        let rest = reader.value(&call.raw_input, only, 0);
        (reader.diffs, rest)
    }

    /// What is left of a value, with the file that it is about.
    fn value(&mut self, value: &Value, path: Option<&str>, depth: usize) -> Value {
        match value {
            _ if depth > DEEPEST || self.diffs.len() > MOST => value.clone(),
            Value::Object(members) => self.object(members, path, depth),
            Value::Array(items) => {
                let rest: Vec<Value> = items
                    .iter()
                    .map(|item| self.value(item, path, depth + 1))
                    .filter(says_something)
                    .collect();
                Value::Array(rest)
            }
            Value::String(text) if self.says_access(text) => Value::Null,
            Value::String(text) => match self.patch(text, path) {
                Some(rest) => rest,
                None => value.clone(),
            },
            other => other.clone(),
        }
    }

    fn object(&mut self, members: &Map<String, Value>, path: Option<&str>, depth: usize) -> Value {
        let mut found = Members::default();
        let mut deep: Vec<(&String, &Value)> = Vec::new();
        for (key, value) in members.iter().filter(|(_, value)| says_nothing_but_text(value)) {
            match value {
                Value::String(text) => self.sort_text(key, text, &mut found),
                Value::Array(_) | Value::Object(_) => deep.push((key, value)),
                other => {
                    found.others += 1;
                    found.rest.insert(key.clone(), other.clone());
                }
            }
        }
        let path = found.path.or(path);
        found.others += deep.len();
        self.take_texts(&mut found, path);
        for (key, value) in deep {
            // Codex has changes by the files that they are of.
            let path = self.names_changed(key).then_some(key.as_str()).or(path);
            let rest = self.value(value, path, depth + 1);
            if says_something(&rest) {
                found.rest.insert(key.clone(), rest);
            }
        }
        Value::Object(found.rest)
    }

    /// What a text is among the members of its object.
    fn sort_text<'v>(&self, key: &'v str, text: &'v str, found: &mut Members<'v>) {
        let role = words::role_of(key);
        let is_path = !matches!(role, Role::OldText | Role::NewText | Role::Whole | Role::Inserted);
        if is_path && self.says_access(text) {
            if found.path.is_none() && self.names_changed(text) {
                found.path = Some(text);
            }
            return;
        }
        match role {
            Role::OldText | Role::Old => found.old.push((key, text)),
            Role::NewText | Role::New => found.new.push((key, text)),
            Role::Whole => found.whole.push((key, text)),
            Role::Id => {}
            Role::Manner if words::is_plain_change(text) => {}
            Role::Prose => drop(found.rest.insert(key.to_owned(), Value::from(text))),
            Role::Inserted | Role::Manner | Role::Other => {
                found.others += 1;
                found.rest.insert(key.to_owned(), Value::from(text));
            }
        }
    }

    /// Makes diffs of the texts of an object. What makes none stands open.
    fn take_texts(&mut self, found: &mut Members<'_>, path: Option<&str>) {
        let texts = std::mem::take(&mut found.old).into_iter().map(|one| (Role::Old, one));
        let texts = texts.chain(std::mem::take(&mut found.new).into_iter().map(|one| (Role::New, one)));
        let mut texts: Vec<_> =
            texts.chain(std::mem::take(&mut found.whole).into_iter().map(|one| (Role::Whole, one))).collect();
        texts.retain(|(_, (key, text))| match self.patch(text, path) {
            Some(rest) => {
                if says_something(&rest) {
                    found.rest.insert((*key).to_owned(), rest);
                }
                false
            }
            None => true,
        });
        let diff = match (texts.as_slice(), path) {
            ([(Role::Old, (_, old)), (Role::New | Role::Whole, (_, new))], Some(path)) => {
                Some((path, Some(*old), *new))
            }
            ([(Role::Whole, (_, new))], Some(path)) if found.others == 0 => Some((path, None, *new)),
            _ => None,
        };
        match diff {
            Some((path, old, new)) => self.diffs.push(Diff {
                path: path.to_owned(),
                old_text: old.map(str::to_owned),
                new_text: new.to_owned(),
            }),
            None => found
                .rest
                .extend(texts.into_iter().map(|(_, (key, text))| (key.to_owned(), Value::from(text)))),
        }
    }

    /// Takes the changes of a patch; what is left of it then, or none where it is no patch that is understood.
    fn patch(&mut self, text: &str, path: Option<&str>) -> Option<Value> {
        let ReadPatch { diffs, complete } = patches::read_patch(text, path, |name| self.names_changed(name))?;
        self.diffs.extend(diffs);
        Some(if complete { Value::Null } else { Value::from(text) })
    }

    /// Whether `text` names a file that the call changes.
    fn names_changed(&self, text: &str) -> bool {
        names_one(&self.changed, &self.call.cwd, text)
    }

    /// Whether the card has it already: a file that is touched, or the folder.
    fn says_access(&self, text: &str) -> bool {
        names_one(&self.touched, &self.call.cwd, text)
            || self
                .call
                .accesses
                .iter()
                .any(|access| matches!(access, Access::Fetch(_)) && access.object() == text)
            || Path::new(text) == self.call.cwd
    }
}

fn says_nothing_but_text(value: &Value) -> bool {
    // An empty text is one, beside another: what is taken away is replaced by nothing.
    value.is_string() || says_something(value)
}

fn names_one(paths: &[&PathAccess], cwd: &Path, text: &str) -> bool {
    // No program can open a longer one.
    if text.is_empty() || text.len() > 4096 || text.contains('\n') {
        return false;
    }
    let lexical = lexical(cwd, text);
    paths.iter().any(|path| path.given == text || path.lexical == lexical)
}

#[cfg(test)]
mod tests;
