//! The launcher of the npm package is as if it were the program: the same end, and nothing left behind.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mayi_tests::{LIMIT, until};
use rustix::process::{Pid, Signal, kill_process};

use crate::home::{Home, VERSION, package};

/// The package with the launcher, alone.
fn launcher(home: &Home) -> PathBuf {
    let main = package(&format!("mayi-{VERSION}"), ".tgz");
    home.run("tar", ["-xzf".as_ref(), main.as_os_str(), "-C".as_ref(), home.at("").as_os_str()]);
    home.at("package/bin/mayi.js")
}

/// A program in the place of mayi.
fn script(home: &Home, text: &str) -> PathBuf {
    let file = home.at("bin/own");
    fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

fn launch(home: &Home, launcher: &Path, binary: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = home.command(launcher);
    command.env("MAYI_BINARY", binary);
    command
}

/// "The launcher of the npm package is as if it were the program" (S1.24).
#[test]
fn given_a_program_of_ones_own_then_it_gets_all_words_and_its_end_is_the_launchers() {
    let home = Home::new();
    let launcher = launcher(&home);
    let own = script(&home, r#"printf '<%s>' "$@"; cat; echo "${MAYI_BINARY-none}"; exit 6"#);
    let mut command = launch(&home, &launcher, own);
    let done = command.args(["check", "a  b", ""]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "<check><a  b><>none\n");
    assert_eq!(done.status.code(), Some(6));
    let killed = launch(&home, &launcher, script(&home, "kill -KILL $$")).output().unwrap();
    assert_eq!(killed.status.signal(), Some(9));
}

/// What is sent to the launcher alone reaches the program, which may end in its own way.
#[test]
fn given_a_signal_for_the_launcher_then_the_program_has_it() {
    let home = Home::new();
    let launcher = launcher(&home);
    let ready = home.at("ready");
    // It waits in its own process: a shell looks at signals only between commands.
    let text = format!(
        "trap 'exit 7' TERM; : > '{}'; while :; do read -r line || sleep 0.05; done",
        ready.display()
    );
    let mut child = launch(&home, &launcher, script(&home, &text)).stdin(Stdio::null()).spawn().unwrap();
    until(LIMIT, || if ready.exists() { Ok(()) } else { Err("it has not begun".to_owned()) });
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(7));
}

/// "By an absolute path or not at all" (S1.24): a relative program would be one of the folder that somebody works in.
#[test]
fn given_a_program_that_is_not_absolute_or_none_then_it_is_told_and_nothing_starts() {
    let home = Home::new();
    let launcher = launcher(&home);
    script(&home, "echo started");
    let refused = launch(&home, &launcher, "../bin/own").output().unwrap();
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("must be an absolute path"));
    let missing = home.command(&launcher).output().unwrap();
    assert_eq!(missing.status.code(), Some(1));
    let told = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(told.contains("@mayi/linux-") && told.contains("optional dependencies"), "{told}");
    let nothing = launch(&home, &launcher, home.at("nothing")).output().unwrap();
    assert_eq!(nothing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("could not be started"));
}

/// Where packages for both C libraries are there, as an npm that knows nothing of these installs them, the one that runs is taken.
#[test]
fn given_packages_for_both_c_libraries_then_the_systems_own_is_started() {
    let home = Home::new();
    let launcher = launcher(&home);
    let (processor, musl) =
        (if cfg!(target_arch = "x86_64") { "x64" } else { "arm64" }, cfg!(target_env = "musl"));
    for suffix in ["", "-musl"] {
        let folder = home.at(&format!("package/node_modules/@mayi/linux-{processor}{suffix}/bin"));
        fs::create_dir_all(&folder).unwrap();
        fs::copy(script(&home, &format!("echo 'this is{suffix}'")), folder.join("mayi")).unwrap();
    }
    let done = home.command(&launcher).output().unwrap();
    let wanted = if musl { "this is-musl\n" } else { "this is\n" };
    assert_eq!(String::from_utf8_lossy(&done.stdout), wanted, "{}", String::from_utf8_lossy(&done.stderr));
}
