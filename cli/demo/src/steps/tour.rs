//! The tour: a little of everything that a gate stands between.

use agent_client_protocol::v1::schema::{Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate};

use super::{edit, read, run as command, two, write};
use crate::calls::Outcome;
use crate::turn::{Stop, Turn};

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
pub(crate) async fn run(turn: &Turn, prompt: &str) -> Result<(), Stop> {
    if !prompt.is_empty() {
        turn.say(format!("You said: {}", short(prompt))).await?;
    }
    turn.say("Hello! I am the demo agent: a script, no model, no network.").await?;
    turn.say("I will read a file, write one, edit it, run a command, and ask for two things at once.")
        .await?;
    turn.say("Say no whenever you like: I skip that step and go on.").await?;

    let mut tally = Tally::default();
    plan(turn, 0)?;
    match read::choose(&turn.session.cwd) {
        Some(file) => tally.add(format!("read {file}"), read::run(turn, &file).await?),
        None => turn.say("There is no file here to read, so I skip that.").await?,
    }
    plan(turn, 1)?;
    tally.add(format!("write {FILE}"), write::run(turn, FILE, CONTENT).await?);
    plan(turn, 2)?;
    tally.add(format!("edit {FILE}"), edit::run(turn, FILE).await?);
    plan(turn, 3)?;
    tally.add(format!("run {LIST}"), command::run(turn, LIST).await?);
    plan(turn, 4)?;
    let (ran, written) = two::at_once(turn, REMOVE, NOTES, NOTES_CONTENT).await?;
    tally.add(format!("run {REMOVE}"), ran);
    tally.add(format!("write {NOTES}"), written);
    plan(turn, PLAN.len())?;
    turn.say(tally.summary()).await
}

/// Shows the plan, with the steps before `current` completed.
fn plan(turn: &Turn, current: usize) -> Result<(), Stop> {
    let entries = PLAN.iter().enumerate().map(|(at, content)| {
        let status = match at.cmp(&current) {
            std::cmp::Ordering::Less => PlanEntryStatus::Completed,
            std::cmp::Ordering::Equal => PlanEntryStatus::InProgress,
            std::cmp::Ordering::Greater => PlanEntryStatus::Pending,
        };
        PlanEntry::new(*content, PlanEntryPriority::Medium, status)
    });
    turn.update(SessionUpdate::Plan(Plan::new(entries.collect())))
}

/// A prompt on one line, and not too long.
fn short(prompt: &str) -> String {
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
    fn add(&mut self, what: String, outcome: Outcome) {
        match outcome {
            Outcome::Done(_) => self.done.push(what),
            Outcome::Denied => self.denied.push(what),
            Outcome::Failed(_) => self.failed.push(what),
            Outcome::Skipped(_) => self.skipped.push(what),
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
        assert_eq!(short("Show me\n  around"), "Show me around");
        assert_eq!(short(&"é".repeat(80)), format!("{}…", "é".repeat(60)));
    }

    #[test]
    fn given_outcomes_then_the_summary_names_each_step_once() {
        let mut tally = Tally::default();
        tally.add("write a".into(), Outcome::Done(String::new()));
        tally.add("run b".into(), Outcome::Done(String::new()));
        tally.add("edit c".into(), Outcome::Denied);
        let summary = tally.summary();
        assert!(summary.contains("- Done: write a; run b\n- Not allowed: edit c\n"));
        assert!(!summary.contains("Skipped"));
    }
}
