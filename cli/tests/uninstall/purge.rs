//! What `mayi uninstall --purge` deletes, and where it deletes nothing.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::machine::Machine;
use super::{FILES, Files as _};

/// What mayi makes itself is all known by its name: nothing of it is left.
#[test]
fn given_folders_that_mayi_filled_then_purge_leaves_nothing() {
    let machine = Machine::new().own(FILES[0].0, FILES[0].1).own(FILES[2].0, FILES[2].1);
    let init = machine.mayi(["init", "--force"]);
    assert_eq!(init.code, 0, "{}", init.err);
    let again = machine.mayi(["init", "--force"]);
    assert_eq!(again.code, 0, "{}", again.err);
    machine.done(&["hook", "install", "claude-code"]);
    machine.done(&["mcp", "install", "cursor"]);
    machine.mayi(["run", "demo", "demo: run echo hi", "--allow", "shell(echo *)"]);
    for name in [
        ".config/mayi/config.toml.bak",
        ".local/share/mayi/store.db",
        ".local/share/mayi/owners",
        ".local/state/mayi/agents/demo/sessions",
    ] {
        assert!(machine.home().join(name).exists(), "{name}");
    }
    machine.put(".local/share/mayi/archive/record-1-20.jsonl", "");
    machine.put(".local/share/mayi/owners/.new-aB3dEf", "");
    machine.put(&format!(".local/share/mayi/logins/{}.json", "0a".repeat(32)), "");
    machine.put(&format!(".local/state/mayi/hooks/{}.json", "0a".repeat(20)), "{}");
    machine.put(&format!(".local/state/mayi/compiled/{}.policy", "0a".repeat(20)), "");
    machine.put(&format!(".local/state/mayi/responses/{}", "0a".repeat(32)), "{}");
    let done = machine.mayi(["uninstall", "--yes", "--purge"]);
    assert_eq!(done.code, 0, "{}", done.err);
    for name in [".config/mayi", ".local/share/mayi", ".local/state/mayi"] {
        assert!(!machine.home().join(name).exists(), "{name}: {}", done.err);
    }
    // Nor beside it: what the demo agent keeps is mayi's too.
    let beside = std::fs::read_dir(machine.home().join(".local/state")).unwrap().count();
    assert_eq!(beside, 0, "{}", done.err);
}

#[test]
fn given_files_of_somebody_else_in_mayis_folders_then_purge_names_and_leaves_them() {
    let machine = Machine::new().user("# mine\n");
    let foreign = [
        (".config/mayi/.git/HEAD", ".config/mayi/.git: is not mayi's"),
        (".config/mayi/mynotes.md", ".config/mayi/mynotes.md: is not mayi's"),
        (".config/mayi/notes/x", ".config/mayi/notes: is not mayi's"),
        (".local/state/mayi/foreign.txt", ".local/state/mayi/foreign.txt: is not mayi's"),
        (".local/state/mayi/serve/1-x.ask", ".local/state/mayi/serve/1-x.ask: is not mayi's"),
        (".local/share/mayi/head/x", ".local/share/mayi/head: is not mayi's"),
    ];
    for (name, _) in foreign {
        machine.put(name, "precious");
    }
    let own = [
        ".config/mayi/config.toml",
        ".local/state/mayi/sessions.json",
        ".local/state/mayi/agents/demo/x",
        ".local/share/mayi/key",
    ];
    own[1..].iter().for_each(|name| machine.put(name, "{}"));
    let data = machine.home().join(".local/share/mayi");
    std::fs::set_permissions(data, std::fs::Permissions::from_mode(0o700)).unwrap();
    let dry = machine.mayi(["uninstall", "--dry-run", "--purge"]);
    assert_eq!(dry.code, 3, "{}", dry.err);
    assert!(!dry.err.contains("rm -r"), "{}", dry.err);
    for again in [false, true] {
        let done = machine.mayi(["uninstall", "--yes", "--purge", "-q"]);
        assert_eq!(done.code, 3, "{again}: {}", done.err);
        for (name, words) in foreign {
            assert!(dry.err.contains(words) && done.err.contains(words), "{words}: {}", done.err);
            assert_eq!(machine.text(name), "precious");
        }
        own.iter().for_each(|name| assert!(!machine.home().join(name).exists(), "{name}"));
        assert!(!machine.home().join(".local/state/mayi/agents").exists());
        assert_eq!(done.err.contains("deletes "), !again, "{}", done.err);
    }
}

/// Also where it has no session yet.
#[test]
fn given_a_mayi_that_runs_then_its_folders_stay() {
    let listen: &[&str] = &["serve", "--listen", "127.0.0.1:0"];
    for words in [listen, &["acp", "demo"]] {
        let machine = Machine::new().user("# mine\n");
        let mut command = machine.command([]);
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut running = command.spawn().unwrap();
        let data = machine.home().join(".local/share/mayi");
        let end = Instant::now() + Duration::from_secs(120);
        while mayi_core::store::present_in(&data).map_or(true, |(owners, _)| owners.is_empty()) {
            assert!(Instant::now() < end, "{words:?} is not known to run");
            std::thread::yield_now();
        }
        let refused = machine.mayi(["uninstall", "--yes", "--purge"]);
        let pid = running.id().to_string();
        assert_eq!(refused.code, 2, "{words:?}: {}", refused.err);
        let says = format!("end that first, by `kill {pid}`");
        assert!(refused.err.contains("mayi still runs") && refused.err.contains(&says), "{}", refused.err);
        assert!(machine.user_file().exists() && data.exists());
        running.kill().unwrap();
        running.wait().unwrap();
        let done = machine.mayi(["uninstall", "--yes", "--purge"]);
        assert_eq!(done.code, 0, "{words:?}: {}", done.err);
        assert!(!machine.user_file().exists() && !data.exists());
    }
}

