//! Questions that a list or a field answers.

use rustix::process::Signal;

use super::{CTRL_C, DOWN, ENTER, LIVE, UP, asked, asked_by_world};

#[test]
fn given_ctrl_c_in_a_list_then_it_cancels_just_once_and_ends_nothing_else() {
    let terminal = asked("two");
    terminal.send("a");
    terminal.sees("Which?");
    terminal.send(CTRL_C);
    terminal.sees("verdict 3: cancelled");
    assert!(terminal.exit().success());
    assert_eq!(terminal.screen().matches("by Ctrl-C").count(), 1);
    assert!(terminal.as_before());
}

#[test]
fn given_a_list_that_is_open_when_the_card_is_settled_then_it_says_so_afterwards() {
    let mut terminal = asked_by_world("command");
    terminal.send("a");
    terminal.sees("Which?");
    terminal.told("allow");
    terminal.sees("Which?");
    terminal.send(DOWN);
    terminal.sees("❯ 1  shell(cargo test --workspace)");
    terminal.send(ENTER);
    terminal.sees("For how long?");
    terminal.send(DOWN);
    terminal.sees("❯ 1  For good");
    terminal.send(ENTER);
    terminal.sees("✓ allowed by editor: shell(cargo test --workspace)");
    assert!(!terminal.screen().contains("rule for"), "{}", terminal.screen());
}

#[test]
fn given_a_pipe_as_standard_input_then_lists_work_too() {
    let terminal = asked_by_world("command");
    terminal.send("a");
    // Found in use: a digit goes to the row of its number, and picks nothing.
    terminal.sees("❯ Back");
    terminal.send("1");
    terminal.sees("❯ 1");
    terminal.send("2");
    terminal.sees("❯ 2  shell(cargo test *)");
    terminal.send(ENTER);
    terminal.sees("For how long?");
    terminal.send(DOWN);
    terminal.sees("❯ 1  For good");
    terminal.send(ENTER);
    terminal.sees("rule for claude: shell(cargo test *)");
    terminal.sees("verdict 101: allowed, by Person");
}

#[test]
fn given_l_then_another_one_can_be_answered_first() {
    let terminal = asked("two");
    terminal.send("l");
    terminal.sees("❯ Back");
    terminal.send(UP);
    terminal.sees("❯ 3  shell(git push)");
    terminal.send(ENTER);
    terminal.sees("$ git push");
    terminal.sees(LIVE);
    terminal.send("y");
    terminal.sees("✓ allowed once: shell(git push)");
    terminal.sees("1 more waits");
}

#[test]
fn given_a_pattern_that_is_edited_then_it_must_be_one() {
    let terminal = asked("command");
    terminal.send("a");
    terminal.sees("❯ Back");
    terminal.send(UP);
    terminal.sees("❯ 3  Edit a pattern");
    terminal.send(ENTER);
    terminal.sees("Pattern › shell(cargo test --workspace)");
    terminal.send("\x7f");
    terminal.sees_no_more("› shell(cargo test --workspace)");
    terminal.send(ENTER);
    terminal.sees("is not a pattern");
    terminal.send(ENTER);
    terminal.sees("For how long?");
    terminal.send(DOWN);
    terminal.sees("❯ 1  For good");
    terminal.send(ENTER);
    terminal.sees("rule for claude: shell(cargo test --workspace)");
}

/// D6.19: `bypassAll` needs a second confirmation.
#[test]
fn given_b_then_it_is_asked_twice_and_no_is_the_default() {
    let terminal = asked("command");
    terminal.send("b");
    terminal.sees("Bypass permissions for claude?");
    terminal.send(ENTER);
    terminal.sees_no_more("Bypass permissions for claude?");
    terminal.sees(LIVE);
    terminal.send("b");
    terminal.sees("What is denied stays denied");
    terminal.send(DOWN.repeat(2).as_str());
    terminal.sees("❯ 2  For good");
    terminal.send(ENTER);
    terminal.sees("claude is bypassed from now on");
    terminal.sees("verdict 1: allowed, by Person");
}

/// D6.28: mode switches are never picked automatically. Attack 12.
#[test]
fn given_a_mode_switch_then_only_the_agents_own_options_and_deny_are_there() {
    let terminal = asked("mode");
    let screen = terminal.screen();
    for gone in ["y  Allow", "s  Allow", "a  Always", "bypass permissions"] {
        assert!(!screen.contains(gone), "{screen}");
    }
    terminal.send("o");
    terminal.sees("! switches");
    terminal.send(DOWN);
    terminal.sees("❯ 1  Yes, and don't ask again");
    terminal.send(ENTER);
    terminal.sees("verdict 1: allowed, by Person");
}

#[test]
fn given_sigterm_in_a_list_then_the_terminal_is_as_before() {
    let terminal = asked("command");
    terminal.send("a");
    terminal.sees("Which?");
    terminal.signal(Signal::TERM);
    terminal.sees("verdict 1: cancelled");
    terminal.exit();
    assert!(terminal.as_before());
}
