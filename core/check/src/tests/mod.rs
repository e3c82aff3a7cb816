//! What `check` understands, and by what it judges.

mod cases;
mod keys;
mod words;

use std::path::Path;

use serde_json::{Value, json};

use super::{CheckError, Checker, Request};
use mayi_core::config::{Folders, Sources};
use mayi_core::policy::{Decision, Effect, Source};

/// A folder to work in, with a user's file beside it.
struct Machine {
    dir: tempfile::TempDir,
}

impl Machine {
    fn new(user: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("w")).unwrap();
        std::fs::write(dir.path().join("user.toml"), user).unwrap();
        Self { dir }
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().canonicalize().unwrap().join(name).display().to_string()
    }

    fn file(self, name: &str, text: &str) -> Self {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn sources(&self) -> Sources {
        let at = |name: &str| Path::new(&self.path(name)).to_owned();
        Sources {
            managed: Some(at("managed.toml")),
            user: Some(at("user.toml")),
            workspace: Some(at("w/.mayi.toml")),
            cwd: at("w"),
            folders: Folders { home: Some(at("home")), config: Some(at("mayi")), ..Folders::default() },
            ..Sources::default()
        }
    }

    fn checker(&self) -> Checker {
        Checker::new(self.sources(), true)
    }

    fn decide(&self, request: Value) -> Decision {
        decide(&mut self.checker(), request).unwrap()
    }
}

fn decide(checker: &mut Checker, request: Value) -> Result<Decision, CheckError> {
    checker.decide(&serde_json::from_value::<Request>(request).unwrap())
}

fn why(decision: &Decision) -> (Effect, Source) {
    (decision.effect, decision.deciding_finding().unwrap().source)
}

/// S1.16: `isolated: true` uses only what the line gives (rules, matrix, mode), with no
/// files, readers, grants or built-in protection (`"protection": true` keeps that).
#[test]
fn given_an_isolated_call_then_nothing_that_is_configured_counts() {
    let machine = Machine::new("this is no configuration")
        .file("managed.toml", "[rules]\ndeny = [\"*\"]\n")
        .file("w/.mayi.toml", "[rules]\ndeny = [\"*\"]\n");
    let all = json!({"read": "allow", "write": "allow", "execute": "allow", "external": "allow"});
    let write = |more: Value| {
        let mut request = json!({"kind": "write", "path": ".git/config", "matrix": all, "isolated": true});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        why(&machine.decide(request))
    };
    assert_eq!(write(json!({})), (Effect::Allow, Source::Matrix));
    assert_eq!(write(json!({"protection": true})), (Effect::Ask, Source::Protection));
    assert_eq!(write(json!({"rules": {"deny": ["write(**)"]}})), (Effect::Deny, Source::Rule));
    assert_eq!(write(json!({"mode": "plan"})), (Effect::Deny, Source::Plan));
}

/// "`matrix` refines the row of the mode in use": what it does not name is as it was.
#[test]
fn given_a_matrix_then_only_its_places_in_the_row_in_use_change() {
    let machine = Machine::new("");
    for isolated in [true, false] {
        let effect = |kind: &str, mode: &str| {
            let (key, value) = if kind == "write" { ("path", "a") } else { ("url", "https://a.example/") };
            machine
                .decide(json!({
                    "kind": kind, key: value, "mode": mode, "matrix": {"write": "deny"}, "isolated": isolated,
                }))
                .effect
        };
        assert_eq!(effect("write", "default"), Effect::Deny);
        assert_eq!(effect("fetch", "default"), Effect::Ask);
        assert_eq!(effect("write", "auto"), Effect::Deny);
        assert_eq!(effect("fetch", "auto"), Effect::Allow);
    }
}

/// What is configured counts, with its file and line in the trail.
#[test]
fn given_rules_in_a_file_then_the_finding_names_the_place() {
    let machine = Machine::new("[rules]\ndeny = [\n  \"shell(git push *)\",\n]\n");
    let decision = machine.decide(json!({"kind": "shell", "command": "git push"}));
    let finding = decision.deciding_finding().unwrap();
    assert_eq!((decision.effect, finding.line), (Effect::Deny, Some(3)));
    assert_eq!(finding.file.as_ref().unwrap().display().to_string(), machine.path("user.toml"));
    assert_eq!(finding.pattern.as_deref(), Some("shell(git push *)"));
}

