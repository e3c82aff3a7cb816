//! What the user says that tools are, and levels of servers.

use proptest::prelude::*;

use super::properties::{any_call, any_effect, any_mode, any_pattern};
use super::*;
use crate::Level;
use mayi_call::ServerId;

fn tool(name: &str) -> Call {
    call(Access::Tool { name: name.into(), category: Category::Execute })
}

fn said(tools: &[(&str, Category)]) -> BTreeMap<String, Category> {
    tools.iter().map(|(name, category)| ((*name).to_owned(), *category)).collect()
}

/// A call of a tool of `s`, which is known by how it is reached.
fn of_server(name: &str) -> Call {
    Call { server: Some(ServerId::from_launch(&json!("s"))), ..mcp("s", name) }
}

fn with_level(call: &Call, level: Level) -> Grants {
    let mut grants = Grants::default();
    grants.add(Grant {
        level: Some(("s".into(), level)),
        server: call.server.clone(),
        ..Grant::of_session(call.agent.clone(), call.session.clone())
    });
    grants
}

/// Seed 4: "web_search" and "todo_write" read, for all agents or for one; rules go first, and a name that could be drawn
/// otherwise is nobody's.
#[test]
fn given_a_category_for_an_agents_own_tool_then_the_matrix_speaks_by_it() {
    let mut configured = policy(&[]);
    configured.tools =
        said(&[("web_search", Category::Read), ("todo_write", Category::Execute), ("ｘ", Category::Read)]);
    let tools = said(&[("todo_write", Category::Read)]);
    let own = crate::AgentSettings { tools, ..crate::AgentSettings::default() };
    configured.agents.insert("a".into(), own);
    for name in ["web_search", "todo_write"] {
        assert_eq!(effect(&configured, &tool(name)), Allow, "{name}");
        assert_eq!(in_mode(&configured, &tool(name), Mode::Plan).effect, Allow, "{name}");
        assert_eq!(in_mode(&configured, &tool(name), Mode::Plan).categories, [Category::Read]);
    }
    let other = Call { agent: AgentId::from_name("b"), ..tool("todo_write") };
    assert_eq!(effect(&configured, &other), Ask, "said of another agent's");
    assert_eq!(effect(&configured, &tool("ｘ")), Ask);
    assert_eq!(effect(&configured, &tool("Web_Search")), Ask);
    configured.rules.push(rule(Ask, "tool(web_search)"));
    assert_eq!(effect(&configured, &tool("web_search")), Ask, "a rule goes first");
    // D1.16: a call that does not say what it does is a person's to allow, whatever its tool is called.
    let vague = Call { kind: "execute".into(), ..tool("todo_write") };
    assert_eq!(in_mode(&configured, &vague, Mode::Auto).effect, Ask);
    assert_eq!(in_mode(&configured, &vague, Mode::Plan).effect, Deny);
}

/// D4.16: what a trusted app spares counts where nothing else speaks, and never over a rule, a setting, plan
/// mode, a row of the matrix that denies, or what a server's definition is flagged for.
#[test]
fn given_a_tool_that_a_trusted_app_spares_then_it_runs_only_where_nothing_else_speaks() {
    let spared = |mut call: Call| {
        for access in &mut call.accesses {
            if let Access::Mcp(mcp) = access {
                mcp.spared = true;
            }
        }
        call
    };
    let plain = policy(&[]);
    assert_eq!(effect(&plain, &of_server("t")), Ask);
    assert_eq!(effect(&plain, &spared(of_server("t"))), Allow);
    assert_eq!(in_mode(&plain, &spared(of_server("t")), Mode::Plan).effect, Deny);
    assert_eq!(effect(&policy(&[(Ask, "mcp(s/t)")]), &spared(of_server("t"))), Ask);
    assert_eq!(effect(&policy(&[(Deny, "mcp(s/*)")]), &spared(of_server("t"))), Deny);
    let mut denying = policy(&[]);
    denying.matrix.default.external = Deny;
    assert_eq!(effect(&denying, &spared(of_server("t"))), Deny);
    let flagged = Call { flagged: vec!["odd".into()], ..spared(of_server("t")) };
    assert_eq!(effect(&plain, &flagged), Ask);
    let careful = Call { cautions: vec!["destructive".into()], ..spared(of_server("t")) };
    assert_eq!(effect(&plain, &careful), Ask);
    let mut required = policy(&[]);
    required.servers.insert(
        "s".into(),
        ServerSettings { approval: Some(Approval::Required), ..ServerSettings::default() },
    );
    let passed = ["s".to_owned()];
    let grants = Grants::default();
    let standing = SessionStanding { mode: Mode::Default, bypass: false, grants: &grants, servers: &passed };
    assert_eq!(decide(&required, &spared(of_server("t")), &standing).effect, Ask);
}

