//! What a person allows each time anew (D2.26).

use super::*;

fn denying(text: &str) -> Policy {
    let rule = |effect, text: &str| Rule {
        effect,
        pattern: Pattern::parse(text, &PatternBases::default()).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: Origin { file: None, line: None, layer: "user" },
    };
    Policy {
        rules: vec![rule(Effect::Allow, "shell(*)"), rule(Effect::Deny, text)].into(),
        ..Policy::default()
    }
}

/// D2.26: an ask that only a person discharges, once, no session scope, ... or in a batch. Attack 226.
#[tokio::test]
async fn given_a_search_that_passes_a_denied_path_then_its_answer_is_never_remembered() {
    let gate = gate_with(OnAsk::Wait, None, Box::<Kept>::default());
    gate.replace_policy(denying("read(.env)"));
    let first = gate.submit(run("1", "grep -r KEY ."), &[]);
    let card = gate.waiting_cards().remove(0);
    let options: Vec<&str> = card.options.iter().map(|option| option.option_id.as_str()).collect();
    assert_eq!(options, [choice::ALLOW_ONCE, choice::DENY]);
    assert!(card.suggestions.is_empty());
    // Nor by a surface that says so all the same.
    for option in [choice::ALLOW_SESSION, choice::ALLOW_ALWAYS] {
        assert!(matches!(answer(&gate, &first, option), Err(AnswerError::Option(_))), "{option}");
    }
    let second = gate.submit(run("2", "grep -r KEY ."), &[]);
    // A bypass that comes with an answer answers neither the other nor the next.
    let mut response = pick(&gate, &first, choice::ALLOW_ONCE);
    response.bypass_all = true;
    gate.answer(response, "test").unwrap();
    assert!(
        matches!(first.verdict().await, Verdict::Allowed(allowed) if allowed.decided_by() == DecidedBy::Person)
    );
    assert_eq!(gate.waiting_cards().len(), 1);
    gate.replace_policy(denying("read(.env)"));
    let third = gate.submit(run("3", "grep -r KEY ."), &[]);
    assert_eq!(gate.waiting_cards().len(), 2);
    answer(&gate, &second, choice::ALLOW_ONCE).unwrap();
    assert_eq!(gate.waiting_cards().len(), 1, "one answer is about one call");
    drop(third);
}
