//! Patterns for MCP tools: `server` or `server/tool`, and globs for arguments.

use std::collections::BTreeMap;

use globset::GlobMatcher;
use serde_json::Value;

use super::{PatternError, name_glob};
use crate::call::{McpAccess, Names};

/// Globs for arguments, by name: the long form's `args`.
pub type ArgGlobs = BTreeMap<String, String>;

/// A server and a tool, each a glob.
#[derive(Clone, Debug)]
pub(super) struct McpPattern {
    server: GlobMatcher,
    tool: GlobMatcher,
    args: Vec<(String, GlobMatcher)>,
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
            .map(|(name, glob)| Ok((name, name_glob(&glob)?)))
            .collect::<Result<_, PatternError>>()?;
        Ok(Self { server: name_glob(server)?, tool: name_glob(tool)?, args })
    }

    /// The name has one reading, holds plain characters, and every argument matches.
    pub(super) fn allows(&self, access: &McpAccess) -> bool {
        access.certain().is_some_and(|(server, tool)| {
            Names::plain(server)
                && Names::plain(tool)
                && self.server.is_match(server)
                && self.tool.is_match(tool)
        }) && self.args.iter().all(|(name, glob)| {
            access.arguments.get(name).and_then(text_of).is_some_and(|text| glob.is_match(&text))
        })
    }

    /// Any reading of the name matches; a missing argument, or one of another type, matches too.
    pub(super) fn concerns(&self, access: &McpAccess) -> bool {
        (access.readings.is_empty()
            || access
                .readings
                .iter()
                .any(|(server, tool)| self.server.is_match(server) && self.tool.is_match(tool)))
            && self.args.iter().all(|(name, glob)| {
                access.arguments.get(name).and_then(text_of).is_none_or(|text| glob.is_match(&text))
            })
    }
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
