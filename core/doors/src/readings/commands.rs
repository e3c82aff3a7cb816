//! Commands in a tool's input.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Keys that hold a line for a shell, or the words of a program.
pub const LINES: &[&str] = &["command", "cmd", "commandLine", "command_line", "script", "shell_command"];

/// Other names of such keys, in small letters and without what parts their words.
const OTHER_LINES: &[&str] = &[
    "command",
    "commands",
    "cmd",
    "cmds",
    "commandline",
    "commandlines",
    "script",
    "scripts",
    "shellcommand",
    "shellcommands",
    "bashcommand",
    "bash",
    "program",
    "executable",
];

/// Keys that hold the words behind a program's name.
const ARGS: &[&str] = &["args", "arguments", "argv", "parameters"];

/// Keys that hold the shell that runs a line.
const SHELLS: &[&str] = &["shell", "shell_path", "shellPath", "interpreter"];

/// The deepest that an input is followed.
const DEEPEST: usize = 8;

/// What goes to a program's input, which may be a shell.
const TYPED: &[&str] = &["input", "stdin", "chars", "keystrokes"];

/// Whether the key holds commands by a name that is not listed in [`LINES`]; `typed`: or what is typed into a program.
fn is_other_line(key: &str, typed: bool) -> bool {
    let words = key.replace(['_', '-', ' ', '.'], "").to_ascii_lowercase();
    let words = words.as_str();
    !LINES.contains(&key) && (OTHER_LINES.contains(&words) || typed && TYPED.contains(&words))
}

/// Whether the key says at its end that it holds a line (`post_command`), and it does.
fn is_line_by_ending(key: &str, value: &Value) -> bool {
    let words = key.replace(['_', '-', ' ', '.'], "").to_ascii_lowercase();
    let text = value.is_string() || value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
    text && words.len() > "command".len() && ["command", "commands"].iter().any(|end| words.ends_with(end))
}

/// Whether what stands under this key counts as a command, its words, or the shell that runs it.
#[must_use]
pub fn is_command_key(key: &str) -> bool {
    let line = LINES.contains(&key) || is_other_line(key, false);
    line || ARGS.contains(&key) || SHELLS.contains(&key) || key.to_ascii_lowercase().ends_with("command")
}

/// Whether `input` has a command, by whatever key.
#[must_use]
pub fn has_command(input: &Map<String, Value>) -> bool {
    input
        .iter()
        .any(|(key, value)| !value.is_null() && (LINES.contains(&key.as_str()) || is_other_line(key, false)))
}

/// Every command in the input: by the keys that are listed, and by those whose names say that they hold some (`commands`,
/// `CommandLine`). With `typed` also what is typed into a program.
#[must_use]
pub fn all_commands(input: &Map<String, Value>, typed: bool) -> Vec<InputCommand> {
    let mut found = Vec::new();
    for key in LINES {
        found.extend(command_readings(input, key));
    }
    for (key, value) in input.iter().filter(|(key, value)| {
        is_other_line(key, typed) || !LINES.contains(&key.as_str()) && is_line_by_ending(key, value)
    }) {
        match value.as_array().filter(|_| holds_several(key) && !has_args(input)) {
            Some(items) => found.extend(listed_lines(input, items)),
            None => {
                // Several lines, each by itself.
                let lines = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                found.extend(
                    lines.filter(|line| !is_plain_word(line)).map(|line| InputCommand::Line(line.to_owned())),
                );
                found.extend(command_readings(input, key));
            }
        }
    }
    for shell in SHELLS.iter().filter_map(|key| input.get(*key)).filter_map(Value::as_str) {
        for line in LINES.iter().filter_map(|key| input.get(*key)).filter_map(Value::as_str) {
            found.push(InputCommand::Words([shell, "-c", line].map(str::to_owned).to_vec()));
        }
    }
    without_twins(found)
}

/// Whether a key says that it holds several commands.
fn holds_several(key: &str) -> bool {
    key.to_ascii_lowercase().ends_with('s')
}

