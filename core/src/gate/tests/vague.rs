//! Calls that say what kind of thing they do, and not to what (D1.16).

use super::*;
use crate::call::Category;

fn vague(id: &str, kind: &str, title: &str) -> Call {
    let mut call = call(id, Access::Tool { name: kind.into(), category: Category::Execute });
    (call.kind, call.title) = (kind.into(), title.into());
    call
}

fn allowing_all() -> Policy {
    let rule = |text: &str| Rule {
        effect: Effect::Allow,
        pattern: Pattern::parse(text, &PatternBases::default()).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: Origin { file: None, line: None, layer: "user" },
    };
    let settings = AgentSettings { bypass_permissions: true, ..AgentSettings::default() };
    Policy {
        mode: Mode::Auto,
        rules: vec![rule("*"), rule("tool(*)"), rule("shell(*)"), rule("write(**)")].into(),
        agents: [("a".to_owned(), settings)].into(),
        ..Policy::default()
    }
}

/// Attack 243.
#[tokio::test]
async fn given_a_call_without_its_command_or_file_then_only_a_person_allows_it_and_once() {
    for kind in ["execute", "edit", "delete", "move"] {
        let gate = gate();
        gate.replace_policy(allowing_all());
        let first = gate.submit(vague("1", kind, "touch a"), &[]);
        let card = gate.waiting_cards().remove(0);
        let choices: Vec<_> = card.options.iter().map(|option| option.option_id.as_str()).collect();
        assert_eq!(choices, [choice::ALLOW_ONCE, choice::DENY], "{kind}");
        assert!(card.suggestions.is_empty() && card.levels.is_empty());
        for longer in [choice::ALLOW_SESSION, choice::ALLOW_ALWAYS] {
            assert!(matches!(answer(&gate, &first, longer), Err(AnswerError::Option(_))), "{kind}: {longer}");
        }
        answer(&gate, &first, choice::ALLOW_ONCE).unwrap();
        assert!(matches!(first.verdict().await, Verdict::Allowed(a) if a.decided_by() == DecidedBy::Person));
        // Neither the same again nor another is covered by that.
        let again = gate.submit(vague("2", kind, "touch a"), &[]);
        let other = gate.submit(vague("3", kind, "rm -rf ~"), &[]);
        assert_eq!(gate.waiting_cards().len(), 2, "{kind}");
        drop((again, other));
    }
}

/// Attack 243: "no covering of side doors".
#[tokio::test]
async fn given_a_call_without_its_command_then_what_was_allowed_covers_no_side_door() {
    let gate = gate();
    let mut first = vague("1", "execute", "cat /w/x");
    first.accesses.push(Access::Read(PathAccess::new(Path::new("/w"), "/x")));
    let first = gate.submit(first, &[]);
    answer(&gate, &first, choice::ALLOW_ONCE).unwrap();
    assert!(matches!(first.verdict().await, Verdict::Allowed(_)));
    let mut side = call("2", Access::Read(PathAccess::new(Path::new("/w"), "/x")));
    side.door = Door::AcpFs;
    let side = gate.submit(side, &[]);
    assert!(
        side.approval_id().is_some()
            || gate.judge_reported(&vague("3", "execute", "x")).unwrap().effect == Effect::Ask
    );
    drop(side);
}

/// Attack 243: "the title is part of its fingerprint".
#[test]
fn given_two_titles_then_they_are_two_calls_where_nothing_else_tells_them_apart() {
    assert_ne!(vague("1", "execute", "touch a").fingerprint(), vague("1", "execute", "rm a").fingerprint());
    assert_eq!(
        vague("1", "execute", "touch a").fingerprint(),
        vague("2", "execute", "touch a").fingerprint()
    );
    // Elsewhere a title is prose.
    assert_eq!(vague("1", "other", "touch a").fingerprint(), vague("1", "other", "rm a").fingerprint());
    let mut said = run("1", "make");
    said.kind = "execute".into();
    assert_eq!(said.without_substance(), None);
}

/// Attack 241: "exactly these words" are not another program on the input.
#[tokio::test]
async fn given_a_session_answer_for_a_program_on_the_input_then_another_program_is_asked_about() {
    let gate = gate();
    let line = |id: &str, line: &str| {
        let roots = [PathBuf::from("/w")];
        let mut call = run(id, line);
        call.accesses = shell::line_accesses(line, &Surroundings::new(Path::new("/w"), &roots));
        call
    };
    let here = |id: &str, text: &str| line(id, &format!("python3 - <<EOF\n{text}\nEOF"));
    let first = gate.submit(here("1", "print(1)"), &[]);
    answer(&gate, &first, choice::ALLOW_SESSION).unwrap();
    let same = gate.submit(here("2", "print(1)"), &[]);
    assert!(matches!(same.verdict().await, Verdict::Allowed(_)));
    for other in [here("3", "import os"), line("4", "python3 - < x.py"), line("5", "cat x | python3 -")] {
        let other = gate.submit(other, &[]);
        assert!(other.approval_id().is_some());
        drop(other);
    }
}
