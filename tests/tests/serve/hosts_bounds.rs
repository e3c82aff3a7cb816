//! The host door when apps go away, come back, change things behind mayi's back, or take all there is.

use mayi_tests::Machine;
use serde_json::{Value, json};

use super::hosts::{HostEvents, open, opening, shell};
use super::scene::{Backend, Client, code, pick};

/// The same call, answered at once with its card.
fn waiting(session: &Value, id: &str, command: &str) -> Value {
    let mut asked = shell(session, id, command);
    asked["wait"] = json!(false);
    asked
}

/// S3.12: an app that is gone in the middle of asking finds its question again. Attack 862.
#[tokio::test(flavor = "multi_thread")]
async fn given_an_app_that_is_gone_while_it_asks_then_its_question_waits_for_it() {
    use tokio::io::AsyncWriteExt as _;
    let backend = Backend::new().await;
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({})).await;
    let (at, token) = (backend.address(), backend.token("answerTokenFile"));
    let waits = |id: usize| {
        let mut asked = shell(&chat, &format!("g-{id}"), &format!("make t{id}"));
        asked["wait"] = json!(false);
        asked
    };
    for id in 0..40 {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "host/ask", "params": waits(id)}).to_string();
        let head = format!(
            "POST / HTTP/1.1\r\nhost: {at}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut gone = tokio::net::TcpStream::connect(&at).await.unwrap();
        gone.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        if id % 2 == 0 {
            tokio::task::yield_now().await;
        }
        drop(gone);
    }
    for id in 0..40 {
        let again = app.ask("host/ask", waits(id)).await;
        assert_eq!(again["outcome"], "asked", "{again}");
        let seen = json!({"key": chat["key"], "callId": format!("g-{id}"), "seen": ""});
        let shown = app.ask("host/outcome", seen).await;
        app.answer(&shown["card"], "allow_once").await.unwrap();
        assert_eq!(app.ask("host/ask", waits(id)).await["outcome"], "allowed");
    }
    assert_eq!(app.ask("host/get", json!({"key": chat["key"]})).await["waiting"], json!([]));
}

/// S3.11: two that come with one key at once are in one session.
#[tokio::test(flavor = "multi_thread")]
async fn given_one_key_that_is_opened_many_times_at_once_then_it_is_one_session() {
    let backend = Backend::new().await;
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({})).await;
    for round in 0..10 {
        app.ask("host/close", json!({"key": chat["key"]})).await;
        let one = async |id: usize| {
            let opened = open(&app, &backend, json!({"key": chat["key"]})).await;
            let mut asked = shell(&opened, &format!("{round}-{id}"), &format!("make {round}-{id}"));
            asked["wait"] = json!(false);
            app.ask("host/ask", asked).await
        };
        let asked = futures::future::join_all((0..8).map(one)).await;
        assert!(asked.iter().all(|outcome| outcome["outcome"] == "asked"), "{asked:?}");
        let waiting = app.ask("host/get", json!({"key": chat["key"]})).await["waiting"].clone();
        assert_eq!(waiting.as_array().unwrap().len(), 8);
    }
    app.ask("host/close", json!({"key": chat["key"]})).await;
    assert_eq!(app.ask("approval/list", json!({"pending": true})).await, json!([]));
}

/// S3.16: what one app opens is bounded, and a chat that made room comes back by its key. Attack 863.
#[tokio::test(flavor = "multi_thread")]
async fn given_more_chats_than_there_is_room_for_then_the_one_that_was_used_longest_ago_makes_some() {
    let backend = Backend::new().await;
    let stranger = Client::connect(&backend.text("ws"), &backend.token("askTokenFile")).await.unwrap();
    let first = open(&stranger, &backend, json!({"chat": "first"})).await;
    let mut asked = shell(&first, "1", "make");
    asked["wait"] = json!(false);
    assert_eq!(stranger.ask("host/ask", asked).await["outcome"], "asked");
    let second = open(&stranger, &backend, json!({"chat": "second"})).await;
    for at in 0..256 {
        open(&stranger, &backend, json!({"chat": format!("c-{at}")})).await;
    }
    // Where something waits, nobody is put away.
    assert_eq!(
        stranger.ask("host/get", json!({"key": first["key"]})).await["waiting"].as_array().unwrap().len(),
        1
    );
    assert_eq!(code(&stranger.call("host/get", json!({"key": second["key"]})).await.unwrap_err()).0, -32010);
    let again = open(&stranger, &backend, json!({"chat": "second", "key": second["key"]})).await;
    assert_eq!(again["sessionId"], second["sessionId"]);
    // At most 64 wait.
    let fresh = |at: usize| {
        let mut asked = shell(&again, &format!("f-{at}"), &format!("make t{at}"));
        asked["wait"] = json!(false);
        asked
    };
    let mut refused = 0;
    for at in 0..70 {
        refused += usize::from(stranger.call("host/ask", fresh(at)).await.is_err());
    }
    assert_eq!(refused, 7);
    let person = backend.client("test").await;
    let waiting = person.ask("approval/list", json!({"pending": true})).await;
    assert_eq!(waiting.as_array().unwrap().len(), 64);
    let card = waiting[0]["card"].clone();
    person.call("approval/respond", pick(&card, "deny")).await.unwrap();
}

