//! Prompts: what the model is told stands behind the person's words; and the end of a turn by the person.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::line::{Message, code};
use crate::parts::Parts;
use crate::session::Session;
use crate::shared::Shared;
use crate::splice::{Edit, apply};

/// The session of a prompt, if its parameters have one reading where mayi looks.
///
/// # Errors
/// Says what readers could disagree about.
pub(super) fn looked_at(message: &Message<'_>) -> Result<Value, String> {
    let parts = Parts::parse(message.params()).map_err(|error| error.to_string())?;
    if parts.mistaken(super::NAMES).is_some() {
        return Err("a name in it can be taken for another one".to_owned());
    }
    let id = parts.text("sessionId").ok_or("session/prompt needs a sessionId")?;
    Ok(serde_json::json!({ "sessionId": id }))
}

/// The prompt as it goes on: with what the model has to be told, and without what would have the agent ask less. A mode that it is in
/// by it is the person's choice.
///
/// # Errors
/// If it has servers that nothing stands before, or a rule forbids the mode.
pub(super) fn passed(
    shared: &Shared,
    session: &Session,
    message: &Message<'_>,
) -> Result<String, (i64, String)> {
    let wrong = |why: String| (code::INVALID_PARAMS, why);
    let beside = super::meta::read(message.params()).map_err(wrong)?;
    if beside.has_servers() {
        return Err(wrong("MCP servers go into a session when it is opened: write them where the editor has its MCP servers".to_owned()));
    }
    for mode in beside.modes(None) {
        super::config::chosen(shared, session, &mode)?;
        super::config::switched(session, &mode);
    }
    let edits = beside.edits(message.line, None, |text| shared.note(text));
    let changed = edits.and_then(|edits| if edits.is_empty() { None } else { apply(message.line, edits) });
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
    let parts = Parts::parse(message.params()).unwrap_or_default();
    let Some(blocks) = parts.get("prompt").filter(|blocks| blocks.starts_with('[')) else { return plain() };
    // A command of the agent's own takes what stands behind it as its arguments.
    if is_command(blocks) {
        return plain();
    }
    let mode = session.gate().mode(&session.id);
    let Some(told) = session.state().briefing.told(mode) else { return plain() };
    let block = serde_json::json!({"type": "text", "text": told}).to_string();
    Edit::push(message.line, blocks, &block)
        .and_then(|edit| apply(message.line, vec![edit]))
        .unwrap_or_else(plain)
}

fn is_command(blocks: &str) -> bool {
    let blocks: Vec<&RawValue> = serde_json::from_str(blocks).unwrap_or_default();
    let first = blocks.first().and_then(|first| Parts::parse(first.get()).ok());
    first.and_then(|first| first.text("text").map(|text| text.starts_with('/'))).unwrap_or(false)
}

/// The person cancels the turn: all that waits in it, and in what works for it, is answered with that at once.
pub(crate) fn cancel(shared: &Shared, session: &Arc<Session>) {
    session.cancel();
    withdraw(shared, session);
}

/// What waits in a turn that is gone, and what was approved in it, counts no more.
pub(crate) fn withdraw(shared: &Shared, session: &Arc<Session>) {
    let family: Vec<_> = shared.family(session);
    family.iter().for_each(|one| one.state().approved.clear());
    session.gate().cancel(&session.root().id);
}
