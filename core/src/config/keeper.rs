//! Keeps answers for good, as rules and settings of the user's file.

use std::path::Path;

use super::edit::{self, EditError};
use super::{ConfigErrors, Loaded, Sources, load};
use crate::call::AgentId;
use crate::gate::{KeepError, Keeper};
use crate::policy::Policy;

/// Writes to the user's file, or to the one that was given with `--config`, and reads everything
/// again from the same sources.
#[derive(Clone, Debug)]
pub struct FileKeeper {
    sources: Sources,
}

impl FileKeeper {
    /// A keeper for what was loaded from `sources`.
    #[must_use]
    pub fn new(sources: Sources) -> Self {
        Self { sources }
    }

    fn named<'a>(&self, agent: &'a AgentId) -> Result<&'a str, KeepError> {
        if agent.is_named() {
            return Ok(agent.as_str());
        }
        Err(KeepError(
            "this agent has no name in the configuration: write it down as [agents.NAME] and start it by that name".to_owned(),
        ))
    }

    fn file(&self) -> Result<&Path, KeepError> {
        self.sources
            .own_file()
            .ok_or_else(|| KeepError("there is no home folder to keep a configuration in".to_owned()))
    }

    /// What holds now. Read before anything is written: mistakes elsewhere are no reason to change
    /// a file first and fail then.
    fn read(&self) -> Result<Loaded, KeepError> {
        load(&self.sources).map_err(|errors| KeepError(one_line(&errors)))
    }
}

impl Keeper for FileKeeper {
    fn allow(&self, agent: &AgentId, patterns: &[String]) -> Result<Policy, KeepError> {
        let name = self.named(agent)?;
        let file = self.file()?;
        self.read()?;
        edit::add_rule(file, &self.sources.places(), name, patterns).map_err(|error| failed(&error))?;
        Ok(self.read()?.policy)
    }

    fn bypass(&self, agent: &AgentId) -> Result<Policy, KeepError> {
        let name = self.named(agent)?;
        let file = self.file()?;
        let before = self.read()?;
        let on = |policy: &Policy| policy.agents.get(name).is_some_and(|agent| agent.bypass_permissions);
        if let Some(by) = before.locks.bypass(name)
            && !on(&before.policy)
        {
            return Err(KeepError(format!("{} locks the bypass of {name}", by.display())));
        }
        edit::set_bypass(file, &self.sources.places(), name, true).map_err(|error| failed(&error))?;
        Ok(self.read()?.policy)
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
