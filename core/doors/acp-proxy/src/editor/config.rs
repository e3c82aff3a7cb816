//! Modes and options: mayi's own option, and the agent's, by which an agent can be had to ask less. What the person chooses in the
//! editor, the person has chosen; what the agent chooses is another matter (`agent/modes.rs`).

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::cards::EDITOR;
use crate::in_flight::EditorAsk;
use crate::json_members::RawMembers;
use crate::line::{self, Id, Message, code};
use crate::session::{Mirror, Session};
use crate::shared::{Shared, as_it_came};
use crate::splice::TextEdit;
use mayi_acp_shared::options;
use mayi_core::approval::{AgentOption, ApprovalResponse, choice, escape_line};
use mayi_core::call::{Access, Call, Door};
use mayi_core::gate::Verdict;
use mayi_core::policy::Mode;
use mayi_doors::task::SpawnBoxed as _;

type JudgedRequest = Result<Option<(EditorAsk, String)>, (i64, String)>;

/// Categories of options that have nothing to do with asking.
const HARMLESS: &[&str] = &["model", "model_config", "thought_level"];

/// The modes that the person may choose, from the strictest.
const MODES: &[(Mode, &str, &str)] = &[
    (Mode::Plan, "Plan", "the agent may read, and nothing else"),
    (Mode::Default, "Default", "what no rule allows is asked about"),
    (
        Mode::Auto,
        "Auto (dangerous)",
        "asks only where a rule or protection says so, and before what destroys elsewhere",
    ),
];

/// What holds a list of options, or is one: with their ids where version 1 has them, and of version 2 without what only version 1
/// has.
pub(crate) fn normalize_options(mut value: Value, v2: bool) -> Value {
    if !v2 {
        return value;
    }
    if let Some(object) = value.as_object_mut() {
        object.remove("modes");
    }
    let list = if value.is_array() { Some(&mut value) } else { value.get_mut("configOptions") };
    for item in list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
        match item.get("configId").cloned() {
            Some(id) => item.insert("id".to_owned(), id),
            None => item.remove("id"),
        };
    }
    value
}

/// A list that the agent has told, read.
fn parse_options(list: Option<&str>, v2: bool) -> Value {
    normalize_options(list.and_then(|list| serde_json::from_str(list).ok()).unwrap_or_default(), v2)
}

/// What sets one of the agent's options.
pub(crate) fn set_params(session: &Session, option: &str, value: &Value) -> Value {
    let id = &session.id.0;
    if value.is_boolean() {
        json!({"sessionId": id, "configId": option, "type": "boolean", "value": value})
    } else if session.family.v2 {
        json!({"sessionId": id, "configId": option, "type": "id", "value": value})
    } else {
        json!({"sessionId": id, "configId": option, "value": value})
    }
}

/// Options that the editor sets while it opens a session (version 2): their ids, and what they are set to.
pub(super) fn initial_options(params: &Value) -> Result<Vec<(Option<String>, String)>, String> {
    let items = match params.get("configOptions") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(list) => list.as_array().ok_or("configOptions is no list")?,
    };
    let one = |item: &Value| {
        let id = item.get("configId")?.as_str()?.to_owned();
        let said = option_setting(&id, item.get("value")?);
        Some((Some(id), said))
    };
    items
        .iter()
        .map(one)
        .collect::<Option<_>>()
        .ok_or_else(|| "an option needs a configId and a value".to_owned())
}

/// What an option is set to, in a word: of a mode, the mode.
pub(crate) fn option_setting(option: &str, value: &Value) -> String {
    value.as_str().map_or_else(|| format!("{option}={value}"), str::to_owned)
}

/// Whether this option could have the agent ask less, by what it told of it.
pub(super) fn is_guarded(told: &Value, option: &str) -> bool {
    let listed = told.get("configOptions").cloned().unwrap_or_default();
    !read(&listed).iter().any(|(known, guarded, _)| known == option && !guarded)
}

/// The options of an agent's list: their ids, whether they could have it ask less, and their values.
fn read(list: &Value) -> Vec<(String, bool, Value)> {
    let one = |option: &Value| {
        let id = option.get("id")?.as_str()?.to_owned();
        let category = option.get("category").and_then(Value::as_str).unwrap_or_default();
        Some((id, !HARMLESS.contains(&category), option.get("currentValue").cloned().unwrap_or_default()))
    };
    list.as_array().into_iter().flatten().filter_map(one).collect()
}

