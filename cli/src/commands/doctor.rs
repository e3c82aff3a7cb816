//! `mayi doctor`: whether everything that mayi needs is there, and what to do where it is not.

use std::path::Path;

use mayi_core::approval::escape_line;
use mayi_core::config::{AgentCommand, Layer, LoadedConfig, check_file, find_program};
use serde::Serialize;

use super::{CliError, Context, config, hook};
use crate::exit::Exit;
use crate::options::ListArgs;
use crate::print;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Warn,
    Fail,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Diagnosis {
    check: String,
    status: Status,
    detail: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

impl Diagnosis {
    fn new(status: Status, check: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { check: check.into(), status, detail: detail.into(), help: None }
    }

    fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

pub(super) fn run(args: ListArgs, ctx: &Context) -> Result<Exit, CliError> {
    let mut findings = vec![check_version()];
    findings.extend(check_configuration(ctx));
    findings.push(check_terminal());
    findings.push(check_state_folder(ctx));
    findings.push(check_sandbox());
    findings.extend(["node", "npx"].map(check_node_program));
    findings.extend(check_hooks(ctx));
    // Without a configuration there is still something to say about the rest.
    if let Ok(loaded) = mayi_core::config::load(&ctx.sources) {
        findings.extend(check_agents(&loaded));
        findings.extend(
            loaded.full_notices().into_iter().map(|notice| Diagnosis::new(Status::Warn, "notice", notice)),
        );
    }
    for finding in &findings {
        if args.json {
            print::stdout_json(finding)?;
        } else if !(ctx.quiet && finding.status == Status::Ok) {
            print_diagnosis(finding, ctx.is_stdout_colored())?;
        }
    }
    let failed = findings.iter().any(|finding| finding.status == Status::Fail);
    Ok(if failed { Exit::Internal } else { Exit::Done })
}

fn print_diagnosis(finding: &Diagnosis, color: bool) -> Result<(), CliError> {
    let (word, style) = match finding.status {
        Status::Ok => ("ok  ", console::Style::new().green()),
        Status::Warn => ("warn", console::Style::new().yellow()),
        Status::Fail => ("fail", console::Style::new().red().bold()),
    };
    let word = style.force_styling(color).apply_to(word);
    print::stdout_line(format!("{word}  {}: {}", finding.check, escape_line(&finding.detail)))?;
    match &finding.help {
        Some(help) => Ok(print::stdout_line(format!("      {}", escape_line(help)))?),
        None => Ok(()),
    }
}

fn check_version() -> Diagnosis {
    let place = std::env::current_exe().map(|path| format!(" at {}", path.display())).unwrap_or_default();
    Diagnosis::new(Status::Ok, "mayi", format!("version {}{place}", env!("CARGO_PKG_VERSION")))
}

fn check_configuration(ctx: &Context) -> Vec<Diagnosis> {
    let places = ctx.sources.pattern_bases();
    let one = |file: mayi_core::config::SearchedFile| {
        let check = format!("{} configuration", file.layer);
        let path = file.path.display();
        if !file.found && ctx.sources.only.is_none() {
            return vec![Diagnosis::new(Status::Ok, check, format!("none ({path})"))];
        }
        match check_file(file.layer, &file.path, &places) {
            Ok(rules) => vec![Diagnosis::new(Status::Ok, check, format!("{path}, rules: {rules}"))],
            Err(errors) => {
                // A broken file of a folder stops nothing: everything is asked about there.
                let status = if file.layer == Layer::Workspace { Status::Warn } else { Status::Fail };
                let tell = |error: &mayi_core::config::ConfigError| {
                    let line = error.line().map(|line| format!(":{line}")).unwrap_or_default();
                    let finding =
                        Diagnosis::new(status, &check, format!("{path}{line}: {}", error.message()));
                    match error.hint() {
                        Some(hint) => finding.with_help(hint),
                        None => finding,
                    }
                };
                errors.all().iter().map(tell).collect()
            }
        }
    };
    config::source_files(ctx).into_iter().flat_map(one).collect()
}

#[cfg(unix)]
fn check_terminal() -> Diagnosis {
    match std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty") {
        Ok(_) => Diagnosis::new(Status::Ok, "terminal", "questions are asked at /dev/tty"),
        Err(_) => Diagnosis::new(
            Status::Warn,
            "terminal",
            "none here, so nobody can be asked: questions are denied",
        )
        .with_help("start mayi in a terminal, or write rules for what an agent may do"),
    }
}

#[cfg(not(unix))]
fn check_terminal() -> Diagnosis {
    Diagnosis::new(Status::Warn, "terminal", "questions can't be asked on this system yet: they are denied")
}

/// By what a command of `mayi exec` is held.
fn check_sandbox() -> Diagnosis {
    let (tier, why) = mayi_sandbox::available_tier();
    let status = if tier == mayi_sandbox::Tier::Full { Status::Ok } else { Status::Warn };
    let found =
        Diagnosis::new(status, "sandbox", format!("commands of `mayi exec` are held by the {tier} tier"));
    match why {
        Some(why) => found.with_help(format!("why not more: {why}")),
        None => found,
    }
}

fn check_state_folder(ctx: &Context) -> Diagnosis {
    let Ok(folder) = ctx.state_folder() else {
        return Diagnosis::new(Status::Fail, "state folder", "there is no home folder")
            .with_help("set HOME, or XDG_STATE_HOME");
    };
    let place = folder.display();
    if folder.exists() && !folder.is_dir() {
        return Diagnosis::new(Status::Fail, "state folder", format!("{place} is not a folder"))
            .with_help("move it away");
    }
    let nearest = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    if !is_writable(nearest) {
        return Diagnosis::new(Status::Fail, "state folder", format!("{place} can't be written"))
            .with_help(format!("let your user write {}, or set XDG_STATE_HOME", nearest.display()));
    }
    let later = if folder.exists() { "" } else { " (made when it is needed)" };
    Diagnosis::new(Status::Ok, "state folder", format!("{place}{later}"))
}

#[cfg(unix)]
fn is_writable(folder: &Path) -> bool {
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    folder.is_dir() && rustix::fs::access(folder, access).is_ok()
}

#[cfg(not(unix))]
fn is_writable(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|meta| meta.is_dir() && !meta.permissions().readonly())
}

