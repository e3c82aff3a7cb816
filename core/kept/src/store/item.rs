//! What a server says of itself, item by item.

use std::fmt;

use mayi_call::{Digest, digest_of};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One thing that a server said of itself, or that is said of how it is reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "name")]
pub enum Item {
    /// How it is started or reached, as it was configured: `config::Transport::describe`.
    Launch,
    /// What that leads to: the program, and the scripts that the command names with what they hold. Said when it
    /// changes, and blocks nothing.
    Program,
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
            Self::Program => "program",
            Self::Instructions => "instructions",
            Self::Tool(_) => "tool",
        }
    }

    /// The tool's name; nothing for the others, of which there is one.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Tool(name) => name,
            Self::Launch | Self::Program | Self::Instructions => "",
        }
    }

    /// The item with this word and this name.
    #[must_use]
    pub fn parse(kind: &str, name: &str) -> Option<Self> {
        match kind {
            "launch" => Some(Self::Launch),
            "program" => Some(Self::Program),
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
            Self::Program => f.write_str("program"),
            Self::Instructions => f.write_str("instructions"),
            Self::Tool(name) => write!(f, "tool {}", crate::approval::escape_line(name)),
        }
    }
}

/// The members of a tool that are pinned: what a client or its model is told of it. Icons are pictures for lists.
pub const PINNED: &[&str] =
    &["name", "title", "description", "inputSchema", "outputSchema", "annotations", META];

/// The member of a tool for programs: pinned since the second form of pins.
const META: &str = "_meta";

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

/// The digest that the first form of pins had of the same words of a server: without a tool's `_meta`, and for a launch with
/// the program that its command leads to in place of the word for it.
pub(crate) fn digest_before(item: &Item, value: &Value, program: Option<&Value>) -> Digest {
    let mut before = value.clone();
    match item {
        Item::Tool(_) => drop(before.as_object_mut().map(|members| members.remove(META))),
        Item::Launch => {
            let word = before.get_mut("command").and_then(|command| command.get_mut(0));
            if let (Some(word), Some(program)) = (word, program.and_then(|program| program.get("program"))) {
                *word = program.clone();
            }
        }
        Item::Program | Item::Instructions => {}
    }
    digest_of(&before)
}
