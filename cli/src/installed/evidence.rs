//! What lies on this machine, as far as it says how a program was installed.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use mayi_core::config::secure_read;

use crate::context::Context;

/// No file that is read is larger: 4 MiB.
const LARGEST: u64 = 4 << 20;

/// No folder is read any further.
const MOST: usize = 20_000;

/// The text of a file, if there is one.
type ReadText = dyn Fn(&Path) -> Option<String>;

/// The names in a folder.
type ListNames = dyn Fn(&Path) -> Vec<String>;

/// What can be asked of a machine.
pub(crate) struct InstallEvidence {
    /// The home folder.
    pub(crate) home: Option<PathBuf>,
    /// Where cargo installs when nothing else is said.
    pub(crate) cargo: Option<PathBuf>,
    pub(super) text: Box<ReadText>,
    pub(super) names: Box<ListNames>,
}

impl InstallEvidence {
    /// This machine's.
    pub(crate) fn of_this_machine(ctx: &Context) -> Self {
        let home = ctx.sources.folders.home.clone();
        let named = std::env::var_os("CARGO_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let cargo = named.or_else(|| Some(home.as_deref()?.join(".cargo")));
        Self {
            cargo: cargo.map(|cargo| cargo.canonicalize().unwrap_or(cargo)),
            home: home.map(|home| home.canonicalize().unwrap_or(home)),
            text: Box::new(read_text_file),
            names: Box::new(folder_entry_names),
        }
    }

    pub(super) fn read_text(&self, path: &Path) -> Option<String> {
        (self.text)(path)
    }

    pub(super) fn list_names(&self, folder: &Path) -> Vec<String> {
        (self.names)(folder)
    }

    pub(super) fn has_entry(&self, folder: &Path, name: &str) -> bool {
        self.list_names(folder).iter().any(|other| other == name)
    }
}

fn read_text_file(path: &Path) -> Option<String> {
    let file = secure_read::open(path, true).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn folder_entry_names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.take(MOST).flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.into_string().ok()).collect()
}
