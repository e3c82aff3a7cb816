//! Editing a file: a line is added at its end.

use agent_client_protocol::v1::schema::{Diff, ToolCall, ToolCallLocation, ToolKind};
use serde_json::json;

use super::write;
use crate::calls::CallOutcome;
use crate::turn::{DemoStop, Turn};

const ADDED: &str = "This line was added by the demo agent.\n";

/// Asks to edit a file, and does if it may.
pub(crate) async fn run(turn: &Turn, file: &str) -> Result<CallOutcome, DemoStop> {
    let path = turn.session_path(file);
    let Some(old) = write::text_on_disk(&path) else {
        let outcome = CallOutcome::Skipped(format!("there is no text in {file} to edit"));
        turn.report_outcome(&outcome, "").await?;
        return Ok(outcome);
    };
    turn.say_slowly(format!("I would like to add a line to {file}.")).await?;
    let new = with_added_line(&old);
    let call = ToolCall::new(turn.next_call(), format!("Edit {file}"))
        .name("edit_file".to_owned())
        .kind(ToolKind::Edit)
        .raw_input(json!({ "path": path, "old_text": old, "new_text": new }))
        .locations(vec![ToolCallLocation::new(path.clone())])
        .content(vec![Diff::new(path.clone(), new.clone()).old_text(old).into()]);
    let outcome = turn.run_gated(call, write::put_file(turn, path, new)).await?;
    turn.report_outcome(&outcome, &format!("{file} is edited.")).await?;
    Ok(outcome)
}

fn with_added_line(old: &str) -> String {
    let end_of_line = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
    format!("{old}{end_of_line}{ADDED}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_text_without_a_last_line_end_then_the_new_line_still_stands_alone() {
        assert_eq!(with_added_line("one"), format!("one\n{ADDED}"));
        assert_eq!(with_added_line("one\n"), format!("one\n{ADDED}"));
        assert_eq!(with_added_line(""), ADDED);
    }
}
