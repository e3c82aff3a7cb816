//! What other tools' files have in common with the reported ones: a denial or a question that is written in another way, or in
//! another place, is not lost.

use super::judged::Judged;
use crate::{Carried, ImportTool, OmittedRule};
use mayi_call::WriteKind;
use mayi_policy::Effect::{Allow, Ask, Deny};

fn omitted<'j>(judged: &'j Judged, part: &str) -> Vec<&'j OmittedRule> {
    judged.imported.left_out.iter().filter(|left| left.from.contains(part)).collect()
}

fn claude(text: &str) -> Judged {
    Judged::of(ImportTool::ClaudeCode, "settings.json", text)
}

/// Attack 740: each denial is tried with a command that it is about itself.
#[test]
fn given_a_denial_of_what_mayi_looks_through_then_it_is_carried_over() {
    let judged = claude(
        r#"{ "permissions": { "allow": ["Bash(npm run *)", "Bash(make *)"],
      "deny": ["Bash(NODE_ENV=production npm run *)", "Bash(CI=1 make:*)", "Bash(FOO=1 make *)"] } }"#,
    );
    for line in ["NODE_ENV=production npm run x", "CI=1 make all", "FOO=1 make all"] {
        assert_eq!(judged.shell(line), Deny, "{line}");
    }
    for (denial, line) in [
        ("Bash(bash -c *)", "bash -c 'make'"),
        ("Bash(bash:*)", "bash -c 'make'"),
        ("Bash(sh -c:*)", "sh -c make"),
        ("Bash(/bin/sh *)", "/bin/sh -c make"),
    ] {
        let judged =
            claude(&format!(r#"{{ "permissions": {{ "allow": ["Bash"], "deny": ["{denial}"] }} }}"#));
        assert_eq!((judged.shell(line), judged.shell("make")), (Deny, Allow), "{denial}");
        assert_eq!(judged.imported.lost_denials(), (0, 0), "{denial}");
    }
    let judged = claude(
        r#"{ "permissions": { "allow": ["Bash"], "deny": ["Bash(sudo *)", "Bash(timeout:*)", "Bash(env *)", "Bash(git push*)"] } }"#,
    );
    assert_eq!(judged.imported.lost_denials(), (0, 0));
    let zed = Judged::of(
        ImportTool::Zed,
        "settings.json",
        r#"{ "agent": { "tool_permissions": { "tools": { "terminal": { "default": "allow",
      "always_deny": [{ "pattern": "~/\\.config" }, { "pattern": "\\$HOME/x" }, { "pattern": "(?i:secret)" }] } } } } }"#,
    );
    for line in ["touch ~/.config/a", "touch $HOME/x/a", "make SECRET"] {
        assert_eq!(zed.shell(line), Deny, "{line}");
    }
    assert_eq!((zed.shell("make"), zed.imported.lost_denials()), (Allow, (0, 0)));
    // What can't be said as a rule is asked about as a whole.
    for (source, apart) in [("NODE_ENV=production", Ask), ("^bash -c", Allow), ("a  b", Ask)] {
        let judged = Judged::of(
            ImportTool::Zed,
            "settings.json",
            &format!(
                r#"{{ "agent": {{ "tool_permissions": {{ "tools": {{ "terminal": {{ "default": "allow", "always_deny": [{{ "pattern": "{source}" }}] }} }} }} }} }}"#
            ),
        );
        assert_eq!(judged.shell("NODE_ENV=production npm run x"), apart, "{source}");
        assert!(judged.shell("bash -c 'make'") > Allow, "{source}");
    }
}

