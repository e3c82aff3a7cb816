//! The rules that people already have in other tools, as mayi's.
//!
//! Each tool has a file of its own here: text in, rules and what was left out of them. A rule never
//! allows more than the one that it comes from, and never denies or asks about less; where that can't
//! be said, the rule is left out, with the reason.

mod claude;
mod codex;
mod gemini;
mod glob;
mod jsonc;
mod opencode;
mod paths;
mod places;
mod regexes;
mod render;
mod starlark;
mod vscode;
mod words;
mod zed;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use places::{SettingsFile, files_of, given_file};
pub use render::render_rules;

use mayi_config::{ConfigError, LARGEST_FILE, Layer, secure_read};
use mayi_kept::approval::escape_line;
use mayi_policy::pattern::PatternBases;
use mayi_policy::{Effect, Pattern};

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

/// A rule, or a setting, that was not carried over, or not entirely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedRule {
    /// Where in the file, and as what it is written there.
    pub from: String,
    /// Why.
    pub why: String,
    /// The file.
    pub file: PathBuf,
    /// It was carried over all the same, and is not quite the same here.
    pub carried: bool,
}

/// What became of the files of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportResult {
    /// What was carried over.
    pub rules: Vec<ImportedRule>,
    /// What was not.
    pub left_out: Vec<OmittedRule>,
}

/// As many rules of a file are looked at.
const MOST_RULES: usize = 5000;

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
            ImportTool::Gemini => gemini::read(&text, &mut rules),
            ImportTool::VsCode => vscode::read(&text, &mut rules),
            ImportTool::Zed => zed::read(&text, &mut rules),
            ImportTool::OpenCode => opencode::read(&text, &mut rules),
        };
        read.map_err(|message| ConfigError::of_file(Layer::User, &file.path, message, None))?;
        let ImportResult { rules, left_out } = rules.out;
        for rule in rules {
            let same = |other: &ImportedRule| {
                (other.effect, &other.pattern, &other.workspace)
                    == (rule.effect, &rule.pattern, &rule.workspace)
            };
            if !out.rules.iter().any(same) {
                out.rules.push(rule);
            }
        }
        out.left_out.extend(left_out);
    }
    Ok(out)
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

/// Why something was not carried over.
type SkipReason = String;

/// The rules of one file while they are collected.
struct RuleCollector<'a> {
    file: &'a SettingsFile,
    places: &'a PatternBases,
    out: ImportResult,
}

impl<'a> RuleCollector<'a> {
    fn new(file: &'a SettingsFile, places: &'a PatternBases) -> Self {
        Self { file, places, out: ImportResult::default() }
    }

    /// The folder that the file is about; none if it is the user's own.
    fn project_folder(&self) -> Option<&Path> {
        self.file.project.as_deref()
    }

    /// Takes a rule; one that mayi can't read is left out.
    fn add_rule(&mut self, effect: Effect, pattern: impl Into<String>, from: &str) {
        self.rule_because(effect, pattern, from, None);
    }

    fn rule_because(
        &mut self,
        effect: Effect,
        pattern: impl Into<String>,
        from: &str,
        reason: Option<String>,
    ) {
        let pattern = pattern.into();
        if self.out.rules.len() >= MOST_RULES {
            return self.leave_out(from, format!("there are more than {MOST_RULES} rules"));
        }
        if let Err(error) = Pattern::parse(&pattern, self.places) {
            return self.leave_out(from, format!("mayi can't read `{pattern}`: {error}"));
        }
        self.out.rules.push(ImportedRule {
            effect,
            pattern,
            reason,
            from: escape_line(from),
            file: self.file.path.clone(),
            workspace: self.file.project.clone(),
        });
    }

    /// Takes each pattern, or says why there is none.
    fn add_rules(&mut self, effect: Effect, patterns: Result<Vec<String>, SkipReason>, from: &str) {
        match patterns {
            Ok(patterns) => patterns.into_iter().for_each(|pattern| self.add_rule(effect, pattern, from)),
            Err(why) => self.leave_out(from, why),
        }
    }

    /// Says that something was not carried over.
    fn leave_out(&mut self, from: &str, why: impl Into<String>) {
        self.add_omission(from, why.into(), false);
    }

    /// Says that something was carried over, and is not quite the same here.
    fn note_difference(&mut self, from: &str, why: impl Into<String>) {
        self.add_omission(from, why.into(), true);
    }

    fn add_omission(&mut self, from: &str, why: String, carried: bool) {
        if self.out.left_out.len() < MOST_RULES {
            self.out.left_out.push(OmittedRule {
                from: escape_line(from),
                why: escape_line(&why),
                file: self.file.path.clone(),
                carried,
            });
        }
    }
}

/// The texts of a list; anything else in it is left out.
fn text_items<'v>(value: Option<&'v Value>, from: &str, rules: &mut RuleCollector<'_>) -> Vec<&'v str> {
    match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items
            .iter()
            .take(MOST_RULES)
            .filter_map(|item| {
                if item.as_str().is_none() {
                    rules.leave_out(&format!("{from}: {item}"), "this is not a text");
                }
                item.as_str()
            })
            .collect(),
        Some(other) => {
            rules.leave_out(&format!("{from}: {other}"), "this is not a list of texts");
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests;
