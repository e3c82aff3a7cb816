//! What is made to be slow or large.

use mayi_tests::heavy::Input;
use mayi_tests::random::Random;

use crate::scene::Scene;

/// D2.40. Attack 731: a decision comes of each, no worker runs out of what it may take.
#[test]
fn given_events_that_are_made_to_be_slow_or_large_then_each_is_decided() {
    let scene = Scene::new("version = 1\n[rules]\ndeny = [\"read(**/.env)\", \"shell(rm *)\"]\n");
    let (mut random, work) = (Random(7_315), scene.machine.work());
    for nth in 0..60 {
        let mut event = Input::any(&mut random).event(&work);
        event["tool_use_id"] = format!("toolu_{nth}").into();
        let answer = scene.answer(&event);
        assert_eq!(answer.code, 0, "{:.300}: {}", event.to_string(), answer.err);
        assert!(
            ["allow", "ask", "deny"].contains(&answer.decision.as_str()),
            "{:.300}: {answer:?}",
            event.to_string()
        );
    }
}
