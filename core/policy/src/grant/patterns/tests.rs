use std::path::{Path, PathBuf};

use super::session_pattern;
use crate::grant::{Grant, Grants};
use crate::pattern::PatternBases;
use crate::{Effect, Mode, Origin, Pattern, Policy, Protection, Rule, SessionStanding, decide};
use mayi_call::{Access, AgentId, Call, Door, PathAccess, SessionId};

const HOME: &str = "/home/me";

fn roots() -> Vec<PathBuf> {
    vec!["/srv/w".into(), "/home/me/work/p".into()]
}

fn read(path: &str) -> Access {
    Access::Read(PathAccess::without_lookup(Path::new("/srv/w"), path))
}

fn folder(path: &str) -> Access {
    let mut path = PathAccess::without_lookup(Path::new("/srv/w"), path);
    path.folder = true;
    Access::Read(path)
}

fn covered(access: &Access) -> Pattern {
    session_pattern(access, &roots(), Some(Path::new(HOME))).unwrap().unwrap()
}

/// D6.9: Allow for this session covers "read, its folder": the folder's own files, and no
/// folders below it.
#[test]
fn given_a_file_that_was_read_then_the_session_covers_the_files_beside_it_alone() {
    for (access, text) in [
        (read("/opt/x/a.rs"), "read(/opt/x/[!.]*)"),
        (read("/srv/w/a.rs"), "read(/srv/w/[!.]*)"),
        (read("/srv/w/src/a.rs"), "read(/srv/w/src/[!.]*)"),
        (read("/home/me/notes/a"), "read(/home/me/notes/[!.]*)"),
        (folder("/opt/x"), "read(/opt/x/[!.]*)"),
    ] {
        assert_eq!(covered(&access).as_str(), text);
    }
    let pattern = covered(&read("/opt/x/a.rs"));
    let roots = roots();
    assert!(pattern.certainly_matches(&read("/opt/x/b.rs"), &roots));
    for other in ["/opt/x", "/opt/x/y/b.rs", "/opt/x/.env", "/opt/x/.git/config", "/opt/b.rs", "/opt/xx/b.rs"]
    {
        assert!(!pattern.certainly_matches(&read(other), &roots), "{other}");
    }
}

/// D1.27: `/`, the home folder and its ancestors are never roots without being named: nor
/// does one answer about one file open them.
#[test]
fn given_a_file_in_a_folder_above_much_then_the_session_covers_it_alone() {
    for wide in ["/x", "/home/me/notes", "/home/x", "/srv/x", "/home/me/work/x"] {
        assert_eq!(covered(&read(wide)).as_str(), format!("read({wide})"));
    }
    for wide in ["/", "/home", "/home/me", "/srv", "/home/me/work"] {
        assert_eq!(covered(&folder(wide)).as_str(), format!("read({wide})"));
    }
}

/// D1.14: the lexical form (without links) is a second form.
#[test]
fn given_a_link_into_the_home_folder_then_the_session_covers_it_alone() {
    let mut path = PathAccess::without_lookup(Path::new("/"), "/opt/x/link");
    path.resolved = "/home/me/notes".into();
    assert_eq!(covered(&Access::Read(path)).as_str(), "read(/opt/x/link)");
}

/// D4.25: a grant never allows more than the same pattern as a rule, and an ask with
/// `always = true` is discharged only by a grant of the exact digest.
#[test]
fn given_protected_and_denied_files_in_that_folder_then_the_grant_does_not_reach_them() {
    let places = PatternBases { home: Some(HOME.into()), ..PatternBases::default() };
    let rule = |effect, text: &str| Rule {
        effect,
        pattern: Pattern::parse(text, &places).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: Origin { file: None, line: None, layer: "user" },
    };
    let policy = Policy {
        rules: [rule(Effect::Deny, "read(**/secret)"), rule(Effect::Ask, "read(**/*.env)")]
            .into_iter()
            .collect(),
        protection: Protection::built_in(&places, &[]).unwrap(),
        ..Policy::default()
    };
    let of_session = || Grant::of_session(AgentId::from_name("a"), SessionId("s".into()));
    let effect = |read_before: &str, path: &str| {
        let mut grants = Grants::default();
        grants.add(Grant { pattern: Some(covered(&read(read_before))), ..of_session() });
        let call = call(read(path));
        let standing = SessionStanding { mode: Mode::Default, bypass: false, grants: &grants, servers: &[] };
        decide(&policy, &call, &standing).effect
    };
    assert_eq!(effect("/opt/x/a", "/opt/x/b"), Effect::Allow);
    assert_eq!(effect("/opt/x/a", "/opt/x/.env"), Effect::Ask);
    assert_eq!(effect("/opt/x/a", "/opt/x/dev.env"), Effect::Ask);
    assert_eq!(effect("/opt/x/a", "/opt/x/secret"), Effect::Deny);
    assert_eq!(effect("/home/me/.ssh/config", "/home/me/.ssh/id_ed25519"), Effect::Ask);
    assert_eq!(effect("/home/me/notes", "/home/me/.netrc"), Effect::Ask);
}

fn call(access: Access) -> Call {
    Call {
        accesses: vec![access],
        roots: roots(),
        env: std::collections::BTreeMap::new(),
        kind: "read".into(),
        raw_input: serde_json::Value::Null,
        ..Call::new(Door::AcpFs, AgentId::from_name("a"), SessionId("s".into()), "/srv/w".into())
    }
}