/// S3.16: a sub-task never makes room by what it is a part of, and is never freer for it. Attack 860.
#[tokio::test(flavor = "multi_thread")]
async fn given_sub_tasks_and_no_room_then_their_parents_stay() {
    let backend = Backend::new().await;
    let stranger = Client::connect(&backend.text("ws"), &backend.token("askTokenFile")).await.unwrap();
    let first = open(&stranger, &backend, json!({"mode": "plan"})).await;
    let second = open(&stranger, &backend, json!({"chat": "b", "parent": first["key"]})).await;
    for at in 0..254 {
        open(&stranger, &backend, json!({"chat": format!("c-{at}")})).await;
    }
    let third = open(&stranger, &backend, json!({"chat": "c", "parent": second["key"]})).await;
    for session in [&first, &second, &third] {
        assert_eq!(stranger.ask("host/get", json!({"key": session["key"]})).await["mode"], "plan");
    }
    assert_eq!(stranger.ask("host/ask", shell(&third, "1", "make")).await["outcome"], "denied");
}

/// S3.10: a mode that was chosen is no looser than what is configured later. Attack 860.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_stricter_mode_that_is_configured_later_then_a_strangers_choice_gives_way() {
    let backend = Backend::on(Machine::new().user("version = 1\nmode = \"auto\"\n"), &[]).await;
    let stranger = Client::connect(&backend.text("ws"), &backend.token("askTokenFile")).await.unwrap();
    let chat = open(&stranger, &backend, json!({"mode": "auto"})).await;
    assert_eq!(stranger.ask("host/ask", shell(&chat, "1", "make")).await["outcome"], "allowed");
    // Through the backend, so that nothing has to be waited for.
    let person = backend.client("test").await;
    let file = backend.machine.outside("config/mayi/config.toml");
    std::fs::write(&file, "version = 1\nmode = \"plan\"\n").unwrap();
    person.ask("settings/update", json!({"agents": {"demo": {"bypassPermissions": false}}})).await;
    assert_eq!(stranger.ask("host/get", json!({"key": chat["key"]})).await["mode"], "plan");
    // And what was allowed in a looser one is not allowed again.
    let error = stranger.call("host/ask", shell(&chat, "1", "make")).await.unwrap_err();
    assert_eq!(code(&error), (-32602, json!({"reason": "ended"})));
    assert_eq!(stranger.ask("host/ask", shell(&chat, "2", "make")).await["outcome"], "denied");
    let error = stranger.call("host/setMode", json!({"key": chat["key"], "mode": "auto"})).await.unwrap_err();
    assert_eq!(code(&error).0, -32030);
}

/// S3.12: what changes in files is judged as any write, and what one call does is in one folder, which the card has.
#[tokio::test(flavor = "multi_thread")]
async fn given_several_things_and_changes_then_all_of_them_are_judged_where_the_card_says() {
    let backend = Backend::on(Machine::new().user("version = 1\nmode = \"auto\"\n"), &[]).await;
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({})).await;
    let ask = |id: &str, call: Value, diffs: Value| json!({"key": chat["key"], "callId": id, "wait": false, "call": call, "diffs": diffs, "input": {"by": "the model"}});
    for (id, path, outcome) in
        [("1", "a.txt", "allowed"), ("2", "~/.bashrc", "asked"), ("3", "../outside.txt", "asked")]
    {
        let diff = json!([{"path": path, "newText": "x"}]);
        let changed = app.ask("host/ask", ask(id, json!({"kind": "tool", "tool": "save"}), diff)).await;
        let ask_of_tool = changed["why"].to_string();
        assert_eq!(changed["outcome"], outcome, "{path}: {changed} {ask_of_tool}");
    }
    let elsewhere =
        json!([{"kind": "read", "path": "x"}, {"kind": "shell", "command": "make", "cwd": "sub"}]);
    assert_eq!(code(&app.call("host/ask", ask("4", elsewhere, json!([]))).await.unwrap_err()).0, -32602);
    let several = json!([{"kind": "shell", "command": "rm -rf ~/x"}, {"kind": "read", "path": "y"}]);
    let several = app.ask("host/ask", ask("5", several, json!([]))).await;
    let shown = several["card"]["toolCall"]["rawInput"].to_string();
    assert!(shown.contains("rm -rf ~/x") && shown.contains("the model"), "{several}");
    let long = json!({"key": chat["key"], "callId": "6", "call": {"kind": "read", "path": "x"}, "title": "t".repeat(5000)});
    assert_eq!(code(&app.call("host/ask", long).await.unwrap_err()).0, -32602);
}

