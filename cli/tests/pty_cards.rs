//! Every kind of card in terminals of several sizes: nothing is cut without a word or in the middle of a word, what is asked about
//! is marked, and nothing is allowed unseen (S2.12, S2.13). The screens go to target/screenshots/terminal: `just cards-terminal`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/surface.rs"]
mod example;
#[path = "support/pty.rs"]
mod pty;

use std::path::Path;

use example::surface;
use pty::Terminal;

const SIZES: [(u16, u16); 3] = [(24, 80), (20, 60), (50, 200)];

/// The kinds, and what of each has to be on the screen before it is allowed: its beginning and its end.
const KINDS: [(&str, &str, &str); 12] = [
    ("command", "$ cargo test", "--workspace"),
    ("loop", "$ for f in $(git ls-files", "counts.txt"),
    ("document", "$ python3 - <<'EOF'", "> EOF"),
    ("six", "$ npm ci", "rm -rf dist"),
    ("write", "create hello.txt", "2 + world"),
    ("edit", "edit src/lib.rs", "+     all.iter()"),
    ("huge", "edit big.rs (+1667 −1667)", "+ let value_4998 = other(4998);"),
    ("call", "Run create_issue from github", "Build fails"),
    ("arguments", "Run add_comment from github", "\"build\""),
    ("fetch", "fetch https://docs.example.org", "version=2"),
    ("unknown", "use its tool ponder", "depth: 3"),
    ("flagged", "Run forecast from weather", "city: \"Oslo\""),
];

fn asked(kind: &str, size: (u16, u16), color: bool) -> Terminal {
    let mut program = surface(&format!("k-{kind}"));
    if !color {
        program.env("NO_COLOR", "1");
    }
    let terminal = Terminal::start(program, size, false);
    terminal.until("live keys", |screen| live(&screen.contents()));
    terminal
}

/// The highlight on Deny is drawn once keys do something.
fn live(screen: &str) -> bool {
    (screen.contains("› n  Deny") || screen.contains("›n Deny")) && screen.contains("? help")
}

/// Without ends of rows and blanks: where a text is broken does not matter.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '>')).collect()
}

fn keep(kind: &str, size: (u16, u16), form: &str, screen: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/screenshots/terminal");
    std::fs::create_dir_all(&folder).unwrap();
    let name = format!("{kind}-{}x{}{form}.txt", size.1, size.0);
    std::fs::write(folder.join(name), format!("{screen}\n")).unwrap();
}

/// S2.9, S2.13.
#[test]
fn given_any_kind_of_card_then_it_fits_with_its_choices_and_what_is_left_out_says_so() {
    for size in SIZES {
        for (kind, begin, end) in KINDS {
            for (color, form) in [(true, ""), (false, "-plain")] {
                let terminal = asked(kind, size, color);
                let screen = terminal.screen();
                keep(kind, size, form, &terminal.marked_screen());
                let what = format!("{kind} at {}x{}{form}:\n{screen}", size.1, size.0);
                assert!(!terminal.runs_over(), "{what}");
                assert!(bare(&screen).contains(&bare(begin)), "the beginning is missing: {what}");
                // The head of the card is at the top of the screen or below, never gone above it.
                assert!(screen.contains("claude"), "{what}");
                for choice in ["y", "n", "r", "f", "?"] {
                    assert!(screen.contains(choice), "{choice} is missing: {what}");
                }
                let more = screen.contains("more lines: press f to read them");
                assert_eq!(more, !bare(&screen).contains(&bare(end)), "{what}");
                assert_eq!(more, screen.contains("when all of it was read"), "{what}");
                let warned = screen.contains("Malicious") && bare(&screen).contains("beforeapproving.");
                assert_eq!(warned, ["call", "arguments", "fetch", "flagged"].contains(&kind), "{what}");
            }
        }
    }
}

/// Attack 479: what is not in sight is not allowed by any key, in any view.
#[test]
fn given_a_card_that_does_not_fit_then_no_key_allows_it_before_all_of_it_was_shown() {
    for size in SIZES {
        for key in ["y", "s", "b", "enter"] {
            let terminal = asked("huge", size, true);
            if key == "enter" {
                terminal.insist("\x1b[A", "› a");
                terminal.send("\r");
            } else {
                terminal.send(key);
            }
            // The press shows the next part instead.
            terminal.until("the text", |screen| screen.contents().contains("to the end of what is asked"));
            // To the end at once, and back: most of it was not there.
            terminal.send("G");
            terminal.until("the end, and what was passed by", |screen| {
                let text = screen.contents();
                text.contains("\"file_path\"") && text.contains("to the end of what is asked")
            });
            terminal.send("q");
            terminal.until("live keys", |screen| live(&screen.contents()));
            terminal.send("y");
            terminal.until("the text", |screen| screen.contents().contains("to the end of what is asked"));
            assert!(!terminal.screen().contains("allowed"));
            terminal.send("q");
            terminal.until("live keys", |screen| live(&screen.contents()));
            terminal.send("n");
            terminal.sees("verdict 1: denied");
        }
    }
}

/// S2.12: once it was read to its end, it is allowed by one key; denying needs no look.
#[test]
fn given_a_card_that_was_read_to_its_end_then_it_can_be_allowed() {
    let terminal = asked("arguments", (24, 80), true);
    terminal.send("f");
    terminal.sees("to the end of what is asked");
    terminal.insist(" ", "space on · b back");
    assert!(terminal.screen().contains("That is all that is asked."), "{}", terminal.screen());
    terminal.send("q");
    terminal.until("live keys", |screen| live(&screen.contents()));
    assert!(!terminal.screen().contains("when all of it was read"), "{}", terminal.screen());
    terminal.send("y");
    terminal.sees("verdict 1: allowed, by Person");
}

/// S2.13: the whole line of a command, with what is asked about marked in it, also where nothing can be underlined.
#[test]
fn given_a_line_of_several_commands_then_what_is_asked_about_is_marked_in_it() {
    let terminal = asked("loop", (24, 80), true);
    let marks = terminal.underlined().concat();
    for asked in ["sed -i 's/foo/bar/g' \"$f\"", "counts.txt"] {
        assert!(
            bare(&marks).contains(&bare(asked)),
            "{asked} is not marked in\n{}",
            terminal.marked_screen()
        );
    }
    for quiet in ["for f in", "sort -rn", "head -20", "done"] {
        assert!(!bare(&marks).contains(&bare(quiet)), "{quiet} is marked in\n{}", terminal.marked_screen());
    }
    let plain = asked("loop", (24, 80), false);
    assert!(plain.underlined().is_empty());
    assert!(!plain.raw().contains("\x1b[3") && !plain.raw().contains("\x1b[1m"), "{}", plain.screen());
    let screen = plain.screen();
    let row = screen.lines().position(|row| row.contains("sed -i")).unwrap();
    assert!(screen.lines().nth(row + 1).unwrap().contains("^^^^^^"), "{screen}");
}

/// What is written is not broken within a word where a row has a blank.
#[test]
fn given_a_long_line_then_no_word_of_it_is_broken() {
    for size in SIZES {
        let terminal = asked("six", size, true);
        let screen = terminal.screen();
        for word in ["https://upload.example.org/in", "./after.sh", "site.tgz", "build", "curl"] {
            assert!(screen.contains(word), "{word} is broken:\n{screen}");
        }
    }
}
