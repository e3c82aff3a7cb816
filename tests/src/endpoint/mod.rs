//! An endpoint of the Responses API, as strict as the real one: it refuses what that one refuses, and speaks the orders of
//! events that were recorded from it. What it runs is written down.
//!
//! The user's text says what the model does: a JSON list of rounds, each a list of tools that it calls in that round, such as
//! `[["search"],["read","write"]]`. Any other text is answered with a message.

mod answer;
mod check;
mod turn;

pub use answer::BYTES;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use axum::routing::get;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

/// The key that it wants.
pub const KEY: &str = "upstream-key-0123456789";

/// What happens with the next answer to an approval.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// It is refused with this status.
    Status(u16),
    /// It is refused with this status, and with these words of when to come back.
    Full(u16, Option<(&'static str, &'static str)>),
    /// It is carried out, and the stream breaks off after so many events.
    BreaksOff(usize),
    /// A tool runs that nobody has approved, also where no approval is answered.
    RunsUnasked,
    /// It is carried out, and the stream ends without its last event.
    EndsEarly,
    /// It is carried out, and answered once the endpoint is released.
    Waits,
    /// The next request leads elsewhere with this status, whatever it is.
    Leads(u16),
}

/// The endpoint. It ends with this value.
pub struct Endpoint {
    /// Its base URL.
    pub url: String,
    state: Shared,
    _runtime: Runtime,
}

type Shared = Arc<Mutex<Known>>;

/// What the endpoint knows.
#[derive(Default)]
struct Known {
    next: u64,
    responses: BTreeMap<String, Kept>,
    conversations: BTreeMap<String, String>,
    requests: Vec<Value>,
    headers: Vec<HeaderMap>,
    ran: Vec<Value>,
    troubles: VecDeque<Trouble>,
    released: Arc<Notify>,
    /// What servers say of their tools otherwise than at first, by the tools' names.
    said: BTreeMap<String, String>,
    /// The arguments of each call, where they are not what it is about.
    given: Option<String>,
}

/// A response that is kept.
#[derive(Clone, Debug)]
struct Kept {
    body: Value,
    pending: Vec<Value>,
    /// The rounds that come after this response.
    rounds: Vec<Vec<String>>,
}

impl Known {
    fn id(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}_{:04}", self.next)
    }
}

fn lock(state: &Shared) -> MutexGuard<'_, Known> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for Endpoint {
    fn default() -> Self {
        Self::start()
    }
}

impl Endpoint {
    /// Starts it at a port of its own.
    #[must_use]
    pub fn start() -> Self {
        let runtime = Runtime::new().expect("a runtime can be made");
        let state = Shared::default();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port is free");
        let url = format!("http://{}/v1", listener.local_addr().expect("it listens"));
        let router = Router::new()
            .route("/v1/responses", axum::routing::post(create))
            .route("/v1/responses/{id}", get(retrieve).delete(delete))
            .route("/v1/conversations/{id}/items/{item}", get(item))
            .route("/v1/models", get(models))
            .with_state(Arc::clone(&state));
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { url, state, _runtime: runtime }
    }

    /// The bodies of all requests to make a response, as they came.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        lock(&self.state).requests.clone()
    }

    /// The headers of these requests.
    #[must_use]
    pub fn headers(&self) -> Vec<HeaderMap> {
        lock(&self.state).headers.clone()
    }

    /// What ran: `{"server", "tool", "approved"}`.
    #[must_use]
    pub fn ran(&self) -> Vec<Value> {
        lock(&self.state).ran.clone()
    }

    /// The servers' description of a tool is another one from now on.
    pub fn describe(&self, tool: &str, description: &str) {
        lock(&self.state).said.insert(tool.to_owned(), description.to_owned());
    }

    /// What each tool is called with from now on.
    pub fn gives(&self, arguments: Option<String>) {
        lock(&self.state).given = arguments;
    }

    /// The id of the last response.
    #[must_use]
    pub fn last(&self) -> Option<String> {
        lock(&self.state).responses.keys().next_back().cloned()
    }

    /// What waits to be answered is.
    pub fn release(&self) {
        lock(&self.state).released.notify_one();
    }

    /// The next answer to an approval goes wrong.
    pub fn trouble(&self, trouble: Trouble) {
        lock(&self.state).troubles.push_back(trouble);
    }
}

/// An answer that leads elsewhere, if that is what comes next.
fn leads(known: &mut Known) -> Option<Response<Body>> {
    let Some(&Trouble::Leads(status)) = known.troubles.front() else { return None };
    known.troubles.pop_front();
    let answer = Response::builder()
        .status(status)
        .header("location", "https://elsewhere.example/v1/responses/?key=secret")
        .header("refresh", "0; url=https://elsewhere.example/")
        .header("alt-svc", "h2=\"elsewhere.example:443\"");
    Some(answer.body(Body::empty()).expect("these headers are fine"))
}

