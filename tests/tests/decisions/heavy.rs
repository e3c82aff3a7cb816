//! What is made to be slow or large (`mayi_tests::heavy`): each decision ends within its steps, and no line takes a process along.
//! Nothing is timed: steps are counted, and what memory and processor a process gets is bounded by the system.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mayi_core::call::{Access, McpAccess, Surroundings, effort, shell};
use mayi_tests::{heavy, random::Random};
use serde_json::{Value, json};

/// The requests of every run are the same ones.
const SEED: u64 = 20_261_129;

/// Bytes that a process may map, and seconds of processor that it may use for one request, on average: what it takes without
/// optimisation, and to read the rules.
const MEMORY: u64 = 700_000_000;
const SECONDS: usize = 2;

/// Attack 731. D2.40: also what was found does not grow beyond what was looked at, and what was not looked at to its end is asked about.
#[test]
fn given_what_is_made_to_be_slow_or_large_then_each_decision_ends_within_its_steps() {
    let mut random = Random(SEED);
    let (cwd, roots) = (Path::new("/w"), [PathBuf::from("/w")]);
    let at = Surroundings { home: Some(Path::new("/home/me")), ..Surroundings::new(cwd, &roots) };
    let (mut spent, mut most) = (0, 0);
    for nth in 0..1_200 {
        let (line, mut arguments) = (heavy::line(&mut random), Value::Null);
        let (accesses, steps) = effort::steps_of(|| {
            if nth % 4 != 0 {
                return shell::line_accesses(&line, &at);
            }
            arguments = heavy::arguments(&mut random);
            let readings =
                vec![("s".to_owned(), random.of(&["t", "bash", "query", "execute_command"]).to_owned())];
            vec![Access::Mcp(McpAccess::new(readings, arguments.clone(), cwd))]
        });
        most = most.max(steps);
        spent += usize::from(steps >= effort::MOST);
        let head: String = line.chars().take(200).collect();
        if nth % 4 != 0 {
            let size = serde_json::to_string(&accesses).unwrap().len();
            assert!(size < 32 << 20, "{size} bytes: {head}");
            let asked = |access: &Access| matches!(access, Access::Shell(shell) if shell.caveats.iter().any(|caveat| caveat.always));
            assert!(steps < effort::MOST || accesses.iter().any(asked), "{head}");
        }
    }
    println!("{spent} of 1200 are beyond the steps of a decision");
    assert!(spent > 20 && spent < 600, "{spent} of 1200 are beyond, {most} steps at the most");
}

/// Lines that double are found to be too much whatever they begin with; the like that end soon are judged as they are.
#[test]
fn given_a_line_that_doubles_then_it_is_asked_about_and_one_that_hardly_does_is_judged() {
    let roots = [PathBuf::from("/w")];
    let at = Surroundings::new(Path::new("/w"), &roots);
    let line = |times: usize| {
        let more: String = (1..times).map(|at| format!("x{at}=$x{}$x{}; ", at - 1, at - 1)).collect();
        format!("x0=ab; {more}ls")
    };
    let read =
        |times| shell::shell_accesses(&shell::line_accesses(&line(times), &at)).all(|shell| shell.understood);
    assert!(read(4) && read(10));
    assert!(!read(25) && !read(60));
}

/// Attack 731. One such line ended `serve`, `mcp` and `acp` with all their sessions: here it is answered, and so is the next one.
#[test]
fn given_little_memory_then_no_such_line_ends_the_process() {
    let top = tempfile::tempdir().unwrap();
    let (home, work) = (top.path().join("home"), top.path().join("work"));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(work.join("src")).unwrap();
    std::fs::write(work.join(".env"), "x").unwrap();
    let mut random = Random(SEED + 1);
    let requests: Vec<Value> = (0..120).map(|nth| request(&mut random, nth, &work)).collect();
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let limits = format!(
        "ulimit -v {} && ulimit -t {} && exec \"$0\" check --stdin",
        MEMORY / 1024,
        SECONDS * requests.len()
    );
    let mut check = Command::new("sh")
        .args(["-c", &limits])
        .arg(mayi_tests::mayi_program())
        .env_clear()
        .env("HOME", &home)
        .env("PATH", std::env::var_os("PATH").unwrap())
        .current_dir(&work)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = check.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = check.wait_with_output().unwrap();
    assert!(writer.join().unwrap().is_ok(), "it ended before it had read all: {}", output.status);
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), requests.len(), "{}", output.status);
    let wrong: Vec<&Value> = answers.iter().filter(|answer| answer["effect"].is_null()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A request with rules, which is answered: its patterns are all in order.
fn request(random: &mut Random, nth: usize, work: &Path) -> Value {
    let mut request = json!({
        "id": nth, "cwd": work, "workspace": work, "mode": random.of(&["default", "auto", "plan"]),
        "rules": { random.of(&["allow", "ask", "deny"]): heavy::patterns(random) },
    });
    let what = match random.below(4) {
        0 => {
            let tool = random.of(&["t", "bash", "query"]);
            json!({ "kind": "mcp", "server": "s", "tool": tool, "arguments": heavy::arguments(random) })
        }
        1 => {
            let call = json!({
                "toolCallId": "t", "title": "x", "kind": random.of(&["execute", "other", "read"]), "rawInput": heavy::arguments(random),
            });
            json!({ "kind": "acp", "request": { "sessionId": "s", "toolCall": call, "options": [] } })
        }
        _ => json!({ "kind": "shell", "command": heavy::line(random) }),
    };
    for (key, value) in what.as_object().unwrap() {
        request[key] = value.clone();
    }
    request
}
