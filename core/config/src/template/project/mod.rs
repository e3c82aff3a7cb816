//! What a project's own files name: tasks, and the programs that its build makes.
//!
//! The files are the repository's, and so are the names in them. A name only goes into a rule if it is a plain word
//! that everybody uses for such a task (`name`), and the rule holds in this folder only; what else a file says is not
//! looked at, and no file is read through a link.

mod files;
mod manifests;
mod name;
mod text;

use std::collections::BTreeSet;
use std::path::Path;

use crate::{Layer, secure_read};

/// As many tasks or programs of one file get a rule.
const MOST_NAMES: usize = 60;
/// As many folders of a workspace are looked into.
pub(super) const MOST_FOLDERS: usize = 200;

/// How a file of a repository is read: bounded, and not through a link.
pub(super) type FileReader = dyn Fn(&Path) -> Option<String>;

/// What the files of a folder name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    groups: Vec<TaskGroup>,
}

/// What one file names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TaskGroup {
    /// Why these rules are there.
    reason: String,
    /// What is allowed: patterns, and a line that they are for.
    rules: Vec<(Vec<String>, String)>,
    /// Lines for what is left to a person.
    asked: Vec<String>,
    /// How many names are too odd for a rule, or too many.
    left: usize,
}

/// How a task is run.
struct TaskRunner {
    /// What stands before its name.
    before: String,
    /// Whether the table of programs knows what further words do.
    more: bool,
}

impl TaskRunner {
    fn new(before: &str) -> Self {
        Self { before: before.to_owned(), more: true }
    }

    fn without_arguments(before: &str) -> Self {
        Self { before: before.to_owned(), more: false }
    }
}

impl Project {
    /// Looks at the files of `folder`.
    #[must_use]
    pub fn from_folder(folder: &Path) -> Self {
        let read = |path: &Path| secure_read::read_itself(Layer::Workspace, path).ok().flatten();
        let mut project = Self::default();
        let there = |names: &[&str]| names.iter().any(|name| folder.join(name).is_file());
        let first =
            |names: &[&'static str]| names.iter().find_map(|name| Some((*name, read(&folder.join(name))?)));
        if let Some((file, text)) = first(&["justfile", "Justfile", ".justfile"]) {
            project.add_tasks(file, "recipe", &files::just_recipes(&text), &[TaskRunner::new("just")]);
        }
        if let Some((file, text)) = first(&["GNUmakefile", "makefile", "Makefile"]) {
            project.add_tasks(file, "target", &files::make_targets(&text), &[TaskRunner::new("make")]);
        }
        let taskfiles = ["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"];
        if let Some((file, text)) = first(&taskfiles) {
            project.add_tasks(file, "task", &files::taskfile_tasks(&text), &[TaskRunner::new("task")]);
        }
        if let Some((file, text)) = first(&["package.json"]) {
            let mut ways = Vec::new();
            if there(&["pnpm-lock.yaml"]) {
                ways.push(TaskRunner::new("pnpm run"));
                if there(&["pnpm-workspace.yaml"]) {
                    ways.push(TaskRunner::new("pnpm -r run"));
                }
            }
            if there(&["yarn.lock"]) {
                ways.push(TaskRunner::new("yarn run"));
            }
            if there(&["bun.lock", "bun.lockb"]) {
                ways.push(TaskRunner::without_arguments("bun run"));
            }
            if ways.is_empty() || there(&["package-lock.json", "npm-shrinkwrap.json"]) {
                ways.push(TaskRunner::new("npm run"));
                if manifests::is_workspace(&text) {
                    ways.push(TaskRunner::new("npm run --workspaces"));
                }
            }
            project.add_tasks(file, "script", &manifests::package_scripts(&text), &ways);
        }
        if let Some((file, text)) = first(&["pyproject.toml"]) {
            let found = manifests::pyproject_tasks(&text);
            for runner in ["poe", "pdm run", "task", "uv run", "hatch run"] {
                let of = found.iter().filter(|(by, _)| *by == runner);
                let names: Vec<String> = of.map(|(_, name)| name.clone()).collect();
                let mut ways = vec![TaskRunner::without_arguments(runner)];
                if runner == "poe" && there(&["uv.lock"]) {
                    ways.push(TaskRunner::without_arguments("uv run poe"));
                }
                if runner == "poe" && there(&["poetry.lock"]) {
                    ways.push(TaskRunner::without_arguments("poetry run poe"));
                }
                project.add_tasks(file, "task", &names, &ways);
            }
        }
        project.add_programs(&manifests::cargo_programs(folder, &read));
        project
    }

    /// Whether there is nothing to say about it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.rules.is_empty())
    }

    fn add_tasks(&mut self, file: &str, what: &str, names: &[String], ways: &[TaskRunner]) {
        let known: BTreeSet<&String> = names.iter().collect();
        let usual: Vec<&String> = known.iter().copied().filter(|name| name::is_usual(name)).collect();
        let plain: Vec<&String> =
            known.iter().copied().filter(|name| name::is_plain(name) && !name::is_usual(name)).collect();
        let rule = |name: &&String| {
            let patterns = ways.iter().map(|way| {
                let more = if way.more { " *" } else { "" };
                format!("shell({} {name}{more})", way.before)
            });
            let line = ways.first().map(|way| format!("{} {name}", way.before)).unwrap_or_default();
            (patterns.collect(), line)
        };
        let rules: Vec<(Vec<String>, String)> = usual.iter().take(MOST_NAMES).map(rule).collect();
        let asked: Vec<String> = plain.iter().take(MOST_NAMES).map(|name| rule(name).1).collect();
        let left = known.len() - rules.len() - asked.len();
        let reason = format!("{file}: each runs what the {what} of its name says, whatever that is by then.");
        if !known.is_empty() {
            self.groups.push(TaskGroup { reason, rules, asked, left });
        }
    }

    fn add_programs(&mut self, names: &[String]) {
        let known: BTreeSet<&String> = names.iter().collect();
        let plain: Vec<&String> = known.iter().copied().filter(|name| name::is_plain(name)).collect();
        let rule = |name: &&String| {
            let places = ["target/debug", "./target/debug", "target/release", "./target/release"];
            let patterns = places.iter().map(|place| format!("shell({place}/{name} *)")).collect();
            (patterns, format!("./target/debug/{name}"))
        };
        let rules: Vec<(Vec<String>, String)> = plain.iter().take(MOST_NAMES).map(rule).collect();
        let left = known.len() - rules.len();
        let reason =
            "Cargo.toml: the programs that the build makes of this project, as `cargo run` runs them.";
        if !known.is_empty() {
            self.groups.push(TaskGroup { reason: reason.to_owned(), rules, asked: Vec::new(), left });
        }
    }
}

#[cfg(test)]
mod tests;