/// Attack 740: what is compared with whole lines may match over several commands.
#[test]
fn given_an_expression_over_whole_lines_then_the_commands_that_it_begins_in_are_asked_about() {
    let vscode = Judged::of(
        ImportTool::VsCode,
        "settings.json",
        r#"{ "chat.tools.terminal.autoApprove": { "make": true, "npm": true, "git": true,
      "/make[^x]*install/": { "approve": false, "matchCommandLine": true },
      "/git push --force/": { "approve": false, "matchCommandLine": true } } }"#,
    );
    assert_eq!((vscode.shell("make && npm install"), vscode.shell("git push --force")), (Ask, Ask));
    assert_eq!(vscode.shell("git fetch"), Allow);
    for (key, line) in [
        (r"/\\(/", "(git fetch)"),
        (r"/[(]/", "(git fetch)"),
        (r"/\\{/", "{ git fetch; }"),
        (r"/\\n/", "git fetch\ngit fetch"),
        (r"/\n/", "git fetch\ngit fetch"),
    ] {
        let text = format!(
            r#"{{ "chat.tools.terminal.autoApprove": {{ "git": true, "{key}": {{ "approve": false, "matchCommandLine": true }} }} }}"#
        );
        assert_eq!(Judged::of(ImportTool::VsCode, "settings.json", &text).shell(line), Ask, "{key}");
    }
    let gemini = Judged::of(
        ImportTool::Gemini,
        "p.toml",
        r#"
[[rule]]
toolName = "run_shell_command"
decision = "allow"
[[rule]]
toolName = "run_shell_command"
commandRegex = "make.*install"
decision = "deny"
"#,
    );
    assert_eq!((gemini.shell("make && npm install"), gemini.shell("npm test")), (Ask, Allow));
    assert_eq!((gemini.shell("make install"), gemini.shell("make")), (Deny, Ask));
    let zed = Judged::of(
        ImportTool::Zed,
        "settings.json",
        r#"{ "agent": { "tool_permissions": { "tools": { "terminal": { "default": "allow", "always_deny": [{ "pattern": "\\n" }] } } } } }"#,
    );
    assert_eq!(zed.shell("make\nmake install"), Ask);
}

/// Attack 741.
#[test]
fn given_geminis_tools_that_are_always_confirmed_then_they_are_asked_about() {
    let text = r#"{ "tools": { "allowed": ["run_shell_command(git)", "web_fetch", "write_file"],
      "confirmationRequired": ["run_shell_command(git push)", "write_file", "web_fetch"], "exclude": ["search_file_content"] } }"#;
    for tool in [ImportTool::Gemini, ImportTool::Qwen] {
        let judged = Judged::of(tool, "settings.json", text);
        assert_eq!((judged.shell("git push x"), judged.shell("git fetch")), (Ask, Allow));
        assert_eq!((judged.edit("a"), judged.fetch("https://a.example/")), (Ask, Ask));
        assert!(
            judged.text.contains("tool(grep_search)") && judged.text.contains("tool(search_file_content)")
        );
    }
}

