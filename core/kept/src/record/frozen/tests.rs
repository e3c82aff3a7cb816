//! A call that was thawed is judged as it was.

use std::path::Path;

use super::*;
use crate::record::testing::*;
use mayi_policy::grant::Grants;
use mayi_policy::{Effect, Mode, Policy, SessionStanding, decide};

fn thawed(call: &Call) -> Call {
    let text = serde_json::to_string(&FrozenCall::freeze(call)).unwrap();
    let frozen: FrozenCall = serde_json::from_str(&text).unwrap();
    frozen.thaw().unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn policies() -> Vec<Policy> {
    use Effect::{Allow, Ask, Deny};
    vec![
        policy_with_rules(&[]),
        policy_with_rules(&[
            (Allow, "shell(*)"),
            (Allow, "write(**)"),
            (Allow, "read(**)"),
            (Deny, "read(**/.env)"),
        ]),
        policy_with_rules(&[
            (Ask, "*"),
            (Deny, "shell(rm *)"),
            (Deny, "write(/etc/**)"),
            (Deny, "fetch(example.com)"),
        ]),
        policy_with_rules(&[
            (Allow, "*"),
            (Ask, "read(~/.ssh/**)"),
            (Ask, "mcp(s/*)"),
            (Deny, "write(src/**)"),
        ]),
        policy_with_rules(&[
            (Allow, "shell(cargo test *)"),
            (Allow, "shell(FOO=bar ls *)"),
            (Allow, "shell(/^git .*/)"),
        ]),
    ]
}

fn same(call: &Call, policies: &[Policy]) {
    let again = thawed(call);
    assert_eq!(again.accesses, call.accesses);
    assert_eq!((&again.roots, &again.cwd, &again.agent), (&call.roots, &call.cwd, &call.agent));
    // Without an access there is nothing but the title to name.
    if call.accesses.is_empty() {
        return;
    }
    let (grants, servers) = (Grants::default(), server_names());
    for policy in policies {
        for (mode, bypass) in [(Mode::Default, false), (Mode::Auto, false), (Mode::Plan, true)] {
            let standing = SessionStanding { mode, bypass, grants: &grants, servers: &servers };
            assert_eq!(decide(policy, &again, &standing), decide(policy, call, &standing));
        }
    }
}

/// D7.2: the accesses as judged. The lines are those of the corpus, in a folder with what
/// they name, so that links, folders and hard links are found.
#[test]
fn given_any_line_of_the_corpus_then_it_is_decided_as_before() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for name in ["src", "l", "sub", "target"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    std::fs::write(root.join("a"), "").unwrap();
    #[cfg(unix)]
    {
        std::fs::hard_link(root.join("a"), root.join("b")).unwrap();
        std::os::unix::fs::symlink("/etc", root.join("src/l")).unwrap();
        std::os::unix::fs::symlink("a", root.join("x")).unwrap();
    }
    let policies = policies();
    for line in corpus_lines() {
        same(&run_in(&root, line), &policies);
    }
    for line in
        ["cat a b src/l/passwd /proc/self/cwd/x", "ls src sub; cd sub && rm -rf *", "cp -r src /dev/shm/y"]
    {
        same(&run_in(&root, line), &policies);
    }
}

#[test]
fn given_any_other_call_then_it_is_decided_as_before() {
    let policies = policies();
    for call in other_calls() {
        same(&call, &policies);
    }
}

#[cfg(unix)]
#[test]
fn given_a_name_that_is_no_text_then_its_bytes_are_kept() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().canonicalize().unwrap().join(std::ffi::OsStr::from_bytes(b"a\xff"));
    let mut call = read_call("x");
    call.roots = vec![odd.clone()];
    call.cwd = odd.clone();
    call.accesses = vec![Access::Read(PathAccess::new(&odd, "y"))];
    same(&call, &policies());
}

/// D6.12: a grant on a workspace script binds its content: what it held is kept, and calls
/// of before that was known are read as ever.
#[test]
fn given_a_script_then_what_it_held_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::write(root.join("run.sh"), "echo x").unwrap();
    let scripts = |call: &Call| -> Vec<_> {
        mayi_call::shell::shell_accesses(&call.accesses).flat_map(|shell| shell.scripts.clone()).collect()
    };
    let call = run_in(&root, "bash run.sh");
    assert_eq!((scripts(&call).len(), scripts(&thawed(&call))), (1, scripts(&call)));
    let plain = serde_json::to_string(&FrozenCall::freeze(&run_in(&root, "make"))).unwrap();
    assert!(!plain.contains("scripts"), "{plain}");
}

#[test]
fn given_another_form_or_damage_then_it_is_not_thawed() {
    let mut frozen = FrozenCall::freeze(&shell_call("ls src"));
    frozen.form = 9;
    assert_eq!(frozen.thaw().unwrap_err(), ThawError::Form(9));
    let mut frozen = FrozenCall::freeze(&shell_call("ls src"));
    frozen.accesses = serde_json::json!([{"shell": 1}]);
    assert!(matches!(frozen.thaw(), Err(ThawError::Damaged(_))));
    let mut frozen = FrozenCall::freeze(&write_call("a"));
    frozen.beside.push(PathExtras { path: 7, ..PathExtras::default() });
    assert!(matches!(frozen.thaw(), Err(ThawError::Damaged(_))));
}

/// What a record grows by. Not a law, but it should be noticed.
#[test]
fn given_usual_calls_then_they_are_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let size = |call: &Call| {
        let text = serde_json::to_string(&FrozenCall::freeze(call)).unwrap();
        println!("{} {text}", text.len());
        text.len()
    };
    assert!(size(&run_in(root, "cargo test -p x")) < 900);
    assert!(size(&write_call("src/a.rs")) < 500);
    assert!(size(&mcp_call("github", "list_issues", serde_json::json!({"repo": "me/x"}))) < 500);
}
