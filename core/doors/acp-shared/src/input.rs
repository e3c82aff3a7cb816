//! Inputs of tools, as far as mayi knows their keys. Data: a key that is not here is not understood.

mod keys;

use mayi_core::call::{WriteKind, shell::patched_names};
use mayi_doors::folders::{FOLDERS, leads_to};
use mayi_doors::readings::{
    InputCommand, ItemKeys, ItemReading, LINES, all_commands, is_command_key, nested_commands, read_items,
    read_members, stray_paths,
};
use mayi_doors::{patch_headers, readings};
use serde_json::{Map, Value};

use self::keys::{
    CALLS, CHANGES, EDIT_WORDS, FETCHING, INCLUDED, LISTS, MANNERS, MOVED, NEW_PATHS, PATCHES, PATHS,
    READING, RUNNING, TEXTS, THINKING, WRITTEN,
};

/// Maximum length of a word that only says how: too short to carry much.
const LONGEST_CHOICE: usize = 16;

/// Whether this is nothing but the start of a sub-agent, whose own calls are judged: what it is told, and of which type it is.
pub fn starts_sub_agent(input: &Value) -> bool {
    non_empty_text(input, "subagent_type").is_some()
        && non_empty_text(input, "prompt").is_some()
        && only_thinks(input)
}

/// Every path in the input: by the keys that are known, in lists, and what could be one under a key that is not.
pub fn find_paths(input: &Value) -> Vec<String> {
    let mut found = single_paths(input);
    found.extend(listed_paths(input).paths);
    found
}

/// Paths under keys that hold one.
pub fn single_paths(input: &Value) -> Vec<String> {
    let Some(map) = input.as_object() else { return Vec::new() };
    let mut found: Vec<String> = PATHS.iter().filter_map(|key| non_empty_text(input, key)).collect();
    let elsewhere =
        [LISTS, CHANGES, TEXTS, WRITTEN, CALLS, MOVED, NEW_PATHS, LINES, FOLDERS, READING, THINKING];
    let is_known = |key: &str| {
        let text = PATHS.contains(&key) && input.get(key).is_some_and(Value::is_string);
        // A list of these may be one of files.
        text || (!matches!(key, "items" | "entries")
            && !PATHS.contains(&key)
            && elsewhere.iter().any(|keys| keys.contains(&key)))
    };
    found.extend(stray_paths(map, is_known));
    found
}

/// Paths in lists.
pub fn listed_paths(input: &Value) -> ItemReading {
    let mut all = ItemReading::default();
    for list in LISTS.iter().filter_map(|key| input.get(key)) {
        add_reading(&mut all, read_items(list, &ItemKeys { paths: PATHS, others: READING, texts: true }));
    }
    all
}

fn add_reading(all: &mut ItemReading, more: ItemReading) {
    all.paths.extend(more.paths);
    all.unknown |= more.unknown;
    all.unreadable |= more.unreadable;
}

/// The files of several changes in one call, whatever its kind claims.
pub fn find_changed_files(input: &Value) -> ItemReading {
    let paths = [PATHS, NEW_PATHS, MOVED].concat();
    let texts = [TEXTS, WRITTEN].concat();
    let keys = ItemKeys { paths: &paths, others: &texts, texts: false };
    let mut all = ItemReading::default();
    for key in CHANGES {
        match input.get(key) {
            // From paths to what becomes of each, as Codex has it; or one change.
            Some(Value::Object(map)) if *key == "changes" => {
                let one =
                    map.iter().filter(|(key, value)| paths.contains(&key.as_str()) && value.is_string());
                all.paths.extend(one.filter_map(|(_, value)| value.as_str().map(str::to_owned)));
                for change in map.values().filter_map(Value::as_object) {
                    add_reading(&mut all, read_members(change, &keys));
                }
            }
            Some(list) => add_reading(&mut all, read_items(list, &keys)),
            None => {}
        }
    }
    all
}

/// Paths of what a call moves.
pub fn find_moved_paths(input: &Value) -> Vec<String> {
    MOVED.iter().filter_map(|key| non_empty_text(input, key)).collect()
}

