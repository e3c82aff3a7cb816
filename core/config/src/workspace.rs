//! The folder's own file, `.mayi.toml`: an attacker's until `mayi trust` was said of it, so nothing in
//! it loosens, and a broken one asks about everything (D5.8).

use std::path::Path;

use super::ids::{Clash, Ids};
use super::load::Loading;
use super::read::{self, File};
use super::trust::{Standing, Trust};
use super::{ConfigError, Layer, Transport};
use mayi_kept::approval::visible;
use mayi_policy::Effect;

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
    let standing = standing(loading, path, &text);
    let starts = matches!(standing, Standing::Trusted);
    if let Some(Clash { message, help }) = Ids::of(&loading.agents, &file.agents, starts).clash {
        let error = ConfigError::of_file(Layer::Workspace, path, message, Some(help));
        return broken(loading, path, &error);
    }
    match standing {
        Standing::Trusted => trusted(loading, path, file),
        standing => untrusted(loading, path, file, standing),
    }
}

fn standing(loading: &mut Loading<'_>, path: &Path, text: &str) -> Standing {
    match Trust::read(&loading.sources.folders) {
        Ok(trust) => trust.workspace(path, text),
        Err(error) => {
            loading.notices.push(visible(&format!("{}; nothing is trusted", error.one_line())));
            Standing::Unknown
        }
    }
}

/// As a file of the user's own, but for what is protected: a workspace can only add to that.
fn trusted(loading: &mut Loading<'_>, path: &Path, mut file: File) {
    let except = std::mem::take(&mut file.except).len();
    loading.take(Layer::Workspace, path, file);
    if except > 0 {
        let what = if except == 1 { "1 exception".to_owned() } else { format!("{except} exceptions") };
        let is = if except == 1 { "is" } else { "are" };
        loading.notices.push(visible(&format!(
            "{}: {what} from protection {is} ignored: write what you mean into your own file",
            path.display()
        )));
    }
}

fn untrusted(loading: &mut Loading<'_>, path: &Path, file: File, standing: Standing) {
    let mut ignored = too_loose(&file);
    let mut scalars = file.scalars;
    Ids::of(&loading.agents, &file.agents, false).settle(&mut scalars);
    for mut rule in file.rules.into_iter().filter(|rule| rule.effect != Effect::Allow) {
        // An ask that yields could take the place of something stricter.
        rule.holds = true;
        loading.rules.push(rule);
    }
    loading.protect(Layer::Workspace, path, file.add);
    let scalars = loading.lay(Layer::Workspace, scalars, true);
    ignored.extend(scalars.into_iter().map(|ignored| one(ignored.what)));
    if let Some(list) = listed(&ignored) {
        let why = match standing {
            Standing::Changed => {
                "the file has changed since you trusted it; look at it, then say `mayi trust`"
            }
            _ if path.is_symlink() => "the file is a link, and `mayi trust` follows none",
            _ => "a file in a repository may only tighten, until you look at it and say `mayi trust`",
        };
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

/// Each thing in `file` that trust would make count, one a line; the settings are looked at by whoever
/// has the layers below.
pub(super) fn loosened(file: &File) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in &file.rules {
        let what = match rule.effect {
            Effect::Allow => "allows",
            Effect::Ask if !rule.holds => "asks, but not in mode auto nor for bypassed agents:",
            _ => continue,
        };
        let unless = rule.unless.as_ref().map(|unless| format!(", unless {unless}")).unwrap_or_default();
        let agents = match rule.agents.as_slice() {
            [] => String::new(),
            agents => format!(", for {}", agents.join(", ")),
        };
        let line = rule.origin.line.map(|line| format!("  (line {line})")).unwrap_or_default();
        lines.push(format!("{what} {}{unless}{agents}{line}", rule.pattern));
    }
    for agent in &file.agents {
        if let Some(command) = &agent.command {
            lines.push(format!("starts {} with: {}", agent.name, mayi_call::shell::join(command)));
        }
        for (name, value) in &agent.env {
            lines.push(format!("gives {} the variable {name}={value}", agent.name));
        }
    }
    for server in &file.servers {
        match &server.transport {
            Some(Transport::Stdio { command, env }) => {
                let env: String = env.iter().map(|(name, value)| format!("{name}={value} ")).collect();
                let command = mayi_call::shell::join(command);
                lines.push(format!("starts the server {} with: {env}{command}", server.name));
            }
            Some(Transport::Http { url, headers }) => {
                let names: Vec<&str> = headers.keys().map(String::as_str).collect();
                let headers = match names.as_slice() {
                    [] => String::new(),
                    names => format!(", with the headers {}", names.join(", ")),
                };
                lines.push(format!("reaches the server {} at {url}{headers}", server.name));
            }
            None => {}
        }
    }
    lines
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
