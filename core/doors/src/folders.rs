//! Folders, as every door looks at them: where a session works, where a command runs, where a search's patterns lead.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mayi_core::call::{
    Caveat, PathAccess, file_paths, has_parent_component, shell::CaveatSubject, with_and_without_blanks,
};
use mayi_core::gate::Session;
use serde_json::{Map, Value};

use crate::readings::{has_command, is_path_key};

/// Keys of tools' inputs that name the folder to run in.
pub const FOLDERS: &[&str] =
    &["cwd", "workdir", "working_directory", "workingDirectory", "directory", "dir_path"];

/// Those of them that elsewhere name what is looked at.
const LOOKED_AT: &[&str] = &["directory", "dir_path"];

/// Why a command is asked about for the folder it runs in: outside of the session's folders, the same
/// words may do something else.
#[must_use]
pub fn folder_caveat(session: &Session, cwd: &Path) -> Option<Caveat> {
    let at = PathAccess::new(&session.cwd, &cwd.to_string_lossy());
    (at.unresolved.is_some() || !at.is_within(&session.roots)).then(|| Caveat {
        reason: format!("it runs in {}, outside of the session's folders", cwd.display()),
        always: true,
        named: CaveatSubject::Nothing,
    })
}

/// The folders of a session in both forms: as they are written, and where links lead.
#[must_use]
pub fn session_roots(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for folder in folders {
        for form in [Some(folder.clone()), folder.canonicalize().ok()].into_iter().flatten() {
            if !roots.contains(&form) {
                roots.push(form);
            }
        }
    }
    roots
}

/// The folders that a tool's input names to work in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedFolders {
    /// Other folders than the session's own, in each reading of what names them.
    pub others: Vec<PathBuf>,
    /// Whether the session's own counts beside them.
    pub own: bool,
}

/// The folders that `input` names for a tool that works in `cwd`; `own_keys` are those that its harness says it reads, and any
/// other one may be read or not. `homes`: what `~` could be.
#[must_use]
pub fn named_folders(
    input: &Map<String, Value>,
    cwd: &Path,
    own_keys: &[&str],
    homes: &[&Path],
) -> NamedFolders {
    let runs = has_command(input);
    let several = input.iter().filter(|(key, value)| is_path_key(key) && !value.is_null()).count() > 1;
    let here = PathAccess::new(cwd, ".").resolved;
    let mut found = NamedFolders::default();
    let (mut places, mut certain) = (vec![here.clone()], false);
    for (key, value) in input {
        let named =
            FOLDERS.contains(&key.as_str()) && (runs || several || !LOOKED_AT.contains(&key.as_str()));
        // Under a key that is not known, what is a folder may be the one to run in.
        let maybe =
            runs && !named && (is_path_key(key) || matches!(key.as_str(), "cd" | "root" | "workspace"));
        if !named && !maybe {
            continue;
        }
        // A list is no folder, but who reads one may take any of it.
        let given: Vec<&str> = match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().filter(|text| !text.is_empty()).collect(),
        };
        certain |= own_keys.contains(&key.as_str()) && value.is_string() && !given.is_empty();
        for folder in given.iter().flat_map(|given| folder_readings(given, cwd, homes)) {
            let place = PathAccess::new(cwd, &folder.to_string_lossy()).resolved;
            found.own |= named && place == here;
            if !places.contains(&place) && (named || folder.is_dir()) {
                places.push(place);
                found.others.push(folder);
            }
        }
    }
    found.own |= !certain;
    found
}

fn folder_readings(given: &str, cwd: &Path, homes: &[&Path]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for given in with_and_without_blanks(given) {
        found.push(cwd.join(given));
        found.extend(file_paths(given).iter().map(|file| cwd.join(file)));
        if let Some(rest) = given.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            found.extend(homes.iter().map(|home| home.join(rest.trim_start_matches('/'))));
        }
    }
    found
}

/// The most alternatives of a pattern that are looked at one by one.
const MOST: usize = 64;

/// What makes a part of a pattern more than a name.
const WILDCARDS: [char; 7] = ['*', '?', '[', '\\', '{', '|', '('];

/// The longest pattern that is looked at: no path is longer.
const LONGEST: usize = 4096;

/// Whether a path could be a pattern for several.
#[must_use]
pub fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{']) || ["@(", "+(", "!("].iter().any(|group| path.contains(group))
}

/// Folders below which all lies that a pattern finds: what stands before its first wildcard, for each of its alternatives. The root,
/// where that can't be told.
#[must_use]
pub fn glob_folders(pattern: &str) -> Vec<String> {
    let mut found = Vec::new();
    match alternatives(pattern) {
        Some(all) => {
            for folder in all.iter().map(|pattern| folder_of(pattern)) {
                if !found.contains(&folder) {
                    found.push(folder);
                }
            }
        }
        None => found.push("/".to_owned()),
    }
    found
}

