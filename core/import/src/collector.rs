//! The rules of one file while they are collected.

use std::path::PathBuf;

use serde_json::Value;

use super::{Carried, ImportResult, ImportedFolder, ImportedRule, OmittedRule, SettingsFile};
use mayi_call::{Names, resolve_path};
use mayi_config::named_folder;
use mayi_kept::approval::escape_line;
use mayi_policy::pattern::{PatternBases, escape_glob};
use mayi_policy::{Effect, Pattern};

/// The most rules of a file, and the most that can be left out of one.
const MOST_RULES: usize = 5000;

/// The most characters of an entry that are shown.
const LONGEST_SHOWN: usize = 300;

/// Why something was not carried over.
pub(super) type SkipReason = String;

/// What a tool's file says in one place.
pub(super) struct Entry<'e> {
    pub(super) effect: Effect,
    /// Where it stands, and how it is written there.
    pub(super) from: &'e str,
    /// Patterns that cover all that it could be about. Where a denial or an ask can't be said, these are asked about; none: what
    /// it is about can't be told either.
    pub(super) scope: Vec<String>,
    /// Why, where the tool's own rule says so.
    pub(super) reason: Option<String>,
}

impl<'e> Entry<'e> {
    pub(super) fn new<S: Into<String>>(
        effect: Effect,
        from: &'e str,
        scope: impl IntoIterator<Item = S>,
    ) -> Self {
        Self { effect, from, scope: scope.into_iter().map(Into::into).collect(), reason: None }
    }
}

/// What was read so far.
pub(super) struct RuleCollector<'a> {
    pub(super) file: &'a SettingsFile,
    places: &'a PatternBases,
    out: ImportResult,
    /// The folder that the rules are for; none: everywhere.
    workspace: Option<PathBuf>,
    overflow: bool,
}

impl<'a> RuleCollector<'a> {
    pub(super) fn new(file: &'a SettingsFile, places: &'a PatternBases) -> Self {
        let workspace = file.project.clone();
        Self { file, places, out: ImportResult::default(), workspace, overflow: false }
    }

    /// All of it.
    ///
    /// # Errors
    /// If it was too much: a denial could be among what was not looked at.
    pub(super) fn finish(self) -> Result<ImportResult, String> {
        if self.overflow { Err(format!("has more than {MOST_RULES} rules")) } else { Ok(self.out) }
    }

    /// Takes what a file of the user's own says for one folder.
    pub(super) fn for_workspace(&mut self, folder: PathBuf, read: impl FnOnce(&mut Self)) {
        let own = self.workspace.replace(folder);
        read(self);
        self.workspace = own;
    }

    /// Takes what an entry became. A denial or an ask that can't be said is never just left out: what it could be about is asked
    /// about, so that no allow beside it lets that through.
    pub(super) fn take(&mut self, entry: &Entry<'_>, found: Result<Vec<String>, SkipReason>) {
        let found = found.and_then(|patterns| {
            patterns.iter().try_for_each(|pattern| self.check_pattern(pattern)).map(|()| patterns)
        });
        match found {
            Ok(patterns) => patterns.into_iter().for_each(|pattern| {
                self.push(entry.effect, pattern, entry.from, entry.reason.clone());
            }),
            Err(why) if entry.effect == Effect::Allow => self.leave_out(entry.from, why),
            Err(why) => self.ask_instead(entry, &why),
        }
    }

    /// Asks about all that `entry` could be about.
    pub(super) fn ask_instead(&mut self, entry: &Entry<'_>, why: &str) {
        let mut asked = Vec::new();
        for pattern in &entry.scope {
            if self.check_pattern(pattern).is_ok() {
                let from = format!("in the place of {}", entry.from);
                self.push(Effect::Ask, pattern.clone(), &from, entry.reason.clone());
                asked.push(format!("`{pattern}`"));
            }
        }
        let denial = entry.effect == Effect::Deny;
        match asked.as_slice() {
            [] => self.omit(entry.from, why.to_owned(), Carried::No, denial),
            asked => self.omit(
                entry.from,
                format!(
                    "{} {} asked about in its place: {why}",
                    asked.join(", "),
                    if asked.len() == 1 { "is" } else { "are" }
                ),
                Carried::Asked,
                denial,
            ),
        }
    }

    /// Takes a server that is switched off: its `enabled` is false.
    pub(super) fn take_server_off(&mut self, server: &str, of: &Value, place: &str) {
        if of.get("enabled") != Some(&Value::Bool(false)) {
            return;
        }
        let from = format!("{place}.{server}.enabled: false");
        let found = match Names::is_plain(server) {
            true => Ok(vec![format!("mcp({server}/*)")]),
            false => Err("no server can be called like that".to_owned()),
        };
        self.take(&Entry::new(Effect::Deny, &from, ["mcp(*/*)"]), found);
    }

    fn check_pattern(&self, pattern: &str) -> Result<(), SkipReason> {
        Pattern::parse(pattern, self.places)
            .map(|_| ())
            .map_err(|error| format!("mayi can't read `{pattern}`: {error}"))
    }

