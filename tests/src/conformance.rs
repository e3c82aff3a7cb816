//! The protocol's conformance suite, run against a server, and what its own files say of the outcome.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The suite, in the folder that `tests/mcp/install` prints.
pub struct Suite {
    node: PathBuf,
    package: PathBuf,
}

/// What a revision of the protocol requires of servers.
#[derive(Debug, Default)]
pub struct Requirements {
    /// Scenarios that have to pass.
    pub scored: BTreeSet<String>,
    /// Scenarios that are run as well, and why they don't count.
    pub unscored: BTreeMap<String, String>,
}

/// One scenario's checks. A check that is made several times counts each time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How many checks succeeded.
    pub passed: usize,
    /// What went wrong, or was only warned of, check by check.
    pub failed: Vec<String>,
    /// How many checks could not be made.
    pub skipped: usize,
    /// The checks that succeeded each time that they were made.
    pub sound: BTreeSet<String>,
    /// The checks that were not made, for what they ask is left to the server.
    pub noted: BTreeSet<String>,
}

/// One run of the suite.
#[derive(Debug)]
pub struct Run {
    /// By scenario.
    pub outcomes: BTreeMap<String, Outcome>,
    /// What the suite printed.
    pub printed: String,
    /// The suite's own verdict on what a revision requires.
    pub conforms: bool,
}

impl Suite {
    /// The suite in that folder.
    ///
    /// # Panics
    /// If it is not there.
    #[must_use]
    pub fn new(installed: &Path) -> Self {
        let package = installed.join("node_modules/@modelcontextprotocol/conformance");
        assert!(package.is_dir(), "{} is not there: run tests/mcp/install", package.display());
        Self { node: installed.join("bin/node"), package }
    }

    /// What a revision requires, as the suite's own file has it.
    ///
    /// # Panics
    /// If there is no such file, or it says nothing of servers.
    #[must_use]
    pub fn requirements(&self, revision: &str) -> Requirements {
        let path = self.package.join(format!("requirements/{revision}.yaml"));
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let requirements = Requirements::read(&text);
        assert!(!requirements.scored.is_empty(), "{} requires nothing of servers", path.display());
        requirements
    }

    /// Runs what a revision requires of a server, in a folder where the results are put.
    ///
    /// # Panics
    /// If the suite can't be started, or leaves no results.
    #[must_use]
    pub fn run(&self, url: &str, revision: &str, folder: &Path) -> Run {
        let results = folder.join("results");
        let mut command = Command::new(&self.node);
        command.arg(self.package.join("dist/index.js")).args(["server", "--url", url]);
        command.args(["--requirements", revision, "--output-dir"]).arg(&results);
        command.env_clear().env("HOME", folder).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let output = command.current_dir(folder).stdin(Stdio::null()).output().expect("the suite starts");
        let mut printed = String::from_utf8_lossy(&output.stdout).into_owned();
        printed += &String::from_utf8_lossy(&output.stderr);
        let outcomes = outcomes(&results).unwrap_or_else(|error| panic!("{error}: {printed}"));
        Run { outcomes, printed, conforms: output.status.success() }
    }
}

