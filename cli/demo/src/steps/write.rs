//! Writing a file.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    Diff, Meta, ToolCall, ToolCallLocation, ToolKind, WriteTextFileRequest,
};
use serde_json::json;

use crate::calls::{Outcome, reason};
use crate::turn::{Stop, Turn};

/// Asks to write a file, and writes it if it may.
pub(crate) async fn run(turn: &Turn, file: &str, content: &str) -> Result<Outcome, Stop> {
    turn.say(format!("I would like to write {file}.")).await?;
    let outcome = perform(turn, file, content, None).await?;
    turn.remark(&outcome, &format!("{file} is written.")).await?;
    Ok(outcome)
}

/// The same without a word; `meta` goes along with the call.
pub(crate) async fn perform(
    turn: &Turn,
    file: &str,
    content: &str,
    meta: Option<Meta>,
) -> Result<Outcome, Stop> {
    let path = turn.path(file);
    let call = call(turn, file, &path, content, on_disk(&path)).meta(meta);
    turn.gated(call, put(turn, path, content.to_owned())).await
}

/// The call that writes a file, with its diff.
pub(crate) fn call(turn: &Turn, file: &str, path: &Path, content: &str, old: Option<String>) -> ToolCall {
    ToolCall::new(turn.next_call(), format!("Write {file}"))
        .name("write_file".to_owned())
        .kind(ToolKind::Edit)
        .raw_input(json!({ "path": path, "content": content }))
        .locations(vec![ToolCallLocation::new(path)])
        .content(vec![Diff::new(path, content).old_text(old).into()])
}

/// Writes a file through the client, if it offers files, or else to the disk.
pub(crate) async fn put(turn: &Turn, path: PathBuf, content: String) -> Result<String, String> {
    let written = format!("{} bytes written", content.len());
    if turn.offers.fs.write_text_file {
        let request = WriteTextFileRequest::new(turn.session.id.clone(), path, content);
        let response = turn.client.send_request(request).block_task().await;
        response.map_err(|error| reason(&error))?;
    } else {
        tokio::fs::write(path, content).await.map_err(|error| error.to_string())?;
    }
    Ok(written)
}

/// What a file says now, for a diff; nothing when it is new or no text.
pub(crate) fn on_disk(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}
