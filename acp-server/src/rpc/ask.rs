//! `approval/request`: another program of the user's asks whether it may. It is judged as a stranger: no settings, grants
//! or bypass are its own, whatever it says of itself.

use std::sync::Arc;
use std::time::Duration;

use jsonrpsee::server::RpcModule;
use mayi_check::{Checker, Request};
use mayi_core::call::{AgentId, Call, SessionId};
use mayi_core::config::FileKeeper;
use mayi_core::gate::{Asking, Gate, Memory, OnAsk, Session, Verdict};
use mayi_core::policy::Policy;
use serde_json::{Value, json};

use super::{Answer, Context, Registered, allowed, parsed};
use crate::api::{Asked, AskedOutcome};
use crate::backend::Backend;
use crate::credentials::Credential;
use crate::error::Refused;

/// Who asks, for the record. No agent of the configuration can be called that.
const AGENT: &str = "api:request";

/// What says how a call is to be judged: the asking program has no say in it.
const JUDGING: &[&str] = &["rules", "matrix", "mode", "isolated", "protection", "agent", "workspace"];

/// The longest that one may wait.
const LONGEST: u64 = 24 * 3600;

pub(super) fn register(module: &mut RpcModule<Context>) -> Registered {
    module
        .register_async_method("approval/request", |params, context, extensions| async move {
            allowed(&extensions, Credential::Ask)?;
            let asked: Asked = parsed(&params)?;
            let full = |_| Refused::Agent("too many programs wait for an answer already".to_owned());
            let _place = context.asking.try_acquire().map_err(full)?;
            let answer: Answer<AskedOutcome> = Ok(ask(&context.backend, asked).await?);
            answer
        })
        .map(|_| ())
}

async fn ask(backend: &Arc<Backend>, asked: Asked) -> Result<AskedOutcome, Refused> {
    let limit = asked.timeout_seconds.map(|seconds| Duration::from_secs(seconds.clamp(1, LONGEST)));
    let from = Arc::clone(backend);
    let made = tokio::task::spawn_blocking(move || {
        let (call, policy) = call(&from, &asked)?;
        let gate = gate(&from, policy, limit, &call)?;
        Ok::<_, Refused>((gate, call))
    });
    let (gate, call) = made.await.map_err(|error| Refused::Internal(error.to_string()))??;
    gate.attend();
    // Ends with this, also when whoever asks is gone.
    let _leaving = Leaving(gate.clone());
    let ticket = gate.submit(call, &[]);
    let approval_id = ticket.approval();
    Ok(outcome(ticket.verdict().await, approval_id))
}

struct Leaving(Gate);

impl Drop for Leaving {
    fn drop(&mut self) {
        let gate = self.0.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn_blocking(move || gate.leave());
        }
    }
}

fn outcome(verdict: Verdict, approval_id: Option<mayi_core::approval::ApprovalId>) -> AskedOutcome {
    match verdict {
        Verdict::Allowed(authorized) => AskedOutcome {
            outcome: "allowed",
            approval_id,
            by: Some(authorized.by().as_str().to_owned()),
            reason: None,
            why: authorized.decision().trail.clone(),
        },
        Verdict::Denied(refusal) => AskedOutcome {
            outcome: "denied",
            approval_id,
            by: Some(if refusal.by_person { "person" } else { "policy" }.to_owned()),
            reason: Some(refusal.reason),
            why: refusal.decision.trail,
        },
        Verdict::Cancelled => AskedOutcome {
            outcome: "denied",
            approval_id,
            by: None,
            reason: Some("the question was withdrawn".to_owned()),
            why: Vec::new(),
        },
    }
}

/// The call that is meant, and the policy that holds where it happens.
fn call(backend: &Backend, asked: &Asked) -> Result<(Call, Policy), Refused> {
    for key in JUDGING {
        if asked.call.get(key).is_some() {
            return Err(Refused::Params(format!("`{key}` says how to judge: only `check` takes that")));
        }
    }
    let request: Request = super::record::request(&json!({ "call": asked.call }))?;
    let checker = Checker::new(backend.sources(&backend.options.cwd), false);
    // Folders that a person has opened: where the program says that it is gives it none.
    let mut folders: Vec<_> = backend.tabs().iter().map(|tab| tab.cwd().to_owned()).collect();
    folders.extend(backend.options.cwd.canonicalize().ok().filter(|_| checker.works_here()));
    let mut checker = checker.within(folders);
    let judged = checker.judge(&request).map_err(|error| Refused::Params(error.to_string()))?;
    let mut call = judged.call;
    call.agent = AgentId::named(AGENT);
    call.session = SessionId(format!("request-{}", uuid::Uuid::now_v7()));
    call.title = asked.title.clone().unwrap_or_default();
    if call.raw_input == Value::Null {
        call.raw_input = asked.call.clone();
    }
    let policy = judged.loaded.map(|loaded| loaded.policy.clone()).unwrap_or_default();
    Ok((call, policy))
}

fn gate(backend: &Backend, policy: Policy, limit: Option<Duration>, call: &Call) -> Result<Gate, Refused> {
    let writer = (backend.options.writer)().map_err(Refused::Internal)?;
    let memory = Memory::attach(Arc::clone(&backend.options.store), writer)?;
    let keeper = FileKeeper::new(backend.sources(&call.cwd));
    let asking = Asking { on_ask: OnAsk::Wait, limit: limit.or(backend.options.limit) };
    let gate = Gate::remembering(policy, asking, Box::new(keeper), memory);
    gate.open_session(Session {
        id: call.session.clone(),
        agent: call.agent.clone(),
        parent: None,
        roots: call.roots.clone(),
        cwd: call.cwd.clone(),
        mode: None,
    });
    // D6.17: No session scope where the protocol has no session.
    gate.stands_alone(&call.session);
    Ok(gate)
}
