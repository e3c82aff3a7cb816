//! The proxy of confined commands. A command in a network of its own has a loopback and nothing else; a listener of that network
//! is served from outside, and what comes in there is decided host by host, dialled from here, and told of.
//!
//! What may be reached is the caller's to say, as a [`Judge`]: this crate knows neither rules nor people. It holds what was
//! said. A name is looked up once, after it was allowed, and what is dialled is an address that was looked at; a TLS connection
//! has to name the host that was allowed; a request over plain HTTP is for the address that was judged.
//!
//! What stays open: what a TLS connection carries can't be seen, and so neither can another host that its server stands for
//! (a front), a name in an encrypted ClientHello (ECH, whose outer name has to be the allowed one), nor what a server makes of a
//! second ClientHello that it asks for. A host that was allowed is a way out for all that the command can read. Where something
//! other than TLS is allowed, nothing of it is read.

mod address;
mod client;
mod connection;
mod environment;
mod event;
mod forward;
mod headers;
mod hello;
mod judge;
mod limits;
mod memory;
mod opened;
mod proxy;
mod questions;
mod reply;
mod resolve;
mod strangers;
mod target;
mod traffic;
mod tunnel;

pub use address::AddressKind;
pub use client::{AlreadyRegistered, Client, NoRandomBytes};
pub use event::{End, Event, Observe, Reason};
pub use judge::{Allowance, Answer, Judge, Lasts, Wish};
pub use limits::Limits;
pub use proxy::{Proxy, Registration};
pub use resolve::{Resolve, SystemResolver};
