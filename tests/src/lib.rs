//! What crosses crates: `mayi` as people start it, on a machine of the test's own and without a terminal, and what
//! came of it.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "what only tests use fails as tests do"
)]

pub mod backend;
pub mod conformance;
pub mod endpoint;
pub mod everyday;
pub mod heavy;
mod loose;
pub mod random;
mod skipped;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{Seek, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub use loose::{Loose, again_as_ordinary_user, again_as_ordinary_user_with};
pub use skipped::skipped;

/// A test that waits longer for anything has failed: nothing that mayi does may hang.
pub const LIMIT: Duration = Duration::from_secs(60);

/// The lines of `--format stream-json`.
const LINES: &[&str] = &[
    "start",
    "update",
    "approval-request",
    "approval-updated",
    "approval-resolved",
    "decision",
    "unasked",
    "notice",
    "stderr",
    "result",
];

/// The program `mayi`: beside this test's own folder, or where `MAYI_BIN` says.
///
/// # Panics
/// If it was not built.
#[must_use]
pub fn mayi_program() -> PathBuf {
    if let Some(path) = std::env::var_os("MAYI_BIN") {
        return PathBuf::from(path);
    }
    let own = std::env::current_exe().expect("a test knows its own program");
    let profile = own.parent().and_then(Path::parent).expect("a test lies in target/PROFILE/deps");
    let program = profile.join(format!("mayi{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is not there: run `cargo build -p mayi` first", program.display());
    program
}

/// Words as one command line of a shell's.
#[must_use]
pub fn command_line<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let quoted: Vec<String> =
        words.into_iter().map(|word| format!("'{}'", word.as_ref().replace('\'', r"'\''"))).collect();
    quoted.join(" ")
}

/// A person's folders: home, configuration, state, and one to work in. Nothing of the real person is seen.
pub struct Machine {
    root: PathBuf,
    _folder: TempDir,
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

impl Machine {
    /// Empty folders.
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let root = folder.path().canonicalize().expect("it is there");
        for name in ["home", "work", "config/mayi"] {
            std::fs::create_dir_all(root.join(name)).expect("a folder can be made");
        }
        Self { root, _folder: folder }
    }

    /// The folder to work in.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// A path outside of the folder to work in.
    #[must_use]
    pub fn outside(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The same as text.
    #[must_use]
    pub fn outside_text(&self, name: &str) -> String {
        self.outside(name).display().to_string()
    }

    /// Writes the user's configuration.
    #[must_use]
    pub fn user(self, toml: &str) -> Self {
        self.configuration("config/mayi/config.toml", toml);
        self
    }

    /// Writes a configuration of the user's, outside of the folder to work in.
    pub fn configuration(&self, name: &str, toml: &str) -> PathBuf {
        let path = self.put(&self.outside(name), toml);
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("it is the test's own");
        path
    }

    /// Writes a file in the folder to work in.
    #[must_use]
    pub fn file(self, name: &str, text: &str) -> Self {
        self.put(&self.work().join(name), text);
        self
    }

    /// Writes a program.
    pub fn program(&self, path: &Path, text: &str) {
        self.put(path, text);
        std::fs::set_permissions(path, Permissions::from_mode(0o755)).expect("it is the test's own");
    }

    fn put(&self, path: &Path, text: &str) -> PathBuf {
        let folder = path.parent().expect("a file has a folder");
        std::fs::create_dir_all(folder).expect("a folder can be made");
        std::fs::write(path, text).expect("a file can be written");
        path.to_owned()
    }

    /// The text of a file in the folder to work in; none if it is not there.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.work().join(name)).ok()
    }

    /// What is in the folder to work in.
    #[must_use]
    pub fn files(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.work()).expect("the folder is there");
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// The variables that say where everything is: these folders, and programs where they really are.
    #[must_use]
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let folders = [
            ("HOME", "home"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_CACHE_HOME", "cache"),
        ];
        let mut found: Vec<_> =
            folders.into_iter().map(|(name, folder)| (name, self.outside(folder).into_os_string())).collect();
        found.push(("PATH", std::env::var_os("PATH").unwrap_or_default()));
        found
    }

    /// `mayi` with these arguments, in the folder to work in.
    #[must_use]
    pub fn mayi<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Mayi {
        let mut command = Command::new(mayi_program());
        command.args(args).current_dir(self.work()).env_clear().stdin(Stdio::null());
        command.envs(self.environment());
        Mayi { command, stdout: None }
    }

