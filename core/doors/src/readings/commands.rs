//! Commands in a tool's input.

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
];

/// What goes to a program's input, which may be a shell.
const TYPED: &[&str] = &["input", "stdin", "chars", "keystrokes"];

/// Whether the key holds commands by a name that is not listed in [`LINES`]; `typed`: or what is typed into a program.
fn is_other_line(key: &str, typed: bool) -> bool {
    let words = key.replace(['_', '-', ' ', '.'], "").to_ascii_lowercase();
    let words = words.as_str();
    !LINES.contains(&key) && (OTHER_LINES.contains(&words) || typed && TYPED.contains(&words))
}

/// Whether `input` has a command, by whatever key.
#[must_use]
pub fn has_command(input: &Map<String, Value>) -> bool {
    input
        .iter()
        .any(|(key, value)| !value.is_null() && (LINES.contains(&key.as_str()) || is_other_line(key, false)))
}

/// Commands under keys that are not listed but say by their names that they hold some: `commands`, `CommandLine`. With `typed` also
/// what is typed into a program.
#[must_use]
pub fn stray_commands(input: &Map<String, Value>, typed: bool) -> Vec<InputCommand> {
    let mut found = Vec::new();
    for (_, value) in input.iter().filter(|(key, _)| is_other_line(key, typed)) {
        match value {
            Value::Null => {}
            Value::String(line) => found.push(InputCommand::Line(line.clone())),
            Value::Array(items) => match texts_of(items) {
                Some(words) => {
                    found.extend(
                        words.iter().filter(|word| !is_plain_word(word)).cloned().map(InputCommand::Line),
                    );
                    found.push(InputCommand::Words(words));
                }
                None => found.push(InputCommand::Unknown),
            },
            _ => found.push(InputCommand::Unknown),
        }
    }
    found
}

/// A command, as one reader takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    let args = match input.get("args") {
        None | Some(Value::Null) => Some(None),
        Some(Value::Array(items)) => Some(texts_of(items)).filter(Option::is_some),
        Some(_) => None,
    };
    match (input.get(key), args) {
        (None | Some(Value::Null), _) => Vec::new(),
        (Some(Value::String(line)), None) => {
            let joined = input.get("args").and_then(Value::as_str).map(|args| format!("{line} {args}"));
            let lines = std::iter::once(line.clone()).chain(joined).map(InputCommand::Line);
            lines.chain([InputCommand::Unknown]).collect()
        }
        (Some(Value::String(line)), Some(None)) => vec![InputCommand::Line(line.clone())],
        (Some(Value::String(line)), Some(Some(args))) => {
            let words: Vec<String> = std::iter::once(line.clone()).chain(args).collect();
            let mut found = Vec::new();
            if !is_plain_word(line) {
                found.push(InputCommand::Line(line.clone()));
            }
            if words.len() > 1 && !words.iter().all(|word| is_plain_word(word)) {
                found.push(InputCommand::Line(words.join(" ")));
            }
            found.insert(0, InputCommand::Words(words));
            found
        }
        (Some(Value::Array(items)), args) => {
            let Some(words) = texts_of(items) else { return vec![InputCommand::Unknown] };
            // One text in a list is a line for who joins them.
            let line = match words.as_slice() {
                [line] if !is_plain_word(line) => Some(InputCommand::Line(line.clone())),
                _ => None,
            };
            let more = match args {
                None => Some(InputCommand::Unknown),
                Some(Some(args)) if !args.is_empty() => {
                    Some(InputCommand::Words(words.iter().cloned().chain(args).collect()))
                }
                Some(_) => None,
            };
            std::iter::once(InputCommand::Words(words)).chain(line).chain(more).collect()
        }
        (Some(_), _) => vec![InputCommand::Unknown],
    }
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

    #[test]
    fn given_commands_under_other_keys_then_they_are_found() {
        let of = |input: Value, typed| stray_commands(input.as_object().unwrap(), typed);
        let line = |line: &str| InputCommand::Line(line.to_owned());
        for key in ["CommandLine", "commandline", "commands", "Cmd", "shell-command", "bash"] {
            assert_eq!(of(json!({ key: "rm x" }), false), [line("rm x")], "{key}");
            assert!(has_command(json!({ key: "rm x" }).as_object().unwrap()), "{key}");
        }
        let words = InputCommand::Words(vec!["rm x".to_owned(), "y".to_owned()]);
        assert_eq!(of(json!({ "commands": ["rm x", "y"] }), false), [line("rm x"), words]);
        assert_eq!(of(json!({ "commands": [{ "x": 1 }] }), false), [InputCommand::Unknown]);
        assert_eq!(of(json!({ "input": "rm x" }), true), [line("rm x")]);
        for quiet in ["command", "input", "description", "command_id", "parsed_cmd", "commandDescription"] {
            assert_eq!(of(json!({ quiet: "rm x" }), false), [], "{quiet}");
        }
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
