//! What a real agent's own command has started answers nothing, whatever way it was let go of: while mayi asks in a terminal, by the
//! inbox, in a tab of `mayi serve`, and on its page; as the user that the tests run as, and as an ordinary one.

use mayi_tests::{LIMIT, Loose, again_as_ordinary_user_with, until};
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::pty::Terminal;
use crate::scene::Scene;

with_both_agents!(
    given_a_terminal_then_only_the_person_at_it_answers,
    given_the_inbox_then_only_the_person_there_answers,
    given_a_tab_and_the_page_then_only_who_was_let_in_answers,
    given_an_ordinary_user_at_a_terminal_then_only_the_person_at_it_answers,
    given_an_ordinary_user_and_the_inbox_then_only_the_person_there_answers,
    given_an_ordinary_user_with_a_tab_and_the_page_then_only_who_was_let_in_answers,
);

/// The agent runs what starts them, and then something that nothing allows.
const CASE: &str = "run after script";
const ALLOWED: [&str; 2] = ["--allow", "shell(sh loose.sh)"];

/// The ids of what waits, as the inbox lists it.
fn waiting(scene: &Scene) -> Vec<String> {
    let listed = scene.person(&["inbox", "--json"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let cards = listed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    cards.filter_map(|card| Some(card["id"].as_str()?.to_owned())).collect()
}

/// Waits until the agent asks, has everything that it let go of try to answer, and finds the question as it was.
fn nobody_answers(scene: &Scene, loose: &mut Loose) -> String {
    until(LIMIT, || if waiting(scene).len() == 1 { Ok(()) } else { Err("nothing waits".to_owned()) });
    let ids = waiting(scene);
    // Codex ends what is in the process group of its command together with that: then there is nobody to answer.
    let ended = loose.leave_out_ended();
    let allowed = if scene.agent() == Agent::Codex { 4 } else { 0 };
    assert!(ended.len() <= allowed, "{ended:?}");
    loose.are_refused(&ids[0]);
    assert_eq!(waiting(scene), ids);
    assert_eq!(scene.file("ran.txt"), None);
    ids[0].clone()
}

/// D6.8: Answers from within an agent are refused. D6.6: they come from a person at `/dev/tty`. Attacks 178 and 780.
fn given_a_terminal_then_only_the_person_at_it_answers(agent: Agent) {
    let scene = Scene::new(agent);
    let mut loose = scene.loose();
    let terminal = scene.in_terminal(CASE, &ALLOWED);
    loose.know_terminal(terminal.pid());
    terminal.sees("› n  Deny");
    nobody_answers(&scene, &mut loose);
    terminal.send("y");
    assert!(terminal.exit().success(), "{}", terminal.screen());
    assert!(scene.file("ran.txt").is_some());
}

/// The same while nobody is at the terminal of mayi's own. Attacks 178 and 780.
fn given_the_inbox_then_only_the_person_there_answers(agent: Agent) {
    let scene = Scene::new(agent);
    let mut loose = scene.loose();
    let running = scene.start(CASE, &[&ALLOWED[..], &["--on-ask", "wait", "--timeout", "100s"]].concat());
    let id = nobody_answers(&scene, &mut loose);
    let person = Terminal::start(scene.person(&["inbox", "approve", &id]), (40, 120), false);
    assert!(person.exit().success(), "{}", person.screen());
    let done = scene.ended(running);
    assert_eq!(done.code, 0, "{done}");
    assert!(scene.file("ran.txt").is_some(), "{done}");
}

/// The same with the token of the backend, with that of a page, and with a code that was not used yet.
/// Attacks 170, 178, 780, 785 and 787.
fn given_a_tab_and_the_page_then_only_who_was_let_in_answers(agent: Agent) {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let rules = "[rules]\nallow = [\"shell(sh loose.sh)\"]\n";
        let scene = Scene::new(agent).servers(&[], rules).named("real", "");
        let mut loose = scene.loose();
        let backend = scene.backend_with(&["--ui"]).await;
        let client = backend.client("test").await;
        let mut events = client.events(None).await;
        let token = backend.paired(&backend.code(&client).await).await;
        loose.know(&backend.text("url"));
        let code = backend.code(&client).await;
        loose.know_page(&token, &code);
        let tab = client.tab(json!({ "agent": "real", "cwd": scene.project() })).await;
        client.prompt(&tab, &scene.prompt(CASE)).await;
        let card = events.until("approval-request").await;
        tokio::task::block_in_place(|| nobody_answers(&scene, &mut loose));
        // Nobody has used it up.
        backend.paired(&code).await;
        client.answer(&card, "allow_once").await.unwrap();
        events.until("turn-ended").await;
        assert!(scene.file("ran.txt").is_some());
        backend.stop().await;
    });
}

fn given_an_ordinary_user_at_a_terminal_then_only_the_person_at_it_answers(agent: Agent) {
    again(agent, "given_a_terminal_then_only_the_person_at_it_answers");
}

fn given_an_ordinary_user_and_the_inbox_then_only_the_person_there_answers(agent: Agent) {
    again(agent, "given_the_inbox_then_only_the_person_there_answers");
}

fn given_an_ordinary_user_with_a_tab_and_the_page_then_only_who_was_let_in_answers(agent: Agent) {
    again(agent, "given_a_tab_and_the_page_then_only_who_was_let_in_answers");
}

/// The agents are in root's own home.
fn again(agent: Agent, law: &str) {
    let name = format!("answering::{}::{law}", agent.name());
    again_as_ordinary_user_with(&name, Some("MAYI_TEST_AGENTS"));
}
