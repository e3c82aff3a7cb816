//! A change that only the input of a tool tells: its texts as the diffs that a person is shown, and what is left of the input then
//! (S2.13). Agents call the same things by many names, so keys count by the words in them; a path is one that the call touches
//! anyway. What is not understood to its end stands open as it came.

mod patches;
mod words;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use mayi_call::{Access, Call, Diff, PathAccess};
use serde_json::{Map, Value};

use patches::ReadPatch;
use words::Role;

/// Members that lie deeper are not looked into.
const DEEPEST: usize = 8;

/// The most diffs that are made of one input.
const MOST: usize = 256;

/// The most texts of one input that are looked at, and the most bytes of them: what comes after them stands open.
const MOST_TEXTS: usize = 2_000;
const MOST_BYTES: usize = 512 * 1024;

/// The most bytes that are gone through to see whether one diff shows several changes.
const MOST_REPLACED: usize = 512 * 1024;

/// The changes that the input of `call` tells and none of its diffs shows. One without an old text is all of a file.
#[must_use]
pub fn untold_diffs(call: &Call) -> Vec<Diff> {
    if !call.accesses.iter().any(|access| matches!(access, Access::Write(..))) {
        return Vec::new();
    }
    let (diffs, _) = InputReader::read(call);
    let told = DiffsByFile::new(&call.cwd, &call.diffs);
    let untold = DiffsByFile::new(&call.cwd, &diffs).files.into_iter().flat_map(|(path, of)| {
        let shown = told.come_to(&path, &of);
        of.into_iter().filter(|diff| !shown && !told.has(&path, diff)).collect::<Vec<_>>()
    });
    untold.cloned().collect()
}

/// What of the input of a call that changes files or sends something stands open on its card: all that neither the first line
/// nor the diffs say.
pub(super) fn open_input(call: &Call) -> Option<Value> {
    let told = |access: &Access| matches!(access, Access::Write(..) | Access::Fetch(_));
    if !call.accesses.iter().any(told) {
        return None;
    }
    let (diffs, rest) = InputReader::read(call);
    let told = DiffsByFile::new(&call.cwd, &call.diffs);
    let shown = |(path, of): &(PathBuf, Vec<&Diff>)| {
        told.come_to(path, of) || of.iter().all(|diff| told.has(path, diff))
    };
    // Where a diff is not there, all of the input is.
    let all = DiffsByFile::new(&call.cwd, &diffs).files.iter().all(shown);
    let open = if all { rest } else { call.raw_input.clone() };
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

fn lexical(cwd: &Path, path: &str) -> PathBuf {
    PathAccess::without_lookup(cwd, path).lexical
}

/// Diffs by the file that they are of, in their order.
struct DiffsByFile<'d> {
    files: Vec<(PathBuf, Vec<&'d Diff>)>,
}

impl<'d> DiffsByFile<'d> {
    fn new(cwd: &Path, diffs: &'d [Diff]) -> Self {
        let mut files: Vec<(PathBuf, Vec<&Diff>)> = Vec::new();
        let mut places: HashMap<PathBuf, usize> = HashMap::new();
        for diff in diffs {
            let path = lexical(cwd, &diff.path);
            let place = *places.entry(path.clone()).or_insert(files.len());
            match files.get_mut(place) {
                Some((_, of)) => of.push(diff),
                None => files.push((path, vec![diff])),
            }
        }
        Self { files }
    }

    fn of(&self, path: &Path) -> impl Iterator<Item = &'d Diff> {
        self.files.iter().filter(move |(of, _)| of == path).flat_map(|(_, diffs)| diffs).copied()
    }

    /// Whether one of them is this one.
    fn has(&self, path: &Path, diff: &Diff) -> bool {
        self.of(path).any(|shown| {
            shown.new_text == diff.new_text && (diff.old_text.is_none() || shown.old_text == diff.old_text)
        })
    }

    /// Whether one of them is what all of `diffs` come to, one after the other, each at the first place or wherever it fits.
    fn come_to(&self, path: &Path, diffs: &[&Diff]) -> bool {
        let mut left = MOST_REPLACED;
        let mut replaced = |shown: &Diff, all: bool| {
            let before = shown.old_text.clone()?;
            let after = diffs.iter().try_fold(before, |text, diff| {
                let old = diff.old_text.as_deref().filter(|old| !old.is_empty())?;
                let times = if all { text.matches(old).count() } else { usize::from(text.contains(old)) };
                let size = times.saturating_mul(diff.new_text.len()).saturating_add(text.len());
                left = left.checked_sub(size)?;
                (times > 0).then(|| text.replacen(old, &diff.new_text, times))
            });
            after.map(|after| after == shown.new_text)
        };
        self.of(path).any(|shown| [false, true].into_iter().any(|all| replaced(shown, all) == Some(true)))
    }
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

/// Names of files, as they were given and as paths.
#[derive(Default)]
struct FileNames<'c> {
    given: HashSet<&'c str>,
    paths: HashSet<&'c Path>,
}

