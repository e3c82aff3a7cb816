//! `mayi log`, as a person or a script calls it: the real program, and a record that it wrote itself.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "everyday/machine.rs"]
mod machine;
#[path = "support/pty.rs"]
mod pty;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::Duration;

use machine::Machine;
use pty::Terminal;
use serde_json::Value;

/// The highlight on Deny is drawn once keys do something.
const LIVE: &str = "› n  Deny";
/// Nothing that is waited for takes longer, even on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A machine on which the demo agent did what `prompt` says; nobody was there to answer.
fn after(prompt: &str) -> Machine {
    let machine = Machine::new();
    machine.mayi(["run", "demo", prompt]);
    machine
}

/// Runs the demo agent with somebody at the terminal who answers with `keys`; says what was on the screen.
fn answered(machine: &Machine, prompt: &str, keys: &str) -> String {
    let terminal = Terminal::start(machine.command(["run", "demo", prompt]), (60, 120), false);
    for (at, key) in keys.chars().enumerate() {
        // Each question leaves one line behind.
        terminal.until("the next question", |screen| {
            let text = screen.contents();
            text.contains(LIVE) && text.matches(['✓', '✗']).count() == at
        });
        terminal.send(&key.to_string());
    }
    terminal.exit();
    terminal.screen()
}

fn store(machine: &Machine) -> rusqlite::Connection {
    rusqlite::Connection::open(machine.home().join(".local/share/mayi/store.db")).unwrap()
}

#[test]
fn given_no_record_then_every_command_says_so_and_nothing_is_wrong() {
    let machine = Machine::new();
    for words in [["log", "-q"], ["log", "verify"], ["log", "stats"], ["log", "replay"], ["log", "suggest"]] {
        let done = machine.mayi(words);
        assert_eq!((done.code, done.out.as_str()), (0, ""), "{words:?}");
        if words[1] != "-q" {
            assert_eq!(done.err, "nothing is recorded yet\n", "{words:?}");
        }
    }
    assert_eq!(machine.mayi(["log", "show", "1"]).code, 0);
    assert!(!machine.home().join(".local/share").exists());
}

