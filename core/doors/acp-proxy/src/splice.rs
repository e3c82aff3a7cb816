//! Changes to a text of JSON in place: what is not changed stays to the byte.

use std::ops::Range;

use super::json_members::RawMembers;

/// A part of a text that is to be replaced.
#[derive(Clone, Debug)]
pub(crate) struct TextEdit {
    range: Range<usize>,
    replacement: String,
}

impl TextEdit {
    /// Replaces `part`, which is a piece of `text`. None, if it is not.
    pub(crate) fn replace(text: &str, part: &str, with: impl Into<String>) -> Option<Self> {
        let start = offset_of_part(text, part)?;
        Some(Self { range: start..start + part.len(), replacement: with.into() })
    }

    /// Puts `item` at the end of `array`, which is a piece of `text`.
    pub(crate) fn push(text: &str, array: &str, item: &str) -> Option<Self> {
        let inner = array.strip_prefix('[')?.strip_suffix(']')?;
        let end = offset_of_part(text, array)? + array.len() - 1;
        let comma = if inner.trim().is_empty() { "" } else { "," };
        Some(Self { range: end..end, replacement: format!("{comma}{item}") })
    }

    /// Sets a member of `object`, which is a piece of `text` and was read as `parts`: in its place, else at the end.
    pub(crate) fn set_member(
        text: &str,
        object: &str,
        parts: &RawMembers<'_>,
        name: &str,
        value: &str,
    ) -> Option<Self> {
        if let Some(old) = parts.get(name) {
            return Self::replace(text, old, value);
        }
        let object = object.trim();
        let inner = object.strip_prefix('{')?.strip_suffix('}')?;
        let end = offset_of_part(text, object)? + object.len() - 1;
        let comma = if inner.trim().is_empty() { "" } else { "," };
        Some(Self { range: end..end, replacement: format!("{comma}{}:{value}", quote_json(name)) })
    }
}

/// The text with all edits made. Where two overlap, none is made: nothing is passed on that nobody meant.
pub(crate) fn apply_edits(text: &str, mut edits: Vec<TextEdit>) -> Option<String> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut made =
        String::with_capacity(text.len() + edits.iter().map(|edit| edit.replacement.len()).sum::<usize>());
    let mut from = 0;
    for edit in edits {
        made.push_str(text.get(from..edit.range.start)?);
        made.push_str(&edit.replacement);
        from = edit.range.end;
    }
    made.push_str(text.get(from..)?);
    Some(made)
}

/// Where `part` begins in `text`, which it is a piece of.
fn offset_of_part(text: &str, part: &str) -> Option<usize> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    (start + part.len() <= text.len()).then_some(start)
}

/// A text as JSON.
pub(crate) fn quote_json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_changes_then_the_rest_stays_to_the_byte() {
        let text = r#"{ "a" : 1.10, "list":[ 1e2 ],"empty":[],"o":{} ,"\u0062": "\/"}"#;
        let parts = RawMembers::parse(text).unwrap();
        let edits = [
            TextEdit::set_member(text, text, &parts, "a", "2"),
            TextEdit::push(text, parts.get("list").unwrap(), "7"),
            TextEdit::push(text, parts.get("empty").unwrap(), "8"),
            TextEdit::set_member(text, text, &parts, "new", "\"x\""),
        ];
        let made = apply_edits(text, edits.into_iter().flatten().collect()).unwrap();
        assert_eq!(made, r#"{ "a" : 2, "list":[ 1e2 ,7],"empty":[8],"o":{} ,"\u0062": "\/","new":"x"}"#);
        let o = parts.get("o").unwrap();
        let edit = TextEdit::set_member(text, o, &RawMembers::parse(o).unwrap(), "n", "1").unwrap();
        assert!(apply_edits(text, vec![edit]).unwrap().contains(r#""o":{"n":1} ,"#));
        assert!(TextEdit::replace(text, "elsewhere", "x").is_none());
    }
}
