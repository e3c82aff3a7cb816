//! The request that a question is in version 2 of the protocol: mayi's own words are its title and its description, with what the
//! agent says marked as that; what it is about stays as it came, with what was left out of it and judged.

use serde_json::{Map, Value, json};

use super::offers::is_empty;
use super::request::{CardContext, agents_words, card_fields, explain_card, has_dialog};
use super::words::card_title;
use crate::json_members::RawMembers;
use crate::splice::{TextEdit, apply_edits, quote_json};
use mayi_core::approval::{Card, escape_line};

/// The members of the agent's own request that an editor shows and that are looked at here.
const KNOWN: &[&str] = &["sessionId", "title", "description", "subject", "options", "_meta"];

/// The parameters of `session/request_permission`.
pub(super) fn preview_params(card: &Card, about: CardContext<'_>, options: &str) -> String {
    let amended = about.agent_params.and_then(|asked| amend_request(card, about, asked, options));
    amended.unwrap_or_else(|| make_request(card, about, options))
}

fn amend_request(card: &Card, about: CardContext<'_>, asked: &str, options: &str) -> Option<String> {
    let parts = RawMembers::parse(asked).ok()?;
    let other = |name: &str| !KNOWN.contains(&name) && !name.starts_with('_') && is_shown(name);
    if parts.iter().any(|(name, _)| other(name)) || has_dialog(&parts) {
        return None;
    }
    let mut edits = vec![
        TextEdit::set_member(asked, asked, &parts, "options", options)?,
        TextEdit::set_member(asked, asked, &parts, "title", &quote_json(&card_title(card)))?,
    ];
    let description = quote_json(&card_description(card, about));
    let mut behind = Vec::new();
    match parts.get("description") {
        Some(_) => edits.push(TextEdit::set_member(asked, asked, &parts, "description", &description)?),
        None => behind.push(("description", description)),
    }
    if let Some(object) = parts.get("subject").filter(|subject| subject.starts_with('{')) {
        let subject = RawMembers::parse(object).ok()?;
        if has_dialog(&subject) {
            return None;
        }
        if let Some(object) = subject.get("toolCall") {
            edits.extend(fill_tool_call(card, asked, object)?);
        }
    }
    for (name, value) in behind {
        edits.push(TextEdit::set_member(asked, asked, &parts, name, &value)?);
    }
    apply_edits(asked, edits)
}

/// A tool call with what was judged of it and is emptied in it.
fn fill_tool_call(card: &Card, asked: &str, object: &str) -> Option<Vec<TextEdit>> {
    let call = RawMembers::parse(object).ok()?;
    if has_dialog(&call) {
        return None;
    }
    let mut edits = Vec::new();
    // What is of version 1 in it, an editor does not show.
    if call.parsed_member("content").is_some_and(|content| has_old_diff(&content)) {
        return None;
    }
    for (name, value) in card_fields(card) {
        let told = call.parsed_member(name);
        let value = if name == "content" { preview_content(card) } else { value };
        // What is left out stays with the editor as it was told before.
        if told.is_some_and(|told| is_empty(&told)) && !is_empty(&value) {
            edits.push(TextEdit::set_member(asked, object, &call, name, &value.to_string())?);
        }
    }
    if call.get("status").is_some_and(|status| status != r#""pending""#) {
        edits.push(TextEdit::set_member(asked, object, &call, "status", r#""pending""#)?);
    }
    Some(edits)
}

/// A request of mayi's own, for what came in at another door, and for what can't be shown as the agent has it.
fn make_request(card: &Card, about: CardContext<'_>, options: &str) -> String {
    let mut request = Map::new();
    request.insert("sessionId".to_owned(), json!(card.session_id));
    request.insert("title".to_owned(), json!(card_title(card)));
    request.insert("description".to_owned(), json!(card_description(card, about)));
    if let Some(id) = about.agents {
        let mut call = Map::new();
        call.insert("toolCallId".to_owned(), json!(id));
        for (name, value) in card_fields(card) {
            let value = if name == "content" { preview_content(card) } else { value };
            if !is_empty(&value) {
                call.insert(name.to_owned(), value);
            }
        }
        request.insert("subject".to_owned(), json!({"type": "tool_call", "toolCall": call}));
    }
    let text = Value::Object(request).to_string();
    let parts = RawMembers::parse(&text).unwrap_or_default();
    let with = TextEdit::set_member(&text, &text, &parts, "options", options);
    with.and_then(|edit| apply_edits(&text, vec![edit])).unwrap_or_default()
}

/// Members beside those of the protocol that some editors show.
fn is_shown(name: &str) -> bool {
    ["toolcall", "message", "command", "content"].contains(&&*mayi_core::policy::fold_text(name))
}

/// What is judged and why it is asked, in mayi's words; behind it what the agent says, as that.
fn card_description(card: &Card, about: CardContext<'_>) -> String {
    let asked = about.agent_params.and_then(|asked| RawMembers::parse(asked).ok()).unwrap_or_default();
    let said = |name: &str| asked.text_member(name).filter(|text| !text.trim().is_empty());
    let (title, description) = (said("title"), said("description"));
    let title = title.as_deref().unwrap_or(&card.tool_call.title);
    explain_card(card, about)
        + &agents_words(card, [Some(title), description.as_deref()].into_iter().flatten())
}

/// What was judged to be in it. Diffs of version 1 are text here, since version 2 has none of that shape.
fn preview_content(card: &Card) -> Value {
    let items = card.tool_call.content.as_array().cloned().unwrap_or_default();
    let block = |text: String| json!({"type": "content", "content": {"type": "text", "text": text}});
    let one = |item: Value| {
        if item.get("type").and_then(Value::as_str) != Some("diff") {
            return item;
        }
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
        let lines = |sign: char, text: &str| -> String {
            text.lines().map(|line| format!("\n{sign}{}", escape_line(line))).collect()
        };
        block(format!(
            "{}{}{}",
            escape_line(text("path")),
            lines('-', text("oldText")),
            lines('+', text("newText"))
        ))
    };
    items.into_iter().map(one).collect()
}

fn has_old_diff(content: &Value) -> bool {
    let old = |item: &Value| {
        item.get("type").and_then(Value::as_str) == Some("diff") && item.get("changes").is_none()
    };
    content.as_array().is_some_and(|items| items.iter().any(old))
}