/// The files of patches among the texts of an input: of any text in a call that changes files, elsewhere of those whose key says so.
pub fn find_patched_files(input: &Value, any: bool) -> Vec<(WriteKind, String)> {
    let mut found = Vec::new();
    let mut beside = None;
    for (key, value) in input.as_object().into_iter().flatten() {
        let Some(text) = value.as_str() else { continue };
        let key = key.to_ascii_lowercase();
        let named = ["patch", "diff", "input"].iter().any(|word| key.contains(word));
        if (any || named) && patch_headers::holds_patch(text) {
            let files = patch_headers::patched_files(text);
            let also = patched_names(text).filter(|name| !files.iter().any(|(_, path)| path == name));
            found.extend(also.map(|name| (WriteKind::Edit, name.to_owned())));
            found.extend(files);
        } else if named {
            let beside = beside.get_or_insert_with(|| find_paths(input));
            found.extend(patch_headers::unified_files(text, beside));
        }
    }
    found
}

/// Whether a patch in the form that Codex made is all that the input says: then it is no line, under whatever key it stands.
pub fn is_patch_alone(input: &Value) -> bool {
    let mut said = input.as_object().into_iter().flatten().filter(|(_, value)| !says_nothing(value));
    let (Some((key, Value::String(text))), None) = (said.next(), said.next()) else { return false };
    (PATCHES.contains(&key.as_str())) && patch_headers::is_whole_patch(text)
}

/// Paths that something is moved or written to.
pub fn new_paths(input: &Value) -> Vec<String> {
    NEW_PATHS.iter().filter_map(|key| non_empty_text(input, key)).collect()
}

/// Whether the input holds what will stand in the file that it names, whatever its kind claims.
pub fn writes_text(input: &Value) -> bool {
    input.as_object().is_some_and(names_path)
        && WRITTEN.iter().any(|key| input.get(key).is_some_and(Value::is_string))
}

/// What goes from one name to another, whatever the call's kind claims: from where, and where to.
pub fn find_moves(input: &Value) -> Option<(Vec<String>, Vec<String>)> {
    let (from, to) = (find_moved_paths(input), new_paths(input));
    (!from.is_empty() && !to.is_empty()).then_some((from, to))
}

/// Files that are read besides.
pub fn included_paths(input: &Value) -> Vec<String> {
    let texts = |value: &Value| match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        value => value.as_str().map(str::to_owned).into_iter().collect::<Vec<_>>(),
    };
    INCLUDED.iter().filter_map(|key| input.get(*key)).flat_map(texts).collect()
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

/// Every command in the input. `nested`: at any depth.
pub fn find_commands(input: &Value, nested: bool) -> Vec<InputCommand> {
    let Some(map) = input.as_object().filter(|_| !is_patch_alone(input)) else { return Vec::new() };
    let mut map = map.clone();
    map.retain(|key, word| !(LINES.contains(&key.as_str()) && is_edit_word(input, word)));
    if nested { nested_commands(&map) } else { all_commands(&map, false) }
}

/// What an editor's tool does to the paths beside its `command`, where that is not to look at them.
pub fn edit_word(input: &Value) -> Option<WriteKind> {
    let words = LINES.iter().filter_map(|key| input.get(*key)).filter(|word| is_edit_word(input, word));
    words.filter_map(Value::as_str).find_map(|word| match word {
        "view" => None,
        "delete" => Some(WriteKind::Delete),
        "rename" => Some(WriteKind::Move),
        _ => Some(WriteKind::Edit),
    })
}

fn is_edit_word(input: &Value, word: &Value) -> bool {
    word.as_str().is_some_and(|word| EDIT_WORDS.contains(&word)) && input.as_object().is_some_and(names_path)
}

