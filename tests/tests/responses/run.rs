//! `mayi run --responses`: one request of a script, gated as that of an app, with the exit codes of `run`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Output, Stdio};

use mayi_tests::endpoint::KEY;
use mayi_tests::{command_line, mayi_program};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::pty::Terminal;
use crate::scene::{Scene, answers, message, wants};

/// The words of a run of what waits in `request.json`.
fn words<'w>(scene: &'w Scene, more: &[&'w str]) -> Vec<&'w str> {
    let own = [
        "run",
        "--responses",
        "request.json",
        "--upstream",
        &scene.endpoint.url,
        "--key-env",
        "UPSTREAM_KEY",
    ];
    own.into_iter().chain(more.iter().copied()).collect()
}

fn request(scene: &Scene, rounds: &Value) {
    // Whatever it says of streaming, it is streamed.
    let body = wants(rounds, false).to_string();
    std::fs::write(scene.machine.work().join("request.json"), body).unwrap();
}

fn run(scene: &Scene, more: &[&str]) -> Output {
    let mut command = scene.mayi(&words(scene, more));
    command.env("UPSTREAM_KEY", KEY).stdin(Stdio::null()).output().unwrap()
}

fn result(out: &Output) -> Value {
    let text = String::from_utf8_lossy(&out.stdout);
    serde_json::from_str(text.trim())
        .unwrap_or_else(|why| panic!("{why}: {text}{}", String::from_utf8_lossy(&out.stderr)))
}

/// One request, gated, streamed, with the exit codes of `run`: what rules allow runs, the answer
/// is on standard output, and the code is 0.
#[test]
fn given_a_call_that_a_rule_allows_then_the_answer_is_printed_and_the_code_is_0() {
    let scene = Scene::new(&[]);
    request(&scene, &json!([["search"]]));
    let out = run(&scene, &["--allow", "mcp(docs/search)"]);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), "search ran");
    assert_eq!(scene.ran(), ["search"]);
    assert_eq!(scene.endpoint.requests()[0]["stream"], true);
    scene.recorded("\"proposed\"");
}

/// The same for what a rule denies, and for what nobody is there to answer: nothing runs, the model goes on, and the codes are 5
/// and 6 (S1.9).
#[test]
fn given_a_call_that_is_not_allowed_then_nothing_runs_and_the_code_says_why() {
    for (options, code) in [
        (&["--format", "json", "--deny", "mcp(docs/*)"][..], 5),
        (&["--format", "json"], 6),
        (&["--format", "json", "--mode", "plan"], 5),
    ] {
        let scene = Scene::new(&[]);
        request(&scene, &json!([["search"]]));
        let out = run(&scene, options);
        let result = result(&out);
        assert_eq!(
            (out.status.code(), &result["exitCode"]),
            (Some(code), &json!(code)),
            "{options:?}: {result}"
        );
        assert_eq!((&result["text"], &result["error"]), (&json!("search was not approved"), &Value::Null));
        assert_eq!(message(&result["response"]), "search was not approved");
        assert!(scene.ran().is_empty(), "{options:?}");
    }
}

/// JSON lines: `start` first and `result` last, and between them each event of the endpoint as it came, and what was decided.
#[test]
fn given_json_lines_then_events_and_decisions_are_told_as_they_come() {
    let scene = Scene::new(&[]);
    request(&scene, &json!([["search"]]));
    let out = run(&scene, &["--format", "stream-json", "--allow", "mcp(docs/search)"]);
    let text = String::from_utf8(out.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 1]), ("start", "result"), "{kinds:?}");
    assert!(kinds.contains(&"decision"), "{kinds:?}");
    let events = lines.iter().filter(|line| line["type"] == "event").map(|line| &line["event"]);
    let numbers: Vec<u64> = events.map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert!(numbers.len() > 3 && numbers.iter().copied().eq(0..numbers.len() as u64), "{numbers:?}");
}

/// A person at the terminal is asked there, and sees server, tool and arguments.
#[test]
fn given_a_terminal_then_the_person_is_asked_there() {
    let scene = Scene::new(&[]);
    request(&scene, &json!([["search"]]));
    let mut command = scene.mayi(&words(&scene, &[]));
    command.env("UPSTREAM_KEY", KEY);
    let terminal = Terminal::start(command, (40, 120), false);
    terminal.sees("what search is about");
    let screen = terminal.screen();
    assert!(screen.contains("docs") && screen.contains("search"), "{screen}");
    assert!(scene.ran().is_empty());
    terminal.insist("y", "search ran");
    assert!(terminal.exit().success(), "{}", terminal.screen());
    assert_eq!(scene.ran(), ["search"]);
}

