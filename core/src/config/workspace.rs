//! The folder's own file, `.mayi.toml`: an attacker's, so nothing in it loosens, and a broken one
//! asks about everything (decisions, section 5).

use std::path::Path;

use super::load::Loading;
use super::read::{self, File};
use super::{ConfigError, Layer};
use crate::approval::visible;
use crate::policy::Effect;

/// Lays the file at `path` over what is there already.
pub(super) fn lay(loading: &mut Loading<'_>, path: &Path) {
    let text = match loading.text(Layer::Workspace, path) {
        Ok(Some(text)) => text,
        Ok(None) => return,
        Err(error) => return broken(loading, path, &error),
    };
    let file = match read::read(Layer::Workspace, path, &text, &loading.places) {
        Ok(file) => file,
        Err(errors) => {
            if let Some(error) = errors.first() {
                broken(loading, path, error);
            }
            return;
        }
    };
    let mut ignored = too_loose(&file);
    for mut rule in file.rules.into_iter().filter(|rule| rule.effect != Effect::Allow) {
        // An ask that yields could take the place of something stricter.
        rule.holds = true;
        loading.rules.push(rule);
    }
    loading.protect(path, file.add);
    ignored.extend(loading.lay(Layer::Workspace, file.scalars).into_iter().map(|ignored| one(ignored.what)));
    if let Some(list) = listed(&ignored) {
        let why = "a file in a repository may only tighten, until a later version brings `mayi trust`";
        loading.notices.push(visible(&format!("{}: {list} ignored: {why}", path.display())));
    }
}

/// What the file says goes to the person, and never into a reason: reasons are passed on to models.
fn broken(loading: &mut Loading<'_>, path: &Path, error: &ConfigError) {
    let line = error.line().map(|line| format!(", line {line},")).unwrap_or_default();
    loading.ask_all =
        Some(format!("{}{line} was not understood, so everything is asked about", path.display()));
    loading.notices.push(visible(&format!("{}; everything is asked about here", error.one_line())));
}

/// Something that is ignored, and whether it is many.
type Item = (String, bool);

fn one(what: String) -> Item {
    (what, false)
}

/// What can't be laid over anything, whatever is there.
fn too_loose(file: &File) -> Vec<Item> {
    let mut items = Vec::new();
    let mut count = |number: usize, singular: &str, plural: &str| match number {
        0 => {}
        1 => items.push((format!("1 {singular}"), false)),
        _ => items.push((format!("{number} {plural}"), true)),
    };
    let rules = |effect| file.rules.iter().filter(move |rule| rule.effect == effect);
    count(rules(Effect::Allow).count(), "allow rule", "allow rules");
    count(file.except.len(), "exception from protection", "exceptions from protection");
    if rules(Effect::Ask).any(|rule| !rule.holds) {
        items.push(one("`always = false`".to_owned()));
    }
    for agent in &file.agents {
        if agent.command.is_some() {
            items.push(one(format!("the command of {}", agent.name)));
        }
        if !agent.env.is_empty() {
            items.push(one(format!("the environment of {}", agent.name)));
        }
    }
    for server in file.servers.iter().filter(|server| server.transport.is_some()) {
        items.push(one(format!("the server {}", server.name)));
    }
    items
}

/// `a, b and c are`.
fn listed(items: &[Item]) -> Option<String> {
    let ((last, many), rest) = items.split_last()?;
    if rest.is_empty() {
        return Some(format!("{last} {}", if *many { "are" } else { "is" }));
    }
    let rest: Vec<&str> = rest.iter().map(|(what, _)| what.as_str()).collect();
    Some(format!("{} and {last} are", rest.join(", ")))
}
