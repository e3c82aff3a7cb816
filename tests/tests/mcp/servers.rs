//! A server that floods, hangs, dies or lies: it fails by itself, and nothing else does.

use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{Gateway, is_refused, is_wrong, ran};
use crate::scene::Scene;

const ALL: &[&str] = &["--allow", "mcp(rogue/*)", "--no-record"];

/// The most memory that a process has used, in KiB.
fn peak(gateway: &Gateway) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", gateway.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Attack 130: a result of 100 MiB.
#[test]
fn given_a_result_of_100_mib_then_that_call_fails_and_memory_stays_bounded() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    let never = gateway.begin("never", &json!({}));
    let huge = gateway.begin("huge", &json!({}));
    is_wrong(&gateway.answer(&json!(huge)), "longer than 64 MiB");
    ran(&gateway.call("echo", &json!({})), "echo");
    assert!(peak(&gateway) < 400 * 1024, "{} KiB", peak(&gateway));
    assert_eq!(std::fs::read_to_string(scene.file("rogue", "starts")).unwrap().lines().count(), 1);
    assert!(gateway.rest().iter().all(|message| message["id"] != never));
}

/// Attack 130: a line without an end, and without anything that says what it answers: the server is started again.
#[test]
fn given_a_line_that_does_not_end_then_its_calls_fail_and_the_next_ones_work() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    is_wrong(&gateway.call("endless", &json!({})), "64 MiB");
    assert!(peak(&gateway) < 400 * 1024, "{} KiB", peak(&gateway));
    again(&mut gateway);
    gateway.end();
    scene.machine.is_quiet();
}

/// Waits until calls work again.
fn again(gateway: &mut Gateway) {
    let deadline = Instant::now() + crate::client::LIMIT;
    loop {
        let answer = gateway.call("echo", &json!({}));
        if answer["result"].is_object() && answer["result"]["isError"] != true {
            return;
        }
        assert!(Instant::now() < deadline, "{answer}: {}", gateway.errors());
    }
}

/// S5.3: Only `tools/call` waits. A cancellation reaches the server under its own id, and the client's
/// request has no answer after it.
#[test]
fn given_a_server_that_never_answers_then_others_go_on_and_a_cancellation_reaches_it() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    let never = gateway.begin("never", &json!({}));
    ran(&gateway.call("echo", &json!({})), "echo");
    // What is cancelled before it was begun is not begun at all.
    scene.soon("the server has it", || scene.ran().contains(&"never".to_owned()));
    gateway.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": never, "reason": "no patience" } })
        .to_string(),
    );
    scene.soon("the server hears of it", || !scene.messages("rogue", "notifications/cancelled").is_empty());
    let cancelled = &scene.messages("rogue", "notifications/cancelled")[0]["params"];
    let calls = scene.messages("rogue", "tools/call");
    let call = calls.iter().find(|call| call["params"]["name"] == "never").unwrap();
    assert_eq!((&cancelled["requestId"], &cancelled["reason"]), (&call["id"], &json!("no patience")));
    let rest = gateway.rest();
    assert!(rest.iter().all(|message| message["id"] != never), "{rest:?}");
    gateway.end();
}

/// Attack 130: a server that ends in the middle of a call, and again at once.
#[test]
fn given_a_server_that_dies_in_a_call_then_the_call_fails_and_it_is_started_again() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    let never = gateway.begin("never", &json!({}));
    is_gone(&gateway.call("die", &json!({})));
    is_gone(&gateway.answer(&json!(never)));
    is_refused_or_wrong(&mut gateway);
    again(&mut gateway);
    // It was begun again as the client had begun, and the client did not notice.
    let hellos = scene.messages("rogue", "initialize");
    assert_eq!(hellos.len(), 2, "{hellos:?}");
    assert_eq!(hellos[0]["params"], hellos[1]["params"]);
    assert_eq!(scene.messages("rogue", "notifications/initialized").len(), 2);
    // One that ends as soon as it is started is not started without a pause.
    scene.put("rogue", "dead", "");
    is_gone(&gateway.call("die", &json!({})));
    let starts = || std::fs::read_to_string(scene.file("rogue", "starts")).unwrap().lines().count();
    scene.soon("it is started again", || starts() >= 4);
    gateway.tells("started again in 2");
    std::fs::remove_file(scene.file("rogue", "dead")).unwrap();
    gateway.end();
    scene.machine.is_quiet();
}

/// The call failed since its server has ended: in the call, or before it was sent.
#[track_caller]
fn is_gone(answer: &Value) {
    let said = answer.to_string();
    let failed = answer["error"].is_object() || answer["result"]["isError"] == true;
    assert!(failed && (said.contains("is gone") || said.contains("does not answer")), "{answer}");
}

fn is_refused_or_wrong(gateway: &mut Gateway) {
    let answer = gateway.call("echo", &json!({}));
    assert!(answer["error"].is_object() || answer["result"]["isError"] == true, "{answer}");
}

