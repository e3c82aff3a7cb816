//! From options and configuration to what a run needs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mayi_acp::{AskingMode, Launch, OfferedCapabilities, OpenSession};
use mayi_core::call::{AgentId, SessionId, is_too_wide};
use mayi_core::config::{
    AgentCommand, AgentLaunch, Asks, LoadedConfig, OnUnasked, ServerLaunch, Trust, edit, nearest_word,
};
use mayi_core::gate::{Asking, OnAsk};
use mayi_core::policy::Mode;

use super::args::{OnAskArg, RunArgs};
use crate::context::Context;
use crate::error::CliError;

/// What a run needs.
pub(super) struct Setup {
    pub(super) agent: AgentId,
    pub(super) launch: Launch,
    pub(super) offer: OfferedCapabilities,
    pub(super) open: OpenSession,
    /// The configured MCP servers that go into the session.
    pub(super) servers: Vec<ServerLaunch>,
    pub(super) asking: Asking,
    pub(super) mode: Mode,
    pub(super) on_unasked: OnUnasked,
}

impl Setup {
    pub(super) fn new(
        args: &RunArgs,
        ctx: &Context,
        loaded: &LoadedConfig,
        terminal: bool,
    ) -> Result<Self, CliError> {
        let cwd = ctx
            .cwd
            .canonicalize()
            .map_err(|error| CliError::usage(format!("{}: {error}", ctx.cwd.display())))?;
        check_root(&cwd, ctx.cwd_named)?;
        let on_ask = on_ask(args, terminal)?;
        let AgentProfile {
            id: agent,
            command,
            env,
            asking_mode,
            asks,
            missing_files_are_empty,
            on_unasked,
            install,
            built_in: own,
        } = agent_of(args, loaded)?;
        let folder = agent_folder(ctx, &agent)?;
        let trust = Trust::read(&ctx.sources.folders).unwrap_or_default();
        let roots = std::iter::once(&cwd).chain(&loaded.folders).cloned().collect();
        let launch = Launch { command, env, folder, roots, trust, own, install };
        let resume = resume_of(args, ctx, &agent, &cwd)?;
        check_mode_allowed(args.mode, &agent, loaded)?;
        if let Some(by) = loaded.locks.bypass_lock(agent.as_str()).filter(|_| args.bypass) {
            let by = by.display();
            return Err(CliError::usage(format!("`--bypass` is not allowed for {agent}: {by} locks it")));
        }
        let mode = loaded.policy.mode_of(&agent, args.mode);
        let open = OpenSession {
            agent: agent.clone(),
            cwd,
            more_roots: loaded.folders.clone(),
            servers: Vec::new(),
            behind: None,
            mode: args.mode,
            asking_mode: asking_mode.map(AskingMode),
            asks,
            resume,
        };
        let offer =
            OfferedCapabilities { fs: !args.no_fs, terminal: !args.no_terminal, missing_files_are_empty };
        let asking = Asking { on_ask, limit: args.approval_timeout };
        let servers = super::servers::select_servers(args, loaded)?;
        Ok(Self { agent, launch, offer, open, servers, asking, mode, on_unasked })
    }
}

impl Setup {
    /// Makes the folder that the agent starts in: once everything else is in order.
    pub(super) fn make_folder(&self) -> Result<(), CliError> {
        let folder = &self.launch.folder;
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder).map_err(|error| {
            CliError::internal(format!("the folder {} can't be made: {error}", folder.display()))
        })
    }
}

/// What becomes of a question.
pub(super) fn on_ask(args: &RunArgs, terminal: bool) -> Result<OnAsk, CliError> {
    match args.on_ask {
        Some(OnAskArg::Prompt) if !terminal => Err(CliError::usage(
            "--on-ask prompt needs a terminal, and there is none: use --on-ask deny, with rules that allow what it may do",
        )),
        Some(OnAskArg::Wait) if args.approval_timeout.is_none() && args.timeout.is_none() => {
            Err(CliError::usage("--on-ask wait could wait for ever: add --approval-timeout or --timeout"))
        }
        Some(OnAskArg::Prompt) => Ok(OnAsk::Prompt),
        Some(OnAskArg::Deny) => Ok(OnAsk::Deny),
        Some(OnAskArg::Wait) => Ok(OnAsk::Wait),
        None if terminal => Ok(OnAsk::Prompt),
        None => Ok(OnAsk::Deny),
    }
}

