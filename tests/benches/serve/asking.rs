//! The agents that ask: how they are configured, and what they have noted.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::AGENT;
use crate::common::Outcome;

/// An agent of the configuration.
pub(crate) struct Asking {
    pub(crate) name: String,
    pub(crate) calls: usize,
    pub(crate) at_once: usize,
    pub(crate) pause_us: usize,
    /// Where its times go.
    pub(crate) out: PathBuf,
}

/// What it has noted of a call.
#[derive(Deserialize)]
pub(crate) struct Noted {
    pub(crate) call: String,
    pub(crate) asked: u64,
    pub(crate) answered: u64,
    pub(crate) allowed: bool,
}

impl Asking {
    /// One that asks `calls` times, `at_once` at a time.
    pub(crate) fn new(folder: &Path, name: &str, calls: usize, at_once: usize, pause_us: usize) -> Self {
        Self { name: name.to_owned(), calls, at_once, pause_us, out: folder.join(format!("{name}.json")) }
    }

    /// Its part of the configuration.
    pub(crate) fn configure(&self, text: &mut String) -> Outcome<()> {
        let command = serde_json::to_string(&[
            AGENT.to_owned(),
            "--out".to_owned(),
            self.out.display().to_string(),
            "--calls".to_owned(),
            self.calls.to_string(),
            "--at-once".to_owned(),
            self.at_once.to_string(),
            "--pause-us".to_owned(),
            self.pause_us.to_string(),
        ])?;
        Ok(writeln!(text, "\n[agents.{}]\ncommand = {command}", self.name)?)
    }

    /// What it has noted in the turn that is over.
    pub(crate) fn noted(&self) -> Outcome<Vec<Noted>> {
        let noted: Vec<Noted> = serde_json::from_str(&std::fs::read_to_string(&self.out)?)?;
        let allowed = noted.iter().filter(|noted| noted.allowed).count();
        if allowed != self.calls {
            return Err(format!("{}: {allowed} of {} calls were allowed", self.name, self.calls).into());
        }
        Ok(noted)
    }
}
