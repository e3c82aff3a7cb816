//! `mayi doctor`: whether everything that mayi needs is there, and what to do where it is not.

use std::path::Path;

use mayi_core::approval::visible;
use mayi_core::config::{AgentCommand, Layer, Loaded, check_file, find_program};
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
struct Finding {
    check: String,
    status: Status,
    detail: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

impl Finding {
    fn new(status: Status, check: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { check: check.into(), status, detail: detail.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

pub(super) fn doctor(args: ListArgs, ctx: &Context) -> Result<Exit, CliError> {
    let mut findings = vec![version()];
    findings.extend(configuration(ctx));
    findings.push(terminal());
    findings.push(state(ctx));
    findings.extend(["node", "npx"].map(node));
    findings.extend(hooks(ctx));
    // Without a configuration there is still something to say about the rest.
    if let Ok(loaded) = mayi_core::config::load(&ctx.sources) {
        findings.extend(agents(&loaded));
        findings
            .extend(loaded.policy.notices.iter().map(|notice| Finding::new(Status::Warn, "notice", notice)));
    }
    for finding in &findings {
        if args.json {
            print::json(finding)?;
        } else if !(ctx.quiet && finding.status == Status::Ok) {
            tell(finding, ctx.color())?;
        }
    }
    let failed = findings.iter().any(|finding| finding.status == Status::Fail);
    Ok(if failed { Exit::Internal } else { Exit::Done })
}

fn tell(finding: &Finding, color: bool) -> Result<(), CliError> {
    let (word, style) = match finding.status {
        Status::Ok => ("ok  ", console::Style::new().green()),
        Status::Warn => ("warn", console::Style::new().yellow()),
        Status::Fail => ("fail", console::Style::new().red().bold()),
    };
    let word = style.force_styling(color).apply_to(word);
    print::line(format!("{word}  {}: {}", finding.check, visible(&finding.detail)))?;
    match &finding.help {
        Some(help) => Ok(print::line(format!("      {}", visible(help)))?),
        None => Ok(()),
    }
}

fn version() -> Finding {
    let place = std::env::current_exe().map(|path| format!(" at {}", path.display())).unwrap_or_default();
    Finding::new(Status::Ok, "mayi", format!("version {}{place}", env!("CARGO_PKG_VERSION")))
}

fn configuration(ctx: &Context) -> Vec<Finding> {
    let places = ctx.sources.places();
    let one = |file: mayi_core::config::SeenFile| {
        let check = format!("{} configuration", file.layer);
        let path = file.path.display();
        if !file.found && ctx.sources.only.is_none() {
            return vec![Finding::new(Status::Ok, check, format!("none ({path})"))];
        }
        match check_file(file.layer, &file.path, &places) {
            Ok(rules) => vec![Finding::new(Status::Ok, check, format!("{path}, rules: {rules}"))],
            Err(errors) => {
                // A broken file of a folder stops nothing: everything is asked about there.
                let status = if file.layer == Layer::Workspace { Status::Warn } else { Status::Fail };
                let tell = |error: &mayi_core::config::ConfigError| {
                    let line = error.line().map(|line| format!(":{line}")).unwrap_or_default();
                    let finding = Finding::new(status, &check, format!("{path}{line}: {}", error.message()));
                    match error.hint() {
                        Some(hint) => finding.help(hint),
                        None => finding,
                    }
                };
                errors.all().iter().map(tell).collect()
            }
        }
    };
    config::files(ctx).into_iter().flat_map(one).collect()
}

#[cfg(unix)]
fn terminal() -> Finding {
    match std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty") {
        Ok(_) => Finding::new(Status::Ok, "terminal", "questions are asked at /dev/tty"),
        Err(_) => {
            Finding::new(Status::Warn, "terminal", "none here, so nobody can be asked: questions are denied")
                .help("start mayi in a terminal, or write rules for what an agent may do")
        }
    }
}

#[cfg(not(unix))]
fn terminal() -> Finding {
    Finding::new(Status::Warn, "terminal", "questions can't be asked on this system yet: they are denied")
}

fn state(ctx: &Context) -> Finding {
    let Ok(folder) = ctx.state_folder() else {
        return Finding::new(Status::Fail, "state folder", "there is no home folder")
            .help("set HOME, or XDG_STATE_HOME");
    };
    let place = folder.display();
    if folder.exists() && !folder.is_dir() {
        return Finding::new(Status::Fail, "state folder", format!("{place} is not a folder"))
            .help("move it away");
    }
    let nearest = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    if !writable(nearest) {
        return Finding::new(Status::Fail, "state folder", format!("{place} can't be written"))
            .help(format!("let your user write {}, or set XDG_STATE_HOME", nearest.display()));
    }
    let later = if folder.exists() { "" } else { " (made when it is needed)" };
    Finding::new(Status::Ok, "state folder", format!("{place}{later}"))
}

#[cfg(unix)]
fn writable(folder: &Path) -> bool {
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    folder.is_dir() && rustix::fs::access(folder, access).is_ok()
}

#[cfg(not(unix))]
fn writable(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|meta| meta.is_dir() && !meta.permissions().readonly())
}

fn node(program: &str) -> Finding {
    match find_program(program) {
        Some(path) => Finding::new(Status::Ok, program, path.display().to_string()),
        None => Finding::new(Status::Warn, program, "not found: claude and codex are started with npx")
            .help("install Node.js, or give those agents a `command` of your own"),
    }
}

/// Hooks that are in place, and whether one has ever run: some harnesses skip them without a word.
fn hooks(ctx: &Context) -> Vec<Finding> {
    let found = match hook::installed(ctx) {
        Ok(found) => found,
        Err(_) => {
            return vec![Finding::new(
                Status::Warn,
                "hooks",
                "the record can't be read, so nothing tells whether one ran",
            )];
        }
    };
    let one = |hook: hook::Installed| {
        let check = format!("hook of {}", hook.title);
        let place = hook.file.display().to_string();
        match (hook.not_in_force.first(), hook.last_event) {
            (Some(why), _) => Finding::new(Status::Fail, check, format!("{place}: not in force: {why}"))
                .help("mayi hook status says all of it; its tool calls are not gated until then"),
            (None, None) => Finding::new(Status::Warn, check, format!("{place}: it has never run"))
                .help(format!("let {} run a tool once; if it stays so, it skips the hook", hook.title)),
            (None, Some(at)) => Finding::new(Status::Ok, check, format!("{place}, ran last at {at:.0}")),
        }
    };
    found.into_iter().map(one).collect()
}

fn agents(loaded: &Loaded) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut here = Vec::new();
    for agent in loaded.agents.values() {
        match agent.command.as_ref().map(AgentCommand::program) {
            Some(Some(_)) => here.push(agent.name.as_str()),
            // Those that mayi knows by itself need not be there.
            Some(None) if agent.preset => {}
            Some(None) => {
                let words = agent.command.as_ref().map(AgentCommand::words).unwrap_or_default();
                let program = words.first().cloned().unwrap_or_default();
                findings.push(
                    Finding::new(
                        Status::Fail,
                        format!("agent {}", agent.name),
                        format!("{program} is not found"),
                    )
                    .help(format!("install it, or change `command` under [agents.{}]", agent.name)),
                );
            }
            None => findings.push(
                Finding::new(Status::Warn, format!("agent {}", agent.name), "has settings and no command")
                    .help(format!("write `command = [...]` under [agents.{}]", agent.name)),
            ),
        }
    }
    let only_demo = here == ["demo"];
    let found = Finding::new(if only_demo { Status::Warn } else { Status::Ok }, "agents", here.join(", "));
    let help = "only the demo agent is here: `mayi agents` says how to get others";
    findings.push(if only_demo { found.help(help) } else { found });
    findings
}
