//! Puts one thing after the other back in its place.
//!
//! What takes a place is made beside it and gets its name in one step. Nothing is written through a link, also not through a hard
//! one: the other names of a file may lie anywhere.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawMode, Timespec, Timestamps, chownat, fchmod, fchown, futimens,
    linkat, mkdirat, openat, renameat, symlinkat, unlinkat,
};
use rustix::process::{Gid, Uid, geteuid};
use uuid::Uuid;

use crate::folder::{Facts, Folder};
use crate::objects::{Objects, make_folder};
use crate::state::{Entry, Key, Kind, Time, Tree, key_below, parent_of};

/// What a folder's mode and time are to be when all is done in it.
struct Ending {
    mode: u32,
    modified: Option<Time>,
}

/// Restores what a snapshot has.
pub(crate) struct Restorer<'a> {
    objects: Objects,
    tree: &'a Tree,
    now: &'a Tree,
    /// Files with several names in the snapshot, by file system and inode: a name that has the file as it was, and its facts now.
    linked: HashMap<(u64, u64), (Key, (u64, u64))>,
    endings: BTreeMap<Key, Ending>,
    /// What could not be given back wholly.
    failed: Vec<(Key, io::Error)>,
}

impl<'a> Restorer<'a> {
    pub(crate) fn new(objects: Objects, tree: &'a Tree, now: &'a Tree) -> Self {
        let mut linked = HashMap::new();
        for (key, entry) in tree.entries.iter().filter(|(_, entry)| entry.names > 1) {
            let file = (entry.stamp.device, entry.stamp.inode);
            let as_it_was = now
                .entries
                .get(key)
                .is_some_and(|now| now.is_same(entry) && (now.stamp.device, now.stamp.inode) == file);
            if as_it_was && matches!(entry.kind, Kind::File { .. }) {
                linked.entry(file).or_insert((key.clone(), file));
            }
        }
        Self { objects, tree, now, linked, endings: BTreeMap::new(), failed: Vec::new() }
    }

    /// Removes what was created.
    pub(crate) fn remove(&mut self, key: &Key) -> io::Result<()> {
        let (folder, name) = self.parent(key, false)?;
        let flags = match self.expected(&folder, &name, key)? {
            Some(facts) if facts.kind == FileType::Directory => AtFlags::REMOVEDIR,
            Some(_) => AtFlags::empty(),
            None => return Ok(()),
        };
        unlinkat(&folder, name.as_slice(), flags)?;
        self.endings.remove(key);
        Ok(())
    }

