//! The rules that people already have in other tools, as mayi's.
//!
//! Each tool has a file of its own here: text in, rules and what was left out of them. A rule never allows more than the one that
//! it comes from, and never denies or asks about less. An allow that can't be said so is left out, with the reason. In the place of
//! a denial or an ask, all that it could be about is asked about: what an allow beside it would let through was never allowed.

mod claude;
mod codex;
mod codex_config;
mod collector;
mod copilot;
mod cursor;
mod gemini;
mod gemini_policy;
mod gemini_tools;
mod glob;
mod jsonc;
mod opencode;
mod path_texts;
mod paths;
mod places;
mod regexes;
mod render;
mod starlark;
mod unknown;
mod vscode;
mod vscode_defaults;
mod words;
mod zed;

use std::path::{Path, PathBuf};

pub use places::{SettingsFile, files_of, given_file};
pub use render::{render_folders, render_rules};

use collector::{RuleCollector, add_omission, anchor_beside_folders};
use mayi_config::{ConfigError, LARGEST_FILE, Layer, secure_read};
use mayi_policy::Effect;
use mayi_policy::pattern::PatternBases;

/// A tool with rules of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportTool {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// VS Code.
    VsCode,
    /// Zed.
    Zed,
    /// opencode.
    OpenCode,
    /// Qwen Code.
    Qwen,
    /// Cursor, its command line program and its editor.
    Cursor,
    /// Copilot's command line program.
    Copilot,
}

impl ImportTool {
    /// Its name for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::VsCode => "VS Code",
            Self::Zed => "Zed",
            Self::OpenCode => "opencode",
            Self::Qwen => "Qwen Code",
            Self::Cursor => "Cursor",
            Self::Copilot => "Copilot CLI",
        }
    }
}

/// A rule that was carried over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedRule {
    /// What it asks for.
    pub effect: Effect,
    /// What it is about.
    pub pattern: String,
    /// Why, where the tool's own rule says so.
    pub reason: Option<String>,
    /// Where in the file it comes from, and as what it is written there.
    pub from: String,
    /// The file.
    pub file: PathBuf,
    /// The folder that it is for; none: everywhere.
    pub workspace: Option<PathBuf>,
}

/// A further folder to work in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedFolder {
    /// Where.
    pub folder: PathBuf,
    /// Where in the file it comes from.
    pub from: String,
    /// The file.
    pub file: PathBuf,
    /// The folder in which it is worked besides; none: wherever.
    pub workspace: Option<PathBuf>,
}

/// What became of something that was not carried over as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// It was, and is not quite the same here.
    Partly,
    /// It was not, and what it is about is asked about.
    Asked,
    /// It was not.
    No,
}

/// A rule, or a setting, that was not carried over, or not entirely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedRule {
    /// Where in the file, and as what it is written there.
    pub from: String,
    /// Why.
    pub why: String,
    /// The file.
    pub file: PathBuf,
    /// What became of it.
    pub carried: Carried,
    /// It denies something there, or could.
    pub denial: bool,
}

/// What became of the files of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportResult {
    /// What was carried over.
    pub rules: Vec<ImportedRule>,
    /// Folders that are worked in besides.
    pub folders: Vec<ImportedFolder>,
    /// What was not carried over.
    pub left_out: Vec<OmittedRule>,
}

impl ImportResult {
    /// Leaves out every folder.
    pub fn leave_out_folders(&mut self, why: &str) {
        for ImportedFolder { from, file, .. } in std::mem::take(&mut self.folders) {
            let omission =
                OmittedRule { from, why: why.to_owned(), file, carried: Carried::No, denial: false };
            add_omission(&mut self.left_out, omission);
        }
    }

    /// How many denials were not carried over: those that are asked about, and those that nothing stands for.
    #[must_use]
    pub fn lost_denials(&self) -> (usize, usize) {
        let of = |carried| self.left_out.iter().filter(|left| left.denial && left.carried == carried).count();
        (of(Carried::Asked), of(Carried::No))
    }
}

