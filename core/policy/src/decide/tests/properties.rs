//! The properties that D4.25 and the list of attacks claim.

use proptest::prelude::*;

use super::*;
use mayi_call::Digest;

pub(super) fn any_effect() -> impl Strategy<Value = Effect> {
    prop_oneof![Just(Allow), Just(Ask), Just(Deny)]
}

pub(super) fn any_pattern() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "shell(make *)",
        "shell(make)",
        "shell(rm *)",
        "shell(git push *)",
        "shell(*)",
        "write(src/**)",
        "write(*.rs)",
        "read(**)",
        "read(/srv/**)",
        "edit(./a)",
        "fetch(example.com)",
        "fetch(*)",
        "mcp(s/*)",
        "mcp(s/t)",
        "tool(*)",
        "*",
        "read(.env)",
        "write(**/.env)",
        "read(~/.ssh/**)",
        "shell(FOO=bar make *)",
        "shell(git -C sub *)",
        "shell(/rm|push/)",
        "shell(make && rm x)",
        "delete(**)",
    ])
}

pub(super) fn any_call() -> impl Strategy<Value = Call> {
    prop::sample::select(vec![
        read("/w/src/a.rs"),
        read("/srv/x"),
        write("/w/src/a.rs"),
        write("/home/me/.bashrc"),
        write("/w/.git/config"),
        shell("make"),
        shell("make test"),
        shell("rm -rf x"),
        shell("make; rm x"),
        shell("git push"),
        shell("rm -rf /"),
        shell("cat .env"),
        shell("cat $HOME/.ssh/id_rsa | wc -c"),
        shell("FOO=bar make x"),
        shell("git -C sub status"),
        shell("cp a .env && rm $X"),
        shell("grep -r x ."),
        shell("echo x > src/a.rs"),
        shell("sudo make; $X"),
        shell("if"),
        fetch("https://example.com/"),
        fetch("https://a.example.com/"),
        mcp("s", "t"),
        mcp("u", "t"),
        call(Access::Mode { id: "m".into() }),
        call(Access::Tool { name: "x".into(), category: Category::Execute }),
    ])
}

/// How a character may be written; the last two are expansions.
const SPELLINGS: &[&str] = &["?", "\\?", "'?'", "\"?\"", "''?", "$(printf ?)"];

const PATHS: &[&str] = &["", "/bin/", "./", "/usr/bin/../bin/", "~/bin/", "$DIR/"];

const WRAPPERS: &[&str] = &[
    "sudo LINE",
    "env A=b LINE",
    "timeout 5 LINE",
    "nice -n 5 LINE",
    "nohup LINE",
    "command LINE",
    "exec LINE",
    "xargs LINE",
    "sh -c QUOTED",
    "bash -lc QUOTED",
    "eval QUOTED",
    "find . -exec LINE ';'",
    "stdbuf -oL LINE",
    "watch LINE",
];

const CONTEXTS: &[&str] = &[
    "LINE",
    "make; LINE",
    "make && LINE || true",
    "LINE | cat",
    "(LINE)",
    "{ LINE; }",
    "if true; then LINE; fi",
    "for i in 1 2; do LINE; done",
    "echo $(LINE)",
    "echo `LINE`",
    "! LINE",
    "LINE &",
    "f() { LINE; }; f",
    "A=b LINE",
    "cat <<E\n$(LINE)\nE",
    "case x in x) LINE;; esac",
    "diff <(LINE) y",
    "LINE >/dev/null 2>&1",
    "cd sub && LINE",
    "while LINE; do break; done",
];

pub(super) fn any_mode() -> impl Strategy<Value = Mode> {
    prop_oneof![Just(Mode::Plan), Just(Mode::Default), Just(Mode::Auto)]
}

