//! One answer to an app: the requests and responses that it is made of, and what is asked between them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use http::{HeaderMap, Method, StatusCode, header};
use mayi_doors::listen::Visitor;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::answers::{Answer, Calls};
use crate::chains::Chain;
use crate::door::Shared;
use crate::joined::{Held, Joined, Unanswered};
use crate::open::key;
use crate::recording::Recording;
use crate::refusal::Trouble;
use crate::request::Asked;
use crate::start::HEADERS;
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
    pub(crate) asked: Asked,
    headers: HeaderMap,
    pub(crate) joined: Joined,
    calls: Option<Calls>,
    rounds: usize,
    /// So many items have been looked at.
    looked: usize,
    pub(crate) recording: Recording,
    /// The connection that it is for; none, where it comes from within this process.
    visitor: Option<Arc<Visitor>>,
    open: Arc<AtomicBool>,
}

/// What comes after a response that asked for approvals.
pub(crate) enum Next {
    /// This request is sent, and goes on.
    GoOn(Vec<u8>),
    /// Nothing: this is the end.
    Close(Vec<u8>, Kept),
}

/// Whether an end is for whoever comes back with the same request too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    Yes,
    No,
}

impl Exchange {
    pub(crate) fn new(
        shared: Arc<Shared>,
        asked: Asked,
        mut headers: HeaderMap,
        joined: Joined,
        (recording, visitor): (Recording, Option<Arc<Visitor>>),
    ) -> Self {
        // It would make an endpoint answer a later request with the answer to the first.
        headers.remove("idempotency-key");
        headers.insert(header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
        Self {
            shared,
            asked,
            headers,
            joined,
            calls: None,
            rounds: 0,
            looked: 0,
            recording,
            visitor,
            open: Arc::default(),
        }
    }

    fn calls(&mut self) -> &mut Calls {
        let Self { shared, asked, calls, open, headers, .. } = self;
        calls.get_or_insert_with(|| {
            let key = key(headers).map(str::to_owned);
            Calls::new(shared, asked, Arc::clone(open), key)
        })
    }

    /// Has calls judged that the app itself approves. `said`: the items of what it goes on from.
    pub(crate) async fn approved_by_the_app(
        &mut self,
        requests: Vec<(String, Vec<Value>)>,
        said: &[Box<RawValue>],
    ) -> Vec<Answer> {
        self.calls();
        let Self { shared, asked, calls, .. } = self;
        let Some(calls) = calls else { return Vec::new() };
        calls.answers(shared, asked, requests, (said, None)).await
    }

    /// What is approved is about to be sent.
    pub(crate) fn begin(&mut self) {
        if let Some(calls) = &mut self.calls {
            calls.begin();
        }
    }

    /// Has what `held` asks for judged, and waits for the answers.
    ///
    /// # Errors
    /// If it does not go on: what the app hears.
    pub(crate) async fn answer(&mut self, mut held: Held) -> Result<Next, Trouble> {
        self.look();
        self.rounds += 1;
        let bytes: usize = self.joined.items().iter().map(|item| item.get().len()).sum();
        if self.rounds > ROUNDS || bytes > MOST {
            let message =
                format!("this answer has asked for approvals {ROUNDS} times, or has become too long");
            return Err(Trouble::new(StatusCode::BAD_GATEWAY, "mayi_bounds", message));
        }
        let spent = self.joined.spent;
        if !self.asked.can_go_on(spent) {
            let text = self.joined.close(held, Unanswered::Limit);
            self.keep(false);
            return Ok(Next::Close(text, Kept::Yes));
        }
        let refuse = (!self.asked.can_call(spent))
            .then_some("the app's own limit of tool calls (max_tool_calls) is reached, and nothing was run");
        let requests = std::mem::take(&mut held.requests);
        let waits: Vec<&Value> = requests.values().filter_map(|versions| versions.first()).collect();
        self.recording.say("waits", "approvals", json!(waits));
        self.calls();
        let Self { shared, asked, joined, calls, recording, .. } = self;
        let Some(calls) = calls else { return Err(Trouble::ending()) };
        let cancel = joined.responses.first().map(|seen| shared.cancels.wait(seen));
        let answers = tokio::select! {
            answers = calls.answers(shared, asked, requests, (joined.items(), refuse)) => answers,
            Some(tell) = async { cancel.as_ref()?.wanted().await } => {
                // What waits is withdrawn, and what somebody has allowed already is not told to the endpoint.
                calls.nothing_ran();
                let text = joined.close(held, Unanswered::Cancelled);
                let _ = tell.send(text.clone());
                self.keep(true);
                return Ok(Next::Close(text, Kept::No));
            }
        };
        let items: Vec<Value> = answers.iter().map(Answer::item).collect();
        recording.say("answers", "answers", json!(items));
        if shared.closing.is_cancelled() {
            return Err(Trouble::ending());
        }
        // A conversation has the question in it, so that nothing can begin anew there.
        let fresh = shared.options.reset_on_deny && asked.conversation().is_none();
        if fresh && answers.iter().any(|answer| !answer.approve) {
            calls.nothing_ran();
            let text = joined.close(held, Unanswered::Same);
            self.keep(true);
            return Ok(Next::Close(text, Kept::Yes));
        }
        let body = asked.next(&held.id, items, joined.items(), spent);
        let approved: Vec<&str> =
            answers.iter().filter(|answer| answer.approve).map(|answer| &*answer.id).collect();
        let denials = answers.iter().filter(|answer| !answer.approve).map(Answer::item).collect();
        joined.answered(&approved, denials);
        joined.goes_on();
        self.looked = joined.items().len();
        Ok(Next::GoOn(body))
    }

    /// The answer has ended well: what ran is written down, and the app can go on from it.
    pub(crate) fn finish(&mut self) {
        self.look();
        if self.joined.responses.len() > 1 {
            self.keep(false);
        }
    }

    /// It is certain that nothing of what was approved ran.
    pub(crate) fn nothing_ran(&mut self) {
        if let Some(calls) = &mut self.calls {
            calls.nothing_ran();
        }
    }

    /// What a response that broke off means for the app.
    pub(crate) fn broken(&self, why: &str) -> Trouble {
        self.or_unknown(Trouble::new(StatusCode::BAD_GATEWAY, "mayi_upstream", why))
    }

    /// What `trouble` means for the app: where something was approved and sent, nobody knows whether it ran.
    pub(crate) fn or_unknown(&self, trouble: Trouble) -> Trouble {
        if self.any_open() { Trouble::unknown(&trouble.message) } else { trouble }
    }

    /// mayi ends.
    pub(crate) fn ending(&self) -> Trouble {
        if self.any_open() { Trouble::unknown("mayi was ended") } else { Trouble::ending() }
    }

    /// Whether something was approved and sent whose end is not known.
    pub(crate) fn any_open(&self) -> bool {
        self.calls.as_ref().is_some_and(Calls::any_open)
    }

    /// The same, for those who can't ask while the exchange goes on.
    pub(crate) fn open(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.open)
    }

