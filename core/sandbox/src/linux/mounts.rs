//! What is mounted, in a namespace of its own: everything read-only but what may be written, over what is hidden something that can't
//! be read, a private temporary folder, a private `/dev`, and the processes of the namespace alone.

use std::fs::{self, File, Permissions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind,
    mount_bind_recursive, mount_change, mount_remount, move_mount, open_tree,
};

use super::mount_table::{MountPoint, mount_points, open_table};
use super::overlays::{Layers, kept_paths};
use super::stage::Task;
use crate::git_settings::COPY;
use crate::needed::{SYSTEM, TEMPORARY};
use crate::{CacheLayer, Place, Profile, SandboxError};

/// What a private `/dev` has of the machine's.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// Links that programs expect in `/dev`.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// What hides a file that it is mounted over, where no device may be opened: it is refused in words, and is nothing that git adds,
/// grep reads or a bundler takes for settings.
const REFUSED_FILE: &str = "/dev/null";
/// An empty folder that hides what it is mounted over.
const EMPTY_FOLDER: &str = "/dev/.mayi-folder";

/// The folder with copies of settings.
const COPIES: &str = "/dev/.mayi-copies";

/// Arranges the mounts of this namespace as the task's profile says. For each cache: where what is written in it is kept.
pub(super) fn arrange(
    task: &Task,
    table: &File,
    layers: &Layers,
) -> Result<Vec<(String, CacheLayer)>, SandboxError> {
    let (profile, cwd) = (&task.profile, task.cwd.as_path());
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(errno("keep mounts to itself"))?;
    // As they are now: what is mounted over them or made read-only below does not change these.
    let mut writable = Vec::new();
    for Place { path, .. } in sorted(&profile.writable) {
        if let Some(tree) = copy_of(path)? {
            writable.push((path, tree));
        }
    }
    let caches = layers.mount(profile);
    // In a private folder it would be gone where it may not be written.
    let seen = copy_of(cwd)?;
    let devices = DEVICES.iter().map(|name| Ok((*name, copy_of(&Path::new("/dev").join(name))?)));
    let devices: Vec<_> = devices.collect::<Result<_, SandboxError>>()?;
    let copies = task.copies.as_deref().map(copy_of).transpose()?.flatten();
    make_all_read_only(table)?;
    // Copied when it is read-only.
    let readable = readable_trees(profile)?;
    let emptied = match profile.readable {
        Some(_) => empty_other_folders()?,
        None => Vec::new(),
    };
    private_temporary_folder(profile.bounds.temporary_bytes)?;
    private_devices(&devices, profile.bounds.temporary_bytes)?;
    if let Some(Place { path, .. }) = &profile.home {
        fs::create_dir_all(path).map_err(SandboxError::step(format!("make {}", path.display())))?;
        mount_bounded(path, profile.bounds.temporary_bytes)?;
    }
    for (path, tree) in readable.iter().map(|(path, tree)| (path.as_path(), tree)) {
        attach(tree, path)?;
    }
    if let Some(tree) = copies {
        link_copies(&tree, profile.copied.len())?;
    }
    for (path, tree) in &writable {
        attach(tree, path)?;
    }
    for (cache, tree, _) in &caches {
        if let Some(tree) = tree {
            attach(tree, &cache.folder)?;
        }
    }
    if let Some(tree) = seen.filter(|_| fs::symlink_metadata(cwd).is_err()) {
        attach(&tree, cwd)?;
        remount_read_only(cwd, table, MountFlags::empty())?;
    }
    for folder in &emptied {
        remount_read_only(folder, table, MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC)?;
    }
    pin_ancestors(profile)?;
    // Also where something is mounted already: that is what is to be held.
    hold(profile, table, |_| true)?;
    hold_copies(profile, |_| true)?;
    // Nothing more is made in `/dev` itself.
    remount_read_only(Path::new("/dev"), table, MountFlags::NOSUID | MountFlags::NOEXEC)?;
    Ok(caches.into_iter().map(|(cache, _, layer)| (cache.name.clone(), layer)).collect())
}

