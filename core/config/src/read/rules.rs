//! Rules: `[rules]`, the short form, and `[[rule]]`, the long one.

use toml::Spanned;

use super::section::Section;
use super::{ConfigReader, examples};
use crate::scalars::EFFECTS;
use mayi_call::AgentId;
use mayi_policy::pattern::ArgumentConditions;
use mayi_policy::{Effect, Pattern, Rule};

/// The rules of a file, or of one of the user's workspaces.
pub(super) fn read(section: &mut Section<'_, '_>) -> Vec<Rule> {
    let mut rules = Vec::new();
    if let Some(mut short) = section.take_table("rules") {
        for (name, effect) in EFFECTS {
            let patterns = short.take_strings(name).unwrap_or_default();
            rules.extend(patterns.iter().filter_map(|text| read_short_rule(&short, *effect, text)));
        }
        short.finish();
    }
    rules.extend(section.take_tables("rule").into_iter().filter_map(read_long_rule));
    rules
}

fn read_short_rule(section: &Section<'_, '_>, effect: Effect, text: &Spanned<String>) -> Option<Rule> {
    let reader = section.reader();
    let pattern = reader.compile_pattern(text.get_ref(), &text.span(), None)?;
    warn_if_never_matches(reader, effect, &pattern, text);
    Some(Rule {
        effect,
        pattern,
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: reader.span_origin(&text.span()),
    })
}

/// Notes an allow that could never match.
fn warn_if_never_matches(
    reader: &ConfigReader<'_>,
    effect: Effect,
    pattern: &Pattern,
    text: &Spanned<String>,
) {
    if effect == Effect::Allow
        && let Some(help) = pattern.never_allows()
    {
        let message = format!("`{pattern}` is about more than one command");
        reader.add_mistake(text.span(), message, Some(help.to_owned()));
    }
}

fn read_long_rule(mut section: Section<'_, '_>) -> Option<Rule> {
    let reader = section.reader();
    let effect = section.take_word("effect", EFFECTS);
    let pattern = section.take_string("pattern");
    let unless = section.take_string("unless");
    let reason = section.take_string("reason").map(Spanned::into_inner);
    let agents = section.take_strings("agents").unwrap_or_default();
    let always = section.take_boolean("always");
    let named = section.take_boolean("named");
    let (args, paths) = (section.string_map("args"), section.string_map("paths"));
    let matches = section.take_strings("match").unwrap_or_default();
    let not_matches = section.take_strings("not_match").unwrap_or_default();
    for agent in agents.iter().filter(|agent| AgentId::parse(agent.get_ref()).is_none()) {
        let help = "write the name as in [agents.NAME]".to_owned();
        reader.add_mistake(agent.span(), format!("no agent can be called `{}`", agent.get_ref()), Some(help));
    }
    if let (Some(always), Some(effect)) = (&always, &effect)
        && *effect.get_ref() != Effect::Ask
    {
        let help =
            "leave it out: it says whether an ask holds in mode auto and for bypassed agents".to_owned();
        reader.add_mistake(always.span(), "`always` belongs to `effect = \"ask\"`", Some(help));
    }
    if let (Some(named), Some(effect)) = (&named, &effect)
        && *effect.get_ref() == Effect::Allow
    {
        let help = "leave it out: an allow is about nothing else".to_owned();
        reader.add_mistake(named.span(), "`named` belongs to asks and denials", Some(help));
    }
    let missing = |what: &str, example: &str| {
        let header = section.span();
        reader.add_mistake(
            header,
            format!("this rule has no `{what}`"),
            Some(format!("write `{what} = {example}`")),
        );
    };
    if pattern.is_none() && section.is_missing("pattern") {
        missing("pattern", "\"shell(git push *)\"");
    }
    if effect.is_none() && section.is_missing("effect") {
        missing("effect", "\"deny\"");
    }
    section.finish();
    let pattern = pattern?;
    let compiled = reader.compile_pattern(
        pattern.get_ref(),
        &pattern.span(),
        Some(ArgumentConditions { args, paths }),
    )?;
    let unless = match unless {
        Some(unless) => Some(reader.compile_pattern(unless.get_ref(), &unless.span(), None)?),
        None => None,
    };
    let effect = effect?.into_inner();
    warn_if_never_matches(reader, effect, &compiled, &pattern);
    let rule = Rule {
        effect,
        pattern: compiled,
        unless,
        reason,
        agents: agents.into_iter().map(Spanned::into_inner).collect(),
        holds: always.is_none_or(Spanned::into_inner),
        named: named.is_some_and(Spanned::into_inner),
        origin: reader.span_origin(&pattern.span()),
    };
    examples::check_examples(reader, &rule, &matches, true);
    examples::check_examples(reader, &rule, &not_matches, false);
    Some(rule)
}
