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
];
/// A line beside what names a shell, and else perhaps one: whatever else the name says.
const CODE: &[&str] = &["code", "snippet", "eval", "cell"];
/// A line beside what names a shell as a language; in a tool that is a shell, perhaps one.
const SOURCES: &[&str] = &["source", "input", "program"];
/// Perhaps a line, in a tool that is a shell or where it has several words.
const RUNS: &[&str] = &["run", "terminal"];
/// Words of a name that is about a line, and that says something else of it: `script_name`, `code_owner`.
const NO_LINE: &[&str] = &[
    "id",
    "ids",
    "name",
    "names",
    "owner",
    "owners",
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "dir",
    "folder",
    "url",
    "uri",
    "type",
    "kind",
    "count",
    "size",
    "limit",
    "version",
    "status",
    "state",
    "key",
    "ref",
    "index",
    "number",
    "hash",
    "lang",
    "language",
    "description",
    "title",
    "summary",
    "review",
    "reason",
    "comment",
    "note",
    "notes",
    "message",
    "label",
    "labels",
    "tag",
    "tags",
    "format",
    "mode",
    "timeout",
    "author",
    "date",
    "by",
    "page",
    "category",
    "hint",
    "explanation",
    "purpose",
];
/// Words before `code` that make it no program: `zip_code`.
const OTHER_CODES: &[&str] = &[
    "zip",
    "postal",
    "post",
    "status",
    "country",
    "error",
    "exit",
    "area",
    "currency",
    "language",
    "lang",
    "http",
    "promo",
    "coupon",
    "discount",
    "response",
    "return",
    "qr",
    "bar",
    "invite",
    "auth",
    "verification",
    "region",
    "state",
    "airport",
    "product",
    "project",
    "team",
    "color",
    "otp",
    "reason",
    "access",
];
/// What is typed, where the tool itself is a shell.
const TYPED: &[&str] = &[
    "input",
    "source",
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
    "where",
    "select",
];
/// The same, where it begins as a question in such a language does: else it is one in words.
const QUESTIONS: &[&str] = &["query", "queries", "input", "template"];
/// What those in `QUOTING` and `QUESTIONS` are also called with more words around: `sqlText`, `queryString`.
const QUOTING_WORDS: &[&str] = &["sql", "code", "script", "snippet", "expression", "statement", "cypher"];
const QUESTION_WORDS: &[&str] = &["query"];
/// The words with which a question begins that is none in words.
const BEGINNINGS: &[&str] = &[
    "select", "with", "insert", "update", "delete", "copy", "attach", "create", "pragma", "load", "install",
    "explain", "match", "from", "drop", "alter", "merge", "unwind", "values", "detach", "optional",
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
/// Words in the name of a tool that takes lines for a shell; words for one that runs something, which it is by itself, or
/// beside a word for what.
const SHELL_TOOLS: &[&str] = &["shell", "bash", "zsh", "sh", "terminal", "tty", "pty", "exec"];
const RUNNING_TOOLS: &[&str] = &["execute", "run", "eval", "send", "invoke", "spawn"];
const RUN_TOGETHER: &[&str] = &["command", "commands", "cmd", "cmds", "script"];

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
}

impl ToolKind {
    /// By its own name: a server that is called so may have tools for anything.
    pub(super) fn of(readings: &[(String, String)]) -> Self {
        let Some(tool) = readings.iter().map(|(_, tool)| tool).min_by_key(|tool| tool.len()) else {
            return Self::default();
        };
        let words: Vec<String> = words_of(tool).collect();
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        let runs = has(RUNNING_TOOLS) && (words.len() == 1 || has(RUN_TOGETHER));
        Self { shell: runs || has(SHELL_TOOLS) }
    }

    /// Whether it takes lines for a shell, or runs what it is given.
    pub(super) fn is_shell(self) -> bool {
        self.shell
    }

    /// Whether one of these arguments is a line or a program by its name.
    pub(super) fn names_code(members: &Map<String, Value>) -> bool {
        members.keys().any(|name| is_named(name, COMMANDS) || is_about_code(name))
    }

    /// What an argument of this name, among these, is run as.
    pub(super) fn runs_as(self, name: &str, members: &Map<String, Value>) -> Option<RunAs> {
        if is_named(name, COMMANDS) {
            return Some(RunAs::Line);
        }
        let (code, source, typed) = (is_named(name, CODE), is_named(name, SOURCES), is_named(name, TYPED));
        if code && members.values().any(|value| is_value_among(value, SHELLS))
            || source && names_a_shell(members)
        {
            return Some(RunAs::Line);
        }
        let says_code = is_about_code(name);
        let other = (says_code || source || typed) && names_another_language(members);
        if other || is_named(name, LANGUAGES) {
            return Some(RunAs::OtherCode);
        }
        let several = || {
            let text = members.get(name).and_then(Value::as_str).unwrap_or_default();
            text.split_whitespace().nth(1).is_some()
        };
        let run = is_named(name, RUNS) && (self.shell || several());
        if says_code || run || typed && self.shell {
            return Some(RunAs::Code);
        }
        is_quoting(name).then_some(RunAs::OtherCode)
    }
}

