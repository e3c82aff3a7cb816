//! A connection of a command: whose it is, and each of its requests.

use std::convert::Infallible;
use std::sync::Arc;

use http::{Method, Request, Response, Version};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, SetOnce};
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::client::{Known, Shown};
use crate::event::{Event, Reason};
use crate::judge::{Allowance, Answer, Wish};
use crate::limits::Limits;
use crate::proxy::Shared;
use crate::questions::Outcome;
use crate::reply::{Body, Refusal, authentication_required};
use crate::strangers::Stranger;
use crate::target::{self, Target};
use crate::traffic::{Counted, Traffic};
use crate::{forward, tunnel};

/// A connection, for as long as anything of it goes on.
pub(crate) struct Connection {
    pub(crate) shared: Arc<Shared>,
    stranger: Stranger,
    owner: SetOnce<Owner>,
    /// What goes through it, also once it is a tunnel.
    pub(crate) traffic: Arc<Traffic>,
}

/// Whose connection it is, and the places that it takes.
struct Owner {
    client: Arc<Known>,
    _places: [OwnedSemaphorePermit; 2],
    _task: TaskTrackerToken,
}

/// A request that is refused, and what it wanted if that was understood.
pub(crate) struct Refused {
    refusal: Refusal,
    wish: Option<Arc<Wish>>,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, wish: None }
    }
}

impl Refusal {
    /// With the wish that it is about.
    pub(crate) fn about(self, wish: &Arc<Wish>) -> Refused {
        Refused { refusal: self, wish: Some(Arc::clone(wish)) }
    }
}

/// Answers the requests of a connection until it ends, or has to.
pub(crate) async fn serve(shared: Arc<Shared>, stream: TcpStream) {
    let limits = shared.limits.clone();
    let closing = shared.closing.clone();
    let stranger = shared.strangers.enter();
    let leave = stranger.leave.clone();
    let (stream, traffic) = Counted::new(stream);
    let connection =
        Arc::new(Connection { shared, stranger, owner: SetOnce::new(), traffic: Arc::clone(&traffic) });
    let service = service_fn(|request| answer(Arc::clone(&connection), request));
    let served = server(&limits).serve_connection(TokioIo::new(stream), service).with_upgrades();
    tokio::select! {
        // What is wrong with a connection that others made is theirs to know.
        _ = served => {}
        () = leave.cancelled() => {}
        () = connection.owner_ended() => {}
        () = closing.cancelled() => {}
        () = traffic.idle(limits.idle) => {}
    }
}

/// Answers the requests over plain HTTP that come through a tunnel, which are for its host.
pub(crate) async fn serve_within(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    connection: &Arc<Connection>,
    client: &Arc<Known>,
    tunnel: &Wish,
) {
    let service = service_fn(async |request: Request<Incoming>| {
        let target = target::of_request_within(request.uri(), request.headers(), &tunnel.host, tunnel.port);
        let answered = match target.map_err(Refusal::malformed) {
            Ok(target) => {
                let wish = Arc::new(wish(client, request.method(), target));
                forward::forward(connection, client, &wish, request).await
            }
            Err(refusal) => Err(refusal.into()),
        };
        Ok::<_, Infallible>(connection.told(client, answered))
    });
    // What is wrong with a connection that others made is theirs to know.
    let _ = server(&connection.shared.limits).serve_connection(TokioIo::new(stream), service).await;
}

/// How requests are read.
fn server(limits: &Limits) -> http1::Builder {
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_header_size(limits.head_bytes)
        .max_headers(limits.headers);
    server
}

fn wish(client: &Known, method: &Method, target: Target) -> Wish {
    let Target { host, port, url } = target;
    Wish {
        command: Arc::clone(&client.id),
        program: client.program.clone(),
        method: method.as_str().to_owned(),
        host,
        port,
        url,
    }
}

impl Connection {
    /// Takes the connection for `client`, whose it stays.
    fn belongs_to(&self, client: &Arc<Known>) -> Result<bool, Refusal> {
        if let Some(owner) = self.owner.get() {
            return Ok(Arc::ptr_eq(&owner.client, client));
        }
        let full = |_| Refusal::too_many("connections");
        let mine = Arc::clone(&client.connections).try_acquire_owned().map_err(full)?;
        let place = Arc::clone(&self.shared.places).try_acquire_owned().map_err(full)?;
        let owner = Owner { client: Arc::clone(client), _places: [mine, place], _task: client.tasks.token() };
        self.stranger.is_known();
        // Requests of one connection come one after the other: nobody else has set it.
        Ok(self.owner.set(owner).is_ok())
    }

    async fn owner_ended(&self) {
        self.owner.wait().await.client.ended.cancelled().await;
    }

    /// The answer to a request; a refusal is told of.
    fn told(&self, client: &Known, answered: Result<Response<Body>, Refused>) -> Response<Body> {
        answered.unwrap_or_else(|Refused { refusal, wish }| {
            let response = refusal.response();
            let (command, Refusal { reason, words, .. }) = (Some(Arc::clone(&client.id)), refusal);
            self.shared.observer.observe(Event::Refused { command, wish, reason, words });
            response
        })
    }

    /// What the judge says.
    pub(crate) async fn decide(&self, client: &Arc<Known>, wish: &Arc<Wish>) -> Result<Allowance, Refused> {
        let refusal = match self.shared.ask(client, wish).await {
            Outcome::Answered(Answer::Allow(allowance)) => return Ok(allowance),
            Outcome::Answered(Answer::Deny { words, .. }) => Refusal::denied(&words),
            Outcome::Waiting => Refusal::no_answer(wish),
            Outcome::TooMany => Refusal::too_many("questions"),
        };
        Err(refusal.about(wish))
    }
}

async fn answer(
    connection: Arc<Connection>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let shared = &connection.shared;
    let client = match shared.clients.who(request.headers()) {
        Shown::Known(client) => client,
        Shown::Nothing => return Ok(authentication_required()),
        Shown::Wrong => {
            let words = "mayi: a secret that belongs to no command.".to_owned();
            let reason = Reason::WrongSecret;
            shared.observer.observe(Event::Refused { command: None, wish: None, reason, words });
            return Ok(authentication_required());
        }
    };
    let answered = match connection.belongs_to(&client) {
        Ok(true) => carry_out(&connection, &client, request).await,
        // One connection is one command's.
        Ok(false) => return Ok(authentication_required()),
        Err(refusal) => Err(refusal.into()),
    };
    Ok(connection.told(&client, answered))
}

async fn carry_out(
    connection: &Arc<Connection>,
    client: &Arc<Known>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Refused> {
    let is_connect = request.method() == Method::CONNECT;
    let target = if is_connect {
        target::of_connect(request.uri())
    } else {
        target::of_request(request.uri(), request.headers(), request.version() == Version::HTTP_11)
    };
    let target = target.map_err(Refusal::malformed)?;
    let wish = Arc::new(wish(client, request.method(), target));
    if is_connect {
        tunnel::open(connection, client, &wish, request).await
    } else {
        forward::forward(connection, client, &wish, request).await
    }
}
