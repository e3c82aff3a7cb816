//! Entries of every shape, without any files.

use std::path::Path;

use mayi_check::{Checker, Request};
use mayi_core::config::{Folders, Sources};
use serde_json::json;

use super::clients::{CLIENTS, Client};
use super::gated_entries::{GatedServer, parse_gateway};
use super::plan::{mask_values, plan_install, plan_uninstall};

const MAYI: &str = "/opt/mayi/bin/mayi";

fn client(id: &str) -> &'static Client {
    CLIENTS.iter().find(|client| client.id == id).unwrap()
}

fn file() -> &'static Path {
    Path::new("/settings")
}

/// What the gateway makes of `text`; it comes back to the byte, with the notes and, in meaning, without them.
fn wrapped(id: &str, text: &str) -> String {
    let plan = plan_install(client(id), file(), text, &[], MAYI).unwrap();
    assert!(!plan.changed.is_empty(), "{:?}", plan.left_alone);
    let again = plan_install(client(id), file(), &plan.new, &[], MAYI).unwrap();
    assert_eq!((again.new.as_str(), again.changed.len()), (plan.new.as_str(), 0), "idempotent");
    let back = plan_uninstall(client(id), file(), &plan.new, &[], &plan.notes, MAYI).unwrap();
    assert_eq!((back.new.as_str(), back.remarks.as_slice()), (text, [].as_slice()));
    plan.new
}

/// The same, and that it comes back without any note.
fn alone(id: &str, text: &str) -> String {
    let new = wrapped(id, text);
    let back = plan_uninstall(client(id), file(), &new, &[], &[], MAYI).unwrap();
    assert_eq!(back.new, text, "{:?}", back.left_alone);
    new
}

fn left(id: &str, text: &str) -> String {
    let plan = plan_install(client(id), file(), text, &[], MAYI).unwrap();
    assert_eq!((plan.new.as_str(), plan.changed.len()), (text, 0));
    plan.left_alone.iter().map(|(name, why)| format!("{name}: {why}")).collect::<Vec<_>>().join("\n")
}