/// Whether any word of a name says that it is a line or a program, and none that it is something about one.
fn is_about_code(name: &str) -> bool {
    let words: Vec<String> = words_of(name).map(without_digits).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let says = has(CODE) && !has(OTHER_CODES) || has(COMMANDS);
    says && !has(NO_LINE) || has(CODE) && words.len() == 1
}

fn without_digits(word: String) -> String {
    word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
}

/// What stands between quotes in a text under this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    /// It is text like any other.
    Nothing,
    /// It may be a path, where the text begins as a question in a language with quotes does.
    Question,
    /// It may be a path.
    Program,
}

impl Quoting {
    pub(super) fn of(name: &str) -> Self {
        let words: Vec<String> = words_of(name).map(without_digits).collect();
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        let other = has(NO_LINE);
        // `zip_code`
        if has(OTHER_CODES) && is_named(name, &["code"]) {
            return Self::Nothing;
        }
        if is_named(name, QUOTING) || has(QUOTING_WORDS) && !other {
            return Self::Program;
        }
        match is_named(name, QUESTIONS) || has(QUESTION_WORDS) && !other {
            // `sqlQuery`
            true if has(LANGUAGES) || has(QUOTING) => Self::Program,
            true => Self::Question,
            false => Self::Nothing,
        }
    }

    /// Whether what stands in quotes in `text` may be a path.
    pub(super) fn counts_in(self, text: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::Program => true,
            Self::Question => begins_as_question(text),
        }
    }
}

fn begins_as_question(text: &str) -> bool {
    let lines = text.lines().map(|line| line.trim_start_matches(|c: char| c.is_whitespace() || c == '('));
    let Some(first) = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with("--")) else {
        return false;
    };
    // Comments, and commands of a client: `.import x t`.
    if let Some(command) = first.strip_prefix('.') {
        return command.starts_with(|c: char| c.is_ascii_alphabetic()) && command.contains(' ');
    }
    let word = first.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    first.starts_with("/*") || BEGINNINGS.contains(&word.to_ascii_lowercase().as_str())
}

/// Whether the texts under this name may be programs, or questions in a language that has quotes.
pub(super) fn is_quoting(name: &str) -> bool {
    Quoting::of(name) != Quoting::Nothing
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
    let said =
        members.iter().filter(|(name, _)| is_named(name, LANGUAGE_NAMES) || is_named(name, &["shell"]));
    said.into_iter().any(|(_, value)| is_value_among(value, SHELLS))
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
            ("t", "run", None),
            ("run_in_terminal", "run", Some(RunAs::Code)),
            ("t", "code", Some(RunAs::Code)),
            ("t", "sourceCode", Some(RunAs::Code)),
            ("t", "codeString", Some(RunAs::Code)),
            ("t", "code_block", Some(RunAs::Code)),
            ("t", "script_content", Some(RunAs::Code)),
            ("t", "cmdString", Some(RunAs::Code)),
            ("t", "commandText", Some(RunAs::Code)),
            ("t", "bash_command_string", Some(RunAs::Code)),
            ("t", "pythonCode", Some(RunAs::Code)),
            ("t", "python", Some(RunAs::OtherCode)),
            ("t", "sql", Some(RunAs::OtherCode)),
            ("t", "sqlText", Some(RunAs::OtherCode)),
            ("t", "source", Some(RunAs::OtherCode)),
            ("t", "text", None),
            ("t", "zip_code", None),
            ("t", "statusCode", None),
            ("t", "country_code", None),
            ("t", "source_id", None),
            ("t", "code_owner", None),
            ("t", "query_id", None),
            ("t", "script_name", None),
            ("t", "command_id", None),
            ("run_in_terminal", "text", Some(RunAs::Code)),
            ("bashExec", "input", Some(RunAs::Code)),
            ("execute_command", "text", Some(RunAs::Code)),
            ("execute", "text", Some(RunAs::Code)),
            ("run_query", "text", None),
            ("process", "text", None),
            ("pushover", "text", None),
            ("t", "description", None),
        ] {
            assert_eq!(runs_as(tool, name, &none), expected, "{tool} {name}");
        }
        assert_eq!(runs_as("t", "code", &json!({ "language": "python3.12" })), Some(RunAs::OtherCode));
        assert_eq!(runs_as("t", "code", &json!({ "x": "python" })), Some(RunAs::Code));
        assert_eq!(runs_as("t", "code", &json!({ "language": "bash" })), Some(RunAs::Line));
        assert_eq!(runs_as("t", "input", &json!({ "language": "bash" })), Some(RunAs::Line));
        assert_ne!(runs_as("t", "input", &json!({ "x": "shell" })), Some(RunAs::Line));
        assert_eq!(runs_as("t", "run", &json!({ "run": "touch x" })), Some(RunAs::Code));
        assert_eq!(Quoting::of("sqlQuery"), Quoting::Program);
        assert_eq!(Quoting::of("queryString"), Quoting::Question);
        assert!(Quoting::Question.counts_in(" SELECT 'x'") && !Quoting::Question.counts_in("how \"x\""));
        assert_eq!(words_of("run_shellCommand2-x").collect::<Vec<_>>(), ["run", "shell", "command2", "x"]);
    }
}
