//! The program itself, if it has been built.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A `mayi` that can do what is measured.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// `release` or `debug`.
    pub(crate) profile: &'static str,
}

/// Under what conditions figures are taken.
///
/// # Errors
/// If nobody knows how many processors there are.
pub(crate) fn conditions() -> std::io::Result<String> {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("?");
    Ok(format!("{} cores, load before: {load}", std::thread::available_parallelism()?))
}

/// Looks for it in `built`, the folder of what was built for this bench, and then in that of the other profile. It has
/// to know `option` of `command`.
///
/// # Errors
/// Why there is none.
pub(crate) fn find(built: &Path, command: &str, option: &str) -> Result<Program, String> {
    let target = built.parent().unwrap_or(built);
    let mut why = "there is no target/release/mayi and no target/debug/mayi: build it".to_owned();
    let profiles = if built.ends_with("debug") { ["debug", "release"] } else { ["release", "debug"] };
    for profile in profiles {
        let path = target.join(profile).join(format!("mayi{}", std::env::consts::EXE_SUFFIX));
        if !path.is_file() {
            continue;
        }
        let help = Command::new(&path).args([command, "--help"]).stdin(Stdio::null()).output();
        if help
            .is_ok_and(|help| help.status.success() && String::from_utf8_lossy(&help.stdout).contains(option))
        {
            return Ok(Program { path, profile });
        }
        why = format!("{} does not know `{command} {option}`: build it anew", path.display());
    }
    Err(why)
}

/// The environment of a program that is measured: the PATH `path`, and a home of its own.
pub(crate) fn at_home(command: &mut Command, home: &Path, path: &OsStr) {
    command.env_clear().env("PATH", path).env("HOME", home);
    for (name, folder) in
        [("CONFIG", ".config"), ("DATA", ".local/share"), ("STATE", ".local/state"), ("CACHE", ".cache")]
    {
        command.env(format!("XDG_{name}_HOME"), home.join(folder));
    }
}
