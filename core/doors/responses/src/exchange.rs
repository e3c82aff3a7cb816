//! One answer to an app: the requests and responses that it is made of, and what is asked between them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use mayi_doors::listen::ClientConnection;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::answers::{ApprovalAnswer, ExchangeCalls};
use crate::door::Shared;
use crate::first_request::HEADERS;
use crate::joined_response::{HeldResponse, JoinedAnswer, UnansweredReason};
use crate::open::app_key;
use crate::recording::Recording;
use crate::refusal::ApiError;
use crate::request::CreateRequest;
use crate::response_chains::Chain;
use crate::upstream;

/// The most times that one answer can ask for approvals: a model that never ends costs money.
const ROUNDS: usize = 32;
/// The most bytes of items of one answer.
const MOST: usize = 64 * 1024 * 1024;
/// So often a request that goes on is sent, where it is certain that nothing ran.
const TRIES: u32 = 4;
/// The first pause between them; each next one is twice as long.
const PAUSE: Duration = Duration::from_millis(500);
/// A longer pause than this, which the endpoint may ask for, is for the app to make.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// One answer on its way.
pub(crate) struct Exchange {
    pub(crate) shared: Arc<Shared>,
    pub(crate) create_request: CreateRequest,
    headers: HeaderMap,
    pub(crate) joined: JoinedAnswer,
    calls: Option<ExchangeCalls>,
    rounds: usize,
    /// So many items have been looked at.
    inspected_items: usize,
    pub(crate) recording: Recording,
    /// The connection that it is for; none, where it comes from within this process.
    visitor: Option<Arc<ClientConnection>>,
    open: Arc<AtomicBool>,
}

/// What comes after a response that asked for approvals.
pub(crate) enum NextStep {
    /// This request is sent, and goes on.
    GoOn(Vec<u8>),
    /// Nothing: this is the end.
    Close(Vec<u8>, KeepAnswer),
}

/// Whether an end is for whoever comes back with the same request too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepAnswer {
    Yes,
    No,
}

impl Exchange {
    pub(crate) fn new(
        shared: Arc<Shared>,
        create_request: CreateRequest,
        mut headers: HeaderMap,
        joined: JoinedAnswer,
        (recording, visitor): (Recording, Option<Arc<ClientConnection>>),
    ) -> Self {
        // It would make an endpoint answer a later request with the answer to the first.
        headers.remove("idempotency-key");
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Self {
            shared,
            create_request,
            headers,
            joined,
            calls: None,
            rounds: 0,
            inspected_items: 0,
            recording,
            visitor,
            open: Arc::default(),
        }
    }

    fn calls_or_new(&mut self) -> &mut ExchangeCalls {
        let Self { shared, create_request: asked, calls, open, headers, .. } = self;
        calls.get_or_insert_with(|| {
            let key = app_key(headers).map(str::to_owned);
            ExchangeCalls::new(shared, asked, Arc::clone(open), key)
        })
    }

    /// Has calls judged that the app itself approves. `said`: the items of what it goes on from.
    pub(crate) async fn approved_by_the_app(
        &mut self,
        requests: Vec<(String, Vec<Value>)>,
        said: &[Box<RawValue>],
    ) -> Vec<ApprovalAnswer> {
        self.calls_or_new();
        let Self { shared, create_request: asked, calls, .. } = self;
        let Some(calls) = calls else { return Vec::new() };
        calls.judge_requests(shared, asked, requests, (said, None)).await
    }

    /// What is approved is about to be sent.
    pub(crate) fn begin_approved(&mut self) {
        if let Some(calls) = &mut self.calls {
            calls.begin_approved();
        }
    }

