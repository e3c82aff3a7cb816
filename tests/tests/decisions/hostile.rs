//! "A 10 KB line, 400 nested braces, 20,000 `&&`, invalid UTF-8, a path of 5,000 parts, a symlink loop: an answer within
//! 50 ms, never an abort." Through the library and, in a process of its own, through `mayi check --stdin`.
//!
//! Time is measured for sure only in the bench `decide` (a release build, nothing else running); what is bounded here
//! is that nothing takes more than linear time, with slack for a debug build on a busy machine.

use std::time::Duration;

use cpu_time::ThreadTime;
use mayi_check::{Checker, Request};
use serde_json::{Value, json};

use crate::corpus::World;

/// 50 ms, and as much again for each of: no optimisation, and a machine that does other things too.
const SLACK: Duration = Duration::from_millis(50 * 100);

/// Openers that a parser descends into, and what closes them.
const OPENERS: &[(&str, &str)] = &[
    ("{ ", "; }"),
    ("( ", " )"),
    ("((", "))"),
    ("if ", "; then x; fi"),
    ("while ", "; do x; done"),
    ("for x in a; do ", "; done"),
    ("case x in x) ", ";; esac"),
    ("f() { ", "; }"),
    ("[[ ( ", " ) ]]"),
    ("[[ ! ", " ]]"),
    ("! ", ""),
    ("echo $(", ")"),
    ("echo `", "`"),
    ("echo \"$(", ")\""),
    ("echo $((", "))"),
    ("echo $[", "]"),
    ("echo ${a:-", "}"),
    ("echo \"${a:-", "}\""),
    ("echo <(", ")"),
    ("echo {a,", "}"),
    ("echo @(", ")"),
    ("x=(", ")"),
    ("a[", "]=1"),
    ("cat <<A\n", "\nA\n"),
    ("sudo ", ""),
    ("time ", ""),
    ("env A=b ", ""),
    ("xargs ", ""),
    ("unknown ", ""),
    ("rm unknown ", ""),
    ("unknown 'a' rm $x ", ""),
    ("gdb -ex ", ""),
    ("npx ", ""),
    ("python -m ", ""),
    ("git -x ", ""),
    ("git -c alias.x='git ", "'"),
    ("unknown \"", "\""),
    ("parallel ", ""),
    ("echo 'echo x | sh' | sh | ", ""),
    ("eval ", ""),
    ("sh -c \"", "\""),
    ("find . -exec ", " \\;"),
    ("coproc ", ""),
    ("A=b ", ""),
    ("\\", ""),
    ("'\"", "\"'"),
    ("$", ""),
    ("2>&1 ", ""),
];

/// Lines that are made to hurt.
fn lines() -> Vec<(String, String)> {
    let mut lines = vec![
        ("a 10 KB word".to_owned(), format!("echo {}", "a".repeat(10_240))),
        ("a line of 10 KB".to_owned(), "echo some words; ".repeat(10_240 / 17)),
        ("a line of 1 MB".to_owned(), "echo some words; ".repeat(60_000)),
        ("20,000 &&".to_owned(), vec!["true"; 20_001].join(" && ")),
        ("5,000 pipes".to_owned(), vec!["cat"; 5_000].join("|")),
        ("5,000 words".to_owned(), format!("echo {}", "a ".repeat(5_000))),
        ("5,000 variables".to_owned(), format!("echo {}", "$a".repeat(5_000))),
        ("a brace bomb".to_owned(), format!("echo {}", "{a,b}".repeat(30))),
        ("a brace range bomb".to_owned(), "echo {1..999999999}".to_owned()),
        (
            "brace ranges in each other".to_owned(),
            "echo {1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}".to_owned(),
        ),
        (
            "a thousand here-documents".to_owned(),
            format!("cat {}\n{}", "<<A ".repeat(1_000), "A\n".repeat(1_000)),
        ),
        ("2,000 redirections".to_owned(), format!("ls {}", "2>&1 ".repeat(2_000))),
        ("a thousand assignments".to_owned(), format!("{} ls", "A=b ".repeat(1_000))),
        ("3,000 globs".to_owned(), format!("ls {}", "*?[a]".repeat(1_000))),
        ("zero bytes".to_owned(), "ls \0 \0; id\0".to_owned()),
        ("control characters".to_owned(), (1..32).map(char::from).collect()),
        ("nothing".to_owned(), String::new()),
        ("spaces".to_owned(), " ".repeat(10_000)),
        ("newlines".to_owned(), "\n".repeat(10_000)),
        ("quotes".to_owned(), "'\"`".repeat(3_000)),
        ("backslashes".to_owned(), "\\".repeat(10_001)),
        ("a long name of a variable".to_owned(), format!("{}=b ls", "A".repeat(9_000))),
        ("a path of 5,000 parts".to_owned(), format!("cat {}", "a/".repeat(5_000))),
        ("a path of 5,000 parents".to_owned(), format!("cat {}", "../".repeat(3_300))),
        ("links in a circle".to_owned(), "cat circle/x; cd circle && ls".to_owned()),
    ];
    for (open, close) in OPENERS {
        for times in [400, 2_000] {
            lines.push((
                format!("{times} {open:?}"),
                format!("{}x{}", open.repeat(times), close.repeat(times)),
            ));
            lines.push((format!("{times} {open:?}, open"), open.repeat(times)));
        }
    }
    lines
}

