//! Where a tool looks for a file that is not where its path says: below the session's folders (Gemini CLI's `replace`).

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// As many folders are looked through. Gemini CLI looks through 50, but passes by those that an ignore file names.
const MOST_FOLDERS: usize = 4000;

/// As many names are looked at in all.
const MOST_NAMES: usize = 200_000;

/// The most files that are told one by one.
const MOST_FILES: usize = 64;

/// The files below `cwd` and `roots` whose paths end as one of `forms` does, where the first of those, which is what is written,
/// is relative and not there; `None` as the last where not all was looked through, or there are too many.
pub(super) fn files_below(cwd: &Path, roots: &[PathBuf], forms: &[String]) -> Vec<Option<String>> {
    let Some(given) = forms.first().filter(|given| !Path::new(given).is_absolute()) else {
        return Vec::new();
    };
    if cwd.join(given).exists() {
        return Vec::new();
    }
    let endings: Vec<String> = forms.iter().map(|form| form.replace('\\', "/")).collect();
    let names: Vec<&str> =
        endings.iter().filter_map(|form| form.rsplit('/').next()).filter(|name| !name.is_empty()).collect();
    let mut folders: VecDeque<PathBuf> =
        std::iter::once(cwd).chain(roots.iter().map(PathBuf::as_path)).map(Path::to_owned).collect();
    let (mut found, mut looked, mut seen) = (Vec::new(), 0, 0);
    while let Some(folder) = folders.pop_front() {
        looked += 1;
        // What can't be read is passed by there, too.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            seen += 1;
            if looked > MOST_FOLDERS || seen > MOST_NAMES || found.len() > MOST_FILES {
                found.push(None);
                return found;
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push_back(entry.path());
                continue;
            }
            let (name, path) = (entry.file_name(), entry.path().to_string_lossy().into_owned());
            let named =
                names.iter().any(|own| name == **own) && endings.iter().any(|end| path.ends_with(end));
            if named && !found.contains(&Some(path.clone())) {
                found.push(Some(path));
            }
        }
    }
    found
}
