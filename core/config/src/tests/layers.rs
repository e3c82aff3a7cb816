//! Layers (D5.1).

use proptest::prelude::*;

use super::{Machine, effect, mcp, shell, tool, write};
use mayi_call::AgentId;
use mayi_policy::{Effect, Mode};

/// "Scalars: the nearest layer wins, where it may (below), and managed locks hold."
#[test]
fn given_modes_of_several_layers_then_the_nearest_counts() {
    let mode = |machine: Machine| machine.load().policy.mode;
    assert_eq!(mode(Machine::new().managed("mode = \"plan\"").user("mode = \"auto\"")), Mode::Auto);
    assert_eq!(mode(Machine::new().user("mode = \"plan\"").mode(Mode::Auto)), Mode::Auto);
    assert_eq!(mode(Machine::new().user("mode = \"auto\"").workspace("mode = \"plan\"")), Mode::Plan);
    assert_eq!(mode(Machine::new().workspace("mode = \"plan\"").mode(Mode::Default)), Mode::Default);
    assert_eq!(mode(Machine::new().environment("MAYI_MODE", "plan")), Mode::Plan);
    assert_eq!(mode(Machine::new().environment("MAYI_MODE", "auto")), Mode::Default);
}

/// The same, where an agent has a mode of its own: a nearer mode for all takes its place.
#[test]
fn given_an_agents_own_mode_then_a_nearer_mode_for_all_takes_its_place() {
    let auto = "[agents.claude]\nmode = \"auto\"\n";
    let mode = |machine: Machine| machine.load().policy.agents["claude"].mode;
    assert_eq!(mode(Machine::new().user(&format!("mode = \"plan\"\n{auto}"))), Some(Mode::Auto));
    assert_eq!(mode(Machine::new().managed(auto).user("mode = \"plan\"")), Some(Mode::Plan));
    assert_eq!(mode(Machine::new().user(auto).workspace("mode = \"plan\"")), Some(Mode::Plan));
    assert_eq!(mode(Machine::new().user(auto).mode(Mode::Plan)), Some(Mode::Plan));
    // Looser than the mode of all, and yet stricter than the agent's.
    let strict = format!("mode = \"plan\"\n{auto}");
    assert_eq!(mode(Machine::new().user(&strict).workspace("mode = \"default\"")), Some(Mode::Default));
    assert_eq!(
        mode(Machine::new().user(auto).workspace("mode = \"plan\"\n[agents.claude]\nmode = \"default\"")),
        Some(Mode::Default)
    );
}

/// "`readers = false` switches it off"; "a workspace file ... may only tighten".
#[test]
fn given_readers_then_the_nearest_counts_and_a_workspace_only_switches_them_off() {
    let readers = |machine: Machine| machine.load().policy.readers;
    assert!(readers(Machine::new()));
    assert!(!readers(Machine::new().user("readers = false")));
    assert!(readers(Machine::new().managed("readers = false").user("readers = true")));
    assert!(!readers(Machine::new().workspace("readers = false")));
    let off = Machine::new().user("readers = false").workspace("readers = true");
    insta::assert_snapshot!(off.notices(), @"/work/.mayi.toml: `readers = true` is ignored: a file in a repository may only tighten, until you look at it and say `mayi trust`");
    assert!(!readers(off));
    let loaded = Machine::new().user("# first\nreaders = false").load();
    let setting = loaded.settings.iter().find(|setting| setting.key == "readers").unwrap();
    assert_eq!(
        (&setting.value, setting.origin.layer, setting.origin.line),
        (&false.into(), crate::Layer::User, Some(2))
    );
}

