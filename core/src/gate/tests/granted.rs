//! What surfaces are told of an answer and of a session: "Also `approval-resolved` (state, by which surface, when,
//! `grantedPermissions`)" (S2.3).

use super::memory::{Kept as Stored, remembering, writer};
use super::*;
use crate::gate::{QuestionEvent, Questions};
use crate::store::SqliteStore;

fn granted(resolved: &ApprovalResolved) -> Vec<&str> {
    resolved.granted_permissions.iter().map(String::as_str).collect()
}

#[tokio::test]
async fn given_an_answer_then_what_it_grants_is_told() {
    let gate = gate_with(OnAsk::Wait, None, Box::<Kept>::default());
    let ask = |id: &str, line: &str| gate.submit(run(id, line), &[]);
    let once = ask("1", "make");
    assert_eq!(granted(&answer(&gate, &once, choice::ALLOW_ONCE).unwrap()), [""; 0]);
    let session = ask("2", "make");
    let mut events = gate.subscribe();
    assert_eq!(granted(&answer(&gate, &session, choice::ALLOW_SESSION).unwrap()), ["shell(make) (session)"]);
    let told = [events.recv().await, events.recv().await];
    assert!(
        matches!(&told, [_, Some(GateEvent::Resolved(told))] if granted(told) == ["shell(make) (session)"]),
        "{told:?}"
    );
    // It is asked about each time: no pattern can be about it.
    let exact = ask("3", "PATH=. make test");
    assert_eq!(
        granted(&answer(&gate, &exact, choice::ALLOW_SESSION).unwrap()),
        ["exactly this call (session)"]
    );
    let rule = ask("4", "cargo test");
    let resolved = gate.answer(always(&gate, &rule, "shell(cargo test *)"), "test").unwrap();
    assert_eq!(granted(&resolved), ["shell(cargo test *) (user)"]);
    let denied = ask("5", "rm x");
    let remember = Remember::of_patterns(RememberScope::Session, vec!["shell(rm *)".to_owned()]);
    let resolved = gate.answer(remembering(&gate, &denied, choice::DENY, remember), "test").unwrap();
    assert_eq!(granted(&resolved), [""; 0], "a denial grants nothing, also one that is remembered");
    let bypass = ask("6", "curl x");
    let mut response = pick(&gate, &bypass, choice::ALLOW_ONCE);
    response.bypass_all = true;
    assert_eq!(granted(&gate.answer(response, "test").unwrap()), ["bypass a (user)"]);
    let json = serde_json::to_value(&resolved).unwrap();
    assert_eq!(json["grantedPermissions"], json!([]));
}

/// D6.9, attack 754: what a card says of an answer for the session is what is kept of that.
#[tokio::test]
async fn given_an_answer_for_the_session_then_the_card_said_just_what_is_kept() {
    for (line, covers) in [("make", "exactly these words"), ("PATH=. make test", "exactly this call, again")]
    {
        let gate = gate_with(OnAsk::Wait, None, Box::<Kept>::default());
        let ticket = gate.submit(run("1", line), &[]);
        let card = gate.waiting_cards().remove(0);
        let offered =
            card.options.iter().find(|option| option.option_id == choice::ALLOW_SESSION).unwrap().clone();
        assert_eq!(offered.covers.as_deref(), Some(covers));
        let kept = answer(&gate, &ticket, choice::ALLOW_SESSION).unwrap().granted_permissions;
        let said: Vec<String> = offered.grants.iter().map(|grant| format!("{grant} (session)")).collect();
        assert_eq!(said, kept);
    }
    let gate = gate_with(OnAsk::Wait, None, Box::<Kept>::default());
    let tool = Access::Tool { name: "other".to_owned(), category: crate::call::Category::Execute };
    let _ticket = gate.submit(Call { accesses: vec![tool], kind: "other".to_owned(), ..run("1", "x") }, &[]);
    let card = gate.waiting_cards().remove(0);
    let offered = card.options.iter().find(|option| option.option_id == choice::ALLOW_SESSION).unwrap();
    assert_eq!(offered.covers.as_deref(), Some("exactly this call, again"), "no pattern is of a tool's name");
}