    /// Has what `held` asks for judged, and waits for the answers.
    ///
    /// # Errors
    /// If it does not go on: what the app hears.
    pub(crate) async fn answer_approvals(&mut self, mut held: HeldResponse) -> Result<NextStep, ApiError> {
        self.inspect_items();
        self.rounds += 1;
        let bytes: usize = self.joined.items().iter().map(|item| item.get().len()).sum();
        if self.rounds > ROUNDS || bytes > MOST {
            let message =
                format!("this answer has asked for approvals {ROUNDS} times, or has become too long");
            return Err(ApiError::new(StatusCode::BAD_GATEWAY, "mayi_bounds", message));
        }
        let spent = self.joined.spent;
        if !self.create_request.can_go_on(spent) {
            let text = self.joined.close(held, UnansweredReason::Limit);
            self.remember_chain(false);
            return Ok(NextStep::Close(text, KeepAnswer::Yes));
        }
        let refuse = (!self.create_request.can_call(spent))
            .then_some("the app's own limit of tool calls (max_tool_calls) is reached, and nothing was run");
        let requests = std::mem::take(&mut held.requests);
        let waits: Vec<&Value> = requests.values().filter_map(|versions| versions.first()).collect();
        self.recording.record_entry("waits", "approvals", json!(waits));
        self.calls_or_new();
        let Self { shared, create_request: asked, joined, calls, recording, .. } = self;
        let Some(calls) = calls else { return Err(ApiError::shutting_down()) };
        let cancel = joined.responses.first().map(|seen| shared.cancels.wait(seen));
        let answers = tokio::select! {
            answers = calls.judge_requests(shared, asked, requests, (joined.items(), refuse)) => answers,
            Some(tell) = async { cancel.as_ref()?.wait_for_cancel().await } => {
                // What waits is withdrawn, and what somebody has allowed already is not told to the endpoint.
                calls.nothing_ran();
                let text = joined.close(held, UnansweredReason::Cancelled);
                let _ = tell.send(text.clone());
                self.remember_chain(true);
                return Ok(NextStep::Close(text, KeepAnswer::No));
            }
        };
        let items: Vec<Value> = answers.iter().map(ApprovalAnswer::to_item).collect();
        recording.record_entry("answers", "answers", json!(items));
        if shared.closing.is_cancelled() {
            return Err(ApiError::shutting_down());
        }
        // A conversation has the question in it, so that nothing can begin anew there.
        let fresh = shared.options.reset_on_deny && asked.conversation().is_none();
        if fresh && answers.iter().any(|answer| !answer.approve) {
            calls.nothing_ran();
            let text = joined.close(held, UnansweredReason::Same);
            self.remember_chain(true);
            return Ok(NextStep::Close(text, KeepAnswer::Yes));
        }
        let body = asked.next(&held.id, items, joined.items(), spent);
        let approved: Vec<&str> =
            answers.iter().filter(|answer| answer.approve).map(|answer| &*answer.id).collect();
        let denials = answers.iter().filter(|answer| !answer.approve).map(ApprovalAnswer::to_item).collect();
        joined.record_answers(&approved, denials);
        joined.continue_answer();
        self.inspected_items = joined.items().len();
        Ok(NextStep::GoOn(body))
    }

    /// The answer has ended well: what ran is written down, and the app can go on from it.
    pub(crate) fn finish(&mut self) {
        self.inspect_items();
        if self.joined.responses.len() > 1 {
            self.remember_chain(false);
        }
    }

    /// It is certain that nothing of what was approved ran.
    pub(crate) fn nothing_ran(&mut self) {
        if let Some(calls) = &mut self.calls {
            calls.nothing_ran();
        }
    }

    /// What a response that broke off means for the app.
    pub(crate) fn broken_error(&self, why: &str) -> ApiError {
        self.or_unknown(ApiError::new(StatusCode::BAD_GATEWAY, "mayi_upstream", why))
    }

    /// What `trouble` means for the app: where something was approved and sent, nobody knows whether it ran.
    pub(crate) fn or_unknown(&self, trouble: ApiError) -> ApiError {
        if self.any_open() { ApiError::outcome_unknown(&trouble.message) } else { trouble }
    }

    /// mayi ends.
    pub(crate) fn shutdown_error(&self) -> ApiError {
        if self.any_open() { ApiError::outcome_unknown("mayi was ended") } else { ApiError::shutting_down() }
    }

    /// Whether something was approved and sent whose end is not known.
    pub(crate) fn any_open(&self) -> bool {
        self.calls.as_ref().is_some_and(ExchangeCalls::any_open)
    }

