//! What comes too soon and what ends too soon: requests right behind `initialize`, requests that are cancelled, clients that
//! go, and work that breaks off.

use std::sync::OnceLock;

use futures::FutureExt as _;

use super::*;
use crate::session::requests::Requests;
use mayi_core::approval::{ApprovalResponse, choice};
use mayi_core::gate::GateEvent;

/// A server of the stateless era with one tool, which answers calls by `called`.
fn stateless(called: impl Fn(&Frame) -> Value + Send + Sync + 'static) -> Plays {
    let server = plays(|| json!([tool("t", "does it")]), called);
    Arc::new(move |frame| {
        if frame.method() != Some("initialize") {
            return server(frame);
        }
        let id: Value = serde_json::from_str(frame.id().unwrap().get()).unwrap();
        vec![json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "unknown" } })]
    })
}

/// `initialize`, of a client that takes forms.
fn hello() -> Value {
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

fn call(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "t" } })
}

fn frame(message: &Value) -> Frame {
    Frame::parse(&message.to_string()).unwrap()
}

/// What is cancelled is not begun any more, also where a server of the other era asks for input (MCP
/// 2026-07-28, multi-round-trip requests).
#[tokio::test]
async fn given_a_call_that_is_cancelled_while_its_server_asks_for_input_then_it_goes_no_further() {
    let asks = json!({ "method": "elicitation/create", "params": { "message": "who?" } });
    let more =
        json!({ "resultType": "input_required", "inputRequests": { "q": asks }, "requestState": "state" });
    let server = stateless(move |_| more.clone());
    let played = Played::new(policy(&[(Effect::Allow, "mcp(s/t)")]), Answerer::Nobody, server);
    let mut talk = played.talk(ClientCount::One);
    talk.says(&hello());
    assert!(talk.hears().await["result"].is_object());
    talk.says(&call(2));
    let asked = talk.hears().await;
    assert_eq!(asked["method"], "elicitation/create");
    talk.says(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } }),
    );
    let back = talk.hears().await;
    assert_eq!(
        (&back["method"], &back["params"]["requestId"]),
        (&json!("notifications/cancelled"), &asked["id"])
    );
    talk.says(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "action": "accept" } }));
    assert_eq!(talk.asks(3, "ping", json!({})).await["id"], 3);
    // What goes to the server next would come behind a second round.
    assert!(talk.asks(4, "prompts/list", json!({})).await["result"].is_object());
    assert_eq!(played.sent("tools/call").len(), 1);
}

/// A server does not work for nobody: it is told, also if a request was given up just before it was sent.
#[tokio::test]
async fn given_a_request_that_is_given_up_while_it_is_sent_then_its_server_hears_of_it() {
    let played = Played::new(policy(&[]), Answerer::Nobody, stateless(|_| json!({})));
    let mut talk = played.talk(ClientCount::One);
    let (key, frame) = (RequestKey::next(), frame(&call(1)));
    let turn = talk.session.requests.open(&frame, key).unwrap();
    let server = talk.session.servers.only_server().unwrap();
    assert!(talk.session.requests.given_to(key, server));
    talk.session.abandon_request(key);
    talk.session.requests.send(key, server, frame, move |answer| turn.respond(answer));
    assert_eq!(talk.asks(2, "ping", json!({})).await["id"], 2);
    let told = played.sent("notifications/cancelled");
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].params().unwrap().get("requestId").unwrap().get(), key.0.to_string());
}

/// A client that has gone is asked nothing, and nobody waits for what it would say.
#[tokio::test]
async fn given_a_client_that_is_gone_then_a_question_to_it_has_no_answer() {
    let played = Played::new(policy(&[]), Answerer::Nobody, stateless(|_| json!({})));
    let mut talk = played.talk(ClientCount::One);
    talk.session.upward.close();
    let mut asked = talk.session.upward.ask_client("elicitation/create", &json!({}), None);
    assert!(asked.wait_for_answer().now_or_never().expect("it waits").is_none());
    drop(asked);
    assert!(talk.said.try_recv().is_err() && talk.session.upward.waiting_count() == 0);
}

/// Attack 15 the other way round: nobody said no, so nobody is recorded as having said it.
#[tokio::test]
async fn given_a_client_that_goes_while_it_is_asked_then_it_has_not_denied() {
    let played = Played::new(policy(&[]), Answerer::Auto, stateless(|_| json!({ "content": [] })));
    let mut talk = played.talk(ClientCount::One);
    talk.says(&hello());
    talk.hears().await;
    talk.says(&call(2));
    assert_eq!(talk.hears().await["method"], "elicitation/create");
    talk.session.upward.close();
    let answer = talk.hears().await;
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(2), &json!(true)));
    assert!(answer.to_string().contains("the client is gone"), "{answer}");
    assert!(played.gate.waiting_cards().is_empty() && played.sent("tools/call").is_empty());
}

