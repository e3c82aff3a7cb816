//! Scripts of sed and programs of awk: where commands begin and end, what is text, and what runs or writes.

use super::{Grammar, Make};

pub(super) const STATEMENTS: &[(&str, Make)] = &[
    ("script of sed", |g| {
        let script = sed(g).replace('\'', "");
        let (options, file) = (
            g.of(&["", "-n", "-E", "-s", "-e", "-n -e", "-z", "--posix", "-u", "-i", "-ni", "--expression"]),
            g.of(&["a.txt", "b.txt", "a.txt b.txt", ""]),
        );
        format!("sed {options} '{script}' {file}")
    }),
    ("program of awk", |g| {
        let program = awk(g).replace('\'', "");
        let (name, options) = (
            g.of(&["awk", "gawk", "mawk"]),
            g.of(&["", "-F,", "-v x=1", "-v 'x=a\\nb'", "-F ' '", "--", "-F: -v y=2"]),
        );
        format!("{name} {options} '{program}' {}", g.of(&["a.txt", "b.txt", "x=1 a.txt", "a.txt b.txt", ""]))
    }),
    ("commit in a program", |g| {
        let commit = g.of(&[
            "git rev-parse HEAD",
            "git rev-parse --short HEAD",
            "git rev-parse --verify HEAD",
            "git rev-parse HEAD^0",
            "git merge-base HEAD HEAD",
        ]);
        g.of(&[
            "git diff $(@)",
            "git log --oneline -1 $(@)",
            "git show --stat \"$(@)\"",
            "git show $(@):a.txt",
            "git show $(@):.env",
            "git rev-list --count $(@)..HEAD",
            "echo \"at $(@)\"",
            "echo $(@)",
            "git diff --no-index a.txt $(@)",
            "git hash-object $(@)",
            "sed \"s/.*/touch pwned/$(@)\" a.txt",
            "sed -n \"$(@)p\" a.txt",
            "awk \"BEGIN{$(@)(1)}\" a.txt",
            "jq -n \"$(@)\"",
            "head -$(@) a.txt",
            "printf \"$(@)\" x",
        ])
        .replace('@', commit)
    }),
];

/// One script of the list, or a few commands with what stands before, behind and between them.
fn sed(g: &mut Grammar) -> String {
    if g.random.once_in(3) {
        return g.of(SED_SCRIPTS).to_owned();
    }
    let mut script = String::new();
    for _ in 0..=g.random.below(3) {
        let address = g.of(&[
            "", "1", "$", "/a/", "1,2", "/a/,$", "1!", "\\,a,", "/[/]/", "2~1", "/a\\/b/", "1,+1", "/}/",
            "0,/a/", "/a/I",
        ]);
        let delimiter = g.of(&["/", "|", ",", "#", "e", "w", ";", " ", "s"]);
        let (from, to) = (
            g.of(&["a", "[a", "[/]", "a\\/b", "(x)", "\\n", "x*", ""]),
            g.of(&["b", "&", "\\1", "e", "w pwned", "\\\n", "b\\/e"]),
        );
        let flags = g.of(&["", "g", "p", "2", "gp", "I", "e", "w pwned", "ge", "M", "m", " ", "gw pwned"]);
        let command = match g.random.below(8) {
            0..=3 => format!("s{delimiter}{from}{delimiter}{to}{delimiter}{flags}"),
            4 => format!("y{delimiter}ab{delimiter}ba{delimiter}"),
            5 => g
                .of(&[
                    "p", "d", "=", "l", "n", "N", "D", "P", "h", "H", "g", "G", "x", "q", "F", "z", "q 5",
                    "l 5", ":x", "b x", "t", "T",
                ])
                .to_owned(),
            6 => g
                .of(&[
                    "a text",
                    "a\\\ntext",
                    "i\\",
                    "c\\\n1e touch pwned",
                    "a\\text",
                    "r a.txt",
                    "e",
                    "e touch pwned",
                    "w pwned",
                    "W pwned",
                    "R .env",
                    "r .env",
                    "v",
                ])
                .to_owned(),
            _ => g
                .of(&["{p", "}", "{p;}", "{s/a/b/;e touch pwned", "{/a/d}", "#", "# e touch pwned"])
                .to_owned(),
        };
        let space = g.of(&["", "", " ", "\t"]);
        script.push_str(&format!("{address}{space}{command}{}", g.of(&[";", "\n", " ;", "}", ";;", ""])));
    }
    script
}

