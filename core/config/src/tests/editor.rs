//! The editor's layer: "workspace < editor < environment < command line" (D5.1).

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{Machine, effect, mcp, shell};
use crate::{AgentCommand, EditorKeeper, EditorSettings, Layer, LoadedConfig, Sources, Transport};
use mayi_call::AgentId;
use mayi_kept::{AnswerPersistence, KeepError};
use mayi_policy::{Approval, Effect, Mode};

fn claude(settings: Value) -> Value {
    json!({ "agents": { "claude": settings } })
}

fn mode(loaded: &LoadedConfig) -> Mode {
    loaded.policy.agents.get("claude").and_then(|agent| agent.mode).unwrap_or(loaded.policy.mode)
}

#[test]
fn given_an_editors_modes_then_they_count_between_workspace_and_environment() {
    let user = "[agents.claude]\nmode = \"plan\"\n";
    let auto = || Machine::new().user(user).editor(claude(json!({ "mode": "auto" })));
    assert_eq!(mode(&auto().load()), Mode::Auto);
    assert_eq!(mode(&auto().workspace("mode = \"plan\"").load()), Mode::Auto, "it is nearer");
    assert_eq!(mode(&auto().environment("MAYI_MODE", "default").load()), Mode::Default);
    assert_eq!(mode(&auto().mode(Mode::Plan).load()), Mode::Plan);
    let plan = || Machine::new().editor(claude(json!({ "mode": "plan" })));
    assert_eq!(mode(&plan().workspace("[agents.claude]\nmode = \"auto\"").load()), Mode::Plan);
    assert_eq!(mode(&plan().environment("MAYI_MODE", "auto").load()), Mode::Plan, "that only tightens");
    assert_eq!(mode(&plan().mode(Mode::Auto).load()), Mode::Auto);
    assert_eq!(mode(&auto().editor(json!({ "mode": "default" })).load()), Mode::Default, "for all");
    let loaded = auto().load();
    let setting = loaded.settings.iter().find(|setting| setting.key == "agents.claude.mode").unwrap();
    assert_eq!((&setting.value, setting.origin.layer), (&json!("auto"), Layer::Editor));
    assert!(Layer::Workspace < Layer::Editor && Layer::Editor < Layer::Environment);
}

/// `--config` stands in for the user's file and the workspace's: not for the editor's settings.
#[test]
fn given_another_file_then_the_editor_counts_beside_it() {
    let mut machine = Machine::new().user("mode = \"plan\"").editor(claude(json!({ "mode": "auto" })));
    machine.sources.only = Some(machine.user_file().to_owned());
    assert_eq!(mode(&machine.load()), Mode::Auto);
}

/// It is the user's own, so it may turn on what their file does not, and off what it does.
#[test]
fn given_a_bypass_then_the_editor_turns_it_on_and_off() {
    let bypassed = |machine: Machine| {
        let loaded = machine.load();
        loaded.policy.agents.get("claude").is_some_and(|agent| agent.bypass_permissions)
    };
    let on = "[agents.claude]\nbypass_permissions = true\n";
    assert!(bypassed(Machine::new().editor(claude(json!({ "bypassPermissions": true })))));
    assert!(!bypassed(Machine::new().user(on).editor(claude(json!({ "bypassPermissions": false })))));
    assert!(bypassed(Machine::new().user(on).editor(claude(json!({ "bypassPermissions": null })))));
    let workspace = "[agents.claude]\nbypass_permissions = true\n";
    let off = || Machine::new().editor(claude(json!({ "bypassPermissions": false }))).workspace(workspace);
    assert!(!bypassed(off()), "a file of a repository loosens nothing");
}