/// All of them as lines of `check --stdin`, and paths and names besides.
fn requests() -> Vec<(String, Value)> {
    let rules = json!({ "allow": ["shell(*)"], "deny": ["shell(rm *)", "read(**/.env)"] });
    let shell = |(name, line): (String, String)| {
        (name, json!({ "kind": "shell", "command": line, "cwd": "/w", "workspace": "/w", "rules": rules }))
    };
    let mut requests: Vec<(String, Value)> = lines().into_iter().map(shell).collect();
    let paths = [
        ("5,000 parts", "a/".repeat(5_000)),
        ("5,000 parents", "../".repeat(5_000)),
        ("5,000 parts and parents", "a/../".repeat(5_000)),
        ("a long name", "a".repeat(5_000)),
        ("a circle", "circle".to_owned()),
        ("below a circle", "circle/a/b/../..".to_owned()),
        ("two circles", "circle/../other/x".to_owned()),
        ("a spiral", "spiral/".repeat(400)),
        ("a zero byte", "a\0b".to_owned()),
        ("1 MB", "a/".repeat(500_000)),
    ];
    for (name, path) in paths {
        for kind in ["read", "write"] {
            requests.push((format!("{kind} {name}"), json!({ "kind": kind, "path": path })));
        }
    }
    let urls = [format!("https://{}/", "a.".repeat(5_000)), format!("https://x/{}", "%2e%2e/".repeat(5_000))];
    requests.extend(urls.map(|url| ("fetch".to_owned(), json!({ "kind": "fetch", "url": url }))));
    let deep = (0..90).fold(json!("x"), |inner, _| json!([inner]));
    for (name, arguments) in [("deep arguments", deep), ("wide arguments", json!(vec!["a/../b"; 20_000]))] {
        requests.push((
            name.to_owned(),
            json!({ "kind": "mcp", "server": "s", "tool": "t", "arguments": arguments }),
        ));
    }
    requests.push(("a long tool".to_owned(), json!({ "kind": "tool", "tool": "t".repeat(1_000_000) })));
    requests
}

fn world() -> World {
    let world = World::new("");
    let link =
        |target: &str, name: &str| std::os::unix::fs::symlink(target, world.work().join(name)).unwrap();
    link("other", "circle");
    link("circle", "other");
    link(".", "spiral");
    world
}

