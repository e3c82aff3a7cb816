//! A call that asks nobody and uses nothing of the client's.

use super::write;
use crate::turn::{DemoStop, Turn};

/// Writes a file to the disk, and only reports it.
pub(crate) async fn run(turn: &Turn, file: &str) -> Result<(), DemoStop> {
    const CONTENT: &str = "Written without asking.\n";
    let path = turn.session_path(file);
    let call = write::write_call(turn, file, &path, CONTENT, write::text_on_disk(&path));
    let work = async {
        let written = tokio::fs::write(&path, CONTENT).await;
        written.map(|()| "written".to_owned()).map_err(|error| error.to_string())
    };
    let outcome = turn.run_unasked(call, work).await?;
    turn.report_outcome(&outcome, &format!("I wrote {file}, and asked nobody.")).await
}
