//! "Turns the rules people already have into mayi's, saying for each rule it could not carry over why not":
//! never looser than the source.

use std::path::{Path, PathBuf};

use super::{
    Carried, ImportResult, ImportTool, SettingsFile, files_of, given_file, import_rules, render_rules,
};
use mayi_config::{Layer, check_file};
use mayi_policy::pattern::PatternBases;

mod judged;
mod kinds;
mod never_loosens;
mod reports;

fn places() -> PatternBases {
    PatternBases { home: Some(PathBuf::from("/home/me")), ..PatternBases::default() }
}

fn imported(tool: ImportTool, name: &str, text: &str) -> ImportResult {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    import_rules(tool, &[SettingsFile { path, project: None }], &places())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Rules and what was left out, one a line.
fn shown(imported: &ImportResult) -> String {
    let rules = imported.rules.iter().map(|rule| format!("{} {}", rule.effect, rule.pattern));
    let folders = imported.folders.iter().map(|folder| format!("folder {}", folder.folder.display()));
    let left = imported.left_out.iter().map(|left| {
        let kind = match (left.carried, left.denial) {
            (Carried::Partly, _) => "partly",
            (Carried::Asked, false) => "asked",
            (Carried::Asked, true) => "asked, a denial",
            (Carried::No, false) => "left out",
            (Carried::No, true) => "a denial left out",
        };
        format!("{kind}: {}: {}", left.from, left.why)
    });
    rules.chain(folders).chain(left).collect::<Vec<_>>().join("\n")
}

fn json(tool: ImportTool, text: &str) -> String {
    shown(&imported(tool, "settings.json", text))
}

/// Attack 73.
#[test]
fn given_claude_codes_rules_then_each_is_carried_over_or_named() {
    insta::assert_snapshot!(json(
        ImportTool::ClaudeCode,
        r#"{
      "model": "opus",
      "permissions": {
        "allow": [
          "Bash(npm run test:*)", "Bash(npm run build)", "Bash(git * main)", "Bash(npm*)", "Bash(ls *)",
          "Bash(git commit -m \"wip\")", "Bash(make && make install)", "Bash(echo $HOME)", "Bash",
          "Read(//etc/hosts)", "Read(~/notes/**)", "Read(/src/**)", "Read(docs/**)", "Read(*.md)", "Edit(./src/**)", "Edit",
          "WebFetch(domain:docs.rs)", "WebFetch(domain:*.example.com)", "WebFetch",
          "mcp__github__list_issues", "mcp__github", "mcp__github__get_*", "mcp__a__b__c", "mcp__*__x",
          "WebSearch", "Task", "Glob", "Skill(pdf)", "Bash(unclosed", 7
        ],
        "ask": ["Bash(git push:*)", "WebSearch"],
        "deny": [
          "Bash(rm:*)", "Bash(git * --force)", "Bash(curl *)", "Read(./.env)", "Read(.env.*)", "Read(!a)",
          "Edit(config/**)", "mcp__a__b__c", "Bash(a; b)", "WebFetch(domain:evil.com)"
        ],
        "defaultMode": "acceptEdits",
        "additionalDirectories": ["../docs"],
        "disableBypassPermissionsMode": "disable"
      }
    }"#
    ));
}

