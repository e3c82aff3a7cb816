//! `mayi uninstall`: whatever mayi wrote into files of other programs comes out again; and `mayi update`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "only tests")]

#[path = "everyday/machine.rs"]
mod machine;
#[path = "support/pty.rs"]
mod pty;
#[path = "uninstall/purge.rs"]
mod purge;

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use machine::Machine;
use pty::Terminal;
use serde_json::Value;

/// Two agents' settings, and those of three clients: one file is of both.
const FILES: &[(&str, &str)] = &[
    (
        ".claude/settings.json",
        "{\n\t\"model\": \"x\",\n\t\"hooks\": {\n\t\t\"PreToolUse\": [ { \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"true\" } ] } ]\n\t}\n}\n",
    ),
    (
        ".gemini/settings.json",
        "{\"mcpServers\": {\"a\": {\"command\": \"npx\", \"args\": [\"-y\"]}}, \"ui\": 1}",
    ),
    (
        ".cursor/mcp.json",
        "{\n  // mine\n  \"mcpServers\": {\n    \"github\": { \"command\": \"npx\", \"env\": { \"TOKEN\": \"s3cret\" } },\n  }\n}\n",
    ),
    (".codex/config.toml", "model = \"x\" # best\n\n[mcp_servers.a]\ncommand = \"npx\" # run\n"),
];

trait Files {
    fn own(self, name: &str, text: &str) -> Self;
    fn text(&self, name: &str) -> String;
    fn put(&self, name: &str, text: &str);
    fn done(&self, words: &[&str]);
}

impl Files for Machine {
    fn own(self, name: &str, text: &str) -> Self {
        self.put(name, text);
        self
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.home().join(name)).unwrap()
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.home().join(name);
        let folder = path.parent().unwrap();
        std::fs::create_dir_all(folder).unwrap();
        if folder.ends_with("share/mayi") {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        }
        std::fs::write(path, text).unwrap();
    }

    fn done(&self, words: &[&str]) {
        let output = self.command(["-q"]).args(words).arg("--yes").output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

fn installed() -> Machine {
    installed_on(FILES.iter().fold(Machine::new(), |machine, (name, text)| machine.own(name, text)))
}

fn installed_on(machine: Machine) -> Machine {
    for harness in ["claude-code", "gemini", "copilot", "opencode"] {
        machine.done(&["hook", "install", harness]);
    }
    for client in ["gemini", "cursor", "codex"] {
        machine.done(&["mcp", "install", client]);
    }
    machine.done(&["hook", "install", "claude-code", "--project"]);
    machine
}

/// Every file below a folder that is not mayi's own, and each folder.
fn tree(top: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".local/share/mayi") || path.ends_with(".local/state/mayi") {
                continue;
            }
            let is_dir = path.is_dir();
            let bytes = if is_dir { b"folder".to_vec() } else { std::fs::read(&path).unwrap() };
            if is_dir {
                folders.push(path.clone());
            }
            all.insert(path, bytes);
        }
    }
    all
}

