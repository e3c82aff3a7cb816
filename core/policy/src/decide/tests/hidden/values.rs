//! What a variable holds, where no quotes are around it: it may be no word, or several by braces (D2.9).

use super::*;

/// In which ways a loop's value comes into a word.
const USES: &[&str] = &["$x", "${x}", "$x$x", "${x}$x", "\\\n$x", "$x\\\n"];

/// What an empty word would hide, were it one.
const WITHOUT: &[&str] = &[
    "awk {} 'BEGIN{system(\"touch p\")}' a",
    "awk {} 'BEGIN{system(\"./evil p\")}' a",
    "gawk {} '{print | \"touch p\"}' a",
    "sed {} 'e touch p' a",
    "sed -n {} '1e touch p' a",
    "env {} touch p",
    "timeout {} 5 touch p",
    "nice {} touch p",
    "xargs {} touch < a",
    "find a {} -exec touch p ';'",
    "sh {} -c 'touch p'",
    "bash {} -c 'touch p'",
    "git {} -c core.pager='touch p' log",
    "{} touch p",
    "{} ./evil p",
    "command {} touch p",
    "sudo {} touch p",
    "! {} touch p",
    "echo a && {} touch p",
    "cat a | {} touch p",
    "> p {} touch p",
    "A=1 {} touch p",
];

/// D2.9, attack 608: an empty value without quotes is no word, in any shell.
#[test]
fn given_an_empty_value_without_quotes_then_what_stands_behind_it_is_judged_in_its_place() {
    let mut lines = BTreeSet::new();
    for command in WITHOUT {
        for use_ in USES {
            let body = command.replace("{}", use_);
            for loop_ in
                ["for x in ''; do {}; done", "for x in \"\"; do {}; done", "for x in ''\ndo {}\ndone"]
            {
                let line = loop_.replace("{}", &body);
                lines.extend([format!("{line}; ls"), format!("echo a && {line}"), line]);
            }
        }
    }
    for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Sh, Dialect::Unknown] {
        none_allowed(dialect, &lines);
    }
}

/// The same of one that reads more where it has fewer words. Attack 608.
#[test]
fn given_an_empty_value_in_the_place_of_a_file_then_all_that_is_there_is_read() {
    let denied = policy(&[(Deny, "read(.env)")]);
    for line in ["grep -r K $x", "rg -uu K $x", "git grep K $x", "find $x -name '*'", "ls -R $x"] {
        let line = format!("for x in ''; do {line}; done");
        let bare = line_for(Dialect::Unknown, &line.replace(" $x", ""));
        let with = in_mode(&denied, &line_for(Dialect::Unknown, &line), Mode::Plan).effect;
        assert_eq!(with, in_mode(&denied, &bare, Mode::Plan).effect, "{line}");
    }
}

/// In which ways a value comes into a word that has or gets braces.
const BRACES: &[&str] = &[
    "for x in '{V,z}'; do {}$x; done",
    "for x in '{z,V}'; do {}${x}; done",
    "for x in '{{z,V},y}'; do {}$x; done",
    "for x in 'V,z'; do {}{$x}; done",
    "for x in '{V,'; do {}$x'}'z}; done",
    "for x in '{V,z}' '{V,y}'; do {}$x; done",
    "x='{V,z}'; {}$x",
    "x=V,z; {}{$x}",
    "x='{V,z}'; for y in $x; do {}\"$y\"; done",
    "set -- '{V,z}'; {}$1",
    "read -r x <<< '{V,z}'; {}$x",
    "sh -c '{}$1' _ '{V,z}'",
    "{}$(echo '{V,z}')",
    "{}$(printf %s '{V,z}')",
];

/// D2.9, attack 608: to mksh, which may be `sh`, braces in a value are those of the word; zsh counts by values.
#[test]
fn given_braces_in_a_value_then_each_word_that_they_give_is_judged() {
    let denied = policy(&[(Deny, "read(.env)"), (Deny, "read(s/**)")]);
    let typical = policy(&[
        (Allow, "shell(cat *)"),
        (Allow, "shell(head *)"),
        (Allow, "shell(grep *)"),
        (Deny, "read(.env)"),
        (Deny, "read(s/**)"),
    ]);
    let mut allowed = Vec::new();
    for command in ["cat ", "head -n 3 ", "grep K ", "cat a ", "cat ./"] {
        for value in [".env", "s/key"] {
            for of in BRACES {
                let line = of.replace("{}", command).replace('V', value);
                for dialect in [Dialect::Sh, Dialect::Unknown] {
                    for (policy, mode) in
                        [(&denied, Mode::Plan), (&typical, Mode::Default), (&denied, Mode::Auto)]
                    {
                        if in_mode(policy, &line_for(dialect, &line), mode).effect == Allow {
                            allowed.push(format!("{mode:?} {dialect:?} {line}"));
                        }
                    }
                }
            }
        }
    }
    for dialect in [Dialect::Zsh, Dialect::Unknown] {
        for line in ["for x in n; do cat .e{n..$x}v; done", "for x in 'n..n'; do cat .e{$x}v; done"] {
            if in_mode(&denied, &line_for(dialect, line), Mode::Auto).effect == Allow {
                allowed.push(format!("{dialect:?} {line}"));
            }
        }
    }
    assert!(allowed.is_empty(), "{allowed:#?}");
}

/// An option among braces. Attack 608.
#[test]
fn given_braces_in_a_value_then_they_may_give_an_option() {
    for dialect in [Dialect::Sh, Dialect::Unknown] {
        for line in ["find $x", "sort $x a", "awk $x a", "sed $x a", "git log $x"] {
            for value in ["{.,-delete}", "{-o,p}", "{-f,p}", "{-i,p}", "{--output=p,a}"] {
                let line = format!("for x in '{value}'; do {line}; done");
                let effect = in_mode(&policy(&[]), &line_for(dialect, &line), Mode::Plan).effect;
                assert_ne!(effect, Allow, "{dialect:?} {line}");
            }
        }
    }
}

/// Loops over names, quoted values, commas, and JSON stay as quiet as they were. Attack 608.
#[test]
fn given_values_that_are_one_word_then_nothing_is_asked_about() {
    for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Sh, Dialect::Unknown] {
        for line in [
            "for f in a b c; do cat $f; done",
            "for f in a.txt src/b.rs; do wc -l $f; done",
            "for f in a,b c,d; do cat $f; done",
            "for f in {a,b}.txt; do cat \"$f\"; done",
            "for x in '{a,b}' '{c}'; do echo \"$x\"; done",
            "for i in 1 2 3; do echo '{\"a\":1,\"n\":'$i'}'; done",
            "for i in 1 2 3; do echo \"{$i,x}\"; done",
            "for x in ''; do echo \"$x\"; done",
            "for x in '' a; do echo \"[$x]\"; done",
            "for x in ''; do echo $x; done",
            "for x in ''; do cat \"$x\"a; done",
            "for x in ''; do cat a$x; done",
            "for x in a; do [ -f \"$x\" ] && cat $x; done",
            "for q in .a .b; do jq $q a.json; done",
            "for n in 1 2; do head -n $n a; done",
            "n=3; echo log.{1..$n}",
            "for n in 1 2; do echo {1..$n}; done",
        ] {
            let effect = in_mode(&policy(&[]), &line_for(dialect, line), Mode::Plan).effect;
            // A shell without braces reads other words.
            let reads = line.contains("{a,b}.txt") && matches!(dialect, Dialect::Sh | Dialect::Unknown);
            assert!(effect == Allow || reads, "{dialect:?} {line}");
        }
    }
}
