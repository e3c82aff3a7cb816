//! Where the links below a folder lead, and which names a glob gives: looked up while a call is built.

use std::path::{Path, PathBuf};

use super::{LookupBudget, lies_in, walk};

/// The links that a walk below `folder`, in which links are followed, comes by, and that lead out of what it goes through
/// anyway; those below where they lead, too. None if there is too much to look at. Without `hidden`, names that begin
/// with a dot are passed by.
pub(crate) fn links_below(folder: &Path, hidden: bool, budget: &mut LookupBudget) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect_links_below(folder, hidden, budget, &mut found)?;
    Some(found)
}

/// The same, into `found`, which has those by which it came if there is too much to look at.
pub(crate) fn collect_links_below(
    folder: &Path,
    hidden: bool,
    budget: &mut LookupBudget,
    found: &mut Vec<PathBuf>,
) -> Option<()> {
    let mut trees = vec![folder.to_owned()];
    let mut todo = trees.clone();
    while let Some(at) = todo.pop() {
        // What can't be opened can't be read by the command either.
        let Ok(entries) = std::fs::read_dir(&at) else { continue };
        for entry in entries.flatten() {
            budget.spend_name()?;
            let name = entry.file_name();
            if !hidden && name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                todo.push(entry.path());
                continue;
            }
            let link = entry.path();
            let Some(leads) = kind.is_symlink().then(|| walk::walk_path(&link).ok()).flatten() else {
                continue;
            };
            if trees.iter().any(|tree| goes_through(tree, &leads.path, hidden)) {
                continue;
            }
            if leads.folder {
                trees.push(leads.path.clone());
                todo.push(leads.path);
            }
            found.push(link);
        }
    }
    Some(())
}

/// Whether this is a link, or a folder with one below that leads out of it; also if there is too much to look at.
pub(crate) fn holds_links(path: &Path, budget: &mut LookupBudget) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| {
        meta.is_symlink()
            || meta.is_dir() && links_below(path, true, budget).is_none_or(|links| !links.is_empty())
    })
}

/// Whether a walk below `tree` comes to `path` without a link.
fn goes_through(tree: &Path, path: &Path, hidden: bool) -> bool {
    let dotted = || {
        let below = path.strip_prefix(tree).unwrap_or(path);
        below.components().any(|name| name.as_os_str().as_encoded_bytes().starts_with(b"."))
    };
    lies_in(path, tree) && (hidden || !dotted())
}

/// A path that a glob gives.
#[derive(Debug)]
pub(crate) struct GlobMatch {
    pub(crate) path: PathBuf,
    /// A link is on the way to it, or it is one.
    pub(crate) linked: bool,
}

/// What a link says that leads on from where it stands; none of anything else.
pub(crate) fn relative_target(path: &Path) -> Option<PathBuf> {
    std::fs::read_link(path).ok().filter(|target| target.is_relative())
}

/// Whether something has that name, be it a link to nowhere.
pub(crate) fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// Whether an address could be a name, too, to who knows no addresses: `cat http://x/a` reads a file where a folder is called `http:`.
pub(crate) fn could_be_name(cwd: &Path, address: &str) -> bool {
    address.split('/').next().is_some_and(|first| is_there(&cwd.join(first)))
}

/// Whether the folder that a path is in is not there.
pub(crate) fn is_in_no_folder(path: &Path) -> bool {
    path.parent().is_some_and(|folder| !is_there(folder))
}

/// What a path of which some names are open can be now: its known text, and `None` for each gap. With `deep`, a gap may
/// stand for many names. None if there is too much to look at.
pub(crate) fn glob_matches(
    pieces: &[Option<String>],
    deep: bool,
    budget: &mut LookupBudget,
) -> Option<Vec<GlobMatch>> {
    matches_with(pieces, deep, false, budget)
}

/// The same of a path that is written: behind a link, names that are not there yet count as well.
pub(crate) fn glob_targets(pieces: &[Option<String>], budget: &mut LookupBudget) -> Option<Vec<GlobMatch>> {
    matches_with(pieces, false, true, budget)
}

fn matches_with(
    pieces: &[Option<String>],
    deep: bool,
    unmade: bool,
    budget: &mut LookupBudget,
) -> Option<Vec<GlobMatch>> {
    let text: String = pieces.iter().map(|piece| piece.as_deref().unwrap_or(GAP)).collect();
    let mut names = text.split('/').filter(|name| !name.is_empty()).peekable();
    let mut start = PathBuf::from("/");
    while let Some(name) = names.next_if(|name| !name.contains(GAP)) {
        start.push(name);
    }
    if deep {
        let links = links_below(&start, true, budget)?;
        return Some(links.into_iter().map(|path| GlobMatch { path, linked: true }).collect());
    }
    let mut now = vec![GlobMatch { path: start, linked: false }];
    for name in names {
        let mut next = Vec::new();
        for at in now {
            // What lies behind it for the command is not what lies behind it here.
            if at.linked && walk::walk_path(&at.path).is_ok_and(|led| walk::is_own_to_each_process(&led.path))
            {
                return None;
            }
            if name.contains(GAP) {
                add_matching_entries(&at, name, &mut next, budget)?;
                continue;
            }
            budget.spend_name()?;
            let path = at.path.join(name);
            match std::fs::symlink_metadata(&path) {
                Ok(meta) => next.push(GlobMatch { path, linked: at.linked || meta.is_symlink() }),
                Err(_) if unmade && at.linked => next.push(GlobMatch { path, linked: true }),
                Err(_) => {}
            }
        }
        now = next;
    }
    Some(now)
}

