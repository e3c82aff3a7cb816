//! One call to be checked, as lines of `check --stdin`, test files and options give it.

use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

use super::fields::RequestFields;
use mayi_core::call::{AgentId, Dialect, Selector, WriteKind, json};
use mayi_core::policy::{Effect, Mode};

/// The kinds of calls that can be checked: the words of selectors but `mode`, and [`ACP`].
pub const KINDS: &[&str] =
    &["shell", "read", "write", "create", "edit", "delete", "move", "fetch", "mcp", "tool", ACP];

/// A whole request of an agent, as the Agent Client Protocol has it.
pub const ACP: &str = "acp";

/// The keys that say how a call is judged: no matter of whoever asks for it.
pub const JUDGING_KEYS: &[&str] =
    &["agent", "mode", "workspace", "rules", "matrix", "isolated", "protection", "confined"];

const MODES: &[&str] = &["plan", "default", "auto"];

const EFFECTS: &[(&str, Effect)] = &[("allow", Effect::Allow), ("ask", Effect::Ask), ("deny", Effect::Deny)];

/// Why a request was not understood.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{what}: {hint}")]
pub struct RequestError {
    /// The place in the request, as a JSON pointer (RFC 6901): `/rules/allow/0`.
    pub at: String,
    /// What is wrong: one line, lower case.
    pub what: String,
    /// What to write instead.
    pub hint: String,
}

impl RequestError {
    pub(super) fn new(at: &str, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { at: at.to_owned(), what: what.into(), hint: hint.into() }
    }
}

/// What would be done.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestedAction {
    /// A line for a shell.
    Line(String),
    /// A program with exactly these words, no shell in between.
    Words(Vec<String>),
    /// A file or folder is read.
    Read(String),
    /// A file is changed.
    Write(WriteKind, String),
    /// An address is fetched.
    Fetch(String),
    /// A tool of an MCP server is called.
    Mcp {
        /// The server's name.
        server: String,
        /// The tool's name.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
    /// Another tool of the agent is called.
    Tool {
        /// The tool's name.
        name: String,
        /// Its arguments: shown, and not understood.
        arguments: Value,
    },
    /// An ACP `session/request_permission`: the message, or its `params`.
    Acp(Value),
}

impl fmt::Display for RequestedAction {
    /// The kind and the value, as on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "shell {line}"),
            Self::Words(words) => write!(f, "shell {}", mayi_core::call::shell::join_words(words)),
            Self::Read(path) => write!(f, "read {path}"),
            Self::Write(kind, path) => write!(f, "{} {path}", kind.as_str()),
            Self::Fetch(url) => write!(f, "fetch {url}"),
            Self::Mcp { server, tool, .. } => write!(f, "mcp {server}/{tool}"),
            Self::Tool { name, .. } => write!(f, "tool {name}"),
            Self::Acp(_) => f.write_str("acp"),
        }
    }
}

/// Rules that are given with a call, as patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RequestRules {
    /// Patterns of what is allowed.
    pub allow: Vec<String>,
    /// Patterns of what is asked about.
    pub ask: Vec<String>,
    /// Patterns of what is denied.
    pub deny: Vec<String>,
}

impl RequestRules {
    /// Every pattern with its effect and its place in the request.
    pub(super) fn iter_patterns(&self) -> impl Iterator<Item = (Effect, &str, String)> {
        let lists = [(Effect::Allow, &self.allow), (Effect::Ask, &self.ask), (Effect::Deny, &self.deny)];
        lists.into_iter().flat_map(|(effect, patterns)| {
            let place = move |at| format!("/rules/{effect}/{at}");
            patterns.iter().enumerate().map(move |(at, text)| (effect, text.as_str(), place(at)))
        })
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.ask.is_empty() && self.deny.is_empty()
    }
}

/// Places of the matrix that are refined, in the row of the mode in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MatrixOverrides {
    /// What becomes of reads.
    pub read: Option<Effect>,
    /// What becomes of writes.
    pub write: Option<Effect>,
    /// What becomes of commands and unknown tools.
    pub execute: Option<Effect>,
    /// What becomes of fetches and MCP tools.
    pub external: Option<Effect>,
}

