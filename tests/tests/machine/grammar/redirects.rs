//! Every kind of redirection.

use super::{Grammar, Make};

pub(super) const STATEMENTS: &[(&str, Make)] = &[
    ("output", |g| with(g, &[">", "1>", "2>", ">"])),
    ("appended output", |g| with(g, &[">>", "2>>"])),
    ("clobbered output", |g| with(g, &[">|", "1>|", ">!", ">>|", ">>!"])),
    ("output and errors", |g| with(g, &["&>", "&>", "&>>", "&>|", "&>!"])),
    ("duplicated output", |g| with(g, &[">&", ">&", "1>&", "2>&", ">>&"])),
    ("read and write", |g| with(g, &["<>", "0<>", "3<>"])),
    ("named descriptor", |g| with(g, &["{fd}>", "{fd}<", "{fd}>&", "{fd}>>", "{a[1]}>"])),
    ("two digits", |g| with(g, &["10>", "11>&", "12<", "23>>", "10<>"])),
    ("input", |g| with(g, &["<", "0<", "3<", "<&"])),
    ("here-string", |g| {
        let text = g.text();
        let command = g.of(&["cat", "grep a", "wc -l", "sort", "head -n 1", "sed -n 1p", "read a"]);
        format!("{command} <<<{text}")
    }),
    ("pipe with errors", |g| {
        let after = g.of(&["cat", "grep a", "wc -l", "sort"]);
        format!("{} |& {after}", g.good())
    }),
    ("redirection alone", |g| {
        let (sign, target) = (g.of(&["<", "<", ">", ">>", "<>", "2>"]), target(g));
        format!("{sign} {target}")
    }),
    ("several redirections", |g| {
        let (first, second) = (target(g), target(g));
        let form = g.of(&[">", "2>", ">>"]);
        format!("{} >{first} {form}{second}", g.good())
    }),
    ("redirection before", |g| {
        let (target, good) = (target(g), g.good());
        format!("{}{target} {good}", g.of(&[">", "2>", "<", ">>", "&>"]))
    }),
];

fn with(g: &mut Grammar, signs: &[&'static str]) -> String {
    let (good, sign, target) = (g.good(), g.of(signs), target(g));
    let space = g.of(&["", "", " "]);
    let bad = g.bad();
    let after = match g.random.below(6) {
        0 => format!(" {bad}"),
        1 => " x".to_owned(),
        _ => String::new(),
    };
    format!("{good} {sign}{space}{target}{after}")
}

fn target(g: &mut Grammar) -> String {
    match g.random.below(14) {
        0..=5 => "/dev/null".to_owned(),
        6 => g.of(&["pwned", "src/x", "../victim", ".git/index", "a.txt", ".env"]).to_owned(),
        7 => g.of(&["1", "2", "-", "0", "&1", "1-", "2-"]).to_owned(),
        8 => g.of(&["a.txt", "b.txt", "list.txt", "src/main.rs"]).to_owned(),
        9 => g.of(&[".env", "~/.ssh/id_rsa", "lk/env", "lk/out", "lk/s/id_rsa"]).to_owned(),
        10 => g
            .of(&["/dev/tcp/127.0.0.1/45191", "/dev/stdout", "/dev/fd/1", "/dev/udp/127.0.0.1/45191"])
            .to_owned(),
        11 => g.of(&["$v", "a*", "\"$v\"x", "''/dev/null"]).to_owned(),
        _ => g.of(&["/dev/null", "'/dev/null'", "\"/dev/null\"", "/dev/null ", "/dev//null"]).to_owned(),
    }
}