/// Whether a key that is known names a path.
fn names_path(map: &Map<String, Value>) -> bool {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let items =
        |key: &&str| map.get(*key).and_then(Value::as_array).is_some_and(|items| items.iter().any(text));
    PATHS.iter().any(|key| map.get(*key).is_some_and(text)) || LISTS.iter().any(items)
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

/// The same in each reading, by whatever key and in whatever form.
pub fn env_in_each_reading(input: &Value) -> Vec<(String, String)> {
    input.as_object().map(readings::variables).unwrap_or_default()
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

/// Every address in any text of the input.
pub fn find_all_urls(input: &Value) -> Vec<String> {
    let mut found = find_urls(input);
    found.extend(readings::addresses(input));
    found
}

/// Whether its addresses are texts.
pub fn has_odd_urls(input: &Value) -> bool {
    let text = |key: &&str| input.get(key).is_none_or(|value| value.is_null() || value.is_string());
    let listed = match input.get("urls") {
        None | Some(Value::Null) => true,
        Some(list) => list.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
    };
    !(listed && ["url", "uri", "href"].iter().all(text))
}

/// A key of the input of a call that runs a command that is none of the command's, nor known to say only how or why. A switch that
/// is off and a number say nothing, whatever they are called.
pub fn key_beside_command(input: &Value) -> Option<&str> {
    let known = [LINES, FOLDERS, CALLS, RUNNING];
    key_beside(input, |key| known.iter().any(|keys| keys.contains(&key)) || is_command_key(key))
}

/// The same of a tool that fetches: what stands beside its addresses may be sent there (`body`, `headers`). A plain word under a key
/// that says how is none of that (`"extractMode": "markdown"`).
pub fn key_beside_address(input: &Value) -> Option<&str> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
    let gets =
        |key: &str| key == "method" && ["get", "head"].iter().any(|own| text(key).eq_ignore_ascii_case(own));
    let says_how = |key: &str| {
        let key_end = key.to_ascii_lowercase();
        MANNERS.iter().any(|manner| key_end.ends_with(manner)) && is_choice(text(key))
    };
    key_beside(input, |key| FETCHING.contains(&key) || PATHS.contains(&key) || gets(key) || says_how(key))
}

/// Whether a text is one of a few words that a tool knows: no address, no path.
fn is_choice(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=LONGEST_CHOICE).contains(&text.len()) && text.bytes().all(plain)
}

fn key_beside(input: &Value, is_known: impl Fn(&str) -> bool) -> Option<&str> {
    let mut members = input.as_object()?.iter();
    members.find(|(key, value)| !is_known(key) && !says_nothing(value)).map(|(key, _)| key.as_str())
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Number(_) | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.iter().all(says_nothing),
        Value::Object(members) => members.values().all(says_nothing),
    }
}

/// Whether every key of the input is known to only read, and every path in it is text.
pub fn only_reads(input: &Value) -> bool {
    let texts =
        PATHS.iter().filter_map(|key| input.get(key)).all(|value| value.is_string() || value.is_null());
    let listed = |key: &&str| match input.get(*key) {
        None | Some(Value::Null) => true,
        Some(Value::Array(items)) => {
            let known = |(key, value): (&String, &Value)| PATHS.contains(&key.as_str()) && value.is_string();
            items.iter().all(|item| item.as_object().map_or(item.is_string(), |map| map.iter().all(known)))
        }
        Some(_) => false,
    };
    let texts = texts && LISTS.iter().all(listed);
    texts && keys_within(input, &[PATHS, READING, LISTS])
}

/// Whether a tool of this name finds files by their names, and its input asks for nothing of what they hold.
pub fn lists_names(tool: &str, input: &Value) -> bool {
    const CONTENTS: &[&str] = &["output_mode", "-A", "-B", "-C", "-n", "multiline", "query", "regex"];
    let of_names = |pattern: &str| pattern.contains(['*', '?', '[', '{', '.', '/']);
    let pattern = input.get("pattern").is_none_or(|pattern| pattern.as_str().is_some_and(of_names));
    names_lister(tool) && pattern && !CONTENTS.iter().any(|key| input.get(*key).is_some())
}

fn names_lister(tool: &str) -> bool {
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
    let mut found = Vec::new();
    for key in ["pattern", "glob", "include", "exclude", "query"] {
        let texts = match input.get(key) {
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            other => other.and_then(Value::as_str).into_iter().collect::<Vec<_>>(),
        };
        for text in texts {
            // A pattern for texts has backslashes that stand for no folder.
            let for_texts = matches!(key, "pattern" | "query");
            let text = if for_texts { text.split('\\').next().unwrap_or_default() } else { text };
            found.extend(leads_to(text));
        }
    }
    found
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
