//! What a server says of itself, item by item.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One thing that a server said of itself, or that is said of how it is reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "name")]
pub enum Item {
    /// How it is started or reached: `config::Transport::describe`.
    Launch,
    /// Its instructions to the model.
    Instructions,
    /// A tool, by its name as the server has it.
    Tool(String),
}

impl Item {
    /// The word for what it is.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Instructions => "instructions",
            Self::Tool(_) => "tool",
        }
    }

    /// The tool's name; nothing for the others, of which there is one.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Tool(name) => name,
            Self::Launch | Self::Instructions => "",
        }
    }

    /// The item with this word and this name.
    #[must_use]
    pub fn parse(kind: &str, name: &str) -> Option<Self> {
        match kind {
            "launch" => Some(Self::Launch),
            "instructions" => Some(Self::Instructions),
            "tool" => Some(Self::Tool(name.to_owned())),
            _ => None,
        }
    }
}

impl fmt::Display for Item {
    /// Escaped: a server named its tools.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Launch => f.write_str("launch"),
            Self::Instructions => f.write_str("instructions"),
            Self::Tool(name) => write!(f, "tool {}", crate::approval::visible(name)),
        }
    }
}

/// The members of a tool that are pinned: what a model or a person is told of it. Icons are pictures for lists, and
/// `_meta` is for programs: neither says what the tool does, and both change by themselves.
pub const PINNED: &[&str] = &["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

/// What is pinned of a tool, of the object as the server sent it.
#[must_use]
pub fn definition_of(tool: &Value) -> Value {
    let Value::Object(members) = tool else { return tool.clone() };
    let pinned: Map<String, Value> = members
        .iter()
        .filter(|(name, _)| PINNED.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Value::Object(pinned)
}
