//! Lines inside of words, commands inside of commands, and input that is run.

use super::{Grammar, Make, escaped};

pub(super) const STATEMENTS: &[(&str, Make)] = &[
    ("sh -c", |g| shell(g, &["sh -c", "dash -c", "sh -ec", "/bin/sh -c", "sh -c --"])),
    ("bash -c", |g| {
        shell(g, &["bash -c", "bash --norc -c", "bash -lc", "bash -ec", "/bin/bash -c", "bash -O extglob -c"])
    }),
    ("zsh -c", |g| shell(g, &["zsh -c", "zsh -fc", "zsh -f -c", "zsh -ec"])),
    ("eval", |g| {
        let line = g.command();
        let word = single(&line);
        format!("{} {word}", g.of(&["eval", "eval", "eval --", "builtin eval", "command eval"]))
    }),
    ("xargs", |g| {
        let names = g.of(&[
            "cat list.txt",
            "ls",
            "ls odd",
            "find . -name '*.txt'",
            "find odd -print0",
            "echo a.txt b.txt",
            "git ls-files",
            "printf 'a.txt\\0b.txt'",
            "echo '-e1e touch pwned'",
            "find odd -type f",
            "ls lk",
        ]);
        let options = g.of(&[
            "",
            "",
            "-0",
            "-n1",
            "-I{}",
            "-r",
            "-d '\\n'",
            "-n 1 -P 1",
            "-I % ",
            "-t",
            "-L1",
            "-i",
            "-e",
            "-l",
        ]);
        let command = g.of(&[
            "cat",
            "wc -l",
            "echo",
            "grep -n one",
            "head -n 1",
            "sort",
            "ls -l",
            "sed -n 1p",
            "cat --",
            "echo {}",
            "grep -l x",
            "sh -c 'echo \"$0\"'",
            "cat {}",
            "env",
            "",
        ]);
        format!("{names} | xargs {options} {command}")
    }),
    ("find -exec", |g| {
        let place = g.of(&[
            ".",
            "src",
            "odd",
            "-L lk",
            "lk/",
            ". -name '*.txt'",
            "odd -type f",
            "-H lk/up -maxdepth 1",
        ]);
        let command = g.of(&[
            "cat {}",
            "wc -l {}",
            "grep -n one {}",
            "echo {}",
            "head -n 1 {}",
            "sort {}",
            "sed -n 1p {}",
            "ls -l {}",
            "sh -c 'echo \"$1\"' _ {}",
            "sh -c 'cat {}'",
        ]);
        format!(
            "find {place} {} {command} {}",
            g.of(&["-exec", "-exec", "-execdir", "-ok"]),
            g.of(&["\\;", "+", "';'"])
        )
    }),
    ("wrapper", |g| {
        let command = g.good();
        format!(
            "{} {command}",
            g.of(&[
                "env",
                "nice",
                "timeout 1",
                "command",
                "builtin",
                "stdbuf -o0",
                "env -i",
                "env A=b",
                "timeout -s KILL 1",
                "nice -n 1",
                "exec",
                "time",
                "env --",
                "env -u A",
                "timeout --foreground 1",
                "nohup",
                "env -S",
                "command -p",
                "command -v",
                "exec -a x",
                "env -C src"
            ])
        )
    }),
    ("wrapper of a denied command", |g| {
        let bad = g.bad();
        let word = single(&bad);
        format!(
            "{} {}",
            g.of(&[
                "echo",
                "printf %s",
                "grep -n",
                "env A=b echo",
                "timeout 1 echo",
                "command -v",
                "type",
                "ls --",
                "which"
            ]),
            if g.random.once_in(2) { bad } else { word }
        )
    }),
    ("input that runs", |g| {
        let (good, bad) = (g.good(), g.bad());
        let other = single(if g.random.once_in(3) { &bad } else { &good });
        let word = single(if g.random.once_in(3) { &bad } else { &good });
        let shell = g.of(&[
            "sh",
            "bash",
            "zsh -f",
            "sh -s",
            "dash",
            "bash -s -- x",
            "xargs env",
            "xargs",
            "source /dev/stdin",
            "sh -",
            "bash /dev/stdin",
            "tr a a | sh",
            "env sh",
            "timeout 1 sh",
        ]);
        match g.random.below(9) {
            0 => format!("echo {word} | {shell}"),
            1 => format!("printf %s {word} | {shell}"),
            2 => format!("sh <<<{word}"),
            3 => format!("bash <(echo {word})"),
            4 => format!("cat a.txt | {shell}"),
            // zsh joins all that a command is given.
            5 => format!("echo {word} | {shell} <<<{other}"),
            6 => format!("{shell} <<<{word} <<<{other}"),
            7 => format!("printf '%s\\n' {word} | {shell} <<'EOF'\n{good}\nEOF\n"),
            _ => format!(
                "{} | {shell}",
                g.of(&[
                    "echo ZWNobyBhCg== | base64 -d",
                    "echo dG91Y2ggcHduZWQK | base64 -d",
                    "seq 1",
                    "cat list.txt",
                    "sed -n 1p a.txt",
                    "echo touch pwned | cat",
                    "echo hcuot | rev"
                ])
            ),
        }
    }),
    ("source", |g| {
        format!(
            "{} {}",
            g.of(&[".", "source"]),
            g.of(&[
                "./a.txt",
                "src/lib.rs",
                "list.txt",
                "<(echo echo a)",
                "<(echo touch pwned)",
                "/dev/null",
                "/dev/stdin",
                "odd/plain.txt"
            ])
        )
    }),
    ("script", |g| {
        let kind = g.random.below(3);
        let program = g.of(&["sh", "bash", "zsh -f", "dash"]);
        match kind {
            0 => format!("{program} ./a.txt"),
            1 => format!("{program} src/lib.rs x"),
            _ => "./evil".to_owned(),
        }
    }),
    ("trap", |g| {
        let command = g.command();
        format!("trap {} {}", single(&command), g.of(&["EXIT", "0", "DEBUG", "ERR", "INT", "USR1"]))
    }),
    ("command name", |g| {
        g.of(&[
            "'echo' a",
            "\"cat\" a.txt",
            "\\ls",
            "e''cho a",
            "{echo,a}",
            "$'echo' a",
            "/bin/cat a.txt",
            "'echo a'",
            "ec\\ho a",
            "$v echo a",
            "\"\" a",
            "[ a ]",
            "{ls,-l}",
            "=ls",
            "~/x",
            "e{cho,x} a",
            "%echo",
            "./a.txt",
            "/bin/ls",
            "--",
            "-",
            "1",
            "@",
            ":",
            ". a",
            "echo$v a",
            "${v}echo a",
        ])
        .to_owned()
    }),
];

fn shell(g: &mut Grammar, shells: &[&'static str]) -> String {
    let line = g.command();
    let word = match g.random.below(5) {
        0..=2 => single(&line),
        3 => format!("\"{}\"", escaped(&line, &['$', '`', '"', '\\'])),
        _ => format!("$'{}'", escaped(&line, &['\'', '\\']).replace('\n', "\\n")),
    };
    let after = g.of(&["", "", "", " x", " x y"]);
    format!("{} {word}{after}", g.of(shells))
}

fn single(line: &str) -> String {
    format!("'{}'", line.replace('\'', "'\\''"))
}
