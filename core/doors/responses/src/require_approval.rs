//! `require_approval` of an MCP tool, in every form that it has: what the app wants asked about.

use serde_json::Value;

/// What the app wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ApprovalRequirement {
    /// Everything is asked about. Also where it is not said, or said in a way that nobody knows.
    Always,
    /// Nothing is.
    Never,
    /// Some tools are, and some are not.
    Filters { always: Option<ToolFilter>, never: Option<ToolFilter> },
}

/// Some tools of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolFilter {
    tool_names: Option<Vec<String>>,
    read_only: Option<bool>,
}

/// A filter in a form that nobody knows.
#[derive(Debug)]
struct UnknownForm;

impl ApprovalRequirement {
    pub(crate) fn read(value: Option<&Value>) -> Self {
        match value {
            Some(Value::String(word)) if word == "never" => Self::Never,
            Some(Value::Object(members)) => match ToolFilter::read(members.get("always")) {
                // What nobody knows of what is to be asked about spares nothing.
                Err(UnknownForm) => Self::Always,
                Ok(always) => Self::Filters {
                    always,
                    never: ToolFilter::read(members.get("never")).unwrap_or_default(),
                },
            },
            _ => Self::Always,
        }
    }

    /// Whether the app wants `tool` asked about. `read_only`: what is known of the tool, and believed. "A tool in both
    /// lists or neither is asked about."
    pub(crate) fn requires_approval(&self, tool: &str, read_only: Option<bool>) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Filters { always, never } => {
                // What is not known counts as what asks.
                let asked = always.as_ref().is_some_and(|filter| filter.matches_tool(tool, read_only, true));
                let spared = never.as_ref().is_some_and(|filter| filter.matches_tool(tool, read_only, false));
                asked || !spared
            }
        }
    }
}

impl ToolFilter {
    /// Reads a filter; `None`, if there is none.
    fn read(value: Option<&Value>) -> Result<Option<Self>, UnknownForm> {
        let names = |value: &Value| -> Result<Vec<String>, UnknownForm> {
            let names = value.as_array().ok_or(UnknownForm)?.iter();
            names.map(|name| name.as_str().map(str::to_owned).ok_or(UnknownForm)).collect()
        };
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(members)) => {
                let mut filter = Self::default();
                for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                    match &**name {
                        "tool_names" => filter.tool_names = Some(names(value)?),
                        "read_only" => filter.read_only = Some(value.as_bool().ok_or(UnknownForm)?),
                        _ => return Err(UnknownForm),
                    }
                }
                Ok(Some(filter))
            }
            Some(list) => Ok(Some(Self { tool_names: Some(names(list)?), read_only: None })),
        }
    }

    fn matches_tool(&self, tool: &str, known: Option<bool>, unknown: bool) -> bool {
        let named = self.tool_names.as_ref().is_none_or(|names| names.iter().any(|name| name == tool));
        let reads = self.read_only.is_none_or(|wanted| known.map_or(unknown, |known| known == wanted));
        // A filter that filters nothing says nothing.
        named && reads && (self.tool_names.is_some() || self.read_only.is_some())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `require_approval` in every form [...]; a tool in both lists or neither is asked about.
    #[test]
    fn given_require_approval_in_every_form_then_the_app_gets_asked_what_it_wants() {
        let cases = [
            (json!("always"), true),
            (json!("never"), false),
            (json!(null), true),
            (json!("sometimes"), true),
            (json!({}), true),
            (json!({"never": {"tool_names": ["t"]}}), false),
            (json!({"never": {"tool_names": ["u"]}}), true),
            (json!({"never": ["t"]}), false),
            (json!({"never": {}}), true),
            (json!({"always": {"tool_names": ["t"]}}), true),
            (json!({"always": {"tool_names": ["u"]}}), true),
            (json!({"always": {"tool_names": ["t"]}, "never": {"tool_names": ["t"]}}), true),
            (json!({"always": {"tool_names": ["u"]}, "never": {"tool_names": ["t"]}}), false),
            (json!({"always": null, "never": {"tool_names": ["t"]}}), false),
            (json!({"always": "t", "never": {"tool_names": ["t"]}}), true),
            (json!({"always": {"tool_names": "t"}, "never": {"tool_names": ["t"]}}), true),
            (json!({"always": {"tools": ["t"]}, "never": {"tool_names": ["t"]}}), true),
            (json!({"always": {"read_only": "no"}, "never": {"tool_names": ["t"]}}), true),
            (json!({"always": ["u", 7], "never": {"tool_names": ["t"]}}), true),
            (json!({"never": {"tool_names": ["t"], "but": ["t"]}}), true),
        ];
        for (value, asks) in cases {
            assert_eq!(ApprovalRequirement::read(Some(&value)).requires_approval("t", None), asks, "{value}");
        }
        assert!(ApprovalRequirement::read(None).requires_approval("t", None));
    }

    /// D4.16: `read_only` counts only where the server's annotations are trusted.
    #[test]
    fn given_read_only_then_only_what_is_believed_spares_a_question() {
        let never = ApprovalRequirement::read(Some(&json!({"never": {"read_only": true}})));
        assert!(
            never.requires_approval("t", None)
                && never.requires_approval("t", Some(false))
                && !never.requires_approval("t", Some(true))
        );
        let always = ApprovalRequirement::read(Some(
            &json!({"always": {"read_only": false}, "never": {"tool_names": ["t"]}}),
        ));
        assert!(
            always.requires_approval("t", None)
                && always.requires_approval("t", Some(false))
                && !always.requires_approval("t", Some(true))
        );
    }
}
