//! Nothing reaches a server as a call of a tool but what was allowed, and as it was allowed.

use super::*;
use crate::era::ClientProfile;
use mayi_core::policy::ServerSettings;

fn echo() -> Plays {
    plays(|| json!([tool("t", "does it")]), |_| json!({ "content": [] }))
}

/// Stateless parameters (2026-07-28) of a client that takes forms.
fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    params
}

/// What is asked, where a call has to be asked about.
fn question(answer: &Value) -> Value {
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    result["requestState"].clone()
}

fn allowing(state: &Value) -> Value {
    json!({
        "name": "t", "arguments": {}, "requestState": state,
        "inputResponses": { "mayi": { "action": "accept", "content": { "answer": "allow_once" } } },
    })
}

/// Every `tools/call` waits for the gate. Attack 141: a call that is no request, or is written so that only
/// some readers see one.
#[tokio::test]
async fn given_a_call_in_disguise_then_no_server_sees_it() {
    let played = Played::new(policy(&[(Effect::Allow, "mcp(s/t)")]), Answerer::Nobody, echo());
    let mut talk = played.talk(ClientCount::One);
    for method in ["tools/call", "Tools/Call", " tools/call", "tools/call\u{200b}"] {
        talk.says(&json!({ "jsonrpc": "2.0", "method": method, "params": { "name": "evil" } }));
    }
    for (id, method) in ["TOOLS/CALL", "tools/call\n", "tool\u{17f}/call"].into_iter().enumerate() {
        let answer = talk.asks(id as u64, method, json!({ "name": "evil" })).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}");
    }
    for params in [json!({ "name": "t", "Name": "evil" }), json!({ "name": "t", "ARGUMENTS": {} })] {
        let answer = talk.asks(9, "tools/call", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}");
    }
    assert!(talk.asks(10, "tools/call", json!({ "name": "t" })).await["result"].is_object());
    let evil = |frame: &Frame| frame.to_line().contains("evil");
    assert!(!played.got.lock().unwrap().iter().any(evil));
    assert_eq!(played.sent("tools/call").len(), 1);
}

/// MCP 2026-07-28, multi-round-trip requests: the state is for whoever gave it. A server refuses one that it does not know.
#[tokio::test]
async fn given_the_answer_to_mayis_own_question_then_the_server_hears_nothing_of_it() {
    let played = Played::new(policy(&[]), Answerer::Auto, echo());
    let mut talk = played.talk(ClientCount::Several);
    let asked = talk.asks(1, "tools/call", modern(json!({ "name": "t", "arguments": {} }))).await;
    let answer = talk.asks(2, "tools/call", modern(allowing(&question(&asked)))).await;
    assert_eq!(answer["result"]["content"], json!([]), "{answer}");
    let sent = played.sent("tools/call");
    let params = sent.first().unwrap().params().unwrap();
    assert!(params.get("requestState").is_none() && params.get("inputResponses").is_none());
    assert!(params.get("_meta").is_some() && sent.len() == 1);
}

/// S5.16: a program reads what a call asks for, in the question and where nothing was run.
#[tokio::test]
async fn given_a_call_that_needs_permission_then_a_program_can_read_which() {
    let of = |answer: &Value, named: &str| answer[named]["_meta"]["mayi/permission"].clone();
    let played = Played::new(policy(&[]), Answerer::Auto, echo());
    let mut talk = played.talk(ClientCount::Several);
    let asked = talk.asks(1, "tools/call", modern(json!({ "name": "t", "arguments": {} }))).await;
    let form = of(&asked["result"]["inputRequests"]["mayi"], "params");
    assert_eq!(form["requiresPermission"], true, "{asked}");
    let request = json!({ "serverName": "s", "toolName": "t", "permissionType": "all" });
    let described = |permission: &Value| {
        let mut request = permission["permissionRequest"].clone();
        let description = request.as_object_mut().unwrap().remove("description").unwrap();
        (request, !description.as_str().unwrap().is_empty())
    };
    assert_eq!(described(&form), (request.clone(), true));
    for (rules, requires) in [(&[][..], true), (&[(Effect::Deny, "mcp(s/t)")][..], false)] {
        let played = Played::new(policy(rules), Answerer::Nobody, echo());
        let mut talk = played.talk(ClientCount::One);
        let answer = talk.asks(1, "tools/call", json!({ "name": "t" })).await;
        let refused = of(&answer, "result");
        assert_eq!(
            (&answer["result"]["isError"], &refused["requiresPermission"]),
            (&json!(true), &json!(requires))
        );
        assert_eq!(described(&refused), (request.clone(), true), "{answer}");
    }
}

