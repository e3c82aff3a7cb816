//! What a client has seen, without what differs from run to run: ids, folders, how a text is cut into pieces.

use std::path::Path;

use serde_json::{Value, json};

/// What a client has seen of one prompt.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    lines: Vec<Value>,
    pub(crate) code: i32,
}

/// Updates that come at a time of their own: how many there are by the end of a short turn is chance, and so is which one is last.
/// Options are amended by mayi, which tests of its own hold to.
const AT_ANY_TIME: [&str; 4] =
    ["available_commands_update", "usage_update", "session_info_update", "config_option_update"];

/// When something was, and how long it took.
const TIMES: [&str; 3] = ["started_at_ms", "completed_at_ms", "duration"];

impl Seen {
    pub(crate) fn new(lines: Vec<Value>, code: i32) -> Self {
        Self { lines, code }
    }

    /// The tool calls that the client was asked about, with what it picked.
    pub(crate) fn asked(&self) -> Vec<&Value> {
        self.lines.iter().filter(|line| line.get("asked").is_some()).collect()
    }

    /// What the client has carried out for the agent: methods with their parameters and what came of them.
    pub(crate) fn served(&self) -> Vec<&Value> {
        self.lines.iter().filter(|line| line.get("served").is_some()).collect()
    }

    /// The same without the tool calls that mayi itself has shown: those that it asked about, and that the agent never told of.
    pub(crate) fn without_mayis_own(mut self) -> Self {
        let id = |line: &Value| {
            let call = if line.get("asked").is_some() { &line["asked"] } else { &line["update"] };
            call["toolCallId"].as_str().map(str::to_owned)
        };
        let begins = |line: &&Value| line["update"]["sessionUpdate"] == "tool_call";
        let told: Vec<_> = self.lines.iter().filter(begins).filter_map(id).collect();
        let asked = self.asked().into_iter().filter_map(id);
        let own: Vec<_> = asked.filter(|id| id.starts_with("mayi-") && !told.contains(id)).collect();
        self.lines.retain(|line| !id(line).is_some_and(|id| own.contains(&id)));
        self
    }

    /// What the agent has said, as one text.
    pub(crate) fn said(&self) -> String {
        let chunks =
            self.lines.iter().filter(|line| line["update"]["sessionUpdate"] == "agent_message_chunk");
        chunks.filter_map(|line| line["update"]["content"]["text"].as_str()).collect()
    }

    /// The protocol's version that was settled, where the client says it.
    pub(crate) fn version(&self) -> u64 {
        self.lines.iter().find_map(|line| line["version"].as_u64()).unwrap_or_default()
    }

    /// The options that came with the session, where the client says them.
    pub(crate) fn configured(&self) -> &Value {
        self.lines.iter().find_map(|line| line.get("configured")).unwrap_or(&Value::Null)
    }

    /// What the agent said of its work (version 2).
    pub(crate) fn states(&self) -> Vec<&str> {
        let updates = self.lines.iter().map(|line| &line["update"]);
        updates
            .filter(|update| update["sessionUpdate"] == "state_update")
            .filter_map(|update| update["state"].as_str())
            .collect()
    }

    /// Whether the client gave up.
    pub(crate) fn raised(&self) -> bool {
        self.lines.iter().any(|line| line.get("raised").is_some())
    }

    /// Why the turn ended.
    pub(crate) fn stop(&self) -> &str {
        self.lines.iter().find_map(|line| line["stop"].as_str()).unwrap_or_else(|| panic!("no end: {self:?}"))
    }

    /// The last status of each tool call that did not only start.
    pub(crate) fn statuses(&self) -> Vec<&str> {
        self.lines
            .iter()
            .filter_map(|line| line["update"]["status"].as_str())
            .filter(|status| ["completed", "failed"].contains(status))
            .collect()
    }

    /// The transcript, to be compared with another one. `stage`: the folder that all of the run was in.
    pub(crate) fn transcript(&self, stage: &Path) -> Vec<Value> {
        let mut ids = Vec::new();
        let mut made: Vec<Value> = Vec::new();
        // Claude Code's agent asks beside what it tells: which of the two comes first is chance, with and without mayi.
        let mut asked = Vec::new();
        for line in &self.lines {
            let kind = line["update"]["sessionUpdate"].as_str().unwrap_or_default();
            if AT_ANY_TIME.contains(&kind) {
                continue;
            }
            let mut line = line.clone();
            if line.get("asked").is_some() {
                without_mayis(&mut line);
            }
            plain(&mut line, &stage.display().to_string(), &mut ids);
            if line.get("asked").is_some() {
                asked.push(line);
                continue;
            }
            // A text in two pieces is the same text.
            if let (Some(text), Some(last)) = (line["update"]["content"]["text"].as_str(), made.last_mut())
                && last["update"]["sessionUpdate"] == kind
                && let Some(before) = last["update"]["content"]["text"].as_str()
            {
                last["update"]["content"]["text"] = json!(format!("{before}{text}"));
                continue;
            }
            // Updates come from several places of an agent at once, in any order: what counts is what a client has of them.
            if let Some(last) = made.last_mut()
                && kind == "tool_call_update"
                && last["update"]["sessionUpdate"] == kind
                && last["update"]["toolCallId"] == line["update"]["toolCallId"]
            {
                fold(last, line);
                continue;
            }
            made.push(line);
        }
        made.extend(asked);
        made
    }
}

/// Puts what `line` has into `all`.
fn fold(all: &mut Value, line: Value) {
    match (all, line) {
        (Value::Object(all), Value::Object(line)) => {
            for (name, value) in line {
                fold(all.entry(name).or_insert(Value::Null), value);
            }
        }
        (all, value) => *all = value,
    }
}

/// A question without mayi's own text block, its title and its own options; and without the agent's that mayi's stand for: the
/// title, which the block repeats as the agent's, and the options that allow for longer.
fn without_mayis(line: &mut Value) {
    // Version 2 has the title beside the tool call.
    if let Some(call) = line["asked"].as_object_mut() {
        call.remove("title");
    }
    if let Some(blocks) = line["asked"]["content"].as_array_mut() {
        blocks.retain(|block| {
            !block["content"]["text"].as_str().is_some_and(|text| text.starts_with("mayi asks:"))
        });
        if blocks.is_empty() {
            line["asked"].as_object_mut().unwrap().remove("content");
        }
    }
    let options = line["options"].as_array_mut().unwrap();
    options.retain(|option| option["kind"] == "allow_once" || option["kind"] == "reject_once");
    // mayi puts the one that allows first.
    options.sort_by_key(|option| option["kind"].to_string());
}

/// Ids become numbers in the order in which they are first seen, the stage becomes `@`, and times go.
fn plain(value: &mut Value, stage: &str, ids: &mut Vec<String>) {
    match value {
        Value::String(text) => *text = text.replace(stage, "@"),
        Value::Array(items) => items.iter_mut().for_each(|item| plain(item, stage, ids)),
        Value::Object(map) => {
            map.retain(|name, _| !TIMES.contains(&name.as_str()));
            for (name, value) in map.iter_mut() {
                let is_id = [
                    "toolCallId",
                    "messageId",
                    "terminalId",
                    "terminal_id",
                    "call_id",
                    "process_id",
                    "turn_id",
                ]
                .contains(&name.as_str());
                match value {
                    Value::String(id) if is_id => {
                        let at = ids.iter().position(|known| known == id).unwrap_or_else(|| {
                            ids.push(id.clone());
                            ids.len() - 1
                        });
                        *value = json!(format!("{name} {at}"));
                    }
                    _ => plain(value, stage, ids),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
