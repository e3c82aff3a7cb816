//! Connections: so many at a time, each within bounds.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use mayi_doors::strangers::{Stranger, Strangers};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::HttpOptions;
use super::serve::Front;
use crate::Gateway;

/// The head of a request has to be there in this time, and a connection without a request is closed after it.
const HEAD: Duration = Duration::from_secs(60);
/// The most headers of a request.
const HEADERS: usize = 100;
/// The longest head of a request.
const HEAD_BYTES: usize = 64 * 1024;
/// When a listener fails, such as for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// How often sessions are looked at.
const SWEEP: Duration = Duration::from_secs(30);
/// How long answers that are on their way may take in the end.
const GRACE: Duration = Duration::from_secs(2);

/// Serves `gateway` at `/mcp` of `listener`, until `shutdown` is there.
pub async fn serve(
    listener: TcpListener,
    gateway: Arc<dyn Gateway>,
    options: HttpOptions,
    shutdown: impl Future<Output = ()> + Send,
) {
    let front = Arc::new(Front::new(gateway, options));
    let closing = CancellationToken::new();
    let connections = TaskTracker::new();
    let places = Arc::new(Semaphore::new(front.options().connections));
    let strangers = Arc::<Strangers>::default();
    let accepting = async {
        loop {
            match listener.accept().await {
                Ok((connection, _)) => {
                    // Closed at once where those who are known take all places.
                    let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
                    let (front, closing) = (Arc::clone(&front), closing.clone());
                    let strangers = Arc::clone(&strangers);
                    connections.spawn(async move {
                        connected(connection, front, &strangers, closing).await;
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
    let sweeping = async {
        let mut ticks = tokio::time::interval(SWEEP);
        loop {
            ticks.tick().await;
            front.sessions.sweep(Instant::now(), front.options().idle);
        }
    };
    tokio::select! {
        () = accepting => {}
        () = sweeping => {}
        () = shutdown => {}
    }
    front.close();
    closing.cancel();
    connections.close();
    let _ = tokio::time::timeout(GRACE, connections.wait()).await;
}

async fn connected(
    connection: TcpStream,
    front: Arc<Front>,
    strangers: &Arc<Strangers>,
    closing: CancellationToken,
) {
    let _ = connection.set_nodelay(true);
    let (stranger, mut evicted) = strangers.enter();
    let stranger = Arc::new(stranger);
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let (front, stranger): (_, Arc<Stranger>) = (Arc::clone(&front), Arc::clone(&stranger));
        async move { Ok::<_, Infallible>(front.handle(request.map(Body::new), &stranger).await) }
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
