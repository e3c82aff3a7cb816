//! Writing a file.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    Diff, Meta, ToolCall, ToolCallLocation, ToolKind, WriteTextFileRequest,
};
use serde_json::json;

use crate::calls::{CallOutcome, one_line_error};
use crate::turn::{DemoStop, Turn};

/// Asks to write a file, and writes it if it may.
pub(crate) async fn run(turn: &Turn, file: &str, content: &str) -> Result<CallOutcome, DemoStop> {
    turn.say_slowly(format!("I would like to write {file}.")).await?;
    let outcome = write_quietly(turn, file, content, None).await?;
    turn.report_outcome(&outcome, &format!("{file} is written.")).await?;
    Ok(outcome)
}

/// The same without a word; `meta` goes along with the call.
pub(crate) async fn write_quietly(
    turn: &Turn,
    file: &str,
    content: &str,
    meta: Option<Meta>,
) -> Result<CallOutcome, DemoStop> {
    let path = turn.session_path(file);
    let call = write_call(turn, file, &path, content, text_on_disk(&path)).meta(meta);
    turn.run_gated(call, put_file(turn, path, content.to_owned())).await
}

/// The call that writes a file, with its diff.
pub(crate) fn write_call(
    turn: &Turn,
    file: &str,
    path: &Path,
    content: &str,
    old: Option<String>,
) -> ToolCall {
    ToolCall::new(turn.next_call(), format!("Write {file}"))
        .name("write_file".to_owned())
        .kind(ToolKind::Edit)
        .raw_input(json!({ "path": path, "content": content }))
        .locations(vec![ToolCallLocation::new(path)])
        .content(vec![Diff::new(path, content).old_text(old).into()])
}

/// Writes a file through the client, if it offers files, or else to the disk.
pub(crate) async fn put_file(turn: &Turn, path: PathBuf, content: String) -> Result<String, String> {
    let written = format!("{} bytes written", content.len());
    if turn.offers.fs.write_text_file {
        let request = WriteTextFileRequest::new(turn.session.id.clone(), path, content);
        let response = turn.client.send_request(request).block_task().await;
        response.map_err(|error| one_line_error(&error))?;
    } else {
        tokio::fs::write(path, content).await.map_err(|error| error.to_string())?;
    }
    Ok(written)
}

/// What a file says now, for a diff; nothing when it is new or no text.
pub(crate) fn text_on_disk(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}