    /// The programs that run with these folders as theirs: mayi, and whatever it started. Only where there is `/proc`.
    #[must_use]
    pub fn programs(&self) -> Vec<String> {
        let home = format!("HOME={}", self.outside_text("home"));
        let read =
            |path: PathBuf| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        entries
            .filter(|entry| read(entry.path().join("environ")).split('\0').any(|variable| variable == home))
            .map(|entry| read(entry.path().join("cmdline")).replace('\0', " "))
            .collect()
    }

    /// Waits until nothing runs any more that was started with these folders.
    ///
    /// # Panics
    /// If something stays.
    #[track_caller]
    pub fn is_quiet(&self) {
        until(Duration::from_secs(5), || match self.programs() {
            programs if programs.is_empty() => Ok(()),
            programs => Err(format!("left behind: {programs:?}")),
        });
    }
}

/// Waits until it holds.
///
/// # Panics
/// If it takes longer than `limit`; with what was wrong at last.
#[track_caller]
pub fn until(limit: Duration, holds: impl Fn() -> Result<(), String>) {
    let deadline = Instant::now() + limit;
    while let Err(what) = holds() {
        assert!(Instant::now() < deadline, "after {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A `mayi` that is about to be started.
pub struct Mayi {
    command: Command,
    stdout: Option<Stdio>,
}

impl Mayi {
    /// More arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    /// A variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Another folder to start in.
    #[must_use]
    pub fn cwd(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Text on a pipe, as standard input; shorter than what a pipe holds.
    #[must_use]
    pub fn stdin(mut self, bytes: &[u8]) -> Self {
        let (reader, mut writer) = std::io::pipe().expect("there are pipes");
        writer.write_all(bytes).expect("a pipe takes a little text");
        self.command.stdin(reader);
        self
    }

    /// Any number of bytes, as standard input.
    #[must_use]
    pub fn input(mut self, bytes: &[u8]) -> Self {
        let mut file = tempfile::tempfile().expect("a file can be made");
        file.write_all(bytes).and_then(|()| file.rewind()).expect("a file takes bytes");
        self.command.stdin(file);
        self
    }

    /// Another place for standard output.
    #[must_use]
    pub fn stdout(mut self, to: impl Into<Stdio>) -> Self {
        self.stdout = Some(to.into());
        self
    }

    /// Starts it in a session of its own, which has no terminal.
    #[must_use]
    pub fn start(self) -> Running {
        let Self { mut command, stdout } = self;
        let words: Vec<OsString> = command.get_args().map(OsStr::to_owned).collect();
        let [out, err] = [(); 2].map(|()| tempfile::tempfile().expect("a file can be made"));
        let clone = |file: &File| file.try_clone().expect("a file can be shared");
        command.stdout(stdout.unwrap_or_else(|| clone(&out).into())).stderr(clone(&err));
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("tokio starts");
        let mut wrap = CommandWrap::from(tokio::process::Command::from(command));
        wrap.wrap(ProcessSession);
        let started = Instant::now();
        let child = runtime.block_on(async { wrap.spawn() }).expect("mayi can be started");
        Running { child, runtime, words, out, err, started }
    }

    /// Starts it, and waits for its end.
    #[must_use]
    pub fn end(self) -> Ended {
        self.start().end()
    }
}

/// A `mayi` that runs.
pub struct Running {
    child: Box<dyn ChildWrapper>,
    runtime: Runtime,
    words: Vec<OsString>,
    out: File,
    err: File,
    started: Instant,
}

impl Running {
    /// Waits until its standard output says so, that many times.
    ///
    /// # Panics
    /// If it takes too long.
    #[track_caller]
    pub fn until_it_tells(&self, what: &str, times: usize) {
        until(LIMIT, || {
            let out = contents(&self.out);
            let out = String::from_utf8_lossy(&out);
            let found = out.matches(what).count();
            if found >= times { Ok(()) } else { Err(format!("{what:?} is there {found} times: {out}")) }
        });
    }

    /// The JSON lines that it has told so far.
    #[must_use]
    pub fn told(&self) -> Vec<Value> {
        let out = contents(&self.out);
        String::from_utf8_lossy(&out).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Sends it a signal.
    ///
    /// # Panics
    /// If it is gone.
    pub fn signal(&self, signal: Signal) {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        rustix::process::kill_process(id.expect("it runs"), signal).expect("it is the test's own");
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// If it takes too long.
    #[must_use]
    pub fn end(mut self) -> Ended {
        let limit = LIMIT.saturating_sub(self.started.elapsed());
        let status = self.runtime.block_on(async { tokio::time::timeout(limit, self.child.wait()).await });
        let ended = Ended {
            code: status.as_ref().ok().and_then(|status| status.as_ref().ok()?.code()),
            out: contents(&self.out),
            err: String::from_utf8_lossy(&contents(&self.err)).into_owned(),
            took: self.started.elapsed(),
            words: std::mem::take(&mut self.words),
        };
        if status.is_err() {
            let _ = self.child.start_kill();
            panic!("it did not end within {LIMIT:?}\n{ended}");
        }
        ended
    }
}

/// The whole file, whoever writes to it meanwhile.
fn contents(file: &File) -> Vec<u8> {
    let length = file.metadata().map_or(0, |meta| usize::try_from(meta.len()).unwrap_or(0));
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, 0).expect("it was there a moment ago");
    bytes
}

/// What came of it.
pub struct Ended {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: String,
    /// How long it took.
    pub took: Duration,
    words: Vec<OsString>,
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = |text: &str| {
            text.chars().take(8000).collect::<String>().escape_debug().to_string().replace("\\n", "\n")
        };
        writeln!(f, "{:?} ended with {:?} after {:?}", self.words, self.code, self.took)?;
        writeln!(f, "--- stdout\n{}\n--- stderr\n{}", short(&self.text()), short(&self.err))
    }
}

impl Ended {
    /// Standard output as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// It ended with this code, and nothing in it panicked.
    ///
    /// # Panics
    /// If not.
    #[must_use]
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert!(self.code == Some(code), "expected exit code {code}: {self}");
        assert!(!self.err.contains("panicked"), "{self}");
        self
    }

    /// Standard error says this.
    ///
    /// # Panics
    /// If not.
    #[must_use]
    #[track_caller]
    pub fn says(self, what: &str) -> Self {
        assert!(self.err.contains(what), "expected {what:?} on standard error: {self}");
        self
    }

    /// Standard output, which is the agent's words, says this.
    ///
    /// # Panics
    /// If not.
    #[must_use]
    #[track_caller]
    pub fn tells(self, what: &str) -> Self {
        assert!(self.text().contains(what), "expected {what:?} on standard output: {self}");
        self
    }

    /// What `--format stream-json` wrote: JSON lines from start to end, and the last one is the result, with the exit
    /// code that the process ended with.
    ///
    /// # Panics
    /// If not.
    #[must_use]
    #[track_caller]
    pub fn stream(&self) -> Vec<Value> {
        let lines = self.lines();
        for line in &lines {
            let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
            assert!(LINES.contains(&kind), "no line is of type {kind:?}: {self}");
        }
        let results = lines.iter().filter(|line| is(line, "result")).count();
        let last = lines.last().unwrap_or_else(|| panic!("there is no line: {self}"));
        assert!(results == 1 && is(last, "result"), "the result is the last line, and the only one: {self}");
        assert_eq!(last.get("exitCode").and_then(Value::as_i64), self.code.map(i64::from), "{self}");
        lines
    }

    /// JSON objects, one a line.
    ///
    /// # Panics
    /// If that is not what was written.
    #[must_use]
    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        assert!(self.out.ends_with(b"\n"), "the last line is not whole: {self}");
        let text = std::str::from_utf8(&self.out).unwrap_or_else(|error| panic!("{error}: {self}"));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}: {self}")))
            .collect()
    }

    /// What `--format json` wrote: one object, and nothing else.
    ///
    /// # Panics
    /// If not.
    #[must_use]
    #[track_caller]
    pub fn result(&self) -> Value {
        let lines = self.stream();
        let [result] =
            <[Value; 1]>::try_from(lines).unwrap_or_else(|_| panic!("expected one object: {self}"));
        result
    }
}

/// Whether a line of the stream is of this type.
#[must_use]
pub fn is(line: &Value, kind: &str) -> bool {
    line.get("type").is_some_and(|given| given == kind)
}
