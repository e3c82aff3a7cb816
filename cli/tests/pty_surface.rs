//! The terminal surface in a real terminal (S2; D6).
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/surface.rs"]
mod example;
#[path = "pty_surface/lists.rs"]
mod lists;
#[path = "support/pty.rs"]
mod pty;

use std::time::{Duration, Instant};

use example::surface;
use pty::Terminal;
use rustix::process::Signal;

/// The highlight on Deny is drawn once keys do something.
const LIVE: &str = "› n  Deny";
const CTRL_C: &str = "\x03";
const ENTER: &str = "\r";
const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";

fn start(scenario: &str) -> Terminal {
    Terminal::start(surface(scenario), (24, 80), false)
}

/// Asks, and waits until keys do something.
fn asked(scenario: &str) -> Terminal {
    let terminal = start(scenario);
    terminal.sees(LIVE);
    terminal
}

/// The standard input is a pipe, which plays the rest of the world.
fn with_world() -> Terminal {
    let terminal = Terminal::start(surface("later"), (24, 80), true);
    terminal.sees("I will ask now.");
    terminal
}

fn asked_by_world(call: &str) -> Terminal {
    let mut terminal = with_world();
    terminal.tell(&format!("ask {call}"));
    terminal.sees(LIVE);
    terminal
}

#[test]
fn given_y_then_it_runs_once() {
    let terminal = asked("command");
    terminal.send("y");
    terminal.sees("✓ allowed once: shell(cargo test --workspace)");
    terminal.sees("verdict 1: allowed, by Person");
    assert!(terminal.exit().success());
    assert!(!terminal.screen().contains("Allow once"), "{}", terminal.screen());
    assert!(terminal.as_before());
}

#[test]
fn given_n_then_it_is_denied() {
    let terminal = asked("command");
    terminal.send("n");
    terminal.sees("✗ denied: shell(cargo test --workspace)");
    terminal.sees("verdict 1: denied, the user said no");
}

#[test]
fn given_r_then_the_agent_is_told_why() {
    let terminal = asked("command");
    terminal.send("r");
    terminal.sees("Why not?");
    terminal.send("use nextest");
    terminal.sees("use nextest");
    terminal.send(ENTER);
    terminal.sees("verdict 1: denied, the user said no: use nextest");
    assert!(terminal.exit().success());
    assert!(terminal.as_before());
}

/// D6.18: A grant or denial given by one answer resolves the pending approvals that it now covers.
#[test]
fn given_s_then_the_like_that_waits_is_answered_too() {
    let terminal = start("two");
    terminal.sees("2 more wait");
    terminal.sees(LIVE);
    terminal.send("s");
    terminal.sees("✓ allowed for this session: shell(cargo test --workspace)");
    terminal.sees("✓ allowed: shell(cargo test --workspace)");
    terminal.sees("$ git push");
    terminal.sees(LIVE);
    assert!(!terminal.screen().contains("more wait"), "{}", terminal.screen());
    terminal.send("n");
    for verdict in ["verdict 1: allowed, by Person", "verdict 2: allowed, by Grant", "verdict 3: denied"] {
        terminal.sees(verdict);
    }
}

/// S2.6: Focus never starts on an allowing choice.
#[test]
fn given_enter_and_nothing_else_then_it_is_denied() {
    let terminal = asked("command");
    terminal.send(ENTER);
    terminal.sees("verdict 1: denied");
}

#[test]
fn given_arrows_then_the_highlighted_choice_is_taken_and_escape_goes_back_to_deny() {
    let terminal = asked("command");
    terminal.send(UP);
    terminal.sees("› a  Always allow");
    terminal.send("\x1b");
    terminal.sees(LIVE);
    terminal.send(&UP.repeat(3));
    terminal.sees("› y  Allow once");
    terminal.send(ENTER);
    terminal.sees("verdict 1: allowed, by Person");
}

/// S2.7: the choices are inert for the first half second. Attack 29.
#[test]
fn given_a_key_in_the_first_half_second_then_it_does_nothing() {
    // On a machine too busy to be that quick, there is nothing to see: try again.
    for _ in 0..10 {
        let mut terminal = with_world();
        let asked = Instant::now();
        terminal.tell("ask command");
        terminal.sees("Allow once");
        terminal.send("y");
        if asked.elapsed() > Duration::from_millis(400) {
            continue;
        }
        terminal.sees(LIVE);
        terminal.send("n");
        terminal.sees("denied, the user said no");
        assert!(!terminal.screen().contains("allowed"), "{}", terminal.screen());
        return;
    }
    panic!("this machine is too slow for half a second");
}