proptest! {
    /// D4.25: adding a deny or an ask never loosens anything.
    #[test]
    fn adding_a_deny_or_an_ask_never_loosens(
        rules in prop::collection::vec((any_effect(), any_pattern()), 0..6),
        added in prop_oneof![Just(Ask), Just(Deny)], pattern in any_pattern(),
        call in any_call(), mode in any_mode(), bypass: bool, row in any_effect(), granted_too in any_pattern(),
    ) {
        let grants = granted(granted_too);
        let standing = SessionStanding { mode, bypass, grants: &grants, servers: passed() };
        let mut policy = policy(&rules);
        policy.matrix.default.execute = row;
        policy.matrix.default.write = row;
        policy.matrix.default.external = row;
        let before = decide(&policy, &call, &standing).effect;
        policy.rules.push(rule(added, pattern));
        prop_assert!(decide(&policy, &call, &standing).effect >= before);
    }

    /// D4.25: adding a deny or an ask never loosens anything: a caution of the door is an ask, and what is
    /// blocked is denied whatever the rules say. Attack 121.
    #[test]
    fn adding_a_caution_never_loosens_and_a_block_is_never_discharged(
        rules in prop::collection::vec((any_effect(), any_pattern()), 0..6), call in any_call(), mode in any_mode(),
        bypass: bool, row in any_effect(), granted_too in any_pattern(),
    ) {
        let grants = granted(granted_too);
        let standing = SessionStanding { mode, bypass, grants: &grants, servers: passed() };
        let mut policy = policy(&rules);
        policy.matrix.default.execute = row;
        policy.matrix.default.external = row;
        let before = decide(&policy, &call, &standing);
        let careful = Call { cautions: vec!["it hides something".into()], ..call.clone() };
        prop_assert!(decide(&policy, &careful, &standing).effect >= before.effect);
        let blocked = Call { blocked: Some("it has changed".into()), ..call };
        let decision = decide(&policy, &blocked, &standing);
        prop_assert_eq!(decision.effect, Deny);
        prop_assert_eq!(decision.deciding_finding().map(|finding| finding.reason.as_str()), Some("it has changed"));
        prop_assert_eq!(decision.deciding_finding().map(|finding| finding.source), Some(Source::Protection));
    }

    /// D4.25: order never matters.
    #[test]
    fn order_never_matters(
        rules in prop::collection::vec((any_effect(), any_pattern()), 0..6), call in any_call(), mode in any_mode(), seed: u64,
    ) {
        let mut shuffled = rules.clone();
        let len = shuffled.len().max(1) as u64;
        shuffled.rotate_left((seed % len) as usize);
        if seed & 1 == 0 { shuffled.reverse(); }
        prop_assert_eq!(in_mode(&policy(&rules), &call, mode).effect, in_mode(&policy(&shuffled), &call, mode).effect);
    }

    /// D4.25: plan mode never runs a non-read.
    #[test]
    fn plan_mode_never_runs_a_non_read(
        rules in prop::collection::vec((any_effect(), any_pattern()), 0..6), call in any_call(), bypass: bool, grant in any_pattern(),
    ) {
        let grants = granted(grant);
        let decision = decide(&policy(&rules), &call, &SessionStanding { mode: Mode::Plan, bypass, grants: &grants, servers: passed() });
        let reads = |access: &Access| {
            access.category() == Some(Category::Read) || matches!(access, Access::Shell(shell) if shell.reader)
        };
        let only_reads = call.accesses.iter().all(reads);
        prop_assert!(only_reads || decision.effect != Allow);
    }

    /// D4.25: a grant never allows more than the same pattern as a rule.
    #[test]
    fn a_grant_never_allows_more_than_the_same_rule(
        rules in prop::collection::vec((any_effect(), any_pattern()), 0..6), call in any_call(), pattern in any_pattern(),
    ) {
        // A written ask that the grant names in so many words is the one thing it may discharge.
        prop_assume!(!rules.iter().any(|(effect, text)| *effect == Ask && *text == pattern));
        let exact = Pattern::parse(pattern, &places()).unwrap().is_exact();
        prop_assume!(!exact);
        let with_grant = with_grant(&policy(&rules), &call, &granted(pattern));
        let mut with_rule = rules.clone();
        with_rule.push((Allow, pattern));
        prop_assert!(with_grant >= effect(&policy(&with_rule), &call));
    }

    /// D8.31: grants are bound to the agent: what another agent was allowed changes nothing.
    #[test]
    fn a_grant_never_reaches_another_agent_or_session(
        rules in prop::collection::vec((any_effect(), any_pattern()), 0..6), call in any_call(), pattern in any_pattern(),
        mode in any_mode(), agent: bool,
    ) {
        let policy = policy(&rules);
        let mut others = call.clone();
        if agent { others.agent = AgentId::from_name("b") } else { others.session = SessionId("other".into()) }
        let mut grants = granted(pattern);
        grants.add(Grant {
            fingerprint: Some(call.fingerprint()),
            ..Grant::of_session(call.agent.clone(), call.session.clone())
        });
        let with = |grants: &Grants| decide(&policy, &others, &SessionStanding { mode, bypass: false, grants, servers: passed() });
        prop_assert_eq!(with(&grants), with(&Grants::default()));
    }

    /// D4.25: obfuscating a denied command never yields allow, in any mode. Attack 6.
    #[test]
    fn a_denied_command_in_disguise_is_never_allowed(
        spelling in prop::collection::vec(0_usize..6, 2), path in 0_usize..PATHS.len(),
        wrappers in prop::collection::vec(0_usize..WRAPPERS.len(), 0..3), context in 0_usize..CONTEXTS.len(),
        mode in any_mode(), bypass: bool,
    ) {
        let spelt = "rm".chars().zip(&spelling).map(|(c, how)| SPELLINGS[*how].replace('?', &c.to_string()));
        let name: String = spelt.collect();
        let mut line = format!("{}{name} -rf x", PATHS[path]);
        for wrapper in wrappers {
            line = WRAPPERS[wrapper].replace("QUOTED", &shell::quote_word(&line)).replace("LINE", &line);
        }
        let line = CONTEXTS[context].replace("LINE", &line);
        let rules = [(Deny, "shell(rm *)"), (Allow, "shell(*)"), (Allow, "*")];
        let standing = SessionStanding { mode, bypass, grants: &granted("shell(*)"), servers: passed() };
        let decision = decide(&policy(&rules), &shell(&line), &standing);
        prop_assert_ne!(decision.effect, Allow, "{}", line);
    }

    /// The digest: changing any field voids the answer (D4.25). Attack 4.
    #[test]
    fn the_digest_binds_every_field(call in any_call(), epoch in 0u64..9) {
        let digest: Digest = call.digest(epoch);
        let changes: [fn(&mut Call); 23] = [
            |c| c.agent = AgentId::from_name("other"),
            |c| c.session = SessionId("other".into()),
            |c| c.tool_call_id = None,
            |c| c.cwd = "/other".into(),
            |c| { c.env.insert("A".into(), "b".into()); },
            |c| c.raw_input = json!({"a": 1}),
            |c| c.roots.push("/other".into()),
            |c| c.kind.push('y'),
            |c| c.name = Some("other".into()),
            |c| c.diffs.push(mayi_call::Diff { path: "/x".into(), old_text: None, new_text: "x".into() }),
            |c| c.not_shown.push("x".into()),
            |c| c.by_hand = Some("x".into()),
            |c| c.notes.push("x".into()),
            |c| c.locations.push(json!({"path": "/x", "line": 2})),
            |c| c.door = Door::AcpFs,
            |c| c.title.push('y'),
            |c| c.accesses.push(Access::Mode { id: "z".into() }),
            |c| c.server = Some(mayi_call::ServerId::from_launch(&json!("x"))),
            |c| c.blocked = Some("x".into()),
            |c| c.cautions.push("x".into()),
            |c| c.flagged.push("x".into()),
            |c| c.parent = Some(mayi_call::Parent { id: "x".into(), title: String::new() }),
            |c| c.about = Some(mayi_call::ServerAbout::default()),
        ];
        for change in changes {
            let mut changed = call.clone();
            change(&mut changed);
            prop_assert_ne!(&changed.digest(epoch), &digest);
        }
        prop_assert_ne!(call.digest(epoch + 1), digest);
    }
}
