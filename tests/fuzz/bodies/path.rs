//! Paths on a tree with links: what is resolved is what the kernel would reach.

use std::cell::OnceCell;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use mayi_core::call::{PathAccess, resolve_path};

thread_local! {
    static TREE: OnceCell<(tempfile::TempDir, PathBuf)> = const { OnceCell::new() };
}

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    TREE.with(|cell| {
        let (_, top) = cell.get_or_init(tree);
        for cwd in [top.join("w"), top.join("w/a/b"), top.join("w/up/..")] {
            one(top, &cwd, text);
        }
    });
}

fn one(top: &Path, cwd: &Path, text: &str) {
    // `T` is where the tree is: the fuzzer can't know.
    let text = text.replace('T', &top.display().to_string());
    let path = PathAccess::new(cwd, &text);
    for form in path.forms() {
        assert!(form.is_absolute(), "{form:?} is not absolute");
        let dots = |part: Component<'_>| matches!(part, Component::ParentDir | Component::CurDir);
        assert!(!form.components().any(dots), "{form:?} has dots");
    }
    // What the kernel says of processes changes while one looks.
    if path.resolved.starts_with("/proc") || path.resolved.starts_with("/dev") {
        return;
    }
    if let Ok(real) = cwd.join(&text).canonicalize() {
        assert_eq!(path.resolved, real, "{text:?} from {cwd:?}");
        assert!(path.unresolved.is_none() || real.to_str().is_none(), "{text:?}: {:?}", path.unresolved);
    }
    if path.unresolved.is_none() {
        let again = resolve_path(&path.resolved).expect("what was resolved can be resolved");
        assert_eq!(again.as_os_str().as_bytes(), path.resolved.as_os_str().as_bytes(), "{text:?}");
    }
}

/// Files, folders and links of every kind.
fn tree() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let top = folder.path().canonicalize().expect("it is there");
    for name in ["w/a/b/c", "w/x", "o/p/q"] {
        std::fs::create_dir_all(top.join(name)).expect("a folder can be made");
    }
    for name in ["w/f", "w/a/f", "o/f", "w/x/é", "w/x/a b"] {
        std::fs::write(top.join(name), "").expect("a file can be made");
    }
    std::fs::hard_link(top.join("w/f"), top.join("w/h")).expect("a name can be made");
    let links: &[(&str, PathBuf)] = &[
        ("w/l", top.join("o/p")),
        ("w/r", PathBuf::from("../o")),
        ("w/a/u", PathBuf::from("../..")),
        ("w/up", PathBuf::from("a/b/c")),
        ("w/d", PathBuf::from("nowhere/at/all")),
        ("w/o1", PathBuf::from("o2")),
        ("w/o2", PathBuf::from("o1")),
        ("w/s", PathBuf::from("./l/./q/../q")),
        ("w/g", PathBuf::from("f")),
        ("o/p/back", top.join("w/l/../../w")),
        ("w/root", PathBuf::from("/")),
        ("w/c1", PathBuf::from("r/p/back/l")),
    ];
    for (name, target) in links {
        symlink(target, top.join(name)).expect("a link can be made");
    }
    (folder, top)
}
