//! The cases as they are written: `tests/corpus/README.md` says how.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Cases that share what is on the disk.
pub(crate) struct Group {
    /// Files with their text: names as in the corpus.
    pub(crate) files: Vec<(String, String)>,
    /// Links: name and target.
    pub(crate) links: Vec<(String, String)>,
    /// Second names: name and the file that it names.
    pub(crate) hard_links: Vec<(String, String)>,
    /// The cases.
    pub(crate) cases: Vec<Case>,
}

/// One call, and what has to become of it.
#[derive(Clone)]
pub(crate) struct Case {
    /// `FILE/GROUP/NAME`.
    pub(crate) id: String,
    /// The rule that it holds.
    pub(crate) because: String,
    /// The line of `check --stdin`, with the corpus's own names for folders.
    pub(crate) request: Map<String, Value>,
    /// The effects that are right.
    pub(crate) expect: Vec<String>,
    /// Remembered answers of agent `claude`, as patterns.
    pub(crate) grants: Vec<String>,
}

impl Case {
    /// What is asked about.
    pub(crate) fn value(&self) -> String {
        let text = |key: &str| self.request.get(key).and_then(Value::as_str);
        match (text("command").or(text("path")).or(text("url")), text("server"), text("tool")) {
            (Some(value), ..) => value.to_owned(),
            (_, Some(server), Some(tool)) => format!("{server}/{tool}"),
            (_, _, tool) => tool.unwrap_or_default().to_owned(),
        }
    }
}

/// Everything in `tests/corpus`.
pub(crate) fn groups() -> Vec<Group> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().flat_map(|path| read(&name(path), &std::fs::read_to_string(path).unwrap())).collect()
}

/// The groups of one file.
pub(crate) fn read(file: &str, text: &str) -> Vec<Group> {
    let value: Value = toml::from_str(text).unwrap_or_else(|error| panic!("{file}: {error}"));
    value["group"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group_of(file, group.as_object().unwrap()))
        .collect()
}

fn group_of(file: &str, group: &Map<String, Value>) -> Group {
    let id = format!("{file}/{}", group["name"].as_str().unwrap());
    let pairs = |key: &str| -> Vec<(String, String)> {
        let table = group.get(key).and_then(Value::as_object).into_iter().flatten();
        table.map(|(name, target)| (name.clone(), target.as_str().unwrap().to_owned())).collect()
    };
    let mut files = pairs("text");
    files.extend(texts(group.get("files")).into_iter().map(|name| (name, String::new())));
    let cases = group["cases"].as_object().unwrap().iter().map(|(name, case)| {
        let mut keys = group.clone();
        match case {
            Value::String(value) => drop(keys.insert("value".to_owned(), json!(value))),
            Value::Object(own) => keys.extend(own.clone()),
            other => panic!("{id}/{name}: {other}"),
        }
        case_of(format!("{id}/{name}"), &keys)
    });
    Group { files, links: pairs("links"), hard_links: pairs("hard_links"), cases: cases.collect() }
}

/// The keys of a group and of a case of it, laid over each other.
fn case_of(id: String, keys: &Map<String, Value>) -> Case {
    const KNOWN: [&str; 23] = [
        "name",
        "because",
        "expect",
        "kind",
        "value",
        "arguments",
        "allow",
        "ask",
        "deny",
        "rest",
        "mode",
        "agent",
        "cwd",
        "protection",
        "isolated",
        "grants",
        "files",
        "text",
        "links",
        "hard_links",
        "cases",
        "workspace",
        "shell",
    ];
    for key in keys.keys() {
        assert!(KNOWN.contains(&&**key), "{id}: {key} means nothing");
    }
    let text = |key: &str| keys.get(key).and_then(Value::as_str);
    let value = text("value").unwrap_or_else(|| panic!("{id}: no value"));
    let kind = text("kind").unwrap_or("shell");
    let isolated = keys.get("isolated") != Some(&json!(false));
    let mut request = Map::new();
    request.insert("id".to_owned(), json!(id));
    request.insert("kind".to_owned(), json!(kind));
    match kind {
        "shell" => drop(request.insert("command".to_owned(), json!(value))),
        "fetch" => drop(request.insert("url".to_owned(), json!(value))),
        "tool" => drop(request.insert("tool".to_owned(), json!(value))),
        "mcp" => {
            let (server, tool) = value.split_once('/').unwrap_or_else(|| panic!("{id}: SERVER/TOOL"));
            request.insert("server".to_owned(), json!(server));
            request.insert("tool".to_owned(), json!(tool));
            request.insert("arguments".to_owned(), keys.get("arguments").cloned().unwrap_or(json!({})));
        }
        _ => drop(request.insert("path".to_owned(), json!(value))),
    }
    request.insert("cwd".to_owned(), json!(text("cwd").unwrap_or("/w")));
    request.insert("workspace".to_owned(), json!(text("workspace").unwrap_or("/w")));
    for key in ["mode", "agent", "shell"] {
        if let Some(value) = text(key) {
            request.insert(key.to_owned(), json!(value));
        }
    }
    let rules = json!({ "allow": texts(keys.get("allow")), "ask": texts(keys.get("ask")), "deny": texts(keys.get("deny")) });
    request.insert("rules".to_owned(), rules);
    if let Some(rest) = text("rest") {
        let matrix = json!({ "read": rest, "write": rest, "execute": rest, "external": rest });
        request.insert("matrix".to_owned(), matrix);
    }
    if isolated {
        request.insert("isolated".to_owned(), json!(true));
        request.insert("protection".to_owned(), keys.get("protection").cloned().unwrap_or(json!(false)));
    }
    Case {
        because: text("because").unwrap_or_default().to_owned(),
        expect: texts(keys.get("expect")),
        grants: texts(keys.get("grants")),
        request,
        id,
    }
}

/// A string, or a list of them.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().unwrap().to_owned()).collect(),
        _ => Vec::new(),
    }
}
