//! How a relay reaches the process that its servers are children of: a socket in a folder of the user's own, or, where there
//! are no such sockets, an address of this machine. Either way the credential decides who is in.

pub(super) use own::{Listener, ReadHalf, WriteHalf, connect};

#[cfg(unix)]
mod own {
    use std::io;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    use tokio::net::UnixListener;
    use tokio::net::UnixStream as Stream;
    pub(crate) use tokio::net::unix::{OwnedReadHalf as ReadHalf, OwnedWriteHalf as WriteHalf};

    /// Where relays come in. The folder goes with it.
    pub(crate) struct Listener {
        socket: UnixListener,
        path: PathBuf,
        _folder: tempfile::TempDir,
    }

    impl Listener {
        /// Begins to listen.
        ///
        /// # Errors
        /// If no folder or socket can be made.
        pub(crate) fn bind() -> io::Result<Self> {
            let runtime =
                std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|at| at.is_absolute());
            // One that is not there, or too long for a socket's name, is no reason to go without.
            let own = runtime.and_then(|at| Self::bind_in(&at).ok());
            own.map_or_else(|| Self::bind_in(&std::env::temp_dir()), Ok)
        }

        fn bind_in(place: &Path) -> io::Result<Self> {
            // Only the user can look into it, whatever the umask.
            let only_mine = std::fs::Permissions::from_mode(0o700);
            let folder = tempfile::Builder::new().prefix("mayi-").permissions(only_mine).tempdir_in(place)?;
            let path = folder.path().join("relay");
            let socket = UnixListener::bind(&path)?;
            Ok(Self { socket, path, _folder: folder })
        }

        /// What a relay is told to go to.
        pub(crate) fn address(&self) -> String {
            self.path.to_string_lossy().into_owned()
        }

        /// The next one that comes.
        ///
        /// # Errors
        /// If none can come any more.
        pub(crate) async fn accept(&self) -> io::Result<(ReadHalf, WriteHalf)> {
            self.socket.accept().await.map(|(stream, _)| stream.into_split())
        }
    }

    /// Goes to an address that a [`Listener`] gave.
    ///
    /// # Errors
    /// If nobody listens there.
    pub(crate) async fn connect(address: &str) -> io::Result<(ReadHalf, WriteHalf)> {
        Stream::connect(address).await.map(Stream::into_split)
    }
}

#[cfg(not(unix))]
mod own {
    use std::io;

    use tokio::net::TcpListener;
    use tokio::net::TcpStream as Stream;
    pub(crate) use tokio::net::tcp::{OwnedReadHalf as ReadHalf, OwnedWriteHalf as WriteHalf};

    pub(crate) struct Listener {
        socket: TcpListener,
        address: String,
    }

    impl Listener {
        pub(crate) fn bind() -> io::Result<Self> {
            let socket = std::net::TcpListener::bind("127.0.0.1:0")?;
            socket.set_nonblocking(true)?;
            let address = socket.local_addr()?.to_string();
            Ok(Self { socket: TcpListener::from_std(socket)?, address })
        }

        pub(crate) fn address(&self) -> String {
            self.address.clone()
        }

        pub(crate) async fn accept(&self) -> io::Result<(ReadHalf, WriteHalf)> {
            self.socket.accept().await.map(|(stream, _)| stream.into_split())
        }
    }

    pub(crate) async fn connect(address: &str) -> io::Result<(ReadHalf, WriteHalf)> {
        Stream::connect(address).await.map(Stream::into_split)
    }
}
