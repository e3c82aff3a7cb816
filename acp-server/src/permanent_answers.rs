//! Keeps answers for good: rules in the user's file, a bypass in the editor's settings if there is an editor.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use mayi_core::call::AgentId;
use mayi_core::config::{ConfigErrors, EditorKeeper, FileKeeper, RunningSession, load};
use mayi_core::gate::{AnswerPersistence, KeepError};
use mayi_core::policy::Policy;

use crate::backend::Backend;
use crate::error::RpcError;

/// The keeper of a gate of the backend.
pub(crate) struct BackendKeeper {
    backend: Weak<Backend>,
    cwd: PathBuf,
    running: RunningSession,
}

impl BackendKeeper {
    pub(crate) fn new(backend: &Arc<Backend>, cwd: &Path, running: RunningSession) -> Self {
        Self { backend: Arc::downgrade(backend), cwd: cwd.to_owned(), running }
    }

    /// The policy that holds for this gate now that something was written.
    fn policy_after_write(&self, backend: &Arc<Backend>) -> Result<Policy, KeepError> {
        reload_others(backend);
        let mut loaded = load(&backend.sources_for(&self.cwd)).map_err(keep_error)?;
        self.running.restrict_to_running(&mut loaded);
        Ok(loaded.policy)
    }

    fn upgrade_backend(&self) -> Result<Arc<Backend>, KeepError> {
        self.backend.upgrade().ok_or_else(|| KeepError("the backend is ending".to_owned()))
    }
}

impl AnswerPersistence for BackendKeeper {
    fn allow_patterns(&self, agent: &AgentId, patterns: &[String]) -> Result<Policy, KeepError> {
        let backend = self.upgrade_backend()?;
        FileKeeper::new(backend.sources_for(&self.cwd)).allow_patterns(agent, patterns)?;
        self.policy_after_write(&backend)
    }

    fn bypass_agent(&self, agent: &AgentId) -> Result<Policy, KeepError> {
        let backend = self.upgrade_backend()?;
        let loaded = load(&backend.sources_for(&self.cwd)).map_err(keep_error)?;
        if self.running.is_another_agent(&loaded) {
            return Err(KeepError(format!(
                "another program is configured for {agent} now: the setting would be for that one"
            )));
        }
        if backend.editor_settings().is_some() {
            let (set, sources) = (Arc::clone(&backend), Arc::clone(&backend));
            let cwd = self.cwd.clone();
            let set = move |agent: &AgentId| {
                set.change_editor("answer", |settings| {
                    let names = settings.agents.keys().map(String::as_str);
                    let name = loaded.name_of(agent.as_str(), names).to_owned();
                    settings.agents.entry(name).or_default().bypass_permissions = Some(true);
                });
                Ok(())
            };
            EditorKeeper::new(Arc::new(move || sources.sources_for(&cwd)), Arc::new(set))
                .bypass_agent(agent)?;
        } else {
            FileKeeper::new(backend.sources_for(&self.cwd)).bypass_agent(agent)?;
        }
        self.policy_after_write(&backend)
    }

    fn check_bypass_allowed(&self, agent: &AgentId) -> Result<(), KeepError> {
        FileKeeper::new(self.upgrade_backend()?.sources_for(&self.cwd)).check_bypass_allowed(agent)
    }
}

fn keep_error(errors: ConfigErrors) -> KeepError {
    KeepError(jsonrpsee::types::ErrorObjectOwned::from(RpcError::from(errors)).message().to_owned())
}

/// What was written counts at every gate. The one that has asked waits for this one's answer: not from here.
fn reload_others(backend: &Arc<Backend>) {
    let backend = Arc::clone(backend);
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn_blocking(move || backend.reload_gates());
    }
}
