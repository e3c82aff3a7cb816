//! Reading a file, which is not asked for.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{ReadTextFileRequest, ToolCall, ToolCallLocation, ToolKind};
use serde_json::json;

use crate::calls::{CallOutcome, one_line_error};
use crate::turn::{DemoStop, Turn};

/// Reads a file and says how it begins.
pub(crate) async fn run(turn: &Turn, file: &str) -> Result<CallOutcome, DemoStop> {
    turn.say_slowly(format!("I read {file}.")).await?;
    let path = turn.session_path(file);
    let call = ToolCall::new(turn.next_call(), format!("Read {file}"))
        .name("read_file".to_owned())
        .kind(ToolKind::Read)
        .raw_input(json!({ "path": path }))
        .locations(vec![ToolCallLocation::new(path.clone())]);
    let outcome =
        turn.run_unasked(call, async { Ok(describe_content(&read_content(turn, path).await?)) }).await?;
    let done = match &outcome {
        CallOutcome::Done(description) => description.as_str(),
        _ => "",
    };
    turn.report_outcome(&outcome, done).await?;
    Ok(outcome)
}

/// `README.md`, or else the first file of the folder that is not hidden.
pub(crate) fn choose_file(folder: &Path) -> Option<String> {
    const FIRST: &str = "README.md";
    if folder.join(FIRST).is_file() {
        return Some(FIRST.to_owned());
    }
    let names = std::fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        (entry.path().is_file() && !name.starts_with('.')).then_some(name)
    });
    names.min()
}

/// A file's text: the client's, if it offers files, or else the disk's.
async fn read_content(turn: &Turn, path: PathBuf) -> Result<String, String> {
    if turn.offers.fs.read_text_file {
        let request = ReadTextFileRequest::new(turn.session.id.clone(), path);
        let response = turn.client.send_request(request).block_task().await;
        response.map(|read| read.content).map_err(|error| one_line_error(&error))
    } else {
        tokio::fs::read_to_string(path).await.map_err(|error| error.to_string())
    }
}

/// The number of lines, and the first one that says something.
fn describe_content(content: &str) -> String {
    const LONGEST: usize = 60;
    let lines = match content.lines().count() {
        1 => "It has one line".to_owned(),
        lines => format!("It has {lines} lines"),
    };
    match content.lines().find(|line| !line.trim().is_empty()) {
        None => format!("{lines}, and says nothing."),
        Some(first) => {
            let shown: String = first.trim().chars().take(LONGEST).collect();
            let more = if first.trim().chars().count() > LONGEST { "…" } else { "" };
            format!("{lines}, and begins with: {shown}{more}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_folder_then_the_readme_comes_first_and_hidden_files_never() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(choose_file(folder.path()), None);
        std::fs::create_dir(folder.path().join("a-folder")).unwrap();
        std::fs::write(folder.path().join(".hidden"), "").unwrap();
        assert_eq!(choose_file(folder.path()), None);
        std::fs::write(folder.path().join("z.txt"), "").unwrap();
        std::fs::write(folder.path().join("b.txt"), "").unwrap();
        assert_eq!(choose_file(folder.path()).as_deref(), Some("b.txt"));
        std::fs::write(folder.path().join("README.md"), "").unwrap();
        assert_eq!(choose_file(folder.path()).as_deref(), Some("README.md"));
    }

    #[test]
    fn given_a_text_then_it_is_described_by_its_first_line_with_words() {
        assert_eq!(describe_content(""), "It has 0 lines, and says nothing.");
        assert_eq!(describe_content("\n# Hi\n"), "It has 2 lines, and begins with: # Hi");
        assert!(describe_content(&"x".repeat(61)).ends_with("x…"));
    }
}
