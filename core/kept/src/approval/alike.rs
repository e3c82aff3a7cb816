//! Cards that may be answered together.

use super::{Card, CardAccess, choice};
use mayi_call::{Selector, UrlAccess};

/// What several cards have in common that may be answered together. D6.18: never one with an `always`
/// ask, never a switch of modes, and never one that does not show all that it is about.
#[must_use]
pub fn likeness_key(card: &Card) -> Option<String> {
    let by_itself = card.tool_call.untold
        || card.why.iter().any(|finding| finding.always)
        || card.accesses.iter().any(|access| access.access == "mode")
        || !card.options.iter().any(|option| option.option_id == choice::ALLOW_ONCE);
    if by_itself {
        return None;
    }
    let offered = card.suggestions.last().map(|widest| widest.patterns.as_slice()).unwrap_or_default();
    let mut kinds: Vec<String> = card.accesses.iter().map(|access| access_kind(access, offered)).collect();
    kinds.sort();
    kinds.dedup();
    let server = card.server.as_ref().map(|server| (&server.name, &server.tool));
    // As JSON, so that no name can look like two parts of it.
    Some(serde_json::json!([card.agent_name, kinds, server]).to_string())
}

/// The kind of an access. Of commands, only those are alike whose further words are known to make no other thing of them
/// (`cargo test`, and not all of `git` or `sudo`): `offered` has the pattern of these. Of an address it is the host, of a
/// path the word for what is done there.
fn access_kind(access: &CardAccess, offered: &[String]) -> String {
    let begins = |pattern: &&String| {
        let words = pattern.strip_prefix("shell(").and_then(|rest| rest.strip_suffix(" *)"));
        let rest = words.and_then(|words| access.display.strip_prefix(words));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let of = match access.access.parse() {
        Ok(Selector::Shell) => offered.iter().find(begins).unwrap_or(&access.display).clone(),
        Ok(Selector::Fetch) => {
            let host = UrlAccess::parse_lenient(&access.display).map(|url| url.host).unwrap_or_default();
            if host.is_empty() { access.display.clone() } else { host }
        }
        Ok(Selector::Read | Selector::Write(_)) => return access.access.clone(),
        Ok(Selector::Mcp | Selector::Tool | Selector::Mode) | Err(_) => access.display.clone(),
    };
    format!("{}:{of}", access.access)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(word: &str, display: &str, offered: &[&str]) -> String {
        let access = CardAccess { access: word.to_owned(), display: display.to_owned(), category: None };
        access_kind(&access, &offered.iter().map(|pattern| (*pattern).to_owned()).collect::<Vec<_>>())
    }

    /// One click allows no `git push` along with a `git status`, nor another line of a shell's.
    #[test]
    fn given_commands_then_only_those_of_one_family_are_alike() {
        let tests = ["shell(cargo test *)"];
        assert_eq!(kind_of("shell", "cargo test -p a", &tests), kind_of("shell", "cargo test -p b", &tests));
        for (one, other) in [("git status", "git push -f"), ("sh -c a", "sh -c b"), ("rm a", "rm -rf b")] {
            let exact = |line: &str| kind_of("shell", line, &[&format!("shell({line})")]);
            assert_ne!(exact(one), exact(other));
            assert_eq!(exact(one), exact(one));
        }
        let both = ["shell(cargo test *)", "shell(make x)"];
        assert_ne!(kind_of("shell", "make x", &both), kind_of("shell", "cargo test", &both));
        assert_ne!(kind_of("shell", "cargo testx", &tests), kind_of("shell", "cargo test x", &tests));
        assert_eq!(kind_of("write", "/w/a", &[]), kind_of("write", "/w/b", &[]));
        assert_ne!(kind_of("tool", "one", &[]), kind_of("tool", "two", &[]));
    }
}
