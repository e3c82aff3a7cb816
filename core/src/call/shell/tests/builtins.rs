use super::{each, each_always, first};
use crate::call::shell::Named;

/// Decisions, section 2: "operands that the shell evaluates (`test -v 'a[$(x)]'`, `[[ -eq ]]`, `let`,
/// `printf -v`, `declare -i`)"; with a substitution in them, they run it.
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
    ]);
}

/// Decisions, section 2: those without one are plain asks, and plain numbers and names are none.
#[test]
fn given_names_and_numbers_then_they_are_plain() {
    each(&[
        ("[[ $x -eq 1 ]]", "'[[' ~"),
        ("[[ 1 -eq 1 ]] && a", "a"),
        ("[[ -v x ]] && a", "a"),
        ("((i = 1))", "'((' ~"),
        ("let i=1", "let 'i=1' ~"),
        ("printf -v x y", "printf -v x y ~"),
        ("printf '%s' x", "printf %s x"),
        ("test 1 -eq 2", "test 1 -eq 2"),
        ("read -r x y", "read -r x y ~~"),
        ("read -p 'PATH' -t 5 x", "read -p PATH -t 5 x ~"),
        ("export FOO=bar", "export 'FOO=bar' ~"),
        ("export CI=1", "export 'CI=1'"),
        ("declare -p PATH", "declare -p PATH"),
        ("unset x", "unset x ~"),
    ]);
    let named: Vec<_> = first("export A=1 B=2").caveats.iter().map(|caveat| caveat.named.clone()).collect();
    assert_eq!(named, [Named::Words(vec![1]), Named::Words(vec![2])]);
}

/// Decisions, section 2: what changes the shell for later words.
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
    ]);
    each(&[
        ("set -e", "set -e"),
        ("set -euo pipefail", "set -euo pipefail"),
        ("set -o history", "set -o history ~"),
        ("set -k", "set -k ~"),
        ("set -- a b", "set -- a b ~"),
        ("shopt -s globstar", "shopt -s globstar"),
        ("shopt -s expand_aliases", "shopt -s expand_aliases ~"),
    ]);
}

/// Deny reaches the lines that the shell keeps for later.
#[test]
fn given_a_line_for_later_then_its_commands_are_found() {
    each(&[
        ("trap 'curl x' EXIT", "trap 'curl x' EXIT ! | curl x"),
        ("mapfile -C 'curl x;:' -c 1", "mapfile -C 'curl x;:' -c 1 ~! | curl x | :"),
    ]);
}

/// Commands that do nothing beyond the line are of category read.
#[test]
fn given_commands_that_leave_no_trace_then_they_are_readers() {
    for line in
        ["true", ":", "exit 1", "exit $?", "set -e", "shift", "break", "wait", "cd x", "[[ -f x ]]", "# x"]
    {
        assert!(first(line).reader, "{line}");
    }
    for line in ["set -k", "set -- $x", "read x", "export A=1", "source x", "umask 0"] {
        assert!(!first(line).reader, "{line}");
    }
}
