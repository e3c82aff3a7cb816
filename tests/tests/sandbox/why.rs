//! `mayi why`: what becomes of a place, and by which rule.

use super::place::{Project, Who};

fn why(project: &Project, words: &[&str]) -> String {
    let output = project.mayi(&[&["why"], words].concat()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// S1.27: it says what the profile does with it, and what is decided about a file tool.
#[test]
fn given_a_place_then_it_is_said_what_becomes_of_it_and_by_which_rule() {
    let project = Project::new(Who::Myself);
    for (what, decided, held) in [
        (".env", "read: deny", "it is out of sight"),
        (".git/hooks/pre-commit", "write: ask", "it stays as it is"),
        (".git/config", "write: ask", "it has a copy of it"),
        ("src/lib.rs", "read: allow", "it may be read and written"),
        ("/usr/bin/env", "write: ask", "it may be read, and not written"),
        ("~/notes", "write: ask", "it is not there"),
        ("example.org", "fetch: ask", "example.org is reached as decided above"),
        ("https://example.org/x", "fetch: ask", "by mayi's proxy"),
    ] {
        let said = why(&project, &[what]);
        assert!(said.contains(decided) && said.contains(held), "{what}: {said}");
    }
    let said = why(&project, &["--json", ".env"]);
    let told: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(told["decided"][0]["decision"]["effect"], "deny", "{said}");
}
