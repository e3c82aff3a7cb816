use std::collections::BTreeSet;

use super::{FAMILIES, File, TEXT, family_pattern, repeated_pattern};
use mayi_call::shell::is_plain;

fn of(line: &str) -> Option<String> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    family_pattern(&words)
}

fn subs() -> Vec<(String, Vec<String>)> {
    let file: File = toml::from_str(TEXT).unwrap();
    let list = |text: &String| text.split_whitespace().map(str::to_owned).collect();
    file.with.iter().map(|(program, subs)| (program.clone(), list(subs))).collect()
}

/// D6.10: Wider only through an offered pattern.
#[test]
fn given_what_developers_do_all_day_then_its_family_is_offered() {
    for (line, pattern) in [
        ("cargo test -p x", "shell(cargo test *)"),
        ("cargo nextest run -E x", "shell(cargo nextest run *)"),
        ("git status", "shell(git status *)"),
        ("git fetch origin main", "shell(git fetch origin *)"),
        ("npm test", "shell(npm test *)"),
        ("pnpm test", "shell(pnpm test *)"),
        ("pytest -q", "shell(pytest *)"),
        ("gh pr view 3", "shell(gh pr view *)"),
    ] {
        assert_eq!(of(line).as_deref(), Some(pattern), "{line}");
    }
}

/// D6.11: Suggestions for interpreters, shells, wrappers and scripts are exact text only.
/// Attack 56.
#[test]
fn given_what_could_run_anything_then_no_family_is_offered() {
    for line in [
        "ssh-agent bash x",
        "python3.11 manage test",
        "pypy3 foo",
        "tsx foo",
        "strace ls x",
        "sqlite3 db x",
        "cargo watch x",
        "cargo run x",
        "cargo install x",
        "cargo rustc x",
        "ccache gcc x",
        "go generate x",
        "go run x",
        "npm install x",
        "npm run build",
        "npm exec x",
        "pnpm foo",
        "yarn foo",
        "perl5.36 foo",
        "node18 foo",
        "ts-node foo",
        "gosu root x",
        "unshare bash",
        "xvfb-run make",
        "rustc x.rs",
        "make test",
        "eslint x",
        "jest x",
        "git",
        "git fetch https://example.com",
        "git push origin",
        "git checkout x",
        "git -C x status",
        "/usr/bin/git status",
        "./pytest x",
        "pip install x",
        "rm x",
        "cargo",
    ] {
        assert_eq!(of(line), None, "{line}");
    }
    assert_eq!(
        family_pattern(&["cargo test".to_owned(), "x".to_owned()]),
        None,
        "two words, of which one has a space"
    );
}

/// D2.16: options that run other programs or write files are asked about where the table
/// knows them: a family is only of what the table knows, and of nothing there that runs others.
#[test]
fn given_a_family_then_the_table_of_programs_knows_it_as_plain() {
    assert!(FAMILIES.len() > 100);
    for begins in FAMILIES.iter() {
        assert!(is_plain(begins), "{begins}");
        assert_eq!(of(begins), Some(format!("shell({begins} *)")), "another one is shorter");
    }
    for (program, subs) in subs() {
        let sorted: Vec<_> = subs.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect();
        assert_eq!(subs, sorted, "{program}");
    }
}

/// D0.11: If it asks too often, it is switched off: what runs a task, program or tool of the project is proposed with any
/// further words, and its name stays.
#[test]
fn given_what_runs_the_projects_own_then_it_is_proposed_by_its_name_and_nothing_that_runs_anything_is() {
    let of = |line: &str| repeated_pattern(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
    for (line, pattern) in [
        ("npm run lint -- --fix", "shell(npm run lint *)"),
        ("npm run test:unit", "shell(npm run test:unit *)"),
        ("cargo run --offline -- x", "shell(cargo run *)"),
        ("go run ./cmd/app x", "shell(go run ./cmd/app *)"),
        ("npx --no-install tsc --noEmit", "shell(npx --no-install tsc *)"),
        ("python3 -m pytest -q", "shell(python3 -m pytest *)"),
        ("uv run mypy src", "shell(uv run mypy *)"),
    ] {
        assert_eq!(of(line).as_deref(), Some(pattern), "{line}");
    }
    for line in [
        "npm run",
        "npm run -s",
        "npm run *",
        "npm exec tsc",
        "npm install x",
        "npx tsc",
        "npx --no-install cowsay",
        "npx --no-install eslint",
        "python3 -m http.server",
        "python3 -m pip",
        "python3 x.py",
        "uv run python",
        "uv run x.py",
        "go run ../x",
        "go run /x",
        "go run example.com/x@latest",
        "go run ./*",
        "node x.js",
        "make x",
        "bash x",
    ] {
        assert_eq!(of(line), None, "{line}");
    }
}
