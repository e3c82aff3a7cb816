//! `mayi bypass`: lets an agent act without asking, or makes it ask again.

use clap::{Args, ValueEnum};
use mayi_core::call::shell;
use mayi_core::config::{CommandLine, LoadedConfig, Sources, edit, load, nearest_word};

use super::confirm::ask_to_confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

pub(super) const AFTER: &str = "\
A bypassed agent runs without asking, but for what rules deny or ask about, and for what is always asked about.

Examples:
  mayi bypass claude on
  mayi bypass claude off";

/// `mayi bypass`
#[derive(Clone, Debug, Args)]
pub(crate) struct BypassArgs {
    /// The agent's name
    pub agent: String,
    /// Whether it may act without asking
    #[arg(value_enum)]
    pub state: Switch,
    /// Do not ask once more
    #[arg(long, short)]
    pub yes: bool,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// It acts without asking
    On,
    /// It asks
    Off,
}

pub(super) fn run(args: &BypassArgs, ctx: &Context) -> Result<Exit, CliError> {
    let on = args.state == Switch::On;
    if on {
        crate::person::refuse_agent_to_loosen(ctx)?;
    }
    // What the user's own file says, whatever this folder adds to it.
    let own = Sources {
        workspace: None,
        environment: std::collections::BTreeMap::new(),
        command_line: CommandLine::default(),
        ..ctx.sources.clone()
    };
    let before = load(&own)?;
    let Some(known) = before.find_agent(&args.agent) else {
        let known = before.agents.keys().map(String::as_str);
        let meant =
            nearest_word(&args.agent, known).map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        let name = mayi_core::approval::escape_line(&args.agent);
        return Err(CliError::usage(format!("no agent is called `{name}`: {meant}`mayi agents` lists them")));
    };
    let agent = known.name.as_str();
    if is_on(&before, agent) == on {
        ctx.print_note(format!(
            "nothing has changed: {agent} {} already",
            if on { "is bypassed" } else { "asks" }
        ));
        return Ok(Exit::Done);
    }
    if on {
        if let Some(by) = before.locks.bypass_lock(agent) {
            return Err(CliError::new(
                Exit::Config,
                format!("{} locks this: {agent} has to ask", by.display()),
            ));
        }
        let answer = if args.yes {
            Some(true)
        } else {
            ask_to_confirm(
                &format!("Let {agent} run commands, write files and call tools without asking you?"),
                &format!("that {agent} need not ask"),
            )?
        };
        if answer != Some(true) {
            ctx.print_note("nothing has changed");
            return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
        }
    }
    let file = own
        .own_file()
        .ok_or_else(|| CliError::internal("there is no home folder to keep a configuration in"))?;
    edit::set_bypass(file, &own.pattern_bases(), &before, agent, on)?;
    let place = file.display();
    if on {
        ctx.print_note(format!(
            "{agent} is bypassed from now on: what would have been asked about just runs"
        ));
        ctx.print_note(
            "still asked: what a rule asks about, and what is always asked about; a denial stays a denial",
        );
        ctx.print_note(format!(
            "written to {place}; take it back with: mayi bypass {} off",
            shell::join_words(&[agent.to_owned()])
        ));
    } else {
        ctx.print_note(format!("{agent} asks again"));
        ctx.print_note(format!("written to {place}"));
    }
    let here = ctx.load()?;
    if is_on(&here, agent) != on {
        ctx.print_note(format!(
            "in this folder it stays {}: `mayi config show` says where that is written",
            if on { "off" } else { "on" }
        ));
    }
    Ok(Exit::Done)
}

fn is_on(loaded: &LoadedConfig, agent: &str) -> bool {
    loaded.policy.agents.get(agent).is_some_and(|settings| settings.bypass_permissions)
}
