//! Which processes hold a socket.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use super::{ProcessTree, ancestor_pids, proc_folder, read_stat};

/// So many open files are looked at in one pass: an agent can open as many as it likes.
const MOST: usize = 1 << 18;

/// A process that holds the socket: whoever started this one is looked at first, since an editor starts its backend.
pub(super) fn find_socket_holder(inode: u64) -> Option<u32> {
    let own = std::process::id();
    let mut near = ancestor_pids(own);
    near.insert(0, own);
    let mut all = ProcessTree::snapshot().ok()?.all;
    all.retain(|pid| !near.contains(pid));
    let mut scan = OpenFileScan::new([inode].into());
    near.into_iter().chain(all).find(|pid| {
        scan.scan_process(*pid);
        scan.wanted.is_empty()
    })
}

/// Those of the sockets that a process within an agent holds, be it together with others. All of them are looked for in the
/// same passes.
///
/// # Errors
/// If there is no way to look at processes.
pub(super) fn held_within(asking: &[u32], inodes: HashSet<u64>) -> io::Result<HashSet<u64>> {
    let tree = ProcessTree::snapshot()?;
    let within = tree.within_agents(asking);
    if within.is_empty() || inodes.is_empty() {
        return Ok(HashSet::new());
    }
    let mut scan = OpenFileScan::new(inodes);
    scan.scan_processes(within.iter().copied());
    let (mut held, rest) = (scan.found, scan.wanted);
    // What is held by somebody else is that one's. Where nobody shows it, it could be with one of these that does not
    // let others look, or with a thread that has open files of its own; or with another user's process, such as the
    // server of a tunnel.
    let mut near = ancestor_pids(std::process::id());
    near.insert(0, std::process::id());
    let others = tree.all.into_iter().filter(|pid| !near.contains(pid));
    let outside: Vec<u32> = near.iter().copied().chain(others).filter(|pid| !within.contains(pid)).collect();
    let mut scan = OpenFileScan::new(rest);
    scan.scan_processes(outside);
    let mut scan = OpenFileScan::new(scan.wanted);
    let looked_at = within.into_iter().all(|pid| scan.scan_threads(pid));
    held.extend(scan.found);
    if !looked_at {
        held.extend(scan.wanted);
    }
    Ok(held)
}

/// A look through the open files of several processes.
struct OpenFileScan {
    /// The sockets that nobody was seen with so far.
    wanted: HashSet<u64>,
    found: HashSet<u64>,
    files_left: usize,
}

impl OpenFileScan {
    fn new(wanted: HashSet<u64>) -> Self {
        Self { wanted, found: HashSet::new(), files_left: MOST }
    }

    /// Looks at what these show, until all is found.
    fn scan_processes(&mut self, pids: impl IntoIterator<Item = u32>) {
        for pid in pids {
            if self.wanted.is_empty() {
                return;
            }
            self.scan_process(pid);
        }
    }

    fn scan_process(&mut self, pid: u32) {
        let _ = self.scan_open_files(&proc_folder(pid));
    }

    /// Looks at every thread: each may have open files of its own. `false`: it is not known what is there.
    fn scan_threads(&mut self, pid: u32) -> bool {
        let Ok(threads) = fs::read_dir(proc_folder(pid).join("task")) else { return true };
        let runs = |folder: &Path| read_stat(folder).is_some_and(|stat| !stat.ended);
        let mut folders = threads.flatten().map(|thread| thread.path());
        folders.all(|folder| self.wanted.is_empty() || !runs(&folder) || self.scan_open_files(&folder))
    }

    /// Looks at the open files of the process or thread in `folder`. `false`: it does not let anybody look, or has more open
    /// than anybody looks at.
    fn scan_open_files(&mut self, folder: &Path) -> bool {
        let files = match fs::read_dir(folder.join("fd")) {
            Ok(files) => files,
            Err(error) => return is_gone(&error),
        };
        for file in files {
            if self.wanted.is_empty() {
                return true;
            }
            let Ok(file) = file else { return false };
            let Some(left) = self.files_left.checked_sub(1) else { return false };
            self.files_left = left;
            match fs::read_link(file.path()) {
                Ok(link) => {
                    if let Some(inode) = socket_inode(&link)
                        && self.wanted.remove(&inode)
                    {
                        self.found.insert(inode);
                    }
                }
                // Closed meanwhile.
                Err(error) if is_gone(&error) => {}
                Err(_) => return false,
            }
        }
        true
    }
}

/// The socket that an open file is, by where its link leads.
fn socket_inode(link: &Path) -> Option<u64> {
    link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

/// The process has ended, or the file was closed.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error())
}
