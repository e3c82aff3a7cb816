//! What the names of tools and of their arguments say that a text is: a line for a shell, or a program in another language.

use serde_json::{Map, Value};

/// Arguments whose value is a line, or the words of a command.
const COMMANDS: &[&str] = &[
    "command",
    "commands",
    "cmd",
    "cmds",
    "cmdline",
    "commandline",
    "argv",
    "script",
    "scripts",
    "shell",
    "exec",
    "bash",
    "sh",
    "zsh",
    "run",
    "terminal",
];
/// A line, beside what names a shell; otherwise perhaps.
const CODE: &[&str] = &["code", "source", "snippet", "input", "eval", "program", "cell"];
/// What is typed, where the tool itself is a shell.
const TYPED: &[&str] = &[
    "input",
    "text",
    "line",
    "lines",
    "stdin",
    "data",
    "keys",
    "keystrokes",
    "value",
    "content",
    "body",
    "arg",
    "payload",
    "task",
    "expression",
    "statement",
];
/// Programs and questions in languages in which a path stands in quotes.
const QUOTING: &[&str] = &[
    "sql",
    "query",
    "queries",
    "code",
    "cell",
    "script",
    "scripts",
    "source",
    "snippet",
    "program",
    "expression",
    "expressions",
    "expr",
    "statement",
    "statements",
    "stmt",
    "formula",
    "filter",
    "eval",
    "function",
    "func",
    "js",
    "javascript",
    "ts",
    "typescript",
    "py",
    "python",
    "ruby",
    "perl",
    "php",
    "lua",
    "cypher",
    "jq",
    "ddl",
    "dml",
    "macro",
    "template",
    "where",
    "select",
    "input",
];
/// Languages that are no shell's, as a value or as the name of an argument.
const LANGUAGES: &[&str] = &[
    "python",
    "py",
    "ipython",
    "javascript",
    "js",
    "node",
    "nodejs",
    "typescript",
    "ts",
    "deno",
    "bun",
    "ruby",
    "rb",
    "perl",
    "php",
    "lua",
    "r",
    "sql",
    "go",
    "rust",
    "java",
    "julia",
    "c",
    "cpp",
];
/// Arguments that say which language it is.
const LANGUAGE_NAMES: &[&str] = &["language", "lang", "runtime", "interpreter", "kernel"];
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "fish", "shell", "shellscript", "console"];
/// Words in the name of a tool that takes lines for a shell, and of one that may.
const SHELL_TOOLS: &[&str] =
    &["shell", "bash", "zsh", "sh", "terminal", "console", "cmd", "command", "tty", "pty"];
const RUNNING_TOOLS: &[&str] = &["exec", "execute", "run", "eval", "process", "repl", "spawn"];

/// What a text under the name of an argument may be run as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunAs {
    /// A line, or the words of a command.
    Line,
    /// A program in a language that is not known, which may be a line.
    Code,
    /// A program in a language that is no shell's.
    OtherCode,
}

/// How a tool that is called by any of these names runs what it is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolKind {
    shell: bool,
    runs: bool,
}

impl ToolKind {
    pub(super) fn of(readings: &[(String, String)]) -> Self {
        let said = |known: &[&str]| {
            let named = |name: &String| words_of(name).any(|word| known.contains(&word.as_str()));
            readings.iter().any(|(server, tool)| named(server) || named(tool))
        };
        let shell = said(SHELL_TOOLS);
        Self { shell, runs: shell || said(RUNNING_TOOLS) }
    }

    /// What an argument of this name, among these, is run as.
    pub(super) fn runs_as(self, name: &str, members: &Map<String, Value>) -> Option<RunAs> {
        if is_named(name, COMMANDS) {
            return Some(RunAs::Line);
        }
        let code = is_named(name, CODE);
        if code && names_a_shell(members) {
            return Some(RunAs::Line);
        }
        if is_named(name, LANGUAGES) || (code || is_named(name, TYPED)) && names_another_language(members) {
            return Some(RunAs::OtherCode);
        }
        match (code, is_named(name, TYPED)) {
            (true, _) | (_, true) if self.shell => Some(RunAs::Line),
            (true, _) => Some(RunAs::Code),
            (_, true) if self.runs => Some(RunAs::Code),
            _ => is_quoting(name).then_some(RunAs::OtherCode),
        }
    }
}

