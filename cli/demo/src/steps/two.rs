//! Two things at once: both questions are open at the same time.

use super::{run as command, write};
use crate::calls::CallOutcome;
use crate::turn::{DemoStop, Turn};

/// Asks to write `two.txt` and to run `touch ran.txt`.
pub(crate) async fn run(turn: &Turn) -> Result<(), DemoStop> {
    let (_, _) = at_once(turn, "touch ran.txt", "two.txt", "One of two.\n").await?;
    Ok(())
}

/// Asks for both, command first, and does each one that may be done as soon as it may.
pub(crate) async fn at_once(
    turn: &Turn,
    line: &str,
    file: &str,
    content: &str,
) -> Result<(CallOutcome, CallOutcome), DemoStop> {
    turn.say_slowly(format!("Two things at once: run {line}, and write {file}.")).await?;
    let (ran, written) =
        tokio::try_join!(command::run_quietly(turn, line), write::write_quietly(turn, file, content, None))?;
    for (what, outcome) in [(line, &ran), (file, &written)] {
        let said = match outcome {
            CallOutcome::Done(_) => format!("{what}: done."),
            CallOutcome::Denied => format!("{what}: not allowed."),
            CallOutcome::Failed(why) => format!("{what}: did not work: {why}."),
            CallOutcome::Skipped(why) => format!("{what}: skipped: {why}."),
        };
        turn.say_slowly(said).await?;
    }
    Ok((ran, written))
}
