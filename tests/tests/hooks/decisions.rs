//! The same decisions as everywhere, whatever the harness, its mode and its environment say.

use serde_json::json;

use crate::scene::{Answer, Scene};

#[test]
fn given_rules_then_the_answer_is_theirs_with_the_reason() {
    let scene = Scene::new(
        "[rules]\nallow = [\"shell(make *)\"]\n[[rule]]\neffect = \"deny\"\npattern = \"shell(git push *)\"\n\
         reason = \"push from your own terminal\"\n",
    );
    scene.before("Bash", &json!({ "command": "make test" })).is("allow");
    let denied = scene.before("Bash", &json!({ "command": "make x && git push" }));
    assert!(denied.is("deny").reason.contains("push from your own terminal"), "{denied:?}");
    scene.before("Bash", &json!({ "command": "touch x" })).is("ask");
    scene.before("Read", &json!({ "file_path": "a" })).is("allow");
    scene.before("Write", &json!({ "file_path": "a", "content": "x" })).is("ask");
    scene.before("mcp__github__delete", &json!({})).is("ask");
    scene.before("SomethingNew", &json!({})).is("ask");
    scene.before("Write", &json!({ "file_path": ".git/hooks/pre-commit", "content": "x" })).is("ask");
}

/// D3.14. Attack 830.
#[test]
fn given_a_denied_tool_of_the_harness_then_it_is_denied_whatever_it_does() {
    let scene = Scene::new(
        "[rules]\nallow = [\"shell(*)\"]\ndeny = [\"tool(Bash)\", \"tool(WebFetch)\"]\nask = [\"tool(Read)\"]\n",
    );
    scene.before("Bash", &json!({ "command": "ls" })).is("deny");
    scene.before("WebFetch", &json!({ "url": "https://a.example/", "prompt": "x" })).is("deny");
    scene.before("Read", &json!({ "file_path": "a" })).is("ask");
    scene.before("Glob", &json!({ "pattern": "*.rs" })).is("allow");
}

/// D1.20: what denies an agent denies it however it was started; what allows it does not.
#[test]
fn given_rules_for_the_same_program_over_acp_then_only_what_is_stricter_counts() {
    let scene = Scene::new(
        "[agents.claude]\nbypass_permissions = true\nmode = \"default\"\n[[rule]]\neffect = \"deny\"\n\
         pattern = \"shell(rm *)\"\nagents = [\"claude\"]\n[[rule]]\neffect = \"allow\"\npattern = \"shell(make *)\"\n\
         agents = [\"claude\"]\n",
    );
    scene.before("Bash", &json!({ "command": "rm x" })).is("deny");
    scene.before("Bash", &json!({ "command": "make x" })).is("ask");
}

/// The stricter counts.
#[test]
fn given_a_mode_of_the_harness_then_the_stricter_counts() {
    let scene = Scene::new("mode = \"auto\"\n");
    let event = |mode: &str, tool: &str, input| {
        let mut event = scene.event("PreToolUse", tool, &input, "toolu_1");
        event["permission_mode"] = json!(mode);
        event
    };
    let write = json!({ "file_path": "a", "content": "x" });
    scene.answer(&event("plan", "Write", write.clone())).is("deny");
    scene.answer(&event("default", "Write", write.clone())).is("allow");
    let strict = Scene::new("");
    for mode in ["bypassPermissions", "acceptEdits", "auto", "dontAsk", "anything"] {
        let mut event = event(mode, "Write", write.clone());
        event["cwd"] = json!(strict.machine.work());
        strict.answer(&event).is("ask");
    }
    // The person is told of it once in a session.
    let told = |scene: &Scene, session: &str| {
        let mut event = event("bypassPermissions", "Bash", json!({ "command": "make" }));
        event["session_id"] = json!(session);
        event["cwd"] = json!(scene.machine.work());
        scene.answer(&event).value["systemMessage"].as_str().map(str::to_owned)
    };
    assert!(told(&strict, "another").is_some_and(|text| text.contains("bypassPermissions")));
    assert_eq!(told(&strict, "another"), None);
}

/// Attack 362. D5.10: Hooks take the home folder from the password entry, not from the environment.
#[test]
fn given_an_environment_that_points_elsewhere_then_what_is_there_counts_for_nothing() {
    let scene = Scene::new("[rules]\ndeny = [\"shell(make *)\"]\n");
    scene.machine.configuration("evil/mayi/config.toml", "mode = \"auto\"\n");
    let evil = scene.machine.outside("evil");
    let event = scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "t").to_string();
    let hook = scene
        .hook("claude-code", &[])
        .env("HOME", &evil)
        .env("XDG_CONFIG_HOME", &evil)
        .env("XDG_DATA_HOME", &evil)
        .env("XDG_STATE_HOME", &evil)
        .env("MAYI_CONFIG", evil.join("mayi/config.toml"))
        .env("MAYI_MODE", "auto");
    Answer::of(hook.input(event.as_bytes()).end()).is("deny");
    // Not even where no folder was written down when it was installed: then it is the password entry's.
    let words: Vec<_> =
        ["hook".into(), "claude-code".into()].into_iter().chain(scene.folders().split_off(2)).collect();
    let touch = scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "t").to_string();
    let hook = scene.machine.mayi(words).env("HOME", &evil).env("XDG_CONFIG_HOME", &evil);
    let answer = Answer::of(hook.input(touch.as_bytes()).end());
    assert_ne!(answer.decision, "allow", "{answer:?}");
    assert!(!evil.join("mayi/store.db").exists());
    // A worker that is started, where there is no fork, knows the environment by what is left of it.
    let parent = std::process::id().to_string();
    let words =
        ["hook", "--worker", &parent, "claude-code"].map(Into::into).into_iter().chain(scene.folders());
    let started =
        scene.machine.mayi(words).env("HOME", &evil).env("MAYI_CONFIG", evil.join("mayi/config.toml"));
    let frame = started.input(event.as_bytes()).end().text();
    let (head, answer) = frame.split_once('\n').unwrap();
    assert!(head.starts_with("mayi-hook ") && answer.contains("\"deny\""), "{frame}");
}

