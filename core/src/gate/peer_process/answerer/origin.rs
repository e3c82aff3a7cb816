//! Where a process comes from, as `/proc` of this process has it.

use std::fs::{self, Metadata};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use nix::sys::socket::{getsockopt, sockopt};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::super::lineage::{Relative, lineage_of};
use super::super::proc_folder;
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
    if branch.pid == peer.pid && is_backend(peer.pid, began.began) {
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

/// Whether the process is mayi as the backend of an editor, which lets nobody answer but whom it has looked at itself. It is
/// the program that this process is, or one of its name that was there before the client began.
fn is_backend(pid: u32, client_began: u64) -> bool {
    let line = fs::read(proc_folder(pid).join("cmdline")).unwrap_or_default();
    if line.split(|byte| *byte == 0).nth(1) != Some(b"serve") {
        return false;
    }
    let (own, other) = (Path::new("/proc/self/exe"), proc_folder(pid).join("exe"));
    let name = |exe: &Path| fs::read_link(exe).ok()?.file_name().map(ToOwned::to_owned);
    let (Ok(own_file), Ok(other_file)) = (own.metadata(), other.metadata()) else { return false };
    let is_older = || age_of_process(client_began).is_some_and(|age| age_of_file(&other_file) > age);
    id(&own_file) == id(&other_file) || name(own).is_some_and(|own| Some(own) == name(&other)) && is_older()
}

/// For how long a process runs that began so many ticks after the system did.
fn age_of_process(began: u64) -> Option<Duration> {
    let text = fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = text.split_whitespace().next()?.parse().ok()?;
    let ticks = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok()??.unsigned_abs();
    let began = Duration::from_millis(began.saturating_mul(1000).checked_div(ticks)?);
    Duration::try_from_secs_f64(uptime).ok()?.checked_sub(began)
}

/// For how long a file is there as it is.
fn age_of_file(file: &Metadata) -> Duration {
    let changed = u64::try_from(file.ctime())
        .ok()
        .and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
    changed.and_then(|changed| changed.elapsed().ok()).unwrap_or_default()
}

/// The control groups that a process is in. `None` where that can't be told, as of all.
fn control_group(pid: u32) -> Option<Vec<u8>> {
    fs::read(proc_folder(pid).join("cgroup")).ok()
}

/// The user that a process belongs to, whoever's rights it has.
fn real_user(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(proc_folder(pid).join("status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Uid:")?.split_whitespace().next()?.parse().ok())
}

fn file_id(path: &Path) -> io::Result<(u64, u64)> {
    path.metadata().map(|file| id(&file))
}

fn id(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}
