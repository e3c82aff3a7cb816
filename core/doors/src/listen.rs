//! Connections of clients: so many at a time, each within bounds, and room for those who are known. The same for the doors
//! that listen for HTTP.

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OnceCell, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::task::SpawnBoxed as _;
use crate::unknown_connections::{UnknownConnection, UnknownConnections};

/// The head of a request has to be there in this time, and a connection without a request is closed after it.
const HEAD: Duration = Duration::from_secs(60);
/// The most headers of a request.
const HEADERS: usize = 100;
/// The longest head of a request.
const HEAD_BYTES: usize = 64 * 1024;
/// When a listener fails, such as for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// The most connections besides that are only told that all places are taken, and how long one of them has for its request.
const TURNED_AWAY: usize = 64;
const TURNING_AWAY: Duration = Duration::from_secs(5);
/// The longest request that is read for that, in bytes.
const MOST_READ_AWAY: usize = 4 * 1024 * 1024;
/// When whoever found all places taken may come back, in seconds: the value of `Retry-After`.
pub const RETRY_AFTER: &str = "1";
/// How long answers that are on their way may take in the end.
const GRACE: Duration = Duration::from_secs(2);

/// Who is at the other end of a connection.
#[derive(Debug)]
pub struct ClientConnection {
    /// This end.
    pub local: SocketAddr,
    /// The other end.
    pub peer: SocketAddr,
    /// It has shown who it is, or makes room for others.
    pub stranger: UnknownConnection,
    /// Whether it is within an agent, once somebody has looked.
    pub within: OnceCell<bool>,
}

/// Gives the requests of `listener`'s connections, of which there are `places`, to `handle`, until `shutdown` is there. Answers
/// that are on their way then have a moment to end. A request for which there is no place is answered with `busy`, which
/// should be a 503 with [`RETRY_AFTER`]; more of them than can be answered wait to be accepted.
pub async fn serve_requests<H, F, B>(
    listener: TcpListener,
    places: usize,
    (handle, busy): (H, fn() -> Response<B>),
    shutdown: impl Future<Output = ()> + Send,
) where
    H: Fn(Request<Incoming>, Arc<ClientConnection>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let closing = CancellationToken::new();
    let connections = TaskTracker::new();
    let (places, doorway) = (Arc::new(Semaphore::new(places)), Arc::new(Semaphore::new(TURNED_AWAY)));
    let strangers = Arc::<UnknownConnections>::default();
    let accepting = async {
        loop {
            // Either is given back sooner or later, and none is ever closed.
            let (place, inside) = tokio::select! {
                biased;
                place = Arc::clone(&places).acquire_owned() => (place, true),
                place = Arc::clone(&doorway).acquire_owned() => (place, false),
            };
            match listener.accept().await {
                Ok((connection, peer)) => {
                    // Another one may have gone meanwhile.
                    let free = if inside { None } else { Arc::clone(&places).try_acquire_owned().ok() };
                    let inside = inside || free.is_some();
                    let place = free.map_or(place, Ok);
                    let (handle, closing) = (handle.clone(), closing.clone());
                    let strangers = Arc::clone(&strangers);
                    connections.spawn_boxed(async move {
                        if inside {
                            serve_connection(connection, peer, (handle, busy), &strangers, closing).await;
                        } else {
                            turn_away(connection, busy).await;
                        }
                        drop(place);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "can't take a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    };
    tokio::select! {
        () = accepting => {}
        () = shutdown => {}
    }
    closing.cancel();
    connections.close();
    let _ = tokio::time::timeout(GRACE, connections.wait()).await;
}

/// Answers one request with `busy`.
async fn turn_away<B>(connection: TcpStream, busy: fn() -> Response<B>)
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let _ = connection.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| async move {
        read_away(request.into_body()).await;
        Ok::<_, Infallible>(busy())
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).keep_alive(false).max_headers(HEADERS).max_buf_size(HEAD_BYTES);
    let _ =
        tokio::time::timeout(TURNING_AWAY, http.serve_connection(TokioIo::new(connection), service)).await;
}

/// Reads what a client sends before it reads itself: a connection that is closed with something unread in it is reset, and the
/// client would lose its answer.
async fn read_away(mut body: Incoming) {
    let mut length = 0;
    while let Some(Ok(frame)) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        length += frame.data_ref().map_or(0, |data| data.len());
        if length > MOST_READ_AWAY {
            return;
        }
    }
}

async fn serve_connection<H, F, B>(
    connection: TcpStream,
    peer: SocketAddr,
    (handle, busy): (H, fn() -> Response<B>),
    strangers: &Arc<UnknownConnections>,
    closing: CancellationToken,
) where
    H: Fn(Request<Incoming>, Arc<ClientConnection>) -> F + Send + Sync + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let _ = connection.set_nodelay(true);
    let Ok(local) = connection.local_addr() else { return };
    let (stranger, mut evicted) = strangers.admit();
    let visitor = Arc::new(ClientConnection { local, peer, stranger, within: OnceCell::new() });
    let (making_room, asking) = (CancellationToken::new(), Arc::new(AtomicBool::new(false)));
    let (evicting, answering) = (making_room.clone(), Arc::clone(&asking));
    let client = Arc::clone(&visitor);
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = handle(request, Arc::clone(&client));
        let (evicting, answering) = (evicting.clone(), Arc::clone(&answering));
        async move {
            answering.store(true, Ordering::Relaxed);
            // Whoever has sent a whole head hears that it may come back.
            let answer = evicting.run_until_cancelled(answer).await.unwrap_or_else(busy);
            answering.store(false, Ordering::Relaxed);
            Ok::<_, Infallible>(answer)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_headers(HEADERS).max_buf_size(HEAD_BYTES);
    let serving = http.serve_connection(TokioIo::new(connection), service);
    tokio::pin!(serving);
    let mut stranger = true;
    let done = loop {
        tokio::select! {
            // What has come is read first: on a busy machine it may have waited for as long as a stranger may.
            biased;
            done = serving.as_mut() => break done,
            out = &mut evicted, if stranger => match out {
                Ok(()) if visitor.stranger.is_known() => {
                    stranger = false;
                    continue;
                }
                // It has said nothing whole: there is nothing to answer.
                Ok(()) if !asking.load(Ordering::Relaxed) => return,
                Ok(()) => making_room.cancel(),
                Err(_) => {
                    stranger = false;
                    continue;
                }
            },
            () = closing.cancelled() => {}
        }
        serving.as_mut().graceful_shutdown();
        match tokio::time::timeout(GRACE, serving).await {
            Ok(done) => break done,
            Err(_) => return,
        }
    };
    if let Err(error) = done {
        tracing::debug!(%error, "a connection broke");
    }
}
