//! The inspector's command line as the client.

use serde_json::{Map, Value, json};

use crate::ground::{Ground, Line, Way};
use crate::servers::Server;

/// What the inspector prints for a call of `echo`.
fn echoed(ground: &Ground, server: &Line) -> Value {
    let [command, arguments @ ..] = server.words.as_slice() else { panic!("{server:?} is empty") };
    let variables: Map<String, Value> = ground
        .environment(server)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json!(value.into_string().unwrap())))
        .collect();
    let servers = json!({ "mcpServers": { "it": {
        "type": "stdio",
        "command": command,
        "args": arguments,
        "env": variables,
    } } });
    let config = ground.folder("work").join("servers.json");
    std::fs::write(&config, servers.to_string()).unwrap();
    let launcher = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
    let mut line = ground.node(launcher, &["--cli", "--server", "it", "--config"]);
    line.words.push(config.display().to_string());
    let call = ["--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=hello"];
    line.words.extend(call.map(str::to_owned));
    let mut inspector = ground.start(&line);
    inspector.close();
    let mut printed = String::new();
    while let Some(line) = inspector.line() {
        printed += &line;
    }
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}{}", inspector.errors()))
}

/// The inspector finds and calls a tool behind the gateway as it does without it.
#[test]
fn given_the_inspector_then_a_call_comes_to_the_same_through_the_gateway() {
    let ground = Ground::new();
    let [direct, through] = [Way::Direct, Way::Gateway].map(|way| {
        let server = Server::Everything.fresh(&ground);
        echoed(&ground, &Ground::reached(way, Server::Everything.name(), &server))
    });
    assert_eq!(direct["content"][0]["text"], "Echo: hello");
    assert_eq!(direct, through);
    ground.is_quiet();
}
