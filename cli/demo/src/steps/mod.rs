//! The scenarios, one kind a file.

use std::path::PathBuf;

use crate::calls::CallOutcome;
use crate::script::Step;
use crate::turn::{DemoStop, Turn};

mod edit;
mod help;
mod mode;
mod pretend;
mod read;
mod repeat;
mod run;
mod slow;
mod subagent;
mod tour;
mod two;
mod unasked;
mod write;

/// Runs one scenario.
pub(crate) async fn run(turn: &Turn, step: Step) -> Result<(), DemoStop> {
    match step {
        Step::Tour(prompt) => tour::run(turn, &prompt).await,
        Step::Help(unknown) => help::run(turn, unknown.as_deref()),
        Step::Say(text) => turn.say_slowly(text).await,
        Step::Read(file) => read::run(turn, &file).await.map(drop),
        Step::Write { file, content } => write::run(turn, &file, &content).await.map(drop),
        Step::Edit(file) => edit::run(turn, &file).await.map(drop),
        Step::Run(line) => run::run(turn, &line).await.map(drop),
        Step::Two => two::run(turn).await,
        Step::Fetch(url) => pretend::fetch_url(turn, &url).await,
        Step::Mcp { server, tool, arguments } => {
            pretend::call_mcp_tool(turn, &server, &tool, arguments).await
        }
        Step::Mode => mode::run(turn).await,
        Step::Subagent => subagent::run(turn).await,
        Step::Unasked(file) => unasked::run(turn, &file).await,
        Step::Loop(times) => repeat::run(turn, times).await,
        Step::Slow { dots } => slow::run(turn, dots).await,
    }
}

impl Turn {
    /// A file of the session's folder; an absolute path stays what it is.
    fn session_path(&self, file: &str) -> PathBuf {
        self.session.cwd.join(file)
    }

    /// Says what became of a call, `done` if it is done.
    async fn report_outcome(&self, outcome: &CallOutcome, done: &str) -> Result<(), DemoStop> {
        match outcome {
            CallOutcome::Done(_) => self.say_slowly(done).await,
            CallOutcome::Denied => self.say_slowly("Not allowed, so I leave it.").await,
            CallOutcome::Failed(why) => self.say_slowly(format!("That did not work: {why}.")).await,
            CallOutcome::Skipped(why) => self.say_slowly(format!("I skip this: {why}.")).await,
        }
    }
}
