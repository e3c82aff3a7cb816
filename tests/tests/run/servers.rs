//! MCP servers of a run are behind its gate, whatever the agent asks about or does not (S4.3).

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use mayi_tests::{Ended, Machine, Mayi, command_line, mayi_program};
use serde_json::{Value, json};

use crate::count;

/// The agent that calls tools of its session's servers without asking.
const AGENT: &str = env!("CARGO_BIN_EXE_server_agent");
const MINI: &str = env!("CARGO_BIN_EXE_mini_mcp");

/// A machine with a server whose tools need approval, and another whose tools do not.
fn machine() -> Machine {
    let server = |name: &str, approval: &str| {
        format!("[servers.{name}]\ncommand = [{MINI:?}]\napproval = \"{approval}\"\n")
    };
    Machine::new().user(&format!(
        "version = 1\n{}{}",
        server("mini", "required"),
        server("free", "not_required")
    ))
}

/// `mayi run` with that agent and this script.
fn run(machine: &Machine, script: &str, options: &[&str]) -> Mayi {
    let line = command_line([AGENT]);
    machine
        .mayi(["run", "--command", &line, "--format", "stream-json"])
        .args(options)
        .args([format!("do: {script}")])
}

/// A call of this tool, which leaves a file.
fn call(how: &str, server: &str, tool: &str, machine: &Machine, file: &str) -> String {
    format!("{how} {server} {tool} {}", json!({ "path": machine.work().join(file) }))
}

/// The last line of a stream.
fn result(ended: &Ended) -> Value {
    ended.stream().pop().unwrap()
}

/// Options, what ran, the exit code, and a figure of the tally.
type Case = (&'static [&'static str], &'static [&'static str], i32, (&'static str, u64));

fn text(ended: &Ended) -> String {
    result(ended)["text"].as_str().unwrap().to_owned()
}

/// What became of calls, as the record has it: the tool, and what is said of it.
fn recorded(machine: &Machine) -> Vec<(String, String)> {
    let log = machine.mayi(["log", "--json"]).end().exits(0);
    let entries =
        log.lines().into_iter().filter(|entry| entry["kind"] == "decided" || entry["kind"] == "unasked");
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found: Vec<(String, String)> = entries
        .map(|entry| (word(&entry["access"]), format!("{} {}", word(&entry["kind"]), word(&entry["effect"]))))
        .collect();
    found.sort();
    found
}

/// Seeds 0 and 4: "A tool call is not run without permission", "external: gated, never silently run in Default and
/// Plan". Found in review. Attack 293.
#[test]
fn given_an_agent_that_never_asks_then_its_servers_calls_are_judged_by_the_run_as_policy_says() {
    let cases: [Case; 5] = [
        (&[], &["b"], 6, ("unanswered", 1)),
        (&["--mode", "plan"], &[], 5, ("denied", 2)),
        (&["--mode", "auto"], &["a", "b"], 0, ("allowed", 2)),
        (&["--allow", "mcp(mini/plain)"], &["a", "b"], 0, ("allowed", 2)),
        (&["--deny", "mcp(free/*)"], &[], 6, ("denied", 1)),
    ];
    crate::each(&cases, |(options, ran, code, (name, figure))| {
        let machine = machine();
        let script =
            [call("call", "mini", "plain", &machine, "a"), call("call", "free", "plain", &machine, "b")];
        let ended = run(&machine, &script.join(" ;; "), options).end().exits(*code);
        assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), *ran, "{options:?}: {ended}");
        let result = result(&ended);
        assert_eq!(count(&result, name), *figure, "{options:?}: {ended}");
        let unasked = ["unasked_allowed", "unasked_ask", "unasked_denied"].map(|name| count(&result, name));
        assert_eq!(unasked, [0; 3], "what was judged where it ran is not unasked: {ended}");
        let judged = recorded(&machine);
        assert_eq!(judged.len(), 2, "{judged:?}");
        assert!(judged.iter().all(|(_, how)| how.starts_with("decided")), "{judged:?}");
    });
}

