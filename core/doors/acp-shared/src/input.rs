//! Inputs of tools, as far as mayi knows their keys. Data: a key that is not here is not understood.

use mayi_core::call::shell::patched_names;
use serde_json::Value;

/// Keys that hold one path.
const PATHS: &[&str] = &[
    "file_path",
    "filePath",
    "filepath",
    "path",
    "abs_path",
    "absolute_path",
    "absolutePath",
    "file",
    "notebook_path",
    "notebookPath",
    "target_file",
    "targetFile",
    "dir_path",
    "directory",
    "folder",
];

/// Keys that hold what is moved, in a call that moves something. Elsewhere they may hold anything: code, a table's name.
const MOVED: &[&str] = &["old_path", "oldPath", "source", "source_path", "sourcePath", "src", "from"];

/// Keys that hold a new path.
const NEW_PATHS: &[&str] = &["new_path", "newPath", "destination", "dest", "move_path", "to"];

/// Keys that only say how to read or search.
const READING: &[&str] = &[
    "offset",
    "limit",
    "line",
    "lines",
    "start_line",
    "end_line",
    "pattern",
    "query",
    "glob",
    "include",
    "exclude",
    "type",
    "output_mode",
    "head_limit",
    "multiline",
    "recursive",
    "case_sensitive",
    "-A",
    "-B",
    "-C",
    "-n",
    "-i",
    "description",
    "pages",
    "respect_git_ignore",
    "file_filtering_options",
    "max_results",
    "ignore",
];

/// Keys of tools that only think, plan or hand work to a sub-agent whose own calls are judged.
const THINKING: &[&str] = &[
    "thought",
    "thoughts",
    "plan",
    "todos",
    "items",
    "entries",
    "description",
    "prompt",
    "subagent_type",
    "explanation",
    "message",
    "task",
    "task_name",
    "thoughtNumber",
    "totalThoughts",
    "nextThoughtNeeded",
    "summary",
    "run_in_background",
    "model",
    "name",
];

/// Whether this is nothing but the start of a sub-agent, whose own calls are judged: what it is told, and of which type it is.
pub fn starts_sub_agent(input: &Value) -> bool {
    non_empty_text(input, "subagent_type").is_some()
        && non_empty_text(input, "prompt").is_some()
        && only_thinks(input)
}

/// Words that editors' tools use as `command`, beside a path.
const EDIT_WORDS: &[&str] = &["view", "create", "str_replace", "insert", "undo_edit", "delete", "rename"];

/// Every path in the input, by the keys that are known.
pub fn find_paths(input: &Value) -> Vec<String> {
    let mut found: Vec<String> = PATHS.iter().filter_map(|key| non_empty_text(input, key)).collect();
    for key in ["paths", "files", "file_paths"] {
        if let Some(items) = input.get(key).and_then(Value::as_array) {
            found.extend(items.iter().flat_map(|item| {
                let named = PATHS.iter().filter_map(|key| non_empty_text(item, key));
                item.as_str().map(str::to_owned).into_iter().chain(named).collect::<Vec<_>>()
            }));
        }
    }
    found
}

/// Paths of what a call moves.
pub fn find_moved_paths(input: &Value) -> Vec<String> {
    MOVED.iter().filter_map(|key| non_empty_text(input, key)).collect()
}

/// The files of patches among the texts of an input.
pub fn find_patched_files(input: &Value) -> Vec<String> {
    let texts = input.as_object().into_iter().flat_map(|map| map.values()).filter_map(Value::as_str);
    let patches = texts.filter(|text| text.contains("*** Begin Patch"));
    patches.flat_map(patched_names).map(str::to_owned).collect()
}

/// Paths that something is moved or written to.
pub fn new_paths(input: &Value) -> Vec<String> {
    NEW_PATHS.iter().filter_map(|key| non_empty_text(input, key)).collect()
}

/// A change to one file, as Codex lists them: `{"PATH": {"type": "add" | "update" | "delete"}}`.
pub struct FileChange {
    /// The file.
    pub path: String,
    /// The agent's word for it.
    pub kind: String,
    /// Where it goes, if it is moved.
    pub moved_to: Option<String>,
}

/// The changes in the input.
pub fn find_changes(input: &Value) -> Vec<FileChange> {
    let Some(map) = input.get("changes").and_then(Value::as_object) else { return Vec::new() };
    map.iter()
        .map(|(path, change)| FileChange {
            path: path.clone(),
            kind: non_empty_text(change, "type").unwrap_or_default(),
            moved_to: non_empty_text(change, "move_path"),
        })
        .collect()
}

/// A command in the input.
pub enum InputCommand {
    /// Words that a program gets as they are.
    Words(Vec<String>),
    /// A line for a shell.
    Line(String),
}