/// A project's rules are for that project.
#[test]
fn given_a_projects_settings_then_its_rules_are_for_that_folder_alone() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let project = top.join("my project");
    std::fs::create_dir_all(project.join(".claude")).unwrap();
    let text = r#"{"permissions": {"allow": ["Bash(make)", "Edit(/src/**)", "Read({a})"]}}"#;
    for name in ["settings.json", "settings.local.json"] {
        std::fs::write(project.join(".claude").join(name), text).unwrap();
    }
    std::fs::create_dir_all(top.join("home/.claude")).unwrap();
    std::fs::write(top.join("home/.claude/settings.json"), text).unwrap();
    let home = top.join("home");
    let files = files_of(ImportTool::ClaudeCode, Some(&home), &project);
    let whose: Vec<Option<&Path>> = files.iter().map(|file| file.project.as_deref()).collect();
    assert_eq!(whose, [None, Some(project.as_path()), Some(project.as_path())]);
    // The same, named.
    assert_eq!(given_file(ImportTool::ClaudeCode, Some(&home), &files[1].path), files[1]);
    assert_eq!(given_file(ImportTool::ClaudeCode, Some(&home), &files[0].path), files[0]);
    assert_eq!(given_file(ImportTool::ClaudeCode, Some(&home), &top.join("x.json")).project, None);
    let imported = import_rules(ImportTool::ClaudeCode, &files, &places()).unwrap();
    let text = render_rules(ImportTool::ClaudeCode, &imported, &["claude".to_owned()])
        .replace(&top.display().to_string(), "");
    insta::assert_snapshot!(text);
    assert_eq!(imported.left_out.len(), 1, "the user's own `/src/**` has no folder, and an allow needs one");
}

#[test]
fn given_codexs_rules_then_each_is_carried_over_or_named() {
    let rules = r#"
# My rules
prefix_rule(
    pattern = ["git", ["fetch", "pull"]],  # two
    decision = "allow",
    match = [["git", "fetch"]],
)
prefix_rule(pattern=["git", "push"], decision="prompt", justification="others see it")
prefix_rule(pattern = ["rm"], decision = "forbidden")
prefix_rule(pattern = ["cargo", "test"])
prefix_rule(pattern = ["echo", "*"], decision = "allow")
prefix_rule(pattern = ["say", "a b"], decision = "allow")
prefix_rule(pattern = ["x"] + ["y"], decision = "allow")
prefix_rule(pattern = words, decision = "allow")
prefix_rule(pattern = ["x"], decision = "maybe")
prefix_rule(pattern = ["x"], when = "later")
prefix_rule(pattern = [], decision = "allow")
words = ["a"]
for w in words:
    prefix_rule(pattern = [w])
network_rule(host = "example.com", protocol = "https", decision = "allow")
prefix_rule(pattern = ["unclosed
prefix_rule(pattern = ["ls"], decision = "allow")
"#;
    insta::assert_snapshot!(shown(&imported(ImportTool::Codex, "default.rules", rules)));
    let config = "approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n[mcp_servers.github]\ncommand = \"x\"\ndisabled_tools = [\"delete_repo\"]\nenabled_tools = [\"a\"]\n";
    insta::assert_snapshot!("codex_config", shown(&imported(ImportTool::Codex, "config.toml", config)));
}

#[test]
fn given_geminis_settings_then_each_rule_is_carried_over_or_named() {
    insta::assert_snapshot!(json(
        ImportTool::Gemini,
        r#"{
      // comments are fine
      "tools": {
        "allowed": ["run_shell_command(git status)", "run_shell_command", "read_file", "write_file", "replace", "web_fetch", "save_memory", "run_shell_command(a && b)"],
        "exclude": ["run_shell_command(rm)", "web_fetch", "glob"],
        "core": ["read_file"],
      },
      "excludeTools": ["ShellTool(curl)"],
      "mcp": { "excluded": ["evil"], "allowed": ["good"] },
      "mcpServers": { "s": { "trust": true, "excludeTools": ["wipe"] } },
    }"#
    ));
    let policy = r#"
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git status", "git log "]
decision = "allow"
priority = 100
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "ask_user"
priority = 200
[[rule]]
toolName = "run_shell_command"
decision = "deny"
priority = 10
denyMessage = "not here"
[[rule]]
toolName = "run_shell_command"
commandRegex = "rm\\s+-rf"
decision = "deny"
priority = 300
[[rule]]
toolName = "run_shell_command"
commandRegex = "^ls"
decision = "allow"
[[rule]]
mcpName = "github"
toolName = "list_issues"
decision = "allow"
[[rule]]
toolName = "write_file"
argsPattern = "src"
decision = "allow"
[[rule]]
toolName = ["write_file", "replace"]
modes = ["plan"]
decision = "deny"
[[rule]]
decision = "shrug"
"#;
    insta::assert_snapshot!("gemini_policy", shown(&imported(ImportTool::Gemini, "mine.toml", policy)));
}

#[test]
fn given_vs_codes_settings_then_each_rule_is_carried_over_or_named() {
    insta::assert_snapshot!(json(
        ImportTool::VsCode,
        r#"{
      "editor.fontSize": 12, // mine
      "chat.tools.terminal.autoApprove": {
        "mkdir": true, "npm run test": true, "rm": false, "./x.sh": false, "del": null,
        "/^git (status|show\\b.*)$/": true, "/^git (status|diff)\\b/": true, "/^ls$/i": true, "/^cargo( .*)?$/": true,
        "/^date\\b(?!.*-s)/": true, "/dangerous/": { "approve": false, "matchCommandLine": true },
        "/^a && b$/": { "approve": true, "matchCommandLine": true }, "/rm.*-rf/i": false, "/npm install/": true,
        "echo $x": true, "/usr/bin/foo": true, "foo": "yes",
      },
      "chat.tools.edits.autoApprove": { "**/*": true, "**/.env": false, "docs/*.md": true, "**/*.{a,b}": false, "../x": true },
      "chat.tools.urls.autoApprove": {
        "https://docs.rs": true, "https://github.com/microsoft/vscode/*": true, "https://*.example.com": false,
        "https://x.com": { "approveRequest": true, "approveResponse": false },
        "https://y.com/a": { "approveRequest": true, "approveResponse": true }
      },
      "chat.tools.global.autoApprove": true
    }"#
    ));
    let off = r#"{"chat.tools.terminal.enableAutoApprove": false, "chat.tools.terminal.autoApprove": {"ls": true, "rm": false}}"#;
    insta::assert_snapshot!("vscode_off", json(ImportTool::VsCode, off));
}

