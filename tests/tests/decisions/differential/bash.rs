//! Real bash, in a folder of its own and without any program to start: what it accepts, what it runs, what it writes.

use std::collections::BTreeSet;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Every command that is not there is told, with its words, in one write: nothing comes between.
const PRELUDE: &str = r#"
exec 9>&1
FUNCNEST=40
ulimit -t 20
command_not_found_handle() {
    local told
    builtin printf -v told '%s\036' "$@"
    builtin printf '\034%s\035' "$told" >&9
    case "$1" in f*) return 1;; *) return 0;; esac
}
"#;

/// A line that takes longer does not end by itself.
const LIMIT: Duration = Duration::from_secs(3);

/// What there is before a line runs, and is not written by it.
const FILES: [&str; 4] = ["i1", "a.zz", "b.zz", "d1"];

pub(crate) struct Bash {
    program: PathBuf,
    folder: tempfile::TempDir,
    work: PathBuf,
}

/// What happened.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    /// The commands, with their words.
    pub(crate) commands: BTreeSet<Vec<String>>,
    /// The files that were not there before, from the folder to work in.
    pub(crate) written: BTreeSet<PathBuf>,
}

impl Bash {
    pub(crate) fn new() -> Self {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let program =
            std::env::split_paths(&folders).map(|folder| folder.join("bash")).find(|file| file.is_file());
        let program = program.expect("there is no bash: install it, or run tests/run, which does");
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().canonicalize().unwrap().join("work");
        std::fs::write(folder.path().join("prelude"), PRELUDE).unwrap();
        Self { program, work, folder }
    }

    /// The folder to work in.
    pub(crate) fn work(&self) -> &Path {
        &self.work
    }

    /// Whether bash takes the line for one, with `extglob` as interactive shells of some systems have it or without.
    pub(crate) fn accepts(&self, line: &str) -> bool {
        [&["-n"][..], &["-n", "-O", "extglob"][..]].iter().any(|options| {
            let mut bash = self.bash();
            bash.args(*options).args(["-c", line]).stdout(Stdio::null());
            bash.status().is_ok_and(|status| status.success())
        })
    }

    fn bash(&self) -> Command {
        let mut bash = Command::new(&self.program);
        bash.env_clear()
            .env("PATH", "/nonexistent")
            .env("HOME", "/nonexistent/home")
            .env("LC_ALL", "C.UTF-8");
        bash.args(["--noprofile", "--norc"]).current_dir(self.folder.path());
        bash.stdin(Stdio::null()).stderr(Stdio::null());
        bash
    }

    /// Runs `line`; none if it does not end by itself.
    pub(crate) fn run(&self, line: &str) -> Option<Ran> {
        let _ = std::fs::remove_dir_all(&self.work);
        std::fs::create_dir_all(self.work.join("d1")).unwrap();
        for name in ["i1", "a.zz", "b.zz"] {
            std::fs::write(self.work.join(name), "in\n").unwrap();
        }
        let mut bash = self.bash();
        bash.current_dir(&self.work).env("BASH_ENV", self.folder.path().join("prelude"));
        bash.args(["-c", line]).stdout(Stdio::piped()).process_group(0);
        let mut child = bash.spawn().expect("there is a bash");
        let mut pipe = child.stdout.take().expect("it is piped");
        let (send, told) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.by_ref().take(1 << 20).read_to_end(&mut bytes);
            let _ = send.send(bytes);
        });
        // The end of what is told is the end of all that was started.
        let told = told.recv_timeout(LIMIT).ok();
        if told.is_none() {
            let group = rustix::process::Pid::from_child(&child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        // Its limit of processor time ends it too, by a signal.
        let ended =
            child.wait().is_ok_and(|status| std::os::unix::process::ExitStatusExt::signal(&status).is_none());
        reader.join().expect("reading does not fail");
        told.filter(|_| ended)
            .map(|told| Ran { commands: commands(&told), written: self.written(&self.work) })
    }

    fn written(&self, folder: &Path) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                found.extend(self.written(&path));
            } else if folder != self.work || !FILES.contains(&&*entry.file_name().to_string_lossy()) {
                found.insert(path);
            }
        }
        found
    }
}

/// What the prelude told, between marks; what else was said on the same output is outside of them.
fn commands(told: &[u8]) -> BTreeSet<Vec<String>> {
    let text = String::from_utf8_lossy(told);
    let records = text.split('\x1d').filter_map(|record| Some(record.rsplit_once('\x1c')?.1));
    let words = |record: &str| {
        let mut words: Vec<String> = record.split('\x1e').map(str::to_owned).collect();
        words.pop();
        words
    };
    records.map(words).collect()
}
