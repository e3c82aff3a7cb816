//! Patterns offered for "Always ...": narrow, and never wide for programs that run other programs.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::command_families;
use mayi_call::shell::Word;
use mayi_call::{Access, Call, PathAccess, ShellAccess};
use mayi_policy::grant::exact_pattern;
use mayi_policy::{Decision, Effect, Finding, Pattern, Source};

/// Patterns that would allow the like from now on: all of them are needed to cover the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// One for each access that is not covered yet.
    pub patterns: Vec<String>,
    /// How long they may be remembered: `session`, `workspace`, `user`.
    pub scopes: Vec<Cow<'static, str>>,
}

/// Suggestions for what `decision` asks about, narrowest first. None if nothing but a person can
/// allow it, or if a part of it can't be written as a pattern.
#[must_use]
pub fn suggest_patterns(call: &Call, decision: &Decision) -> Vec<Suggestion> {
    // An allow silences the matrix, a setting, a plain protection, and a plain caveat whose part it
    // names; nothing else that asks.
    let lifted =
        |source| matches!(source, Source::Matrix | Source::Setting | Source::Protection | Source::Caveat);
    let asks = |finding: &&Finding| finding.effect == Effect::Ask;
    if decision.trail.iter().filter(asks).any(|finding| finding.always || !lifted(finding.source)) {
        return Vec::new();
    }
    let mut levels: Vec<Vec<String>> = Vec::new();
    for access in call.accesses.iter().filter(|access| decision.asks_about(access)) {
        let mut patterns = access_patterns(call, access);
        if patterns.is_empty() {
            return Vec::new();
        }
        patterns.dedup();
        levels.push(patterns);
    }
    // Whoever has no name in the configuration is remembered for a session at most.
    let scopes: &[&'static str] =
        if call.agent.name().is_some() { &["session", "workspace", "user"] } else { &["session"] };
    let most = levels.iter().map(Vec::len).max().unwrap_or(0);
    let mut out: Vec<Suggestion> = Vec::new();
    for level in 0..most {
        let mut patterns: Vec<String> =
            levels.iter().filter_map(|of| of.get(level).or_else(|| of.last()).cloned()).collect();
        patterns.sort();
        patterns.dedup();
        if !patterns.is_empty() && !out.iter().any(|other| other.patterns == patterns) {
            out.push(Suggestion { patterns, scopes: scopes.iter().copied().map(Cow::Borrowed).collect() });
        }
    }
    out
}

fn access_patterns(call: &Call, access: &Access) -> Vec<String> {
    let mut found = Vec::new();
    match access {
        Access::Write(_, path) | Access::Read(path) => {
            let selector = if matches!(access, Access::Read(_)) { "read" } else { "write" };
            found.extend(
                path_arguments(call, path).into_iter().map(|argument| format!("{selector}({argument})")),
            );
        }
        Access::Shell(shell) => {
            // A star among the words would be a wildcard of the rule.
            if let Ok(Some(exact)) = exact_pattern(access)
                && !shell
                    .words
                    .iter()
                    .chain(assignment_values(shell))
                    .any(|word| word.known_prefix().contains('*'))
            {
                found.push(exact.to_string());
                found
                    .extend(shell.literal_words().and_then(|words| command_families::family_pattern(&words)));
            } else if shell.understood && shell.words.iter().any(|word| word.literal().is_none()) {
                // A word that is known only when it runs is in no pattern; a family has any.
                let known = shell.words.iter().map_while(|word| word.literal().map(str::to_owned));
                found.extend(command_families::family_pattern(&known.collect::<Vec<_>>()));
            }
        }
        // A kind alone is no name: it could be any tool.
        Access::Tool { name, .. } if call.name.is_some() => {
            found.push(format!("tool({})", mayi_policy::pattern::escape_glob(name)));
        }
        Access::Tool { .. } => {}
        _ => found.extend(exact_pattern(access).ok().flatten().map(|pattern| pattern.to_string())),
    }
    // A suggestion must do what it says: what does not parse back, or does not match, is not shown.
    let places = mayi_policy::pattern::PatternBases::default();
    found.retain(|text| {
        Pattern::parse(text, &places).is_ok_and(|pattern| {
            pattern.certainly_matches(access, &call.roots) && lifts_doubts(&pattern, access)
        })
    });
    found
}

/// Whether an allow with `pattern` lifts what is asked about a command's options and assignments.
fn lifts_doubts(pattern: &Pattern, access: &Access) -> bool {
    let Access::Shell(shell) = access else { return true };
    shell.caveats.iter().all(|caveat| pattern.names_caveat(shell, caveat))
}

/// The values of a command's assignments.
fn assignment_values(shell: &ShellAccess) -> impl Iterator<Item = &Word> {
    shell.assignments.iter().map(|assignment| &assignment.value)
}

/// The file, then its folder within the session's folders: by their whole names, since a rule counts
/// in every folder.
fn path_arguments(call: &Call, path: &PathAccess) -> Vec<String> {
    let whole = |path: &std::path::Path| mayi_policy::pattern::escape_glob(&path.display().to_string());
    let mut found = vec![whole(&path.lexical)];
    if let Some(folder) = path.lexical.parent().filter(|_| path.is_within(&call.roots)) {
        found.push(format!("{}/**", whole(folder)));
    }
    found
}

#[cfg(test)]
mod tests;