/// Whether `agent` may be in the mode that was chosen.
pub(in crate::commands) fn check_mode_allowed(
    mode: Option<Mode>,
    agent: &AgentId,
    loaded: &LoadedConfig,
) -> Result<(), CliError> {
    let least = loaded.policy.least_mode(agent);
    match mode.zip(loaded.locks.mode_lock()).filter(|(mode, _)| *mode < least) {
        None => Ok(()),
        Some((mode, by)) => Err(CliError::usage(format!(
            "`--mode {mode}` is not allowed for {agent}: {} locks the mode (leave it out, or ask for {least} or stricter)",
            by.display()
        ))),
    }
}

/// What is known of the agent that is to be started.
struct AgentProfile {
    id: AgentId,
    command: Vec<String>,
    env: BTreeMap<String, String>,
    asking_mode: Option<String>,
    asks: Asks,
    missing_files_are_empty: bool,
    on_unasked: OnUnasked,
    install: Option<String>,
    built_in: bool,
}

fn agent_of(args: &RunArgs, loaded: &LoadedConfig) -> Result<AgentProfile, CliError> {
    if let Some(line) = &args.command {
        let words =
            mayi_core::call::shell::split_words(line).filter(|words| !words.is_empty()).ok_or_else(|| {
                CliError::usage("--command is not a command line: its quotes do not match, or it is empty")
            })?;
        return Ok(AgentProfile {
            id: AgentId::from_command(&words),
            command: words,
            env: BTreeMap::new(),
            asking_mode: None,
            asks: Asks::NotKnown,
            missing_files_are_empty: false,
            on_unasked: loaded.on_unasked,
            install: None,
            built_in: false,
        });
    }
    let name = args.agent.as_deref().ok_or_else(|| {
        CliError::usage(
            "which agent? name one (`mayi agents` lists them), or give --command \"PROGRAM ARGS\"",
        )
    })?;
    let (agent, command) = find_agent(name, loaded)?;
    Ok(AgentProfile {
        id: AgentId::from_name(&agent.name),
        command: command.words(),
        env: agent.env.clone(),
        asking_mode: agent.asking_mode.clone(),
        asks: agent.asks,
        missing_files_are_empty: agent.missing_files_are_empty,
        on_unasked: agent.on_unasked,
        install: agent.install.map(str::to_owned),
        built_in: matches!(command, AgentCommand::BuiltIn),
    })
}

/// The agent starts in a folder of mayi's own: ACP carries the session's.
fn agent_folder(ctx: &Context, agent: &AgentId) -> Result<PathBuf, CliError> {
    Ok(ctx.state_folder()?.join("agents").join(agent.as_str().replace(':', "-")))
}

fn resume_of(
    args: &RunArgs,
    ctx: &Context,
    agent: &AgentId,
    cwd: &Path,
) -> Result<Option<SessionId>, CliError> {
    if let Some(id) = &args.session {
        return Ok(Some(SessionId(id.clone())));
    }
    if !args.r#continue {
        return Ok(None);
    }
    match crate::state::last_session(&ctx.state_folder()?, agent.as_str(), cwd) {
        Some(id) => Ok(Some(SessionId(id))),
        None => Err(CliError::usage(format!("there is no earlier session of {agent} in {}", cwd.display()))),
    }
}

/// D1.27: `/`, the home folder and its ancestors are never roots without being
/// named.
fn check_root(cwd: &Path, named: bool) -> Result<(), CliError> {
    if is_too_wide(cwd) && !named {
        return Err(CliError::usage(format!(
            "this would let the agent work in all of {}: go to a project's folder, or say --cwd {} if you mean it",
            cwd.display(),
            cwd.display()
        )));
    }
    Ok(())
}

/// How long something may take, for a message.
pub(super) fn duration_text(limit: Duration) -> String {
    if limit.as_secs() > 0 { format!("{}s", limit.as_secs()) } else { format!("{}ms", limit.as_millis()) }
}

/// The agent of this name, with the command that starts it.
///
/// # Errors
/// If there is none, or none is configured for it; says which names there are.
pub(in crate::commands) fn find_agent<'l>(
    name: &str,
    loaded: &'l LoadedConfig,
) -> Result<(&'l AgentLaunch, &'l AgentCommand), CliError> {
    let Some(agent) = loaded.find_agent(name) else {
        let hint = nearest_word(name, loaded.agents.keys().map(String::as_str))
            .map(|near| format!("did you mean `{near}`? "))
            .unwrap_or_default();
        return Err(CliError::usage(format!(
            "no agent is called `{}`: {hint}`mayi agents` lists them",
            mayi_core::approval::escape_line(name)
        )));
    };
    let Some(command) = &agent.command else {
        return Err(CliError::usage(format!(
            "agent `{name}` has no command: add one as [agents.{}] command = [...]",
            edit::toml_string(&agent.name)
        )));
    };
    Ok((agent, command))
}
