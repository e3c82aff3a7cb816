//! Names that must not appear while a command runs: no mount can be made over what is not there, so their folders are watched.

use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};

use crate::Place;

/// A watch over the folders of names that are not there.
pub(super) struct Absent<'a> {
    pub(super) notices: OwnedFd,
    places: &'a [Place],
}

impl<'a> Absent<'a> {
    /// Watches; nothing if there are no names.
    pub(super) fn watch(places: &'a [Place]) -> io::Result<Option<Self>> {
        if places.is_empty() {
            return Ok(None);
        }
        let notices = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        for folder in places.iter().filter_map(|place| place.path.parent()) {
            // Several names of one folder are one watch.
            add_watch(&notices, folder, WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR)?;
        }
        Ok(Some(Self { notices, places }))
    }

    /// Takes the effect from those that have appeared, and says so of the first.
    pub(super) fn look(&self) -> Option<String> {
        let mut room = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&self.notices, &mut room);
        // What is there is looked at anew, whatever the notices say: some may have been lost.
        while reader.next().is_ok() {}
        let appeared = self.places.iter().filter(|place| fs::symlink_metadata(&place.path).is_ok());
        let told = appeared.map(|place| {
            let path = place.path.display();
            match set_aside(&place.path) {
                Ok(to) => format!("it made {path} ({}): that is {} now", place.because, to.display()),
                Err(error) => {
                    format!("it made {path} ({}), which could not be set aside: {error}", place.because)
                }
            }
        });
        told.collect::<Vec<_>>().into_iter().next()
    }
}

/// Gives it a name by which nobody looks for it.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut failed = io::Error::from(io::ErrorKind::AlreadyExists);
    for number in 0..16 {
        let other = path.with_file_name(format!("{name}.taken-back-{number}"));
        if fs::symlink_metadata(&other).is_ok() {
            continue;
        }
        match fs::rename(path, &other) {
            Ok(()) => return Ok(other),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}
