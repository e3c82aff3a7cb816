//! The outer stage: makes namespaces and mounts, starts the inner stage in them, and ends as it ends.

use std::ffi::OsString;
use std::io;
use std::process::Command;

use nix::sched::{CloneFlags, unshare};
use rustix::process::{Signal, getegid, geteuid, set_parent_process_death_signal};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

use super::stage::{Task, inner_stage};
use super::{loopback, mounts, signals};
use crate::{Network, SandboxError};

/// Runs `words` as `task` says, and returns with the code it ended with.
pub(super) fn run(task: &Task, words: &[OsString]) -> Result<u8, SandboxError> {
    end_with_parent().map_err(SandboxError::step("end with mayi"))?;
    if task.full {
        enter_namespaces(task.profile.network)?;
        mounts::arrange(&task.profile)?;
        keep_for_inner_stage().map_err(SandboxError::step("hand on what the inner stage needs"))?;
    }
    let (mut command, _told) = inner_stage(task).map_err(SandboxError::step("prepare the inner stage"))?;
    command.arg("--").args(words);
    start(command)
}

/// A stage ends with the one that started it.
pub(super) fn end_with_parent() -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
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

/// Starts the inner stage, and waits for its end.
fn start(mut command: Command) -> Result<u8, SandboxError> {
    let child = command.spawn().map_err(SandboxError::step("start the inner stage"))?;
    signals::forward_until_end(child).map_err(SandboxError::step("wait for the command"))
}

fn enter_namespaces(network: Network) -> Result<(), SandboxError> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let mut flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    if network == Network::None {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    unshare(flags).map_err(io::Error::from).map_err(SandboxError::step("make namespaces"))?;
    // Nobody but whoever runs it exists there.
    let write = |name: &str, text: String| {
        std::fs::write(format!("/proc/self/{name}"), text)
            .map_err(SandboxError::step(format!("write {name}")))
    };
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{user} {user} 1"))?;
    write("gid_map", format!("{group} {group} 1"))?;
    if network == Network::None {
        loopback::bring_up().map_err(SandboxError::step("bring up a loopback of its own"))?;
    }
    Ok(())
}
