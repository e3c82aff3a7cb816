//! What entries hold, and what they never hold.

mod told;

use serde_json::{Value, json};

use super::*;
use crate::approval::{Remember, RememberScope, choice};
use crate::record::FrozenCall;
use crate::record::entry_details::{Answered, Asked, Decided, Granted, Proposed, read};
use crate::record::testing::{
    self, Person, TestSession, mcp_call, policy_with_rules, server_names, shell_call, write_call,
};
use crate::store::GrantId;
use mayi_call::Diff;
use mayi_policy::decide;
use mayi_policy::grant::{Grants, Scope};

const SECRET: &str = "hunter2hunter2";

fn decided(call: &Call) -> (Decision, Grants, Vec<String>) {
    let (grants, servers) = (Grants::default(), server_names());
    let standing = SessionStanding { mode: Mode::Default, bypass: false, grants: &grants, servers: &servers };
    (decide(&policy_with_rules(&[]), call, &standing), grants, servers)
}

fn proposed(call: &Call) -> Proposed {
    read(&testing::test_writer().proposed_entry(CallId::new(), call, Timestamp::now())).unwrap()
}

/// D7.2: Each has time, ids, keyed digest of the raw arguments, the accesses as judged and
/// a preview, the trail.
#[test]
fn given_a_call_then_its_entries_say_what_it_is() {
    let mut session = TestSession::new(policy_with_rules(&[(Effect::Ask, "shell(cargo *)")]));
    let mut call = shell_call("cargo test -p x && ls");
    call.env.insert("RUST_LOG".into(), "secretly".into());
    session.record_call(&call, Person::Yes);
    let kinds: Vec<Kind> = session.entries.iter().map(|recorded| recorded.entry.kind).collect();
    assert_eq!(kinds, [Kind::Proposed, Kind::Decided, Kind::Asked, Kind::Answered]);
    for recorded in &session.entries {
        let entry = &recorded.entry;
        assert_eq!(entry.call, session.entries[0].entry.call);
        assert_eq!(entry.agent, Some(call.agent.clone()));
        assert_eq!(entry.workspace.as_deref(), Some("/w"));
        assert_eq!(entry.access.as_deref(), Some("shell(cargo test -p x)"));
        assert!(!entry.detail.to_string().contains("secretly"));
    }
    let [one, two, three, four] = &session.entries[..] else { panic!() };
    let proposed: Proposed = read(&one.entry).unwrap();
    assert_eq!(proposed.accesses, ["shell(cargo test -p x)", "shell(ls)"]);
    assert_eq!((proposed.env, proposed.cwd.as_str()), (vec!["RUST_LOG".to_owned()], "/w"));
    assert_eq!(proposed.preview.unwrap().raw_input, call.raw_input);
    assert!(proposed.frozen.is_some() && proposed.raw_digest.len() == 64);
    let decided: Decided = read(&two.entry).unwrap();
    assert_eq!(
        (decided.effect, decided.by.as_str(), decided.mode),
        (Effect::Ask, "policy", Some(Mode::Default))
    );
    assert_eq!(decided.trail[0].pattern.as_deref(), Some("shell(cargo *)"));
    assert_eq!(decided.trail[0].line, Some(7));
    // One explanation: the same value as on the card.
    let asked: Asked = read(&three.entry).unwrap();
    assert_eq!(asked.trail, decided.trail);
    let answered: Answered = read(&four.entry).unwrap();
    assert!(answered.person && answered.option.as_deref() == Some(choice::ALLOW_ONCE));
    assert_eq!((answered.took, four.entry.effect), (Some(1500), Some(Effect::Allow)));
    assert_eq!(four.entry.approval, three.entry.approval);
}

