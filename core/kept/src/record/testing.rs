//! What tests of the record share: calls of mayi's own builders, policies, and entries of a session.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{CallId, Entry, Recorded, Redactor};
use crate::approval::{ApprovalResolved, ApprovalResponse, Card, State, choice};
use crate::writer::{Circumstances, EntryWriter, Ruling};
use mayi_call::shell::{self, Surroundings};
use mayi_call::{
    Access, AgentId, Call, Category, Door, McpAccess, PathAccess, SessionId, UrlAccess, WriteKind,
};
use mayi_policy::grant::Grants;
use mayi_policy::pattern::PatternBases;
use mayi_policy::{
    Approval, Effect, Mode, Origin, Pattern, Policy, Protection, Rule, ServerSettings, SessionStanding,
    decide,
};

pub(crate) const HOME: &str = "/home/me";

pub(crate) fn call_with(accesses: Vec<Access>, raw_input: Value) -> Call {
    Call {
        tool_call_id: Some("toolu_01".into()),
        roots: vec![PathBuf::from("/w")],
        title: "does something".into(),
        kind: "other".into(),
        raw_input,
        accesses,
        ..Call::new(
            Door::AcpPermission,
            AgentId::from_name("claude"),
            SessionId("0196f2a4-7c1e-7cc0-8f43-0242ac120002".into()),
            PathBuf::from("/w"),
        )
    }
}

pub(crate) fn run_in(cwd: &Path, line: &str) -> Call {
    let roots = [cwd.to_owned()];
    let at = Surroundings { home: Some(Path::new(HOME)), ..Surroundings::new(cwd, &roots) };
    let mut call = call_with(shell::line_accesses(line, &at), json!({ "command": line }));
    call.cwd = cwd.to_owned();
    call.roots = roots.to_vec();
    call
}

pub(crate) fn shell_call(line: &str) -> Call {
    run_in(Path::new("/w"), line)
}

pub(crate) fn write_call(path: &str) -> Call {
    let access = Access::Write(WriteKind::Edit, PathAccess::new(Path::new("/w"), path));
    call_with(vec![access], json!({ "file_path": path }))
}

pub(crate) fn read_call(path: &str) -> Call {
    call_with(vec![Access::Read(PathAccess::new(Path::new("/w"), path))], json!({ "file_path": path }))
}

pub(crate) fn fetch_call(url: &str) -> Call {
    call_with(vec![Access::Fetch(UrlAccess::parse(url).unwrap())], json!({ "url": url }))
}

pub(crate) fn mcp_call(server: &str, tool: &str, arguments: Value) -> Call {
    let access = McpAccess::new(vec![(server.into(), tool.into())], arguments.clone(), Path::new("/w"));
    call_with(vec![Access::Mcp(access)], arguments)
}

/// One of every other kind of access, and some that are odd.
pub(crate) fn other_calls() -> Vec<Call> {
    let mut by_hand = write_call("a");
    by_hand.by_hand = Some("no option means just that".into());
    let mut uncertain = mcp_call("a", "b__c", json!({}));
    if let Some(Access::Mcp(mcp)) = uncertain.accesses.first_mut() {
        mcp.readings.push(("a__b".into(), "c".into()));
    }
    vec![
        by_hand,
        uncertain,
        read_call("/w/src/a.rs"),
        read_call("/proc/self/cwd/.git/config"),
        read_call("/etc/passwd"),
        read_call("../x"),
        read_call("a\0b"),
        write_call("/w/.git/hooks/pre-commit"),
        write_call("src/../.envrc"),
        write_call("/tmp/x"),
        fetch_call("https://user:pw@example.com:8443/a?b=c#d"),
        fetch_call(r"https://a\@b/"),
        mcp_call(
            "github",
            "list_issues",
            json!({"repo": "me/x", "n": [1, 2.5, null, {}, []], "always": false}),
        ),
        mcp_call(
            "s",
            "t",
            json!({"path": ".env", "lexical": "x", "given": "/y", "touches": [], "arguments": null}),
        ),
        call_with(vec![Access::Tool { name: "think".into(), category: Category::Read }], Value::Null),
        call_with(vec![Access::Tool { name: "x".into(), category: Category::Execute }], Value::Null),
        call_with(vec![Access::Mode { id: "yolo".into() }], Value::Null),
        call_with(Vec::new(), Value::Null),
    ]
}

/// Every line of the corpus: what stands in quotes in its cases, and the lines of its sessions.
pub(crate) fn corpus_lines() -> &'static [String] {
    static LINES: OnceLock<Vec<String>> = OnceLock::new();
    LINES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
        let mut lines = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // A folder in it is about something else than decisions.
            if path.is_dir() {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("toml") => collect_strings(&toml::from_str::<toml::Value>(&text).unwrap(), &mut lines),
                Some("txt") => lines.extend(text.lines().map(str::to_owned)),
                _ => {}
            }
        }
        lines.sort();
        lines.dedup();
        assert!(lines.len() > 1000);
        lines
    })
}