impl<'c> FileNames<'c> {
    fn add(&mut self, path: &'c PathAccess) {
        self.given.insert(&path.given);
        self.paths.insert(&path.lexical);
    }

    fn has(&self, cwd: &Path, text: &str) -> bool {
        // No program can open a longer one.
        let is_name = !text.is_empty() && text.len() <= 4096 && !text.contains('\n');
        is_name && (self.given.contains(text) || self.paths.contains(lexical(cwd, text).as_path()))
    }
}

struct InputReader<'c> {
    call: &'c Call,
    /// The files that the call changes, and all that it touches.
    changed: FileNames<'c>,
    touched: FileNames<'c>,
    diffs: Vec<Diff>,
    /// How many texts may be looked at still, and how many bytes of them.
    texts: usize,
    bytes: usize,
}

/// The texts of one object of the input, by what they are, and what is left of it.
#[derive(Default)]
struct Members<'v> {
    path: Option<&'v str>,
    texts: Vec<(Role, &'v str, &'v str)>,
    /// How many members say more than how.
    others: usize,
    rest: Map<String, Value>,
}

impl Members<'_> {
    fn leave_open(&mut self, key: &str, value: Value) {
        self.others += 1;
        self.rest.insert(key.to_owned(), value);
    }
}

impl<'c> InputReader<'c> {
    /// The changes in the input of `call`, and what is left of it beside them.
    fn read(call: &'c Call) -> (Vec<Diff>, Value) {
        let (mut changed, mut touched) = (FileNames::default(), FileNames::default());
        let mut only: Option<&str> = None;
        for access in &call.accesses {
            match access {
                Access::Write(_, path) => {
                    let same = only.is_none_or(|only| only == path.given);
                    only =
                        (same && (changed.given.is_empty() || only.is_some())).then_some(path.given.as_str());
                    changed.add(path);
                    touched.add(path);
                }
                Access::Read(path) => touched.add(path),
                _ => {}
            }
        }
        let mut reader =
            Self { call, changed, touched, diffs: Vec::new(), texts: MOST_TEXTS, bytes: MOST_BYTES };
        // Where it changes one file, that is the one.
        let rest = reader.value(&call.raw_input, only, 0);
        (reader.diffs, rest)
    }

    /// Whether one more text may be looked at.
    fn affords(&mut self, text: &str) -> bool {
        let (texts, bytes) = (self.texts.checked_sub(1), self.bytes.checked_sub(text.len()));
        (self.texts, self.bytes) = (texts.unwrap_or(0), bytes.unwrap_or(self.bytes));
        texts.is_some() && bytes.is_some()
    }

    /// What is left of a value, with the file that it is about.
    fn value(&mut self, value: &Value, path: Option<&str>, depth: usize) -> Value {
        match value {
            _ if depth > DEEPEST || self.diffs.len() > MOST => value.clone(),
            Value::Object(members) => self.object(members, path, depth),
            Value::Array(items) => {
                let rest = items.iter().map(|item| self.value(item, path, depth + 1));
                Value::Array(rest.filter(says_something).collect())
            }
            Value::String(text) if !self.affords(text) => value.clone(),
            Value::String(text) if self.says_access(text) => Value::Null,
            Value::String(text) => self.patch(text, path).unwrap_or_else(|| value.clone()),
            other => other.clone(),
        }
    }

