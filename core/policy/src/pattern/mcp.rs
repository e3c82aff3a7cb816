//! Patterns for MCP tools: `server` or `server/tool`, globs for arguments, and places for those that are paths.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::glob::Globs;
use super::path::{self, AncestorMatch, Fit, PathPattern};
use super::{PatternBases, PatternError};
use crate::fold::fold_text;
use mayi_call::{McpAccess, Names, has_parent_component, percent_decodings};

/// As many `/` of a pattern may stand behind its server.
const MOST_SPLITS: usize = 4;

/// Globs for arguments, by name: the long form's `args`.
pub type ArgGlobs = BTreeMap<String, String>;

/// A server and a tool, each a glob.
#[derive(Clone, Debug)]
pub(crate) struct McpPattern {
    pub(crate) server: Globs,
    pub(crate) tool: Globs,
    /// The same as harnesses write it in a joined name: for rules that deny or ask.
    pub(crate) written: Vec<WrittenName>,
    args: Vec<ArgumentGlob>,
    paths: Vec<(String, PathPattern)>,
}

/// A server and a tool in a joined name.
#[derive(Clone, Debug)]
pub(crate) struct WrittenName {
    pub(crate) server: Globs,
    pub(crate) tool: Globs,
}

/// A glob for an argument.
#[derive(Clone, Debug)]
struct ArgumentGlob {
    name: String,
    globs: Globs,
    /// It begins like a path that is no relative one.
    absolute: bool,
}

/// What the long form says of arguments.
#[derive(Clone, Debug, Default)]
pub struct ArgumentConditions {
    /// Globs for their texts.
    pub args: Option<ArgGlobs>,
    /// Globs for the paths that they are.
    pub paths: Option<ArgGlobs>,
}

impl McpPattern {
    pub(super) fn parse(
        text: &str,
        of: ArgumentConditions,
        places: &PatternBases,
    ) -> Result<Self, PatternError> {
        let (server, tool) = text.trim().split_once('/').unwrap_or((text.trim(), "*"));
        if server.is_empty() || tool.is_empty() {
            return Err(PatternError::bad_argument(
                format!("`{text}` names no server or no tool"),
                "write `mcp(server)` or `mcp(server/tool)`",
            ));
        }
        let arg = |(name, glob): (String, String)| {
            Ok(ArgumentGlob { name, globs: Globs::parse(&glob)?, absolute: glob.starts_with(['/', '~']) })
        };
        let args = of.args.unwrap_or_default().into_iter().map(arg).collect::<Result<_, PatternError>>()?;
        let path = |(name, glob): (String, String)| Ok((name, PathPattern::parse(&glob, places)?));
        let paths =
            of.paths.unwrap_or_default().into_iter().map(path).collect::<Result<_, PatternError>>()?;
        let written = written_names(text.trim());
        Ok(Self { server: Globs::parse(server)?, tool: Globs::parse(tool)?, written, args, paths })
    }

    /// Whether it could be about a tool that is called so.
    fn could_be_named(&self, server: &str, tool: &str) -> bool {
        let (server, tool) = (fold_text(server), fold_text(tool));
        let fits = |of: &Globs, name: &str| of.matches_folded(name);
        fits(&self.server, &server) && fits(&self.tool, &tool)
            || self.written.iter().any(|name| fits(&name.server, &server) && fits(&name.tool, &tool))
    }

    /// The name has one reading, holds plain characters, and every argument matches.
    pub(super) fn certainly_matches(&self, access: &McpAccess, roots: &[PathBuf]) -> bool {
        access.unique_reading().is_some_and(|(server, tool)| {
            Names::is_plain(server)
                && Names::is_plain(tool)
                && self.server.matches(server)
                && self.tool.matches(tool)
        }) && self.paths.iter().all(|(name, pattern)| {
            let paths = access.paths.get(name);
            paths.is_some_and(|paths| {
                paths.iter().all(|path| pattern.certainly_matches(&path::PathForms::new(path, roots)))
            }) && arguments_named(access, name).count() == 1
        }) && self.args.iter().all(|ArgumentGlob { name, globs, absolute }| {
            let text = access.arguments.get(name).and_then(Value::as_str);
            text.is_some_and(|text| globs.matches(text) && is_confined_text(text, *absolute))
                // Some servers read names without their case, and which of two they take is theirs to say.
                && arguments_named(access, name).count() == 1
        })
    }

