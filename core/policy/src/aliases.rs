//! Which names are the same agent (D1.20).
//!
//! An agent has one id and many names: people write "Claude Code" where a configuration says `claude`, and an MCP client is
//! called `claude-code` in its own settings. So there are two answers to "is this the agent that was meant":
//!
//! - *Loosely*, by [`same_agent`], for all that is stricter: denials, asks and stricter modes hold for every name of an
//!   agent, at every door.
//! - *Exactly*, by comparing ids, for all that is looser: an allow, an answer, a bypass or a looser mode is for one way of
//!   starting an agent, and no other name comes by it. What a name stands for is settled once, while the configuration is
//!   read (`mayi_config`), by the same two functions: [`normalize_name`] and [`agent_called`].

use mayi_call::AgentId;

use super::fold::fold_text;

/// Other names of agents that are known, as [`normalize_name`] has them; the id comes first. They are what the agents' makers call
/// them, what their programs and ACP adapters are called, and what `mayi mcp install` calls them as clients.
const NAMES: &[&[&str]] = &[
    &["auggie", "augment", "augmentcode", "auggiecli"],
    &["claude", "claudecode", "claudecodecli", "claudeagent", "claudeagentacp", "claudecodeacp", "claudeacp"],
    &["cline", "clinecli"],
    &["codex", "codexcli", "codexacp", "openaicodex"],
    &["copilot", "githubcopilot", "copilotcli", "githubcopilotcli"],
    &["cursor", "cursoragent", "cursorcli"],
    &["demo", "thedemoagent"],
    &["gemini", "geminicli", "googlegemini"],
    &["goose", "goosecli", "codenamegoose"],
    &["junie", "juniecli", "jetbrainsjunie"],
    &["kimi", "kimicli", "kimicode", "kimicodecli"],
    &["opencode", "opencodeai"],
    &["openhands", "openhandscli"],
    &["qwen", "qwencode", "qwencodecli"],
    &["vibe", "mistralvibe", "vibeacp"],
    &["vscode", "visualstudiocode"],
];

/// `name` without what people write in one way or another: capitals, blanks, dots, hyphens and the like. Names that differ in
/// nothing else are one name.
#[must_use]
pub fn normalize_name(name: &str) -> String {
    let folded = fold_text(name);
    let kept: String = folded.chars().filter(|c| c.is_alphanumeric()).collect();
    if kept.is_empty() { folded.into_owned() } else { kept }
}

/// The id of the agent that is called `name`: one that is known, or else the name itself as [`normalize_name`] has it.
#[must_use]
pub fn agent_called(name: &str) -> String {
    let spelled = normalize_name(name);
    let known = NAMES.iter().find(|names| names.contains(&spelled.as_str()));
    known.and_then(|names| names.first()).map_or(spelled, |id| (*id).to_owned())
}

/// Whether what is written for `name` is about `agent`, for all that is stricter: whichever name it goes by, and whichever
/// door it comes to. An agent that was started by a command has no name, and shares nothing with those that have one.
#[must_use]
pub fn same_agent(name: &str, agent: &AgentId) -> bool {
    if name == agent.as_str() {
        return true;
    }
    let named = AgentId::from_name(name);
    match (named.name(), agent.name()) {
        (Some(name), Some(agent)) => agent_called(name) == agent_called(agent),
        _ => false,
    }
}

/// Tools that their harness has given another name, whose rules go by either: the newest name comes first.
const RENAMED_TOOLS: &[&[&str]] = &[
    &["Agent", "Task"],
    &["TaskOutput", "AgentOutputTool", "BashOutput", "BashOutputTool"],
    &["TaskStop", "KillBash", "KillShell"],
];

/// The names that the tool `name` goes by, and has gone by: a denial or an ask for one of them holds for all, an allow for itself
/// alone.
#[must_use]
pub fn tool_names(name: &str) -> Vec<&str> {
    match RENAMED_TOOLS.iter().find(|names| names.contains(&name)) {
        Some(names) => names.to_vec(),
        None => vec![name],
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, agent_called, normalize_name, same_agent};
    use mayi_call::AgentId;

    #[test]
    fn given_the_table_then_each_name_is_spelled_as_it_is_looked_up_and_belongs_to_one_agent() {
        let all: Vec<&str> = NAMES.iter().flat_map(|names| names.iter().copied()).collect();
        for name in &all {
            assert_eq!(normalize_name(name), *name);
            assert_eq!(all.iter().filter(|other| *other == name).count(), 1, "{name}");
        }
    }

    /// D1.20: An agent has one id with aliases (`claude`, `claude-code`).
    #[test]
    fn given_ways_to_write_a_name_then_they_are_one_agent() {
        for name in
            ["claude", "Claude", "claude-code", "Claude Code", "CLAUDE_CODE", "claude.code", "ClaudeCode"]
        {
            assert_eq!(agent_called(name), "claude", "{name}");
            for id in ["claude", "Claude Code", "mcp:claude-code", "mcp:claude", "responses:Claude"] {
                assert!(same_agent(name, &AgentId::from_name(id)), "{name} {id}");
            }
            for other in ["codex", "claude-desktop", "mcp", "command:0123456789abcdef", "api:request"] {
                assert!(!same_agent(name, &AgentId::from_name(other)), "{name} {other}");
            }
        }
        // Characters that show nothing, and others that only look wider.
        for name in ["cla\u{200b}ude", "ｃｌａｕｄｅ", "claude\u{a0}code", "Claude\u{ad} Code"] {
            assert_eq!(agent_called(name), "claude", "{name:?}");
        }
        assert_eq!(agent_called("My Agent"), agent_called("my-agent"));
        assert_ne!(agent_called("--"), agent_called("..."));
        assert!(same_agent("command:0123456789abcdef", &AgentId::from_name("command:0123456789abcdef")));
        assert!(!same_agent("command 0123456789abcdef", &AgentId::from_name("command:0123456789abcdef")));
    }
}