    fn object(&mut self, members: &Map<String, Value>, path: Option<&str>, depth: usize) -> Value {
        let mut found = Members::default();
        let mut deep: Vec<(&String, &Value)> = Vec::new();
        for (key, value) in members {
            match value {
                // An empty text is one, beside another: what is taken away is replaced by nothing.
                Value::String(text) if self.affords(text) => self.sort_text(key, text, &mut found),
                value if !says_something(value) => {}
                Value::Array(_) | Value::Object(_) => deep.push((key, value)),
                other => found.leave_open(key, other.clone()),
            }
        }
        let path = found.path.or(path);
        found.others += deep.len();
        self.take_texts(&mut found, path);
        for (key, value) in deep {
            // Codex has changes by the files that they are of.
            let path =
                (self.affords(key) && self.changed.has(&self.call.cwd, key)).then_some(key.as_str()).or(path);
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
        let is_text = matches!(role, Role::OldText | Role::NewText | Role::Whole | Role::Inserted);
        if !is_text && self.says_access(text) {
            let changed = self.changed.has(&self.call.cwd, text);
            found.path = found.path.or(changed.then_some(text));
            return;
        }
        match role {
            Role::Id => {}
            Role::Manner if words::is_plain_change(text) => {}
            Role::Prose => drop(found.rest.insert(key.to_owned(), Value::from(text))),
            role => found.texts.push((role, key, text)),
        }
    }

    /// Makes diffs of the texts of an object. What makes none stands open.
    fn take_texts(&mut self, found: &mut Members<'_>, path: Option<&str>) {
        let mut parts: Vec<(Role, &str, &str)> = Vec::new();
        for (role, key, text) in std::mem::take(&mut found.texts) {
            match (self.patch(text, path), role) {
                (Some(Value::Null), _) => {}
                (Some(rest), _) => found.leave_open(key, rest),
                (None, Role::Old | Role::OldText) => parts.push((Role::Old, key, text)),
                (None, Role::New | Role::NewText) => parts.push((Role::New, key, text)),
                (None, Role::Whole) => parts.push((Role::Whole, key, text)),
                (None, _) if text.is_empty() => {}
                (None, _) => found.leave_open(key, Value::from(text)),
            }
        }
        parts.sort_by_key(|(role, ..)| match role {
            Role::Old => 0,
            Role::New => 1,
            _ => 2,
        });
        let diff = match (parts.as_slice(), path) {
            ([(Role::Old, _, old), (Role::New | Role::Whole, _, new)], Some(path)) => {
                Some((path, Some(*old), *new))
            }
            ([(Role::Whole, _, new)], Some(path)) if found.others == 0 => Some((path, None, *new)),
            _ => None,
        };
        match diff {
            Some((path, old, new)) => self.diffs.push(Diff {
                path: path.to_owned(),
                old_text: old.map(str::to_owned),
                new_text: new.to_owned(),
            }),
            None => parts.into_iter().for_each(|(_, key, text)| found.leave_open(key, Value::from(text))),
        }
    }

    /// Takes the changes of a patch; what is left of it then, or none where it is no patch that is understood.
    fn patch(&mut self, text: &str, path: Option<&str>) -> Option<Value> {
        let changed = |name: &str| self.changed.has(&self.call.cwd, name);
        let ReadPatch { diffs, complete } = patches::read_patch(text, path, changed)?;
        self.diffs.extend(diffs);
        Some(if complete { Value::Null } else { Value::from(text) })
    }

    /// Whether the card has it already: a file that is touched, an address that is asked, or the folder.
    fn says_access(&self, text: &str) -> bool {
        let address = |access: &Access| matches!(access, Access::Fetch(_)) && access.object() == text;
        self.touched.has(&self.call.cwd, text)
            || Path::new(text) == self.call.cwd
            || self.call.accesses.iter().any(address)
    }
}

#[cfg(test)]
mod tests;
