//! Connections: strangers are few and make room for each other; whoever has shown who it is stays.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use jsonrpsee::server::{
    HttpBody, Methods, PingConfig, ServerConfig, StopHandle, TowerServiceBuilder, stop_channel,
};
use mayi_doors::task::spawn;
use mayi_doors::unknown_connections::UnknownConnections;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::Service;

use super::AgentCheck;
use super::pairing::Pairings;
use super::refusal::refusal_response;
use crate::backend::{Backend, lock_mutex};
use crate::credentials::Credentials;
use crate::rpc;

/// The head of a request has to be there in this time.
const HEAD: Duration = Duration::from_secs(10);
/// The most headers of a request, and the longest head.
const HEADERS: usize = 64;
const HEAD_BYTES: usize = 16 * 1024;
/// The longest message, either way.
const MESSAGE: u32 = 8 * 1024 * 1024;
const ANSWER: u32 = 256 * 1024 * 1024;
/// The most of all connections.
const CONNECTIONS: usize = 1024;
/// Of these, the most of programs that may only ask: they are started by agents, and may not keep a person out.
const ASKERS: usize = 256;
/// So many messages wait for a slow reader; then its subscription waits.
const BUFFER: u32 = 16;
/// When a listener fails, such as for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// A client that was not heard of for so long is gone.
const PING: Duration = Duration::from_secs(20);
const SILENT: Duration = Duration::from_secs(60);
/// How long answers that are on their way may take in the end.
const GRACE: Duration = Duration::from_millis(500);

/// How the backend is served.
#[derive(Clone, Debug)]
pub struct FrontOptions {
    /// Names that it may be called by; without a port, any will do.
    pub hosts: Vec<String>,
    /// Some of them are not this machine's own: somebody else passes requests on, and may speak TLS.
    pub names: bool,
    /// Whether the page is served.
    pub ui: bool,
}

impl FrontOptions {
    /// For clients on this machine, without the page.
    #[must_use]
    pub fn local() -> Self {
        Self { hosts: ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into(), names: false, ui: false }
    }
}

/// The front of the backend.
pub(super) struct Front {
    pub(super) backend: Arc<Backend>,
    pub(super) credentials: Credentials,
    pub(super) pairings: Option<Arc<Pairings>>,
    pub(super) options: FrontOptions,
    services: TowerServiceBuilder<tower::layer::util::Identity, tower::layer::util::Identity>,
    methods: Methods,
    /// Those over HTTP alone.
    plain: Methods,
    stop: StopHandle,
    strangers: Arc<UnknownConnections>,
    askers: Arc<Semaphore>,
}

/// The place of a connection, which a WebSocket keeps.
pub(crate) struct ConnectionSeat {
    _place: OwnedSemaphorePermit,
    /// Its place among those that may only ask.
    asker: Mutex<Option<OwnedSemaphorePermit>>,
}

/// What can be asked of a front that serves.
#[derive(Clone)]
pub struct PairingCodes(Option<Arc<Pairings>>);

impl PairingCodes {
    /// A new code to pair the page with, and until when it counts; none if the page is not served.
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn offer_code(&self) -> std::io::Result<Option<(String, jiff::Timestamp)>> {
        self.0.as_ref().map(|pairings| pairings.offer_code()).transpose()
    }
}

/// Makes codes for the page that `options` has served.
#[must_use]
pub fn pairing_codes(options: &FrontOptions) -> PairingCodes {
    PairingCodes(options.ui.then(Arc::default))
}