/// D4.15: `all` covers external, for a server without settings too; only for one that is known by how it is
/// reached, and that mayi put into the session.
#[test]
fn given_a_server_without_settings_then_it_can_be_granted_all() {
    let bare = policy(&[]);
    let call = of_server("t");
    assert_eq!(effect(&bare, &call), Ask);
    assert_eq!(with_grant(&bare, &call, &with_level(&call, Level::All)), Allow);
    assert_eq!(with_grant(&bare, &call, &with_level(&call, Level::Write)), Ask, "external");
    let unknown = mcp("s", "t");
    assert_eq!(
        with_grant(&bare, &unknown, &with_level(&unknown, Level::All)),
        Ask,
        "any server could be called so"
    );
    let another = Call { server: Some(ServerId::from_launch(&json!("u"))), ..mcp("s", "t") };
    assert_eq!(with_grant(&bare, &another, &with_level(&call, Level::All)), Ask);
    let standing = SessionStanding {
        mode: Mode::Default,
        bypass: false,
        grants: &with_level(&call, Level::All),
        servers: &[],
    };
    assert_eq!(decide(&bare, &call, &standing).effect, Ask, "not put into the session by mayi");
}

/// A level is judged as a pattern for all the server's tools would be: what the server calls destructive is a plain ask.
#[test]
fn given_a_level_then_a_caution_of_the_door_is_answered_by_it() {
    let careful =
        Call { cautions: vec!["the server itself calls this tool destructive".into()], ..of_server("t") };
    assert_eq!(with_grant(&policy(&[]), &careful, &with_level(&careful, Level::All)), Allow);
    assert_eq!(with_grant(&policy(&[]), &careful, &with_level(&careful, Level::Read)), Ask);
    let flagged = Call { flagged: vec!["it speaks to the model".into()], ..careful };
    assert_eq!(with_grant(&policy(&[]), &flagged, &with_level(&flagged, Level::All)), Ask);
}

/// A call of a tool of which its server says this.
fn destructive(annotations: Value) -> Call {
    let about = mayi_call::ToolAbout { title: None, description: None, annotations };
    let about = mayi_call::ServerAbout {
        name: "s".into(),
        title: None,
        description: None,
        icons: Vec::new(),
        tool: Some(about),
    };
    Call { about: Some(about), ..of_server("t") }
}

/// D4.23: a level silences what a server calls destructive wherever it was given, and so does the tool's own setting; that the
/// whole server needs no approval does not, and nothing silences a flag.
#[test]
fn given_a_level_in_the_settings_then_it_silences_what_one_of_an_answer_does() {
    let careful = destructive(json!({"destructiveHint": true}));
    let flagged = Call { flagged: vec!["it speaks to the model".into()], ..careful.clone() };
    let with = |settings: ServerSettings| {
        let mut policy = policy(&[]);
        policy.servers.insert("s".into(), settings);
        policy
    };
    let own = |approval| {
        BTreeMap::from([("t".to_owned(), ToolSettings { approval, category: Some(Category::Write) })])
    };
    let none = Grants::default();
    let granted = |grant| ServerSettings { grant, ..ServerSettings::default() };
    let of_tool = |approval| ServerSettings { tools: own(approval), ..granted(Level::All) };
    for (settings, wanted) in [
        (granted(Level::All), Allow),
        (granted(Level::Write), Ask),
        (ServerSettings { approval: Some(Approval::Required), ..granted(Level::All) }, Allow),
        (ServerSettings { tools: own(Approval::Default), ..granted(Level::Write) }, Allow),
        (ServerSettings { tools: own(Approval::Default), ..granted(Level::Read) }, Ask),
        (of_tool(Approval::Required), Ask),
        (ServerSettings { tools: own(Approval::NotRequired), ..ServerSettings::default() }, Allow),
        (ServerSettings { approval: Some(Approval::NotRequired), ..ServerSettings::default() }, Ask),
    ] {
        let policy = with(settings.clone());
        assert_eq!(with_grant(&policy, &careful, &none), wanted, "{settings:?}");
        assert_eq!(with_grant(&policy, &flagged, &none), Ask, "{settings:?}");
    }
    let mut denying = policy(&[(Ask, "mcp(s/t)")]);
    denying.servers.insert("s".into(), granted(Level::All));
    assert_eq!(with_grant(&denying, &careful, &none), Ask, "a rule says so");
}