/// The path itself and all below it that have such a last name, or any: what a search that follows no links comes by. None
/// if there is too much to look at.
pub(crate) fn names_below(
    path: &Path,
    name: Option<&[Option<String>]>,
    budget: &mut LookupBudget,
) -> Option<Vec<PathBuf>> {
    let open: Option<String> =
        name.map(|pieces| pieces.iter().map(|piece| piece.as_deref().unwrap_or(GAP)).collect());
    let fits = |path: &Path| {
        let last = path.file_name().unwrap_or_default().to_string_lossy();
        open.as_deref().is_none_or(|open| could_be(&last, open))
    };
    let mut found: Vec<PathBuf> = Some(path.to_owned()).filter(|path| fits(path)).into_iter().collect();
    let mut todo = vec![path.to_owned()];
    while let Some(at) = todo.pop() {
        let Ok(entries) = std::fs::read_dir(&at) else { continue };
        for entry in entries.flatten() {
            budget.spend_name()?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                todo.push(entry.path());
            }
            if fits(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    Some(found)
}

const GAP: &str = "\0";

/// The names in the folder `at` that `open` could be: no star stands for a dot at the beginning.
fn add_matching_entries(
    at: &GlobMatch,
    open: &str,
    found: &mut Vec<GlobMatch>,
    budget: &mut LookupBudget,
) -> Option<()> {
    let Ok(entries) = std::fs::read_dir(&at.path) else { return Some(()) };
    for entry in entries.flatten() {
        budget.spend_name()?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !could_be(&name, open) || (name.starts_with('.') && open.starts_with(GAP)) {
            continue;
        }
        let link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        found.push(GlobMatch { path: entry.path(), linked: at.linked || link });
    }
    Some(())
}

/// Whether a name is what `open` says, with anything in its gaps.
fn could_be(name: &str, open: &str) -> bool {
    let mut parts = open.split(GAP);
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.is_empty()
}

#[cfg(all(test, unix))]
mod tests {
    use super::{LookupBudget, could_be, glob_matches, links_below};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    fn paths_as_text(root: &Path, paths: impl IntoIterator<Item = std::path::PathBuf>) -> Vec<String> {
        let text = |path: std::path::PathBuf| path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let mut shown: Vec<String> = paths.into_iter().map(text).collect();
        shown.sort();
        shown
    }

    /// Attack 220.
    #[test]
    fn given_links_then_those_that_leave_the_tree_are_found_also_behind_others() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["w/src/deep", "w/.hidden", "far/inner", "farther"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (target, link) in [
            ("../w/src", "w/in"),
            ("../../../far", "w/src/deep/out"),
            ("../../farther", "far/inner/on"),
            ("../..", "w/src/up"),
            ("../../farther/x", "w/.hidden/file"),
            ("itself", "w/itself"),
            ("../.hidden", "w/src/dot"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let below = |at: &str, hidden| {
            let links = links_below(&root.join(at), hidden, &mut LookupBudget::new()).unwrap();
            paths_as_text(&root, links)
        };
        assert_eq!(below("far", true), ["far/inner/on"]);
        fs::remove_file(root.join("w/src/up")).unwrap();
        assert_eq!(below("w/src/deep", true), ["far/inner/on", "w/src/deep/out"]);
        // What it passes by as hidden is reached by the link.
        assert!(below("w", false).contains(&"w/src/dot".to_owned()));
        let all = below("w", true);
        assert!(!all.contains(&"w/src/dot".to_owned()) && !all.contains(&"w/in".to_owned()), "{all:?}");
        let mut spent = LookupBudget::new();
        spent.names = 2;
        assert!(links_below(&root.join("w"), true, &mut spent).is_none());
    }

    /// Attack 222.
    #[test]
    fn given_a_glob_then_the_names_that_it_gives_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/x.rs"), "").unwrap();
        symlink("..", root.join("a/up")).unwrap();
        symlink("x.rs", root.join("a/.dot")).unwrap();
        let given = |text: &str| {
            let whole = format!("{}/{text}", root.display());
            let mut pieces: Vec<Option<String>> = Vec::new();
            for (at, part) in whole.split('*').enumerate() {
                if at > 0 {
                    pieces.push(None);
                }
                pieces.push(Some(part.to_owned()));
            }
            let found = glob_matches(&pieces, false, &mut LookupBudget::new()).unwrap();
            let (linked, plain): (Vec<_>, Vec<_>) = found.into_iter().partition(|given| given.linked);
            let paths =
                |of: Vec<super::GlobMatch>| paths_as_text(&root, of.into_iter().map(|given| given.path));
            (paths(linked), paths(plain))
        };
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(given("a/*"), (list(&["a/up"]), list(&["a/b", "a/x.rs"])));
        assert_eq!(given("*/up/a"), (list(&["a/up/a"]), list(&[])));
        assert_eq!(given("a/.*").0, ["a/.dot"]);
        assert_eq!(given("a/*/a/x*"), (list(&["a/up/a/x.rs"]), list(&[])));
        assert!(could_be("abc", "a\0c") && could_be("ac", "a\0c") && !could_be("ab", "a\0c"));
        assert!(could_be("a.b.c", "\0.\0c") && !could_be("abc", "\0.\0"));
    }
}
