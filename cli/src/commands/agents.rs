//! `mayi agents`: who there is, and how each is set.

use mayi_core::approval::escape_line;
use mayi_core::call::shell;
use mayi_core::config::{AgentCommand, AgentLaunch, Asks, LoadedConfig};
use mayi_core::policy::Mode;
use serde::Serialize;

use super::config::SourceLocation;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::ListArgs;
use crate::print;

/// One line of `--json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    name: &'a str,
    title: &'a str,
    /// Program and arguments; none if only settings are known.
    command: Option<Vec<String>>,
    /// Whether the program is there, and where.
    found: bool,
    program: Option<String>,
    install: Option<&'a str>,
    mode: Mode,
    bypass_permissions: bool,
    asking_mode: Option<&'a str>,
    /// Whether it asks before it acts; none: that is not known.
    asks: Option<bool>,
    /// The version that was tried.
    tried: Option<&'static str>,
    /// The command is one that mayi knows by itself.
    preset: bool,
    origin: SourceLocation<'a>,
}

impl<'a> Row<'a> {
    fn new(agent: &'a AgentLaunch, loaded: &LoadedConfig) -> Self {
        let settings = loaded.policy.agents.get(&agent.name);
        let program = agent.command.as_ref().and_then(AgentCommand::program_path);
        Self {
            name: &agent.name,
            title: &agent.title,
            command: agent.command.as_ref().map(AgentCommand::words),
            found: program.is_some(),
            program: program.map(|path| path.display().to_string()),
            install: agent.install,
            mode: settings.and_then(|settings| settings.mode).unwrap_or(loaded.policy.mode),
            bypass_permissions: settings.is_some_and(|settings| settings.bypass_permissions),
            asking_mode: agent.asking_mode.as_deref(),
            asks: match agent.asks {
                Asks::Tried(_) => Some(true),
                Asks::NotKnown => None,
            },
            tried: match agent.asks {
                Asks::Tried(version) => Some(version),
                Asks::NotKnown => None,
            },
            preset: agent.preset,
            origin: SourceLocation::from_origin(&agent.origin),
        }
    }

    /// Whether it asks, as far as that is known.
    fn asks_text(&self) -> String {
        match (self.asks, self.tried) {
            (Some(true), Some(version)) => format!("yes ({version})"),
            (Some(asks), _) => if asks { "yes" } else { "no" }.to_owned(),
            (None, _) => "not known".to_owned(),
        }
    }

    fn starts_with(&self, built_in: bool) -> String {
        match &self.command {
            _ if built_in => "built in".to_owned(),
            Some(words) => escape_line(&shell::join_words(words)),
            None => "no command".to_owned(),
        }
    }

    fn remedy_text(&self) -> String {
        match (&self.command, self.install) {
            (None, _) => format!("write `command = [...]` under [agents.{}]", self.name),
            (Some(_), Some(install)) => install.to_owned(),
            (Some(words), None) => {
                format!("{} is not in PATH", escape_line(words.first().map_or("the program", String::as_str)))
            }
        }
    }
}

pub(super) fn list(args: ListArgs, ctx: &Context) -> Result<Exit, CliError> {
    let loaded = ctx.load()?;
    let rows: Vec<(Row<'_>, bool)> = loaded
        .agents
        .values()
        .map(|agent| (Row::new(agent, &loaded), agent.command == Some(AgentCommand::BuiltIn)))
        .collect();
    if args.json {
        for (row, _) in &rows {
            print::stdout_json(row)?;
        }
        return Ok(Exit::Done);
    }
    ctx.print_notices(&loaded);
    let head = ["NAME", "MODE", "BYPASS", "ASKS", "STARTED WITH"].map(str::to_owned).to_vec();
    let here = rows.iter().filter(|(row, _)| row.found).map(|(row, built_in)| {
        let bypass = if row.bypass_permissions { "on" } else { "off" };
        vec![
            row.name.to_owned(),
            row.mode.to_string(),
            bypass.to_owned(),
            row.asks_text(),
            row.starts_with(*built_in),
        ]
    });
    for line in print::align_columns(&std::iter::once(head).chain(here).collect::<Vec<_>>()) {
        print::stdout_line(line)?;
    }
    let missing: Vec<Vec<String>> = rows
        .iter()
        .filter(|(row, _)| !row.found)
        .map(|(row, built_in)| {
            vec![row.name.to_owned(), row.asks_text(), row.starts_with(*built_in), row.remedy_text()]
        })
        .collect();
    if !missing.is_empty() && !ctx.quiet {
        print::stdout_line("")?;
        print::stdout_line("not installed:")?;
        for line in print::align_columns(&missing) {
            print::stdout_line(format!("  {line}"))?;
        }
    }
    Ok(Exit::Done)
}
