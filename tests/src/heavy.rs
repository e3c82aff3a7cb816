//! Lines, arguments and rules that are made to be slow or large: many shapes, by chance from a seed, so that they are others than
//! those that anybody thought of one by one.

use serde_json::{Value, json};

use crate::random::Random;

/// The longest line that is looked into, about.
const LINE: usize = 9_900;

const PROGRAMS: &[&str] = &[
    "rm", "cat", "cp", "mv", "ls", "echo", "git", "sed", "awk", "find", "xargs", "sh", "bash", "python3",
    "node", "npm", "curl", "tar", "make", "docker", "ssh", "env", "sudo", "grep", "tee", "dd", "touch", "ln",
    "zip", "rsync", "perl", "kubectl", "jq", "watch", "unknown",
];
const WORDS: &[&str] = &[
    "a",
    "-x",
    "--opt",
    "--o=v",
    "./p/q",
    "../x",
    "/etc/passwd",
    "$x",
    "*",
    "a*b",
    "**/x",
    "{a,b}",
    "\"q r\"",
    "'s'",
    "-f",
    ".env",
    "src/main.rs",
    "@f",
    "k=v",
    "http://h/x",
    "-rf",
    "$(ls)",
    "`pwd`",
    "~/y",
    "[a-z]*",
    "-C",
    "--",
    "<(cat a)",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];
const OPERATORS: &[&str] = &["; ", " && ", " | ", "\n", " || ", " & "];
const SHAPES: &[fn(&mut Random) -> String] = &[
    doubled,
    doubled,
    given_often,
    appended,
    braces,
    braces_in_values,
    quoted_lines,
    substitutions,
    arrays,
    functions,
    loops,
    document,
    many_words,
    same_word,
    commands,
    folders,
    globs,
    long_path,
    program_text,
    options,
    piped,
    arithmetic,
    cases,
    redirections,
    wrappers,
    texts,
    assignments,
    operators_of_variables,
    noise,
];

/// A line.
pub fn line(random: &mut Random) -> String {
    let shape = SHAPES[random.below(SHAPES.len())];
    let mut line = shape(random);
    let mut end = line.len().min(LINE + 200);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.truncate(end);
    line
}

fn number(random: &mut Random, choices: &[usize]) -> usize {
    choices[random.below(choices.len())]
}

fn several(
    random: &mut Random,
    most: &[usize],
    between: &str,
    mut one: impl FnMut(&mut Random) -> String,
) -> String {
    let count = number(random, most);
    (0..count).map(|_| one(random)).collect::<Vec<_>>().join(between)
}

fn command(random: &mut Random) -> String {
    let words = random.below(8);
    let rest: Vec<&str> = (0..words).map(|_| random.of(WORDS)).collect();
    format!("{} {}", random.of(PROGRAMS), rest.join(" "))
}

fn filled(unit: &str, before: &str, bytes: usize) -> String {
    format!("{before}{}", unit.repeat(bytes / unit.len().max(1)))
}

fn doubled(random: &mut Random) -> String {
    let form = random.of(&[
        "PP",
        "QQ",
        "\"PP\"",
        "P/P",
        "P P",
        "\"P P\"",
        "P*P",
        "P{a,b}P",
        "${R:-z}${R:-z}",
        "${R%y}${R#y}",
        "$(echo PP)",
        "`echo PP`",
        "P:P",
        "\"Q\"'P'\"Q\"",
        "~/PP",
        "P[P",
        "${R/a/P}P",
        "${R^^}P",
        "PPP",
        "$((P+P))",
    ]);
    let sets = random.of(&["", "export ", "declare ", "local ", "readonly ", "printf -v "]);
    let (seed, between) =
        (random.of(&["ab", "/a", ".e", "a*", "-r", "{a,b}"]), random.of(&["; ", "\n", " && "]));
    let times = number(random, &[12, 20, 26, 40, 60, 100]);
    let mut line = format!("{sets}x0={seed}");
    for at in 1..times {
        let before = format!("x{}", at - 1);
        let value = form
            .replace('P', &format!("${before}"))
            .replace('Q', &format!("${{{before}}}"))
            .replace('R', &before);
        line.push_str(&format!("{between}{sets}x{at}={value}"));
    }
    let end = random.of(&[
        "ls",
        "rm $L",
        "cat \"$L\"",
        "$L",
        "echo $L > f",
        "cp $L $L",
        "for i in $L; do rm $i; done",
        "sh -c \"$L\"",
        "eval $L",
        "git -C $L log",
        "cat <<E\n$L\nE\n",
        "[[ $L == $L ]]",
        "python3 -c \"$L\"",
        "xargs $L",
        "case $L in $L) $L;; esac",
    ]);
    format!("{line}{between}{}", end.replace('L', &format!("x{}", times - 1)))
}

