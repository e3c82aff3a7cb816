//! Who is within an agent: "Answers from a descendant of a gated agent are refused" (D6.8).
//!
//! A process is within an agent if a process of mayi that asks, one that a gateway works for, or a supervisor is among its
//! parents. On Linux what mayi starts for others is under a supervisor, from which nothing cuts itself loose by ending
//! its parents. What a program has others start that were there before (`at`, cron, systemd) is not seen, nor is on other
//! systems of the Unix kind what has cut itself loose, nor on Windows anything; THREATS.md says so.

#[cfg(unix)]
mod answerer;
#[cfg(target_os = "linux")]
mod holders;
#[cfg(target_os = "linux")]
mod lineage;
#[cfg(all(unix, any(test, not(target_os = "linux"))))]
mod listed_parents;
#[cfg(target_os = "linux")]
mod socket;
#[cfg(target_os = "linux")]
mod tree;

use std::net::SocketAddr;
#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use thiserror::Error;

use crate::store::{Store, StoreError};

#[cfg(unix)]
pub(super) use answerer::check_answerer;
#[cfg(target_os = "linux")]
pub use tree::ProcessTree;

/// What a supervisor calls itself in the table of processes, so that it is known after its mayi was killed.
pub const SUPERVISOR: &str = "mayi-supervisor";

/// Why it can't be said whether somebody is within an agent. Then nobody should be let in.
#[derive(Debug, Error)]
pub enum PeerError {
    /// Who asks is not known.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nobody is there any more.
    #[error("the other end of this connection is gone")]
    Gone,
    /// The system does not tell.
    #[error("the system does not tell who connects: {0}; is /proc there?")]
    Unreadable(#[from] std::io::Error),
}

/// Processes of mayi that run an agent, and those that a gateway works for: alive or stopped.
///
/// # Errors
/// If the store can't be read.
pub fn asking_pids(store: &dyn Store) -> Result<Vec<u32>, StoreError> {
    let present = store.present_owners(Timestamp::now())?;
    Ok(present.into_iter().flat_map(|owner| [Some(owner.pid), owner.client]).flatten().collect())
}

/// Whether one of the processes that ask, or a supervisor, is among the parents of `pid`: it is within an agent then. So it is
/// taken to be where the system should tell, and does not. Windows is not asked.
#[must_use]
pub fn is_started_by(asking: &[u32], pid: u32) -> bool {
    #[cfg(target_os = "linux")]
    {
        lineage::lineage_of(pid).map_or(true, |lineage| {
            let within = |parent: &lineage::Relative| asking.contains(&parent.pid) || parent.supervises();
            lineage.iter().skip(1).any(within)
        })
    }
    #[cfg(all(unix, not(target_os = "linux")))]
    {
        listed_parents::ancestors(pid).is_none_or(|parents| parents.iter().any(|of| asking.contains(of)))
    }
    #[cfg(not(unix))]
    {
        let _ = (asking, pid);
        false
    }
}

/// Whether the process `pid` is among the parents of this one.
pub(super) fn is_below(pid: u32) -> bool {
    ancestor_pids(std::process::id()).contains(&pid)
}

/// Whether a process is stopped, as by Ctrl-Z. Only Linux tells.
#[cfg(unix)]
pub(super) fn is_stopped(pid: u32) -> bool {
    #[cfg(target_os = "linux")]
    return read_stat(&proc_folder(pid)).is_some_and(|stat| stat.stopped);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pid;
        false
    }
}

#[cfg(target_os = "linux")]
fn proc_folder(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

/// The process's parents, nearest first, as far as the system tells.
#[cfg(all(unix, not(target_os = "linux")))]
fn ancestor_pids(pid: u32) -> Vec<u32> {
    listed_parents::ancestors(pid).unwrap_or_default()
}

/// None is looked at.
#[cfg(not(unix))]
fn ancestor_pids(_: u32) -> Vec<u32> {
    Vec::new()
}

/// The process's parents, nearest first, as far as the system tells.
#[cfg(target_os = "linux")]
fn ancestor_pids(pid: u32) -> Vec<u32> {
    let parent = |pid: &u32| Some(read_stat(&proc_folder(*pid))?.parent);
    let parent = |pid: &u32| parent(pid).filter(|parent| *parent > 0);
    std::iter::successors(parent(&pid), parent).take(1024).collect()
}

/// The user that a process belongs to, whoever's rights it has.
#[cfg(target_os = "linux")]
fn real_user(pid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(proc_folder(pid).join("status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Uid:")?.split_whitespace().next()?.parse().ok())
}

/// What the system says of a process or of a thread.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProcessStat {
    /// It runs nothing any more, and holds nothing.
    ended: bool,
    /// It goes on only once somebody has it go on.
    stopped: bool,
    parent: u32,
    /// When it began, in ticks since the system did.
    began: u64,
    /// It calls itself a supervisor. Anybody can, and would only shut itself out.
    supervises: bool,
}

