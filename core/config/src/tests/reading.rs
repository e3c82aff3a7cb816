//! The format (D3).

use super::{Machine, effect, mcp, shell, write};
use crate::{AgentCommand, Asks, Transport};
use mayi_policy::{Effect, Mode};

/// D3.1: the whole example is a file that is read.
const WHOLE: &str = r#"
version = 1
mode = "default"                       # plan | default | auto

[rules]                                # the short form: lists of patterns
allow = ["shell(cargo test *)", "write(src/**)", "mcp(github/list_*)", "fetch(docs.rs)"]
ask   = ["shell(git push *)"]
deny  = ["shell(rm -rf *)", "read(**/.env)", "mcp(*/delete_*)"]

[[rule]]                               # the long form: a reason, limits, examples
effect = "deny"
pattern = "shell(git push *)"
unless = "shell(git push --dry-run origin main)"
reason = "push from your own terminal"
agents = ["claude"]                    # default: every agent
match = ["git push origin main"]       # examples, checked whenever the file is loaded
not_match = ["git pull"]

[agents.claude]
command = ["npx", "-y", "@agentclientprotocol/claude-agent-acp"]
bypass_permissions = false
mode = "default"
trust_elicitation = false

[servers.github]
command = ["npx", "-y", "some-server"]
approval = "required"                  # required | not_required
grant = "read"                         # none | read | write | all: levels that were granted to this server
trust_annotations = false
[servers.github.tools]
list_issues = "not_required"           # required | not_required | default
create_issue = { approval = "default", category = "write" }

[workspaces."/home/me/work"]           # the user's own settings for a workspace, in the user's file
mode = "plan"

[matrix.default]                       # the matrix may be refined; this is the built-in row
read = "allow"
write = "ask"
execute = "ask"
external = "ask"

[protection]
except = ["write(.vscode/settings.json)"]
add = ["read(/srv/secrets/**)"]
"#;

#[test]
fn given_the_example_of_the_decisions_then_it_means_what_they_say() {
    let machine = Machine::new().user(WHOLE);
    let loaded = machine.load();
    let policy = &loaded.policy;
    assert_eq!(policy.notices, Vec::<String>::new());
    let cwd = &machine.sources.cwd;
    let decided = |access| effect(policy, cwd, access);
    assert_eq!(decided(shell("cargo test -p x")), Effect::Allow);
    assert_eq!(decided(shell("git push origin main")), Effect::Deny);
    assert_eq!(decided(shell("git push --dry-run origin main")), Effect::Ask);
    assert_eq!(decided(shell("make")), Effect::Ask);
    assert_eq!(decided(write(cwd, "src/a.rs")), Effect::Allow);
    assert_eq!(decided(write(cwd, ".vscode/settings.json")), Effect::Ask);
    assert_eq!(decided(mcp("github", "list_issues")), Effect::Allow);
    assert_eq!(decided(mcp("github", "create_issue")), Effect::Ask);
    assert_eq!(decided(mcp("github", "delete_repo")), Effect::Deny);
    let because = &policy.rules.iter().find(|rule| rule.reason.is_some()).unwrap().origin;
    assert_eq!((because.line, because.layer), (Some(12), crate::Layer::User));
    assert_eq!(because.file.as_deref(), Some(machine.user_file()));
    assert_eq!(
        policy.rules.iter().map(|rule| rule.origin.line.unwrap()).collect::<Vec<_>>(),
        [6, 6, 6, 6, 7, 8, 8, 8, 12]
    );
    let claude = &loaded.agents["claude"];
    assert!(!claude.preset && claude.title == "Claude Code");
    assert_eq!(claude.asking_mode.as_deref(), Some("default"));
    assert_eq!(claude.origin.line, Some(20));
    let Transport::Stdio { command, .. } = &loaded.servers["github"].transport else { panic!() };
    assert_eq!(command.join(" "), "npx -y some-server");
}

