//! Words and values that a shell evaluates as numbers: a name in them stands for what its variable holds, and the commands that
//! a subscript in that substitutes are run (D2.18).

use super::*;

/// What gives `x` a text that nobody knows before.
const SOURCES: &[&str] = &[
    "x=$(cat f); ",
    "x=`cat f`; ",
    "x=\"$(git log -1 --format=%s)\"; ",
    "read -r x < f; ",
    "IFS= read -r x < f && ",
    "cat f | while read -r x; do {}; done",
    "while read -r x; do {}; done < f",
    "for x in d/*; do {}; done",
    "for x in $(cat f); do {}; done",
];

/// What bash and zsh evaluate.
const ANY_SHELL: &[&str] = &[
    "[[ x -eq 1 ]]",
    "[[ $x -eq 1 ]]",
    "[[ 1 -lt x ]]",
    "[[ 1 -ge \"$x\" ]]",
    "[[ -n a && x -ne 2 ]]",
    "[[ ! x -gt 2 ]]",
    "[[ x+1 -gt 2 ]]",
    "[[ -v $x ]]",
    "test -v \"$x\"",
    "let x",
    "let x+1",
    "let \"$x\"",
    "echo $((x))",
    "echo $((1 + $x))",
    "echo $[x]",
    "echo ${a[x]}",
    "echo ${a[$x]}",
    "a[x]=1",
    "a=([x]=1)",
    "a=(1 [x]=2)",
    "OPTIND=$x",
    "OPTIND=x",
    "OPTIND=\"$x\"",
    "RANDOM=$x",
    "RANDOM=x",
    "SRANDOM=$x",
    "HISTCMD=$x",
    "MAILCHECK=x",
    "OPTIND+=$x",
    "OPTIND=1$x",
    "read OPTIND < f",
    "read -r RANDOM < f",
    "export OPTIND=$x",
    "export OPTIND=x",
    "declare RANDOM=\"$x\"",
    "typeset OPTIND=x",
    "printf -v OPTIND %s \"$x\"",
    "mapfile -t OPTIND < f",
    "for OPTIND in $x; do :; done",
];

/// What zsh evaluates besides.
const ZSH: &[&str] = &[
    "exit x",
    "exit $x",
    "exit \"$x\"",
    "(exit $x)",
    "return x",
    "return $x",
    "break x",
    "continue $x",
    "shift x",
    "shift \"$x\"",
    "logout $x",
    "[ -t x ]",
    "[ -t \"$x\" ]",
    "test -t $x",
    "[[ -t x ]]",
    "[[ -t $x ]]",
    "printf %d x",
    "printf %d \"$x\"",
    "printf '%5d\\n' $x",
    "printf '%s %d\\n' a x",
    "printf '%*s' x a",
    "printf '%.*f' x 1",
    "printf '%1$d' x",
    "printf -- %x x",
    "printf '-%d' x",
    "printf \"$x\" x",
    "printf '%d' 1 2 x",
    "printf '\\u0025d' x",
    "printf '\\u0025n' x",
    "printf '%\\u0064' \"$(cat f)\"",
    "printf 'a \\U00000025n' \"$(cat f)\"",
    "print -f %d x",
    "SECONDS=$x",
    "SECONDS=x",
    "HISTSIZE=$x",
    "SAVEHIST=x",
    "COLUMNS=$x",
    "LINES=\"$x\"",
    "COLUMNS=x",
    "KEYTIMEOUT=$x",
    "LISTMAX=$x",
    "SHLVL=$x",
    "UID=$x",
    "EGID=x",
    "FUNCNEST=$x",
    "ERRNO=$x",
    "REPORTTIME=$x",
    "DIRSTACKSIZE=x",
    "ZLE_RPROMPT_INDENT=$x",
    "read SECONDS < f",
    "export COLUMNS=$x",
    "for SECONDS in x; do :; done",
];

fn lines_of(evaluating: &[&str]) -> BTreeSet<String> {
    let ends = ["", " && echo y", " || ls", "; echo y"];
    let with = |source: &str, line: &str| match source.split_once("{}") {
        Some((begin, end)) => format!("{begin}{line}{end}"),
        None => format!("{source}{line}"),
    };
    let line = |source| {
        evaluating.iter().flat_map(move |line| ends.map(|end| with(source, &format!("{line}{end}"))))
    };
    SOURCES.iter().flat_map(|source| line(source)).collect()
}

/// D2.18, attacks 78 and 583: what comes from a file, a commit or a file's name runs where a shell takes it for a number.
#[test]
fn given_what_nobody_knows_where_a_shell_evaluates_then_it_is_asked_about_always() {
    for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Unknown] {
        none_allowed(dialect, &lines_of(ANY_SHELL));
    }
    for dialect in [Dialect::Zsh, Dialect::Unknown] {
        none_allowed(dialect, &lines_of(ZSH));
    }
}

/// The same, where it is a number for certain, or no number is expected: nothing is asked about. Attack 78.
#[test]
fn given_numbers_where_a_shell_evaluates_then_nothing_is_asked_about() {
    let lines = [
        "[[ 1 -eq 1 ]]",
        "[[ $# -gt 0 ]]",
        "[[ $? -eq 0 ]]",
        "[[ $(wc -l < f) -gt 5 ]] && echo many",
        "[[ -v x ]]",
        "[[ -t 1 ]] && echo y",
        "test -t 0",
        "cat f; exit $?",
        "exit 0",
        "cat f; rc=$?; echo $rc; exit $rc",
        "printf '%s\\n' \"$(cat f)\"",
        "printf '%d\\n' 5",
        "printf '\\033[31m%s\\033[0m\\n' \"$(cat f)\"",
        "printf '\\u2713 %s\\n' a",
        "printf '%d\\n' $(wc -l < f)",
        "printf '%s: %d\\n' \"$(cat f)\" 5",
        "printf '%s %s\\n' a b c d",
        "printf '%d %s\\n' 1 \"$(cat f)\" 2 b",
        "COLUMNS=200 ls",
        "LINES=40 COLUMNS=80 ls -l",
        "echo ${a[0]}",
    ];
    for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Unknown] {
        all_allowed(dialect, &lines);
    } // Counters are everywhere.
    let denied = policy(&[(Deny, "shell(touch *)")]);
    for line in [
        "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
        "i=0; for f in *.rs; do i=$((i+1)); done; echo $i",
        "for i in 1 2 3; do echo $((i*2)); done",
        "n=$(wc -l < f); echo $((n+1))",
        "n=$(wc -l < f); [[ $n -gt 5 ]] && echo many",
        "[[ $# -gt 0 ]] && echo y",
        "x=$(cat f); [ \"$x\" -gt 3 ] && echo y",
        "x=$(cat f); [[ -n $x ]] && echo y",
        "x=$(cat f); [[ $x == a* ]] && echo $((1+2))",
        "let i=1; let i+=1; echo $i",
        "printf '%s\\n' count; echo $((count+1))",
        "COLUMNS=$((80+20)) ls",
    ] {
        assert_eq!(in_mode(&denied, &line_for(Dialect::Bash, line), Mode::Auto).effect, Allow, "{line}");
    }
}
