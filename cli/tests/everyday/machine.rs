//! A home, a folder to work in and a PATH, with nothing of this machine in them.
#![allow(clippy::unwrap_used, reason = "a test that can't be set up has failed")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) struct Machine {
    dir: tempfile::TempDir,
}

/// How a call ended.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

#[allow(dead_code, reason = "each file of tests needs another part of it")]
impl Done {
    pub(crate) fn all(&self) -> (i32, &str, &str) {
        (self.code, &self.out, &self.err)
    }
}

#[allow(dead_code, reason = "each file of tests needs another part of it")]
impl Machine {
    pub(crate) fn new() -> Self {
        let machine = Self { dir: tempfile::tempdir().unwrap() };
        for folder in ["home", "work", "bin"] {
            std::fs::create_dir(machine.at(folder)).unwrap();
        }
        machine
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.at("home")
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.at("work")
    }

    pub(crate) fn user_file(&self) -> PathBuf {
        self.home().join(".config/mayi/config.toml")
    }

    pub(crate) fn user_text(&self) -> String {
        std::fs::read_to_string(self.user_file()).unwrap()
    }

    pub(crate) fn user(self, text: &str) -> Self {
        put(&self.user_file(), text);
        self
    }

    pub(crate) fn workspace(self, text: &str) -> Self {
        put(&self.work().join(".mayi.toml"), text);
        self
    }

    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        put(&self.work().join(name), text);
        self
    }

    /// Puts a program into PATH that does nothing.
    pub(crate) fn program(self, name: &str) -> Self {
        let path = self.at("bin").join(name);
        put(&path, "#!/bin/sh\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        self
    }

    pub(crate) fn command<const N: usize>(&self, args: [&str; N]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mayi"));
        command
            .args(args)
            .current_dir(self.work())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", self.at("bin"));
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn mayi<const N: usize>(&self, args: [&str; N]) -> Done {
        ended(self.command(args).output().unwrap())
    }

    pub(crate) fn mayi_with_input<const N: usize>(&self, args: [&str; N], input: &str) -> Done {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        ended(child.wait_with_output().unwrap())
    }

    /// Without the names of temporary folders.
    pub(crate) fn plain(&self, text: &str) -> String {
        text.replace(&self.dir.path().canonicalize().unwrap().display().to_string(), "")
    }
}

fn ended(output: std::process::Output) -> Done {
    Done {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
