//! A tool call that a client wants: as mayi's call, as its server gets it, and what its client hears if it does not run.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::servers::shown;
use crate::door::Shared;
use crate::era::{ClientSays, Era, meta};
use crate::frame::Frame;
use crate::front::Key;
use crate::members::Members;
use crate::server::{Server, Tool};
use mayi_core::call::{
    Access, Call, Category, Digest, Door, McpAccess, ServerAbout, SessionId, ToolAbout, claimed,
};
use mayi_core::gate::{Authorized, Refusal, Verdict};
use mayi_core::policy::{Approval, Policy};

/// A call that was read and understood.
pub(super) struct Wanted {
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
    pub(super) says: ClientSays,
}

impl Wanted {
    /// The call that the gate judges. `said` is what the server says of the tool, if it says anything.
    pub(super) fn call(&self, shared: &Shared, session: &SessionId, said: Option<&Tool>, key: Key) -> Call {
        let (server, options) = (&self.server, &shared.options);
        let readings = vec![(server.name.clone(), self.tool.clone())];
        let mut access = McpAccess::new(readings, self.arguments.clone(), &options.cwd);
        let found = described(shared, server, &self.tool, said, &shared.gate.policy());
        access.claims = found.claims;
        Call {
            door: Door::Mcp,
            agent: options.agent.clone(),
            session: session.clone(),
            // In an agent's session such names are the agent's.
            tool_call_id: options.belongs.is_none().then(|| key.0.to_string()),
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
            cautions: found.cautions,
            flagged: found.flagged,
            parent: None,
            about: Some(found.about),
        }
    }

    /// The request, as its server gets it.
    pub(super) fn request(&self) -> Frame {
        self.frame.clone().with("params", self.params.raw())
    }

    /// What the verdict allows.
    ///
    /// # Errors
    /// If it allows nothing: what the client gets, with words that a model can act on.
    pub(super) fn allowed(&self, verdict: Verdict) -> Result<Authorized<Call>, Frame> {
        match verdict {
            Verdict::Allowed(authorized) => Ok(authorized),
            Verdict::Denied(refusal) => Err(self.refused(&refusal)),
            Verdict::Cancelled => Err(self.not_run("the call was cancelled, and nothing was run")),
        }
    }

    fn refused(&self, refusal: &Refusal) -> Frame {
        let mut text = format!(
            "mayi did not let this call of {} from {} through, and nothing was run: {}",
            shown(&self.tool),
            shown(&self.server.name),
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
        self.not_run(&text)
    }

    /// A result that says why nothing was done.
    pub(super) fn not_run(&self, text: &str) -> Frame {
        let mut result = json!({ "content": [{ "type": "text", "text": text }], "isError": true });
        if self.says.era == Era::Stateless
            && let Some(result) = result.as_object_mut()
        {
            result.insert("resultType".to_owned(), json!("complete"));
        }
        Frame::result(RawValue::NULL, &result)
    }
}

/// What is known of a tool besides its name, for who judges a call of it.
pub(crate) struct Described {
    /// The category that its server claims for it, where the user trusts it in that.
    pub(crate) claims: Option<Category>,
    /// What is odd about what its server says of it: asked about until a person has accepted it.
    pub(crate) flagged: Vec<String>,
    /// What deserves a look before it runs.
    pub(crate) cautions: Vec<String>,
    /// Why it may not be called, if it may not.
    pub(crate) blocked: Option<String>,
    /// For the card.
    pub(crate) about: ServerAbout,
}

/// What is known of `tool`, of which its server says what is `said`.
pub(crate) fn described(
    shared: &Shared,
    server: &Server,
    tool: &str,
    said: Option<&Tool>,
    policy: &Policy,
) -> Described {
    let hint = |name: &str| said.and_then(|tool| tool.said.get("annotations")?.get(name)?.as_bool());
    let destructive = hint("destructiveHint") == Some(true);
    // D1.3: what a server says makes nothing looser, unless the user trusts it in this.
    let settings = policy.servers.get(&server.name);
    let trusted = settings.is_some_and(|settings| settings.trust_annotations);
    let claims = claimed(hint("readOnlyHint"), hint("destructiveHint"), hint("openWorldHint"));
    // Whether the user has said of this very tool that it runs.
    let settled = settings
        .and_then(|settings| settings.tools.get(tool))
        .is_some_and(|tool| tool.approval == Approval::NotRequired);
    let (flags, blocked) = shared.pinned.found(server, tool, said);
    let flagged = mayi_doors::pinned::flagged(&server.name, tool, &flags);
    let mut cautions = Vec::new();
    if destructive && !settled {
        cautions.push("the server itself calls this tool destructive".to_owned());
    }
    Described { claims: claims.filter(|_| trusted), flagged, cautions, blocked, about: about(server, said) }
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
