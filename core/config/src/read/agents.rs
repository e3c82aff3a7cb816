//! `[agents.NAME]`.

use std::collections::BTreeMap;

use toml::Spanned;

use super::file::ParsedFile;
use super::section::Section;
use super::{scalars, tools};
use crate::names;
use crate::scalars::keys;
use mayi_policy::Origin;

/// How an agent is started, as far as a file says so.
#[derive(Debug)]
pub(crate) struct AgentEntry {
    pub(crate) name: String,
    pub(crate) command: Option<Vec<String>>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) origin: Origin,
    /// Where it says `trust_kind`, which has no effect any more.
    pub(crate) dropped: Option<Origin>,
}

pub(super) fn read(top: &mut Section<'_, '_>, file: &mut ParsedFile) {
    for (name, mut section) in top.named_tables("agents") {
        let reader = section.reader();
        if let Some((message, help)) = names::refuse_agent(name.get_ref()) {
            reader.add_mistake(name.span(), message, Some(help));
        }
        let command = read_command(&mut section);
        let env = section.string_map("env").unwrap_or_default();
        let header = name.span();
        let name = name.into_inner();
        let dropped = scalars::read(&mut section, "agents.*", &[&name], &mut file.scalars);
        for (tool, category) in tools::read(&mut section) {
            file.scalars.set(keys::AGENT_TOOL_CATEGORY, &[&name, &tool], Some(category));
        }
        section.finish();
        let origin = reader.span_origin(&command.as_ref().map_or(header, Spanned::span));
        file.agents.push(AgentEntry {
            name,
            command: command.map(Spanned::into_inner),
            env,
            origin,
            dropped,
        });
    }
}

/// A command: at least one word, the first of them not empty.
pub(super) fn read_command(section: &mut Section<'_, '_>) -> Option<Spanned<Vec<String>>> {
    let words = section.take_strings("command")?;
    let span = match (words.first(), words.last()) {
        (Some(first), Some(last)) => first.span().start..last.span().end,
        _ => section.span(),
    };
    let words: Vec<String> = words.into_iter().map(Spanned::into_inner).collect();
    if words.first().is_none_or(|word| word.trim().is_empty()) {
        let help =
            "write the program and its arguments: `command = [\"npx\", \"-y\", \"some-agent\"]`".to_owned();
        section.reader().add_mistake(span, "`command` names no program", Some(help));
        return None;
    }
    Some(Spanned::new(span, words))
}
