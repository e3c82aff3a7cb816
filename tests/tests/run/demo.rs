//! The demo agent behind the gate: what it says it did is what is on the disk.

use std::collections::BTreeSet;

use mayi_tests::{Machine, is};

use crate::{count, demo, each};

const TOUR: [&str; 6] = [
    "--allow",
    "write(mayi-demo*.txt)",
    "--allow",
    "shell(ls -l mayi-demo.txt)",
    "--allow",
    "shell(rm mayi-demo.txt)",
];

/// Everything that the tour asks for is allowed by rules: it is done, and mayi's own hands did it.
#[test]
fn given_rules_for_the_tour_then_all_of_it_happens() {
    let machine = Machine::new().file("README.md", "# A project\n");
    let options = ["--format", "json"];
    let result = demo(&machine, "demo: tour").args(TOUR).args(options).end().exits(0).result();
    let text = result["text"].as_str().unwrap();
    assert!(text.contains("begins with: # A project") && !text.contains("ot allowed"), "{text}");
    assert_eq!(
        (count(&result, "allowed"), count(&result, "denied"), count(&result, "unanswered")),
        (6, 0, 0)
    );
    // The last step removes the first file and writes another one.
    let files: BTreeSet<String> = ["README.md", "mayi-demo-notes.txt"].map(str::to_owned).into();
    assert_eq!(machine.files(), files);
    assert!(machine.text("mayi-demo-notes.txt").unwrap().contains("Two questions were open"));
}

/// A prompt without any scenario is the tour too.
#[test]
fn given_nothing_allowed_then_the_tour_leaves_no_trace() {
    let cases: [(&str, &[&str], i32); 4] = [
        ("demo: tour", &[], 6),
        ("show me what you can do", &[], 6),
        ("demo: tour", &["--no-fs", "--no-terminal"], 6),
        ("demo: tour", &["--deny", "*"], 5),
    ];
    each(&cases, |(prompt, options, code)| {
        let machine = Machine::new();
        let ended = demo(&machine, prompt).args(*options).end().exits(*code).tells("That was the tour.");
        assert!(machine.files().is_empty(), "{:?}: {ended}", machine.files());
    });
}

/// "several tool calls in one turn, some done, some waiting": each has its own answer.
#[test]
fn given_two_calls_at_once_then_one_is_allowed_and_the_other_denied() {
    for (allow, done, refused) in
        [("write(two.txt)", "two.txt", "ran.txt"), ("shell(touch ran.txt)", "ran.txt", "two.txt")]
    {
        let machine = Machine::new();
        let ended = demo(&machine, "demo: two").args(["--allow", allow]).end().exits(6);
        let _ = ended.tells(&format!("{done}: done.")).tells("not allowed.");
        assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), [done], "not {refused}");
    }
}

/// S4.9: tool calls that ran unasked are recorded. Attack 24: "seen, counted". S1.9:
/// Exit code 7: something ran unasked that the policy asks about or denies, and what is told of it is no effect, but what
/// the policy says. Found in review: a run in which the policy was broken ended as one that kept to it.
#[test]
fn given_a_call_that_never_asked_then_it_is_shown_and_counted() {
    let cases: [(&[&str], &str, &str, i32); 4] = [
        (
            &[],
            "unasked_ask",
            "! Write out.txt: ran without asking, though the policy asks about it — write in default mode",
            7,
        ),
        (
            &["--deny", "write(out.txt)"],
            "unasked_denied",
            "ran without asking, though the policy denies it",
            7,
        ),
        (
            &["--mode", "plan"],
            "unasked_denied",
            "ran without asking, though the policy denies it — plan mode",
            7,
        ),
        (&["--allow", "write(out.txt)"], "unasked_allowed", "1 ran without asking", 0),
    ];
    each(&cases, |(options, counted, says, code)| {
        let machine = Machine::new();
        let unasked = || demo(&machine, "demo: unasked out.txt").args(*options);
        let _ = unasked().end().exits(*code).says(says).says("mayi: 1 ran without asking");
        assert_eq!(machine.text("out.txt").as_deref(), Some("Written without asking.\n"));
        let lines = unasked().args(["--format", "stream-json"]).end().exits(*code).stream();
        assert_eq!(count(lines.last().unwrap(), counted), 1);
        let told: Vec<_> = lines.iter().filter(|line| is(line, "unasked")).collect();
        assert_eq!(told.len(), usize::from(*counted != "unasked_allowed"));
        for line in told {
            let policy = if *counted == "unasked_ask" { "ask" } else { "deny" };
            assert_eq!(
                (&line["policy"], line.get("decision"), line.get("effect")),
                (&policy.into(), None, None)
            );
            assert!(line["toolCallId"].is_string() && line["why"][0]["reason"].is_string(), "{line}");
            let of = |at: &serde_json::Value| at["update"]["toolCallId"] == line["toolCallId"];
            assert!(
                lines.iter().take_while(|at| *at != line).any(of),
                "it comes after what the agent says of the call"
            );
        }
    });
}

