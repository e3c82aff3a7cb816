//! The tour: a little of everything that a gate stands between.

use agent_client_protocol::v1::schema::{Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate};

use super::{edit, read, run as command, two, write};
use crate::calls::CallOutcome;
use crate::turn::{DemoStop, Turn};

const FILE: &str = "mayi-demo.txt";
const NOTES: &str = "mayi-demo-notes.txt";
const CONTENT: &str = "Hello! I am the demo agent.\nThis file is here because I was allowed to write it.\n";
const NOTES_CONTENT: &str = "Two questions were open at the same time, and this one was allowed.\n";
const LIST: &str = "ls -l mayi-demo.txt";
const REMOVE: &str = "rm mayi-demo.txt";
const PLAN: [&str; 5] = [
    "Read a file",
    "Write mayi-demo.txt",
    "Edit mayi-demo.txt",
    "Run a command",
    "Ask for two things at once",
];

/// Runs the tour. A "no" skips a step and no more.
pub(crate) async fn run(turn: &Turn, prompt: &str) -> Result<(), DemoStop> {
    if !prompt.is_empty() {
        turn.say_slowly(format!("You said: {}", shorten_prompt(prompt))).await?;
    }
    turn.say_slowly("Hello! I am the demo agent: a script, no model, no network.").await?;
    turn.say_slowly("I will read a file, write one, edit it, run a command, and ask for two things at once.")
        .await?;
    turn.say_slowly("Say no whenever you like: I skip that step and go on.").await?;

    let mut tally = Tally::default();
    show_plan(turn, 0)?;
    match read::choose_file(&turn.session.cwd) {
        Some(file) => tally.add_outcome(format!("read {file}"), read::run(turn, &file).await?),
        None => turn.say_slowly("There is no file here to read, so I skip that.").await?,
    }
    show_plan(turn, 1)?;
    tally.add_outcome(format!("write {FILE}"), write::run(turn, FILE, CONTENT).await?);
    show_plan(turn, 2)?;
    tally.add_outcome(format!("edit {FILE}"), edit::run(turn, FILE).await?);
    show_plan(turn, 3)?;
    tally.add_outcome(format!("run {LIST}"), command::run(turn, LIST).await?);
    show_plan(turn, 4)?;
    let (ran, written) = two::at_once(turn, REMOVE, NOTES, NOTES_CONTENT).await?;
    tally.add_outcome(format!("run {REMOVE}"), ran);
    tally.add_outcome(format!("write {NOTES}"), written);
    show_plan(turn, PLAN.len())?;
    turn.say_slowly(tally.summary()).await
}

/// Shows the plan, with the steps before `current` completed.
fn show_plan(turn: &Turn, current: usize) -> Result<(), DemoStop> {
    let entries = PLAN.iter().enumerate().map(|(at, content)| {
        let status = match at.cmp(&current) {
            std::cmp::Ordering::Less => PlanEntryStatus::Completed,
            std::cmp::Ordering::Equal => PlanEntryStatus::InProgress,
            std::cmp::Ordering::Greater => PlanEntryStatus::Pending,
        };
        PlanEntry::new(*content, PlanEntryPriority::Medium, status)
    });
    turn.send_update(SessionUpdate::Plan(Plan::new(entries.collect())))
}

/// A prompt on one line, and not too long.
fn shorten_prompt(prompt: &str) -> String {
    const LONGEST: usize = 60;
    let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// What became of the steps.
#[derive(Default)]
struct Tally {
    done: Vec<String>,
    denied: Vec<String>,
    failed: Vec<String>,
    skipped: Vec<String>,
}

impl Tally {
    fn add_outcome(&mut self, what: String, outcome: CallOutcome) {
        match outcome {
            CallOutcome::Done(_) => self.done.push(what),
            CallOutcome::Denied => self.denied.push(what),
            CallOutcome::Failed(_) => self.failed.push(what),
            CallOutcome::Skipped(_) => self.skipped.push(what),
        }
    }

    fn summary(&self) -> String {
        let mut lines = vec!["That was the tour.".to_owned()];
        for (heading, steps) in [
            ("Done", &self.done),
            ("Not allowed", &self.denied),
            ("Did not work", &self.failed),
            ("Skipped", &self.skipped),
        ] {
            if !steps.is_empty() {
                lines.push(format!("- {heading}: {}", steps.join("; ")));
            }
        }
        lines.push("`demo: help` shows what else I can do.".to_owned());
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_long_prompt_then_its_echo_is_one_short_line() {
        assert_eq!(shorten_prompt("Show me\n  around"), "Show me around");
        assert_eq!(shorten_prompt(&"é".repeat(80)), format!("{}…", "é".repeat(60)));
    }

    #[test]
    fn given_outcomes_then_the_summary_names_each_step_once() {
        let mut tally = Tally::default();
        tally.add_outcome("write a".into(), CallOutcome::Done(String::new()));
        tally.add_outcome("run b".into(), CallOutcome::Done(String::new()));
        tally.add_outcome("edit c".into(), CallOutcome::Denied);
        let summary = tally.summary();
        assert!(summary.contains("- Done: write a; run b\n- Not allowed: edit c\n"));
        assert!(!summary.contains("Skipped"));
    }
}
