//! What only zsh knows, and what it reads otherwise than other shells.

use super::Make;

pub(super) const STATEMENTS: &[(&str, Make)] = &[
    ("precommand modifier", |g| {
        let (good, bad) = (g.good(), g.bad());
        let command = if g.random.once_in(2) { bad } else { good };
        format!(
            "{} {command}",
            g.of(&[
                "repeat 1",
                "-",
                "noglob",
                "nocorrect",
                "coproc",
                "exec",
                "command",
                "builtin",
                "time",
                "!",
                "repeat 2 do",
                "eval"
            ])
        )
    }),
    ("short forms", |g| {
        let (good, bad) = (g.good(), g.bad());
        let command = if g.random.once_in(2) { bad } else { good };
        match g.random.below(8) {
            0 => format!("for x (a b) {command}"),
            1 => format!("foreach x (a b); {command}; end"),
            2 => format!("if [[ a == a ]] {{ {command} }}"),
            3 => format!("() {{ {command}; }} x"),
            4 => format!("function {{ {command} }}"),
            5 => format!("{{ {command} }} always {{ echo b }}"),
            6 => format!("while (( 0 )) {{ {command} }}"),
            _ => format!("case a {{ (a) {command} ;; }}"),
        }
    }),
    ("written in two ways", |g| {
        let (good, bad) = (g.good(), g.bad());
        match g.random.below(14) {
            0 => format!("{good} &! {bad}"),
            1 => format!("{good} &| {bad}"),
            2 => format!("echo a; (( 1 ) ); {good}"),
            3 => format!("echo {{ {bad} }}"),
            4 => format!("echo a }} {bad}"),
            5 => format!("if true; then {good}; fi {bad}"),
            6 => format!("echo [a {bad} ]"),
            7 => format!("echo 'a''b' 'it''s {bad}'"),
            8 => format!("echo a'b'\\'';{bad};'"),
            9 => format!("echo \"a\\\"; {bad}; \\\"b\""),
            10 => format!("echo a=(b {bad})"),
            11 => format!("echo a <<<b >/dev/null >|/dev/null {bad}"),
            12 => format!("{good} 2>&1 >&2 {bad}"),
            _ => format!("echo a;; {bad}"),
        }
    }),
    ("lines of a script", |g| {
        let (first, second) = (g.good(), g.good());
        let between = g.of(&[
            "\n", "\n\n", " \\\n", "\n# x\n", "\n#'\n", " # '\n", "\n\t", ";\n", " &&\n", " |\n", "\n: '",
            " #\\\n",
        ]);
        let end = if between.ends_with('\'') { "'" } else { "" };
        format!("{first}{between}{second}{end}")
    }),
    ("text in the middle", |g| {
        let (text, good) = (g.quoted(), g.good());
        match g.random.below(5) {
            0 => format!("{good} {text}"),
            1 => format!("{good}{text}"),
            2 => format!("{text} {good}"),
            3 => format!(": {text}; {good}"),
            _ => format!("echo {text}{text}"),
        }
    }),
    ("math function", |g| {
        let inside = g.of(&["1+1", "v[1]", "x=2", "1?2:3", "#a", "##a", "[16]1", "1_000"]);
        format!("echo $(({inside})) {}", g.text())
    }),
];