/// Attack 71.
#[test]
fn given_hostile_inputs_then_the_library_answers_in_time() {
    let world = world();
    let mut checker = Checker::new(world.sources(), true);
    let mut slow = Vec::new();
    // What is read once is not what is measured.
    let _ = checker.decide(&Request::from_json(r#"{"kind":"shell","command":"ls"}"#).unwrap());
    for (name, request) in requests() {
        let mut placed = request.clone();
        for key in ["cwd", "workspace"] {
            if placed.get(key).is_some() {
                placed[key] = json!(world.work());
            }
        }
        let line = placed.to_string();
        let begun = ThreadTime::now();
        let answer = Request::from_json(&line).ok().map(|request| checker.decide(&request));
        let took = begun.elapsed();
        if took > SLACK {
            slow.push(format!("{name}: {took:?}"));
        }
        if let Some(answer) = answer {
            let effect = answer.unwrap_or_else(|error| panic!("{name}: {error}")).effect;
            println!("{took:>12?}  {effect:5}  {name}");
        } else {
            println!("{took:>12?}  refused  {name}");
        }
    }
    assert_eq!(slow, [""; 0]);
}

/// One process for all of them: it answers each, in order, and does not abort.
/// Attack 70.
#[test]
fn given_hostile_inputs_then_the_program_answers_each() {
    let world = world();
    let mut bytes = Vec::new();
    for (name, mut request) in requests() {
        request["id"] = json!(name);
        request["cwd"] = json!(world.work());
        bytes.extend(request.to_string().into_bytes());
        bytes.push(b'\n');
    }
    // What is no JSON, no UTF-8, or no line.
    let mut raw: Vec<Vec<u8>> = vec![
        b"{\"id\":\"raw\",\"kind\":\"shell\",\"command\":\"ls \xff\xfe\"}".to_vec(),
        b"\xff\xfe\xfd".to_vec(),
        b"\xed\xa0\x80".to_vec(),
        b"{".to_vec(),
        b"[[[[".repeat(5_000),
        br#"{"id":"raw","kind":"shell","command":"\ud800"}"#.to_vec(),
        br#"{"id":"raw","kind":"shell","kind":"read","path":"x"}"#.to_vec(),
        br#"{"id":"raw","kind":"mcp","server":"s","tool":"t","arguments":{"n":1e400}}"#.to_vec(),
        b"null".to_vec(),
    ];
    raw.push(format!("{{\"id\":\"raw\",\"kind\":\"x{}\"}}", "x".repeat(1_000_000)).into_bytes());
    raw.push(
        format!("{{\"id\":\"raw\",\"kind\":\"shell\",\"command\":\"{}\"}}", "a".repeat(1_000_000))
            .into_bytes(),
    );
    for line in &raw {
        bytes.extend(line);
        bytes.push(b'\n');
    }
    // And a last one that has to be right whatever came before.
    bytes.extend(
        br#"{"id":"last","kind":"shell","command":"true","rules":{"allow":["shell(true)"]},"isolated":true}"#,
    );
    bytes.push(b'\n');
    let ended = world.mayi(["check", "--stdin"]).input(&bytes).end();
    assert!(matches!(ended.code, Some(2)) && !ended.err.contains("panicked"), "{ended}");
    let answers: Vec<Value> = ended.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), requests().len() + raw.len() + 1, "one answer for each line");
    for ((name, _), answer) in requests().iter().zip(&answers) {
        assert_eq!(answer["id"], json!(name));
    }
    assert_eq!(
        (&answers.last().unwrap()["id"], &answers.last().unwrap()["effect"]),
        (&json!("last"), &json!("allow"))
    );
    let told: Vec<&Value> = answers.iter().filter(|answer| answer.get("error").is_some()).collect();
    assert!(told.len() >= 9, "what is no request is told: {told:?}");
    println!("{} answers in {:?}", answers.len(), ended.took);
}

/// What is beyond the bounds is asked about, in every mode and whatever the rules. Attack 70.
#[test]
fn given_lines_beyond_the_bounds_then_they_are_asked_about() {
    let world = world();
    let mut checker = Checker::new(world.sources(), true);
    for line in [
        format!("echo {}", "a".repeat(200_000)),
        format!("{}x{}", "{ ".repeat(400), "; }".repeat(400)),
        format!("{}x{}", "echo $(".repeat(400), ")".repeat(400)),
        vec!["true"; 20_001].join(" && "),
    ] {
        let request = json!({
            "kind": "shell", "command": line, "mode": "auto", "rules": { "allow": ["*"] }, "isolated": true
        });
        let decision = checker.decide(&Request::from_json(&request.to_string()).unwrap()).unwrap();
        assert_eq!(
            (decision.effect.to_string(), decision.always_asks()),
            ("ask".to_owned(), true),
            "{:.60}",
            line
        );
    }
}
