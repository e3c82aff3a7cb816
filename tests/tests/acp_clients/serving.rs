//! S4.13: `fs/*` and `terminal/*` through the gate to a client that carries them out: `acpx`, for the agents that use its files
//! (Qwen Code and Gemini CLI), and for one that is the SDK for TypeScript, since no real one was found that uses terminals.

use std::path::{Path, PathBuf};

use mayi_tests::Machine;
use serde_json::{Value, json};

use crate::agent::{self, Agent};
use crate::client::{Client, Says, installed};
use crate::scene::{Scene, Way};
use crate::seen::Seen;

/// The user's file: one of each is allowed, one is denied, and one is left to the person.
const RULES: &str = "[rules]\nallow = [\"write(free.txt)\", \"shell(touch free)\"]\nask = [\"read(asked.txt)\"]\n\
                     deny = [\"read(denied.txt)\", \"write(denied.txt)\", \"shell(touch denied)\"]\n";

/// What the agent wants, of files in `work`.
fn steps(work: &Path, names: &[&str]) -> Vec<Value> {
    let of = |name: &&str| {
        let path = work.join(format!("{name}.txt"));
        [json!(["read", path]), json!(["write", path, format!("{name}\n")]), json!(["run", "touch", name])]
    };
    names.iter().flat_map(of).collect()
}

fn machine(rules: &str) -> Machine {
    let machine = Machine::new();
    machine.configuration("home/.config/mayi/config.toml", rules);
    ["free.txt", "asked.txt", "denied.txt"]
        .iter()
        .fold(machine, |machine, name| machine.file(name, "before\n"))
}

/// `acpx` with the SDK's agent behind it, with and without mayi between them.
fn run(machine: &Machine, way: Way, says: Says, steps: &[Value]) -> Seen {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("acp/agent.mjs");
    let words = [PathBuf::from("node"), script, installed()].map(|word| word.display().to_string());
    let mayi = [agent::mayi().display().to_string(), "acp".to_owned(), "--".to_owned()];
    let before = mayi.into_iter().filter(|_| way == Way::Mayi);
    let words: Vec<String> = before.chain(words).collect();
    let prompt = json!(steps).to_string();
    let (lines, code) = Client::Serving.run(&machine.outside("home"), &machine.work(), &words, &prompt, says);
    let seen = Seen::new(lines, code);
    assert_eq!(seen.stop(), "end_turn", "{seen:?}");
    machine.is_quiet();
    seen
}

/// What became of a step, as the agent has heard of it.
fn became(seen: &Seen) -> Vec<Value> {
    seen.said().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()[2].clone()).collect()
}

/// What the client has begun to do, without what is done with a terminal afterwards.
fn done(seen: &Seen) -> Vec<String> {
    let of = |line: &&Value| {
        let (method, params) = (line["served"].as_str()?, &line["params"]);
        let path = || Path::new(params["path"].as_str().unwrap()).file_name()?.to_str();
        match method {
            "terminal/create" => {
                Some(format!("run {} {}", params["command"].as_str()?, params["args"][0].as_str()?))
            }
            "fs/read_text_file" => Some(format!("read {}", path()?)),
            "fs/write_text_file" => Some(format!("write {}", path()?)),
            _ => None,
        }
    };
    seen.served().iter().filter_map(of).collect()
}

const DENIED: i64 = -32003;

#[test]
fn given_rules_then_what_they_allow_happens_what_they_deny_does_not_and_the_rest_is_put_to_the_client() {
    let machine = machine(RULES);
    let seen = run(&machine, Way::Mayi, Says::Yes, &steps(&machine.work(), &["free", "denied", "asked"]));
    let wanted = [
        "read free.txt",
        "write free.txt",
        "run touch free",
        "read asked.txt",
        "write asked.txt",
        "run touch asked",
    ];
    assert_eq!(done(&seen), wanted, "{seen:?}");
    let ran = json!({"exitCode": 0, "output": ""});
    let (read, wrote, denied) = (json!("before\n"), Value::Null, json!({"code": DENIED}));
    let free = [&read, &wrote, &ran];
    let all = free.into_iter().chain([&denied; 3]).chain(free);
    assert!(became(&seen).iter().eq(all), "{seen:?}");
    for (name, text) in [("free.txt", "free\n"), ("asked.txt", "asked\n"), ("denied.txt", "before\n")] {
        assert_eq!(machine.text(name).as_deref(), Some(text), "{name}");
    }
    let there = ["free", "asked", "denied"].map(|name| machine.text(name).is_some());
    assert_eq!(there, [true, true, false]);
    // Each is one question, in the client's own dialog and in mayi's words.
    let asked: Vec<String> = seen.asked().iter().map(|line| line["asked"]["content"].to_string()).collect();
    let touched = [("read(", "/asked.txt)"), ("edit(", "/asked.txt)"), ("shell(touch asked)", "")];
    assert_eq!(asked.len(), touched.len(), "{seen:?}");
    for (words, (what, which)) in asked.iter().zip(touched) {
        assert!(words.contains("mayi asks:") && words.contains(what) && words.contains(which), "{words}");
    }
}