#[test]
fn given_no_file_at_all_then_the_built_in_policy_holds() {
    let machine = Machine::new();
    let loaded = machine.load();
    assert_eq!(loaded.policy.mode, Mode::Default);
    assert!(loaded.files.iter().all(|file| !file.found) && loaded.files.len() == 3);
    assert_eq!(effect(&loaded.policy, &machine.sources.cwd, shell("make")), Effect::Ask);
    assert_eq!(effect(&loaded.policy, &machine.sources.cwd, shell("mayi inbox approve 1")), Effect::Deny);
    assert_eq!(loaded.agents["demo"].command, Some(AgentCommand::BuiltIn));
    assert_eq!(loaded.settings.iter().filter(|setting| setting.key == "mode").count(), 1);
}

/// "A preset may be overridden": the user's words count, the rest stays.
#[test]
fn given_a_preset_then_the_users_file_may_change_parts_of_it() {
    let machine =
        Machine::new().user("[agents.goose]\nasking_mode = \"chat\"\nenv = { GOOSE_MODEL = \"x\" }\n");
    let goose = &machine.load().agents["goose"];
    assert_eq!(goose.command.as_ref().unwrap().words(), ["goose", "acp"]);
    assert_eq!((goose.asking_mode.as_deref(), goose.preset), (Some("chat"), true));
    assert_eq!(goose.env["GOOSE_MODEL"], "x");
    let machine = Machine::new().user("[agents.goose]\nasking_mode = \"\"\n");
    assert_eq!(machine.load().agents["goose"].asking_mode, None, "it is left in the mode that it starts in");
}

/// Found in review: what was tried is a preset's own command in its own mode, and nothing else under its name.
#[test]
fn given_another_command_or_mode_for_a_preset_then_it_is_not_known_whether_it_asks() {
    let asks = |text: &str| Machine::new().user(text).load().agents["qwen"].asks;
    let tried = asks("[agents.qwen]\nbypass_permissions = true\nasking_mode = \"default\"\n");
    assert!(matches!(tried, Asks::Tried(_)), "{tried:?}");
    for other in ["command = [\"qwen\"]", "asking_mode = \"yolo\"", "asking_mode = \"\""] {
        assert_eq!(asks(&format!("[agents.qwen]\n{other}\n")), Asks::NotKnown, "{other}");
    }
}

#[test]
fn given_a_server_at_an_address_then_its_headers_come_along() {
    let machine = Machine::new()
        .user("[servers.x]\nurl = \"https://example.com/mcp\"\nheaders = { Authorization = \"Bearer t\" }\ntrust_annotations = true\n");
    let server = &machine.load().servers["x"];
    let Transport::Http { url, headers } = &server.transport else { panic!() };
    assert_eq!((url.as_str(), headers["Authorization"].as_str()), ("https://example.com/mcp", "Bearer t"));
}

/// D4.3: `always = false` on it makes it yield to both.
#[test]
fn given_an_ask_that_yields_then_mode_auto_discharges_it() {
    let machine = Machine::new().user(
        "mode = \"auto\"\n[[rule]]\neffect = \"ask\"\npattern = \"shell(make *)\"\nalways = false\n[rules]\nask = [\"shell(git push *)\"]\n",
    );
    let policy = machine.load().policy;
    assert_eq!(effect(&policy, &machine.sources.cwd, shell("make x")), Effect::Allow);
    assert_eq!(effect(&policy, &machine.sources.cwd, shell("git push")), Effect::Ask);
}

#[test]
fn given_arguments_then_a_rule_of_a_tool_looks_at_them() {
    let machine = Machine::new().user(
        "[[rule]]\neffect = \"allow\"\npattern = \"mcp(github/*)\"\nargs = { repo = \"me/*\" }\n\
         match = ['github/list_issues {\"repo\": \"me/x\"}']\nnot_match = ['github/list_issues {\"repo\": \"you/x\"}', \"github/list_issues\"]\n",
    );
    assert_eq!(machine.load().policy.rules.len(), 1);
}