/// One program of the list, or one around a few expressions.
fn awk(g: &mut Grammar) -> String {
    if g.random.once_in(3) {
        return g.of(AWK_PROGRAMS).to_owned();
    }
    let pattern = g.of(&[
        "", "", "/a/", "NR==1", "BEGIN", "END", "$1 > 2", "/>/", "!x", "1,2", "$1 ~ /|/", "/[/]/", "a / b",
    ]);
    let mut statements = Vec::new();
    for _ in 0..=g.random.below(2) {
        let word = g.of(&[
            "$1",
            "x",
            "\"a\"",
            "\"> \\\"pwned\\\"\"",
            "/a/",
            "1",
            "(a > b)",
            "$1 / 2",
            "\"#\"",
            "a[1]",
            "\"\\\\\"",
        ]);
        let end = g.of(&[
            "",
            "",
            "",
            " > \"pwned\"",
            " | \"evil x\"",
            " >> \"pwned\"",
            " > $2",
            " |& \"evil x\"",
            "> \"/dev/stderr\"",
            " /x/ > \"pwned\"",
        ]);
        statements.push(match g.random.below(7) {
            0..=2 => format!("print {word}{end}"),
            3 => format!("printf \"%s\", {word}{end}"),
            4 => format!("printf(\"%s\", {word}){end}"),
            5 => g
                .of(&[
                    "x = 1 > 2",
                    "system(\"touch pwned\")",
                    "getline",
                    "\"touch pwned\" | getline",
                    "getline y < \".env\"; print y",
                    "close(\"x\")",
                    "split($0, a)",
                    "gsub(/>/, \"|\")",
                    "system (\"\")",
                    "next",
                    "x++",
                    "x /= 2",
                    "1 /=&&/; system(\"touch pwned\"); b /3",
                    "\"a\" /=!/; print \"x\" > \"pwned\"; b /3",
                    "case /2; system(\"touch pwned\"); b /3",
                    "print x /=/; print \"x\" | \"evil x\"; b /3",
                    "delete a",
                    "ENVIRON[\"x\"]=1",
                    "ARGV[1]=\".env\"",
                    "f = \"system\"; @f(\"touch pwned\")",
                ])
                .to_owned(),
            _ => format!("if ({word}) print {word}{end}"),
        });
    }
    let between = g.of(&["; ", "\n", ";", " # x\n", "; # \"\n"]);
    format!("{pattern}{{{}}}", statements.join(between))
}

const SED_SCRIPTS: &[&str] = &[
    "1p",
    "$d",
    "s/a/b/g",
    "/one/,/two/p",
    "s/x/y/e",
    "1e touch pwned",
    "w pwned",
    "s/a/b/w pwned",
    "1r .env",
    "r a.txt",
    "y/ab/ba/",
    "1!G;h;$!d",
    "/a/{p;d}",
    "1i\\\ntext",
    "a e",
    "i\\",
    "1a\\\n1e touch pwned",
    "s/a/b/;# x\n1e evil x",
    "}",
    "{p",
    "s|a|b|",
    "s\n",
    "l 1",
    "1,+2p",
    "2q",
    "Q5",
    "s/[/]/x/w pwned",
    "s/[/x/;1e touch pwned",
    "s,a\\,b,c,e",
    "s/a/b/pw pwned",
    "s/a/b/we",
    ":a;N;ba",
    "0~2p",
    "c\\\na",
    "R .env",
    "W pwned",
    "F",
    "z",
    "=",
    "v",
    "e",
    "1,/x/e touch pwned",
    "\\|a|e evil x",
    "s/a/\\n/;e",
    "y/e/w/;1w pwned",
    "/\\//e evil x",
    "s/a/b/M",
    "s/a/e touch pwned/",
    "#n",
    "b e;:e",
    "t w",
    ":e touch pwned",
];
const AWK_PROGRAMS: &[&str] = &[
    "{print $1}",
    "1",
    "/one/",
    "END{print NR}",
    "{print > \"pwned\"}",
    "BEGIN{system(\"touch pwned\")}",
    "{print | \"evil x\"}",
    "BEGIN{getline x < \".env\"; print x}",
    "{gsub(/a/,\"b\")}1",
    "NR==1{print $NF}",
    "{print $1 > $2}",
    "{x = a > b; print x}",
    "BEGIN{\"touch pwned\" | getline}",
    "{print (1 > 2)}",
    "/>/{print}",
    "{print \">\" $1}",
    "# system()\n1",
    "{print substr($0,1,2)}",
    "BEGIN{printf \"%s\", ENVIRON[\"HOME\"]}",
    "BEGIN{while((getline l < ARGV[1])>0) print l}",
    "{printf(\"%s\", $0) > \"pwned\"}",
    "@load \"x\"",
    "@include \"a.txt\"",
    "BEGIN{f=\"system\"; @f(\"touch pwned\")}",
    "BEGIN{x=\"/inet/tcp/0/127.0.0.1/45191\"; print 1 |& x}",
    "function f(x){return x} {print f($1)}",
    "/a/,/b/",
    "{a[$1]++} END{for(k in a) print k}",
    "BEGIN{print \"a\\\n\" }",
    "/\\/>/{print > \"/dev/stderr\"}",
    "BEGIN{close(\"x\")}",
    "{print / 2 > 1}",
    "{print $1 /a/ > \"pwned\"}",
    "BEGIN { ARGV[1] = \".env\" } 1",
];
