//! One line, and the shells that could read it (D2.6).

use super::{Dialect, one, read_by, shell_accesses};

fn always(dialect: Dialect, line: &str) -> bool {
    shell_accesses(&read_by(dialect, line)).any(|shell| shell.caveats.iter().any(|caveat| caveat.always))
}

fn shown_by(dialect: Dialect, line: &str) -> String {
    read_by(dialect, line).iter().map(one).collect::<Vec<_>>().join(" | ")
}

/// Holds each line to being asked about always for these shells, and not for bash.
fn each_differs(dialects: &[Dialect], lines: &[&str]) {
    let mut wrong = Vec::new();
    for line in lines {
        let asked: Vec<_> = dialects.iter().map(|dialect| always(*dialect, line)).collect();
        if asked.contains(&false) || always(Dialect::Bash, line) {
            wrong.push(format!("{line:?}: {asked:?}, and for bash {}", shown_by(Dialect::Bash, line)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Attack 190: what dash runs, reads or writes besides.
#[test]
fn given_what_a_posix_shell_reads_otherwise_then_it_is_asked_about_always() {
    each_differs(
        &[Dialect::Sh, Dialect::Unknown],
        &[
            "echo &>/dev/null touch x",
            "ls &>>out touch x",
            "a | b &>f c",
            "[[ x || ./evil ]]",
            "! [[ x && ./evil ]]",
            "[[ x > f ]]",
            "[[ x < f ]]",
            "if [[ a || b ]]; then c; fi",
            "((1 > 2))",
            "(( 1 )); a",
            "echo $[1 > 2]",
            "touch 12>f",
            "echo $(ls &>f touch x)",
            "{ ls &>f touch x; }",
            "f() { ls &>f touch x; }",
            "ls &>f touch x\ncat <<<y",
        ],
    );
}

/// The mirror of it: the same signs where both shells do the same, or dash does less.
#[test]
fn given_what_a_posix_shell_reads_alike_or_not_at_all_then_nothing_is_asked_besides() {
    let lines = [
        ("a &>/dev/null", "a"),
        ("a &>/dev/null && b", "a | b"),
        ("a &>>/dev/null; b", "a | b"),
        ("[[ -f x ]] && a", "a"),
        ("[[ -f x && -n \"$y\" ]] && a || b", "a | b"),
        ("if [[ -d x ]]; then a; else b; fi", "a | b"),
        ("[[ $x =~ ^a(b|c)$ ]] && a", "a"),
        ("a <<<x", "a"),
        ("diff <(a) <(b)", "diff <( a ) <( b ) | a | b"),
        ("for ((i = 0; i < 3; i++)); do a; done", "a"),
        ("a |& b", "a | b"),
        ("a {b,c}", "a b c"),
        ("a x{1..3}", "a x1 x2 x3"),
        ("a $'b\\tc'", "a 'b\tc'"),
        ("a; b 2>/dev/null", "a | b"),
        ("case x in a) b ;; esac", "b"),
        ("echo \"&> [[ ((\"", "echo '&> [[ (('"),
    ];
    let mut wrong = Vec::new();
    for dialect in [Dialect::Bash, Dialect::Sh, Dialect::Unknown] {
        for (line, wanted) in lines {
            let found = shown_by(dialect, line);
            if found != wanted {
                wrong.push(format!("{dialect:?} {line:?}\n  wanted {wanted}\n  found  {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a POSIX shell would run besides is what denials look at, too. Attack 190.
#[test]
fn given_a_command_that_only_a_posix_shell_runs_then_denials_see_it() {
    let accesses = read_by(Dialect::Unknown, "ls &>/dev/null touch x");
    let seen = shell_accesses(&accesses)
        .flat_map(|shell| &shell.outer)
        .any(|words| words.iter().map(super::super::Word::text).collect::<Vec<_>>() == ["touch", "x"]);
    assert!(seen, "{accesses:#?}");
}

/// Attacks 191, 466: what zsh evaluates, runs or opens besides, and where it ends a group.
#[test]
fn given_what_zsh_reads_otherwise_then_it_is_asked_about_always() {
    each_differs(
        &[Dialect::Zsh, Dialect::Unknown],
        &[
            "echo $PATH['$(touch x)']",
            "echo $a[1'`touch x`']",
            "echo \"$PATH['x']\"",
            "echo $1[x] $@[1]",
            "a -m $PATH['$(touch x)']",
            "echo $x:F:'a[$(touch y)]':h",
            "echo =ls",
            "echo $=x",
            "echo \"$~x\"",
            "echo x >!f",
            "echo x >>!f",
            "echo x >|!f",
            "echo x &>!f",
            "cat <1-3>x",
            "true >&1-",
            "repeat 1 touch x",
            "noglob touch x",
            "- touch x",
            "emulate sh -c 'touch x'",
            "exit 'a[$(touch x)]'",
            "printf %d 'a[$(touch x)]'",
            "test -t 'a[$(touch x)]'",
            "[[ -t 'a[$(touch x)]' ]]",
            "path=x",
            "for path in a; do ls; done",
            "functions[ls]=x",
            "{ ls } always { touch x; }",
            "{ ls} always { touch x; }",
            "{ echo 'a'} always { touch x; }",
            "{ echo ${a}} always { touch x; }",
            "if false; then { ls } else { touch x; }; fi",
            "f() { ls } ; touch x; }",
            "{ : > f} always { touch x; }",
            "{ cat <<<a} always { touch x; }",
        ],
    );
}

/// The mirror of it: the same signs where zsh does what bash does.
#[test]
fn given_what_zsh_reads_alike_then_nothing_is_asked_besides() {
    let lines = [
        "echo '$PATH[x]'",
        "echo \\$PATH[x]",
        "echo \"$HOME/x\" \"${PATH}[x]\" \"$x: y\" $x/y:z",
        "echo a=b --c=d",
        "a -n '$='",
        "a >f",
        "cat <13",
        "exit 1",
        "printf '%s\\n' 'a[$(touch x)]'",
        "printf '%d' 3",
        "[ a = b ]",
        "test -t 1",
        "echo 100% a[1]",
        "echo {} {a,b} a{b}c HEAD@{1} '}' \\} \"}\" x}y",
        "{ echo a; }; f() { echo ${a}; }",
    ];
    let wrong: Vec<_> = lines.iter().filter(|line| always(Dialect::Zsh, line)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// mksh evaluates what `shift` is given. What is no number in any shell is asked about for the others as well.
/// Attack 599.
#[test]
fn given_a_number_for_a_posix_shell_then_it_is_asked_about_where_it_would_be_evaluated() {
    each_differs(
        &[Dialect::Sh, Dialect::Unknown],
        &[
            "shift 'a[$(touch x)]'",
            "shift 'a[`touch x`]'",
            "set -- a b; shift 'x[$(touch x)]+1'",
            "command shift 'a[$(touch x)]'",
            "n=$(cat f); shift \"$n\"",
            "exit 'a[$(touch x)]'",
            "return 'a[$(touch x)]'",
            "while :; do break 'a[$(touch x)]'; done",
            "while :; do continue 'a[$(touch x)]'; done",
        ],
    );
    let lines = [
        "shift",
        "shift 2",
        "set -- a b; shift 1",
        "shift $#",
        "exit 1",
        "exit $?",
        "false; exit \"$?\"",
        "rc=1; exit \"$rc\"",
        "f() { return \"$rc\"; }",
        "while :; do break 2; done",
    ];
    let wrong: Vec<_> = lines.iter().filter(|line| always(Dialect::Sh, line)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let asked =
        |line: &&&str| shell_accesses(&read_by(Dialect::Sh, line)).any(|shell| !shell.caveats.is_empty());
    let quiet = ["shift 2", "shift", "exit 1", "exit $?", "exit \"$rc\"", "while :; do break 2; done"];
    let wrong: Vec<_> = quiet.iter().filter(asked).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A shell that the line itself names reads the line that it is given.
#[test]
fn given_the_name_of_a_shell_before_a_line_then_it_is_that_shell_s() {
    assert!(always(Dialect::Bash, "sh -c 'ls &>/dev/null touch x'"));
    assert!(always(Dialect::Bash, "dash -c '[[ x || ./evil ]]'"));
    assert!(always(Dialect::Bash, "zsh -c 'echo $PATH[1]'"));
    assert!(always(Dialect::Bash, "env sh -c 'ls &>f touch x'"));
    assert!(!always(Dialect::Unknown, "bash -c 'ls &>/dev/null x'"));
    assert!(!always(Dialect::Unknown, "bash -lc 'echo $PATH[1]'"));
    assert!(!always(Dialect::Bash, "sh -c 'echo $PATH[1]'"));
}

/// Attack 192: earlier lines, in a shell that somebody types into.
#[test]
fn given_an_earlier_line_then_it_is_asked_about_where_the_shell_is_not_known() {
    let lines =
        ["echo !!", "echo \"!!\"", "echo !ec", "a !-1", "a !3", "a \"x!?y\"", "a !#", "echo !$", "^ls^rm x"];
    each_differs(&[Dialect::Unknown], &lines);
    let plain = [
        "echo '!!'",
        "echo \\!\\!",
        "[ ! -f x ]",
        "! a",
        "[ a != b ]",
        "echo hi!",
        "echo \"hi!\"",
        "git commit -m \"feat!: x\"",
        "grep \"!important\" f",
        "git log --format=%h!%s",
        "echo \"<!DOCTYPE html>\"",
        "node -e \"a.filter(i=>!set.has(i))\"",
    ];
    let wrong: Vec<_> = plain.iter().filter(|line| always(Dialect::Unknown, line)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
