//! Patterns as other tools write them: what they would be here. Only a suggestion: to carry rules over is the import's business.

use mayi_policy::Pattern;
use mayi_policy::pattern::PatternBases;

/// Selectors by the names that tools of agents have, in small letters and without marks.
const SELECTORS: &[(&str, &[&str])] = &[
    (
        "shell",
        &[
            "bash",
            "command",
            "commands",
            "exec",
            "execute",
            "runinterminal",
            "runshellcommand",
            "shell",
            "shellcommand",
            "shelltool",
            "terminal",
        ],
    ),
    ("read", &["glob", "grep", "ls", "notebookread", "read", "readfile", "readmanyfiles", "view"]),
    (
        "write",
        &["applypatch", "edit", "editfile", "multiedit", "notebookedit", "replace", "write", "writefile"],
    ),
    ("fetch", &["fetch", "webfetch"]),
];

/// What `text`, which is no pattern here, would be as one.
pub(super) fn as_pattern(text: &str) -> Option<Pattern> {
    let text = text.trim();
    let (tool, argument) = match text.split_once('(') {
        Some((tool, rest)) => (tool.trim(), rest.strip_suffix(')')?.trim()),
        // A word by itself may be meant for anything.
        None if text.starts_with(|c: char| c.is_ascii_uppercase()) || text.starts_with("mcp__") => (text, ""),
        None => return None,
    };
    let pattern = match tool.strip_prefix("mcp__") {
        Some(name) => {
            let (server, tool) = name.split_once("__").unwrap_or((name, "*"));
            format!("mcp({server}/{tool})")
        }
        None => {
            let plain: String =
                tool.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
            let (selector, _) = SELECTORS.iter().find(|(_, names)| names.contains(&plain.as_str()))?;
            format!("{selector}({})", argument_of(selector, argument))
        }
    };
    Pattern::parse(&pattern, &PatternBases::default()).ok()
}

fn argument_of(selector: &str, argument: &str) -> String {
    match selector {
        _ if argument.is_empty() => "*".to_owned(),
        "shell" => match argument.strip_suffix(":*") {
            Some(words) => format!("{words} *"),
            None => argument.to_owned(),
        },
        "fetch" => argument.strip_prefix("domain:").unwrap_or(argument).trim().to_owned(),
        // From the top, as some write it.
        _ => argument.strip_prefix("//").map_or_else(|| argument.to_owned(), |path| format!("/{path}")),
    }
}

#[cfg(test)]
mod tests {
    use super::as_pattern;

    /// D3.27.
    #[test]
    fn given_a_rule_of_another_tool_then_it_is_known_what_it_would_be_here() {
        for (text, meant) in [
            ("Bash(ls:*)", "shell(ls *)"),
            ("Bash(npm run test:*)", "shell(npm run test *)"),
            ("Bash(git status)", "shell(git status)"),
            ("Bash", "shell(*)"),
            ("ShellTool(git push)", "shell(git push)"),
            ("run_shell_command(rm -rf *)", "shell(rm -rf *)"),
            ("Read(./.env)", "read(./.env)"),
            ("Read(//etc/passwd)", "read(/etc/passwd)"),
            ("Edit(src/**)", "write(src/**)"),
            ("WebFetch(domain:docs.rs)", "fetch(docs.rs)"),
            ("mcp__github__list_issues", "mcp(github/list_issues)"),
            ("mcp__github", "mcp(github/*)"),
        ] {
            assert_eq!(as_pattern(text).unwrap().as_str(), meant, "{text}");
        }
        for text in ["Task(x)", "Frobnicate(x)", "Bash(ls", "ls", ""] {
            assert!(as_pattern(text).is_none(), "{text}");
        }
    }
}
