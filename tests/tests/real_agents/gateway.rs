//! The servers of a session are behind its own gate: the agents start relays.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mayi_core::approval::{ApprovalResponse, Card, choice};
use mayi_core::gate::{Questions, RemoteQuestions};
use mayi_core::record::Redactor;
use mayi_core::store::{ApprovalQuery, Options, SqliteStore, Store, StoredApproval};
use mayi_core::writer::EntryWriter;

use crate::agent::Agent;
use crate::scene::Scene;

with_both_agents!(given_an_answer_at_acp_then_the_gateway_does_not_ask_again);

/// S5.5: A call that ACP has just approved for the same server, tool and arguments is not asked about
/// again.
/// Attack 122: nothing else goes through by that answer.
fn given_an_answer_at_acp_then_the_gateway_does_not_ask_again(agent: Agent) {
    let scene = Scene::new(agent);
    let options = ["--on-ask", "wait", "--approval-timeout", "100s"];
    let running = scene.start("mcp plain", &options);
    let store = answer_once(&scene);
    let done = scene.ended(running);
    assert_eq!(scene.calls("mini"), Some(vec!["plain".to_owned()]), "{done}");
    assert_eq!(scene.file("plain.txt").as_deref(), Some("plain"), "{done}");
    let asked = store.query_approvals(&ApprovalQuery::default()).unwrap();
    assert_eq!(asked.len(), 1, "{done}");
}

/// D0.9: Ungated actions noticed. Codex does not ask where a server says that a tool only reads: behind the gateway
/// that does not help it.
#[test]
fn given_codex_and_a_tool_with_read_only_hint_then_the_gateway_does_not_let_it_through() {
    let scene = Scene::new(Agent::Codex);
    let done = scene.run("mcp peek", &[]);
    assert_eq!(done.wire.questions().len(), 0, "{done}");
    assert_eq!(scene.calls("mini"), Some(Vec::new()), "{done}");
    let asked = scene.model().asked();
    let after = asked.iter().find(|asked| asked.step("mcp peek") == Some(1));
    let told = after.unwrap_or_else(|| panic!("the model was not asked again: {done}")).last().to_string();
    assert!(told.contains("mayi did not let this call of peek from mini through"), "{told}");
}

/// Says yes to the first question that there is, as another surface would.
fn answer_once(scene: &Scene) -> SqliteStore {
    let folder = scene.project().parent().unwrap().join("home/.local/share/mayi");
    let limit = Instant::now() + Duration::from_secs(90);
    loop {
        assert!(Instant::now() < limit, "nothing was asked");
        // While it is being made it can't be read.
        if let Ok(Some(store)) = SqliteStore::open_existing(&folder, Options::default())
            && let Some(waiting) = first(&store)
        {
            let card: Card = serde_json::from_value(waiting.card).unwrap();
            let response = ApprovalResponse::pick(&card, choice::ALLOW_ONCE);
            let open = || SqliteStore::open(&folder, Options::default()).unwrap();
            let writer = Arc::new(EntryWriter::new([0; 0], Redactor::default()));
            RemoteQuestions::new(Arc::new(open()), writer).answer(response, "test").unwrap();
            return open();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn first(store: &SqliteStore) -> Option<StoredApproval> {
    let pending = ApprovalQuery { pending: true, ..ApprovalQuery::default() };
    store.query_approvals(&pending).ok()?.into_iter().next()
}