/// Mounts over what is kept and hidden, where that is gone.
pub(super) fn hold_again(profile: &Profile, table: &File) -> Result<(), SandboxError> {
    let points = mount_points(table).map_err(SandboxError::step("list what is mounted"))?;
    // A folder that was only pinned can be written.
    let held = |path: &Path| {
        let last = points.iter().rfind(|point| point.path == path);
        last.is_some_and(|point| point.flags.contains(MountFlags::RDONLY))
    };
    hold(profile, table, |path| !held(path))?;
    hold_copies(profile, |path| !points.iter().any(|point| point.path == path))
}

/// Mounts over those settings of which there are copies which are `wanted`: a link to the copy. Whoever writes them follows it, and
/// puts new ones in the place of the copy.
fn hold_copies(profile: &Profile, wanted: impl Fn(&Path) -> bool) -> Result<(), SandboxError> {
    for (number, Place { path, .. }) in profile.copied.iter().enumerate() {
        if let Some(link) = copy_of(&link_to_copy(number))?.filter(|_| wanted(path) && path.is_file()) {
            move_mount(&link, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
                .map_err(errno(format!("mount {}", path.display())))?;
        }
    }
    Ok(())
}

fn link_to_copy(number: usize) -> PathBuf {
    PathBuf::from(format!("{COPIES}-{number}"))
}

/// Puts the folder of copies in its place, and makes a link to each.
fn link_copies(tree: &OwnedFd, count: usize) -> Result<(), SandboxError> {
    attach(tree, Path::new(COPIES))?;
    for number in 0..count {
        symlink(format!("{COPIES}/{number}/{COPY}"), link_to_copy(number))
            .map_err(SandboxError::step("link the copy of settings"))?;
    }
    Ok(())
}

/// Mounts over those places that are kept and hidden which are `wanted`.
fn hold(profile: &Profile, table: &File, wanted: impl Fn(&Path) -> bool) -> Result<(), SandboxError> {
    for Place { path, .. } in sorted(&profile.read_only).into_iter().filter(|place| wanted(&place.path)) {
        bind_read_only(path, table)?;
    }
    for path in kept_paths(profile).into_iter().filter(|path| wanted(path)) {
        bind_read_only(&path, table)?;
    }
    for Place { path, .. } in sorted(&profile.hidden).into_iter().filter(|place| wanted(&place.path)) {
        hide(path, table)?;
    }
    Ok(())
}

/// The processes of this namespace in `/proc`, and nothing of the kernel's settings to write. For process 1 of the namespace.
pub(super) fn own_processes() -> Result<(), SandboxError> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).map_err(errno("show the processes of the namespace"))?;
    let table = open_table().map_err(SandboxError::step("list what is mounted"))?;
    // Root is root for these, whichever namespace it is in.
    for name in ["sys", "sysrq-trigger", "irq", "bus", "fs"] {
        let path = Path::new("/proc").join(name);
        if path.exists() {
            bind_read_only(&path, &table)?;
        }
    }
    Ok(())
}

/// Shortest paths first: what is mounted within another comes after it.
fn sorted(places: &[Place]) -> Vec<&Place> {
    let mut places: Vec<&Place> = places.iter().collect();
    places.sort_by_key(|place| place.path.components().count());
    places
}

fn errno(step: impl Into<String>) -> impl FnOnce(rustix::io::Errno) -> SandboxError {
    let step = step.into();
    move |error| SandboxError::step(step)(error.into())
}

/// A copy of what is mounted at a path, which stands nowhere yet; none if nothing is there.
fn copy_of(path: &Path) -> Result<Option<OwnedFd>, SandboxError> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
    match open_tree(CWD, path, flags) {
        Ok(tree) => Ok(Some(tree)),
        Err(rustix::io::Errno::NOENT) => Ok(None),
        Err(error) => Err(errno(format!("copy the mount of {}", path.display()))(error)),
    }
}