/// Attack 22: "secrets in a path, a preview or a suggestion": redacted, and not judged again.
#[test]
fn given_a_secret_anywhere_in_a_call_then_no_entry_and_no_card_holds_it() {
    let mut with_env = shell_call("make");
    with_env.env.insert("TOKEN".into(), SECRET.into());
    let mut titled = shell_call("make");
    titled.title = format!("runs with {SECRET}");
    titled.tool_call_id = Some(SECRET.into());
    titled.session = SessionId(SECRET.into());
    let mut diff = write_call("a");
    diff.diffs.push(Diff { path: SECRET.into(), old_text: Some(SECRET.into()), new_text: SECRET.into() });
    diff.notes.push(SECRET.into());
    let calls = [
        shell_call(&format!("deploy {SECRET} now")),
        shell_call(&format!("X={SECRET} deploy")),
        shell_call(&format!("cat /w/{SECRET}.txt")),
        shell_call(&format!("curl https://example.com/?q={SECRET}")),
        write_call(&format!("/w/{SECRET}/a")),
        testing::fetch_call(&format!("https://me:{SECRET}@example.com/")),
        mcp_call("github", "x", json!({ "a": { "b": [SECRET] } })),
        mcp_call("github", SECRET, json!({ SECRET: 1 })),
        with_env,
        titled,
        diff,
    ];
    for call in calls {
        let writer = testing::test_writer();
        let (decision, grants, servers) = decided(&call);
        let standing =
            SessionStanding { mode: Mode::Default, bypass: false, grants: &grants, servers: &servers };
        let (id, now) = (CallId::new(), Timestamp::now());
        let ruling = Ruling {
            effect: decision.effect,
            by: "policy",
            circumstances: Circumstances::new(&call, &standing),
        };
        let card = Card::new(&call, &decision, &[], 1, now);
        let resolved = ApprovalResolved {
            message: "approval-resolved",
            approval_id: card.approval_id,
            state: State::Denied,
            by: "terminal".into(),
            at: now,
            reason: Some(SECRET.into()),
            granted_permissions: vec![format!("shell({SECRET}) (user)")],
        };
        let response = ApprovalResponse {
            remember: Some(Remember::of_patterns(RememberScope::User, vec![format!("shell({SECRET})")])),
            reason: Some(SECRET.into()),
            ..ApprovalResponse::pick(&card, choice::DENY)
        };
        let entries = [
            writer.proposed_entry(id, &call, now),
            writer.decided_entry(id, &call, &decision, &ruling, now),
            writer.asked_entry(id, &call, &decision, &card, now),
            writer.answered_entry(id, &call, &decision, &response, &resolved),
            writer.settled_entry(id, &call, &resolved),
            writer.started_entry(id, &call.agent, &call.session, now),
            writer.finished_entry(id, &call.agent, &call.session, SECRET, now),
            writer.unasked_entry(id, &call, &decision, now),
        ];
        for entry in entries {
            let text = serde_json::to_string(&entry).unwrap();
            assert!(!text.contains(SECRET), "{text}");
        }
        assert!(!writer.stored_card(&call, &card).to_string().contains(SECRET));
    }
}

/// Attack 110. D6.6: Answers come from a person: one who answers by a kept card is told what it hides.
#[test]
fn given_a_kept_card_that_hides_something_of_what_would_be_done_then_it_says_so() {
    let kept = |call: &Call| {
        let (decision, ..) = decided(call);
        let mut card = Card::new(call, &decision, &[], 1, Timestamp::now());
        card.session_id = SECRET.into();
        let kept: Card = serde_json::from_value(testing::test_writer().stored_card(call, &card)).unwrap();
        assert_eq!(kept.session_id, "«redacted: known secret»");
        kept.not_shown
    };
    let mut titled = shell_call("make");
    titled.title = format!("runs with {SECRET}");
    let mut given = shell_call("make");
    given.raw_input = json!({"command": ["make", SECRET]});
    let mut named = shell_call("make");
    named.raw_input = json!({"token": "abc"});
    let mut diff = write_call("a");
    diff.diffs.push(Diff { path: "a".into(), old_text: Some(SECRET.into()), new_text: String::new() });
    let mut set = shell_call("make");
    set.env.insert("X".into(), SECRET.into());
    for call in [shell_call(&format!("deploy {SECRET} now")), titled, given, named, diff, set] {
        assert_eq!(kept(&call), ["what looks like a secret is hidden here: look at it where the agent runs"]);
    }
    let mut other = shell_call("make");
    other.not_shown.push("an image".into());
    assert_eq!(kept(&other), ["an image"]);
}

#[test]
fn given_a_secret_that_is_judged_then_the_call_is_not_kept_for_replay() {
    let kept = proposed(&shell_call(&format!("deploy {SECRET}")));
    assert_eq!((kept.frozen, kept.not_replayable.as_deref()), (None, Some("redacted")));
    assert_eq!(kept.accesses, ["shell(deploy '«redacted: known secret»')".replace('\'', "")]);
    assert!(proposed(&shell_call("deploy --password hunter2")).frozen.is_none());
    assert!(proposed(&mcp_call("s", "t", json!({"token": "short"}))).frozen.is_none());
    // A secret beside what is judged does not hinder.
    let mut call = shell_call("make");
    call.title = SECRET.into();
    assert!(proposed(&call).frozen.is_some());
}

