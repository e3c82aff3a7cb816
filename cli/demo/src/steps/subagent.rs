//! A sub-agent, whose call names the call that started it.

use agent_client_protocol::v1::schema::{Meta, ToolCall, ToolCallId, ToolCallStatus, ToolKind};
use serde_json::json;

use super::write;
use crate::calls::CallOutcome;
use crate::turn::{DemoStop, Turn};

/// Starts a sub-agent that asks to write `sub.txt`.
pub(crate) async fn run(turn: &Turn) -> Result<(), DemoStop> {
    turn.say_slowly("I start a sub-agent that would like to write sub.txt.").await?;
    let parent = ToolCall::new(turn.next_call(), "Sub-agent")
        .name("subagent".to_owned())
        // As Claude's agent says it: what the sub-agent does is asked about by itself.
        .kind(ToolKind::Think)
        .status(ToolCallStatus::InProgress)
        .raw_input(json!({ "prompt": "write sub.txt" }));
    turn.announce_call(&parent)?;
    let meta = child_of(&parent.tool_call_id);
    let outcome = write::write_quietly(turn, "sub.txt", "From the sub-agent.\n", Some(meta)).await?;
    turn.finish_call(&parent, &CallOutcome::Done("the sub-agent is done".to_owned()))?;
    turn.report_outcome(&outcome, "The sub-agent wrote sub.txt.").await
}

/// What Claude's agent says of a sub-agent's call.
fn child_of(parent: &ToolCallId) -> Meta {
    Meta::from_iter([("claudeCode".to_owned(), json!({ "parentToolUseId": parent }))])
}
