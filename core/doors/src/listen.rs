//! Connections of clients: so many at a time, each within bounds, and room for those who are known. The same for the doors
//! that listen for HTTP.

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
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
/// that are on their way then have a moment to end.
pub async fn serve_requests<H, F, B>(
    listener: TcpListener,
    places: usize,
    handle: H,
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
    let places = Arc::new(Semaphore::new(places));
    let strangers = Arc::<UnknownConnections>::default();
    let accepting = async {
        loop {
            match listener.accept().await {
                Ok((connection, peer)) => {
                    // Closed at once where those who are known take all places.
                    let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
                    let (handle, closing) = (handle.clone(), closing.clone());
                    let strangers = Arc::clone(&strangers);
                    connections.spawn_boxed(async move {
                        serve_connection(connection, peer, handle, &strangers, closing).await;
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

async fn serve_connection<H, F, B>(
    connection: TcpStream,
    peer: SocketAddr,
    handle: H,
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
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = handle(request, Arc::clone(&visitor));
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_headers(HEADERS).max_buf_size(HEAD_BYTES);
    let serving = http.serve_connection(TokioIo::new(connection), service);
    tokio::pin!(serving);
    let mut stranger = true;
    let done = loop {
        tokio::select! {
            done = serving.as_mut() => break done,
            out = &mut evicted, if stranger => match out {
                Ok(()) => return,
                Err(_) => stranger = false,
            },
            () = closing.cancelled() => {
                serving.as_mut().graceful_shutdown();
                match tokio::time::timeout(GRACE, serving).await {
                    Ok(done) => break done,
                    Err(_) => return,
                }
            }
        }
    };
    if let Err(error) = done {
        tracing::debug!(%error, "a connection broke");
    }
}
