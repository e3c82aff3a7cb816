//! Eight cases for each agent that was tried: it writes, edits, runs a command and calls a tool of a server, which is
//! allowed, denied by a rule, denied by plan mode, or left to somebody who is not there. What happened is read off the file
//! system and the exit code. This is what "tried" means in `mayi agents` and in the table of docs/agents.md.

use crate::agent::{Agent, packages};
use crate::done::Done;
use crate::scene::{NOTES, Scene};

/// What a case comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comes {
    /// It happened, and the run ends with 0.
    Happens,
    /// Nothing happened, and the run ends with this code.
    Nothing(i32),
}

use Comes::{Happens, Nothing};

/// The model's script, options, what it comes to, and the file by which that is seen.
const CASES: [(&str, &[&str], Comes, &str); 8] = [
    ("write file", &["--allow", "write(**)"], Happens, "hello.txt"),
    ("write file", &["--deny", "write(**)"], Nothing(5), "hello.txt"),
    ("edit file", &["--allow", "write(**)"], Happens, "notes.txt"),
    ("edit file", &[], Nothing(6), "notes.txt"),
    ("run outside", &["--allow", "shell(touch ran.txt)"], Happens, "ran.txt"),
    ("run outside", &["--mode", "plan"], Nothing(5), "ran.txt"),
    ("mcp plain", &["--allow", "mcp(mini/plain)"], Happens, "plain.txt"),
    ("mcp plain", &["--deny", "mcp(mini/plain)"], Nothing(5), "plain.txt"),
];

/// As a preset starts it, but for the program: that is the one that was installed for the tests.
fn eight(agent: Agent, preset: &'static str) {
    if agent == Agent::Vibe && !packages().join("vibe/bin/python").exists() {
        return mayi_tests::skipped(
            "Mistral Vibe needs Python 3.12, which tests/agents/install did not find",
        );
    }
    for (case, options, comes, file) in CASES {
        // Some questions do not hold the command, the file or the tool of a server: no rule speaks for that, only a person.
        let vague = match case {
            "write file" => agent == Agent::Kimi,
            "run outside" => matches!(agent, Agent::Gemini | Agent::Kimi),
            "mcp plain" => matches!(agent, Agent::Gemini | Agent::Vibe | Agent::Kimi),
            _ => false,
        };
        // These have none of the session's servers for their model.
        let serverless = case == "mcp plain" && matches!(agent, Agent::Copilot | Agent::Cline);
        let comes = match () {
            () if serverless => Nothing(0),
            () if vague && !options.contains(&"plan") => Nothing(6),
            () => comes,
        };
        // Its sandbox is off in these tests, so that there is no outside.
        let case = if agent == Agent::Codex && case == "run outside" { "run once" } else { case };
        let scene = Scene::new(agent).named(preset, "");
        let done = scene.run(case, options);
        let code = if let Nothing(code) = comes { code } else { 0 };
        assert_eq!(
            (done.code, happened(&scene, file)),
            (code, comes == Happens),
            "{case} {options:?}: {done}"
        );
        asked(&scene, &done, case, comes);
    }
}

fn happened(scene: &Scene, file: &str) -> bool {
    match scene.file(file) {
        Some(text) if file == "notes.txt" => text != NOTES,
        found => found.is_some(),
    }
}

/// What ran was asked about, and a server that a call did not get through to was not called.
fn asked(scene: &Scene, done: &Done, case: &str, comes: Comes) {
    assert_eq!(done.count("unasked_ask") + done.count("unasked_denied"), 0, "{case}: {done}");
    if case == "mcp plain" {
        let called = if comes == Happens { vec!["plain".to_owned()] } else { Vec::new() };
        assert_eq!(scene.calls("mini").unwrap_or_default(), called, "{done}");
    }
}

/// "Presets are tried against the real agents": an agent's new version may stop asking, and this is how it is seen.
#[test]
fn given_claude_code_then_what_is_allowed_happens_and_nothing_else() {
    eight(Agent::Claude, "claude");
}

/// The same, by the adapter that people have installed from before; its settings, and not its mode, make it ask.
#[test]
fn given_codex_by_its_first_adapter_then_what_is_allowed_happens_and_nothing_else() {
    eight(Agent::Codex, "codex1");
}

/// The same, as the preset has it.
#[test]
fn given_codex_then_what_is_allowed_happens_and_nothing_else() {
    eight(Agent::Codex2, "codex");
}

/// Found in review: Gemini CLI could create no file, since it takes what is said of one that is not there for a
/// failure. As the preset has it, a file that is not there reads as an empty one.
#[test]
fn given_gemini_cli_then_what_is_allowed_happens_and_nothing_else() {
    eight(Agent::Gemini, "gemini");
}

/// opencode runs everything without asking, as it comes; the preset sets the variable by which it asks.
#[test]
fn given_opencode_then_what_is_allowed_happens_and_nothing_else() {
    eight(Agent::Opencode, "opencode");
}

#[test]
fn given_qwen_code_then_what_is_allowed_happens_and_nothing_else() {
    eight(Agent::Qwen, "qwen");
}

/// Found in review: Mistral Vibe starts in a mode in which it edits without asking, and its asking mode is `ask`.
#[test]
fn given_mistral_vibe_then_what_is_allowed_happens_and_nothing_else() {
    eight(Agent::Vibe, "vibe");
}

/// Found in review: no rule allowed it anything, since each of its lines was taken for one word, and the headers of its diffs for
/// files of the folder.
#[test]
fn given_copilot_then_what_is_allowed_happens_and_nothing_else() {
    eight(Agent::Copilot, "copilot");
}

/// Found in review: its patches were judged as lines.
#[test]
fn given_cline_then_what_is_allowed_happens_and_nothing_else() {
    eight(Agent::Cline, "cline");
}

#[test]
fn given_kimi_then_what_is_allowed_happens_and_nothing_else() {
    eight(Agent::Kimi, "kimi");
}

/// Found in review: the same program as the preset's, but by its command: nobody sets the mode in which it asks,
/// which is said before the first prompt, and what it does without asking ends the run with 7.
#[test]
fn given_opencode_by_its_command_then_what_runs_without_asking_is_said_and_the_code_is_7() {
    let scene = Scene::new(Agent::Opencode);
    let done = scene.run("write file", &[]);
    assert_eq!((done.code, done.count("unasked_ask"), happened(&scene, "hello.txt")), (7, 1, true), "{done}");
    // Not the first of them: on a busy machine an agent that is slow to start is told of before.
    let told = "not known whether this agent asks before it acts; it is in its mode `build`: ";
    assert!(
        done.of("notice").any(|notice| notice["text"].as_str().is_some_and(|text| text.starts_with(told))),
        "{done}"
    );
}
