//! A tool call that a client wants: as mayi's call, as its server gets it, and what its client hears if it does not run.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::servers::visible_name;
use crate::door::Shared;
use crate::era::{ClientProfile, Era, meta};
use crate::frame::Frame;
use crate::front::RequestKey;
use crate::members::Members;
use crate::server::{Server, Tool};
use mayi_core::approval::PermissionType;
use mayi_core::call::{
    Access, Call, Category, Digest, Door, McpAccess, ServerAbout, SessionId, ToolAbout, claimed_category,
};
use mayi_core::gate::{Authorized, Refusal, Verdict};
use mayi_core::policy::Policy;

/// Where `_meta` says what a call asks for: of a result that was not let through, and of a form that asks.
pub(super) const PERMISSION: &str = "mayi/permission";

/// A call that was read and understood.
pub(super) struct ToolCallRequest {
    /// Which server, and which of its tools.
    pub(super) server: Arc<Server>,
    pub(super) tool: String,
    /// The arguments, as they are judged.
    pub(super) arguments: Value,
    /// Their digest.
    pub(super) digest: Digest,
    /// The request as it came, and its parameters as its server will get them.
    pub(super) frame: Frame,
    pub(super) params: Members,
    /// Who wants it.
    pub(super) client: ClientProfile,
}

impl ToolCallRequest {
    /// The call that the gate judges. `said` is what the server says of the tool, if it says anything.
    pub(super) fn to_call(
        &self,
        shared: &Shared,
        session: &SessionId,
        said: Option<&Tool>,
        key: RequestKey,
    ) -> Call {
        let (server, options) = (&self.server, &shared.options);
        let readings = vec![(server.name.clone(), self.tool.clone())];
        let mut access = McpAccess::new(readings, self.arguments.clone(), &options.cwd);
        let found = tool_facts(shared, server, &self.tool, said, &shared.gate.policy());
        access.claims = found.claims;
        Call {
            door: Door::Mcp,
            agent: options.agent.clone(),
            session: session.clone(),
            // In an agent's session such names are the agent's.
            tool_call_id: options.binding.is_none().then(|| key.0.to_string()),
            roots: options.roots.clone(),
            cwd: options.cwd.clone(),
            env: BTreeMap::new(),
            title: format!("{}/{}", server.name, self.tool),
            kind: "mcp".to_owned(),
            name: Some(self.tool.clone()),
            raw_input: self.arguments.clone(),
            diffs: Vec::new(),
            notes: Vec::new(),
            locations: Vec::new(),
            accesses: vec![Access::Mcp(access)],
            not_shown: Vec::new(),
            by_hand: None,
            server: Some(server.id.clone()),
            blocked: found.blocked,
            cautions: Vec::new(),
            flagged: found.flagged,
            parent: None,
            about: Some(found.about),
            held: false,
        }
    }

    /// The request, as its server gets it.
    pub(super) fn server_request(&self) -> Frame {
        self.frame.clone().with_member("params", self.params.to_raw_value())
    }

    /// What the verdict allows.
    ///
    /// # Errors
    /// If it allows nothing: what the client gets, with words that a model can act on.
    pub(super) fn authorized_call(&self, verdict: Verdict) -> Result<Authorized<Call>, Frame> {
        match verdict {
            Verdict::Allowed(authorized) => Ok(authorized),
            Verdict::Denied(refusal) => Err(self.refusal_result(&refusal)),
            Verdict::Cancelled => Err(self.not_run("the call was cancelled, and nothing was run")),
        }
    }

    fn refusal_result(&self, refusal: &Refusal) -> Frame {
        let mut text = format!(
            "mayi did not let this call of {} from {} through, and nothing was run: {}",
            visible_name(&self.tool),
            visible_name(&self.server.name),
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
        let permission = json!({
            "requiresPermission": refusal.unanswered,
            "permissionRequest": self.permission_request(
                PermissionType::of_categories(&refusal.decision.categories),
                &refusal.reason,
            ),
        });
        self.not_run_because(&text, Some(&permission))
    }

    /// What a call asks for, in a shape that programs read ([`PERMISSION`], S5.16).
    pub(super) fn permission_request(&self, level: PermissionType, description: &str) -> Value {
        json!({
            "serverName": self.server.name, "toolName": self.tool,
            "permissionType": level, "description": description,
        })
    }

    /// A result that says why nothing was done.
    pub(super) fn not_run(&self, text: &str) -> Frame {
        self.not_run_because(text, None)
    }

    fn not_run_because(&self, text: &str, permission: Option<&Value>) -> Frame {
        let mut result = Map::new();
        result.insert("content".to_owned(), json!([{ "type": "text", "text": text }]));
        result.insert("isError".to_owned(), json!(true));
        if let Some(permission) = permission {
            result.insert("_meta".to_owned(), json!({ PERMISSION: permission }));
        }
        if self.client.era == Era::Stateless {
            result.insert("resultType".to_owned(), json!("complete"));
        }
        Frame::result(RawValue::NULL, &result)
    }
}

/// What is known of a tool besides its name, for who judges a call of it.
pub(crate) struct ToolFacts {
    /// The category that its server claims for it, where the user trusts it in that.
    pub(crate) claims: Option<Category>,
    /// What is odd about what its server says of it: asked about until a person has accepted it.
    pub(crate) flagged: Vec<String>,
    /// Why it may not be called, if it may not.
    pub(crate) blocked: Option<String>,
    /// For the card.
    pub(crate) about: ServerAbout,
}

/// What is known of `tool`, of which its server says what is `said`.
pub(crate) fn tool_facts(
    shared: &Shared,
    server: &Server,
    tool: &str,
    said: Option<&Tool>,
    policy: &Policy,
) -> ToolFacts {
    let hint = |name: &str| said.and_then(|tool| tool.parsed.get("annotations")?.get(name)?.as_bool());
    // D1.3: what a server says makes nothing looser, unless the user trusts it in this.
    let settings = policy.servers.get(&server.name);
    let trusted = settings.is_some_and(|settings| settings.trust_annotations);
    let claims = claimed_category(hint("readOnlyHint"), hint("destructiveHint"), hint("openWorldHint"));
    let (flags, blocked) = shared.pinned.flags_and_block(server, tool, said);
    let flagged = mayi_doors::pins::describe_flags(&server.name, tool, &flags);
    ToolFacts { claims: claims.filter(|_| trusted), flagged, blocked, about: server_about(server, said) }
}

fn server_about(server: &Server, said: Option<&Tool>) -> ServerAbout {
    let begun = server.handshake();
    let info = begun.as_ref().and_then(|begun| {
        let hello = &begun.hello;
        hello
            .parsed_member("serverInfo")
            .or_else(|| hello.object_member("_meta")?.parsed_member(meta::SERVER))
    });
    let text = |from: Option<&Value>, name: &str| from?.get(name)?.as_str().map(str::to_owned);
    let tool = said.map(|tool| ToolAbout {
        title: text(Some(&tool.parsed), "title"),
        description: text(Some(&tool.parsed), "description"),
        annotations: tool.parsed.get("annotations").cloned().unwrap_or_default(),
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
