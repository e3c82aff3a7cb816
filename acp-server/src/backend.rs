//! What the backend has: its tabs, the editor's settings, the questions of others, and the log of what happened.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mayi_check::Checker;
use mayi_core::approval::{ApprovalId, Card};
use mayi_core::call::AgentId;
use mayi_core::config::{EditorSettings, LoadedConfig, Sources, load};
use mayi_core::gate::{Gate, RemoteQuestions};
use mayi_core::store::{OwnerId, Store};
use mayi_core::writer::EntryWriter;

use crate::api::{Event, SessionInfo, TabCard};
use crate::cards;
use crate::error::RpcError;
use crate::events::EventLog;
use crate::hosts::Hosts;
use crate::tabs::Tab;

/// Where configuration comes from, for work in a folder; the editor's settings are laid by the backend.
pub type SourcesFactory = Arc<dyn Fn(&Path) -> Sources + Send + Sync>;

/// What makes entries of the record; each gate has one.
pub type WriterFactory = Arc<dyn Fn() -> Result<EntryWriter, String> + Send + Sync>;

/// What a backend is made of.
#[derive(Clone)]
pub struct BackendOptions {
    /// Where configuration comes from.
    pub sources: SourcesFactory,
    /// The folder that it was started in.
    pub cwd: PathBuf,
    /// The record, remembered answers and questions.
    pub store: Arc<dyn Store>,
    /// The folder of the store.
    pub folder: PathBuf,
    /// Makes entries of the record.
    pub writer: WriterFactory,
    /// Where agents' own folders are.
    pub state: PathBuf,
    /// After this time a question expires into a denial; none by default.
    pub limit: Option<Duration>,
    /// What starts a relay to an MCP server of a tab: a program and its arguments.
    pub relay: Vec<String>,
    /// Whether mayi stands before the MCP servers of tabs, where nothing else is said.
    pub gateway: bool,
    /// Whether agents get two tools in place of all, where nothing else is said.
    pub toolbelt: bool,
    /// Where the page is, if it is served.
    pub ui: Option<String>,
}

/// The backend of editors: cheap to share, all are the same.
pub struct Backend {
    pub(crate) options: BackendOptions,
    pub(crate) events: EventLog,
    tabs: Mutex<BTreeMap<String, Arc<Tab>>>,
    /// No tab comes any more; changed while `tabs` is held.
    ending: AtomicBool,
    editor: Mutex<Option<EditorSettings>>,
    /// Which tab asks what.
    asked: Mutex<HashMap<ApprovalId, String>>,
    /// The processes, as the store knows them, whose questions are shown from here.
    owners: Arc<Mutex<Vec<OwnerId>>>,
    /// Sessions of apps with a loop of their own.
    pub(crate) hosts: Hosts,
    pub(crate) remote: RemoteQuestions,
    pub(crate) presence: crate::presence::Presence,
}

impl Backend {
    /// A backend without tabs, which begins to look at other processes' questions. Needs a runtime.
    ///
    /// # Errors
    /// If no entries of the record could be made.
    pub fn new(options: BackendOptions, instance: String) -> Result<Arc<Self>, String> {
        let owners: Arc<Mutex<Vec<OwnerId>>> = Arc::default();
        let own = Arc::clone(&owners);
        let writer = Arc::new((options.writer)()?);
        let remote =
            RemoteQuestions::new(Arc::clone(&options.store), writer).without_owners(Arc::new(move |owner| {
                own.lock().unwrap_or_else(PoisonError::into_inner).contains(&owner)
            }));
        let presence = crate::presence::Presence::new(options.folder.clone());
        let backend = Arc::new(Self {
            options,
            events: EventLog::new(instance),
            tabs: Mutex::default(),
            ending: AtomicBool::new(false),
            editor: Mutex::default(),
            asked: Mutex::default(),
            owners,
            hosts: Hosts::default(),
            remote,
            presence,
        });
        crate::other_processes::watch_remote_questions(&backend);
        Ok(backend)
    }

    /// Everything that is configured for work in `cwd`.
    pub(crate) fn load(&self, cwd: &Path) -> Result<LoadedConfig, RpcError> {
        Ok(load(&self.sources_for(cwd))?)
    }

    /// Who is called `name`. Where the configuration can't be read, the one whose id that is.
    pub(crate) fn agent_id(&self, name: &str) -> AgentId {
        let loaded = self.load(&self.options.cwd);
        loaded.map_or_else(|_| AgentId::from_name(name), |loaded| loaded.agent_id(name))
    }

    pub(crate) fn sources_for(&self, cwd: &Path) -> Sources {
        let mut sources = (self.options.sources)(cwd);
        sources.editor = self.editor_settings();
        sources
    }

    /// The editor's own settings.
    pub(crate) fn editor_settings(&self) -> Option<EditorSettings> {
        lock_mutex(&self.editor).clone()
    }

    /// What holds, or would with other settings of the editor.
    pub(crate) fn load_with(&self, editor: Option<&EditorSettings>) -> Result<LoadedConfig, RpcError> {
        let mut sources = self.sources_for(&self.options.cwd);
        if let Some(editor) = editor {
            sources.editor = Some(editor.clone());
        }
        Ok(load(&sources)?)
    }

    /// Puts the editor's settings in place, if everything can be read with them.
    pub(crate) fn set_editor(&self, settings: EditorSettings) -> Result<(), RpcError> {
        self.load_with(Some(&settings))?;
        *lock_mutex(&self.editor) = Some(settings);
        Ok(())
    }

