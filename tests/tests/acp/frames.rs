//! What is not mayi's business passes to the byte; what readers could disagree about does not pass at all.

use std::io::Write;

use serde_json::json;

use crate::scene::{Scene, machine, options, outcome, wants};

/// Unknown methods and fields pass byte-faithfully in both directions.
#[test]
fn given_what_mayi_knows_nothing_of_then_it_passes_to_the_byte_in_both_directions() {
    let mut scene = Scene::open(machine(), &[]);
    let of_agent = [
        r#"{ "jsonrpc" : "2.0","method":"_vendor/told","params":{"n":1.10,"big":123456789012345678901234567890,"e":"\u00e9\/","a":[ ]},"x-new":{"b":1e2} }"#,
        r#"{"jsonrpc":"2.0","id":"r-1","method":"_vendor/ask","params":[1.0, 2.50]}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"caf\u00e9"},"n":1.0},"y":null}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"invented","n":0.10}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"sessionId":"s","mode":"form"}}"#,
    ];
    for line in of_agent {
        scene.agent_says(line);
        assert_eq!(scene.editor.line(), line);
    }
    let of_editor = [
        r#"{"jsonrpc":"2.0","id":"r-1","result":{ "n":1.10,"e":"\/" }}"#,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no","data":[1.0]},"z":1}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"authenticate","params":{"methodId":"x","n":1.0}}"#,
        r#"{"jsonrpc":"2.0","method":"_vendor/told","params":{"n":1.10}}"#,
    ];
    for line in of_editor {
        scene.says(line);
        assert_eq!(scene.agent.line(), line);
    }
    let line = r#"{"jsonrpc":"2.0","id":3,"result":{"n":1.10}}"#;
    scene.agent_says(line);
    assert_eq!(scene.editor.line(), line);
}

/// What mayi changes, it changes in place: the rest of a prompt stays as it came.
#[test]
fn given_a_prompt_then_only_a_block_of_mayis_is_added_and_only_once() {
    let mut scene = Scene::open(machine(), &[]);
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{ "sessionId":"s","prompt":[ {"type":"text","text":"caf\u00e9","n":1.10} ],"x":{"big":123456789012345678901}}}"#;
    scene.says(line);
    let got = scene.agent.line();
    let (head, tail) = line.split_at(line.find(" ],\"x\"").unwrap() + 1);
    assert!(got.starts_with(head) && got.ends_with(tail), "{got}");
    let added = &got[head.len()..got.len() - tail.len()];
    assert!(added.contains("[mayi] ") && added.contains("Mode: default"), "{added}");
    scene.agent_answers(1, &json!({"stopReason": "end_turn"}));
    scene.editor.answer(1);
    let again = line.replace("\"id\":1", "\"id\":2");
    scene.says(&again);
    assert_eq!(scene.agent.line(), again);
    // A command of the agent's own would take it for its arguments.
    scene.agent_answers(2, &json!({"stopReason": "end_turn"}));
    scene.editor.answer(2);
}