#[test]
fn given_hooks_and_gateways_then_every_file_comes_back_to_the_byte() {
    let before = FILES.iter().fold(Machine::new(), |machine, (name, text)| machine.own(name, text));
    let machine = installed();
    for (name, text) in FILES {
        assert_ne!(machine.text(name), *text, "{name}");
    }
    let dry = machine.mayi(["uninstall", "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.err);
    assert!(dry.err.contains("nothing was written: 7 files would change"), "{}", dry.err);
    assert!(!dry.err.contains("s3cret"), "{}", dry.err);
    assert_ne!(machine.text(".cursor/mcp.json"), FILES[2].1);
    // From anywhere, also what stands in a project.
    let mut command = machine.command(["uninstall", "--yes"]);
    let done = command.current_dir(machine.home()).output().unwrap();
    let err = String::from_utf8(done.stderr).unwrap();
    assert_eq!((done.status.code(), done.stdout.len()), (Some(0), 0), "{err}");
    for words in [
        "-  \"hooks\": {",
        "takes out server a of Gemini CLI, hooks of Gemini",
        "takes out server github of Cursor",
        "note      nothing else is in the file: it goes",
        "stays     record  ",
        "delete them with: mayi uninstall --purge, or rm -r -- ",
        "stays     program  ",
    ] {
        assert!(err.contains(words), "{words}: {err}");
    }
    let plain = |machine: &Machine| -> Vec<(PathBuf, Vec<u8>)> {
        let all = tree(&machine.home()).into_iter().chain(tree(&machine.work()));
        let top = machine.home().parent().unwrap().to_owned();
        all.map(|(path, bytes)| (path.strip_prefix(&top).unwrap().to_owned(), bytes))
            // The folders that mayi's own are in.
            .filter(|(path, _)| !path.starts_with("home/.local"))
            .collect()
    };
    assert_eq!(plain(&machine), plain(&before));
    let again = machine.mayi(["uninstall", "--yes"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(
        again.err.contains("nothing has changed: mayi is in no settings of other programs"),
        "{}",
        again.err
    );
}

#[test]
fn given_edits_since_then_only_mayis_own_lines_go() {
    let machine = installed();
    // As a harness writes its settings anew, with more in them.
    let mut settings: Value = serde_json::from_str(&machine.text(".claude/settings.json")).unwrap();
    settings["theme"] = "dark".into();
    settings["hooks"]["PreToolUse"][1]["hooks"][0]["timeout"] = 30.into();
    machine.put(".claude/settings.json", &format!("{settings:#}\n"));
    let gemini = machine
        .text(".gemini/settings.json")
        .replace("\"ui\": 1", "\"ui\": 2")
        .replace("\"-y\"", "\"-y\", \"x\"");
    machine.put(".gemini/settings.json", &gemini);
    let cursor = machine.text(".cursor/mcp.json").replace("// mine", "// ours");
    machine.put(".cursor/mcp.json", &cursor);
    let done = machine.mayi(["uninstall", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("it was edited since: mayi's hooks alone are taken out"), "{}", done.err);
    let settings: Value = serde_json::from_str(&machine.text(".claude/settings.json")).unwrap();
    let wanted = serde_json::json!({
        "model": "x", "theme": "dark",
        "hooks": { "PreToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "true" } ] } ] },
    });
    assert_eq!(settings, wanted);
    assert_eq!(
        machine.text(".gemini/settings.json"),
        "{\"mcpServers\": {\"a\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"]}}, \"ui\": 2}"
    );
    assert_eq!(machine.text(".cursor/mcp.json"), FILES[2].1.replace("// mine", "// ours"));
}

/// What was put in is there as it was, and the comma behind it is somebody else's.
#[test]
fn given_a_member_behind_mayis_own_then_the_file_can_be_read_afterwards() {
    for old in ["{\n}", "{}", "{\n\t\"x\": 1\n}"] {
        let machine = Machine::new().own(".claude/settings.json", old);
        machine.done(&["hook", "install", "claude-code"]);
        let new = machine.text(".claude/settings.json");
        let end = new.rfind('}').unwrap();
        let more = format!("{},\n  \"z\": 2\n}}", new[..end].trim_end());
        machine.put(".claude/settings.json", &more);
        machine.done(&["uninstall"]);
        let text = machine.text(".claude/settings.json");
        let left: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(left["z"], 2, "{text}");
        assert!(left.get("hooks").is_none() && !text.contains("mayi"), "{text}");
    }
}

/// Without what mayi noted, its hooks are known by what they start.
#[test]
fn given_nothing_noted_then_mayis_own_entries_go_all_the_same() {
    let machine = installed();
    for name in ["hook-installed.json", "mcp-installed.json"] {
        std::fs::remove_file(machine.home().join(".local/share/mayi").join(name)).unwrap();
    }
    let done = machine.mayi(["uninstall", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(machine.text(".claude/settings.json"), FILES[0].1);
    assert_eq!(machine.text(".gemini/settings.json"), FILES[1].1);
    assert!(!machine.home().join(".config/opencode/plugin/mayi.js").exists());
    // It was not known of the project's.
    assert!(machine.work().join(".claude/settings.json").exists());
}

/// Attack 476: one file that can't be changed, or can't be read, hides no others.
#[test]
fn given_files_that_can_not_be_changed_then_the_others_are_and_each_is_named() {
    let machine = FILES.iter().fold(Machine::new(), |machine, (name, text)| machine.own(name, text));
    let link = machine.home().join("dotfiles.toml");
    std::fs::rename(machine.home().join(".codex/config.toml"), &link).unwrap();
    symlink(&link, machine.home().join(".codex/config.toml")).unwrap();
    let machine = installed_on(machine);
    let fixed = machine.home().join(".cursor/mcp.json");
    std::fs::set_permissions(&fixed, std::fs::Permissions::from_mode(0o444)).unwrap();
    let deep = format!("{{\"mayi\": {}1{}}}", "[".repeat(200_000), "]".repeat(200_000));
    machine.put(".config/zed/settings.json", &deep);
    machine.put(
        ".codeium/windsurf/mcp_config.json",
        &format!("{{\"mcpServers\": {{}}, {}}}", " ".repeat(17 << 20)),
    );
    machine.put(
        ".qwen/settings.json",
        "{\"hooks\": \"/x/mayi hook qwen\", \"hooks\": 1, \"hooks\": [\"/x/mayi hook qwen\"]}",
    );
    machine.put(".config/Code/User/mcp.json", "{\"servers\": {}, \"servers\": {\"mayi\": {}}}");
    machine.put(".copilot/hooks/mayi-vscode.json", "[\"/x/mayi hook vscode\"\u{1b}[2J");
    // What is about mayi, and was written by somebody else.
    machine.put(
        ".config/Claude/claude_desktop_config.json",
        r#"{"mcpServers": {"all": {"command": "mayi", "args": ["mcp"]}}}"#,
    );
    // What has nothing of mayi's in it is not judged.
    machine.put(".config/opencode/opencode.json", "{ no json");
    let done = machine.mayi(["uninstall", "--yes", "--purge", "-q"]);
    assert_eq!(done.code, 3, "{}", done.err);
    for words in [
        ".cursor/mcp.json: is read-only",
        "zed/settings.json: is not JSON: Maximum nesting depth exceeded",
        "mcp_config.json: is larger than 16 MiB: whether something of mayi's is in it is not known",
        ".qwen/settings.json: has mayi's hooks in another form",
        "Code/User/mcp.json: has `servers` twice",
        "mayi-vscode.json: is not",
        "claude_desktop_config.json: all: `mayi mcp install` has not put it there",
        "mayi's own folders stay too",
    ] {
        assert!(done.err.contains(words), "{words}: {}", done.err);
    }
    assert!(!done.err.contains("opencode.json") && !done.err.contains('\u{1b}'), "{}", done.err);
    assert_eq!(machine.text(".claude/settings.json"), FILES[0].1);
    assert_eq!(machine.text(".gemini/settings.json"), FILES[1].1);
    assert_eq!(std::fs::read_to_string(&link).unwrap(), FILES[3].1);
    assert!(machine.home().join(".codex/config.toml").is_symlink());
    assert!(machine.home().join(".local/share/mayi").is_dir());
    // Once it can be, it is.
    std::fs::set_permissions(&fixed, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(machine.mayi(["uninstall", "--yes"]).code, 3);
    assert_eq!(machine.text(".cursor/mcp.json"), FILES[2].1);
}

/// Attack 475: what an agent runs, also in a run without a record, is not for it to do.
#[test]
fn given_what_an_agent_starts_then_nothing_is_taken_out() {
    let machine = Machine::new().own(FILES[2].0, FILES[2].1);
    machine.done(&["mcp", "install", "cursor"]);
    let gated = machine.text(FILES[2].0);
    let script = machine.work().join("evil.sh");
    let text = format!("#!/bin/sh\n{} uninstall --yes --purge 2> said.txt\n", env!("CARGO_BIN_EXE_mayi"));
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    for record in ["--no-record", "--no-fs"] {
        let words = ["run", record, "demo", "demo: run ./evil.sh", "--allow", "shell(./evil.sh)"];
        let out = machine.mayi(words);
        let said = std::fs::read_to_string(machine.work().join("said.txt"))
            .unwrap_or_else(|_| panic!("{}", out.err));
        assert!(said.contains("an agent can't answer for the person"), "{said}");
        std::fs::remove_file(machine.work().join("said.txt")).unwrap();
        assert_eq!(machine.text(FILES[2].0), gated);
    }
}

/// Attack 477: what was noted is only believed where mayi's own hook goes by it.
#[test]
fn given_notes_that_somebody_changed_then_nothing_else_is_taken_out() {
    let machine = Machine::new().own("diary.txt", "dear diary, mayi\n").own("keys", "{}");
    let (diary, keys) = (machine.home().join("diary.txt"), machine.home().join("keys"));
    machine.put(
        ".local/share/mayi/hook-installed.json",
        &serde_json::json!({ "version": 1, "notes": [
            { "harness": "claude-code", "file": diary, "created": true, "pieces": ["dear diary, mayi\n"] },
            { "harness": "codex", "file": keys, "created": true, "pieces": [] },
        ]})
        .to_string(),
    );
    machine.put(
        ".local/share/mayi/mcp-installed.json",
        &serde_json::json!({ "version": 1, "entries": [
            { "file": diary, "keys": ["mcpServers", "a"], "back": ["other text"] },
        ]})
        .to_string(),
    );
    let done = machine.mayi(["uninstall", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(
        (machine.text("diary.txt").as_str(), machine.text("keys").as_str()),
        ("dear diary, mayi\n", "{}")
    );
}

#[test]
fn given_nothing_installed_then_that_is_said_and_nothing_is_made() {
    let machine = Machine::new();
    for words in [["uninstall", "--yes"], ["uninstall", "--dry-run"], ["uninstall", "--purge"]] {
        let done = machine.mayi(words);
        assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
        assert!(done.err.contains("mayi is in no settings of other programs"), "{}", done.err);
        assert!(done.err.contains("stays     program  "), "{}", done.err);
    }
    assert_eq!(tree(&machine.home()), BTreeMap::new());
}

#[test]
fn given_a_person_then_one_question_decides_about_settings_and_another_one_about_the_record() {
    let machine = Machine::new().own(FILES[2].0, FILES[2].1).user("# mine\n");
    machine.done(&["mcp", "install", "cursor"]);
    let gated = machine.text(FILES[2].0);
    let data = machine.home().join(".local/share/mayi");
    let first = "Take mayi out of 1 file? [y/N]";
    let second = "with the record of what happened? It can't be had back. [y/N]";
    let ask = |first_key: &str, second_key: &str| {
        let terminal = Terminal::start(machine.command(["uninstall", "--purge"]), (60, 160), false);
        if machine.text(FILES[2].0) == gated {
            terminal.sees(first);
            terminal.send(first_key);
        }
        if first_key == "y" {
            terminal.sees(second);
            assert!(terminal.screen().contains("deletes   record"), "{}", terminal.screen());
            terminal.send(second_key);
        }
        terminal.exit().code()
    };
    let nobody = machine.mayi(["uninstall", "--purge"]);
    assert_eq!(nobody.code, 2, "{}", nobody.err);
    assert_eq!(ask("n", ""), Some(5));
    assert_eq!(machine.text(FILES[2].0), gated);
    assert_eq!(ask("y", "n"), Some(5));
    assert_eq!(machine.text(FILES[2].0), FILES[2].1);
    assert!(data.is_dir());
    assert_eq!(ask("y", "y"), Some(0));
    assert!(!data.exists() && !machine.home().join(".config/mayi").exists());
}

/// The record is named before it goes, also where nobody is asked; a link is no folder of mayi's.
#[test]
fn given_purge_in_a_script_then_the_record_is_named_and_links_are_left() {
    let machine = Machine::new().user("# mine\n");
    machine.put(".local/share/mayi/store.db", "x");
    machine.put(".config/Code/User/settings.json", "{\n  \"mayi.page\": true,\n  \"editor.size\": 3\n}\n");
    // An editor that has its settings beside its extensions.
    let server = ".local/share/code-server/Machine/settings.json";
    machine.put(server, "{\n  \"mayi.path\": \"/x\",\n  \"editor.size\": 3\n}\n");
    let storage = ".local/share/code-server/User/globalStorage/mayi.mayi-vscode";
    machine.put(&format!("{storage}/backend.log"), "");
    std::fs::rename(machine.home().join(".config/mayi"), machine.home().join("dotfiles")).unwrap();
    symlink(machine.home().join("dotfiles"), machine.home().join(".config/mayi")).unwrap();
    let kept = machine.mayi(["uninstall", "--dry-run"]);
    assert_eq!(kept.err.matches("yours, of the extension").count(), 2, "{}", kept.err);
    assert!(kept.err.contains(storage), "{}", kept.err);
    std::fs::remove_file(machine.home().join(".local/share/mayi/store.db")).unwrap();
    machine.put(".local/share/mayi/key", "x");
    let done = machine.mayi(["uninstall", "--yes", "--purge", "-q"]);
    assert_eq!(done.code, 1, "{}", done.err);
    assert!(done.err.contains("deletes   record  ") && done.err.contains("what happened"), "{}", done.err);
    assert!(done.err.contains(".config/mayi: is a link"), "{}", done.err);
    assert!(!machine.home().join(".local/share/mayi").exists());
    assert_eq!(machine.text("dotfiles/config.toml"), "# mine\n");
    for name in [".config/Code/User/settings.json", server] {
        assert_eq!(machine.text(name), "{\n  \"editor.size\": 3\n}\n", "{name}");
    }
}

#[test]
fn given_update_then_it_says_how_this_program_came_here_and_ends_well() {
    let machine = Machine::new();
    let done = machine.mayi(["update"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("a build of the project"), "{}", done.out);
    // Another one, as cargo would have put it there: the path alone counts, and what lies beside it.
    let root = machine.home().join(".cargo");
    std::fs::create_dir_all(root.join("bin")).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_mayi"), root.join("bin/mayi")).unwrap();
    machine
        .put(".cargo/.crates2.json", r#"{"installs":{"mayi 0.1.0 (registry+https://x)":{"bins":["mayi"]}}}"#);
    let mut command = std::process::Command::new(root.join("bin/mayi"));
    command.args(["update", "--json"]).env_clear().env("HOME", machine.home());
    let done = command.current_dir(machine.work()).output().unwrap();
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((told["version"].as_u64(), told["installed"].as_str()), (Some(1), Some("cargo")));
    assert_eq!(told["update"][0], "cargo install --locked mayi");
    assert_eq!(told["remove"][0], "cargo uninstall mayi");
}
