//! Everyday commands of coding agents, under the everyday template: what a careful person would simply let run is not asked
//! about, and nothing runs that such a person would want to see first.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use mayi_tests::everyday::{self, KINDS, Row, Want};

/// At most so many of a hundred that should just run may be asked about.
const MOST: usize = 3;

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
    let rows = everyday::rows(&text);
    let (mut run, mut asked, mut wrong) = (0, Vec::new(), Vec::new());
    for (kind, _) in KINDS {
        let top = tempfile::tempdir().unwrap();
        let (home, work) = (top.path().join("home"), top.path().join("a"));
        std::fs::create_dir_all(&home).unwrap();
        everyday::fill(&work, kind);
        let mine: Vec<&Row> = rows.iter().filter(|row| row.project == *kind).collect();
        let effects = effects(&home, &work, &mine);
        assert_eq!(effects.len(), mine.len());
        for (row, effect) in mine.iter().zip(effects) {
            match row.want {
                Want::Allow => {
                    run += 1;
                    asked.extend((effect != "allow").then_some(&row.command));
                }
                Want::Ask => wrong.extend((effect == "allow").then_some(&row.command)),
                Want::Either => {}
            }
        }
    }
    println!("{run} that should just run, {} asked about", asked.len());
    assert!(wrong.is_empty(), "allowed: {wrong:#?}");
    assert!(run >= 300 && asked.len() * 100 <= run * MOST, "{} of {run}: {asked:#?}", asked.len());
}