/// Rules of the call come besides the configured ones, and the strictest counts.
#[test]
fn given_rules_with_the_call_then_they_add_to_what_is_configured() {
    let machine = Machine::new("[rules]\ndeny = [\"tool(bad)\"]\n");
    let effect = |tool: &str| {
        machine.decide(json!({"kind": "tool", "tool": tool, "rules": {"allow": ["tool(*)"]}})).effect
    };
    assert_eq!((effect("good"), effect("bad")), (Effect::Allow, Effect::Deny));
}

/// D5.5: each folder's own file tightens what happens there, and nowhere else.
#[test]
fn given_a_workspace_then_its_own_file_counts() {
    let machine = Machine::new("").file("x/.mayi.toml", "[rules]\ndeny = [\"shell(make *)\"]\n");
    let mut checker = machine.checker();
    let mut effect = |folder: &str| {
        let request = json!({"kind": "shell", "command": "make", "workspace": machine.path(folder)});
        decide(&mut checker, request).unwrap().effect
    };
    for _ in 0..2 {
        assert_eq!((effect("x"), effect("w")), (Effect::Deny, Effect::Ask));
    }
}

/// The first folder of a workspace is where relative names start; the others are roots too.
#[test]
fn given_several_folders_then_all_of_them_are_roots() {
    let machine = Machine::new("");
    let (a, b) = (machine.path("a"), machine.path("b"));
    let read = |path: &str| {
        let decision = machine.decide(json!({"kind": "read", "path": path, "workspace": [a, b]}));
        (decision.effect, decision.trail[0].access.clone())
    };
    assert_eq!(read("x"), (Effect::Allow, format!("read({a}/x)")));
    assert_eq!(read(&format!("{b}/x")).0, Effect::Allow);
    assert_eq!(read("../c").0, Effect::Ask);
    let up =
        json!({"kind": "read", "path": "x", "workspace": format!("{b}/../a"), "cwd": format!("{b}/../a/in")});
    let up = machine.decide(up);
    assert_eq!((up.effect, up.trail[0].access.clone()), (Effect::Allow, format!("read({a}/in/x)")));
    let inside = machine.decide(json!({"kind": "read", "path": "x", "workspace": a, "cwd": "in"}));
    assert_eq!(inside.trail[0].access, format!("read({a}/in/x)"));
}

/// D4.20: bypass and the agent's own mode count for the agent that is named.
#[test]
fn given_an_agent_then_its_settings_count() {
    let machine = Machine::new(
        "[agents.free]\nbypass_permissions = true\n[agents.shy]\nmode = \"plan\"\n\
         [[rule]]\neffect = \"deny\"\npattern = \"tool(x)\"\nagents = [\"shy2\"]\n[agents.shy2]\n",
    );
    let effect = |agent: Value, mode: Value| {
        why(&machine.decide(json!({"kind": "tool", "tool": "x", "agent": agent, "mode": mode})))
    };
    assert_eq!(effect(Value::Null, Value::Null), (Effect::Ask, Source::Matrix));
    assert_eq!(effect("free".into(), Value::Null), (Effect::Allow, Source::Bypass));
    assert_eq!(effect("free".into(), "plan".into()), (Effect::Deny, Source::Plan));
    assert_eq!(effect("shy".into(), Value::Null), (Effect::Deny, Source::Plan));
    assert_eq!(effect("shy".into(), "default".into()), (Effect::Ask, Source::Matrix));
    assert_eq!(effect("shy2".into(), Value::Null), (Effect::Deny, Source::Rule));
}

/// D4.14: settings of a server hold for a call of it.
#[test]
fn given_a_server_with_settings_then_they_count() {
    let machine = Machine::new(
        "[servers.s]\ncommand = [\"x\"]\napproval = \"required\"\n[servers.s.tools]\nt = \"not_required\"\n",
    );
    let call = |tool: &str| json!({"kind": "mcp", "server": "s", "tool": tool});
    assert_eq!(why(&machine.decide(call("t"))), (Effect::Allow, Source::Setting));
    assert_eq!(why(&machine.decide(call("u"))), (Effect::Ask, Source::Setting));
}

/// D5.3: what a managed file locks is refused, not ignored.
#[test]
fn given_a_locked_mode_then_a_looser_one_is_an_error() {
    let machine = Machine::new("").file("managed.toml", "lock = [\"mode\"]\n");
    let mut checker = machine.checker();
    let request = |mode: &str| json!({"kind": "read", "path": "a", "mode": mode});
    let error = decide(&mut checker, request("auto")).unwrap_err();
    assert!(error.to_string().contains("locks the mode"), "{error}");
    assert!(decide(&mut checker, request("plan")).is_ok());
}

