//! Standard input and output of a client that has started mayi: read and written without a thread in between, where they
//! are pipes or sockets, as clients make them.

use tokio::io::{AsyncRead, AsyncWrite};

/// What a client writes.
pub(crate) type Input = Box<dyn AsyncRead + Send + Unpin>;

/// What a client reads.
pub(crate) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Both.
pub(crate) fn client_stdio() -> (Input, Output) {
    (
        own::piped_input().unwrap_or_else(|| Box::new(tokio::io::stdin())),
        own::piped_output().unwrap_or_else(|| Box::new(tokio::io::stdout())),
    )
}

#[cfg(unix)]
mod own {
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::net::UnixStream;

    use rustix::fs::FileType;
    use tokio::net::unix::pipe;

    use super::{Input, Output};

    pub(crate) fn piped_input() -> Option<Input> {
        let (kind, fd) = duplicate_fd(std::io::stdin().as_fd())?;
        match kind {
            FileType::Fifo => Some(Box::new(pipe::Receiver::from_owned_fd(fd).ok()?)),
            FileType::Socket => Some(Box::new(tokio_stream(fd)?)),
            _ => None,
        }
    }

    pub(crate) fn piped_output() -> Option<Output> {
        let (kind, fd) = duplicate_fd(std::io::stdout().as_fd())?;
        match kind {
            FileType::Fifo => Some(Box::new(pipe::Sender::from_owned_fd(fd).ok()?)),
            FileType::Socket => Some(Box::new(tokio_stream(fd)?)),
            _ => None,
        }
    }

    fn duplicate_fd(fd: BorrowedFd<'_>) -> Option<(FileType, OwnedFd)> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(fd).ok()?.st_mode);
        Some((kind, fd.try_clone_to_owned().ok()?))
    }

    fn tokio_stream(fd: OwnedFd) -> Option<tokio::net::UnixStream> {
        let stream = UnixStream::from(fd);
        stream.set_nonblocking(true).ok()?;
        tokio::net::UnixStream::from_std(stream).ok()
    }
}

#[cfg(not(unix))]
mod own {
    use super::{Input, Output};

    pub(crate) fn piped_input() -> Option<Input> {
        None
    }

    pub(crate) fn piped_output() -> Option<Output> {
        None
    }
}
