//! Where the tools keep their settings.

use std::path::{Path, PathBuf};

use super::ImportTool;

/// A file of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFile {
    /// Where.
    pub path: PathBuf,
    /// The folder that it is about, if it is not the user's own: its rules are for that folder alone.
    pub project: Option<PathBuf>,
}

/// The files that `tool` would read for work in `cwd`, those that are there.
#[must_use]
pub fn files_of(tool: ImportTool, home: Option<&Path>, cwd: &Path) -> Vec<SettingsFile> {
    candidate_files(tool, home, cwd).into_iter().filter(|file| file.path.is_file()).collect()
}

/// A file that was named; one in its usual place in a project is about that project.
#[must_use]
pub fn given_file(tool: ImportTool, home: Option<&Path>, path: &Path) -> SettingsFile {
    let of = path.ancestors().skip(1).find(|folder| {
        Some(*folder) != home && candidate_files(tool, None, folder).iter().any(|file| file.path == path)
    });
    SettingsFile { path: path.to_owned(), project: of.map(Path::to_owned) }
}

/// Where files could be, the user's own first.
fn candidate_files(tool: ImportTool, home: Option<&Path>, cwd: &Path) -> Vec<SettingsFile> {
    let (own, projects): (&[&str], &[&str]) = match tool {
        ImportTool::ClaudeCode => {
            (&[".claude/settings.json"], &[".claude/settings.json", ".claude/settings.local.json"])
        }
        ImportTool::Codex => (&[".codex/config.toml"], &[".codex/config.toml"]),
        ImportTool::Gemini => (&[".gemini/settings.json"], &[".gemini/settings.json"]),
        ImportTool::VsCode => (
            &[
                ".config/Code/User/settings.json",
                ".config/Code - Insiders/User/settings.json",
                ".config/VSCodium/User/settings.json",
                "Library/Application Support/Code/User/settings.json",
                "Library/Application Support/Code - Insiders/User/settings.json",
                "AppData/Roaming/Code/User/settings.json",
            ],
            &[".vscode/settings.json"],
        ),
        ImportTool::Zed => (&[".config/zed/settings.json"], &[".zed/settings.json"]),
        ImportTool::OpenCode => (
            &[".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"],
            &["opencode.json", "opencode.jsonc"],
        ),
        ImportTool::Qwen => (&[".qwen/settings.json"], &[".qwen/settings.json"]),
        ImportTool::Cursor => {
            (&[".cursor/cli-config.json", ".cursor/permissions.json"], &[".cursor/cli.json"])
        }
        ImportTool::Copilot => (
            &[".copilot/settings.json", ".copilot/config.json", ".copilot/permissions-config.json"],
            &[".github/copilot/settings.json", ".github/copilot/settings.local.json"],
        ),
    };
    let folders: Option<(&str, &str)> = match tool {
        ImportTool::Codex => Some((".codex/rules", "rules")),
        ImportTool::Gemini => Some((".gemini/policies", "toml")),
        _ => None,
    };
    let mut found = Vec::new();
    if let Some(home) = home {
        found.extend(own.iter().map(|name| SettingsFile { path: home.join(name), project: None }));
        found.extend(files_with_ending(home, folders, None));
    }
    // The home folder is no project: its files are the user's own.
    if Some(cwd) != home {
        let project = Some(cwd.to_owned());
        found.extend(
            projects.iter().map(|name| SettingsFile { path: cwd.join(name), project: project.clone() }),
        );
        found.extend(files_with_ending(cwd, folders, project.as_ref()));
    }
    found
}

/// The files of a folder that end in a certain way, by name.
fn files_with_ending(
    at: &Path,
    folder: Option<(&str, &str)>,
    project: Option<&PathBuf>,
) -> Vec<SettingsFile> {
    let Some((folder, end)) = folder else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(at.join(folder)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries
        .take(1000)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|of| of == end))
        .collect();
    paths.sort();
    paths.into_iter().map(|path| SettingsFile { path, project: project.cloned() }).collect()
}
