//! Words that are not known where a command of the shell takes an option or an operator that evaluates, sets or runs (D2.18).

use super::*;

/// What gives `x` a text that may be any option; `{}` is what uses it.
const SOURCES: &[&str] = &[
    "x=OPT; {}",
    "x=OPT\n{}",
    "x=$(cat f); {}",
    "x=`cat f`; {}",
    "read -r x < f; {}",
    "while read -r x; do {}; done < f",
    "cat f | while read -r x; do {}; done",
    "for x in OPT; do {}; done",
    "for x in OPT OPT; do {}; done",
    "for x in a OPT; do {}; done",
    "for x in $(cat f); do {}; done",
];

/// An option, and lines in which `$x` is that.
const OPTIONS: &[(&str, &[&str])] = &[
    (
        "-v",
        &[
            "[ $x 'a[$(touch p)]' ]",
            "[ \"$x\" 'a[$(touch p)]' ]",
            "test $x 'a[$(touch p)]'",
            "test \"${x}\" 'a[`touch p`]'",
            "[ ! $x 'a[$(touch p)]' ]",
            "[ -n y -a $x 'a[$(touch p)]' ]",
            "[ y = y -a \"$x\" 'a[$(touch p)]' ]",
            "[ -z y -o \"$x\" 'a[$(touch p)]' ]",
            "[ $x \"$(cat g)\" ]",
            "test \"$x\" \"$(cat g)\"",
            "[ ! \"$x\" \"$(cat g)\" ]",
            "printf $x PATH b",
        ],
    ),
    ("-R", &["[ $x 'a[$(touch p)]' ]", "test \"$x\" \"$(cat g)\""]),
    ("-vPATH", &["printf $x b", "printf \"$x\" b", "printf $x b c; ls"]),
    ("-vGIT_PAGER", &["printf $x ./evil", "printf \"$x\" ./evil"]),
    ("-x", &["jobs $x touch p", "jobs \"$x\" ./evil", "jobs $x ls"]),
    ("-o", &["set $x keyword", "set \"$x\" allexport", "set -e $x keyword"]),
    ("-k", &["set $x", "set \"$x\""]),
    ("-s", &["shopt $x expand_aliases", "shopt \"$x\" extdebug"]),
    ("-C", &["compgen $x 'touch p'", "compgen \"$x\" ./evil"]),
    ("-p", &["wait $x 'a[$(touch p)]'", "wait \"$x\" \"$(cat g)\""]),
];

/// Attack 610.
#[test]
fn given_an_open_word_that_may_be_an_option_of_the_shell_then_it_counts_as_that_one() {
    let none = policy(&[]);
    let mut allowed = Vec::new();
    for (option, uses) in OPTIONS {
        for use_ in *uses {
            for source in SOURCES {
                let line = source.replace("OPT", option).replace("{}", use_);
                for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Sh, Dialect::Unknown] {
                    if in_mode(&none, &line_for(dialect, &line), Mode::Auto).effect == Allow {
                        allowed.push(format!("{dialect:?} {line}"));
                    }
                }
            }
        }
    }
    for line in [
        "[ \"$(cat f)\" \"$(cat g)\" ]",
        "test `cat f` `cat g`",
        "printf \"$(cat f)\" b; ls",
        "printf -v\"$x\" b",
        "printf -v$x b; ls",
        "jobs $(cat f) ls",
        "set $x -k",
        "set \"$(cat f)\" keyword",
    ] {
        if in_mode(&none, &line_for(Dialect::Bash, line), Mode::Auto).effect == Allow {
            allowed.push(line.to_owned());
        }
    }
    assert!(allowed.is_empty(), "{}: {allowed:#?}", allowed.len());
}

/// The same where the word stands for an operand, or is no option. Attack 610.
#[test]
fn given_an_open_word_that_is_an_operand_then_nothing_is_asked_about() {
    let denied = policy(&[(Deny, "shell(touch *)")]);
    let lines = [
        "[ \"$x\" = y ]",
        "[ \"$x\" = \"$(cat f)\" ]",
        "[ -f \"$f\" ]",
        "[ -f \"$f\" ] && [ \"$f\" != a ] && echo y",
        "test -n \"$x\"",
        "test \"$x\" -nt \"$y\"",
        "[ \"${x:-y}\" = y ]",
        "[ \"$1\" = -h ] || [ \"$1\" = --help ]",
        "[ -n \"$a\" -a -n \"$b\" ]",
        "x=$(cat f); [ -n \"$x\" -a -r \"$x\" ] && echo y",
        "x=$(cat f); [ \"$x\" = y ] && echo y",
        "x=$(cat f); [ \"$x\" != \"\" -a \"$x\" != y ] && echo y",
        "x=$(cat f); [ ! \"$x\" = y ] && echo y",
        "x=$(cat f); [ \"$x\" -a -n \"$y\" ] && echo y",
        "x=$(cat f); [ \\( \"$x\" = a \\) -o \"$x\" = b ] && echo y",
        "x=$(cat f); [ \"$x\" -gt 3 ] && echo y",
        "x=$(cat f); [ \"$x\" ] && echo y",
        "x=$(cat f); test -z \"$x\" || echo y",
        "[ $(uname) = Darwin ] && echo y",
        "[ $(wc -l < f) -gt 5 ] && echo y",
        "for f in a b; do [ -f $f ] && echo $f; done",
        "for f in *.md; do [ -f \"$f\" ] && echo \"$f\"; done",
        "while read -r f; do [ -f \"$f\" ] && echo \"$f\"; done < f",
        "printf \"$fmt\" a",
        "fmt='%s-%s'; printf \"$fmt\" a b",
        "x=$(cat f); printf '%s\\n' \"$x\"",
        "x=$(cat f); printf \"$x\"",
        "x=$(cat f); printf \"$x\\n\"",
        "x=$(cat f); printf \"a: $x %s\\n\" b",
        "printf '%s\\n' \"$x\"",
        "jobs -l",
        "jobs $x",
        "sleep 1 & p=$!; wait $p",
        "wait $(jobs -p)",
        "set -- a b; echo \"$1\"",
        "set -euo pipefail; ls",
        "shopt -s nullglob; ls",
        "shopt -q login_shell",
        "echo \"${x:-y}\" \"${x:0:3}\" ${x:-y} ${x:0:3}",
    ];
    for line in lines {
        let call = line_for(Dialect::Bash, line);
        assert_eq!(in_mode(&denied, &call, Mode::Auto).effect, Allow, "{line}");
    }
    let set = line_for(Dialect::Bash, "set -- $args");
    assert_eq!(in_mode(&policy(&[]), &set, Mode::Auto).effect, Allow);
}
