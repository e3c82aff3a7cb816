//! The shape of a configuration file as a JSON schema, for editors.
//!
//! These types say what [`super::read`] reads; they are not what it reads into. A test holds the two
//! together: every key that one knows, the other knows.
#![allow(dead_code, reason = "the types are only described, never built")]

mod scalars;
mod words;

use std::collections::BTreeMap;

use mayi_call::Selector;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use self::scalars::{
    LockName, about, acp_scalars, agent_scalars, app_scalars, file_scalars, sandbox_scalars, server_scalars,
    tool_scalars,
};
use self::words::{Category, Denied, Effect, Mode, ToolApproval};
use crate::scalars::keys;

/// Names of servers and tools.
const NAME: &str = "^[A-Za-z0-9._-]{1,128}$";
/// Names of agents, as people write them.
const AGENT: &str = "^[A-Za-z0-9][A-Za-z0-9._()-]*( [A-Za-z0-9._()-]+)*$";

/// The JSON schema (draft 2020-12) of a configuration file.
#[must_use]
pub fn config_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(without_null));
    let schema: Schema = settings.into_generator().into_root_schema_for::<File>();
    schema.to_value()
}

/// The same as text: what `mayi config schema` prints and `mayi.schema.json` holds.
#[must_use]
pub fn schema_text() -> String {
    let mut text = serde_json::to_string_pretty(&config_schema()).unwrap_or_default();
    text.push('\n');
    text
}

/// TOML has no null: what may be left out is left out.
fn without_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            object.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(forms)) = object.get_mut("anyOf") {
        forms.retain(|form| *form != json!({ "type": "null" }));
        if let [Value::Object(one)] = forms.as_slice() {
            let one = one.clone();
            object.remove("anyOf");
            for (key, value) in one {
                object.entry(key).or_insert(value);
            }
        }
    }
}

/// What agents may do: a configuration file of mayi.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "mayi configuration")]
struct File {
    /// The version of this format.
    version: Option<Version>,
    #[schemars(flatten, schema_with = "file_scalars")]
    scalars: (),
    /// `mayi acp`. Not in a workspace's file.
    acp: Option<Acp>,
    /// How commands are held that mayi runs itself.
    sandbox: Option<Sandbox>,
    /// Rules in their short form: lists of patterns.
    rules: Option<Rules>,
    /// Rules in their long form: with a reason, limits and examples.
    rule: Option<Vec<Rule>>,
    /// Agents: how they are started, and their settings.
    agents: Option<Agents>,
    /// MCP servers: how they are reached, and their settings.
    servers: Option<Named<Server>>,
    /// Apps that use a Responses API through `mayi responses --app NAME`.
    apps: Option<Named<App>>,
    #[schemars(description = about(keys::TOOL_CATEGORY))]
    tools: Option<Named<Category>>,
    /// Your own settings for a folder, by its path: absolute, or from ~/.
    workspaces: Option<BTreeMap<String, Workspace>>,
    /// Where sessions work. Not in a workspace's file.
    workspace: Option<Further>,
    #[schemars(description = about(keys::MATRIX))]
    matrix: Option<Matrix>,
    /// What is protected whatever the rules are silent about.
    protection: Option<Protection>,
    /// How the record is kept. Not in a workspace's file.
    record: Option<Record>,
    /// What other files may not loosen: "mode", "agents.*.bypass_permissions" or one agent's, "apps.*.trust_require_approval" or
    /// "apps.*.trust_categories" or one app's, "sandbox.allow_confined". Only in a managed file.
    lock: Option<Vec<LockName>>,
}

/// Where sessions work.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Further {
    /// Folders that every session works in besides its own: absolute, or from ~/. Writes there are as in the session's folder.
    folders: Option<Vec<String>>,
}

/// `mayi acp`, between an editor and an agent.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Acp {
    #[schemars(flatten, schema_with = "acp_scalars")]
    scalars: (),
}

