//! The attacks of `docs/threats`, and whether they and the tests that hold them know each other.

use std::collections::BTreeSet;
use std::fs;

use serde::Deserialize;

use super::{Source, everything, read, top};

/// What `docs/threats.toml` says of the files beside it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    themes: Vec<String>,
}

/// A file of `docs/threats`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Theme {
    pub(crate) title: String,
    pub(crate) says: String,
    pub(crate) lines: Vec<Line>,
    #[serde(rename = "threat")]
    pub(crate) threats: Vec<Threat>,
}

/// What the page says of attacks that are held.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    pub(crate) says: String,
    pub(crate) of: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Threat {
    pub(crate) id: u32,
    pub(crate) status: Status,
    pub(crate) attack: String,
    pub(crate) outcome: Option<String>,
    pub(crate) short: Option<String>,
    pub(crate) instead: Option<String>,
    pub(crate) with: Option<String>,
    #[serde(default)]
    pub(crate) also: Vec<u32>,
    #[serde(default)]
    pub(crate) tests: Vec<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Held,
    Gap,
    Later,
}

impl Theme {
    /// Its attacks of one kind, as they are in the file.
    pub(crate) fn of(&self, status: Status) -> impl Iterator<Item = &Threat> {
        self.threats.iter().filter(move |threat| threat.status == status)
    }
}

/// The themes with their names, in the order of the page.
pub(crate) fn themes() -> Vec<(String, Theme)> {
    let head: Head = toml::from_str(&read("docs/threats.toml")).unwrap();
    let theme = |name: String| {
        let path = format!("docs/threats/{name}.toml");
        let theme = toml::from_str(&read(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        (name, theme)
    };
    head.themes.into_iter().map(theme).collect()
}

/// What is wrong with the data by itself.
fn unsound(themes: &[(String, Theme)]) -> Vec<String> {
    let all = || themes.iter().flat_map(|(_, theme)| &theme.threats);
    let ids: BTreeSet<u32> = all().map(|threat| threat.id).collect();
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for threat in all() {
        let id = threat.id;
        if !seen.insert((id, threat.status)) {
            wrong.push(format!("{id} is there twice as {:?}", threat.status));
        }
        for other in threat.also.iter().filter(|other| !ids.contains(other)) {
            wrong.push(format!("{id} is also {other}, which is not there"));
        }
        // What an entry has, and whether one of its status has it.
        let (held, gap) = (threat.status == Status::Held, threat.status == Status::Gap);
        let fields = [
            ("tests", !threat.tests.is_empty(), held),
            ("an outcome", threat.outcome.is_some(), held || gap),
            ("what it comes with", threat.with.is_some(), threat.status == Status::Later),
        ];
        for (field, has, should) in fields {
            if has != should {
                wrong.push(format!("{id} should {}have {field}", if should { "" } else { "not " }));
            }
        }
        if !gap && (threat.short.is_some() || threat.instead.is_some()) {
            wrong.push(format!("{id} should not have what gaps have"));
        }
    }
    for (name, theme) in themes {
        let mut held: Vec<u32> = theme.of(Status::Held).map(|threat| threat.id).collect();
        let mut told: Vec<u32> = theme.lines.iter().flat_map(|line| line.of.clone()).collect();
        held.sort_unstable();
        told.sort_unstable();
        if held != told {
            let odd: Vec<u32> =
                held.iter().chain(&told).filter(|id| count(&held, id) != count(&told, id)).copied().collect();
            wrong.push(format!("{name}: the lines are not of just what is held: {odd:?}"));
        }
    }
    wrong
}

fn count(ids: &[u32], id: &u32) -> usize {
    ids.iter().filter(|other| *other == id).count()
}

/// The numbers of attacks that a text names, as in "Attack 7" and "Attacks 7, 8 and 9".
fn attacks(text: &str) -> Vec<u32> {
    text.split("ttack").skip(1).flat_map(leading_numbers).collect()
}

fn leading_numbers(text: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    let mut rest = text.strip_prefix('s').unwrap_or(text).strip_prefix(' ');
    while let Some(text) = rest {
        let digits = text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
        let Ok(number) = digits.parse() else { break };
        numbers.push(number);
        let text = &text[digits.len()..];
        rest = text.strip_prefix(", ").or_else(|| text.strip_prefix(" and "));
    }
    numbers
}

/// What stands above the function `name`, if it is in `text`: its comment and its attributes.
fn above<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let function = text.find(&format!("fn {name}("))?;
    let end = text[..function].rfind('\n').map_or(0, |at| at + 1);
    let mut begin = end;
    for line in text[..end].lines().rev() {
        if line.trim().is_empty() || line.ends_with(['{', '}']) {
            break;
        }
        begin -= line.len() + 1;
    }
    Some(&text[begin..end])
}

/// What stands right above the test `name` of a file of TypeScript, if it is in `text`.
fn above_test<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let test = text.find(&format!("\ntest(\"{name}\", "))?;
    let begin = text[..=test].rfind("\n\n").map_or(0, |at| at + 2);
    Some(&text[begin..=test])
}

