//! What tests of the record share: calls of mayi's own builders, policies, and entries of a session.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{CallId, Entry, Recorded, Redactor};
use crate::approval::{ApprovalResolved, ApprovalResponse, Card, State, choice};
use crate::writer::{Ruling, Writer};
use mayi_call::shell::{self, Surroundings};
use mayi_call::{
    Access, AgentId, Call, Category, Door, McpAccess, PathAccess, SessionId, UrlAccess, WriteKind,
};
use mayi_policy::grant::Grants;
use mayi_policy::pattern::Places;
use mayi_policy::{
    Approval, Effect, Mode, Origin, Pattern, Policy, Protection, Rule, ServerSettings, Standing, decide,
};

pub(crate) const HOME: &str = "/home/me";

pub(crate) fn call(accesses: Vec<Access>, raw_input: Value) -> Call {
    Call {
        door: Door::AcpPermission,
        agent: AgentId::named("claude"),
        session: SessionId("0196f2a4-7c1e-7cc0-8f43-0242ac120002".into()),
        tool_call_id: Some("toolu_01".into()),
        roots: vec![PathBuf::from("/w")],
        cwd: PathBuf::from("/w"),
        env: BTreeMap::new(),
        title: "does something".into(),
        kind: "other".into(),
        name: None,
        raw_input,
        diffs: Vec::new(),
        notes: Vec::new(),
        locations: Vec::new(),
        accesses,
        not_shown: Vec::new(),
        by_hand: None,
        server: None,
        blocked: None,
        cautions: Vec::new(),
        flagged: Vec::new(),
        parent: None,
        about: None,
    }
}

pub(crate) fn run_in(cwd: &Path, line: &str) -> Call {
    let roots = [cwd.to_owned()];
    let at = Surroundings { home: Some(Path::new(HOME)), ..Surroundings::new(cwd, &roots) };
    let mut call = call(shell::line(line, &at), json!({ "command": line }));
    call.cwd = cwd.to_owned();
    call.roots = roots.to_vec();
    call
}

pub(crate) fn run(line: &str) -> Call {
    run_in(Path::new("/w"), line)
}

pub(crate) fn write(path: &str) -> Call {
    let access = Access::Write(WriteKind::Edit, PathAccess::new(Path::new("/w"), path));
    call(vec![access], json!({ "file_path": path }))
}

pub(crate) fn read(path: &str) -> Call {
    call(vec![Access::Read(PathAccess::new(Path::new("/w"), path))], json!({ "file_path": path }))
}

pub(crate) fn fetch(url: &str) -> Call {
    call(vec![Access::Fetch(UrlAccess::parse(url).unwrap())], json!({ "url": url }))
}

pub(crate) fn mcp(server: &str, tool: &str, arguments: Value) -> Call {
    let access = McpAccess::new(vec![(server.into(), tool.into())], arguments.clone(), Path::new("/w"));
    call(vec![Access::Mcp(access)], arguments)
}

/// One of every other kind of access, and some that are odd.
pub(crate) fn others() -> Vec<Call> {
    let mut by_hand = write("a");
    by_hand.by_hand = Some("no option means just that".into());
    let mut uncertain = mcp("a", "b__c", json!({}));
    if let Some(Access::Mcp(mcp)) = uncertain.accesses.first_mut() {
        mcp.readings.push(("a__b".into(), "c".into()));
    }
    vec![
        by_hand,
        uncertain,
        read("/w/src/a.rs"),
        read("/proc/self/cwd/.git/config"),
        read("/etc/passwd"),
        read("../x"),
        read("a\0b"),
        write("/w/.git/hooks/pre-commit"),
        write("src/../.envrc"),
        write("/tmp/x"),
        fetch("https://user:pw@example.com:8443/a?b=c#d"),
        fetch(r"https://a\@b/"),
        mcp("github", "list_issues", json!({"repo": "me/x", "n": [1, 2.5, null, {}, []], "always": false})),
        mcp(
            "s",
            "t",
            json!({"path": ".env", "lexical": "x", "given": "/y", "touches": [], "arguments": null}),
        ),
        call(vec![Access::Tool { name: "think".into(), category: Category::Read }], Value::Null),
        call(vec![Access::Tool { name: "x".into(), category: Category::Execute }], Value::Null),
        call(vec![Access::Mode { id: "yolo".into() }], Value::Null),
        call(Vec::new(), Value::Null),
    ]
}

