//! `host/*`: apps with a model loop of their own. Each session is named by a key that only its app has, so none sees or
//! names another's; answers are `approval/respond`, for whoever may answer.

use std::sync::{Arc, Weak};
use std::time::Duration;

use jsonrpsee::server::{RpcModule, SubscriptionSink};
use mayi_core::store::StoredGrant;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::record::{grant_info, live_grants, revoke_grants, shown_grants};
use super::{MethodResult, RegisterResult, RpcContext, add_ask_method, parse_params, require_credential};
use crate::api::{
    GrantInfo, HostAsk, HostAwait, HostClose, HostEvent, HostKey, HostOpen, HostOutcome, HostReport,
    HostRevoke, HostSetMode, HostToolbelt, HostTools, HostVerdict, HostWithdraw,
};
use crate::credentials::Credential;
use crate::error::RpcError;
use crate::front::Peer;
use crate::hosts::{self, HostChat};

pub(super) fn register_methods(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    // Not on a blocking thread alone: a gate has tasks.
    module.register_async_method("host/open", |params, context, extensions| async move {
        let peer = require_credential(&extensions, Credential::Ask)?;
        if peer.credential == Credential::Answer {
            peer.require_person_soon().await?;
        }
        let (wanted, backend): (HostOpen, _) = (parse_params(&params)?, Arc::clone(&context.backend));
        let opened = tokio::task::spawn_blocking(move || {
            hosts::open(&backend, wanted, peer.credential).map(|chat| chat.info())
        });
        Ok::<_, jsonrpsee::types::ErrorObjectOwned>(
            opened.await.map_err(|error| RpcError::Internal(error.to_string()))??,
        )
    })?;
    module.register_async_method("host/ask", |params, context, extensions| async move {
        let peer = require_credential(&extensions, Credential::Ask)?;
        let asked: HostAsk = parse_params(&params)?;
        let chat = context.backend.hosts.session(&asked.key, peer.credential)?;
        let places = (!chat.may_answer()).then(|| Arc::clone(&context.asking));
        let outcome = chat.ask(asked, places).await?;
        record_shown(&peer, &outcome);
        let answer: MethodResult<HostOutcome> = Ok(outcome);
        answer
    })?;
    module.register_async_method("host/outcome", |params, context, extensions| async move {
        let peer = require_credential(&extensions, Credential::Ask)?;
        let HostAwait { key, call_id, wait_seconds, seen } = parse_params(&params)?;
        let chat = context.backend.hosts.session(&key, peer.credential)?;
        let outcome =
            chat.await_outcome(&call_id, wait_seconds.map(Duration::from_secs), seen.as_deref()).await?;
        record_shown(&peer, &outcome);
        let answer: MethodResult<HostOutcome> = Ok(outcome);
        answer
    })?;
    add_host_method(module, "host/get", |_, _, chat, _: HostKey| Ok(chat.info()))?;
    add_host_method(module, "host/setMode", |_, peer, chat, wanted: HostSetMode| {
        if peer.credential == Credential::Answer {
            peer.require_person()?;
        }
        chat.set_mode(wanted.mode)?;
        Ok(chat.info())
    })?;
    add_host_method(module, "host/tools", |_, _, chat, wanted: HostTools| {
        Ok(HostToolbelt { tools: chat.offer_tools(wanted.tools)? })
    })?;
    add_host_method(module, "host/withdraw", |_, _, chat, wanted: HostWithdraw| {
        chat.withdraw(wanted.call_id.as_deref()).map(|()| json!({}))
    })?;
    add_host_method(module, "host/report", |_, _, chat, wanted: HostReport| {
        chat.report(&wanted.call_id, wanted.status).map(|()| json!({}))
    })?;
    add_host_method(module, "host/grants", |context, _, chat, _: HostKey| {
        let live = live_grants(&context.backend)?;
        let own: Vec<_> = live.into_iter().filter(|grant| chat.remembers(grant)).collect();
        Ok(shown_grants(&own).map(grant_info).collect::<Vec<GrantInfo>>())
    })?;
    add_host_method(module, "host/revoke", |context, peer, chat, wanted: HostRevoke| {
        let live = live_grants(&context.backend)?;
        let own: Vec<_> = live.into_iter().filter(|grant| chat.remembers(grant)).collect();
        let meant =
            |grant: &&StoredGrant| wanted.ids.as_ref().is_none_or(|ids| ids.contains(&grant.id.to_string()));
        // An answer ends as a whole.
        let named: Vec<_> = shown_grants(&own).filter(meant).map(|grant| grant.id).collect();
        revoke_grants(&context.backend, |grant| named.contains(&grant.id), &peer.name())
    })?;
    add_host_method(module, "host/close", |context, _, chat, wanted: HostClose| {
        context.backend.hosts.close(chat, wanted.forget);
        Ok(json!({}))
    })
}

