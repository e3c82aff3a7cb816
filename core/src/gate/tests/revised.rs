//! What a card says that is shown again, after its call or the rules have changed.

use super::memory::Kept as Stored;
use super::*;

/// "Allowed twice" is said of the command that is on the card.
#[tokio::test]
async fn given_a_call_that_changes_then_its_card_says_how_the_like_of_it_was_answered() {
    let kept = Stored::new();
    let gate = kept.gate();
    for (id, line, option) in
        [("1", "make", choice::ALLOW_ONCE), ("2", "make", choice::ALLOW_ONCE), ("3", "rm x", choice::DENY)]
    {
        let asked = gate.submit(run(id, line), &[]);
        answer(&gate, &asked, option).unwrap();
    }
    let asked = gate.submit(run("4", "make"), &[]);
    let told = || gate.waiting()[0].history.clone().map(|history| (history.allowed, history.denied));
    assert_eq!(told(), Some((2, 0)));
    gate.revise(asked.approval().unwrap(), run("4", "rm x"));
    assert_eq!(told(), Some((0, 1)));
    gate.revise(asked.approval().unwrap(), run("4", "cargo build"));
    assert_eq!(told(), None);
    gate.revise(asked.approval().unwrap(), run("4", "make"));
    gate.replace_policy(Policy::default());
    assert_eq!(told(), Some((2, 0)), "rules change nothing about it");
}
