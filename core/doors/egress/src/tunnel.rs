//! A CONNECT: allowed and reached before it is answered, then bytes either way, of which the first have to name the host.

use std::io::{self, Cursor};
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy, join, split};
use tokio::net::TcpStream;

use crate::client::Known;
use crate::connection::{Connection, Refused, serve_within};
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
    /// It begins with these bytes, of requests over plain HTTP.
    Requests(Vec<u8>),
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Self {
        Self::Broken
    }
}

/// How carrying a tunnel's bytes ended.
enum Carried<S> {
    Ended,
    Refused(Reason, String),
    /// Requests over plain HTTP, still to be answered.
    Requests(S),
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
        let carried = tokio::select! {
            () = client.ended.cancelled() => return opened.end(End::Withdrawn),
            () = connection.traffic.idle(connection.shared.limits.idle) => return opened.end(End::Idle),
            carried = carry(upgrade, stream, &opened.wish, terms) => carried,
        };
        match carried {
            Carried::Ended => opened.end(End::Closed),
            Carried::Refused(reason, words) => opened.refuse(reason, words),
            Carried::Requests(requests) => {
                let wish = Arc::clone(&opened.wish);
                // Each request is reached, and told of, by itself.
                opened.end(End::Closed);
                tokio::select! {
                    () = client.ended.cancelled() => {}
                    () = connection.traffic.idle(connection.shared.limits.idle) => {}
                    () = serve_within(requests, &connection, &client, &wish) => {}
                }
            }
        }
    });
    Ok(Response::new(empty()))
}

/// Carries bytes until both sides have ended, or one is broken. What turns out to be requests over plain HTTP is given back.
async fn carry(
    upgrade: OnUpgrade,
    stream: Counted<TcpStream>,
    wish: &Wish,
    terms: Terms,
) -> Carried<impl AsyncRead + AsyncWrite + Unpin + use<>> {
    let Ok(upgraded) = upgrade.await else { return Carried::Ended };
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
    match tokio::try_join!(up, down) {
        Ok(_) | Err(Stop::Broken) => Carried::Ended,
        Err(Stop::Requests(bytes)) => {
            Carried::Requests(join(Cursor::new(bytes).chain(from_client), to_client))
        }
        Err(Stop::Refused(reason, words)) => {
            if matches!(reason, Reason::OtherName(_)) {
                let telling = async {
                    to_client.write_all(ACCESS_DENIED).await?;
                    to_client.shutdown().await
                };
                // Nobody has to listen.
                let _ = tokio::time::timeout(TELLING, telling).await;
            }
            Carried::Refused(reason, words)
        }
    }
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
        Beginning::Other | Beginning::Request if terms.raw => Ok(bytes),
        Beginning::Request => Err(Stop::Requests(bytes)),
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
