//! The walk through folders: what lies there, and what it holds.

use std::fmt::Display;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::FileType;

use crate::folder::{Facts, Folder, facts_of_file};
use crate::limits::Limits;
use crate::objects::{ReadError, Reader};
use crate::repository::{Repository, is_object_folder};
use crate::state::{Entry, Key, Kind, Time, Tree, key_below};

/// How often it is tried to see a file as it is that somebody else changes meanwhile.
const TRIES: usize = 3;

/// How much older than the look at a file its last change has to be, for a later change to have another time for certain: the
/// coarsest clock of a file system.
const SETTLES_AFTER: Duration = Duration::from_secs(2);

/// Why a walk has ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It would be more than the limits say.
    TooLarge(String),
    /// The store can't be written.
    Store(io::Error),
}

/// A walk through folders.
pub(crate) struct Scan<'a, R> {
    pub(crate) limits: &'a Limits,
    pub(crate) reader: R,
    /// What was known before, by which files need not be read.
    pub(crate) known: Option<&'a Tree>,
    /// A snapshot to compare with: what is in it is looked at in any case, and beyond the limits no more than that. Without one
    /// the walk ends at the limits.
    pub(crate) reference: Option<&'a Tree>,
    /// Folder of the store, by file system and inode: never a part of a snapshot.
    pub(crate) store: Option<(u64, u64)>,
    /// What the clock says when the walk begins.
    pub(crate) now: SystemTime,
}

/// What a walk has found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) tree: Tree,
    /// Number of files that were read.
    pub(crate) read: usize,
    /// Bytes in files.
    pub(crate) bytes: u64,
    /// There is more that is new than was looked at.
    pub(crate) truncated: bool,
}

/// A folder of the walk.
struct Place {
    folder: Folder,
    key: Key,
    path: Vec<u8>,
    repository: Option<Repository>,
    depth: usize,
}

struct Walk<'a, R> {
    scan: Scan<'a, R>,
    found: Found,
    deadline: Instant,
    entries_left: usize,
    bytes_left: u64,
    settled_before: Time,
}

impl<R: Reader> Scan<'_, R> {
    /// Walks through `roots`, which are absolute and not in each other, and gives the reader back.
    ///
    /// # Errors
    /// Where the limits are passed, and if the store can't be written.
    pub(crate) fn run(self, roots: &[PathBuf]) -> Result<(Found, R), Stop> {
        let settled = self.now.checked_sub(SETTLES_AFTER).unwrap_or(SystemTime::UNIX_EPOCH);
        let settled = settled.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut walk = Walk {
            found: Found::default(),
            deadline: Instant::now() + self.limits.time,
            entries_left: self.limits.entries,
            bytes_left: self.limits.bytes,
            settled_before: (i64::try_from(settled.as_secs()).unwrap_or(i64::MAX), settled.subsec_nanos()),
            scan: self,
        };
        walk.found.tree.roots = roots.iter().map(|root| root.as_os_str().as_bytes().to_vec()).collect();
        for (number, root) in (0..).zip(roots) {
            walk.root(number, root)?;
        }
        Ok((walk.found, walk.scan.reader))
    }
}

