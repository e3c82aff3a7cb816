//! The configuration changes while gates are open: what is written counts from then on.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use mayi_core::approval::escape_line;
use mayi_core::config::{LoadedConfig, RunningSession};
use mayi_core::gate::{Gate, WeakGate};
use mayi_doors::task::spawn;

use crate::context::Context;

/// How often its files are looked at.
const EVERY: Duration = Duration::from_secs(1);

/// What shows that a file has changed.
type Stamp = Option<(SystemTime, u64)>;

/// Looks at the files of the configuration from now on, as long as the runtime lives and the gate is there.
/// `running`: the servers that are behind it.
pub(super) fn watch_files(gate: &Gate, ctx: Context, loaded: &LoadedConfig, running: RunningSession) {
    Watcher::default().watch(gate, ctx, loaded, running);
}

/// Looks at the files of the configuration of all gates of a process, each of which has a folder of its own.
#[derive(Clone, Default)]
pub(super) struct Watcher(Arc<Mutex<Vec<WatchedGate>>>);

/// A gate, and what its policy is made from.
struct WatchedGate {
    gate: WeakGate,
    ctx: Context,
    running: RunningSession,
    files: Vec<PathBuf>,
    last: Vec<Stamp>,
}

impl Watcher {
    /// Has a gate heard what is written from now on, as long as the runtime lives and the gate is there.
    pub(super) fn watch(&self, gate: &Gate, ctx: Context, loaded: &LoadedConfig, running: RunningSession) {
        let mut files: Vec<PathBuf> = loaded.files.iter().map(|file| file.path.clone()).collect();
        files.extend(ctx.sources.workspace.clone());
        let last = files.iter().map(|file| file_stamp(file)).collect();
        let mut all = self.lock();
        let begins = all.is_empty();
        all.push(WatchedGate { gate: gate.downgrade(), ctx, running, files, last });
        drop(all);
        if begins {
            spawn(self.clone().poll_files());
        }
    }

    /// Looks on and on, until there is no gate any more.
    async fn poll_files(self) {
        loop {
            tokio::time::sleep(EVERY).await;
            // In the order of the gates: nobody is kept from opening another one while files are read.
            let changed: Vec<(Gate, Context, RunningSession)> = {
                let mut all = self.lock();
                let mut seen = HashMap::new();
                all.retain(|watched| watched.gate.upgrade().is_some());
                if all.is_empty() {
                    return;
                }
                all.iter_mut().filter_map(|watched| watched.check_for_change(&mut seen)).collect()
            };
            Changes::default().reload_gates(changed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<WatchedGate>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WatchedGate {
    /// What to do with the gate, if its files have changed. `seen`: what was looked at just now.
    fn check_for_change(
        &mut self,
        seen: &mut HashMap<PathBuf, Stamp>,
    ) -> Option<(Gate, Context, RunningSession)> {
        let mut look = |file: &PathBuf| *seen.entry(file.clone()).or_insert_with(|| file_stamp(file));
        let now: Vec<Stamp> = self.files.iter().map(&mut look).collect();
        if now == self.last {
            return None;
        }
        self.last = now;
        Some((self.gate.upgrade()?, self.ctx.clone(), self.running.clone()))
    }
}

/// What has changed by one look. Gates of one folder have the same configuration, which is read once, and nothing is said twice.
#[derive(Default)]
struct Changes {
    loaded_by_folder: HashMap<PathBuf, Option<LoadedConfig>>,
    noted: HashSet<String>,
}

impl Changes {
    fn reload_gates(mut self, changed: Vec<(Gate, Context, RunningSession)>) {
        for (gate, ctx, running) in changed {
            match self.load_once(&ctx) {
                Some(loaded) => self.replace_policy(&gate, &ctx, &running, loaded),
                // D5.12: nothing runs on half a policy. What held goes on holding, and all is asked about.
                None => {
                    let mut policy = (*gate.policy()).clone();
                    let why = "the configuration has changed and can't be read: `mayi config check` says what is wrong with it";
                    policy.ask_all = Some(why.to_owned());
                    gate.replace_policy(policy);
                }
            }
        }
    }

    /// What is configured for work in a folder; none, if it can't be read, which is told.
    fn load_once(&mut self, ctx: &Context) -> Option<LoadedConfig> {
        if let Some(read) = self.loaded_by_folder.get(&ctx.cwd) {
            return read.clone();
        }
        let read = ctx.load().map_err(|error| error.print_report(ctx.is_stderr_colored())).ok();
        if let Some(loaded) = &read {
            ctx.print_notices(loaded);
        }
        self.loaded_by_folder.insert(ctx.cwd.clone(), read.clone());
        read
    }

    fn replace_policy(
        &mut self,
        gate: &Gate,
        ctx: &Context,
        running: &RunningSession,
        mut loaded: LoadedConfig,
    ) {
        let others = running.restrict_to_running(&mut loaded);
        if let Some(name) = others.agent {
            self.note_once(
                ctx,
                format!(
                    "mayi: {}: another program is configured for this agent now. The one that runs has no bypass until mayi \
                     is started again",
                    escape_line(&name)
                ),
            );
        }
        for name in others.servers {
            let name = escape_line(&name);
            self.note_once(
                ctx,
                format!(
                    "mayi: {name}: another server is configured under this name now. The one that runs is asked about \
                     until mayi is started again"
                ),
            );
        }
        gate.replace_policy(loaded.policy);
        self.note_once(ctx, "mayi: the configuration has changed, and counts as it is now".to_owned());
    }

    fn note_once(&mut self, ctx: &Context, text: String) {
        if self.noted.insert(text.clone()) {
            ctx.print_note(text);
        }
    }
}

fn file_stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
