//! A home and a folder, and processes of mayi that share what they remember there.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::pty::Terminal;

/// A home and a folder, with runs that wait for answers from elsewhere.
pub(crate) struct Machine {
    pub(crate) folder: TempDir,
}

#[allow(dead_code, reason = "each file of tests needs another part of it")]
impl Machine {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn mayi(&self, words: &[&str]) -> Command {
        let mut mayi = Command::new(env!("CARGO_BIN_EXE_mayi"));
        mayi.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.folder.path().join("home"));
        mayi.current_dir(self.folder.path().join("work")).args(words).stdin(Stdio::null());
        mayi
    }

    /// The demo agent with something to ask about.
    pub(crate) fn asks(&self, prompt: &str) -> Child {
        let mut run = self.mayi(&["run", "demo", prompt, "--on-ask", "wait", "--timeout", "60s"]);
        run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    pub(crate) fn out(&self, words: &[&str]) -> Output {
        self.mayi(words).output().unwrap()
    }

    /// The IDs that the list shows, once there are `count` of them.
    pub(crate) fn ids(&self, count: usize) -> Vec<String> {
        let begun = Instant::now();
        loop {
            let out = String::from_utf8(self.out(&["inbox"]).stdout).unwrap();
            let rows = out.lines().skip(1);
            let ids: Vec<String> =
                rows.filter_map(|row| row.split_whitespace().next()).map(str::to_owned).collect();
            if ids.len() == count {
                return ids;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{out}");
        }
    }

    /// An answer, given at a terminal.
    pub(crate) fn at_terminal(&self, words: &[&str]) -> (i32, String) {
        let terminal = Terminal::start(self.mayi(words), (24, 100), false);
        let code = terminal.exit().code().unwrap();
        (code, terminal.screen())
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }
}

/// The code that it ends with.
#[allow(dead_code, reason = "not every file of tests waits for an end")]
pub(crate) fn ended(mut run: Child) -> i32 {
    run.wait().unwrap().code().unwrap()
}