    /// Puts back what was changed or deleted.
    pub(crate) fn restore(&mut self, key: &Key) -> io::Result<()> {
        let tree = self.tree;
        let entry = tree.entries.get(key).ok_or(io::ErrorKind::NotFound)?;
        if key.1.is_empty() {
            self.open(key, true)?;
            self.end_with(key, entry);
            return Ok(());
        }
        let (folder, name) = self.parent(key, true)?;
        let there = self.expected(&folder, &name, key)?;
        if let Kind::Folder = entry.kind {
            return self.restore_folder(&folder, &name, key, entry, there);
        }
        if there.is_some_and(|facts| facts.kind == FileType::Directory) {
            unlinkat(&folder, name.as_slice(), AtFlags::REMOVEDIR)?;
        }
        let beside = format!(".mayi-undo-{}", Uuid::now_v7().simple()).into_bytes();
        let made = match &entry.kind {
            Kind::Link(text) => self.make_link(&folder, &beside, text, entry),
            Kind::File { digest, .. } => {
                if self.link_again(&folder, &beside, entry) {
                    Ok(())
                } else {
                    self.make_file(&folder, &beside, key, entry, digest)
                }
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        };
        let done = made.and_then(|()| Ok(renameat(&folder, beside.as_slice(), &folder, name.as_slice())?));
        // Also where it had that name already: renaming does nothing then.
        let _ = unlinkat(&folder, beside.as_slice(), AtFlags::empty());
        done?;
        // A folder that was in its place has no end.
        self.endings.remove(key);
        if entry.names > 1
            && let Ok(facts) = folder.facts_of(&name)
        {
            let file = (entry.stamp.device, entry.stamp.inode);
            self.linked.entry(file).or_insert((key.clone(), (facts.stamp.device, facts.stamp.inode)));
        }
        Ok(())
    }

    /// Gives folders their modes and times, when nothing is done in them any more, and tells what went wrong.
    pub(crate) fn end(mut self) -> Vec<(Key, io::Error)> {
        for (key, ending) in std::mem::take(&mut self.endings).into_iter().rev() {
            let done = self.open(&key, false).and_then(|folder| {
                fchmod(&folder, mode(ending.mode))?;
                ending.modified.map_or(Ok(()), |time| set_time(&folder, time))
            });
            if let Err(error) = done {
                self.failed.push((key, error));
            }
        }
        self.failed
    }

    fn restore_folder(
        &mut self,
        folder: &Folder,
        name: &[u8],
        key: &Key,
        entry: &Entry,
        there: Option<Facts>,
    ) -> io::Result<()> {
        if there.is_none_or(|facts| facts.kind != FileType::Directory) {
            if there.is_some() {
                unlinkat(folder, name, AtFlags::empty())?;
            }
            mkdirat(folder, name, Mode::RWXU)?;
        }
        let made = folder.open_folder(name)?;
        if made.facts()?.owner != entry.owner {
            self.give(key, fchown(&made, user(entry), group(entry)));
        }
        self.end_with(key, entry);
        Ok(())
    }

    fn end_with(&mut self, key: &Key, entry: &Entry) {
        let modified = (!self.now.entries.contains_key(key)).then_some(entry.modified);
        self.endings.insert(key.clone(), Ending { mode: entry.mode, modified });
    }

    fn make_link(&mut self, folder: &Folder, name: &[u8], text: &[u8], entry: &Entry) -> io::Result<()> {
        symlinkat(text, folder, name)?;
        if folder.facts_of(name)?.owner != entry.owner {
            // Whose it is matters to nobody but root.
            let _ = chownat(folder, name, user(entry), group(entry), AtFlags::SYMLINK_NOFOLLOW);
        }
        Ok(())
    }

    fn make_file(
        &mut self,
        folder: &Folder,
        name: &[u8],
        key: &Key,
        entry: &Entry,
        digest: &[u8; 32],
    ) -> io::Result<()> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?);
        self.objects.copy_to(digest, &mut file)?;
        let mut bits = entry.mode;
        if crate::folder::facts_of_file(&file)?.owner != entry.owner
            && !self.give(key, fchown(&file, user(entry), group(entry)))
        {
            // Nobody else's program becomes this user's.
            bits &= 0o1777;
        }
        fchmod(&file, mode(bits))?;
        // What was changed has the time of now: programs that build go by it, and may have built what is replaced.
        if !self.now.entries.contains_key(key) {
            set_time(&file, entry.modified)?;
        }
        Ok(())
    }

    /// Whether an owner could be given; it is told where not.
    fn give(&mut self, key: &Key, given: rustix::io::Result<()>) -> bool {
        if let Err(error) = given {
            let why = format!("it is back, but not its owner: {error}");
            self.failed.push((key.clone(), io::Error::other(why)));
            return false;
        }
        true
    }

    /// Makes another name of a file that is as it was, if this was one.
    fn link_again(&mut self, folder: &Folder, name: &[u8], entry: &Entry) -> bool {
        let file = (entry.stamp.device, entry.stamp.inode);
        let Some((other, inode)) = self.linked.get(&file).cloned().filter(|_| entry.names > 1) else {
            return false;
        };
        let Ok((from, from_name)) = self.parent(&other, false) else { return false };
        if linkat(&from, from_name.as_slice(), folder, name, AtFlags::empty()).is_err() {
            return false;
        }
        // Somebody may have put something else there.
        let same = folder.facts_of(name).is_ok_and(|facts| {
            (facts.stamp.device, facts.stamp.inode) == inode && facts.kind == FileType::RegularFile
        });
        if !same {
            let _ = unlinkat(folder, name, AtFlags::empty());
        }
        same
    }

    /// The folder that something lies in, and its name there. `make`: it is made where it is missing, and may be written.
    fn parent(&mut self, key: &Key, make: bool) -> io::Result<(Folder, Vec<u8>)> {
        let (above, name) = parent_of(key).ok_or(io::ErrorKind::InvalidInput)?;
        let folder = self.open(&above, make)?;
        let facts = folder.facts()?;
        if facts.mode & 0o300 != 0o300 && facts.owner.0 == geteuid().as_raw() {
            fchmod(&folder, mode(facts.mode | 0o700))?;
            self.endings.entry(above).or_insert(Ending { mode: facts.mode, modified: None });
        }
        Ok((folder, name.to_vec()))
    }

    fn open(&mut self, key: &Key, make: bool) -> io::Result<Folder> {
        let root = (key.0, Vec::new());
        let path = self.tree.path_of(&root);
        let mut folder = match Folder::open(&path) {
            Err(error) if make && error.kind() == io::ErrorKind::NotFound => {
                make_folder(&path)?;
                self.end_new(&root);
                Folder::open(&path)?
            }
            opened => opened?,
        };
        let mut at = root;
        for name in key.1.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            at = key_below(&at, name);
            folder = match folder.open_folder(name) {
                Err(error) if make && error.kind() == io::ErrorKind::NotFound => {
                    mkdirat(&folder, name, Mode::RWXU)?;
                    self.end_new(&at);
                    folder.open_folder(name)?
                }
                opened => opened?,
            };
        }
        Ok(folder)
    }

    /// A folder that had to be made ends as it was.
    fn end_new(&mut self, key: &Key) {
        if let Some(entry) = self.tree.entries.get(key) {
            let ending = Ending { mode: entry.mode, modified: Some(entry.modified) };
            self.endings.insert(key.clone(), ending);
        }
    }

    /// What is there, if it is what was found when the changes were listed.
    fn expected(&self, folder: &Folder, name: &[u8], key: &Key) -> io::Result<Option<Facts>> {
        let there = match folder.facts_of(name) {
            Ok(facts) => Some(facts),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let listed = self.now.entries.get(key);
        let same = match (there, listed) {
            (None, _) => true,
            // What was made in it is looked at by itself.
            (Some(there), _) if there.kind == FileType::Directory => true,
            (Some(there), Some(listed)) => {
                (there.stamp.device, there.stamp.inode) == (listed.stamp.device, listed.stamp.inode)
                    && (there.stamp.size, there.modified) == (listed.stamp.size, listed.modified)
            }
            (Some(_), None) => false,
        };
        if same { Ok(there) } else { Err(io::Error::other("somebody changes it at this moment")) }
    }
}

fn mode(bits: u32) -> Mode {
    Mode::from_raw_mode(RawMode::try_from(bits).unwrap_or_default())
}

fn user(entry: &Entry) -> Option<Uid> {
    Some(Uid::from_raw(entry.owner.0))
}

fn group(entry: &Entry) -> Option<Gid> {
    Some(Gid::from_raw(entry.owner.1))
}

fn set_time(file: impl std::os::fd::AsFd, (seconds, nanoseconds): Time) -> io::Result<()> {
    let time = Timespec { tv_sec: seconds, tv_nsec: i64::from(nanoseconds) };
    Ok(futimens(file, &Timestamps { last_access: time, last_modification: time })?)
}
