//! Readers on links, and on names that are made to be misread.

use super::{Grammar, Make};

pub(super) const STATEMENTS: &[(&str, Make)] = &[
    ("reader on a link", read_by_link),
    ("reader on a folder", |g| {
        let program = g.of(&[
            "grep -r .",
            "grep -R .",
            "grep -rn one",
            "rg .",
            "rg -L .",
            "rg --hidden .",
            "rg -uu .",
            "diff -r src",
            "diff -rN src",
            "find -L",
            "ls -R",
            "ls -LR",
            "tree",
            "tree -l",
            "du -a",
            "wc -l",
            "tar -cf -",
            "tar -chf -",
            "grep -d recurse .",
            "rg --follow .",
            "fd .",
            "fd -L",
            "bsdtar -cf -",
            "zgrep -r .",
            "git grep --no-index .",
            "egrep -R o",
            "file -L",
            "head -n 1 -r",
        ]);
        format!(
            "{program} {}",
            g.of(&[
                ".", "src", "lk", "sub", "odd", "lk/", "lk/up", "lk/ok", "lk/s", "..", "lk/s/.", "./lk",
                "src sub"
            ])
        )
    }),
    ("odd names by a glob", |g| {
        let program = reader(g);
        format!(
            "{}{program} {}",
            g.of(&["cd odd && ", "cd odd; ", ""]),
            g.of(&[
                "*", "-*", "./*", "-- *", "*.rs", "odd/*", "?e*", "[-a]*", "n*", "*.txt", "odd/?*",
                "-- odd/*"
            ])
        )
    }),
    ("odd names as words", |g| {
        let program = reader(g);
        format!(
            "{program} {}",
            g.of(&[
                "'odd/{a,b}'",
                "odd/{a,b}",
                "'odd/$x.txt'",
                "odd/$x.txt",
                "\"odd/n\nl.txt\"",
                "odd/q\\'uote.txt",
                "odd/-oz.rs",
                "-- -oz.rs",
                "'odd/a /etc/passwd'",
                "odd/a /etc/passwd",
                "'odd/$(touch pwned)'",
                "./odd/-oz.rs",
                "'odd/*'",
                "odd/plain.txt",
                "odd/'d\"quote.txt'"
            ])
        )
    }),
    ("reader on an outside file", |g| {
        let program = reader(g);
        format!(
            "{program} {}",
            g.of(&[
                "a.txt",
                "../project/a.txt",
                "../../outside/secret",
                "~/.ssh/id_rsa",
                ".env",
                "./.env",
                "sub/../.env",
                "../project/.env",
                "$HOME/.ssh/id_rsa",
                ".e{n,}v",
                "\".env\"",
                ".en?",
                "~/project/a.txt",
                "\"$PWD\"/a.txt",
                "${PWD}/.env",
                "a.txt .env",
                ".ENV",
                "/dev/null"
            ])
        )
    }),
    ("names from a substitution", |g| {
        let program = reader(g);
        format!(
            "{program} {}",
            g.of(&[
                "$(ls)",
                "$(ls odd)",
                "$(git ls-files)",
                "\"$(echo a.txt)\"",
                "$(find . -name '*.txt')",
                "$(echo .env)",
                "$(cat list.txt)",
                "$(find odd)",
                "`ls`",
                "$(printf '%s ' a.txt)",
                "$(git rev-parse lk/env)",
                "\"$(git rev-parse .env)\"",
                "$(git rev-parse HEAD)",
                "$(git rev-parse --short HEAD)",
                "$(git merge-base HEAD HEAD)",
                "-- $(ls odd)"
            ])
        )
    }),
    ("names from a variable", |g| {
        let program = reader(g);
        let value = g.of(&[
            "a.txt",
            "'a.txt b.txt'",
            ".env",
            "'-e1e touch pwned'",
            "src",
            "*",
            "'odd/*'",
            "'$(touch pwned)'",
            "odd/plain.txt",
            "-oz",
        ]);
        format!(
            "x={value}; {program} {}",
            g.of(&["$x", "\"$x\"", "${x}", "\"${x}\"", "-- \"$x\"", "$x$x", "./$x", "${x%.txt}.txt"])
        )
    }),
];

/// A reader of what lies behind a link: another file for each folder that it starts in.
pub(super) fn read_by_link(g: &mut Grammar) -> String {
    let program = reader(g);
    format!(
        "{program} {}",
        g.of(&[
            "lk/ok",
            "lk/env",
            "lk/s/id_rsa",
            "lk/out",
            "lk/up/.ssh/id_rsa",
            "lk/up/project/.env",
            "lk/s/../.ssh/id_rsa",
            "./lk/ok",
            "lk/../.env",
            "lk//env",
            "lk/up/project/a.txt",
            "lk/ok lk/env"
        ])
    )
}

fn reader(g: &mut Grammar) -> String {
    g.of(&[
        "cat",
        "head -n 1",
        "tail -n 1",
        "wc -l",
        "sort",
        "grep -n .",
        "sed -n 1p",
        "ls -l",
        "diff a.txt",
        "nl",
        "awk 1",
        "tac",
        "cut -c1-20",
        "uniq",
        "file",
        "stat",
        "rev",
        "od -c",
        "strings",
        "git diff --no-index a.txt",
        "rg .",
        "jq -R .",
        "less",
        "paste",
        "cmp a.txt",
        "fold",
        "git blame",
        "git show",
        "git log --",
        "sort -u",
        "tree",
        "tar tf",
        "xxd",
        "base64",
        "md5sum",
        "find",
        "du",
        "comm a.txt",
        "join a.txt",
        "pr",
        "fmt",
        "expand",
        "split",
        "shuf",
    ])
    .to_owned()
}
