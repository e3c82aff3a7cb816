//! Keeps answers for good: rules in the user's file, a bypass in the editor's settings if there is an editor.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use mayi_core::call::AgentId;
use mayi_core::config::{ConfigErrors, EditorKeeper, FileKeeper, Running, load};
use mayi_core::gate::{KeepError, Keeper};
use mayi_core::policy::Policy;

use crate::backend::Backend;
use crate::error::Refused;

/// The keeper of a tab.
pub(super) struct TabKeeper {
    backend: Weak<Backend>,
    cwd: PathBuf,
    running: Running,
}

impl TabKeeper {
    pub(super) fn new(backend: &Arc<Backend>, cwd: &Path, running: Running) -> Self {
        Self { backend: Arc::downgrade(backend), cwd: cwd.to_owned(), running }
    }

    /// The policy that holds for this tab now that something was written.
    fn written(&self, backend: &Arc<Backend>) -> Result<Policy, KeepError> {
        reload_others(backend);
        let mut loaded = load(&backend.sources(&self.cwd)).map_err(failed)?;
        self.running.fit(&mut loaded);
        Ok(loaded.policy)
    }

    fn backend(&self) -> Result<Arc<Backend>, KeepError> {
        self.backend.upgrade().ok_or_else(|| KeepError("the backend is ending".to_owned()))
    }
}

impl Keeper for TabKeeper {
    fn allow(&self, agent: &AgentId, patterns: &[String]) -> Result<Policy, KeepError> {
        let backend = self.backend()?;
        FileKeeper::new(backend.sources(&self.cwd)).allow(agent, patterns)?;
        self.written(&backend)
    }

    fn bypass(&self, agent: &AgentId) -> Result<Policy, KeepError> {
        let backend = self.backend()?;
        let loaded = load(&backend.sources(&self.cwd)).map_err(failed)?;
        if self.running.is_another_agent(&loaded) {
            return Err(KeepError(format!(
                "another program is configured for {agent} now: the setting would be for that one"
            )));
        }
        if backend.editor().is_some() {
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
            EditorKeeper::new(Arc::new(move || sources.sources(&cwd)), Arc::new(set)).bypass(agent)?;
        } else {
            FileKeeper::new(backend.sources(&self.cwd)).bypass(agent)?;
        }
        self.written(&backend)
    }

    fn may_bypass(&self, agent: &AgentId) -> Result<(), KeepError> {
        FileKeeper::new(self.backend()?.sources(&self.cwd)).may_bypass(agent)
    }
}

fn failed(errors: ConfigErrors) -> KeepError {
    KeepError(jsonrpsee::types::ErrorObjectOwned::from(Refused::from(errors)).message().to_owned())
}

/// What was written counts in every tab. The one that has asked waits for this one's answer: not from here.
fn reload_others(backend: &Arc<Backend>) {
    let backend = Arc::clone(backend);
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn_blocking(move || backend.reload());
    }
}
