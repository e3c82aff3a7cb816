//! Who is at the other end of a socket of this process, as this process sees it: nothing that the other end says of itself
//! counts, nor what it sees (D6.8).

#[cfg(target_os = "linux")]
mod origin;

use std::io;
use std::os::unix::net::UnixStream;

#[cfg(any(target_os = "linux", target_os = "macos"))]
use nix::sys::socket::{getsockopt, sockopt};
use thiserror::Error;

use crate::store::{Owner, Store, StoreError};

/// Why somebody is not listened to.
#[derive(Debug, Error)]
pub(in crate::gate) enum NotHeard {
    /// It is within an agent.
    #[error(
        "an agent can't answer for the person: this was started by one, or by the program that it works in; use a \
         terminal outside of that"
    )]
    Agent,
    /// It was left by whoever started it, after an agent had begun beside it: it may be that agent's.
    #[error(
        "an agent can't answer for the person, and this may be one's: it began after the program that the agent works \
         in, and what started it is gone; use a terminal that was open before, another login, the editor or the page"
    )]
    Orphan,
    /// It is in a namespace of its own.
    #[error(
        "an agent can't answer for the person, and this may be one: it is in another {0} namespace than the process \
         that asks, as in a sandbox or a container; use a terminal outside of that"
    )]
    Apart(&'static str),
    /// Another user.
    #[error("another user can't answer for the person")]
    OtherUser,
    /// It can't be told who it is.
    #[error("it can't be told who answers, and an agent could: {0}")]
    Unknown(#[from] io::Error),
    /// Nor who asks.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The processes of mayi that run an agent, and those that a gateway or a hook works for.
#[derive(Debug, Default)]
pub(super) struct AskingProcesses {
    pub(super) owners: Vec<u32>,
    pub(super) clients: Vec<u32>,
}

impl AskingProcesses {
    /// Those that `store` knows, and `own`: what the store says of this process can't be taken out.
    fn read(store: &dyn Store, own: &Owner) -> Result<Self, StoreError> {
        let mut present = store.present_owners(jiff::Timestamp::now())?;
        present.push(own.clone());
        Ok(Self {
            owners: present.iter().map(|owner| owner.pid).collect(),
            clients: present.iter().filter_map(|owner| owner.client).collect(),
        })
    }
}

/// Looks at who has connected to `own`, which is this process.
///
/// # Errors
/// Why it is not the person, or can't be told to be: then nothing that it says is listened to.
pub(in crate::gate) fn check_answerer(
    stream: &UnixStream,
    store: &dyn Store,
    own: &Owner,
) -> Result<(), NotHeard> {
    let (user, pid) = peer_of(stream)?;
    if user != rustix::process::geteuid().as_raw() {
        return Err(NotHeard::OtherUser);
    }
    let asking = AskingProcesses::read(store, own)?;
    #[cfg(target_os = "linux")]
    return origin::check_origin(stream, pid, &asking);
    #[cfg(not(target_os = "linux"))]
    {
        let all = [asking.owners, asking.clients].concat();
        if super::is_started_by(&all, pid) { Err(NotHeard::Agent) } else { Ok(()) }
    }
}

/// The user and the process that have connected, as the system noted them then. Of a process that this one does not see, the
/// number is 0.
#[cfg(target_os = "linux")]
fn peer_of(stream: &UnixStream) -> io::Result<(u32, u32)> {
    let peer = getsockopt(stream, sockopt::PeerCredentials)?;
    Ok((peer.uid(), peer.pid().unsigned_abs()))
}

#[cfg(target_os = "macos")]
fn peer_of(stream: &UnixStream) -> io::Result<(u32, u32)> {
    let (user, _) = nix::unistd::getpeereid(stream)?;
    Ok((user.as_raw(), getsockopt(stream, sockopt::LocalPeerPid)?.unsigned_abs()))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn peer_of(_: &UnixStream) -> io::Result<(u32, u32)> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
