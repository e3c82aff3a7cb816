//! Calls that are asked for and then only pretended: nothing is touched.

use agent_client_protocol::v1::schema::{ToolCall, ToolKind};
use serde_json::{Value, json};

use crate::turn::{Stop, Turn};

/// Asks to fetch a URL.
pub(crate) async fn fetch(turn: &Turn, url: &str) -> Result<(), Stop> {
    let call = ToolCall::new(turn.next_call(), format!("Fetch {url}"))
        .name("fetch_url".to_owned())
        .kind(ToolKind::Fetch)
        .raw_input(json!({ "url": url }));
    pretend(turn, call, &format!("fetch {url}")).await
}

/// Asks to call a tool of an MCP server, named the way agents name it.
pub(crate) async fn mcp(turn: &Turn, server: &str, tool: &str, arguments: Value) -> Result<(), Stop> {
    let name = format!("mcp__{server}__{tool}");
    let call = ToolCall::new(turn.next_call(), name.clone())
        .name(name.clone())
        .kind(ToolKind::Other)
        .raw_input(arguments);
    pretend(turn, call, &format!("call {name}")).await
}

async fn pretend(turn: &Turn, call: ToolCall, what: &str) -> Result<(), Stop> {
    turn.say(format!("I would like to {what}.")).await?;
    let outcome = turn.gated(call, async { Ok("pretending".to_owned()) }).await?;
    turn.remark(&outcome, "Pretending: I did nothing, for I have no network.").await
}