#[test]
fn given_what_can_not_be_looked_at_then_it_is_left_and_mayis_folders_stay() {
    let machine = Machine::new().own(FILES[2].0, FILES[2].1).own(FILES[0].0, FILES[0].1);
    machine.done(&["mcp", "install", "cursor"]);
    machine.done(&["hook", "install", "claude-code"]);
    let folder = machine.home().join(".cursor");
    let away = machine.home().join("away");
    let rights =
        |mode: u32| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
    let left = |machine: &Machine| {
        let done = machine.mayi(["uninstall", "--yes", "--purge", "-q"]);
        assert_eq!(done.code, 3, "{}", done.err);
        for words in [".cursor/mcp.json: can't be looked at", "mayi's own folders stay too"] {
            assert!(done.err.contains(words), "{words}: {}", done.err);
        }
        assert!(machine.text(".local/share/mayi/mcp-installed.json").contains(".cursor/mcp.json"));
    };
    rights(0o000);
    // To root nothing is shut.
    if std::fs::read_dir(&folder).is_err() {
        left(&machine);
    }
    rights(0o755);
    std::fs::rename(&folder, &away).unwrap();
    symlink(&folder, &folder).unwrap();
    left(&machine);
    assert_eq!(machine.text(FILES[0].0), FILES[0].1);
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&away, &folder).unwrap();
    let done = machine.mayi(["uninstall", "--yes", "--purge"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(machine.text(FILES[2].0), FILES[2].1);
}

#[test]
fn given_a_gateway_in_another_form_then_it_is_named_and_mayis_folders_stay() {
    let machine = Machine::new().own(FILES[1].0, FILES[1].1);
    machine.done(&["mcp", "install", "gemini"]);
    let mut settings: Value = serde_json::from_str(&machine.text(FILES[1].0)).unwrap();
    let server = &mut settings["mcpServers"]["a"];
    let (program, args) = (server["command"].clone(), server["args"].as_array().unwrap().clone());
    let words: Vec<String> =
        [&program].into_iter().chain(&args).map(|word| word.as_str().unwrap().to_owned()).collect();
    for (command, args) in [
        ("env", [vec!["A=1".to_owned()], words.clone()].concat()),
        ("sh", vec!["-c".to_owned(), format!("exec '{}' {}", words[0], words[1..].join(" "))]),
    ] {
        settings["mcpServers"]["a"] = serde_json::json!({ "command": command, "args": args });
        machine.put(FILES[1].0, &settings.to_string());
        let done = machine.mayi(["uninstall", "--yes", "--purge", "-q"]);
        assert_eq!(done.code, 3, "{}", done.err);
        for words in ["settings.json: a: starts `mayi mcp` in another form", "mayi's own folders stay too"] {
            assert!(done.err.contains(words), "{words}: {}", done.err);
        }
        assert!(machine.text(".local/share/mayi/mcp-installed.json").contains(FILES[1].0));
    }
}

#[test]
fn given_damaged_notes_then_they_are_named_and_everything_else_goes() {
    for name in ["mcp-installed.json", "hook-installed.json"] {
        for damage in [Some(""), Some("no json"), Some("{\"version\": 1}"), None] {
            let machine = Machine::new().own(FILES[2].0, FILES[2].1).own(FILES[0].0, FILES[0].1);
            machine.done(&["mcp", "install", "cursor"]);
            machine.done(&["hook", "install", "claude-code"]);
            let notes = machine.home().join(".local/share/mayi").join(name);
            std::fs::remove_file(&notes).unwrap();
            match damage {
                Some(text) => std::fs::write(&notes, text).unwrap(),
                None => {
                    let made = std::process::Command::new("mkfifo").arg(&notes).status().unwrap();
                    assert!(made.success());
                }
            }
            let done = machine.mayi(["uninstall", "--yes", "--purge", "-q"]);
            assert_eq!(done.code, 3, "{}", done.err);
            let line = done.err.lines().find(|line| line.contains(name)).unwrap_or_default();
            assert!(line.starts_with("left ") && line.contains("remove it, if"), "{damage:?}: {}", done.err);
            assert_eq!(done.err.lines().filter(|line| line.starts_with("left ")).count(), 1, "{}", done.err);
            assert_eq!(machine.text(FILES[0].0), FILES[0].1);
            assert!(!machine.text(FILES[2].0).contains("--agent"));
            std::fs::remove_file(&notes).unwrap();
            let done = machine.mayi(["uninstall", "--yes", "--purge"]);
            assert_eq!(done.code, 0, "{}", done.err);
            assert!(!machine.home().join(".local/share/mayi").exists());
        }
    }
}
