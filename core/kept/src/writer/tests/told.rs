//! What one text of a call shows to be secret is known in all others of it.

use super::*;

/// Everything that is kept of `call` when it is proposed, decided and asked about.
fn all(call: &Call) -> String {
    let writer = testing::test_writer();
    let (decision, grants, servers) = decided(call);
    let standing = SessionStanding { mode: Mode::Default, bypass: false, grants: &grants, servers: &servers };
    let (id, now) = (CallId::new(), Timestamp::now());
    let circumstances = Circumstances::new(call, &standing);
    let ruling = Ruling { effect: decision.effect, by: "policy", circumstances };
    let card = Card::new(call, &decision, &[], 1, now);
    let entries = [
        writer.proposed_entry(id, call, now),
        writer.decided_entry(id, call, &decision, &ruling, now),
        writer.asked_entry(id, call, &decision, &card, now),
        writer.unasked_entry(CallId::new(), call, &decision, now),
    ];
    let kept: Card = serde_json::from_value(writer.stored_card(call, &card)).unwrap();
    assert_eq!(kept.accesses.len(), call.accesses.len());
    format!("{} {}", serde_json::to_string(&entries).unwrap(), serde_json::to_string(&kept).unwrap())
}

/// Attack 300: the access is written with quotes of its own, in which a form is hard to see. A word is redacted before it
/// is quoted.
#[test]
fn given_quotes_within_quotes_then_no_text_of_the_entry_holds_the_secret() {
    for line in [
        "python3 -c \"API_KEY='hunter2x9'\"",
        "ssh h \"DB_PASSWORD='hunter2x9' ./run\"",
        "echo \"API_KEY='hunter2x9'\" >> .env",
        "node -e \"const secret = 'hunter2x9'\"",
        "mysql -e \"SET PASSWORD = 'hunter2x9'\"",
        "echo {\"password\": \"hunter2x9\"}",
        "DB_PASSWORD=\"it's; hunter2x9\" ./run",
        "deploy --password \"it's; hunter2x9\"",
        "deploy --password=\"it's; hunter2x9\"",
        "zip -P hunter2x9 a.zip f",
        // A word of small letters alone is not looked for elsewhere.
        "python3 -c \"API_KEY='hunterhunter'\"",
        "ssh h \"sudo sh -c \\\"TOKEN='hunterhunter' x\\\"\"",
        "echo -----BEGIN PRIVATE KE\"\"Y-----\nMIIhunterAK2BAAKCAQEA1234abcd\n",
    ] {
        let line = line.replace("KE\"\"Y", "KEY");
        let text = all(&shell_call(&line));
        assert!(!text.contains("hunter"), "{line}: {text}");
    }
}

/// Attack 300: also where nothing beside it says what it is, and in another notation.
#[test]
fn given_a_secret_that_one_text_names_then_the_others_do_not_hold_it() {
    let mut titled = shell_call("deploy hunter2x9");
    titled.title = "with password: hunter2x9".into();
    let mut set = shell_call("deploy hunter2x9");
    set.env.insert("API_TOKEN".into(), "hunter2x9".into());
    let mut changed = write_call("hunter2x9.txt");
    let new_text = "api_key: hunter2x9\n".into();
    changed.diffs.push(Diff { path: "hunter2x9.txt".into(), old_text: None, new_text });
    let noted =
        json!({"password": "hunter2 x9", "text": "it is hunter2 x9", "address": "https://x/?q=hunter2%20x9"});
    let words = json!({"command": ["mosquitto_pub", "-P", "hunter2x9"], "text": "hunter2x9"});
    let coded =
        json!({"token": "hun\"ter2'x9", "a": "{\"x\": \"hun\\\"ter2'x9\"}", "b": "echo 'hun\"ter2'\\''x9'"});
    for call in [
        titled,
        set,
        changed,
        mcp_call("s", "t", noted),
        mcp_call("s", "t", words),
        mcp_call("s", "t", coded),
    ] {
        let text = all(&call);
        assert!(!text.contains("hunter") && !text.contains("ter2"), "{text}");
    }
}

/// Attack 301. D6.6: Answers come from a person, who has to see what runs: nothing that an agent calls
/// a secret makes a program, a host, a path or an ordinary word disappear.
#[test]
fn given_a_program_that_the_agent_calls_a_secret_then_it_stays_in_sight() {
    for (line, seen) in [
        (": TOKEN=x9y8z7w6; x9y8z7w6 --now", "shell(x9y8z7w6 --now)"),
        (": password=evil.example; curl evil.example", "shell(curl evil.example)"),
        (": password=10.0.0.1:8080; nc 10.0.0.1:8080", "shell(nc 10.0.0.1:8080)"),
        (": secret=/srv/run9; sh /srv/run9", "shell(sh /srv/run9)"),
        (": token=bin/run9; sh bin/run9", "shell(sh bin/run9)"),
        (": password=install; npm install", "shell(npm install)"),
        (": token=force-push; tool force-push", "shell(tool force-push)"),
    ] {
        let text = all(&shell_call(line));
        assert!(text.contains(seen), "{line}: {text}");
    }
}

/// Attack 301: an entry is read whatever an agent calls a secret: the words of mayi itself stay.
#[test]
fn given_words_of_mayi_that_the_agent_calls_secret_then_the_entries_are_read() {
    let now = Timestamp::now();
    let day = now.to_string();
    for word in [
        "execute",
        "policy",
        "allow_once",
        "approval-request",
        "default",
        "acp_permission",
        &day[..10],
        &day[..4],
    ] {
        let call = shell_call(&format!("deploy --token {word} PASSWORD={word}x9"));
        let (decision, ..) = decided(&call);
        let mut card = Card::new(&call, &decision, &[], 1, now);
        card.expires_at = Some(now);
        let writer = testing::test_writer();
        read::<Proposed>(&writer.proposed_entry(CallId::new(), &call, now)).unwrap();
        read::<Decided>(&writer.unasked_entry(CallId::new(), &call, &decision, now)).unwrap();
        read::<Asked>(&writer.asked_entry(CallId::new(), &call, &decision, &card, now)).unwrap();
        serde_json::from_value::<Card>(writer.stored_card(&call, &card)).unwrap();
    }
}

/// Attack 300: a pattern for the call is remembered without a store only, if the call shows a secret in it.
#[test]
fn given_a_pattern_with_a_secret_that_only_the_call_shows_then_it_is_found() {
    let mut call = shell_call("deploy hunter2x9");
    call.title = "with password: hunter2x9".into();
    let writer = testing::test_writer();
    assert!(writer.finds_secret(&call, "shell(deploy hunter2x9)"));
    assert!(!writer.redactor().finds_secret("shell(deploy hunter2x9)"));
    assert!(!writer.finds_secret(&call, "shell(deploy *)"));
}
