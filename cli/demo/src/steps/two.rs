//! Two things at once: both questions are open at the same time.

use super::{run as command, write};
use crate::calls::Outcome;
use crate::turn::{Stop, Turn};

/// Asks to write `two.txt` and to run `touch ran.txt`.
pub(crate) async fn run(turn: &Turn) -> Result<(), Stop> {
    let (_, _) = at_once(turn, "touch ran.txt", "two.txt", "One of two.\n").await?;
    Ok(())
}

/// Asks for both, command first, and does each one that may be done as soon as it may.
pub(crate) async fn at_once(
    turn: &Turn,
    line: &str,
    file: &str,
    content: &str,
) -> Result<(Outcome, Outcome), Stop> {
    turn.say(format!("Two things at once: run {line}, and write {file}.")).await?;
    let (ran, written) =
        tokio::try_join!(command::perform(turn, line), write::perform(turn, file, content, None))?;
    for (what, outcome) in [(line, &ran), (file, &written)] {
        let said = match outcome {
            Outcome::Done(_) => format!("{what}: done."),
            Outcome::Denied => format!("{what}: not allowed."),
            Outcome::Failed(why) => format!("{what}: did not work: {why}."),
            Outcome::Skipped(why) => format!("{what}: skipped: {why}."),
        };
        turn.say(said).await?;
    }
    Ok((ran, written))
}
