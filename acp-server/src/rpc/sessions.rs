//! `session/*`.

use jsonrpsee::server::RpcModule;
use mayi_doors::task::spawn;
use serde_json::{Value, json};

use super::{MethodResult, RegisterResult, RpcContext, add_answer_method, parse_params, require_credential};
use crate::api::{Event, NewSession, Prompt, SessionInfo, SetBypass, SetMode, Tab, TabState, Turn};
use crate::credentials::Credential;
use crate::tabs;

pub(super) fn register_methods(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    module.register_async_method("session/new", |params, context, extensions| async move {
        require_credential(&extensions, Credential::Answer)?.require_person_soon().await?;
        let wanted: NewSession = parse_params(&params)?;
        let answer: MethodResult<SessionInfo> = Ok(tabs::open(&context.backend, wanted).await?);
        answer
    })?;
    module.register_async_method("session/close", |params, context, extensions| async move {
        require_credential(&extensions, Credential::Answer)?;
        let Tab { tab_id } = parse_params(&params)?;
        if let Some(tab) = context.backend.remove_tab(&tab_id) {
            // Whoever asked may be gone before the agent is.
            let backend = std::sync::Arc::clone(&context.backend);
            let ending = spawn(async move {
                tab.end().await;
                backend.events.push(&Event::SessionClosed { tab_id });
            });
            let _ = ending.await;
        }
        let answer: MethodResult<Value> = Ok(json!({}));
        answer
    })?;
    // Not on a blocking thread: they start tasks.
    module.register_async_method("session/prompt", |params, context, extensions| async move {
        require_credential(&extensions, Credential::Answer)?.require_person_soon().await?;
        let Prompt { tab_id, text, mode } = parse_params(&params)?;
        let tab = context.backend.tab(&tab_id)?;
        // A prompt that can't begin changes nothing.
        let begins = tab.session_info().state == TabState::Idle && !text.trim().is_empty();
        if let Some(mode) = mode.filter(|_| begins) {
            tab.set_mode(mode)?;
        }
        let answer: MethodResult<Turn> = Ok(Turn { turn: tab.begin_turn(text)? });
        answer
    })?;
    module.register_async_method("session/cancel", |params, context, extensions| async move {
        require_credential(&extensions, Credential::Answer)?;
        let Tab { tab_id } = parse_params(&params)?;
        context.backend.tab(&tab_id)?.cancel_turn();
        let answer: MethodResult<Value> = Ok(json!({}));
        answer
    })?;
    add_answer_method(module, "session/list", |context, _, _: Value| Ok(context.backend.session_infos()))?;
    add_answer_method(module, "session/setMode", |context, peer, SetMode { tab_id, mode }| {
        peer.require_person()?;
        let tab = context.backend.tab(&tab_id)?;
        tab.set_mode(mode)?;
        Ok(tab.session_info())
    })?;
    add_answer_method(module, "session/setBypass", |context, peer, SetBypass { tab_id, on }| {
        peer.require_person()?;
        let tab = context.backend.tab(&tab_id)?;
        tab.set_bypass(on, &peer.name())?;
        context.backend.events.push(&Event::GrantsChanged);
        Ok(tab.session_info())
    })
}
