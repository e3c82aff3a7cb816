//! The agent's own modes and options, where the agent itself changes them. It may go into the mode in which it asks; into any
//! other one only where the person agrees. Until then it is set back, and where that is not possible, its turn is cancelled.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::tripwire::stop_turn;
use crate::editor::{
    SWITCH, amend_options, changed_options, mode_call, mode_change_options, normalize_options,
    option_setting, set_params,
};
use crate::session::Session;
use crate::shared::Shared;
use mayi_core::approval::escape_line;
use mayi_core::call::Door;
use mayi_core::gate::{ReportedEnd, Verdict};
use mayi_doors::task::SpawnBoxed as _;

/// So often an agent is set back before its turn ends by that.
const TRIES: usize = 5;

/// How long an agent may take to set a mode of its own.
pub(crate) const SETTING: Duration = Duration::from_secs(10);

/// The agent says that it is in `mode` now. Whether that goes on to the editor.
pub(super) fn observe_mode(shared: &Arc<Shared>, session: &Arc<Session>, mode: &str, text: &str) -> bool {
    let before = {
        let mut state = session.lock_state();
        let asks = session.family.asking_mode.as_deref() == Some(mode);
        if state.agent_mode.as_deref() == Some(mode) || asks {
            state.agent_mode = Some(mode.to_owned());
            return true;
        }
        // Nothing was ever said of a mode, where a sub-agent's first word of its own is no change.
        let first = state.agent_mode.is_none() && !session.is_root();
        if state.replays || first && session.family.asking_mode.is_none() {
            // Unless its answer says another one, it is in the last of these.
            state.agent_mode = Some(mode.to_owned());
            return true;
        }
        if state.agreed_modes.remove(mode) {
            state.agent_mode = Some(mode.to_owned());
            return true;
        }
        if !state.begin_set_back(mode) {
            return false;
        }
        state.agent_mode.clone()
    };
    let back = before.map(|before| json!({"sessionId": session.id.0, "modeId": before}));
    let there = json!({"sessionId": session.id.0, "modeId": mode});
    let change = SettingChange {
        shared: Arc::clone(shared),
        session: Arc::clone(session),
        method: "session/set_mode",
        name: mode.to_owned(),
        revert_params: back,
        apply_params: there,
        told: text.to_owned(),
        setting: ChangedSetting::Mode,
    };
    shared.answers.spawn_boxed(change.revert_and_ask());
    false
}

/// The agent says what its options are now. Whether that goes on to the editor.
pub(super) fn observe_options(shared: &Arc<Shared>, session: &Arc<Session>, list: &str) -> bool {
    let mut passes = true;
    for (option, before, value) in changed_options(session, list) {
        let name = option_setting(&option, &value);
        {
            let mut state = session.lock_state();
            if session.family.asking_mode.as_deref() == Some(&name) || state.replays {
                state.options.insert(option, value);
                continue;
            }
            if state.agreed_modes.remove(&name) {
                state.options.insert(option, value);
                continue;
            }
            passes = false;
            if !state.begin_set_back(&name) {
                continue;
            }
        }
        let set = |value: &Value| set_params(session, &option, value);
        let change = SettingChange {
            shared: Arc::clone(shared),
            session: Arc::clone(session),
            method: "session/set_config_option",
            name,
            revert_params: Some(set(&before)),
            apply_params: set(&value),
            told: String::new(),
            setting: ChangedSetting::Option(option, value),
        };
        shared.answers.spawn_boxed(change.revert_and_ask());
    }
    passes
}

enum ChangedSetting {
    Mode,
    Option(String, Value),
}

/// A change that the agent has made.
struct SettingChange {
    shared: Arc<Shared>,
    session: Arc<Session>,
    method: &'static str,
    name: String,
    /// What sets it back, if that is known.
    revert_params: Option<Value>,
    apply_params: Value,
    /// What the agent told of it.
    told: String,
    setting: ChangedSetting,
}

