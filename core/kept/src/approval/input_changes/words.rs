//! What a member of a tool's input is, by the words of its key.

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// What stands there before: its key says that it is a text.
    OldText,
    /// The same, or a path.
    Old,
    /// What comes in its place: its key says that it is a text.
    NewText,
    /// The same, or a path.
    New,
    /// What could be all of a file.
    Whole,
    /// What is put somewhere between.
    Inserted,
    /// Which of the known ways to change a file it is.
    Manner,
    /// The agent's words for people.
    Prose,
    /// A number of the protocol's.
    Id,
    /// Anything else.
    Other,
}

const OLD: &[&str] = &[
    "old", "before", "search", "find", "original", "previous", "prior", "existing", "current", "remove",
    "removed", "from", "match",
];
const NEW: &[&str] = &[
    "new",
    "after",
    "replace",
    "replacement",
    "replaced",
    "with",
    "updated",
    "modified",
    "to",
    "add",
    "added",
];
const WHOLE: &[&str] = &["content", "contents", "text", "body", "code", "data"];
const PART: &[&str] = &["string", "str", "source", "snippet", "block", "line", "lines", "chunk"];
const INSERTED: &[&str] = &["insert", "inserted", "append", "appended", "prepend", "prepended"];
const PATH: &[&str] = &["path", "file", "filename", "filepath", "uri", "name", "dir", "directory", "folder"];
const MANNER: &[&str] = &["type", "kind", "operation", "op", "action", "command", "mode"];
const PROSE: &[&str] = &[
    "description",
    "explanation",
    "instruction",
    "instructions",
    "reason",
    "title",
    "summary",
    "thought",
    "thoughts",
    "justification",
    "message",
];
/// Before `id`.
const IDS: &[&str] = &["call", "turn", "request", "session", "tool", "use", "message", "thread"];

/// Ways that a diff says by itself.
const PLAIN_CHANGES: &[&str] = &[
    "add",
    "create",
    "new",
    "write",
    "overwrite",
    "edit",
    "update",
    "modify",
    "replace",
    "str_replace",
    "strreplace",
];

pub(super) fn role_of(key: &str) -> Role {
    let words = words_of(key);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let (old, new) = (has(OLD), has(NEW));
    let text = has(WHOLE) || has(PART);
    let of_protocol =
        |before: &[String]| !before.is_empty() && before.iter().all(|word| IDS.contains(&word.as_str()));
    match words.split_last() {
        Some((last, before)) if last == "id" && of_protocol(before) => return Role::Id,
        Some((last, _)) if last == "id" => return Role::Other,
        _ => {}
    }
    if has(INSERTED) {
        Role::Inserted
    } else if text {
        match (old, new) {
            (true, false) => Role::OldText,
            (false, true) => Role::NewText,
            (false, false) if has(WHOLE) => Role::Whole,
            _ => Role::Other,
        }
    } else if has(PATH) {
        Role::Other
    } else {
        match (old, new, words.as_slice()) {
            (true, false, _) => Role::Old,
            (false, true, _) => Role::New,
            (_, _, [_]) if has(MANNER) => Role::Manner,
            (_, _, [_]) if has(PROSE) => Role::Prose,
            _ => Role::Other,
        }
    }
}

/// Whether `text` is a word for a change that its diff says by itself.
pub(super) fn is_plain_change(text: &str) -> bool {
    PLAIN_CHANGES.contains(&text.to_ascii_lowercase().as_str())
}

/// The words of a key, however they are put together: `old_string`, `oldString`, `old-string`.
fn words_of(key: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut begins = true;
    for c in key.chars() {
        if !c.is_alphanumeric() {
            begins = true;
            continue;
        }
        if begins || (c.is_uppercase() && words.last().is_some_and(|word| word.ends_with(char::is_lowercase)))
        {
            words.push(String::new());
        }
        begins = false;
        if let Some(word) = words.last_mut() {
            // The case of a letter tells where the next word begins.
            word.push(c);
        }
    }
    words.iter_mut().for_each(|word| *word = word.to_lowercase());
    words
}
