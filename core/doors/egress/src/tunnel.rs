//! A CONNECT: allowed and reached before it is answered, then bytes either way, of which the first have to name the host.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWriteExt as _, copy, split};
use tokio::net::TcpStream;

use crate::client::Known;
use crate::connection::{Connection, Refused};
use crate::event::{End, Reason};
use crate::hello::{Beginning, read_beginning};
use crate::judge::Wish;
use crate::opened::Opened;
use crate::reply::{Body, Refusal, empty, not_tls, other_name};
use crate::traffic::Counted;

/// A fatal alert of TLS, `access_denied`: the one way to tell a program within a tunnel.
const ACCESS_DENIED: &[u8] = &[0x15, 3, 3, 0, 2, 2, 49];
/// How long telling it may take.
const TELLING: Duration = Duration::from_secs(1);

/// How a tunnel may be used.
#[derive(Clone, Copy)]
struct Terms {
    /// For something other than TLS too.
    raw: bool,
    /// How long the beginning may take.
    hello: Duration,
}

/// Why a tunnel stops.
enum Stop {
    Broken,
    Refused(Reason, String),
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Self {
        Self::Broken
    }
}

/// Asks, dials, and answers with 200.
pub(crate) async fn open(
    connection: &Arc<Connection>,
    client: &Arc<Known>,
    wish: &Arc<Wish>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Refused> {
    let shared = &connection.shared;
    let allowance = connection.decide(client, wish).await?;
    let dialled = shared.dialler.dial(client, &wish.host, wish.port, allowance.own_addresses).await;
    let (stream, address) = dialled.map_err(|why| Refusal::not_reached(wish, why).about(wish))?;
    let (stream, traffic) = Counted::new(stream);
    let opened = Opened::new((shared, client), wish, address, traffic);
    let terms = Terms { raw: allowance.raw, hello: shared.limits.hello };
    let upgrade = hyper::upgrade::on(request);
    // The connection keeps its places for as long as the tunnel lasts.
    let (connection, client) = (Arc::clone(connection), Arc::clone(client));
    shared.tasks.spawn(async move {
        let traffic = Arc::clone(&opened.traffic);
        let stop = tokio::select! {
            () = client.ended.cancelled() => return opened.end(End::Withdrawn),
            () = traffic.idle(connection.shared.limits.idle) => return opened.end(End::Idle),
            stop = carry(upgrade, stream, &opened.wish, terms) => stop,
        };
        match stop {
            Ok(()) | Err(Stop::Broken) => opened.end(End::Closed),
            Err(Stop::Refused(reason, words)) => opened.refuse(reason, words),
        }
    });
    Ok(Response::new(empty()))
}

/// Carries bytes until both sides have ended, or one is broken.
async fn carry(
    upgrade: OnUpgrade,
    stream: Counted<TcpStream>,
    wish: &Wish,
    terms: Terms,
) -> Result<(), Stop> {
    let upgraded = upgrade.await.map_err(|_| Stop::Broken)?;
    let (mut from_client, mut to_client) = split(TokioIo::new(upgraded));
    let (mut from_host, mut to_host) = split(stream);
    let up = async {
        let beginning = checked_beginning(&mut from_client, wish, terms).await?;
        to_host.write_all(&beginning).await?;
        drop(beginning);
        copy(&mut from_client, &mut to_host).await?;
        Ok::<(), Stop>(to_host.shutdown().await?)
    };
    let down = async {
        copy(&mut from_host, &mut to_client).await?;
        Ok::<(), Stop>(to_client.shutdown().await?)
    };
    let stopped = tokio::try_join!(up, down);
    if let Err(Stop::Refused(Reason::OtherName(_), _)) = &stopped {
        let telling = async {
            to_client.write_all(ACCESS_DENIED).await?;
            to_client.shutdown().await
        };
        // Nobody has to listen.
        let _ = tokio::time::timeout(TELLING, telling).await;
    }
    stopped.map(|_| ())
}

/// The first bytes, if they may be sent on.
async fn checked_beginning(
    from: &mut (impl AsyncRead + Unpin),
    wish: &Wish,
    terms: Terms,
) -> Result<Vec<u8>, Stop> {
    let (beginning, bytes) = read_beginning(from, terms.hello, terms.raw).await?;
    match beginning {
        Beginning::Tls(named) if names(named.as_deref(), &wish.host) => Ok(bytes),
        Beginning::Tls(named) => {
            let words = other_name(wish, named.as_deref());
            Err(Stop::Refused(Reason::OtherName(named), words))
        }
        Beginning::Other if terms.raw => Ok(bytes),
        Beginning::Other | Beginning::Unreadable => Err(Stop::Refused(Reason::NotTls, not_tls(wish))),
        // The other side may have more to say to who has nothing to send.
        Beginning::Nothing if terms.raw => Ok(bytes),
        Beginning::Nothing => Err(Stop::Broken),
    }
}

/// Whether a TLS connection that names `named` is one to `host`. To an address none is named.
fn names(named: Option<&str>, host: &str) -> bool {
    let is_address = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
    match named {
        Some(name) => !is_address && name.trim_end_matches('.') == host,
        None => is_address,
    }
}