/// Takes what the agent says of its modes and options when a session begins; `told`: its options as they stand there. `mode`: the
/// one that it is in now.
pub(crate) fn record_initial_modes(
    session: &Session,
    result: &Value,
    told: Option<String>,
    mode: Option<&str>,
) {
    let mut state = session.lock_state();
    if state.listed_options.is_none() {
        state.listed_options = told;
    }
    let listed = parse_options(state.listed_options.as_deref(), session.family.v2);
    state.agent_mode = mode.map(str::to_owned).or_else(|| state.agent_mode.take());
    state.options = read(&listed)
        .into_iter()
        .filter(|(_, guarded, _)| *guarded)
        .map(|(id, _, value)| (id, value))
        .collect();
    let ids: Vec<String> = read(&listed).into_iter().map(|(id, ..)| id).collect();
    let free = |wanted: &str| {
        let mut id = wanted.to_owned();
        while ids.contains(&id) {
            id.push('-');
        }
        id
    };
    state.option = Some(free("mayi-permissions"));
    // Editors look at nothing but options once there are any: an agent's modes are one of them then.
    let modes = result.pointer("/modes/availableModes").and_then(Value::as_array);
    state.mirror = modes.filter(|modes| ids.is_empty() && !modes.is_empty()).map(|modes| {
        let choice = |mode: &Value| {
            let id = mode.get("id")?.as_str()?;
            let name = mode.get("name").and_then(Value::as_str).unwrap_or(id);
            Some(json!({"value": id, "name": name, "description": mode.get("description")}))
        };
        let choices: Vec<Value> = modes.iter().filter_map(choice).collect();
        Mirror { id: free("mayi-agent-mode"), choices: Value::Array(choices).to_string() }
    });
}

/// The agent's list of options as the editor gets it: with mayi's own. `list`: as text; none: the last one.
pub(crate) fn amend_options(session: &Session, list: Option<&str>) -> String {
    let mode = session.gate().mode(&session.id);
    let mut state = session.lock_state();
    if let Some(list) = list {
        state.listed_options = Some(list.to_owned());
    }
    let list = state.listed_options.clone().unwrap_or_else(|| "[]".to_owned());
    let choices: Vec<Value> = MODES
        .iter()
        .filter(|(mode, ..)| *mode >= session.family.least)
        .map(|(mode, name, about)| json!({"value": mode.to_string(), "name": name, "description": about}))
        .collect();
    let id = if session.family.v2 { "configId" } else { "id" };
    let own = json!({
        id: state.option, "name": "Permissions", "description": "What mayi asks about in this session",
        "type": "select", "currentValue": mode.to_string(), "options": choices,
    });
    let mut items = own.to_string();
    if let (Some(mirror), Some(mode)) = (&state.mirror, &state.agent_mode) {
        let (id, mode) = (json!(mirror.id), json!(mode));
        let choices = &mirror.choices;
        items = format!(
            r#"{{"id":{id},"name":"Mode","category":"mode","type":"select","currentValue":{mode},"options":{choices}}},{items}"#
        );
    }
    // One of the agent's that is called like mayi's own would be taken for it.
    let own = [state.option.clone(), state.mirror.as_ref().map(|mirror| mirror.id.clone())];
    drop(state);
    let list = remove_options(&list, &own, id);
    let list = list.trim();
    TextEdit::push(list, list, &items)
        .and_then(|edit| crate::splice::apply_edits(list, vec![edit]))
        .unwrap_or_else(|| format!("[{items}]"))
}

/// The list without the options of these ids; as it stands there, where it has none of them.
fn remove_options(list: &str, ids: &[Option<String>], key: &str) -> String {
    let items: Vec<&RawValue> = serde_json::from_str(list).unwrap_or_default();
    let taken = |item: &&RawValue| {
        let id =
            RawMembers::parse(item.get()).ok().and_then(|parts| parts.text_member(key).map(Cow::into_owned));
        id.is_some() && ids.contains(&id)
    };
    if !items.iter().any(&taken) {
        return list.to_owned();
    }
    let kept: Vec<&str> = items.into_iter().filter(|item| !taken(item)).map(RawValue::get).collect();
    format!("[{}]", kept.join(","))
}