/// S5.6: Tool definitions are pinned; a changed one is blocked until accepted. Attack 142: while a person
/// thinks.
#[tokio::test]
async fn given_a_tool_that_changes_while_it_is_asked_about_then_nothing_runs() {
    let changed = Arc::new(Mutex::new("does it"));
    let says = Arc::clone(&changed);
    let server = plays(move || json!([tool("t", *says.lock().unwrap())]), |_| json!({ "content": [] }));
    let played = Played::new(policy(&[]), Answerer::Auto, server);
    let mut talk = played.talk(ClientCount::Several);
    let asked = talk.asks(1, "tools/call", modern(json!({ "name": "t", "arguments": {} }))).await;
    *changed.lock().unwrap() = "does something else";
    talk.told(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
    assert_eq!(talk.hears().await["method"], "notifications/tools/list_changed");
    let answer = talk.asks(2, "tools/call", modern(allowing(&question(&asked)))).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(answer.to_string().contains("has changed") && played.sent("tools/call").is_empty());
}

/// Attack 142: blocked by what this very server says, whatever another process of it said.
#[tokio::test]
async fn given_two_processes_of_a_server_then_each_is_held_to_what_it_says_itself() {
    let listed = Arc::new(Mutex::new(0));
    // The second one that is asked says something else.
    let server = plays(
        move || {
            *listed.lock().unwrap() += 1;
            json!([tool("t", if *listed.lock().unwrap() == 2 { "poison" } else { "does it" })])
        },
        |_| json!({ "content": [] }),
    );
    let played = Played::new(policy(&[(Effect::Allow, "mcp(s/t)")]), Answerer::Nobody, server);
    let (mut good, mut bad) = (played.talk(ClientCount::One), played.talk(ClientCount::One));
    let call = json!({ "name": "t", "arguments": {} });
    assert!(good.asks(1, "tools/call", call.clone()).await["result"]["isError"].is_null());
    assert_eq!(bad.asks(1, "tools/call", call.clone()).await["result"]["isError"], true);
    // A page of a list is heard, and is no whole list.
    let page = good.asks(2, "tools/list", json!({ "cursor": "x" })).await;
    assert_eq!(page["result"]["tools"][0]["description"], "does it");
    assert_eq!(bad.asks(2, "tools/call", call.clone()).await["result"]["isError"], true);
    assert!(good.asks(3, "tools/call", call).await["result"]["isError"].is_null());
    assert_eq!(played.sent("tools/call").len(), 2);
}

/// Attack 141: a client that has no regard to case would read what was compared with nothing.
#[tokio::test]
async fn given_pinned_words_in_other_letters_then_the_client_does_not_get_them() {
    let mut poisoned = tool("t", "does it");
    poisoned["Description"] = json!("poison");
    let played = Played::new(policy(&[]), Answerer::Nobody, plays(move || json!([poisoned]), |_| json!({})));
    let mut talk = played.talk(ClientCount::One);
    let list = talk.asks(1, "tools/list", json!({})).await;
    assert!(list["error"].is_object() && !list.to_string().contains("poison"), "{list}");
    let hello = |frame: &Frame| {
        let id: Value = serde_json::from_str(frame.id().unwrap().get()).unwrap();
        let said =
            json!({ "instructions": "plain", "Instructions": "poison", "protocolVersion": "2025-11-25" });
        vec![json!({ "jsonrpc": "2.0", "id": id, "result": said })]
    };
    let played = Played::new(policy(&[]), Answerer::Nobody, Arc::new(hello));
    let answer = played.talk(ClientCount::One).asks(1, "initialize", json!({})).await.to_string();
    assert!(answer.contains("plain") && !answer.contains("poison"), "{answer}");
}

/// Every request gets one answer; what is cancelled gets none, and its question is taken back.
#[tokio::test]
async fn given_a_call_that_is_cancelled_while_the_client_is_asked_then_the_question_is_taken_back() {
    let played = Played::new(policy(&[]), Answerer::Auto, echo());
    let mut talk = played.talk(ClientCount::One);
    talk.asks(1, "initialize", json!({ "capabilities": { "elicitation": {} } })).await;
    let asked = talk.asks(2, "tools/call", json!({ "name": "t" })).await;
    assert_eq!(asked["method"], "elicitation/create");
    talk.says(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } }),
    );
    let back = talk.hears().await;
    assert_eq!(
        (&back["method"], &back["params"]["requestId"]),
        (&json!("notifications/cancelled"), &asked["id"])
    );
    assert!(talk.session.upward.waiting_count() == 0 && played.gate.waiting_cards().is_empty());
    // What the client answers now is an answer to nothing.
    let accepted = json!({ "action": "accept", "content": { "answer": "allow_once" } });
    talk.says(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": accepted }));
    assert_eq!(talk.asks(3, "ping", json!({})).await["result"], json!({}));
    assert!(played.sent("tools/call").is_empty());
}

