//! How this program was installed: told from where it is and from what lies beside it. Nothing is run for it, and no network
//! is asked.

mod advice;
mod evidence;
mod find;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub(crate) use self::evidence::InstallEvidence;
pub(crate) use self::find::detect_install_method;

/// How a program was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InstallMethod {
    /// `cargo install`: below `root`, if that is not cargo's usual one.
    Cargo { root: Option<PathBuf>, from: CargoSource },
    /// A wheel.
    Wheel { by: WheelInstaller, from: Option<String> },
    /// A package of npm, pnpm, yarn or bun.
    Npm { by: NpmInstaller, package: String },
    /// A package of Debian.
    Debian { package: String },
    /// Homebrew's formula of this name.
    Homebrew { formula: String },
    /// A path of Nix's store; `profile`: it is in the user's profile.
    Nix { profile: bool },
    /// The binary of the editor's extension in this folder.
    Extension { folder: PathBuf },
    /// A build of this project.
    Development { project: PathBuf },
    /// An archive that was unpacked in this folder.
    Archive { folder: PathBuf },
    /// It can't be told.
    Unknown,
}

/// Where cargo had it from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CargoSource {
    Registry,
    Git(String),
    Path(String),
}

/// Who put a wheel in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WheelInstaller {
    Pipx,
    UvTool,
    /// `uvx`, or `pipx run`: for this run.
    Run(&'static str),
    /// Into an environment of uv's project.
    UvProject(PathBuf),
    /// `uv pip`, into this environment.
    UvPip(PathBuf),
    /// pip, into this environment.
    Pip(PathBuf),
    /// pip, for the user or for the system.
    PipAlone {
        user: bool,
    },
    /// Another one, by its name.
    Other(String),
}

/// Who put a package of npm in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NpmInstaller {
    /// This package manager, for all projects.
    Global(&'static str),
    /// `npx` and the like: for this run.
    Run(&'static str),
    /// In this project.
    Project(PathBuf),
}

/// Where this program is, links resolved; also if it was replaced while it runs.
pub(crate) fn current_program() -> Option<PathBuf> {
    let place = std::env::current_exe().ok()?;
    let text = place.to_str().and_then(|text| text.strip_suffix(" (deleted)"));
    let place = match text {
        Some(text) if !place.exists() => PathBuf::from(text),
        _ => place,
    };
    Some(place.canonicalize().unwrap_or(place))
}
