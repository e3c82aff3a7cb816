//! Files of rules: many, long ones, and such that match slowly.

use super::{number, patterns};
use crate::random::Random;

/// A file of rules without a mistake in it. One in five is so large that reading it takes longer than any decision may.
pub fn rule_file(random: &mut Random) -> String {
    let mut text = "version = 1\n".to_owned();
    match random.below(5) {
        0 => {
            for _ in 0..number(random, &[1, 5, 10]) {
                let effect = random.of(&["allow", "ask", "deny"]);
                for pattern in patterns(random) {
                    text.push_str(&format!("[[rule]]\neffect = \"{effect}\"\npattern = '{pattern}'\n"));
                }
            }
        }
        1 => {
            let count = number(random, &[3_000, 20_000, 100_000]);
            for at in 0..count {
                text.push_str(&one(random, at));
            }
        }
        2 => {
            let globs: Vec<String> = (0..number(random, &[50, 500, 2_000]))
                .map(|at| format!("'read({}x{at})'", "**/*a*/".repeat(1 + at % 9)))
                .collect();
            text.push_str(&format!("[rules]\ndeny = [{}]\n", globs.join(",\n")));
        }
        3 => {
            let count = number(random, &[20, 200, 1_000]);
            let words: Vec<String> =
                (0..count).map(|at| format!("'shell(/(a|b|c{at})*.*(x{{1,9}}){{1,9}}{at}$/)'")).collect();
            text.push_str(&format!("[rules]\nask = [{}]\n", words.join(",\n")));
        }
        _ => {
            let names: Vec<String> = (0..250).map(|at| format!("n{at}")).collect();
            let many: Vec<String> = (0..number(random, &[5, 50, 300]))
                .map(|at| format!("'write({}/**/*.{{{}}})'", at, names.join(",")))
                .collect();
            text.push_str(&format!("[rules]\ndeny = [{}]\n", many.join(",\n")));
        }
    }
    text
}

fn one(random: &mut Random, at: usize) -> String {
    let pattern = match random.below(6) {
        0 => format!("write(packages/p{at}/**)"),
        1 => format!("shell(tool{at} * publish *)"),
        2 => format!("read(**/secret{at}/*.key)"),
        3 => format!("fetch(https://host{at}.example.org/**)"),
        4 => format!("mcp(server{at}/*_*)"),
        _ => format!("shell(rm x{at})"),
    };
    format!("[[rule]]\neffect = \"{}\"\npattern = \"{pattern}\"\n", random.of(&["allow", "ask", "deny"]))
}
