use super::{each, each_always, first, shown};
use crate::shell::Word;

/// D2.8: Literal means after quotes are removed and `~`, `$HOME`, `$PWD` and braces are
/// expanded.
#[test]
fn given_quotes_then_the_word_is_what_the_command_gets() {
    each(&[
        ("su\"\"do id", "sudo id | id"),
        ("'echo' a\\ b \"c d\" 'e'\"f\"g", "echo 'a b' 'c d' efg"),
        (r"echo $'a\x41\101\n' \$x '$x' \`x\`", "echo 'aAA\n' '$x' '$x' '`x`'"),
        ("echo ~ ~/x $HOME ${HOME}/y \"$PWD/z\" ~+", "echo /home/me /home/me/x /home/me /home/me/y /w/z /w"),
        ("echo '~' \"~\" a~ \\~", "echo '~' '~' 'a~' '~'"),
        ("echo PREFIX=~/x", "echo 'PREFIX=/home/me/x'"),
        ("echo a{b,c}{1..2} {x} {} \"{a,b}\" '{a,b}'", "echo ab1 ab2 ac1 ac2 '{x}' '{}' '{a,b}' '{a,b}'"),
        ("echo {01..3} {c..a} {a,b{c,d}} {,x}y", "echo 01 02 03 c b a a bc bd y xy"),
        ("echo ${HOME", "?"),
    ]);
}

