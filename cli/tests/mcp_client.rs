//! `mayi mcp` and the process that has started it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/pty.rs"]
#[allow(dead_code, reason = "this test needs no terminal")]
mod pty;
#[path = "support/waiting.rs"]
#[allow(dead_code, reason = "other tests need more of it")]
mod waiting;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use waiting::Machine;

/// D6.8: Answers from a descendant of a gated agent are refused.
/// Attack 160: the client of a gateway is an agent, or what one works in: it is the gateway's parent, not its child.
#[test]
fn given_a_gateway_then_what_its_client_starts_can_not_answer_for_the_person() {
    let machine = Machine::new();
    let mut command: Command = machine.mayi(&["mcp", "--name", "echo", "--", "cat"]);
    let mut gateway =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // This test is its client. An answer shows that it is there: what it says to `cat` comes back as no message.
    let mut stdin = gateway.stdin.take().unwrap();
    writeln!(stdin, "no message").unwrap();
    let mut line = String::new();
    BufReader::new(gateway.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("-32700"), "{line}");
    let refused = machine.out(&["log", "suggest", "--apply"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert!(told.contains("an agent can't answer for the person"), "{told}");
    drop(stdin);
    gateway.wait().unwrap();
    let taken = machine.out(&["log", "suggest", "--apply"]);
    assert_eq!(taken.status.code(), Some(0), "{}", String::from_utf8_lossy(&taken.stderr));
}
