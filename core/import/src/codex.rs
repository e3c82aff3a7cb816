//! Codex: `prefix_rule(...)` of `rules/*.rules`, and what of `config.toml` is like a rule. There the
//! strictest rule counts, as here.

use super::collector::{Entry, RuleCollector};
use super::paths::host_patterns;
use super::starlark::{self, LiteralArgument};
use super::{codex_config, words};
use mayi_policy::Effect;

/// The most alternatives of one rule.
const MOST: usize = 256;

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    match rules.file.path.extension().and_then(|end| end.to_str()) {
        Some("toml") => codex_config::read(text, rules),
        _ => {
            prefix_rules(text, rules);
            Ok(())
        }
    }
}

fn prefix_rules(text: &str, rules: &mut RuleCollector<'_>) {
    for call in starlark::parse_calls(text) {
        let from = format!("line {}: {}", call.line, call.text);
        let arguments = match call.arguments {
            Ok(arguments) => arguments,
            Err(why) => {
                // A rule without a decision allows; one that is not understood may decide anything.
                let stricter =
                    ["forbidden", "prompt", "deny", "decision"].iter().any(|word| call.whole.contains(word));
                let allows = call.whole.contains("\"allow\"")
                    && !["forbidden", "prompt", "deny"].iter().any(|word| call.whole.contains(word));
                if stricter && !allows {
                    rules.take(&Entry::new(Effect::Deny, &from, ["shell(*)"]), Err(why));
                } else {
                    rules.leave_out(&from, why);
                }
                continue;
            }
        };
        match call.name.as_str() {
            "prefix_rule" => prefix_rule(&arguments, &from, rules),
            "network_rule" => network_rule(&arguments, &from, rules),
            "host_executable" => rules.leave_out(
                &from,
                "an allow is about the program as it is written; write its path as the first word",
            ),
            name => rules.leave_out(&from, format!("`{name}` is not known here")),
        }
    }
}

fn network_rule(arguments: &[(String, LiteralArgument)], from: &str, rules: &mut RuleCollector<'_>) {
    let text = |name: &str| {
        arguments.iter().find(|(key, _)| key == name).and_then(|(_, value)| match value {
            LiteralArgument::Text(text) => Some(text.as_str()),
            LiteralArgument::List(_) => None,
        })
    };
    let effect = match text("decision") {
        Some("allow") => {
            return rules.leave_out(
                from,
                "it is about what the sandbox lets through: `fetch(host)` is about an agent's own fetching",
            );
        }
        Some("prompt") => Effect::Ask,
        _ => Effect::Deny,
    };
    let found = text("host").ok_or_else(|| "it has no host as `host`".to_owned()).and_then(host_patterns);
    rules.take(&Entry::new(effect, from, ["fetch(*)"]), found);
}

fn prefix_rule(arguments: &[(String, LiteralArgument)], from: &str, rules: &mut RuleCollector<'_>) {
    let of = |name: &str| arguments.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let effect = match of("decision") {
        None => Some(Effect::Allow),
        Some(LiteralArgument::Text(word)) => match word.as_str() {
            "allow" => Some(Effect::Allow),
            "prompt" => Some(Effect::Ask),
            "forbidden" => Some(Effect::Deny),
            _ => None,
        },
        Some(LiteralArgument::List(_)) => None,
    };
    let positions = match of("pattern") {
        Some(LiteralArgument::List(positions)) => positions.as_slice(),
        _ => &[],
    };
    let commands = commands_of(positions);
    // All that begins with the first word, or with the first words that are certain.
    let first: Vec<String> = positions
        .iter()
        .map_while(|position| match position {
            LiteralArgument::Text(word) if !word.is_empty() => Some(word.clone()),
            _ => None,
        })
        .collect();
    let scope = words::prefix_pattern(&first, Effect::Ask).unwrap_or_else(|_| "shell(*)".to_owned());
    let mut entry = Entry::new(effect.unwrap_or(Effect::Deny), from, [scope]);
    entry.reason = of("justification")
        .and_then(|of| if let LiteralArgument::Text(text) = of { Some(text.clone()) } else { None });
    if effect.is_none() {
        return rules.take(&entry, Err("its decision is neither allow, prompt nor forbidden".to_owned()));
    }
    if let Some((key, _)) = arguments.iter().find(|(key, _)| {
        !["pattern", "decision", "justification", "match", "not_match"].contains(&key.as_str())
    }) {
        return rules.take(&entry, Err(format!("its `{key}` is not known here")));
    }
    let found = commands.and_then(|commands| {
        commands.iter().map(|words| words::prefix_pattern(words, entry.effect)).collect::<Result<Vec<_>, _>>()
    });
    match (found, entry.effect) {
        (Err(_), Effect::Allow) => {
            // One alternative that can't be said says nothing about the others.
            for words in commands_of(positions).into_iter().flatten() {
                let found = words::prefix_pattern(&words, entry.effect).map(|pattern| vec![pattern]);
                rules.take(&entry, found);
            }
            if let Err(why) = commands_of(positions) {
                rules.take(&entry, Err(why));
            }
        }
        (found, _) => rules.take(&entry, found),
    }
}

/// The commands that a pattern with alternatives stands for.
fn commands_of(positions: &[LiteralArgument]) -> Result<Vec<Vec<String>>, String> {
    if positions.is_empty() {
        return Err("it has no list as `pattern`".to_owned());
    }
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    for position in positions {
        let alternatives: Vec<&String> = match position {
            LiteralArgument::Text(word) => vec![word],
            LiteralArgument::List(words) => words
                .iter()
                .map(|word| match word {
                    LiteralArgument::Text(word) => Ok(word),
                    LiteralArgument::List(_) => Err("its alternatives are not words".to_owned()),
                })
                .collect::<Result<_, _>>()?,
        };
        if alternatives.is_empty() || commands.len() * alternatives.len() > MOST {
            return Err(format!("it stands for no command, or for more than {MOST}"));
        }
        commands = commands
            .iter()
            .flat_map(|words| {
                alternatives.iter().map(move |word| words.iter().cloned().chain([(*word).clone()]).collect())
            })
            .collect();
    }
    Ok(commands)
}
