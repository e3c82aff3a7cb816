//! What a command wants to reach, and whoever decides about it.

use std::sync::Arc;

use async_trait::async_trait;
use mayi_call::UrlAccess;

/// What a command wants to reach: one connection, or one request over plain HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wish {
    /// The command that asks: [`Client::id`](crate::Client).
    pub command: Arc<str>,
    /// The program that it was registered with, if it was with one.
    pub program: Option<Arc<str>>,
    /// `CONNECT`, or the method of a request over plain HTTP, as it was sent.
    pub method: String,
    /// The host as [`UrlAccess::host`] has it: ASCII (IDNA), lower case, without a dot at the end; an IPv6 address in brackets.
    pub host: String,
    /// The port, which is never 0.
    pub port: u16,
    /// The whole address, if it is a request over plain HTTP; of TLS in a tunnel nothing of it can be seen. Plain HTTP within a
    /// tunnel is asked about twice: as a CONNECT, and request by request.
    pub url: Option<UrlAccess>,
}

/// What becomes of a wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may be reached.
    Allow(Allowance),
    /// It may not.
    Deny {
        /// What the command is told, in a sentence or two. Control characters become blanks, and only the first 1,000 bytes are
        /// sent.
        words: String,
        /// How long that holds.
        lasts: Lasts,
    },
}

/// The terms of an allowed wish. By default: this once, public addresses, TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// How long that holds.
    pub lasts: Lasts,
    /// Whether it was meant that the wish reaches this machine or a private network. A name then may lead to loopback, private
    /// and the machine's own addresses, and an address may be any that can be dialled, also a link-local one or that of a
    /// cloud's metadata.
    pub own_addresses: bool,
    /// Whether a CONNECT may be used for something other than TLS or requests over plain HTTP, such as SSH. What still begins as
    /// TLS has to name the host.
    pub raw: bool,
}

/// How long an answer holds. It is about the same method, host and port, and for plain HTTP the same URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lasts {
    /// For whoever waits for it. If the wait was over before the answer came, for the next try, within
    /// [`Limits::late_answer`](crate::Limits::late_answer).
    #[default]
    Once,
    /// Until the command has ended.
    Command,
    /// As long as the proxy is there, for each command of the same program; for one without a program as long as that command.
    Proxy,
}

/// Decides what may be reached.
#[async_trait]
pub trait Judge: Send + Sync + 'static {
    /// Decides about a wish. It may take as long as a person takes: the command is told after [`Limits::hold`](crate::Limits::hold)
    /// that nobody has answered, and the answer is kept for when it tries again. The future is dropped when every command that
    /// waits for it has ended. Wishes that are the same but for the command, of commands of the same program, are asked about once,
    /// by the first of them.
    async fn judge(&self, wish: &Wish) -> Answer;
}