#[test]
fn given_much_input_then_its_beginning_is_kept_and_it_says_so() {
    let mut call = write_call("a");
    call.raw_input = json!({ "content": "ü".repeat(100_000), "more": vec![1; 10_000], "x": {"y": "z"} });
    call.diffs.push(Diff {
        path: "a".into(),
        old_text: Some("o".repeat(9_000)),
        new_text: "ü".repeat(9_000),
    });
    let entry = testing::test_writer().proposed_entry(CallId::new(), &call, Timestamp::now());
    assert!(entry.detail.to_string().len() < 6_000, "{}", entry.detail.to_string().len());
    let preview = proposed(&call).preview.unwrap();
    assert!(preview.left_out > 200_000);
    assert!(preview.raw_input["content"].as_str().unwrap().ends_with(" bytes more)"));
    assert!(preview.diffs[0].new_text.ends_with(" bytes more)"));
    let line = format!("echo {}", "x ".repeat(40_000));
    let entry = testing::test_writer().proposed_entry(CallId::new(), &shell_call(&line), Timestamp::now());
    assert!(entry.access.unwrap().len() < 5_000);
    let unkeyed = shell_call("ls");
    let texts = [proposed(&unkeyed).raw_digest, proposed(&shell_call("ls -l")).raw_digest];
    assert_ne!(texts[0], texts[1]);
    assert_eq!(proposed(&unkeyed).raw_digest, texts[0]);
    let other = EntryWriter::new(*b"other", Redactor::default()).proposed_entry(
        CallId::new(),
        &unkeyed,
        Timestamp::now(),
    );
    assert_ne!(other.detail["rawDigest"], Value::from(texts[0].as_str()));
}

#[test]
fn given_what_ends_a_question_then_the_kind_says_how() {
    let (call, now) = (shell_call("make"), Timestamp::now());
    let id = crate::approval::ApprovalId::new();
    let ended = |state| {
        let resolved = ApprovalResolved {
            message: "approval-resolved",
            approval_id: id,
            state,
            by: "policy".into(),
            at: now,
            reason: None,
            granted_permissions: Vec::new(),
        };
        let entry = testing::test_writer().settled_entry(CallId::new(), &call, &resolved);
        assert!(!read::<Answered>(&entry).unwrap().person);
        (entry.kind, entry.effect)
    };
    assert_eq!(ended(State::Approved), (Kind::Answered, Some(Effect::Allow)));
    assert_eq!(ended(State::Denied), (Kind::Answered, Some(Effect::Deny)));
    assert_eq!(ended(State::Expired), (Kind::Expired, Some(Effect::Deny)));
    assert_eq!(ended(State::Cancelled), (Kind::Cancelled, None));
}

#[test]
fn given_grants_interruptions_and_configuration_then_they_have_entries() {
    let (writer, now) = (testing::test_writer(), Timestamp::now());
    let grant = StoredGrant {
        id: GrantId::new(),
        effect: Effect::Allow,
        agent: AgentId::from_name("claude"),
        scope: Scope::Workspace,
        owner: None,
        session: None,
        workspace: Some("/w".into()),
        pattern: Some(format!("shell(deploy {SECRET})")),
        fingerprint: None,
        level: None,
        server: None,
        scripts: Vec::new(),
        created_at: now,
        expires_at: None,
        uses_left: Some(3),
        used: 2,
        used_at: None,
        revoked_at: None,
        approval: None,
    };
    let granted = writer.granted_entry(&shell_call("make"), &grant, now);
    let revoked = writer.revoked_entry(&grant, "terminal", now);
    assert_eq!((granted.kind, revoked.kind), (Kind::Granted, Kind::Revoked));
    assert_eq!(granted.access.as_deref(), Some("shell(deploy «redacted: known secret»)"));
    assert_eq!(read::<Granted>(&granted).unwrap().used, None);
    let detail: Granted = read(&revoked).unwrap();
    assert_eq!((detail.used, detail.by.as_deref()), (Some(2), Some("terminal")));
    assert!(!revoked.detail.to_string().contains(SECRET));

    let approval = StoredApproval {
        id: crate::approval::ApprovalId::new(),
        owner: crate::store::OwnerId(uuid::Uuid::now_v7()),
        agent: AgentId::from_name("claude"),
        session: SessionId("s".into()),
        workspace: None,
        digest: shell_call("x").digest(1),
        card: Value::Null,
        state: State::Pending,
        asked_at: now,
        settled_at: None,
        by: None,
        reason: None,
    };
    let interrupted = writer.interrupted_entry(&approval, now);
    assert_eq!((interrupted.kind, interrupted.approval), (Kind::Cancelled, Some(approval.id)));
    assert_eq!(read::<Answered>(&interrupted).unwrap().reason.as_deref(), Some("interrupted"));

    let config =
        entry_details::Config { epoch: 3, notices: vec![SECRET.into()], ..entry_details::Config::default() };
    let entry = writer.config_entry(&config, now);
    assert_eq!(entry.detail["notices"][0], "«redacted: known secret»");
    assert_eq!(read::<entry_details::Config>(&entry).unwrap().epoch, 3);
}

