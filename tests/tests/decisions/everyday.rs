//! Everyday commands of coding agents, under the everyday template: what a careful person would simply let run is not asked
//! about, and nothing runs that such a person would want to see first.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

/// At most so many of a hundred that should just run may be asked about.
const MOST: usize = 3;

#[derive(Deserialize)]
struct Row {
    id: String,
    project: String,
    command: String,
    want: String,
}

/// What each kind of project has, besides what all have.
const KINDS: &[(&str, &[(&str, &str)])] = &[
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
        ],
    ),
    ("python", &[("pyproject.toml", "[project]\nname = \"a\"\nversion = \"0.1.0\"\n")]),
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

/// A repository with these files.
fn fill(work: &Path, own: &[(&str, &str)]) {
    for (name, text) in ALL.iter().chain(own) {
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

/// What `mayi check --stdin` says of each row, in their order.
fn effects(home: &Path, work: &Path, rows: &[&Row]) -> Vec<String> {
    let mayi = || {
        let mut command = Command::new(mayi_tests::mayi_program());
        command
            .env_clear()
            .env("HOME", home)
            .env("PATH", std::env::var_os("PATH").unwrap())
            .current_dir(work);
        command
    };
    let init = mayi().arg("init").stdin(Stdio::null()).output().unwrap();
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    let mut check =
        mayi().args(["check", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines: String = rows
        .iter()
        .map(|row| {
            let request = serde_json::json!({
                "id": row.id, "kind": "shell", "command": row.command, "cwd": work, "workspace": work,
            });
            format!("{request}\n")
        })
        .collect();
    let mut input = check.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = check.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let effect = |line: &str| {
        let decision: serde_json::Value = serde_json::from_str(line).unwrap();
        decision["effect"].as_str().unwrap().to_owned()
    };
    text.lines().map(effect).collect()
}

/// A gate that asks too often is switched off, and one that lets a push or a secret pass is none: of the rows of
/// `everyday.jsonl` that should just run, few are asked about, and none that a person should decide is allowed.
#[test]
fn given_everyday_commands_then_few_are_asked_about_and_none_is_allowed_that_a_person_should_decide() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/everyday.jsonl")).unwrap();
    let rows: Vec<Row> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (mut run, mut asked, mut wrong) = (0, Vec::new(), Vec::new());
    for (kind, own) in KINDS {
        let top = tempfile::tempdir().unwrap();
        let (home, work) = (top.path().join("home"), top.path().join("a"));
        std::fs::create_dir_all(&home).unwrap();
        fill(&work, own);
        let mine: Vec<&Row> = rows.iter().filter(|row| row.project == *kind).collect();
        let effects = effects(&home, &work, &mine);
        assert_eq!(effects.len(), mine.len());
        for (row, effect) in mine.iter().zip(effects) {
            match row.want.as_str() {
                "allow" => {
                    run += 1;
                    asked.extend((effect != "allow").then_some(&row.command));
                }
                "ask" => wrong.extend((effect == "allow").then_some(&row.command)),
                other => panic!("{}: {other}", row.id),
            }
        }
    }
    println!("{run} that should just run, {} asked about", asked.len());
    assert!(wrong.is_empty(), "allowed: {wrong:#?}");
    assert!(run >= 300 && asked.len() * 100 <= run * MOST, "{} of {run}: {asked:#?}", asked.len());
}
