//! Names that are set: assignments, arrays, and the commands that set and evaluate.

use super::Make;
use super::words::inside;

pub(super) const STATEMENTS: &[(&str, Make)] = &[
    ("assignment", |g| {
        let (text, good) = (g.text(), g.good());
        let name = g.of(&["x", "y", "x+", "LANG", "NO_COLOR", "TERM"]);
        if g.random.once_in(2) { format!("{name}={text}") } else { format!("{name}={text} {good}") }
    }),
    ("element assignment", |g| {
        let text = g.text();
        format!("x[{}]={text}", g.of(&["1", "0", "b", "'1'", "1+1", "$v"]))
    }),
    ("array", |g| {
        let (first, second) = (g.text(), g.text());
        let sign = g.of(&["=", "=", "+="]);
        format!("a{sign}({first} {second})")
    }),
    ("array with keys", |g| {
        let (key, text) = (g.text(), g.plain());
        let key = if g.random.once_in(3) { "1".to_owned() } else { key };
        format!("a{}([{key}]={text})", g.of(&["=", "+="]))
    }),
    ("declare", |g| {
        let text = g.text();
        let command = g.of(&[
            "declare",
            "typeset",
            "local",
            "export",
            "readonly",
            "declare -i",
            "declare -a",
            "declare -A",
            "declare -ia",
            "declare -g",
            "typeset -i",
            "integer",
            "declare -x",
            "float",
        ]);
        match g.random.below(4) {
            0 => format!("{command} a={text}"),
            1 => format!("{command} a=({text})"),
            2 => format!("{command} a; a={text}"),
            _ => format!("{command} {text}"),
        }
    }),
    ("read", |g| {
        let text = g.text();
        match g.random.below(4) {
            0 => format!("declare -i a; read a <<<{text}"),
            1 => format!("read a <<<{text}"),
            2 => format!("read {text} <<<x"),
            _ => format!("read -r {} <<<x", g.of(&["a", "a b", "a[1]", "-a b", "'a[1]'"])),
        }
    }),
    ("printf into a name", |g| {
        let text = g.text();
        match g.random.below(3) {
            0 => format!("printf -v a %s {text}"),
            1 => format!("printf -v {text} x"),
            _ => format!("declare -i a; printf -v a %s {text}"),
        }
    }),
    ("let", |g| {
        let inside = inside(g);
        format!(
            "let {}",
            g.of(&["x=1", "x++", "x=1+1"]).to_owned()
                + if inside.starts_with('\'') { " " } else { " #" }
                + &inside
        )
    }),
    ("arithmetic command", |g| {
        let inside = inside(g);
        format!("(({inside}))")
    }),
    ("test", |g| {
        let (text, other) = (g.text(), g.plain());
        match g.random.below(6) {
            0 => format!("[ -n {text} ]"),
            1 => format!("[ {text} = {other} ]"),
            2 => format!("test -e {other}"),
            3 => format!("[ -v {text} ]"),
            4 => format!("[ {text} -eq 1 ]"),
            _ => format!("[ -f a.txt -a {other} \\> x ]"),
        }
    }),
    ("double brackets", |g| {
        let (text, other, bad) = (g.text(), g.plain(), g.bad());
        match g.random.below(9) {
            0 => format!("[[ -n {text} ]]"),
            1 => format!("[[ {other} == {text} ]]"),
            2 => format!("[[ {other} || {bad} ]]").replace("cat .env", "./evil"),
            3 => format!("[[ x > {} ]]", g.of(&["pwned", "src/main.rs", "y"])),
            4 => format!("[[ {text} -eq 1 ]]"),
            5 => format!("[[ -v {text} ]]"),
            6 => format!("[[ {other} =~ {} ]]", g.of(&["^a", "a|b", "(a|b)", "a*", "'x'"])),
            7 => "[[ a < b && c > d ]]".to_owned(),
            _ => format!("[[ -e {other} && ! -d {other} ]]"),
        }
    }),
    ("set by others", |g| {
        let text = g.text();
        let form = g.random.below(7);
        match form {
            0 => format!("unset {text}"),
            1 => format!("export {text}"),
            2 => format!("mapfile -t a <<<{text}"),
            3 => format!("getopts a {text}"),
            4 => format!("declare -n r={text}; r=1"),
            5 => format!("set -- {text}; echo $1"),
            _ => format!("IFS={text}"),
        }
    }),
];
