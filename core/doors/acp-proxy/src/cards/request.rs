//! The request that a question is in the editor: the agent's own, with all that was judged in it, or one of mayi's.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::offers::{Offer, is_empty, offers_to_json};
use super::preview;
use super::words::{card_title, is_line, touched_lines};
use crate::json_members::RawMembers;
use crate::splice::{TextEdit, apply_edits, quote_json};
use mayi_core::approval::{Card, escape_line};

/// So many notes on what could not be shown are named.
const MOST: usize = 20;

/// What a question is about, beside what was judged.
#[derive(Clone, Copy)]
pub(super) struct CardContext<'s> {
    /// The agent's own tool call.
    pub(super) agents: Option<&'s str>,
    /// What a tool call is called that mayi shows in its place.
    pub(super) own: &'s str,
    /// The parameters of the agent's own request.
    pub(super) agent_params: Option<&'s str>,
    /// Where its session works.
    pub(super) cwd: &'s str,
    /// Whether version 2 of the protocol is spoken.
    pub(super) v2: bool,
}

/// The parameters of `session/request_permission`.
pub(super) fn request_params(card: &Card, about: CardContext<'_>, offers: &[Offer]) -> String {
    let options = offers_to_json(offers);
    if about.v2 {
        return preview::preview_params(card, about, &options);
    }
    let amended = about.agent_params.and_then(|asked| amend_request(card, about, asked, &options));
    amended.unwrap_or_else(|| make_request(card, about, &options))
}

/// The agent's own request with other options, and with what was left out of it and judged.
fn amend_request(card: &Card, about: CardContext<'_>, asked: &str, options: &str) -> Option<String> {
    let parts = RawMembers::parse(asked).ok()?;
    // What else an editor may show of it was not judged.
    if parts.iter().any(|(name, _)| is_shown(name)) || has_dialog(&parts) {
        return None;
    }
    let object = parts.get("toolCall")?;
    let call = RawMembers::parse(object).ok()?;
    if has_dialog(&call) {
        return None;
    }
    let mut edits = vec![TextEdit::set_member(asked, asked, &parts, "options", options)?];
    let absent = |name: &str| call.parsed_member(name).is_none_or(|value| is_empty(&value));
    let known = card_fields(card);
    // Several members that are new go in at one place, one behind the other.
    let mut fresh: Vec<(&str, String)> = Vec::new();
    for (name, value) in &known {
        if absent(name) && !is_empty(value) {
            fresh.push((name, value.to_string()));
        }
    }
    if !absent("title") {
        fresh.push(("title", json!(card_title(card)).to_string()));
    }
    if call.get("status").is_some_and(|status| status != r#""pending""#) {
        fresh.push(("status", json!("pending").to_string()));
    }
    let told = call.get("content").filter(|content| content.starts_with('[') && !absent("content"));
    match told.map(|content| (content, serde_json::from_str::<Vec<&RawValue>>(content))) {
        Some((content, items)) => {
            let untold = untold_diffs(card, content).map(Value::to_string);
            let items = untold.chain(items.ok()?.into_iter().map(|item| item.get().to_owned())).collect();
            fresh.push(("content", with_explanation(items, card, about)));
        }
        None => {
            fresh.retain(|(name, _)| *name != "content");
            fresh.push(("content", request_content(card, about)));
        }
    }
    // A question of a session that the editor does not know is asked in the one that works for it.
    if parts.text_member("sessionId").is_none_or(|told| told != card.session_id) {
        edits.push(TextEdit::set_member(asked, asked, &parts, "sessionId", &quote_json(&card.session_id))?);
    }
    for (name, value) in fresh {
        edits.push(TextEdit::set_member(asked, object, &call, name, &value)?);
    }
    apply_edits(asked, edits)
}

/// The diffs of the card that the agent's own `content` has not: its input alone tells them.
fn untold_diffs<'c>(card: &'c Card, content: &str) -> impl Iterator<Item = &'c Value> {
    let is_diff = |item: &&Value| item.get("type").and_then(Value::as_str) == Some("diff");
    let told: Vec<Value> = serde_json::from_str(content).unwrap_or_default();
    let same = |one: &Value, other: &Value| {
        ["path", "oldText", "newText"].iter().all(|name| one.get(*name) == other.get(*name))
            || one.get("oldText").is_none()
                && other.get("oldText").is_some_and(Value::is_null)
                && ["path", "newText"].iter().all(|name| one.get(*name) == other.get(*name))
    };
    let diffs = card.tool_call.content.as_array().into_iter().flatten().filter(is_diff);
    diffs.filter(move |diff| !told.iter().any(|one| same(one, diff)))
}

/// A request of mayi's own, for what came in at another door.
fn make_request(card: &Card, about: CardContext<'_>, options: &str) -> String {
    let mut call = Map::new();
    let id = about.agents.unwrap_or(about.own);
    call.insert("toolCallId".to_owned(), json!(id));
    call.insert("status".to_owned(), json!("pending"));
    for (name, value) in card_fields(card) {
        if !is_empty(&value) && name != "content" {
            call.insert(name.to_owned(), value);
        }
    }
    let call = Value::Object(call).to_string();
    let members = call.strip_suffix('}').unwrap_or_default();
    format!(
        r#"{{"sessionId":{},"toolCall":{members},"content":{}}},"options":{options}}}"#,
        json!(card.session_id),
        request_content(card, about)
    )
}

/// What was judged, in the protocol's members.
pub(super) fn card_fields(card: &Card) -> Vec<(&'static str, Value)> {
    let call = &card.tool_call;
    vec![
        ("title", json!(card_title(card))),
        ("kind", json!(protocol_kind(&call.kind))),
        ("rawInput", call.raw_input.clone()),
        ("locations", json!(call.locations)),
        ("content", call.content.clone()),
    ]
}

