//! "An ordinary working session as a test: two hundred recorded commands of the kind that coding agents run, under
//! `everyday`: how many are asked about is printed, each with its reason. Aim: under 15 %."
//!
//! The commands are `tests/corpus/session.txt`; between them stand those of `tests/corpus/nasty.txt`.

use std::path::Path;

use serde_json::{Value, json};

use crate::corpus::World;

/// Lines of a file, or what stands between two lines `%%`.
pub(crate) fn commands(name: &str) -> Vec<String> {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name)).unwrap();
    let (mut found, mut block) = (Vec::new(), None::<Vec<&str>>);
    for line in text.lines() {
        match (&mut block, line) {
            (None, "%%") => block = Some(Vec::new()),
            (Some(_), "%%") => found.push(block.take().unwrap().join("\n")),
            (Some(lines), line) => lines.push(line),
            (None, line) if line.is_empty() || line.starts_with('#') => {}
            (None, line) => found.push(line.to_owned()),
        }
    }
    assert!(block.is_none(), "{name}: a block without its end");
    found
}

/// A repository in the languages that the session is about, and a user who has run `mayi init --template everyday`.
fn repository() -> World {
    let world = World::new("");
    let put = |name: &str, text: &str| {
        let path = world.work().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("Cargo.toml", "[package]\nname = \"app\"\n");
    put("package.json", "{ \"version\": \"1.0.0\", \"scripts\": { \"test\": \"vitest\" } }\n");
    put("pyproject.toml", "[project]\nname = \"app\"\n");
    put("go.mod", "module example.com/app\n");
    put("Makefile", "test:\n\ttrue\n");
    put("justfile", "test:\n    true\n");
    put(".git/HEAD", "ref: refs/heads/main\n");
    put(".git/config", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.com/app.git\n");
    for name in ["src/lib.rs", "src/main.rs", "src/old.rs", "web/package.json", "crates/core/Cargo.toml"] {
        put(name, "");
    }
    for name in ["tests/data/one.txt", "tests/data/two.txt", "tests/data/one.csv", "target/tmp.txt", ".env"] {
        put(name, "");
    }
    std::fs::remove_file(world.home().join(".config/mayi/config.toml")).unwrap();
    let ended = world.mayi(["init", "--template", "everyday"]).end();
    assert_eq!(ended.code, Some(0), "{ended}");
    world
}

/// What the program says of each, as its output has it.
fn answers(world: &World, commands: &[String]) -> Vec<Value> {
    let line = |command: &String| {
        json!({ "kind": "shell", "command": command, "cwd": world.work(), "agent": "someone" }).to_string()
            + "\n"
    };
    let input: String = commands.iter().map(line).collect();
    let ended = world.mayi(["check", "--stdin"]).input(input.as_bytes()).end().exits(0);
    let answers: Vec<Value> = ended.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), commands.len(), "{ended}");
    answers
}

/// Why it is not allowed: the findings that say so.
fn why(answer: &Value) -> String {
    let findings = answer["trail"].as_array().unwrap().iter();
    let stand = findings.filter(|finding| finding["effect"] == answer["effect"]);
    let text = |finding: &Value| {
        let of = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        format!("{}: {} ({})", of("source"), of("reason"), of("access").replace('\n', "⏎"))
    };
    stand.map(text).collect::<Vec<_>>().join("; ")
}

#[test]
fn given_an_ordinary_session_then_few_commands_are_asked_about() {
    let world = repository();
    let commands = commands("session.txt");
    assert!(commands.len() >= 200, "{} commands", commands.len());
    let answers = answers(&world, &commands);
    let mut stopped = 0;
    for (command, answer) in commands.iter().zip(&answers) {
        if answer["effect"] != "allow" {
            stopped += 1;
            println!(
                "{}  {}\n      {}",
                answer["effect"].as_str().unwrap(),
                command.replace('\n', "⏎"),
                why(answer)
            );
        }
    }
    let percent = stopped as f64 * 100.0 / commands.len() as f64;
    println!("{stopped} of {} commands are asked about: {percent:.1} %", commands.len());
    assert!(percent < 15.0, "{stopped} of {} commands are asked about: {percent:.1} %", commands.len());
    let denied = answers.iter().filter(|answer| answer["effect"] == "deny").count();
    assert_eq!(denied, 0, "nothing ordinary is denied");
}

#[test]
fn given_nasty_lines_in_an_ordinary_session_then_none_is_allowed() {
    let world = repository();
    // Between ordinary ones, and after one in the same line.
    let nasty = commands("nasty.txt");
    let after: Vec<String> = nasty.iter().map(|line| format!("git status && {line}")).collect();
    for lines in [nasty, after] {
        let allowed: Vec<&String> = lines
            .iter()
            .zip(answers(&world, &lines))
            .filter(|(_, answer)| answer["effect"] == "allow")
            .map(|(line, _)| line)
            .collect();
        assert_eq!(allowed, [""; 0]);
    }
}
