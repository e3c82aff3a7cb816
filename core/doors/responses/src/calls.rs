//! A call that the endpoint wants approved, as mayi's call: what is judged, shown and recorded.

use std::collections::BTreeMap;

use mayi_core::approval::escape_line;
use mayi_core::call::json::parse_strict;
use mayi_core::call::{
    Access, Call, Door, McpAccess, ServerAbout, ServerId, SessionId, ToolAbout, claimed_category,
};
use mayi_core::policy::fold_text;
use serde_json::{Value, json};

use crate::door::Shared;
use crate::request::{CreateRequest, McpServer};
use crate::tool_lists::{ToolLists, ToolStatus};

/// A call that waits for an approval.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ApprovalRequest {
    /// The approval's id.
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
}

impl ApprovalRequest {
    /// Reads what was said of an approval, in all its versions.
    ///
    /// # Errors
    /// If it can't be judged: why not, for the model.
    pub(crate) fn read(id: &str, versions: &[Value]) -> Result<Self, String> {
        let mut read = versions.iter().map(|item| Self::from_item(id, item));
        let first = read.next().ok_or("the call was never said in full")??;
        // What was shown could be another one than what runs.
        if read.any(|other| other.as_ref() != Ok(&first)) {
            return Err("the endpoint has said two different things about this call".to_owned());
        }
        Ok(first)
    }

    /// Reads one version: of an approval, or of a call that ran.
    pub(crate) fn from_item(id: &str, item: &Value) -> Result<Self, String> {
        let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        let label = text("server_label").ok_or("the call does not say which server it is about")?;
        let tool = text("name").ok_or("the call does not say which tool it is about")?;
        let arguments = match item.get("arguments") {
            None => "{}",
            Some(Value::String(text)) if text.is_empty() => "{}",
            Some(Value::String(text)) => text,
            // The API has them as a text; nobody knows what an endpoint makes of anything else.
            Some(_) => return Err("the arguments of this call are no text, so they can't be read".to_owned()),
        };
        let arguments = parse_strict(arguments)
            .map_err(|error| format!("the arguments of this call can be read in different ways: {error}"))?;
        Ok(Self { id: id.to_owned(), label, tool, arguments })
    }

    /// The same, without what it was called with.
    pub(crate) fn without_arguments(self) -> Self {
        Self { id: String::new(), arguments: json!({}), ..self }
    }

    /// Whether `is` holds for any text in it.
    pub(crate) fn any_text(&self, is: &dyn Fn(&str) -> bool) -> bool {
        is(&self.label) || is(&self.tool) || is(&self.id) || any_text(&self.arguments, is)
    }

    /// A call that ran, and can't be read: as much of it as there is.
    pub(crate) fn from_unreadable(item: &Value) -> Self {
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or("?").to_owned();
        Self {
            id: String::new(),
            label: text("server_label"),
            tool: text("name"),
            arguments: json!({ "unreadable": item.get("arguments") }),
        }
    }

    /// Whether a call that ran is the one that was approved.
    pub(crate) fn is_same_call(&self, ran: &Self) -> bool {
        (&self.label, &self.tool, &self.arguments) == (&ran.label, &ran.tool, &ran.arguments)
    }

    /// The call that the gate judges. `lists`: what the endpoint has said so far of servers' tools.
    pub(crate) fn to_call(
        &self,
        shared: &Shared,
        session: &SessionId,
        asked: &CreateRequest,
        lists: &ToolLists,
    ) -> Call {
        let server = asked.servers.get(&self.label);
        let known: Option<ServerId> = server.and_then(|server| shared.configured_server(&self.label, server));
        let app = &shared.options.agent;
        let listed = lists.versions_of(&self.label, &self.tool).next_back();
        let hint = |names: [&str; 2]| {
            let annotations = listed?.get("annotations")?;
            names.into_iter().find_map(|name| annotations.get(name)?.as_bool())
        };
        // D1.3: what a server says makes nothing looser, unless the user trusts it in this.
        let policy = shared.gate.policy();
        let settings = policy.servers.get(&self.label).filter(|_| known.is_some());
        let trusted = settings.is_some_and(|settings| settings.trust_annotations);
        let reads = hint(["read_only", "readOnlyHint"]);
        let destroys = hint(["destructive", "destructiveHint"]) == Some(true);
        let believed = if trusted { reads } else { None };
        let mut access = McpAccess::new(
            vec![(self.label.clone(), self.tool.clone())],
            self.arguments.clone(),
            &shared.options.cwd,
        );
        let reaches_out = hint(["open_world", "openWorldHint"]);
        access.claims = claimed_category(believed, Some(destroys), reaches_out).filter(|_| trusted);
        let ToolStatus { blocked, mut flagged, mut cautions } =
            lists.tool_status(&shared.pinned, app, &self.label, &self.tool);
        match server {
            Some(server) if server.require.requires_approval(&self.tool, believed) => {
                cautions.push("the app asks for an approval of this tool (require_approval)".to_owned());
            }
            // Only a name that the user has written down is one that is trusted in anything.
            Some(_) => {
                let settings = app.name().and_then(|name| policy.apps.get(name));
                access.spared = settings.is_some_and(|settings| settings.trust_require_approval);
            }
            None => flagged.push("the app's request does not say which server this is".to_owned()),
        }
        // D1.21: an allow for the name was written for the server that has it, and this is another one.
        if known.is_none() && policy.servers.keys().any(|name| fold_text(name) == fold_text(&self.label)) {
            flagged.push(format!(
                "a server of your configuration has the name `{}`, and this is another one: its address is not that one's",
                escape_line(&self.label)
            ));
        }
        Call {
            door: Door::Responses,
            agent: app.clone(),
            session: session.clone(),
            tool_call_id: Some(self.id.clone()),
            roots: shared.options.roots.clone(),
            cwd: shared.options.cwd.clone(),
            env: BTreeMap::new(),
            title: format!("{}/{}", self.label, self.tool),
            kind: "mcp".to_owned(),
            name: Some(self.tool.clone()),
            raw_input: self.arguments.clone(),
            diffs: Vec::new(),
            notes: server.and_then(McpServer::visible_place).into_iter().collect(),
            locations: Vec::new(),
            accesses: vec![Access::Mcp(access)],
            not_shown: Vec::new(),
            by_hand: None,
            server: known.or_else(|| server.and_then(server_identity)),
            blocked,
            cautions,
            flagged,
            parent: None,
            about: Some(server_about(&self.label, server, listed)),
            held: false,
        }
    }
}

