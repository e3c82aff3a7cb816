//! The agents' own modes: a known agent is started in one in which it asks.

use serde_json::Value;

/// The mode in which an agent asks, by the id that the agent itself uses for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskingMode(pub String);

/// How to put an agent into its asking mode.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Switch {
    /// It is in it.
    Already,
    /// `session/set_mode`.
    SetMode(String),
    /// `session/set_config_option`.
    SetOption { id: String, value: String },
    /// It has modes, but none of this name.
    Unknown(String),
    /// It has no modes.
    None,
}

/// What to do after `session/new` or `session/load` has answered.
pub(super) fn switch(response: &Value, wanted: Option<&AskingMode>) -> Switch {
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
    let Some(current) = current else { return Switch::None };
    let Some(AskingMode(wanted)) = wanted else { return Switch::Unknown(current.to_owned()) };
    if current == wanted {
        return Switch::Already;
    }
    let available = response.pointer("/modes/availableModes").and_then(Value::as_array).into_iter().flatten();
    if available.filter_map(|mode| mode.get("id")).any(|id| id == wanted.as_str()) {
        return Switch::SetMode(wanted.clone());
    }
    for option in mode_options() {
        let values = option.get("options").and_then(Value::as_array).into_iter().flatten();
        let flat = values.flat_map(|value| match value.get("options").and_then(Value::as_array) {
            Some(group) => group.iter().collect::<Vec<_>>(),
            None => vec![value],
        });
        if let Some(id) = option.get("id").and_then(Value::as_str)
            && flat.filter_map(|value| value.get("value")).any(|value| value == wanted.as_str())
        {
            return Switch::SetOption { id: id.to_owned(), value: wanted.clone() };
        }
    }
    Switch::Unknown(current.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ask(id: &str) -> Option<AskingMode> {
        Some(AskingMode(id.to_owned()))
    }

    #[test]
    fn given_modes_then_the_asking_one_is_set() {
        let response =
            json!({"modes": {"currentModeId": "yolo", "availableModes": [{"id": "yolo"}, {"id": "ask"}]}});
        assert_eq!(switch(&response, ask("ask").as_ref()), Switch::SetMode("ask".into()));
        assert_eq!(switch(&response, ask("yolo").as_ref()), Switch::Already);
        assert_eq!(switch(&response, ask("other").as_ref()), Switch::Unknown("yolo".into()));
        assert_eq!(switch(&json!({}), ask("ask").as_ref()), Switch::None);
    }

    #[test]
    fn given_a_config_option_of_category_mode_then_it_is_set() {
        let response = json!({"configOptions": [
            {"id": "model", "category": "model", "currentValue": "ask", "options": [{"value": "ask"}]},
            {"id": "m", "category": "mode", "currentValue": "free", "options": [{"name": "g", "options": [{"value": "ask"}]}]},
        ]});
        assert_eq!(
            switch(&response, ask("ask").as_ref()),
            Switch::SetOption { id: "m".into(), value: "ask".into() }
        );
    }
}
