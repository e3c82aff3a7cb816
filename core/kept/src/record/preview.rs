//! The beginning of what was sent, redacted and bounded.

use serde_json::{Map, Value};

use super::detail::{DiffPreview, Preview};
use super::redact::Within;
use mayi_call::Call;

/// As many bytes of text are kept of one call's input and changes.
const MOST: usize = 2048;
/// As many members and items.
const MOST_NODES: usize = 256;

/// What can be shown of a call's input and changes; none if there is nothing.
pub(crate) fn preview(within: &Within<'_>, call: &Call) -> Option<Preview> {
    let mut taken = Taken { within, left: MOST, nodes: MOST_NODES, out: 0 };
    // What changes is what a person looks for first; half is kept for it.
    taken.left = if call.diffs.is_empty() { MOST } else { MOST / 2 };
    let raw_input = taken.value(&call.raw_input);
    taken.left += if call.diffs.is_empty() { 0 } else { MOST / 2 };
    let mut diffs = Vec::new();
    for diff in &call.diffs {
        if taken.left == 0 {
            taken.out += 1;
            continue;
        }
        let path = taken.text(&diff.path);
        let new_text = taken.text(&diff.new_text);
        let old_text = diff.old_text.as_ref().map(|text| taken.text(text));
        diffs.push(DiffPreview { path, old_text, new_text });
    }
    let preview = Preview { raw_input, diffs, left_out: taken.out };
    (preview != Preview::default()).then_some(preview)
}

/// `text` redacted and of at most about `limit` bytes; it says how much is missing.
pub(crate) fn cut(within: &Within<'_>, text: &str, limit: usize) -> String {
    match within.redact_start(text, limit) {
        (text, 0) => text.into_owned(),
        (text, left) => format!("{text}… ({left} bytes more)"),
    }
}

struct Taken<'r> {
    within: &'r Within<'r>,
    left: usize,
    nodes: usize,
    out: usize,
}

impl Taken<'_> {
    fn text(&mut self, text: &str) -> String {
        let cut = cut(self.within, text, self.left);
        self.out += text.len().saturating_sub(self.left);
        self.left = self.left.saturating_sub(text.len());
        cut
    }

    fn value(&mut self, value: &Value) -> Value {
        let mut copy = self.copy(value);
        // By names, too: what is secret by its name is so whatever it looks like.
        self.within.redact_value(&mut copy);
        copy
    }

    fn copy(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => {
                let mut copy = Vec::new();
                for item in items {
                    if self.enough() {
                        self.out += items.len() - copy.len();
                        break;
                    }
                    copy.push(self.copy(item));
                }
                Value::Array(copy)
            }
            Value::Object(members) => {
                let mut copy = Map::new();
                for (name, member) in members {
                    if self.enough() {
                        self.out += members.len() - copy.len();
                        break;
                    }
                    let name = self.text(name);
                    let member = self.copy(member);
                    copy.insert(name, member);
                }
                Value::Object(copy)
            }
            other => other.clone(),
        }
    }

    /// Whether there is no room for one more.
    fn enough(&mut self) -> bool {
        self.nodes = self.nodes.saturating_sub(1);
        self.nodes == 0 || self.left == 0
    }
}
