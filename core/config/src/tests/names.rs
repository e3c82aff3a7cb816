//! D1.20: an agent has one id and many names. What is stricter holds for all of them, at every door; what is
//! looser is for one way of starting it.

use proptest::prelude::*;

use super::*;
use mayi_policy::aliases::same_agent;

/// Ways to write the agent `claude`, where no command is beside them.
const CLAUDE: &[&str] = &[
    "claude",
    "Claude",
    "CLAUDE",
    "Claude Code",
    "claude code",
    "claude-code",
    "Claude_Code",
    "claude.code",
];

/// Who goes by one of these names and is another one: a way of starting it that was configured by itself, and whoever came to a
/// door under the name.
const OTHERS: &[&str] = &["Claude Code", "mcp:claude", "mcp:Claude Code", "responses:claude"];

/// What is decided for `agent` by what `loaded` says: as the gate decides, with its mode and its bypass.
fn decided(loaded: &LoadedConfig, agent: &AgentId, cwd: &Path, access: Access) -> Effect {
    let policy = &loaded.policy;
    let settings = policy.agents.get(agent.as_str()).filter(|_| agent.is_named());
    let servers: Vec<String> = policy.servers.keys().cloned().collect();
    let standing = SessionStanding {
        mode: policy.mode_of(agent, None),
        bypass: settings.is_some_and(|settings| settings.bypass_permissions),
        grants: &Grants::default(),
        servers: &servers,
    };
    decide(policy, &Call { agent: agent.clone(), ..call(cwd, access) }, &standing).effect
}

fn accesses(cwd: &Path) -> Vec<Access> {
    vec![shell("make"), shell("rm x"), write(cwd, "a.rs"), mcp("github", "list"), tool("web_search")]
}

/// Settings of the agent that is called `name`: everything that could loosen, and what could tighten.
fn section(name: &str, mode: Option<&str>, bypass: Option<bool>, more: &str) -> String {
    let mode = mode.map(|mode| format!("mode = {mode:?}\n")).unwrap_or_default();
    let bypass = bypass.map(|on| format!("bypass_permissions = {on}\n")).unwrap_or_default();
    format!("[agents.{name:?}]\n{mode}{bypass}{more}")
}

fn rules(of: &[(&str, &str, &str)]) -> String {
    let rule = |(effect, pattern, agent): &(&str, &str, &str)| {
        format!("[[rule]]\neffect = {effect:?}\npattern = {pattern:?}\nagents = [{agent:?}]\n")
    };
    of.iter().map(rule).collect()
}

fn any_mode() -> impl Strategy<Value = Option<&'static str>> {
    proptest::option::of(proptest::sample::select(vec!["plan", "default", "auto"]))
}

fn any_name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(CLAUDE.to_vec())
}

