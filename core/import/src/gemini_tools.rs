//! Gemini CLI's names of tools, as its settings and its policies have them.

use super::claude::mcp_patterns;
use super::collector::SkipReason;
use super::paths::change_patterns;
use super::words::{PatternTail, beginning_pattern, command_patterns};
use mayi_call::Names;
use mayi_policy::Effect;

/// All that an entry about `tool` could be about.
pub(super) fn scope_of(tool: &str, argument: Option<&str>) -> Vec<String> {
    match argument {
        Some(prefix) if is_shell(tool) => vec![beginning_pattern(prefix)],
        _ => tool_patterns(tool, Effect::Ask).unwrap_or_default(),
    }
}

pub(super) fn is_shell(tool: &str) -> bool {
    matches!(tool, "run_shell_command" | "ShellTool" | "Shell" | "Bash")
}

pub(super) fn prefix_patterns(prefix: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    if prefix.contains('*') {
        return Err("`*` is a plain character there, and a wildcard here".to_owned());
    }
    command_patterns(prefix, PatternTail::Words, effect)
}

/// A tool by its own name, and by others that it goes by.
fn names(tool: &str, others: &[&str]) -> Vec<String> {
    let own = std::iter::once(&tool).filter(|tool| !others.contains(tool));
    own.chain(others).map(|name| format!("tool({name})")).collect()
}

pub(super) fn tool_patterns(tool: &str, effect: Effect) -> Result<Vec<String>, SkipReason> {
    let allow = effect == Effect::Allow;
    let files = if allow { "./**" } else { "**" };
    Ok(match tool {
        tool if is_shell(tool) => vec!["shell(*)".to_owned()],
        "read_file" | "read_many_files" | "ReadFileTool" | "ReadManyFilesTool" | "ReadFile" | "Read" => {
            vec![format!("read({files})")]
        }
        "write_file" | "WriteFileTool" | "WriteFile" | "Write" => change_patterns(files, effect),
        "replace" | "edit" | "EditTool" | "Edit" if allow => vec![format!("edit({files})")],
        "replace" | "edit" | "EditTool" | "Edit" => change_patterns(files, effect),
        "web_fetch" | "WebFetchTool" | "WebFetch" => vec!["fetch(*)".to_owned()],
        // What looks into files, by its older and newer names.
        "glob" | "GlobTool" if !allow => names(tool, &["glob"]),
        "list_directory" | "LSTool" | "ls" if !allow => names(tool, &["list_directory", "ls"]),
        "search_file_content" | "grep_search" | "GrepTool" if !allow => {
            names(tool, &["grep_search", "search_file_content"])
        }
        "*" if allow => {
            return Err(
                "this allows everything: `mode = \"auto\"` is the like of it, if you mean it".to_owned()
            );
        }
        "*" => vec!["*".to_owned()],
        tool if !Names::is_plain(tool) => return Err("no tool is called like that".to_owned()),
        tool if tool.contains("__") => mcp_patterns(tool, effect)?,
        tool if allow => {
            return Err(format!("what {tool} touches is not known: write `tool({tool})` if you mean it"));
        }
        // `mcp_server_tool`: wherever the server's name ends.
        tool if tool.starts_with("mcp_") => {
            let rest = tool.strip_prefix("mcp_").unwrap_or_default();
            let pairs = rest.match_indices('_').filter_map(|(at, _)| {
                let (server, name) = (rest.get(..at)?, rest.get(at + 1..)?);
                (Names::is_plain(server) && Names::is_plain(name)).then(|| format!("mcp({server}/{name})"))
            });
            std::iter::once(format!("tool({tool})")).chain(pairs).collect()
        }
        tool => mayi_policy::aliases::tool_names(tool).iter().map(|name| format!("tool({name})")).collect(),
    })
}