/// D3.13.
#[test]
fn given_arguments_that_are_paths_then_a_rule_says_where_and_a_server_where_it_runs() {
    let machine = Machine::new().user(
        "[[rule]]\neffect = \"allow\"\npattern = \"mcp(files/*)\"\npaths = { path = \"src/**\" }\n\
         match = ['files/read {\"path\": \"src/x\"}']\nnot_match = ['files/read {\"path\": \"src/../x\"}', \"files/read\"]\n\
         [servers.files]\ncommand = [\"server\"]\n[servers.far]\nurl = \"https://example.com/mcp\"\n",
    );
    let policy = machine.load().policy;
    assert!(policy.servers["files"].local && !policy.servers["far"].local);
}

/// D5.4: `--config FILE` stands in for the user and workspace files; built-in and
/// managed always count.
/// Attack 9: "`--config` drops managed denies: managed stays".
#[test]
fn given_a_file_on_the_command_line_then_it_stands_in_for_the_users_and_the_folders() {
    let mut machine = Machine::new()
        .managed("[rules]\ndeny = [\"shell(one)\"]\n")
        .user("[rules]\ndeny = [\"shell(two)\"]\n")
        .workspace("[rules]\ndeny = [\"shell(three)\"]\n");
    let only = machine.sources.cwd.join("policy.toml");
    super::put(&only, "[rules]\nallow = [\"shell(four)\"]\n");
    machine.sources.only = Some(only);
    let loaded = machine.load();
    let written: Vec<_> = loaded.policy.rules.iter().map(|rule| rule.pattern.to_string()).collect();
    assert_eq!(written, ["shell(one)", "shell(four)"]);
    // It lies in the workspace; the agent may not just change it.
    let cwd = &machine.sources.cwd;
    let auto = mayi_policy::Policy { mode: Mode::Auto, ..loaded.policy.clone() };
    assert_eq!(effect(&auto, cwd, write(cwd, "policy.toml")), Effect::Ask);
    assert_eq!(effect(&auto, cwd, write(cwd, "policy2.toml")), Effect::Allow);
}

/// D3.16: `[workspaces."path"]`, the user's own settings for a workspace.
#[test]
fn given_settings_for_a_workspace_then_they_count_there_and_below() {
    let machine = Machine::new();
    let cwd = machine.sources.cwd.clone();
    let text = format!(
        "mode = \"auto\"\n[workspaces.\"{0}\"]\nmode = \"plan\"\nrules = {{ deny = [\"shell(x)\"] }}\n[workspaces.\"{0}/inner\"]\nmode = \"default\"\n[workspaces.\"~/other\"]\nmode = \"plan\"\n",
        cwd.display()
    );
    let mut machine = machine.user(&text);
    assert_eq!((machine.load().policy.mode, machine.load().policy.rules.len()), (Mode::Plan, 1));
    machine.sources.cwd = cwd.join("inner/most");
    assert_eq!(machine.load().policy.mode, Mode::Default);
    machine.sources.cwd = machine.sources.folders.home.clone().unwrap();
    assert_eq!((machine.load().policy.mode, machine.load().policy.rules.len()), (Mode::Auto, 0));
}

/// D4.7: mayi's own files are protected, wherever a link leads. Attack 2.
#[cfg(unix)]
#[test]
fn given_mayis_own_files_then_no_agent_changes_them() {
    let machine = Machine::new();
    let cwd = machine.sources.cwd.clone();
    let real = cwd.join("dotfiles.toml");
    super::put(&real, "mode = \"auto\"\n");
    std::os::unix::fs::symlink(&real, machine.user_file()).unwrap();
    let policy = machine.load().policy;
    let folder = machine.sources.folders.config.clone().unwrap();
    for (path, expected) in [
        (machine.user_file().to_owned(), Effect::Deny),
        (folder.join("x"), Effect::Deny),
        (folder.clone(), Effect::Deny),
        (machine.sources.folders.state.clone().unwrap().join("log"), Effect::Deny),
        (real, Effect::Ask),
    ] {
        assert_eq!(
            effect(&policy, &cwd, write(&cwd, path.to_str().unwrap())),
            expected,
            "{}",
            path.display()
        );
    }
}
