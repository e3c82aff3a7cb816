//! Secrets in everything that an agent sends, and in everything that is kept of it: the corpus in `tests/corpus/secrets`
//! goes through the gate into a database, and what is in that file, and what `mayi` prints of it, is searched.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "only tests")]

mod made;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use made::{Made, harmless, texts};
use mayi_core::call::shell::{self, Surroundings};
use mayi_core::call::{Access, AgentId, Call, Diff, Door, McpAccess, PathAccess, SessionId, WriteKind};
use mayi_core::gate::{Asking, Gate, Memory, NoPersistence, OnAsk, Session, Ticket};
use mayi_core::policy::{Mode, Policy};
use mayi_core::record::Redactor;
use mayi_core::store::{EntryQuery, Options, Order, SqliteStore, Store};
use mayi_core::writer::EntryWriter;
use mayi_tests::mayi_program;
use mayi_tests::random::Random;
use serde_json::{Value, json};
use tempfile::TempDir;

/// In which mode, and so with which fate: denied, asked about, allowed.
const MODES: [Mode; 3] = [Mode::Plan, Mode::Default, Mode::Auto];

/// A user's machine: a folder for everything, a store, and a process that works with it.
struct Machine {
    home: TempDir,
    store: Arc<SqliteStore>,
    gate: Gate,
}

impl Machine {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&home.path().join("data/mayi"), Options::default()).unwrap());
        let writer = EntryWriter::new(b"key".to_vec(), Redactor::default());
        let memory = Memory::attach(Arc::clone(&store) as Arc<dyn Store>, writer).unwrap();
        let asking = Asking { on_ask: OnAsk::Wait, limit: None };
        let gate = Gate::with_memory(Policy::default(), asking, Box::new(NoPersistence), memory);
        for mode in MODES {
            gate.open_session(Session {
                id: session(mode),
                agent: AgentId::from_name("claude"),
                parent: None,
                roots: vec![PathBuf::from("/w")],
                cwd: PathBuf::from("/w"),
                mode: Some(mode),
            });
        }
        Self { home, store, gate }
    }

    /// What `mayi` prints.
    fn mayi(&self, words: &[&str]) -> String {
        let folder = |name: &str| self.home.path().join(name);
        let mut command = Command::new(mayi_program());
        command.args(words).env_clear().current_dir(self.home.path());
        command.env("HOME", folder("home")).env("XDG_DATA_HOME", folder("data"));
        command.env("XDG_CONFIG_HOME", folder("config")).env("XDG_STATE_HOME", folder("state"));
        let out = command.output().unwrap();
        assert!(out.status.success(), "{words:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    }

    /// Everything that lies in its folder, file by file.
    fn files(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut folders = vec![self.home.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = std::fs::read(&path).unwrap();
                    found.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
                }
            }
        }
        found
    }
}

fn session(mode: Mode) -> SessionId {
    SessionId(format!("in-{}-mode", mode.as_str()))
}

fn call(mode: Mode, id: &str, accesses: Vec<Access>, raw_input: Value) -> Call {
    Call {
        tool_call_id: Some(id.to_owned()),
        roots: vec![PathBuf::from("/w")],
        title: "does something".to_owned(),
        kind: "other".to_owned(),
        raw_input,
        accesses,
        ..Call::new(Door::AcpPermission, AgentId::from_name("claude"), session(mode), PathBuf::from("/w"))
    }
}

fn run(mode: Mode, id: &str, line: &str) -> Call {
    let roots = [PathBuf::from("/w")];
    let at = Surroundings::new(Path::new("/w"), &roots);
    call(mode, id, shell::line_accesses(line, &at), json!({ "command": line }))
}

/// The places where a text can stand, and a call with it there.
fn places(made: &Made, mode: Mode) -> Vec<(&'static str, Call)> {
    let text = made.text.as_str();
    let line = match made.name.split_once('/').unwrap().0 {
        "lines" | "others" => text.to_owned(),
        "tokens" => format!("deploy --with {text} now"),
        _ => format!("printf %s {} > f", shell::quote_word(text)),
    };
    let id = |place: &str| format!("{}-{place}", made.name.replace('/', "-"));
    let make = |place: &str| run(mode, &id(place), "make all");
    let mut titled = make("title");
    titled.title = format!("runs {text}");
    let mut with_env = make("env");
    with_env.env.insert("DEPLOY".to_owned(), text.to_owned());
    let write = |place: &str| {
        let access = Access::write(WriteKind::Edit, PathAccess::new(Path::new("/w"), "notes.md"));
        call(mode, &id(place), vec![access], json!({ "file_path": "notes.md" }))
    };
    let mut changes = write("diff");
    changes.diffs.push(Diff {
        path: "notes.md".to_owned(),
        old_text: Some(text.to_owned()),
        new_text: "x".to_owned(),
    });
    let mut contents = write("content");
    contents.raw_input = json!({ "file_path": "notes.md", "content": text });
    contents.notes.push(text.to_owned());
    let arguments = json!({ "body": text, "list": ["a", text] });
    let mcp =
        McpAccess::new(vec![("github".to_owned(), "create".to_owned())], arguments.clone(), Path::new("/w"));
    let mut found = vec![
        ("command", run(mode, &id("command"), &line)),
        ("inside", run(mode, &id("inside"), &format!("ssh host {}", shell::quote_word(&line)))),
        ("title", titled),
        ("env", with_env),
        ("diff", changes),
        ("content", contents),
        ("arguments", call(mode, &id("arguments"), vec![Access::Mcp(mcp)], arguments)),
    ];
    // What is one command has words; of code, they say nothing without its quotes.
    let code = made.name.starts_with("others/");
    let apart = |word: &String| word.ends_with(['|', '<', ';']);
    if let Some(words) = shell::split_words(&line).filter(|words| !code && !words.iter().any(apart)) {
        let roots = [PathBuf::from("/w")];
        let accesses = shell::argv_accesses(&words, &Surroundings::new(Path::new("/w"), &roots));
        found.push(("words", call(mode, &id("words"), accesses, json!({ "command": words }))));
    }
    found
}

