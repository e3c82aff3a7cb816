//! The terminal surface by itself, with calls made by hand: `surface_pty SCENARIO`.
//!
//! `cli/tests/pty_surface.rs` drives it in a real terminal. Where the standard input is a pipe,
//! its lines play the rest of the world: another surface, the agent, the rules.

#[path = "support/kinds.rs"]
mod kinds;

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use mayi::surface::{BackgroundState, Screen, TerminalSurface};
use mayi_core::approval::{AgentOption, ApprovalResponse, OptionKind, choice};
use mayi_core::call::{
    Access, AgentId, Call, Diff, Door, McpAccess, PathAccess, SessionId, Surroundings, WriteKind, shell,
};
use mayi_core::gate::{AnswerPersistence, Asking, Gate, KeepError, OnAsk, Session, Ticket, Verdict};
use mayi_core::policy::Policy;
use serde_json::{Value, json};

type CallWithOptions = (Call, Vec<AgentOption>);

#[tokio::main]
async fn main() -> ExitCode {
    let scenario = std::env::args().nth(1).unwrap_or_else(|| "command".to_owned());
    let color = std::env::var_os("NO_COLOR").is_none();
    let screen = Screen::new(color, io::stdout().is_terminal());
    let surface = match TerminalSurface::open(screen.clone(), color, BackgroundState::Works) {
        Ok(surface) => surface,
        Err(error) => {
            let _ = screen.write_note(&format!("no terminal: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let asking = Asking { on_ask: OnAsk::Prompt, limit: None };
    let gate = Gate::new(Policy::default(), asking, Box::new(Notes(screen.clone())));
    gate.open_session(Session {
        id: session_id(),
        agent: agent_id(),
        parent: None,
        roots: vec![work_folder()],
        cwd: work_folder(),
        mode: None,
    });
    let calls = match scenario.as_str() {
        "later" => Vec::new(),
        name => scenario_calls(name),
    };
    let mut closer = Some(surface.closer());
    let cancelled = screen.clone();
    let serving = surface.serve(std::sync::Arc::new(gate.clone()), move || {
        let _ = cancelled.write_note("the turn was cancelled by Ctrl-C");
    });
    let work = {
        let (gate, screen) = (gate.clone(), screen.clone());
        async move {
            if calls.is_empty() || !io::stdin().is_terminal() {
                tokio::spawn(run_stdin_commands(gate.clone(), screen.clone()));
            }
            let _ = screen.agent_text("I will ask now.");
            let tickets: Vec<Ticket> =
                calls.into_iter().map(|(call, options)| gate.submit(call, &options)).collect();
            let mut answered = Vec::new();
            for (at, ticket) in tickets.into_iter().enumerate() {
                answered.push(tokio::spawn(note_verdict(screen.clone(), at + 1, ticket)));
            }
            for answer in answered {
                let _ = answer.await;
            }
            if scenario == "later" {
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::pin!(work);
    tokio::select! {
        result = serving => {
            drop(closer.take());
            match result {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    let _ = screen.write_note(&format!("the surface ended: {error}"));
                    // What waited is settled by now: each verdict is told before the end.
                    let _ = tokio::time::timeout(std::time::Duration::from_secs(5), &mut work).await;
                    ExitCode::from(143)
                }
            }
        }
        () = &mut work => {
            if let Some(closer) = closer.take() {
                closer.close();
            }
            let _ = screen.write_note("done");
            ExitCode::SUCCESS
        }
    }
}

/// Waits for a verdict and tells it.
async fn note_verdict(screen: Screen, number: usize, ticket: Ticket) {
    let what = match ticket.verdict().await {
        Verdict::Allowed(authorized) => format!("allowed, by {:?}", authorized.decided_by()),
        Verdict::Denied(refusal) => format!("denied, {}", refusal.reason),
        Verdict::Cancelled => "cancelled".to_owned(),
    };
    let _ = screen.write_note(&format!("verdict {number}: {what}"));
}

/// Does what the lines of the standard input say.
async fn run_stdin_commands(gate: Gate, screen: Screen) {
    let (lines, mut said) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            let _ = lines.send(line);
        }
    });
    let mut number = 100;
    while let Some(line) = said.recv().await {
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "ask" => {
                for (call, options) in scenario_calls(rest) {
                    number += 1;
                    tokio::spawn(note_verdict(screen.clone(), number, gate.submit(call, &options)));
                }
            }
            "allow" => {
                for card in gate.waiting_cards() {
                    let _ = gate.answer(ApprovalResponse::pick(&card, choice::ALLOW_ONCE), "editor");
                }
            }
            "withdraw" => gate.cancel_turn(&session_id()),
            "rules" => gate.replace_policy(Policy::default()),
            "text" => drop(screen.agent_text(&format!("{rest}\n"))),
            _ => drop(screen.write_note("what?")),
        }
        // As a title, which no screen shows.
        let mut stdout = io::stdout();
        let _ =
            stdout.write_all(format!("\u{1b}]0;heard {line}\u{7}").as_bytes()).and_then(|()| stdout.flush());
    }
}

/// Keeps rules by saying them.
struct Notes(Screen);

impl AnswerPersistence for Notes {
    fn allow_patterns(&self, agent: &AgentId, patterns: &[String]) -> Result<Policy, KeepError> {
        let _ = self.0.write_note(&format!("rule for {agent}: {}", patterns.join(" and ")));
        Ok(Policy::default())
    }

    fn check_bypass_allowed(&self, _: &AgentId) -> Result<(), KeepError> {
        Ok(())
    }

    fn bypass_agent(&self, agent: &AgentId) -> Result<Policy, KeepError> {
        let _ = self.0.write_note(&format!("{agent} is bypassed"));
        Ok(Policy::default())
    }
}

fn session_id() -> SessionId {
    SessionId("session-1".to_owned())
}

fn agent_id() -> AgentId {
    AgentId::from_name("claude")
}

fn work_folder() -> PathBuf {
    PathBuf::from("/home/me/work")
}

fn scenario_calls(scenario: &str) -> Vec<CallWithOptions> {
    match scenario {
        "two" => vec![
            without_options(shell_call("cargo test --workspace", "c1")),
            without_options(shell_call("cargo test --workspace", "c2")),
            without_options(shell_call("git push", "c3")),
        ],
        "edit" => vec![without_options(edit_call(
            &numbered_lines(12),
            &numbered_lines(12).replace("line 6\n", "line six\nand a half\n"),
        ))],
        "long" => vec![without_options(edit_call(
            &numbered_lines(300),
            &numbered_lines(300).replace("line", "LINE"),
        ))],
        "mcp" => vec![without_options(mcp_call(&json!({"repo": "me/x", "state": "open"})))],
        "hostile" => vec![without_options(hostile_call())],
        "mode" => vec![mode_switch_call()],
        "options" => {
            let option = |id: &str, name: &str, kind: &str, danger: Option<&str>| AgentOption {
                option_id: id.into(),
                name: name.into(),
                kind: OptionKind::from_word(kind),
                danger: danger.map(Into::into),
            };
            let options = vec![
                option("once", "Yes", "allow_once", None),
                option("forever", "Yes, and don't ask again", "allow_always", Some("the agent stops asking")),
                option("no", "No", "reject_once", None),
            ];
            vec![(shell_call("make install", "c1"), options)]
        }
        name => kinds::calls_of_kind(name)
            .unwrap_or_else(|| vec![without_options(shell_call("cargo test --workspace", "c1"))]),
    }
}

fn without_options(call: Call) -> CallWithOptions {
    (call, Vec::new())
}

fn build_call(id: &str, kind: &str, title: &str, raw_input: Value, access: Access) -> Call {
    Call {
        tool_call_id: Some(id.to_owned()),
        roots: vec![work_folder()],
        env: Default::default(),
        title: title.to_owned(),
        kind: kind.to_owned(),
        raw_input,
        accesses: vec![access],
        ..Call::new(Door::AcpPermission, agent_id(), session_id(), work_folder())
    }
}

fn shell_call(line: &str, id: &str) -> Call {
    let access = shell::line_accesses(line, &Surroundings::new(std::path::Path::new("/w"), &[])).remove(0);
    build_call(id, "execute", &format!("`{line}`"), json!({"command": line}), access)
}

fn edit_call(old: &str, new: &str) -> Call {
    let path = Access::Write(WriteKind::Edit, PathAccess::new(&work_folder(), "src/lines.txt"));
    let mut call = build_call("e1", "edit", "Edit src/lines.txt", json!({"path": "src/lines.txt"}), path);
    let diff = Diff { path: "src/lines.txt".into(), old_text: Some(old.into()), new_text: new.into() };
    call.diffs.push(diff);
    call
}

fn numbered_lines(many: usize) -> String {
    (1..=many).map(|n| format!("line {n}\n")).collect()
}

fn mcp_call(arguments: &Value) -> Call {
    let readings = vec![("github".to_owned(), "list_issues".to_owned())];
    let access = Access::Mcp(McpAccess::new(readings, arguments.clone(), std::path::Path::new("/w")));
    build_call("m1", "other", "mcp__github__list_issues", arguments.clone(), access)
}

fn hostile_call() -> Call {
    let line = "printf 'a\u{1b}[2J\u{1b}[31m' \u{202e}txt.exe\u{202c} \u{7}";
    let mut call = shell_call(line, "h1");
    call.title = "harmless\u{1b}[1A\u{1b}[2K\r\u{200b}".to_owned();
    call.env.insert("X".to_owned(), "\u{9b}31m".to_owned());
    call
}

fn mode_switch_call() -> CallWithOptions {
    let access = Access::Mode { id: "bypassPermissions".to_owned() };
    let switch = AgentOption {
        option_id: "free".to_owned(),
        name: "Yes, and don't ask again".to_owned(),
        kind: OptionKind::AllowOnce,
        danger: Some("switches the agent's own mode".to_owned()),
    };
    (build_call("s1", "switch_mode", "Ready to code?", json!({"plan": "do it"}), access), vec![switch])
}