/// "Built-in and managed always count": an exception in a user's file lifts nothing that a managed file
/// protects, but what is built in, and what the user added.
/// Attack 9: "managed stays".
#[test]
fn given_what_a_managed_file_protects_then_only_a_managed_file_excepts_from_it() {
    let add = "[protection]\nadd = [\"write(deploy/**)\"]\n";
    let except = "[protection]\nexcept = [\"write(deploy/prod/**)\", \"write(.vscode/**)\"]\n";
    let decided = |machine: Machine, path: &str| {
        let machine = machine.mode(Mode::Auto);
        let policy = machine.load().policy;
        effect(&policy, &machine.sources.cwd, write(&machine.sources.cwd, path))
    };
    let managed_and_user = || Machine::new().managed(add).user(except);
    assert_eq!(decided(managed_and_user(), "deploy/prod/x"), Effect::Ask);
    assert_eq!(decided(managed_and_user(), ".vscode/settings.json"), Effect::Allow);
    let both = add.replace("[protection]\n", except);
    assert_eq!(decided(Machine::new().managed(&both), "deploy/prod/x"), Effect::Allow);
    assert_eq!(decided(Machine::new().managed(&both), "deploy/y"), Effect::Ask);
    assert_eq!(decided(Machine::new().user(&both), "deploy/prod/x"), Effect::Allow);
}