    /// Changes the editor's settings, if there are any, and tells the editor to write them.
    pub(crate) fn change_editor(&self, origin: &str, change: impl FnOnce(&mut EditorSettings)) -> bool {
        let mut editor = lock_mutex(&self.editor);
        let Some(settings) = editor.as_mut() else { return false };
        change(settings);
        let event = Event::SettingsChanged { editor: settings.clone(), origin: origin.to_owned() };
        drop(editor);
        self.events.push(&event);
        true
    }

    /// The tab `id`.
    pub(crate) fn tab(&self, id: &str) -> Result<Arc<Tab>, RpcError> {
        lock_mutex(&self.tabs)
            .get(id)
            .cloned()
            .ok_or_else(|| RpcError::Agent("there is no such tab any more".to_owned()))
    }

    pub(crate) fn tabs(&self) -> Vec<Arc<Tab>> {
        lock_mutex(&self.tabs).values().cloned().collect()
    }

    /// Takes a tab in, unless there is one of its name or there are too many.
    pub(crate) fn insert(&self, tab: &Arc<Tab>) -> Result<(), RpcError> {
        let mut tabs = lock_mutex(&self.tabs);
        if self.ending.load(Ordering::Relaxed) {
            return Err(RpcError::Agent("the backend is ending".to_owned()));
        }
        if tabs.len() >= MOST_TABS {
            return Err(RpcError::Agent(format!("there are {MOST_TABS} tabs already: close one of them")));
        }
        if tabs.contains_key(tab.id()) {
            return Err(RpcError::Params("there is a tab of this tabId already".to_owned()));
        }
        tabs.insert(tab.id().to_owned(), Arc::clone(tab));
        self.add_owner(tab.gate());
        Ok(())
    }

    /// The questions of `gate` are shown from here.
    pub(crate) fn add_owner(&self, gate: &Gate) {
        lock_mutex(&self.owners).extend(gate.owner_id());
    }

    /// No question of this one waits any more.
    pub(crate) fn remove_owner(&self, gone: OwnerId) {
        lock_mutex(&self.owners).retain(|owner| *owner != gone);
    }

    /// Folders that a person has opened, links resolved.
    pub(crate) fn opened_folders(&self, checker: &Checker) -> Vec<PathBuf> {
        let tabs = self.tabs();
        let here = self.options.cwd.canonicalize().ok().filter(|_| checker.works_here());
        tabs.iter().map(|tab| tab.cwd().to_owned()).chain(here).collect()
    }

    /// Takes a tab out.
    pub(crate) fn remove_tab(&self, id: &str) -> Option<Arc<Tab>> {
        let tab = lock_mutex(&self.tabs).remove(id)?;
        lock_mutex(&self.asked).retain(|_, asking| asking != id);
        Some(tab)
    }

    /// Remembers which tab asks.
    pub(crate) fn remember_asking_tab(&self, id: ApprovalId, tab: &str) {
        lock_mutex(&self.asked).insert(id, tab.to_owned());
    }

    /// The tab that asks or asked this.
    pub(crate) fn asking_tab(&self, id: ApprovalId) -> Option<Arc<Tab>> {
        let tab = lock_mutex(&self.asked).get(&id).cloned()?;
        lock_mutex(&self.tabs).get(&tab).cloned()
    }

    /// Everything that waits, here and elsewhere, oldest first.
    pub(crate) fn waiting_cards(&self) -> Vec<TabCard> {
        let tabs = self.tabs();
        let own = tabs
            .iter()
            .flat_map(|tab| tab.gate().waiting_cards().into_iter().map(|card| cards::of_tab(card, tab.id())));
        let mut waiting: Vec<TabCard> = own.collect();
        for gate in self.hosts.gates() {
            waiting.extend(gate.waiting_cards().into_iter().map(|(card, of)| cards::of_host(card, of)));
        }
        waiting.extend(self.remote_cards().into_iter().map(cards::of_another));
        waiting.sort_by_key(|card| card.card.approval_id);
        waiting
    }

    /// How many questions wait in line, behind those that are shown.
    pub(crate) fn in_line(&self) -> usize {
        let own: usize = self.tabs().iter().map(|tab| tab.gate().count_queued()).sum();
        let hosts: usize = self.hosts.gates().iter().map(|gate| gate.gate().count_queued()).sum();
        own + hosts + mayi_core::gate::Questions::count_queued(&self.remote)
    }

    fn remote_cards(&self) -> Vec<Card> {
        mayi_core::gate::Questions::waiting_cards(&self.remote)
    }

    /// The tabs as they are now.
    pub(crate) fn session_infos(&self) -> Vec<SessionInfo> {
        self.tabs().iter().map(|tab| tab.session_info()).collect()
    }

    /// What is configured has changed: all is judged by what holds now.
    pub(crate) fn reload_gates(&self) {
        for tab in self.tabs() {
            tab.reload_config();
        }
        for gate in self.hosts.gates() {
            if gate.reload().is_err() {
                tracing::warn!(
                    "the configuration of an app's folder can't be read: everything is asked about there"
                );
            }
        }
    }

    /// Whether somebody is connected who can answer, or an app waits for an answer or runs a call; and if not, since when.
    #[must_use]
    pub fn alone_since(&self) -> Option<std::time::Instant> {
        self.presence.alone_since().filter(|_| !self.hosts.any_under_way())
    }

    /// Ends every tab, with its agent.
    pub async fn end(&self) {
        let tabs: Vec<Arc<Tab>> = {
            let mut tabs = lock_mutex(&self.tabs);
            self.ending.store(true, Ordering::Relaxed);
            std::mem::take(&mut *tabs).into_values().collect()
        };
        self.hosts.end().await;
        futures::future::join_all(tabs.iter().map(|tab| tab.end())).await;
    }
}

/// So many tabs at a time.
const MOST_TABS: usize = 64;

pub(crate) fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere leaves nothing half done in these.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