fn given_often(random: &mut Random) -> String {
    let times = number(random, &[10, 40, 64, 100]);
    let values: Vec<String> = (0..times)
        .map(|at| format!("x={}{at}{}", random.of(&["a", "/p/", ".e"]), "b".repeat(random.below(90))))
        .collect();
    let uses = "$x".repeat(number(random, &[1, 2, 3, 8]));
    format!(
        "{}; {} {}",
        values.join("; "),
        random.of(PROGRAMS),
        filled(&format!("{uses} "), "", number(random, &[4, 60, 900]))
    )
}

fn appended(random: &mut Random) -> String {
    let step = random.of(&[
        "x+=$x",
        "x=$x$x",
        "x+=cd",
        "x=\"$x/$x\"",
        "x+=($x $x)",
        "y=$x; x=$y$y",
        "x=$y$y y=$x$x",
    ]);
    format!("x=ab; y=c; {}; cat $x $y", vec![step; number(random, &[20, 60, 200])].join("; "))
}

fn braces(random: &mut Random) -> String {
    let unit = random.of(&[
        "{a,b}",
        "{1..9}",
        "{a,{b,{c,{d,e}}}}",
        "{a,b}{c,d}{e,f}{g,h} ",
        "{1..60} ",
        "{a..z..2}",
        "x{,y}",
    ]);
    filled(unit, &format!("{} ", random.of(PROGRAMS)), number(random, &[20, 60, 300, LINE]))
}

fn braces_in_values(random: &mut Random) -> String {
    let uses = filled("$w$y", "", number(random, &[4, 40, 400]));
    format!("x={{a,b}}; y=$x$x$x; z=$y$y; w=$z$z; {} $w {uses}", command(random))
}

fn quoted_lines(random: &mut Random) -> String {
    let mut line = random.of(&["ls", "rm -rf x", "cat .env", "$x", "cat a; rm b | tee c"]).to_owned();
    for _ in 0..number(random, &[2, 4, 6, 9]) {
        let quoted = Value::from(line).to_string();
        let form = random.of(&[
            "sh -c Q",
            "bash -c Q",
            "eval Q",
            "ssh h Q",
            "xargs sh -c Q",
            "find . -exec sh -c Q \\;",
            "watch Q",
            "parallel Q",
            "python3 -c Q",
            "unknown Q",
            "git -c alias.x=Q x",
            "echo Q | sh",
        ]);
        line = form.replace('Q', &quoted);
        if line.len() > LINE {
            break;
        }
    }
    line
}

fn substitutions(random: &mut Random) -> String {
    match random.below(4) {
        0 => filled("$(echo $x)", "echo ", number(random, &[80, 900, LINE])),
        1 => vec!["x=$(echo $x$x)"; number(random, &[10, 90])].join("; "),
        2 => filled("$(echo a; echo b) ", "cat ", number(random, &[100, 900, LINE])),
        _ => filled("\"$(ls $(find . -name $(echo x)))\" ", "cat ", number(random, &[40, 400, 900])),
    }
}

fn arrays(random: &mut Random) -> String {
    let words = several(random, &[10, 60, 400], " ", |random| random.of(WORDS).to_owned());
    let end = random.of(&[
        "cat \"${a[@]}\"",
        "for i in \"${a[@]}\"; do rm $i; done",
        "b=(${a[@]} ${a[@]}); c=(${b[@]} ${b[@]}); cat ${c[*]}",
        "rm ${a[7]}",
        "a+=(${a[@]}); a+=(${a[@]}); a+=(${a[@]}); ls ${a[@]}",
    ]);
    format!("a=({words}); {end}")
}

fn functions(random: &mut Random) -> String {
    let times = number(random, &[5, 15, 20, 40]);
    let mut line = "f0() { rm $1; }".to_owned();
    for at in 1..times {
        let body = random
            .of(&["F; F", "F | F", "x=$x$x; F $x $1$1", "F $(F)", "F & F"])
            .replace('F', &format!("f{}", at - 1));
        line.push_str(&format!("; f{at}() {{ {body}; }}"));
    }
    format!("{line}; f{} a", times - 1)
}