/// The pieces of a line's second word, whether it splits, and whether it is a glob.
fn open(line: &str) -> (Vec<Option<String>>, bool, bool) {
    match first(line).words.get(1) {
        Some(Word::Open(open)) => (open.pieces.clone(), open.splits, open.glob),
        other => panic!("{line}: {other:?}"),
    }
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// D2.9: A word with another expansion or a glob matches a deny, an ask or a protection
/// if it could; it never matches the literal part of an allow.
#[test]
fn given_expansions_and_globs_then_the_word_is_open() {
    assert_eq!(open("ls src/*.rs"), (vec![text("src/"), None, text(".rs")], true, true));
    assert_eq!(open("ls .e?v"), (vec![text(".e"), None, text("v")], true, true));
    assert_eq!(open("ls [ab]c"), (vec![None, text("c")], true, true));
    assert_eq!(open("ls ?(a|b)c"), (vec![None, text("c")], true, true));
    assert_eq!(
        open("ls app/[id]/x[ab]y"),
        (vec![text("app/"), None, text("/x"), None, text("y")], true, true)
    );
    assert_eq!(open("ls $x/y"), (vec![None, text("/y")], true, false));
    assert_eq!(open("ls \"$x/y\""), (vec![None, text("/y")], false, false));
    assert_eq!(open("ls \"$@\""), (vec![None], true, false));
    assert_eq!(open("ls \"a $(b) c\""), (vec![text("a "), None, text(" c")], false, false));
    assert_eq!(open("ls *$x"), (vec![None], true, false));
    assert_eq!(open("ls ~root/x"), (vec![None, text("/x")], false, false));
}

/// Seen in other gates: "the caller has to recurse into DoubleQuotedSequence and CommandSubstitution text".
#[test]
fn given_substitutions_then_their_commands_are_found_wherever_they_stand() {
    each(&[
        ("echo $(id)", "echo $(id) | id"),
        ("echo \"a `id` b\"", "echo \"a `id` b\" | id"),
        ("echo $\"$(id)\"", "echo $\"$(id)\" | id"),
        ("echo {a,$(id)}", "echo a $(id) | id"),
        (
            "echo $(echo $(echo \"$(id)\"))",
            "echo $(echo $(echo \"$(id)\")) | echo $(echo \"$(id)\") | echo \"$(id)\" | id",
        ),
        ("cat <(id) x", "cat <( id ) x | id"),
        ("cat <<<\"$(id)\"", "cat ~ | id"),
        ("cat <<E\n\"$(id)\"\nE", "cat | id"),
        ("a=$(id) ls", "a=$(id) ls ~ | id"),
        ("a=(x $(id)); ls", "a=(x $(id)) | id | ls"),
        ("case $(id) in $(w)) ls;; esac", "id | w | ls"),
        ("[[ -n $(id) ]]", "id"),
        ("for x in $(id); do ls; done", "id | ls"),
        ("echo > $(id)", "echo ~ | id"),
        ("echo >& \"$(id)\"", "echo !~ | id"),
        ("f() { ls; } > $(id)", "id | '{' ~ | ls"),
    ]);
}

/// Refuse on any error, parse inside substitutions and here-documents.
#[test]
fn given_an_inner_text_that_does_not_parse_then_the_line_is_not_understood() {
    for line in [
        "echo $(ls &&)",
        "echo \"$(ls &&)\"",
        "echo `ls &&`",
        "cat <<E\n$(ls &&)\nE",
        "echo ${V:-$(id)}",
        "echo ${V+`id`}",
        "echo ${V/x/$(id)}",
        "echo ${V:-\"$(id)\"}",
        "echo \"${V:-'$(id)'}\"",
        "echo $[$(id)0]",
        "echo $(( $(id) ))",
        "echo ${a[$(id)]}",
        "a[$(id)]=1 ls",
        "a=([$(id)]=1)",
        "((x=$(id)))",
        "echo ${x:$(id)}",
        "echo `echo \\`id\\``",
        "echo \"${x",
        "ls ;; pwd",
    ] {
        assert_eq!(shown(line), "?", "{line}");
    }
}

/// Treat expansions with operators as not understood: the plain ones are open words. Attack 78.
#[test]
fn given_operators_then_only_plain_operands_pass() {
    let plain = "echo ${x:-default value} ${x-a} ${x:+b} ${#x} ${x%.*} ${x##*/} ${x/a/b} ${x//a} ${x^^} ${x,} ${x:0:5} ${a[@]} ${a[1]}";
    assert!(first(plain).caveats.is_empty(), "{:?}", first(plain).caveats);
    each(&[
        ("echo ${x:-$y}", "echo ${x:-$y} ~"),
        ("echo ${a[i]}", "echo ${a[i]} ~"),
        ("echo $((x+1))", "echo $((x+1)) ~"),
    ]);
    assert_eq!(shown("echo $((1 + 2 * (3 - 1)))"), "echo $((1 + 2 * (3 - 1)))");
    each_always(&[
        "echo ${x:=y}",
        "echo ${x=y}",
        "echo ${x@P}",
        "echo \"${x@Q}\"",
        "echo ${!x}",
        "echo ${!x*}",
        "echo ${x:-${y:=z}}",
        "echo $((PATH=1))",
    ]);
}

/// D2.12: Caveats, asked about with `always = true`: ... command words that are not
/// literal. Attack 6.
#[test]
fn given_a_command_word_that_is_not_literal_then_it_is_always_asked_about() {
    each_always(&[
        "$x y",
        "${x:-curl} y",
        "X=rm; $X -rf y",
        "$(echo rm) y",
        "`echo rm` y",
        "/usr/bin/s?do id",
        "sudo${IFS}id",
        "\"$@\"",
        "'' x",
        "timeout 5 $x",
        "$(cat <<'E'\nrm x\nE\n)",
        "~nobody/x",
    ]);
}

/// Seen in other gates (Roo Code): forms that run code in zsh.
#[test]
fn given_forms_of_other_shells_then_the_line_is_asked_about() {
    each_always(&[
        "cat =ls",
        "cat =(id)",
        "ls *(e:id:)",
        "ls *(e.id.)",
        "ls *(+id)",
        "ls @(a;b|c)",
        "echo @(\"(\"); id #)",
        r"echo $'\'; id #'",
        "((id -u))",
    ]);
    // Both are one word for every shell.
    each(&[
        ("[ a = b ]", "'[' a '=' b ']'"),
        ("[ a == b ]", "'[' a '==' b ']'"),
        ("echo a=b =", "echo 'a=b' '='"),
    ]);
}

/// A comment inside of a substitution hides its end from a parser that reads on.
#[test]
fn given_a_comment_at_the_end_of_a_substitution_then_the_line_is_not_understood() {
    for line in [
        "echo $(ls  # ) '\n id\n); echo \\'",
        "echo $(ls # )\n id\n)",
        "echo \"$(ls # )\n id\n)\"",
        "echo $(ls  # ')\n id) '",
    ] {
        assert_eq!(shown(line), "?", "{line}");
    }
    assert_eq!(shown("echo $(ls a#b)"), "echo $(ls a#b) | ls 'a#b'");
}

/// D2.8: `$HOME` is literal, unless the line or the request sets it.
#[test]
fn given_a_line_that_sets_home_then_home_is_not_known() {
    for line in ["HOME=/x; cat ~/y", "export HOME=/x; cat ~/y", "for HOME in /x; do cat ~/y; done"] {
        assert!(super::always(line), "{line}");
        assert!(!shown(line).contains("/home/me"), "{line}: {}", shown(line));
    }
    assert!(shown("echo HOME $HOME").contains("$HOME"));
}

/// D2.9: A word with another expansion or a glob matches a deny, an ask or a protection if it could.
/// What stands in a bracket may be quoted, be a class or hold the sign that closes it.
/// Attack 75.
#[test]
fn given_a_bracket_then_nothing_in_it_is_known_however_it_is_written() {
    for bracket in [
        "[n]",
        "[]n]",
        "[!]a]",
        "[^]a]",
        "[[:alpha:]]",
        "[\\n]",
        "['n']",
        "[\"n\"]",
        "[a-\\z]",
        "[$'n']",
        "[\\]n]",
        "[a]n]",
    ] {
        let word = format!(".e{bracket}v");
        assert_eq!(open(&format!("ls {word}")), (vec![text(".e"), None, text("v")], true, true), "{word}");
    }
    for word in [".e[$x]v", ".e[\"$x\"]v", ".e[`b`]v", ".e[$((1))]v"] {
        let (pieces, splits, glob) = open(&format!("ls {word}"));
        assert_eq!((pieces, splits, glob), (vec![text(".e"), None, text("v")], true, false), "{word}");
    }
    each(&[
        ("ls a[$(b)]c", "ls a[$(b)]c | b"),
        ("ls a[\"$(b)\"'x]'c", "ls a[\"$(b)\"'x]'c | b"),
        ("ls a['x]/y'", "?"),
        ("ls a[ 'x]'", "ls 'a[' 'x]'"),
        ("ls a[/x]", "ls 'a[/x]'"),
        ("ls a[", "ls 'a['"),
    ]);
}