/// Attack 741: what VS Code asks about by itself, an approval beside it does not take back.
#[test]
fn given_a_broad_approval_of_vs_codes_then_what_it_asks_about_by_itself_is_asked_about() {
    let of = |text: &str| Judged::of(ImportTool::VsCode, "settings.json", text);
    let broad = of(
        r#"{ "chat.tools.terminal.autoApprove": { "/^.*$/": true, "kill": true, "": true }, "chat.tools.edits.autoApprove": { "**/*": true } }"#,
    );
    for line in ["rm x", "chmod +x a", "xargs make < a", "find . -delete", "curl https://x.example/"] {
        assert_eq!(broad.shell(line), Ask, "{line}");
    }
    assert_eq!((broad.shell("kill 1"), broad.shell("make")), (Allow, Allow));
    for path in
        [".env", "package.json", "a/Cargo.lock", "b/x.csproj", "pnpm-lock.yaml", ".github/agents/x.md"]
    {
        assert_eq!(broad.edit(path), Ask, "{path}");
    }
    assert_eq!(broad.edit("src/a.rs"), Allow);
    let narrow = of(
        r#"{ "chat.tools.terminal.autoApprove": { "npm": true, "/^(rm|make) .*$/": true }, "chat.tools.edits.autoApprove": { "src/**": true } }"#,
    );
    assert_eq!(
        (narrow.shell("rm x"), narrow.shell("make x"), narrow.edit("src/package.json")),
        (Ask, Allow, Allow)
    );
    assert!(!narrow.text.contains("chmod"), "{}", narrow.text);
    let without = of(
        r#"{ "chat.tools.terminal.autoApprove": { "/^rm .*$/": true }, "chat.tools.terminal.ignoreDefaultAutoApproveRules": true }"#,
    );
    assert_eq!(without.shell("rm x"), Allow);
    let empty = of(r#"{ "chat.tools.terminal.autoApprove": { "": true } }"#);
    assert_eq!(empty.shell("make"), Ask);
}

/// Attack 741.
#[test]
fn given_vs_codes_tools_that_are_not_to_be_approved_then_what_they_do_is_asked_about() {
    let judged = Judged::of(
        ImportTool::VsCode,
        "x.code-workspace",
        r#"{ "folders": [], "settings": { "chat.tools.terminal.autoApprove": { "make": true }, "chat.mcp.access": "none",
      "chat.tools.edits.autoApprove": { "src/**": true }, "chat.tools.eligibleForAutoApproval": { "execute/runInTerminal": false, "editFiles": false } } }"#,
    );
    assert_eq!((judged.shell("make"), judged.edit("src/a"), judged.mcp("db", "q")), (Ask, Ask, Deny));
}

/// Attack 741: a denial that stands deep in what is not known is named, and a list that is none is asked about.
#[test]
fn given_denials_in_places_that_are_not_known_then_they_are_named() {
    let judged = Judged::of(
        ImportTool::OpenCode,
        "opencode.json",
        r#"{ "enterprise": { "permission": { "bash": "deny" } }, "experimental": { "x": [{ "deny_list": ["y"] }] }, "theme": "none",
      "agent": { "a": { "permission": { "bash": "deny" } } } }"#,
    );
    for part in ["enterprise", "experimental"] {
        assert!(
            omitted(&judged, part).iter().any(|left| left.denial && left.carried == Carried::No),
            "{part}"
        );
    }
    assert!(omitted(&judged, "theme").is_empty());
    assert_eq!(judged.imported.lost_denials(), (1, 2));

    let requirements =
        "[rules]\nprefix_rules = [{ pattern = [{ token = \"rm\" }], decision = \"forbidden\" }]\n";
    assert_eq!(
        Judged::of(ImportTool::Codex, "requirements.toml", requirements).imported.lost_denials(),
        (0, 1)
    );
    let cursor = r#"{ "networkPolicy": { "default": "deny", "allow": ["a.example"] } }"#;
    assert_eq!(Judged::of(ImportTool::Cursor, "sandbox.json", cursor).imported.lost_denials(), (0, 1));
    let copilot = r#"{ "locations": { "/home/me/work": { "tool_approvals": [], "tool_denials": [{ "kind": "write" }] } }, "disabledTools": ["view"] }"#;
    assert_eq!(Judged::of(ImportTool::Copilot, "settings.json", copilot).imported.lost_denials(), (0, 2));

    let zed = r#"{ "linux": { "agent": { "tool_permissions": { "tools": { "terminal": { "always_deny": [ { "pattern": "x" } ] } } } } }, "confirm_quit": true }"#;
    assert_eq!(Judged::of(ImportTool::Zed, "settings.json", zed).imported.lost_denials(), (0, 1));
    let vscode = r#"{ "roo-cline.deniedCommands": ["rm"], "files.exclude": { "x": true }, "editor.wordWrap": "none" }"#;
    assert_eq!(Judged::of(ImportTool::VsCode, "settings.json", vscode).imported.lost_denials(), (0, 1));

    let text = claude(r#"{ "permissions": { "allow": ["Bash"], "deny": "Bash(rm *)" } }"#);
    assert_eq!((text.shell("rm x"), text.shell("make")), (Ask, Ask));
}