/// "A workspace file ... may only tighten", and the person is told. Attack 9.
#[test]
fn given_a_workspace_file_that_loosens_then_it_is_ignored_with_a_notice() {
    let machine = Machine::new().workspace(
        r#"
mode = "auto"
readers = true
[rules]
allow = ["*", "shell(x)"]
[[rule]]
effect = "ask"
pattern = "*"
always = false
[agents.claude]
command = ["./evil"]
env = { PATH = "." }
bypass_permissions = true
trust_elicitation = true
asking_mode = "yolo"
[servers.s]
command = ["./evil"]
approval = "not_required"
grant = "all"
trust_annotations = true
tools = { t = "not_required", u = { category = "read" } }
[apps.chat]
trust_require_approval = true
[matrix.default]
execute = "allow"
external = "deny"
[protection]
except = ["*"]
"#,
    );
    insta::assert_snapshot!(machine.notices(), @r#"/work/.mayi.toml: 2 allow rules, 1 exception from protection, `always = false`, the command of claude, the environment of claude, the server s, `mode = "auto"`, `bypass_permissions = true` of claude, `trust_require_approval = true` of chat, `trust_elicitation = true` of claude, `asking_mode` of claude, `approval = "not_required"` of s, `grant = "all"` of s, `trust_annotations = true` of s, `t = "not_required"` of s, the category of s/u and `execute = "allow"` of the matrix for default are ignored: a file in a repository may only tighten, until you look at it and say `mayi trust`"#);
    let loaded = machine.load();
    let before = Machine::new().load();
    assert_eq!(loaded.policy.mode, Mode::Default);
    assert_eq!(loaded.agents["claude"], before.agents["claude"]);
    assert!(loaded.servers.is_empty());
    assert!(loaded.policy.agents.values().all(|agent| !agent.bypass_permissions && !agent.trust_elicitation));
    assert!(loaded.policy.servers.is_empty());
    assert!(loaded.policy.apps.values().all(|app| !app.trust_require_approval));
    assert_eq!(loaded.policy.matrix.default.execute, Effect::Ask);
    assert_eq!(loaded.policy.matrix.default.external, Effect::Deny);
    assert_eq!(loaded.policy.rules.len(), 1);
    assert!(loaded.policy.rules[0].holds);
}

/// D4.16: unless `[apps.X] trust_require_approval`, which is the user's to say, or an administrator's to
/// lock. An app that has settings is one that rules may name.
#[test]
fn given_trust_in_what_an_app_wants_then_it_counts_where_the_user_says_so_and_nothing_locks_it() {
    let user = "[apps.chat]\ntrust_require_approval = true\n[[rule]]\neffect = \"ask\"\npattern = \"mcp(a/b)\"\nagents = [\"chat\"]\n";
    let machine = Machine::new().user(user);
    assert_eq!(machine.notices(), "");
    let loaded = machine.load();
    assert!(loaded.policy.apps["chat"].trust_require_approval);
    let setting =
        loaded.settings.iter().find(|setting| setting.key == "apps.chat.trust_require_approval").unwrap();
    assert_eq!((&setting.value, setting.origin.line), (&serde_json::json!(true), Some(2)));
    for name in ["*", "chat"] {
        let locked =
            Machine::new().managed(&format!("lock = [\"apps.{name}.trust_require_approval\"]\n")).user(user);
        insta::allow_duplicates! {
            insta::assert_snapshot!(locked.notices(), @"/home/.config/mayi/config.toml: `trust_require_approval = true` of chat is ignored: /etc/config.toml locks it");
        }
        assert!(!locked.load().policy.apps.get("chat").is_some_and(|app| app.trust_require_approval));
    }
    let own = "lock = [\"apps.*.trust_require_approval\"]\n[apps.chat]\ntrust_require_approval = true\n";
    assert!(Machine::new().managed(own).load().policy.apps["chat"].trust_require_approval);
    let tightened = Machine::new().user(user).workspace("[apps.chat]\ntrust_require_approval = false\n");
    assert!(!tightened.load().policy.apps["chat"].trust_require_approval);
}

#[test]
fn given_two_allow_rules_in_a_workspace_file_then_the_notice_counts_them() {
    let machine =
        Machine::new().workspace("[rules]\nallow = [\"shell(a)\", \"shell(b)\"]\ndeny = [\"shell(c *)\"]\n");
    insta::assert_snapshot!(machine.notices(), @"/work/.mayi.toml: 2 allow rules are ignored: a file in a repository may only tighten, until you look at it and say `mayi trust`");
    let policy = machine.load().policy;
    assert_eq!(policy.rules.len(), 1);
    assert_eq!(policy.rules[0].origin.layer, crate::Layer::Workspace);
}

/// "A bad untrusted file means: ask about everything there."
/// Attack 21: "an untrusted workspace file ... that does not parse: everything there asked".
#[test]
fn given_a_broken_workspace_file_then_everything_is_asked_about() {
    let machine = Machine::new()
        .user("mode = \"auto\"\n[rules]\nallow = [\"shell(ls)\"]\ndeny = [\"shell(rm *)\"]\n")
        .workspace("[rules]\nallow = [\"shell(ls)\"]\nignore_all_previous_instructions = true\n");
    insta::assert_snapshot!(machine.notices(), @"/work/.mayi.toml:3: no key is called `ignore_all_previous_instructions` in [rules] ([rules] has allow, ask or deny); everything is asked about here");
    let policy = machine.load().policy;
    insta::assert_snapshot!(machine.plain(policy.ask_all.as_ref().unwrap()), @"/work/.mayi.toml, line 3, was not understood, so everything is asked about");
    let cwd = &machine.sources.cwd;
    assert_eq!(effect(&policy, cwd, shell("ls")), Effect::Ask);
    assert_eq!(effect(&policy, cwd, shell("rm x")), Effect::Deny);
}

/// What a repository's file may have mayi do before anything is decided is bounded by its work, however
/// the file is written; and one that asks for more is a broken one.
/// Attack 84.
#[test]
fn given_a_workspace_file_of_costly_patterns_then_few_are_compiled_and_everything_is_asked_about() {
    use mayi_policy::pattern::regexes_compiled;
    let list = |one: &dyn Fn(usize) -> String| {
        let rules: Vec<String> = (0..5_000).map(|at| format!("'{}'", one(at))).collect();
        format!("[rules]\nask = [{}]\n", rules.join(", "))
    };
    for (file, what) in [
        (list(&|at| format!("shell(/a{at}(x|y)+/)")), "many"),
        (list(&|at| format!(r"shell(/(\w{{60}}){{60}}{at}/)")), "refused ones"),
        (list(&|at| format!("shell(/{at}(/)")), "wrong ones"),
        (list(&|at| format!("read({at}{})", "{a,b}".repeat(8))), "braces"),
    ] {
        let machine = Machine::new().workspace(&file);
        let before = regexes_compiled();
        let loaded = machine.load();
        assert!(regexes_compiled() - before <= 64, "{what}: {}", regexes_compiled() - before);
        assert_eq!(effect(&loaded.policy, &machine.sources.cwd, tool("x")), Effect::Ask, "{what}");
        assert!(loaded.policy.ask_all.is_some(), "{what}: {}", machine.notices());
    }
    let machine =
        Machine::new().workspace(&format!("[rules]\ndeny = [{}]\n", "'shell(/rm .*/)', ".repeat(60)));
    assert_eq!(machine.notices(), "");
}

/// "`lock = [...]`, managed files only": nobody loosens what is locked; stricter is fine.
/// Attack 180: for each agent what the administrator's file says of it. Attack 9.
#[test]
fn given_locks_then_nearer_layers_do_not_loosen_what_is_locked() {
    let managed = "mode = \"default\"\nlock = [\"mode\", \"agents.*.bypass_permissions\"]\n";
    let user = "mode = \"auto\"\n[agents.claude]\nbypass_permissions = true\nmode = \"auto\"\n[workspaces.\"/\"]\nmode = \"auto\"\n";
    let machine = Machine::new().managed(managed).user(user);
    insta::assert_snapshot!(machine.notices(), @r#"
    /home/.config/mayi/config.toml: `mode = "auto"` is ignored: /etc/config.toml locks it
    /home/.config/mayi/config.toml: `mode = "auto"` of claude is ignored: /etc/config.toml locks it
    /home/.config/mayi/config.toml: `bypass_permissions = true` of claude is ignored: /etc/config.toml locks it
    /home/.config/mayi/config.toml: `mode = "auto"` is ignored: /etc/config.toml locks it
    "#);
    let loaded = machine.load();
    assert_eq!(loaded.policy.mode, Mode::Default);
    assert_eq!(loaded.policy.least_mode(&AgentId::from_name("claude")), Mode::Default);
    let managed_agent = "mode = \"auto\"\nlock = [\"mode\"]\n[agents.claude]\nmode = \"plan\"\n";
    let least = Machine::new().managed(managed_agent).load().policy;
    assert_eq!(least.least_mode(&AgentId::from_name("claude")), Mode::Plan);
    assert_eq!(least.least_mode(&AgentId::from_name("goose")), Mode::Auto);
    assert_eq!(Machine::new().user("mode = \"plan\"").load().policy.least_modes, None);
    assert_eq!(loaded.policy.agents.get("claude"), None);
    assert!(loaded.locks.mode_lock().is_some() && loaded.locks.bypass_lock("claude").is_some());
    insta::assert_snapshot!(Machine::new().managed(managed).mode(Mode::Auto).mistakes(), @"`--mode auto` is not allowed: /etc/config.toml locks the mode (leave it out, or ask for default or stricter)");
    assert_eq!(Machine::new().managed(managed).mode(Mode::Plan).load().policy.mode, Mode::Plan);
    // Not below what is locked, but back to it.
    assert_eq!(
        Machine::new().managed(managed).user("mode = \"plan\"").mode(Mode::Default).load().policy.mode,
        Mode::Default
    );
}

#[test]
fn given_a_workspace_file_then_it_switches_a_bypass_off() {
    let machine = Machine::new()
        .user("[agents.claude]\nbypass_permissions = true\n")
        .workspace("[agents.claude]\nbypass_permissions = false\n");
    assert!(!machine.load().policy.agents["claude"].bypass_permissions);
}

#[test]
fn given_the_environment_then_only_a_known_and_stricter_mode_counts() {
    insta::assert_snapshot!(Machine::new().environment("MAYI_MODE", "auto").notices(), @"MAYI_MODE=auto is ignored: the environment may only tighten; use --mode auto");
    insta::assert_snapshot!(Machine::new().environment("MAYI_MODE", "yolo").mistakes(), @"MAYI_MODE: no mode is called `yolo` (set MAYI_MODE to plan, default or auto)");
    assert_eq!(Machine::new().environment("MAYI_OTHER", "x").notices(), "");
}

fn accesses(machine: &Machine) -> Vec<mayi_call::Access> {
    let cwd = &machine.sources.cwd;
    vec![
        shell("ls"),
        shell("git push"),
        shell("make && rm x"),
        write(cwd, "src/a.rs"),
        write(cwd, ".git/hooks/x"),
        write(cwd, "/etc/passwd"),
        mcp("github", "list"),
        mcp("other", "wipe"),
        tool("x"),
    ]
}

const MODES: [&str; 3] = ["plan", "default", "auto"];

fn rules() -> impl Strategy<Value = String> {
    let pattern = proptest::sample::select(vec![
        "*",
        "shell(ls)",
        "shell(git *)",
        "shell(*)",
        "write(src/**)",
        "write(**)",
        "mcp(github/*)",
        "mcp(*/wipe)",
        "tool(x)",
        "read(**)",
    ]);
    let rule = (proptest::sample::select(vec!["allow", "ask", "deny"]), pattern, any::<bool>()).prop_map(
        |(effect, pattern, yields)| {
            let always = if yields && effect == "ask" { "always = false\n" } else { "" };
            format!("[[rule]]\neffect = \"{effect}\"\npattern = \"{pattern}\"\n{always}")
        },
    );
    proptest::collection::vec(rule, 0..4).prop_map(|rules| rules.concat())
}

fn scalars() -> impl Strategy<Value = String> {
    let mode = || proptest::option::of(proptest::sample::select(MODES.to_vec()));
    let word = |words: &[&'static str]| proptest::option::of(proptest::sample::select(words.to_vec()));
    let approval = word(&["required", "not_required"]);
    let grant = word(&["none", "read", "write", "all"]);
    (
        mode(),
        mode(),
        proptest::option::of(any::<bool>()),
        proptest::option::of(any::<bool>()),
        approval,
        grant,
        word(&["required", "not_required", "default"]),
    )
        .prop_map(|(mode, own, bypass, readers, approval, grant, tool)| {
            let line = |key: &str, value: Option<&str>| {
                value.map(|value| format!("{key} = \"{value}\"\n")).unwrap_or_default()
            };
            let bypass = bypass.map(|on| format!("bypass_permissions = {on}\n")).unwrap_or_default();
            let readers = readers.map(|on| format!("readers = {on}\n")).unwrap_or_default();
            format!(
                "{}{readers}[agents.claude]\n{}{bypass}[servers.github]\n{}{}[servers.github.tools]\n{}",
                line("mode", mode),
                line("mode", own),
                line("approval", approval),
                line("grant", grant),
                line("list", tool)
            )
        })
}

/// D3.21: `on_unasked = "record" | "stop"`; D5.5: a workspace file may only tighten. An agent's own
/// counts before the one of all.
#[test]
fn given_on_unasked_then_an_agents_own_counts_and_a_workspace_only_stops() {
    use crate::OnUnasked::{Record, Stop};
    let of = |machine: &Machine, agent: &str| machine.load().agents[agent].on_unasked;
    let machine = Machine::new();
    assert_eq!((machine.load().on_unasked, of(&machine, "claude")), (Record, Record));
    let machine = Machine::new().user("on_unasked = \"stop\"\n[agents.vibe]\non_unasked = \"record\"\n");
    assert_eq!(
        (machine.load().on_unasked, of(&machine, "claude"), of(&machine, "vibe")),
        (Stop, Stop, Record)
    );
    let looser = "on_unasked = \"record\"\n[agents.claude]\non_unasked = \"record\"\n[agents.vibe]\non_unasked = \"stop\"\n";
    let machine = machine.workspace(looser);
    insta::assert_snapshot!(machine.notices(), @r#"/work/.mayi.toml: `on_unasked = "record"` and `on_unasked = "record"` of claude are ignored: a file in a repository may only tighten, until you look at it and say `mayi trust`"#);
    assert_eq!((machine.load().on_unasked, of(&machine, "claude"), of(&machine, "vibe")), (Stop, Stop, Stop));
    let settings = machine.load().settings;
    let setting = settings.iter().find(|setting| setting.key == "agents.vibe.on_unasked").unwrap();
    assert_eq!((setting.value.as_str(), setting.origin.layer), (Some("stop"), crate::Layer::Workspace));
}

/// Any settings of an editor, about what [`scalars`] is about.
fn editor() -> impl Strategy<Value = serde_json::Value> {
    let word = |words: &[&'static str]| proptest::option::of(proptest::sample::select(words.to_vec()));
    let modes = (word(&MODES), word(&MODES), proptest::option::of(any::<bool>()));
    let asks = (word(&["required", "not_required"]), word(&["required", "not_required", "default"]));
    (modes, asks).prop_map(|((mode, own, bypass), (approval, tool))| {
        serde_json::json!({
            "mode": mode,
            "agents": { "claude": { "mode": own, "bypassPermissions": bypass } },
            "servers": { "github": { "approval": approval, "tools": tool.map(|tool| [("list", tool)].into_iter().collect::<std::collections::BTreeMap<_, _>>()) } },
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// "A workspace file ... and the environment may only tighten."
    /// Attack 9: "an agent's project settings set `MAYI_MODE=auto`: tightening only".
    #[test]
    fn a_workspace_file_and_the_environment_never_loosen(
        user in (scalars(), rules()), workspace in (scalars(), rules()), editor in proptest::option::of(editor()),
        mode in proptest::sample::select(MODES.to_vec())
    ) {
        let machine = Machine::new().user(&format!("{}{}", user.0, user.1));
        let machine = match editor {
            Some(settings) => machine.editor(settings),
            None => machine,
        };
        let before = machine.load().policy;
        let machine = machine.workspace(&format!("{}{}", workspace.0, workspace.1)).environment("MAYI_MODE", mode);
        let after = machine.load().policy;
        let cwd = machine.sources.cwd.clone();
        for access in accesses(&machine) {
            let text = access.to_string();
            let (was, is) = (effect(&before, &cwd, access.clone()), effect(&after, &cwd, access));
            prop_assert!(is >= was, "{text}: {was} became {is}");
        }
        prop_assert!(before.readers || !after.readers);
    }

    /// "Managed locks hold", whatever the user's file and an editor say; and the editor's word is the nearer one.
    #[test]
    fn locks_hold_and_the_editor_is_nearer_than_the_file(
        managed in scalars(), user in scalars(), workspace in scalars(), editor in editor()
    ) {
        let locked = format!("lock = [\"mode\", \"agents.*.bypass_permissions\"]\n{managed}");
        let of = |policy: &mayi_policy::Policy| {
            let claude = policy.agents.get("claude").cloned().unwrap_or_default();
            (claude.mode.unwrap_or(policy.mode), claude.bypass_permissions)
        };
        let least = of(&Machine::new().managed(&locked).load().policy);
        let machine = || Machine::new().user(&user).workspace(&workspace).editor(editor.clone());
        let (mode, bypass) = of(&machine().managed(&locked).load().policy);
        prop_assert!(mode >= least.0 && (!bypass || least.1));
        let free = machine().load().policy;
        let said = &editor["agents"]["claude"];
        if let Some(mode) = said["mode"].as_str() {
            prop_assert_eq!(of(&free).0.as_str(), mode);
        }
        if let Some(bypass) = said["bypassPermissions"].as_bool() {
            prop_assert_eq!(of(&free).1, bypass);
        }
    }

    /// "Rules: all layers add up"; "order never matters".
    #[test]
    fn the_order_of_rules_and_layers_never_matters(first in rules(), second in rules()) {
        let one = Machine::new().managed(&first).user(&second);
        let other = Machine::new().managed(&second).user(&first);
        let together = Machine::new().user(&format!("{second}{first}"));
        for (at, access) in accesses(&one).into_iter().enumerate() {
            let decided = effect(&one.load().policy, &one.sources.cwd, access);
            prop_assert_eq!(decided, effect(&other.load().policy, &other.sources.cwd, accesses(&other).remove(at)));
            prop_assert_eq!(decided, effect(&together.load().policy, &together.sources.cwd, accesses(&together).remove(at)));
        }
    }
}
