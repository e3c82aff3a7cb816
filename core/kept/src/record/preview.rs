//! The beginning of what was sent, redacted and bounded.

use serde_json::{Map, Value};

use super::entry_details::{DiffPreview, Preview};
use super::redact::CallRedactor;
use mayi_call::Call;

/// As many bytes of text are kept of one call's input and changes.
const MOST: usize = 2048;
/// As many members and items.
const MOST_NODES: usize = 256;

/// What can be shown of a call's input and changes; none if there is nothing.
pub(crate) fn preview_call(within: &CallRedactor<'_>, call: &Call) -> Option<Preview> {
    let mut taken = PreviewCopier { within, bytes_left: MOST, nodes: MOST_NODES, bytes_omitted: 0 };
    // What changes is what a person looks for first; half is kept for it.
    taken.bytes_left = if call.diffs.is_empty() { MOST } else { MOST / 2 };
    let raw_input = taken.take_value(&call.raw_input);
    taken.bytes_left += if call.diffs.is_empty() { 0 } else { MOST / 2 };
    let mut diffs = Vec::new();
    for diff in &call.diffs {
        if taken.bytes_left == 0 {
            taken.bytes_omitted += 1;
            continue;
        }
        let path = taken.take_text(&diff.path);
        let new_text = taken.take_text(&diff.new_text);
        let old_text = diff.old_text.as_ref().map(|text| taken.take_text(text));
        diffs.push(DiffPreview { path, old_text, new_text });
    }
    let preview = Preview { raw_input, diffs, left_out: taken.bytes_omitted };
    (preview != Preview::default()).then_some(preview)
}

/// `text` redacted and of at most about `limit` bytes; it says how much is missing.
pub(crate) fn redact_and_cut(within: &CallRedactor<'_>, text: &str, limit: usize) -> String {
    match within.redact_start(text, limit) {
        (text, 0) => text.into_owned(),
        (text, left) => format!("{text}… ({left} bytes more)"),
    }
}

struct PreviewCopier<'r> {
    within: &'r CallRedactor<'r>,
    bytes_left: usize,
    nodes: usize,
    bytes_omitted: usize,
}

impl PreviewCopier<'_> {
    fn take_text(&mut self, text: &str) -> String {
        let cut = redact_and_cut(self.within, text, self.bytes_left);
        self.bytes_omitted += text.len().saturating_sub(self.bytes_left);
        self.bytes_left = self.bytes_left.saturating_sub(text.len());
        cut
    }

    fn take_value(&mut self, value: &Value) -> Value {
        let mut copy = self.copy_value(value);
        // By names, too: what is secret by its name is so whatever it looks like.
        self.within.redact_value(&mut copy);
        copy
    }

    fn copy_value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.take_text(text)),
            Value::Array(items) => {
                let mut copy = Vec::new();
                for item in items {
                    if self.reaches_limit() {
                        self.bytes_omitted += items.len() - copy.len();
                        break;
                    }
                    copy.push(self.copy_value(item));
                }
                Value::Array(copy)
            }
            Value::Object(members) => {
                let mut copy = Map::new();
                for (name, member) in members {
                    if self.reaches_limit() {
                        self.bytes_omitted += members.len() - copy.len();
                        break;
                    }
                    let name = self.take_text(name);
                    let member = self.copy_value(member);
                    copy.insert(name, member);
                }
                Value::Object(copy)
            }
            other => other.clone(),
        }
    }

    /// Whether there is no room for one more.
    fn reaches_limit(&mut self) -> bool {
        self.nodes = self.nodes.saturating_sub(1);
        self.nodes == 0 || self.bytes_left == 0
    }
}