impl Requirements {
    /// Reads the two lists that are about servers. The file is made of sections, and of entries with two spaces.
    fn read(text: &str) -> Self {
        let mut found = Self::default();
        let (mut section, mut scenario, mut of_server) = ("", "", false);
        for line in text.lines() {
            if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with([' ', '#'])) {
                section = name;
            } else if let ("server", Some(name)) = (section, line.strip_prefix("  - ")) {
                found.scored.insert(name.to_owned());
            } else if section == "not_scored" {
                match line.trim_start_matches([' ', '-']).split_once(": ") {
                    Some(("scenario", name)) => (scenario, of_server) = (name, false),
                    Some(("leg", leg)) => of_server = leg == "server",
                    Some(("reason", reason)) if of_server => {
                        found.unscored.insert(scenario.to_owned(), reason.to_owned());
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

impl Outcome {
    fn of(checks: &[Value]) -> Self {
        let mut outcome = Self::default();
        let mut unsound = BTreeSet::new();
        for check in checks {
            let field = |key: &str| check.get(key).and_then(Value::as_str).unwrap_or_default();
            match field("status") {
                "SUCCESS" => {
                    outcome.passed += 1;
                    outcome.sound.insert(field("id").to_owned());
                }
                "SKIPPED" => outcome.skipped += 1,
                "INFO" => {
                    outcome.noted.insert(field("id").to_owned());
                }
                status => {
                    outcome.failed.push(format!("{} ({status}): {}", field("id"), field("errorMessage")));
                    unsound.insert(field("id"));
                }
            }
        }
        outcome.sound.retain(|id| !unsound.contains(id.as_str()));
        outcome
    }

    /// Whether something was checked, and nothing was found wrong.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.passed > 0 && self.failed.is_empty()
    }
}

impl Run {
    /// Scenarios out of these that did not pass, or were not run, and why.
    pub fn failing<'s>(&self, scenarios: impl IntoIterator<Item = &'s String>) -> Vec<String> {
        let told = |name: &&String| match self.outcomes.get(*name) {
            Some(outcome) if outcome.passes() => None,
            Some(outcome) => Some(format!("{name}: {:?}", outcome.failed)),
            None => Some(format!("{name}: was not run")),
        };
        scenarios.into_iter().filter_map(|name| told(&name)).collect()
    }

    /// What was sound in `before` and is not here: checks, scenario by scenario, but for some scenarios.
    #[must_use]
    pub fn worse_than(&self, before: &Self, except: &[&str]) -> Vec<String> {
        let mut worse = Vec::new();
        let nothing = Outcome::default();
        let compared = before.outcomes.iter().filter(|(name, _)| !except.contains(&name.as_str()));
        for (name, earlier) in compared {
            let now = self.outcomes.get(name).unwrap_or(&nothing);
            let lost: Vec<&String> =
                earlier.sound.difference(&now.sound).filter(|id| !now.noted.contains(*id)).collect();
            if !lost.is_empty() || (earlier.passes() && !now.passes()) {
                worse.push(format!("{name}: {lost:?} of {:?}: {:?}", earlier.sound, now.failed));
            }
        }
        worse
    }

    /// How many scenarios pass, and how many of the checks in all of them.
    #[must_use]
    pub fn figures(&self) -> String {
        let all = self.outcomes.values();
        let (passing, passed): (usize, usize) = (
            all.clone().filter(|outcome| outcome.passes()).count(),
            all.clone().map(|outcome| outcome.passed).sum(),
        );
        let failed: usize = all.map(|outcome| outcome.failed.len()).sum();
        format!("{passing} of {} scenarios, {passed} checks passed, {failed} failed", self.outcomes.len())
    }
}

/// Reads `server-SCENARIO-TIME/checks.json`, for each scenario.
fn outcomes(folder: &Path) -> Result<BTreeMap<String, Outcome>, Box<dyn std::error::Error>> {
    let mut outcomes = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let scenario = name.strip_prefix("server-").and_then(without_time).ok_or_else(|| name.to_string())?;
        let checks: Vec<Value> = serde_json::from_slice(&std::fs::read(path.join("checks.json"))?)?;
        outcomes.insert(scenario.to_owned(), Outcome::of(&checks));
    }
    Ok(outcomes)
}

/// What stands before a time such as `-2026-11-22T13-04-51-684Z`.
fn without_time(name: &str) -> Option<&str> {
    let (before, _) = name.rsplit_once('T')?;
    before.len().checked_sub("-2026-11-22".len()).and_then(|end| before.get(..end))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// "What is scored is read from the suite's own file": servers' lists, not those of clients.
    #[test]
    fn given_a_file_of_requirements_then_what_it_says_of_servers_is_read() {
        let text = "# A note:\nserver:\n  - ping\n  - tools-list\n\nclient:\n  - initialize\n\nnot_scored:\n  \
                    - scenario: auth/dpop\n    leg: client\n    reason: extension\n  \
                    - scenario: tasks\n    leg: server\n    reason: extension\n    note: >-\n      x: y\n";
        let read = Requirements::read(text);
        assert_eq!(read.scored.iter().collect::<Vec<_>>(), ["ping", "tools-list"]);
        assert_eq!(read.unscored, BTreeMap::from([("tasks".to_owned(), "extension".to_owned())]));
    }

    /// "Passed" is what was checked and not found wrong: a warning is something wrong, and no check proves nothing.
    #[test]
    fn given_checks_then_only_those_without_a_fault_pass() {
        let check = |id: &str, status: &str| json!({ "id": id, "status": status });
        let good = Outcome::of(&[check("a", "SUCCESS"), check("note", "INFO"), check("b", "SKIPPED")]);
        assert!(good.passes() && good.skipped == 1, "{good:?}");
        let bad = Outcome::of(&[check("a", "SUCCESS"), check("b", "SUCCESS"), check("a", "WARNING")]);
        assert!(!bad.passes() && bad.sound == BTreeSet::from(["b".to_owned()]), "{bad:?}");
        assert!(!Outcome::of(&[check("a", "SKIPPED")]).passes());
    }

    /// "Nothing is worse than without the gateway": a check that is gone is worse, and a fault that was there is not.
    #[test]
    fn given_two_runs_then_what_the_second_lost_is_told() {
        let run = |checks: &[(&str, &str)]| {
            let checks: Vec<Value> =
                checks.iter().map(|(id, status)| json!({ "id": id, "status": status })).collect();
            let outcomes = BTreeMap::from([("one".to_owned(), Outcome::of(&checks))]);
            Run { outcomes, printed: String::new(), conforms: true }
        };
        let before = run(&[("a", "SUCCESS"), ("b", "FAILURE")]);
        assert_eq!(run(&[("a", "SUCCESS"), ("b", "FAILURE")]).worse_than(&before, &[]), [""; 0]);
        assert_eq!(run(&[("b", "SUCCESS")]).worse_than(&before, &[]).len(), 1);
        assert_eq!(run(&[("b", "SUCCESS")]).worse_than(&before, &["one"]), [""; 0]);
        assert_eq!(run(&[("a", "SUCCESS")]).worse_than(&run(&[("a", "SUCCESS")]), &[]), [""; 0]);
        assert_eq!(run(&[("a", "INFO"), ("c", "SUCCESS")]).worse_than(&before, &[]), [""; 0]);
        let warned = run(&[("a", "SUCCESS"), ("c", "WARNING")]);
        assert_eq!(warned.worse_than(&run(&[("a", "SUCCESS")]), &[]).len(), 1);
    }

    /// Results are found by the names of their folders.
    #[test]
    fn given_a_name_of_results_then_the_scenario_is_what_stands_before_the_time() {
        assert_eq!(without_time("tools-list-2026-11-22T13-04-51-684Z"), Some("tools-list"));
        assert_eq!(without_time("sep-2164-Two-2026-11-22T13-04-51-684Z"), Some("sep-2164-Two"));
        assert_eq!(without_time("x"), None);
    }
}
