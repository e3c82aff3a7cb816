//! Searches for what files hold: judged as the command that finds the same, since they show what rules deny below the folder
//! that they name (D2.26).

use mayi_core::call::{Dialect, Surroundings, shell, with_and_without_blanks};
use serde_json::Value;

use super::CallBuilder;
use crate::input;

impl CallBuilder {
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
