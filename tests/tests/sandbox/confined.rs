//! Allowed because confined: a command that nobody speaks of runs, and gets at nothing by it (D4.32).

use std::fs;
use std::path::Path;

use super::place::{Project, Who};

/// What a program tries that no rule speaks of, and what it prints where it is held.
const TRIES: &[(&str, &str)] = &[
    ("print(open('.env').read())", "PermissionError"),
    ("print(open('HOME/notes').read())", "FileNotFoundError"),
    ("print(open('ELSEWHERE').read())", "FileNotFoundError"),
    ("open('/etc/made', 'w')", "Read-only file system"),
    ("open('.git/hooks/pre-commit', 'w')", "Read-only file system"),
    ("import socket; socket.create_connection(('192.0.2.1', 80), 2)", "Network is unreachable"),
    ("import os; os.mkdir('made'); open('made/a', 'w').write('x'); print('RAN')", "RAN"),
];

#[test]
fn given_a_command_that_nobody_speaks_of_then_it_runs_and_gets_at_nothing() {
    // A file of another project, in no temporary folder.
    let elsewhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("confined-elsewhere");
    fs::write(&elsewhere, "SECRET").unwrap();
    for who in Who::all() {
        let project = Project::new(*who);
        if project.tiers().first() != Some(&"full") {
            continue;
        }
        let machine = &project.machine;
        machine.configuration(
            "config/mayi/config.toml",
            "[sandbox]\nallow_confined = true\n[rules]\ndeny = [\"read(**/.env)\"]\n",
        );
        fs::write(machine.outside("home/notes"), "SECRET").unwrap();
        for (code, expected) in TRIES {
            let code = code.replace("HOME", &machine.outside_text("home"));
            let code = code.replace("ELSEWHERE", &elsewhere.display().to_string());
            fs::write(machine.work().join("try.py"), &code).unwrap();
            let output = project.mayi(&["exec", "--", "/usr/bin/python3", "try.py"]).output().unwrap();
            let said = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(said.contains(expected), "{who:?}, {code}: {said}");
            assert!(!said.contains("SECRET"), "{who:?}, {code}: {said}");
        }
        // By the weaker tier nobody stands in for the person.
        let words = ["exec", "--tier", "kernel", "--", "/usr/bin/python3", "try.py"];
        let weaker = project.mayi(&words).output().unwrap();
        assert_eq!(weaker.status.code(), Some(6), "{}", String::from_utf8_lossy(&weaker.stderr));
    }
}
