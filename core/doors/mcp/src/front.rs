//! Where a client meets the gateway, whatever carries the messages.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::frame::Frame;

/// A request of a client's while it waits for its response: given out by the front, unique in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestKey(pub u64);

impl RequestKey {
    /// The next one.
    #[must_use]
    pub fn next() -> Self {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        Self(NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
    }
}

/// What goes to a client.
pub trait Client: Send + Sync {
    /// Sends `frame`. `about` is the request that it answers or belongs to, where that is known: a front with
    /// several streams sends it there. A response always has it. Never blocks; what can't be sent is dropped,
    /// since the client is gone.
    fn send(&self, frame: Frame, about: Option<RequestKey>);

    /// Nothing is sent about this request any more, and no response either: it was cancelled.
    fn forget_request(&self, _: RequestKey) {}
}

/// Whose requests one conversation has. On a connection, what a client speaks may differ from request to request: that is
/// the request's era, and says nothing of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientCount {
    /// One client's: those of a connection, or of a session that `initialize` began.
    One,
    /// Perhaps of several clients with the same credential, which know nothing of each other: requests over HTTP that stand
    /// for themselves (2026-07-28).
    Several,
}

/// Who is at the other end, as far as the front itself knows it: what request state is bound to. Never what the
/// client says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller(pub String);

/// What comes from a client.
pub trait Conversation: Send + Sync {
    /// Takes a message. `key` is given for requests and only for them. Never blocks.
    fn receive(&self, frame: Frame, key: Option<RequestKey>);

    /// The client does not wait for this request any more: as if it had been cancelled.
    fn abandon_request(&self, key: RequestKey);

    /// Returns once every request has its response: what a client asked for before it went away is still answered. Whoever
    /// waits for it sets a limit, since a person may be asked about some of it.
    fn wait_until_drained(&self) -> BoxFuture<'static, ()>;

    /// The client is gone. Nothing is sent to it from now on.
    fn close(&self);
}

/// The gateway, as fronts see it.
pub trait Gateway: Send + Sync {
    /// A client has come.
    fn open(&self, client: Arc<dyn Client>, caller: Caller, clients: ClientCount) -> Arc<dyn Conversation>;
}