/// The same for several patterns, with the blanks around them and without. The root, where there are too many.
#[must_use]
pub fn all_glob_folders<'p>(patterns: impl Iterator<Item = &'p String>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for folder in patterns.flat_map(|pattern| with_and_without_blanks(pattern)).flat_map(glob_folders) {
        found.insert(folder);
        if found.len() > MOST {
            return vec!["/".to_owned()];
        }
    }
    found.into_iter().collect()
}

/// The folders that a search's pattern leads to, where it is a path that leaves the working folder. (A pattern for texts may begin
/// with a slash too; then nothing of that name exists.)
#[must_use]
pub fn leads_to(pattern: &str) -> Vec<String> {
    let Some(all) = alternatives(pattern) else { return vec!["/".to_owned()] };
    let mut found = Vec::new();
    for pattern in all {
        let folder = folder_of(&pattern);
        let there = pattern.strip_prefix('/').is_some_and(exists_below_root);
        let leaves = there || has_parent_component(&folder) || pattern.starts_with("~/");
        if leaves && !found.contains(&folder) {
            found.push(folder);
        }
    }
    found
}

/// Whether the first part of a pattern fits anything in the root folder.
fn exists_below_root(pattern: &str) -> bool {
    let first = pattern.trim_start_matches('/').split('/').next().unwrap_or_default().replace('\\', "");
    // Other brackets are those of a pattern for texts.
    let group = ["@(", "+(", "!("].iter().filter_map(|group| first.find(group));
    match first.find(['*', '?', '[']).into_iter().chain(group).min().and_then(|at| first.get(..at)) {
        None => Path::new("/").join(&first).exists(),
        Some(before) => Path::new("/").read_dir().is_ok_and(|mut entries| {
            entries
                .any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with(before)))
        }),
    }
}

/// The folder of a pattern without alternatives, higher by as much as it goes up behind its first wildcard.
fn folder_of(pattern: &str) -> String {
    let mut parts: Vec<&str> = pattern.split('/').collect();
    // What a pattern names at its end is a file.
    parts.pop();
    let literal = |part: &&&str| !part.contains(WILDCARDS);
    let before = parts.iter().take_while(literal).count();
    let rest = pattern.split('/').skip(before);
    let up = rest.filter(|part| goes_up(part)).count();
    let mut folder = parts.get(..before).unwrap_or_default().join("/");
    if folder.is_empty() {
        folder = if pattern.starts_with('/') && before > 0 { "/" } else { "." }.to_owned();
    }
    for _ in 0..up {
        folder.push_str("/..");
    }
    folder
}

/// Whether a part of a pattern is `..`, also in brackets or behind a backslash.
fn goes_up(part: &str) -> bool {
    part.chars().filter(|c| !"[]\\@+?!()|".contains(*c)).eq("..".chars())
}

/// A pattern once for each choice that its braces leave. None if there are too many, or it can't be told what they are.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    if pattern.len() > LONGEST {
        return None;
    }
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    let mut steps = 0;
    while let Some(next) = open.pop() {
        steps += 1;
        let Some((before, choices, behind)) = first_group(&next) else {
            if has_odd_group(&next) {
                return None;
            }
            done.push(next);
            continue;
        };
        if done.len() + open.len() + choices.len() > MOST || steps > 4 * MOST {
            return None;
        }
        open.extend(choices.iter().map(|choice| format!("{before}{choice}{behind}")));
    }
    Some(done)
}

/// Whether a group such as `@(a|b)` holds a slash, which would part the pattern elsewhere, or leads up.
fn has_odd_group(pattern: &str) -> bool {
    pattern.match_indices('(').any(|(at, _)| {
        let begins = pattern.get(..at).is_some_and(|before| before.ends_with(['@', '+', '?', '*', '!']));
        let inner = pattern.get(at..).and_then(|rest| rest.split(')').next()).unwrap_or_default();
        begins && (inner.contains('/') || inner.contains(".."))
    })
}

