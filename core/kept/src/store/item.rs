//! What a server says of itself, item by item.

use std::fmt;

use mayi_call::{Digest, digest_of};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    /// A prompt, by its name: only one that deserves a look.
    Prompt(String),
    /// A resource, by its address: only one that deserves a look.
    Resource(String),
    /// A template of resources, by its template of addresses: only one that deserves a look.
    ResourceTemplate(String),
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
            Self::Prompt(_) => "prompt",
            Self::Resource(_) => "resource",
            Self::ResourceTemplate(_) => "resource template",
        }
    }

    /// What a server has several of by their names; nothing for the others, of which there is one.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Tool(name) | Self::Prompt(name) | Self::Resource(name) | Self::ResourceTemplate(name) => {
                name
            }
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
            "prompt" => Some(Self::Prompt(name.to_owned())),
            "resource" => Some(Self::Resource(name.to_owned())),
            "resource template" => Some(Self::ResourceTemplate(name.to_owned())),
            _ => None,
        }
    }
}

impl fmt::Display for Item {
    /// Escaped: a server named its tools.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self.name() {
            "" => Ok(()),
            name => write!(f, " {}", crate::approval::escape_line(name)),
        }
    }
}

/// The members of a tool that clients know. Two readers must not take another name for one of them.
pub const TOOL_MEMBERS: &[&str] = &[
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    META,
    "icons",
    "execution",
];

/// The member of a tool for programs.
const META: &str = "_meta";

/// Of a tool, the second form of pins had these; the first one had no `_meta`. Since then it is all of them.
const SECOND_FORM: &[&str] =
    &["name", "title", "description", "inputSchema", "outputSchema", "annotations", META];

/// The digest that an earlier form of pins had of the same words of a server: without some of a tool's members; in the first
/// one, of a launch, with the program that its command leads to in place of the word for it.
pub(crate) fn digest_in_form(form: u32, item: &Item, value: &Value, program: Option<&Value>) -> Digest {
    let mut before = value.clone();
    match item {
        Item::Tool(_) => {
            if let Some(members) = before.as_object_mut() {
                members.retain(|name, _| SECOND_FORM.contains(&name.as_str()) && (form > 0 || name != META));
            }
        }
        Item::Launch if form == 0 => {
            let word = before.get_mut("command").and_then(|command| command.get_mut(0));
            if let (Some(word), Some(program)) = (word, program.and_then(|program| program.get("program"))) {
                *word = program.clone();
            }
        }
        _ => {}
    }
    digest_of(&before)
}
