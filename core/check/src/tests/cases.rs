//! Files of cases.

use miette::{Diagnostic, SourceSpan};

use super::Machine;
use crate::{Case, CaseError, read_cases};

/// The cases of a file of this text, or its mistakes as the text at their place, message and hint.
fn read(name: &str, text: &str) -> Result<Vec<Case>, Vec<(String, String, String)>> {
    let machine = Machine::new("").file(name, text);
    let path = machine.path(name);
    read_cases(path.as_ref()).map_err(|errors| errors.iter().map(told).collect())
}

fn told(error: &CaseError) -> (String, String, String) {
    let span: Option<SourceSpan> =
        error.labels().and_then(|mut labels| labels.next()).map(|label| *label.inner());
    let shown = span.and_then(|span| {
        let bytes = error.source_code()?.read_span(&span, 0, 0).ok()?.data().to_vec();
        String::from_utf8(bytes).ok()
    });
    let hint = error.help().map(|help| help.to_string());
    (shown.unwrap_or_default(), error.to_string(), hint.unwrap_or_default())
}

#[test]
fn given_cases_then_each_has_its_name_and_line() {
    let text = "\
[defaults]
mode = \"plan\"
rules = { deny = [\"tool(x)\"] }

[[case]]
name = \"the first\"
kind = \"tool\"
tool = \"x\"
expect = \"deny\"
because = \"deny rule\"

[[case]]
kind = \"read\"
path = \"a\"
mode = \"default\"
expect = [\"ask\", \"deny\"]
";
    let cases = read("t.toml", text).unwrap();
    let seen: Vec<_> = cases.iter().map(|case| (case.name.as_str(), case.line)).collect();
    assert_eq!(seen, [("the first", 5), ("read a", 12)]);
    assert_eq!(cases[0].request.rules.deny, ["tool(x)"]);
    assert_eq!(cases[1].request.mode, Some(mayi_core::policy::Mode::Default));

    let mut checker = Machine::new("").checker();
    let held: Vec<_> =
        cases.iter().map(|case| case.check_decision(&checker.decide(&case.request).unwrap())).collect();
    assert_eq!(held, [Ok(()), Err("expected ask or deny, got allow".to_owned())]);
    let mut other = cases[0].clone();
    other.because = Some("nobody says this".to_owned());
    let held = other.check_decision(&checker.decide(&other.request).unwrap());
    assert_eq!(held, Err("expected a reason with \"nobody says this\"".to_owned()));
}

#[test]
fn given_lines_then_they_are_cases_too() {
    let text = "{\"id\":7,\"kind\":\"read\",\"path\":\"a\",\"expect\":\"allow\"}\n\n{\"kind\":\"tool\",\"tool\":\"t\",\"expect\":[\"ask\"]}\n";
    let cases = read("t.jsonl", text).unwrap();
    let seen: Vec<_> = cases.iter().map(|case| (case.name.as_str(), case.line)).collect();
    assert_eq!(seen, [("7", 1), ("tool t", 3)]);
}

/// Refusals point into the file with miette: line, column, what to write instead.
#[test]
fn given_mistakes_then_all_of_them_are_told_each_in_its_place() {
    let text = "\
[[case]]
kind = \"shel\"
command = \"x\"
expect = \"deny\"

[[case]]
kind = \"read\"
path = \"x\"

[[case]]
kind = \"read\"
path = \"x\"
expect = \"allow\"
rules = { allow = [\"read(x)\", 3] }

[[case]]
kind = \"read\"
pth = \"x\"
expect = \"allow\"
";
    let (shown, hints): (Vec<_>, Vec<_>) =
        read("t.toml", text).unwrap_err().into_iter().map(|(shown, _, hint)| (shown, hint)).unzip();
    assert_eq!(shown, ["kind = \"shel\"", "[[case]]", "3", "pth = \"x\""]);
    assert_eq!(
        hints,
        [
            "did you mean `shell`?",
            "add `expect`: allow, ask or deny",
            "write \"...\"",
            "did you mean `path`?"
        ]
    );
}

/// What a case takes from `[defaults]` is shown there.
#[test]
fn given_a_bad_pattern_among_the_defaults_then_its_place_is_there() {
    let text = "[defaults]\nrules = { allow = [\"reed(x)\"] }\n[[case]]\nkind = \"read\"\npath = \"x\"\nexpect = \"ask\"\n";
    let case = read("t.toml", text).unwrap().remove(0);
    let error = Machine::new("").checker().decide(&case.request).unwrap_err();
    let crate::CheckError::Request(error) = error else { panic!("{error}") };
    let told = told(&case.locate_error(&error));
    assert_eq!((told.0.as_str(), told.2.as_str()), ("\"reed(x)\"", "did you mean `read(...)`?"));
}

#[test]
fn given_a_file_that_is_no_file_of_cases_then_it_says_what_to_write() {
    let told = |name: &str, text: &str| {
        let (_, what, hint) = read(name, text).unwrap_err().remove(0);
        (what, hint)
    };
    for (name, text, hint) in [
        ("t.toml", "[[cases]]\n", "did you mean [[case]]?"),
        ("t.toml", "[case]\n", "write [[case]]"),
        (
            "t.toml",
            "x = \n",
            "this is TOML: text is written in \"quotes\", lists in [brackets], one key a line",
        ),
        (
            "t.toml",
            "[defaults]\nkind = \"read\"\n",
            "known here: agent, mode, cwd, workspace, rules, matrix, isolated, protection",
        ),
        ("t.jsonl", "{\"kind\":\"read\",\"kind\":\"read\"}\n", "write one object a line"),
        ("t.jsonl", "[]\n", "write one object a line"),
    ] {
        assert_eq!(told(name, text).1, hint, "{text}");
    }
    assert!(told("t.toml", "").0.ends_with("there is no case in it: write one as [[case]]"));
    let missing = read_cases("no/such/file".as_ref()).unwrap_err();
    assert!(missing[0].to_string().starts_with("no/such/file: it can't be read: "), "{}", missing[0]);
}

/// Attack 25: "ANSI, bidirectional text ...: escaped", also where a mistake shows the file.
#[test]
fn given_text_that_would_move_the_cursor_then_a_mistake_does_not_show_it_as_it_is() {
    let text = "[[case]]\nkind = \"read\"\npath = '\u{1b}[2J\u{202e}'\nmode = '\u{202e}'\nexpect = 'allow'\n";
    let text = text.replace('\u{1b}', "");
    let errors = read("t.toml", &text).unwrap_err();
    for (shown, what, _) in errors {
        assert!(!shown.contains('\u{202e}') && !what.contains('\u{202e}'), "{shown} {what}");
    }
}