/// Attack 25: "type-ahead: flushed".
#[test]
fn given_keys_typed_before_the_question_then_they_are_thrown_away() {
    let mut terminal = with_world();
    terminal.send("y\ry");
    terminal.sees("y\ny");
    terminal.tell("ask command");
    terminal.sees(LIVE);
    terminal.send("n");
    terminal.sees("denied, the user said no");
    assert!(!terminal.screen().contains("allowed"), "{}", terminal.screen());
}

/// Attack 29.
#[test]
fn given_pasted_text_then_it_is_no_answer() {
    let terminal = asked("command");
    terminal.send("\x1b[200~y\r\x1b[201~");
    // As a terminal sends it that does not mark pasted text.
    terminal.send("y\r");
    terminal.insist("n", "verdict 1:");
    assert!(terminal.screen().contains("verdict 1: denied"), "{}", terminal.screen());
}

#[test]
fn given_ctrl_c_then_everything_that_waits_is_cancelled() {
    let terminal = asked("two");
    terminal.send(CTRL_C);
    terminal.sees("the turn was cancelled by Ctrl-C");
    for number in 1..=3 {
        terminal.sees(&format!("verdict {number}: cancelled"));
    }
    assert!(terminal.exit().success());
    assert_eq!(terminal.screen().matches("by Ctrl-C").count(), 1);
    assert_eq!(terminal.screen().matches("– withdrawn:").count(), 3, "{}", terminal.screen());
    assert!(terminal.as_before());
}

#[test]
fn given_a_card_that_is_withdrawn_then_the_question_goes_at_once() {
    let mut terminal = asked_by_world("command");
    terminal.tell("withdraw");
    terminal.sees("– withdrawn: shell(cargo test --workspace) (the turn was cancelled)");
    terminal.sees_no_more("Allow once");
    terminal.sees("verdict 101: cancelled");
    terminal.until("the terminal to be as before", |screen| !screen.hide_cursor());
    assert!(terminal.as_before());
}

#[test]
fn given_an_answer_elsewhere_then_the_card_says_whose() {
    let mut terminal = asked_by_world("long");
    terminal.send("f");
    terminal.sees("b back · q close");
    terminal.tell("allow");
    terminal.sees("✓ allowed by editor: edit(/home/me/work/src/lines.txt)");
    terminal.sees_no_more("Allow once");
}

/// D6.2: if the call has changed since, the answer is refused and the card shows
/// the change. Attack 4.
#[test]
fn given_a_card_that_changes_then_it_says_so_and_keys_are_inert_again() {
    let mut terminal = asked_by_world("command");
    terminal.send(UP);
    terminal.sees("› a");
    terminal.tell("rules");
    terminal.sees("The rules have changed since this was shown");
    terminal.sees(LIVE);
    terminal.send("n");
    terminal.sees("denied, the user said no");
}

/// S2.9: long values can be opened in full, never silently cut. Attack 25.
#[test]
fn given_f_then_every_line_of_a_long_diff_can_be_read() {
    let terminal = asked("long");
    terminal.sees("more lines: press f to read them");
    terminal.send("f");
    terminal.sees("1–23 of ");
    let all: usize =
        terminal.screen().lines().last().and_then(|line| line.split(' ').nth(2)?.parse().ok()).unwrap();
    let mut read = String::new();
    for page in 0..all.div_ceil(23) {
        let first = format!("{}–", (page * 23 + 1).min(all - 22));
        terminal.until(&first, |screen| screen.contents().lines().any(|line| line.starts_with(&first)));
        read.push_str(&terminal.screen());
        read.push('\n');
        terminal.send(" ");
    }
    for number in 1..=300 {
        // The file is not there: nobody knows the numbers of its lines.
        assert!(read.contains(&format!(" - line {number}\n")), "line {number} is missing");
        assert!(read.contains(&format!(" + LINE {number}\n")), "LINE {number} is missing");
    }
    assert!(read.contains("\"path\": \"src/lines.txt\""), "the raw input is missing");
    terminal.send("q");
    terminal.sees(LIVE);
    terminal.send("y");
    terminal.sees("verdict 1: allowed, by Person");
}

