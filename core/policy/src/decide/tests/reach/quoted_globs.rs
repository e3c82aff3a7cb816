//! Patterns that the shell leaves alone, since they are quoted, and that a program takes apart itself.

use super::*;

/// `@` is the pattern.
const READ: &[&str] = &[
    "eslint @",
    "npx eslint @",
    "eslint --no-color @",
    "stylelint @",
    "prettier --check @",
    "prettier -l @",
    "mocha @",
    "vitest run @",
    "ava @",
    "node --test @",
    "biome check @",
    "markdownlint @",
    "xo @",
    "unheard-of @",
    "rimraf @",
    "cspell @",
];

const CHANGE: &[&str] = &[
    "eslint --fix @",
    "stylelint --fix @",
    "prettier --write @",
    "npx prettier -w @",
    "biome format --write @",
    "markdownlint --fix @",
    "standard --fix @",
    "rimraf @",
    "unheard-of @",
];

const QUOTES: &[(&str, &str)] = &[("'", "'"), ("\"", "\""), ("./'", "'")];

fn lines(of: &[&str], patterns: &[&str]) -> Vec<String> {
    let quoted = |pattern: &&str| {
        QUOTES.iter().map(|(open, close)| format!("{open}{pattern}{close}")).collect::<Vec<_>>()
    };
    let words: Vec<String> = patterns.iter().flat_map(quoted).collect();
    of.iter().flat_map(|line| words.iter().map(move |word| line.replace('@', word))).collect()
}

/// Attack 108.
#[test]
fn given_a_quoted_pattern_that_could_give_what_is_denied_then_it_is_not_allowed() {
    let scene = Scene::new();
    let patterns = [
        "src/gen/*.ts",
        "src/*/a.ts",
        "src/**/*.ts",
        "src/g*/a.ts",
        "src/gen/?.ts",
        "**/a.ts",
        "src/{gen,x}/a.ts",
        "src/gen/[a-c].ts",
    ];
    let reads = scene.denying(&["read(src/gen/a.ts)"]);
    let changes = scene.denying(&["write(src/gen/a.ts)"]);
    let (of_reads, of_changes) = (lines(READ, &patterns), lines(CHANGE, &patterns));
    let count = of_reads.len() + of_changes.len();
    let mut found = wrong(&scene, &reads, of_reads, |it| it.effect != Allow);
    found.extend(wrong(&scene, &changes, of_changes, |it| it.effect != Allow));
    held(&found, count, 500);
}

/// Patterns that leave it out are as quiet as before. Attack 108.
#[test]
fn given_a_quoted_pattern_that_leaves_out_what_is_denied_then_it_is_as_quiet_as_before() {
    let scene = Scene::new();
    let denied = ["read(src/gen/a.ts)", "write(src/gen/a.ts)", "write(/srv/**)", "read(~/.ssh/**)"];
    let deep = scene.denying(&denied);
    let anywhere = scene.denying(&[&denied[..], &["read(.env)"]].concat());
    // Below `**`, a folder that is called `.env` could lie, quoted or not.
    let (mut found, mut count) = (Vec::new(), 0);
    for (policy, patterns) in [
        (deep, &["sub/**/*.ts", "out/**/*.css", "out/**"][..]),
        (anywhere, &["src/*.ts", "*.js", "src/{x,y}.ts", "out/[a-c].ts"]),
    ] {
        let lines = lines(READ, patterns).into_iter().chain(lines(CHANGE, patterns));
        let lines: Vec<String> = lines.collect();
        count += lines.len();
        found.extend(wrong(&scene, &policy, lines, |it| it.effect == Allow));
    }
    held(&found, count, 400);
}
