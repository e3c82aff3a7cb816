//! Patterns for MCP tools: `server` or `server/tool`, and globs for arguments.

use std::collections::BTreeMap;

use serde_json::Value;

use super::PatternError;
use super::glob::Globs;
use crate::call::{McpAccess, Names};
use crate::policy::fold::fold;

/// Globs for arguments, by name: the long form's `args`.
pub type ArgGlobs = BTreeMap<String, String>;

/// A server and a tool, each a glob.
#[derive(Clone, Debug)]
pub(crate) struct McpPattern {
    pub(crate) server: Globs,
    pub(crate) tool: Globs,
    args: Vec<(String, Globs)>,
}

impl McpPattern {
    pub(super) fn parse(text: &str, args: Option<ArgGlobs>) -> Result<Self, PatternError> {
        let (server, tool) = text.trim().split_once('/').unwrap_or((text.trim(), "*"));
        if server.is_empty() || tool.is_empty() {
            return Err(PatternError::argument(
                format!("`{text}` names no server or no tool"),
                "write `mcp(server)` or `mcp(server/tool)`",
            ));
        }
        let args = args
            .unwrap_or_default()
            .into_iter()
            .map(|(name, glob)| Ok((name, Globs::parse(&glob)?)))
            .collect::<Result<_, PatternError>>()?;
        Ok(Self { server: Globs::parse(server)?, tool: Globs::parse(tool)?, args })
    }

    /// The name has one reading, holds plain characters, and every argument matches.
    pub(super) fn allows(&self, access: &McpAccess) -> bool {
        access.certain().is_some_and(|(server, tool)| {
            Names::plain(server)
                && Names::plain(tool)
                && self.server.matches(server)
                && self.tool.matches(tool)
        }) && self.args.iter().all(|(name, glob)| {
            access.arguments.get(name).and_then(Value::as_str).is_some_and(|text| glob.matches(text))
                // Some servers read names without their case, and which of two they take is theirs to say.
                && spelled(access, name).count() == 1
        })
    }

    /// Any reading of the name matches; a missing argument, or one of another type, matches too.
    pub(super) fn concerns(&self, access: &McpAccess) -> bool {
        (access.readings.is_empty()
            || access.readings.iter().any(|(server, tool)| {
                self.server.matches_folded(&fold(server)) && self.tool.matches_folded(&fold(tool))
            }))
            && self.args.iter().all(|(name, glob)| {
                let concerns = |value: &Value| {
                    value.as_str().is_none_or(|text| glob.matches(text) || glob.matches_folded(&fold(text)))
                };
                access.arguments.get(name).is_none() || spelled(access, name).any(concerns)
            })
    }
}

/// The arguments of this name, in any spelling that a careless reader takes for it.
fn spelled<'a>(access: &'a McpAccess, name: &str) -> impl Iterator<Item = &'a Value> {
    let name = fold(name).into_owned();
    let arguments = access.arguments.as_object().into_iter().flatten();
    arguments.filter(move |(other, _)| fold(other) == name).map(|(_, value)| value)
}