    /// Any reading of the name matches; a missing argument, or one of another type, matches too.
    pub(super) fn could_match(&self, access: &McpAccess, roots: &[PathBuf]) -> bool {
        (access.readings.is_empty()
            || access.readings.iter().any(|(server, tool)| self.could_be_named(server, tool)))
            && self.paths.iter().all(|(name, pattern)| {
                let concerns = |name: &String| {
                    let paths = access.paths.get(name);
                    let fits =
                        |path| pattern.fit(&path::PathForms::new(path, roots), AncestorMatch::No) != Fit::No;
                    paths.is_none_or(|paths| paths.iter().any(fits))
                };
                access.arguments.get(name).is_none() || argument_names(access, name).any(concerns)
            })
            && self.args.iter().all(|ArgumentGlob { name, globs: glob, .. }| {
                let concerns = |value: &Value| {
                    value
                        .as_str()
                        .is_none_or(|text| glob.matches(text) || glob.matches_folded(&fold_text(text)))
                };
                access.arguments.get(name).is_none() || arguments_named(access, name).any(concerns)
            })
    }
}

impl McpPattern {
    /// Where the paths of its arguments begin.
    pub(super) fn path_prefixes(&self) -> impl Iterator<Item = (Option<usize>, Vec<&str>)> {
        self.paths.iter().flat_map(|(_, path)| path.path_prefixes())
    }

    /// Whether it is about paths: those are places on this machine only for a server that runs here.
    pub(super) fn has_paths(&self) -> bool {
        !self.paths.is_empty()
    }
}

/// What harnesses make of names in a joined one: `_` for what is no letter, digit, `_` or `-`, or for each `-` too, some with one
/// for several. The name of a server may hold `/`. None where nothing would be another name.
fn written_names(text: &str) -> Vec<WrittenName> {
    let odd = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '*' | '/');
    let several = text.matches('/').count() > 1;
    if !several && !text.contains(odd) && !text.contains("__") {
        return Vec::new();
    }
    let ends = text.match_indices('/').map(|(at, _)| at).take(MOST_SPLITS);
    let ends: Vec<usize> = if text.contains('/') { ends.collect() } else { vec![text.len()] };
    let mut found: Vec<WrittenName> = Vec::new();
    for end in ends {
        let server = written_forms(text.get(..end).unwrap_or_default());
        let tool = written_forms(text.get(end + 1..).unwrap_or("*"));
        for (server, tool) in server.iter().flat_map(|server| tool.iter().map(move |tool| (server, tool))) {
            let parsed = (Globs::parse(server), Globs::parse(tool));
            if let (Ok(server), Ok(tool)) = parsed {
                found.push(WrittenName { server, tool });
            }
        }
    }
    found
}

/// A name as it is, and in each way in which it may be written; what is special in a glob stays.
fn written_forms(name: &str) -> Vec<String> {
    let special = |c: char| "*?[]{},!^\\".contains(c);
    let replaced = |dashes: bool| -> String {
        // A range in brackets has a dash of its own.
        let keeps = |c: char| c == '-' && (!dashes || name.contains('['));
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || keeps(c) || special(c);
        name.replace(|c| !plain(c), "_").replace("\\_", "_")
    };
    let mut found = vec![name.to_owned()];
    for form in [replaced(false), replaced(true)] {
        let parts: Vec<&str> = form.split('_').filter(|part| !part.is_empty()).collect();
        let single = parts.join("_");
        found.extend([form, single].into_iter().filter(|form| !form.is_empty()));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a text that matches as text goes nowhere else as a path: no part of it is `..`, and it begins at a root
/// or a home only where the pattern does, also once it is decoded.
fn is_confined_text(text: &str, absolute: bool) -> bool {
    let begins = |text: &str| {
        let text = text.trim_start();
        text.starts_with(['/', '~', '\\'])
            || text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"))
    };
    percent_decodings(text).is_some_and(|texts| {
        let odd = |(at, text): (usize, &String)| {
            has_parent_component(text) || begins(text) && !(absolute && at == 0)
        };
        !texts.iter().enumerate().any(odd)
    })
}

/// The arguments of this name, in any spelling that a careless reader takes for it.
fn arguments_named<'a>(access: &'a McpAccess, name: &str) -> impl Iterator<Item = &'a Value> {
    argument_names(access, name).filter_map(|name| access.arguments.get(name))
}

fn argument_names<'a>(access: &'a McpAccess, name: &str) -> impl Iterator<Item = &'a String> {
    let name = fold_text(name).into_owned();
    let arguments = access.arguments.as_object().into_iter().flatten();
    arguments.map(|(other, _)| other).filter(move |other| fold_text(other) == name)
}
