//! Recorded sessions of real agents (`tests/acp/recordings`), played through mayi with everything allowed, by a player of the agent and
//! one of the editor. Must show: "messages that mayi has no business with are equal in bytes, the others equal as JSON
//! with numbers compared as text; also with invented unknown fields and methods".

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use serde_json::value::RawValue;

use crate::scene::{Scene, machine, outcome};

const RECORDINGS: [(&str, &str); 2] = [
    ("claude", include_str!("../../acp/recordings/claude.jsonl")),
    ("codex", include_str!("../../acp/recordings/codex.jsonl")),
];

/// JSON without the order of members and without blanks; numbers are as they are written.
fn canonical(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('{') {
        let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).unwrap();
        let members = members
            .iter()
            .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), canonical(value.get())));
        return format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    }
    if text.starts_with('[') {
        let items: Vec<Box<RawValue>> = serde_json::from_str(text).unwrap();
        return format!("[{}]", items.iter().map(|item| canonical(item.get())).collect::<Vec<_>>().join(","));
    }
    if text.starts_with('"') {
        return Value::from(serde_json::from_str::<String>(text).unwrap()).to_string();
    }
    text.to_owned()
}

/// An object with one of its members as `change` has it; without it, where that is none.
fn with(object: &str, path: &[&str], change: &dyn Fn(Option<&str>) -> Option<String>) -> String {
    let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(object).unwrap();
    let (first, rest) = path.split_first().unwrap();
    let old = members.get(*first).map(|value| value.get().to_owned());
    let new = match (old, rest) {
        (old, []) => change(old.as_deref()),
        (Some(old), rest) => Some(with(&old, rest, change)),
        (None, _) => None,
    };
    match new {
        Some(new) => members.insert((*first).to_owned(), RawValue::from_string(new).unwrap()),
        None => members.remove(*first),
    };
    serde_json::to_string(&members).unwrap()
}

/// The items of a list but those that `is` holds of.
fn but(list: &str, is: impl Fn(&Value) -> bool) -> Vec<String> {
    let items: Vec<Box<RawValue>> = serde_json::from_str(list).unwrap();
    let kept = items.iter().filter(|item| !is(&serde_json::from_str(item.get()).unwrap()));
    kept.map(|item| item.get().to_owned()).collect()
}

/// A message that mayi has a part in, without that part.
fn without_mayis(line: &str, what: &str) -> String {
    let own = |option: &Value| option["id"].as_str().is_some_and(|id| id.starts_with("mayi-"));
    let options = |list: Option<&str>| {
        let kept = but(list?, own);
        // Where the agent has none, the list is mayi's.
        (!kept.is_empty()).then(|| format!("[{}]", kept.join(",")))
    };
    match what {
        "initialize" => with(line, &["result", "agentCapabilities", "mcpCapabilities"], &|_| None),
        "session/new" => with(line, &["result", "configOptions"], &options),
        "config_option_update" => with(line, &["params", "update", "configOptions"], &options),
        "session/prompt" => with(line, &["params", "prompt"], &|blocks| {
            let is_mayis = |block: &Value| {
                block["text"].as_str().is_some_and(|text| text.trim_start().starts_with("[mayi] "))
            };
            Some(format!("[{}]", but(blocks.unwrap(), is_mayis).join(",")))
        }),
        _ => panic!("{what} is not mayi's business"),
    }
}

/// What is invented: members at each place where the protocol has objects of its own.
const INVENTED: &str = r#""x-invented":{"n":1.10,"e":1E2,"t":"\u00e9\/","l":[ ]},"#;

/// What is no exact number for most readers of JSON: in what mayi judges it is refused, and passes in all else.
const HUGE: &str = r#""big":123456789012345678901234567890,"#;

fn invented(line: &str) -> String {
    let mut line = line.to_owned();
    // The method comes first: what stands in a text has its quotes escaped, and is not meant.
    for object in ["\"params\":{", "\"result\":{", "\"update\":{", "\"toolCall\":{"] {
        // Not into an empty object, which a comma would end.
        if line.contains(object) && !line.contains(&format!("{object}}}")) {
            line = line.replacen(object, &format!("{object}{INVENTED}"), 1);
        }
    }
    line.replacen('{', &format!("{{{INVENTED}"), 1)
}

struct Player<'s> {
    scene: &'s mut Scene,
    name: &'static str,
    /// Methods of requests in flight, by side and id.
    asked: BTreeMap<(bool, String), String>,
    /// What mayi has answered in the editor's place.
    answered: HashSet<String>,
    /// Messages that came to the other side in just these bytes, and those that are the same as JSON.
    pub(super) bytes: usize,
    pub(super) json: usize,
}

