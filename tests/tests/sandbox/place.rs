//! A machine with a project in it, and who runs commands there.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mayi_tests::{Machine, mayi_program};
use rustix::process::geteuid;
use serde_json::Value;

/// An ordinary user, whom the system knows by no name.
const NOBODY: &str = "65534";

/// Who runs the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Whoever runs the tests.
    Myself,
    /// An ordinary user, where whoever runs the tests is root.
    Nobody,
}

impl Who {
    /// All that there are here.
    pub(crate) fn all() -> &'static [Self] {
        if geteuid().is_root() { &[Self::Myself, Self::Nobody] } else { &[Self::Myself] }
    }
}

/// A project with what is denied and protected in it.
pub(crate) struct Project {
    pub(crate) machine: Machine,
    who: Who,
    program: PathBuf,
}

impl Project {
    /// A repository with a denied `.env`, whose `try.py` is allowed.
    pub(crate) fn new(who: Who) -> Self {
        let machine = Machine::new()
            .user("[[rule]]\neffect = \"deny\"\npattern = \"read(**/.env)\"\n\n[[rule]]\neffect = \"allow\"\npattern = \"shell(/usr/bin/python3 try.py *)\"\n")
            .file(".env", "SECRET=1\n")
            .file("src/lib.rs", "// code\n");
        let git = Command::new("git").args(["init", "--quiet"]).current_dir(machine.work()).status().unwrap();
        assert!(git.success());
        // Where an ordinary user can start it.
        let program = match who {
            Who::Myself => mayi_program(),
            Who::Nobody if is_for_all(&mayi_program()) => mayi_program(),
            Who::Nobody => {
                let program = machine.outside("mayi");
                fs::copy(mayi_program(), &program).unwrap();
                program
            }
        };
        Self { machine, who, program }
    }

    /// `mayi` with these words, as whoever it is.
    pub(crate) fn mayi(&self, words: &[&str]) -> Command {
        let mut command = self.as_whoever(&self.program);
        command.args(words).current_dir(self.machine.work()).env_clear().envs(self.machine.environment());
        command.stdin(Stdio::null());
        command
    }

    /// A program, as whoever it is.
    fn as_whoever(&self, program: impl AsRef<OsStr>) -> Command {
        if self.who == Who::Myself {
            return Command::new(program);
        }
        // Everything that is there is theirs.
        let top = self.machine.outside("");
        let owner =
            Command::new("chown").arg("-R").arg(format!("{NOBODY}:{NOBODY}")).arg(&top).status().unwrap();
        assert!(owner.success());
        let mut command = Command::new("setpriv");
        command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(program);
        command
    }

    /// The tiers that hold something here, the strongest first.
    pub(crate) fn tiers(&self) -> &'static [&'static str] {
        let output = self.mayi(&["sandbox", "check", "--json"]).output().unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        match told["tier"].as_str().unwrap() {
            "full" => &["full", "kernel"],
            "kernel" => {
                // Whoever can make namespaces has the full tier.
                let mut unshare = self.as_whoever("unshare");
                let made = unshare
                    .args(["--user", "--map-current-user", "--mount", "--pid", "--fork", "true"])
                    .status();
                assert!(!made.unwrap().success(), "there are namespaces, and no full tier: {told}");
                mayi_tests::skipped(&format!("no namespaces for {:?}: {}", self.who, told["why"]));
                &["kernel"]
            }
            other => panic!("nothing is held here ({other}): {told}"),
        }
    }
}

/// Whether everybody can start a program: it may be in a folder of whoever runs the tests.
fn is_for_all(program: &Path) -> bool {
    program.ancestors().all(|path| fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 1 == 1))
}