/// Looks, while it is sent something, whether all requests are said to have their responses.
#[derive(Default)]
struct Looks {
    requests: OnceLock<Arc<Requests>>,
    drained: Mutex<Vec<bool>>,
}

impl Client for Looks {
    fn send(&self, _: Frame, _: Option<RequestKey>) {
        let drained = Arc::clone(self.requests.get().unwrap()).wait_until_drained();
        self.drained.lock().unwrap().push(drained.now_or_never().is_some());
    }
}

/// Every request gets one answer: what is closed once all have theirs is not closed before the last one.
#[tokio::test]
async fn given_an_answer_on_its_way_then_its_request_has_none_yet() {
    let looks = Arc::new(Looks::default());
    let requests = Requests::new(Arc::clone(&looks) as Arc<dyn Client>, ClientCount::One);
    let _ = looks.requests.set(Arc::clone(&requests));
    let frame = frame(&call(1));
    requests.open(&frame, RequestKey::next()).unwrap().respond(Ok(frame));
    assert_eq!(*looks.drained.lock().unwrap(), [false]);
    assert!(requests.wait_until_drained().now_or_never().is_some());
}

/// Every request gets one answer, also if mayi itself fails.
#[tokio::test]
async fn given_work_that_breaks_off_then_the_client_hears_of_it_once() {
    let played = Played::new(policy(&[]), Answerer::Nobody, stateless(|_| json!({})));
    let mut talk = played.talk(ClientCount::One);
    let turn = talk.session.requests.open(&frame(&call(7)), RequestKey::next()).unwrap();
    turn.answer_with(async { panic!("it breaks off") });
    let answer = talk.hears().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32603)), "{answer}");
    assert!(talk.session.wait_until_drained().now_or_never().is_some());
    assert!(talk.said.try_recv().is_err());
}

/// What a client says of itself holds for all that it sends afterwards, however soon: here the work for the later request
/// begins first, since a worker prefers what came last.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn given_a_call_right_behind_initialize_then_its_server_hears_what_the_client_can_do() {
    let server = stateless(|_| json!({ "content": [], "resultType": "complete" }));
    let played = Played::new(policy(&[]), Answerer::Surface, server);
    let mut talk = played.talk(ClientCount::One);
    let session = Arc::clone(&talk.session);
    let both = tokio::spawn(async move {
        session.receive(frame(&hello()), Some(RequestKey::next()));
        session.receive(frame(&call(2)), Some(RequestKey::next()));
    });
    both.await.unwrap();
    // The call waits for a person until the server is known to be stateless.
    assert!(talk.hears().await["result"].is_object());
    // Cards that wait already come first.
    let mut events = played.gate.subscribe();
    let card = loop {
        if let GateEvent::Asked(card) = events.recv().await.unwrap() {
            break card;
        }
    };
    played.gate.answer(ApprovalResponse::pick(&card, choice::ALLOW_ONCE), "person").unwrap();
    assert_eq!(talk.hears().await["id"], 2);
    let sent = played.sent("tools/call").pop().unwrap();
    let meta = sent.params().unwrap().object_member("_meta").unwrap();
    let can = meta.parsed_member("io.modelcontextprotocol/clientCapabilities").unwrap();
    assert_eq!(can, json!({ "elicitation": {} }));
}

/// MCP 2026-07-28, subscriptions: what belongs to one names it. Of one that is over, nobody hears.
#[tokio::test]
async fn given_what_belongs_to_a_subscription_that_is_over_then_nobody_hears_it() {
    let server = plays(|| json!([tool("t", "does it")]), |_| json!({ "content": [] }));
    let played = Played::new(policy(&[(Effect::Allow, "mcp(s/t)")]), Answerer::Nobody, server);
    let mut talk = played.talk(ClientCount::One);
    assert!(talk.asks(1, "tools/call", json!({ "name": "t" })).await["result"].is_object());
    let over = json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": "999999" } });
    talk.told(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": over }))
        .await;
    let answer = talk.asks(2, "tools/call", json!({ "name": "t" })).await;
    assert_eq!(answer["id"], 2, "{answer}");
}
