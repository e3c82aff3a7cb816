//! What the user says that tools are, and modes of folders.

use serde_json::json;

use super::{Machine, effect, mcp, tool};
use mayi_call::Category;
use mayi_policy::{Effect, Level, Mode, Policy};

fn category(policy: &Policy, agent: &str, name: &str) -> Option<Category> {
    policy.category_of_tool(&mayi_call::AgentId::from_name(agent), name)
}

/// Categories that users give to MCP tools and to an agent's own tools: for one agent before all.
#[test]
fn given_categories_then_they_are_of_all_agents_or_of_one() {
    let text =
        "[tools]\nweb_search = \"read\"\nnotes = \"execute\"\n[agents.claude.tools]\nnotes = \"read\"\n";
    let machine = Machine::new().user(text);
    let policy = machine.load().policy;
    assert_eq!(category(&policy, "claude", "web_search"), Some(Category::Read));
    assert_eq!(category(&policy, "claude", "notes"), Some(Category::Read));
    assert_eq!(category(&policy, "codex", "notes"), Some(Category::Execute));
    assert_eq!(category(&policy, "codex", "other"), None);
    assert_eq!(effect(&policy, &machine.sources.cwd, tool("web_search")), Effect::Allow);
    let shown = machine.load().settings;
    let key = |key: &str| shown.iter().find(|setting| setting.key == key).map(|setting| setting.origin.line);
    assert_eq!(key("tools.web_search"), Some(Some(2)));
    assert_eq!(key("agents.claude.tools.notes"), Some(Some(5)));
}

/// A tool of a server in one word: whether it asks, or what it does.
#[test]
fn given_a_category_as_the_word_of_a_servers_tool_then_it_is_its_category() {
    let text = "[servers.s]\ncommand = [\"x\"]\n[servers.s.tools]\nlook = \"read\"\nrun = \"required\"\n";
    let policy = Machine::new().user(text).load().policy;
    assert_eq!(policy.servers["s"].tools["look"].category, Some(Category::Read));
    assert_eq!(policy.servers["s"].tools["run"].category, None);
}

/// "A workspace file ... may only tighten": a repository says nothing of what tools do, neither in its own file nor by the editor's folder settings.
#[test]
fn given_categories_in_a_workspace_file_then_they_are_ignored_and_told() {
    let text =
        "[tools]\nx = \"read\"\n[agents.claude.tools]\ny = \"read\"\n[servers.s.tools]\nz = \"read\"\n";
    let machine = Machine::new().workspace(text);
    let policy = machine.load().policy;
    assert_eq!((category(&policy, "claude", "x"), category(&policy, "claude", "y")), (None, None));
    assert_eq!(effect(&policy, &machine.sources.cwd, mcp("s", "z")), Effect::Ask);
    assert_eq!(machine.notices().matches("category of").count(), 3, "{}", machine.notices());
}

/// Plan mode only reads: a row that says otherwise would have no effect, so it is a mistake.
#[test]
fn given_a_row_of_plan_mode_that_allows_more_than_reading_then_it_is_a_mistake() {
    for category in ["write", "execute", "external"] {
        let text = format!("[matrix.plan]\n{category} = \"allow\"\n");
        let mistakes = Machine::new().user(&text).mistakes();
        assert!(mistakes.contains("has no effect in plan mode, which only reads"), "{mistakes}");
        let denied = format!("[matrix.plan]\n{category} = \"deny\"\nread = \"ask\"\n");
        assert_eq!(Machine::new().user(&denied).load().policy.matrix.plan.read, Effect::Ask);
    }
}

/// Seed 0: "at workspace level" in the editor too: the user's own settings, the innermost folder counting, and never
/// looser than what is locked.
#[test]
fn given_modes_for_folders_in_an_editors_settings_then_the_innermost_counts() {
    let at = |folders: serde_json::Value| {
        Machine::new().editor(json!({ "mode": "default", "workspaces": folders }))
    };
    let here = Machine::new().sources.cwd.parent().unwrap().parent().unwrap().display().to_string();
    assert_eq!(at(json!({ here.clone(): { "mode": "auto" } })).load().policy.mode, Mode::Auto);
    assert_eq!(at(json!({ "/somewhere/else": { "mode": "auto" } })).load().policy.mode, Mode::Default);
    let both = json!({ "/": { "mode": "plan" }, here.clone(): { "mode": "auto" } });
    assert_eq!(at(both).load().policy.mode, Mode::Auto);
    let locked = at(json!({ here: { "mode": "auto" } })).managed("lock = [\"mode\"]\n");
    assert_eq!(locked.load().policy.mode, Mode::Default);
    assert!(locked.notices().contains("locks it"), "{}", locked.notices());
    let mistake = at(json!({ "src": { "mode": "auto" } })).mistakes();
    assert!(mistake.contains("does not say which folder it is"), "{mistake}");
}

/// What the user's file can say of a server's and an agent's tools, the editor's settings can too.
#[test]
fn given_levels_and_categories_in_an_editors_settings_then_they_count() {
    let machine = Machine::new().editor(json!({
        "tools": { "web_search": "read" },
        "agents": { "claude": { "tools": { "notes": "read" } } },
        "servers": { "s": { "command": "x", "grant": "write", "trustAnnotations": true,
            "tools": { "look": "read", "run": "required" } } },
    }));
    let policy = machine.load().policy;
    assert_eq!(category(&policy, "codex", "web_search"), Some(Category::Read));
    assert_eq!(category(&policy, "claude", "notes"), Some(Category::Read));
    let server = &policy.servers["s"];
    assert_eq!((server.grant, server.trust_annotations), (Level::Write, true));
    assert_eq!(server.tools["look"].category, Some(Category::Read));
    assert_eq!(machine.notices(), "");
    let wrong = Machine::new().editor(json!({ "tools": { "a b": "read" } })).mistakes();
    assert!(wrong.contains("can't have a tool called"), "{wrong}");
}