/// Ctrl-C while it waits for an answer: what was asked is taken back, nothing runs, and the code is 130.
#[test]
fn given_an_interrupt_while_an_approval_waits_then_nothing_runs() {
    let scene = Scene::new(&[]);
    request(&scene, &json!([["search"]]));
    let mut command =
        scene.mayi(&words(&scene, &["--on-ask", "wait", "--timeout", "5m", "--format", "stream-json"]));
    let mut child =
        command.env("UPSTREAM_KEY", KEY).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    scene.waits(1);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let lines: Vec<String> =
        BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{lines:?}");
    assert!(lines.last().unwrap().contains("\"result\""), "{lines:?}");
    assert!(scene.ran().is_empty());
    assert!(scene.inbox().is_empty());
}

/// Attack 353, in a script: what an agent has started sends no request as the app, whose rules would judge its calls.
#[test]
fn given_a_run_within_an_agent_then_nothing_is_sent() {
    let scene = Scene::new(&[]);
    request(&scene, &json!([["search"]]));
    let own = words(&scene, &["--allow", "mcp(docs/*)"]);
    let line = command_line([mayi_program().to_str().unwrap()].into_iter().chain(own));
    let work = scene.machine.work().display().to_string();
    let script = format!("cd {work} && UPSTREAM_KEY={KEY} {line} > said 2>&1; echo $? >> said");
    // It speaks no protocol, and ends.
    let _ = scene.mayi(&["run", "--command", &command_line(["sh", "-c", &script]), "hi"]).output();
    let said = std::fs::read_to_string(scene.machine.work().join("said")).unwrap();
    assert!(said.contains("this was started by one") && said.ends_with("\n2\n"), "{said}");
    assert!(scene.endpoint.requests().is_empty());
    // The same by itself.
    assert_eq!(run(&scene, &["--allow", "mcp(docs/*)"]).status.code(), Some(0));
}

/// S1.9: exit code 4 where what was asked fails: an endpoint that is not there.
#[test]
fn given_an_endpoint_that_is_not_there_then_it_is_said_and_the_code_is_4() {
    let scene = Scene::new(&[]);
    request(&scene, &json!([["search"]]));
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let upstream = format!("http://127.0.0.1:{port}/v1");
    let words = ["run", "--responses", "request.json", "--format", "json", "--upstream", &upstream];
    let out = scene.mayi(&words).stdin(Stdio::null()).output().unwrap();
    let result = result(&out);
    assert_eq!((out.status.code(), &result["exitCode"]), (Some(4), &json!(4)), "{result}");
    assert!(result["error"].as_str().unwrap().contains("did not answer"), "{result}");
}

/// What is wrong with a request is said before anything is sent, in words that say what to do.
#[test]
fn given_a_request_that_can_not_be_sent_then_it_is_said_what_to_do() {
    let scene = Scene::new(&[]);
    let file = scene.machine.work().join("request.json");
    for (text, said) in
        [("", "no JSON"), ("[1]", "it has to be an object"), ("{\"background\": true}", "leave it out")]
    {
        std::fs::File::create(&file).unwrap().write_all(text.as_bytes()).unwrap();
        let out = run(&scene, &[]);
        let errors = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && errors.contains(said), "{text}: {errors}");
    }
    let out = scene.mayi(&["run", "demo", "hello", "--upstream", "https://api.example/v1"]).output().unwrap();
    assert!(String::from_utf8_lossy(&out.stderr).contains("add --responses FILE"));
    assert!(scene.endpoint.requests().is_empty());
}

/// An answer that is cancelled at the endpoint is no success, and the code says so.
#[test]
fn given_an_answer_that_is_cancelled_then_it_is_told_as_one() {
    let ended = json!({
        "type": "response.cancelled", "sequence_number": 0,
        "response": { "id": "resp_1", "object": "response", "status": "cancelled", "output": [] },
    });
    let (at, served) =
        answers(vec![("text/event-stream", format!("event: response.cancelled\ndata: {ended}\n\n"))]);
    let scene = Scene::new(&[]);
    request(&scene, &json!("hello"));
    let own = [
        "run",
        "--responses",
        "request.json",
        "--upstream",
        &at,
        "--key-env",
        "UPSTREAM_KEY",
        "--format",
        "json",
    ];
    let out = scene.mayi(&own).env("UPSTREAM_KEY", KEY).stdin(Stdio::null()).output().unwrap();
    served.join().unwrap();
    let result = result(&out);
    assert_eq!((out.status.code(), &result["stopReason"]), (Some(4), &json!("cancelled")), "{result}");
    assert_eq!(result["error"], "the answer was cancelled");
}
