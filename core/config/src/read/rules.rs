//! Rules: `[rules]`, the short form, and `[[rule]]`, the long one.

use toml::Spanned;

use super::file::EFFECTS;
use super::section::Section;
use super::{Reader, examples};
use mayi_call::AgentId;
use mayi_policy::pattern::Conditions;
use mayi_policy::{Effect, Pattern, Rule};

/// The rules of a file, or of one of the user's workspaces.
pub(super) fn read(section: &mut Section<'_, '_>) -> Vec<Rule> {
    let mut rules = Vec::new();
    if let Some(mut short) = section.table("rules") {
        for (name, effect) in EFFECTS {
            let patterns = short.strings(name).unwrap_or_default();
            rules.extend(patterns.iter().filter_map(|text| brief(&short, *effect, text)));
        }
        short.finish();
    }
    rules.extend(section.tables("rule").into_iter().filter_map(long));
    rules
}

fn brief(section: &Section<'_, '_>, effect: Effect, text: &Spanned<String>) -> Option<Rule> {
    let reader = section.reader();
    let pattern = reader.pattern(text.get_ref(), &text.span(), None)?;
    can_match(reader, effect, &pattern, text);
    Some(Rule {
        effect,
        pattern,
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        origin: reader.origin(&text.span()),
    })
}

/// Notes an allow that could never match.
fn can_match(reader: &Reader<'_>, effect: Effect, pattern: &Pattern, text: &Spanned<String>) {
    if effect == Effect::Allow
        && let Some(help) = pattern.never_allows()
    {
        let message = format!("`{pattern}` is about more than one command");
        reader.mistake(text.span(), message, Some(help.to_owned()));
    }
}

fn long(mut section: Section<'_, '_>) -> Option<Rule> {
    let reader = section.reader();
    let effect = section.word("effect", EFFECTS);
    let pattern = section.string("pattern");
    let unless = section.string("unless");
    let reason = section.string("reason").map(Spanned::into_inner);
    let agents = section.strings("agents").unwrap_or_default();
    let always = section.boolean("always");
    let (args, paths) = (section.string_map("args"), section.string_map("paths"));
    let matches = section.strings("match").unwrap_or_default();
    let not_matches = section.strings("not_match").unwrap_or_default();
    for agent in agents.iter().filter(|agent| AgentId::written(agent.get_ref()).is_none()) {
        let help = "write the name as in [agents.NAME]".to_owned();
        reader.mistake(agent.span(), format!("no agent can be called `{}`", agent.get_ref()), Some(help));
    }
    if let (Some(always), Some(effect)) = (&always, &effect)
        && *effect.get_ref() != Effect::Ask
    {
        let help =
            "leave it out: it says whether an ask holds in mode auto and for bypassed agents".to_owned();
        reader.mistake(always.span(), "`always` belongs to `effect = \"ask\"`", Some(help));
    }
    let missing = |what: &str, example: &str| {
        let header = section.span();
        reader.mistake(
            header,
            format!("this rule has no `{what}`"),
            Some(format!("write `{what} = {example}`")),
        );
    };
    if pattern.is_none() && section.lacks("pattern") {
        missing("pattern", "\"shell(git push *)\"");
    }
    if effect.is_none() && section.lacks("effect") {
        missing("effect", "\"deny\"");
    }
    section.finish();
    let pattern = pattern?;
    let compiled = reader.pattern(pattern.get_ref(), &pattern.span(), Some(Conditions { args, paths }))?;
    let unless = match unless {
        Some(unless) => Some(reader.pattern(unless.get_ref(), &unless.span(), None)?),
        None => None,
    };
    let effect = effect?.into_inner();
    can_match(reader, effect, &compiled, &pattern);
    let rule = Rule {
        effect,
        pattern: compiled,
        unless,
        reason,
        agents: agents.into_iter().map(Spanned::into_inner).collect(),
        holds: always.is_none_or(Spanned::into_inner),
        origin: reader.origin(&pattern.span()),
    };
    examples::check(reader, &rule, &matches, true);
    examples::check(reader, &rule, &not_matches, false);
    Some(rule)
}