/// Attack 130: answers to nothing, answers twice, lines that are no messages.
#[test]
fn given_answers_that_nobody_waits_for_then_each_request_gets_one() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    let id = gateway.begin("wrong", &json!({}));
    ran(&gateway.answer(&json!(id)), "first");
    let rest = gateway.rest();
    assert!(rest.is_empty(), "{rest:?}");
    ran(&gateway.call("echo", &json!({})), "echo");
    gateway.end();
}

/// Attack 130: a flood of notifications and requests.
#[test]
fn given_a_flood_then_the_call_is_answered_and_memory_stays_bounded() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    let id = gateway.begin("flood", &json!({}));
    ran(&gateway.answer(&json!(id)), "flood");
    ran(&gateway.call("echo", &json!({})), "echo");
    assert!(peak(&gateway) < 400 * 1024, "{} KiB", peak(&gateway));
    gateway.end();
}

/// Attack 130: a list without an end, and one that never comes. No list, no call.
#[test]
fn given_a_list_that_has_no_end_then_no_call_runs() {
    for behaviour in ["endless-pages", "more-pages"] {
        let scene = Scene::new("");
        let mut gateway = scene.in_front(behaviour, ALL).older();
        is_refused(&gateway.call("list", &json!({})), "has no end");
        scene.nothing_ran();
        assert!(scene.messages("rogue", "tools/list").len() < 250);
    }
    let scene = Scene::new("");
    let mut gateway = scene.in_front("mute", ALL).older();
    let call = gateway.begin("list", &json!({}));
    ran_ping(&mut gateway);
    gateway.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": call } })
            .to_string(),
    );
    let rest = gateway.rest();
    assert!(rest.iter().all(|message| message["id"] != call), "{rest:?}");
    scene.nothing_ran();
}

/// Found in review: 100,000 tools took 620 MB and were accepted; 200 pages of them were all read before
/// anything was counted. Whoever asks, the client or mayi itself, is told the bound. Attack 130.
#[test]
fn given_a_server_with_100_000_tools_then_its_list_is_refused_early_and_in_little_memory() {
    for behaviour in ["many-tools", "many-pages"] {
        for stateless in [false, true] {
            let scene = Scene::new("");
            let gateway = scene.in_front(behaviour, &["--allow", "mcp(rogue/*)"]);
            let mut gateway = if stateless { gateway.stateless() } else { gateway.older() };
            is_wrong(&gateway.ask("tools/list", &json!({})), "more than 10000 tools");
            is_refused(&gateway.call("page0_1", &json!({})), "more than 10000 tools");
            assert!(peak(&gateway) < 100 * 1024, "{} KiB", peak(&gateway));
            assert_eq!(scene.messages("rogue", "tools/list").len(), 2, "one page for each who asked");
            scene.nothing_ran();
        }
    }
}

/// Found in review: a client that asks for page after page of a list without an end comes to one, too.
/// Attack 130.
#[test]
fn given_a_client_that_asks_for_every_page_then_a_list_without_an_end_is_refused() {
    let scene = Scene::new("");
    let mut gateway = scene.in_front("more-pages", ALL).older();
    let mut next = json!({});
    let refused = (0..1000).find_map(|_| {
        let answer = gateway.ask("tools/list", &next);
        next = json!({ "cursor": answer["result"]["nextCursor"] });
        answer["error"].is_object().then_some(answer)
    });
    is_wrong(&refused.unwrap(), "has no end");
    assert!(scene.messages("rogue", "tools/list").len() < 250);
}

/// Found in review: an answer in an array was lost, and its call waited for ever. In the one version that
/// has such arrays they are taken apart; in others the call is answered with what is wrong.
#[test]
fn given_an_answer_in_an_array_then_the_call_has_one() {
    for (version, runs) in [("2025-03-26", true), ("2025-11-25", false)] {
        let scene = Scene::new("");
        let mut gateway = scene.gateway(ALL);
        let hello = json!({ "protocolVersion": version, "capabilities": { "roots": {} },
            "clientInfo": { "name": "c", "version": "1" } });
        gateway.ask("initialize", &hello);
        let answer = gateway.call("several", &json!({}));
        if runs {
            ran(&answer, "several");
            assert_eq!(gateway.asked("roots/list")["method"], "roots/list");
        } else {
            is_wrong(&answer, "its answer came as one of several messages in one array");
            scene.soon("the server hears it", || {
                scene.lines("rogue").iter().any(|line| line.contains("beside"))
            });
        }
        ran(&gateway.call("echo", &json!({})), "echo");
    }
}

/// Found in review: an answer that is a result for some readers and an error for others was passed on.
#[test]
fn given_an_answer_with_a_result_and_an_error_then_it_is_none() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    is_wrong(&gateway.call("twofold", &json!({})), "both a result and an error");
}

fn ran_ping(gateway: &mut Gateway) {
    let pong = gateway.ask("ping", &json!({}));
    assert!(pong["result"].is_object(), "{pong}");
}