    fn push(&mut self, effect: Effect, pattern: String, from: &str, reason: Option<String>) {
        if self.out.rules.len() >= MOST_RULES {
            self.overflow = true;
            return;
        }
        self.out.rules.push(ImportedRule {
            effect,
            pattern,
            reason,
            from: shown(from),
            file: self.file.path.clone(),
            workspace: self.workspace.clone(),
        });
    }

    /// A further folder to work in. One that is no whole path, or all of the machine, is left out.
    pub(super) fn add_folder(&mut self, text: &str, from: &str) {
        let home = self.places.home.as_deref();
        let near = self.workspace.as_ref().map(|folder| folder.join(text));
        let folder = named_folder(text, home).or(near);
        match folder.map(|folder| resolve_path(&folder).unwrap_or(folder)) {
            None => self.leave_out(from, "it does not say where it begins: write the whole path"),
            Some(folder)
                if folder.parent().is_none() || home.is_some_and(|home| home.starts_with(&folder)) =>
            {
                self.leave_out(from, "this is all of your files: name the folders in it");
            }
            Some(folder) => self.out.folders.push(ImportedFolder {
                folder,
                from: shown(from),
                file: self.file.path.clone(),
                workspace: self.workspace.clone(),
            }),
        }
    }

    /// Says that something was not carried over.
    pub(super) fn leave_out(&mut self, from: &str, why: impl Into<String>) {
        self.omit(from, why.into(), Carried::No, false);
    }

    /// Says that a denial was not carried over, and that nothing stands in its place.
    pub(super) fn lose_denial(&mut self, from: &str, why: impl Into<String>) {
        self.omit(from, why.into(), Carried::No, true);
    }

    /// Says that a denial was not carried over, of what mayi asks about by itself.
    pub(super) fn note_asked(&mut self, from: &str, why: impl Into<String>) {
        self.omit(from, why.into(), Carried::Asked, true);
    }

    /// Says that something was carried over, and is not quite the same here.
    pub(super) fn note_difference(&mut self, from: &str, why: impl Into<String>) {
        self.omit(from, why.into(), Carried::Partly, false);
    }

    fn omit(&mut self, from: &str, why: String, carried: Carried, denial: bool) {
        if self.out.left_out.len() >= MOST_RULES {
            self.overflow = true;
            return;
        }
        let (from, why, file) = (shown(from), escape_line(&why), self.file.path.clone());
        add_omission(&mut self.out.left_out, OmittedRule { from, why, file, carried, denial });
    }
}

/// Takes what was left out, once.
pub(super) fn add_omission(left_out: &mut Vec<OmittedRule>, omission: OmittedRule) {
    if left_out.last() != Some(&omission) {
        left_out.push(omission);
    }
}

/// What is relative is about each of the folders that are worked in, and was about the first one alone: beside further folders,
/// an allow of less than a whole folder is about the project's, or left out.
pub(super) fn anchor_beside_folders(out: &mut ImportResult) {
    let ImportResult { rules, folders, left_out } = out;
    rules.retain_mut(|rule| {
        let meets = |folder: &ImportedFolder| {
            folder.workspace.is_none() || rule.workspace.is_none() || folder.workspace == rule.workspace
        };
        let relative = rule.pattern.split_once("(./").filter(|(_, rest)| *rest != "**)");
        let Some((selector, rest)) = relative.filter(|(selector, _)| !selector.contains('(')) else {
            return true;
        };
        if rule.effect != Effect::Allow || !folders.iter().any(meets) {
            return true;
        }
        match &rule.workspace {
            Some(project) => {
                let top = escape_glob(&project.display().to_string());
                rule.pattern = format!("{selector}({}/{rest}", top.trim_end_matches('/'));
                true
            }
            None => {
                add_omission(
                    left_out,
                    OmittedRule {
                        from: rule.from.clone(),
                        why: "it would be about the further folders too: write the whole path".to_owned(),
                        file: rule.file.clone(),
                        carried: Carried::No,
                        denial: false,
                    },
                );
                false
            }
        }
    });
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((at, _)) => escape_line(&format!("{}...", text.get(..at).unwrap_or_default())),
        None => escape_line(text),
    }
}

/// The texts of a list. Anything else in it, or in its place, is lost where it could deny something.
pub(super) fn text_items<'v>(
    value: Option<&'v Value>,
    entry: &Entry<'_>,
    rules: &mut RuleCollector<'_>,
) -> Vec<&'v str> {
    let not = |rules: &mut RuleCollector<'_>, value: &Value, why: &str| {
        let from = format!("{}: {value}", entry.from);
        let of = Entry::new(entry.effect, &from, entry.scope.clone());
        rules.take(&of, Err(why.to_owned()));
    };
    match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(|item| {
                if item.as_str().is_none() {
                    not(rules, item, "this is not a text");
                }
                item.as_str()
            })
            .collect(),
        Some(other) => {
            not(rules, other, "this is not a list of texts");
            Vec::new()
        }
    }
}