/// A configuration that is refused judges nothing, and says where it is wrong.
#[test]
fn given_a_broken_configuration_then_every_call_is_an_error() {
    let machine = Machine::new("mode = \"plan\"\nmod = 1\n");
    let mut checker = machine.checker();
    for _ in 0..2 {
        let error = decide(&mut checker, json!({"kind": "read", "path": "a"})).unwrap_err().to_string();
        assert!(error.contains("user.toml:2: ") && error.contains("did you mean `mode`?"), "{error}");
    }
}

/// "through the same adapter as the door": a request that claims less than its input is judged by both.
#[test]
fn given_a_request_of_an_agent_then_it_is_read_as_at_the_door() {
    let machine = Machine::new("");
    let params = json!({
        "sessionId": "s",
        "toolCall": {"toolCallId": "1", "kind": "read", "rawInput": {"command": "make", "path": "a"}},
        "options": [{"optionId": "y", "kind": "allow_once", "name": "Yes"}],
    });
    let whole = json!({"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params": params});
    for request in [params, whole] {
        let decision = machine.decide(json!({"kind": "acp", "request": request}));
        let accesses: Vec<&str> = decision.trail.iter().map(|finding| finding.access.as_str()).collect();
        let read = format!("read({})", machine.path("w/a"));
        assert_eq!((decision.effect, accesses), (Effect::Ask, vec!["shell(make)", &read]));
    }
    for (request, wrong) in [
        (json!({}), "the request has no toolCall"),
        (json!({"toolCall": {}}), "the toolCall has no toolCallId"),
        (json!({"method": "fs/read_text_file"}), "\"fs/read_text_file\" is not session/request_permission"),
    ] {
        let error = decide(&mut machine.checker(), json!({"kind": "acp", "request": request})).unwrap_err();
        assert!(error.to_string().starts_with(wrong), "{error}");
    }
}

/// D1.27: `/`, the home folder and its ancestors are never roots without being named.
/// Attack 83.
#[test]
fn given_a_folder_that_is_too_wide_then_it_is_no_root_unless_it_is_named() {
    let mut sources = Machine::new("").sources();
    sources.cwd = "/".into();
    let request = json!({"kind": "write", "path": "/srv/x", "rules": {"allow": ["write(**)"]}});
    let effect = |named| decide(&mut Checker::new(sources.clone(), named), request.clone()).unwrap();
    let outside = effect(false);
    assert!(outside.always_asks(), "{outside:?}");
    assert_ne!(effect(true), outside);
}

/// D1.13: a command that runs outside of the session's folders is asked about.
#[test]
fn given_a_folder_outside_of_the_workspace_then_a_command_there_is_asked_about() {
    let machine = Machine::new("[rules]\nallow = [\"shell(make)\"]\n");
    let effect = |cwd: &str| {
        let request = json!({
            "kind": "shell", "command": "make", "workspace": machine.path("w"), "cwd": machine.path(cwd),
        });
        why(&machine.decide(request))
    };
    assert_eq!(effect("w/in"), (Effect::Allow, Source::Rule));
    assert_eq!(effect("x"), (Effect::Ask, Source::Caveat));
}

/// Attack 106.
#[test]
fn given_an_address_of_a_file_then_the_file_is_read() {
    let machine = Machine::new("");
    for url in ["file:///etc/shadow", "file://localhost/etc/%73hadow", "FILE:/etc/shadow"] {
        let request = json!({"kind": "fetch", "url": url, "mode": "auto"});
        let decision = machine.decide(request);
        assert!(
            decision.effect == Effect::Ask && decision.always_asks(),
            "{url}: {:?}",
            decision.deciding_finding()
        );
        let rules = json!({"deny": ["read(/etc/shadow)"]});
        let request = json!({"kind": "fetch", "url": url, "mode": "auto", "rules": rules});
        assert_eq!(machine.decide(request).effect, Effect::Deny, "{url}");
    }
}

/// D1.4: as at the doors, a path counts as it is given, and without what is blank around it.
/// Attack 635.
#[test]
fn given_a_path_with_blanks_around_it_then_it_is_judged_with_and_without_them() {
    let machine =
        Machine::new("version = 1\n[rules]\nallow = [\"*\"]\ndeny = [\"read(.env)\", \"write(.env)\"]\n");
    for path in [" .env", ".env ", "\t.env\n", "\u{feff}.env", ".env"] {
        for kind in ["read", "write", "edit", "delete"] {
            let decision = machine.decide(json!({ "kind": kind, "path": path }));
            assert_eq!(decision.effect, Effect::Deny, "{kind} {path:?}");
        }
    }
    assert_eq!(machine.decide(json!({ "kind": "read", "path": " a " })).effect, Effect::Allow);
}