fn has_args(input: &Map<String, Value>) -> bool {
    ARGS.iter().any(|key| input.get(*key).is_some_and(|args| !args.is_null()))
}

/// Several commands: each item is a line, or says what it runs. They may be the words of one as well, where nothing else in the
/// input is a line and they could be: each is a word, or one of them begins as an option does.
fn listed_lines(input: &Map<String, Value>, items: &[Value]) -> Vec<InputCommand> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Value::String(line) => found.push(InputCommand::Line(line.clone())),
            Value::Object(map) if has_command(map) => found.extend(all_commands(map, false)),
            _ => found.push(InputCommand::Unknown),
        }
    }
    let beside = LINES.iter().any(|key| input.get(*key).is_some_and(Value::is_string));
    let words = texts_of(items).filter(|words| {
        let plain = words.iter().all(|word| is_plain_word(word));
        !beside && words.len() > 1 && (plain || words.iter().skip(1).any(|word| word.starts_with('-')))
    });
    found.extend(words.map(InputCommand::Words));
    found
}

/// The same at any depth.
#[must_use]
pub fn nested_commands(input: &Map<String, Value>) -> Vec<InputCommand> {
    let mut found = all_commands(input, true);
    input.values().for_each(|value| add_nested(value, 0, &mut found));
    without_twins(found)
}

fn add_nested(value: &Value, depth: usize, found: &mut Vec<InputCommand>) {
    match value {
        Value::Array(_) | Value::Object(_) if depth > DEEPEST => found.push(InputCommand::Unknown),
        Value::Array(items) => items.iter().for_each(|item| add_nested(item, depth + 1, found)),
        Value::Object(map) => {
            found.extend(all_commands(map, true));
            map.values().for_each(|value| add_nested(value, depth + 1, found));
        }
        _ => {}
    }
}

fn without_twins(mut commands: Vec<InputCommand>) -> Vec<InputCommand> {
    let mut seen = BTreeSet::new();
    commands.retain(|command| seen.insert(command.clone()));
    commands
}

/// A command, as one reader takes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputCommand {
    /// Words that a program gets as they are.
    Words(Vec<String>),
    /// A line for a shell.
    Line(String),
    /// It can't be read: it may be anything.
    Unknown,
}

/// Whether a shell makes nothing of `text` but the one word that it is.
#[must_use]
pub fn is_plain_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./+@:,".contains(c))
}

/// Every command that the text or list under `key` is. Who does not know `args`, runs the text beside it as a line; who does, takes
/// it for a program's name, or joins it with them.
#[must_use]
pub fn command_readings(input: &Map<String, Value>, key: &str) -> Vec<InputCommand> {
    let Some(value) = input.get(key).filter(|value| !value.is_null()) else { return Vec::new() };
    let args = ARGS.iter().filter_map(|key| input.get(*key)).filter(|args| !args.is_null());
    let mut found: Vec<InputCommand> = args.flat_map(|args| readings_beside(value, args)).collect();
    if found.is_empty() {
        found = match value {
            Value::String(line) => vec![InputCommand::Line(line.clone())],
            value => listed_words(value),
        };
    }
    without_twins(found)
}

fn readings_beside(value: &Value, args: &Value) -> Vec<InputCommand> {
    match (value, args.as_array().and_then(|items| texts_of(items))) {
        (Value::String(line), None) => {
            let joined = args.as_str().map(|args| format!("{line} {args}"));
            let lines = std::iter::once(line.clone()).chain(joined).map(InputCommand::Line);
            lines.chain([InputCommand::Unknown]).collect()
        }
        (Value::String(line), Some(args)) => {
            let words: Vec<String> = std::iter::once(line.clone()).chain(args).collect();
            let alone = (!is_plain_word(line)).then(|| InputCommand::Line(line.clone()));
            let plain = words.len() == 1 || words.iter().all(|word| is_plain_word(word));
            let joined = (!plain).then(|| InputCommand::Line(words.join(" ")));
            std::iter::once(InputCommand::Words(words)).chain(alone).chain(joined).collect()
        }
        (value, None) => listed_words(value).into_iter().chain([InputCommand::Unknown]).collect(),
        (value, Some(args)) => {
            let mut found = listed_words(value);
            if let Some(InputCommand::Words(words)) = found.first().filter(|_| !args.is_empty()) {
                found.push(InputCommand::Words(words.iter().cloned().chain(args).collect()));
            }
            found
        }
    }
}