fn failed(status: StatusCode, message: &str) -> Response<Body> {
    let body = json!({ "error": { "message": message, "type": "invalid_request_error", "param": null, "code": null } });
    with(status, "application/json", Body::from(body.to_string()))
}

fn with(status: StatusCode, kind: &str, body: Body) -> Response<Body> {
    let response =
        Response::builder().status(status).header("content-type", kind).header("x-request-id", "req_1");
    response.body(body).expect("these headers are fine")
}

fn is_let_in(headers: &HeaderMap) -> bool {
    headers.get("authorization").is_some_and(|sent| sent == format!("Bearer {KEY}").as_str())
}

async fn create(State(state): State<Shared>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    if !is_let_in(&headers) {
        return failed(StatusCode::UNAUTHORIZED, "Incorrect API key provided");
    }
    if headers.get("content-type").is_none_or(|kind| kind != "application/json") {
        return failed(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported content type");
    }
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return failed(StatusCode::BAD_REQUEST, "We could not parse the JSON body of your request");
    };
    let (response, waits) = {
        let mut known = lock(&state);
        known.requests.push(body.clone());
        known.headers.push(headers);
        let waits =
            matches!(known.troubles.front(), Some(Trouble::Waits)).then(|| Arc::clone(&known.released));
        let before = known.troubles.len();
        let response = answered(&mut known, &body);
        (response, waits.filter(|_| known.troubles.len() < before))
    };
    if let Some(released) = waits {
        released.notified().await;
    }
    response
}

fn answered(known: &mut Known, body: &Value) -> Response<Body> {
    if let Some(answer) = leads(known) {
        return answer;
    }
    let going_on = match check::check(known, body) {
        Ok(going_on) => going_on,
        Err(message) => return failed(StatusCode::BAD_REQUEST, &message),
    };
    let now = !going_on.answers.is_empty() || matches!(known.troubles.front(), Some(Trouble::RunsUnasked));
    let trouble = if now { known.troubles.pop_front() } else { None };
    if let Some(Trouble::Status(status)) = trouble {
        let status = StatusCode::from_u16(status).expect("a status");
        return failed(status, "The server had an error while processing your request");
    }
    if let Some(Trouble::Full(status, after)) = trouble {
        let mut refused = failed(StatusCode::from_u16(status).expect("a status"), "Rate limit reached");
        if let Some((name, value)) = after {
            refused.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        return refused;
    }
    let turn = turn::turn(known, body, going_on, trouble.as_ref());
    answer::answer(body, &turn, trouble.as_ref())
}

async fn retrieve(State(state): State<Shared>, headers: HeaderMap, Path(id): Path<String>) -> Response<Body> {
    if !is_let_in(&headers) {
        return failed(StatusCode::UNAUTHORIZED, "Incorrect API key provided");
    }
    let mut known = lock(&state);
    if let Some(answer) = leads(&mut known) {
        return answer;
    }
    match known.responses.get(&id) {
        Some(kept) => with(StatusCode::OK, "application/json", Body::from(kept.body.to_string())),
        None => failed(StatusCode::NOT_FOUND, &format!("Response with id '{id}' not found.")),
    }
}

async fn delete(State(state): State<Shared>, Path(id): Path<String>) -> Response<Body> {
    match lock(&state).responses.remove(&id) {
        Some(_) => {
            let body = json!({ "id": id, "object": "response", "deleted": true });
            with(StatusCode::OK, "application/json", Body::from(body.to_string()))
        }
        None => failed(StatusCode::NOT_FOUND, &format!("Response with id '{id}' not found.")),
    }
}

async fn item(State(state): State<Shared>, Path((id, item)): Path<(String, String)>) -> Response<Body> {
    let known = lock(&state);
    let kept = known.conversations.get(&id).and_then(|last| known.responses.get(last));
    let found = kept.and_then(|kept| kept.pending.iter().find(|pending| pending["id"] == item.as_str()));
    match found {
        Some(found) => with(StatusCode::OK, "application/json", Body::from(found.to_string())),
        None => failed(StatusCode::NOT_FOUND, "Item not found."),
    }
}

async fn models(headers: HeaderMap) -> Response<Body> {
    let seen: BTreeMap<String, String> = headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let body = json!({ "object": "list", "data": [], "seen": seen }).to_string();
    with(StatusCode::OK, "application/json", Body::from(body))
}
