//! What a definition should not hold.

mod encoded;
mod hidden;
mod phrases;

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::Item;
use crate::approval::escape_line;
use mayi_call::Names;

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
        write!(f, "{}: \"{}\"", escape_line(&self.describe()), escape_line(&self.excerpt))
    }
}

impl Flag {
    /// What it is, in words of mayi's own alone: for whoever is to read nothing of what the server says.
    #[must_use]
    pub fn summary(&self) -> String {
        let member = self.place.split('.').next().unwrap_or_default();
        match member {
            "name" | "title" | "description" | "annotations" | "icons" => {
                format!("its {member} {}", self.reason)
            }
            INSTRUCTIONS => self.describe(),
            "inputSchema" | "outputSchema" => format!("a text of its {member} {}", self.reason),
            _ => format!("its definition {}", self.reason),
        }
    }

    /// Where and what it is, without what stands there; not escaped.
    #[must_use]
    pub fn describe(&self) -> String {
        // A reason goes on after one thing: "its description tells".
        if self.place == INSTRUCTIONS {
            format!("the text of its instructions {}", self.reason)
        } else {
            format!("its {} {}", self.place, self.reason)
        }
    }
}

/// The place of what is found in instructions.
const INSTRUCTIONS: &str = "instructions";

/// Of one definition there are no more flags than this.
const MOST: usize = 32;

/// No excerpt of decoded words has more characters.
const EXCERPT: usize = 120;

/// What deserves caution in the definition of `item`. Nothing of how a server is started: the user wrote that.
#[must_use]
pub fn flags_of(item: &Item, definition: &Value) -> Vec<Flag> {
    let mut found = FlagCollector::default();
    match item {
        Item::Launch | Item::Program => {}
        Item::Instructions => found.check_value(INSTRUCTIONS, definition),
        Item::Tool(_) | Item::Prompt(_) | Item::Resource(_) | Item::ResourceTemplate(_) => {
            if let Item::Tool(name) = item {
                found.check_name(name);
            }
            match definition {
                Value::Object(members) => {
                    for (member, value) in members {
                        found.check_text(member, member);
                        found.check_value(member, value);
                    }
                }
                other => found.check_value("definition", other),
            }
        }
    }
    found.flags
}

#[derive(Default)]
struct FlagCollector {
    flags: Vec<Flag>,
}

impl FlagCollector {
    fn add_flag(
        &mut self,
        kind: FlagKind,
        place: &str,
        reason: impl Into<String>,
        excerpt: impl Into<String>,
    ) {
        let (reason, place) = (reason.into(), place.to_owned());
        let same = |flag: &Flag| flag.kind == kind && flag.place == place && flag.reason == reason;
        if self.flags.len() < MOST && !self.flags.iter().any(same) {
            self.flags.push(Flag { kind, place, reason, excerpt: excerpt.into() });
        }
    }

    /// A tool's name, which rules and people compare.
    fn check_name(&mut self, name: &str) {
        if Names::is_plain(name) {
            return;
        }
        let strange = |c: char| c.is_alphabetic() && !c.is_ascii();
        let reason = if name.contains(strange) && name.contains(|c: char| c.is_ascii_alphabetic()) {
            "mixes letters of several scripts, so that it can look like another name"
        } else if name.contains(strange) {
            "is written in letters that can look like others"
        } else {
            "is not made of letters, digits, '.', '_' and '-' alone, as names of tools are"
        };
        self.add_flag(FlagKind::Lookalike, "name", reason, name.chars().take(128).collect::<String>());
    }

    /// Every text in a value: members' names too, since a model reads them.
    fn check_value(&mut self, place: &str, value: &Value) {
        match value {
            Value::String(text) => self.check_text(place, text),
            Value::Array(items) => items.iter().for_each(|item| self.check_value(place, item)),
            Value::Object(members) => {
                for (name, value) in members {
                    let below = format!("{place}.{name}");
                    self.check_text(&below, name);
                    self.check_value(&below, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn check_text(&mut self, place: &str, text: &str) {
        let excerpt = |at: usize, c: char| phrases::excerpt_around(text, at, at + c.len_utf8(), 20);
        if let Some((at, c)) = hidden::find_hidden(text) {
            let reason = format!("holds characters that nobody sees (U+{:04X})", u32::from(c));
            self.add_flag(FlagKind::Hidden, place, reason, excerpt(at, c));
        }
        if let Some((at, c)) = hidden::find_control(text) {
            let reason = format!("holds control characters (U+{:04X})", u32::from(c));
            self.add_flag(FlagKind::Control, place, reason, excerpt(at, c));
        }
        self.check_phrases(place, text);
        if let Some(text) = encoded::written_out(text) {
            self.check_phrases(place, &text);
        }
        for found in encoded::find_encoded(text) {
            if found.is_words() {
                let words: String = found.decoded.chars().take(EXCERPT).collect();
                self.add_flag(FlagKind::Instruction, place, "holds words that are encoded", words);
            }
            self.check_phrases(place, &found.decoded);
        }
        // A pattern of a schema may be long and look like anything, and a picture is nothing that a model reads.
        if !place.ends_with(".pattern")
            && !text.starts_with("data:image/")
            && let Some(blob) = phrases::find_blob(text)
        {
            self.add_flag(FlagKind::Instruction, place, "holds something encoded", blob);
        }
    }

    fn check_phrases(&mut self, place: &str, text: &str) {
        for (reason, words) in phrases::find_phrases(text) {
            self.add_flag(FlagKind::Instruction, place, reason, words);
        }
    }
}

#[cfg(test)]
mod tests;
