//! Lines, arguments and rules that are made to be slow or large: many shapes, by chance from a seed, so that they are others than
//! those that anybody thought of one by one.

mod edits;
mod floods;
mod input;
mod rules;
mod values;
mod words;

use serde_json::{Value, json};

pub use self::edits::{Edit, edits, patch};
pub use self::input::{Input, TOOLS};
pub use self::rules::rule_file;
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
    values::doubled,
    values::doubled,
    values::given_often,
    values::appended,
    values::braces,
    values::braces_in_values,
    values::quoted_lines,
    values::substitutions,
    values::arrays,
    values::functions,
    values::loops,
    values::document,
    words::many_words,
    words::same_word,
    words::commands,
    words::folders,
    words::globs,
    words::long_path,
    words::program_text,
    words::options,
    words::piped,
    words::arithmetic,
    words::cases,
    words::redirections,
    words::wrappers,
    words::texts,
    words::assignments,
    words::operators_of_variables,
    words::noise,
    floods::nested,
    floods::ranges,
    floods::characters,
    floods::aliases,
    floods::documents,
    floods::huge_word,
    floods::operators,
    floods::patched,
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

/// Arguments of a tool.
pub fn arguments(random: &mut Random) -> Value {
    let words = |random: &mut Random, most: &[usize]| -> Vec<Value> {
        (0..number(random, most)).map(|_| Value::from(random.of(WORDS))).collect()
    };
    match random.below(16) {
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
        13 => {
            // One text that fills a message.
            let unit = random.of(&[
                "a",
                "a b ",
                "rm x; ",
                "/etc/passwd ",
                "ü",
                "\u{202e}",
                "ghp_a",
                "\\",
                "\"",
                "\n",
                "{\"a\":",
            ]);
            json!({ random.of(&["text", "command", "content", "path"]): filled(unit, "", number(random, &[9_000, 200_000, 2_000_000])) })
        }
        14 => {
            let rows: Vec<Value> = (0..number(random, &[9, 900, 9_000]))
                .map(|at| json!({ "id": at, "name": random.of(WORDS), "more": [at, null, { "x": random.of(PROGRAMS) }] }))
                .collect();
            json!({ "rows": rows })
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
