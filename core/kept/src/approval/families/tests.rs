use std::collections::BTreeSet;

use super::{FAMILIES, File, TEXT, family};
use mayi_call::shell::is_plain;

fn of(line: &str) -> Option<String> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    family(&words)
}

fn subs() -> Vec<(String, Vec<String>)> {
    let file: File = toml::from_str(TEXT).unwrap();
    let list = |text: &String| text.split_whitespace().map(str::to_owned).collect();
    file.with.iter().map(|(program, subs)| (program.clone(), list(subs))).collect()
}

/// Decisions, section 6: "Wider only through an offered pattern".
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

/// Decisions, section 6: "Suggestions for interpreters, shells, wrappers and scripts are exact text only".
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
        family(&["cargo test".to_owned(), "x".to_owned()]),
        None,
        "two words, of which one has a space"
    );
}

/// Decisions, section 2: "options that run other programs or write files" are asked about where the table
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