/// S5.5: A call that ACP has just approved for the same server, tool and arguments is not asked about again.
#[test]
fn given_a_call_that_was_asked_about_then_it_counts_once() {
    for record in [&[][..], &["--no-record"]] {
        let machine = machine();
        let same = call("ask", "mini", "plain", &machine, "a");
        let options = [&["--allow", "mcp(mini/plain)"], record].concat();
        let ended = run(&machine, &same, &options).end().exits(0);
        assert_eq!(count(&result(&ended), "allowed"), 1, "{ended}");
        assert!(machine.files().contains("a"), "{ended}");
    }
}

/// Attack 294: the credential of a session's server, used by somebody else while the session is there: what comes in is judged
/// as any call of that session. After it has ended it opens nothing.
#[test]
fn given_a_stolen_credential_then_it_reaches_one_server_of_one_session_while_that_lasts() {
    let machine = machine();
    let go = machine.work().join("go");
    let script = format!("show mini ;; show free ;; wait {}", go.display());
    let running = run(&machine, &script, &["--timeout", "60s"]).start();
    running.until_it_tells("free = ", 1);
    let given = |said: &str, name: &str| -> Value {
        let line = said.lines().find_map(|line| line.strip_prefix(&format!("{name} = "))).unwrap();
        serde_json::from_str(line).unwrap()
    };
    let told: String = running
        .told()
        .iter()
        .filter_map(|line| line.pointer("/update/content/text")?.as_str().map(str::to_owned))
        .collect();
    let (mini, free) = (given(&told, "mini"), given(&told, "free"));
    assert_ne!(variables(&mini)["RELAY_TOKEN"], variables(&free)["RELAY_TOKEN"]);
    let forged = |token: &str| {
        let mut forged = mini.clone();
        for variable in forged["env"].as_array_mut().unwrap() {
            if variable["name"] == "RELAY_TOKEN" {
                variable["value"] = json!(token);
            }
        }
        forged
    };
    let arguments = |file: &str| json!({ "path": machine.work().join(file) });
    // With the session, the server and the definition that a caller could claim: none of them counts.
    let claims = json!({ "name": "plain", "arguments": arguments("x"), "server": "free", "sessionId": "other",
        "annotations": { "readOnlyHint": true } });
    let refused = relayed(&machine, &mini, &claims);
    assert!(refused.contains("nobody is here to give one"), "{refused}");
    assert!(
        relayed(&machine, &free, &json!({ "name": "plain", "arguments": arguments("y") }))
            .contains("did plain")
    );
    let wrong = relayed(&machine, &forged("0000"), &json!({ "name": "plain", "arguments": arguments("z") }));
    assert!(wrong.contains("this credential opens nothing here") && wrong.contains("isError"), "{wrong}");
    std::fs::write(&go, "").unwrap();
    let ended = running.end().exits(6);
    assert_eq!((count(&result(&ended), "unanswered"), count(&result(&ended), "allowed")), (1, 1), "{ended}");
    let late = relayed(&machine, &free, &json!({ "name": "plain", "arguments": arguments("late") }));
    assert!(late.contains("the session is over") && late.contains("isError"), "{late}");
    assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), ["go", "y"]);
}

/// Attack 294. S4.3: what the agent starts has no "policy, gate, a server's environment or `MAYI_*`".
#[test]
fn given_what_an_agent_gets_of_a_server_then_neither_its_command_nor_its_variables_are_in_it() {
    let machine = Machine::new().user(&format!(
        "version = 1\n[servers.mini]\ncommand = [{MINI:?}, \"--secret-word\"]\nenv = {{ KEY = \"s3cret-value\" }}\n"
    ));
    let ended = run(&machine, "show mini", &[]).env("MAYI_MODE", "auto").end().exits(0);
    let told = text(&ended);
    let shown: Value = serde_json::from_str(told.trim().strip_prefix("mini = ").unwrap()).unwrap();
    assert_eq!(shown["args"], json!(["relay"]), "{told}");
    assert_eq!(variables(&shown).keys().collect::<Vec<_>>(), ["RELAY_ADDRESS", "RELAY_TOKEN"], "{told}");
    assert!(!told.contains("secret") && !told.contains("s3cret") && !told.contains("MAYI_"), "{told}");
}