/// Attack 25: "ANSI, bidirectional text ...: escaped".
#[test]
fn given_text_that_would_move_or_hide_things_then_it_is_shown_as_escapes() {
    let terminal = asked("hostile");
    let screen = terminal.screen();
    assert!(screen.contains(r"$ printf 'a\x1b[2J\x1b[31m' \u{202e}txt.exe\u{202c} \x07"), "{screen}");
    assert!(screen.contains(r"with   X=\x9b31m"), "{screen}");
    terminal.send("f");
    terminal.sees(r"title: harmless\x1b[1A\x1b[2K\r\u{200b}");
    let raw = terminal.raw();
    for hidden in ["\u{202e}", "\u{200b}", "\u{9b}", "\u{7}", "\x1b[31m", "\x1b[2K"] {
        assert!(!raw.contains(hidden), "{hidden:?} reached the terminal");
    }
}

/// D6.6: Answers come from a person: the terminal's `/dev/tty`. Attack 29.
#[test]
fn given_a_pipe_as_standard_input_then_only_the_terminal_answers() {
    let mut terminal = asked_by_world("command");
    terminal.tell("y");
    terminal.tell("text y");
    terminal.tell("ask mcp");
    terminal.sees("1 more waits");
    assert!(!terminal.screen().contains("allowed"), "{}", terminal.screen());
    terminal.send("y");
    terminal.sees("✓ allowed once: shell(cargo test --workspace)");
    terminal.sees(LIVE);
    terminal.send("n");
    terminal.sees("verdict 101: allowed, by Person");
    terminal.sees("verdict 102: denied");
}

#[test]
fn given_a_question_then_what_the_agent_says_waits_for_the_answer() {
    let mut terminal = asked_by_world("command");
    terminal.tell("text while you were thinking");
    terminal.tell("ask mcp");
    terminal.sees("1 more waits");
    assert!(!terminal.screen().contains("thinking"), "{}", terminal.screen());
    terminal.send("n");
    terminal.sees("Allow tool call from github?");
    terminal.sees(LIVE);
    terminal.send("n");
    terminal.sees("while you were thinking");
    let screen = terminal.screen();
    let at = |text: &str| screen.find(text).unwrap();
    assert!(at("I will ask now.\n✗ denied: shell") < at("✗ denied: mcp"), "{screen}");
    assert!(at("✗ denied: mcp") < at("while you were thinking"), "{screen}");
}

#[test]
fn given_sigterm_then_the_terminal_is_as_before() {
    for keys in ["", "f"] {
        let terminal = asked("long");
        terminal.send(keys);
        if !keys.is_empty() {
            terminal.sees("b back · q close");
        }
        assert!(!terminal.as_before());
        terminal.signal(Signal::TERM);
        terminal.sees("(ended by SIGTERM)");
        terminal.sees("verdict 1: cancelled");
        terminal.exit();
        assert!(terminal.as_before());
    }
}

/// Attack 37.
#[test]
fn given_a_terminal_that_goes_away_then_it_ends() {
    let mut terminal = asked("command");
    terminal.hang_up();
    assert!(terminal.exit().code().is_some());
}

#[test]
fn given_a_narrow_screen_then_no_line_is_wider() {
    let scenarios = ["command", "two", "edit", "long", "mcp", "hostile", "mode", "options"];
    for (rows, columns) in [(24, 40), (12, 40), (9, 24)] {
        let start = |scenario| (scenario, Terminal::start(surface(scenario), (rows, columns), false));
        for (scenario, terminal) in scenarios.map(start) {
            let live = |screen: &str| screen.contains("›n") || screen.contains("› n");
            terminal.until("live keys", |screen| live(&screen.contents()));
            let screen = terminal.screen();
            assert!(!terminal.runs_over(), "{scenario} at {columns}x{rows}:\n{screen}");
            assert!(
                screen.contains("claude") || screen.contains("github"),
                "{scenario} at {columns}x{rows}:\n{screen}"
            );
        }
    }
}

#[test]
fn given_another_size_then_the_card_is_drawn_anew() {
    let terminal = asked("mcp");
    terminal.resize(30, 50);
    terminal.until("a narrower card", |screen| screen.contents().contains("\ncould try to trick"));
    terminal.send("n");
    terminal.sees("verdict 1: denied");
    assert!(!terminal.screen().contains("Allow once"), "{}", terminal.screen());
}
