//! A request over plain HTTP: one connection to the host for each, and the framing of both sides made anew.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::{CONTENT_LENGTH, HOST, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri, Version};
use http_body_util::BodyExt as _;
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio_util::task::AbortOnDropHandle;

use crate::client::Known;
use crate::connection::{Connection, Refused};
use crate::headers::{asks_for_websocket, strip_hop_by_hop};
use crate::judge::Wish;
use crate::opened::Opened;
use crate::reply::{Body, Refusal};
use crate::traffic::Counted;

const NO_WEBSOCKET: &str =
    "mayi: a WebSocket over plain HTTP is not passed on. Over TLS (wss) it is asked about as its host.";
const HTTP_PORT: u16 = 80;

/// Asks, dials, and sends the request on.
pub(crate) async fn forward(
    connection: &Arc<Connection>,
    client: &Arc<Known>,
    wish: &Arc<Wish>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Refused> {
    if asks_for_websocket(request.headers()) {
        return Err(Refusal::unsupported(NO_WEBSOCKET).about(wish));
    }
    let shared = &connection.shared;
    let is_head = request.method() == Method::HEAD;
    let request = outgoing(wish, request).map_err(|why| Refusal::malformed(why).about(wish))?;
    let allowance = connection.decide(client, wish).await?;
    let dialled = shared.dialler.dial(client, &wish.host, wish.port, allowance.own_addresses).await;
    let (stream, address) = dialled.map_err(|why| Refusal::not_reached(wish, why).about(wish))?;
    let (stream, traffic) = Counted::new(stream);
    let opened = Opened::new((shared, client), wish, address, traffic);
    let bad = |_| Refusal::bad_answer(wish).about(wish);
    let (mut sender, carrying) = http1::Builder::new()
        .max_headers(shared.limits.headers)
        .max_buf_size(shared.limits.head_bytes)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(bad)?;
    let carrying = AbortOnDropHandle::new(tokio::spawn(async move {
        // What is wrong with it is heard of by whoever reads the answer. Where nothing moves, the command's connection ends.
        let _ = carrying.await;
    }));
    let response = sender.send_request(request).await.map_err(bad)?;
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        return Err(Refusal::bad_answer(wish).about(wish));
    }
    let (mut parts, body) = response.into_parts();
    strip_hop_by_hop(&mut parts.headers);
    // Where a body has no length of its own, the header's is not what it is sent by.
    if !is_head && body.size_hint().exact().is_none() {
        parts.headers.remove(CONTENT_LENGTH);
    }
    parts.extensions.clear();
    parts.version = Version::HTTP_11;
    Ok(Response::from_parts(parts, Carried { body, _carrying: carrying, _opened: opened }.boxed()))
}

/// The request as the host gets it: for the address that was judged.
fn outgoing(wish: &Wish, request: Request<Incoming>) -> Result<Request<Incoming>, &'static str> {
    let (mut parts, body) = request.into_parts();
    let path = wish.url.as_ref().map_or("/", |url| url.path.as_str());
    parts.uri = path.parse::<Uri>().map_err(|_| "an address whose path can't be sent")?;
    parts.version = Version::HTTP_11;
    parts.extensions.clear();
    strip_hop_by_hop(&mut parts.headers);
    parts.headers.remove(CONTENT_LENGTH);
    let host =
        if wish.port == HTTP_PORT { wish.host.clone() } else { format!("{}:{}", wish.host, wish.port) };
    let host = HeaderValue::try_from(host).map_err(|_| "a host that can't be sent")?;
    parts.headers.insert(HOST, host);
    Ok(Request::from_parts(parts, body))
}

/// A body on its way, with the connection that it comes from.
struct Carried {
    body: Incoming,
    _carrying: AbortOnDropHandle<()>,
    _opened: Opened,
}

impl HttpBody for Carried {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
