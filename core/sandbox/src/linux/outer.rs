//! The outer stage: makes namespaces and mounts, starts the inner stage in them, and ends as it ends.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, unshare};
use rustix::event::{PollFd, PollFlags};
use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

use super::absent::Absent;
use super::mount_table::open_table;
use super::outlet::hand_out;
use super::overlays::Layers;
use super::stage::{Task, inner_stage};
use super::{loopback, mounts, signals};
use crate::{CacheLayer, Profile, SandboxError};

/// What a command ends with that was ended: as one that was killed.
const ENDED: u8 = 137;

/// How long it may take until something is mounted again; then the command is ended.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs `words` as `task` says, and returns with the code it ended with.
pub(super) fn run(task: &Task, words: &[OsString]) -> Result<u8, SandboxError> {
    let mut table = None;
    // Held until this process ends.
    let mut _layers = None;
    if task.full {
        let layers = _layers.insert(Layers::take_up(&task.profile));
        enter_namespaces()?;
        if let Some(outlet) = task.outlet {
            hand_out(outlet).map_err(SandboxError::step("listen on a loopback of its own"))?;
        }
        let file = open_table().map_err(SandboxError::step("list what is mounted"))?;
        let caches = mounts::arrange(task, &file, layers)?;
        if task.only_tell {
            return tell(&caches);
        }
        warn_of_read_only(&caches);
        let absent =
            Absent::watch(&task.profile.absent).map_err(SandboxError::step("watch folders of git"))?;
        table = Some(MountTable { file, profile: &task.profile, absent, refused: None });
        keep_for_inner_stage().map_err(SandboxError::step("hand on what the inner stage needs"))?;
    }
    let (mut command, _open) = inner_stage(task).map_err(SandboxError::step("prepare the inner stage"))?;
    command.arg("--").args(words);
    let watched = table.as_mut().map(|table| table as &mut dyn signals::Watched);
    let ended = signals::run_to_end(&mut command, watched);
    // It may have ended before that was seen.
    if let Some(table) = &mut table {
        table.look_for_absent();
        if let Some(why) = &table.refused {
            let _ = writeln!(io::stderr(), "mayi: the command was ended: {}", why.escape_debug());
            return Ok(ENDED);
        }
    }
    ended.map_err(SandboxError::step("run the inner stage"))
}

/// Prints where what is written in caches is kept.
fn tell(caches: &[(String, CacheLayer)]) -> Result<u8, SandboxError> {
    let told = serde_json::to_writer(io::stdout(), caches).map_err(io::Error::from);
    told.map_err(SandboxError::step("tell of caches"))?;
    Ok(0)
}

fn warn_of_read_only(caches: &[(String, CacheLayer)]) {
    for (name, layer) in caches {
        if let CacheLayer::Nowhere(why) = layer {
            let _ = writeln!(
                io::stderr(),
                "mayi: the cache of {name} can't be written here: {}",
                why.escape_debug()
            );
        }
    }
}

/// What the inner stage has yet to do with: whoever is not root has nothing left once a program is started, unless it is ambient.
fn keep_for_inner_stage() -> io::Result<()> {
    let kept = CapabilitySet::SYS_ADMIN | CapabilitySet::SETPCAP;
    let had = capabilities(None)?;
    set_capabilities(None, CapabilitySets { inheritable: had.inheritable | kept, ..had })?;
    for capability in kept.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

fn enter_namespaces() -> Result<(), SandboxError> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWNET;
    unshare(flags).map_err(io::Error::from).map_err(SandboxError::step("make namespaces"))?;
    // Nobody but whoever runs it exists there.
    let write = |name: &str, text: String| {
        std::fs::write(format!("/proc/self/{name}"), text)
            .map_err(SandboxError::step(format!("write {name}")))
    };
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{user} {user} 1"))?;
    write("gid_map", format!("{group} {group} 1"))?;
    loopback::bring_up().map_err(SandboxError::step("bring up a loopback of its own"))
}

/// What is mounted. What is mounted over a file goes when somebody outside of the namespace puts another file in its place, as an
/// editor does that saves it: then it is mounted again at once, and between the two a command can see the new file.
struct MountTable<'a> {
    file: File,
    profile: &'a Profile,
    absent: Option<Absent<'a>>,
    /// Why the command may not go on.
    refused: Option<String>,
}

impl MountTable<'_> {
    fn look_for_absent(&mut self) {
        if let Some(why) = self.absent.as_ref().and_then(Absent::look) {
            self.refused.get_or_insert(why);
        }
    }
}

impl signals::Watched for MountTable<'_> {
    fn descriptors(&self) -> Vec<PollFd<'_>> {
        let table = PollFd::new(&self.file, PollFlags::PRI | PollFlags::ERR);
        let notices = self.absent.as_ref().map(|absent| PollFd::new(&absent.notices, PollFlags::IN));
        std::iter::once(table).chain(notices).collect()
    }

    fn changed(&mut self, told: &[bool]) -> io::Result<()> {
        if told.get(1) == Some(&true) {
            self.look_for_absent();
            if let Some(why) = &self.refused {
                return Err(io::Error::other(why.clone()));
            }
        }
        if told.first() != Some(&true) {
            return Ok(());
        }
        let begun = Instant::now();
        loop {
            match mounts::hold_again(self.profile, &self.file) {
                Ok(()) => return Ok(()),
                // It may be in the middle of being replaced: what was mounted over the old file is gone with it.
                Err(_) if begun.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(1)),
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
        }
    }
}
