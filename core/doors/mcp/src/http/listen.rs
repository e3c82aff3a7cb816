//! The gateway at a listener, and what is looked at now and then.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Response, StatusCode};
use mayi_doors::listen::ClientConnection;
use tokio::net::TcpListener;

use super::HttpOptions;
use super::refusal::HttpRefusal;
use super::serve::Front;
use crate::Gateway;

/// How often sessions are looked at.
const SWEEP: Duration = Duration::from_secs(30);

/// Serves `gateway` at `/mcp` of `listener`, until `shutdown` is there.
pub async fn serve(
    listener: TcpListener,
    gateway: Arc<dyn Gateway>,
    options: HttpOptions,
    shutdown: impl Future<Output = ()> + Send,
) {
    let front = Arc::new(Front::new(gateway, options));
    let handling = Arc::clone(&front);
    let handle = move |request: hyper::Request<hyper::body::Incoming>, visitor: Arc<ClientConnection>| {
        let front = Arc::clone(&handling);
        async move { front.serve_request(request.map(Body::new), &visitor.stranger).await }
    };
    let places = front.options().connections;
    let over = async {
        let sweeping = async {
            let mut ticks = tokio::time::interval(SWEEP);
            loop {
                ticks.tick().await;
                front.sessions.end_idle(Instant::now(), front.options().idle);
            }
        };
        tokio::select! {
            () = sweeping => {}
            () = shutdown => {}
        }
        front.close();
    };
    mayi_doors::listen::serve_requests(listener, places, (handle, busy_response), over).await;
}

/// What is said where all places are taken.
fn busy_response() -> Response<Body> {
    let message = "too many clients are connected: come back in a moment";
    HttpRefusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
        .with_header("retry-after", mayi_doors::listen::RETRY_AFTER)
        .into_response()
}
