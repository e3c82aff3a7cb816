//! What happened, for the record.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use crate::address::AddressKind;
use crate::judge::Wish;

/// What happened to a connection or a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A wish was allowed, and its host reached.
    Opened {
        /// Which connection this is: the same number as in its `Ended`, and no other's in this proxy.
        connection: u64,
        /// What was wanted.
        wish: Arc<Wish>,
        /// Where that is.
        address: SocketAddr,
    },
    /// Something was refused.
    Refused {
        /// Who asked. Nobody knows of a wrong secret.
        command: Option<Arc<str>>,
        /// What was wanted, if it was understood.
        wish: Option<Arc<Wish>>,
        /// Why.
        reason: Reason,
        /// What the command was told, or would have been: inside of a tunnel nothing can be said.
        words: String,
    },
    /// What was opened has ended.
    Ended {
        /// The number of its `Opened`.
        connection: u64,
        /// What was wanted.
        wish: Arc<Wish>,
        /// Bytes that were sent to the host.
        sent: u64,
        /// Bytes that the host sent.
        received: u64,
        /// How.
        end: End,
    },
}

/// Why something was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A secret that belongs to no command. A request without any is not told of: many programs begin with one.
    WrongSecret,
    /// No request to a proxy that could be understood.
    Malformed,
    /// The judge said so.
    Denied,
    /// Nobody has answered in time.
    NoAnswer,
    /// Its name has no address, or none was found in time.
    Unresolved,
    /// Its name leads to an address that was not named.
    Address(IpAddr, AddressKind),
    /// No address of it could be reached.
    Unreachable,
    /// The TLS connection names another host than was allowed, or none.
    OtherName(Option<String>),
    /// What was sent is not TLS.
    NotTls,
    /// It asks for what this proxy does not do.
    Unsupported,
    /// Too much at once.
    TooMany,
    /// The host answered with what is not HTTP.
    BadAnswer,
}

/// How something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By either side, or a broken connection.
    Closed,
    /// Nothing was sent either way for too long.
    Idle,
    /// The command's registration was taken back, or the proxy shut down.
    Withdrawn,
    /// It was refused after it had been opened, which its `Refused` says.
    Refused,
}

/// Takes what happens.
pub trait Observe: Send + Sync + 'static {
    /// Takes `event`. It is called from tasks that carry others' bytes: what takes long belongs elsewhere.
    fn observe(&self, event: Event);
}