/// Attack 293. S4.5: `--no-gateway` is a warned exception: it is said, and stands in the record.
#[test]
fn given_no_gateway_then_it_is_said_and_recorded_and_what_runs_is_unasked() {
    let machine = machine();
    let ended = run(&machine, &call("call", "mini", "plain", &machine, "a"), &["--no-gateway"]).end();
    assert!(machine.files().contains("a"), "{ended}");
    let warned = "--no-gateway: the agent reaches free, mini without mayi";
    assert!(
        ended.stream().iter().any(|line| line["text"].as_str().is_some_and(|text| text.contains(warned))),
        "{ended}"
    );
    assert_eq!(count(&result(&ended), "unasked_ask"), 1, "{ended}");
    let log = machine.mayi(["log", "--json", "--all"]).end().exits(0);
    assert!(log.text().contains(warned), "{log}");
}

/// S5.10: `--toolbelt` offers `find_tools` and `run_tool`; a call through them is judged as the tool that it
/// runs.
#[test]
fn given_a_toolbelt_then_two_tools_stand_for_all_and_a_call_is_judged_as_what_it_runs() {
    let machine = machine();
    let run_tool = |how: &str, tool: &str, file: &str| {
        let arguments = json!({ "name": tool, "arguments": { "path": machine.work().join(file) } });
        format!("{how} toolbelt run_tool {arguments}")
    };
    let script = [
        "list toolbelt".to_owned(),
        // Also before anything of the servers was listed.
        run_tool("ask", "free__plain", "b"),
        "ask toolbelt find_tools {}".to_owned(),
        run_tool("call", "mini__plain", "a"),
    ];
    let ended = run(&machine, &script.join(" ;; "), &["--toolbelt"]).end().exits(6);
    let told = text(&ended);
    assert!(told.starts_with("toolbelt -> find_tools, run_tool\n"), "{told}");
    assert!(told.contains("mini__plain"), "{told}");
    assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), ["b"], "{ended}");
    let asked: Vec<String> = recorded(&machine).into_iter().map(|(access, _)| access).collect();
    assert!(
        asked.contains(&"mcp(mini/plain)".to_owned()) && asked.contains(&"mcp(free/plain)".to_owned()),
        "{asked:?}"
    );
}

/// Servers are children of the run: none outlives one that is ended by a signal.
#[test]
fn given_a_run_that_ends_then_no_server_or_relay_is_left() {
    let machine = machine();
    let go = machine.work().join("go");
    let running = run(&machine, &format!("list mini ;; wait {}", go.display()), &[]).start();
    running.until_it_tells("mini -> ", 1);
    running.signal(rustix::process::Signal::TERM);
    let _ = running.end().exits(130);
    machine.is_quiet();
}

fn variables(server: &Value) -> BTreeMap<String, String> {
    let pairs = server["env"].as_array().unwrap().iter();
    pairs
        .map(|pair| (pair["name"].as_str().unwrap().to_owned(), pair["value"].as_str().unwrap().to_owned()))
        .collect()
}

/// What a relay that is started by hand, with what the session was given of a server, says of a call.
fn relayed(machine: &Machine, server: &Value, params: &Value) -> String {
    let mut command = Command::new(mayi_program());
    command
        .arg("relay")
        .current_dir(machine.work())
        .env_clear()
        .envs(machine.environment())
        .envs(variables(server));
    assert_eq!(Path::new(server["command"].as_str().unwrap()), mayi_program());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
    for (id, method, params) in [(1, "initialize", &hello), (2, "tools/call", params)] {
        writeln!(stdin, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .unwrap();
    }
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let answer = stdout
        .lines()
        .map_while(Result::ok)
        .find(|line| serde_json::from_str::<Value>(line).is_ok_and(|said| said["id"] == 2));
    drop(stdin);
    assert!(child.wait().unwrap().success());
    answer.unwrap_or_default()
}
