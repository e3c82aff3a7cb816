//! Rules that allow changes where no session works: what lies outside of its folders is asked about always (D4.10).

use std::path::{Component, Path, PathBuf};

use super::build_policy::format_origin;
use super::load::LoadedConfig;
use mayi_call::resolve_path;
use mayi_kept::approval::escape_line;
use mayi_policy::Effect;

impl LoadedConfig {
    /// What to tell of rules that allow changes outside of where sessions in `cwd` work, one line each: they take no effect
    /// there.
    #[must_use]
    pub fn rules_outside(&self, cwd: &Path, home: Option<&Path>) -> Vec<String> {
        let real = |folder: &Path| resolve_path(folder).unwrap_or_else(|_| folder.to_owned());
        let inside: Vec<PathBuf> =
            std::iter::once(cwd).chain(self.folders.iter().map(PathBuf::as_path)).map(real).collect();
        let mut lines = Vec::new();
        for rule in self.policy.rules.loaded_rules().filter(|rule| rule.effect == Effect::Allow) {
            let Some(folder) = changed_folder(rule.pattern.as_str(), cwd, home).map(|folder| real(&folder))
            else {
                continue;
            };
            if !inside.iter().any(|own| folder.starts_with(own) || own.starts_with(&folder)) {
                lines.push(escape_line(&format!(
                    "{}: `{}` has no effect for work in {}: changes outside of the session's folders are asked about always; \
                     `folders = [\"{}\"]` under [workspace] has sessions work there too, and `--add-dir` one",
                    format_origin(&rule.origin),
                    rule.pattern,
                    cwd.display(),
                    folder.display(),
                )));
            }
        }
        lines
    }
}

/// The folder that all changes lie in which a pattern is about, if it says one.
fn changed_folder(pattern: &str, cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let (selector, argument) = pattern.split_once('(')?;
    if !["write", "create", "edit", "delete", "move"].contains(&selector.trim()) {
        return None;
    }
    let argument = argument.strip_suffix(')')?.trim();
    let known = argument.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
    // What stands behind the last slash may go on.
    let known =
        if known.len() < argument.len() { known.rsplit_once('/').map_or("", |(at, _)| at) } else { known };
    // Relative ones begin at the session's folder, and only these lead out of it.
    let mut parts = Path::new(known).components();
    if !known.starts_with(['/', '~']) && parts.any(|part| part == Component::ParentDir) {
        return Some(cwd.join(known));
    }
    crate::named_folder(known, home).filter(|folder| folder.parent().is_some())
}
