//! Answers that outlive the process: written by whoever owns the user's files.

use thiserror::Error;

use mayi_call::AgentId;
use mayi_policy::Policy;

/// Why an answer could not be kept.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct KeepError(pub String);

/// Keeps answers for good. What writes returns the policy that holds from now on.
pub trait AnswerPersistence: Send + Sync {
    /// Allows `patterns` to `agent` from now on.
    ///
    /// # Errors
    /// If it can't be written; nothing has changed then.
    fn allow_patterns(&self, agent: &AgentId, patterns: &[String]) -> Result<Policy, KeepError>;

    /// Bypasses `agent` from now on.
    ///
    /// # Errors
    /// If it can't be written; nothing has changed then.
    fn bypass_agent(&self, agent: &AgentId) -> Result<Policy, KeepError>;

    /// Whether the user may bypass `agent`, also where nothing is written: in one session.
    ///
    /// # Errors
    /// If somebody else has locked that.
    fn check_bypass_allowed(&self, agent: &AgentId) -> Result<(), KeepError>;
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPersistence;

impl AnswerPersistence for NoPersistence {
    fn allow_patterns(&self, _: &AgentId, _: &[String]) -> Result<Policy, KeepError> {
        Err(KeepError("rules can't be written here: allow it once or for this session".to_owned()))
    }

    fn bypass_agent(&self, _: &AgentId) -> Result<Policy, KeepError> {
        Err(KeepError("settings can't be written here".to_owned()))
    }

    fn check_bypass_allowed(&self, _: &AgentId) -> Result<(), KeepError> {
        Ok(())
    }
}