/// Attack 397: whatever some reader could take for something else than mayi does goes no further, and whoever sent it hears so.
#[test]
fn given_messages_that_can_be_read_in_two_ways_then_they_are_refused_and_nobody_hangs() {
    let mut scene = Scene::open(machine(), &[]);
    let write = r#""params":{"sessionId":"s","path":"/etc/passwd","content":"x"}"#;
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"_x","method":"fs/write_text_file",{write}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":2,"method":"_x","Method":"fs/write_text_file",{write}}}"#),
        r#"{"jsonrpc":"2.0","id":3,"method":"_x","params":{},"PARAMS":{}}"#.to_owned(),
        format!(r#"[{{"jsonrpc":"2.0","id":4,"method":"fs/write_text_file",{write}}}]"#),
        format!(r#"{{"id":5,"method":"fs/write_text_file",{write}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":6,"method":"FS/Write_Text_File",{write}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"fs/write_text_file ",{write}}}"#),
        r#"{"jsonrpc":"2.0","id":8,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/a","Path":"/etc/passwd","content":"x"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/a","path":"/etc/passwd","content":"x"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":12,"method":"fs/write_text_file","result":{}}"#.to_owned(),
    ] {
        scene.agent_says(&line);
        let answer = scene.agent.next();
        assert!(answer["error"]["code"].is_i64(), "{line}: {answer}");
    }
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":1.5,"method":"_x",{write}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1.0,"method":"_x",{write}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":null,"method":"_x",{write}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":9007199254740993,"method":"_x",{write}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":true,"method":"_x",{write}}}"#),
    ] {
        scene.agent_says(&line);
        let answer = scene.agent.next();
        assert!(answer["error"]["code"].is_i64() && answer["id"].is_null(), "{line}: {answer}");
    }
    // Without an id nobody is answered, and nothing is passed on either.
    scene.agent_says(format!(r#"{{"jsonrpc":"2.0","method":"fs/write_text_file",{write}}}"#));
    scene.agent_says(format!(r#"{{"jsonrpc":"2.0","method":"terminal/create",{write}}}"#));
    scene.agent_says("npm warn: not JSON at all");
    scene.agent_says(b"\xff\xfe");
    let answer = scene.agent.next();
    assert!(answer["error"]["code"].is_i64(), "{answer}");
    scene.nothing_for_editor();
}

/// Attack 408: a request that carries another one is nobody's to pass on.
#[test]
fn given_messages_that_carry_others_then_they_are_refused() {
    let mut scene = Scene::open(machine(), &[]);
    let within = json!({"method": "fs/write_text_file", "params": {"sessionId": "s", "path": "/etc/passwd", "content": "x"}});
    for (id, method) in
        [(1, "proxy/successor"), (2, "_proxy/successor/request"), (3, "mcp/message"), (4, "PROXY/successor")]
    {
        scene.agent_asks(id, method, &within);
        assert_eq!(scene.agent.answer(id)["error"]["code"], -32601, "{method}");
        scene.agent_says(json!({"jsonrpc": "2.0", "method": method, "params": within}).to_string());
    }
    scene.nothing_for_editor();
}

/// Attack 397: a carriage return between tokens is the end of a line for some readers.
#[test]
fn given_a_message_within_a_message_behind_a_carriage_return_then_it_stays_one_line_for_every_reader() {
    let mut scene = Scene::open(machine(), &[]);
    let hidden = r#"{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{}}"#;
    scene.agent_says(format!("{{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":\r{hidden}\r}}"));
    let line = scene.editor.line();
    assert!(!line.contains('\r') && line.contains(hidden), "{line}");
}

/// An answer that can be read in two ways leaves nobody waiting.
#[test]
fn given_an_answer_of_either_side_that_can_be_read_in_two_ways_then_whoever_waits_gets_an_error() {
    let mut scene = Scene::open(machine(), &[]);
    scene.prompt("p", "hello");
    scene.agent_says(r#"{"jsonrpc":"2.0","id":"p","result":{},"result":{"stopReason":"end_turn"}}"#);
    assert!(scene.editor.answer("p")["error"]["message"].as_str().unwrap().contains("two ways"));
    scene.agent_says(r#"{"jsonrpc":"2.0","id":5,"method":"_vendor/ask","params":{}}"#);
    scene.editor.until("_vendor/ask");
    scene.says(r#"{"jsonrpc":"2.0","id":5,"result":{},"error":{"code":1,"message":"m"}}"#);
    assert!(scene.agent.answer(5)["error"]["message"].as_str().unwrap().contains("two ways"));
}

/// Attack 399: an answer to what nobody asked goes no further, whoever sends it; ids that are in use are refused.
#[test]
fn given_answers_that_nobody_asked_for_and_ids_in_use_then_they_go_no_further() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(5, "t", "make");
    let question = scene.editor.until("session/request_permission");
    // The agent's own id is answered by mayi alone.
    scene.editor_answers(&json!(5), &json!({"outcome": {"outcome": "selected", "optionId": "once"}}));
    scene.editor_answers(&json!(77), &json!({}));
    scene.nothing_for_agent();
    scene.agent_asks(5, "_vendor/ask", &json!({}));
    assert!(scene.agent.answer(5)["error"]["message"].as_str().unwrap().contains("in use"));
    scene.agent_answers(99, &json!({"x": 1}));
    scene.nothing_for_editor();
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(5)), "once");
    // "5" is another id than 5.
    scene.agent_asks("5", "session/request_permission", &wants("u", "make all"));
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question)[0], "once");
    scene.pick(&question, "no");
    assert_eq!(outcome(&scene.agent.answer("5")), "no");
}

/// Attack 404: a side that does not read holds up nobody but who speaks to it; nothing is lost.
#[test]
fn given_an_editor_that_does_not_read_then_the_other_direction_goes_on_and_nothing_is_lost() {
    let mut scene = Scene::open(machine(), &[]);
    let text = "x".repeat(1024 * 1024);
    let update = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
    let line =
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}})
            .to_string();
    let reads = scene.editor.stop_reading();
    let stopped = reads.lock().unwrap();
    // More than pipes and queues hold: the agent's side is read as far as there is room.
    let mut voice = scene.agents_voice();
    let speaking = std::thread::spawn(move || {
        (0..24).try_for_each(|_| voice.write_all(line.as_bytes()).and_then(|()| voice.write_all(b"\n")))
    });
    for number in 0..50 {
        scene.tell("_vendor/told", &json!({"n": number}));
        assert_eq!(scene.agent.until("_vendor/told")["params"]["n"], number);
    }
    drop(stopped);
    for _ in 0..24 {
        let update = scene.editor.next();
        assert_eq!(update["params"]["update"]["content"]["text"].as_str().unwrap().len(), text.len());
    }
    speaking.join().unwrap().unwrap();
}
