//! Tests with real folders.

mod cheap;
mod hostile;
mod property;
mod room;
mod undoing;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::RwLock;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::{Limits, Selection, Snapshot, Snapshots, Taken, Undone};

/// Held to write while a program is started: until it runs, it has the locks of other tests' stores too, and no room is made there.
static STARTING: RwLock<()> = RwLock::new(());

/// A folder to work in, and snapshots elsewhere.
struct Bench {
    _place: TempDir,
    root: PathBuf,
    store: PathBuf,
    snapshots: Snapshots,
}

impl Bench {
    fn new() -> Self {
        let place = TempDir::new().unwrap();
        let base = place.path().canonicalize().unwrap();
        let (root, store) = (base.join("work"), base.join("kept"));
        fs::create_dir(&root).unwrap();
        let snapshots = Snapshots::open(&store).unwrap();
        Self { _place: place, root, store, snapshots }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    fn take(&self) -> Snapshot {
        self.take_at(SystemTime::now())
    }

    /// A snapshot by a clock that is as late as all files are settled.
    fn take_later(&self) -> Snapshot {
        self.take_at(SystemTime::now() + Duration::from_secs(60))
    }

    fn take_at(&self, now: SystemTime) -> Snapshot {
        let roots = [self.root.clone()];
        let taken = {
            let _nothing_starts = STARTING.read().unwrap();
            self.snapshots.take_at(&roots, &Limits::default(), ("a command", None), now)
        };
        match taken.unwrap() {
            Taken::Done(snapshot) => snapshot,
            Taken::TooLarge { what } => panic!("{what}"),
        }
    }

    /// What a snapshot with other limits is refused for.
    fn too_large(&self, limits: Limits) -> String {
        match self.snapshots.take(std::slice::from_ref(&self.root), &limits, "a command").unwrap() {
            Taken::Done(_) => panic!("it was taken"),
            Taken::TooLarge { what } => what,
        }
    }

    fn undo(&self, snapshot: &Snapshot, selection: &Selection) -> Undone {
        self.snapshots.undo(snapshot.id, selection, "undo").unwrap()
    }

    fn state(&self) -> BTreeMap<PathBuf, State> {
        state_of(&self.root)
    }

    /// The files of all contents that are kept.
    fn objects(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(&self.store.join("objects"), &mut found);
        found.retain(|path| path.is_file());
        found
    }
}

/// All of it: what the command did, also what it created.
fn everything() -> Selection {
    Selection { remove_created: true, ..Selection::default() }
}

/// What a person sees at a path: what it is, its mode, what it holds, and which other paths are the same file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Folder(u32),
    Link(PathBuf),
    File(u32, Vec<u8>, Vec<PathBuf>),
    Other,
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        found.push(path.clone());
        if fs::symlink_metadata(&path).unwrap().is_dir() {
            collect(&path, found);
        }
    }
}

fn state_of(root: &Path) -> BTreeMap<PathBuf, State> {
    let mut paths = vec![root.to_owned()];
    collect(root, &mut paths);
    let inode = |path: &Path| fs::symlink_metadata(path).unwrap().ino();
    let state = |path: &Path| {
        let found = fs::symlink_metadata(path).unwrap();
        let mode = found.permissions().mode() & 0o7777;
        if found.is_dir() {
            State::Folder(mode)
        } else if found.is_symlink() {
            State::Link(fs::read_link(path).unwrap())
        } else if found.is_file() {
            let same = paths.iter().filter(|other| *other != path && inode(other) == found.ino());
            let mut same: Vec<PathBuf> = same.cloned().collect();
            same.sort();
            State::File(mode, fs::read(path).unwrap(), same)
        } else {
            State::Other
        }
    };
    paths.iter().map(|path| (path.strip_prefix(root).unwrap().to_owned(), state(path))).collect()
}
