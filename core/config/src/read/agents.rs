//! `[agents.NAME]`.

use std::collections::BTreeMap;

use toml::Spanned;

use super::file::{File, mode, on_unasked};
use super::section::Section;
use super::tools;
use crate::names;
use crate::scalars::{AgentScalars, At};
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

pub(super) fn read(top: &mut Section<'_, '_>, file: &mut File) {
    for (name, mut section) in top.named_tables("agents") {
        let reader = section.reader();
        if let Some((message, help)) = names::refuse_agent(name.get_ref()) {
            reader.mistake(name.span(), message, Some(help));
        }
        let command = command(&mut section);
        let env = section.string_map("env").unwrap_or_default();
        let at = |value: Option<Spanned<bool>>| {
            value.map(|value| At::new(*value.get_ref(), reader.origin(&value.span())))
        };
        // Accepted for one release.
        let dropped = section.boolean("trust_kind").map(|value| reader.origin(&value.span()));
        let scalars = AgentScalars {
            mode: mode(&mut section),
            on_unasked: on_unasked(&mut section),
            bypass_permissions: at(section.boolean("bypass_permissions")),
            trust_elicitation: at(section.boolean("trust_elicitation")),
            asking_mode: section.string("asking_mode").map(|text| {
                let origin = reader.origin(&text.span());
                At::new(text.into_inner(), origin)
            }),
            tools: tools::read(&mut section),
        };
        section.finish();
        let header = name.span();
        let name = name.into_inner();
        let origin = reader.origin(&command.as_ref().map_or(header, Spanned::span));
        file.scalars.agents.insert(name.clone(), scalars);
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
pub(super) fn command(section: &mut Section<'_, '_>) -> Option<Spanned<Vec<String>>> {
    let words = section.strings("command")?;
    let span = match (words.first(), words.last()) {
        (Some(first), Some(last)) => first.span().start..last.span().end,
        _ => section.span(),
    };
    let words: Vec<String> = words.into_iter().map(Spanned::into_inner).collect();
    if words.first().is_none_or(|word| word.trim().is_empty()) {
        let help =
            "write the program and its arguments: `command = [\"npx\", \"-y\", \"some-agent\"]`".to_owned();
        section.reader().mistake(span, "`command` names no program", Some(help));
        return None;
    }
    Some(Spanned::new(span, words))
}