fn loops(random: &mut Random) -> String {
    let mut line = random
        .of(&["cat $a0$a1$a2$a3", "rm $a0", "x=$x$a0; cat $x", "git $a0 $a1", "[ $a0 = $a1 ] && rm $a2"])
        .to_owned();
    for at in 0..number(random, &[1, 2, 3, 4]) {
        let values = several(random, &[4, 20, 60], " ", |random| {
            format!("{}{}", random.of(&["v", "/p", "-", ".e"]), random.below(99))
        });
        line = format!("for a{at} in {values}; do {line}; done");
    }
    line
}

fn document(random: &mut Random) -> String {
    let body = several(random, &[10, 60, 150], "\n", |random| match random.below(3) {
        0 => "$x$x x=$x$x".to_owned(),
        1 => "a".repeat(200),
        _ => command(random),
    });
    let body: String = body.chars().take(9_000).collect();
    let program = random.of(&[
        "cat",
        "sh",
        "bash",
        "python3 -",
        "tee f",
        "psql",
        "ssh h",
        "sqlite3 db",
        "xargs rm",
        "git apply",
    ]);
    format!("{program} <<{}\n{body}\nE\n", random.of(&["E", "'E'"]))
}

fn many_words(random: &mut Random) -> String {
    let mut line = random.of(PROGRAMS).to_owned();
    let most = number(random, &[1_000, 5_000, LINE]);
    while line.len() < most {
        line.push(' ');
        line.push_str(random.of(WORDS));
    }
    line
}

fn same_word(random: &mut Random) -> String {
    let word = format!("{} ", random.of(WORDS));
    filled(&word, &format!("{} ", random.of(PROGRAMS)), number(random, &[2_000, LINE]))
}

fn commands(random: &mut Random) -> String {
    let between = random.of(OPERATORS);
    several(random, &[20, 100, 199], between, command)
}