/// Serves `backend` at `listener`, until `shutdown` is there.
///
/// # Errors
/// If the methods can't be put together.
pub async fn serve(
    listener: TcpListener,
    backend: Arc<Backend>,
    credentials: Credentials,
    options: FrontOptions,
    codes: PairingCodes,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), String> {
    let pairings = codes.0;
    let modules = rpc::build_modules(&backend, pairings.as_ref())?;
    let (stop, server) = stop_channel();
    let config = ServerConfig::builder()
        .max_request_body_size(MESSAGE)
        .max_response_body_size(ANSWER)
        .max_connections(u32::MAX / 2)
        .max_subscriptions_per_connection(256)
        .set_message_buffer_capacity(BUFFER)
        .set_batch_request_config(jsonrpsee::server::BatchRequestConfig::Limit(64))
        .enable_ws_ping(PingConfig::new().ping_interval(PING).inactive_limit(SILENT).max_failures(1))
        .build();
    let front = Arc::new(Front {
        backend,
        credentials,
        pairings,
        options,
        services: jsonrpsee::server::Server::builder().set_config(config).to_service_builder(),
        methods: modules.socket.into(),
        plain: modules.http.into(),
        stop,
        strangers: Arc::default(),
        askers: Arc::new(Semaphore::new(ASKERS)),
    });
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let accepting = async {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => match Arc::clone(&places).try_acquire_owned() {
                    Ok(place) => {
                        let front = Arc::clone(&front);
                        spawn(async move {
                            front.run_connection(stream, peer, place).await;
                        });
                    }
                    // Closed at once.
                    Err(_) => drop(stream),
                },
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
    // Here, and not when the last request is done that holds them: nobody waits for that.
    front.credentials.delete_files();
    let _ = server.stop();
    let _ = tokio::time::timeout(GRACE, server.stopped()).await;
    Ok(())
}

impl Front {
    async fn run_connection(
        self: Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        place: OwnedSemaphorePermit,
    ) {
        let _ = stream.set_nodelay(true);
        let Ok(local) = stream.local_addr() else { return };
        let (stranger, mut evicted) = self.strangers.admit();
        let front = Arc::clone(&self);
        let seat = Arc::new(ConnectionSeat { _place: place, asker: Mutex::default() });
        let came = Arc::new(stranger);
        let store = Arc::clone(&self.backend.options.store);
        // What can't be known is not let in.
        let agent: AgentCheck =
            Arc::new(move || mayi_core::gate::is_within_an_agent(&*store, local, peer).unwrap_or(true));
        let service = service_fn(move |request: Request<Incoming>| {
            let (front, seat, came) = (Arc::clone(&front), Arc::clone(&seat), Arc::clone(&came));
            let agent = Arc::clone(&agent);
            async move {
                let admitted = front.answer_request(request, &agent, &seat).await;
                if admitted.known {
                    came.mark_known();
                }
                Ok::<_, Infallible>(admitted.response)
            }
        });
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_headers(HEADERS).max_buf_size(HEAD_BYTES);
        let serving = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        tokio::pin!(serving);
        let stopping = self.stop.clone().shutdown();
        tokio::pin!(stopping);
        let mut stranger = true;
        loop {
            tokio::select! {
                _ = serving.as_mut() => break,
                out = &mut evicted, if stranger => match out {
                    Ok(()) => break,
                    Err(_) => stranger = false,
                },
                () = &mut stopping => {
                    serving.as_mut().graceful_shutdown();
                    let _ = tokio::time::timeout(GRACE, serving.as_mut()).await;
                    break;
                }
            }
        }
    }

    /// Whether there is a place for a connection that may only ask.
    pub(super) fn try_seat_asker(&self, seat: &ConnectionSeat) -> bool {
        let mut asker = lock_mutex(&seat.asker);
        if asker.is_none() {
            *asker = Arc::clone(&self.askers).try_acquire_owned().ok();
        }
        asker.is_some()
    }

    /// Gives a request to the methods.
    pub(super) async fn call_methods(&self, request: Request<Incoming>) -> Response<HttpBody> {
        let socket = jsonrpsee::server::ws::is_upgrade_request(&request);
        let methods = if socket { &self.methods } else { &self.plain };
        let mut service = self.services.clone().build(methods.clone(), self.stop.clone());
        match service.call(request).await {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(%error, "a request broke");
                refusal_response(StatusCode::INTERNAL_SERVER_ERROR, "something went wrong here")
            }
        }
    }
}