/// Whether `is` holds for any text in a value, names included.
pub(crate) fn any_text(value: &Value, is: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is(text),
        Value::Array(items) => items.iter().any(|item| any_text(item, is)),
        Value::Object(members) => members.iter().any(|(name, value)| is(name) || any_text(value, is)),
        _ => false,
    }
}

/// A server that is not configured, by how the endpoint reaches it.
pub(crate) fn server_identity(server: &McpServer) -> Option<ServerId> {
    let (kind, value) = server.location.as_ref()?;
    Some(ServerId::from_launch(&json!({ "responses": { *kind: value } })))
}

fn server_about(label: &str, server: Option<&McpServer>, listed: Option<&Value>) -> ServerAbout {
    let text = |name: &str| listed?.get(name)?.as_str().map(str::to_owned);
    let tool = listed.map(|listed| ToolAbout {
        title: text("title"),
        description: text("description"),
        annotations: listed.get("annotations").cloned().unwrap_or_default(),
    });
    ServerAbout {
        name: label.to_owned(),
        description: server.and_then(|server| server.description.clone()),
        tool,
        ..ServerAbout::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call_item(arguments: &str) -> Value {
        json!({ "id": "mcpr_1", "server_label": "docs", "name": "search", "arguments": arguments })
    }

    /// Attack 354: what was shown could be another call than the one that runs.
    #[test]
    fn given_two_versions_of_a_call_then_it_is_denied() {
        let one = call_item(r#"{"q":1}"#);
        assert!(ApprovalRequest::read("mcpr_1", std::slice::from_ref(&one)).is_ok());
        // The same, written otherwise.
        assert!(ApprovalRequest::read("mcpr_1", &[one.clone(), call_item(r#"{ "q": 1 }"#)]).is_ok());
        assert!(ApprovalRequest::read("mcpr_1", &[one, call_item(r#"{"q":2}"#)]).is_err());
        assert!(ApprovalRequest::read("mcpr_1", &[]).is_err());
    }

    /// D1.7: Messages that would be judged and carry duplicate keys [...] are refused.
    #[test]
    fn given_arguments_that_readers_disagree_on_then_it_is_denied() {
        for arguments in [r#"{"q":1,"q":2}"#, "{", r#"{"q":1e400}"#] {
            assert!(ApprovalRequest::read("mcpr_1", &[call_item(arguments)]).is_err(), "{arguments}");
        }
        assert_eq!(ApprovalRequest::read("mcpr_1", &[call_item("")]).unwrap().arguments, json!({}));
        assert!(ApprovalRequest::read("mcpr_1", &[json!({ "id": "mcpr_1", "name": "search" })]).is_err());
    }

    /// Attack 507: arguments that mayi would take for none, and the endpoint for what they are.
    #[test]
    fn given_arguments_that_are_no_text_then_it_is_denied() {
        for arguments in [json!({ "path": "/etc/shadow" }), json!([1]), json!(7), json!(true), json!(null)] {
            let mut item = call_item("");
            item["arguments"] = arguments;
            assert!(ApprovalRequest::read("mcpr_1", std::slice::from_ref(&item)).is_err(), "{item}");
        }
        for name in ["server_label", "name"] {
            let mut item = call_item("");
            item[name] = json!(["docs"]);
            assert!(ApprovalRequest::read("mcpr_1", std::slice::from_ref(&item)).is_err(), "{item}");
        }
    }
}
