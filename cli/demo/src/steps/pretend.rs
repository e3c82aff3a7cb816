//! Calls that are asked for and then only pretended: nothing is touched.

use agent_client_protocol::v1::schema::{ToolCall, ToolKind};
use serde_json::{Value, json};

use crate::turn::{DemoStop, Turn};

/// Asks to fetch a URL.
pub(crate) async fn fetch_url(turn: &Turn, url: &str) -> Result<(), DemoStop> {
    let call = ToolCall::new(turn.next_call(), format!("Fetch {url}"))
        .name("fetch_url".to_owned())
        .kind(ToolKind::Fetch)
        .raw_input(json!({ "url": url }));
    pretend_call(turn, call, &format!("fetch {url}")).await
}

/// Asks to call a tool of an MCP server, named the way agents name it.
pub(crate) async fn call_mcp_tool(
    turn: &Turn,
    server: &str,
    tool: &str,
    arguments: Value,
) -> Result<(), DemoStop> {
    let name = format!("mcp__{server}__{tool}");
    let call = ToolCall::new(turn.next_call(), name.clone())
        .name(name.clone())
        .kind(ToolKind::Other)
        .raw_input(arguments);
    pretend_call(turn, call, &format!("call {name}")).await
}

async fn pretend_call(turn: &Turn, call: ToolCall, what: &str) -> Result<(), DemoStop> {
    turn.say_slowly(format!("I would like to {what}.")).await?;
    let outcome = turn.run_gated(call, async { Ok("pretending".to_owned()) }).await?;
    turn.report_outcome(&outcome, "Pretending: I did nothing, for I have no network.").await
}