/// A later mayi's entry is not taken for what it is not.
#[test]
fn given_a_later_version_then_it_is_not_read() {
    let mut entry = testing::test_writer().proposed_entry(CallId::new(), &shell_call("ls"), Timestamp::now());
    entry.detail["v"] = Value::from(VERSION + 1);
    assert_eq!(
        read::<Proposed>(&entry).unwrap_err(),
        entry_details::DetailError::Newer(u64::from(VERSION) + 1)
    );
    entry.detail = Value::Null;
    assert!(matches!(read::<Proposed>(&entry), Err(entry_details::DetailError::Damaged(_))));
}

/// A rule's file need not be text.
#[cfg(unix)]
#[test]
fn given_a_file_whose_name_is_no_text_then_the_trail_is_there() {
    use std::os::unix::ffi::OsStrExt;
    let call = shell_call("make");
    let (mut decision, ..) = decided(&call);
    decision.trail[0].file = Some(std::ffi::OsStr::from_bytes(b"/a\xff").into());
    let entry = testing::test_writer().unasked_entry(CallId::new(), &call, &decision, Timestamp::now());
    assert_eq!(read::<Decided>(&entry).unwrap().trail.len(), decision.trail.len());
}

/// "The whole of proposed and decided should cost little." Run with `--release --ignored --nocapture`.
#[test]
#[ignore = "a measurement: its figures mean nothing in a debug build or beside other work"]
fn time_of_entries() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let secrets: Vec<String> = (0..20).map(|n| format!("secret-value-number-{n}-{}", n * 7919)).collect();
    let writer = EntryWriter::new([7; 32], Redactor::new([""; 0], secrets).unwrap());
    let time = |name: &str, times: u32, run: &dyn Fn()| {
        let best = (0..20).map(|_| {
            let begun = std::time::Instant::now();
            (0..times).for_each(|_| run());
            begun.elapsed() / times
        });
        println!("{name}: {:?}", best.min().unwrap());
    };
    for call in [
        testing::run_in(root, "cargo test -p x"),
        testing::run_in(root, "git status && rm -rf target"),
        write_call("src/a.rs"),
        mcp_call("github", "list_issues", json!({"repo": "me/x"})),
    ] {
        let (decision, grants, servers) = decided(&call);
        let standing =
            SessionStanding { mode: Mode::Default, bypass: false, grants: &grants, servers: &servers };
        let (id, now) = (CallId::new(), Timestamp::now());
        let name = call.accesses[0].text();
        time(&format!("frozen {name}"), 500, &|| drop(std::hint::black_box(FrozenCall::freeze(&call))));
        time(&format!("proposed {name}"), 500, &|| {
            drop(std::hint::black_box(writer.proposed_entry(id, &call, now)))
        });
        time(&format!("decided {name}"), 500, &|| {
            let ruling = Ruling {
                effect: decision.effect,
                by: "policy",
                circumstances: Circumstances::new(&call, &standing),
            };
            drop(std::hint::black_box(writer.decided_entry(id, &call, &decision, &ruling, now)));
        });
        let size = |entry: &Entry| serde_json::to_string(entry).unwrap().len();
        let ruling = Ruling {
            effect: decision.effect,
            by: "policy",
            circumstances: Circumstances::new(&call, &standing),
        };
        println!(
            "bytes: proposed {}, of that frozen {}, decided {}",
            size(&writer.proposed_entry(id, &call, now)),
            serde_json::to_string(&FrozenCall::freeze(&call)).unwrap().len(),
            size(&writer.decided_entry(id, &call, &decision, &ruling, now))
        );
    }
    let prose = include_str!("../record/redact/mod.rs").repeat(4);
    let kb = prose.len() as u32 / 1024;
    let clean = "The quick brown fox jumps over the lazy dog, and goes home. ".repeat(600);
    for (name, text, kb) in
        [("source", prose.as_str(), kb), ("clean", clean.as_str(), clean.len() as u32 / 1024)]
    {
        let begun = std::time::Instant::now();
        for _ in 0..200 {
            std::hint::black_box(writer.redactor().redact(text));
        }
        println!("redact {name}: {:?} per KB", begun.elapsed() / 200 / kb);
    }
    time("redact 40 bytes", 10_000, &|| {
        drop(std::hint::black_box(writer.redactor().redact("shell(cargo test -p mayi-core record)")))
    });
}
