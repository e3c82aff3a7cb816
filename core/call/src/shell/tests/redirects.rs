use super::{each, each_always, first, shown, touched};
use crate::shell::Use;

/// D2.23: Redirections are `read` and `write` accesses (`/dev/null` and descriptor
/// copies are not).
#[test]
fn given_redirections_then_files_are_accesses_and_descriptors_are_not() {
    each(&[
        ("a > o", "a | write(/w/o)"),
        ("a >> o 2>| e", "a | write(/w/o) | write(/w/e)"),
        ("a &> o", "a | write(/w/o)"),
        ("a &>> o", "a | write(/w/o)"),
        ("a >& o", "a | write(/w/o)"),
        ("a < i", "a | read(/w/i)"),
        ("a <> x", "a | read(/w/x) | write(/w/x)"),
        ("> o", "write(/w/o)"),
        ("> o a", "a | write(/w/o)"),
        ("a {fd}> o", "?"),
        ("{ a; } > o", "write(/w/o) | a"),
        ("(a) < i", "read(/w/i) | a"),
        ("if a; then b; fi > o", "write(/w/o) | a | b"),
        ("[[ x ]] > o", "write(/w/o)"),
        ("a 2>&1 >&2 <&3 3>&-", "a"),
        ("a > /dev/null 2> /dev/null", "a"),
        ("a > '/dev/null'", "a"),
        ("a > ~/x", "a | write(/home/me/x)"),
        ("a > \"$PWD/x\"", "a | write(/w/x)"),
        ("exec 3> o", "exec | write(/w/o)"),
        ("exec > o", "exec | write(/w/o)"),
        ("cd s && a > o", "cd s | a | write(/w/s/o)"),
    ]);
    assert_eq!(shown("a > /dev/null/../../etc/passwd"), "a | write(/etc/passwd)");
}

/// D2.15: redirections to non-literal targets are plain asks.
#[test]
fn given_a_target_that_is_not_literal_then_it_is_asked_about_and_could_be_any_file() {
    each(&[
        ("a > $x", "a ~"),
        ("a < *.c", "a ~"),
        ("a > {b,c}", "a !! | write(/w/b) | write(/w/c) | write(/w/{b,c})"),
        ("{ a; } > $x", "'{' ~ | a"),
    ]);
    assert_eq!(touched("a > x$y"), ["/w/x*"]);
    assert!(matches!(first("a > $x").touches.first().map(|touch| touch.how), Some(Use::Write(_))));
}

/// bash expands the word of `>&` a second time, when its quotes are gone.
#[test]
fn given_a_word_that_is_expanded_twice_then_it_is_always_asked_about() {
    each_always(&["a >&'$(id)'", "a >&\\$x", "a >&$x", "a <&\"$x\"", "a >&'x y'"]);
}

/// A redirection can open a connection.
#[test]
fn given_a_network_target_then_it_is_always_asked_about() {
    each_always(&["a > /dev/tcp/h/80", "exec 3<>/dev/tcp/h/80", "a < /dev/udp/h/53", "a > //dev/tcp/h/1"]);
}

/// "Refuse on any error": where the parser reads another command than bash does, nothing is understood. bash runs `rm`
/// here, and `2`.
/// Attack 75.
#[test]
fn given_a_redirection_that_the_parser_reads_otherwise_then_the_line_is_not_understood() {
    each(&[
        (">&-rm x", "?"),
        ("a 2>&-rm x", "?"),
        ("2>& -rm x", "?"),
        ("<&-''rm x", "?"),
        (">&\\\n-rm x", "?"),
        (">&- rm x", "rm x"),
        ("a 2>&-;rm x", "a | rm x"),
        ("cat <<E 2 >x\nE", "?"),
        ("<<'E' 2 >x\nE", "?"),
        ("cat <<E \"a\nb\" 2 >x\nE", "?"),
        ("cat <<-E;2  <x\nE", "?"),
        ("cat <<E 2>x\nE", "cat | write(/w/x)"),
        ("cat <<E\n2 > x\nE", "cat"),
        ("cat <<E >x2 <y\nE", "cat | write(/w/x2) | read(/w/y)"),
        ("2 >x", "2 | write(/w/x)"),
    ]);
}

/// "Refuse on any error": a process substitution is a part of the word that it stands in.
/// Attack 75.
#[test]
fn given_a_process_substitution_inside_of_a_word_then_the_line_is_not_understood() {
    each(&[
        ("rm <(a)-rf", "?"),
        ("rm <(a)''", "?"),
        ("rm <(a)<(b)", "?"),
        ("rm x<(a)", "?"),
        ("a >>(b)c", "?"),
        ("a <(b)>c", "a <( b ) | b | write(/w/c)"),
        ("a <(b);c", "a <( b ) | b | c"),
        ("(a <(b))", "a <( b ) | b"),
        ("a > >(b) c", "a c | b"),
        ("a \"$(b <(c)d)\"", "?"),
        ("a \"$(b <(c))d\"", "a \"$(b <(c))d\" | b <( c ) | c"),
    ]);
}

/// "Refuse on any error": bash takes an array only behind the words that set variables.
/// Attack 75.
#[test]
fn given_an_array_where_bash_takes_none_then_the_line_is_not_understood() {
    each(&[
        ("x a=()", "?"),
        ("`x` a=()", "?"),
        ("$x a=(1)", "?"),
        ("\\declare a=()", "?"),
        ("command declare a=()", "?"),
        ("declare >y a=()", "?"),
        ("declare <(x) a=()", "?"),
    ]);
    for line in ["declare -a b a=()", "a=() b=()", "2>x declare a=(1)", "declare a=() >y", "eval b a=()"] {
        assert_ne!(shown(line), "?", "{line}");
    }
}

/// What a process substitution writes is for the command among whose words it stands, whatever else is substituted there.
#[test]
fn given_a_program_in_a_process_substitution_then_no_other_command_takes_it() {
    for line in [
        "sh <(echo 'rm x')",
        "sh <(echo 'rm x') <(echo y)",
        "sh <(echo 'rm x') $(true)",
        "sh <(echo 'rm x') > $(echo o)",
        "sh < <(echo 'rm x') 2> >(tee $(echo o))",
    ] {
        let runs = |words: &Vec<crate::shell::Word>| *words == ["rm".into(), "x".into()];
        assert!(first(line).outer.iter().any(runs), "{line}: {}", shown(line));
    }
    let read = super::read("cp <(echo 'rm x') >(sh)");
    let written = super::shell_accesses(&read).find(|shell| shell.text() == "sh").unwrap();
    assert!(written.outer.contains(&vec!["rm".into(), "x".into()]), "what `cp` reads it may write to `sh`");
}

/// A command without words writes nothing: what was substituted before it is no program of the shell behind the pipe.
#[test]
fn given_a_substitution_in_an_assignment_then_its_output_is_not_what_the_next_command_reads() {
    each_always(&["x=$(echo ls) | sh", "> $(echo ls) | sh"]);
}
