//! `mayi mcp install` and `uninstall`: the gateway in front of a client's servers, and away again.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "only tests")]

#[path = "everyday/machine.rs"]
mod machine;
#[path = "support/pty.rs"]
mod pty;

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::PathBuf;

use machine::Machine;
use pty::Terminal;
use serde_json::Value;

const ONE: &str = r#"{
  // mine
  "mcpServers": {
    "github": { "command": "npx", "args": ["-y", "x"], "env": { "TOKEN": "s3cret" } },
  }
}
"#;

/// Each client, a file of its own, and what it holds.
const CLIENTS: &[(&str, &str, &str)] = &[
    (
        "claude-code",
        ".claude.json",
        r#"{"n": 1, "mcpServers": {"a": {"type": "stdio", "command": "npx"}}, "projects": {"/w": {"mcpServers": {"b": {"type": "http", "url": "https://b.example/mcp"}}}}}"#,
    ),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", ONE),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        "{\n\t\"servers\": {\n\t\t\"a\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"npx\",\n\t\t\t\"args\": [\n\t\t\t\t\"-y\"\n\t\t\t]\n\t\t}\n\t},\n\t\"inputs\": []\n}",
    ),
    ("cursor", ".cursor/mcp.json", ONE),
    (
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        r#"{"mcpServers": {"a": {"serverUrl": "https://a.example/mcp", "headers": {"K": "${env:K}"}}}}"#,
    ),
    (
        "zed",
        ".config/zed/settings.json",
        "// Zed\n{\n  \"theme\": \"One\", /* nice */\n  \"context_servers\": {\n    \"a\": { \"source\": \"custom\", \"command\": \"npx\", \"args\": [], \"env\": {} },\n  },\n}\n",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        r#"{"mcpServers": {"a": {"httpUrl": "https://a.example/mcp", "timeout": 5}}}"#,
    ),
    (
        "codex",
        ".codex/config.toml",
        "model = \"x\" # best\n\n[mcp_servers.a]\ncommand = \"npx\" # run\n\n[mcp_servers.b]\nurl = \"https://b.example/mcp\"\nhttp_headers = { K = \"v\" }\n",
    ),
    (
        "opencode",
        ".config/opencode/opencode.jsonc",
        r#"{"mcp": {"a": {"type": "local", "command": ["npx"], /* off */ "enabled": false}}}"#,
    ),
];

trait Files {
    fn own(self, name: &str, text: &str) -> Self;
    fn text(&self, name: &str) -> String;
}

impl Files for Machine {
    fn own(self, name: &str, text: &str) -> Self {
        let path = self.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.home().join(name)).unwrap()
    }
}

fn mayi() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_mayi")).canonicalize().unwrap()
}

/// "Install, then uninstall gives the same file to the byte, for each client."
#[test]
fn given_each_client_then_its_file_comes_back_to_the_byte() {
    for (client, name, text) in CLIENTS {
        let machine = Machine::new().own(name, text);
        let done = machine.mayi(["mcp", "install", client, "--yes"]);
        assert_eq!((done.code, done.out.as_str()), (0, ""), "{client}: {}", done.err);
        let new = machine.text(name);
        let start = format!("\"{}\"", mayi().display());
        assert!(new.contains(&start) && new.contains(&format!("\"--agent\", \"{client}\"")), "{new}");
        let done = machine.mayi(["mcp", "install", client, "--yes"]);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.err.contains("nothing has changed"), "{client}: {}", done.err);
        assert_eq!(machine.text(name), new, "{client}: idempotent");
        let done = machine.mayi(["mcp", "uninstall", client, "--yes"]);
        assert_eq!(done.code, 0, "{client}: {}", done.err);
        assert!(!done.err.contains("taken back by"), "{}", done.err);
        assert_eq!(machine.text(name), *text, "{client}");
        assert_eq!(machine.mayi(["mcp", "uninstall", client, "--yes"]).code, 0);
        let notes = machine.text(".local/share/mayi/mcp-installed.json");
        assert_eq!(notes, r#"{"version":1,"entries":[]}"#);
    }
}

