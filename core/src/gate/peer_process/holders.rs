//! Which processes hold a socket.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use super::socket::Socket;
use super::{ProcessTree, ancestor_pids, is_started_by, proc_folder, read_stat, real_user};

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

/// Those of the sockets that a process within an agent holds, be it together with others, or may hold where nobody shows it. All
/// of them are looked for in the same passes.
///
/// # Errors
/// If there is no way to look at processes, or there are more than anybody looks at.
pub(super) fn held_within(asking: &[u32], sockets: &[Socket]) -> io::Result<HashSet<u64>> {
    let tree = ProcessTree::snapshot()?;
    if tree.cut {
        return Err(io::Error::other("there are more processes than are looked at"));
    }
    let within = tree.within_agents(asking);
    if within.is_empty() || sockets.is_empty() {
        return Ok(HashSet::new());
    }
    let mut scan = OpenFileScan::new(sockets.iter().map(|socket| socket.inode).collect());
    scan.scan_processes(within.iter().copied());
    let (mut held, rest): (HashSet<u64>, _) = (scan.found.into_keys().collect(), scan.wanted);
    // What is held by somebody else is that one's.
    let mut near = ancestor_pids(std::process::id());
    near.insert(0, std::process::id());
    let others = tree.all.iter().copied().filter(|pid| !near.contains(pid));
    let outside: Vec<u32> = near.iter().copied().chain(others).filter(|pid| !within.contains(pid)).collect();
    let mut scan = OpenFileScan::new(rest);
    let hidden = scan.scan_processes(outside);
    // A parent may have ended while all were listed, so that whose child it left could not be told: it is now.
    held.extend(
        scan.found.into_iter().filter(|(_, pid)| is_started_by(asking, *pid)).map(|(inode, _)| inode),
    );
    // Where nobody shows it, it could be with a thread that has open files of its own.
    let mut scan = OpenFileScan::new(scan.wanted);
    let looked_at = within.into_iter().all(|pid| scan.scan_threads(pid));
    held.extend(scan.found.into_keys());
    // Or on its way from one process to another, or the kernel's for a ring of one: an agent's then, unless there is somebody
    // else who could have it and shows nothing.
    let could_have = Hidden::of(if scan.wanted.is_empty() { &[] } else { &hidden });
    let unseen = sockets.iter().filter(|socket| scan.wanted.contains(&socket.inode));
    let may_be_within = |socket: &&Socket| !looked_at || !could_have.iter().any(|of| of.could_have(socket));
    held.extend(unseen.filter(may_be_within).map(|socket| socket.inode));
    Ok(held)
}

/// A process outside of agents that does not let anybody look.
pub(super) struct Hidden {
    /// Whose it is. `None`: it is hidden altogether, as other users' processes are on some systems.
    pub(super) user: Option<u32>,
    pub(super) parent_user: Option<u32>,
}

impl Hidden {
    fn of(pids: &[u32]) -> Vec<Self> {
        let parent_user = |pid: u32| real_user(read_stat(&proc_folder(pid))?.parent);
        pids.iter().map(|pid| Self { user: real_user(*pid), parent_user: parent_user(*pid) }).collect()
    }

    /// Whether it could be who has the socket: as another user's, such as the server of a tunnel, or as one that another user's
    /// process has started for this user, such as that of a login. Others of this user show what they have.
    pub(super) fn could_have(&self, socket: &Socket) -> bool {
        let own = rustix::process::geteuid().as_raw();
        match self.user {
            Some(user) if user == own => {
                user == socket.user && self.parent_user.is_some_and(|parent| parent != own)
            }
            Some(user) => user == socket.user,
            None => socket.user != own,
        }
    }
}

/// A look through the open files of several processes.
struct OpenFileScan {
    /// The sockets that nobody was seen with so far.
    wanted: HashSet<u64>,
    /// Who was seen with the others.
    found: HashMap<u64, u32>,
    files_left: usize,
}

impl OpenFileScan {
    fn new(wanted: HashSet<u64>) -> Self {
        Self { wanted, found: HashMap::new(), files_left: MOST }
    }

    /// Looks at what these show, until all is found. Gives those that do not let anybody look.
    fn scan_processes(&mut self, pids: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut hidden = Vec::new();
        for pid in pids {
            if self.wanted.is_empty() {
                break;
            }
            if !self.scan_process(pid) {
                hidden.push(pid);
            }
        }
        hidden
    }

    fn scan_process(&mut self, pid: u32) -> bool {
        self.scan_open_files(pid, &proc_folder(pid))
    }

    /// Looks at every thread: each may have open files of its own. `false`: it is not known what is there.
    fn scan_threads(&mut self, pid: u32) -> bool {
        let Ok(threads) = fs::read_dir(proc_folder(pid).join("task")) else { return true };
        let runs = |folder: &Path| read_stat(folder).is_some_and(|stat| !stat.ended);
        let mut folders = threads.flatten().map(|thread| thread.path());
        folders.all(|folder| self.wanted.is_empty() || !runs(&folder) || self.scan_open_files(pid, &folder))
    }

    /// Looks at the open files of the process `pid`, or of a thread of its, in `folder`. `false`: it does not let anybody look, or
    /// has more open than anybody looks at.
    fn scan_open_files(&mut self, pid: u32, folder: &Path) -> bool {
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
                        self.found.insert(inode, pid);
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