/// What is cancelled is not begun any more.
#[tokio::test]
async fn given_a_request_that_nobody_waits_for_then_it_is_not_sent() {
    let played = Played::new(policy(&[]), Answerer::Nobody, echo());
    let talk = played.talk(ClientCount::One);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "t" } });
    let frame = Frame::parse(&call.to_string()).unwrap();
    let (says, server) = (ClientProfile::default(), talk.session.servers.only_server().unwrap());
    assert!(talk.session.bridge.exchange_request(frame, RequestKey::next(), server, &says).await.is_err());
    assert!(played.got.lock().unwrap().is_empty());
}

/// D0.12: nothing that mayi started outlives it. A server that does not end when its input does is ended.
#[tokio::test(start_paused = true)]
async fn given_a_conversation_that_is_over_then_its_servers_end_before_mayi_does() {
    let never = Arc::new(|_: &Frame| Vec::new());
    let played = Played::new(policy(&[]), Answerer::Nobody, never);
    let talk = played.talk(ClientCount::One);
    talk.says(&json!({ "jsonrpc": "2.0", "id": 1, "method": "slow" }));
    assert_eq!(Arc::strong_count(&played.running), 3, "the maker, and the process");
    talk.session.close();
    played.door.wait_for_servers().await;
    assert!(Arc::strong_count(&played.running) < 3);
}

/// Annotations as caution only, but for servers that the user trusts in this: as long as that is so.
#[tokio::test]
async fn given_a_server_whose_annotations_are_not_trusted_any_more_then_they_allow_nothing() {
    let mut reading = tool("t", "reads");
    reading["annotations"] = json!({ "readOnlyHint": true, "destructiveHint": false });
    let server = plays(move || json!([reading]), |_| json!({ "content": [] }));
    let mut trusting = policy(&[]);
    let settings = ServerSettings { trust_annotations: true, ..ServerSettings::default() };
    trusting.servers.insert("s".to_owned(), settings);
    let played = Played::new(trusting, Answerer::Nobody, server);
    let mut talk = played.talk(ClientCount::One);
    assert!(talk.asks(1, "tools/call", json!({ "name": "t" })).await["result"]["isError"].is_null());
    played.gate.replace_policy(policy(&[]));
    assert_eq!(talk.asks(2, "tools/call", json!({ "name": "t" })).await["result"]["isError"], true);
}

/// Found in review: what a stateless client sent went to a server with sessions under the client's version,
/// so that over HTTP it came without its session, and each request was refused.
#[tokio::test]
async fn given_a_stateless_client_before_a_server_with_sessions_then_requests_are_of_that_session() {
    let modern_only = echo();
    let older: Plays = Arc::new(move |frame| {
        if frame.method() != Some("server/discover") {
            return modern_only(frame);
        }
        let id = serde_json::from_str::<Value>(frame.id().unwrap().get()).unwrap();
        vec![json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "unknown" } })]
    });
    let played = Played::new(policy(&[(Effect::Allow, "mcp(s/t)")]), Answerer::Nobody, older);
    let mut talk = played.talk(ClientCount::Several);
    let mut params = modern(json!({ "name": "t", "arguments": {} }));
    params["_meta"]["progressToken"] = json!("p");
    assert_eq!(talk.asks(1, "tools/list", modern(json!({}))).await["result"]["resultType"], "complete");
    assert!(talk.asks(2, "tools/call", params).await["result"]["content"].is_array());
    assert_eq!(played.sent("initialize").len(), 1);
    for frame in played.sent("tools/list").iter().chain(&played.sent("tools/call")) {
        assert_eq!(crate::headers::version_in(frame), None, "{}", frame.to_line());
        assert!(!frame.to_line().contains("clientCapabilities"));
    }
    let called = played.sent("tools/call").remove(0).params().unwrap();
    assert_eq!(called.object_member("_meta").unwrap().string_member("progressToken").as_deref(), Some("p"));
}