impl Player<'_> {
    /// One side says a line, and the other one gets it.
    fn play(&mut self, of_agent: bool, line: &str) {
        let message: Value = serde_json::from_str(line).unwrap();
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let id = message.get("id").map(Value::to_string);
        let answers = match (&id, method.is_empty()) {
            (Some(id), true) => self.asked.remove(&(!of_agent, id.clone())).unwrap_or_default(),
            _ => String::new(),
        };
        if let (Some(id), false) = (&id, method.is_empty()) {
            self.asked.insert((of_agent, id.clone()), method.clone());
        }
        if method == "session/request_permission" {
            self.scene.agent_says(line);
            let answer = self.scene.agent.next();
            assert_eq!(answer["id"], message["id"], "{}: {answer}", self.name);
            let options = message["params"]["options"].as_array().unwrap();
            let once = options.iter().find(|option| option["kind"] == "allow_once").unwrap();
            assert_eq!(outcome(&answer), once["optionId"], "{}: {answer}", self.name);
            self.answered.insert(id.unwrap());
            return;
        }
        if answers == "session/request_permission" {
            // The editor was never asked: mayi's answer was the one that a person gave when it was recorded.
            assert!(self.answered.remove(&id.unwrap()));
            return;
        }
        let update = message["params"]["update"]["sessionUpdate"].as_str().unwrap_or_default();
        let mine = match (of_agent, &*method, &*answers) {
            (false, "session/prompt", _) => "session/prompt",
            (true, _, answers @ ("initialize" | "session/new")) => answers,
            (true, "session/update", _) if update == "config_option_update" => update,
            _ => "",
        }
        .to_owned();
        let got = if of_agent {
            self.scene.agent_says(line);
            self.scene.editor.line()
        } else {
            self.scene.says(line);
            self.scene.agent.line()
        };
        if mine.is_empty() {
            assert_eq!(got, line, "{}", self.name);
            self.bytes += 1;
        } else {
            let (got, line) = (without_mayis(&got, &mine), without_mayis(line, &mine));
            assert_eq!(canonical(&got), canonical(&line), "{}: {mine}", self.name);
            self.json += 1;
        }
    }

    /// Messages that nobody knows, in both directions.
    fn invent(&mut self, number: usize) {
        for of_agent in [true, false] {
            let params = format!(r#"{{{INVENTED}{HUGE}"sessionId":"none","number":{number}.0}}"#);
            self.play(
                of_agent,
                &format!(r#"{{"jsonrpc":"2.0","method":"_invented/told","params":{params}}}"#),
            );
            let id = format!(r#""invented-{number}""#);
            self.play(
                of_agent,
                &format!(r#"{{"jsonrpc":"2.0", "id":{id},"method":"_invented/asked","params":{params}}}"#),
            );
            self.play(!of_agent, &format!(r#"{{ "id":{id},"jsonrpc":"2.0","result":{params}}}"#));
            self.play(of_agent, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"_invented/asked"}}"#));
            self.play(
                !of_agent,
                &format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"?","data":[1.0]}}}}"#
                ),
            );
        }
    }
}

fn replay(name: &'static str, recording: &str, inventing: bool) -> (usize, usize) {
    let mut scene =
        Scene::begin(machine().user("version = 1\n[rules]\nallow = [\"*\"]\n"), &["--mode", "auto"]);
    let project = scene.machine.work().display().to_string();
    std::fs::write(scene.machine.work().join("notes.txt"), "line one\nline two\n").unwrap();
    let mut player = Player {
        scene: &mut scene,
        name,
        asked: BTreeMap::new(),
        answered: HashSet::new(),
        bytes: 0,
        json: 0,
    };
    for (number, row) in recording.lines().enumerate() {
        let row: Value = serde_json::from_str(row).unwrap();
        let (who, line) = row.as_object().unwrap().iter().next().unwrap();
        let mut line = line.as_str().unwrap().replace("/stage/project", &project);
        if inventing {
            line = invented(&line);
        }
        player.play(who == "agent", &line);
        if inventing {
            player.invent(number);
        }
    }
    let counts = (player.bytes, player.json);
    assert!(player.asked.is_empty(), "{name}: not answered: {:?}", player.asked);
    scene.editor_leaves();
    assert_eq!(scene.end().0, Some(0), "{name}");
    scene.machine.is_quiet();
    counts
}

#[test]
fn given_recorded_sessions_with_everything_allowed_then_what_is_not_mayis_passes_to_the_byte_and_the_rest_as_json()
 {
    for (name, recording) in RECORDINGS {
        let (bytes, json) = replay(name, recording, false);
        assert!(bytes > json && json >= 3, "{name}: {bytes} {json}");
    }
}

#[test]
fn given_recorded_sessions_with_invented_members_and_methods_then_these_pass_too_in_both_directions() {
    for (name, recording) in RECORDINGS {
        let (bytes, json) = replay(name, recording, true);
        assert!(bytes >= 10 * recording.lines().count() && json >= 3, "{name}: {bytes} {json}");
    }
}
