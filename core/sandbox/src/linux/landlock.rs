//! Landlock: what may be written, and nothing of other processes. Last of all: a process that is in it mounts nothing any more.

use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, PathFdError,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use crate::needed::SYSTEM;
use crate::{Place, Profile, SandboxError};

/// The newest that is known here: what the kernel does not have of it is left out, and the tier says what that leaves.
const NEWEST: ABI = ABI::V6;

/// The least that holds writes: before it a file could be emptied that may not be written.
const LEAST: ABI = ABI::V3;

/// What is written in a `/dev` and a temporary folder of its own.
const OWN: [&str; 3] = ["/dev", "/tmp", "/var/tmp"];

/// What is written of the machine's `/dev`.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx"];

/// Confines this process; `own` says that `/dev` and the temporary folder are its own.
pub(super) fn restrict(profile: &Profile, own: bool) -> Result<(), SandboxError> {
    let restricted = rules(profile, own).and_then(|rules| Ok(rules.restrict_self()?));
    let status = restricted.map_err(|error| SandboxError::Step {
        step: "confine by Landlock".to_owned(),
        source: io::Error::other(error.to_string()),
    })?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(SandboxError::Shortfall("the kernel has no Landlock".to_owned())),
        _ => Ok(()),
    }
}

#[derive(Debug, thiserror::Error)]
enum LandlockError {
    #[error(transparent)]
    Ruleset(#[from] RulesetError),
    #[error(transparent)]
    Path(#[from] PathFdError),
}

fn rules(profile: &Profile, own: bool) -> Result<RulesetCreated, LandlockError> {
    let all = AccessFs::from_all(NEWEST);
    // Of these there has to be all; of what is newer, what there is.
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    let reading = AccessFs::from_read(NEWEST);
    let rules = match &profile.readable {
        None => allow(rules, Path::new("/"), reading)?,
        Some(places) => {
            let own = places.iter().map(|place| &*place.path);
            let system = SYSTEM.iter().map(Path::new);
            own.chain(system).try_fold(rules, |rules, path| allow(rules, path, reading))?
        }
    };
    let mut writable: Vec<PathBuf> = profile.writable.iter().map(|Place { path, .. }| path.clone()).collect();
    if own {
        // Written in the layers above them.
        writable.extend(profile.caches.iter().map(|cache| cache.folder.clone()));
        writable.extend(profile.home.iter().map(|home| home.path.clone()));
    }
    writable.extend(if own { &OWN[..] } else { &DEVICES[..] }.iter().map(PathBuf::from));
    let rules = writable.iter().try_fold(rules, |rules, path| allow(rules, path, all))?;
    // `/dev/stderr` is another name for what is open there.
    (0..3)
        .map(|fd| format!("/proc/self/fd/{fd}"))
        .filter(|path| is_open_for_writing(path))
        .try_fold(rules, |rules, path| {
            allow(rules, Path::new(&path), AccessFs::WriteFile | AccessFs::Truncate)
        })
}

/// Whether a stream may be written already, and is a file or a terminal.
fn is_open_for_writing(path: &str) -> bool {
    let Some(number) = path.rsplit('/').next() else { return false };
    let told = std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
    let flags =
        told.lines().find_map(|line| u32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
    let kind = Path::new(path).metadata().map(|found| found.file_type());
    flags.is_some_and(|flags| flags & 3 != 0)
        && kind.is_ok_and(|kind| kind.is_file() || kind.is_char_device())
}

/// Allows `access` beneath a path, if it is there: of a file, what can be done with a file.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, LandlockError> {
    let Ok(found) = path.metadata() else { return Ok(rules) };
    let access = if found.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
    Ok(rules.add_rule(PathBeneath::new(PathFd::new(path)?, access))?)
}