/// Attack 741: a profile that a thread begins with, without a tool; and what Zed blocks by itself.
#[test]
fn given_a_profile_of_zeds_without_a_tool_then_that_tool_is_asked_about() {
    let of = |profile: &str| {
        Judged::of(
            ImportTool::Zed,
            "settings.json",
            &format!(
                r#"{{ "agent": {{ "default_profile": "{profile}", "profiles": {{ "careful": {{ "tools": {{ "terminal": false, "grep": true }} }} }},
      "tool_permissions": {{ "tools": {{ "terminal": {{ "default": "allow" }} }} }} }} }}"#
            ),
        )
    };
    assert_eq!((of("careful").shell("make"), of("write").shell("make")), (Ask, Allow));
    assert_eq!(omitted(&of("write"), "profiles.careful").len(), 1);
    for line in ["rm -rf .", "rm -rf ./*", "rm -r a ../ -f", "rm ./"] {
        assert_eq!(of("write").shell(line), Deny, "{line}");
    }
    assert_eq!(of("write").shell("rm -rf ./build"), Allow);
}

/// Attack 741: what is denied by default holds for each tool that has no default of its own.
#[test]
fn given_zeds_default_that_denies_then_tools_without_a_default_are_denied() {
    let judged = Judged::of(
        ImportTool::Zed,
        "settings.json",
        r#"{ "context_servers": { "db": { "enabled": false } }, "agent": { "tool_permissions": { "default": "deny", "tools": {
      "edit_file": { "default": "allow" }, "fetch": { "always_deny": [ { "pattern": "x" } ] } } } } }"#,
    );
    assert_eq!((judged.shell("make"), judged.shell("ls"), judged.edit("a")), (Deny, Deny, Allow));
    assert_eq!((judged.change(WriteKind::Delete, "a"), judged.fetch("https://a.example/")), (Deny, Deny));
    assert_eq!(judged.mcp("db", "q"), Deny);
    let open = Judged::of(
        ImportTool::Zed,
        "settings.json",
        r#"{ "agent": { "tool_permissions": { "default": "deny", "tools": { "terminal": { "always_allow": [ { "pattern": "^cargo test\\b" } ] } } } } }"#,
    );
    assert_eq!((open.shell("cargo test"), open.shell("make"), open.edit("a")), (Allow, Ask, Deny));
    let opencode = Judged::of(
        ImportTool::OpenCode,
        "opencode.json",
        r#"{ "mcp": { "db": { "enabled": false }, "x": { "enabled": true } } }"#,
    );
    assert_eq!((opencode.mcp("db", "q"), opencode.mcp("x", "q")), (Deny, Ask));
}

/// `$HOME` begins a path as `~` does.
#[test]
fn given_opencodes_paths_at_home_then_they_are_carried_over() {
    let judged = Judged::of(
        ImportTool::OpenCode,
        "opencode.json",
        r#"{ "permission": { "edit": { "*": "allow", "$HOME/work/gen/*": "deny", "~/work/lock": "ask" }, "read": { "$HOME/work/k": "deny" } } }"#,
    );
    assert_eq!((judged.edit("gen/a/b"), judged.edit("lock"), judged.edit("a")), (Deny, Ask, Allow));
    assert_eq!(judged.read("k"), Deny);
}

/// Attack 741.
#[test]
fn given_more_of_codexs_rules_than_are_looked_at_then_the_file_is_refused() {
    let many: String = (0..5000).map(|at| format!("prefix_rule(pattern=[\"x{at}\"])\n")).collect();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.rules");
    std::fs::write(&path, many + "prefix_rule(pattern=[\"x1\", \"y\"], decision=\"forbidden\")\n").unwrap();
    let file = crate::SettingsFile { path, project: None };
    assert!(crate::import_rules(ImportTool::Codex, &[file], &super::places()).is_err());
}
