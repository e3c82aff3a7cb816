//! Commands in a tool's input.

use serde_json::{Map, Value};

/// Keys that hold a line for a shell, or the words of a program.
pub const LINES: &[&str] = &["command", "cmd", "commandLine", "command_line", "script", "shell_command"];

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
