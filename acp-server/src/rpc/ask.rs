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

use super::{MethodResult, RegisterResult, RpcContext, parse_params, require_credential};
use crate::api::{Asked, AskedOutcome};
use crate::backend::Backend;
use crate::credentials::Credential;
use crate::error::RpcError;
use crate::judging_keys::refuse_judging_keys;

/// Who asks, for the record. No agent of the configuration can be called that.
const AGENT: &str = "api:request";

/// The longest that one may wait.
const LONGEST: u64 = 24 * 3600;

pub(super) fn register_methods(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    module
        .register_async_method("approval/request", |params, context, extensions| async move {
            require_credential(&extensions, Credential::Ask)?;
            let asked: Asked = parse_params(&params)?;
            let full = |_| RpcError::Agent("too many programs wait for an answer already".to_owned());
            let _place = context.asking.try_acquire().map_err(full)?;
            let answer: MethodResult<AskedOutcome> = Ok(ask_permission(&context.backend, asked).await?);
            answer
        })
        .map(|_| ())
}

async fn ask_permission(backend: &Arc<Backend>, asked: Asked) -> Result<AskedOutcome, RpcError> {
    let limit = asked.timeout_seconds.map(|seconds| Duration::from_secs(seconds.clamp(1, LONGEST)));
    let from = Arc::clone(backend);
    let made = tokio::task::spawn_blocking(move || {
        let (call, policy) = requested_call(&from, &asked)?;
        let gate = build_gate(&from, policy, limit, &call)?;
        Ok::<_, RpcError>((gate, call))
    });
    let (gate, call) = made.await.map_err(|error| RpcError::Internal(error.to_string()))??;
    gate.watch_store();
    // Ends with this, also when whoever asks is gone.
    let _leaving = LeaveOnDrop(gate.clone());
    let ticket = gate.submit(call, &[]);
    let approval_id = ticket.approval_id();
    Ok(verdict_outcome(ticket.verdict().await, approval_id))
}

struct LeaveOnDrop(Gate);

impl Drop for LeaveOnDrop {
    fn drop(&mut self) {
        let gate = self.0.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn_blocking(move || gate.shut_down());
        }
    }
}

fn verdict_outcome(verdict: Verdict, approval_id: Option<mayi_core::approval::ApprovalId>) -> AskedOutcome {
    match verdict {
        Verdict::Allowed(authorized) => AskedOutcome {
            outcome: "allowed",
            approval_id,
            by: Some(authorized.decided_by().as_str().to_owned()),
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
fn requested_call(backend: &Backend, asked: &Asked) -> Result<(Call, Policy), RpcError> {
    refuse_judging_keys(&asked.call)?;
    let request: Request = super::record::parse_check_request(&json!({ "call": asked.call }))?;
    let checker = Checker::new(backend.sources_for(&backend.options.cwd), false);
    // Where the program says that it is gives it no folder.
    let folders = backend.opened_folders(&checker);
    let mut checker = checker.with_folders(folders);
    let judged = checker.check_request(&request).map_err(|error| RpcError::Params(error.to_string()))?;
    let mut call = judged.call;
    call.agent = AgentId::from_name(AGENT);
    call.session = SessionId(format!("request-{}", uuid::Uuid::now_v7()));
    call.title = asked.title.clone().unwrap_or_default();
    if call.raw_input == Value::Null {
        call.raw_input = asked.call.clone();
    }
    let policy = judged.loaded.map(|loaded| loaded.policy.clone()).unwrap_or_default();
    Ok((call, policy))
}

fn build_gate(
    backend: &Backend,
    policy: Policy,
    limit: Option<Duration>,
    call: &Call,
) -> Result<Gate, RpcError> {
    let writer = (backend.options.writer)().map_err(RpcError::Internal)?;
    let memory = Memory::attach(Arc::clone(&backend.options.store), writer)?;
    let keeper = FileKeeper::new(backend.sources_for(&call.cwd));
    let asking = Asking { on_ask: OnAsk::Wait, limit: limit.or(backend.options.limit) };
    let gate = Gate::with_memory(policy, asking, Box::new(keeper), memory);
    gate.open_session(Session {
        id: call.session.clone(),
        agent: call.agent.clone(),
        parent: None,
        roots: call.roots.clone(),
        cwd: call.cwd.clone(),
        mode: None,
    });
    // D6.17: No session scope where the protocol has no session.
    gate.mark_requests_independent(&call.session);
    Ok(gate)
}
