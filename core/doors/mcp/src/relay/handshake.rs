//! What is said between a relay and the process that it belongs to, before anything else: the credential, and whether it is
//! good. One line each way; what follows are MCP's own messages.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// So long may the first line take.
const WITHIN: Duration = Duration::from_secs(10);

/// The longest that it may be.
const LONGEST: u64 = 1024;

/// Who comes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// What it was given: good for one server of one session.
    pub(super) token: String,
}

/// Whether it may.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Welcome {
    /// What follows goes to the server.
    Open,
    /// It may not, and why: one line.
    Refused(String),
}

/// Says the first line.
///
/// # Errors
/// If the other end is gone.
pub(super) async fn write_first_line<W: AsyncWrite + Unpin>(
    to: &mut W,
    what: &impl Serialize,
) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    to.write_all(&line).await?;
    to.flush().await
}

/// Hears the first line; `None` if there is none that can be read, in time.
pub(super) async fn read_first_line<T, R>(from: &mut R) -> Option<T>
where
    T: for<'t> Deserialize<'t>,
    R: AsyncBufRead + Unpin,
{
    let mut line = Vec::new();
    let mut bounded = from.take(LONGEST);
    let read = tokio::time::timeout(WITHIN, bounded.read_until(b'\n', &mut line)).await;
    read.ok()?.ok()?;
    serde_json::from_slice(line.strip_suffix(b"\n")?).ok()
}
