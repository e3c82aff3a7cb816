//! `session/*`.

use jsonrpsee::server::RpcModule;
use serde_json::{Value, json};

use super::{Answer, Context, Registered, allowed, method, parsed};
use crate::api::{Event, NewSession, Prompt, SessionInfo, SetBypass, SetMode, Tab, TabState, Turn};
use crate::credentials::Credential;
use crate::tabs;

pub(super) fn register(module: &mut RpcModule<Context>) -> Registered {
    module.register_async_method("session/new", |params, context, extensions| async move {
        allowed(&extensions, Credential::Answer)?;
        let wanted: NewSession = parsed(&params)?;
        let answer: Answer<SessionInfo> = Ok(tabs::open(&context.backend, wanted).await?);
        answer
    })?;
    module.register_async_method("session/close", |params, context, extensions| async move {
        allowed(&extensions, Credential::Answer)?;
        let Tab { tab_id } = parsed(&params)?;
        if let Some(tab) = context.backend.remove(&tab_id) {
            // Whoever asked may be gone before the agent is.
            let backend = std::sync::Arc::clone(&context.backend);
            let ending = tokio::spawn(async move {
                tab.end().await;
                backend.events.push(&Event::SessionClosed { tab_id });
            });
            let _ = ending.await;
        }
        let answer: Answer<Value> = Ok(json!({}));
        answer
    })?;
    // Not on a blocking thread: they start tasks.
    module.register_async_method("session/prompt", |params, context, extensions| async move {
        allowed(&extensions, Credential::Answer)?;
        let Prompt { tab_id, text, mode } = parsed(&params)?;
        let tab = context.backend.tab(&tab_id)?;
        // A prompt that can't begin changes nothing.
        let begins = tab.info().state == TabState::Idle && !text.trim().is_empty();
        if let Some(mode) = mode.filter(|_| begins) {
            tab.set_mode(mode)?;
        }
        let answer: Answer<Turn> = Ok(Turn { turn: tab.prompt(text)? });
        answer
    })?;
    module.register_async_method("session/cancel", |params, context, extensions| async move {
        allowed(&extensions, Credential::Answer)?;
        let Tab { tab_id } = parsed(&params)?;
        context.backend.tab(&tab_id)?.cancel();
        let answer: Answer<Value> = Ok(json!({}));
        answer
    })?;
    method(module, "session/list", |context, _, _: Value| Ok(context.backend.sessions()))?;
    method(module, "session/setMode", |context, _, SetMode { tab_id, mode }| {
        let tab = context.backend.tab(&tab_id)?;
        tab.set_mode(mode)?;
        Ok(tab.info())
    })?;
    method(module, "session/setBypass", |context, peer, SetBypass { tab_id, on }| {
        let tab = context.backend.tab(&tab_id)?;
        tab.set_bypass(on, &peer.name())?;
        context.backend.events.push(&Event::GrantsChanged);
        Ok(tab.info())
    })
}