/// Options of the agent's that could have it ask less, and have another value in `list` than they should.
pub(crate) fn changed_options(session: &Session, list: &str) -> Vec<(String, Value, Value)> {
    let list = parse_options(Some(list), session.family.v2);
    let mut state = session.lock_state();
    let mut changed = Vec::new();
    for (id, guarded, value) in read(&list) {
        match state.options.get(&id) {
            // What could have it ask less once, could so whatever it is called later.
            None if !guarded => {}
            Some(before) if *before != value => changed.push((id, before.clone(), value)),
            Some(_) => {}
            // One that was not there when the session began stands as it would have been put then.
            None => match required_value(session, &list, &id, &value) {
                Some(before) => {
                    state.options.insert(id.clone(), before.clone());
                    changed.push((id, before, value));
                }
                None => {
                    state.options.insert(id, value);
                }
            },
        }
    }
    changed
}

/// What an option that is new should stand at, where that is another value than `value`: the mode in which the agent asks, if it is
/// among its values, and no for what is yes or no. A mode without that one is set back to it all the same: where the agent can't,
/// its turn ends.
fn required_value(session: &Session, list: &Value, id: &str, value: &Value) -> Option<Value> {
    let listed = list.as_array()?;
    let option = listed.iter().find(|option| option.get("id").and_then(Value::as_str) == Some(id))?;
    if value.is_boolean() {
        return (*value == Value::Bool(true)).then_some(Value::Bool(false));
    }
    let asking = session.family.asking_mode.as_deref()?;
    let is_mode = option.get("category").and_then(Value::as_str) == Some("mode");
    (value.as_str() != Some(asking) && (is_mode || has_value(option, asking))).then(|| Value::from(asking))
}

fn has_value(option: &Value, wanted: &str) -> bool {
    let has = |item: &Value| item.get("value").and_then(Value::as_str) == Some(wanted);
    let within =
        |group: &Value| group.get("options").and_then(Value::as_array).is_some_and(|of| of.iter().any(has));
    let values = option.get("options").and_then(Value::as_array).into_iter().flatten();
    values.into_iter().any(|value| has(value) || within(value))
}

/// `session/set_mode`, by the person.
pub(super) fn set_mode(
    shared: &Arc<Shared>,
    session: &Arc<Session>,
    params: &Value,
    message: &Message<'_>,
) -> JudgedRequest {
    let mode = params
        .get("modeId")
        .and_then(Value::as_str)
        .ok_or_else(|| invalid_params("session/set_mode needs a modeId"))?;
    record_chosen_mode(shared, session, mode)?;
    let before = switch_mode(session, mode);
    Ok(Some((EditorAsk::SetMode { session: Arc::clone(session), before }, as_it_came(message))))
}

