//! Prompts: what the model is told stands behind the person's words; and the end of a turn by the person.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::json_members::RawMembers;
use crate::line::{Message, code};
use crate::session::Session;
use crate::shared::Shared;
use crate::splice::{TextEdit, apply_edits};

/// The session of a prompt, if its parameters have one reading where mayi looks.
///
/// # Errors
/// Says what readers could disagree about.
pub(super) fn parse_prompt_params(message: &Message<'_>) -> Result<Value, String> {
    let parts = RawMembers::parse(message.raw_params()).map_err(|error| error.to_string())?;
    if parts.confusable_name(super::NAMES).is_some() {
        return Err("a name in it can be taken for another one".to_owned());
    }
    let id = parts.text_member("sessionId").ok_or("session/prompt needs a sessionId")?;
    Ok(serde_json::json!({ "sessionId": id }))
}

/// The prompt as it goes on: with what the model has to be told, and without what would have the agent ask less. A mode that it is in
/// by it is the person's choice.
///
/// # Errors
/// If it has servers that nothing stands before, or a rule forbids the mode.
pub(super) fn amend_prompt(
    shared: &Shared,
    session: &Session,
    message: &Message<'_>,
) -> Result<String, (i64, String)> {
    let wrong = |why: String| (code::INVALID_PARAMS, why);
    let beside = super::meta::read(message.raw_params()).map_err(wrong)?;
    if beside.has_servers() {
        return Err(wrong("MCP servers go into a session when it is opened: write them where the editor has its MCP servers".to_owned()));
    }
    for mode in beside.chosen_modes(None) {
        super::config::record_chosen_mode(shared, session, &mode)?;
        super::config::switch_mode(session, &mode);
    }
    let edits = beside.make_edits(message.line, None, |text| shared.log_notice(text));
    let changed =
        edits.and_then(|edits| if edits.is_empty() { None } else { apply_edits(message.line, edits) });
    match changed {
        None => Ok(with_briefing(session, message)),
        Some(line) => {
            let message = crate::line::read(&line).map_err(|refused| wrong(refused.why))?;
            Ok(with_briefing(session, &message))
        }
    }
}

/// The prompt with what the model has to be told, if there is something and a place for it.
fn with_briefing(session: &Session, message: &Message<'_>) -> String {
    let plain = || message.line.to_owned();
    let parts = RawMembers::parse(message.raw_params()).unwrap_or_default();
    let Some(blocks) = parts.get("prompt").filter(|blocks| blocks.starts_with('[')) else { return plain() };
    // A command of the agent's own takes what stands behind it as its arguments.
    if is_command(blocks) {
        return plain();
    }
    let mode = session.gate().mode(&session.id);
    let Some(told) = session.lock_state().briefing.text_for_prompt(mode) else { return plain() };
    let block = serde_json::json!({"type": "text", "text": told}).to_string();
    TextEdit::push(message.line, blocks, &block)
        .and_then(|edit| apply_edits(message.line, vec![edit]))
        .unwrap_or_else(plain)
}

fn is_command(blocks: &str) -> bool {
    let blocks: Vec<&RawValue> = serde_json::from_str(blocks).unwrap_or_default();
    let first = blocks.first().and_then(|first| RawMembers::parse(first.get()).ok());
    first.and_then(|first| first.text_member("text").map(|text| text.starts_with('/'))).unwrap_or(false)
}

/// The person cancels the turn: all that waits in it, and in what works for it, is answered with that at once.
pub(crate) fn cancel_turn(shared: &Shared, session: &Arc<Session>) {
    session.cancel_turn();
    withdraw_turn(shared, session);
}

/// What waits in a turn that is gone, and what was approved in it, counts no more.
pub(crate) fn withdraw_turn(shared: &Shared, session: &Arc<Session>) {
    let family: Vec<_> = shared.family_sessions(session);
    family.iter().for_each(|one| one.lock_state().approved.clear());
    session.gate().cancel_turn(&session.root().id);
}
