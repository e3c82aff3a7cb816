//! The smallest line that still does what it should not.

use super::effects::{Bench, Hidden};
use super::grammar::{Line, Statement};
use super::shells::Shell;

/// As often a shorter line is tried.
const TRIES: usize = 160;

/// The statements that are enough for the finding: one of them, if one is.
pub(crate) fn guilty(bench: &mut Bench, line: &Line, shell: Shell, found: &Hidden) -> Line {
    for statement in &line.0 {
        let alone = Line(vec![Statement { joiner: "", ..statement.clone() }]);
        if line.0.len() == 1 || shows(bench, &alone.text(), shell, found) {
            return alone;
        }
    }
    line.clone()
}

/// `text` without whatever can be left out.
pub(crate) fn shortest(bench: &mut Bench, text: &str, shell: Shell, found: &Hidden) -> String {
    let mut tries = TRIES;
    let mut best: Vec<String> = text.split_inclusive([' ', '\n']).map(str::to_owned).collect();
    less(bench, text, &mut best, shell, found, &mut tries);
    let mut best: Vec<String> = best.concat().chars().map(String::from).collect();
    less(bench, text, &mut best, shell, found, &mut tries);
    best.concat().trim().to_owned()
}

/// Leaves out halves, quarters and so on, as long as the finding stays.
fn less(
    bench: &mut Bench,
    whole: &str,
    best: &mut Vec<String>,
    shell: Shell,
    found: &Hidden,
    tries: &mut usize,
) {
    let mut chunk = (best.len() / 2).max(1);
    loop {
        let mut from = 0;
        while from < best.len() && *tries > 0 {
            let mut shorter = best.clone();
            shorter.drain(from..(from + chunk).min(best.len()));
            let text = shorter.concat();
            *tries -= 1;
            if !text.trim().is_empty() && stays_inside(whole, &text) && shows(bench, &text, shell, found) {
                *best = shorter;
            } else {
                from += chunk;
            }
        }
        if chunk == 1 || *tries == 0 {
            return;
        }
        chunk /= 2;
    }
}

/// Whether the line still does something of the same kind under the same policy.
pub(crate) fn shows(bench: &mut Bench, text: &str, shell: Shell, found: &Hidden) -> bool {
    let hidden = bench.tried(text, shell);
    hidden.iter().any(|one| one.policy == found.policy && one.effect.resembles(&found.effect))
}

/// A part of a line must not reach further than the line: what is left out could make `../x` of `a/../x`, and `/x` of
/// that.
fn stays_inside(whole: &str, part: &str) -> bool {
    let allowed = roots(whole);
    roots(part).iter().all(|root| allowed.contains(root)) && climbs(part) <= climbs(whole)
}

/// What follows each slash that a word may begin with.
fn roots(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let begins = |at: usize| {
        at.checked_sub(1).and_then(|before| characters.get(before)).is_none_or(|before| {
            !(before.is_alphanumeric() || matches!(before, '.' | '_' | '-' | '~' | '*' | '/' | '?'))
        })
    };
    let starts = (0..characters.len()).filter(|at| characters[*at] == '/' && begins(*at));
    starts.map(|at| characters.iter().skip(at).take(9).collect()).collect()
}

/// The most `../` in a row.
fn climbs(text: &str) -> usize {
    (0..8).rev().find(|count| text.contains(&"../".repeat(*count))).unwrap_or(0)
}

#[test]
fn given_a_part_that_reaches_further_then_it_is_not_tried() {
    assert!(stays_inside("cat a/../x >/dev/null", "cat >/dev/null"));
    assert!(!stays_inside("cat a/../x >/dev/null", "cat /x"));
    assert!(!stays_inside("cat >/dev/null", "cat >/dev/nul"));
    assert!(!stays_inside("cat ../a ../b", "cat ../../b"));
    assert!(!stays_inside("cat ~/x", "cat /x"));
}