/// D4.23, attack 776: what its server calls destructive is asked about in mode auto and under a wildcard; an allow that names
/// the tool, the tool's own setting, a level or a bypass lets it run.
#[test]
fn given_a_tool_that_its_server_calls_destructive_then_only_what_names_it_lets_it_run() {
    let call = destructive(json!({"destructiveHint": true}));
    for call in [call.clone(), destructive(json!({"destructive": true}))] {
        for rules in
            [&[][..], &[(Allow, "mcp(s/*)")], &[(Allow, "mcp(*/*)")], &[(Allow, "*")], &[(Allow, "mcp(s)")]]
        {
            for mode in [Mode::Default, Mode::Auto] {
                assert_eq!(in_mode(&policy(rules), &call, mode).effect, Ask, "{rules:?} {mode:?}");
            }
            assert_eq!(in_mode(&policy(rules), &call, Mode::Plan).effect, Deny);
        }
        assert_eq!(effect(&policy(&[(Allow, "mcp(s/t)")]), &call), Allow);
        assert_eq!(effect(&policy(&[(Allow, "mcp(s/t)"), (Deny, "mcp(s/*)")]), &call), Deny);
    }
    for said in
        [json!({"destructiveHint": false}), json!({"destructiveHint": "true"}), json!({}), Value::Null]
    {
        assert_eq!(in_mode(&policy(&[]), &destructive(said.clone()), Mode::Auto).effect, Allow, "{said}");
    }
    let plain = policy(&[]);
    let answered = |pattern: &str| {
        let mut grants = Grants::default();
        let all = granted(pattern);
        grants.add(Grant { server: call.server.clone(), ..all.all()[0].clone() });
        grants
    };
    assert_eq!(with_grant(&plain, &call, &answered("mcp(s/*)")), Ask, "an answer for all tools names none");
    assert_eq!(with_grant(&plain, &call, &answered("mcp(s/t)")), Allow);
    assert_eq!(with_grant(&plain, &call, &with_level(&call, Level::All)), Allow);
    let set = |settings: ServerSettings| {
        let mut policy = policy(&[(Allow, "mcp(s/*)")]);
        policy.servers.insert("s".into(), settings);
        effect(&policy, &call)
    };
    let tool = ToolSettings { approval: Approval::NotRequired, category: None };
    assert_eq!(
        set(ServerSettings { tools: [("t".into(), tool)].into(), ..ServerSettings::default() }),
        Allow
    );
    assert_eq!(
        set(ServerSettings { approval: Some(Approval::NotRequired), ..ServerSettings::default() }),
        Ask
    );
    assert_eq!(set(ServerSettings { grant: Level::All, ..ServerSettings::default() }), Allow);
    assert_eq!(
        set(ServerSettings { grant: Level::Write, ..ServerSettings::default() }),
        Ask,
        "it is external"
    );
    let grants = Grants::default();
    let standing = SessionStanding { mode: Mode::Default, bypass: true, grants: &grants, servers: passed() };
    assert_eq!(decide(&plain, &call, &standing).effect, Allow);
}

/// A denial ends what covered it, and nothing else of the session.
#[test]
fn given_a_denial_then_only_what_covered_it_ends() {
    let tool = of_server("t");
    let mut grants = with_level(&tool, Level::Write);
    let exact = |call: &Call| Grant {
        fingerprint: Some(call.fingerprint()),
        ..Grant::of_session(call.agent.clone(), call.session.clone())
    };
    let (line, other) = (shell("PATH=. make"), shell("touch z"));
    grants.add(exact(&line));
    let kept = |grants: &Grants| grants.all().len();
    assert!(grants.record_denial(&other, &[Category::Execute]).is_empty());
    assert!(grants.record_denial(&tool, &[Category::External]).is_empty(), "the level did not cover it");
    assert_eq!(kept(&grants), 2);
    assert_eq!(grants.record_denial(&tool, &[Category::Write]).len(), 1);
    assert_eq!(grants.record_denial(&line, &[Category::Execute]).len(), 1);
    assert_eq!(kept(&grants), 0);
}