/// What was judged to be in it, with mayi's own words.
fn request_content(card: &Card, about: CardContext<'_>) -> String {
    let told = card.tool_call.content.as_array().into_iter().flatten();
    with_explanation(told.map(Value::to_string).collect(), card, about)
}

/// Items of a call's content with mayi's own words among them, as text: behind the diffs, since some editors look at the first item
/// alone to know whether there is one, and before all that the agent says in words.
fn with_explanation(items: Vec<String>, card: &Card, about: CardContext<'_>) -> String {
    let is_diff = |item: &String| {
        RawMembers::parse(item)
            .is_ok_and(|parts| parts.text_member("type").is_some_and(|kind| kind == "diff"))
    };
    let (mut all, words): (Vec<String>, Vec<String>) = items.into_iter().partition(is_diff);
    all.push(explanation_block(card, about).to_string());
    all.extend(words);
    format!("[{}]", all.join(","))
}

/// Members beside the call that some editors show.
fn is_shown(name: &str) -> bool {
    ["title", "description", "message", "subject"].contains(&&*mayi_core::policy::fold_text(name))
}

/// Whether an object's `_meta` has words of its own for an editor's dialog: some show them in place of what was judged.
pub(super) fn has_dialog(parts: &RawMembers<'_>) -> bool {
    let dialogs = |(name, value): (&str, &str)| {
        mayi_core::policy::fold_text(name.trim()) == "_meta"
            && serde_json::from_str(value).map_or(true, |meta: Value| names_dialog(&meta))
    };
    parts.iter().any(dialogs)
}

fn names_dialog(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(name, value)| {
            let words = matches!(value, Value::Object(_) | Value::Array(_));
            words && mayi_core::policy::fold_text(name.trim()) == "permission" || names_dialog(value)
        }),
        Value::Array(items) => items.iter().any(names_dialog),
        _ => false,
    }
}

/// Maximum length of what mayi's words have of the arguments and of the agent's own words, in characters.
const ARGUMENTS: usize = 2000;
const SAID: usize = 4000;

/// What the agent itself calls it, marked as that; none where that says nothing more.
pub(super) fn agents_words<'w>(card: &Card, said: impl IntoIterator<Item = &'w str>) -> String {
    let says_more = |text: &&str| {
        let bare = text.trim().trim_matches('`');
        let known = is_line(card, bare) || card.accesses.iter().any(|access| access.display == bare);
        !bare.is_empty() && !known
    };
    let lines = said.into_iter().filter(says_more);
    lines.map(|text| format!("\nThe agent says: {}", truncate_visible(text, SAID))).collect()
}

/// As much of a text as is shown, with what can't be seen written out.
pub(super) fn truncate_visible(text: &str, most: usize) -> String {
    let start: String = text.chars().take(most).collect();
    let rest = text.chars().count().saturating_sub(most);
    let more = if rest == 0 { String::new() } else { format!("… (not shown: {rest} characters)") };
    format!("{}{more}", escape_line(&start))
}

/// What would be touched and why it is asked, in mayi's words.
fn explanation_block(card: &Card, about: CardContext<'_>) -> Value {
    let text = explain_card(card, about) + &agents_words(card, [card.tool_call.title.as_str()]);
    json!({"type": "content", "content": {"type": "text", "text": text}})
}

/// The same as text.
pub(super) fn explain_card(card: &Card, about: CardContext<'_>) -> String {
    let mut lines = touched_lines(card);
    if card.cwd != about.cwd && card.accesses.iter().any(|access| matches!(&*access.access, "shell")) {
        lines.push(format!("in {}", escape_line(&card.cwd)));
    }
    if card.accesses.iter().any(|access| matches!(&*access.access, "mcp" | "tool"))
        && !is_empty(&card.tool_call.raw_input)
    {
        lines.push(format!("with {}", truncate_visible(&card.tool_call.raw_input.to_string(), ARGUMENTS)));
    }
    if let Some(open) = &card.tool_call.open_input {
        lines.push(format!("with {}", truncate_visible(&open.to_string(), ARGUMENTS)));
    }
    if let Some(why) = card.why.first() {
        lines.push(format!("because: {}", escape_line(&why.reason)));
    }
    lines.extend(card.not_shown.iter().take(MOST).map(|what| format!("not shown: {}", escape_line(what))));
    format!("mayi asks:\n{}", lines.join("\n"))
}

/// The protocol's word for a kind of call.
fn protocol_kind(kind: &str) -> &str {
    match kind {
        "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" => {
            kind
        }
        "write" | "create" => "edit",
        "shell" => "execute",
        "mode" => "switch_mode",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S4.12, attack 496.
    #[test]
    fn given_words_for_a_dialog_at_any_depth_then_they_are_found() {
        for meta in [
            json!({"permission": {"title": "x"}}),
            json!({"jetbrains": {"air": {"version": 1, "permission": {"title": "x"}}}}),
            json!({"a": [{"PERMISSION ": {"title": "x"}}]}),
            json!({"\u{ff50}ermission": []}),
        ] {
            let text = json!({"_meta": meta}).to_string();
            assert!(has_dialog(&RawMembers::parse(&text).unwrap()), "{text}");
        }
        for meta in [json!({"permission": "asked", "permissions": {"title": "x"}}), json!(null)] {
            let text = json!({"_meta": meta, "permission": {}}).to_string();
            assert!(!has_dialog(&RawMembers::parse(&text).unwrap()), "{text}");
        }
    }
}
