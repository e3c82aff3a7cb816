//! What was carried over, as TOML with a comment for each rule.

use std::path::{Path, PathBuf};

use super::{ImportResult, ImportTool};
use mayi_config::edit::toml_string;
use mayi_kept::approval::escape_line;

/// The folders as a person would write them into a configuration, where it names none yet.
#[must_use]
pub fn render_folders(imported: &ImportResult) -> String {
    let mut out = String::new();
    let mut workspaces: Vec<&Option<PathBuf>> = Vec::new();
    for folder in &imported.folders {
        if !workspaces.contains(&&folder.workspace) {
            workspaces.push(&folder.workspace);
        }
    }
    for workspace in workspaces {
        let folders = imported.folders.iter().filter(|folder| folder.workspace == *workspace);
        let mut names = Vec::new();
        for folder in folders {
            out.push_str(&format!("# {}\n", folder.from));
            names.push(toml_string(&folder.folder.display().to_string()));
        }
        let header = match workspace {
            Some(folder) => format!("workspaces.{}", toml_string(&folder.display().to_string())),
            None => "workspace".to_owned(),
        };
        out.push_str(&format!("[{header}]\nfolders = [{}]\n\n", names.join(", ")));
    }
    out
}

/// The rules as a person would write them into a configuration. `agents`: only for these.
#[must_use]
pub fn render_rules(tool: ImportTool, imported: &ImportResult, agents: &[String]) -> String {
    let mut out = format!("# From {}, by `mayi config import`.\n", tool.title());
    let mut last: Option<&Path> = None;
    for rule in &imported.rules {
        if last != Some(&rule.file) {
            last = Some(&rule.file);
            out.push_str(&format!("\n# {}\n", escape_line(&rule.file.display().to_string())));
        }
        let header = match &rule.workspace {
            Some(folder) => format!("workspaces.{}.rule", toml_string(&folder.display().to_string())),
            None => "rule".to_owned(),
        };
        out.push_str(&format!("\n# {}\n[[{header}]]\n", rule.from));
        out.push_str(&format!("effect = \"{}\"\npattern = {}\n", rule.effect, toml_string(&rule.pattern)));
        if let Some(reason) = &rule.reason {
            out.push_str(&format!("reason = {}\n", toml_string(reason)));
        }
        if !agents.is_empty() {
            let names: Vec<String> = agents.iter().map(|name| toml_string(name)).collect();
            out.push_str(&format!("agents = [{}]\n", names.join(", ")));
        }
    }
    out
}