/// What was allowed word by word before a part of it was denied is asked about again.
#[test]
fn given_a_denial_of_a_part_then_an_exact_answer_before_it_does_not_speak_about_that() {
    let whole = shell("make; touch z");
    let mut grants = Grants::default();
    let exact = || Grant {
        fingerprint: Some(whole.fingerprint()),
        ..Grant::of_session(whole.agent.clone(), whole.session.clone())
    };
    grants.add(exact());
    assert_eq!(with_grant(&policy(&[]), &whole, &grants), Allow);
    grants.record_denial(&shell("touch z"), &[Category::Execute]);
    assert_eq!(with_grant(&policy(&[]), &whole, &grants), Ask);
    grants.add(exact());
    assert_eq!(with_grant(&policy(&[]), &whole, &grants), Allow, "allowed again, knowing that");
}

/// Seed 3: tools that read and that write are recognised, by what a trusted server says of them. A hint that is missing
/// claims nothing (MCP, `ToolAnnotations`: a tool reaches out unless it says otherwise).
#[test]
fn given_hints_of_a_server_then_they_claim_no_more_than_they_say() {
    let (yes, no) = (Some(true), Some(false));
    for (reads, destroys, reaches_out, claims) in [
        (yes, None, None, Some(Category::Read)),
        (yes, yes, no, None),
        (no, yes, no, Some(Category::Write)),
        (no, None, no, Some(Category::Write)),
        (no, None, None, None),
        (no, None, yes, None),
        (None, None, no, None),
        (None, None, None, None),
    ] {
        assert_eq!(
            mayi_call::claimed_category(reads, destroys, reaches_out),
            claims,
            "{reads:?} {destroys:?} {reaches_out:?}"
        );
    }
}

fn any_category() -> impl Strategy<Value = Category> {
    prop::sample::select(vec![Category::Read, Category::Write, Category::Execute, Category::External])
}

fn any_level() -> impl Strategy<Value = Level> {
    prop::sample::select(vec![Level::Read, Level::Write, Level::All])
}

proptest! {
    /// "A category or level never allows what a rule denies": nor what a rule asks about.
    #[test]
    fn a_category_or_level_never_allows_what_a_rule_denies_or_asks_about(
        rules in prop::collection::vec((any_effect(), any_pattern()), 0..6), call in any_call(), mode in any_mode(),
        bypass: bool, own in any_category(), of_tool in any_category(), claims in prop::option::of(any_category()),
        level in any_level(),
    ) {
        let mut call = Call { server: Some(ServerId::from_launch(&json!("s"))), ..call };
        for access in &mut call.accesses {
            if let Access::Mcp(mcp) = access { mcp.claims = claims }
        }
        let plain = policy(&rules);
        let by_rule = |decision: &Decision, effect: Effect| {
            decision.trail.iter().any(|finding| finding.effect == effect && finding.source == Source::Rule)
        };
        let grants = with_level(&call, level);
        let standing = SessionStanding { mode, bypass, grants: &grants, servers: passed() };
        let before = decide(&plain, &call, &SessionStanding { grants: &Grants::default(), ..standing });
        let mut with = plain.clone();
        with.tools = said(&[("x", own)]);
        let tools = BTreeMap::from([("t".into(), ToolSettings { approval: crate::Approval::Default, category: Some(of_tool) })]);
        with.servers.insert("s".into(), ServerSettings { tools, trust_annotations: true, ..ServerSettings::default() });
        let after = decide(&with, &call, &standing);
        if by_rule(&before, Deny) { prop_assert_eq!(after.effect, Deny); }
        if by_rule(&before, Ask) { prop_assert!(after.effect >= Ask); }
    }

    /// D4.15: a level never allows more than `mcp(s/*)` as a rule.
    #[test]
    fn a_level_never_allows_more_than_a_rule_for_all_tools(
        rules in prop::collection::vec((any_effect(), any_pattern()), 0..6), call in any_call(), level in any_level(),
        caution: bool, flagged: bool,
    ) {
        let call = Call {
            server: Some(ServerId::from_launch(&json!("s"))),
            cautions: if caution { vec!["look".into()] } else { Vec::new() },
            flagged: if flagged { vec!["odd".into()] } else { Vec::new() },
            ..call
        };
        let with_level = with_grant(&policy(&rules), &call, &with_level(&call, level));
        let mut with_rule = rules.clone();
        with_rule.push((Allow, "mcp(s/*)"));
        prop_assert!(with_level >= effect(&policy(&with_rule), &call));
    }
}
