//! How the listener of a command's network comes out of it: over a pair of sockets, before the command is started.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::thread;

use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType, recvmsg,
    socketpair,
};

use crate::{PROXY, TakeListener};

/// Both ends, and who takes what comes out.
pub(super) struct Outlet {
    own: OwnedFd,
    stage: OwnedFd,
    take: TakeListener,
}

impl std::fmt::Debug for Outlet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outlet").field("own", &self.own).field("stage", &self.stage).finish_non_exhaustive()
    }
}

impl Outlet {
    pub(super) fn open(take: TakeListener) -> io::Result<Self> {
        let (own, stage) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        // The stage's end is inherited.
        fcntl_setfd(&stage, FdFlags::empty())?;
        Ok(Self { own, stage, take })
    }

    /// The number of the stage's end.
    pub(super) fn number(&self) -> RawFd {
        self.stage.as_raw_fd()
    }

    /// Waits in a thread for what comes out, until what is returned is dropped and the stage has ended.
    pub(super) fn wait(self) -> OwnedFd {
        let Self { own, stage, take } = self;
        thread::spawn(move || {
            if let Ok(Some(listener)) = receive(&own) {
                take(TcpListener::from(listener));
            }
        });
        stage
    }
}

fn receive(own: &OwnedFd) -> io::Result<Option<OwnedFd>> {
    let (mut byte, mut space) = ([0], [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))]);
    let mut space = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    rustix::io::retry_on_intr(|| recvmsg(own, &mut [IoSliceMut::new(&mut byte)], &mut space, flags))?;
    let mut sent = space.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut sent) => sent.next(),
        _ => None,
    });
    Ok(sent.next())
}

/// Listens in the network of this process, and hands that out by the descriptor `number`, which is closed.
pub(super) fn hand_out(number: RawFd) -> io::Result<()> {
    let listener = TcpListener::bind(PROXY)?;
    let sent = sendmsg::<()>(
        number,
        &[IoSlice::new(&[0])],
        &[ControlMessage::ScmRights(&[listener.as_raw_fd()])],
        MsgFlags::empty(),
        None,
    );
    nix::unistd::close(number)?;
    sent?;
    Ok(())
}
