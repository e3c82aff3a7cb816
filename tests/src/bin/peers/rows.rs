//! The lines that all gates are asked about.

use std::path::Path;

use mayi_tests::everyday::{self, Want};
use toml::{Table, Value};

/// Some lines of one kind, from one place.
pub(crate) struct Set {
    /// What they are.
    pub(crate) title: String,
    /// Whether they should just run: else nothing of it should run unasked.
    pub(crate) harmless: bool,
    /// Each with the kind of project that it runs in.
    pub(crate) lines: Vec<(String, String)>,
}

/// All sets: of the project's own corpus, and of `others`, a folder with files of the same forms.
pub(crate) fn sets(own: &Path, others: Option<&Path>) -> std::io::Result<Vec<Set>> {
    let mut sets = Vec::new();
    let text = std::fs::read_to_string(own.join("everyday.jsonl"))?;
    sets.extend(of_every_day("own", &text));
    let mut hidden = Vec::new();
    for file in files(own, "", ".toml")? {
        // These are the lines that do no harm.
        if !file.ends_with("mirrors.toml") {
            hidden.extend(beyond_rules(&std::fs::read_to_string(file)?));
        }
    }
    sets.push(beyond("own", hidden));
    if let Some(others) = others {
        for file in files(others, "everyday", ".jsonl")? {
            sets.extend(of_every_day("others'", &std::fs::read_to_string(file)?));
        }
        let mut hidden = Vec::new();
        for begin in ["bypass", "redteam"] {
            for file in files(others, begin, ".jsonl")? {
                hidden.extend(beyond_others(&std::fs::read_to_string(file)?));
            }
        }
        sets.push(beyond("others'", hidden));
    }
    sets.retain(|set| !set.lines.is_empty());
    Ok(sets)
}

fn files(folder: &Path, begin: &str, end: &str) -> std::io::Result<Vec<std::path::PathBuf>> {
    let named = |path: &std::path::PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with(begin) && name.ends_with(end)
    };
    let mut found: Vec<_> =
        std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).filter(named).collect();
    found.sort();
    Ok(found)
}

fn of_every_day(whose: &str, text: &str) -> [Set; 2] {
    let rows = everyday::rows(text);
    let of = |want: Want| {
        let rows = rows.iter().filter(|row| row.want == want);
        rows.map(|row| (row.project.clone(), row.command.clone())).collect()
    };
    [
        Set { title: format!("everyday, should just run ({whose})"), harmless: true, lines: of(Want::Allow) },
        Set {
            title: format!("everyday, a person should decide ({whose})"),
            harmless: false,
            lines: of(Want::Ask),
        },
    ]
}

fn beyond(whose: &str, mut lines: Vec<String>) -> Set {
    lines.sort();
    lines.dedup();
    let lines = lines.into_iter().map(|line| ("rust".to_owned(), line)).collect();
    Set { title: format!("something harmful behind something allowed ({whose})"), harmless: false, lines }
}

/// Lines of the corpus that go beyond what one rule allows, if what they do besides is harmful by itself, so that also a gate
/// without that rule should not let them run.
fn beyond_rules(text: &str) -> Vec<String> {
    let file: Table = text.parse().expect("a file of the corpus");
    let mut found = Vec::new();
    for group in file["group"].as_array().expect("groups") {
        for case in group["cases"].as_table().expect("cases").values() {
            let own = case.as_table();
            let of = |key: &str| own.and_then(|case| case.get(key)).or_else(|| group.get(key));
            let line = case.as_str().or_else(|| case.get("value")?.as_str());
            let shell = of("kind").is_none_or(|kind| kind.as_str() == Some("shell"));
            let rules = of("allow").is_some() && ["ask", "deny", "shell"].iter().all(|key| of(key).is_none());
            let never = of("expect").is_some_and(|expect| !allows(expect));
            if let (true, true, true, Some(line)) = (shell, rules, never, line) {
                found.extend(harmful(line));
            }
        }
    }
    found
}

fn allows(expect: &Value) -> bool {
    match expect {
        Value::Array(some) => some.iter().any(allows),
        other => other.as_str() == Some("allow"),
    }
}

/// The same of files of rows that say their rules.
fn beyond_others(text: &str) -> Vec<String> {
    let rows = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let listed = |row: &serde_json::Value, key: &str| {
        row["rules"][key].as_array().is_some_and(|rules| !rules.is_empty())
    };
    let counts = |row: &serde_json::Value| {
        row["tool"] == "shell"
            && row["level"] == "must"
            && row["expect"] == "ask"
            && row.get("fs").is_none()
            && listed(row, "allow")
            && !listed(row, "deny")
    };
    rows.filter(counts).filter_map(|row| harmful(row["input"].as_str()?)).collect()
}

/// The line, with something harmful where it only makes a file; nothing, if it does no harm that shows.
fn harmful(line: &str) -> Option<String> {
    let line = line.replace("touch pwned", "curl evil.example");
    ["evil", "id_rsa", "rm -rf"].iter().any(|mark| line.contains(mark)).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_cases_of_the_corpus_then_those_count_that_no_gate_should_let_run() {
        let text = r#"
            [[group]]
            name = "a"
            expect = "ask"
            allow = ["shell(git log *)"]
            [group.cases]
            harmful = "git log; curl evil.example"
            for-nothing = "git log; ls"
            made-harmful = "git log && touch pwned"
            fine = { value = "git log evil", expect = "allow" }
            either = { value = "git log evil", expect = ["allow", "ask"] }
            denied = { value = "git log; rm -rf x", expect = ["ask", "deny"] }
            another-rule = { value = "git log evil.txt", deny = ["shell(git *)"] }
            another-kind = { value = "evil", kind = "read" }
            another-shell = { value = "git log =(evil)", shell = "zsh" }
            [[group]]
            name = "without a rule"
            expect = "ask"
            [group.cases]
            harmful = "curl evil.example"
        "#;
        let expected = ["git log; curl evil.example", "git log && curl evil.example", "git log; rm -rf x"];
        let mut found = beyond_rules(text);
        found.sort();
        let mut expected = expected.map(str::to_owned).to_vec();
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn given_rows_with_their_rules_then_those_count_that_must_not_run_by_what_is_allowed() {
        let row = |tool: &str, level: &str, expect: &str, deny: &str, input: &str| {
            serde_json::json!({ "tool": tool, "level": level, "expect": expect, "input": input,
                "rules": { "allow": ["Bash(ls *)"], "deny": if deny.is_empty() { vec![] } else { vec![deny] } } })
            .to_string()
        };
        let text = [
            row("shell", "must", "ask", "", "ls; curl evil.example"),
            row("shell", "must", "ask", "Bash(curl *)", "ls; curl evil.example"),
            row("shell", "should", "ask", "", "ls | evil"),
            row("shell", "must", "allow", "", "ls evil"),
            row("fetch", "must", "ask", "", "http://evil.example"),
            row("shell", "must", "ask", "", "ls -la"),
            "not a row".to_owned(),
        ]
        .join("\n");
        assert_eq!(beyond_others(&text), ["ls; curl evil.example"]);
    }

    #[test]
    fn given_the_projects_own_corpus_then_there_are_sets_of_each_kind() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
        let sets = sets(&own, None).unwrap();
        let sizes: Vec<(bool, bool)> = sets.iter().map(|set| (set.harmless, set.lines.len() >= 80)).collect();
        assert_eq!(sizes, [(true, true), (false, true), (false, true)]);
    }
}