fn collect_strings(value: &toml::Value, out: &mut Vec<String>) {
    match value {
        toml::Value::String(text) => out.push(text.clone()),
        toml::Value::Array(items) => items.iter().for_each(|item| collect_strings(item, out)),
        toml::Value::Table(members) => members.iter().for_each(|(_, member)| collect_strings(member, out)),
        _ => {}
    }
}

pub(crate) fn parse_rule(effect: Effect, text: &str) -> Rule {
    let places = PatternBases { home: Some(HOME.into()), ..PatternBases::default() };
    Rule {
        effect,
        pattern: Pattern::parse(text, &places).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: Origin {
            file: Some("/home/me/.config/mayi/config.toml".into()),
            line: Some(7),
            layer: "user",
        },
    }
}

pub(crate) fn policy_with_rules(rules: &[(Effect, &str)]) -> Policy {
    static BUILT_IN: OnceLock<Protection> = OnceLock::new();
    let places = PatternBases { home: Some(HOME.into()), ..PatternBases::default() };
    let built_in = || Protection::built_in(&places, &[PathBuf::from("/home/me/.config/mayi")]).unwrap();
    let required = ServerSettings { approval: Some(Approval::Required), ..ServerSettings::default() };
    Policy {
        rules: rules.iter().map(|(effect, text)| parse_rule(*effect, text)).collect(),
        protection: BUILT_IN.get_or_init(built_in).clone(),
        servers: [("github".to_owned(), required)].into(),
        ..Policy::default()
    }
}

pub(crate) fn server_names() -> Vec<String> {
    vec!["github".to_owned(), "s".to_owned()]
}

pub(crate) fn test_writer() -> EntryWriter {
    let redactor = Redactor::new([""; 0], ["hunter2hunter2"]).unwrap();
    EntryWriter::new([7; 32], redactor)
}

/// Who answers what is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Person {
    Yes,
    No,
    Nobody,
}

/// A record under construction: calls go in as the gate would hand them in.
pub(crate) struct TestSession {
    pub(crate) writer: EntryWriter,
    pub(crate) policy: Policy,
    pub(crate) mode: Mode,
    pub(crate) entries: Vec<Recorded>,
    pub(crate) now: Timestamp,
}

impl TestSession {
    pub(crate) fn new(policy: Policy) -> Self {
        let now = Timestamp::now();
        Self { writer: test_writer(), policy, mode: Mode::Default, entries: Vec::new(), now }
    }

    pub(crate) fn push_entry(&mut self, entry: Entry) {
        let seq = self.entries.len() as u64 + 1;
        self.entries.push(Recorded { seq, entry });
    }

    /// One call and its answer; returns what became of it.
    pub(crate) fn record_call(&mut self, call: &Call, person: Person) -> Effect {
        self.record_call_with(call, person, &Grants::default())
    }

    pub(crate) fn record_call_with(&mut self, call: &Call, person: Person, grants: &Grants) -> Effect {
        let servers = server_names();
        let standing = SessionStanding { mode: self.mode, bypass: false, grants, servers: &servers };
        let decision = decide(&self.policy, call, &standing);
        let (id, now) = (CallId::new(), self.now);
        self.push_entry(self.writer.proposed_entry(id, call, now));
        let circumstances = Circumstances::new(call, &standing);
        let ruling = Ruling { effect: decision.effect, by: "policy", circumstances };
        self.push_entry(self.writer.decided_entry(id, call, &decision, &ruling, now));
        if decision.effect != Effect::Ask {
            return decision.effect;
        }
        let card = Card::new(call, &decision, &[], 1, now);
        self.push_entry(self.writer.asked_entry(id, call, &decision, &card, now));
        let resolved = |state, by: &str| ApprovalResolved {
            message: "approval-resolved",
            approval_id: card.approval_id,
            state,
            by: by.to_owned(),
            at: card.approval_id.made_at().unwrap() + jiff::SignedDuration::from_millis(1500),
            reason: None,
            granted_permissions: Vec::new(),
        };
        let (state, option) = match person {
            Person::Yes => (State::Approved, choice::ALLOW_ONCE),
            Person::No => (State::Denied, choice::DENY),
            Person::Nobody => {
                self.push_entry(self.writer.settled_entry(id, call, &resolved(State::Expired, "time limit")));
                return Effect::Deny;
            }
        };
        let response = ApprovalResponse::pick(&card, option);
        self.push_entry(self.writer.answered_entry(
            id,
            call,
            &decision,
            &response,
            &resolved(state, "terminal"),
        ));
        if person == Person::Yes { Effect::Allow } else { Effect::Deny }
    }
}