/// How commands are held that mayi runs itself.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sandbox {
    #[schemars(flatten, schema_with = "sandbox_scalars")]
    scalars: (),
}

/// How the record is kept.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Record {
    /// What an entry survives: the death of a process, or also the loss of power, which is slower. Default: process.
    durable: Option<Durability>,
    /// What the database may grow to: beyond it the oldest entries go to the archive, also while mayi runs: 500MB, 2GB.
    /// Default: 1GB.
    #[schemars(regex(pattern = r"^[0-9]+ *(KB|MB|GB)$"))]
    max_size: Option<String>,
    /// Older entries go to the archive: 90d, 12h. The newest 10,000 stay, and age counts back from the oldest of them, so
    /// that a clock that is wrong for a while archives nothing recent. Default: 365d.
    max_age: Option<String>,
    /// Regular expressions of what a secret looks like, besides what mayi knows: it is not written down.
    redact: Option<Vec<String>>,
}

/// What an entry survives.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Durability {
    /// The death of mayi and of every other process.
    Process,
    /// Also the loss of power.
    Power,
}

struct Version;

impl JsonSchema for Version {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Version".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "const": 1 })
    }
}

/// A table of agents under their names.
struct Agents;

impl JsonSchema for Agents {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Agents".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<Agent>();
        json_schema!({
            "type": "object",
            "propertyNames": { "pattern": AGENT, "maxLength": 128 },
            "additionalProperties": value,
        })
    }
}

/// A table of values under names that servers and tools can have.
struct Named<T>(std::marker::PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Named{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({
            "type": "object",
            "propertyNames": { "pattern": NAME },
            "additionalProperties": value,
        })
    }
}

/// selector(argument): `shell(cargo test *)`, `write(src/**)`, `fetch(docs.rs)`, `mcp(github/list_*)`; or `*`.
struct Pattern;

impl JsonSchema for Pattern {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Pattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "selector(argument), such as `shell(cargo test *)`, `write(src/**)`, `fetch(docs.rs)` or `mcp(github/list_*)`; `*` is everything.",
            "type": "string",
            "pattern": format!(
                r"^\s*(\*|({})\s*\([\s\S]*\S[\s\S]*\))\s*$",
                Selector::all_words().collect::<Vec<_>>().join("|")
            ),
        })
    }
}

/// Rules in their short form. The strictest that matches counts, in whatever order they stand.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rules {
    /// What runs without a question.
    allow: Option<Vec<Pattern>>,
    /// What is asked about, in every mode.
    ask: Option<Vec<Pattern>>,
    /// What is denied.
    deny: Option<Vec<Pattern>>,
}

/// One rule.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// What becomes of what the pattern matches.
    effect: Effect,
    /// What the rule is about.
    pattern: Pattern,
    /// What it is not about, though the pattern matches.
    unless: Option<Pattern>,
    /// Why: people and models read it.
    reason: Option<String>,
    /// The agents it is for, by name; of those that come to a door, with the door: "mcp:cursor". Default: all.
    #[schemars(inner(regex(
        pattern = r"^((mcp|responses):)?[A-Za-z0-9][A-Za-z0-9._()-]*( [A-Za-z0-9._()-]+)*$"
    )))]
    agents: Option<Vec<String>>,
    /// For an ask: whether it holds in mode auto and for bypassed agents. Default: true.
    always: Option<bool>,
    /// For an ask or a deny of a path: whether it is only about what is named, and about a folder where such a thing really lies
    /// in it; else it is about a folder where one could. Default: false.
    named: Option<bool>,
    /// For `mcp(...)`: globs for arguments of the call, by name.
    args: Option<BTreeMap<String, String>>,
    /// For `mcp(...)`: globs for arguments of the call that are paths, by name. They allow only for servers that run on
    /// this machine.
    paths: Option<BTreeMap<String, String>>,
    /// Examples that the rule has to match: checked whenever the file is read.
    r#match: Option<Vec<String>>,
    /// Examples that it must not match.
    not_match: Option<Vec<String>>,
}