/// What a list of words is; anything else can't be read.
fn listed_words(value: &Value) -> Vec<InputCommand> {
    let Some(words) = value.as_array().and_then(|items| texts_of(items)) else {
        return vec![InputCommand::Unknown];
    };
    // One text in a list is a line for who joins them.
    let line = match words.as_slice() {
        [line] if !is_plain_word(line) => Some(InputCommand::Line(line.clone())),
        _ => None,
    };
    std::iter::once(InputCommand::Words(words)).chain(line).collect()
}

fn texts_of(items: &[Value]) -> Option<Vec<String>> {
    items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(input: Value) -> Vec<String> {
        let found = command_readings(input.as_object().unwrap(), "command");
        found
            .into_iter()
            .map(|command| match command {
                InputCommand::Words(words) => words.join("|"),
                InputCommand::Line(line) => format!("$ {line}"),
                InputCommand::Unknown => "?".to_owned(),
            })
            .collect()
    }

    /// Attack 564.
    #[test]
    fn given_a_text_beside_words_then_it_is_a_line_too_unless_no_shell_makes_anything_of_it() {
        for plain in ["ls", "/bin/ls", "./x.sh", "a-b_c+1", "x@1:y,z"] {
            assert_eq!(of(json!({ "command": plain, "args": ["-l"] })), [format!("{plain}|-l")]);
        }
        for line in [
            "rm -rf /",
            "{rm,-rf,/}",
            "ls;make",
            "cat<x",
            "a>b",
            "a&b",
            "a|b",
            "$x",
            "`x`",
            "(x)",
            "*",
            "?",
            "[a]",
            "~/x",
            "a\nb",
            "a\tb",
            "\"a\"",
            "'a'",
            "\\a",
            "!x",
            "#x",
            "X=1",
            "=ls",
            "a^b",
            "%1",
            "",
            "\u{a0}x",
            "é",
        ] {
            let found = of(json!({ "command": line, "args": [] }));
            assert_eq!(found, [line.to_owned(), format!("$ {line}")], "{line:?}");
            let found = of(json!({ "command": line, "args": ["x y"] }));
            assert_eq!(
                found,
                [format!("{line}|x y"), format!("$ {line}"), format!("$ {line} x y")],
                "{line:?}"
            );
        }
        assert_eq!(of(json!({ "command": "ls", "args": ["; rm x"] })), ["ls|; rm x", "$ ls ; rm x"]);
        assert_eq!(of(json!({ "command": "rm -rf x" })), ["$ rm -rf x"]);
        assert_eq!(of(json!({ "command": "rm x", "args": null })), ["$ rm x"]);
    }

    /// Attack 359.
    #[test]
    fn given_commands_under_other_keys_then_they_are_found() {
        let of = |input: Value, typed| all_commands(input.as_object().unwrap(), typed);
        let line = |line: &str| InputCommand::Line(line.to_owned());
        let words = |words: &[&str]| InputCommand::Words(words.iter().map(|&word| word.to_owned()).collect());
        for key in [
            "CommandLine",
            "commandline",
            "commands",
            "Cmd",
            "shell-command",
            "bash",
            "program",
            "Executable",
        ] {
            assert_eq!(of(json!({ key: "rm x" }), false), [line("rm x")], "{key}");
            assert_eq!(of(json!({ key: "rm", "args": ["x"] }), false), [words(&["rm", "x"])], "{key}");
            assert!(has_command(json!({ key: "rm x" }).as_object().unwrap()), "{key}");
        }
        assert_eq!(of(json!({ "commands": ["rm x", "y"] }), false), [line("rm x"), line("y")]);
        assert_eq!(of(json!({ "commands": [{ "x": 1 }] }), false), [InputCommand::Unknown]);
        assert_eq!(of(json!({ "input": "rm x" }), true), [line("rm x")]);
        for key in ["arguments", "argv", "parameters"] {
            assert_eq!(of(json!({ "command": "rm", key: ["x"] }), false), [words(&["rm", "x"])], "{key}");
            assert_eq!(
                of(json!({ "command": "rm", key: ["x"], "args": [] }), false),
                [words(&["rm"]), words(&["rm", "x"])]
            );
        }
        let found = of(json!({ "command": "ls", "shell": "./evil" }), false);
        assert_eq!(found, [line("ls"), words(&["./evil", "-c", "ls"])]);
        for quiet in ["input", "description", "command_id", "parsed_cmd", "commandDescription", "shell"] {
            assert_eq!(of(json!({ quiet: "rm x" }), false), [], "{quiet}");
        }
        for input in [json!({ "task": { "command": "rm x" } }), json!({ "a": [{ "b": { "cmd": "rm x" } }] })]
        {
            assert_eq!(nested_commands(input.as_object().unwrap()), [line("rm x")], "{input}");
        }
    }

    /// Copilot and Cline have a list of lines, of which none is a word; what could be one is both. Attack 761.
    #[test]
    fn given_a_list_of_lines_then_each_is_a_line_and_words_are_words_too() {
        let of = |input: Value| all_commands(input.as_object().unwrap(), false);
        let line = |line: &str| InputCommand::Line(line.to_owned());
        let words = |words: &[&str]| InputCommand::Words(words.iter().map(|&word| word.to_owned()).collect());
        let both = "touch ran.txt && echo ran-it";
        assert_eq!(of(json!({ "command": both, "commands": [both] })), [line(both)]);
        assert_eq!(of(json!({ "commands": ["make", "cargo test"] })), [line("make"), line("cargo test")]);
        assert_eq!(
            of(json!({ "command": "make && ls", "commands": ["make", "ls"] })),
            [line("make && ls"), line("make"), line("ls")]
        );
        for list in [&["rm", "-rf", "/a b"][..], &["rm", "x"]] {
            let mut all: Vec<_> = list.iter().map(|item| line(item)).collect();
            all.push(words(list));
            assert_eq!(of(json!({ "commands": list })), all);
        }
        assert_eq!(
            of(json!({ "commands": [{ "command": "rm", "args": ["x"] }, "ls"] })),
            [words(&["rm", "x"]), line("ls")]
        );
        assert_eq!(of(json!({ "commands": ["ls", 1] })), [line("ls"), InputCommand::Unknown]);
        assert_eq!(of(json!({ "commands": ["rm"], "args": ["x"] })), [words(&["rm"]), words(&["rm", "x"])]);
    }

    /// Attack 564.
    #[test]
    fn given_a_command_that_can_not_be_read_then_it_may_be_anything() {
        assert_eq!(of(json!({ "command": "ls", "args": "; rm x" })), ["$ ls", "$ ls ; rm x", "?"]);
        for args in [json!([1]), json!([["x"]]), json!({ "0": "x" }), json!(1), json!(true)] {
            let found = of(json!({ "command": "ls", "args": args }));
            assert_eq!(found, ["$ ls", "?"], "{args}");
        }
        for command in [json!(1), json!({ "rm": 1 }), json!([1]), json!([["rm"]])] {
            assert_eq!(of(json!({ "command": command })), ["?"], "{command}");
        }
        assert_eq!(of(json!({ "command": ["rm -rf x"] })), ["rm -rf x", "$ rm -rf x"]);
        assert_eq!(of(json!({ "command": ["bash", "-lc", "a b"] })), ["bash|-lc|a b"]);
        assert_eq!(of(json!({ "command": ["env"], "args": ["rm", "x"] })), ["env", "env|rm|x"]);
    }
}
