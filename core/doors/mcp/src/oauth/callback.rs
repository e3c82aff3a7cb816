//! Where the browser comes back to: a page on this machine, for one login.

use std::io;
use std::time::Duration;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::routing::get;
use mayi_doors::task::spawn;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// The last page has to be there in this time.
const LAST: Duration = Duration::from_secs(2);

/// A browser that has come back, and waits for a page.
pub(super) struct BrowserReturn {
    /// What it brought.
    pub(super) query: String,
    /// What it is shown.
    pub(super) page: oneshot::Sender<(StatusCode, &'static str)>,
}

/// The page; it is there until this is dropped.
pub(super) struct Callback {
    /// Its address.
    pub(super) url: String,
    /// Who comes.
    pub(super) returns: mpsc::Receiver<BrowserReturn>,
    stop: CancellationToken,
    server: AbortOnDropHandle<()>,
}

impl Callback {
    /// Ends it, once the browser has its page.
    pub(super) async fn close(self) {
        self.stop.cancel();
        drop(self.returns);
        let _ = tokio::time::timeout(LAST, self.server).await;
    }
}

/// Listens at `port` of loopback; zero is any port (RFC 8252, section 7.3).
pub(super) async fn listen_for_browser(port: u16) -> io::Result<Callback> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let url = format!("http://127.0.0.1:{}/callback", listener.local_addr()?.port());
    let (coming, returns) = mpsc::channel(8);
    let router = Router::new().route("/callback", get(receive_return)).with_state(coming);
    let stop = CancellationToken::new();
    let stopped = stop.clone().cancelled_owned();
    let server = spawn(async move {
        let _ = axum::serve(listener, router).with_graceful_shutdown(stopped).await;
    });
    Ok(Callback { url, returns, stop, server: AbortOnDropHandle::new(server) })
}

async fn receive_return(
    State(coming): State<mpsc::Sender<BrowserReturn>>,
    RawQuery(query): RawQuery,
) -> (StatusCode, &'static str) {
    let over = (StatusCode::GONE, "This login is over. You can close this page.");
    let (page, shown) = oneshot::channel();
    let query = query.unwrap_or_default();
    if coming.send(BrowserReturn { query, page }).await.is_err() {
        return over;
    }
    shown.await.unwrap_or(over)
}
