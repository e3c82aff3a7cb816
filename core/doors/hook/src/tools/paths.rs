//! The files of a tool's input, in each way that somebody may read them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mayi_core::call::{
    Access, Dialect, PathAccess, Surroundings, WriteKind, file_paths, percent_decodings, shell,
    with_and_without_blanks,
};
use mayi_doors::folders::{all_glob_folders, glob_folders, is_glob, leads_to};
use mayi_doors::patch_headers::patched_files;
use mayi_doors::readings::{ItemKeys, LINES, read_items, stray_paths};

use serde_json::Value;

use super::ToolKind;
use super::below;
use super::keys::{self, is_known};
use super::reading::{InputReader, MOST};

impl InputReader<'_> {
    /// Every path in the input: by each key that is known, in lists, and what could be one under a key that is not.
    pub(super) fn path_values(&mut self) -> Vec<String> {
        let mut found = self.single_paths();
        found.extend(self.listed_paths(keys::LISTS));
        without_twins(found)
    }

    fn single_paths(&mut self) -> Vec<String> {
        let mut found = self.text_values(keys::PATHS);
        let does = self.does;
        let known = |key: &str| {
            // What should be a text and is none is noted above; what could be a path in it counts.
            if keys::PATHS.contains(&key) {
                return self.input.get(key).is_some_and(Value::is_string);
            }
            let read = [keys::LISTS, keys::URLS, LINES].iter().any(|keys| keys.contains(&key));
            read || (does != ToolKind::Other && is_known(does, key))
        };
        found.extend(stray_paths(self.input, known));
        found
    }

    fn listed_paths(&mut self, lists: &[&str]) -> Vec<String> {
        let of_items = ItemKeys { paths: keys::PATHS, others: keys::PART_OF_FILE, texts: true };
        let mut all = Vec::new();
        for key in lists {
            let Some(list) = self.input.get(*key) else { continue };
            let found = read_items(list, &of_items);
            self.note_items(key, &found);
            all.extend(found.paths);
        }
        all
    }

    /// Files whose texts are read. What could be a pattern is that too, and shows what lies below the folder it begins in.
    pub(super) fn read_files(&mut self) {
        let (single, mut listed) = (self.single_paths(), self.listed_paths(keys::LISTS));
        listed.extend(self.listed_paths(keys::INCLUDED));
        for path in single.iter().chain(&listed) {
            self.add_looked_up_path(path);
        }
        let patterns = single
            .iter()
            .filter(|path| self.is_pattern(path))
            .chain(listed.iter().filter(|path| is_glob(path)));
        let folders = all_glob_folders(patterns);
        for folder in &folders {
            for place in leads_to(&format!("{folder}/*")) {
                self.add_looked_up_path(&place);
            }
        }
        if !folders.is_empty() {
            self.search_contents("", folders);
        }
    }

    pub(super) fn read_deleted(&mut self) {
        for path in self.path_values() {
            self.push_write(WriteKind::Delete, &path);
            if self.is_pattern(&path) {
                for folder in glob_folders(&path) {
                    self.push_write(WriteKind::Delete, &folder);
                }
            }
        }
    }

    /// Whether what stands under a key for one file is a pattern: a name with brackets in it is mostly just that.
    fn is_pattern(&self, path: &str) -> bool {
        is_glob(path) && !self.context.cwd.join(path).exists()
    }

    /// Every file that `given` could be: as it stands, in the home folder where it begins with `~`, by a `file:` address; with
    /// what is blank around it and without; from each folder that the input names.
    fn path_candidates(&self, given: &str) -> Vec<PathAccess> {
        // What is too much is not looked at to its end.
        if self.out.accesses.len() > MOST {
            return Vec::new();
        }
        let mut found = self.candidates_from(self.context.cwd, given);
        if !Path::new(given.trim()).is_absolute() {
            // The folder itself is not looked for below itself.
            for folder in self.folders.iter().filter(|folder| **folder != self.context.cwd.join(given)) {
                found.extend(self.candidates_from(folder, given));
            }
        }
        found
    }

    fn candidates_from(&self, cwd: &Path, given: &str) -> Vec<PathAccess> {
        let mut found = Vec::new();
        let forms = handler_forms(given);
        for given in forms.iter().flat_map(|form| with_and_without_blanks(form)) {
            found.push(PathAccess::new(cwd, given));
            let below = given.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
            if let Some(rest) = below {
                for home in self.context.homes.known_homes() {
                    found.push(PathAccess::new(home, &format!("{}{rest}", home.display())));
                }
            }
            found.extend(file_paths(given).iter().map(|file| PathAccess::new(cwd, file)));
        }
        found
    }

    pub(super) fn add_looked_up_path(&mut self, given: &str) {
        for path in self.path_candidates(given) {
            self.push(Access::Read(path));
        }
    }

    pub(super) fn push_write(&mut self, kind: WriteKind, given: &str) {
        for path in self.path_candidates(given) {
            self.push_write_to(kind, path);
        }
    }

    /// A file of which a part is changed: some tools show what else it holds, and some look for it where it is not named.
    pub(super) fn push_change(&mut self, kind: WriteKind, given: &str) {
        self.push_write(kind, given);
        if self.context.shows {
            self.add_looked_up_path(given);
        }
        if !self.context.searches_below {
            return;
        }
        for found in below::files_below(self.context.cwd, self.context.roots, &handler_forms(given)) {
            let Some(found) = found else {
                self.out.by_hand = Some(format!("{given} is not there, and may be any file of that name"));
                break;
            };
            self.push_write(kind, &found);
            if self.context.shows {
                self.add_looked_up_path(&found);
            }
        }
    }

    fn push_write_to(&mut self, kind: WriteKind, path: PathAccess) {
        let kind = match kind {
            WriteKind::Write if !path.resolved.exists() => WriteKind::Create,
            kind => kind,
        };
        self.push(Access::write(kind, path));
    }

    /// What a patch changes, from the working folder and from each that the input names besides: harnesses differ in which counts.
    pub(super) fn push_patch(&mut self, patch: &str) {
        let mut folders = vec![self.context.cwd.to_owned()];
        folders.extend(self.folders.clone());
        let named = patched_files(patch);
        // What is moved can be read where it goes, and is gone where it was; so it may be with a header that is not known.
        let moves = named.iter().any(|(kind, _)| matches!(kind, WriteKind::Move | WriteKind::Write));
        for (kind, path) in named {
            for folder in &folders {
                for path in self.candidates_from(folder, &path) {
                    if moves && matches!(kind, WriteKind::Edit | WriteKind::Write) {
                        self.push(Access::Read(path.clone()));
                        self.push(Access::write(WriteKind::Move, path.clone()));
                    }
                    self.push_write_to(kind, path);
                }
            }
        }
    }

    /// The folders that are looked through: those that are named, or the working folder, and where patterns lead out of them.
    pub(super) fn push_searched_folders(&mut self, patterns: &[&str]) {
        let mut folders = self.path_values();
        if folders.is_empty() {
            folders.push(".".to_owned());
        }
        let globs: Vec<String> = folders.iter().filter(|folder| is_glob(folder)).cloned().collect();
        for folder in &folders {
            self.add_looked_up_path(folder);
        }
        for pattern in self.text_values(patterns).into_iter().chain(globs) {
            for place in leads_to(&pattern) {
                // From each folder that is named, too.
                for folder in &folders {
                    self.add_looked_up_path(&format!("{folder}/{place}"));
                }
                self.add_looked_up_path(&place);
            }
        }
    }

    /// A search is judged as the command that harnesses run for it, too: it shows what files hold that a rule may deny
    /// (D2.26).
    pub(super) fn read_search(&mut self) {
        self.push_searched_folders(&["glob", "include", "include_pattern", "includePattern"]);
        let mut folders = self.path_values();
        if folders.is_empty() {
            folders.push(".".to_owned());
        }
        let pattern = self.text_values(&["pattern", "query"]).into_iter().next().unwrap_or_default();
        self.search_contents(&pattern, folders);
    }

    fn search_contents(&mut self, pattern: &str, folders: Vec<String>) {
        let forms = folders.iter().flat_map(|folder| handler_forms(folder));
        let mut folders: Vec<String> = forms
            .flat_map(|form| with_and_without_blanks(&form).map(str::to_owned).collect::<Vec<_>>())
            .collect();
        folders.dedup();
        let words = ["rg", "--hidden", "-e", pattern, "--"].map(str::to_owned);
        let words: Vec<String> = words.into_iter().chain(folders).collect();
        let (cwd, env) = (self.context.cwd, BTreeMap::new());
        for home in self.context.homes.home_readings() {
            let at =
                Surroundings { cwd, roots: self.context.roots, home, env: &env, dialect: Dialect::Unknown };
            for access in shell::argv_accesses(&words, &at) {
                self.push(access);
            }
        }
    }
}

fn without_twins(mut paths: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}

/// What a harness's handler may make of a path before it opens it: Gemini CLI takes NUL out of it, drops an `@` before it and the
/// slashes behind that, and decodes `%2e`.
fn handler_forms(given: &str) -> Vec<String> {
    let mut forms = vec![given.to_owned()];
    if given.contains('\0') {
        forms.push(given.replace('\0', ""));
    }
    let decoded: Vec<String> = forms.iter().filter_map(|form| percent_decodings(form)).flatten().collect();
    forms.extend(decoded);
    let bare: Vec<String> = forms
        .iter()
        .filter_map(|form| form.trim_start().strip_prefix('@'))
        .flat_map(|form| [form, form.trim_start_matches(['/', '\\'])])
        .map(str::to_owned)
        .collect();
    forms.extend(bare.into_iter().filter(|form| !form.trim().is_empty()));
    without_twins(forms)
}
