//! What a reading form of cargo opens by what manifests say, and what it keeps beside them.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::analyzer::CommandAnalyzer;
use crate::resolve_path;
use crate::shell::{OpenWord, Reach, Use};

const MANIFEST: &str = "Cargo.toml";
/// What cargo keeps in its target folder, also where it only reads.
const KEPT: &[&str] = &["target", "target/.rustc_info.json"];
/// As many manifests are looked into, and as many names below a folder of members; the longest manifest.
const MOST: usize = 128;
const MOST_NAMES: usize = 1000;
const LONGEST: u64 = 256 * 1024;
/// Tables whose `path` is a file of the package itself.
const OWN_FILES: &[&str] = &["lib", "bin", "example", "test", "bench", "metadata", "badges", "lints"];

/// The manifests that are found from the folder on, by what they say of each other. Those above it cargo looks for by itself.
pub(super) fn add_named_manifests(judge: &mut CommandAnalyzer<'_>) {
    let folder = judge.command.cwd.and_then(|cwd| judge.command.looked.resolved_folder(cwd));
    let mut found = ManifestSearch::default();
    match folder.as_ref().filter(|_| !judge.command.made) {
        Some(folder) => folder.ancestors().for_each(|above| found.add_folder(above.to_owned())),
        None => found.lost = true,
    }
    found.follow();
    let above = |of: &Path| folder.as_ref().is_some_and(|folder| folder != of && folder.starts_with(of));
    for named in found.seen.iter().filter(|named| !above(named)) {
        match named.join(MANIFEST).to_str() {
            Some(path) => judge.places.add_path(path, Use::Read, Reach::Said),
            None => found.lost = true,
        }
    }
    if found.lost {
        let pieces = vec![None, Some(format!("/{MANIFEST}"))];
        let text = "what a manifest names".to_owned();
        let word = OpenWord { text, pieces, splits: true, ..OpenWord::default() };
        judge.places.add_open_word(&word, Use::Read, Reach::Said);
    }
}

/// Whether what cargo keeps of its own lies in the folder: through a link it would be written elsewhere.
pub(super) fn keeps_to_its_folder(judge: &CommandAnalyzer<'_>) -> bool {
    let linked = |name: &Path| fs::symlink_metadata(name).is_ok_and(|meta| meta.file_type().is_symlink());
    let folder = judge.command.cwd.and_then(|cwd| judge.command.looked.resolved_folder(cwd));
    folder.is_some_and(|folder| {
        !folder.ancestors().any(|above| KEPT.iter().any(|name| linked(&above.join(name))))
    })
}

/// Folders in which there is a manifest.
#[derive(Debug, Default)]
struct ManifestSearch {
    seen: HashSet<PathBuf>,
    /// The same, links resolved.
    real: HashSet<PathBuf>,
    todo: Vec<PathBuf>,
    /// There is more than can be looked at, or something that is not understood.
    lost: bool,
}

impl ManifestSearch {
    fn add_folder(&mut self, folder: PathBuf) {
        if fs::symlink_metadata(folder.join(MANIFEST)).is_err() {
            return;
        }
        let Ok(real) = resolve_path(&folder) else {
            self.lost = true;
            return;
        };
        if self.seen.contains(&folder) {
            return;
        }
        if self.seen.len() >= MOST {
            self.lost = true;
            return;
        }
        if self.real.insert(real) {
            self.todo.push(folder.clone());
        }
        self.seen.insert(folder);
    }

    fn follow(&mut self) {
        while let Some(folder) = self.todo.pop() {
            let file = folder.join(MANIFEST);
            let short = fs::metadata(&file).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
            let text = short.then(|| fs::read_to_string(&file).ok()).flatten();
            match text.and_then(|text| text.parse::<Table>().ok()) {
                Some(manifest) => self.add_named(&folder, &manifest),
                None => self.lost = true,
            }
        }
    }

    /// What a manifest names: packages that it depends on or takes instead of others, the work space and its members.
    fn add_named(&mut self, folder: &Path, manifest: &Table) {
        let of = |table: &str, key: &str| manifest.get(table).and_then(|table| table.get(key));
        if let Some(root) = of("package", "workspace").and_then(Value::as_str) {
            self.add_folder(folder.join(root));
        }
        for key in ["members", "default-members"] {
            for member in of("workspace", key).and_then(Value::as_array).into_iter().flatten() {
                match member.as_str() {
                    Some(member) => self.add_members(folder, member),
                    None => self.lost = true,
                }
            }
        }
        let mut tables = vec![manifest];
        while let Some(table) = tables.pop() {
            for (key, value) in table.iter().filter(|(key, _)| !OWN_FILES.contains(&key.as_str())) {
                match value {
                    Value::String(path) if key == "path" => self.add_folder(folder.join(path)),
                    Value::Table(inner) => tables.push(inner),
                    _ => {}
                }
            }
        }
    }

    /// `crates/*`: any name where a part of the pattern is not plain.
    fn add_members(&mut self, folder: &Path, pattern: &str) {
        let mut folders = vec![folder.to_owned()];
        for part in pattern.split('/').filter(|part| !part.is_empty()) {
            if part == "**" {
                self.lost = true;
                return;
            }
            folders = match part.contains(['*', '?', '[', '{']) {
                false => folders.into_iter().map(|folder| folder.join(part)).collect(),
                true => {
                    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
                    entries.flatten().map(|entry| entry.path()).take(MOST_NAMES + 1).collect()
                }
            };
            if folders.len() > MOST_NAMES {
                self.lost = true;
                return;
            }
        }
        self.lost |= pattern.starts_with('/');
        folders.into_iter().for_each(|folder| self.add_folder(folder));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack 606.
    #[test]
    fn given_manifests_that_name_others_then_each_is_found_and_what_is_not_understood_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let folder = dir.path().join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(MANIFEST), text).unwrap();
        };
        let found = || {
            let mut search = ManifestSearch::default();
            search.add_folder(dir.path().join("w"));
            search.follow();
            let mut names: Vec<String> = search
                .seen
                .iter()
                .map(|path| path.strip_prefix(dir.path()).unwrap().to_str().unwrap().to_owned())
                .collect();
            names.sort();
            (names, search.lost)
        };
        for name in ["a", "b", "c", "d", "e", "w/crates/m", "w/x/y"] {
            write(name, "[package]\nname = \"n\"\n");
        }
        let all = "[package]\nworkspace = \"../d\"\n[lib]\npath = \"../e\"\n[workspace]\nmembers = [\"crates/*\", \"x/y\", \"../c\"]\n\
                   [dependencies]\na = { path = \"../a\" }\n[target.'cfg(unix)'.dev-dependencies.b]\npath = \"../b\"\n";
        write("w", all);
        let named = ["w", "w/../a", "w/../b", "w/../c", "w/../d", "w/crates/m", "w/x/y"];
        assert_eq!(found(), (named.map(str::to_owned).to_vec(), false));
        // And so on from there, in a circle as well.
        write("a", "[dependencies]\ne = { path = \"../e\" }\n[patch.crates-io]\nw = { path = \"../w\" }\n");
        let (names, lost) = found();
        assert!(names.contains(&"w/../a/../e".to_owned()), "{names:?}");
        assert!(!lost);
        for text in ["[", "[workspace]\nmembers = [\"**\"]\n", "[workspace]\nmembers = [\"/x\"]\n"] {
            write("w", text);
            assert!(found().1, "{text}");
        }
    }
}
