//! The agents' own modes: a known agent is started in one in which it asks.

use serde_json::Value;

use mayi_core::approval::escape_line;

/// The mode in which an agent asks, by the id that the agent itself uses for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskingMode(pub String);

/// How to put an agent into its asking mode.
#[derive(Debug, PartialEq, Eq)]
pub enum ModeSwitch {
    /// It is in it.
    Already,
    /// `session/set_mode`.
    SetMode(String),
    /// `session/set_config_option`.
    SetOption {
        /// The option's id.
        id: String,
        /// The value that is the mode.
        value: String,
    },
    /// None is wanted; it is in this one, if it has modes.
    NotWanted(Option<String>),
    /// It has no such mode.
    Missing(AgentModes),
}

/// The modes that an agent says it has.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentModes {
    /// The one that it is in.
    pub current: Option<String>,
    /// Their ids.
    pub all: Vec<String>,
}

/// What to do after `session/new` or `session/load` has answered.
pub fn plan_mode_switch(response: &Value, wanted: Option<&AskingMode>) -> ModeSwitch {
    let mode_options = || {
        response
            .get("configOptions")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|option| option.get("category").and_then(Value::as_str) == Some("mode"))
    };
    let current = response
        .pointer("/modes/currentModeId")
        .or_else(|| mode_options().find_map(|option| option.get("currentValue")))
        .and_then(Value::as_str);
    let Some(AskingMode(wanted)) = wanted else { return ModeSwitch::NotWanted(current.map(str::to_owned)) };
    if current == Some(wanted) {
        return ModeSwitch::Already;
    }
    let available = response.pointer("/modes/availableModes").and_then(Value::as_array).into_iter().flatten();
    let mut all: Vec<&str> = available.filter_map(|mode| mode.get("id")?.as_str()).collect();
    if all.contains(&wanted.as_str()) {
        return ModeSwitch::SetMode(wanted.clone());
    }
    for option in mode_options() {
        let values = option.get("options").and_then(Value::as_array).into_iter().flatten();
        let flat = values.flat_map(|value| match value.get("options").and_then(Value::as_array) {
            Some(group) => group.iter().collect::<Vec<_>>(),
            None => vec![value],
        });
        let flat: Vec<&str> = flat.filter_map(|value| value.get("value")?.as_str()).collect();
        if let Some(id) = option.get("id").and_then(Value::as_str)
            && flat.contains(&wanted.as_str())
        {
            return ModeSwitch::SetOption { id: id.to_owned(), value: wanted.clone() };
        }
        all.extend(flat);
    }
    let all = all.into_iter().map(str::to_owned).collect();
    ModeSwitch::Missing(AgentModes { current: current.map(str::to_owned), all })
}

/// So many modes are listed, and so many characters of each: they are the agent's words.
const MOST: usize = 12;
const LONGEST: usize = 80;

impl AgentModes {
    /// What it has, for the person who is to choose.
    pub fn describe_choices(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for name in self.all.iter().chain(&self.current).map(String::as_str) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let shown: Vec<String> = names.iter().take(MOST).map(|name| quote_mode_name(name)).collect();
        let more = if names.len() > MOST { ", ..." } else { "" };
        match (&self.current, shown.is_empty()) {
            (_, true) => "it says of no mode that it has it".to_owned(),
            (Some(current), false) => {
                format!("it has {}{more}, and starts in {}", shown.join(", "), quote_mode_name(current))
            }
            (None, false) => format!("it has {}{more}", shown.join(", ")),
        }
    }
}

/// An agent's own name for a mode, as it is shown.
pub fn quote_mode_name(name: &str) -> String {
    let short: String = name.chars().take(LONGEST).collect();
    let rest = if short.len() < name.len() { "..." } else { "" };
    format!("`{}{rest}`", escape_line(&short))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asking_mode(id: &str) -> Option<AskingMode> {
        Some(AskingMode(id.to_owned()))
    }

    #[test]
    fn given_modes_then_the_asking_one_is_set() {
        let response =
            json!({"modes": {"currentModeId": "yolo", "availableModes": [{"id": "yolo"}, {"id": "ask"}]}});
        assert_eq!(
            plan_mode_switch(&response, asking_mode("ask").as_ref()),
            ModeSwitch::SetMode("ask".into())
        );
        assert_eq!(plan_mode_switch(&response, asking_mode("yolo").as_ref()), ModeSwitch::Already);
        assert_eq!(plan_mode_switch(&response, None), ModeSwitch::NotWanted(Some("yolo".into())));
        assert_eq!(plan_mode_switch(&json!({}), None), ModeSwitch::NotWanted(None));
    }

    #[test]
    fn given_a_config_option_of_category_mode_then_it_is_set() {
        let response = json!({"configOptions": [
            {"id": "model", "category": "model", "currentValue": "ask", "options": [{"value": "ask"}]},
            {"id": "m", "category": "mode", "currentValue": "free", "options": [{"name": "g", "options": [{"value": "ask"}]}]},
        ]});
        assert_eq!(
            plan_mode_switch(&response, asking_mode("ask").as_ref()),
            ModeSwitch::SetOption { id: "m".into(), value: "ask".into() }
        );
    }

    /// Found in review: what an agent does not have is said with what it has, whichever way it says that; and these
    /// are its own words.
    #[test]
    fn given_no_such_mode_then_the_others_are_listed() {
        let listed = |response: Value| match plan_mode_switch(&response, asking_mode("default").as_ref()) {
            ModeSwitch::Missing(modes) => modes.describe_choices(),
            other => panic!("{other:?}"),
        };
        let modes = json!({"currentModeId": "a", "availableModes": [{"id": "a"}, {"id": "b\u{1b}[2J"}]});
        let said = listed(json!({ "modes": modes }));
        assert!(said.starts_with("it has `a`, `b") && said.ends_with("and starts in `a`"), "{said}");
        assert!(!said.contains('\u{1b}'), "{said}");
        let options =
            [json!({"id": "m", "category": "mode", "currentValue": "c", "options": [{"value": "d"}]})];
        assert_eq!(listed(json!({ "configOptions": options })), "it has `d`, `c`, and starts in `c`");
        assert_eq!(listed(json!({})), "it says of no mode that it has it");
        let many: Vec<Value> = (0..1000).map(|n| json!({"id": format!("{n}").repeat(1000)})).collect();
        assert!(listed(json!({"modes": {"currentModeId": "x", "availableModes": many}})).len() < 2000);
    }
}