/// S1.19: `mayi log`: the record.
#[test]
fn given_a_run_then_each_call_is_a_line_and_the_newest_is_first() {
    let machine = after("demo: read a.txt ;; demo: run make all ;; demo: unasked z.txt");
    let done = machine.mayi(["log"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let told: Vec<String> = done
        .out
        .lines()
        .skip(1)
        .map(|line| machine.plain(line).split_whitespace().skip(2).collect::<Vec<_>>().join(" "))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    demo unasked write(/work/z.txt) would have been asked about
    demo denied shell(make all) nobody to ask: execute in default mode
    demo allowed read(/work/a.txt) read in default mode, then failed
    - config mode default, no file
    ");
    let reversed = machine.mayi(["log", "--reverse"]);
    let mut lines: Vec<&str> = reversed.out.lines().skip(1).collect();
    lines.reverse();
    assert_eq!(lines, done.out.lines().skip(1).collect::<Vec<_>>());
    assert_eq!(machine.mayi(["log", "--all"]).out, done.out);
    assert_eq!(machine.mayi(["log", "--all", "--reverse"]).out, reversed.out);
    assert_eq!(machine.mayi(["log", "-n", "2"]).out.lines().count(), 3);
    assert!(machine.mayi(["log", "--color", "always"]).out.contains('\u{1b}'));
    assert!(!done.out.contains('\u{1b}'));
}

/// A line of the table is one line of the terminal; what is left out leaves a mark.
#[test]
fn given_a_narrow_terminal_then_no_line_runs_over_and_a_page_fits_on_it() {
    let long = "a".repeat(100);
    let runs = format!("demo: run make {long} ;; demo: run x ;; ").repeat(12);
    let machine = after(&format!("{runs} demo: say done"));
    let terminal = Terminal::start(machine.command(["log"]), (20, 70), false);
    assert!(terminal.exit().success());
    // The newest is still on it, and so is its day.
    terminal.sees("shell(x)");
    terminal.sees("day\n");
    assert!(!terminal.runs_over(), "{}", terminal.screen());
}

/// The answer of a person stands in the line of the call that it was given to.
#[test]
fn given_answers_then_they_are_told_in_the_lines_of_their_calls() {
    let machine = Machine::new();
    answered(&machine, "demo: run make a ;; demo: run make b", "yn");
    let out = machine.mayi(["log"]).out;
    // What was announced and then done is a line of its own.
    let line = |text: &str| out.lines().rfind(|line| line.contains(text)).unwrap().to_owned();
    let (yes, no) = (line("shell(make a)"), line("shell(make b)"));
    assert!(yes.contains("  asked  ") && yes.contains("  approved by terminal after "), "{out}");
    assert!(no.contains("  asked  ") && no.contains("  denied by terminal after "), "{out}");
    assert!(yes.ends_with(", then failed") && !no.contains("then"), "{out}");
    // Without the rest of the call, the answer is told by itself.
    let only = machine.mayi(["log", "--kind", "answered", "--effect", "deny"]).out;
    assert!(only.contains("answered   shell(make b)") && !only.contains("make a"), "{only}");
    let number = yes.split_whitespace().next().unwrap();
    let shown = machine.command(["log", "show", number]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    for text in
        ["proposed", "decided: ask", "matrix: execute in default mode", "choices", "approved by terminal"]
    {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(!shown.contains("make b"), "{shown}");
}

#[test]
fn given_filters_then_only_what_they_mean_is_shown() {
    let machine = after("demo: read a.txt ;; demo: run make all ;; demo: mcp github list_issues {}");
    let entries = |words: &[&str]| {
        let mut command = machine.command(["log", "--json", "--reverse"]);
        let done = command.args(words).output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{words:?}");
        lines(&String::from_utf8(done.stdout).unwrap())
    };
    let all = entries(&[]);
    let count = |words: &[&str]| entries(words).len();
    assert!(all.windows(2).all(|pair| pair[0]["seq"].as_u64() < pair[1]["seq"].as_u64()));
    for words in [
        &["--agent", "demo", "--kind", "proposed"][..],
        &["--here", "--kind", "proposed"],
        &["--workspace", ".", "--kind", "proposed"],
        &["--since", "1h", "--until", "now", "--kind", "proposed"],
        &["--session", all[1]["session"].as_str().unwrap(), "--kind", "proposed"],
    ] {
        assert_eq!(count(words), 3, "{words:?}");
    }
    for words in [
        &["--agent", "claude"][..],
        &["--workspace", "/nowhere"],
        &["--session", "x"],
        &["--until", "yesterday"],
        &["--effect", "ask"],
        &["--access", "fetch"],
        &["--grep", "nothing like it"],
        &["--call", "0196f2a4-7c1e-7cc0-8f43-0242ac120002"],
        &["--approval", "0196f2a4-7c1e-7cc0-8f43-0242ac120002"],
    ] {
        assert_eq!(count(words), 0, "{words:?}");
    }
    assert_eq!(count(&["--access", "mcp(github/"]), 2);
    assert_eq!(count(&["--access", "shell", "--effect", "deny"]), 1);
    assert_eq!(count(&["--kind", "decided", "--kind", "proposed", "--grep", "make all"]), 2);
    assert_eq!(count(&["--call", all[1]["call"].as_str().unwrap()]), 4);
    let done = machine.mayi(["log", "--agent", "claude"]);
    assert_eq!(done.all(), (0, "", "nothing like that is recorded\n"));
    for wrong in
        [["log", "--since=soon"], ["log", "--kind=x"], ["log", "--effect=maybe"], ["log", "--call=1"]]
    {
        assert_eq!(machine.mayi(wrong).code, 2, "{wrong:?}");
    }
}

/// "`--json` gives one stable, documented, versioned shape."
#[test]
fn given_json_then_every_entry_has_the_documented_shape() {
    let machine = after("demo: run make all");
    let entries = machine.mayi(["log", "--json", "--reverse"]).out;
    let shape: Vec<String> = lines(&machine.plain(&entries))
        .into_iter()
        .map(|mut entry| {
            settle(&mut entry);
            serde_json::to_string(&entry).unwrap()
        })
        .collect();
    insta::assert_snapshot!(shape.join("\n"), @r#"
    {"version":1,"seq":1,"at":"…","kind":"config","detail":{"v":1,"epoch":0,"mode":"default","files":[]}}
    {"version":1,"seq":2,"at":"…","kind":"proposed","call":"…","session":"…","agent":"demo","workspace":"/work","access":"shell(make all)","detail":{"v":1,"door":"acp-permission","title":"make all","kind":"execute","name":"run_command","toolCallId":"call-1-1","cwd":"/work","accesses":["shell(make all)"],"rawDigest":"…","preview":{"rawInput":{"command":"make all","cwd":"/work"}}}}
    {"version":1,"seq":3,"at":"…","kind":"decided","call":"…","session":"…","agent":"demo","workspace":"/work","effect":"deny","access":"shell(make all)","detail":{"v":1,"effect":"ask","by":"nobody","mode":"default","categories":["execute"],"trail":[{"effect":"ask","access":"shell(make all)","source":"matrix","reason":"execute in default mode","always":false}]}}
    {"version":1,"seq":4,"at":"…","kind":"finished","call":"…","session":"…","agent":"demo","detail":{"v":1,"how":"failed"}}
    "#);
}

/// Puts something that is always the same in the place of what is not.
fn settle(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match name.as_str() {
                    "at" | "call" | "session" | "rawDigest" => *member = Value::from("…"),
                    _ => settle(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(settle),
        _ => {}
    }
}

/// S2.8: control characters, ANSI sequences, bidirectional overrides and invisible
/// characters are shown escaped.
#[test]
fn given_a_command_that_would_move_the_cursor_then_it_is_shown_escaped() {
    let machine = after("demo: run echo \u{1b}[2J\u{202e}x");
    for words in [["log", "-n5"], ["log", "stats"], ["log", "replay"], ["log", "suggest"]] {
        let done = machine.mayi(words);
        assert!(!(done.out + &done.err).contains(['\u{1b}', '\u{202e}']), "{words:?}");
    }
    assert!(machine.mayi(["log"]).out.contains(r"\x1b[2J\u{202e}x"));
    let call = lines(&machine.mayi(["log", "--json", "--kind", "decided"]).out);
    let shown = machine.mayi(["log", "show", call[0]["call"].as_str().unwrap()]).out;
    assert!(shown.contains(r"\x1b[2J\u{202e}x") && !shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
}

#[test]
fn given_an_id_that_nothing_has_then_show_says_so() {
    let machine = after("demo: say hello");
    assert_eq!(machine.mayi(["log", "show", "1"]).code, 0);
    for id in ["99", "x", "0196f2a4-7c1e-7cc0-8f43-0242ac120002"] {
        let done = machine.mayi(["log", "show", id]);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{id}");
    }
}

/// D7.7: `mayi log verify` finds any edit, gap, reordering or removed end and says where.
#[test]
fn given_a_record_that_was_tampered_with_then_verify_says_where() {
    let machine = after("demo: read a.txt ;; demo: run make all");
    let sound = machine.mayi(["log", "verify"]);
    assert_eq!((sound.code, sound.err.as_str()), (0, ""));
    assert!(sound.out.starts_with("sound: ") && sound.out.contains(", number 1 to "), "{}", sound.out);
    let json = lines(&machine.mayi(["log", "verify", "--json"]).out);
    assert_eq!((&json[0]["version"], &json[0]["sound"]), (&1.into(), &true.into()));
    assert_eq!(json[0]["findings"], serde_json::json!([]));
    store(&machine).execute("UPDATE record SET access = 'read(b.txt)' WHERE seq = 3", ()).unwrap();
    let done = machine.mayi(["log", "verify"]);
    assert_eq!(done.code, 1);
    assert!(
        done.out.contains("not sound: 1 finding") && done.out.contains("entry 3 was changed"),
        "{}",
        done.out
    );
    let json = lines(&machine.mayi(["log", "verify", "--json"]).out);
    let finding = &json[0]["findings"][0];
    assert_eq!((&finding["from"], &finding["what"]), (&3.into(), &"changed".into()));
    assert_eq!(finding["says"], "entry 3 was changed");
    store(&machine).execute("DELETE FROM record WHERE seq > 4", ()).unwrap();
    let done = machine.mayi(["log", "verify"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("the end was removed"), "{}", done.out);
}

#[test]
fn given_something_else_in_the_stores_place_then_that_is_told_and_the_exit_code_is_1() {
    let machine = after("demo: say hello");
    let folder = machine.home().join(".local/share/mayi");
    for name in ["store.db-wal", "store.db-shm"] {
        let _ = std::fs::remove_file(folder.join(name));
    }
    std::fs::write(folder.join("store.db"), "not a database, but long enough to be looked at".repeat(99))
        .unwrap();
    for words in [["log", "-q"], ["log", "verify"], ["log", "stats"]] {
        let done = machine.mayi(words);
        assert_eq!(done.code, 1, "{words:?}");
        assert!(done.err.contains("damaged"), "{}", done.err);
    }
}

#[test]
fn given_calls_and_answers_then_stats_sum_them_up() {
    let machine = Machine::new().user("[rules]\ndeny = [\"shell(rm *)\"]\n");
    answered(&machine, "demo: run make a ;; demo: run make b ;; demo: run rm b", "yn");
    let done = machine.mayi(["log", "stats"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    for text in [
        "demo",
        "shell make",
        "deny shell(rm *)",
        "PROMPTS A DAY",
        "██",
        "answers by people: 2; half of them",
    ] {
        assert!(done.out.contains(text), "{text}: {}", done.out);
    }
    let stats = &lines(&machine.mayi(["log", "stats", "--json"]).out)[0];
    assert_eq!((&stats["version"], &stats["all"]["asked"]), (&1.into(), &2.into()));
    assert_eq!((&stats["all"]["denied"], &stats["days"][0]["asked"]), (&1.into(), &2.into()));
    assert_eq!(stats["answers"]["count"], 2);
    let none = machine.mayi(["log", "stats", "--agent", "claude"]);
    assert_eq!(none.all(), (0, "", "nothing like that is recorded\n"));
}

/// S1.19: `replay --config NEW`.
#[test]
fn given_another_configuration_then_replay_says_what_would_be_decided_differently() {
    let machine = after("demo: run make a ;; demo: run make b ;; demo: run rm c ;; demo: read a.txt");
    let machine =
        machine.file("new.toml", "[rules]\nallow = [\"shell(make *)\"]\ndeny = [\"shell(rm *)\"]\n");
    let done = machine.mayi(["log", "replay", "--config", "new.toml"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    insta::assert_snapshot!(without_times(&machine.plain(&done.out)), @r"
    4 calls decided again: 1 as they were, 3 otherwise

    ask → allow  2 calls: allow rule of the user file, shell(make *) at /work/new.toml:2
        shell(make a)
        shell(make b)

    ask → deny  1 call: deny rule of the user file, shell(rm *) at /work/new.toml:3
        shell(rm c)
    ");
    let replay = &lines(&machine.mayi(["log", "replay", "--config", "new.toml", "--json"]).out)[0];
    assert_eq!((&replay["version"], &replay["calls"], &replay["same"]), (&1.into(), &4.into(), &1.into()));
    let loosened = replay["differences"].as_array().unwrap().iter().find(|of| of["to"] == "allow").unwrap();
    assert_eq!((&loosened["count"], &loosened["because"]["line"]), (&2.into(), &2.into()));
    // What counts now decides as it did.
    let same = machine.mayi(["log", "replay"]);
    assert_eq!(same.out, "4 calls decided again: all as they were\n");
}

fn without_times(text: &str) -> String {
    let line = |line: &str| match line.split_once("  #") {
        Some((before, _)) => before.to_owned(),
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn given_mistakes_in_the_new_configuration_then_they_are_shown_with_their_lines() {
    let machine = after("demo: say hello").file("new.toml", "[rules]\nalow = []\n");
    let done = machine.mayi(["log", "replay", "--config", "new.toml"]);
    assert_eq!((done.code, done.out.as_str()), (3, ""));
    assert!(done.err.contains("new.toml:2") && done.err.contains("did you mean `allow`?"), "{}", done.err);
    assert_eq!(machine.mayi(["log", "replay", "--config", "missing.toml"]).code, 3);
}

/// S1.19: `suggest`: rules that save questions, without allowing what was denied.
#[test]
fn given_the_like_approved_again_and_again_then_suggest_saves_the_questions() {
    let machine = Machine::new().user("# mine\nmode = \"default\" # for now\n");
    let prompt = "demo: run deploy a ;; demo: run deploy a ;; demo: run git push";
    answered(&machine, prompt, "yyn");
    let done = machine.mayi(["log", "suggest"]);
    assert_eq!(done.code, 0);
    assert!(
        done.err.contains("2 of 2 questions") && done.err.contains("in the last 30 days"),
        "{}",
        done.err
    );
    assert!(done.out.contains("pattern = \"shell(deploy a)\"\nagents = [\"demo\"]"), "{}", done.out);
    assert!(!done.out.contains("git"), "{}", done.out);
    assert!(done.out.contains("# saves 2 questions, allowed by you since "), "{}", done.out);
    assert!(done.out.contains("# it also allows: nothing else: just these words"), "{}", done.out);
    let json = &lines(&machine.mayi(["log", "suggest", "--json"]).out)[0];
    assert_eq!((&json["version"], &json["saved"]), (&1.into(), &2.into()));
    assert_eq!(json["proposals"][0]["promptsSaved"], 2);
    // Nobody is here to say yes to the change.
    let refused = machine.mayi(["log", "suggest", "--apply"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("+pattern = ") && refused.err.contains("--yes"), "{}", refused.err);
    assert!(!machine.user_text().contains("deploy"));
    let applied = machine.mayi(["log", "suggest", "--apply", "--yes"]);
    assert_eq!(applied.code, 0, "{}", applied.err);
    let text = machine.user_text();
    assert!(
        text.starts_with("# mine\nmode = \"default\" # for now\n") && text.contains("shell(deploy a)"),
        "{text}"
    );
    assert_eq!(machine.mayi(["config", "check", "-q"]).code, 0);
    // The same again asks one question in place of three.
    let asked = || lines(&machine.mayi(["log", "stats", "--json"]).out)[0]["all"]["asked"].clone();
    assert_eq!(asked(), 3);
    assert_eq!(machine.mayi(["run", "demo", prompt]).code, 6);
    assert_eq!(asked(), 3 + 1);
    let again = machine.mayi(["log", "suggest"]);
    assert_eq!((again.code, again.out.as_str()), (0, ""));
    assert!(again.err.contains("nothing to suggest"), "{}", again.err);
}

/// S1.19: `--follow`: until the reader of standard output goes away.
#[test]
fn given_follow_then_what_other_processes_append_is_shown_until_nobody_reads() {
    for json in [false, true] {
        let machine = Machine::new();
        if json {
            machine.mayi(["run", "demo", "demo: run make before"]);
        }
        let mut command = machine.command(["log", "--follow"]);
        if json {
            command.arg("--json");
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (send, lines) = channel();
        let reader = std::thread::spawn(move || {
            // It ends, and lets go of the pipe, with the line that is waited for.
            for line in BufReader::new(stdout).lines() {
                let line = line.unwrap();
                let last = line.contains("make now");
                send.send(line).unwrap();
                if last {
                    return;
                }
            }
        });
        if json {
            let before = std::iter::from_fn(|| lines.recv_timeout(DEADLINE).ok());
            assert!(before.take(5).any(|line| line.contains("make before")));
        }
        machine.mayi(["run", "demo", "demo: run make now"]);
        while !lines.recv_timeout(DEADLINE).unwrap().contains("make now") {}
        reader.join().unwrap();
        // Nothing is written any more, and yet it notices that nobody reads.
        let (send, ended) = channel();
        std::thread::spawn(move || send.send(child.wait().unwrap()));
        assert_eq!(ended.recv_timeout(DEADLINE).unwrap().code(), Some(0));
    }
}

/// D7.7: Of a damaged database, what can be read is shown, the rest is named, and the exit code is 1; who goes on writing to it is
/// told once, at the start. Any page, one at a time.
#[test]
fn given_a_damaged_database_then_log_shows_the_rest_and_run_says_so() {
    let machine = Machine::new();
    let text = "x".repeat(2_000);
    for number in 0..6 {
        let prompt = format!("demo: run touch a{number}.txt {text}");
        machine.mayi(["run", "demo", &prompt, "--allow", "shell(touch *)"]);
    }
    let sound = lines(&machine.mayi(["log", "--all", "--json"]).out).len();
    let path = machine.home().join(".local/share/mayi/store.db");
    let whole = std::fs::read(&path).unwrap();
    // What was written last may still be beside it, and what is written to a damaged one stays there.
    let [log, index] = ["wal", "shm"].map(|kind| path.with_extension(format!("db-{kind}")));
    let logged = std::fs::read(&log).ok();
    let place = |bytes: &[u8]| {
        for beside in [&log, &index] {
            let _ = std::fs::remove_file(beside);
        }
        std::fs::write(&path, bytes).unwrap();
        if let Some(logged) = &logged {
            std::fs::write(&log, logged).unwrap();
        }
    };
    let (mut tried, mut unopened) = (0, 0);
    for page in 1..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..page * 4096 + 8].iter_mut().for_each(|byte| *byte ^= 0xff);
        place(&bytes);
        let listed = machine.mayi(["log", "--all", "--json"]);
        let shown = lines(&listed.out);
        if listed.code == 0 {
            assert_eq!(shown.len(), sound, "page {page}: {}", listed.err);
            continue;
        }
        assert_eq!(listed.code, 1, "page {page}: {}", listed.err);
        // What the tables are stands on the first page, and on one or two more: without it, nothing can be read at all.
        if listed.err.contains("store.db is damaged: ") {
            assert!(shown.is_empty(), "page {page}: {}", listed.err);
            unopened += 1;
            continue;
        }
        let told = |what: &str| listed.err.contains(&format!("the record is damaged: {what}"));
        let nothing = shown.is_empty() && told("nothing of it can be read");
        assert!(nothing || told("what stands "), "page {page}: {}", listed.err);
        if tried == 3 || shown.is_empty() {
            continue;
        }
        assert!(shown.len() < sound, "page {page}");
        let ran = machine.mayi(["run", "demo", "demo: say hello"]);
        assert_eq!(ran.err.matches("part of the record can't be trusted any more").count(), 1, "{}", ran.err);
        tried += 1;
    }
    assert_eq!(tried, 3);
    assert!(unopened < 4, "{unopened} pages hide all others");
    place(&whole);
    let ran = machine.mayi(["run", "demo", "demo: say hello"]);
    assert!(!ran.err.contains("can't be trusted"), "{}", ran.err);
}
