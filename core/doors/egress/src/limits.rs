//! Bounds: what comes from commands and from hosts is hostile.

use std::time::Duration;

/// The bounds of a proxy.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long a command is kept waiting for an answer. Cargo gives up after 30 seconds.
    pub hold: Duration,
    /// How long an answer that came later is kept for the next try.
    pub late_answer: Duration,
    /// How long a request's head may take, and a connection may be without a request.
    pub head: Duration,
    /// Maximum size of a head, in bytes, either way.
    pub head_bytes: usize,
    /// Maximum number of headers, either way.
    pub headers: usize,
    /// How long the beginning of a TLS connection may take.
    pub hello: Duration,
    /// How long nothing may be sent either way. What is idle is closed after this time, and at most twice this time.
    pub idle: Duration,
    /// How long finding the addresses of a name may take.
    pub lookup: Duration,
    /// How long reaching one address may take.
    pub dial: Duration,
    /// How long reaching any address of a name may take.
    pub dial_all: Duration,
    /// Maximum number of addresses of a name that are tried.
    pub addresses: usize,
    /// Maximum number of connections of one command.
    pub connections_each: usize,
    /// Maximum number of connections of all commands.
    pub connections: usize,
    /// Maximum number of connections that have shown no secret yet: the oldest makes room for a new one.
    pub strangers: usize,
    /// Maximum number of names of one command that are looked up at once.
    pub lookups_each: usize,
    /// Maximum number of names that are looked up at once.
    pub lookups: usize,
    /// Maximum number of questions that one command has open.
    pub questions_each: usize,
    /// Maximum number of answers that are remembered for one command, and for one program.
    pub answers_each: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            hold: Duration::from_secs(25),
            late_answer: Duration::from_secs(10 * 60),
            head: Duration::from_secs(15),
            head_bytes: 64 * 1024,
            headers: 100,
            hello: Duration::from_secs(15),
            idle: Duration::from_secs(15 * 60),
            lookup: Duration::from_secs(10),
            dial: Duration::from_secs(5),
            dial_all: Duration::from_secs(12),
            addresses: 8,
            connections_each: 128,
            connections: 1024,
            strangers: 64,
            lookups_each: 8,
            lookups: 64,
            questions_each: 32,
            answers_each: 256,
        }
    }
}
