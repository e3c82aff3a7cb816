//! `mayi test`: the tests that people write for their own policy.
#![allow(clippy::unwrap_used, reason = "only tests")]

#[path = "everyday/machine.rs"]
mod machine;

use machine::Machine;
use serde_json::Value;

const CASES: &str = "\
[[case]]
name = \"nobody pushes for me\"
kind = \"shell\"
command = \"git push --force\"
expect = \"deny\"
because = \"by hand\"

[[case]]
kind = \"read\"
path = \"src/a.rs\"
expect = [\"allow\"]
";

const PUSH: &str =
    "[[rule]]\neffect = \"deny\"\npattern = \"shell(git push *)\"\nreason = \"push by hand\"\n";

/// S1.18: policy tests: calls and expected effects, for the user's own CI.
#[test]
fn given_cases_that_hold_then_they_are_counted_and_the_code_is_0() {
    let machine = Machine::new().user(PUSH).file("mayi.test.toml", CASES);
    assert_eq!(machine.mayi(["test"]).all(), (0, "2 passed\n", ""));
    assert_eq!(
        machine.mayi(["test", "-v"]).all(),
        (0, "pass  nobody pushes for me\npass  read src/a.rs\n2 passed\n", "")
    );
}

/// S1.11: a failed `test` or `verify` 1.
#[test]
fn given_a_case_that_fails_then_it_is_told_what_was_decided_and_why() {
    let machine = Machine::new().file("mine.toml", CASES);
    let done = machine.mayi(["test", "mine.toml"]);
    assert_eq!(
        (done.code, done.out.as_str(), done.err.as_str()),
        (
            1,
            "FAIL  nobody pushes for me  mine.toml:1\n      expected deny, got ask\n      \
             ask    shell(git push --force)\n             protection: this destroys what lies \
             elsewhere, beyond recall, shell(git push --force *)\n\n\
             1 passed, 1 failed\n",
            ""
        )
    );
    let lines = machine.mayi(["test", "--json", "mine.toml"]);
    let rows: Vec<Value> = lines.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.code, lines.err.as_str(), rows.len()), (1, "1 passed, 1 failed\n", 2));
    assert_eq!(
        (&rows[0]["passed"], &rows[0]["effect"], &rows[0]["line"]),
        (&false.into(), &"ask".into(), &1.into())
    );
    assert_eq!(rows[0]["failure"], "expected deny, got ask");
    assert_eq!((&rows[1]["passed"], rows[1].get("failure")), (&true.into(), None));
}

/// `--config FILE` stands in for the user's and the folder's own files: a policy is tested by itself.
#[test]
fn given_another_configuration_then_it_is_the_one_that_is_tested() {
    let machine = Machine::new().user("mod = 1\n").file("policy.toml", PUSH).file("mayi.test.toml", CASES);
    assert_eq!(machine.mayi(["--config", "policy.toml", "test"]).code, 0);
    let broken = machine.mayi(["test"]);
    assert_eq!((broken.code, broken.out.as_str()), (3, ""));
    assert!(broken.err.contains("did you mean `mode`?"), "{}", broken.err);
}

/// Refusals point into the file with miette: line, column, what to write instead.
#[test]
fn given_a_bad_file_then_nothing_is_tested_and_its_mistakes_are_shown() {
    let machine = Machine::new().file("mayi.test.toml", CASES).file(
        "bad.toml",
        "[[case]]\nkind = \"shel\"\ncommand = \"x\"\nexpect = \"deny\"\n\n[[case]]\nkind = \"read\"\n",
    );
    let done = machine.mayi(["test", "bad.toml", "mayi.test.toml"]);
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    for told in ["[bad.toml:2:1]", "did you mean `shell`?", "[bad.toml:6:1]", "nothing was tested"] {
        assert!(done.err.contains(told), "{told}: {}", done.err);
    }
    let pattern =
        "[[case]]\nkind = \"read\"\npath = \"a\"\nexpect = \"ask\"\nrules = { ask = [\"reed(a)\"] }\n";
    let done = Machine::new().file("mayi.test.toml", pattern).mayi(["test"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("5:18]") && done.err.contains("did you mean `read(...)`?"), "{}", done.err);
    let none = Machine::new().mayi(["test"]);
    assert_eq!((none.code, none.out.as_str()), (2, ""));
    assert!(none.err.contains("there is no mayi.test.toml or .mayi.test.toml here"), "{}", none.err);
}
