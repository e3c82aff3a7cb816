//! `mayi mcp install` and `uninstall`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

pub(in crate::commands::mcp) const AFTER: &str = "\
A server's entry then starts `mayi mcp` with the command that was there, or with its address. Its
variables stay, and headers become variables, so that no secret is in an argument. Everything else
in the file stays as it is. Without CLIENT, the servers of all clients are listed, and which of them
are behind the gateway.

Examples:
  mayi mcp install                            what there is
  mayi mcp install cursor                     all servers that Cursor has for you
  mayi mcp install claude-code --server github --dry-run
  mayi mcp install vscode --scope project     this project's .vscode/mcp.json, which others share
  mayi mcp install windsurf --file ~/dotfiles/mcp_config.json --yes";

pub(in crate::commands::mcp) const UNINSTALL_AFTER: &str = "\
What `mayi mcp install` wrote is taken back to the byte. An entry that was changed since is taken
back by what it says now, and what can't be is left alone, with the reason.

Examples:
  mayi mcp uninstall cursor
  mayi mcp uninstall codex --server docs --dry-run
  mayi mcp uninstall gemini --scope project";

/// `mayi mcp install`
#[derive(Clone, Debug, Args)]
pub(crate) struct InstallArgs {
    /// Whose servers; without one, those of all clients are listed
    #[arg(value_enum)]
    pub client: Option<ClientArg>,
    /// Only the server NAME (repeatable)
    #[arg(long, value_name = "NAME", requires = "client")]
    pub server: Vec<String>,
    /// Your own files, or those of this project, which others share [default: user]
    #[arg(long, value_enum, value_name = "SCOPE", requires = "client")]
    pub scope: Option<ScopeArg>,
    /// This file instead of where the client keeps them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "client", conflicts_with = "scope")]
    pub file: Option<PathBuf>,
    /// Show the change, and write nothing
    #[arg(long, requires = "client", conflicts_with = "yes")]
    pub dry_run: bool,
    /// Do not ask before writing
    #[arg(long, short, requires = "client")]
    pub yes: bool,
    /// Print the list as one JSON object a line
    #[arg(long, conflicts_with = "client")]
    pub json: bool,
}

/// A program with MCP servers in its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientArg {
    /// Claude Code: ~/.claude.json, .mcp.json
    ClaudeCode,
    /// Claude Desktop: claude_desktop_config.json
    ClaudeDesktop,
    /// VS Code, Insiders and VSCodium: mcp.json of each profile, .vscode/mcp.json
    Vscode,
    /// Cursor: ~/.cursor/mcp.json, .cursor/mcp.json
    Cursor,
    /// Windsurf: ~/.codeium/windsurf/mcp_config.json
    Windsurf,
    /// Zed: settings.json, .zed/settings.json
    Zed,
    /// Gemini CLI: ~/.gemini/settings.json, .gemini/settings.json
    Gemini,
    /// Codex: ~/.codex/config.toml, .codex/config.toml
    Codex,
    /// opencode: opencode.json, opencode.jsonc
    Opencode,
}

/// Whose files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// Your own
    User,
    /// Those of this project
    Project,
}

impl ClientArg {
    /// As it is called on the command line.
    #[must_use]
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Vscode => "vscode",
            Self::Cursor => "cursor",
            Self::Windsurf => "windsurf",
            Self::Zed => "zed",
            Self::Gemini => "gemini",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
        }
    }
}