/// S3.11: a key has the answers of its chat in its folder alone. Attack 860.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_key_with_another_chat_then_it_has_none_of_the_answers() {
    let backend = Backend::new().await;
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({})).await;
    let asked = app.ask("host/ask", waiting(&chat, "1", "make")).await;
    app.answer(&asked["card"], "allow_session").await.unwrap();
    let other = opening(&backend, json!({"key": chat["key"], "chat": "another"}));
    assert_eq!(code(&app.call("host/open", other.clone()).await.unwrap_err()).0, -32602);
    app.ask("host/close", json!({"key": chat["key"]})).await;
    let other = app.ask("host/open", other).await;
    assert_eq!(app.ask("host/ask", waiting(&other, "2", "make")).await["outcome"], "asked");
}

/// S3.15: all is told, in order, also of what ends with its chat.
#[tokio::test(flavor = "multi_thread")]
async fn given_many_that_wait_when_their_chat_closes_then_each_is_told_before_it_is_closed() {
    /// So many that nobody who listens is too slow for all that is told of them.
    const WAITING: usize = 40;
    let backend = Backend::new().await;
    let app = backend.client("teamspark").await;
    let mut events = app.events(None).await;
    let chat = open(&app, &backend, json!({})).await;
    for at in 0..WAITING {
        app.ask("host/ask", waiting(&chat, &at.to_string(), &format!("make t{at}"))).await;
    }
    let mut heard = HostEvents::of(&app, &chat).await;
    app.ask("host/close", json!({"key": chat["key"]})).await;
    let mut cancelled = 0;
    loop {
        let event = heard.next().await;
        match event["type"].as_str() {
            Some("closed") => break,
            Some("outcome") if event["outcome"]["outcome"] == "cancelled" => cancelled += 1,
            _ => {}
        }
    }
    assert_eq!(cancelled, WAITING);
    // Nothing stays on anybody's screen.
    for _ in 0..WAITING {
        events.until("approval-resolved").await;
    }
}

/// S3.16: more that wait than are shown are all known by their ids when they are decided at once.
#[tokio::test(flavor = "multi_thread")]
async fn given_more_that_wait_than_are_shown_when_the_mode_allows_them_then_each_is_known() {
    let backend = Backend::new().await;
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({})).await;
    for at in 0..70 {
        app.ask("host/ask", waiting(&chat, &at.to_string(), &format!("make t{at}"))).await;
    }
    app.ask("host/setMode", json!({"key": chat["key"], "mode": "auto"})).await;
    for at in 0..70 {
        let decided = json!({"key": chat["key"], "callId": at.to_string()});
        assert_eq!(app.ask("host/outcome", decided).await["outcome"], "allowed", "{at}");
    }
}

/// S3.16: folders of those who may only ask are bounded, so that a person can still answer. Attack 863.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_stranger_in_many_folders_then_there_is_room_for_the_person() {
    let backend = Backend::new().await;
    let stranger = Client::connect(&backend.text("ws"), &backend.token("askTokenFile")).await.unwrap();
    let mut refused = 0;
    for at in 0..40 {
        let folder = backend.machine.work().join(format!("f{at}"));
        std::fs::create_dir(&folder).unwrap();
        let wanted = json!({"app": "x", "chat": at.to_string(), "cwd": folder});
        refused += usize::from(stranger.call("host/open", wanted).await.is_err());
    }
    assert_eq!(refused, 24);
    let app = backend.client("teamspark").await;
    let chat = open(&app, &backend, json!({})).await;
    assert_eq!(app.ask("host/ask", shell(&chat, "1", "ls")).await["outcome"], "allowed");
}

/// S3.1: a backend ends with whoever holds the other end of its input, also where that is killed and somebody waits.
#[test]
fn given_a_starter_that_is_gone_then_its_backend_ends() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};
    let machine = Machine::new();
    let mut command = Command::new(mayi_tests::mayi_program());
    command.args(["serve", "--exit-with-stdin"]).current_dir(machine.work()).env_clear();
    command.envs(machine.environment()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut backend = command.spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(backend.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    assert!(ready.contains("answerTokenFile"), "{ready}");
    assert!(backend.try_wait().unwrap().is_none());
    drop(backend.stdin.take());
    assert_eq!(backend.wait().unwrap().code(), Some(0));
}