/// Every line of the corpus: what stands in quotes in its cases, and the lines of its sessions.
pub(crate) fn corpus() -> &'static [String] {
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
                Some("toml") => strings(&toml::from_str::<toml::Value>(&text).unwrap(), &mut lines),
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

fn strings(value: &toml::Value, out: &mut Vec<String>) {
    match value {
        toml::Value::String(text) => out.push(text.clone()),
        toml::Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        toml::Value::Table(members) => members.iter().for_each(|(_, member)| strings(member, out)),
        _ => {}
    }
}

pub(crate) fn rule(effect: Effect, text: &str) -> Rule {
    let places = Places { home: Some(HOME.into()), ..Places::default() };
    Rule {
        effect,
        pattern: Pattern::parse(text, &places).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        origin: Origin {
            file: Some("/home/me/.config/mayi/config.toml".into()),
            line: Some(7),
            layer: "user",
        },
    }
}

pub(crate) fn policy(rules: &[(Effect, &str)]) -> Policy {
    static BUILT_IN: OnceLock<Protection> = OnceLock::new();
    let places = Places { home: Some(HOME.into()), ..Places::default() };
    let built_in = || Protection::built_in(&places, &[PathBuf::from("/home/me/.config/mayi")]).unwrap();
    let required = ServerSettings { approval: Some(Approval::Required), ..ServerSettings::default() };
    Policy {
        rules: rules.iter().map(|(effect, text)| rule(*effect, text)).collect(),
        protection: BUILT_IN.get_or_init(built_in).clone(),
        servers: [("github".to_owned(), required)].into(),
        ..Policy::default()
    }
}

pub(crate) fn servers() -> Vec<String> {
    vec!["github".to_owned(), "s".to_owned()]
}

pub(crate) fn writer() -> Writer {
    let redactor = Redactor::new([""; 0], ["hunter2hunter2"]).unwrap();
    Writer::new([7; 32], redactor)
}

/// Who answers what is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Person {
    Yes,
    No,
    Nobody,
}

/// A record under construction: calls go in as the gate would hand them in.
pub(crate) struct Session {
    pub(crate) writer: Writer,
    pub(crate) policy: Policy,
    pub(crate) mode: Mode,
    pub(crate) entries: Vec<Recorded>,
    pub(crate) now: Timestamp,
}

impl Session {
    pub(crate) fn new(policy: Policy) -> Self {
        let now = Timestamp::now();
        Self { writer: writer(), policy, mode: Mode::Default, entries: Vec::new(), now }
    }

    pub(crate) fn put(&mut self, entry: Entry) {
        let seq = self.entries.len() as u64 + 1;
        self.entries.push(Recorded { seq, entry });
    }

    /// One call and its answer; returns what became of it.
    pub(crate) fn call(&mut self, call: &Call, person: Person) -> Effect {
        self.with(call, person, &Grants::default())
    }

    pub(crate) fn with(&mut self, call: &Call, person: Person, grants: &Grants) -> Effect {
        let servers = servers();
        let standing = Standing { mode: self.mode, bypass: false, grants, servers: &servers };
        let decision = decide(&self.policy, call, &standing);
        let (id, now) = (CallId::new(), self.now);
        self.put(self.writer.proposed(id, call, now));
        let ruling = Ruling::new(decision.effect, "policy", call, &standing);
        self.put(self.writer.decided(id, call, &decision, &ruling, now));
        if decision.effect != Effect::Ask {
            return decision.effect;
        }
        let card = Card::new(call, &decision, &[], 1, now);
        self.put(self.writer.asked(id, call, &decision, &card, now));
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
                self.put(self.writer.settled(id, call, &resolved(State::Expired, "time limit")));
                return Effect::Deny;
            }
        };
        let response = ApprovalResponse::pick(&card, option);
        self.put(self.writer.answered(id, call, &decision, &response, &resolved(state, "terminal")));
        if person == Person::Yes { Effect::Allow } else { Effect::Deny }
    }
}
