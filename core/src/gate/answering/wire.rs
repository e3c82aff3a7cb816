//! What goes over the socket: a line with a [`Request`], and a line with a [`Reply`].

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use serde::{Deserialize, Serialize};

use crate::approval::{AnswerError, ApprovalResponse};

/// What another process of the user's wants of one that asks.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gate) enum Request {
    /// To answer a question, at the surface `by`.
    Answer { response: Box<ApprovalResponse>, by: String },
    /// To know whether it would be let in.
    Look,
}

/// What became of it. Whoever is not let in hears that before it has said a word.
pub(super) type Reply = Result<(), AnswerError>;

/// How long the name of a socket may be, in bytes: by the system's form of it.
const MAX_PATH: usize = 100;

/// Gives `act` a name for `path` that is short enough for a socket.
pub(super) fn with_short_path<T>(path: &Path, act: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if path.as_os_str().len() <= MAX_PATH {
        return act(path);
    }
    let long = || io::Error::new(ErrorKind::InvalidInput, "the path is too long for a socket");
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        let (folder, name) = path.parent().zip(path.file_name()).ok_or_else(long)?;
        let folder = std::fs::File::open(folder)?;
        act(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
    }
    #[cfg(not(target_os = "linux"))]
    Err(long())
}

/// Asks the process that listens at `path`, and waits for its reply for `limit`. `None`: it does not reply.
///
/// # Errors
/// If nobody listens there.
pub(in crate::gate) fn ask_owner(
    path: &Path,
    request: &Request,
    limit: Duration,
) -> io::Result<Option<Reply>> {
    let mut stream = with_short_path(path, connect_at_once)?;
    stream.set_read_timeout(Some(limit))?;
    stream.set_write_timeout(Some(limit))?;
    let mut text = serde_json::to_vec(request)?;
    text.push(b'\n');
    // One that refuses closes the connection without reading: what it says is there all the same.
    let _ = stream.write_all(&text);
    let mut line = Vec::new();
    let read = BufReader::new(&stream).read_until(b'\n', &mut line);
    Ok(read.ok().and_then(|_| serde_json::from_slice(&line).ok()))
}

/// A process that is stopped, and has been connected to many times, would make others wait for a place.
fn connect_at_once(path: &Path) -> io::Result<UnixStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    Ok(stream)
}
