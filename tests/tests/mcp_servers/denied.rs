//! What the gateway denies does not happen, and the client hears of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::ground::{Ground, Line, text};
use crate::raw;
use crate::sdk;
use crate::servers::{Requests, Server};

/// The filesystem server behind a gateway that denies the tool `write_file`, and nothing else.
fn without_writing(ground: &Ground) -> Line {
    let server = Server::Filesystem.fresh(ground);
    server.behind(Ground::gateway("fs", &["--deny", "mcp(fs/write_file)"], &["--"]))
}

/// A denied call over an existing file, one for a new file, and one that is allowed.
fn calls(ground: &Ground) -> Requests {
    let stage = ground.folder("stage");
    let call = |name: &str, arguments: Value| ("tools/call", json!({ "name": name, "arguments": arguments }));
    let write = |name: &str| json!({ "path": text(&stage.join(name)), "content": "gone\n" });
    vec![
        call("write_file", write("notes.txt")),
        call("write_file", write("new.txt")),
        call("read_text_file", json!({ "path": text(&stage.join("notes.txt")) })),
    ]
}

/// Every file below a folder, with what it holds; none for folders.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(contents(&path));
        }
        let held = path.is_file().then(|| std::fs::read(&path).unwrap());
        found.insert(path, held);
    }
    found
}

/// The denied calls failed with words for the model, and the allowed one told what is in the file.
fn told(results: &[Value]) {
    for denied in &results[..2] {
        assert_eq!(denied["isError"], true, "{denied}");
        let words = denied["content"][0]["text"].as_str().unwrap_or_default();
        assert!(!words.trim().is_empty(), "{denied}");
    }
    let read = results[2].to_string();
    assert!(read.contains("line one") && results[2]["isError"] != true, "{read}");
}

/// "A denied call leaves no trace, and the client gets `isError: true` with a text": the Python SDK's client.
#[test]
fn given_a_denied_tool_then_the_sdk_hears_so_and_no_file_changes() {
    let ground = Ground::new();
    let gateway = without_writing(&ground);
    let before = contents(&ground.folder("stage"));
    for mode in ["legacy", "auto"] {
        let answers = sdk::stdio(&ground, mode, &gateway, &calls(&ground));
        let results: Vec<Value> = answers.iter().skip(1).map(|answer| answer["result"].clone()).collect();
        told(&results);
        assert_eq!(contents(&ground.folder("stage")), before);
    }
    ground.is_quiet();
}

/// The same for a client that knows only lines.
#[test]
fn given_a_denied_tool_then_the_answer_is_an_error_and_no_file_changes() {
    let ground = Ground::new();
    let gateway = without_writing(&ground);
    let before = contents(&ground.folder("stage"));
    let answers = raw::session(ground.start(&gateway), &calls(&ground));
    let results: Vec<Value> = answers.iter().skip(1).map(raw::Answer::value).collect();
    told(&results);
    assert_eq!(contents(&ground.folder("stage")), before);
    ground.is_quiet();
}

/// The same over Streamable HTTP, in both eras.
#[test]
fn given_a_denied_tool_over_http_then_the_sdk_hears_so_and_no_file_changes() {
    let ground = Ground::new();
    let server = Server::Filesystem.fresh(&ground);
    let options = ["--deny", "mcp(fs/write_file)", "--http", "127.0.0.1:0", "--open"];
    let before = contents(&ground.folder("stage"));
    let served = ground.serve(&server.behind(Ground::gateway("fs", &options, &["--"])));
    for mode in ["legacy", "auto"] {
        let answers = sdk::http(&ground, mode, &served.url, &calls(&ground));
        let results: Vec<Value> = answers.iter().skip(1).map(|answer| answer["result"].clone()).collect();
        told(&results);
        assert_eq!(contents(&ground.folder("stage")), before);
    }
    drop(served);
    ground.is_quiet();
}