    /// The same, for those who can't ask while the exchange goes on.
    pub(crate) fn open(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.open)
    }

    /// Whether what the app goes on from is its own: made over this connection. It matters where every program of the user
    /// is the same caller.
    pub(crate) fn is_its_own(&self, id: &str) -> bool {
        let is_open = self.shared.upstream.has_apps_key();
        !is_open || self.visitor.as_ref().is_some_and(|visitor| self.shared.created.is_of(id, visitor))
    }

    /// A response was made for this connection, or a conversation went on.
    pub(crate) fn record_made(&self, id: &str) {
        if let Some(visitor) = self.visitor.as_ref().filter(|_| self.shared.upstream.has_apps_key()) {
            self.shared.created.add([id], visitor);
        }
    }

    /// Looks at what has run.
    fn inspect_items(&mut self) {
        self.joined.responses.iter().for_each(|id| self.record_made(id));
        let mut items: Vec<Box<RawValue>> = self.joined.take_unlisted();
        let listed = self.joined.items().get(self.inspected_items..).unwrap_or_default();
        items.extend(listed.iter().cloned());
        let ran = items.iter().any(|item| item.get().contains("mcp_call"));
        if ran {
            self.calls_or_new();
            let Self { shared, create_request: asked, calls, .. } = self;
            let unasked =
                calls.as_mut().map(|calls| calls.end_ran_calls(shared, asked, &items)).unwrap_or_default();
            for name in unasked {
                (shared.options.say)(&format!("{name} ran at the endpoint without having been asked about"));
            }
        }
        self.inspected_items = self.joined.items().len();
    }

    /// Nothing more comes: what ran so far is written down.
    pub(crate) fn breaks_off(&mut self) {
        self.joined.breaks_off();
        self.inspect_items();
    }

    /// Remembers what the app can go on from.
    fn remember_chain(&self, fresh: bool) {
        let chain = Chain { responses: self.joined.responses.clone(), fresh };
        if let Err(error) = self.shared.chains.save_chain(&chain) {
            let text = format!(
                "what stands behind a response can't be written down, so nobody can go on from it: {error}"
            );
            (self.shared.options.say)(&text);
        }
    }

    /// Sends a request that goes on.
    ///
    /// # Errors
    /// What the app hears.
    pub(crate) async fn go_on(&mut self, body: Vec<u8>) -> Result<reqwest::Response, ApiError> {
        let headers = self.headers.clone();
        self.send_approved(&headers, body).await
    }

    /// Sends a request after approvals were answered. It is sent again only where it is certain that nothing ran: where there
    /// was no connection to send it on, where the endpoint says by its status that it did not take it (429, and 503 where it
    /// says when to come back), or where nothing in it was approved. Whatever else an endpoint answers is no evidence of that.
    ///
    /// # Errors
    /// What the app hears.
    pub(crate) async fn send_approved(
        &mut self,
        headers: &HeaderMap,
        body: Vec<u8>,
    ) -> Result<reqwest::Response, ApiError> {
        let mut pause = PAUSE;
        let mut tries = 0;
        loop {
            tries += 1;
            self.begin_approved();
            let request = self.shared.upstream.build_request(Method::POST, "/responses", headers);
            let sent = tokio::time::timeout(HEADERS, request.body(body.clone()).send()).await;
            let (trouble, again) = match sent {
                Err(_) => (self.broken_error(upstream::SILENT), false),
                Ok(Ok(answer)) if answer.status().is_success() => return Ok(answer),
                Ok(Ok(answer)) if answer.status().is_redirection() => {
                    (self.or_unknown(upstream::redirect_error(&answer)), false)
                }
                Ok(Ok(answer)) => self.refused_error(answer, &mut pause).await,
                Ok(Err(error)) if error.is_connect() => {
                    self.was_refused();
                    (not_run(&upstream::unreachable_error(&error)), true)
                }
                Ok(Err(error)) => (self.broken_error(&upstream::error_cause(&error)), !self.any_open()),
            };
            if !again || tries >= TRIES || pause > LONGEST_PAUSE {
                if trouble.code != UNKNOWN {
                    self.nothing_ran();
                }
                return Err(trouble);
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }

    fn was_refused(&mut self) {
        if let Some(calls) = &mut self.calls {
            calls.was_refused();
        }
    }

    /// The endpoint does not go on: what that means, and whether it makes sense to try again.
    async fn refused_error(&mut self, answer: reqwest::Response, pause: &mut Duration) -> (ApiError, bool) {
        let status = answer.status();
        let wish = RetryWish::read(answer.headers());
        let message = upstream::describe_error_answer(answer).await;
        let full = status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE;
        let again = wish.again.unwrap_or(status == StatusCode::TOO_MANY_REQUESTS || wish.after.is_some());
        // What stands between may say 503 of itself behind what it has passed on: one that does not say when to come back is no
        // evidence that nothing ran.
        let not_taken = status == StatusCode::TOO_MANY_REQUESTS || full && again;
        if self.any_open() && !not_taken {
            return (self.broken_error(&message), false);
        }
        self.was_refused();
        let trouble = ApiError { status, ..not_run(&ApiError::bad_gateway(message)) };
        if !full {
            return (trouble, status.is_server_error());
        }
        if let Some(after) = wish.after {
            *pause = (*pause).max(after);
        }
        let retryable = wish.again != Some(false);
        (ApiError { retryable, retry_after: wish.header, ..trouble }, again)
    }
}

/// What an answer says of when to ask again.
struct RetryWish {
    /// In so long.
    after: Option<Duration>,
    /// Whether at all (`x-should-retry`).
    again: Option<bool>,
    /// The header that says when, for the app.
    header: Option<HeaderValue>,
}

impl RetryWish {
    fn read(headers: &HeaderMap) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
        let seconds = |text: &str| {
            let number: f64 = text.parse().ok()?;
            Duration::try_from_secs_f64(number).ok()
        };
        // RFC 9110, section 10.2.3: a number of seconds, or a date.
        let date = |text: &str| {
            let at = httpdate::parse_http_date(text).ok()?;
            Some(at.duration_since(std::time::SystemTime::now()).unwrap_or_default())
        };
        let milliseconds = text("retry-after-ms").and_then(seconds).map(|wish| wish / 1000);
        let after = milliseconds
            .or_else(|| text("retry-after").and_then(|text| seconds(text).or_else(|| date(text))));
        let again = match text("x-should-retry") {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        };
        Self { after, again, header: headers.get(header::RETRY_AFTER).cloned() }
    }
}

/// It is certain that nothing ran.
fn not_run(trouble: &ApiError) -> ApiError {
    let message = format!("nothing was run after the approval was answered: {}", trouble.message);
    ApiError::new(trouble.status, "mayi_not_run", message)
}

/// The word for what nobody knows.
const UNKNOWN: &str = "mayi_outcome_unknown";
