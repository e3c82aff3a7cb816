//! What a definition should not hold.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::Item;
use crate::approval::visible;

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlagKind {
    /// Characters that nobody sees.
    Hidden,
    /// Control characters, such as escape sequences for terminals.
    Control,
    /// Letters that look like others, in a name.
    Lookalike,
    /// Instructions to the model that a description of a tool does not need.
    Instruction,
}

/// Something in a definition that deserves caution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Flag {
    /// What kind of thing.
    pub kind: FlagKind,
    /// Where: `description`, `inputSchema.properties.path.description`.
    pub place: String,
    /// What it is, one line, lower case.
    pub reason: String,
    /// What stands there: the server's text, as it came.
    pub excerpt: String,
}

impl fmt::Display for Flag {
    /// One line, the server's text escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its {} {}: \"{}\"", visible(&self.place), self.reason, visible(&self.excerpt))
    }
}

/// What deserves caution in the definition of `item`.
#[must_use]
pub fn flags_of(_item: &Item, _definition: &Value) -> Vec<Flag> {
    Vec::new()
}