impl SettingChange {
    /// Records it, sets it back, and asks the person.
    async fn revert_and_ask(self) {
        let (shared, session) = (&self.shared, &self.session);
        let shown = escape_line(&self.name);
        let title = format!("The agent wants to be in its mode `{shown}`, in which it may ask less");
        let mut reported =
            mode_call(session, &self.name, &format!("The agent went into its mode `{shown}` by itself"));
        reported.door = Door::AcpReported;
        let _ = session.gate().judge_reported(&reported, ReportedEnd::Ran);
        match self.set_back().await {
            Err(why) => {
                session.lock_state().switching.remove(&self.name);
                let why = escape_line(&why);
                shared.show_message(session, &format!("the agent went into its mode `{shown}` by itself, and it can't be set back ({why}). The turn is cancelled."));
                stop_turn(shared, session);
                return;
            }
            Ok(answer) => self.told_options(&answer),
        }
        // An answer that is still on its way to whoever waits for it is about an earlier time.
        let first = session.lock_state().modes_asked_about.insert(self.name.clone());
        let asked = session.gate().waiting_cards();
        let asked = asked.iter().any(|card| card.session_id == session.id.0 && card.tool_call.title == title);
        if !first && asked {
            return;
        }
        let ticket = session.gate().submit(mode_call(session, &self.name, &title), &mode_change_options());
        let verdict = ticket.verdict().await;
        session.lock_state().modes_asked_about.remove(&self.name);
        let agreed =
            matches!(&verdict, Verdict::Allowed(authorized) if authorized.picked_option() == Some(SWITCH));
        if agreed {
            self.apply_change().await;
        }
    }

    /// Sets it back, until the agent stays there.
    async fn set_back(&self) -> Result<String, String> {
        let back = self.revert_params.as_ref().ok_or("it has not said in which one it was before")?;
        for _ in 0..TRIES {
            let answer = self.shared.ask_agent(self.method, back, SETTING).await?;
            if self.is_there_still(&answer) {
                return Err("it says that it is there still".to_owned());
            }
            if !self.session.lock_state().finish_set_back(&self.name) {
                return Ok(answer);
            }
        }
        Err("it goes there again and again".to_owned())
    }

    /// Whether the agent answers, with its options, that it has not gone back.
    fn is_there_still(&self, answer: &str) -> bool {
        let ChangedSetting::Option(option, value) = &self.setting else { return false };
        let answer =
            normalize_options(serde_json::from_str(answer).unwrap_or_default(), self.session.family.v2);
        let listed = answer.get("configOptions").and_then(Value::as_array).into_iter().flatten();
        let own = |item: &&Value| item.get("id").and_then(Value::as_str) == Some(option.as_str());
        listed.filter(own).any(|item| item.get("currentValue") == Some(value))
    }

    /// The person has agreed.
    async fn apply_change(&self) {
        let (shared, session) = (&self.shared, &self.session);
        {
            let mut state = session.lock_state();
            match &self.setting {
                ChangedSetting::Mode => {
                    let before = state.agent_mode.clone();
                    state.set_agent_mode(before.as_deref(), &self.name);
                }
                ChangedSetting::Option(option, value) => {
                    let before = state.options.insert(option.clone(), value.clone());
                    if let (Some(before), Some(now)) =
                        (before.as_ref().and_then(Value::as_str), value.as_str())
                        && state.agent_mode.as_deref() == Some(before)
                    {
                        state.agent_mode = Some(now.to_owned());
                    }
                }
            }
        }
        match shared.ask_agent(self.method, &self.apply_params, SETTING).await {
            Ok(answer) => {
                if !self.told.is_empty() {
                    shared.send_to_editor(session, self.told.clone());
                }
                self.told_options(&answer);
            }
            Err(why) => {
                shared.log_notice(format!("the agent did not go into its mode: {}", escape_line(&why)))
            }
        }
    }

    /// The editor hears what the agent's options are now, where they were set.
    fn told_options(&self, answer: &str) {
        let Ok(parts) = crate::json_members::RawMembers::parse(answer) else { return };
        let Some(list) = parts.get("configOptions").filter(|_| self.method == "session/set_config_option")
        else {
            return;
        };
        let params = format!(
            r#"{{"sessionId":{},"update":{{"sessionUpdate":"config_option_update","configOptions":{}}}}}"#,
            json!(self.session.id.0),
            amend_options(&self.session, Some(list))
        );
        self.shared.send_to_editor(
            &self.session,
            format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{params}}}"#),
        );
    }
}