/// The group `name` of a file of the corpus.
fn group<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let line = format!("name = \"{name}\"");
    text.split("[[group]]").skip(1).find(|group| group.lines().any(|own| own == line))
}

/// What names the attacks of a test: the text above it, or that of its group.
fn word<'t>(sources: &'t [Source], test: &str) -> Option<&'t str> {
    let (path, name) = test.split_once("::")?;
    let source = sources.iter().find(|source| source.path == path)?;
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => above(&source.text, name),
        Some("ts") => above_test(&source.text, name),
        _ => group(&source.text, name),
    }
}

/// The tests of what is held that are not there, or do not say what they hold.
fn unlinked(threats: &[&Threat], sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for threat in threats {
        for test in &threat.tests {
            match word(sources, test) {
                None => wrong.push(missing(test, sources)),
                Some(text) if !attacks(text).contains(&threat.id) => {
                    wrong.push(format!("{test} does not say \"Attack {}\"", threat.id));
                }
                Some(_) => {}
            }
        }
    }
    wrong
}

/// Where a test is that is not where it was named.
fn missing(test: &str, sources: &[Source]) -> String {
    let name = test.split_once("::").map_or(test, |(_, name)| name);
    let is_in = |source: &&Source| above(&source.text, name).is_some();
    let places: Vec<&str> = sources.iter().filter(is_in).map(|source| source.path.as_str()).collect();
    format!("{test} is in {places:?}")
}

/// Tests that a document names as `path/to/file.rs::name`.
fn named_tests(document: &str) -> impl Iterator<Item = &str> {
    let spans = document.split('`').skip(1).step_by(2);
    spans.filter(|span| span.split_once("::").is_some_and(|(file, _)| file.ends_with(".rs")))
}

