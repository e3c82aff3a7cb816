//! A `tools/call` as mayi's call, and a refusal as a result that a model can act on.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Session;
use super::lists::shown;
use crate::era::{Era, meta};
use crate::frame::Frame;
use crate::front::Key;
use crate::server::{Server, Tool};
use mayi_core::call::{Access, Call, Category, Door, McpAccess, ServerAbout, ToolAbout};
use mayi_core::gate::Refusal;
use mayi_core::policy::Approval;

impl Session {
    /// The call of `tool` on `server`. `said` is what the server says of the tool, if it says anything.
    pub(super) fn call_of(
        &self,
        server: &Server,
        tool: &str,
        said: Option<&Tool>,
        arguments: Value,
        key: Key,
    ) -> Call {
        let options = &self.shared.options;
        let readings = vec![(server.name.clone(), tool.to_owned())];
        let mut access = McpAccess::new(readings, arguments.clone(), &options.cwd);
        let hint = |name: &str| said.and_then(|tool| tool.said.get("annotations")?.get(name)?.as_bool());
        // Decisions, section 1: what a server says makes nothing looser, unless the user trusts it in this.
        let policy = self.shared.gate.policy();
        let trusted = policy.servers.get(&server.name).is_some_and(|settings| settings.trust_annotations);
        if trusted && hint("readOnlyHint") == Some(true) && hint("destructiveHint") != Some(true) {
            access.claims = Some(Category::Read);
        }
        let blocked = self.shared.pinned.blocked(server, tool, said);
        Call {
            door: Door::Mcp,
            agent: options.agent.clone(),
            session: self.id.clone(),
            tool_call_id: Some(key.0.to_string()),
            roots: options.roots.clone(),
            cwd: options.cwd.clone(),
            env: std::collections::BTreeMap::new(),
            title: format!("{}/{tool}", server.name),
            kind: "mcp".to_owned(),
            name: Some(tool.to_owned()),
            raw_input: arguments,
            diffs: Vec::new(),
            notes: Vec::new(),
            locations: Vec::new(),
            accesses: vec![Access::Mcp(access)],
            not_shown: Vec::new(),
            by_hand: None,
            server: Some(server.id.clone()),
            blocked,
            cautions: self.cautions(server, tool, hint("destructiveHint") == Some(true)),
            about: Some(about(server, said)),
        }
    }

    /// What deserves a look before it runs.
    fn cautions(&self, server: &Server, tool: &str, destructive: bool) -> Vec<String> {
        let flags = self.shared.pinned.flags(server, tool);
        let mut cautions: Vec<String> =
            flags.iter().map(|flag| format!("what the server says of the tool: {flag}")).collect();
        // Only where the user has not said of this very tool that it runs.
        let policy = self.shared.gate.policy();
        let settled = policy
            .servers
            .get(&server.name)
            .and_then(|settings| settings.tools.get(tool))
            .is_some_and(|tool| tool.approval == Approval::NotRequired);
        if destructive && !settled {
            cautions.push("the server itself calls this tool destructive".to_owned());
        }
        cautions
    }
}

fn about(server: &Server, said: Option<&Tool>) -> ServerAbout {
    let begun = server.begun();
    let info = begun.as_ref().and_then(|begun| {
        let hello = &begun.hello;
        hello.value("serverInfo").or_else(|| hello.object("_meta")?.value(meta::SERVER))
    });
    let text = |from: Option<&Value>, name: &str| from?.get(name)?.as_str().map(str::to_owned);
    let tool = said.map(|tool| ToolAbout {
        title: text(Some(&tool.said), "title"),
        description: text(Some(&tool.said), "description"),
        annotations: tool.said.get("annotations").cloned().unwrap_or_default(),
    });
    let icons = info.as_ref().and_then(|info| info.get("icons")?.as_array().cloned());
    ServerAbout {
        name: server.name.clone(),
        title: text(info.as_ref(), "title").or_else(|| text(info.as_ref(), "name")),
        description: text(info.as_ref(), "description"),
        icons: icons.unwrap_or_default(),
        tool,
    }
}

/// A refusal, as the result of the call.
pub(super) fn refused(refusal: &Refusal, server: &str, tool: &str, era: Era) -> Frame {
    let mut text = format!(
        "mayi did not let this call of {} from {} through, and nothing was run: {}",
        shown(tool),
        shown(server),
        refusal.reason
    );
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    if refusal.unanswered {
        text.push_str(" A person can answer such questions with `mayi inbox watch`.");
        if let [first, ..] = refusal.would_allow.as_slice() {
            text.push_str(&format!(
                " This rule in mayi's configuration would allow it: allow = [\"{first}\"]."
            ));
        }
    }
    if refusal.by_person || refusal.is_policy() {
        text.push_str(" Do not try it in another way.");
    }
    error_result(&text, era)
}

/// A result that says why nothing was done.
pub(super) fn error_result(text: &str, era: Era) -> Frame {
    let mut result = json!({ "content": [{ "type": "text", "text": text }], "isError": true });
    if era == Era::Stateless
        && let Some(result) = result.as_object_mut()
    {
        result.insert("resultType".to_owned(), json!("complete"));
    }
    Frame::result(RawValue::NULL, &result)
}