    /// Whether what the app goes on from is its own: made over this connection. It matters where every program of the user
    /// is the same caller.
    pub(crate) fn is_its_own(&self, id: &str) -> bool {
        let is_open = self.shared.upstream.has_apps_key();
        !is_open || self.visitor.as_ref().is_some_and(|visitor| self.shared.made.is_of(id, visitor))
    }

    /// A response was made for this connection, or a conversation went on.
    pub(crate) fn made(&self, id: &str) {
        if let Some(visitor) = self.visitor.as_ref().filter(|_| self.shared.upstream.has_apps_key()) {
            self.shared.made.add([id], visitor);
        }
    }

    /// Looks at what has run.
    fn look(&mut self) {
        self.joined.responses.iter().for_each(|id| self.made(id));
        let mut items: Vec<Box<RawValue>> = self.joined.unlisted();
        let listed = self.joined.items().get(self.looked..).unwrap_or_default();
        items.extend(listed.iter().cloned());
        let ran = items.iter().any(|item| item.get().contains("mcp_call"));
        if ran {
            self.calls();
            let Self { shared, asked, calls, .. } = self;
            let unasked = calls.as_mut().map(|calls| calls.ended(shared, asked, &items)).unwrap_or_default();
            for name in unasked {
                (shared.options.say)(&format!("{name} ran at the endpoint without having been asked about"));
            }
        }
        self.looked = self.joined.items().len();
    }

    /// Nothing more comes: what ran so far is written down.
    pub(crate) fn breaks_off(&mut self) {
        self.joined.breaks_off();
        self.look();
    }

    /// Remembers what the app can go on from.
    fn keep(&self, fresh: bool) {
        let chain = Chain { responses: self.joined.responses.clone(), fresh };
        if let Err(error) = self.shared.chains.keep(&chain) {
            let text = format!(
                "what stands behind a response can't be written down, so nobody can go on from it: {error}"
            );
            (self.shared.options.say)(&text);
        }
    }

    /// Sends a request that goes on. It is sent again only where it is certain that nothing ran: where there was no connection
    /// to send it on, or nothing in it was approved. What an endpoint answers is no evidence of that.
    ///
    /// # Errors
    /// What the app hears.
    pub(crate) async fn go_on(&mut self, body: Vec<u8>) -> Result<reqwest::Response, Trouble> {
        self.begin();
        let mut pause = PAUSE;
        let mut tries = 0;
        loop {
            tries += 1;
            let request = self.shared.upstream.request(Method::POST, "/responses", &self.headers);
            let sent = tokio::time::timeout(HEADERS, request.body(body.clone()).send()).await;
            let (trouble, again) = match sent {
                Err(_) => (self.broken(upstream::SILENT), false),
                Ok(Ok(answer)) if answer.status().is_success() => return Ok(answer),
                Ok(Ok(answer)) if answer.status().is_redirection() => {
                    (self.or_unknown(upstream::elsewhere(&answer)), false)
                }
                Ok(Ok(answer)) => self.refused(answer, &mut pause).await,
                Ok(Err(error)) if error.is_connect() => (not_run(&upstream::unreachable(&error)), true),
                Ok(Err(error)) => (self.broken(&upstream::why(&error)), !self.any_open()),
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

    /// The endpoint does not go on: what that means, and whether it makes sense to try again.
    async fn refused(&self, answer: reqwest::Response, pause: &mut Duration) -> (Trouble, bool) {
        let status = answer.status();
        let after =
            answer.headers().get(header::RETRY_AFTER).and_then(|after| after.to_str().ok()?.parse().ok());
        if let Some(seconds) = after {
            *pause = (*pause).max(Duration::from_secs(seconds));
        }
        let message = upstream::said(answer).await;
        if self.any_open() {
            return (self.broken(&message), false);
        }
        let trouble = Trouble { status, ..not_run(&Trouble::upstream(message)) };
        (trouble, status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS)
    }
}

/// It is certain that nothing ran.
fn not_run(trouble: &Trouble) -> Trouble {
    let message = format!("nothing was run after the approval was answered: {}", trouble.message);
    Trouble::new(trouble.status, "mayi_not_run", message)
}

/// The word for what nobody knows.
const UNKNOWN: &str = "mayi_outcome_unknown";
