//! What coding agents run all day, and the projects that they run it in: `corpus/everyday.jsonl`.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// A line, and what a careful person would want to become of it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Row {
    /// Its name in the file.
    pub id: String,
    /// The kind of project that it runs in: one of [`KINDS`].
    pub project: String,
    /// The line.
    pub command: String,
    /// What a careful person would want.
    pub want: Want,
}

/// What a careful person would want.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Want {
    /// It just runs.
    Allow,
    /// A person decides.
    Ask,
    /// There are reasons for both: it counts for nothing.
    Either,
}

/// The rows of a file, one a line.
///
/// # Panics
/// If a line is none.
#[must_use]
pub fn rows(text: &str) -> Vec<Row> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

/// What each kind of project has, besides what all have.
pub const KINDS: &[(&str, &[(&str, &str)])] = &[
    (
        "rust",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n"),
            ("justfile", "test:\n    cargo test\n"),
        ],
    ),
    (
        "node",
        &[
            (
                "package.json",
                "{\"name\":\"a\",\"scripts\":{\"test\":\"node --test\",\"build\":\"tsc\",\"lint\":\"eslint .\"}}\n",
            ),
            ("package-lock.json", "{}\n"),
            ("tsconfig.json", "{}\n"),
            ("Dockerfile", "FROM scratch\n"),
        ],
    ),
    ("python", &[("pyproject.toml", "[project]\nname = \"a\"\nversion = \"0.1.0\"\n"), ("manage.py", "")]),
    ("go", &[("go.mod", "module a\n\ngo 1.24\n"), ("Makefile", "test:\n\tgo test ./...\n")]),
];

const ALL: &[(&str, &str)] = &[
    ("README.md", "# a\n"),
    ("Makefile", "test:\n\techo\nbuild:\n\techo\nlint:\n\techo\n"),
    ("justfile", "test:\n    echo\nbuild:\n    echo\n"),
    ("Taskfile.yml", "version: '3'\ntasks:\n  build:\n    cmds: [echo]\n  test:\n    cmds: [echo]\n"),
    ("src/main.x", "x\n"),
    ("src/b.x", "y\n"),
    ("tests/a", "z\n"),
    (".github/workflows/ci.yml", "on: push\n"),
];

/// Makes a repository in `work` with what a project of this kind has.
///
/// # Panics
/// If there is no such kind, or it can't be made.
pub fn fill(work: &Path, kind: &str) {
    let (_, own) = KINDS.iter().find(|(name, _)| *name == kind).expect("a kind of project");
    for (name, text) in ALL.iter().chain(*own) {
        let path = work.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    for words in [
        &["init", "-q"][..],
        &["add", "."],
        &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"],
    ] {
        let made =
            Command::new("git").args(words).current_dir(work).env("GIT_CONFIG_GLOBAL", "/dev/null").status();
        assert!(made.unwrap().success(), "{words:?}");
    }
}