/// One call to be checked, and in which surroundings (S1.13, `check --stdin` input).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub struct Request {
    /// The caller's own id for it: a text or a number, given back as it is.
    pub id: Option<Value>,
    /// What would be done.
    pub what: RequestedAction,
    /// The shell that reads the line, of a call that is one.
    pub shell: Dialect,
    /// The folder it happens in; by default the first of the workspace.
    pub cwd: Option<PathBuf>,
    /// The session's folders; by default `cwd`, or the folder that is worked in.
    pub workspace: Vec<PathBuf>,
    /// Which agent asks; none: one without a name.
    pub agent: Option<String>,
    /// The session's mode; none: as configured.
    pub mode: Option<Mode>,
    /// Rules besides the configured ones.
    pub rules: RequestRules,
    /// Refines the row of the mode in use.
    pub matrix: MatrixOverrides,
    /// Only what stands here counts: no files, no readers, no grants, no protection.
    pub isolated: bool,
    /// With `isolated`: the built-in protection counts too.
    pub protection: bool,
    /// As where the kernel holds it in full.
    pub confined: bool,
}

impl Request {
    /// A call with nothing said but what it does.
    #[must_use]
    pub fn new(what: RequestedAction) -> Self {
        Self {
            id: None,
            what,
            shell: Dialect::Unknown,
            cwd: None,
            workspace: Vec::new(),
            agent: None,
            mode: None,
            rules: RequestRules::default(),
            matrix: MatrixOverrides::default(),
            isolated: false,
            protection: false,
            confined: false,
        }
    }

    /// Reads one line of JSON, strictly: duplicate keys, lone surrogates and numbers that readers
    /// disagree on are refused.
    ///
    /// # Errors
    /// Says what was not understood, and what to write instead.
    pub fn from_json(line: &str) -> Result<Self, RequestError> {
        let value = json::parse_strict(line).map_err(|error| {
            RequestError::new("", format!("the line is not plain JSON: {error}"), "write one object a line")
        })?;
        Self::try_from(value)
    }

    /// Reads the keys of a request.
    ///
    /// # Errors
    /// A key that is missing, unknown, or of another type than it should be.
    pub fn from_keys(keys: Map<String, Value>) -> Result<Self, RequestError> {
        Self::read(RequestFields::from_value("", Value::Object(keys))?)
    }

    /// Reads the keys of a call that a program asks for, which has no say in how it is judged: [`JUDGING_KEYS`] are unknown.
    ///
    /// # Errors
    /// A key that is missing, unknown, or of another type than it should be.
    pub fn from_asked(call: Value) -> Result<Self, RequestError> {
        Self::read(RequestFields::from_value("", call)?.without(JUDGING_KEYS))
    }

    fn read(mut fields: RequestFields) -> Result<Self, RequestError> {
        let id = fields.take("id");
        if id.as_ref().is_some_and(|id| !(id.is_string() || id.is_number())) {
            return Err(fields.key_error("id", "`id` is a text or a number", "write \"1\""));
        }
        let Some(kind) = fields.take_text("kind")? else {
            return Err(fields.missing_error(
                "kind",
                "a call needs a `kind`",
                "shell, read, write, fetch or mcp",
            ));
        };
        let what = parse_action(&kind, &mut fields)?;
        let shell = fields.take_word("shell", Dialect::NAMES)?;
        if shell.is_some() && !matches!(what, RequestedAction::Line(_)) {
            let hint = "leave it out, or write the command as one line";
            return Err(fields.key_error("shell", "`shell` says which shell reads a line", hint));
        }
        let cwd = fields.take_text("cwd")?.map(PathBuf::from);
        let workspace: Vec<PathBuf> =
            fields.take_texts("workspace", true)?.into_iter().map(PathBuf::from).collect();
        let agent = fields.take_text("agent")?;
        if let Some(name) = agent.as_deref().filter(|name| AgentId::parse(name).is_none()) {
            let what = format!("no agent can be called `{name}`");
            return Err(fields.key_error("agent", what, "write the name as in [agents.NAME]"));
        }
        let mode = fields.take_word("mode", MODES)?;
        let rules = parse_rules(fields.take("rules"))?;
        let matrix = parse_matrix(fields.take("matrix"))?;
        let isolated = fields.take_boolean("isolated")?.unwrap_or(false);
        let protection = fields.take_boolean("protection")?;
        if protection.is_some() && !isolated {
            let hint = "set `isolated` too, or leave it out: it counts by itself";
            return Err(fields.key_error("protection", "`protection` belongs to an isolated call", hint));
        }
        let confined = fields.take_boolean("confined")?.unwrap_or(false);
        fields.finish()?;
        let protection = protection.unwrap_or(false);
        let shell = shell.unwrap_or_default();
        Ok(Self {
            id,
            what,
            shell,
            cwd,
            workspace,
            agent,
            mode,
            rules,
            matrix,
            isolated,
            protection,
            confined,
        })
    }
}

