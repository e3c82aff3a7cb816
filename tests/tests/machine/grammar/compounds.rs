//! Compound commands, functions and lists.

use super::{Grammar, Make};

pub(super) const STATEMENTS: &[(&str, Make)] = &[
    ("group", |g| format!("{{ {}; }}", closed(g))),
    ("subshell", |g| format!("( {} )", closed(g))),
    ("if", |g| {
        let (first, second) = (closed(g), g.good());
        format!("if {second}; then {first}; {}fi", g.of(&["", "else echo b; ", "elif true; then ls; "]))
    }),
    ("while", |g| format!("while false; do {}; done", closed(g))),
    ("until", |g| format!("until true; do {}; done", closed(g))),
    ("for over words", |g| {
        let (text, command) = (g.text(), closed(g));
        format!("for x in {text} {}; do {command}; done", g.plain())
    }),
    ("for with its variable", |g| {
        let words = g.of(&[
            "a.txt b.txt",
            "src/*",
            "odd/*",
            "*.txt",
            "lk/*",
            "1 2",
            "'-n' x",
            "odd/-*",
            "$(ls odd)",
            "a{1,2}",
        ]);
        let command = g.of(&[
            "echo $x",
            "echo \"$x\"",
            "cat \"$x\"",
            "cat $x",
            "ls -- \"$x\"",
            "wc -l \"$x\"",
            "grep one $x",
            "echo ${x%.*}",
            "head \"$x\"",
            "sort $x",
        ]);
        format!("for x in {words}; do {command}; done")
    }),
    ("for arithmetic", |g| {
        let command = closed(g);
        format!(
            "for (({}; x<{}; x++)); do {command}; done",
            g.of(&["x=0", "x=1", "x=a[0]"]),
            g.of(&["1", "2", "b"])
        )
    }),
    ("select", |g| format!("select x in a b; do {}; break; done", g.good())),
    ("case", |g| {
        let (word, pattern, command) = (g.text(), g.text(), closed(g));
        let end = g.of(&[";;", ";;", ";&", ";;&", ";|"]);
        format!("case {word} in {}{pattern}) {command} {end} *) echo b;; esac", g.of(&["", "("]))
    }),
    ("function", |g| {
        let (body, word) = (closed(g), g.plain());
        match g.random.below(6) {
            0 => format!("f() {{ {body}; }}; f {word}"),
            1 => format!("function f {{ {body}; }}; f {word}"),
            2 => format!("f() ( {body} ); f"),
            3 => format!("function f() {{ {body}; }}; f"),
            4 => format!("f() {{ {body}; }} >/dev/null; f"),
            _ => format!("f() {{ echo \"$1\"; }}; f {word}"),
        }
    }),
    ("function with a program's name", |g| {
        let (name, bad) = (g.of(&["ls", "echo", "cat", "git", "true"]), g.bad());
        let body = if g.random.once_in(2) { g.good() } else { bad };
        format!("{name}() {{ {body}; }}; {name} a")
    }),
    ("alias", |g| {
        let (name, body) = (g.of(&["ls", "x", "echo"]), g.good());
        let bad = g.bad();
        let body = if g.random.once_in(2) { bad } else { body };
        format!("alias {}{name}='{body}'\n{name} a", g.of(&["", "", "-g ", "-s "]))
    }),
    ("negation", |g| format!("{}{}", g.of(&["! ", "! ! ", "time ", "time -p ", "time ! "]), g.good())),
    ("background", |g| {
        let (first, second) = (g.good(), g.command());
        format!("{first} & {second}")
    }),
    ("list", |g| {
        let (first, second) = (g.good(), closed(g));
        format!("{first}{}{second}", g.of(&[" && ", " || ", "; ", ";", "&&", "||", "\n"]))
    }),
    ("pipeline", |g| {
        let first = g.good();
        let last = g.of(&[
            "cat",
            "head -n 2",
            "sort",
            "wc -l",
            "grep a",
            "tail -n 1",
            "sed -n 1p",
            "uniq -c",
            "tr a b",
            "cut -c1",
            "awk '{print $1}'",
        ]);
        format!("{first} | {last}")
    }),
    ("change of folder", |g| {
        let folder =
            g.of(&["src", "odd", "sub", "lk", ".", "..", "-", "~", "lk/up", "lk/s", "~/.ssh", "src/.."]);
        let command = g.of(&[
            "cat c.txt",
            "ls",
            "cat *",
            "cat .env",
            "cat ../.env",
            "ls -la",
            "cat id_rsa",
            "grep -r . .",
            "sort *",
            "head *",
            "cat project/.env",
        ]);
        format!(
            "{} {folder} {} {command}",
            g.of(&["cd", "cd", "cd -P", "cd --", "pushd"]),
            g.of(&["&&", ";"])
        )
    }),
    ("exit before the rest", |g| {
        // Half of them show where they are by a link whose way back leads elsewhere.
        let command = if g.random.once_in(2) { super::names::read_by_link(g) } else { g.good() };
        format!(
            "{} ; {command}",
            g.of(&[
                "exit",
                "return",
                "exit 1",
                "exec",
                "break",
                "continue 2",
                "set -e",
                "set -u",
                "shopt -s extglob",
                "setopt nomatch",
                "set -o posix",
                "set -f",
                "emulate sh",
                "unsetopt glob"
            ])
        )
    }),
];

/// A command that may be followed by `;`.
fn closed(g: &mut Grammar) -> String {
    let command = g.command();
    if command.ends_with('\n') { command + ":" } else { command }
}