/// The first group in braces that holds no other one: what stands before it, its choices, what stands behind it.
fn first_group(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    let (start, end) = pattern
        .match_indices('}')
        .find_map(|(end, _)| pattern.get(..end)?.rfind('{').map(|start| (start, end)))?;
    let inner = pattern.get(start + 1..end)?;
    // A row of numbers or letters is no name that leads anywhere else.
    let row = inner.contains("..") && !inner.contains([',', '/']);
    let choices = if row { vec!["*"] } else { inner.split(',').collect() };
    Some((pattern.get(..start)?, choices, pattern.get(end + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Attack 85.
    #[test]
    fn given_a_pattern_then_it_is_known_where_it_may_lead() {
        for (pattern, folders) in [
            ("*.rs", &["."][..]),
            ("**/*.rs", &["."]),
            ("src/*.rs", &["src"]),
            ("src/a.rs", &["src"]),
            ("sec*/key", &["."]),
            ("a/b[c]/d/*", &["a"]),
            ("{secrets,x}/key", &["x", "secrets"]),
            ("a{b,c/d}/*", &["ac/d", "ab"]),
            ("{a,{b,c}}/*", &["c", "b", "a"]),
            ("{1..3}/x", &["."]),
            ("/etc/*", &["/etc"]),
            ("/*", &["/"]),
            ("{/etc,x}/*", &["x", "/etc"]),
            ("*/../../*", &["./../.."]),
            ("a/*/../../..", &["a/../../.."]),
            ("{..,x}/../*", &["x/..", "../.."]),
            ("*/[.][.]/[.].", &["./../.."]),
            ("*/\\.\\./x", &["./.."]),
            ("../*", &[".."]),
            ("}{/etc,x}/*", &["}x", "}/etc"]),
            ("@(..|x)/*", &["/"]),
            ("@(/etc|x)/*", &["/"]),
            ("@(a|b)/*", &["."]),
            ("app/(group)/x", &["app"]),
        ] {
            let (mut found, mut folders) = (glob_folders(pattern), folders.to_vec());
            found.sort_unstable();
            folders.sort_unstable();
            assert_eq!(found, folders, "{pattern}");
        }
        for much in ["{a,b}".repeat(40), "@(".repeat(1 << 20), "{a".repeat(1000), "{a}".repeat(1000)] {
            assert_eq!(glob_folders(&much).len(), 1);
        }
        assert_eq!(glob_folders(&"{a,b}".repeat(40)), ["/"]);
        let many: Vec<String> = (0..200).map(|at| format!("{at}/*")).collect();
        assert_eq!(all_glob_folders(many.iter()), ["/"]);
        assert_eq!(all_glob_folders(many.iter().take(2)), ["0", "1"]);
        assert!(is_glob("{a,b}") && is_glob("@(a)") && !is_glob("a/(b)/c.rs"));
    }

    /// Attack 85.
    #[test]
    fn given_a_pattern_then_it_leads_elsewhere_only_where_it_leaves_the_folder() {
        for quiet in [
            "*.rs",
            "**/*",
            "src/{a,b}/*.rs",
            "/api/v1",
            "foo{1,3}",
            ".*/x",
            "a.*b",
            "[^/]+",
            "src/[id]/x",
            "/nonesuch*/x",
            "(a|b/c)",
            "",
        ] {
            assert_eq!(leads_to(quiet), Vec::<String>::new(), "{quiet}");
        }
        for (pattern, folders) in [
            ("/etc/*", &["/etc"][..]),
            ("/etc/{a,b}*", &["/etc"]),
            ("/et*", &["/"]),
            ("/\\etc/*", &["/"]),
            ("/@(etc|x)/*", &["/"]),
            ("../x*", &[".."]),
            ("~/x*", &["~"]),
            ("{/etc,x}/*", &["/etc"]),
            ("{~,x}/y/*", &["~/y"]),
            ("*/../../*", &["./../.."]),
        ] {
            assert_eq!(leads_to(pattern), folders, "{pattern}");
        }
    }

    /// Attack 564.
    #[test]
    fn given_an_input_then_every_folder_that_it_names_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(cwd.join("a/b")).unwrap();
        let of = |input: Value, own: &[&str]| {
            let found = named_folders(input.as_object().unwrap(), &cwd, own, &[Path::new("/home/me")]);
            let text = |path: &PathBuf| path.strip_prefix(&cwd).unwrap_or(path).display().to_string();
            (found.others.iter().map(text).collect::<Vec<_>>(), found.own)
        };
        for key in FOLDERS {
            assert_eq!(of(json!({ "command": "x", *key: "a" }), &[]), (vec!["a".to_owned()], true));
            assert_eq!(of(json!({ "command": "x", *key: "a" }), &[key]), (vec!["a".to_owned()], false));
            // The one that names the session's own may be the one that is read.
            let other = json!({ "command": "x", *key: ".", "cd": "a" });
            assert_eq!(of(other, &[key]), (vec!["a".to_owned()], true));
            for same in [".", "./", "a/..", &cwd.display().to_string()] {
                assert_eq!(of(json!({ "command": "x", *key: same }), &[]).0, Vec::<String>::new(), "{same}");
            }
        }
        let both = of(json!({ "command": "x", "cwd": "a", "workdir": "a/b", "dir": "a/./b" }), &[]).0;
        assert_eq!(both, ["a", "a/b"]);
        assert_eq!(of(json!({ "command": "x", "cwd": ["a"] }), &["cwd"]), (vec!["a".to_owned()], true));
        // Under a key that is not known, if it is one; where nothing runs, what is looked at is no folder to look from.
        assert_eq!(
            of(json!({ "command": "x", "dir": "a", "path": "none", "cd": "a/b" }), &[]).0,
            ["a", "a/b"]
        );
        assert_eq!(of(json!({ "dir_path": "a", "pattern": "x" }), &[]).0, Vec::<String>::new());
        assert_eq!(of(json!({ "dir_path": "a", "path": "x" }), &[]).0, ["a"]);
        assert_eq!(of(json!({ "dir_path": "a", "paths": ["x"] }), &[]).0, ["a"]);
        assert_eq!(of(json!({ "cmd": "x", "cwd": "~/k" }), &[]).0, ["~/k", "/home/me/k"]);
        assert!(of(json!({ "cmd": "x", "cwd": "file:///k" }), &[]).0.contains(&"/k".to_owned()));
    }
}
