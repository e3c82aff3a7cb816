//! Items of lists in a tool's input: files to read, changes to make.

use serde_json::{Map, Value};

/// The deepest that a list is followed.
const DEEPEST: usize = 8;

/// Which keys an item may have.
#[derive(Clone, Copy, Debug)]
pub struct ItemKeys<'a> {
    /// Those that hold a path.
    pub paths: &'a [&'a str],
    /// Those that hold something else, which is no path.
    pub others: &'a [&'a str],
    /// Whether an item that is nothing but a text is a path.
    pub texts: bool,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemReading {
    /// Every path that somebody may take it for.
    pub paths: Vec<String>,
    /// It has a key that is not known.
    pub unknown: bool,
    /// It can't be read with certainty.
    pub unreadable: bool,
}

impl ItemReading {
    fn push(&mut self, path: &str) {
        if !path.is_empty() {
            self.paths.push(path.to_owned());
        }
    }

    /// Every text of `value` that could be a path, whatever is around it.
    fn push_strays(&mut self, key: &str, value: &Value, depth: usize) {
        match value {
            Value::String(text) if could_be_path(key, text) => self.push(text),
            _ if depth > DEEPEST => self.unreadable = true,
            Value::Array(items) => items.iter().for_each(|item| self.push_strays(key, item, depth + 1)),
            Value::Object(map) => {
                for (name, value) in map {
                    if could_be_path("", name) {
                        self.push(name);
                    }
                    self.push_strays(if is_path_key(name) { name } else { key }, value, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn read(&mut self, value: &Value, keys: &ItemKeys<'_>, depth: usize) {
        match value {
            Value::Null => {}
            Value::String(text) if keys.texts => self.push(text),
            _ if depth > DEEPEST => self.unreadable = true,
            Value::Object(map) => self.read_members(map, keys),
            other => {
                self.unreadable = true;
                self.push_strays("path", other, depth);
            }
        }
    }

    fn read_members(&mut self, map: &Map<String, Value>, keys: &ItemKeys<'_>) {
        for (key, value) in map {
            match value {
                Value::Null => {}
                Value::String(path) if keys.paths.contains(&key.as_str()) => self.push(path),
                other if keys.paths.contains(&key.as_str()) => {
                    self.unreadable = true;
                    self.push_strays(key, other, 0);
                }
                _ if keys.others.contains(&key.as_str()) => {}
                other => {
                    self.unknown = true;
                    self.push_strays(key, other, 0);
                }
            }
        }
    }
}

/// What a list says, every item of it by every key. A map in its place is one item, and a map from paths to what becomes of them; a
/// text in its place is a list that is written as one, or a single item. Neither is what it should be, which `unreadable` says.
#[must_use]
pub fn read_items(list: &Value, keys: &ItemKeys<'_>) -> ItemReading {
    let mut found = ItemReading::default();
    match list {
        Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| found.read(item, keys, 0)),
        Value::Object(map) => {
            found.unreadable = true;
            found.read_members(map, keys);
            for (key, value) in map {
                if !keys.paths.contains(&key.as_str()) && !keys.others.contains(&key.as_str()) {
                    found.push(key);
                    found.read(value, &ItemKeys { texts: false, ..*keys }, 0);
                }
            }
        }
        Value::String(text) => {
            found.unreadable = true;
            match serde_json::from_str::<Value>(text) {
                Ok(inner) if !inner.is_string() => found.paths = read_items(&inner, keys).paths,
                _ => {}
            }
            if keys.texts || could_be_path("", text) {
                found.push(text);
            }
        }
        _ => found.unreadable = true,
    }
    found
}

/// The same for the members of one object, such as the whole input.
#[must_use]
pub fn read_members(map: &Map<String, Value>, keys: &ItemKeys<'_>) -> ItemReading {
    let mut found = ItemReading::default();
    found.read_members(map, keys);
    found
}

/// Texts under keys that are not known, of which somebody may make a path.
#[must_use]
pub fn stray_paths(map: &Map<String, Value>, is_known: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = ItemReading::default();
    for (key, value) in map.iter().filter(|(key, _)| !is_known(key)) {
        found.push_strays(key, value, 0);
    }
    found.paths
}

/// Whether a key's name says that it holds a path.
#[must_use]
pub fn is_path_key(key: &str) -> bool {
    const ENDS: &[&str] = &[
        "path",
        "paths",
        "file",
        "files",
        "filename",
        "filenames",
        "dir",
        "directory",
        "folder",
        "folders",
        "cwd",
        "uri",
        "target",
        "targets",
        "destination",
        "dest",
        "dst",
        "output",
        "outfile",
        "source",
        "src",
    ];
    let words = key.replace(['_', '-', ' ', '.'], "").to_ascii_lowercase();
    ENDS.iter().any(|end| if end.len() > 4 { words.ends_with(end) } else { words == *end })
        || ["file", "path", "dir", "uri", "cwd"].iter().any(|end| words.ends_with(end))
}

fn could_be_path(key: &str, text: &str) -> bool {
    let line = text.trim_matches(|c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}');
    let begins =
        ["/", "~", "./", "../", "\\", ".\\", "..\\", "."].iter().any(|begin| line.starts_with(begin))
            || line.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    !line.is_empty() && !line.contains('\n') && line.len() <= 4096 && (begins || is_path_key(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEYS: ItemKeys<'_> =
        ItemKeys { paths: &["path", "file_path", "filePath"], others: &["old"], texts: true };

    /// Attack 359.
    #[test]
    fn given_items_of_any_form_then_every_path_in_them_counts() {
        for (list, paths) in [
            (json!(["a", { "path": "b" }]), &["a", "b"][..]),
            (json!([{ "file_path": "a", "filePath": "b" }]), &["a", "b"]),
            (json!([{ "path": "a", "File": "b" }]), &["a", "b"]),
            (json!([{ "path": "a", "x": "/b" }]), &["a", "/b"]),
            (json!([{ "path": "a", "x": ["~/b"], "y": { "z": "../c" } }]), &["a", "~/b", "../c"]),
            (json!([{ "path": ["a", { "b": "c" }] }]), &["a", "c"]),
            (json!([["a", ["b"]]]), &["a", "b"]),
            (json!({ "/a": "x", "b": { "path": "c" } }), &["/a", "b", "c"]),
            (json!({ "path": "a", "old": "x" }), &["a"]),
            (json!("[{\"path\":\"a\"}]"), &["a"]),
            (json!("a"), &["a"]),
        ] {
            let found = read_items(&list, &KEYS);
            for path in paths {
                assert!(found.paths.iter().any(|known| known == path), "{list}: {found:?} lacks {path}");
            }
            let alone = list == json!(["a", { "path": "b" }])
                || list == json!([{ "file_path": "a", "filePath": "b" }]);
            assert_eq!(found.unknown || found.unreadable, !alone, "{list}: {found:?}");
        }
        let quiet = read_items(&json!([{ "path": "a", "old": "/etc/x" }, null]), &KEYS);
        assert_eq!(quiet, ItemReading { paths: vec!["a".to_owned()], unknown: false, unreadable: false });
        let edits = ItemKeys { texts: false, ..KEYS };
        assert!(read_items(&json!(["x"]), &edits).unreadable && read_items(&json!([1]), &edits).unreadable);
    }

    #[test]
    fn given_keys_then_those_of_paths_are_known_by_their_names() {
        for key in
            ["path", "File", "targetFile", "dest_dir", "output-path", "uri", "cwd", "fileName", "destination"]
        {
            assert!(is_path_key(key), "{key}");
        }
        for key in ["explanation", "description", "new_string", "photo", "call_id", "x", "mode", "to"] {
            assert!(!is_path_key(key), "{key}");
        }
    }
}
