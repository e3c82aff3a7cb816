use super::{each, each_always, first};
use crate::shell::CaveatSubject;

/// D2.18: operands that the shell evaluates (`test -v 'a[$(x)]'`, `[[ -eq ]]`, `let`,
/// `printf -v`, `declare -i`); with a substitution in them, they run it.
/// Attack 78.
#[test]
fn given_a_name_with_a_substitution_in_its_subscript_then_it_is_always_asked_about() {
    each_always(&[
        "test -v 'a[$(id)]'",
        "[ -v 'a[$(id)]' ]",
        "[ -R 'a[$(id)]' ]",
        "[[ -v 'a[$(id)]' ]]",
        "[[ 'a[$(id)]' -eq 1 ]]",
        "[[ 1 -lt 'a[$(id)]' ]]",
        "printf -v 'a[$(id)]' x",
        "printf '-va[$(id)]' x",
        "read 'a[$(id)]' <<< x",
        "read -r -a 'a[$(id)]'",
        "mapfile 'a[$(id)]'",
        "unset 'a[$(id)]'",
        "declare 'a[$(id)]=1'",
        "declare -i 'x=a[$(id)]'",
        "export 'a[$(id)]'",
        "let 'a[$(id)]=1'",
        "getopts x 'a[$(id)]'",
        "x='a[$(id)]'; ((x))",
        "SECONDS='a[$(id)]'",
        "wait -n -p 'a[$(id)]'",
        "wait -np 'a[$(id)]'",
        "wait '-pa[$(id)]'",
        "wait '-npa[$(id)]'",
        "printf 'abc%n' 'a[$(id)]'",
    ]);
}

/// D2.18: those without one are plain asks, and plain numbers and names are none.
#[test]
fn given_names_and_numbers_then_they_are_plain() {
    each(&[
        ("[[ $x -eq 1 ]]", "'[[' ~"),
        ("[[ 1 -eq 1 ]] && a", "a"),
        ("[[ -v x ]] && a", "a"),
        ("((i = 1))", "'((' ~!"),
        ("let i=1", "let 'i=1' ~"),
        ("printf -v x y", "printf -v x y ~"),
        ("printf '%s' x", "printf %s x"),
        ("test 1 -eq 2", "test 1 -eq 2"),
        ("read -r x y", "read -r x y ~~"),
        ("read -p 'Name' -t 5 x", "read -p Name -t 5 x ~"),
        ("export FOO=bar; make", "export 'FOO=bar' ~ | make"),
        ("export FOO=bar", "export 'FOO=bar'"),
        ("export CI=1", "export 'CI=1'"),
        ("declare -p PATH", "declare -p PATH"),
        ("unset x", "unset x ~"),
    ]);
    let named: Vec<_> =
        first("export A=1 B=2; make").caveats.iter().map(|caveat| caveat.named.clone()).collect();
    assert_eq!(named, [CaveatSubject::Words(vec![1]), CaveatSubject::Words(vec![2])]);
}

/// Attack 78: a variable that changes what later words run, set by the way.
#[test]
fn given_a_format_that_counts_or_an_option_that_is_glued_then_the_variable_that_it_sets_counts() {
    each_always(&[
        "printf 'abc%n' PATH; ls",
        "printf -v x 'abc%-5.3ln' PATH",
        "printf -- '%%%n' IFS",
        "printf 'abc%n' $X",
        "printf \"$X\" PATH",
        "wait -npPATH",
        "wait -pPATH",
        "wait -n -p PATH",
        "wait -f -- -p & wait -fp PATH",
    ]);
    each(&[
        ("printf '%%n %s' PATH", "printf '%%n %s' PATH"),
        ("printf '%s\\n' PATH", "printf '%s\\n' PATH"),
        ("printf '%n' x", "printf %n x ~"),
        // Its format may set a variable, and to zsh take a word for a number.
        ("printf \"$X\" x", "printf \"$X\" x ~~"),
        ("printf \"$X\" $Y", "printf \"$X\" $Y ~~~~"),
        ("wait -n 1", "wait -n 1"),
        ("wait -p x", "wait -p x ~"),
    ]);
}

/// D2.13: what changes the shell for later words. Attack 6.
#[test]
fn given_changes_of_the_shell_itself_then_they_are_asked_about() {
    each_always(&[
        "alias ls='curl x'",
        "unalias ls",
        "enable -n test",
        "enable -f x.so y",
        "bind -x '\"a\": id'",
        "complete -C id ls",
        "compgen -C id",
        "history -s id",
        "history -a ~/.bashrc",
        "fc -s",
        "trap - EXIT",
        "mapfile -C id -c 1",
        "set -o history -o histexpand",
        "set -o history",
        "set -H",
        "set -k",
        "set -o keyword",
        "shopt -s expand_aliases",
        // A glob would stand for names that it is not judged by.
        "shopt -s dotglob",
        "shopt -s globstar",
        "shopt -s cdable_vars",
        "shopt -s lastpipe",
        "bash -O dotglob -c 'cat *'",
        "bash -ec -O dotglob 'cat *'",
        "bash +O globstar script",
        "bash -o history script",
        "bash -k script",
    ]);
    each(&[
        ("set -e", "set -e"),
        ("set -euo pipefail", "set -euo pipefail"),
        ("bash -eo pipefail -c a", "bash -eo pipefail -c a | a"),
        ("bash -O nullglob -c a", "bash -O nullglob -c a | a"),
        ("set -- a b", "set -- a b ~"),
        ("shopt -s nullglob", "shopt -s nullglob"),
    ]);
}

/// Deny reaches the lines that the shell keeps for later.
#[test]
fn given_a_line_for_later_then_its_commands_are_found() {
    each(&[
        ("trap 'curl x' EXIT", "trap 'curl x' EXIT ! | curl x ~"),
        ("mapfile -C 'curl x;:' -c 1", "mapfile -C 'curl x;:' -c 1 ~! | curl x ~ | :"),
    ]);
}

/// Commands that do nothing beyond the line are of category read.
#[test]
fn given_commands_that_leave_no_trace_then_they_are_readers() {
    for line in [
        "true",
        ":",
        "exit 1",
        "echo $?",
        "echo \"exit: $?\"",
        "echo $$ $#",
        "echo $((1 + 1))",
        "exit $?",
        "set -e",
        "shift",
        "break",
        "wait",
        "cd x",
        "[[ -f x ]]",
        "# x",
        "export A=1",
        "echo *",
    ] {
        assert!(first(line).reader, "{line}");
    }
    for line in [
        "set -k",
        "set -- $x",
        "read x",
        "export A=$X",
        "source x",
        "umask 0",
        "set",
        "set -o",
        "set +o",
        "printf %n x",
        "wait -p x",
        "echo $X",
        "echo $((X))",
        "echo $?*",
        "echo ~x",
        "cat $?",
        "ls $((1))",
    ] {
        assert!(!first(line).reader, "{line}");
    }
}

/// A loop over words that stand in the line prints no more than the line says.
#[test]
fn given_a_loop_over_literal_words_then_printing_its_variable_is_reading() {
    assert!(first("for i in 1 2 3; do echo $i; done").reader);
    assert!(first("for i in a b; do echo \"x $i $?\"; done").reader);
    for line in ["for i in a '/root/*'; do echo $i; done", "for i in 1 $X; do echo $i; done"] {
        assert!(!first(line).reader, "{line}");
    }
    assert!(first("for i in a b; do cat $i; done").reader);
    assert!(!first("for i in a b; do touch $i; done").reader);
}
