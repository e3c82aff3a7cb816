//! Messages that two readers could read in two ways.

use serde_json::{Value, json};

use crate::client::{is_wrong, ran};
use crate::scene::Scene;

/// Everything is allowed: only the reading itself stands between the client and the server.
const ALL: &[&str] = &["--allow", "mcp(rogue/*)", "--no-record"];

/// Attack 14: duplicate keys at any depth, numbers out of range, lone surrogates.
#[test]
fn given_parameters_that_can_be_read_in_two_ways_then_the_request_is_answered_and_nothing_runs() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    for (id, params) in (100..).zip([
        r#"{"name":"list","name":"delete","arguments":{}}"#,
        r#"{"name":"list","n\u0061me":"delete","arguments":{}}"#,
        r#"{"name":"list","arguments":{},"arguments":{"all":true}}"#,
        r#"{"name":"list","arguments":{"a":1,"a":2}}"#,
        r#"{"name":"list","arguments":{"a":{"b":[{"c":1,"\u0063":2}]}}}"#,
        r#"{"name":"list","arguments":{"a":1e400}}"#,
        r#"{"name":"list","arguments":{"a":9007199254740993}}"#,
        r#"{"name":"list","arguments":{"a":123456789012345678901234567890}}"#,
        r#"{"name":"list","arguments":{"a":"\ud800"}}"#,
        r#"{"name":"\udc00list","arguments":{}}"#,
        r#"{"name":"list","arguments":[]}"#,
        r#"{"name":"list","arguments":null}"#,
        r#"{"name":["list"],"arguments":{}}"#,
        r#"{"arguments":{}}"#,
        r#"["list",{}]"#,
        r#"null"#,
        r#"{"name":"list","arguments":{},"_meta":{"a":1,"a":2}}"#,
    ]) {
        gateway.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#));
        let answer = gateway.answer(&json!(id));
        assert!(answer["error"]["code"].is_i64(), "{params}: {answer}");
    }
    gateway.end();
    scene.nothing_ran();
}

/// Attack 127: keys that only a careless reader takes for those that mayi reads, as Go's JSON does.
#[test]
fn given_keys_that_differ_only_in_case_then_the_request_is_answered_and_nothing_runs() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    let call = r#""params":{"name":"delete","arguments":{}}"#;
    for (id, rest) in (100..).zip([
        format!(r#""method":"ping","Method":"tools/call",{call}"#),
        format!(r#""METHOD":"tools/call","method":"ping",{call}"#),
        r#""method":"tools/call","params":{"name":"list","arguments":{}},"Params":{"name":"delete"}"#
            .to_owned(),
        r#""method":"tools/call","params":{"name":"list","Name":"delete","arguments":{}}"#.to_owned(),
        r#""method":"tools/call","params":{"name":"list","arguments":{},"ARGUMENTS":{"all":true}}"#
            .to_owned(),
        "\"method\":\"tools/call\",\"params\":{\"name\":\"list\",\"argument\u{17f}\":{\"all\":true}}"
            .to_owned(),
    ]) {
        gateway.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}}}"#));
        let answer = gateway.answer(&json!(id));
        assert!(answer["error"]["code"].is_i64(), "{rest}: {answer}");
    }
    gateway.end();
    scene.nothing_ran();
}

