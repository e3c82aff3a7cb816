//! Where a process comes from, as `/proc` of this process has it.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

use nix::sys::socket::{getsockopt, sockopt};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::super::lineage::{Relative, lineage_of};
use super::super::{proc_folder, real_user};
use super::{AskingProcesses, NotHeard};

/// The namespaces that a person's terminal has in common with the process that asks. Who has a PID namespace of its own
/// calls processes by other numbers; who has a user or mount namespace of its own is in a sandbox or a container, which a
/// program that runs elsewhere may have started for an agent.
const NAMESPACES: [(&str, &str); 3] = [("pid", "PID"), ("user", "user"), ("mnt", "mount")];

/// Whether the other end of `stream` is neither within an agent nor may be.
///
/// # Errors
/// Why not.
pub(super) fn check_origin(stream: &UnixStream, pid: u32, asking: &AskingProcesses) -> Result<(), NotHeard> {
    let peer = Peer::of(stream, pid)?;
    let lineage = lineage_of(peer.pid)?;
    for client in &asking.clients {
        check_against_client(&lineage, *client)?;
    }
    if lineage.iter().skip(1).any(|parent| asking.owners.contains(&parent.pid) || parent.supervises()) {
        return Err(NotHeard::Agent);
    }
    for (name, title) in NAMESPACES {
        let of = |process: &str| file_id(&Path::new("/proc").join(process).join("ns").join(name));
        if of("self")? != of(&peer.pid.to_string())? {
            return Err(NotHeard::Apart(title));
        }
    }
    peer.check_is_there()
}

/// The process at the other end: as long as it is held, its number is no other one's.
struct Peer {
    pid: u32,
    handle: OwnedFd,
}

impl Peer {
    fn of(stream: &UnixStream, pid: u32) -> Result<Self, NotHeard> {
        // A process that this one does not see is in another namespace.
        let process = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(NotHeard::Apart("PID"))?;
        let handle = match getsockopt(stream, sockopt::PeerPidfd) {
            Ok(handle) => handle,
            // Linux before 6.5 does not give it out.
            Err(nix::errno::Errno::ENOPROTOOPT) => {
                pidfd_open(process, PidfdFlags::empty()).map_err(io::Error::from)?
            }
            Err(error) => return Err(io::Error::from(error).into()),
        };
        let peer = Self { pid, handle };
        peer.check_is_there()?;
        Ok(peer)
    }

    /// The process with this number is still the one at the other end.
    fn check_is_there(&self) -> Result<(), NotHeard> {
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", self.handle.as_raw_fd()))?;
        let pid = info.lines().find_map(|line| line.strip_prefix("Pid:")?.trim().parse().ok());
        if pid == Some(self.pid) { Ok(()) } else { Err(io::Error::other("it has ended").into()) }
    }
}

/// Whether the process may be what the program that `client` is has started: an agent works in there.
///
/// What that has started has it among its parents, or has lost the parents that it had. Then it has become the child of a
/// process above the client which takes in what others leave: the first process, or one that is put in charge of a
/// session, as systemd's is. What a person opens is also below these, but it began before the client did, belongs to
/// another user (as a login does), or was put into another control group than the client is in.
fn check_against_client(lineage: &[Relative], client: u32) -> Result<(), NotHeard> {
    let Ok(clients) = lineage_of(client) else { return Ok(()) };
    let above = |process: &Relative| clients.iter().any(|of| of.pid == process.pid);
    // The client itself, or who has started it.
    if lineage.first().is_some_and(above) {
        return Ok(());
    }
    let Some(meeting) = lineage.iter().skip(1).position(above) else { return Ok(()) };
    let [branch, met, ..] = lineage.get(meeting..).unwrap_or_default() else { return Ok(()) };
    let (Some(peer), Some(began)) = (lineage.first(), clients.first().and_then(|client| client.stat)) else {
        return Ok(());
    };
    // An editor may be the client of a gateway too, and starts its backend itself.
    if branch.pid == peer.pid && is_backend(peer.pid) {
        return Ok(());
    }
    if met.pid == client {
        return Err(NotHeard::Agent);
    }
    let later = branch.stat.is_none_or(|stat| stat.began >= began.began);
    let group = control_group(branch.pid);
    let adopts = met.pid == 1 || control_group(met.pid) != group;
    let orphan =
        later && adopts && group == control_group(client) && real_user(branch.pid) == real_user(peer.pid);
    if orphan { Err(NotHeard::Orphan) } else { Ok(()) }
}

/// Whether the process is mayi as the backend of an editor, which lets nobody answer but whom it has looked at itself: the
/// program that this process is, or another file with the same in it, as an extension brings one along.
fn is_backend(pid: u32) -> bool {
    let line = fs::read(proc_folder(pid).join("cmdline")).unwrap_or_default();
    if line.split(|byte| *byte == 0).nth(1) != Some(b"serve") {
        return false;
    }
    let (own, other) = (Path::new("/proc/self/exe"), proc_folder(pid).join("exe"));
    let same_file = || Some(file_id(own).ok()? == file_id(&other).ok()?);
    same_file() == Some(true) || have_same_bytes(own, &other).unwrap_or(false)
}

fn have_same_bytes(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (File::open(one)?, File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let count = left.len().min(right.len());
        if left.get(..count) != right.get(..count) {
            return Ok(false);
        }
        if count == 0 {
            return Ok(left.len() == right.len());
        }
        one.consume(count);
        other.consume(count);
    }
}

/// The control groups that a process is in. `None` where that can't be told, as of all.
fn control_group(pid: u32) -> Option<Vec<u8>> {
    fs::read(proc_folder(pid).join("cgroup")).ok()
}

fn file_id(path: &Path) -> io::Result<(u64, u64)> {
    path.metadata().map(|file| (file.dev(), file.ino()))
}
