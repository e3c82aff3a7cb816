//! Keeps answers for good, as rules and settings of the user's file, or of an editor.

use std::path::Path;
use std::sync::Arc;

use super::edit::{self, EditError};
use super::{ConfigErrors, LoadedConfig, RunningSession, Sources, load};
use mayi_call::AgentId;
use mayi_kept::{AnswerPersistence, KeepError};
use mayi_policy::Policy;

/// Writes to the user's file, or to the one that was given with `--config`, and reads everything
/// again from the same sources.
#[derive(Clone, Debug)]
pub struct FileKeeper {
    sources: Sources,
    running: RunningSession,
}

impl FileKeeper {
    /// A keeper for what was loaded from `sources`.
    #[must_use]
    pub fn new(sources: Sources) -> Self {
        Self { sources, running: RunningSession::default() }
    }

    /// The same, for what runs: what is configured for others under its names does not count for it.
    #[must_use]
    pub fn with_running(mut self, running: RunningSession) -> Self {
        self.running = running;
        self
    }

    fn config_file(&self) -> Result<&Path, KeepError> {
        self.sources
            .own_file()
            .ok_or_else(|| KeepError("there is no home folder to keep a configuration in".to_owned()))
    }

    /// What holds now. Read before anything is written: mistakes elsewhere are no reason to change
    /// a file first and fail then.
    fn read(&self) -> Result<LoadedConfig, KeepError> {
        read(&self.sources)
    }

    /// What holds for what runs, now that something was written.
    fn reload_policy(&self) -> Result<Policy, KeepError> {
        let mut loaded = self.read()?;
        self.running.restrict_to_running(&mut loaded);
        Ok(loaded.policy)
    }
}

impl AnswerPersistence for FileKeeper {
    fn allow_patterns(&self, agent: &AgentId, patterns: &[String]) -> Result<Policy, KeepError> {
        let name = rule_name(agent)?;
        let file = self.config_file()?;
        self.read()?;
        edit::add_rule(file, &self.sources.pattern_bases(), name, patterns)
            .map_err(|error| keep_error(&error))?;
        self.reload_policy()
    }

    fn bypass_agent(&self, agent: &AgentId) -> Result<Policy, KeepError> {
        let name = settings_name(agent)?;
        let file = self.config_file()?;
        let before = self.read()?;
        if self.running.is_another_agent(&before) {
            return Err(KeepError(format!(
                "another program is configured for {name} now: the setting would be for that one"
            )));
        }
        check_may_be_bypassed(&before, name)?;
        edit::set_bypass(file, &self.sources.pattern_bases(), &before, name, true)
            .map_err(|error| keep_error(&error))?;
        self.reload_policy()
    }

    fn check_bypass_allowed(&self, agent: &AgentId) -> Result<(), KeepError> {
        check_may_be_bypassed(&self.read()?, agent.as_str())
    }
}

/// Where configuration comes from now.
type CurrentSources = Arc<dyn Fn() -> Sources + Send + Sync>;
/// Turns on the bypass of an agent in the editor's settings.
type BypassSwitch = Arc<dyn Fn(&AgentId) -> Result<(), KeepError> + Send + Sync>;

/// For what an editor has started: rules go to the user's file, as everywhere; a bypass is one of the editor's own
/// settings.
#[derive(Clone)]
pub struct EditorKeeper {
    sources: CurrentSources,
    turn_on: BypassSwitch,
}

impl std::fmt::Debug for EditorKeeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EditorKeeper").finish_non_exhaustive()
    }
}

impl EditorKeeper {
    /// A keeper for what is loaded from what `sources` gives, now and then; `turn_on` changes the editor's settings, so
    /// that `sources` gives the changed ones from then on, and has the editor write them. Both are called while the gate
    /// is held, and may not call it.
    #[must_use]
    pub fn new(sources: CurrentSources, turn_on: BypassSwitch) -> Self {
        Self { sources, turn_on }
    }
}

impl AnswerPersistence for EditorKeeper {
    fn allow_patterns(&self, agent: &AgentId, patterns: &[String]) -> Result<Policy, KeepError> {
        FileKeeper::new((self.sources)()).allow_patterns(agent, patterns)
    }

    fn bypass_agent(&self, agent: &AgentId) -> Result<Policy, KeepError> {
        let name = settings_name(agent)?;
        check_may_be_bypassed(&read(&(self.sources)())?, name)?;
        (self.turn_on)(agent)?;
        let policy = read(&(self.sources)())?.policy;
        if is_bypassed(&policy, name) {
            return Ok(policy);
        }
        Err(KeepError(format!("the editor's settings do not bypass {name}")))
    }

    fn check_bypass_allowed(&self, agent: &AgentId) -> Result<(), KeepError> {
        check_may_be_bypassed(&read(&(self.sources)())?, agent.as_str())
    }
}

/// What a rule calls it: its name, or the door with the name that it comes to that under.
fn rule_name(agent: &AgentId) -> Result<&str, KeepError> {
    if agent.name().is_some() { Ok(agent.as_str()) } else { Err(unnamed_error()) }
}

/// What its settings are under.
fn settings_name(agent: &AgentId) -> Result<&str, KeepError> {
    if agent.is_named() {
        return Ok(agent.as_str());
    }
    if agent.name().is_some() {
        return Err(KeepError(format!(
            "mayi does not start {agent}, so it has no bypass: allow what it may do in rules, or choose a mode for its door"
        )));
    }
    Err(unnamed_error())
}

fn unnamed_error() -> KeepError {
    KeepError(
        "this agent has no name in the configuration: write it down as [agents.NAME] and start it by that name".to_owned(),
    )
}

fn read(sources: &Sources) -> Result<LoadedConfig, KeepError> {
    load(sources).map_err(|errors| KeepError(one_line(&errors)))
}

fn is_bypassed(policy: &Policy, name: &str) -> bool {
    policy.agents.get(name).is_some_and(|agent| agent.bypass_permissions)
}

/// Whether a managed file leaves it to the user.
fn check_may_be_bypassed(before: &LoadedConfig, name: &str) -> Result<(), KeepError> {
    match before.locks.bypass_lock(name) {
        Some(by) if !is_bypassed(&before.policy, name) => {
            Err(KeepError(format!("{} locks the bypass of {name}", by.display())))
        }
        _ => Ok(()),
    }
}

fn keep_error(error: &EditError) -> KeepError {
    match error {
        EditError::Config(errors) => KeepError(one_line(errors)),
        other => KeepError(other.to_string()),
    }
}

fn one_line(errors: &ConfigErrors) -> String {
    errors.all().iter().map(super::ConfigError::one_line).collect::<Vec<_>>().join("; ")
}
