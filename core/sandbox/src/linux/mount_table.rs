//! What is mounted now, as `/proc/self/mountinfo` says.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use rustix::mount::MountFlags;

/// A mount.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MountPoint {
    pub(super) path: PathBuf,
    /// What is locked in a namespace of another owner, and has to be said again with each change.
    pub(super) flags: MountFlags,
}

/// The table of this process, for as long as it is needed: another `/proc` may come over the one that it was opened in.
pub(super) fn open_table() -> io::Result<File> {
    File::open("/proc/self/mountinfo")
}

/// All mounts, in the order in which they were made.
pub(super) fn mount_points(mut table: &File) -> io::Result<Vec<MountPoint>> {
    let mut text = Vec::new();
    table.rewind()?;
    table.read_to_end(&mut text)?;
    Ok(read_table(&text))
}

/// Lines of proc_pid_mountinfo(5): id, parent, device, root, mount point, options, and more.
fn read_table(text: &[u8]) -> Vec<MountPoint> {
    let lines = text.split(|byte| *byte == b'\n');
    let fields = lines.map(|line| line.split(|byte| *byte == b' ').collect::<Vec<_>>());
    fields
        .filter_map(|fields| {
            let (path, options) = (fields.get(4)?, fields.get(5)?);
            Some(MountPoint {
                path: PathBuf::from(OsString::from_vec(unescape(path))),
                flags: flags(options),
            })
        })
        .collect()
}

fn flags(options: &[u8]) -> MountFlags {
    options.split(|byte| *byte == b',').fold(MountFlags::empty(), |flags, option| {
        flags
            | match option {
                b"ro" => MountFlags::RDONLY,
                b"nosuid" => MountFlags::NOSUID,
                b"nodev" => MountFlags::NODEV,
                b"noexec" => MountFlags::NOEXEC,
                b"noatime" => MountFlags::NOATIME,
                b"nodiratime" => MountFlags::NODIRATIME,
                b"relatime" => MountFlags::RELATIME,
                _ => MountFlags::empty(),
            }
    })
}

/// Blanks, tabs, line ends and backslashes are octal.
fn unescape(path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|_| *first == b'\\');
        let byte = octal.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        (rest, _) = match byte {
            Some(byte) => (after.get(3..).unwrap_or_default(), plain.push(byte)),
            None => (after, plain.push(*first)),
        };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_table_then_paths_and_flags_are_as_the_kernel_wrote_them() {
        let text = b"36 35 98:0 /mnt1 /a\\040b\\134c rw,nosuid,noatime shared:1 - ext3 /dev/root rw\n\n";
        let [found] = read_table(text).try_into().unwrap();
        let path = PathBuf::from("/a b\\c");
        assert_eq!(found, MountPoint { path, flags: MountFlags::NOSUID | MountFlags::NOATIME });
    }
}
