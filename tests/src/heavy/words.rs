//! Lines by their words, commands, texts and operators.

use super::{LINE, OPERATORS, PROGRAMS, WORDS, command, filled, number, several};
use crate::random::Random;

pub(super) fn many_words(random: &mut Random) -> String {
    let mut line = random.of(PROGRAMS).to_owned();
    let most = number(random, &[1_000, 5_000, LINE]);
    while line.len() < most {
        line.push(' ');
        line.push_str(random.of(WORDS));
    }
    line
}

pub(super) fn same_word(random: &mut Random) -> String {
    let word = format!("{} ", random.of(WORDS));
    filled(&word, &format!("{} ", random.of(PROGRAMS)), number(random, &[2_000, LINE]))
}

pub(super) fn commands(random: &mut Random) -> String {
    let between = random.of(OPERATORS);
    several(random, &[20, 100, 199], between, command)
}

pub(super) fn folders(random: &mut Random) -> String {
    let between = random.of(&["; ", " && ", " || "]);
    several(random, &[20, 100, 190], between, |random| {
        let form = random.of(&[
            "cd aN",
            "cd $x",
            "cd ..",
            "pushd bN",
            "ln -s aN bN",
            "mv aN bN",
            "cp -r aN bN",
            "mkdir aN",
            "cat aN/x bN/x",
            "tar xf aN",
        ]);
        form.replace('N', &random.below(9).to_string())
    })
}

pub(super) fn globs(random: &mut Random) -> String {
    let unit = random.of(&[
        "*",
        "**/",
        "*a",
        "?",
        "[a-z]",
        "/*",
        "* ",
        "../*/* ",
        "/usr/*/* ",
        "@(a|b)",
        "!(a)",
        "*/",
        "{*,?}",
    ]);
    filled(unit, &format!("{} ", random.of(PROGRAMS)), number(random, &[20, 80, 900, 4_000]))
}

pub(super) fn long_path(random: &mut Random) -> String {
    let unit = random.of(&["a/", "../", "a/../", "./", "~/", "ü/", ".../"]);
    filled(
        unit,
        &format!("{} ", random.of(&["cat", "rm", "cp a", "ls", "> "])),
        number(random, &[1_000, LINE]),
    )
}

pub(super) fn program_text(random: &mut Random) -> String {
    let form = random.of(&[
        "sed -e 'T' f",
        "awk 'T' f",
        "grep -E 'T' f",
        "perl -e 'T'",
        "jq 'T' f",
        "find . -regex 'T'",
        "python3 -c 'T'",
        "node -e 'T'",
        "sqlite3 db 'T'",
        "psql -c 'T'",
        "ruby -e 'T'",
    ]);
    let unit = random.of(&[
        "s/a/b/;",
        "w f;",
        "e ls;",
        "{p;",
        "system(\"ls\");",
        "a|",
        "(",
        "import os;os.system(\"rm x\");",
        ".read x;",
        "print \"a\" > \"f\";",
        "require(\"child_process\").exec(\"ls\");",
        "open(\"a\").read();",
        "`rm x`;",
        "\"/etc/passwd\",",
        "$",
    ]);
    form.replace('T', &filled(unit, "", number(random, &[80, 800, 9_000])))
}

pub(super) fn options(random: &mut Random) -> String {
    let program = random.of(PROGRAMS);
    let words = several(random, &[5, 60, 300], " ", |random| {
        let letters: String =
            (0..number(random, &[1, 3, 30])).map(|_| char::from(b'a' + random.below(26) as u8)).collect();
        match random.below(3) {
            0 => format!("-{letters}"),
            1 => format!("--{}={}", random.of(&["out", "exec", "file", "x", "config"]), random.of(WORDS)),
            _ => format!("-o{} -C {}", random.of(WORDS), random.of(WORDS)),
        }
    });
    format!("{program} {words}")
}

