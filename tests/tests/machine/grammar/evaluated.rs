//! Values that come from a file, where a shell takes them for numbers: a name among them stands for what its variable holds.

use super::{Grammar, Make};

pub(super) const STATEMENTS: &[(&str, Make)] = &[
    ("evaluated value", |g| {
        let evaluates = evaluating(g);
        match g.random.below(7) {
            0 | 1 => format!("x=$(cat number.txt); {evaluates}"),
            2 => format!("read -r x < number.txt; {evaluates}"),
            3 => format!("while read -r x; do {evaluates}; done < number.txt"),
            4 => format!("for x in $(cat number.txt); do {evaluates}; done"),
            5 => format!("cat number.txt | while read x; do {evaluates}; done"),
            _ => format!("x=$(head -1 number.txt) && {evaluates}"),
        }
    }),
    ("variable held as a number", |g| {
        let name = g.of(&[
            "OPTIND",
            "RANDOM",
            "SRANDOM",
            "HISTCMD",
            "SECONDS",
            "COLUMNS",
            "LINES",
            "HISTSIZE",
            "SAVEHIST",
            "SHLVL",
            "UID",
            "EGID",
            "MAILCHECK",
            "KEYTIMEOUT",
            "LISTMAX",
            "FUNCNEST",
            "TMOUT",
            "LINENO",
            "v",
        ]);
        match g.random.below(6) {
            0 => format!("x=$(cat number.txt); {name}=$x"),
            1 => format!("x=$(cat number.txt); {name}=x"),
            2 => format!("{name}=$(cat number.txt)"),
            3 => format!("read {name} < number.txt"),
            4 => format!("export {name}=$(cat number.txt)"),
            _ => format!("{name}=1 ls"),
        }
    }),
];

/// A command in which `x` is evaluated by some shell, or by none.
fn evaluating(g: &mut Grammar) -> &'static str {
    g.of(&[
        "[[ x -eq 1 ]]",
        "[[ $x -lt 2 ]]",
        "[[ 1 -ge x ]]",
        "[[ -v $x ]]",
        "[[ -t x ]]",
        "[ \"$x\" -eq 1 ]",
        "[ -t $x ]",
        "test x -eq 1",
        "let x",
        "echo $((x))",
        "echo $[x]",
        "echo ${a[x]}",
        "echo ${v:x}",
        "a=([x]=1)",
        "exit x",
        "exit $x",
        "(exit $x)",
        "return $x",
        "shift x",
        "break $x",
        "printf %d x",
        "printf '%d\\n' \"$x\"",
        "printf '%s %d' a x",
        "printf '%*s' x a",
        "printf '%s\\n' \"$x\"",
        "printf '\\u0025d' \"$x\"",
        "printf '\\u0025n' \"$x\"",
        "printf '%\\u0064\\n' x",
        "printf '\\x25d\\n' \"$x\"",
        "echo \"$x\"",
        "wait $x",
        "kill -0 x",
        "ulimit -n x",
        "umask x",
        "cut -c x a.txt",
        "head -n \"$x\" a.txt",
        "unset \"$x\"",
        "unset x",
        "read -t x y",
        "declare -i x",
        "set -- $x",
    ])
}
