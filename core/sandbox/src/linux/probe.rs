//! What this machine can hold, found out by holding it.

use std::process::Stdio;

use super::stage::Confined;
use crate::{CacheLayer, Launch, Profile, SandboxError, Tier};

/// The strongest tier that works here, and why no stronger one does. Each is tried, by a process that is really confined.
#[must_use]
pub fn available_tier() -> (Tier, Option<String>) {
    let mut why = None;
    for tier in [Tier::Full, Tier::Kernel] {
        match try_tier(tier) {
            Ok(()) => return (tier, why),
            Err(error) => why = why.or(Some(error)),
        }
    }
    (Tier::None, why)
}

/// Runs nothing in an empty profile.
fn try_tier(tier: Tier) -> Result<(), String> {
    let words = ["/proc/self/exe", "--version"].map(Into::into);
    let launch = Launch { words: &words, cwd: "/".into(), ..Launch::default() };
    let tried = Confined::new(&Profile::default(), tier, launch);
    let mut confined = tried.map_err(|error: SandboxError| error.to_string())?;
    let command = confined.command_mut();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().next().unwrap_or("it ended without a word").to_owned())
}

/// Where what is written in the profile's caches would be kept, by mounting them; nothing where that can't be found out.
#[must_use]
pub fn try_caches(profile: &Profile) -> Vec<(String, CacheLayer)> {
    let caches = Profile { caches: profile.caches.clone(), bounds: profile.bounds, ..Profile::default() };
    let Ok(mut confined) = Confined::telling(&caches) else { return Vec::new() };
    let command = confined.command_mut();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let told = command.output().ok().and_then(|output| serde_json::from_slice(&output.stdout).ok());
    told.unwrap_or_default()
}
