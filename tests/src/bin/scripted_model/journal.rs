//! One line of JSON for every request, so that a failed test shows what the agent told its model.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct Journal {
    file: Option<Mutex<File>>,
}

impl Journal {
    /// Appends to `path`; keeps nothing without one.
    pub(crate) fn open(path: Option<&Path>) -> std::io::Result<Self> {
        let open = |path| File::options().create(true).append(true).open(path);
        Ok(Self { file: path.map(open).transpose()?.map(Mutex::new) })
    }

    /// Adds the time to `entry`, an object. A full disk must not stop the agent, so errors are dropped.
    pub(crate) fn note(&self, mut entry: Value) {
        let Some(file) = &self.file else { return };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        entry["unix_ms"] = json!(now.as_millis() as u64);
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = file.write_all(format!("{entry}\n").as_bytes());
    }
}
