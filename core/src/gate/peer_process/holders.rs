//! Which processes hold a socket.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{ProcessTree, ancestor_pids, proc_folder, read_stat};

/// So many open files are looked at in one pass: an agent can open as many as it likes.
const MOST: usize = 1 << 18;

/// Whether something holds a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SocketHeld {
    Yes,
    No,
    /// It does not let anybody look, or has more open than anybody looks at.
    Unknown,
}

/// A process that holds the socket: whoever started this one is looked at first, since an editor starts its backend.
pub(super) fn find_socket_holder(inode: u64) -> Option<u32> {
    let own = std::process::id();
    let mut near = ancestor_pids(own);
    near.insert(0, own);
    let mut all = ProcessTree::snapshot().ok()?.all;
    all.retain(|pid| !near.contains(pid));
    OpenFileScan::for_inode(inode).first_holder(near.into_iter().chain(all))
}

/// Whether a process within an agent holds the socket, be it together with others.
///
/// # Errors
/// If there is no way to look at processes.
pub(super) fn any_within(asking: &[u32], inode: u64) -> io::Result<bool> {
    let tree = ProcessTree::snapshot()?;
    let within = tree.within_agents(asking);
    if within.is_empty() {
        return Ok(false);
    }
    if OpenFileScan::for_inode(inode).first_holder(within.iter().copied()).is_some() {
        return Ok(true);
    }
    // What is held by somebody else is that one's. Where nobody shows it, it could be with one of these that does not
    // let others look, or with a thread that has open files of its own; or with another user's process, such as the
    // server of a tunnel.
    let mut near = ancestor_pids(std::process::id());
    near.insert(0, std::process::id());
    let rest = tree.all.into_iter().filter(|pid| !near.contains(pid));
    let outside: Vec<u32> = near.iter().copied().chain(rest).filter(|pid| !within.contains(pid)).collect();
    if OpenFileScan::for_inode(inode).first_holder(outside).is_some() {
        return Ok(false);
    }
    let mut pass = OpenFileScan::for_inode(inode);
    Ok(within.into_iter().any(|pid| pass.scan_threads(pid) != SocketHeld::No))
}

/// A look through the open files of several processes.
struct OpenFileScan {
    link: PathBuf,
    files_left: usize,
}

impl OpenFileScan {
    fn for_inode(inode: u64) -> Self {
        Self { link: PathBuf::from(format!("socket:[{inode}]")), files_left: MOST }
    }

    /// The first of `pids` that shows that it holds the socket.
    fn first_holder(&mut self, pids: impl IntoIterator<Item = u32>) -> Option<u32> {
        pids.into_iter().find(|pid| self.scan_open_files(&proc_folder(*pid)) == SocketHeld::Yes)
    }

    /// Looks at every thread: each may have open files of its own.
    fn scan_threads(&mut self, pid: u32) -> SocketHeld {
        let Ok(threads) = fs::read_dir(proc_folder(pid).join("task")) else { return SocketHeld::No };
        for thread in threads.flatten() {
            match read_stat(&thread.path()) {
                None => {}
                Some(stat) if stat.ended => {}
                Some(_) => match self.scan_open_files(&thread.path()) {
                    SocketHeld::No => {}
                    held => return held,
                },
            }
        }
        SocketHeld::No
    }

    /// Looks at the open files of the process or thread in `folder`.
    fn scan_open_files(&mut self, folder: &Path) -> SocketHeld {
        let files = match fs::read_dir(folder.join("fd")) {
            Ok(files) => files,
            Err(error) if is_gone(&error) => return SocketHeld::No,
            Err(_) => return SocketHeld::Unknown,
        };
        for file in files {
            let Ok(file) = file else { return SocketHeld::Unknown };
            let Some(left) = self.files_left.checked_sub(1) else { return SocketHeld::Unknown };
            self.files_left = left;
            match fs::read_link(file.path()) {
                Ok(link) if link == self.link => return SocketHeld::Yes,
                // Closed meanwhile.
                Ok(_) => {}
                Err(error) if is_gone(&error) => {}
                Err(_) => return SocketHeld::Unknown,
            }
        }
        SocketHeld::No
    }
}

/// The process has ended, or the file was closed.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error())
}
