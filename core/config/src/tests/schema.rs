//! "The JSON schema of the file is generated, checked in, and usable by editors": what the reader knows and
//! what the schema knows are the same.

use std::collections::BTreeMap;
use std::path::Path;

use boon::{Compiler, Schemas};
use serde_json::Value;

use crate::template::{Project, Template, all_languages};
use crate::{Layer, config_schema, read, schema_text};
use mayi_policy::pattern::PatternBases;

/// Whether the reader takes it, as a managed file: only that one may hold everything.
fn read_takes(text: &str) -> Result<(), String> {
    let places = PatternBases { home: Some("/home/me".into()), ..PatternBases::default() };
    match read::read(Layer::Managed, Path::new("FILE"), text, &places) {
        Ok(_) => Ok(()),
        Err(errors) => Err(errors.iter().map(|error| error.one_line()).collect::<Vec<_>>().join("\n")),
    }
}

fn schema_takes(text: &str) -> Result<(), String> {
    let value: Value = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut compiler = Compiler::new();
    compiler.add_resource("mayi.json", config_schema()).unwrap();
    let mut schemas = Schemas::new();
    let compiled = compiler.compile("mayi.json", &mut schemas).unwrap();
    schemas.validate(&value, compiled).map_err(|error| format!("{error:#}"))
}

