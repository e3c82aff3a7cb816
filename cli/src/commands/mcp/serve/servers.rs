//! Which servers are behind the gateway, and what they are called.

use std::collections::BTreeMap;

use mayi_core::approval::escape_line;
use mayi_core::call::Names;
use mayi_core::config::{LoadedConfig, RESERVED, ServerLaunch, Transport, find_program, nearest_word};
use mayi_core::pin::MayChange;
use mayi_core::policy::Origin;

use crate::commands::mcp::args::McpArgs;
use crate::error::CliError;

/// The servers, in the order of their names.
///
/// # Errors
/// If one is not known, or there is none.
pub(super) fn select_servers(args: &McpArgs, loaded: &LoadedConfig) -> Result<Vec<ServerLaunch>, CliError> {
    if let Some(server) = server_from_args(args)? {
        let mut server = reconcile_with_config(server, loaded)?;
        server.may_change = loaded.may_change.get(&server.name).cloned().unwrap_or_default();
        check_program_found(&server)?;
        return Ok(vec![server]);
    }
    for name in &args.servers {
        if !loaded.servers.contains_key(name) {
            let known = loaded.servers.keys().map(String::as_str);
            let hint =
                nearest_word(name, known).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            return Err(CliError::usage(format!(
                "no MCP server is called `{}`: {hint}add it as [servers.NAME], or give its command behind `--`",
                escape_line(name)
            )));
        }
    }
    let wanted = |server: &&ServerLaunch| args.servers.is_empty() || args.servers.contains(&server.name);
    let servers: Vec<ServerLaunch> = loaded.servers.values().filter(wanted).cloned().collect();
    if servers.is_empty() {
        return Err(CliError::usage(
            "no MCP server is configured: give the command of one (`mayi mcp -- npx -y some-server`), or add it to the \
             configuration as [servers.NAME]",
        ));
    }
    Ok(servers)
}

/// The server that the command line describes, if it does.
fn server_from_args(args: &McpArgs) -> Result<Option<ServerLaunch>, CliError> {
    let transport = match (&args.url, args.launch.as_slice()) {
        (Some(url), _) => {
            Transport::Http { url: check_web_address(url)?, headers: headers_from_env(&args.header_env)? }
        }
        (None, []) => return Ok(None),
        (None, words) => Transport::Stdio { command: words.to_vec(), env: BTreeMap::new() },
    };
    let name = match &args.name {
        Some(name) if !Names::is_plain(name) || RESERVED.contains(&name.as_str()) => {
            return Err(CliError::usage(format!(
                "`{}` can't be the name of a server: use letters, digits, `.`, `_` and `-`, and no command of mayi's",
                escape_line(name)
            )));
        }
        Some(name) => name.clone(),
        None => derive_name(&transport),
    };
    let origin = Origin { file: None, line: None, layer: mayi_core::policy::Layer::CommandLine };
    Ok(Some(ServerLaunch { name, transport, origin, may_change: MayChange::default() }))
}

/// A client is to hear at once that its only server can't be started, as it would without mayi.
fn check_program_found(server: &ServerLaunch) -> Result<(), CliError> {
    match &server.transport {
        Transport::Stdio { command, .. } => match command.first() {
            Some(word) if find_program(word).is_none() => {
                Err(CliError::agent(format!("`{}` was not found on the PATH", escape_line(word))))
            }
            _ => Ok(()),
        },
        Transport::Http { .. } | Transport::Sse { .. } => Ok(()),
    }
}

/// D1.21: a server of another identity under a known name has no settings, grants or trust. So it can't
/// have that name.
fn reconcile_with_config(server: ServerLaunch, loaded: &LoadedConfig) -> Result<ServerLaunch, CliError> {
    match loaded.servers.get(&server.name) {
        None => Ok(server),
        Some(known) if known.transport.server_id() == server.transport.server_id() => Ok(known.clone()),
        Some(_) => Err(CliError::usage(format!(
            "another server is configured as [servers.{name}]: use that one (`mayi mcp {name}`), or give this one another \
             name (--name)",
            name = server.name
        ))),
    }
}

fn check_web_address(url: &str) -> Result<String, CliError> {
    let fits = url.starts_with("http://") || url.starts_with("https://");
    if !fits {
        return Err(CliError::usage(format!("`{}` is not a web address: write https://…", escape_line(url))));
    }
    Ok(url.to_owned())
}

/// Headers whose values are in variables: a secret does not belong into a list of arguments.
fn headers_from_env(given: &[String]) -> Result<BTreeMap<String, String>, CliError> {
    let one = |pair: &String| {
        let (name, variable) = pair.split_once('=').ok_or_else(|| {
            CliError::usage(format!("--header-env `{}` is not NAME=VAR", escape_line(pair)))
        })?;
        let value = std::env::var(variable).map_err(|_| {
            CliError::usage(format!(
                "there is no variable `{}` for the header `{}`",
                escape_line(variable),
                escape_line(name)
            ))
        })?;
        Ok((name.to_owned(), value))
    };
    given.iter().map(one).collect()
}

/// Programs that run the package or script that is their first argument.
const LAUNCHERS: &[&str] = &[
    "npx", "bunx", "uvx", "pipx", "node", "bun", "deno", "python", "python3", "uv", "npm", "pnpm", "yarn",
    "docker",
];

/// Words in front of a package's name.
const VERBS: &[&str] = &["run", "exec", "dlx", "x", "tool", "start"];

/// A name from how the server is reached: the package that is run, or the host.
fn derive_name(transport: &Transport) -> String {
    let text = match transport {
        Transport::Http { url, .. } | Transport::Sse { url, .. } => {
            let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
            rest.split(['/', '?', '#']).next().unwrap_or_default().to_owned()
        }
        Transport::Stdio { command, .. } => {
            let base = |word: &str| word.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
            let program = command.first().map(|word| base(word)).unwrap_or_default();
            let launched =
                command.iter().skip(1).find(|word| !word.starts_with('-') && !VERBS.contains(&word.as_str()));
            match launched {
                Some(word) if LAUNCHERS.contains(&program.as_str()) => {
                    let package = base(word);
                    // Without the version behind it.
                    package.split_once('@').map_or(package.clone(), |(name, _)| name.to_owned())
                }
                _ => program,
            }
        }
    };
    let plain: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
        .take(64)
        .collect();
    let plain = plain.trim_matches('-').to_owned();
    if plain.is_empty() || RESERVED.contains(&plain.as_str()) { format!("server-{plain}") } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_command_then_the_name_is_that_of_what_it_runs() {
        let of = |words: &[&str]| {
            let command = words.iter().map(|word| (*word).to_owned()).collect();
            derive_name(&Transport::Stdio { command, env: BTreeMap::new() })
        };
        assert_eq!(of(&["npx", "-y", "@modelcontextprotocol/server-filesystem", "/x"]), "server-filesystem");
        assert_eq!(of(&["npx", "-y", "some-server@1.2.3"]), "some-server");
        assert_eq!(of(&["/usr/bin/uvx", "mcp-server-git", "--repository", "."]), "mcp-server-git");
        assert_eq!(of(&["python3", "/srv/my server.py"]), "my-server.py");
        assert_eq!(of(&["/opt/tools/github-mcp", "stdio"]), "github-mcp");
        assert_eq!(of(&["mcp"]), "server-mcp");
        let url = "https://docs.example.com/mcp".to_owned();
        assert_eq!(derive_name(&Transport::Http { url, headers: BTreeMap::new() }), "docs.example.com");
    }
}
