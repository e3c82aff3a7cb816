//! Changes of files: large ones, many, and such that nothing of the old is where it was.

use super::{number, several};
use crate::random::Random;

/// A change of one file.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The file.
    pub path: String,
    /// What it held; none where it is new.
    pub old: Option<String>,
    /// What it will hold.
    pub new: String,
}

/// Changes that are asked for together.
pub fn edits(random: &mut Random) -> Vec<Edit> {
    let files = number(random, &[1, 1, 1, 20, 600]);
    let most = if files == 1 { number(random, &[300, 5_000, 30_000]) } else { number(random, &[2, 30]) };
    (0..files)
        .map(|at| {
            let path = path(random, at);
            match random.below(8) {
                0 => Edit { path, old: None, new: text(random, most) },
                1 => Edit { path, old: Some(text(random, most)), new: String::new() },
                2 => {
                    let old = text(random, most);
                    let new = old.lines().rev().collect::<Vec<_>>().join("\n");
                    Edit { path, old: Some(old), new }
                }
                3 => {
                    let old = text(random, most);
                    Edit { path, new: old.clone(), old: Some(old) }
                }
                _ => Edit { path, old: Some(text(random, most)), new: text(random, most) },
            }
        })
        .collect()
}

fn path(random: &mut Random, at: usize) -> String {
    match random.below(6) {
        0 => format!("{}x{at}", "a/../".repeat(number(random, &[1, 90, 900]))),
        1 => format!("{}x{at}", "a/".repeat(number(random, &[1, 90, 1_900]))),
        2 => format!("{}{at}", "ü".repeat(number(random, &[1, 90, 900]))),
        _ => format!("src/part{}/x{at}.rs", random.below(9)),
    }
}

/// So many lines, about; or their bytes in one.
fn text(random: &mut Random, lines: usize) -> String {
    match random.below(8) {
        // Two kinds of lines in any order: each is everywhere in the other.
        0 => (0..lines).map(|_| random.of(&["a\n", "b\n"])).collect(),
        1 => (0..lines).map(|_| format!("{}\n", random.below(lines.max(1)))).collect(),
        2 => "a".repeat(lines * 30),
        3 => (0..lines * 6).map(|_| random.of(&["a ", "b ", "c "])).collect(),
        4 => (0..lines)
            .map(|_| random.of(&["\u{1b}[31m\n", "\u{202e}\n", "e\u{301}\u{301}\n", "\t\r\n", "😀\n", "\n"]))
            .collect(),
        5 => "}\n".repeat(lines),
        6 => format!("{}\n", "password = \"ghp_".repeat(lines)),
        _ => (0..lines).map(|at| format!("let value_{at} = other({});\n", random.below(99))).collect(),
    }
}

/// The text of a patch of many files, as `apply_patch` or as `git diff` has it.
pub fn patch(random: &mut Random) -> String {
    if random.once_in(2) {
        let files = several(random, &[1, 60, 3_000], "\n", |random| {
            let path = path(random, 0);
            let head = random.of(&["Update", "Add", "Delete"]);
            format!("*** {head} File: {path}\n@@ x\n-a\n+{}", text(random, 2).replace('\n', "\n+"))
        });
        return format!("*** Begin Patch\n{files}\n*** End Patch\n");
    }
    several(random, &[1, 60, 3_000], "\n", |random| {
        let path = path(random, 0);
        format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n-a\n+b\n c")
    })
}