/// An agent.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Agent {
    /// The program that starts it, and its arguments.
    #[schemars(length(min = 1))]
    command: Option<Vec<String>>,
    /// Variables that are set for it.
    env: Option<BTreeMap<String, String>>,
    #[schemars(flatten, schema_with = "agent_scalars")]
    scalars: (),
    #[schemars(description = about(keys::AGENT_TOOL_CATEGORY))]
    tools: Option<Named<Category>>,
}

/// An MCP server: started with `command`, or reached at `url`.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("not" = { "required": ["command", "url"] }, "dependentRequired" = { "env": ["command"], "headers": ["url"] }))]
struct Server {
    /// The program that starts it, and its arguments.
    #[schemars(length(min = 1))]
    command: Option<Vec<String>>,
    /// Variables that are set for it.
    env: Option<BTreeMap<String, String>>,
    /// Where it listens: Streamable HTTP, or its forerunner with SSE, which is found out.
    #[schemars(regex(pattern = r"^https?://"))]
    url: Option<String>,
    /// Headers that are sent along.
    headers: Option<BTreeMap<String, String>>,
    /// What of its words may change without being blocked until you accept it: `["description"]` for one that has the date in
    /// its descriptions. Other words are looked at as new ones are. Never a schema's structure, unless it is named. Not in a
    /// workspace's file.
    may_change: Option<Vec<ChangingPart>>,
    #[schemars(flatten, schema_with = "server_scalars")]
    scalars: (),
    /// Its tools, by name.
    tools: Option<BTreeMap<String, ToolOrApproval>>,
}

/// A part of what a server says of itself, by the protocol's word for it.
struct ChangingPart;

impl JsonSchema for ChangingPart {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ChangingPart".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = mayi_kept::pin::ChangingPart::ALL.iter().map(|(word, _)| *word).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}

/// An app that uses a Responses API, or has a loop of its own.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct App {
    #[schemars(flatten, schema_with = "app_scalars")]
    scalars: (),
}

/// A word for whether its calls need an answer, or for what it does; or a table for both.
#[derive(JsonSchema)]
#[serde(untagged)]
enum ToolOrApproval {
    /// The word alone.
    Approval(ToolApproval),
    /// What it does, alone.
    Category(Category),
    /// With its category.
    Tool(Tool),
}

/// A tool of a server.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Tool {
    #[schemars(flatten, schema_with = "tool_scalars")]
    scalars: (),
}

/// Your own settings for a folder and everything below it.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Workspace {
    /// The mode there.
    mode: Option<Mode>,
    /// Folders that sessions there work in besides: absolute, or from ~/.
    folders: Option<Vec<String>>,
    /// Rules in their short form.
    rules: Option<Rules>,
    /// Rules in their long form.
    rule: Option<Vec<Rule>>,
}

/// What each mode does with each category where no rule speaks.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Matrix {
    /// In plan mode, which only reads.
    plan: Option<PlanRow>,
    /// In default mode.
    default: Option<Row>,
    /// In mode auto.
    auto: Option<Row>,
}

/// What plan mode does with each category: everything but reading is denied.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct PlanRow {
    /// Reading files.
    read: Option<Effect>,
    /// Changing files.
    write: Option<Denied>,
    /// Running commands.
    execute: Option<Denied>,
    /// Reaching something outside of this machine.
    external: Option<Denied>,
}

/// What a mode does with each category.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Reading files.
    read: Option<Effect>,
    /// Changing files.
    write: Option<Effect>,
    /// Running commands.
    execute: Option<Effect>,
    /// Reaching something outside of this machine.
    external: Option<Effect>,
}

/// What is protected whatever the rules are silent about; `mayi config show` lists it.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Protection {
    /// What is not protected.
    except: Option<Vec<Pattern>>,
    /// What is protected besides: asked about in every mode.
    add: Option<Vec<Pattern>>,
}
