//! The clients, as data: where they keep their servers, and how an entry is written there.
//!
//! Each place was looked up in the client's own documentation or code. Those of Linux are tested; those of macOS
//! and Windows are in [`FileBase`] alone, and untested.

use std::path::{Path, PathBuf};

use mayi_core::config::Folders;

use super::model::{ServerEntry, Syntax};
use super::{jsonc, toml};

/// A client and its files.
#[derive(Debug)]
pub(super) struct Client {
    /// As it is called on the command line, and as the agent that its gateways are for.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) syntax: Syntax,
    /// The keys that lead to the servers; `*` is any key.
    pub(super) sections: &'static [&'static [&'static str]],
    /// The user's own files.
    pub(super) user_files: &'static [(FileBase, &'static str)],
    /// Files of a project.
    pub(super) project: &'static [&'static str],
    pub(super) shape: CommandShape,
    /// The key of an address that speaks Streamable HTTP.
    pub(super) address: &'static str,
}

/// How a client writes what it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandShape {
    /// `command` is a text, `args` a list, `env` an object.
    Pair,
    /// `command` is a list, and `environment` an object.
    List,
}

/// What a file's place starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileBase {
    /// The home folder.
    Home,
    /// Where programs keep settings: `$XDG_CONFIG_HOME`, `Library/Application Support`, `%APPDATA%`.
    Settings,
    /// As [`FileBase::Settings`], but as on Linux on macOS too.
    Xdg,
}

pub(super) const CLIENTS: &[Client] = &[
    Client {
        id: "claude-code",
        title: "Claude Code",
        syntax: Syntax::Json,
        // What `claude mcp add` writes without a scope is the user's own for one folder.
        sections: &[&["mcpServers"], &["projects", "*", "mcpServers"]],
        user_files: &[(FileBase::Home, ".claude.json")],
        project: &[".mcp.json"],
        shape: CommandShape::Pair,
        address: "url",
    },
    Client {
        id: "claude-desktop",
        title: "Claude Desktop",
        syntax: Syntax::Json,
        sections: &[&["mcpServers"]],
        user_files: &[(FileBase::Settings, "Claude/claude_desktop_config.json")],
        project: &[],
        shape: CommandShape::Pair,
        address: "url",
    },
    Client {
        id: "vscode",
        title: "VS Code",
        syntax: Syntax::Json,
        sections: &[&["servers"]],
        user_files: &[
            (FileBase::Settings, "Code/User/mcp.json"),
            (FileBase::Settings, "Code - Insiders/User/mcp.json"),
            (FileBase::Settings, "VSCodium/User/mcp.json"),
        ],
        project: &[".vscode/mcp.json"],
        shape: CommandShape::Pair,
        address: "url",
    },
    Client {
        id: "cursor",
        title: "Cursor",
        syntax: Syntax::Json,
        sections: &[&["mcpServers"]],
        user_files: &[(FileBase::Home, ".cursor/mcp.json")],
        project: &[".cursor/mcp.json"],
        shape: CommandShape::Pair,
        address: "url",
    },
    Client {
        id: "windsurf",
        title: "Windsurf",
        syntax: Syntax::Json,
        sections: &[&["mcpServers"]],
        user_files: &[(FileBase::Home, ".codeium/windsurf/mcp_config.json")],
        project: &[],
        shape: CommandShape::Pair,
        address: "serverUrl",
    },
    Client {
        id: "zed",
        title: "Zed",
        syntax: Syntax::Json,
        sections: &[&["context_servers"]],
        user_files: &[(FileBase::Xdg, "zed/settings.json")],
        project: &[".zed/settings.json"],
        shape: CommandShape::Pair,
        address: "url",
    },
    Client {
        id: "gemini",
        title: "Gemini CLI",
        syntax: Syntax::Json,
        sections: &[&["mcpServers"]],
        user_files: &[(FileBase::Home, ".gemini/settings.json")],
        project: &[".gemini/settings.json"],
        shape: CommandShape::Pair,
        address: "httpUrl",
    },
    Client {
        id: "codex",
        title: "Codex",
        syntax: Syntax::Toml,
        sections: &[&["mcp_servers"]],
        user_files: &[(FileBase::Home, ".codex/config.toml")],
        project: &[".codex/config.toml"],
        shape: CommandShape::Pair,
        address: "url",
    },
    Client {
        id: "opencode",
        title: "opencode",
        syntax: Syntax::Json,
        // The second one is that of its second version.
        sections: &[&["mcp"], &["mcp", "servers"]],
        user_files: &[(FileBase::Xdg, "opencode/opencode.json"), (FileBase::Xdg, "opencode/opencode.jsonc")],
        project: &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
        shape: CommandShape::List,
        address: "url",
    },
];

impl Client {
    /// The servers in `text`.
    ///
    /// # Errors
    /// If the text is not what the client reads.
    pub(super) fn parse_entries(&self, text: &str) -> Result<Vec<ServerEntry>, String> {
        let mut entries = match self.syntax {
            Syntax::Json => jsonc::parse_entries(text, self.sections)?,
            Syntax::Toml => {
                let section = self.sections.first().and_then(|keys| keys.first()).copied();
                toml::parse_entries(text, section.unwrap_or_default())?
            }
        };
        // A section inside of another one is no server; nor are opencode's settings that stand beside it.
        entries.retain(|entry| !self.sections.iter().any(|section| entry.keys == *section));
        if self.shape == CommandShape::List {
            entries.retain(|entry| entry.keys.len() > 2 || entry.field("type").is_some());
        }
        Ok(entries)
    }

    /// Where the user's own files could be.
    pub(super) fn own_files(&self, folders: &Folders) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self
            .user_files
            .iter()
            .filter_map(|(base, name)| Some(base.resolve_folder(folders)?.join(name)))
            .collect();
        if self.id == "vscode" {
            let profiles: Vec<PathBuf> = files.iter().flat_map(|file| of_profiles(file)).collect();
            files.extend(profiles);
        }
        files
    }

    /// Where files of the project could be that `cwd` belongs to: in the nearest folder that has one, and not
    /// above its repository.
    pub(super) fn project_files(&self, cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
        let top =
            cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok()).unwrap_or(cwd);
        let there = |folder: &Path| -> Vec<PathBuf> {
            let files = self.project.iter().map(|name| folder.join(name));
            files.filter(|file| file.symlink_metadata().is_ok()).collect()
        };
        cwd.ancestors()
            .take_while(|folder| folder.starts_with(top))
            // The home folder is no project: its files are the user's own.
            .filter(|folder| Some(*folder) != home)
            .map(there)
            .find(|files| !files.is_empty())
            .unwrap_or_default()
    }
}

/// VS Code's profiles have files of their own.
fn of_profiles(file: &Path) -> Vec<PathBuf> {
    let Some(folder) = file.parent().map(|folder| folder.join("profiles")) else { return Vec::new() };
    let Ok(profiles) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        profiles.take(100).filter_map(|profile| Some(profile.ok()?.path().join("mcp.json"))).collect();
    files.sort();
    files
}

impl FileBase {
    fn resolve_folder(self, folders: &Folders) -> Option<PathBuf> {
        let home = folders.home.as_deref()?;
        // What mayi's own folder is in: the same convention.
        let config = folders.config.as_deref().and_then(Path::parent);
        match self {
            Self::Home => Some(home.to_owned()),
            Self::Settings if cfg!(target_os = "macos") => Some(home.join("Library/Application Support")),
            Self::Xdg if cfg!(target_os = "macos") => Some(home.join(".config")),
            Self::Settings | Self::Xdg => config.map(Path::to_owned),
        }
    }
}