/// Adds a method about one session, which works on blocking files, and answers soon.
fn add_host_method<P, R, F>(module: &mut RpcModule<RpcContext>, name: &'static str, call: F) -> RegisterResult
where
    P: serde::de::DeserializeOwned,
    R: serde::Serialize + Clone + Send + 'static,
    F: Fn(&RpcContext, &Peer, &Arc<HostChat>, P) -> Result<R, RpcError> + Clone + Send + Sync + 'static,
{
    add_ask_method(module, name, move |context, peer, wanted: Value| {
        let key = wanted.get("key").and_then(Value::as_str).unwrap_or_default().to_owned();
        let wanted: P = serde_json::from_value(wanted)
            .map_err(|error| RpcError::Params(format!("the parameters are not understood: {error}")))?;
        let chat = context.backend.hosts.session(&key, peer.credential)?;
        call(context, peer, &chat, wanted)
    })
}

/// The app may show it, and its user answer it.
fn record_shown(peer: &Peer, outcome: &HostOutcome) {
    if let (HostVerdict::Asked, Some(card)) = (outcome.outcome, &outcome.card) {
        peer.record_shown(card.approval_id, &card.digest);
    }
}

/// `host/subscribe`, for whoever comes by a WebSocket.
pub(super) fn register_events(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    module
        .register_subscription(
            "host/subscribe",
            "host/event",
            "host/unsubscribe",
            |params, pending, context, extensions| async move {
                let chat = require_credential(&extensions, Credential::Ask).and_then(|peer| {
                    let HostKey { key } = parse_params(&params)?;
                    Ok((context.backend.hosts.session(&key, peer.credential)?, peer))
                });
                let (chat, peer) = match chat {
                    Ok(found) => found,
                    Err(refused) => return pending.reject(refused).await,
                };
                if let Ok(sink) = pending.accept().await {
                    follow_session(chat, &peer, &sink).await;
                }
            },
        )
        .map(|_| ())
}

/// Says to whoever may subscribe that they have to come over a WebSocket.
pub(super) fn register_refusals(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    for name in ["host/subscribe", "host/unsubscribe"] {
        add_ask_method(module, name, |_, _, _: Value| -> Result<(), RpcError> { Err(RpcError::NoSocket) })?;
    }
    Ok(())
}

/// Tells what happens in a session, which does not go on for it.
async fn follow_session(chat: Arc<HostChat>, peer: &Peer, sink: &SubscriptionSink) {
    let mut events = chat.subscribe();
    let session = Arc::downgrade(&chat);
    drop(chat);
    let Some(first) = session_text(&session, peer).await else { return };
    if sink.send(first).await.is_err() {
        return;
    }
    loop {
        let told = tokio::select! {
            told = events.recv() => told,
            () = sink.closed() => return,
        };
        let (text, last) = match told {
            Ok(told) => {
                if let Some((id, digest)) = &told.shows {
                    peer.record_shown(*id, digest);
                }
                (told.text.clone(), told.last)
            }
            // Everything as it is now, in place of what is gone.
            Err(RecvError::Lagged(_)) => match session_text(&session, peer).await {
                Some(text) => (text, false),
                None => return,
            },
            Err(RecvError::Closed) => return,
        };
        if sink.send(text).await.is_err() || last {
            return;
        }
    }
}

/// The session as it is now, as an event; none, where it is gone.
async fn session_text(session: &Weak<HostChat>, peer: &Peer) -> Option<Box<RawValue>> {
    let chat = session.upgrade()?;
    let session = tokio::task::spawn_blocking(move || chat.info()).await.ok()?;
    session.waiting.iter().for_each(|outcome| record_shown(peer, outcome));
    serde_json::value::to_raw_value(&HostEvent::Session { session: Box::new(session) }).ok()
}
