//! What has lost its supervisor: a program may have killed that. It becomes a child of this process, which ends it.

use std::collections::HashSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mayi_core::gate::ProcessTree;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// So long strays are killed again and again.
const KILLS: Duration = Duration::from_secs(3);

/// How often to look meanwhile.
const LOOK: Duration = Duration::from_millis(10);

/// What this process has started for others and runs: whatever else is a child of it has come to it as an orphan.
static STARTED: Mutex<Option<HashSet<u32>>> = Mutex::new(None);

fn lock_started() -> MutexGuard<'static, Option<HashSet<u32>>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a child of this process. Nobody takes it for a stray meanwhile.
pub(super) fn start(mut command: CommandWrap) -> io::Result<Box<dyn ChildWrapper>> {
    let mut started = lock_started();
    let child = command.spawn()?;
    started.get_or_insert_default().extend(child.id());
    Ok(child)
}

/// This one has ended.
pub(super) fn forget_child(child: Option<u32>) {
    if let (Some(started), Some(pid)) = (lock_started().as_mut(), child) {
        started.remove(&pid);
    }
}

/// Kills a supervisor that does not do its work, with all that is below it just now.
pub(super) fn kill(supervisor: u32) {
    if let Ok(tree) = ProcessTree::snapshot() {
        for pid in tree.descendants_of(&[supervisor]) {
            send_kill(pid);
        }
    }
    send_kill(supervisor);
}

/// Kills all strays, within bounds.
pub(super) fn kill_strays() {
    let begun = Instant::now();
    while begun.elapsed() < KILLS {
        // While this is held, nothing is started.
        let started = lock_started();
        let Ok(tree) = ProcessTree::snapshot() else { return };
        let is_known = |pid: &u32| started.as_ref().is_some_and(|known| known.contains(pid));
        let strays: Vec<u32> =
            tree.children_of(std::process::id()).iter().copied().filter(|pid| !is_known(pid)).collect();
        if strays.is_empty() {
            return;
        }
        for pid in tree.descendants_of(&strays).into_iter().chain(strays.iter().copied()) {
            send_kill(pid);
        }
        for pid in strays {
            // Whoever is dead stays in the table until somebody has looked.
            let _ = to_pid(pid).map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
        }
        drop(started);
        std::thread::sleep(LOOK);
    }
}

fn send_kill(pid: u32) {
    let _ = to_pid(pid).map(|pid| kill_process(pid, Signal::KILL));
}

fn to_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