/// Limits are told with it, and other processes hear the same.
#[tokio::test]
async fn given_an_answer_with_limits_then_other_processes_hear_what_it_grants() {
    let kept = Stored::new();
    let gate = kept.gate();
    let ticket = gate.submit(run("1", "cargo test"), &[]);
    let store = SqliteStore::open(&kept.folder.path().join("mayi"), Default::default()).unwrap();
    let mut events = RemoteQuestions::new(Arc::new(store), Arc::new(writer())).subscribe_questions();
    let next = async |events: &mut mpsc::UnboundedReceiver<QuestionEvent>| {
        tokio::time::timeout(Duration::from_secs(20), events.recv()).await.unwrap().unwrap()
    };
    assert!(matches!(next(&mut events).await, QuestionEvent::Asked(_)));
    let patterns = vec!["shell(cargo test *)".to_owned()];
    let remember = Remember { uses: Some(3), ..Remember::of_patterns(RememberScope::Workspace, patterns) };
    let resolved = gate.answer(remembering(&gate, &ticket, choice::ALLOW_ALWAYS, remember), "test").unwrap();
    assert_eq!(granted(&resolved), ["shell(cargo test *) (workspace, uses: 3)"]);
    let QuestionEvent::Resolved(heard) = next(&mut events).await else { panic!() };
    assert_eq!(heard.granted_permissions, resolved.granted_permissions);
    let ticket = gate.submit(run("2", "make"), &[]);
    assert!(matches!(next(&mut events).await, QuestionEvent::Asked(_)));
    let remember = Remember {
        expires_in: Some("30m".to_owned()),
        ..Remember::of_patterns(RememberScope::Session, vec!["shell(make)".to_owned()])
    };
    let resolved = gate.answer(remembering(&gate, &ticket, choice::ALLOW_SESSION, remember), "test").unwrap();
    let text = &resolved.granted_permissions[0];
    let until = text.strip_prefix("shell(make) (session, until ").and_then(|rest| rest.strip_suffix(')'));
    let left = until.unwrap().parse::<Timestamp>().unwrap().duration_since(Timestamp::now());
    assert!((28..=30).contains(&left.as_mins()), "{text}");
}

/// A sub-agent's question says whose it is, and a card says where the agent works.
#[tokio::test]
async fn given_a_session_with_a_parent_then_its_cards_name_it() {
    let gate = gate();
    gate.open_session(session("child", Some("s")));
    let mut asked = run("1", "make");
    asked.session = SessionId("child".into());
    asked.locations = vec![json!({"path": "/w/a", "line": 3})];
    let id = gate.submit(asked.clone(), &[]);
    let _other = gate.submit(run("2", "make"), &[]);
    let cards = gate.waiting_cards();
    assert_eq!(cards[0].parent.as_deref(), Some("s"));
    assert_eq!(cards[1].parent, None);
    let json = serde_json::to_value(&cards[0]).unwrap();
    assert_eq!(json["parent"], "s");
    assert_eq!(json["toolCall"]["locations"], json!([{"path": "/w/a", "line": 3}]));
    // It stays there when the card is shown anew.
    asked.notes.push("more".to_owned());
    gate.revise_call(id.approval_id().unwrap(), asked);
    assert_eq!(gate.waiting_cards()[0].parent.as_deref(), Some("s"));
}

/// What an earlier mayi has kept can still be shown.
#[tokio::test]
async fn given_a_card_of_an_earlier_version_then_it_is_read() {
    let gate = gate();
    let _ticket = gate.submit(run("1", "make"), &[]);
    let card = gate.waiting_cards().remove(0);
    let mut old = serde_json::to_value(&card).unwrap();
    assert!(old.as_object_mut().unwrap().remove("parent").is_some());
    assert!(old["toolCall"].as_object_mut().unwrap().remove("locations").is_some());
    assert_eq!(serde_json::from_value::<Card>(old).unwrap(), card);
}
