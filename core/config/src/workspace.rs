//! The folder's own file, `.mayi.toml`: an attacker's until `mayi trust` was said of it, so nothing in
//! it loosens, and a broken one asks about everything (D5.8).

use std::path::Path;

use super::ids::{AgentIds, NameClash};
use super::load::ConfigLoader;
use super::read::{self, ParsedFile};
use super::trust::{Trust, TrustState};
use super::{ConfigError, Layer, Transport};
use mayi_kept::approval::escape_line;
use mayi_policy::Effect;

/// Lays the file at `path` over what is there already.
pub(super) fn apply_workspace_file(loading: &mut ConfigLoader<'_>, path: &Path) {
    let text = match loading.read_text(Layer::Workspace, path) {
        Ok(Some(text)) => text,
        Ok(None) => return,
        Err(error) => return ask_about_everything(loading, path, &error),
    };
    let file = match read::read(Layer::Workspace, path, &text, &loading.places) {
        Ok(file) => file,
        Err(errors) => {
            if let Some(error) = errors.first() {
                ask_about_everything(loading, path, error);
            }
            return;
        }
    };
    let standing = trust_state(loading, path, &text);
    let starts = matches!(standing, TrustState::Trusted);
    if let Some(NameClash { message, help }) = AgentIds::resolve(&loading.agents, &file.agents, starts).clash
    {
        let error = ConfigError::of_file(Layer::Workspace, path, message, Some(help));
        return ask_about_everything(loading, path, &error);
    }
    match standing {
        TrustState::Trusted => apply_trusted(loading, path, file),
        standing => apply_untrusted(loading, path, file, standing),
    }
}

fn trust_state(loading: &mut ConfigLoader<'_>, path: &Path, text: &str) -> TrustState {
    match Trust::read(&loading.sources.folders) {
        Ok(trust) => trust.workspace_state(path, text),
        Err(error) => {
            loading.notices.push(escape_line(&format!("{}; nothing is trusted", error.one_line())));
            TrustState::Unknown
        }
    }
}

/// As a file of the user's own, but for what is protected: a workspace can only add to that.
fn apply_trusted(loading: &mut ConfigLoader<'_>, path: &Path, mut file: ParsedFile) {
    let except = std::mem::take(&mut file.except).len();
    loading.apply_file(Layer::Workspace, path, file);
    if except > 0 {
        let what = if except == 1 { "1 exception".to_owned() } else { format!("{except} exceptions") };
        let is = if except == 1 { "is" } else { "are" };
        loading.notices.push(escape_line(&format!(
            "{}: {what} from protection {is} ignored: write what you mean into your own file",
            path.display()
        )));
    }
}

fn apply_untrusted(loading: &mut ConfigLoader<'_>, path: &Path, file: ParsedFile, standing: TrustState) {
    let mut ignored = too_loose(&file);
    let mut scalars = file.scalars;
    AgentIds::resolve(&loading.agents, &file.agents, false).apply_to(&mut scalars);
    for mut rule in file.rules.into_iter().filter(|rule| rule.effect != Effect::Allow) {
        // An ask that yields could take the place of something stricter.
        rule.holds = true;
        loading.rules.push(rule);
    }
    loading.add_protection(Layer::Workspace, path, file.add);
    let scalars = loading.apply_scalars(Layer::Workspace, scalars, true);
    ignored.extend(scalars.into_iter().map(|ignored| singular_item(ignored.what)));
    if let Some(list) = join_with_verb(&ignored) {
        let why = match standing {
            TrustState::Changed => {
                "the file has changed since you trusted it; look at it, then say `mayi trust`"
            }
            _ if path.is_symlink() => "the file is a link, and `mayi trust` follows none",
            _ => "a file in a repository may only tighten, until you look at it and say `mayi trust`",
        };
        loading.notices.push(escape_line(&format!("{}: {list} ignored: {why}", path.display())));
    }
}

/// What the file says goes to the person, and never into a reason: reasons are passed on to models.
fn ask_about_everything(loading: &mut ConfigLoader<'_>, path: &Path, error: &ConfigError) {
    let line = error.line().map(|line| format!(", line {line},")).unwrap_or_default();
    loading.ask_all =
        Some(format!("{}{line} was not understood, so everything is asked about", path.display()));
    loading.notices.push(escape_line(&format!("{}; everything is asked about here", error.one_line())));
}

/// Something that is ignored, and whether it is many.
type IgnoredItem = (String, bool);

fn singular_item(what: String) -> IgnoredItem {
    (what, false)
}

/// What can't be laid over anything, whatever is there.
fn too_loose(file: &ParsedFile) -> Vec<IgnoredItem> {
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
        items.push(singular_item("`always = false`".to_owned()));
    }
    for agent in &file.agents {
        if agent.command.is_some() {
            items.push(singular_item(format!("the command of {}", agent.name)));
        }
        if !agent.env.is_empty() {
            items.push(singular_item(format!("the environment of {}", agent.name)));
        }
    }
    for server in file.servers.iter().filter(|server| server.transport.is_some()) {
        items.push(singular_item(format!("the server {}", server.name)));
    }
    items
}

/// Each thing in `file` that trust would make count, one a line; the settings are looked at by whoever
/// has the layers below.
pub(super) fn loosening_lines(file: &ParsedFile) -> Vec<String> {
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
            lines.push(format!("starts {} with: {}", agent.name, mayi_call::shell::join_words(command)));
        }
        for (name, value) in &agent.env {
            lines.push(format!("gives {} the variable {name}={value}", agent.name));
        }
    }
    for server in &file.servers {
        match &server.transport {
            Some(Transport::Stdio { command, env }) => {
                let env: String = env.iter().map(|(name, value)| format!("{name}={value} ")).collect();
                let command = mayi_call::shell::join_words(command);
                lines.push(format!("starts the server {} with: {env}{command}", server.name));
            }
            Some(Transport::Http { url, headers } | Transport::Sse { url, headers }) => {
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
fn join_with_verb(items: &[IgnoredItem]) -> Option<String> {
    let ((last, many), rest) = items.split_last()?;
    if rest.is_empty() {
        return Some(format!("{last} {}", if *many { "are" } else { "is" }));
    }
    let rest: Vec<&str> = rest.iter().map(|(what, _)| what.as_str()).collect();
    Some(format!("{} and {last} are", rest.join(", ")))
}