fn check_node_program(program: &str) -> Diagnosis {
    match find_program(program) {
        Some(path) => Diagnosis::new(Status::Ok, program, path.display().to_string()),
        None => Diagnosis::new(Status::Warn, program, "not found: claude and codex are started with npx")
            .with_help("install Node.js, or give those agents a `command` of your own"),
    }
}

/// Hooks that are in place, and whether one has ever run: some harnesses skip them without a word.
fn check_hooks(ctx: &Context) -> Vec<Diagnosis> {
    let found = match hook::installed_hooks(ctx) {
        Ok(found) => found,
        Err(_) => {
            return vec![Diagnosis::new(
                Status::Warn,
                "hooks",
                "the record can't be read, so nothing tells whether one ran",
            )];
        }
    };
    let one = |hook: hook::InstalledHook| {
        let check = format!("hook of {}", hook.title);
        let place = hook.file.display().to_string();
        match (hook.not_in_force.first(), hook.last_event) {
            (Some(why), _) => Diagnosis::new(Status::Fail, check, format!("{place}: not in force: {why}"))
                .with_help("mayi hook status says all of it; its tool calls are not gated until then"),
            (None, None) => Diagnosis::new(Status::Warn, check, format!("{place}: it has never run"))
                .with_help(format!("let {} run a tool once; if it stays so, it skips the hook", hook.title)),
            (None, Some(at)) => Diagnosis::new(Status::Ok, check, format!("{place}, ran last at {at:.0}")),
        }
    };
    let rules = |hook: &hook::InstalledHook| {
        let check = format!("rules of the hook of {}", hook.title);
        match (&hook.rules, hook::other_rules(hook, ctx)) {
            (_, Some(other)) => Diagnosis::new(Status::Warn, check, other).with_help(
                "install it anew from where its rules are, or write them into the file that it reads",
            ),
            (Some(file), None) => Diagnosis::new(Status::Ok, check, file.display().to_string()),
            (None, None) => Diagnosis::new(Status::Warn, check, "which file it reads can't be told"),
        }
    };
    let rules: Vec<Diagnosis> = found.iter().map(rules).collect();
    found.into_iter().map(one).chain(rules).collect()
}

fn check_agents(loaded: &LoadedConfig) -> Vec<Diagnosis> {
    let mut findings = Vec::new();
    let mut here = Vec::new();
    for agent in loaded.agents.values() {
        match agent.command.as_ref().map(AgentCommand::program_path) {
            Some(Some(_)) => here.push(agent.name.as_str()),
            // Those that mayi knows by itself need not be there.
            Some(None) if agent.preset => {}
            Some(None) => {
                let words = agent.command.as_ref().map(AgentCommand::words).unwrap_or_default();
                let program = words.first().cloned().unwrap_or_default();
                findings.push(
                    Diagnosis::new(
                        Status::Fail,
                        format!("agent {}", agent.name),
                        format!("{program} is not found"),
                    )
                    .with_help(format!("install it, or change `command` under [agents.{}]", agent.name)),
                );
            }
            None => findings.push(
                Diagnosis::new(Status::Warn, format!("agent {}", agent.name), "has settings and no command")
                    .with_help(format!("write `command = [...]` under [agents.{}]", agent.name)),
            ),
        }
    }
    let only_demo = here == ["demo"];
    let found = Diagnosis::new(if only_demo { Status::Warn } else { Status::Ok }, "agents", here.join(", "));
    let help = "only the demo agent is here: `mayi agents` says how to get others";
    findings.push(if only_demo { found.with_help(help) } else { found });
    findings
}
