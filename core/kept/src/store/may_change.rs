//! What of a server's words may change, as a person has said it (S5.15).

use std::collections::BTreeSet;

use serde_json::Value;

use super::Item;

/// A part of what a server says of itself, by the protocol's word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangingPart {
    /// Titles: of tools, and within their schemas and annotations.
    Title,
    /// Descriptions: of tools, and within their schemas.
    Description,
    /// Pictures.
    Icons,
    /// What a tool is said to do.
    Annotations,
    /// All of the schema of its arguments.
    InputSchema,
    /// All of the schema of its results.
    OutputSchema,
    /// How it is to be run.
    Execution,
    /// What programs are told of it.
    Meta,
    /// The server's instructions to the model.
    Instructions,
}

impl ChangingPart {
    /// All of them, by the words for them.
    pub const ALL: &[(&str, Self)] = &[
        ("title", Self::Title),
        ("description", Self::Description),
        ("instructions", Self::Instructions),
        ("icons", Self::Icons),
        ("annotations", Self::Annotations),
        ("execution", Self::Execution),
        ("_meta", Self::Meta),
        ("inputSchema", Self::InputSchema),
        ("outputSchema", Self::OutputSchema),
    ];

    fn of_member(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(word, _)| *word == name).map(|(_, part)| *part)
    }
}

/// What of a server's words may change without a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MayChange(BTreeSet<ChangingPart>);

impl FromIterator<ChangingPart> for MayChange {
    fn from_iter<T: IntoIterator<Item = ChangingPart>>(parts: T) -> Self {
        Self(parts.into_iter().collect())
    }
}

impl MayChange {
    /// What may not change of `value`; `None` if nothing of it may.
    pub(crate) fn fixed_part(&self, item: &Item, value: &Value) -> Option<Value> {
        if self.0.is_empty() {
            return None;
        }
        match (item, value) {
            (Item::Instructions, _) => self.0.contains(&ChangingPart::Instructions).then_some(Value::Null),
            (Item::Tool(_), Value::Object(members)) => {
                let mut members = members.clone();
                members.retain(|name, _| {
                    name == "name"
                        || !ChangingPart::of_member(name).is_some_and(|part| self.0.contains(&part))
                });
                for name in ["inputSchema", "outputSchema", "annotations"] {
                    if let Some(schema) = members.get_mut(name) {
                        self.leave_out_texts(schema);
                    }
                }
                Some(Value::Object(members))
            }
            _ => None,
        }
    }

    /// Takes the texts out that may change; whatever else has such a name, as an argument can, stays.
    fn leave_out_texts(&self, schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                members.retain(|name, value| {
                    let free = match name.as_str() {
                        "title" => self.0.contains(&ChangingPart::Title),
                        "description" => self.0.contains(&ChangingPart::Description),
                        _ => false,
                    };
                    !(free && value.is_string())
                });
                members.values_mut().for_each(|value| self.leave_out_texts(value));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.leave_out_texts(item)),
            _ => {}
        }
    }
}
