//! Caches of tools: each is mounted as an overlay, with the cache itself below and the project's layer above it.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, UnmountFlags, fsconfig_create, fsconfig_set_flag,
    fsconfig_set_string, fsmount, fsopen, mount, unmount,
};

use crate::caches::{lock, make_private};
use crate::{Cache, CacheLayer, Profile};

/// The layers of a project, taken up for a command.
#[derive(Debug)]
pub(super) struct Layers {
    /// Free again when this process is gone, and it ends after all that runs in its namespace of processes.
    _lock: Option<File>,
    refused: Option<String>,
}

impl Layers {
    /// Takes up the layers of the profile's caches. Outside of any namespace: what is made belongs to whoever runs this.
    pub(super) fn take_up(profile: &Profile) -> Self {
        let Some(project) = profile.caches.first().and_then(|cache| cache.upper.parent()) else {
            return Self { _lock: None, refused: None };
        };
        match make_private(project).and_then(|()| lock(project)) {
            Ok(Some(file)) => Self { _lock: Some(file), refused: None },
            Ok(None) => Self {
                _lock: None,
                refused: Some("another command of the project uses its layer".to_owned()),
            },
            Err(error) => Self { _lock: None, refused: Some(format!("{}: {error}", project.display())) },
        }
    }

    /// Makes an overlay of each cache, which stands nowhere yet, and says where what is written in it is kept.
    pub(super) fn mount<'a>(&self, profile: &'a Profile) -> Vec<(&'a Cache, Option<OwnedFd>, CacheLayer)> {
        let made = profile.caches.iter().map(|cache| {
            let why = match &self.refused {
                None => match project_layer(cache) {
                    Ok(tree) => return (cache, Some(tree), CacheLayer::Project),
                    Err(error) => format!("{}: {error}", cache.upper.display()),
                },
                Some(why) => why.clone(),
            };
            match layer_in_memory(cache, profile.bounds.temporary_bytes) {
                Ok(tree) => (cache, Some(tree), CacheLayer::Command(why)),
                Err(error) => (cache, None, CacheLayer::Nowhere(format!("{why}; in memory: {error}"))),
            }
        });
        made.collect()
    }
}

fn project_layer(cache: &Cache) -> io::Result<OwnedFd> {
    let (upper, work) = (cache.upper.join("upper"), cache.upper.join("work"));
    for folder in [&upper, &work] {
        make_private(folder)?;
    }
    // The topmost folder of an overlay has the rights of the layer.
    fs::set_permissions(&upper, fs::metadata(&cache.folder)?.permissions())?;
    overlay(&[&open_folder(&cache.folder)?], &open_folder(&upper)?, &open_folder(&work)?)
}

/// A layer that is gone with the command, above the project's own, if there is one, and the cache.
fn layer_in_memory(cache: &Cache, bytes: u64) -> io::Result<OwnedFd> {
    // Before something is mounted over it.
    let mut lower = vec![open_folder(&cache.folder)?];
    if let Ok(upper) = open_folder(&cache.upper.join("upper")) {
        lower.insert(0, upper);
    }
    let rights = fs::metadata(&cache.folder)?.permissions();
    let options = std::ffi::CString::new(format!("mode=700,size={bytes}"))?;
    mount("tmpfs", &cache.folder, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())?;
    let layers = ["upper", "work"].map(|name| {
        let folder = cache.folder.join(name);
        fs::create_dir(&folder)?;
        fs::set_permissions(&folder, rights.clone())?;
        open_folder(&folder)
    });
    let made = match layers {
        [Ok(upper), Ok(work)] => overlay(&lower.iter().collect::<Vec<_>>(), &upper, &work),
        [Err(error), _] | [_, Err(error)] => Err(error),
    };
    // The overlay holds on to it.
    unmount(&cache.folder, UnmountFlags::DETACH)?;
    made
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Folders are named by what is open: a name could have in it what separates the names of several.
fn overlay(lower: &[&OwnedFd], upper: &OwnedFd, work: &OwnedFd) -> io::Result<OwnedFd> {
    let name = |folder: &OwnedFd| format!("/proc/self/fd/{}", folder.as_raw_fd());
    let made = &fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(made, "source", "mayi-cache")?;
    fsconfig_set_string(
        made,
        "lowerdir",
        lower.iter().map(|folder| name(folder)).collect::<Vec<_>>().join(":"),
    )?;
    fsconfig_set_string(made, "upperdir", name(upper))?;
    fsconfig_set_string(made, "workdir", name(work))?;
    // What is marked in a layer is marked by this user.
    fsconfig_set_flag(made, "userxattr")?;
    fsconfig_create(made)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    Ok(fsmount(made, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}

/// What of caches stays as it is.
pub(super) fn kept_paths(profile: &Profile) -> Vec<PathBuf> {
    profile.caches.iter().flat_map(Cache::kept_paths).collect()
}
