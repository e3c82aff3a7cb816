//! Checking: what would be decided about a call, and why, without anybody doing it.
//!
//! `mayi check` and `mayi test` ask here, and so may a backend or a runner of test cases in the same
//! process. A [`Request`] is one call as JSON or options give it; a [`Checker`] makes the call that a
//! door would have made of it, finds the policy that would count, and lets [`decide`] judge: the same
//! function, the same findings.
//!
//! ```
//! use mayi_check::{Checker, Request};
//! use mayi_core::config::Sources;
//!
//! let mut checker = Checker::new(Sources::default(), true);
//! let line = r#"{"kind":"shell","command":"cargo test","rules":{"allow":["shell(cargo test *)"]},"isolated":true}"#;
//! let decision = checker.decide(&Request::from_json(line)?)?;
//! assert_eq!(decision.effect.to_string(), "allow");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod cases;
mod fields;
mod policies;
mod request;

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

pub use cases::{Case, CaseError, read_cases};
pub use request::{
    ACP, JUDGING_KEYS, KINDS, MatrixOverrides, Request, RequestError, RequestRules, RequestedAction,
};

use self::build::CallLocation;
use self::policies::PolicyCache;
use mayi_core::call::{AgentId, Call};
use mayi_core::config::{ConfigErrors, LoadedConfig, Sources};
use mayi_core::gate::Session;
use mayi_core::grant::Grants;
use mayi_core::policy::{Decision, Mode, SessionStanding, decide};

/// Why a call could not be judged.
#[derive(Clone, Debug, Error)]
pub enum CheckError {
    /// The request makes no sense.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// What is configured where the call happens was refused.
    #[error("the configuration is refused: {}", first_error(.0))]
    Config(#[from] ConfigErrors),
}

fn first_error(errors: &ConfigErrors) -> String {
    let more = errors.all().len().saturating_sub(1);
    let one = errors.all().first().map(mayi_core::config::ConfigError::one_line).unwrap_or_default();
    if more == 0 { one } else { format!("{one}, and {more} more") }
}

/// A call that was judged.
#[derive(Clone, Debug)]
pub struct CheckedCall {
    /// The call, as a door would have made it.
    pub call: Call,
    /// What would be decided.
    pub decision: Decision,
    /// The mode that it was judged in.
    pub mode: Mode,
    /// What was configured where it happens; none for an isolated request.
    pub loaded: Option<Arc<LoadedConfig>>,
}

/// One line of `check --stdin`'s output (S1.14).
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum CheckAnswer<'a> {
    /// What would be decided.
    Decided {
        /// The request's own id.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a Value>,
        /// Effect, categories and trail.
        #[serde(flatten)]
        decision: &'a Decision,
    },
    /// The line was not understood.
    Error {
        /// The line's id, as far as there is one.
        id: Option<&'a Value>,
        /// What is wrong, and what to write instead.
        error: String,
    },
}

/// Judges requests. Policies are made once and kept, so that many requests about the same folder or with
/// the same rules are cheap; files that change in between are not read again.
#[derive(Debug)]
pub struct Checker {
    policies: PolicyCache,
    root: bool,
    home: Option<PathBuf>,
    folders: Option<Vec<PathBuf>>,
}

impl Checker {
    /// Judges by what `sources` say, as for work in their folder. That folder is a root for requests
    /// which name none; if it was not `named` by the person, then only if it is narrow enough
    /// (D1.27: `/`, the home folder and its ancestors are never roots without being
    /// named). Nothing is read before the first request that is not isolated.
    #[must_use]
    pub fn new(sources: Sources, named: bool) -> Self {
        let home = sources.folders.home.clone().or_else(mayi_core::call::home_folder);
        let real = home.as_ref().and_then(|home| mayi_core::call::resolve_path(home).ok());
        let wide = sources.cwd.parent().is_none()
            || [&home, &real].into_iter().flatten().any(|home| home.starts_with(&sources.cwd));
        Self { policies: PolicyCache::new(sources), root: named || !wide, home, folders: None }
    }

    /// The session's folders are those of `folders`, links resolved, that the request happens in, whatever it says of its
    /// own (D1.26: roots are the person's): for requests of somebody who may not choose them.
    #[must_use]
    pub fn with_folders(mut self, folders: Vec<PathBuf>) -> Self {
        self.folders = Some(folders);
        self
    }

    /// Whether requests that name no folder have the one that is worked in as their root.
    #[must_use]
    pub fn works_here(&self) -> bool {
        self.root
    }

    /// What would be decided about `request`.
    ///
    /// # Errors
    /// If the request makes no sense, or the configuration is refused.
    pub fn decide(&mut self, request: &Request) -> Result<Decision, CheckError> {
        self.check_request(request).map(|judged| judged.decision)
    }

    /// What would be decided about `request`, and what was judged.
    ///
    /// # Errors
    /// As [`Self::decide`].
    pub fn check_request(&mut self, request: &Request) -> Result<CheckedCall, CheckError> {
        let here = self.policies.sources.cwd.clone();
        let mut place = match &self.folders {
            Some(folders) => CallLocation::within_folders(request, &here, folders),
            None => CallLocation::from_request(request, &here, self.root),
        };
        let loaded = match request.isolated {
            true => None,
            false => Some(self.policies.load_config(&place.folder, request.mode)?),
        };
        place.add_roots(loaded.iter().flat_map(|loaded| &loaded.folders), &here);
        let agent = request.agent.as_deref().map(|name| match &loaded {
            Some(loaded) => loaded.agent_id(name),
            None => AgentId::from_name(name),
        });
        let settings = loaded
            .as_ref()
            .zip(agent.as_ref().filter(|agent| agent.is_named()))
            .and_then(|(loaded, agent)| loaded.policy.agents.get(agent.as_str()));
        let chosen = request.mode.or(self.policies.sources.command_line.mode.filter(|_| loaded.is_some()));
        let mode = match (&loaded, &agent) {
            (Some(loaded), Some(agent)) => loaded.policy.mode_of(agent, chosen),
            (Some(loaded), None) => chosen.unwrap_or(loaded.policy.mode),
            (None, _) => chosen.unwrap_or_default(),
        };
        let policy = self.policies.policy_for(request, &place.folder, loaded.as_deref(), mode)?;
        let call = build::build_call(request, place.session_of(agent), self.home.as_deref())?;
        let servers: Vec<String> = match (&request.what, &loaded) {
            (_, None) => Vec::new(),
            // The person says that it is this server.
            (RequestedAction::Mcp { server, .. }, Some(_)) => vec![server.clone()],
            (_, Some(loaded)) => loaded.servers.keys().cloned().collect(),
        };
        let standing = SessionStanding {
            mode,
            bypass: settings.is_some_and(|settings| settings.bypass_permissions),
            grants: &Grants::default(),
            servers: &servers,
        };
        let decision = decide(&policy, &call, &standing);
        Ok(CheckedCall { call, decision, mode, loaded })
    }
}

/// The call that `request` means in `session`, whatever it says of where it happens, and of what would judge it: for a door
/// whose calls are said in these words.
///
/// # Errors
/// If the request makes no sense.
pub fn call_in_session(request: &Request, session: Session) -> Result<Call, RequestError> {
    build::build_call(request, session, mayi_core::call::home_folder().as_deref())
}

#[cfg(test)]
mod tests;