/// What of the machine is to be seen where not everything is, as it is mounted now.
fn readable_trees(profile: &Profile) -> Result<Vec<(PathBuf, OwnedFd)>, SandboxError> {
    let Some(places) = &profile.readable else { return Ok(Vec::new()) };
    let mut paths: Vec<PathBuf> = places.iter().map(|place| place.path.clone()).collect();
    // Whole folders at the top stay where they are.
    paths.extend(SYSTEM.iter().map(PathBuf::from).filter(|path| path.components().count() > 2));
    paths.retain(|path| !TEMPORARY.iter().any(|folder| path == Path::new(folder)));
    paths.sort();
    paths.dedup();
    let trees = paths.into_iter().filter_map(|path| copy_of(&path).transpose().map(|tree| Ok((path, tree?))));
    trees.collect()
}

/// Mounts an empty folder over each at the top of the file system that is none of the system's; which these are.
fn empty_other_folders() -> Result<Vec<PathBuf>, SandboxError> {
    let step = || SandboxError::step("list what is at the top");
    let mut emptied = Vec::new();
    for entry in fs::read_dir("/").map_err(step())? {
        let entry = entry.map_err(step())?;
        let path = entry.path();
        let is_folder = entry.file_type().map_err(step())?.is_dir();
        if is_folder && !SYSTEM.iter().any(|folder| path == Path::new(folder)) {
            let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            mount("tmpfs", &path, "tmpfs", flags, c"mode=755,size=1m")
                .map_err(errno(format!("empty {}", path.display())))?;
            emptied.push(path);
        }
    }
    Ok(emptied)
}

/// Puts a copy in its place, which is made if it is not there: in a private folder it may not be.
fn attach(tree: &OwnedFd, path: &Path) -> Result<(), SandboxError> {
    if fs::symlink_metadata(path).is_err() {
        let made = match rustix::fs::fstat(tree).map(|found| FileType::from_raw_mode(found.st_mode)) {
            Ok(FileType::Directory) | Err(_) => fs::create_dir_all(path),
            Ok(_) => {
                path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| File::create(path).map(drop))
            }
        };
        made.map_err(SandboxError::step(format!("make {}", path.display())))?;
    }
    move_mount(tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
        .map_err(errno(format!("mount {}", path.display())))
}

/// All that is mounted becomes read-only. What can't be, such as a mount that this user may not reach, has to be one that nobody
/// can write through a path either.
fn make_all_read_only(table: &File) -> Result<(), SandboxError> {
    let points = mount_points(table).map_err(SandboxError::step("list what is mounted"))?;
    for MountPoint { path, flags } in &points {
        let remounted = mount_remount(path, MountFlags::BIND | MountFlags::RDONLY | *flags, c"");
        match remounted {
            Ok(()) => {}
            // Behind another mount, or in a folder that this user may not enter.
            Err(_) if is_out_of_reach(path, &points) => {}
            Err(error) => return Err(errno(format!("make {} read-only", path.display()))(error)),
        }
    }
    Ok(())
}

/// Whether no path of this process leads to a mount.
fn is_out_of_reach(path: &Path, points: &[MountPoint]) -> bool {
    let covered = points.iter().filter(|other| other.path == path).count() > 1;
    covered || fs::symlink_metadata(path).is_err()
}

/// One folder for temporary files, bounded, for whatever name programs have for it.
fn private_temporary_folder(bytes: u64) -> Result<(), SandboxError> {
    let [first, others @ ..] = TEMPORARY;
    mount_bounded(Path::new(first), bytes)?;
    for other in others.iter().filter(|other| Path::new(other).is_dir()) {
        mount_bind(first, *other).map_err(errno(format!("mount {other}")))?;
    }
    Ok(())
}

/// A folder in memory that anybody may write in, of so many bytes.
fn mount_bounded(path: &Path, bytes: u64) -> Result<(), SandboxError> {
    let options = format!("mode=1777,size={bytes}\0");
    let options = std::ffi::CStr::from_bytes_with_nul(options.as_bytes()).unwrap_or(c"");
    mount("tmpfs", path, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options)
        .map_err(errno(format!("mount a private {}", path.display())))
}