pub(super) fn piped(random: &mut Random) -> String {
    let words = several(random, &[5, 60, 300], " ", |random| random.of(WORDS).to_owned());
    let from = match random.below(4) {
        0 => "find . -name '*.x'".to_owned(),
        1 => format!("printf '%s\\n' {words}"),
        2 => format!("echo {words}"),
        _ => "git ls-files".to_owned(),
    };
    let to = random.of(&[
        "xargs rm",
        "xargs -I{} sh -c 'rm {}'",
        "xargs -n1 -I{} cp {} {}.bak",
        "while read l; do rm $l; done",
        "parallel rm",
        "xargs xargs xargs rm",
        "sh",
        "tee a b c",
    ]);
    format!("{from} | {to}")
}

pub(super) fn arithmetic(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("echo $((1{}))", filled("+1", "", number(random, &[100, 4_000]))),
        1 => format!("x=1; {}; echo $x", vec!["x=$((x*2))"; number(random, &[20, 190])].join("; ")),
        2 => several(random, &[20, 90], "; ", |random| {
            format!("((x{}=x{}+x1))", random.below(9), random.below(9))
        }),
        _ => format!("echo ${{x:{}1}}", filled("1+", "", number(random, &[20, 600]))),
    }
}

pub(super) fn cases(random: &mut Random) -> String {
    let arms = several(random, &[3, 20, 90], " ", |random| {
        format!("{}) {};;", random.of(&["a", "*x", "[a-z]", "-f|-g"]), command(random))
    });
    format!("case $x in {arms} esac")
}

pub(super) fn redirections(random: &mut Random) -> String {
    let all = several(random, &[5, 60, 400], " ", |random| {
        random
            .of(&[">fN", "2>fN", ">>fN", "<fN", "<<<fN", "N>&1", "3<fN", "&>fN"])
            .replace('N', &random.below(9).to_string())
    });
    format!("{} {all}", random.of(&["cat", "ls", "exec", "sh"]))
}

pub(super) fn wrappers(random: &mut Random) -> String {
    let all = several(random, &[5, 40, 300], " ", |random| {
        let form = random.of(&[
            "sudo",
            "env",
            "time",
            "nice",
            "timeout 3",
            "xargs",
            "nohup",
            "env A=b",
            "command",
            "stdbuf -o0",
            "watch",
            "flock f",
            "setsid",
            "npx",
            "ssh h",
            "docker exec c",
            "uv run",
            "strace",
            "gdb --args",
            "parallel",
            "find . -exec",
        ]);
        form.to_owned()
    });
    format!("{all} {}", command(random))
}

pub(super) fn texts(random: &mut Random) -> String {
    let all = several(random, &[2, 20, 80], " ", |random| {
        let text = several(random, &[1, 4, 20], "; ", command).replace(['"', '\''], "");
        format!("'{text}'")
    });
    format!("unknown {all}")
}

pub(super) fn assignments(random: &mut Random) -> String {
    let all = several(random, &[5, 80, 400], " ", |random| {
        format!("{}{}={}", random.of(&["A", "PATH", "LD_", "x"]), random.below(99), random.of(WORDS))
    });
    format!("{all} {}", command(random))
}

pub(super) fn operators_of_variables(random: &mut Random) -> String {
    let all = several(random, &[3, 30, 90], " ", |random| {
        random
            .of(&[
                "${x%W}", "${x##W}", "${x/W/b}", "${x:-W}", "${x:+W}", "${x:=W}", "${x//W}", "${!x}",
                "${x@Q}", "${#x}",
            ])
            .replace('W', random.of(&["a", "*/", "$y", "[a-z]*", "a b"]))
    });
    format!("x=/a/b; y=$x$x; cat {all}")
}

pub(super) fn noise(random: &mut Random) -> String {
    const SIGNS: &[u8] = b"'\"`$(){}[]<>|&;#*?~/.=:,\\ \n-!x0a@%";
    (0..number(random, &[50, 500, 3_000])).map(|_| char::from(SIGNS[random.below(SIGNS.len())])).collect()
}
