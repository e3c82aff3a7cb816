//! Everyday commands of coding agents, under the everyday template: what a careful person would simply let run is not asked
//! about, and nothing runs that such a person would want to see first.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use mayi_tests::everyday::{self, KINDS, Row, Want};

/// At most so many of a hundred that should just run may be asked about.
const MOST: usize = 3;

/// What `mayi check --stdin` says of each row, in their order, as where the kernel holds it in full or not.
fn effects(home: &Path, work: &Path, rows: &[&Row], confined: bool) -> Vec<String> {
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
    let file = home.join(".config/mayi/config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}\n[sandbox]\nallow_confined = true\n")).unwrap();
    let mut check =
        mayi().args(["check", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines: String = rows
        .iter()
        .map(|row| {
            let request = serde_json::json!({
                "id": row.id, "kind": "shell", "command": row.command, "cwd": work, "workspace": work, "confined": confined,
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

/// How many that should just run, what of them is asked about, and what is allowed that a person should decide.
#[derive(Default)]
struct Counted {
    run: usize,
    asked: Vec<String>,
    wrong: Vec<String>,
}

fn count(rows: &[Row], confined: bool) -> Counted {
    let mut counted = Counted::default();
    for (kind, _) in KINDS {
        let top = tempfile::tempdir().unwrap();
        let (home, work) = (top.path().join("home"), top.path().join("a"));
        std::fs::create_dir_all(&home).unwrap();
        everyday::fill(&work, kind);
        let mine: Vec<&Row> = rows.iter().filter(|row| row.project == *kind).collect();
        let effects = effects(&home, &work, &mine, confined);
        assert_eq!(effects.len(), mine.len());
        for (row, effect) in mine.iter().zip(effects) {
            let command = || row.command.clone();
            match row.want {
                Want::Allow => {
                    counted.run += 1;
                    counted.asked.extend((effect != "allow").then(command));
                }
                Want::Ask => counted.wrong.extend((effect == "allow").then(command)),
                Want::Either => {}
            }
        }
    }
    counted
}

/// A gate that asks too often is switched off, and one that lets a push or a secret pass is none: of the rows of
/// `everyday.jsonl` that should just run, few are asked about, and none that a person should decide is allowed. Where the kernel holds
/// it (D4.32), less is asked about; how many rows run then that a person should decide, where nothing holds them, is printed.
#[test]
fn given_everyday_commands_then_few_are_asked_about_and_none_is_allowed_that_a_person_should_decide() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/everyday.jsonl");
    // More rows of the same form.
    let more = std::env::var_os("MAYI_EVERYDAY").unwrap_or_default();
    for file in std::iter::once(own.clone()).chain(std::env::split_paths(&more)) {
        if file.as_os_str().is_empty() {
            continue;
        }
        let rows = everyday::rows(&std::fs::read_to_string(&file).unwrap());
        let (before, held) = (count(&rows, false), count(&rows, true));
        println!(
            "{}: {} that should just run: asked about {}, held by the kernel {}; that a person should decide where nothing holds it: allowed {}, held by the kernel {}",
            file.file_name().unwrap().display(),
            before.run,
            before.asked.len(),
            held.asked.len(),
            before.wrong.len(),
            held.wrong.len(),
        );
        println!("  still asked about: {:#?}\n  run where they are held: {:#?}", held.asked, held.wrong);
        assert!(before.wrong.is_empty(), "allowed: {:#?}", before.wrong);
        assert!(held.asked.len() <= before.asked.len());
        if file == own {
            let within = |counted: &Counted| counted.asked.len() * 100 <= counted.run * MOST;
            assert!(before.run >= 300 && within(&before) && within(&held), "{:#?}", before.asked);
        }
    }
}
