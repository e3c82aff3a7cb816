//! Many sessions of one editor: they share the record and who looks at the configuration, and each has a gate of its own.

use std::time::Instant;

use mayi_tests::{LIMIT, until};
use serde_json::json;

use crate::scene::{Scene, machine, outcome, wants};

/// How many, and how many files each may have open: one, by which other processes know that it is there, the socket over which it
/// takes answers, the two ends of the pipe by which that is closed, and a spare one.
const MANY: usize = 40;
const EACH: usize = 5;

/// S4.22: a session more costs next to nothing, and one that has ended nothing.
#[test]
fn given_many_sessions_then_they_share_the_record_and_leave_nothing_open_at_their_end() {
    let mut scene = Scene::open(machine(), &[]);
    let first = scene.descriptors();
    for number in 0..MANY {
        scene.session(&format!("s{number}"));
    }
    let all = scene.descriptors();
    eprintln!("{first} files are open with one session, and {all} with {MANY} more");
    assert!(
        all <= first + MANY * EACH,
        "{first} files are open with one session, and {all} with {MANY} more"
    );
    // Each is a session like the first one, and has its own answers.
    for (id, session) in [(1, "s0"), (2, "s39")] {
        scene.agent_asks(id, "session/request_permission", &of(session, id, "make"));
        let question = scene.editor.until("session/request_permission");
        assert_eq!(question["params"]["sessionId"], session);
        scene.pick(&question, "mayi-session");
        assert_eq!(outcome(&scene.agent.answer(id)), "once");
    }
    scene.record("answered", 2);
    for number in 0..MANY {
        let key = format!("close-{number}");
        scene.ask(&*key, "session/close", &json!({"sessionId": format!("s{number}")}));
        scene.agent.until("session/close");
        scene.agent_answers(&*key, &json!({}));
        scene.editor.answer(&*key);
    }
    until(LIMIT, || match scene.descriptors() {
        left if left <= first + EACH => Ok(()),
        left => Err(format!("{left} files are open, and {first} were at first")),
    });
    scene.agent_wants(3, "t", "cargo test");
    assert_eq!(outcome(&scene.agent.answer(3)), "once");
}

fn of(session: &str, call: u64, command: &str) -> serde_json::Value {
    let mut params = wants(&format!("t{call}"), command);
    params["sessionId"] = json!(session);
    params
}

/// What a session is answered to one command, asked again and again until it is that.
#[track_caller]
fn comes_to(scene: &mut Scene, session: &str, from: u64, wanted: &str) {
    let begun = Instant::now();
    for id in from.. {
        scene.agent_asks(id, "session/request_permission", &of(session, id, "cargo test"));
        let came = outcome(&scene.agent.answer(id));
        if came == wanted {
            return;
        }
        assert!(begun.elapsed() < LIMIT, "{session}: {came}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// S4.22: the files of a folder count for the sessions in it, and the user's for all, whoever looks at them.
#[test]
fn given_files_that_change_then_each_session_is_judged_by_those_of_its_folder() {
    let machine = machine();
    let strict = machine.outside("strict");
    std::fs::create_dir_all(&strict).unwrap();
    let mut scene = Scene::open(machine, &[]);
    for id in ["a", "b"] {
        scene.ask(id, "session/new", &json!({"cwd": strict, "mcpServers": []}));
        scene.agent.until("session/new");
        scene.agent_answers(id, &json!({ "sessionId": id }));
        scene.editor.answer(id);
        comes_to(&mut scene, id, 1, "once");
    }
    let deny = "version = 1\n[rules]\ndeny = [\"shell(cargo test)\"]\n";
    std::fs::write(strict.join(".mayi.toml"), deny).unwrap();
    comes_to(&mut scene, "a", 1000, "no");
    comes_to(&mut scene, "b", 2000, "no");
    comes_to(&mut scene, "s", 3000, "once");
    // Read once for both, and said once.
    let said = || scene.log().matches("the configuration has changed").count();
    assert_eq!(said(), 1, "{}", scene.log());
    scene.machine.configuration("config/mayi/config.toml", deny);
    comes_to(&mut scene, "s", 4000, "no");
}