/// "Managed locks hold": against an editor as against the user's file.
/// Attack 9: "managed stays".
#[test]
fn given_locks_then_the_editor_does_not_loosen_what_is_locked() {
    let managed = "lock = [\"mode\", \"agents.*.bypass_permissions\"]\n";
    let loose =
        json!({ "mode": "auto", "agents": { "claude": { "bypassPermissions": true, "mode": "auto" } } });
    let machine = Machine::new().managed(managed).editor(loose.clone());
    insta::assert_snapshot!(machine.notices(), @r#"
    the editor's settings: `mode = "auto"` is ignored: /etc/config.toml locks it
    the editor's settings: `mode = "auto"` of claude is ignored: /etc/config.toml locks it
    the editor's settings: `bypass_permissions = true` of claude is ignored: /etc/config.toml locks it
    "#);
    let loaded = machine.load();
    assert_eq!((loaded.policy.mode, mode(&loaded)), (Mode::Default, Mode::Default));
    assert!(!loaded.policy.agents.get("claude").is_some_and(|agent| agent.bypass_permissions));
    let strict = claude(json!({ "mode": "plan", "bypassPermissions": false }));
    let loaded = Machine::new().managed(managed).editor(strict).load();
    assert_eq!((mode(&loaded), loaded.policy.notices.len()), (Mode::Plan, 0), "stricter is fine");
}

#[test]
fn given_an_editors_command_then_it_takes_the_place_of_the_users() {
    let user = "[agents.mine]\ncommand = [\"mine\", \"--acp\"]\nenv = { A = \"1\", B = \"2\" }\n";
    let own =
        json!({ "agents": { "mine": { "command": "/opt/my agent", "args": ["-x"], "env": { "B": "3" } } } });
    let loaded = Machine::new().user(user).editor(own).load();
    let mine = &loaded.agents["mine"];
    assert_eq!(mine.command, Some(AgentCommand::Words(vec!["/opt/my agent".into(), "-x".into()])));
    assert_eq!(mine.env.iter().map(|(k, v)| (&**k, &**v)).collect::<Vec<_>>(), [("A", "1"), ("B", "3")]);
    assert_eq!(mine.origin.layer, crate::Layer::Editor);
    let loaded = Machine::new().user(user).editor(json!({ "agents": { "mine": { "mode": "plan" } } })).load();
    assert_eq!(loaded.agents["mine"].origin.layer, crate::Layer::User, "settings alone change no command");
    let evil = "[agents.mine]\ncommand = [\"./evil\"]\n";
    let own = json!({ "agents": { "mine": { "command": "mine" } } });
    let loaded = Machine::new().editor(own).workspace(evil).load();
    assert_eq!(loaded.agents["mine"].command, Some(AgentCommand::Words(vec!["mine".into()])));
    assert_ne!(loaded.agents["claude"].origin.layer, Layer::Editor);
}

#[test]
fn given_an_editors_servers_then_they_are_reached_and_asked_about_as_it_says() {
    let user = "[servers.gh]\ncommand = [\"gh-mcp\"]\napproval = \"required\"\n[servers.gh.tools]\nwipe = { approval = \"required\", category = \"execute\" }\n";
    let own = json!({ "servers": {
        "gh": { "approval": "not_required", "tools": { "wipe": "default", "list": "required" } },
        "far": { "url": "https://example.com/mcp", "headers": { "X": "y" } },
        "near": { "command": "near", "args": ["a b"], "env": { "K": "v" } },
    }});
    let machine = Machine::new().user(user).editor(own);
    let loaded = machine.load();
    let gh = &loaded.policy.servers["gh"];
    assert_eq!(gh.approval, Some(Approval::NotRequired));
    assert_eq!(gh.tools["wipe"].approval, Approval::Default);
    assert!(gh.tools["wipe"].category.is_some(), "what it does not say stays");
    assert_eq!(gh.tools["list"].approval, Approval::Required);
    assert_eq!(loaded.servers["gh"].origin.layer, crate::Layer::User);
    let decided = |tool| effect(&loaded.policy, &machine.sources.cwd, mcp("gh", tool));
    assert_eq!((decided("other"), decided("list")), (Effect::Allow, Effect::Ask));
    assert!(
        matches!(&loaded.servers["far"].transport, Transport::Http { url, headers } if url == "https://example.com/mcp" && headers["X"] == "y")
    );
    assert!(
        matches!(&loaded.servers["near"].transport, Transport::Stdio { command, env } if command[..] == ["near", "a b"] && env["K"] == "v")
    );
    // A file of a repository loosens nothing of it.
    let machine = Machine::new()
        .editor(json!({ "servers": { "gh": { "approval": "required" } } }))
        .workspace("[servers.gh]\napproval = \"not_required\"\n");
    let loaded = machine.load();
    assert_eq!(loaded.policy.servers["gh"].approval, Some(Approval::Required));
}

/// Each mistake names the setting, and says what to write.
#[test]
fn given_mistakes_then_each_names_its_setting() {
    let wrong = json!({
        "agents": {
            "my/agent": { "command": "x" }, "serve": { "command": "x" },
            "empty": { "command": " " }, "lone": { "args": ["x"] },
        },
        "servers": {
            "a/b": {}, "both": { "command": "x", "url": "https://example.com" },
            "ftp": { "url": "ftp://example.com" }, "none": { "env": {}, "headers": {} },
            "mixed": { "command": "x", "headers": {} }, "mixed2": { "url": "https://example.com", "env": {} },
            "word": { "approval": "default" },
        },
    });
    let machine = Machine::new().editor(wrong);
    insta::assert_snapshot!(machine.mistakes(), @r#"
    `mayi.agents."empty".command` names no program (write the program, and its arguments beside it: "command": "npx", "args": ["-y", "some-agent"])
    `mayi.agents."lone".args` is of no use without `command` (write `command` too)
    `mayi.agents`: `my/agent` can't be the name of an agent (begin with a letter or a digit; use letters of ASCII, digits, single blanks, `.`, `_`, `-`, `(` and `)`, at most 128 of them)
    `mayi.agents`: `serve` is a command of mayi and can't be the name of an agent (pick another name, such as `my-serve`)
    `mayi.servers`: `a/b` can't be the name of a server (use letters, digits, `.`, `_` and `-`, at most 128 of them)
    `mayi.servers."both"` can't have both `command` and `url` (a server is started with `command` or reached at `url`: leave one out)
    `mayi.servers."ftp".url` is not a web address: `ftp://example.com` (write it as "https://example.com/mcp")
    `mayi.servers."mixed".headers` belongs to `url` (leave them out, or use `env` for a program)
    `mayi.servers."mixed2".env` belongs to `command` (leave it out, or use `headers` for an address)
    `mayi.servers."none".env` is of no use without `command` (write `command` too)
    `mayi.servers."none".headers` is of no use without `url` (write `url` too)
    `mayi.servers."word".approval` can't be "default" (write "required" or "not_required", or leave it out)
    "#);
    let errors = crate::load(&machine.sources).unwrap_err();
    assert!(errors.all().iter().all(|error| error.layer() == Layer::Editor && error.hint().is_some()));
}

/// An editor's settings may hold anything: what is of another kind is told by its place.
#[test]
fn given_values_of_another_kind_then_each_is_told() {
    let wrong = json!({
        "mode": "yolo",
        "agents": { "a": { "command": 5, "args": "x", "env": { "A": 1 }, "bypassPermissions": "yes", "mode": "x\u{202e}y" }, "b": [] },
        "servers": { "s": { "url": {}, "approval": "never", "tools": { "t": "sometimes" } } },
    });
    let errors = EditorSettings::read(&wrong).unwrap_err();
    let lines: Vec<String> = errors.all().iter().map(crate::ConfigError::one_line).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    `mayi.mode` can't be "yolo" (write "plan", "default" or "auto")
    `mayi.agents."a".command` can't be a number (write a text)
    `mayi.agents."a".args` can't be "x" (write a list of texts)
    `mayi.agents."a".env` can't be this object (write {"NAME": "text"})
    `mayi.agents."a".bypassPermissions` can't be "yes" (write true or false)
    `mayi.agents."a".mode` can't be "x\u{202e}y" (write "plan", "default" or "auto")
    `mayi.agents."b"` can't be this list (write an object: {})
    `mayi.servers."s".url` can't be this object (write a text)
    `mayi.servers."s".approval` can't be "never" (write "required" or "not_required")
    `mayi.servers."s".tools` can't be this object (write {"TOOL": "required"}, with "required", "not_required", "default" or a category such as "read" for each, or both: {"approval": "required", "category": "read"})
    "#);
    for nothing in [json!(null), json!({}), json!({ "agents": null, "servers": { "s": null } })] {
        let read = EditorSettings::read(&nothing).unwrap();
        assert!(read.agents.is_empty() && read.unknown.is_empty(), "{nothing}");
    }
    assert!(EditorSettings::read(&json!([])).is_err());
}

#[test]
fn given_keys_that_nobody_knows_then_they_are_told_and_kept() {
    let settings = json!({
        "agents": { "claude": { "bypasPermissions": true, "mode": "plan" } },
        "servers": { "s": { "command": "x", "disabled\u{7}": true } },
        "theme": "dark",
    });
    let machine = Machine::new().editor(settings.clone());
    insta::assert_snapshot!(machine.notices(), @r#"
    the editor's settings: no key is called `theme` in `mayi`
    the editor's settings: no key is called `bypasPermissions` in `mayi.agents."claude"`; did you mean `bypassPermissions`?
    the editor's settings: no key is called `disabled\x07` in `mayi.servers."s"`
    "#);
    assert_eq!(mode(&machine.load()), Mode::Plan);
    // An editor writes its settings back as a whole.
    let read = EditorSettings::read(&settings).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), settings);
    assert_eq!(serde_json::from_value::<EditorSettings>(settings).unwrap(), read);
}

/// Without an editor everything is as it was.
#[test]
fn given_settings_that_say_nothing_then_nothing_changes() {
    let user = "mode = \"auto\"\n[rules]\ndeny = [\"shell(rm *)\"]\n[agents.claude]\nmode = \"plan\"\n";
    let (with, without) = (Machine::new().user(user).editor(json!({})), Machine::new().user(user));
    let loaded = with.load();
    assert_eq!(mode(&loaded), mode(&without.load()));
    assert_eq!(loaded.agents, without.load().agents);
    assert_eq!(effect(&loaded.policy, &with.sources.cwd, shell("rm x")), Effect::Deny);
}

/// A keeper whose editor keeps its settings in memory, as a backend does.
fn keeper(machine: &Machine, writes: bool) -> (EditorKeeper, Arc<Mutex<Sources>>) {
    let mut sources = machine.sources.clone();
    sources.editor.get_or_insert_default();
    let sources = Arc::new(Mutex::new(sources));
    let (now, own) = (Arc::clone(&sources), Arc::clone(&sources));
    let turn_on = move |agent: &AgentId| {
        if !writes {
            return Err(KeepError("the editor is gone".to_owned()));
        }
        let mut sources = own.lock().unwrap();
        let agents = &mut sources.editor.as_mut().unwrap().agents;
        agents.entry(agent.to_string()).or_default().bypass_permissions = Some(true);
        Ok(())
    };
    (EditorKeeper::new(Arc::new(move || now.lock().unwrap().clone()), Arc::new(turn_on)), sources)
}

/// A bypass is a setting of the editor's, and the user's file stays as it is; a rule goes to that.
#[test]
fn given_an_editors_keeper_then_a_bypass_is_the_editors_and_a_rule_the_users() {
    let user = "[agents.claude]\nbypass_permissions = false\n";
    let machine = Machine::new().user(user).editor(json!({ "theme": 1 }));
    let (keeper, sources) = keeper(&machine, true);
    let claude = AgentId::from_name("claude");
    assert!(keeper.bypass_agent(&claude).unwrap().agents["claude"].bypass_permissions);
    assert_eq!(machine.text(), user);
    let settings = sources.lock().unwrap().editor.clone();
    assert_eq!(
        serde_json::to_value(settings).unwrap(),
        json!({ "agents": { "claude": { "bypassPermissions": true } }, "theme": 1 })
    );
    let policy = keeper.allow_patterns(&claude, &["shell(make)".to_owned()]).unwrap();
    assert!(policy.rules.iter().any(|rule| rule.pattern.as_str() == "shell(make)"));
    assert!(policy.agents["claude"].bypass_permissions, "what the editor says still counts");
    assert!(machine.text().starts_with(user) && machine.text().contains("shell(make)"));
}

/// What can't be kept is refused before anything is changed.
#[test]
fn given_a_lock_or_no_name_then_the_editor_is_asked_for_nothing() {
    let machine = Machine::new().managed("lock = [\"agents.claude.bypass_permissions\"]\n");
    let (locked, sources) = keeper(&machine, true);
    let error = locked.bypass_agent(&AgentId::from_name("claude")).unwrap_err().to_string();
    insta::assert_snapshot!(machine.plain(&error), @"/etc/config.toml locks the bypass of claude");
    assert!(locked.bypass_agent(&AgentId::from_command(&["x".to_owned()])).is_err());
    assert_eq!(sources.lock().unwrap().editor, Some(EditorSettings::default()));
    assert!(locked.bypass_agent(&AgentId::from_name("goose")).is_ok());
    let broken = Machine::new().user("mode = \n");
    let (keeper, sources) = keeper(&broken, true);
    assert!(keeper.bypass_agent(&AgentId::from_name("claude")).is_err());
    assert_eq!(sources.lock().unwrap().editor, Some(EditorSettings::default()));
}

#[test]
fn given_an_editor_that_does_not_write_then_nothing_is_bypassed() {
    let machine = Machine::new();
    let (gone, _) = keeper(&machine, false);
    assert_eq!(
        gone.bypass_agent(&AgentId::from_name("claude")).unwrap_err().to_string(),
        "the editor is gone"
    );
    let sources = machine.sources.clone();
    let idle = EditorKeeper::new(Arc::new(move || sources.clone()), Arc::new(|_| Ok(())));
    let error = idle.bypass_agent(&AgentId::from_name("claude")).unwrap_err().to_string();
    assert_eq!(error, "the editor's settings do not bypass claude");
}