/// Attack 14: the envelope itself. The id is known where it is there once; else the answer has none.
#[test]
fn given_an_envelope_that_can_be_read_in_two_ways_then_it_is_answered_and_nothing_runs() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    let call = r#""params":{"name":"delete","arguments":{}}"#;
    for (id, rest) in [
        (json!(201), format!(r#""id":201,"method":"ping","method":"tools/call",{call}"#)),
        (json!("x"), format!(r#""id":"x","method":"tools/call","params":{{}},{call}"#)),
        (json!(203), format!(r#""id":203,"m\u0065thod":"ping","method":"tools/call",{call}"#)),
        (json!(204), format!(r#""id":204,"method":["tools/call"],{call}"#)),
        (json!(205), format!(r#""id":205,"method":"tools/call","result":{{}},{call}"#)),
        (Value::Null, format!(r#""id":206,"id":207,"method":"tools/call",{call}"#)),
        (Value::Null, format!(r#""id":null,"method":"tools/call",{call}"#)),
        (Value::Null, format!(r#""id":{{}},"method":"tools/call",{call}"#)),
        (Value::Null, format!(r#""id":true,"method":"tools/call",{call}"#)),
        (Value::Null, format!(r#""id":1e400,"method":"tools/call",{call}"#)),
        (Value::Null, format!(r#""id":"\ud800","method":"tools/call",{call}"#)),
    ] {
        gateway.send(&format!(r#"{{"jsonrpc":"2.0",{rest}}}"#));
        let answer = gateway.answer(&id);
        assert!(answer["error"]["code"].is_i64(), "{rest}: {answer}");
    }
    for line in [
        format!(r#"[{{"jsonrpc":"2.0","id":1,"method":"tools/call",{call}}}]"#),
        format!(r#"{{"jsonrpc":"1.0","method":"tools/call",{call}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call",{call}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call",{call}}} {{}}"#),
        "[]".to_owned(),
        "{}".to_owned(),
        "tools/call".to_owned(),
    ] {
        gateway.send(&line);
        let answer = gateway.until(&line, |message| message.get("error").is_some());
        assert!(answer["error"]["code"].is_i64(), "{line}: {answer}");
    }
    gateway.end();
    scene.nothing_ran();
}

/// Attack 128: a call as a notification has no answer to wait for, and is passed to no server; nor is a method that
/// is a call's only for a careless reader.
#[test]
fn given_a_call_without_an_id_or_under_another_spelling_then_no_server_gets_it() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    let call = r#""params":{"name":"delete","arguments":{}}"#;
    gateway.send(&format!(r#"{{"jsonrpc":"2.0","method":"tools/call",{call}}}"#));
    for (id, method) in (100..).zip(["Tools/Call", " tools/call", "tools/call\\u0000", "tools\\/Call"]) {
        gateway.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}",{call}}}"#));
        let answer = gateway.answer(&json!(id));
        assert!(answer["error"]["code"].is_i64(), "{method}: {answer}");
    }
    gateway.rest();
    gateway.end();
    let lines = scene.lines("rogue");
    assert!(!lines.iter().any(|line| line.to_lowercase().contains("call")), "{lines:?}");
}

/// D1.8: What was judged is what is forwarded: to the byte, also what nobody knows.
#[test]
fn given_an_allowed_call_then_its_arguments_arrive_as_they_were_written() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    let arguments =
        r#"{ "b":1.10,"a":[ 1e2,-0.0 ],"\u00e9\/":"\ud83d\ude00 \u202e","z":{"Path":"x","path":"y"} }"#;
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":"\u0031","method":"tools\/call","params":{{"x-new":[1.0],"arguments":{arguments},"name":"\u0065cho"}},"extra":null}}"#
    );
    gateway.send(&line);
    ran(&gateway.answer(&json!("1")), "echo");
    gateway.end();
    let lines = scene.lines("rogue");
    let call = lines.iter().find(|line| line.contains("call")).unwrap();
    assert!(call.contains(&format!(r#""arguments":{arguments}"#)), "{call}");
    assert!(call.contains(r#""x-new":[1.0]"#) && call.contains(r#""name":"echo""#), "{call}");
}

/// A request under an id that waits already has no answer of its own, and does not run.
#[test]
fn given_an_id_twice_then_the_second_request_is_refused_and_does_not_run() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    gateway
        .send(r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"never","arguments":{}}}"#);
    gateway.send(r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{}}}"#);
    is_wrong(&gateway.answer(&json!(5)), "waits already");
    gateway.rest();
    assert!(!scene.ran().contains(&"echo".to_owned()), "{:?}", scene.ran());
}

/// Attack 14: what no reader should have to read: too deep, too long, no text.
#[test]
fn given_a_message_that_is_too_deep_too_long_or_no_text_then_it_is_answered_and_others_go_on() {
    let scene = Scene::new("");
    let mut gateway = scene.gateway(ALL).older();
    let deep = format!("{}{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    gateway.send(&format!(
        r#"{{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{{"name":"list","arguments":{deep}1}}}}"#
    ));
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    gateway.send(&format!(
        r#"{{"jsonrpc":"2.0","id":"nested","method":"tools/call","params":{{"name":"list","arguments":{{"a":{nested}}}}}}}"#
    ));
    assert!(gateway.answer(&json!("nested"))["error"].is_object());
    let long = "x".repeat(17 * 1024 * 1024);
    gateway.send(&format!(
        r#"{{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{{"name":"list","arguments":{{"a":"{long}"}}}}}}"#
    ));
    let answer = gateway.until("the answer", |message| message["error"].to_string().contains("16 MiB"));
    assert_eq!(answer["id"], Value::Null, "{answer}");
    gateway.bytes(
        b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"l\xffst\"}}\n",
    );
    gateway.until("the answer", |message| message["error"].to_string().contains("UTF-8"));
    gateway.rest();
    scene.nothing_ran();
    ran(&gateway.call("echo", &json!({})), "echo");
    gateway.end();
}
