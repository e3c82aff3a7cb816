//! Permission requests, each wrong in its own way.

use std::path::Path;

use mayi_tests::heavy::Input;
use mayi_tests::random::Random;
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::messages::{edit, execute, option, options, permission, with};

const METHOD: &str = "session/request_permission";

/// The misdeed of that name; `number` is its first argument.
pub(crate) fn ask(agent: &mut Agent, name: &str, number: usize) {
    match name {
        "big-ask" => big(agent, number),
        "dup-keys" => raw_input(agent, r#"{"command":"ls","command":"rm -rf /"}"#),
        "lone-surrogate" => raw_input(agent, r#"{"command":"echo \ud800"}"#),
        "id-only" => id_only(agent),
        "cancel-own" => cancel_own(agent),
        "ask-after-cancel" => {
            agent.wait_for_cancel();
            ask_one(agent);
        }
        "wrong-session" => {
            agent.request(METHOD, permission("other", &execute(&agent.cwd), &options()));
            agent.tell_answers(1);
        }
        "two-asks" => {
            open(agent, &edit(&agent.cwd, "a.txt", "a\n"), &options());
            open(agent, &execute(&agent.cwd), &options());
            agent.tell_answers(2);
        }
        "many-asks" => {
            for at in 0..number {
                open(agent, &edit(&agent.cwd, &format!("many-{at}.txt"), "many\n"), &options());
            }
            agent.tell_answers(number);
        }
        "heavy-asks" => {
            let mut random = Random(7_316);
            for at in 0..number {
                let call = Input::any(&mut random).acp(&format!("heavy-{at}"), Path::new(&agent.cwd));
                open(agent, &call, &options());
            }
            agent.tell_answers(number);
        }
        "ansi" => ansi(agent),
        other => {
            open(agent, &edit(&agent.cwd, "a.txt", "a\n"), &odd_options(other));
            agent.tell_answers(1);
        }
    }
}

/// Opens a good permission request.
pub(crate) fn open_one(agent: &mut Agent) {
    open(agent, &execute(&agent.cwd), &options());
}

/// The same, and tells its answer.
pub(crate) fn ask_one(agent: &mut Agent) {
    open_one(agent);
    agent.tell_answers(1);
}

/// Asks to write a file.
pub(crate) fn ask_write(agent: &mut Agent, file: &str, content: &str) {
    open(agent, &edit(&agent.cwd, file, content), &options());
    agent.tell_answers(1);
}

fn open(agent: &mut Agent, call: &Value, options: &Value) -> u64 {
    agent.request(METHOD, permission(&agent.session, call, options))
}

/// Lists of options that are wrong, or mean more than they seem to; none at all for any other name.
fn odd_options(name: &str) -> Value {
    let allow = option("allow", "Allow", "allow_once");
    let reject = option("reject", "Reject", "reject_once");
    match name {
        "dup-options" => {
            json!([option("same", "Allow", "allow_once"), option("same", "Reject", "reject_once")])
        }
        "no-allow" => json!([reject, option("never", "Never", "reject_always")]),
        "only-always" => json!([
            option("always-project", "Always in this project", "allow_always"),
            option("always-everywhere", "Always and everywhere", "allow_always"),
            reject,
        ]),
        "switch-options" => json!([
            option("yes", "Yes", "allow_once"),
            option("bypassPermissions", "Yes, and bypass permissions", "allow_always"),
            option("no", "No", "reject_once"),
        ]),
        "unknown-kind" => json!([allow, option("forever", "Allow for ever", "allow_forever"), reject]),
        _ => json!([]),
    }
}

fn big(agent: &mut Agent, bytes: usize) {
    let input = json!({ "command": "touch b.txt", "description": "x".repeat(bytes) });
    let call = with(execute(&agent.cwd), "rawInput", input);
    open(agent, &call, &options());
    agent.tell_answers(1);
}

/// Asks with a rawInput that no JSON value can hold: it is put in as text.
fn raw_input(agent: &mut Agent, raw: &str) {
    const HOLE: &str = "@raw input@";
    let call = with(execute(&agent.cwd), "rawInput", json!(HOLE));
    let params = permission(&agent.session, &call, &options());
    let id = agent.take_id();
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": METHOD, "params": params }).to_string();
    agent.send_line(message.replace(&format!("\"{HOLE}\""), raw).as_bytes());
    agent.tell_answers(1);
}

/// Everything is in the call's announcement, nothing but its id in the permission request.
fn id_only(agent: &mut Agent) {
    let call = edit(&agent.cwd, "a.txt", "a\n");
    let id = call.get("toolCallId").cloned();
    agent.update(with(call, "sessionUpdate", json!("tool_call")));
    open(agent, &json!({ "toolCallId": id }), &options());
    agent.tell_answers(1);
}

fn cancel_own(agent: &mut Agent) {
    let id = open(agent, &execute(&agent.cwd), &options());
    agent.notify("$/cancel_request", json!({ "requestId": id }));
    agent.tell_answers(1);
}

/// Text that would clear the screen, hide a command, turn names around, write the clipboard and fake a prompt.
fn ansi(agent: &mut Agent) {
    agent.say("\u{1b}[2J\u{1b}[H\u{1b}[31mAll is well\u{1b}[0m \u{202e}txt.exe\u{202c}\u{7}\n");
    agent.say("\u{1b}]52;c;cm0gLXJmIC8K\u{7}\u{1b}]8;;https://example.org\u{7}a link\u{1b}]8;;\u{7}\n");
    agent.say("Allow this call? [y/N] y\r\n");
    let input =
        json!({ "command": "ls \u{1b}[8m; rm -rf /\u{1b}[0m\u{200b} # \u{202e}sl", "cwd": agent.cwd });
    let title = json!("ls\u{1b}[2K\rAllow ls? [y/N]: y\nAllowed.\u{2066}");
    let call = with(with(execute(&agent.cwd), "rawInput", input), "title", title);
    let options = json!([
        option("allow", "Reject\u{1b}[6DAllow ", "allow_once"),
        option("reject", "\u{202e}wollA", "reject_once"),
    ]);
    open(agent, &call, &options);
    agent.tell_answers(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_the_odd_options_then_only_no_options_has_none() {
        let names =
            ["no-options", "dup-options", "no-allow", "only-always", "switch-options", "unknown-kind"];
        let counts = names.map(|name| odd_options(name).as_array().map_or(0, Vec::len));
        assert_eq!(counts, [0, 2, 2, 3, 3, 3]);
    }
}
