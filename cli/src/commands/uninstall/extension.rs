//! What mayi's extension for VS Code leaves: its folder, and settings of its own.

use std::path::{Path, PathBuf};

use mayi_core::config::Folders;

use super::files::is_gone;

/// As editors know the extension.
pub(super) const EXTENSION: &str = "mayi.mayi-vscode";

/// It has its settings beside its extensions.
const CODE_SERVER: &str = ".local/share/code-server";

/// Folders of editors that run extensions of VS Code, below the home folder, and the command of each.
const EDITORS: &[(&str, &str)] = &[
    (".vscode", "code"),
    (".vscode-insiders", "code-insiders"),
    (".vscode-oss", "codium"),
    (".vscode-server", "code"),
    (".vscode-server-insiders", "code-insiders"),
    (".cursor", "cursor"),
    (".cursor-server", "cursor"),
    (".windsurf", "windsurf"),
    (".windsurf-server", "windsurf"),
    (CODE_SERVER, "code-server"),
];

/// Folders with an editor's settings.
const SETTINGS: &[&str] = &["Code", "Code - Insiders", "VSCodium", "Code - OSS", "Cursor", "Windsurf"];

/// No folder is looked through any further.
const MOST: usize = 2000;

/// Where the extension is installed, and the command of the editor.
pub(super) fn installed_extensions(home: &Path) -> Vec<(PathBuf, &'static str)> {
    let mut found = Vec::new();
    for (folder, editor) in EDITORS {
        let Ok(extensions) = std::fs::read_dir(home.join(folder).join("extensions")) else { continue };
        for extension in extensions.take(MOST).flatten() {
            let name = extension.file_name();
            let name = name.to_string_lossy();
            if name.strip_prefix(EXTENSION).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')) {
                found.push((extension.path(), *editor));
            }
        }
    }
    found
}

/// What editors keep for the extension, also when that is gone.
pub(super) fn storage_folders(folders: &Folders) -> Vec<PathBuf> {
    let places = editor_data_folders(folders).into_iter();
    let mut storages: Vec<PathBuf> =
        places.map(|place| place.join("globalStorage").join(EXTENSION)).collect();
    storages.retain(|folder| folder.is_dir());
    storages
}

/// The editors' files of settings that are there, as far as that can be told.
pub(super) fn editor_settings_files(folders: &Folders) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        editor_data_folders(folders).into_iter().map(|place| place.join("settings.json")).collect();
    // One that can't be looked at may be there.
    files.retain(|file| match file.metadata() {
        Ok(meta) => meta.is_file(),
        Err(error) => !is_gone(&error),
    });
    files
}

/// Where editors would have settings and the storage of extensions.
fn editor_data_folders(folders: &Folders) -> Vec<PathBuf> {
    let Some(home) = folders.home.as_deref() else { return Vec::new() };
    let base = if cfg!(target_os = "macos") {
        Some(home.join("Library/Application Support"))
    } else {
        folders.config.as_deref().and_then(Path::parent).map(Path::to_owned)
    };
    let mut places: Vec<PathBuf> =
        base.iter().flat_map(|base| SETTINGS.iter().map(|name| base.join(name).join("User"))).collect();
    let profiles: Vec<PathBuf> =
        places.iter().flat_map(|place| folder_entries(&place.join("profiles"))).collect();
    places.extend(profiles);
    for name in ["data/User", "data/Machine"] {
        places.extend(EDITORS.iter().map(|(folder, _)| home.join(folder).join(name)));
    }
    places.extend(["User", "Machine"].map(|name| home.join(CODE_SERVER).join(name)));
    places
}

fn folder_entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut all: Vec<PathBuf> = entries.take(100).flatten().map(|entry| entry.path()).collect();
    all.sort();
    all
}
