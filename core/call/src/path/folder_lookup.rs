//! A name in a folder that was looked up before: a command has many words, and most are no paths.

use std::collections::VecDeque;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;

use super::PathAccess;
use super::secret_names::is_secret_by_name;

impl PathAccess {
    /// A path of plain names below this one, as [`PathAccess::new`] would find it; none if there is more
    /// to it, or if it can't be told without another walk.
    #[cfg(unix)]
    #[must_use]
    pub(crate) fn path_below(&self, text: &str) -> Option<Self> {
        use super::walk;
        use std::os::unix::fs::MetadataExt;

        let plain = |part: &str| !matches!(part, "" | "." | "..");
        let mount = self.mount.as_ref()?;
        let starts = self.resolved.as_os_str().len() + text.len() < super::LONGEST
            && self.unresolved.is_none()
            && !text.contains('\0')
            && text.split('/').all(plain)
            // What lies there may be a private folder, or another name for something.
            && !walk::is_temporary(&self.resolved)
            && !super::lies_in(&self.lexical, Path::new("/proc"));
        if !starts || !super::spend_lookup(text) {
            return None;
        }
        let mut resolved = PathBuf::with_capacity(self.resolved.as_os_str().len() + 1 + text.len());
        resolved.push(&self.resolved);
        let (mut there, mut hard_linked, mut folder) = (true, false, false);
        for part in text.split('/') {
            resolved.push(part);
            if !there {
                continue;
            }
            match std::fs::symlink_metadata(&resolved) {
                Ok(meta) if meta.file_type().is_symlink() || meta.dev() != mount.device => return None,
                Ok(meta) => (hard_linked, folder) = (meta.is_file() && meta.nlink() > 1, meta.is_dir()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    (there, hard_linked, folder) = (false, false, false);
                }
                Err(_) => return None,
            }
        }
        Some(Self {
            given: text.to_owned(),
            lexical: self.lexical.join(text),
            resolved,
            unresolved: None,
            hard_linked,
            leads_to: None,
            folder,
            holds: Vec::new(),
            mount: Some(mount.clone()),
            private_temporary: self.private_temporary,
        })
    }

    /// Without what Unix says of a file, each is walked to.
    #[cfg(not(unix))]
    #[must_use]
    pub(crate) fn path_below(&self, _: &str) -> Option<Self> {
        None
    }
}

impl PathAccess {
    /// Whether nothing lies below it: a file is there, or nothing; with `made`, what is not there may be a
    /// folder by the time that it is looked into.
    #[must_use]
    pub(crate) fn is_bare(&self, made: bool) -> bool {
        if self.folder || self.unresolved.is_some() {
            return false;
        }
        // It was looked at, and no folder was there: a file or nothing, which is the same here.
        if !made {
            return true;
        }
        match std::fs::symlink_metadata(&self.resolved) {
            Ok(meta) => !meta.is_dir() && !meta.is_symlink(),
            Err(_) => false,
        }
    }

    /// Whether there is anything of this name, be it a link that leads nowhere.
    #[must_use]
    pub(crate) fn is_at(cwd: &Path, text: &str) -> bool {
        std::fs::symlink_metadata(cwd.join(text)).is_ok()
    }
}

/// Whether a folder can be gone into.
pub(crate) fn can_be_entered(folder: &Path) -> bool {
    let inside = folder.join(".");
    #[cfg(unix)]
    {
        rustix::fs::access(&inside, rustix::fs::Access::EXEC_OK).is_ok()
    }
    #[cfg(not(unix))]
    {
        inside.is_dir()
    }
}

/// As many entries of folders are looked at, and as deep.
const MOST_ENTRIES: usize = 2000;
const DEEPEST: usize = 6;

/// What lies below `folder` and begins with a dot, or is a repository or a secret by its name; the nearest first. No
/// link is followed, and nothing is looked for below what was found.
pub(super) fn hidden_entries(folder: &Path) -> Vec<String> {
    let (mut found, mut looked) = (Vec::new(), 0);
    let mut todo = VecDeque::from([(String::new(), 0)]);
    while let Some((at, depth)) = todo.pop_front() {
        let Ok(entries) = std::fs::read_dir(folder.join(&at)) else { continue };
        for entry in entries.flatten() {
            looked += 1;
            if looked > MOST_ENTRIES {
                return found;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            let tells = name.starts_with('.') || name.ends_with(".git") || is_secret_by_name(&name);
            let path = if at.is_empty() { name } else { format!("{at}/{name}") };
            if tells {
                found.push(path);
            } else if depth < DEEPEST && entry.file_type().is_ok_and(|of| of.is_dir()) {
                todo.push_back((path, depth + 1));
            }
        }
    }
    found
}

#[cfg(all(test, unix))]
mod tests {
    use crate::PathAccess;
    use std::fs;

    #[test]
    fn given_a_plain_name_then_the_short_way_finds_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir(root.join("folder")).unwrap();
        fs::write(root.join("folder/file"), "").unwrap();
        fs::hard_link(root.join("folder/file"), root.join("other")).unwrap();
        std::os::unix::fs::symlink("folder", root.join("link")).unwrap();
        std::os::unix::fs::symlink(&root, root.join("folder/up")).unwrap();
        for cwd in [root.clone(), root.join("link"), root.join("folder/../link/.")] {
            let base = PathAccess::new(&cwd, ".");
            for text in [
                "file",
                "folder",
                "folder/file",
                "other",
                "link",
                "link/file",
                "up/other",
                "nothing",
                "nothing/x",
                "file/x",
                ".env",
                "ü",
                "a/../b",
                "./a",
                "/etc/passwd",
                "a//b",
                "a/",
                "",
                "a\0b",
            ] {
                if let Some(found) = base.path_below(text) {
                    assert_eq!(found, PathAccess::new(&cwd, text), "{text} in {}", cwd.display());
                }
            }
            assert!(base.path_below("nothing").is_some());
            assert!(base.path_below("a/../b").is_none());
        }
    }
}