/// The parts of a secret of which none may be left: all of it, and its halves.
fn parts(secret: &str) -> Vec<&str> {
    let half = secret.len() / 2;
    if half >= 6 { vec![&secret[..half], &secret[half..]] } else { vec![secret] }
}

/// Attack 300. D7.3: every stored string redacted: patterns and known secret values: of the corpus no
/// secret is in the database, in `mayi log --json` or in `mayi inbox --json`, wherever an agent sends it.
#[tokio::test]
async fn given_every_known_form_in_every_place_then_nothing_that_is_kept_holds_it() {
    let machine = Machine::new();
    let mut random = Random(20_261_123);
    let all: Vec<Made> =
        ["tokens", "lines", "texts", "others"].iter().flat_map(|file| texts(file, &mut random)).collect();
    assert!(all.len() >= 300, "{}", all.len());
    let (mut asked, mut inbox): (Vec<Ticket>, String) = (Vec::new(), String::new());
    for (at, made) in all.iter().enumerate() {
        // Each text is denied, asked about and allowed somewhere.
        let mut calls = MODES.map(|mode| places(made, mode).into_iter());
        for place in 0.. {
            let next = calls.each_mut().map(Iterator::next);
            let Some((_, call)) = next.into_iter().cycle().nth((at + place) % MODES.len()).flatten() else {
                break;
            };
            asked.push(machine.gate.submit(call, &[]));
        }
        // So many may wait at once; the others are refused.
        if machine.gate.waiting_cards().len() > 40 {
            inbox.push_str(&machine.mayi(&["inbox", "--json"]));
            asked.clear();
        }
    }
    inbox.push_str(&machine.mayi(&["inbox", "--json"]));
    let log = machine.mayi(&["log", "--all", "--json"]);
    assert!(inbox.lines().count() > 100 && log.lines().count() > 5_000, "{}", inbox.lines().count());
    let files = machine.files();
    let mut searched: Vec<(String, &str)> = vec![("log".to_owned(), &log), ("inbox".to_owned(), &inbox)];
    searched.extend(files.iter().map(|(path, text)| (path.clone(), text.as_str())));
    let wanted: Vec<(&str, &str)> = all
        .iter()
        .flat_map(|made| {
            made.secrets.iter().flat_map(|secret| parts(secret)).map(|part| (made.name.as_str(), part))
        })
        .collect();
    assert!(all.iter().all(|made| !made.secrets.is_empty()));
    let search = aho_corasick::AhoCorasick::new(wanted.iter().map(|(_, part)| part)).unwrap();
    let mut left: BTreeMap<&str, String> = BTreeMap::new();
    for (what, text) in &searched {
        for found in search.find_overlapping_iter(text) {
            let (name, _) = wanted[found.pattern().as_usize()];
            left.entry(name).or_insert_with(|| format!("{what}: {}", around(text, found.start())));
        }
    }
    assert!(left.is_empty(), "{} of {} are left: {left:#?}", left.len(), all.len());
    drop(asked);
}

/// The text before and behind the byte `at`.
fn around(line: &str, at: usize) -> &str {
    let floor = |mut at: usize| {
        while !line.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    &line[floor(at.saturating_sub(80))..floor((at + 120).min(line.len()))]
}

/// D7.3: every stored string redacted, and no more: of texts of every day at most one in a hundred is
/// touched, in a command, a change to a file or the arguments of a tool.
#[tokio::test]
async fn given_texts_of_every_day_then_they_are_kept_as_they_were() {
    let machine = Machine::new();
    let all = harmless(&mut Random(7));
    assert!(all.len() >= 300, "{}", all.len());
    let mut asked = Vec::new();
    for (number, made) in all.iter().enumerate() {
        let (id, text) = (number.to_string(), made.text.as_str());
        let access = Access::write(WriteKind::Edit, PathAccess::new(Path::new("/w"), "notes.md"));
        let mut write = call(Mode::Auto, &id, vec![access], Value::Null);
        write.diffs.push(Diff { path: "notes.md".to_owned(), old_text: None, new_text: text.to_owned() });
        let arguments = json!({ "body": text });
        let readings = vec![("github".to_owned(), "create".to_owned())];
        let mcp = Access::Mcp(McpAccess::new(readings, arguments.clone(), Path::new("/w")));
        for call in [run(Mode::Auto, &id, text), write, call(Mode::Auto, &id, vec![mcp], arguments)] {
            asked.push(machine.gate.submit(call, &[]));
        }
    }
    let query = EntryQuery { order: Order::OldestFirst, ..EntryQuery::default() };
    let entries = machine.store.query_entries(&query).unwrap();
    assert!(entries.len() >= all.len() * 6);
    let mut numbers = BTreeMap::new();
    let mut touched: BTreeMap<&str, String> = BTreeMap::new();
    for recorded in &entries {
        let Some(call) = recorded.entry.call else { continue };
        if let Some(id) = recorded.entry.detail["toolCallId"].as_str() {
            numbers.insert(call, id.parse::<usize>().unwrap());
        }
        let text = format!("{:?} {}", recorded.entry.access, recorded.entry.detail);
        if let Some(at) = text.find('«') {
            touched.entry(&all[numbers[&call]].text).or_insert_with(|| around(&text, at).to_owned());
        }
    }
    assert!(touched.len() <= all.len() / 100, "{} of {} are touched: {touched:#?}", touched.len(), all.len());
    drop(asked);
}