/// Every command in the input, by the keys that are known.
pub fn find_commands(input: &Value) -> Vec<InputCommand> {
    let mut found = Vec::new();
    for key in ["command", "cmd", "commandLine", "command_line", "script", "shell_command"] {
        match input.get(key) {
            Some(Value::String(line)) => {
                let edit_word = EDIT_WORDS.contains(&line.as_str()) && !find_paths(input).is_empty();
                if !edit_word {
                    let args = input.get("args").and_then(Value::as_array);
                    // Beside a list of words, one with blanks is a file's name for some and a line for others.
                    if let Some(args) = args {
                        found.push(command_from_words(
                            std::iter::once(input.get(key).unwrap_or(&Value::Null)).chain(args),
                        ));
                    }
                    if args.is_none() || line.contains(char::is_whitespace) {
                        let more = args.into_iter().flatten().filter_map(Value::as_str);
                        let all: Vec<&str> = std::iter::once(line.as_str()).chain(more).collect();
                        found.push(InputCommand::Line(all.join(" ")));
                    }
                }
            }
            Some(Value::Array(items)) => found.push(command_from_words(items.iter())),
            _ => {}
        }
    }
    found
}

fn command_from_words<'a>(items: impl Iterator<Item = &'a Value>) -> InputCommand {
    let texts: Option<Vec<String>> = items.map(|item| item.as_str().map(str::to_owned)).collect();
    // A word that is no text is not understood: a line that never parses says so.
    texts.map_or_else(|| InputCommand::Line("\0".to_owned()), InputCommand::Words)
}

/// The folder that a command runs in.
pub fn find_cwd(input: &Value) -> Option<String> {
    ["cwd", "workdir", "working_directory", "workingDirectory"]
        .iter()
        .find_map(|key| non_empty_text(input, key))
}

/// Variables that are set for a command.
pub fn find_env(input: &Value) -> Vec<(String, String)> {
    match input.get("env") {
        Some(Value::Object(map)) => map
            .iter()
            .map(|(name, value)| {
                (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            })
            .collect(),
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(|item| {
                let name = item.get("name")?.as_str()?.to_owned();
                Some((name, non_empty_text(item, "value").unwrap_or_default()))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The same in each reading: who starts a program writes `NAME=VALUE`, so that a name with `=` in it sets another variable.
pub fn env_in_each_reading(input: &Value) -> Vec<(String, String)> {
    let split = |(name, value): &(String, String)| {
        let (before, after) = name.split_once('=')?;
        Some((before.to_owned(), format!("{after}={value}")))
    };
    let all = find_env(input);
    all.iter().filter_map(split).chain(all.clone()).collect()
}

/// Whether a variable of this name is one for everybody: for who starts a program with it, and for who writes it into a line.
#[must_use]
pub fn is_plain_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    !name.is_empty() && name.bytes().all(is_plain)
}

/// Every address in the input.
pub fn find_urls(input: &Value) -> Vec<String> {
    let mut found: Vec<String> =
        ["url", "uri", "href"].iter().filter_map(|key| non_empty_text(input, key)).collect();
    if let Some(items) = input.get("urls").and_then(Value::as_array) {
        found.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
    }
    found
}

/// Whether every key of the input is known to only read, and every path in it is text.
pub fn only_reads(input: &Value) -> bool {
    let texts =
        PATHS.iter().filter_map(|key| input.get(key)).all(|value| value.is_string() || value.is_null());
    let listed = |key: &&str| match input.get(key) {
        None | Some(Value::Null) => true,
        Some(Value::Array(items)) => {
            let known = |(key, value): (&String, &Value)| PATHS.contains(&key.as_str()) && value.is_string();
            items.iter().all(|item| item.as_object().map_or(item.is_string(), |map| map.iter().all(known)))
        }
        Some(_) => false,
    };
    let texts = texts && ["paths", "files", "file_paths"].iter().all(listed);
    texts && keys_within(input, &[PATHS, READING, &["paths", "files", "file_paths"]])
}

/// Whether a tool of this name finds files by their names, and shows nothing of what they hold.
pub fn lists_names(tool: &str) -> bool {
    const LISTERS: &[&str] = &[
        "glob",
        "ls",
        "list",
        "list_directory",
        "list_files",
        "find_files",
        "findfiles",
        "find_path",
        "file_search",
    ];
    LISTERS.contains(&tool.to_ascii_lowercase().as_str())
}

/// What a search looks for.
pub fn searched_pattern(input: &Value) -> Option<String> {
    ["pattern", "query", "regex"].iter().find_map(|key| non_empty_text(input, key))
}

/// Folders that the patterns of a search lead to.
pub fn find_searched_folders(input: &Value) -> Vec<String> {
    let texts = ["pattern", "glob", "include", "exclude", "query"].iter().filter_map(|key| input.get(key));
    let texts = texts.flat_map(|value| match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>(),
        other => other.as_str().into_iter().collect(),
    });
    texts.filter_map(mayi_doors::folders::leads_to).collect()
}

/// Whether the input is a call to a tool server and nothing else: in the form of `server`, `tool`
/// and `arguments`, or in that of Codex's question about one.
pub fn only_mcp(input: &Value) -> bool {
    keys_within(
        input,
        &[&["server", "tool", "arguments", "server_name", "request", "id", "turn_id", "call_id"]],
    )
}

/// Whether every key of the input is known to only think.
pub fn only_thinks(input: &Value) -> bool {
    keys_within(input, &[THINKING])
}

fn keys_within(input: &Value, known: &[&[&str]]) -> bool {
    match input {
        Value::Null => true,
        Value::Object(map) => map.keys().all(|key| known.iter().any(|set| set.contains(&key.as_str()))),
        _ => false,
    }
}

/// A member that is a text, and not an empty one.
#[must_use]
pub fn non_empty_text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
