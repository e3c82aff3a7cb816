//! Every case of `tests/corpus`, through the library and through `mayi check --stdin`: one runner for both.

mod cases;
mod drivers;
mod library;
mod program;
mod world;

use std::fmt::Write as _;

pub(crate) use cases::{Case, Group, groups};
use drivers::{Answer, Driver};
pub(crate) use world::World;

/// What went wrong with one case.
struct Wrong {
    id: String,
    expected: String,
    got: String,
    value: String,
    because: String,
}

/// Asks `driver` about every case that it takes, and returns how many those were and which it got wrong.
fn ask(driver: &mut dyn Driver, groups: &[Group]) -> (usize, Vec<Wrong>) {
    let (mut asked, mut wrong) = (0, Vec::new());
    for group in groups {
        let world = World::of(group);
        let cases: Vec<&Case> = group.cases.iter().filter(|case| driver.takes(case)).collect();
        let answers = driver.answers(&world, &cases);
        asked += cases.len();
        for case in cases {
            let answer = answers.get(&case.id).cloned().unwrap_or_else(Answer::none);
            if !case.expect.contains(&answer.effect) {
                wrong.push(Wrong {
                    id: case.id.clone(),
                    expected: case.expect.join("|"),
                    got: format!("{} ({})", answer.effect, answer.why),
                    value: case.value().replace('\n', "⏎").replace('\r', "␍"),
                    because: case.because.clone(),
                });
            }
        }
    }
    (asked, wrong)
}

/// What failed, as a table.
fn table(wrong: &[Wrong]) -> String {
    let mut text = String::new();
    for row in wrong {
        let _ = writeln!(text, "{}\n    {}", row.id, row.value);
        let _ = writeln!(text, "    expected {}, got {}\n    {}", row.expected, row.got, row.because);
    }
    text
}

#[track_caller]
fn all_of(driver: &mut dyn Driver) {
    let groups = groups();
    let (asked, wrong) = ask(driver, &groups);
    println!("{asked} cases through {}, {} wrong", driver.name(), wrong.len());
    assert!(asked > 1000, "the corpus is not where it should be");
    assert!(
        wrong.is_empty(),
        "{} of {asked} cases through {}:\n{}",
        wrong.len(),
        driver.name(),
        table(&wrong)
    );
}

/// "One corpus of cases drives library, CLI and RPC alike": the library.
#[test]
fn given_the_corpus_then_the_library_answers_as_it_says() {
    all_of(&mut library::Library);
}

/// "One corpus of cases drives library, CLI and RPC alike": `mayi check --stdin`.
#[test]
fn given_the_corpus_then_the_program_answers_as_it_says() {
    all_of(&mut program::Program);
}

/// A runner that can't tell a wrong answer from a right one holds nothing.
#[test]
fn given_a_wrong_expectation_then_the_runner_tells() {
    let toml = r#"
[[group]]
name = "wrong"
because = "nothing"
expect = "deny"
rest = "allow"
[group.cases]
wrong = "make"
right = { value = "make", expect = ["ask", "allow"] }
"#;
    let groups = cases::read("x", toml);
    let (asked, wrong) = ask(&mut library::Library, &groups);
    assert_eq!((asked, wrong.len()), (2, 1));
    assert!(
        table(&wrong).contains("x/wrong/wrong\n    make\n    expected deny, got allow"),
        "{}",
        table(&wrong)
    );
}

/// The corpus is data: every case says what it expects, under a name of its own, and quotes a rule.
#[test]
fn given_the_corpus_then_every_case_is_whole() {
    let mut seen = std::collections::BTreeSet::new();
    for case in groups().iter().flat_map(|group| &group.cases) {
        assert!(seen.insert(case.id.clone()), "{} is there twice", case.id);
        assert!(!case.expect.is_empty(), "{} expects nothing", case.id);
        let known = case.expect.iter().all(|effect| ["allow", "ask", "deny", "error"].contains(&&**effect));
        assert!(known, "{} expects {:?}", case.id, case.expect);
        assert!(case.because.len() > 20, "{} says why: {:?}", case.id, case.because);
    }
}