/// "A ledger of known attacks": every file of it is read, and every entry is whole.
#[test]
fn given_the_attacks_then_each_entry_is_whole() {
    let themes = themes();
    let mut files: Vec<String> = fs::read_dir(top().join("docs/threats"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut named: Vec<String> = themes.iter().map(|(name, _)| format!("{name}.toml")).collect();
    files.sort();
    named.sort();
    assert_eq!(files, named, "docs/threats.toml names every theme");
    assert_eq!(unsound(&themes), [""; 0]);

    let bad = r#"
        title = "x"
        says = "x"
        lines = [{ says = "x", of = [1, 3] }]
        [[threat]]
        id = 1
        status = "held"
        attack = "x"
        outcome = "x"
        also = [9]
        [[threat]]
        id = 2
        status = "held"
        attack = "x"
        instead = "x"
        with = "x"
        tests = ["x"]
        [[threat]]
        id = 2
        status = "held"
        attack = "x"
        outcome = "x"
        tests = ["x"]
    "#;
    assert_eq!(
        unsound(&[("x".to_owned(), toml::from_str(bad).unwrap())]),
        [
            "1 is also 9, which is not there",
            "1 should have tests",
            "2 should have an outcome",
            "2 should not have what it comes with",
            "2 should not have what gaps have",
            "2 is there twice as Held",
            "x: the lines are not of just what is held: [2, 2, 3]",
        ]
    );
}

/// "Each attack is linked to its test", both ways.
#[test]
fn attacks_and_their_tests_know_each_other() {
    let themes = themes();
    let threats: Vec<&Threat> = themes.iter().flat_map(|(_, theme)| &theme.threats).collect();
    let sources: Vec<Source> = everything()
        .into_iter()
        .filter(|source| {
            let is_test = source.path.ends_with(".rs") || source.path.ends_with(".test.ts");
            is_test || source.path.starts_with("tests/corpus/")
        })
        .collect();
    assert_eq!(
        unlinked(&threats, &sources),
        [""; 0],
        "every test that an attack names is there and names it"
    );

    let pages: String = everything()
        .into_iter()
        .filter(|source| source.path == "ARCHITECTURE.md" || source.path.starts_with("docs/architecture/"))
        .map(|source| source.text)
        .collect();
    let missing: Vec<String> = named_tests(&pages)
        .filter(|test| word(&sources, test).is_none())
        .map(|test| missing(test, &sources))
        .collect();
    assert_eq!(missing, [""; 0], "every test that ARCHITECTURE.md and docs/architecture name is there");
    assert!(named_tests(&pages).count() > 20, "the invariants name their tests");

    let mut unknown = Vec::new();
    for source in sources.iter().filter(|source| source.path != "tests/tests/architecture/attacks.rs") {
        let known = |number: &u32| threats.iter().any(|threat| threat.id == *number);
        let stray = attacks(&source.text).into_iter().filter(|number| !known(number));
        unknown.extend(stray.map(|number| format!("{}: attack {number}", source.path)));
    }
    assert_eq!(unknown, [""; 0], "every attack that a test names is in docs/threats");
}

/// The check by itself: each way that a link can be broken is told.
#[test]
fn given_a_broken_link_then_it_is_told() {
    let text = "/// Attack 7: x\n/// Attacks, properties\n/// attack 25: 3, y\n/// Attacks 3, 4 and 5.";
    assert_eq!(attacks(text), [7, 25, 3, 4, 5]);

    let rust = "fn a() {\n}\n\n/// Attack 3.\n#[test]\nfn f() {\n    // Attack 4.\n}\n\nfn g() {}\n";
    assert_eq!(above(rust, "f"), Some("/// Attack 3.\n#[test]\n"));
    assert_eq!((above(rust, "g"), above(rust, "h")), (Some(""), None));
    let cases = "[[group]]\nname = \"e\"\n[[group]]\nname = \"f\"\nbecause = \"x. Attack 3.\"\n";
    assert_eq!(group(cases, "f").map(attacks), Some(vec![3]));

    let script = "const a = 1;\n\n// Attack 3.\ntest(\"e: f\", () => {\n  // Attack 4.\n});\n\ntest(\"g\", () => {});\n";
    assert_eq!(above_test(script, "e: f").map(attacks), Some(vec![3]));
    assert_eq!((above_test(script, "g"), above_test(script, "f")), (Some(""), None));

    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let sources = [source("a.rs", rust), source("b.rs", "fn i() {}"), source("c.toml", cases)];
    let threat = |id: u32, test: &str| Threat {
        id,
        status: Status::Held,
        attack: String::new(),
        outcome: None,
        short: None,
        instead: None,
        with: None,
        also: Vec::new(),
        tests: vec![test.to_owned()],
    };
    let told = |id: u32, test: &str| unlinked(&[&threat(id, test)], &sources).join("");
    assert_eq!((told(3, "a.rs::f"), told(3, "c.toml::f")), (String::new(), String::new()));
    assert_eq!(told(4, "a.rs::f"), "a.rs::f does not say \"Attack 4\"");
    assert_eq!(told(3, "c.toml::e"), "c.toml::e does not say \"Attack 3\"");
    assert_eq!(told(3, "a.rs::i"), "a.rs::i is in [\"b.rs\"]");
    assert_eq!(named_tests("see `a.rs::f`, `x::y` and `f`").collect::<Vec<_>>(), ["a.rs::f"]);
}