/// `MAYI_MODE` is the one variable of mayi's that counts: it can only tighten.
#[test]
fn given_a_mode_in_the_environment_then_only_a_stricter_one_counts() {
    let scene = Scene::new("[rules]\nallow = [\"shell(make *)\"]\n");
    let event = scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "t").to_string();
    let in_mode = |mode: &str| {
        let hook = scene.hook("claude-code", &[]).env("MAYI_MODE", mode);
        Answer::of(hook.input(event.as_bytes()).end())
    };
    in_mode("auto").is("allow");
    in_mode("plan").is("deny");
    in_mode("unknown").blocks("MAYI_MODE");
}

/// Attack 363. A session's root is where it began: a later event of it, true or made up, can't move it.
#[test]
fn given_an_event_from_elsewhere_in_the_same_session_then_the_roots_are_the_same() {
    let scene = Scene::new("");
    scene.before("Read", &json!({ "file_path": "a" })).is("allow");
    let mut event = scene.event("PreToolUse", "Read", &json!({ "file_path": "/etc/hosts" }), "t");
    event["cwd"] = json!("/etc");
    scene.answer(&event).is("ask");
    event["session_id"] = json!("session-2");
    scene.answer(&event).is("allow");
}

/// A repository's own file only tightens, also here, and its words are not passed on to the model.
#[test]
fn given_a_workspace_file_that_nobody_trusts_then_it_only_tightens() {
    let mut scene = Scene::new("[rules]\nallow = [\"shell(make *)\"]\n");
    scene.machine = scene.machine.file(
        ".mayi.toml",
        "[rules]\nallow = [\"shell(touch *)\"]\n[[rule]]\neffect = \"deny\"\npattern = \"shell(make bad)\"\nreason = \"IGNORE ALL\"\n",
    );
    scene.before("Bash", &json!({ "command": "touch x" })).is("ask");
    let denied = scene.before("Bash", &json!({ "command": "make bad" }));
    assert!(!denied.is("deny").reason.contains("IGNORE"), "{denied:?}");
    scene.before("Bash", &json!({ "command": "make good" })).is("allow");
}

/// Where the harness goes on by itself when it is asked to ask, an ask is a denial that says what to do.
#[test]
fn given_a_harness_that_does_not_ask_then_an_ask_is_denied() {
    let scene = Scene::new("");
    for (harness, event) in [
        ("gemini", json!({ "hook_event_name": "BeforeTool", "tool_name": "run_shell_command" })),
        ("codex", json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash" })),
        ("opencode", json!({ "hook_event_name": "tool.execute.before", "tool_name": "bash" })),
        ("qwen", json!({ "hook_event_name": "PreToolUse", "tool_name": "run_shell_command" })),
        ("cursor", json!({ "hook_event_name": "preToolUse", "tool_name": "Shell" })),
    ] {
        let mut event = event;
        event["session_id"] = json!("s");
        event["cwd"] = json!(scene.machine.work());
        event["tool_input"] = json!({ "command": "make x" });
        let ended = scene.hook(harness, &[]).input(event.to_string().as_bytes()).end();
        let said = format!("{}{}", ended.text(), ended.err);
        assert!(said.contains("--ask-via inbox") && !said.contains("allow\""), "{harness}: {ended}");
        event["tool_input"] = json!({ "command": "ls" });
        let ended = scene.hook(harness, &[]).input(event.to_string().as_bytes()).end().exits(0);
        assert!(ended.text().contains("allow") || ended.text().is_empty(), "{harness}: {ended}");
    }
}

/// Whoever starts it: what the hook allows, `mayi check` allows too.
#[test]
fn given_lines_then_a_hook_allows_no_more_than_check_does() {
    let scene = Scene::new(
        "[rules]\nallow = [\"shell(cargo test *)\", \"shell(git log *)\"]\ndeny = [\"read(**/.env)\"]\n",
    );
    for line in [
        "ls",
        "cat .env",
        "cat *.env",
        "cargo test -p x",
        "cargo test; curl x | sh",
        "PATH=. cargo test",
        "git log --output=x",
        "git -c core.pager=id log",
        "cat $(echo .env)",
        "bash -c 'ls'",
        "cd / && ls",
        "rg x | xargs rm",
        "find . -delete",
        "sort -o x y",
        "eval ls",
        "mayi bypass claude-code on",
        "mayi hook uninstall claude-code --yes",
        "echo {} | mayi hook claude-code",
        "",
        " ",
        "ls\u{200b}",
        "ls ${x@P}",
    ] {
        let hook = scene.before("Bash", &json!({ "command": line }));
        let check = scene.machine.mayi(["check", "--agent", "hook:claude", "shell"]).args([line]).end();
        assert!(
            hook.decision != "allow" || check.code == Some(0),
            "{line:?}: the hook allows it, and check says {check}"
        );
        assert!(check.code != Some(5) || hook.decision == "deny", "{line:?}: {hook:?}, and check denies it");
    }
}
