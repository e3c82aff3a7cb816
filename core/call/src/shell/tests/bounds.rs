use std::time::Duration;

use cpu_time::ThreadTime;

use super::{each, first, read, shown};

/// A 10 KB line, 400 nested braces, 20,000 `&&`, invalid UTF-8 ...: an answer within 50 ms,
/// never an abort. What is built without optimisation gets more time.
/// Attack 70.
#[test]
fn given_lines_made_to_be_hard_then_each_is_answered_in_time() {
    let nest = |open: &str, middle: &str, close: &str, n: usize| {
        format!("{}{middle}{}", open.repeat(n), close.repeat(n))
    };
    let mut lines = vec![
        "a && ".repeat(20_000) + "b",
        "a && ".repeat(1_900) + "b",
        "a ".repeat(5_000),
        "'a' ".repeat(2_400),
        "\"$x\" ".repeat(1_600),
        "${x} ".repeat(1_900),
        "x".repeat(10_000),
        "\"".repeat(9_999),
        "`".repeat(9_000),
        "{a,b}".repeat(1_900),
        "echo {1..99999999}".to_owned(),
        "echo {1..9}{1..9}{1..9}{1..9}{1..9}".to_owned(),
        "cat ".to_owned() + &"<<E ".repeat(2_000),
        "a>b".repeat(3_000),
        "a > b ".repeat(1_500),
        "(".repeat(5_000),
        "echo ".to_owned() + &"$((".repeat(3_000),
        "[[ ".to_owned() + &"( ".repeat(3_000),
        "! ".repeat(3_000) + "a",
        "for i in a; do cd b; ".repeat(40) + &"done; ".repeat(40),
        "eval '".repeat(3_000),
        "case a in b) ".repeat(700),
        "if ".repeat(3_000),
        "f() ".repeat(2_000) + "a",
        "function f ".repeat(900) + "a",
        "a |".repeat(3_000) + "b",
        "a=(".to_owned() + &"[1]=2 ".repeat(1_500) + ")",
        // These keep the tokenizer busy for ever, if they get there.
        "a <<''; b".to_owned(),
        "<<E\"$( # ; then".to_owned(),
        "${x:-<<E$(($( # ; }$1".to_owned(),
        "a $(b <<\"\"''; c".to_owned(),
        "a <<-\\\n '' b".to_owned(),
        String::from_utf8_lossy(&[b'a', 0xff, b' ', 0xfe]).into_owned(),
    ];
    for n in [4, 8, 12, 16, 40, 400, 1_600] {
        for (open, middle, close) in [
            ("{ ", "a", "; }"),
            ("(", "a", ")"),
            ("( ", "a", ")"),
            ("((", "a", ""),
            ("$(", "a", ")"),
            ("\"a $(", "b", ")\""),
            ("`", "a", "`"),
            ("${a:-", "b", "}"),
            ("${a[", "1", "]}"),
            ("\"b${a:-", "c", "}\""),
            ("echo ${a/", "b", "}"),
            ("$((", "1", "))"),
            ("$[", "1", "]"),
            ("echo @(", "a", ")"),
            ("echo $(@(", "a", ")"),
            ("if ", "a", "; then b; fi"),
            ("while a; do ", "b", "; done"),
            ("case a in b) ", "c", " esac"),
            ("case a in b) ", "c", ";; esac"),
            ("coproc ", "a", ""),
            ("f() { ", "a", "; }"),
            ("[[ ! ", "a", " ]]"),
            ("echo <(cat ", "a", ")"),
            ("echo {a,", "b", "}"),
            ("sudo ", "a", ""),
            ("time ", "a", ""),
        ] {
            lines.push(nest(open, middle, close, n));
        }
    }
    let most = Duration::from_millis(if cfg!(debug_assertions) { 4000 } else { 500 });
    for line in &lines {
        let start = ThreadTime::now();
        assert!(!read(line).is_empty());
        let took = start.elapsed();
        let head: String = line.chars().take(60).collect();
        assert!(took < most, "{took:?} for {} bytes: {head}", line.len());
    }
}

/// D2.2: lines that do not parse or pass the bounds. Attack 70.
#[test]
fn given_a_line_beyond_the_bounds_then_it_is_not_understood_and_denials_still_look_into_it() {
    for line in [
        format!("echo {}; curl x", " ".repeat(10_000)),
        "{ ".repeat(400) + "curl x" + &"; }".repeat(400),
        "a;".repeat(300) + "curl x",
    ] {
        let access = first(&line);
        assert!(!access.understood && access.caveats.iter().any(|caveat| caveat.always));
        assert!(
            access.candidates.iter().any(|words| words.join(" ") == "curl x"),
            "{:?}",
            access.candidates.last()
        );
    }
}

/// Seen in other gates (Cline, Claude Code 2.1.223): line ends and blanks that shells disagree on, and
/// characters that nobody sees.
/// Attack 74.
#[test]
fn given_odd_characters_then_the_line_is_not_understood() {
    for c in [
        '\r',
        '\0',
        '\u{7}',
        '\u{1b}',
        '\u{85}',
        '\u{a0}',
        '\u{200b}',
        '\u{200d}',
        '\u{202e}',
        '\u{2028}',
        '\u{2029}',
        '\u{3000}',
        '\u{feff}',
        '\u{e0041}',
        '\u{fe0f}',
        '\u{ad}',
    ] {
        assert_eq!(shown(&format!("echo a{c}b")), "?", "{c:?}");
        assert_eq!(shown(&format!("echo 'a{c}b'")), "?", "{c:?}");
    }
    each(&[("echo 'grüße 世界 ⚠️ 👩‍💻'\t-n", "echo 'grüße 世界 ⚠️ 👩‍💻' -n")]);
}

/// The parser panics on numbers that are too large; the line is not understood. Attack 70.
#[test]
fn given_numbers_that_are_too_large_then_nothing_panics() {
    for line in [
        "echo x 99999999999>y",
        "echo ~99999999999999999999999",
        "echo ~+99999999999999999999999/x",
        "99999999999<x",
    ] {
        assert_eq!(shown(line), "?", "{line}");
    }
    assert!(!read("echo {99999999999999999999..1} {1..2..99999999999999999999}").is_empty());
}

/// Nothing is never an answer.
#[test]
fn given_any_line_then_there_is_at_least_one_access() {
    for line in ["", " ", "\n", "# x", "RUST_LOG=x", "[[ a ]]", "((1))", ";", "&", "true >/dev/null", "\\"] {
        assert!(!read(line).is_empty(), "{line:?}");
    }
}
