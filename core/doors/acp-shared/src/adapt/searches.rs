//! Searches for what files hold: judged as the command that finds the same, since they show what rules deny below the folder
//! that they name (D2.26).

use mayi_core::call::{Dialect, Surroundings, shell, with_and_without_blanks};
use mayi_doors::folders::{all_glob_folders, is_glob, leads_to};
use serde_json::Value;

use super::CallBuilder;
use crate::input;

impl CallBuilder {
    /// Folders that the patterns of a search lead to, from where it runs and from each of the `folders` that it names.
    pub(super) fn searched_folders(&self, raw: &Value, folders: &[String]) -> Vec<String> {
        let mut patterns = input::find_searched_folders(raw);
        patterns.extend(folders.iter().filter(|folder| is_glob(folder)).flat_map(|folder| leads_to(folder)));
        let below =
            |place: &String| folders.iter().map(|folder| format!("{folder}/{place}")).collect::<Vec<_>>();
        let more: Vec<String> =
            patterns.iter().filter(|place| !place.starts_with(['/', '~'])).flat_map(below).collect();
        patterns.into_iter().chain(more).collect()
    }

    /// Files to read of which some could be patterns: those show what lies below the folder that they begin in.
    pub(super) fn read_patterns(&mut self, raw: &Value) {
        let listed = input::listed_paths(raw);
        // Under a key for one file, a name with brackets in it is mostly just that.
        let single = input::single_paths(raw).into_iter().filter(|path| !self.cwd.join(path).exists());
        let patterns: Vec<String> =
            listed.paths.iter().cloned().chain(single).filter(|path| is_glob(path)).collect();
        let folders = all_glob_folders(patterns.iter());
        if !folders.is_empty() {
            self.search_contents(&Value::Null, folders);
        }
        self.note_unreadable(&listed);
    }

    /// A search in `folders`, or where it runs.
    pub(super) fn search_contents(&mut self, raw: &Value, folders: Vec<String>) {
        let folders = if folders.is_empty() { vec![".".to_owned()] } else { folders };
        let mut words: Vec<String> = ["rg", "--hidden", "-e"].map(str::to_owned).into();
        words.extend([input::searched_pattern(raw).unwrap_or_default(), "--".to_owned()]);
        for folder in &folders {
            words.extend(with_and_without_blanks(folder).map(str::to_owned));
        }
        for cwd in self.run_folders() {
            let at = Surroundings {
                cwd: &cwd,
                roots: &self.roots,
                home: self.home.as_deref(),
                env: &self.env,
                dialect: Dialect::Unknown,
            };
            for access in shell::argv_accesses(&words, &at) {
                self.push(access);
            }
        }
    }
}
