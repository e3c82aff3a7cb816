//! The tools that an agent offers in a request.

use serde_json::{Map, Value};

/// How a tool takes its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A JSON object.
    Object,
    /// One text (a "custom" tool of the Responses wire).
    Text,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tool {
    /// As a call names it.
    pub(crate) name: String,
    /// The Responses wire groups MCP tools; a call names its group too.
    pub(crate) namespace: Option<String>,
    pub(crate) form: Form,
    /// The schema of each property.
    properties: Map<String, Value>,
}

impl Tool {
    /// A tool as both wires describe it: `name`, and a JSON schema of its input.
    pub(crate) fn new(name: &str, form: Form, schema: Option<&Value>) -> Self {
        let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        Self {
            name: name.to_owned(),
            namespace: None,
            form,
            properties: properties.cloned().unwrap_or_default(),
        }
    }

    pub(crate) fn within(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// The name that no other offered tool has, joined as agents do it where there are no namespaces.
    pub(crate) fn full_name(&self) -> String {
        match &self.namespace {
            Some(namespace) if !self.name.starts_with(namespace.as_str()) => {
                format!("{}__{}", namespace.trim_end_matches('_'), self.name)
            }
            _ => self.name.clone(),
        }
    }

    /// The first of these properties that the tool has.
    pub(crate) fn property<'a>(&self, wanted: &[&'a str]) -> Option<&'a str> {
        wanted.iter().copied().find(|name| self.properties.contains_key(*name))
    }

    pub(crate) fn takes_list(&self, property: &str) -> bool {
        self.properties
            .get(property)
            .and_then(|schema| schema.get("type"))
            .is_some_and(|kind| kind == "array")
    }
}

/// Everything that is offered.
#[derive(Debug, Default)]
pub(crate) struct Offer {
    tools: Vec<Tool>,
}

impl Offer {
    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The first of these names that is offered, in full or without its namespace.
    pub(crate) fn first(&self, wanted: &[&str]) -> Option<&Tool> {
        let find = |name: &str| {
            let full = self.tools.iter().find(|tool| tool.full_name() == name);
            full.or_else(|| self.tools.iter().find(|tool| tool.name == name))
        };
        wanted.iter().copied().find_map(find)
    }

    /// Sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.tools.iter().map(Tool::full_name).collect();
        names.sort();
        names
    }
}

impl Extend<Tool> for Offer {
    fn extend<I: IntoIterator<Item = Tool>>(&mut self, tools: I) {
        self.tools.extend(tools);
    }
}

impl FromIterator<Tool> for Offer {
    fn from_iter<I: IntoIterator<Item = Tool>>(tools: I) -> Self {
        Self { tools: tools.into_iter().collect() }
    }
}