impl<R: Reader> Walk<'_, R> {
    fn root(&mut self, number: u32, root: &Path) -> Result<(), Stop> {
        let key = (number, Vec::new());
        // One that is gone, or not a folder any more, has nothing in it.
        let Ok(folder) = Folder::open(root) else { return Ok(()) };
        let Ok(facts) = folder.facts() else { return Ok(()) };
        self.note(key.clone(), Kind::Folder, &facts);
        let path = root.as_os_str().as_bytes().to_vec();
        let repository = Repository::around(root);
        self.folder(&Place { folder, key, path, repository, depth: 0 })
    }

    fn note(&mut self, key: Key, kind: Kind, facts: &Facts) {
        let settled = facts.stamp.changed < self.settled_before;
        let &Facts { mode, owner, modified, names, stamp, .. } = facts;
        let entry = Entry { kind, mode, owner, modified, stamp, names, settled };
        self.found.tree.entries.insert(key, entry);
    }

    /// What was passed: the end of a walk that keeps, and a remark in one that only looks.
    fn passed(&mut self, what: impl Display) -> Result<(), Stop> {
        if self.scan.reference.is_none() {
            return Err(Stop::TooLarge(what.to_string()));
        }
        self.found.truncated = true;
        Ok(())
    }

    fn is_in_reference(&self, key: &Key) -> bool {
        self.scan.reference.is_some_and(|reference| reference.entries.contains_key(key))
    }

    fn folder(&mut self, place: &Place) -> Result<(), Stop> {
        let mut over = false;
        let mut left = self.entries_left;
        let late = Instant::now() > self.deadline;
        let reference = self.scan.reference;
        let names = place.folder.names(|name| {
            if reference.is_some_and(|tree| tree.entries.contains_key(&key_below(&place.key, name))) {
                return true;
            }
            over |= left == 0 || late;
            left = left.saturating_sub(1);
            !over
        });
        self.entries_left = left;
        let Ok(names) = names else {
            if let Some(entry) = self.found.tree.entries.get_mut(&place.key) {
                entry.kind = Kind::Unreadable;
            }
            return Ok(());
        };
        if late {
            self.passed(format_args!("it takes longer than {} seconds", self.scan.limits.time.as_secs()))?;
        } else if over {
            let most = self.scan.limits.entries;
            self.passed(format_args!("there are more than {most} files and folders"))?;
        }
        let own = names.binary_search_by(|name| name.as_slice().cmp(b".git")).is_ok();
        let own = own.then(|| Repository::at(&place.folder, &place.path));
        let repository = own.or_else(|| place.repository.clone());
        for name in names {
            self.entry(place, repository.as_ref(), &name)?;
        }
        Ok(())
    }

    fn entry(&mut self, place: &Place, repository: Option<&Repository>, name: &[u8]) -> Result<(), Stop> {
        let key = key_below(&place.key, name);
        let mut last = None;
        for attempt in 1..=TRIES {
            let facts = match place.folder.facts_of(name) {
                Ok(facts) => facts,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(_) => break,
            };
            last = Some(facts);
            let done = match facts.kind {
                FileType::RegularFile => self.file(place, name, &key, attempt == TRIES)?,
                FileType::Directory => self.inner_folder(place, repository, name, &key)?,
                FileType::Symlink => match place.folder.link_text(name) {
                    Ok(text) => {
                        self.note(key.clone(), Kind::Link(text), &facts);
                        true
                    }
                    Err(_) => false,
                },
                _ => {
                    self.note(key.clone(), Kind::Special, &facts);
                    true
                }
            };
            if done {
                return Ok(());
            }
        }
        // It can't be looked at, or is something else each time.
        if let Some(facts) = last.or_else(|| place.folder.facts().ok()) {
            self.note(key, Kind::Unreadable, &facts);
        }
        Ok(())
    }

    /// False: it was replaced meanwhile.
    fn inner_folder(
        &mut self,
        place: &Place,
        repository: Option<&Repository>,
        name: &[u8],
        key: &Key,
    ) -> Result<bool, Stop> {
        let folder = match place.folder.open_folder(name) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(self.note_unreadable(place, name, key));
            }
            Err(_) => return Ok(false),
        };
        let Ok(facts) = folder.facts() else { return Ok(false) };
        if self.scan.store == Some((facts.stamp.device, facts.stamp.inode)) {
            return Ok(true);
        }
        let mut path = place.path.clone();
        path.push(b'/');
        path.extend_from_slice(name);
        let before = self.scan.reference.and_then(|reference| reference.entries.get(key));
        let passed_over = match before.map(|entry| &entry.kind) {
            Some(Kind::PassedOver) => true,
            Some(Kind::Folder) => false,
            _ => {
                is_object_folder(&path, name)
                    || repository.is_some_and(|repository| repository.passes_over(&path, name))
            }
        };
        self.note(key.clone(), if passed_over { Kind::PassedOver } else { Kind::Folder }, &facts);
        if passed_over {
            return Ok(true);
        }
        let depth = place.depth + 1;
        if depth > self.scan.limits.depth && !self.is_in_reference(key) {
            self.passed(format_args!("there are folders more than {} deep", self.scan.limits.depth))?;
            return Ok(true);
        }
        let repository = repository.cloned();
        self.folder(&Place { folder, key: key.clone(), path, repository, depth })?;
        Ok(true)
    }

    fn note_unreadable(&mut self, place: &Place, name: &[u8], key: &Key) -> bool {
        let facts = place.folder.facts_of(name);
        facts.is_ok_and(|facts| {
            self.note(key.clone(), Kind::Unreadable, &facts);
            true
        })
    }

    /// False: it was replaced or changed meanwhile. The last time it is taken as it was read.
    fn file(&mut self, place: &Place, name: &[u8], key: &Key, last: bool) -> Result<bool, Stop> {
        let (mut file, facts) = match place.folder.open_file(name) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(self.note_unreadable(place, name, key));
            }
            Err(_) => return Ok(false),
        };
        let known = self.scan.known.and_then(|known| known.entries.get(key));
        let known = known.filter(|known| known.settled && known.stamp == facts.stamp);
        if let Some(Kind::File { digest, size }) = known.map(|known| &known.kind) {
            let (digest, size) = (*digest, *size);
            if self.scan.reference.is_none() {
                self.spend(size, place, name)?;
            }
            self.note(key.clone(), Kind::File { digest, size }, &facts);
            return Ok(true);
        }
        let size = facts.stamp.size;
        let unread = Kind::Unread { size, changed: facts.stamp.changed };
        if size > self.bytes_left {
            self.spend(size, place, name)?;
            self.note(key.clone(), unread, &facts);
            return Ok(true);
        }
        self.found.read += 1;
        let (digest, read) = match self.scan.reader.read(&mut file, self.bytes_left) {
            Ok(read) => read,
            Err(ReadError::Store(error)) => return Err(Stop::Store(error)),
            Err(ReadError::Source(_)) => return Ok(self.note_unreadable(place, name, key)),
            Err(ReadError::TooLong) => {
                self.spend(u64::MAX, place, name)?;
                self.note(key.clone(), unread, &facts);
                return Ok(true);
            }
        };
        let steady = facts_of_file(&file).is_ok_and(|after| after.stamp == facts.stamp);
        if !steady && !last {
            return Ok(false);
        }
        self.spend(read, place, name)?;
        self.note(key.clone(), Kind::File { digest, size: read }, &facts);
        if !steady && let Some(entry) = self.found.tree.entries.get_mut(key) {
            entry.settled = false;
        }
        Ok(true)
    }

    /// Counts bytes of a file. Nothing is taken off where it would be more than is left.
    fn spend(&mut self, bytes: u64, place: &Place, name: &[u8]) -> Result<(), Stop> {
        match self.bytes_left.checked_sub(bytes) {
            Some(left) => {
                self.bytes_left = left;
                self.found.bytes = self.found.bytes.saturating_add(bytes);
                Ok(())
            }
            None => {
                let most = self.scan.limits.bytes;
                let path = Path::new(std::ffi::OsStr::from_bytes(&place.path));
                let path = path.join(std::ffi::OsStr::from_bytes(name));
                self.passed(format_args!("the files hold more than {most} bytes (with {})", path.display()))
            }
        }
    }
}