/// Whether the texts under this name are programs, or questions in a language that has quotes.
pub(super) fn is_quoting(name: &str) -> bool {
    is_named(name, QUOTING)
}

/// Whether an argument is called so, or ends with that: `base_url`, `serverURL`.
pub(super) fn is_named(name: &str, names: &[&str]) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    names.contains(&plain.as_str()) || names.contains(&last_word(name).as_str())
}

/// The last word of a name that is written with capitals or marks between words.
fn last_word(name: &str) -> String {
    words_of(name.trim_end_matches(|c: char| !c.is_ascii_alphabetic())).last().unwrap_or_default()
}

/// The words of a name, in small letters.
fn words_of(name: &str) -> impl Iterator<Item = String> {
    let mut starts = Vec::new();
    let mut before = None;
    for (at, c) in name.char_indices() {
        let capital = c.is_ascii_uppercase()
            && before.is_some_and(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        if at == 0 || capital || !c.is_ascii_alphanumeric() {
            starts.push(at);
        }
        before = Some(c);
    }
    let ends = starts.clone().into_iter().skip(1).chain([name.len()]);
    starts.into_iter().zip(ends).filter_map(|(from, to)| {
        let word = name.get(from..to)?.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        (!word.is_empty()).then(|| word.to_ascii_lowercase())
    })
}

fn names_a_shell(members: &Map<String, Value>) -> bool {
    members.values().any(|value| is_value_among(value, SHELLS))
}

fn names_another_language(members: &Map<String, Value>) -> bool {
    let said = members.iter().filter(|(name, _)| is_named(name, LANGUAGE_NAMES));
    said.into_iter().any(|(_, value)| is_value_among(value, LANGUAGES))
}

fn is_value_among(value: &Value, known: &[&str]) -> bool {
    let name = value.as_str().map(|text| text.rsplit('/').next().unwrap_or(text).to_ascii_lowercase());
    let plain = |name: &str| {
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        known.contains(&name) || known.contains(&bare)
    };
    name.is_some_and(|name| plain(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn runs_as(tool: &str, name: &str, arguments: &Value) -> Option<RunAs> {
        ToolKind::of(&[("s".to_owned(), tool.to_owned())]).runs_as(name, arguments.as_object().unwrap())
    }

    #[test]
    fn given_names_of_tools_and_arguments_then_it_is_known_what_a_text_is_run_as() {
        let none = json!({});
        for (tool, name, expected) in [
            ("t", "command", Some(RunAs::Line)),
            ("t", "run", Some(RunAs::Line)),
            ("t", "code", Some(RunAs::Code)),
            ("t", "sourceCode", Some(RunAs::Code)),
            ("t", "pythonCode", Some(RunAs::Code)),
            ("t", "python", Some(RunAs::OtherCode)),
            ("t", "sql", Some(RunAs::OtherCode)),
            ("t", "text", None),
            ("run_in_terminal", "text", Some(RunAs::Line)),
            ("bashExec", "input", Some(RunAs::Line)),
            ("execute", "text", Some(RunAs::Code)),
            ("pushover", "text", None),
            ("t", "description", None),
        ] {
            assert_eq!(runs_as(tool, name, &none), expected, "{tool} {name}");
        }
        assert_eq!(runs_as("t", "code", &json!({ "language": "python3.12" })), Some(RunAs::OtherCode));
        assert_eq!(runs_as("t", "code", &json!({ "x": "python" })), Some(RunAs::Code));
        assert_eq!(runs_as("t", "code", &json!({ "language": "bash" })), Some(RunAs::Line));
        assert_eq!(words_of("run_shellCommand2-x").collect::<Vec<_>>(), ["run", "shell", "command2", "x"]);
    }
}