/// Turns what is in `files` into rules.
///
/// # Errors
/// If a file can't be read, is too large, or is not what it should be.
pub fn import_rules(
    tool: ImportTool,
    files: &[SettingsFile],
    places: &PatternBases,
) -> Result<ImportResult, ConfigError> {
    let mut out = ImportResult::default();
    for file in files {
        let text = read(&file.path)?;
        let mut rules = RuleCollector::new(file, places);
        let read = match tool {
            ImportTool::ClaudeCode => claude::read(&text, &mut rules),
            ImportTool::Codex => codex::read(&text, &mut rules),
            ImportTool::Gemini | ImportTool::Qwen => gemini::read(&text, &mut rules),
            ImportTool::VsCode => vscode::read(&text, &mut rules),
            ImportTool::Zed => zed::read(&text, &mut rules),
            ImportTool::OpenCode => opencode::read(&text, &mut rules),
            ImportTool::Cursor => cursor::read(&text, &mut rules),
            ImportTool::Copilot => copilot::read(&text, &mut rules),
        };
        let read = read.and_then(|()| rules.finish());
        let ImportResult { rules, folders, left_out } =
            read.map_err(|message| ConfigError::of_file(Layer::User, &file.path, message, None))?;
        for rule in rules {
            let same = |other: &ImportedRule| {
                (other.effect, &other.pattern, &other.workspace)
                    == (rule.effect, &rule.pattern, &rule.workspace)
            };
            if !out.rules.iter().any(same) {
                out.rules.push(rule);
            }
        }
        for folder in folders {
            let same = |other: &ImportedFolder| {
                (&other.folder, &other.workspace) == (&folder.folder, &folder.workspace)
            };
            if !out.folders.iter().any(same) {
                out.folders.push(folder);
            }
        }
        out.left_out.extend(left_out);
    }
    anchor_beside_folders(&mut out);
    drop_dead_allows(&mut out);
    Ok(out)
}

/// Leaves out allows of a tool that is asked about, or denied, as a whole: they would never count.
fn drop_dead_allows(out: &mut ImportResult) {
    /// Patterns that are all of a tool, with the selectors that they are all of.
    const WHOLE: [(&str, &[&str]); 6] = [
        ("shell(*)", &["shell("]),
        ("read(**)", &["read("]),
        ("write(**)", &["write(", "create(", "edit(", "delete(", "move("]),
        ("fetch(*)", &["fetch("]),
        ("mcp(*/*)", &["mcp("]),
        ("*", &[""]),
    ];
    let whole: Vec<(Option<PathBuf>, &[&str])> = out
        .rules
        .iter()
        .filter(|rule| rule.effect != Effect::Allow)
        .filter_map(|rule| {
            let (_, selectors) = WHOLE.iter().find(|(pattern, _)| *pattern == rule.pattern)?;
            Some((rule.workspace.clone(), *selectors))
        })
        .collect();
    let ImportResult { rules, left_out, .. } = out;
    rules.retain(|rule| {
        let dead = rule.effect == Effect::Allow
            && whole.iter().any(|(workspace, selectors)| {
                (workspace.is_none() || *workspace == rule.workspace)
                    && selectors.iter().any(|selector| rule.pattern.starts_with(selector))
            });
        if dead {
            add_omission(
                left_out,
                OmittedRule {
                    from: rule.from.clone(),
                    why: "it would never count: all of that tool is asked about or denied".to_owned(),
                    file: rule.file.clone(),
                    carried: Carried::No,
                    denial: false,
                },
            );
        }
        !dead
    });
}

fn read(path: &Path) -> Result<String, ConfigError> {
    use std::io::Read as _;
    let refuse = |message: String| ConfigError::of_file(Layer::User, path, message, None);
    let file = secure_read::open(path, true).map_err(|error| refuse(format!("can't be read: {error}")))?;
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        return Err(refuse("is not a file".to_owned()));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| refuse(format!("can't be read: {error}")))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(refuse("is larger than 1 MiB".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| refuse("is not UTF-8 text".to_owned()))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
mod tests;
