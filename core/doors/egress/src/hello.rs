//! The first bytes of a tunnel: whether they are TLS, and which host they name.

use std::io;
use std::time::Duration;

use rustls::server::Acceptor;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// What a tunnel begins with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// Nothing: it was closed.
    Nothing,
    /// A TLS connection to the host of this name, if it names one.
    Tls(Option<String>),
    /// What begins as TLS and can't be read as such.
    Unreadable,
    /// A request over plain HTTP.
    Request,
    /// Something else.
    Other,
}

/// The type of a TLS record with a handshake message.
const HANDSHAKE: u8 = 0x16;
/// How a request begins: some clients have a tunnel made for plain HTTP too.
const METHODS: &[&[u8]] = &[b"GET ", b"HEAD ", b"POST ", b"PUT ", b"PATCH ", b"DELETE ", b"OPTIONS "];

/// Reads the beginning of a tunnel, and gives its bytes along. `time` is how long it may take: from now on, or where
/// `may_wait`, from its first byte on.
pub(crate) async fn read_beginning(
    from: &mut (impl AsyncRead + Unpin),
    time: Duration,
    may_wait: bool,
) -> io::Result<(Beginning, Vec<u8>)> {
    let mut bytes = Vec::with_capacity(4096);
    let first = from.read_buf(&mut bytes);
    let read =
        if may_wait { first.await? } else { tokio::time::timeout(time, first).await.unwrap_or(Ok(0))? };
    if read == 0 {
        return Ok((Beginning::Nothing, bytes));
    }
    if bytes.first() != Some(&HANDSHAKE) {
        let is_request = METHODS.iter().any(|method| bytes.starts_with(method));
        return Ok((if is_request { Beginning::Request } else { Beginning::Other }, bytes));
    }
    let in_time = tokio::time::timeout(time, read_hello(from, &mut bytes)).await;
    Ok((in_time.unwrap_or(Ok(Beginning::Unreadable))?, bytes))
}

/// How much of a hello is read is rustls's bound, which takes no longer message than servers do, in whatever records.
async fn read_hello(from: &mut (impl AsyncRead + Unpin), bytes: &mut Vec<u8>) -> io::Result<Beginning> {
    let mut acceptor = Acceptor::default();
    let mut fed = 0;
    loop {
        let mut new = bytes.get(fed..).unwrap_or_default();
        while !new.is_empty() {
            if acceptor.read_tls(&mut new).is_err() {
                return Ok(Beginning::Unreadable);
            }
            match acceptor.accept() {
                Ok(None) => {}
                Ok(Some(accepted)) => {
                    let name = accepted.client_hello().server_name().map(str::to_ascii_lowercase);
                    return Ok(Beginning::Tls(name));
                }
                Err(_) => return Ok(Beginning::Unreadable),
            }
        }
        fed = bytes.len();
        if from.read_buf(bytes).await? == 0 {
            return Ok(Beginning::Unreadable);
        }
    }
}