/// A `/dev` with what programs need, and no device of the machine.
fn private_devices(devices: &[(&str, Option<OwnedFd>)], bytes: u64) -> Result<(), SandboxError> {
    let folder = Path::new("/dev");
    let step = |what: &str| SandboxError::step(format!("make a private /dev: {what}"));
    let limits = c"mode=755,size=64m";
    mount("tmpfs", folder, "tmpfs", MountFlags::NOSUID | MountFlags::NOEXEC, limits)
        .map_err(errno("mount a private /dev"))?;
    for (name, device) in devices {
        let Some(device) = device else { continue };
        let path = folder.join(name);
        File::create(&path).map_err(step(name))?;
        move_mount(device, "", CWD, &path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
            .map_err(errno(format!("mount {}", path.display())))?;
    }
    for (name, target) in LINKS {
        symlink(target, folder.join(name)).map_err(step(name))?;
    }
    for name in ["shm", "pts"] {
        fs::create_dir(folder.join(name)).map_err(step(name))?;
    }
    let pts = c"newinstance,ptmxmode=0666,mode=620";
    mount("devpts", folder.join("pts"), "devpts", MountFlags::NOSUID | MountFlags::NOEXEC, pts)
        .map_err(errno("mount terminals of its own"))?;
    mount_bounded(&folder.join("shm"), bytes)?;
    fs::create_dir(EMPTY_FOLDER).map_err(step("a folder that hides"))?;
    fs::set_permissions(EMPTY_FOLDER, Permissions::from_mode(0o555)).map_err(step("a folder that hides"))
}

/// What is read-only keeps its place: each folder between it and what may be written is mounted onto itself, and a folder that is
/// mounted can't be renamed.
fn pin_ancestors(profile: &Profile) -> Result<(), SandboxError> {
    let mut pinned: Vec<PathBuf> = Vec::new();
    for kept in profile.read_only.iter().chain(&profile.copied) {
        let roots = profile.writable.iter().filter(|root| kept.path.starts_with(&root.path));
        let Some(root) = roots.max_by_key(|root| root.path.components().count()) else { continue };
        let between = kept.path.ancestors().skip(1).take_while(|folder| *folder != root.path);
        pinned.extend(between.map(Path::to_owned));
    }
    pinned.sort();
    pinned.dedup();
    for folder in pinned.iter().filter(|folder| folder.is_dir()) {
        mount_bind_recursive(folder, folder).map_err(errno(format!("pin {}", folder.display())))?;
    }
    Ok(())
}

/// Mounts a path onto itself, read-only, with what is mounted below it.
fn bind_read_only(path: &Path, table: &File) -> Result<(), SandboxError> {
    if fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    mount_bind_recursive(path, path).map_err(errno(format!("mount {}", path.display())))?;
    remount_read_only(path, table, MountFlags::empty())
}

/// What a mount has and may not lose is said again with each change of it.
fn remount_read_only(path: &Path, table: &File, more: MountFlags) -> Result<(), SandboxError> {
    let points = mount_points(table).map_err(SandboxError::step("list what is mounted"))?;
    let had =
        points.iter().rfind(|point| point.path == path).map_or(MountFlags::empty(), |point| point.flags);
    mount_remount(path, MountFlags::BIND | MountFlags::RDONLY | had | more, c"")
        .map_err(errno(format!("make {} read-only", path.display())))
}

/// Mounts over what may not be read what can't be read.
fn hide(path: &Path, table: &File) -> Result<(), SandboxError> {
    let empty = match fs::symlink_metadata(path) {
        Err(_) => return Ok(()),
        Ok(found) if found.is_dir() => EMPTY_FOLDER,
        Ok(_) => REFUSED_FILE,
    };
    mount_bind(empty, path).map_err(errno(format!("hide {}", path.display())))?;
    remount_read_only(path, table, MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC)
}