fn any_rules() -> impl Strategy<Value = Vec<(&'static str, &'static str, &'static str)>> {
    let effect = proptest::sample::select(vec!["allow", "ask", "deny"]);
    let pattern = proptest::sample::select(vec![
        "shell(make)",
        "shell(*)",
        "write(**)",
        "mcp(github/*)",
        "tool(*)",
        "*",
    ]);
    proptest::collection::vec((effect, pattern, any_name()), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// "Denies, asks and stricter modes hold for all aliases at every door; allows, grants and bypass only for the way of starting
    /// it that they were given to": whatever is said of `claude`, under whichever of its names, nobody else who goes by one gets
    /// more by it. Attack 370.
    #[test]
    fn aliases_never_loosen(
        (mode, bypass) in (any_mode(), proptest::option::of(any::<bool>())), rules_of in any_rules(),
        general in proptest::sample::select(vec!["plan", "default", "auto"]), tools: bool,
    ) {
        // It is configured by itself first, and by name: what is said after that of "Claude Code" is said of it.
        let own = format!("mode = {general:?}\n{}", section("Claude Code", None, None, "command = [\"mine\"]\n"));
        let rules_of: Vec<_> = rules_of.into_iter().map(|(effect, pattern, _)| (effect, pattern, "claude")).collect();
        let tools = if tools { "[agents.claude.tools]\nweb_search = \"read\"\n" } else { "" };
        let more = format!("{}{tools}{}", section("claude", mode, bypass, ""), rules(&rules_of));
        let before = Machine::new().user(&own);
        let after = Machine::new().user(&format!("{own}{more}"));
        let (loaded, now) = (before.load(), after.load());
        let claude = AgentId::from_name("claude");
        for other in OTHERS {
            let other = AgentId::from_name(other);
            prop_assert!(same_agent("claude", &other));
            for (at, access) in accesses(&before.sources.cwd).into_iter().enumerate() {
                let was = decided(&loaded, &other, &before.sources.cwd, access);
                let again = || accesses(&after.sources.cwd).remove(at);
                let is = decided(&now, &other, &after.sources.cwd, again());
                prop_assert!(is >= was, "{other}: {} was {was}, and is {is}", again());
                let whole = decided(&now, &claude, &after.sources.cwd, again());
                prop_assert!(is >= whole, "{other}: {} is {is}, and {whole} for claude", again());
            }
        }
    }

    /// A name says the same however it is written: nothing is gained by case, blanks or hyphens, and nothing is lost.
    #[test]
    fn spellings_of_a_name_are_one_name(
        (mode, bypass) in (any_mode(), proptest::option::of(any::<bool>())), rules_of in any_rules(), name in any_name()
    ) {
        let plain: Vec<_> = rules_of.iter().map(|(effect, pattern, _)| (*effect, *pattern, "claude")).collect();
        let one = Machine::new().user(&format!("{}{}", section("claude", mode, bypass, ""), rules(&plain)));
        let other = Machine::new().user(&format!("{}{}", section(name, mode, bypass, ""), rules(&rules_of)));
        let (loaded, same) = (one.load(), other.load());
        prop_assert_eq!(same.agents.len(), PRESETS.len());
        for agent in ["claude", "codex", "mcp:claude", "mcp", "command:0123456789abcdef"] {
            let agent = AgentId::from_name(agent);
            for (at, access) in accesses(&one.sources.cwd).into_iter().enumerate() {
                let here = decided(&loaded, &agent, &one.sources.cwd, access);
                let there = decided(&same, &agent, &other.sources.cwd, accesses(&other.sources.cwd).remove(at));
                prop_assert_eq!(here, there, "{}", agent);
            }
        }
    }
}

/// Seed 2's own example of its settings: it counts, under the name that it has there.
#[test]
fn given_an_agent_as_people_write_it_then_it_counts_in_the_file_and_in_an_editor() {
    let settings = serde_json::json!({ "agents": {
        "Claude Code": { "command": "npx", "args": ["an-adapter"], "bypassPermissions": true },
        "Gemini CLI": { "mode": "plan" },
    } });
    let loaded = Machine::new().editor(settings).load();
    for name in ["Claude Code", "claude-code", "CLAUDE CODE"] {
        let agent = loaded.find_agent(name).unwrap();
        assert_eq!((agent.name.as_str(), agent.title.as_str()), ("Claude Code", "Claude Code"), "{name}");
    }
    assert!(loaded.policy.agents["Claude Code"].bypass_permissions);
    // What mayi starts under `claude` is another way of starting it.
    assert_eq!(loaded.find_agent("claude").unwrap().name, "claude");
    assert!(loaded.policy.agents.get("claude").is_none_or(|claude| !claude.bypass_permissions));
    // Without a command, it is the one that mayi knows by that name.
    assert_eq!(loaded.find_agent("Gemini CLI").unwrap().name, "gemini");
    assert_eq!(loaded.policy.mode_of(&AgentId::from_name("gemini"), None), Mode::Plan);
    assert_eq!(loaded.agents.len(), PRESETS.len() + 1);

    let file = "[agents.\"Claude Code\"]\nmode = \"plan\"\n[agents.\"My Agent\"]\ncommand = [\"mine\"]\n";
    let loaded = Machine::new().user(file).load();
    assert_eq!(loaded.policy.mode_of(&AgentId::from_name("claude"), None), Mode::Plan);
    assert_eq!(loaded.find_agent("my-agent").unwrap().name, "My Agent");
    assert_eq!(loaded.agent_id("mcp:my agent").as_str(), "mcp:My Agent");
    assert!(loaded.find_agent("mine").is_none());
}

/// A bypass, a lock or a stricter mode that is written under one name of an agent, where it is started under another.
/// Attack 370.
#[test]
fn given_two_ways_of_starting_an_agent_then_each_has_its_own_bypass_and_the_stricter_mode_of_both() {
    let two = "[agents.claude]\nmode = \"plan\"\n[agents.\"Claude Code\"]\ncommand = [\"mine\"]\nmode = \"auto\"\nbypass_permissions = true\n";
    let loaded = Machine::new().user(two).load();
    for agent in ["claude", "Claude Code", "mcp:claude-code"] {
        assert_eq!(loaded.policy.mode_of(&AgentId::from_name(agent), None), Mode::Plan, "{agent}");
    }
    assert_eq!(loaded.policy.mode_of(&AgentId::from_name("codex"), None), Mode::Default);
    // A mode that is looser is nobody's else.
    let loaded = Machine::new().user("[agents.claude]\nmode = \"auto\"\n").load();
    let mode = |agent: &str| loaded.policy.mode_of(&AgentId::from_name(agent), None);
    assert_eq!((mode("claude"), mode("mcp:claude")), (Mode::Auto, Mode::Default));

    let locked =
        "lock = [\"mode\", \"agents.claude.bypass_permissions\"]\n[agents.claude]\nmode = \"plan\"\n";
    let machine = Machine::new().managed(locked).user(two);
    let loaded = machine.load();
    assert!(loaded.policy.agents.get("Claude Code").is_none_or(|of| !of.bypass_permissions));
    let said = "`bypass_permissions = true` of Claude Code is ignored: /etc/config.toml locks it";
    assert!(machine.notices().contains(said), "{}", machine.notices());
    assert_eq!(loaded.policy.least_mode(&AgentId::from_name("Claude Code")), Mode::Plan);
    assert_eq!(loaded.policy.mode_of(&AgentId::from_name("mcp:claude"), Some(Mode::Auto)), Mode::Plan);
}

/// What one layer calls an agent by, another may call it by another name of it: but not one layer by two.
#[test]
fn given_two_names_of_one_agent_in_one_layer_then_it_is_a_mistake() {
    for file in [
        "[agents.claude]\nmode = \"plan\"\n[agents.\"Claude Code\"]\nmode = \"auto\"\n",
        "[agents.my-agent]\ncommand = [\"a\"]\n[agents.\"My Agent\"]\ncommand = [\"b\"]\n",
        "[agents.Claude]\n[agents.claude-code]\n",
    ] {
        let said = Machine::new().user(file).mistakes();
        assert!(said.contains("is the same agent as") && said.contains("line "), "{said}");
    }
    let settings = serde_json::json!({ "agents": { "codex": {}, "Codex CLI": { "mode": "auto" } } });
    let said = Machine::new().editor(settings).mistakes();
    assert!(said.contains("is the same agent as"), "{said}");
    // A folder's file that says so is one that was not understood.
    let machine =
        Machine::new().workspace("[agents.claude]\nmode = \"plan\"\n[agents.Claude]\nmode = \"auto\"\n");
    assert!(machine.load().policy.ask_all.is_some());
}

/// "A name that differs only by look-alike or invisible characters" is no name. Attack 370.
#[test]
fn given_a_name_that_hides_or_looks_like_something_then_it_is_refused() {
    let names = [
        "cla\u{200b}ude",
        "cl\u{430}ude",
        "claude\u{202e}",
        "ｃｌａｕｄｅ",
        "claude\u{a0}code",
        "claude\ncode",
        "a\u{1b}[2Jb",
        " claude",
        "claude ",
        "a  b",
        "-x",
        "..",
        "(a)",
        "a:b",
        "mcp:claude",
        "a/b",
        "é",
        "",
        "run",
        "Run",
        "RUN",
        "log in",
        "In Box",
        "M.C.P",
    ];
    for name in names {
        let key = crate::edit::toml_string(name);
        let machine = Machine::new().user(&format!("[agents.{key}]\nmode = \"plan\"\n"));
        assert!(machine.mistakes().contains("can't be the name of an agent"), "{name:?}");
        let settings = serde_json::json!({ "agents": { name: { "mode": "plan" } } });
        assert!(
            Machine::new().editor(settings).mistakes().contains("can't be the name of an agent"),
            "{name:?}"
        );
    }
    for name in
        ["claude\u{200b}", "cl\u{430}ude", "command:0123456789abcdef", "api:request", "mcp:a:b", "mcp:"]
    {
        let rule = format!(
            "[[rule]]\neffect = \"allow\"\npattern = \"*\"\nagents = [{}]\n",
            crate::edit::toml_string(name)
        );
        assert!(Machine::new().user(&rule).mistakes().contains("no agent can be called"), "{name:?}");
    }
    // Settings of servers are not what this is about.
    let machine = Machine::new().user("[servers.\"my server\"]\napproval = \"required\"\n");
    assert!(machine.mistakes().contains("can't be the name of a server"));
}

/// An allow for one who comes to a door says the door.
#[test]
fn given_an_allow_for_a_client_then_it_is_for_the_door_alone() {
    let rule = |agent: &str| {
        let text =
            format!("[[rule]]\neffect = \"allow\"\npattern = \"mcp(github/*)\"\nagents = [{agent:?}]\n");
        let machine = Machine::new().user(&text);
        let loaded = machine.load();
        assert_eq!(machine.notices(), "", "{agent}");
        ["cursor", "mcp:cursor", "mcp:claude", "mcp"].map(|agent| {
            decided(&loaded, &AgentId::from_name(agent), &machine.sources.cwd, mcp("github", "list"))
        })
    };
    use Effect::{Allow, Ask};
    assert_eq!(rule("cursor"), [Allow, Ask, Ask, Ask]);
    assert_eq!(rule("Cursor"), [Allow, Ask, Ask, Ask]);
    assert_eq!(rule("mcp:cursor"), [Ask, Allow, Ask, Ask]);
    assert_eq!(rule("mcp:Cursor Agent"), [Ask, Allow, Ask, Ask]);
    assert_eq!(rule("mcp"), [Ask, Ask, Ask, Allow]);
}

/// A bypass is written where the file has the agent, under the name that it has there.
#[test]
fn given_an_agent_under_its_name_for_people_then_a_bypass_is_written_there() {
    for (file, agent, key) in [
        ("[agents.\"Claude Code\"]\nmode = \"default\"\n", "claude", "Claude Code"),
        ("[agents.claude]\n\n[agents.\"Claude Code\"]\ncommand = [\"mine\"]\n", "claude", "claude"),
        ("[agents.\"Claude Code\"]\ncommand = [\"mine\"]\n", "claude", "claude"),
        ("[agents.\"Claude Code\"]\ncommand = [\"mine\"]\n", "Claude Code", "Claude Code"),
    ] {
        let machine = Machine::new().user(file);
        let loaded = machine.load();
        crate::edit::set_bypass(machine.user_file(), &machine.sources.pattern_bases(), &loaded, agent, true)
            .unwrap();
        let written: toml::Table = machine.text().parse().unwrap();
        let on = |key: &str| written["agents"].get(key).and_then(|of| of.get("bypass_permissions")).is_some();
        assert!(on(key), "{file}");
        let now = machine.load();
        for id in ["claude", "Claude Code"] {
            let is = now.policy.agents.get(id).is_some_and(|of| of.bypass_permissions);
            assert_eq!(is, id == agent, "{id} in {}", machine.text());
        }
    }
}

/// An answer that was remembered for good is taken back, whatever the file calls the agent.
#[test]
fn given_a_rule_for_a_name_then_it_is_taken_back() {
    let text = "[[rule]]\neffect = \"allow\"\npattern = \"shell(make)\"\nagents = [\"Claude Code\"]\n";
    let machine = Machine::new().user(text);
    let rule = machine.load().policy.rules.iter().next().unwrap().clone();
    assert_eq!(rule.agents, ["claude"]);
    assert!(crate::edit::remove_rule(machine.user_file(), &machine.sources.pattern_bases(), &rule).unwrap());
    assert!(machine.load().policy.rules.iter().next().is_none());
}
