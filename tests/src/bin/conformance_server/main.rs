//! An MCP server with the fixtures that the protocol's conformance suite asks of a server under test.
//!
//! usage: `conformance_server --stdio`, or `conformance_server --http ADDR`, which says where it is as one line of
//! JSON, `{"url": …}`, and ends when its standard input does.
//!
//! The suite's descriptions of its scenarios say what each tool, prompt and resource has to do. Both eras of the
//! protocol are served: up to 2025-11-25 with sessions, from 2026-07-28 without.
#![allow(deprecated, reason = "sampling and logging are on their way out of the protocol, and in the suite")]

mod asking;
mod changes;
mod fixed;
mod listed;
mod logs;
mod prompts;
mod resources;
mod rounds;
mod server;

use std::io::{self, Write as _};
use std::net::SocketAddr;

use axum::serve::ListenerExt as _;
use rmcp::transport::stdio_pipes;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, serve_server};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use self::server::{Server, Shared};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match *words.as_slice() {
        ["--stdio"] => {
            serve_server(Server::new(Shared::new()?), stdio_pipes()).await?.waiting().await?;
        }
        ["--http", address] => http(address.parse()?).await?,
        _ => return Err("usage: conformance_server --stdio | --http ADDR".into()),
    }
    Ok(())
}

/// Serves Streamable HTTP until standard input ends.
async fn http(address: SocketAddr) -> Result<(), Box<dyn std::error::Error>> {
    let shared = Shared::new()?;
    let service = StreamableHttpService::new(
        move || Ok(Server::new(shared.clone())),
        LocalSessionManager::default().into(),
        // Hosts other than loopback are refused by default.
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind(address).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    writeln!(io::stdout(), "{}", json!({ "url": url }))?;
    // Else an event may wait for the client to confirm the one before it.
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    let serving = axum::serve(listener, axum::Router::new().nest_service("/mcp", service));
    let (mut stdin, mut nowhere) = (tokio::io::stdin(), tokio::io::sink());
    tokio::select! {
        ended = serving => ended?,
        ended = tokio::io::copy(&mut stdin, &mut nowhere) => { ended?; }
    }
    Ok(())
}

/// JSON as a type of the protocol's: what is served is written as the suite's descriptions write it.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// The same for the last result of a request. Clients up to 2025-11-25 don't get to see that it says so.
fn result<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    if let Value::Object(members) = &mut value {
        members.insert("resultType".into(), json!("complete"));
    }
    typed(value)
}

/// A result of a tool that is only text.
fn text(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }] })
}