/// S1.10: For `run`, 7 before 6 before 5 before 0.
#[test]
fn given_a_call_that_never_asked_beside_others_then_it_is_what_the_exit_code_says() {
    let machine = Machine::new();
    let prompt = "demo: write a.txt x ;; demo: unasked out.txt ;; demo: run touch b.txt";
    let ended = demo(&machine, prompt).args(["--deny", "shell(*)", "--format", "json"]).end().exits(7);
    let result = ended.result();
    let counts = ["unasked_ask", "unanswered", "denied"].map(|name| count(&result, name));
    assert_eq!((counts, result["exitCode"].as_i64()), ([1, 1, 1], Some(7)), "{ended}");
}

/// D3.21: `on_unasked = "record" | "stop"`: what ran can't be undone, but nothing comes after it. Attack 24.
#[test]
fn given_on_unasked_stop_then_a_call_that_never_asked_ends_the_run() {
    let prompt = "demo: unasked out.txt ;; demo: repeat 20 write a.txt x";
    let settings = ["on_unasked = \"stop\"\n", "[agents.demo]\non_unasked = \"stop\"\n"];
    each(&settings, |toml| {
        let machine = Machine::new().user(toml);
        let run =
            |options: &[&str]| demo(&machine, prompt).args(["--allow", "write(a.txt)"]).args(options).end();
        let ended = run(&[]).exits(7).says("`on_unasked` is \"stop\": the turn was cancelled");
        assert!(machine.text("out.txt").is_some(), "{ended}");
        let result = run(&["--format", "json"]).exits(7).result();
        assert!(result["error"].as_str().unwrap().contains("ran without asking"), "{result}");
    });
    let machine = Machine::new().user("on_unasked = \"stop\"\n[agents.demo]\non_unasked = \"record\"\n");
    let prompt = "demo: unasked out.txt ;; demo: write a.txt x";
    let ended = demo(&machine, prompt).args(["--allow", "write(a.txt)"]).end().exits(7);
    assert_eq!(machine.text("a.txt").as_deref(), Some("x\n"), "{ended}");
    let allowed = demo(&machine, prompt).args(["--allow", "write(*)"]).end().exits(0);
    let _ = allowed.says("1 ran without asking");
}

/// What is allowed is done once, by mayi: an edit on a file that is there.
#[test]
fn given_an_edit_that_is_allowed_then_the_file_has_the_new_line() {
    let machine = Machine::new().file("notes.txt", "mine\n");
    let edit = |options: &[&str]| demo(&machine, "demo: edit notes.txt").args(options).end();
    let _ = edit(&[]).exits(6);
    assert_eq!(machine.text("notes.txt").as_deref(), Some("mine\n"));
    let _ = edit(&["--allow", "edit(notes.txt)"]).exits(0);
    assert_eq!(machine.text("notes.txt").as_deref(), Some("mine\nThis line was added by the demo agent.\n"));
}

/// A sub-agent's call is judged like its parent's.
#[test]
fn given_a_sub_agent_then_the_same_rules_hold() {
    let machine = Machine::new();
    let _ = demo(&machine, "demo: subagent").end().exits(6);
    assert!(machine.files().is_empty());
    let _ = demo(&machine, "demo: subagent").args(["--allow", "write(sub.txt)"]).end().exits(0);
    assert_eq!(machine.text("sub.txt").as_deref(), Some("From the sub-agent.\n"));
}

/// D3.11: `fetch` and `mcp` patterns.
#[test]
fn given_calls_to_the_outside_then_their_own_patterns_decide() {
    let fetch = "demo: fetch https://docs.example.org/a";
    let mcp = "demo: mcp github list_issues {\"repo\": \"me/x\"}";
    let cases = [
        (fetch, "--allow", "fetch(docs.example.org)", 0),
        (fetch, "--allow", "fetch(example.org)", 6),
        (fetch, "--deny", "fetch(example.org)", 5),
        (mcp, "--allow", "mcp(github/list_*)", 0),
        (mcp, "--allow", "mcp(github/get_*)", 6),
        (mcp, "--deny", "mcp(*/list_*)", 5),
    ];
    each(&cases, |(prompt, option, pattern, code)| {
        let _ = demo(&Machine::new(), prompt).args([option, pattern]).end().exits(*code);
    });
}

/// What the agent asks for again and again is answered each time, and the same way.
#[test]
fn given_the_same_question_again_and_again_then_the_answer_stays_the_same() {
    let allow = ["--allow", "write(loop.txt)", "-q"];
    let ended = demo(&Machine::new(), "demo: loop 200").args(allow).end().exits(0);
    assert_eq!(ended.text(), "loop 200: allow 200, allow-always 0, reject 0\n");
    let ended = demo(&Machine::new(), "demo: loop 200").args(["-q"]).end().exits(6);
    assert_eq!(ended.text(), "loop 200: allow 0, allow-always 0, reject 200\n");
}