#[test]
fn given_the_schema_then_the_one_that_is_checked_in_is_the_same() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mayi.schema.json");
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == schema_text(), "write it anew: mayi config schema > core/config/mayi.schema.json");
    assert_eq!(config_schema()["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert!(!there.contains("null"), "TOML has no null");
}

/// Every table of a file, and the type of the schema that stands for it.
const TABLES: &[(&str, &str)] = &[
    ("", "#"),
    ("[acp]\n", "Acp"),
    ("[rules]\n", "Rules"),
    ("[[rule]]\neffect = \"deny\"\npattern = \"*\"\n", "Rule"),
    ("[agents.x]\n", "Agent"),
    ("[servers.x]\n", "Server"),
    ("[servers.x.tools.t]\n", "Tool"),
    ("[apps.x]\n", "App"),
    ("[workspaces.\"/x\"]\n", "Workspace"),
    ("[matrix]\n", "Matrix"),
    ("[matrix.plan]\n", "PlanRow"),
    ("[matrix.default]\n", "Row"),
    ("[protection]\n", "Protection"),
];

#[test]
fn given_every_table_then_reader_and_schema_know_the_same_keys() {
    let schema = config_schema();
    for (header, name) in TABLES {
        // An unknown key that is like no other: the mistake lists those that are known.
        let mistake = read_takes(&format!("{header}zzzzzzzzzzzzzzzzz = 1\n")).unwrap_err();
        let list = mistake.rsplit_once(" has ").unwrap().1.trim_end_matches(')').replace(" or ", ", ");
        let mut known: Vec<&str> = list.split(", ").collect();
        known.sort_unstable();
        let definition = if *name == "#" { &schema } else { &schema["$defs"][name] };
        let described: BTreeMap<&str, &Value> = definition["properties"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(key, value)| (key.as_str(), value))
            .collect();
        assert_eq!(described.keys().copied().collect::<Vec<_>>(), known, "{header}");
        assert_eq!(definition["additionalProperties"], Value::Bool(false), "{header}");
        // For whoever hovers over a key.
        for (key, value) in described {
            assert!(value.get("description").is_some(), "{header}{key} is not described");
        }
    }
}

const TAKEN: &[&str] = &[
    "",
    r#"
version = 1
mode = "default"
readers = false
on_unasked = "record"
lock = ["mode", "agents.*.bypass_permissions", "agents.claude.bypass_permissions", "apps.*.trust_require_approval", "apps.x.trust_require_approval", "apps.*.trust_categories"]
[acp]
protocol_v2 = true
[rules]
allow = ["shell(cargo test *)", "write(src/**)", "mcp(github/list_*)", "fetch(docs.rs)", "*"]
ask = []
deny = ["shell(rm -rf *)", "read(**/.env)", "mcp(*/delete_*)", "tool(x)", "mode(*)"]
[[rule]]
effect = "deny"
pattern = "shell(git push *)"
unless = "shell(git push --dry-run origin main)"
reason = "push from your own terminal"
agents = ["claude", "Claude Code", "mcp:cursor"]
match = ["git push origin main"]
not_match = ["git pull"]
[[rule]]
effect = "ask"
pattern = "mcp(github/*)"
args = { repo = "me/*" }
paths = { path = "src/**" }
always = false
[agents.claude]
command = ["npx", "-y", "x"]
env = { A = "b" }
bypass_permissions = false
mode = "auto"
trust_kind = false
trust_elicitation = false
asking_mode = "default"
on_unasked = "stop"
[agents.other]
asking_mode = ""
[servers.github]
command = ["npx", "-y", "some-server"]
env = {}
approval = "required"
grant = "read"
trust_annotations = false
[servers.github.tools]
list_issues = "not_required"
other = "default"
look = "read"
create_issue = { approval = "default", category = "write" }
[servers.docs]
url = "https://example.com/mcp"
headers = { Authorization = "x" }
approval = "not_required"
[apps.chat]
trust_require_approval = true
trust_categories = true
[apps.other]
[tools]
web_search = "read"
[agents.claude.tools]
todo_write = "read"
[workspaces."/home/me/work"]
mode = "plan"
[workspaces."/home/me/work".rules]
deny = ["shell(x)"]
[[workspaces."/home/me/work".rule]]
effect = "ask"
pattern = "shell(y)"
[matrix.default]
read = "allow"
external = "deny"
[protection]
except = ["write(.vscode/settings.json)"]
add = ["read(/srv/secrets/**)"]
"#,
];

const REFUSED: &[&str] = &[
    "version = 2",
    "version = \"1\"",
    "mode = \"yolo\"",
    "mode = 1",
    "readers = \"no\"",
    "readers = 0",
    "on_unasked = \"deny\"",
    "acp = true",
    "[acp]\nprotocol_v2 = 2",
    "[acp]\nversion = 2",
    "lock = [\"matrix\"]",
    "lock = \"mode\"",
    "lock = [\"apps.*.bypass_permissions\"]",
    "lock = [\"apps.a b.trust_require_approval\"]",
    "[apps.x]\ntrust_require_approval = \"yes\"",
    "[apps.x]\ntrust = true",
    "[apps.\"a b\"]",
    "mod = \"plan\"",
    "rules = []",
    "[rules]\nallow = \"shell(x)\"",
    "[rules]\nallow = [1]",
    "[rules]\nallow = [\"ls\"]",
    "[rules]\nallow = [\"shell()\"]",
    "[rules]\nallow = [\"shel(x)\"]",
    "[rules]\nalow = []",
    "[rule]\neffect = \"deny\"\npattern = \"*\"",
    "[[rule]]\neffect = \"deny\"",
    "[[rule]]\npattern = \"*\"",
    "[[rule]]\neffect = \"forbid\"\npattern = \"*\"",
    "[[rule]]\neffect = \"deny\"\npattern = \"*\"\nagents = [\"a/b\"]",
    "[[rule]]\neffect = \"deny\"\npattern = \"*\"\nreason = 1",
    "[[rule]]\neffect = \"ask\"\npattern = \"*\"\nalways = \"yes\"",
    "[[rule]]\neffect = \"deny\"\npattern = \"mcp(a/b)\"\nargs = { a = 1 }",
    "[[rule]]\neffect = \"deny\"\npattern = \"*\"\nmatch = \"shell(x)\"",
    "[agents.\"a  b\"]",
    "[agents.x]\ncommand = []",
    "[agents.x]\ncommand = \"npx\"",
    "[agents.x]\nenv = { A = 1 }",
    "[agents.x]\nbypass_permissions = \"on\"",
    "[agents]\nx = 1",
    "[servers.x]\ncommand = [\"a\"]\nurl = \"https://example.com/\"",
    "[servers.x]\nurl = \"ftp://example.com/\"",
    "[servers.x]\nenv = { A = \"b\" }",
    "[servers.x]\nheaders = { A = \"b\" }",
    "[servers.x]\napproval = \"default\"",
    "[servers.x]\ngrant = \"some\"",
    "[servers.x.tools]\nt = true",
    "[servers.x.tools]\nt = \"maybe\"",
    "[servers.x.tools.t]\ncategory = \"think\"",
    "[workspaces.\"/x\"]\nreaders = true",
    "[matrix]\nplans = {}",
    "[matrix.plan]\nread = \"maybe\"",
    "[matrix.plan]\nrun = \"deny\"",
    "[matrix.plan]\nexternal = \"allow\"",
    "[matrix.plan]\nwrite = \"ask\"",
    "[tools]\nx = \"think\"",
    "[tools]\nx = { category = \"read\" }",
    "[tools]\n\"a b\" = \"read\"",
    "[agents.x.tools]\nx = true",
    "[protection]\nadd = \"read(x)\"",
    "[protection]\nadd = [\"x\"]",
];

#[test]
fn given_sound_files_then_reader_and_schema_take_them() {
    let templates =
        Template::ALL.map(|template| template.render(&all_languages(), &Project::default(), None, None));
    for text in TAKEN.iter().copied().chain(templates.iter().map(String::as_str)) {
        assert_eq!((read_takes(text), schema_takes(text)), (Ok(()), Ok(())), "{text}");
    }
}

#[test]
fn given_mistakes_then_reader_and_schema_refuse_them() {
    for text in REFUSED {
        assert!(read_takes(text).is_err(), "the reader takes {text}");
        assert!(schema_takes(text).is_err(), "the schema takes {text}");
    }
}
