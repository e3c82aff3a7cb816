//! What an agent wants: the [`Call`] that every door makes of its protocol's request.

mod access;
mod argument;
mod argument_calls;
mod argument_guesses;
mod argument_names;
mod dependency_folders;
mod digest;
pub mod effort;
mod home;
mod identity;
pub mod json;
mod path;
mod sandbox;
mod selector;
mod server_claims;
pub mod shell;
mod url;

pub use access::{Access, Category, McpAccess, WriteKind};
pub use argument::{has_parent_component, percent_decodings, with_and_without_blanks};
pub use dependency_folders::DEPENDENCY_FOLDERS;
pub use digest::{Digest, digest_of, digest_of_bytes};
pub(crate) use home::variable;
pub use home::{home_folder, is_too_wide, set_home_folder};
pub use identity::{AgentId, NamedDoor, Names, ServerId, SessionId};
pub(crate) use path::{
    LineLookups, LookupBudget, can_be_entered, collect_links_below, could_be_name, glob_matches,
    glob_targets, holds_links, is_in_no_folder, is_there, links_below, names_below, relative_target,
};
pub use path::{
    Mount, PathAccess, PathResolver, SECRET_NAMES, display_path, is_secret_by_name, lies_in, resolve_path,
};
pub use sandbox::leaving_member;
pub use selector::{Selector, UnknownSelector};
pub use server_claims::{ServerAbout, ToolAbout, claimed_category};
pub use shell::{Caveat, Dialect, ShellAccess, Surroundings};
pub(crate) use url::is_scheme;
pub use url::{UrlAccess, UrlError, file_paths, is_this_machine};

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which protocol, and which of its requests, a call came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Door {
    /// ACP `session/request_permission`.
    AcpPermission,
    /// ACP `fs/read_text_file` and `fs/write_text_file`.
    AcpFs,
    /// ACP `terminal/create`.
    AcpTerminal,
    /// A tool call that was only reported, after or while it ran: it is judged for the count of
    /// ungated actions, and can't be stopped.
    AcpReported,
    /// MCP `tools/call`, through mayi's gateway.
    Mcp,
    /// A Responses API's `mcp_approval_request`, between an app and the endpoint that runs the tool.
    Responses,
    /// An event of an agent's hooks: before a tool runs, or after.
    Hook,
    /// `host/ask` of the backend: an app with a loop of its own.
    Host,
    /// `mayi exec`: a command that mayi itself runs, confined.
    Exec,
    /// No door: somebody wants to know what would be decided (`mayi check`).
    Check,
}

/// One change to a file, as the agent announced it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// The path as the agent wrote it.
    pub path: String,
    /// The text before; `None` for a new file.
    pub old_text: Option<String>,
    /// The text after.
    pub new_text: String,
}

/// What an agent wants to do, in mayi's terms (D1.1).
///
/// Made by a door, judged by `policy::decide`, and never changed afterwards: another
/// version of the same request is another call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Where it came in.
    pub door: Door,
    /// Who asks: the launch binding, never a self-description.
    pub agent: AgentId,
    /// The session it belongs to.
    pub session: SessionId,
    /// The protocol's id of the tool call, where it has one.
    pub tool_call_id: Option<String>,
    /// The folders this session may work in, links resolved.
    pub roots: Vec<PathBuf>,
    /// The folder that relative names start from.
    pub cwd: PathBuf,
    /// Environment variables that the call sets.
    pub env: BTreeMap<String, String>,
    /// The agent's title: shown as data, never parsed.
    pub title: String,
    /// The protocol's kind word (`edit`, `execute`, ...): a claim of the agent's.
    pub kind: String,
    /// The programmatic tool name, if the agent gave one.
    pub name: Option<String>,
    /// The tool's input as the agent sent it.
    pub raw_input: Value,
    /// Changes to files that were announced.
    pub diffs: Vec<Diff>,
    /// Texts and terminals among the content: shown on the card.
    pub notes: Vec<String>,
    /// The places that the agent says it works at, as it sent them: shown on the card. Their paths are among the
    /// accesses.
    pub locations: Vec<Value>,
    /// Everything the call would touch: at least one.
    pub accesses: Vec<Access>,
    /// What the request held that could not be shown or understood.
    pub not_shown: Vec<String>,
    /// Why mayi can't answer it by itself, though it may be allowed: the protocol offers no option
    /// that means just that. A person picks one by hand.
    pub by_hand: Option<String>,
    /// The MCP server that is called, by how it is reached: where mayi itself started it, reached it, or put it
    /// into the session.
    pub server: Option<ServerId>,
    /// Why it may not run whatever the rules say: what the server says of the tool has changed, or the server itself.
    pub blocked: Option<String>,
    /// What deserves a look before it runs, one line each: asks, unless something discharges them.
    pub cautions: Vec<String>,
    /// What is odd about what the server says of the tool, one line each: asked about whatever rules and modes say, until
    /// a person has looked at it and accepted it.
    pub flagged: Vec<String>,
    /// The call that started the sub-agent which asks, where the agent tells: shown, and nothing follows from it.
    pub parent: Option<Parent>,
    /// What the server says of itself and of the tool: shown as its words.
    pub about: Option<ServerAbout>,
    /// Whether the kernel will hold all of it to a profile of this policy: said by a door alone that runs it so itself.
    pub held: bool,
}

