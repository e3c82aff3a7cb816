//! Keeps answers for good, as rules and settings of the user's file, or of an editor.

use std::path::Path;
use std::sync::Arc;

use super::edit::{self, EditError};
use super::{ConfigErrors, Loaded, Running, Sources, load};
use mayi_call::AgentId;
use mayi_kept::{KeepError, Keeper};
use mayi_policy::Policy;

/// Writes to the user's file, or to the one that was given with `--config`, and reads everything
/// again from the same sources.
#[derive(Clone, Debug)]
pub struct FileKeeper {
    sources: Sources,
    running: Running,
}

impl FileKeeper {
    /// A keeper for what was loaded from `sources`.
    #[must_use]
    pub fn new(sources: Sources) -> Self {
        Self { sources, running: Running::default() }
    }

    /// The same, for what runs: what is configured for others under its names does not count for it.
    #[must_use]
    pub fn running(mut self, running: Running) -> Self {
        self.running = running;
        self
    }

    fn file(&self) -> Result<&Path, KeepError> {
        self.sources
            .own_file()
            .ok_or_else(|| KeepError("there is no home folder to keep a configuration in".to_owned()))
    }

    /// What holds now. Read before anything is written: mistakes elsewhere are no reason to change
    /// a file first and fail then.
    fn read(&self) -> Result<Loaded, KeepError> {
        read(&self.sources)
    }

    /// What holds for what runs, now that something was written.
    fn written(&self) -> Result<Policy, KeepError> {
        let mut loaded = self.read()?;
        self.running.fit(&mut loaded);
        Ok(loaded.policy)
    }
}

impl Keeper for FileKeeper {
    fn allow(&self, agent: &AgentId, patterns: &[String]) -> Result<Policy, KeepError> {
        let name = ruled(agent)?;
        let file = self.file()?;
        self.read()?;
        edit::add_rule(file, &self.sources.places(), name, patterns).map_err(|error| failed(&error))?;
        self.written()
    }

    fn bypass(&self, agent: &AgentId) -> Result<Policy, KeepError> {
        let name = named(agent)?;
        let file = self.file()?;
        let before = self.read()?;
        if self.running.is_another_agent(&before) {
            return Err(KeepError(format!(
                "another program is configured for {name} now: the setting would be for that one"
            )));
        }
        may_be_bypassed(&before, name)?;
        edit::set_bypass(file, &self.sources.places(), &before, name, true)
            .map_err(|error| failed(&error))?;
        self.written()
    }

    fn may_bypass(&self, agent: &AgentId) -> Result<(), KeepError> {
        may_be_bypassed(&self.read()?, agent.as_str())
    }
}

/// Where configuration comes from now.
type Now = Arc<dyn Fn() -> Sources + Send + Sync>;
/// Turns on the bypass of an agent in the editor's settings.
type TurnOn = Arc<dyn Fn(&AgentId) -> Result<(), KeepError> + Send + Sync>;

/// For what an editor has started: rules go to the user's file, as everywhere; a bypass is one of the editor's own
/// settings.
#[derive(Clone)]
pub struct EditorKeeper {
    sources: Now,
    turn_on: TurnOn,
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
    pub fn new(sources: Now, turn_on: TurnOn) -> Self {
        Self { sources, turn_on }
    }
}

impl Keeper for EditorKeeper {
    fn allow(&self, agent: &AgentId, patterns: &[String]) -> Result<Policy, KeepError> {
        FileKeeper::new((self.sources)()).allow(agent, patterns)
    }

    fn bypass(&self, agent: &AgentId) -> Result<Policy, KeepError> {
        let name = named(agent)?;
        may_be_bypassed(&read(&(self.sources)())?, name)?;
        (self.turn_on)(agent)?;
        let policy = read(&(self.sources)())?.policy;
        if is_bypassed(&policy, name) {
            return Ok(policy);
        }
        Err(KeepError(format!("the editor's settings do not bypass {name}")))
    }

    fn may_bypass(&self, agent: &AgentId) -> Result<(), KeepError> {
        may_be_bypassed(&read(&(self.sources)())?, agent.as_str())
    }
}

/// What a rule calls it: its name, or the door with the name that it comes to that under.
fn ruled(agent: &AgentId) -> Result<&str, KeepError> {
    if agent.name().is_some() { Ok(agent.as_str()) } else { Err(nameless()) }
}

/// What its settings are under.
fn named(agent: &AgentId) -> Result<&str, KeepError> {
    if agent.is_named() {
        return Ok(agent.as_str());
    }
    if agent.name().is_some() {
        return Err(KeepError(format!(
            "mayi does not start {agent}, so it has no bypass: allow what it may do in rules, or choose a mode for its door"
        )));
    }
    Err(nameless())
}

fn nameless() -> KeepError {
    KeepError(
        "this agent has no name in the configuration: write it down as [agents.NAME] and start it by that name".to_owned(),
    )
}

fn read(sources: &Sources) -> Result<Loaded, KeepError> {
    load(sources).map_err(|errors| KeepError(one_line(&errors)))
}

fn is_bypassed(policy: &Policy, name: &str) -> bool {
    policy.agents.get(name).is_some_and(|agent| agent.bypass_permissions)
}

/// Whether a managed file leaves it to the user.
fn may_be_bypassed(before: &Loaded, name: &str) -> Result<(), KeepError> {
    match before.locks.bypass(name) {
        Some(by) if !is_bypassed(&before.policy, name) => {
            Err(KeepError(format!("{} locks the bypass of {name}", by.display())))
        }
        _ => Ok(()),
    }
}

fn failed(error: &EditError) -> KeepError {
    match error {
        EditError::Config(errors) => KeepError(one_line(errors)),
        other => KeepError(other.to_string()),
    }
}

fn one_line(errors: &ConfigErrors) -> String {
    errors.all().iter().map(super::ConfigError::one_line).collect::<Vec<_>>().join("; ")
}