#[test]
fn given_zeds_settings_then_each_rule_is_carried_over_or_named() {
    insta::assert_snapshot!(json(
        ImportTool::Zed,
        r#"{
      "agent": {
        "always_allow_tool_actions": true,
        "tool_permissions": {
          "default": "allow",
          "tools": {
            "terminal": {
              "default": "confirm",
              "always_allow": [ { "pattern": "^cargo\\s+(build|test)\\b" }, { "pattern": "^ls\\b" }, { "pattern": "npm" }, { "pattern": "^git status$", "case_sensitive": true } ],
              "always_deny": [ { "pattern": "rm\\s+-rf" }, { "pattern": "(?<=x)y" } ],
              "always_confirm": [ { "pattern": "sudo", "case_sensitive": true }, 5 ]
            },
            "edit_file": { "default": "allow", "always_deny": [ { "pattern": "\\.env" } ] },
            "fetch": { "always_allow": [ { "pattern": "^https://docs\\.rs/" }, { "pattern": "^https://x\\.com/a" }, { "pattern": "github" } ] },
            "mcp:github:list_issues": { "default": "allow" },
            "delete_path": { "default": "deny" }
          }
        }
      }
    }"#
    ));
}

/// Attack 73.
#[test]
fn given_opencodes_settings_then_the_last_rule_of_the_source_never_loosens() {
    insta::assert_snapshot!(json(
        ImportTool::OpenCode,
        r#"{
      "$schema": "https://opencode.ai/config.json",
      "permission": {
        "edit": "ask",
        "webfetch": "allow",
        "bash": {
          "*": "ask", "git status *": "allow", "git push *": "deny", "git *": "allow", "git push origin": "allow",
          "rm * -rf": "deny", "npm*": "allow", "ls ?": "allow", "terraform *": "ask", "terraform plan": "allow", "kill ?": "deny", "x": "maybe"
        },
        "ba*": "ask", "read": { "*": "allow", "*.env": "deny", "secrets/*": "deny", "a*b/c": "deny" },
        "external_directory": "deny", "doom_loop": "ask", "task": "allow", "github_delete_repo": "deny", "github_*": "allow"
      },
      "agent": { "build": { "permission": { "bash": "allow" } } },
      "tools": { "write": false }
    }"#
    ));
    insta::assert_snapshot!(
        "opencode_everything",
        json(
            ImportTool::OpenCode,
            r#"{"permission": {"*": "deny", "bash": "allow", "edit": {"*": "allow"}}}"#
        )
    );
    insta::assert_snapshot!("opencode_word", json(ImportTool::OpenCode, r#"{"permission": "allow"}"#));
    // An ask after an allow takes it back.
    insta::assert_snapshot!(
        "opencode_later",
        json(ImportTool::OpenCode, r#"{"permission": {"bash": {"git *": "allow", "*": "ask"}, "*": "ask"}}"#)
    );
}

/// "Hostile, huge or broken files: a clear error." Attack 73.
#[test]
fn given_files_that_are_none_then_the_error_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("settings.json");
    let refused = |tool: ImportTool, bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        import_rules(tool, &[SettingsFile { path: path.clone(), project: None }], &places())
            .unwrap_err()
            .message()
            .to_owned()
    };
    assert_eq!(
        refused(ImportTool::ClaudeCode, b"{"),
        "is not JSON: EOF while parsing an object at line 1 column 1"
    );
    assert_eq!(refused(ImportTool::Zed, b"[]"), "is not an object");
    assert_eq!(refused(ImportTool::VsCode, &[0xff]), "is not UTF-8 text");
    assert_eq!(refused(ImportTool::VsCode, &vec![b' '; (1 << 20) + 1]), "is larger than 1 MiB");
    assert!(refused(ImportTool::OpenCode, "[".repeat(500_000).as_bytes()).contains("recursion limit"));
    assert_eq!(
        refused(ImportTool::ClaudeCode, br#"{"permissions": 1}"#),
        "has `permissions` that are not an object"
    );
    let missing = SettingsFile { path: dir.path().join("no"), project: None };
    assert!(
        import_rules(ImportTool::Zed, &[missing], &places())
            .unwrap_err()
            .to_string()
            .contains("can't be read")
    );
    let folder = SettingsFile { path: dir.path().to_owned(), project: None };
    assert!(import_rules(ImportTool::Zed, &[folder], &places()).is_err());
}

/// What is printed is a configuration: also with names and words that try to be more.
/// Attack 73.
#[test]
fn given_hostile_rules_then_what_is_printed_is_still_just_those_rules() {
    let text = r#"{"permissions": {"deny": ["Bash(x\u001b[2J:*)", "Tool\n[agents.x]\ncommand = [\"y\"]", "Read(a\"\"\"b'''c\u202e)", "Read(x\ny)"]}}"#;
    let imported = imported(ImportTool::ClaudeCode, "settings.json", text);
    let text = render_rules(ImportTool::ClaudeCode, &imported, &[]);
    assert!(!text.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}'), "{text}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    std::fs::write(&path, &text).unwrap();
    assert_eq!(check_file(Layer::User, &path, &places()).unwrap(), imported.rules.len(), "{text}");
    let table: toml::Table = text.parse().unwrap();
    assert!(!table.contains_key("agents"), "{text}");
    let found = strings(&toml::Value::Table(table));
    let same = imported.rules.iter().all(|rule| found.iter().any(|text| text.trim() == rule.pattern.trim()));
    assert!(same, "{text}");
}

/// Every text in a value.
fn strings(value: &toml::Value) -> Vec<String> {
    match value {
        toml::Value::String(text) => vec![text.clone()],
        toml::Value::Array(all) => all.iter().flat_map(strings).collect(),
        toml::Value::Table(table) => table.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