/// A call that started a sub-agent, as the agent tells of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parent {
    /// The protocol's id of that call.
    pub id: String,
    /// Its title, in the agent's words; empty where it was never told.
    pub title: String,
}

impl Call {
    /// A call that asks for nothing yet, in no folder of the session's. A door spells out every member, so that a new one is
    /// thought of; who needs a call to try something with fills in what it is about.
    ///
    /// ```
    /// use mayi_call::{AgentId, Call, Door, SessionId};
    ///
    /// let nothing = Call::new(Door::Mcp, AgentId::from_name("claude"), SessionId("s".to_owned()), "/w".into());
    /// let call = Call { title: "Does a thing".to_owned(), ..nothing };
    /// assert!(call.accesses.is_empty());
    /// ```
    #[must_use]
    pub fn new(door: Door, agent: AgentId, session: SessionId, cwd: PathBuf) -> Self {
        Self {
            door,
            agent,
            session,
            tool_call_id: None,
            roots: Vec::new(),
            cwd,
            env: BTreeMap::new(),
            title: String::new(),
            kind: String::new(),
            name: None,
            raw_input: Value::Null,
            diffs: Vec::new(),
            notes: Vec::new(),
            locations: Vec::new(),
            accesses: Vec::new(),
            not_shown: Vec::new(),
            by_hand: None,
            server: None,
            blocked: None,
            cautions: Vec::new(),
            flagged: Vec::new(),
            parent: None,
            about: None,
            held: false,
        }
    }

    /// The digest that binds an answer to what was shown (D6.3): every field of the call, also what
    /// could not be shown of it, and the policy's epoch.
    #[must_use]
    pub fn digest(&self, epoch: u64) -> Digest {
        let mut bound = serde_json::json!({
            "door": self.door, "agent": self.agent, "session": self.session,
            "toolCallId": self.tool_call_id, "cwd": path::path_text(&self.cwd), "env": self.env,
            "title": self.title, "kind": self.kind, "name": self.name,
            "rawInput": self.raw_input, "diffs": self.diffs, "notes": self.notes,
            "accesses": self.accesses, "roots": self.roots.iter().map(|root| path::path_text(root)).collect::<Vec<_>>(), "epoch": epoch,
            "server": self.server, "blocked": self.blocked, "cautions": self.cautions, "about": self.about,
        });
        let mut bind = |name: &str, value: Option<Value>| {
            if let (Some(members), Some(value)) = (bound.as_object_mut(), value) {
                members.insert(name.to_owned(), value);
            }
        };
        bind("locations", (!self.locations.is_empty()).then(|| Value::from(self.locations.clone())));
        bind("notShown", (!self.not_shown.is_empty()).then(|| Value::from(self.not_shown.clone())));
        bind("byHand", self.by_hand.clone().map(Value::from));
        bind("parent", self.parent.as_ref().map(|parent| serde_json::json!(parent)));
        bind("flagged", (!self.flagged.is_empty()).then(|| Value::from(self.flagged.clone())));
        bind("held", self.held.then_some(Value::Bool(true)));
        digest_of(&bound)
    }

    /// Why only a person may allow it, and only once: it says what kind of thing it does, and not to what. Its title
    /// may say it, but a title is the agent's prose.
    #[must_use]
    pub fn without_substance(&self) -> Option<&'static str> {
        let says = |what: fn(&Access) -> bool| self.accesses.iter().any(what);
        // A call of a tool server that is understood as a whole.
        let tool = says(|access| matches!(access, Access::Mcp(_)))
            && !says(|access| matches!(access, Access::Tool { .. }));
        match self.kind.as_str() {
            _ if tool => None,
            "execute" if !says(|access| matches!(access, Access::Shell(_))) => {
                Some("it runs something, and does not say which command: only its title may tell")
            }
            "edit" | "delete" | "move" if !says(|access| matches!(access, Access::Write(..))) => {
                Some("it changes something, and does not say which file: only its title may tell")
            }
            _ => None,
        }
    }

    /// The folder that answers for a workspace are about: the first of the session's.
    #[must_use]
    pub fn workspace(&self) -> Option<String> {
        self.roots.first().map(|root| path::path_text(root))
    }

    /// What the call does, without the ids that change from one call to the next: a session grant
    /// for something with an `always` ask is bound to it.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let mut bound = serde_json::json!({
            "agent": self.agent, "session": self.session, "cwd": path::path_text(&self.cwd), "env": self.env,
            "door": self.door, "kind": self.kind, "name": self.name, "rawInput": self.raw_input,
            "diffs": self.diffs, "notes": self.notes, "accesses": self.accesses,
            "server": self.server, "blocked": self.blocked, "cautions": self.cautions,
        });
        if let Some(members) = bound.as_object_mut() {
            // Nothing else tells such calls apart.
            if self.without_substance().is_some() {
                members.insert("title".to_owned(), Value::from(self.title.clone()));
            }
            if !self.flagged.is_empty() {
                members.insert("flagged".to_owned(), Value::from(self.flagged.clone()));
            }
        }
        digest_of(&bound)
    }
}