/// `{"command": C, "args": A, "env": E, ...rest}` keeps all but the command and its arguments, and their layout.
#[test]
fn given_a_command_then_it_stands_behind_the_gateway_and_all_else_stays() {
    let text = r#"{
  // of the team
  "mcpServers": {
    "github": {
      "type": "stdio",
      "command": "npx", // pinned
      "args": [
        "-y", /* yes */
        "server@1",
      ],
      "env": {"TOKEN": "s"}, "disabled": true,
    },
  },
}
"#;
    let new = alone("cursor", text);
    let expected = text.replace("\"npx\"", "\"/opt/mayi/bin/mayi\"").replace(
        "\"-y\"",
        "\"mcp\", \"--name\", \"github\", \"--agent\", \"cursor\", \"--\", \"npx\",\n        \"-y\"",
    );
    assert_eq!(new, expected);
    alone("cursor", r#"{"mcpServers":{"a":{"command":"cmd","args":["/c","npx","-y","x"]}}}"#);
    alone("claude-desktop", "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [ ]}}}");
    let new = wrapped("windsurf", r#"{"mcpServers": {"a": { "command": "uvx" }}}"#);
    assert!(new.contains(r#"{ "command": "/opt/mayi/bin/mayi", "args": ["mcp", "--name","#), "{new}");
    wrapped("windsurf", "{\"mcpServers\":{\"a\":{\"env\":{},\r\n\t\"command\":\"ü\\u0000\"}}}");
}

/// Servers that `claude mcp add` keeps for one folder are the user's own too.
#[test]
fn given_servers_for_a_folder_then_they_are_found() {
    let text = r#"{"projects": {"/w": {"mcpServers": {"a": {"command": "x", "args": ["y"]}}, "n": 1}}, "mcpServers": {"a": {"command": "z", "args": []}}}"#;
    let plan = plan_install(client("claude-code"), file(), text, &[], MAYI).unwrap();
    assert_eq!(plan.changed, ["a", "a (for /w)"]);
    alone("claude-code", text);
}

/// "The header values moved to the entry's env, so that no secret stands in an argument list."
#[test]
fn given_an_address_then_its_headers_become_variables_where_they_stand() {
    let text = r#"{"servers": {"docs": {
  "type": "http",
  "url": "https://docs.example.com/mcp",
  "headers": { "Authorization": "Bearer ${input:token}", "X-Two": "2" }
}}, "inputs": []}"#;
    let new = alone("vscode", text);
    let expected = r#"{"servers": {"docs": {
  "type": "stdio",
  "command": "/opt/mayi/bin/mayi",
  "args": ["mcp", "--name", "docs", "--agent", "vscode", "--url", "https://docs.example.com/mcp", "--header-env", "Authorization=MAYI_HEADER_1", "--header-env", "X-Two=MAYI_HEADER_2"],
  "env": { "MAYI_HEADER_1": "Bearer ${input:token}", "MAYI_HEADER_2": "2" }
}}, "inputs": []}"#;
    assert_eq!(new, expected);
    alone("windsurf", r#"{"mcpServers": {"a": {"serverUrl": "https://a.example/mcp", "disabled": false}}}"#);
    alone("gemini", r#"{"mcpServers": {"a": {"httpUrl": "https://a.example/mcp", "trust": true}}}"#);
    alone("zed", r#"{"context_servers": {"a": {"url": "https://a.example/mcp", "headers": {}}}}"#);
    wrapped("windsurf", r#"{"mcpServers": {"a": {"url": "https://a.example/mcp"}}}"#);
    wrapped(
        "claude-code",
        r#"{"mcpServers": {"a": {"type": "streamable-http", "url": "https://a.example/"}}}"#,
    );
    // The gateway finds out that they speak SSE; the notes know what was written.
    wrapped("claude-code", r#"{"mcpServers": {"a": {"type": "sse", "url": "https://a.example/"}}}"#);
    wrapped("cursor", r#"{"mcpServers": {"a": {"url": "https://a.example/sse"}}}"#);
    wrapped("gemini", r#"{"mcpServers": {"a": {"url": "https://a.example"}}}"#);
}

#[test]
fn given_the_notes_then_they_hold_no_secret() {
    let text = r#"{"mcpServers": {"a": {"url": "https://a.example/mcp", "headers": {"Authorization": "Bearer s3cret"}}, "b": {"command": "s3cret", "args": ["s3cret"], "env": {"T": "s3cret"}}}}"#;
    let plan = plan_install(client("cursor"), file(), text, &[], MAYI).unwrap();
    let notes = serde_json::to_string(&plan.notes).unwrap();
    assert!(plan.notes.len() == 2 && !notes.contains("s3cret"), "{notes}");
    assert!(!mask_values(client("cursor"), text).contains("Bearer"));
}

#[test]
fn given_opencodes_lists_then_both_of_its_versions_work() {
    let text = r#"{"mcp": {"a": {"type": "local", "command": ["npx", "-y", "x"], "enabled": false}}}"#;
    let new = alone("opencode", text);
    assert!(
        new.contains(
            r#"["/opt/mayi/bin/mayi", "mcp", "--name", "a", "--agent", "opencode", "--", "npx", "-y""#
        ),
        "{new}"
    );
    let text = r#"{"mcp": {"timeout": 3, "servers": {"b": {"type": "remote", "url": "https://b.example/mcp", "headers": {"K": "{env:K}"}}}}}"#;
    let new = alone("opencode", text);
    assert!(new.contains(r#""type": "local", "command": ["/opt/mayi/bin/mayi", "mcp""#), "{new}");
    assert!(new.contains(r#""environment": {"MAYI_HEADER_1": "{env:K}"}"#), "{new}");
}

/// Codex refuses a command that has headers beside it.
#[test]
fn given_codexs_tables_then_each_way_to_write_them_works() {
    let text = "model = \"o3\" # best\r\n\r\n[mcp_servers.a]\r\ncommand = \"npx\" # run\r\nargs = [\"-y\", 'x']\r\n\r\n[mcp_servers.a.env]\r\nK = \"v\"\r\n";
    let new = alone("codex", text);
    assert!(new.contains(
        "\r\nargs = [\"mcp\", \"--name\", \"a\", \"--agent\", \"codex\", \"--\", \"npx\", \"-y\", 'x']\r\n"
    ));
    let bare = wrapped("codex", "[mcp_servers.\"a\"]\n  command = \"x\"\n[other]\ncommand = 1\n");
    assert!(bare.contains("  command = \"/opt/mayi/bin/mayi\"\n  args = [\"mcp\""), "{bare}");
    assert!(bare.ends_with("[other]\ncommand = 1\n"));
    alone("codex", "mcp_servers = { a = { command = \"x\", args = [] } }\n");
    let text = "[mcp_servers.d]\nurl = \"https://d.example/mcp\"\nenv_http_headers = { X-Key = \"MY_KEY\" }\nenabled = false\n\n[mcp_servers.d.http_headers]\nAuthorization = \"Bearer s\"\n";
    let new = alone("codex", text);
    assert!(new.contains("env_vars = [\"MY_KEY\"]\n"), "{new}");
    assert!(new.contains("[mcp_servers.d.env]\nMAYI_HEADER_1 = \"Bearer s\"\n"), "{new}");
    assert!(!new.contains("http_headers"), "{new}");
    assert!(
        left("codex", "[mcp_servers.a]\nurl = \"https://a.example\"\nbearer_token_env_var = \"T\"\n")
            .contains("logs in")
    );
    assert_eq!(left("codex", "mcp_servers.a.command = \"x\"\n"), "a: it is written with dotted keys");
}

#[test]
fn given_what_cannot_stand_behind_the_gateway_then_it_is_left_alone_with_the_reason() {
    let of = |entry: &str| left("cursor", &format!("{{\"mcpServers\": {{\"a\": {entry}}}}}"));
    for (entry, why) in [
        (r#"{"type": "ws", "url": "wss://a.example/"}"#, "of the type `ws`"),
        (r#"{"url": "-x"}"#, "its address is none"),
        (r#"{"url": 3}"#, "not a text"),
        (r#"{"url": "https://a.example", "oauth": {}}"#, "logs in to it by its own `oauth`"),
        (r#"{"url": "https://a.example", "headers": {"a b": "c"}}"#, "its header `a b` is none"),
        (r#"{"url": "https://a.example", "headers": {"a": 1}}"#, "its header `a` is none"),
        (r#"{"url": "https://a.example", "headers": {"a": "1"}, "env": {}}"#, "it has `headers` and `env`"),
        (r#"{"url": "https://a.example", "command": "x"}"#, "a command and an address"),
        (r#"{"url": "https://a.example", "httpUrl": "x"}"#, "more than one address"),
        (r#"{"command": {"path": "x"}}"#, "not texts"),
        (r#"{"command": "", "args": []}"#, "its command is empty"),
        (r#"{"command": "x", "args": "y"}"#, "not texts"),
        (r#"{"command": "x", "args": [1]}"#, "not texts"),
        (r#"{"command": "x", "command": "y"}"#, "it has `command` twice"),
        ("{}", "neither a command nor an address"),
        ("[]", "it is not an object"),
        (r#"{"command": "x"}, "a": {"command": "y"}"#, "its name is there twice"),
    ] {
        let said = of(entry);
        assert!(said.starts_with("a: ") && said.contains(why), "{entry}: {said}");
    }
    assert!(left("zed", r#"{"context_servers": {"a": {"settings": {}}}}"#).contains("an extension of Zed"));
}

#[test]
fn given_a_text_that_is_none_then_that_is_said_and_nothing_panics() {
    let wrong = |id: &str, text: &str| plan_install(client(id), file(), text, &[], MAYI).unwrap_err();
    assert!(wrong("cursor", "{").starts_with("is not JSON: "));
    assert!(wrong("cursor", "{'mcpServers': {}}").starts_with("is not JSON: "));
    assert!(wrong("cursor", &"[".repeat(100_000)).starts_with("is not JSON: "));
    assert_eq!(wrong("cursor", "[]"), "is not an object");
    assert_eq!(wrong("cursor", r#"{"mcpServers": []}"#), "`mcpServers` is not an object");
    assert!(wrong("cursor", r#"{"mcpServers": {}, "mcpServers": {}}"#).contains("twice"));
    assert!(wrong("codex", "[mcp_servers").starts_with("is not TOML: "));
    assert_eq!(wrong("codex", "mcp_servers = 3"), "`mcp_servers` is not a table");
    for text in ["", " \n", "{}", "// nothing\n"] {
        assert_eq!(plan_install(client("cursor"), file(), text, &[], MAYI).unwrap().new, text);
    }
}

/// "Names outside [A-Za-z0-9._-] can't be passed as --name: choose a plain name, and say so."
#[test]
fn given_a_name_that_cannot_be_passed_then_one_like_it_is_chosen() {
    let text = r#"{"mcpServers": {"my server": {"command": "a"}, "my-server": {"command": "b"}, "-x": {"command": "c"}, "世界": {"command": "d"}, "\u001b[2J": {"command": "e"}}}"#;
    let plan = plan_install(client("cursor"), file(), text, &[], MAYI).unwrap();
    for name in ["my-server-2", "my-server", "x", "server", "2J"] {
        assert!(plan.new.contains(&format!("\"--name\", \"{name}\"")), "{name}: {}", plan.new);
    }
    let said: Vec<String> = plan.remarks.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    assert_eq!(said.len(), 4);
    assert_eq!(said.last().unwrap(), "\\x1b[2J: rules and cards call it 2J");
    wrapped("cursor", text);
}

/// An entry that was edited since comes back by what it says now.
#[test]
fn given_an_entry_that_was_edited_then_it_is_taken_back_as_it_is() {
    let text = r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y"]}, "r": {"type": "streamable-http", "url": "https://r.example", "headers": {"H": "v"}}}}"#;
    let plan = plan_install(client("cursor"), file(), text, &[], MAYI).unwrap();
    let edited = plan.new.replace("\"-y\"", "\"-y\", \"more\"").replace("\"mcp\"", "\"mcp\", \"--toolbelt\"");
    let edited = edited.replace(": \"v\"", ": \"other\"").replace(", ", ",\n");
    let back = plan_uninstall(client("cursor"), file(), &edited, &[], &plan.notes, MAYI).unwrap();
    assert_eq!(back.remarks.len(), 2, "{back:?}");
    let expected =
        text.replace("\"-y\"", "\"-y\", \"more\"").replace(": \"v\"", ": \"other\"").replace(", ", ",\n");
    assert_eq!(back.new, expected);
    // What can't be said of a remote server is left as it is.
    let edited = plan.new.replace("\"MAYI_HEADER_1\"", "\"MINE\": \"1\", \"MAYI_HEADER_1\"");
    let back =
        plan_uninstall(client("cursor"), file(), &edited, &["r".to_owned()], &plan.notes, MAYI).unwrap();
    assert_eq!(back.new, edited);
    assert!(back.left_alone.iter().any(|(_, why)| why.contains("variables beside")), "{:?}", back.left_alone);
}

/// Attack 126: notes that somebody made up.
#[test]
fn given_a_note_that_says_another_command_then_it_does_not_count() {
    let text = r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y"]}}}"#;
    let mut plan = plan_install(client("cursor"), file(), text, &[], MAYI).unwrap();
    let evil = r#"{"command": "evil", "args": ["-y"]}"#.to_owned();
    plan.notes[0].back = vec![super::text_pieces::UndoPiece::Text(evil)];
    let back = plan_uninstall(client("cursor"), file(), &plan.new, &[], &plan.notes, MAYI).unwrap();
    assert_eq!(back.new, text);
    plan.notes[0].back = vec![super::text_pieces::UndoPiece::Kept(0, 1 << 40)];
    let back = plan_uninstall(client("cursor"), file(), &plan.new, &[], &plan.notes, MAYI).unwrap();
    assert_eq!(back.new, text);
}

#[test]
fn given_a_gateway_of_ones_own_then_it_is_known_and_not_taken_away() {
    let text = r#"{"mcpServers": {"a": {"command": "mayi", "args": ["mcp", "github"]}, "b": {"command": "C:\\bin\\mayi.exe", "args": ["mcp", "--", "npx"]}, "c": {"command": "mayi", "args": ["run"]}}}"#;
    let entries = client("cursor").parse_entries(text).unwrap();
    let servers: Vec<Option<GatedServer>> = entries
        .iter()
        .map(|entry| parse_gateway(entry, client("cursor").shape, MAYI).map(|gated| gated.server))
        .collect();
    assert_eq!(servers, [Some(GatedServer::Configured), Some(GatedServer::Local(3)), None]);
    let back = plan_uninstall(client("cursor"), file(), text, &[], &[], MAYI).unwrap();
    assert_eq!((back.new.as_str(), back.left_alone.len()), (text, 2));
}

/// Whatever the program is called.
#[test]
fn given_a_program_of_another_name_then_it_comes_back_all_the_same() {
    let text = r#"{"mcpServers": {"a": {"command": "npx"}}}"#;
    let plan = plan_install(client("cursor"), file(), text, &[], "/opt/gate").unwrap();
    let back = plan_uninstall(client("cursor"), file(), &plan.new, &[], &plan.notes, "/opt/gate").unwrap();
    assert_eq!(back.new, text);
}

/// What is written is what `mayi mcp` takes.
#[test]
fn given_what_is_written_then_the_gateway_reads_it_so() {
    use clap::Parser as _;
    let text = r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y", "--name", "z"]}, "b": {"url": "https://b.example", "headers": {"K": "v"}}}}"#;
    let new = wrapped("cursor", text);
    let of = |name: &str| {
        let settings: serde_json::Value = serde_json::from_str(&new).unwrap();
        let args = settings["mcpServers"][name]["args"].as_array().unwrap().clone();
        let words = std::iter::once("mayi".to_owned());
        let words = words.chain(args.iter().map(|word| word.as_str().unwrap().to_owned()));
        match crate::commands::Cli::try_parse_from(words).unwrap().command {
            crate::commands::Command::Mcp(args) => *args,
            other => panic!("{other:?}"),
        }
    };
    let local = of("a");
    assert_eq!(local.launch, ["npx", "-y", "--name", "z"]);
    assert_eq!((local.name.as_deref(), local.agent.as_deref()), (Some("a"), Some("cursor")));
    let remote = of("b");
    assert_eq!((remote.url.as_deref(), remote.launch.len()), (Some("https://b.example"), 0));
    assert_eq!(remote.header_env, ["K=MAYI_HEADER_1"]);
}

/// D4.8: what a client starts is said by files that no agent may write unasked, wherever the client has them.
#[test]
fn given_the_files_of_every_client_then_an_agent_that_writes_one_is_always_asked_about() {
    let home = Path::new("/home/me");
    for config in ["/home/me/.config/mayi", "/srv/settings/mayi"] {
        let folders = Folders { home: Some(home.into()), config: Some(config.into()), ..Folders::default() };
        let sources = Sources { folders: folders.clone(), cwd: "/home/me/work".into(), ..Sources::default() };
        let mut checker = Checker::new(sources, true);
        for client in CLIENTS {
            let own = client.own_files(&folders);
            let of_project = client.project.iter().map(|file| home.join("work").join(file));
            for file in own.into_iter().chain(of_project) {
                let request = json!({ "kind": "write", "path": file, "mode": "auto" }).to_string();
                let decision = checker.decide(&Request::from_json(&request).unwrap()).unwrap();
                assert!(decision.always_asks(), "{}: {}", client.id, file.display());
            }
        }
    }
}
