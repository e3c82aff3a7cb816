use super::{each, each_always, first, shown};
use crate::shell::Word;

/// D2.3: All simple commands are collected: lists, pipelines, subshells, groups,
/// conditionals, loops, functions, `case`, command and process substitutions. Attack 6.
#[test]
fn given_any_form_of_command_then_every_simple_command_in_it_is_found() {
    each(&[
        ("a; b && c || d & e | f |& g\nh", "a | b | c | d | e | f | g | h"),
        ("(a; { b; }); ! c", "a | b | c"),
        ("if a; then b; elif c; then d; else e; fi", "a | b | c | d | e"),
        ("while a; do b; done; until c; do d; done", "a | b | c | d"),
        ("for x in 1 2; do a; done", "a"),
        ("for ((i=0; i<3; i++)); do a; done", "a"),
        ("case $x in y|z) a;; *) b;& (q) c;;& esac", "a | b | c"),
        ("coproc X { a; }; coproc b", "a | b"),
        ("time -p a", "a"),
        ("time -- a", "a"),
        ("[[ -f x && $y == z* ]] && a", "a"),
        ("((1 + 2)) && a", "a !"),
        ("a # b\n# c\nd", "a | d"),
        ("a \\\n  b", "a b"),
        ("echo hi#; a", "echo 'hi#' | a"),
        ("echo \\\\\na", "echo '\\' | a"),
        ("diff <(a) >(b)", "diff <( a ) >( b ) | a | b"),
    ]);
}

/// Attack 204: bash writes a substitution down anew before it runs it, as `coproc COPROC git log`, and takes the name that
/// it gave for the command.
#[test]
fn given_a_coprocess_without_a_name_in_a_substitution_then_it_is_not_understood() {
    each_always(&["a \"$(coproc git log)\"", "a <(coproc b)", "a `coproc b`", "a $(b; (coproc c d))"]);
    each(&[("a $(coproc X { b; })", "a $(coproc X { b; }) | b"), ("coproc b; c $(d)", "b | c $(d) | d")]);
}

/// D2.20: Wrappers that only change how ... are looked through, for every effect.
#[test]
fn given_transparent_wrappers_then_the_command_behind_them_counts_and_the_whole_stays_for_denials() {
    let timed = first("time timeout 5 make x");
    assert_eq!(timed.words, ["make", "x"].map(Word::from));
    let outer: Vec<_> =
        timed.outer.iter().map(|words| words.iter().map(Word::text).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(outer, ["time timeout 5 make x", "timeout 5 make x"]);
}

/// D2.21: Wrappers that change what or who ...: deny and ask reach inside; allow needs
/// the wrapper and the inner command allowed.
#[test]
fn given_other_wrappers_then_both_are_accesses() {
    each(&[
        ("sudo /bin/rm x", "sudo /bin/rm x | /bin/rm x"),
        ("sh -c 'a; b' x", "sh -c 'a; b' x | a | b"),
        ("eval 'a; b'", "eval 'a; b' | a | b"),
        ("nice bash -c 'a | b'", "bash -c 'a | b' | a | b"),
    ]);
    each_always(&["eval $x", "sh -c \"$x\"", "eval 'a;;b'", "bash -c \"rm $x\" y"]);
}

/// D2.13: functions named like commands.
#[test]
fn given_a_function_then_its_body_is_judged_and_its_name_is_always_asked_about() {
    each(&[
        ("f() { a; }; f x", "a | f x !"),
        ("function git { a; }; git log", "a | git log !"),
        ("f() ( a ) > o; timeout 1 f", "write(/w/o) | a | f !"),
        ("b; f() if a; then c; fi", "b | a | c"),
    ]);
}

/// What a `for` goes through is known where the line says so, and nothing else sets its variable.
#[test]
fn given_a_loop_then_its_variable_is_what_its_values_have_in_common() {
    let of = |line: &str| first(line).words.get(1).cloned();
    let open = |line: &str| match of(line) {
        Some(Word::Open(open)) => {
            open.pieces.iter().map(|piece| piece.as_deref().unwrap_or("*")).collect::<String>()
        }
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(of("for f in a.c; do wc $f; done"), Some("a.c".into()));
    assert_eq!(open("for f in src/*.rs; do wc -l \"$f\"; done".replace(" -l", "").as_str()), "src/*.rs");
    assert_eq!(open("for f in a.c b.c; do cc $f; done"), "*.c");
    assert_eq!(open("for f in ab ab; do cc $f; done"), "ab*");
    assert_eq!(open("for f in a b; do cc x$f; done"), "x*");
    // What only reads is read for each of them.
    assert_eq!(shown("for f in a.c b.c; do wc $f; done"), "wc a.c | wc b.c");
    assert_eq!(open("for f in a; do wc $f; f=b; done"), "*");
    assert_eq!(open("for f in a; do wc $f; read f; done"), "*");
    assert_eq!(shown("for c in rm; do $c -rf x; done"), "rm -rf x");
    assert_eq!(shown("for c in 'rm -rf'; do $c x; done"), "$c x !");
    // A shell inside has variables of its own.
    assert!(shown("for f in a; do sh -c 'wc $f'; done").ends_with("wc $f"));
}

/// PowerShell and `cmd` lines are recognised as not understood.
#[test]
fn given_a_line_of_another_kind_of_shell_then_it_is_not_understood_and_the_reason_says_so() {
    let reason = |line: &str| {
        let access = first(line);
        assert!(!access.understood, "{line}");
        access.caveats.first().map(|caveat| caveat.reason.clone()).unwrap_or_default()
    };
    for line in [
        "Get-ChildItem",
        "Remove-Item -Recurse -Force x",
        "Get-ChildItem | ForEach-Object { $_.Name }",
        "echo $env:PATH",
        "[System.IO.File]::Delete('x')",
        "ls; Invoke-WebRequest x",
    ] {
        assert_eq!(reason(line), "a line for PowerShell", "{line}");
    }
    for line in ["dir /s", "del /q x", "copy a b /y", "set X=1", "if exist x del x", "type %USERPROFILE%"] {
        assert_eq!(reason(line), "a line for cmd", "{line}");
    }
    each(&[
        ("git commit -m 'Get-Item and dir /s'", "git commit -m 'Get-Item and dir /s'"),
        ("ls /s", "ls /s"),
    ]);
}

/// `((` whose parentheses do not close together is two subshells: what stands there runs.
#[test]
fn given_two_parentheses_that_stand_apart_then_they_are_no_arithmetic() {
    for line in ["((1) )", "( (1))", "((a) )", "(( 1 ) )", "((1)\n)"] {
        let accesses = super::read(line);
        let runs = super::shell_accesses(&accesses)
            .any(|shell| !shell.understood || !shell.words.is_empty() && shell.words[0] != "((".into());
        assert!(runs, "{line:?}: {accesses:#?}");
    }
}
