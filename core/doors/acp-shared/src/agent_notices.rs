//! What a person has to know before the first prompt: whether this agent asks is known of few, and of single versions.

use mayi_core::approval::escape_line;
use mayi_core::call::AgentId;
use mayi_core::config::Asks;

use crate::modes::quote_mode_name;

/// So much of what an agent says of its version is shown.
const LONGEST: usize = 40;

/// One line about an agent of which it is not certain that it asks. `mode` is the one of its own that it is in, `version`
/// what it says of itself, which is believed only where it makes for more doubt.
#[must_use]
pub fn describe_doubt(
    agent: &AgentId,
    asks: Asks,
    mode: Option<&str>,
    version: Option<&str>,
) -> Option<String> {
    let id = agent.as_str();
    // One that was given by its command has no name but a digest.
    let agent = if id.starts_with("command:") { "this agent" } else { id };
    let after = "what it does unasked is told afterwards";
    match asks {
        Asks::Tried(tried) => {
            let version = version.filter(|version| *version != tried)?;
            let version = escape_line(&version.chars().take(LONGEST).collect::<String>());
            Some(format!("mayi has not tried {agent} {version}, but {tried}: {after}"))
        }
        Asks::NotKnown => {
            let here =
                mode.map(|mode| format!("; it is in its mode {}", quote_mode_name(mode))).unwrap_or_default();
            Some(format!("not known whether {agent} asks before it acts{here}: {after}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vibe_doubt(asks: Asks, mode: Option<&str>, version: Option<&str>) -> Option<String> {
        describe_doubt(&AgentId::from_name("vibe"), asks, mode, version)
    }

    /// Found in review: nothing is promised of an agent that was not tried, or of another version of it; and its
    /// own words take no doubt away.
    #[test]
    fn given_what_is_known_of_an_agent_then_the_rest_is_said_before_the_first_prompt() {
        let tried = Asks::Tried("3.0.3");
        assert_eq!(vibe_doubt(tried, Some("ask"), Some("3.0.3")), None);
        assert_eq!(vibe_doubt(tried, Some("ask"), None), None);
        let other = vibe_doubt(tried, Some("ask"), Some("9\u{1b}[2J")).unwrap();
        assert!(other.starts_with("mayi has not tried vibe 9"), "{other}");
        assert!(!other.contains('\u{1b}'), "{other}");
        let never = vibe_doubt(Asks::NotKnown, Some("accept-edits"), Some("3.0.3")).unwrap();
        let words = "not known whether vibe asks before it acts; it is in its mode `accept-edits`: ";
        assert!(never.starts_with(words), "{never}");
    }
}
