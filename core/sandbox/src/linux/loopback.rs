//! A new namespace of networks has a loopback that is down: a test that listens on it would fail.

use std::io;

use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socket_with};

/// `RTM_NEWLINK`, `NLM_F_REQUEST` and `IFF_UP` of `linux/rtnetlink.h`, `linux/netlink.h` and `linux/if.h`.
const NEW_LINK: u16 = 16;
const REQUEST: u16 = 1;
const UP: u32 = 1;

/// The loopback is the first interface of each namespace.
const LOOPBACK: u32 = 1;

/// Brings it up, by one message to the kernel; the kernel's answer is not waited for, since a loopback that stays down is found out by
/// whoever uses it.
pub(super) fn bring_up() -> io::Result<()> {
    // Protocol 0: NETLINK_ROUTE.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    let mut message = Vec::with_capacity(32);
    // struct nlmsghdr: length, type, flags, sequence, port.
    message.extend(32_u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST.to_ne_bytes());
    message.extend([0; 8]);
    // struct ifinfomsg: family, padding, type, index, flags, which flags are meant.
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    send(&socket, &message, SendFlags::empty())?;
    Ok(())
}