/// What stands in the folder of a process or of a thread.
#[cfg(target_os = "linux")]
fn read_stat(folder: &Path) -> Option<ProcessStat> {
    let stat = std::fs::read(folder.join("stat")).ok()?;
    // The second field is a name in parentheses that may hold anything.
    let name = stat.iter().rposition(|byte| *byte == b')')?;
    let begin = stat.iter().position(|byte| *byte == b'(')?;
    let supervises = stat.get(begin + 1..name)? == SUPERVISOR.as_bytes();
    let after = std::str::from_utf8(stat.get(name + 1..)?).ok()?;
    let mut fields = after.split_ascii_whitespace();
    let state = fields.next()?;
    let (ended, stopped) = (matches!(state, "Z" | "X" | "x"), matches!(state, "T" | "t"));
    let parent = fields.next()?.parse().ok()?;
    // The 22nd field of all.
    let began = fields.nth(17)?.parse().ok()?;
    Some(ProcessStat { ended, stopped, parent, began, supervises })
}

/// The process at the other end of a TCP connection within this machine: this end is `local`, and that one `peer`.
/// `None` if it can't be told: there is none any more, it is another user's, or the system does not say.
#[must_use]
pub fn peer_of(local: SocketAddr, peer: SocketAddr) -> Option<u32> {
    #[cfg(target_os = "linux")]
    return holders::find_socket_holder(other_end(local, peer).ok()??.inode);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (local, peer);
        None
    }
}

/// Whether the other end of a TCP connection is within an agent: whether something that a process that asks has
/// started, itself or through others, holds it, be it together with others. This end is `local`, and that one `peer`.
/// Only Linux tells; on other systems it is always `false`.
///
/// # Errors
/// If it can't be said: nobody should be let in then.
pub fn is_within_an_agent(store: &dyn Store, local: SocketAddr, peer: SocketAddr) -> Result<bool, PeerError> {
    is_within(&asking_pids(store)?, local, peer)
}

#[cfg(target_os = "linux")]
fn is_within(asking: &[u32], local: SocketAddr, peer: SocketAddr) -> Result<bool, PeerError> {
    match other_end(local, peer)? {
        Some(socket) => Ok(!holders::held_within(asking, &[socket])?.is_empty()),
        None if is_from_elsewhere(local, peer) => Ok(false),
        None => Err(PeerError::Gone),
    }
}

/// What comes from another machine is in no table here, and does not come to an address that only this machine has.
#[cfg(target_os = "linux")]
fn is_from_elsewhere(local: SocketAddr, peer: SocketAddr) -> bool {
    ![local, peer].iter().any(|end| end.ip().to_canonical().is_loopback())
}

#[cfg(target_os = "linux")]
fn other_end(local: SocketAddr, peer: SocketAddr) -> std::io::Result<Option<socket::Socket>> {
    Ok(socket::other_ends(&[(local, peer)])?.pop().flatten())
}

/// What the system tells of the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerFacts {
    /// As [`is_within_an_agent`].
    pub within_an_agent: bool,
    /// It is a socket of the user that this process runs as; `false` where that can't be said. Only Linux tells.
    pub of_this_user: bool,
}

/// The same of many connections, each by its two ends, this one first: all are looked for in the same passes over what the system
/// has, so that many cost little more than one. `None`: it can't be said, and nobody should be let in.
#[must_use]
pub fn look_up_peers(store: &dyn Store, connections: &[(SocketAddr, SocketAddr)]) -> Vec<Option<PeerFacts>> {
    #[cfg(target_os = "linux")]
    {
        let look = || -> Result<Vec<Option<PeerFacts>>, PeerError> {
            let asking = asking_pids(store)?;
            let sockets = socket::other_ends(connections)?;
            let found: Vec<socket::Socket> = sockets.iter().flatten().copied().collect();
            let within = holders::held_within(&asking, &found)?;
            let own = rustix::process::geteuid().as_raw();
            let facts = |(socket, (local, peer)): (&Option<socket::Socket>, &(SocketAddr, SocketAddr))| {
                match socket {
                    Some(socket) => Some(PeerFacts {
                        within_an_agent: within.contains(&socket.inode),
                        of_this_user: socket.user == own,
                    }),
                    None if is_from_elsewhere(*local, *peer) => {
                        Some(PeerFacts { within_an_agent: false, of_this_user: false })
                    }
                    None => None,
                }
            };
            Ok(sockets.iter().zip(connections).map(facts).collect())
        };
        look().unwrap_or_else(|_| vec![None; connections.len()])
    }
    #[cfg(not(target_os = "linux"))]
    {
        let facts = match asking_pids(store) {
            Ok(_) => Some(PeerFacts { within_an_agent: false, of_this_user: false }),
            Err(_) => None,
        };
        vec![facts; connections.len()]
    }
}

#[cfg(not(target_os = "linux"))]
fn is_within(_: &[u32], _: SocketAddr, _: SocketAddr) -> Result<bool, PeerError> {
    Ok(false)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
