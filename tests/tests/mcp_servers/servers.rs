//! Servers of others, and requests whose answers are the same each time.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::ground::{Ground, Line, text};

/// What to ask, one after another.
pub(crate) type Requests = Vec<(&'static str, Value)>;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Server {
    Everything,
    Filesystem,
    Memory,
    Git,
    Time,
}

impl Server {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::Filesystem => "fs",
            Self::Memory => "memory",
            Self::Git => "git",
            Self::Time => "time",
        }
    }

    /// The server's command line, with everything that it works on as it was at first.
    pub(crate) fn fresh(self, ground: &Ground) -> Line {
        let folder = ground.emptied("stage");
        match self {
            Self::Everything => ground.node("@modelcontextprotocol/server-everything/dist/index.js", &[]),
            Self::Filesystem => {
                std::fs::write(folder.join("notes.txt"), "line one\nline two – ünïcödé\n").unwrap();
                std::fs::create_dir(folder.join("inner")).unwrap();
                let allowed = text(&folder);
                ground.node("@modelcontextprotocol/server-filesystem/dist/index.js", &[&allowed])
            }
            Self::Memory => {
                let mut line = ground.node("@modelcontextprotocol/server-memory/dist/index.js", &[]);
                line.variables.push(("MEMORY_FILE_PATH", text(&folder.join("memory.jsonl"))));
                line
            }
            Self::Git => {
                repository(&folder);
                ground.python(&["-m", "mcp_server_git"])
            }
            Self::Time => ground.python(&["-m", "mcp_server_time", "--local-timezone", "Etc/UTC"]),
        }
    }

    pub(crate) fn requests(self, ground: &Ground) -> Requests {
        let stage = ground.folder("stage");
        let at = |name: &str| text(&stage.join(name));
        let mut requests = vec![("tools/list", json!({}))];
        requests.extend(match self {
            Self::Everything => everything(),
            Self::Filesystem => filesystem(&text(&stage), &at),
            Self::Memory => memory(),
            Self::Git => git(&text(&stage)),
            Self::Time => vec![
                call(
                    "convert_time",
                    json!({
                        "source_timezone": "Europe/Berlin",
                        "time": "12:30",
                        "target_timezone": "Asia/Kathmandu",
                    }),
                ),
                call("get_current_time", json!({ "timezone": "Nowhere/Never" })),
            ],
        });
        requests
    }
}

fn call(tool: &str, arguments: Value) -> (&'static str, Value) {
    ("tools/call", json!({ "name": tool, "arguments": arguments }))
}

fn everything() -> Requests {
    let document = "demo://resource/static/document/features.md";
    let prompt = json!({ "type": "ref/prompt", "name": "completable-prompt" });
    vec![
        call("echo", json!({ "message": "ünïcödé \u{1f600} \"quoted\" \\ \u{2028} </script>" })),
        call("get-sum", json!({ "a": 0.1, "b": 0.2 })),
        call("get-tiny-image", json!({})),
        call("get-structured-content", json!({ "location": "New York" })),
        call("get-annotated-message", json!({ "messageType": "error", "includeImage": true })),
        call("get-resource-links", json!({ "count": 3 })),
        // A tool's own error, and one of the protocol.
        call("get-sum", json!({ "a": "one" })),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": document })),
        ("resources/read", json!({ "uri": "demo://nowhere" })),
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "simple-prompt" })),
        ("prompts/get", json!({ "name": "args-prompt", "arguments": { "city": "Köln" } })),
        ("completion/complete", json!({ "ref": prompt, "argument": { "name": "department", "value": "S" } })),
        ("ping", json!({})),
    ]
}

fn filesystem(stage: &str, at: &dyn Fn(&str) -> String) -> Requests {
    vec![
        call("list_allowed_directories", json!({})),
        call("list_directory", json!({ "path": stage })),
        call("read_text_file", json!({ "path": at("notes.txt") })),
        call("write_file", json!({ "path": at("inner/new.txt"), "content": "written\n" })),
        call(
            "edit_file",
            json!({
                "path": at("notes.txt"),
                "edits": [{ "oldText": "line one", "newText": "line 1" }],
            }),
        ),
        call("read_multiple_files", json!({ "paths": [at("notes.txt"), at("inner/new.txt")] })),
        call("directory_tree", json!({ "path": stage })),
        call("move_file", json!({ "source": at("inner/new.txt"), "destination": at("moved.txt") })),
        // Not there, and not allowed by the server.
        call("read_text_file", json!({ "path": at("nowhere.txt") })),
        call("read_text_file", json!({ "path": "/etc/hostname" })),
    ]
}

fn memory() -> Requests {
    let entity = json!({ "name": "Ada", "entityType": "person", "observations": ["likes engines"] });
    vec![
        call("create_entities", json!({ "entities": [entity] })),
        call(
            "add_observations",
            json!({
                "observations": [{ "entityName": "Ada", "contents": ["wrote notes"] }],
            }),
        ),
        call("search_nodes", json!({ "query": "engines" })),
        call("read_graph", json!({})),
        call("delete_entities", json!({ "entityNames": ["Ada"] })),
        call("read_graph", json!({})),
    ]
}

fn git(repository: &str) -> Requests {
    let here = |more: Value| {
        let mut arguments = json!({ "repo_path": repository });
        if let (Some(arguments), Value::Object(more)) = (arguments.as_object_mut(), more) {
            arguments.extend(more);
        }
        arguments
    };
    vec![
        call("git_status", here(json!({}))),
        call("git_log", here(json!({ "max_count": 5 }))),
        call("git_diff_unstaged", here(json!({}))),
        call("git_add", here(json!({ "files": ["notes.txt"] }))),
        call("git_diff_staged", here(json!({}))),
        call("git_show", here(json!({ "revision": "HEAD" }))),
        call("git_show", here(json!({ "revision": "nowhere" }))),
    ]
}

/// A repository with one commit, always the same, and a change.
fn repository(folder: &Path) {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Test", "-c", "user.email=test@example.com"]).args(arguments);
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_DATE"), "2026-01-02T03:04:05Z");
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    std::fs::write(folder.join("notes.txt"), "before\n").unwrap();
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "notes.txt"]);
    git(&["commit", "--quiet", "--message=First"]);
    std::fs::write(folder.join("notes.txt"), "after\n").unwrap();
}
