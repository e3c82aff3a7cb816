//! Codex: `prefix_rule(...)` of `rules/*.rules`, and what of `config.toml` is like a rule. There the
//! strictest rule counts, as here.

use super::starlark::{self, LiteralArgument};
use super::{RuleCollector, words};
use mayi_call::Names;
use mayi_policy::Effect;

/// The most alternatives of one rule.
const MOST: usize = 256;

pub(super) fn read(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    match rules.file.path.extension().and_then(|end| end.to_str()) {
        Some("toml") => read_config(text, rules),
        _ => {
            prefix_rules(text, rules);
            Ok(())
        }
    }
}

fn read_config(text: &str, rules: &mut RuleCollector<'_>) -> Result<(), String> {
    let table: toml::Table =
        toml::from_str(text).map_err(|error| format!("is not TOML: {}", error.message()))?;
    for (key, why) in [
        (
            "approval_policy",
            "when to ask is said by `mode` here; `mayi bypass codex on` lets it act without asking",
        ),
        (
            "sandbox_mode",
            "mayi is no sandbox: it judges what is asked for, and `mode = \"plan\"` denies everything but reading",
        ),
        (
            "sandbox_workspace_write",
            "mayi is no sandbox: write rules for the folders, such as `write(/the/folder/**)`",
        ),
    ] {
        if let Some(value) = table.get(key) {
            rules.leave_out(&format!("{key} = {value}"), why);
        }
    }
    let servers = table.get("mcp_servers").and_then(toml::Value::as_table);
    for (name, server) in servers.into_iter().flatten().take(super::MOST_RULES) {
        let from = format!("mcp_servers.{name}.disabled_tools");
        for tool in server.get("disabled_tools").and_then(toml::Value::as_array).into_iter().flatten() {
            let from = format!("{from}: {tool}");
            match tool.as_str().filter(|tool| Names::is_plain(tool) && Names::is_plain(name)) {
                Some(tool) => rules.add_rule(Effect::Deny, format!("mcp({name}/{tool})"), &from),
                None => rules.leave_out(&from, "no server and tool can be called like that"),
            }
        }
        if server.get("enabled_tools").is_some() {
            let from = format!("mcp_servers.{name}.enabled_tools");
            rules.leave_out(&from, "it says which tools there are at all, which stays so in Codex itself");
        }
    }
    Ok(())
}

fn prefix_rules(text: &str, rules: &mut RuleCollector<'_>) {
    for call in starlark::parse_calls(text) {
        let from = format!("line {}: {}", call.line, call.text);
        let arguments = match call.arguments {
            Ok(arguments) => arguments,
            Err(why) => {
                rules.leave_out(&from, why);
                continue;
            }
        };
        match call.name.as_str() {
            "prefix_rule" => prefix_rule(&arguments, &from, rules),
            "network_rule" => rules.leave_out(
                &from,
                "it is about what the sandbox lets through: `fetch(host)` is about an agent's own fetching",
            ),
            "host_executable" => rules.leave_out(
                &from,
                "an allow is about the program as it is written; write its path as the first word",
            ),
            name => rules.leave_out(&from, format!("`{name}` is not known here")),
        }
    }
}

fn prefix_rule(arguments: &[(String, LiteralArgument)], from: &str, rules: &mut RuleCollector<'_>) {
    let of = |name: &str| arguments.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let effect = match of("decision") {
        None => Effect::Allow,
        Some(LiteralArgument::Text(word)) => match word.as_str() {
            "allow" => Effect::Allow,
            "prompt" => Effect::Ask,
            "forbidden" => Effect::Deny,
            _ => return rules.leave_out(from, "its decision is neither allow, prompt nor forbidden"),
        },
        Some(LiteralArgument::List(_)) => return rules.leave_out(from, "its decision is not a word"),
    };
    if let Some((key, _)) = arguments.iter().find(|(key, _)| {
        !["pattern", "decision", "justification", "match", "not_match"].contains(&key.as_str())
    }) {
        return rules.leave_out(from, format!("its argument `{key}` is not known here"));
    }
    let Some(LiteralArgument::List(positions)) = of("pattern") else {
        return rules.leave_out(from, "it has no list as `pattern`");
    };
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    for position in positions {
        let alternatives: Vec<&String> = match position {
            LiteralArgument::Text(word) => vec![word],
            LiteralArgument::List(words) => words
                .iter()
                .filter_map(|word| if let LiteralArgument::Text(word) = word { Some(word) } else { None })
                .collect(),
        };
        if commands.len() * alternatives.len() > MOST {
            return rules.leave_out(from, format!("it stands for more than {MOST} commands"));
        }
        commands = commands
            .iter()
            .flat_map(|words| {
                alternatives.iter().map(move |word| words.iter().cloned().chain([(*word).clone()]).collect())
            })
            .collect();
    }
    let reason = of("justification")
        .and_then(|of| if let LiteralArgument::Text(text) = of { Some(text.clone()) } else { None });
    for words in commands {
        match words::prefix_pattern(&words, effect) {
            Ok(pattern) => rules.rule_because(effect, pattern, from, reason.clone()),
            Err(why) => rules.leave_out(from, why),
        }
    }
}
