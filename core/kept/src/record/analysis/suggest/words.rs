//! What else a rule would allow, in words: whoever adds it should know more than the calls that led to it.

use mayi_call::{Selector, WriteKind};

/// What `pattern`, which was proposed, allows besides what was said yes to.
pub(super) fn also_allows(pattern: &str) -> String {
    let (selector, argument) = pattern.split_once('(').unwrap_or((pattern, ""));
    let argument = argument.strip_suffix(')').unwrap_or(argument);
    match selector.parse() {
        Ok(Selector::Shell) => match argument.strip_suffix(" *") {
            Some(begins) => format!(
                "`{begins}` with any further words; options that run, load or write something else are still asked about"
            ),
            None => "nothing else: just these words, wherever in the session's folders".to_owned(),
        },
        Ok(selector @ (Selector::Read | Selector::Write(WriteKind::Write))) => {
            let done = if selector == Selector::Read { "reading" } else { "making, changing and removing" };
            match argument.strip_suffix("/**") {
                Some(folder) => {
                    format!(
                        "{done} every file below {folder}, also new ones; what is protected is still asked about"
                    )
                }
                None => format!("{done} this file whenever, whatever is in it"),
            }
        }
        Ok(Selector::Fetch) => format!("every address at {argument}, by http or https at the usual port"),
        Ok(Selector::Mcp) => "this tool with any arguments".to_owned(),
        Ok(Selector::Tool) => "this tool of the agent with any input".to_owned(),
        Ok(Selector::Write(_) | Selector::Mode) | Err(_) => "all that the pattern matches".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::also_allows;

    /// Each kind of proposal says how far it reaches.
    #[test]
    fn given_proposals_then_each_says_what_else_it_allows() {
        for (pattern, words) in [
            ("shell(cargo test *)", "`cargo test` with any further words"),
            ("shell(make all)", "nothing else: just these words"),
            ("write(/w/src/**)", "making, changing and removing every file below /w/src"),
            ("read(/w/a)", "reading this file whenever"),
            ("fetch(docs.rs)", "every address at docs.rs"),
            ("mcp(github/list_issues)", "this tool with any arguments"),
            ("tool(think)", "this tool of the agent with any input"),
        ] {
            assert!(also_allows(pattern).starts_with(words), "{pattern}: {}", also_allows(pattern));
        }
    }
}