impl TryFrom<Value> for Request {
    type Error = RequestError;

    fn try_from(value: Value) -> Result<Self, RequestError> {
        Self::read(RequestFields::from_value("", value)?)
    }
}

fn parse_action(kind: &str, fields: &mut RequestFields) -> Result<RequestedAction, RequestError> {
    let none = || Value::Object(Map::new());
    if kind == ACP {
        return fields.take("request").map(RequestedAction::Acp).ok_or_else(|| {
            let what = "a call of kind acp needs `request`";
            fields.missing_error("request", what, "the params as the agent sends them")
        });
    }
    let Ok(selector) = kind.parse::<Selector>() else {
        return Err(fields.unknown_word_error("kind", kind, KINDS));
    };
    Ok(match selector {
        Selector::Shell => match fields.take("command") {
            Some(Value::String(line)) => RequestedAction::Line(line),
            Some(Value::Array(words)) => {
                let words: Option<Vec<String>> =
                    words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
                RequestedAction::Words(words.ok_or_else(|| no_command(fields))?)
            }
            Some(_) => return Err(no_command(fields)),
            None => {
                let what = "a call of kind shell needs `command`";
                return Err(fields.missing_error("command", what, "\"git status\""));
            }
        },
        Selector::Read | Selector::Write(_) => {
            let path = fields.take_required("path", kind, "\"src/main.rs\"")?;
            if path.is_empty() {
                return Err(fields.key_error("path", "`path` is empty", "write \".\" for the folder itself"));
            }
            if let Selector::Write(kind) = selector {
                RequestedAction::Write(kind, path)
            } else {
                RequestedAction::Read(path)
            }
        }
        Selector::Fetch => {
            RequestedAction::Fetch(fields.take_required("url", kind, "\"https://docs.rs/\"")?)
        }
        Selector::Mcp => RequestedAction::Mcp {
            server: fields.take_required("server", kind, "\"github\"")?,
            tool: fields.take_required("tool", kind, "\"list_issues\"")?,
            arguments: fields.take("arguments").unwrap_or_else(none),
        },
        Selector::Tool => RequestedAction::Tool {
            name: fields.take_required("tool", kind, "\"list_issues\"")?,
            arguments: fields.take("arguments").unwrap_or_else(none),
        },
        // An agent asks for it with a whole request.
        Selector::Mode => return Err(fields.unknown_word_error("kind", kind, KINDS)),
    })
}

fn no_command(fields: &RequestFields) -> RequestError {
    let hint = "write \"git status\"";
    fields.key_error("command", "`command` is a line, or a list of words", hint)
}

fn parse_rules(value: Option<Value>) -> Result<RequestRules, RequestError> {
    let Some(value) = value else { return Ok(RequestRules::default()) };
    let mut fields = RequestFields::from_value("/rules", value)?;
    let rules = RequestRules {
        allow: fields.take_texts("allow", false)?,
        ask: fields.take_texts("ask", false)?,
        deny: fields.take_texts("deny", false)?,
    };
    fields.finish()?;
    Ok(rules)
}

fn parse_matrix(value: Option<Value>) -> Result<MatrixOverrides, RequestError> {
    let Some(value) = value else { return Ok(MatrixOverrides::default()) };
    let mut fields = RequestFields::from_value("/matrix", value)?;
    let mut of = |key| match fields.take_text(key)? {
        None => Ok(None),
        Some(text) => parse_effect(&text).map(Some).ok_or_else(|| {
            let what = format!("no effect is called `{text}`");
            fields.key_error(key, what, "write allow, ask or deny")
        }),
    };
    let refined = MatrixOverrides {
        read: of("read")?,
        write: of("write")?,
        execute: of("execute")?,
        external: of("external")?,
    };
    fields.finish()?;
    Ok(refined)
}

/// The effect that a word names.
pub(super) fn parse_effect(text: &str) -> Option<Effect> {
    EFFECTS.iter().find(|(word, _)| *word == text).map(|(_, effect)| *effect)
}