#[test]
fn given_no_rule_then_what_the_client_denies_never_comes_to_it() {
    let machine = machine(RULES);
    let seen = run(&machine, Way::Mayi, Says::No, &steps(&machine.work(), &["asked"]));
    assert_eq!((done(&seen), seen.asked().len()), (Vec::new(), 3), "{seen:?}");
    assert!(seen.served().is_empty(), "{seen:?}");
    assert_eq!(became(&seen), vec![json!({"code": DENIED}); 3], "{seen:?}");
    assert_eq!(machine.text("asked.txt").as_deref(), Some("before\n"));
    assert_eq!(machine.text("asked"), None);
}

/// "The same transcript with and without mayi, apart from what was gated", and each request and answer of it.
#[test]
fn given_all_of_it_allowed_then_the_transcript_is_the_same_with_and_without_mayi() {
    let allowed = "[rules]\nallow = [\"read(**)\", \"write(**)\", \"shell(touch *)\"]\n";
    for (rules, questions) in [(allowed, 0), ("", 2)] {
        let (direct, through) = (machine(rules), machine(rules));
        let of = |machine: &Machine, way| {
            let seen = run(machine, way, Says::Yes, &steps(&machine.work(), &["free"]));
            let count = seen.asked().len();
            (seen.without_mayis_own().transcript(&machine.work()), count)
        };
        let (direct, none) = of(&direct, Way::Direct);
        let (through, asked) = of(&through, Way::Mayi);
        assert_eq!((none, asked), (0, questions), "{through:?}");
        assert_eq!(direct, through);
    }
}

/// A real agent's own use of the client's files: it asks, and what it was allowed is not asked about a second time.
fn edits(agent: Agent, rules: &str, says: Says) -> (Scene, Seen) {
    let scene = Scene::new(agent, rules);
    let seen = scene.run(Client::Serving, Way::Mayi, says, "edit file");
    (scene, seen)
}

fn notes(scene: &Scene) -> String {
    std::fs::read_to_string(scene.project().join("notes.txt")).unwrap()
}

const EDITED: &str = "line one\nline TWO\n";

fn wrote(seen: &Seen) -> usize {
    done(seen).iter().filter(|step| *step == "write notes.txt").count()
}

macro_rules! with_both_agents {
    ($($law:ident),* $(,)?) => {
        mod qwen { $(#[test] fn $law() { super::$law(crate::agent::Agent::Qwen); })* }
        mod gemini { $(#[test] fn $law() { super::$law(crate::agent::Agent::Gemini); })* }
    };
}

with_both_agents!(
    given_a_rule_that_allows_then_the_client_writes_the_file_and_is_not_asked,
    given_a_rule_that_denies_then_the_client_has_nothing_to_write_and_is_not_asked,
    given_no_rule_then_the_client_is_asked_once_and_writes_what_it_allows,
    given_no_rule_then_the_client_has_nothing_to_write_where_it_denies,
);

fn given_a_rule_that_allows_then_the_client_writes_the_file_and_is_not_asked(agent: Agent) {
    let (scene, seen) = edits(agent, "[rules]\nallow = [\"edit(notes.txt)\"]\n", Says::Yes);
    assert_eq!((notes(&scene).as_str(), wrote(&seen), seen.asked().len()), (EDITED, 1, 0), "{seen:?}");
}

fn given_a_rule_that_denies_then_the_client_has_nothing_to_write_and_is_not_asked(agent: Agent) {
    let (scene, seen) = edits(agent, "[rules]\ndeny = [\"edit(notes.txt)\"]\n", Says::Yes);
    assert!(notes(&scene) != EDITED && wrote(&seen) == 0 && seen.asked().is_empty(), "{seen:?}");
    assert!(!done(&seen).is_empty(), "it read nothing: {seen:?}");
}

fn given_no_rule_then_the_client_is_asked_once_and_writes_what_it_allows(agent: Agent) {
    let (scene, seen) = edits(agent, "", Says::Yes);
    assert_eq!((notes(&scene).as_str(), wrote(&seen), seen.asked().len()), (EDITED, 1, 1), "{seen:?}");
    let asked = seen.asked()[0].to_string();
    assert!(
        asked.contains("mayi asks:") && asked.contains("edit(") && asked.contains("notes.txt)"),
        "{seen:?}"
    );
}

fn given_no_rule_then_the_client_has_nothing_to_write_where_it_denies(agent: Agent) {
    let (scene, seen) = edits(agent, "", Says::Reads);
    assert!(notes(&scene) != EDITED && wrote(&seen) == 0, "{seen:?}");
    assert_eq!(seen.asked().len(), 1, "{seen:?}");
}

/// Gemini CLI asks by itself, and in the same way, whether mayi is there or not.
#[test]
fn given_an_agent_that_asks_then_the_transcript_is_the_same_with_and_without_mayi() {
    let of = |way| {
        let scene = Scene::new(Agent::Gemini, "");
        let seen = scene.run(Client::Serving, way, Says::Yes, "edit file");
        assert_eq!((notes(&scene).as_str(), wrote(&seen), seen.asked().len()), (EDITED, 1, 1), "{seen:?}");
        seen.transcript(&scene.stage())
    };
    assert_eq!(of(Way::Direct), of(Way::Mayi));
}