#[test]
fn given_dry_run_or_nobody_to_ask_then_nothing_changes() {
    let machine = Machine::new().own(".cursor/mcp.json", ONE);
    let done = machine.mayi(["mcp", "install", "cursor", "--dry-run"]);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
    assert!(done.err.contains("-    \"github\": { \"command\": \"npx\""), "{}", done.err);
    assert!(done.err.contains("1 server of Cursor would change"), "{}", done.err);
    assert!(!done.err.contains("s3cret"), "{}", done.err);
    let done = machine.mayi(["mcp", "install", "cursor"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("nobody is here to confirm this change: add --yes"), "{}", done.err);
    assert_eq!(machine.text(".cursor/mcp.json"), ONE);
    assert!(!machine.home().join(".local/share/mayi/mcp-installed.json").exists());
}

#[test]
fn given_a_person_then_the_question_decides() {
    let machine = Machine::new().own(".cursor/mcp.json", ONE);
    let ask = |keys: &str, way: &str| {
        let terminal = Terminal::start(machine.command(["mcp", way, "cursor"]), (40, 160), false);
        terminal.sees("of Cursor? [y/N]");
        assert!(terminal.screen().contains("\"--agent\", \"cursor\""), "{}", terminal.screen());
        if keys == "\x03" {
            // It is an answer once keys are.
            terminal.insist(keys, "nothing has changed");
        } else {
            terminal.send(keys);
        }
        let code = terminal.exit().code();
        assert!(terminal.as_before());
        code
    };
    assert_eq!(ask("n", "install"), Some(5));
    assert_eq!(ask("\x03", "install"), Some(130));
    assert_eq!(machine.text(".cursor/mcp.json"), ONE);
    assert_eq!(ask("y", "install"), Some(0));
    assert_ne!(machine.text(".cursor/mcp.json"), ONE);
    assert_eq!(ask("y", "uninstall"), Some(0));
    assert_eq!(machine.text(".cursor/mcp.json"), ONE);
}

/// "A name with escape sequences is shown, and does not act."
#[test]
fn given_hostile_names_then_they_are_shown_escaped() {
    let hostile = "{\"mcpServers\": {\"a\\u001b[2J\\u202eb\": {\"command\": \"x\"}, \"c\\u001b]0;t\\u0007\": {\"type\": \"\\u001b[31m\", \"url\": \"https://x\"}, \"raw\u{202e}\": {\"command\": \"\u{202e}y\"}}}";
    let machine = Machine::new().own(".cursor/mcp.json", hostile);
    for args in [["mcp", "install", "cursor", "--dry-run"], ["mcp", "install", "--color", "never"]] {
        let done = machine.mayi(args);
        assert_eq!(done.code, 0, "{}", done.err);
        for text in [&done.out, &done.err] {
            assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{text:?}");
        }
        assert!(
            format!("{}{}", done.out, done.err).contains("a\\x1b[2J\\u{202e}b"),
            "{}{}",
            done.out,
            done.err
        );
    }
    let done = machine.mayi(["mcp", "install", "cursor", "--yes", "--server", "x\u{1b}[2J"]);
    assert!(done.code == 2 && !done.err.contains('\u{1b}'), "{}", done.err);
}

#[test]
fn given_a_list_then_it_says_what_is_gated() {
    let text = ONE.replace("\"github\"", "\"old\": {\"type\": \"ws\", \"url\": \"https://x\"}, \"github\"");
    let machine = Machine::new()
        .own(".cursor/mcp.json", &text)
        .own(".gemini/settings.json", "{")
        .file(".mcp.json", ONE);
    let done = machine.mayi(["mcp", "install"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("cursor       github  ~/.cursor/mcp.json"), "{}", done.out);
    assert!(done.out.contains("left alone: it is of the type `ws`"), "{}", done.out);
    assert!(
        done.out.lines().any(|line| line.starts_with("claude-code") && line.ends_with("open")),
        "{}",
        done.out
    );
    assert!(done.err.contains("settings.json: is not JSON"), "{}", done.err);
    assert_eq!(machine.mayi(["mcp", "install", "cursor", "-y", "-q", "--server", "github"]).code, 0);
    let done = machine.mayi(["mcp", "install", "--json"]);
    let rows: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let row = rows.iter().find(|row| row["client"] == "cursor" && row["server"] == "github").unwrap();
    assert_eq!((row["state"].as_str(), row["version"].as_u64()), (Some("gated"), Some(1)));
}

/// A repository's file is written through no link that leads out of it.
/// Attack 124.
#[test]
fn given_a_projects_file_that_is_a_link_then_it_is_not_followed_out_of_it() {
    let machine = Machine::new().own(".cursor/mcp.json", ONE);
    std::fs::create_dir(machine.work().join(".cursor")).unwrap();
    symlink(machine.home().join(".cursor/mcp.json"), machine.work().join(".cursor/mcp.json")).unwrap();
    let done = machine.mayi(["mcp", "install", "cursor", "--scope", "project", "--yes"]);
    assert_eq!(done.code, 3, "{}", done.err);
    assert!(done.err.contains("is a link out of the project"), "{}", done.err);
    assert_eq!(machine.text(".cursor/mcp.json"), ONE);
    // One in the project is the project's own.
    std::fs::remove_file(machine.work().join(".cursor/mcp.json")).unwrap();
    let machine = machine.file("shared.json", ONE);
    symlink("../shared.json", machine.work().join(".cursor/mcp.json")).unwrap();
    let done = machine.mayi(["mcp", "install", "cursor", "--scope", "project", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("others who work in this project"), "{}", done.err);
    assert_ne!(std::fs::read_to_string(machine.work().join("shared.json")).unwrap(), ONE);
}

/// An entry that a repository brings along looks like the gateway, and is another program, or has been told to
/// allow more.
/// Attack 125.
#[test]
fn given_an_entry_that_only_looks_gated_then_that_is_said() {
    let text = r#"{"mcpServers": {"a": {"command": "./bin/mayi", "args": ["mcp", "--name", "a", "--agent", "cursor", "--", "x"]}, "b": {"command": "mayi", "args": ["mcp", "--allow", "mcp(*)", "--name", "b", "--agent", "cursor", "--", "x"]}}}"#;
    let machine = Machine::new().file(".cursor/mcp.json", text);
    let done = machine.mayi(["mcp", "install", "cursor", "--scope", "project", "--yes", "-q"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("by another program: ./bin/mayi"), "{}", done.err);
    assert!(done.err.contains("with options of its own: --allow"), "{}", done.err);
    let done = machine.mayi(["mcp", "install"]);
    assert!(done.out.contains("gated: by another program: ./bin/mayi"), "{}", done.out);
}

/// "Same file mode and owner; a symlinked settings file is written through to its target."
#[test]
fn given_a_link_and_rights_then_both_stay() {
    let machine = Machine::new().own("dotfiles/mcp.json", &format!("\u{feff}{ONE}"));
    let target = machine.home().join("dotfiles/mcp.json");
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir(machine.home().join(".cursor")).unwrap();
    symlink(&target, machine.home().join(".cursor/mcp.json")).unwrap();
    let before = target.metadata().unwrap();
    let done = machine.mayi(["mcp", "install", "cursor", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    // Nobody would see a question else.
    assert!(done.err.contains("keep `mayi inbox watch` open"), "{}", done.err);
    let after = target.metadata().unwrap();
    assert!(machine.home().join(".cursor/mcp.json").is_symlink() && target.is_file());
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    assert!(machine.text("dotfiles/mcp.json").starts_with("\u{feff}{"));
    assert_eq!(machine.mayi(["mcp", "uninstall", "cursor", "--yes"]).code, 0);
    assert_eq!(machine.text("dotfiles/mcp.json"), format!("\u{feff}{ONE}"));
}

#[test]
fn given_the_file_changes_while_the_person_is_asked_then_it_is_left_as_it_is() {
    let machine = Machine::new().own(".cursor/mcp.json", ONE);
    let terminal = Terminal::start(machine.command(["mcp", "install", "cursor"]), (40, 160), false);
    terminal.sees("of Cursor? [y/N]");
    let other = ONE.replace("npx", "uvx");
    std::fs::write(machine.home().join(".cursor/mcp.json"), &other).unwrap();
    terminal.send("y");
    terminal.sees("has changed meanwhile");
    assert_eq!(terminal.exit().code(), Some(3));
    assert_eq!(machine.text(".cursor/mcp.json"), other);
}

#[test]
fn given_files_that_cannot_be_changed_then_that_is_said_and_nothing_is_lost() {
    let machine = Machine::new();
    let done = machine.mayi(["mcp", "install", "zed", "--yes"]);
    assert_eq!(done.code, 2);
    let looked = machine.home().join(".config/zed/settings.json");
    let says = format!("no settings of Zed were found for you (looked for {}", looked.display());
    assert!(done.err.contains(&says) && done.err.contains("--scope project"), "{}", done.err);
    // It has no files of projects.
    let done = machine.mayi(["mcp", "install", "claude-desktop", "--yes"]);
    assert!(done.err.contains("claude_desktop_config.json") && !done.err.contains("--scope"), "{}", done.err);
    let machine = machine
        .file("bad.json", "{")
        .file("huge.json", &" ".repeat(17 << 20))
        .file("list.json", r#"{"mcpServers": []}"#)
        .file("fixed.json", ONE)
        .file("ok.json", ONE);
    let fixed = machine.work().join("fixed.json");
    std::fs::set_permissions(&fixed, std::fs::Permissions::from_mode(0o444)).unwrap();
    for (file, why) in [
        ("bad.json", "is not JSON"),
        ("huge.json", "larger than 16 MiB"),
        ("list.json", "`mcpServers` is not an object"),
        ("fixed.json", "is read-only"),
        ("missing.json", "can't be read"),
        (".", "is not a file"),
    ] {
        let done = machine.mayi(["mcp", "install", "cursor", "--file", file, "--yes"]);
        assert_eq!((done.code, done.out.as_str()), (3, ""), "{file}: {}", done.err);
        assert!(done.err.contains(why), "{file}: {}", done.err);
    }
    let done = machine.mayi(["mcp", "install", "cursor", "--file", "ok.json", "--server", "nope", "--yes"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("has no server `nope`"), "{}", done.err);
    assert_eq!(std::fs::read_to_string(machine.work().join("ok.json")).unwrap(), ONE);
}