/// `session/set_config_option`, by the person: mayi's own option, or one of the agent's.
pub(super) fn set_option(
    shared: &Arc<Shared>,
    session: &Arc<Session>,
    params: &Value,
    message: &Message<'_>,
    id: &Id,
) -> JudgedRequest {
    let option = params
        .get("configId")
        .and_then(Value::as_str)
        .ok_or_else(|| invalid_params("session/set_config_option needs a configId"))?;
    let value = params.get("value").cloned().unwrap_or_default();
    let (own, mirror) = {
        let state = session.lock_state();
        (state.option.clone(), state.mirror.clone())
    };
    if own.as_deref() == Some(option) {
        let mode = MODES.iter().find(|(mode, ..)| value.as_str() == Some(&mode.to_string()));
        let (mode, ..) = mode.ok_or_else(|| invalid_params("it is one of plan, default and auto"))?;
        if *mode < session.family.least {
            return Err(invalid_params("an administrator locks the mode"));
        }
        session.gate().set_mode(&session.id, *mode);
        let options = amend_options(session, None);
        shared.editor.push(line::format_result(id, &format!(r#"{{"configOptions":{options}}}"#)));
        return Ok(None);
    }
    if let Some(mode) = mirror.filter(|mirror| mirror.id == option).and(value.as_str()) {
        record_chosen_mode(shared, session, mode)?;
        set_mirrored_mode(shared, session, mode, id);
        return Ok(None);
    }
    let guarded = {
        let listed = session.lock_state().listed_options.clone();
        let listed = parse_options(listed.as_deref(), session.family.v2);
        !read(&listed).iter().any(|(known, guarded, _)| known == option && !guarded)
    };
    let mut before = None;
    if guarded {
        record_chosen_mode(shared, session, &option_setting(option, &value))?;
        before = session.lock_state().options.insert(option.to_owned(), value);
    }
    let ask = EditorAsk::SetConfig { session: Arc::clone(session), option: option.to_owned(), before };
    Ok(Some((ask, as_it_came(message))))
}

/// The person wants the agent in `mode`. Returns the one before.
pub(super) fn switch_mode(session: &Session, mode: &str) -> Option<String> {
    let mut state = session.lock_state();
    let before = state.agent_mode.clone();
    state.set_agent_mode(before.as_deref(), mode);
    before
}

/// The agent's modes, set by the option that stands for them.
fn set_mirrored_mode(shared: &Arc<Shared>, session: &Arc<Session>, mode: &str, id: &Id) {
    let before = switch_mode(session, mode);
    let (shared, session, id, mode) = (Arc::clone(shared), Arc::clone(session), id.clone(), mode.to_owned());
    shared.clone().answers.spawn_boxed(async move {
        let params = json!({"sessionId": session.id.0, "modeId": mode});
        let answer = shared.ask_agent("session/set_mode", &params, crate::agent::SETTING).await;
        let line = match answer {
            Ok(_) => {
                line::format_result(&id, &format!(r#"{{"configOptions":{}}}"#, amend_options(&session, None)))
            }
            Err(why) => {
                if let Some(before) = before {
                    session.lock_state().set_agent_mode(Some(&mode), &before);
                }
                line::format_error(
                    Some(&id),
                    code::INTERNAL,
                    &format!("the agent did not take it: {}", escape_line(&why)),
                )
            }
        };
        shared.editor.push(line);
    });
}

/// The person has chosen a mode of the agent's: recorded as an answer of theirs, unless a rule forbids it.
pub(super) fn record_chosen_mode(
    shared: &Shared,
    session: &Session,
    mode: &str,
) -> Result<(), (i64, String)> {
    let call = mode_call(session, mode, &format!("Switch the agent to its mode `{}`", escape_line(mode)));
    let picks = mode_change_options();
    // Nothing of it is shown: it is answered before anybody looks.
    let asking = shared.cards.begin_asking();
    let mut ticket = session.gate().submit(call, &picks);
    if let Some(approval) = ticket.approval_id()
        && let Some(card) =
            session.gate().waiting_cards().into_iter().find(|card| card.approval_id == approval)
    {
        let picked = format!("{}{}", choice::AGENT, SWITCH);
        let _ = session.gate().answer(ApprovalResponse::pick(&card, &picked), EDITOR);
    }
    let verdict = ticket.at_once();
    drop(asking);
    match verdict {
        Some(Verdict::Allowed(_)) => Ok(()),
        Some(Verdict::Denied(refusal)) => Err((code::DENIED, refusal.reason)),
        _ => Err((code::DENIED, "the mode could not be judged".to_owned())),
    }
}

/// The option that lets an agent go into a mode.
pub(crate) const SWITCH: &str = "mayi-switch";

/// What can be picked of a change of mode.
pub(crate) fn mode_change_options() -> Vec<AgentOption> {
    let list = json!([
        {"optionId": SWITCH, "name": "Switch the agent to this mode", "kind": "allow_once"},
        {"optionId": "mayi-stay", "name": "Stay in the mode that it is in", "kind": "reject_once"},
    ]);
    options::read(Some(&list), &mut Vec::new())
}

/// A change of the agent's own mode, as a call.
pub(crate) fn mode_call(session: &Session, mode: &str, title: &str) -> Call {
    let access = Access::Mode { id: mode.to_owned() };
    let mut call = mayi_acp_shared::side_call(
        super::gate_session(session),
        Door::AcpPermission,
        title.to_owned(),
        json!({"mode": mode}),
        vec![access],
    );
    call.kind = "switch_mode".to_owned();
    call.by_hand = Some("it is a mode of the agent's own, in which it may ask less".to_owned());
    call
}

fn invalid_params(why: &str) -> (i64, String) {
    (code::INVALID_PARAMS, why.to_owned())
}