fn folders(random: &mut Random) -> String {
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

fn globs(random: &mut Random) -> String {
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

fn long_path(random: &mut Random) -> String {
    let unit = random.of(&["a/", "../", "a/../", "./", "~/", "ü/", ".../"]);
    filled(
        unit,
        &format!("{} ", random.of(&["cat", "rm", "cp a", "ls", "> "])),
        number(random, &[1_000, LINE]),
    )
}

fn program_text(random: &mut Random) -> String {
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

fn options(random: &mut Random) -> String {
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

fn piped(random: &mut Random) -> String {
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

fn arithmetic(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("echo $((1{}))", filled("+1", "", number(random, &[100, 4_000]))),
        1 => format!("x=1; {}; echo $x", vec!["x=$((x*2))"; number(random, &[20, 190])].join("; ")),
        2 => several(random, &[20, 90], "; ", |random| {
            format!("((x{}=x{}+x1))", random.below(9), random.below(9))
        }),
        _ => format!("echo ${{x:{}1}}", filled("1+", "", number(random, &[20, 600]))),
    }
}

fn cases(random: &mut Random) -> String {
    let arms = several(random, &[3, 20, 90], " ", |random| {
        format!("{}) {};;", random.of(&["a", "*x", "[a-z]", "-f|-g"]), command(random))
    });
    format!("case $x in {arms} esac")
}

fn redirections(random: &mut Random) -> String {
    let all = several(random, &[5, 60, 400], " ", |random| {
        random
            .of(&[">fN", "2>fN", ">>fN", "<fN", "<<<fN", "N>&1", "3<fN", "&>fN"])
            .replace('N', &random.below(9).to_string())
    });
    format!("{} {all}", random.of(&["cat", "ls", "exec", "sh"]))
}

fn wrappers(random: &mut Random) -> String {
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

fn texts(random: &mut Random) -> String {
    let all = several(random, &[2, 20, 80], " ", |random| {
        let text = several(random, &[1, 4, 20], "; ", command).replace(['"', '\''], "");
        format!("'{text}'")
    });
    format!("unknown {all}")
}

fn assignments(random: &mut Random) -> String {
    let all = several(random, &[5, 80, 400], " ", |random| {
        format!("{}{}={}", random.of(&["A", "PATH", "LD_", "x"]), random.below(99), random.of(WORDS))
    });
    format!("{all} {}", command(random))
}

fn operators_of_variables(random: &mut Random) -> String {
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

fn noise(random: &mut Random) -> String {
    const SIGNS: &[u8] = b"'\"`$(){}[]<>|&;#*?~/.=:,\\ \n-!x0a@%";
    (0..number(random, &[50, 500, 3_000])).map(|_| char::from(SIGNS[random.below(SIGNS.len())])).collect()
}

/// Arguments of a tool.
pub fn arguments(random: &mut Random) -> Value {
    let words = |random: &mut Random, most: &[usize]| -> Vec<Value> {
        (0..number(random, most)).map(|_| Value::from(random.of(WORDS))).collect()
    };
    match random.below(14) {
        0 => json!({ "command": line(random) }),
        1 => {
            let lines: Vec<String> = (0..number(random, &[2, 20, 60])).map(|_| line(random)).collect();
            json!({ "commands": lines })
        }
        2 => json!({ "code": format!("{}\n{}", line(random), line(random)) }),
        3 => {
            json!({ "a": (0..number(random, &[5, 30, 80])).fold(json!("x"), |inner, at| if at % 2 == 0 { json!([inner]) } else { json!({ "a": inner }) }) })
        }
        4 => {
            json!({ "a": (0..number(random, &[3, 6, 9])).fold("rm x".to_owned(), |inner, _| json!({ "command": inner }).to_string()) })
        }
        5 => json!({ "paths": words(random, &[50, 2_000, 20_000]) }),
        6 => {
            let members = (0..number(random, &[50, 5_000, 40_000]))
                .map(|at| (format!("k{at}"), Value::from(random.of(WORDS))));
            Value::Object(members.collect())
        }
        7 => {
            let unit = random.of(&["a/", "%2541", "../", "*", "{a,b}", "[a-z]", "~/"]);
            json!({ "path": filled(unit, "", number(random, &[100, 3_000, 60_000])) })
        }
        8 => {
            let unit = random.of(&["a.", "http://h/ ", "x:", "%2e", "//h/"]);
            json!({ "url": filled(unit, "http://", number(random, &[100, 5_000, 90_000])) })
        }
        9 => {
            json!({ "sql": filled("select '/etc/passwd', 'a/b'; ", "", number(random, &[200, 9_000, 60_000])) })
        }
        10 => {
            let text = several(random, &[10, 200, 1_500], "\n", |random| {
                let inner = command(random).replace('"', "");
                random
                    .of(&["os.system(\"C\")", "!C", "subprocess.run([\"rm\",\"x\"])", "`C`", "C"])
                    .replace('C', &inner)
            });
            json!({ "script": text })
        }
        11 => {
            json!({ "text": several(random, &[100, 3_000], "\n", command), "query": several(random, &[100, 5_000], ", ", command) })
        }
        12 => {
            let list: Vec<Value> = (0..number(random, &[10, 40, 2_000]))
                .map(|_| json!({ "command": command(random), "cwd": random.of(WORDS) }))
                .collect();
            json!({ "list": list })
        }
        _ => json!({ "command": "sh", "argv": words(random, &[10, 500, 9_000]) }),
    }
}

/// Patterns that are long, repeat much, or match slowly; each is one that is taken.
pub fn patterns(random: &mut Random) -> Vec<String> {
    let count = number(random, &[1, 20, 200]);
    (0..count)
        .map(|_| match random.below(8) {
            0 => format!(
                "shell({})",
                vec![random.of(&["a", "*a*b*", "*x", "*"]); number(random, &[1, 10, 60])].join(" ")
            ),
            1 => format!("shell({} *)", random.of(PROGRAMS)),
            2 => format!(
                "read({})",
                filled(random.of(&["*a", "?a", "[a-z]*"]), "", number(random, &[6, 40, 120]))
            ),
            3 => format!("write({}x)", "**/".repeat(number(random, &[2, 6, 12]))),
            4 => format!(
                "read(*.{{{}}})",
                (0..number(random, &[2, 50, 250])).map(|at| format!("e{at}")).collect::<Vec<_>>().join(",")
            ),
            5 => {
                let source = random.of(&[
                    "(a|b)*c",
                    "(a*)*b",
                    ".*.*.*.*x",
                    "(x{1,20}){1,9}",
                    "[a-z]{40}",
                    "a?a?a?a?a?a?aaaaaa",
                    "\\b\\w+\\b.*\\b\\w+\\b",
                ]);
                format!("shell(/{source}/)")
            }
            6 => format!("fetch(*.{}example.com)", "a.".repeat(random.below(9))),
            _ => format!("mcp({}/*)", "*a".repeat(number(random, &[1, 9, 40]))),
        })
        .collect()
}
