//! What `run` writes for people.

use std::io;

use mayi_acp::AcpEvent;
use mayi_core::approval::{State, escape_line};
use mayi_core::gate::{DecidedBy, GateEvent, ReportedEnd, Tally};
use mayi_core::policy::{Decision, Effect};
use serde_json::Value;

use super::output::{Ending, message_chunk};
use crate::surface::{Line, Screen, Tone};

/// The agent's words on standard output, one line for each tool call on standard error.
pub(super) struct TextOutput {
    screen: Screen,
    quiet: bool,
    verbose: bool,
    /// Somebody at this terminal answers, and sees the settled cards there.
    prompts: bool,
    /// The plan that was shown last.
    plan: Vec<String>,
    /// The message that the last chunk belonged to, where the agent says so.
    message: Option<String>,
}

impl TextOutput {
    pub(super) fn new(screen: Screen, quiet: bool, verbose: bool, prompts: bool) -> Self {
        Self { screen, quiet, verbose, prompts, plan: Vec::new(), message: None }
    }

    pub(super) fn write_agent_event(&mut self, event: AcpEvent) -> io::Result<()> {
        match event {
            AcpEvent::Update { update, .. } => self.write_update(&update),
            AcpEvent::Unasked { title, decision, end, .. } => {
                let what = match (end, decision.effect) {
                    (ReportedEnd::Ran, Effect::Deny) => "ran without asking, though the policy denies it",
                    (ReportedEnd::Ran, _) => "ran without asking, though the policy asks about it",
                    (ReportedEnd::Failed, Effect::Deny) => {
                        "was tried without asking, and failed; the policy denies it"
                    }
                    (ReportedEnd::Failed, _) => {
                        "was tried without asking, and failed; the policy asks about it"
                    }
                };
                self.write_line(
                    Tone::Warn,
                    &format!("! {}: {what}{}", escape_line(&title), reason_text(&decision)),
                )
            }
            AcpEvent::Notice(text) => self.write_line(Tone::Warn, &format!("! {text}")),
            AcpEvent::Stderr(text) if self.verbose => self.write_line(Tone::Dim, &format!("  agent: {text}")),
            AcpEvent::Stderr(_) => Ok(()),
        }
    }

    /// A part of the answer.
    pub(super) fn write_answer_text(&self, text: &str) -> io::Result<()> {
        self.screen.agent_text(text)
    }

    fn write_update(&mut self, update: &Value) -> io::Result<()> {
        if let Some(chunk) = message_chunk(update) {
            // Another message begins: what came before is over.
            let message = update.get("messageId").and_then(Value::as_str).map(str::to_owned);
            if message.is_some() && self.message.is_some() && message != self.message {
                self.screen.end_message()?;
            }
            self.message = message;
            return self.screen.agent_text(chunk);
        }
        let kind = update.get("sessionUpdate").and_then(Value::as_str);
        if kind == Some("tool_call") {
            self.screen.end_message()?;
        }
        if self.quiet {
            return Ok(());
        }
        match kind {
            Some("plan") => self.show_plan(update),
            Some("agent_thought_chunk") if self.verbose => {
                let text = update.pointer("/content/text").and_then(Value::as_str).unwrap_or_default();
                self.write_line(Tone::Dim, &format!("  {}", escape_line(text)))
            }
            _ => Ok(()),
        }
    }

    /// A plan is shown when it says something new: not each time that a step of it is done.
    fn show_plan(&mut self, update: &Value) -> io::Result<()> {
        let entries = update.get("entries").and_then(Value::as_array).into_iter().flatten();
        let plan: Vec<String> =
            entries.filter_map(|entry| entry.get("content")?.as_str()).map(escape_line).collect();
        if plan == self.plan {
            return Ok(());
        }
        self.plan = plan;
        for (at, entry) in self.plan.iter().enumerate() {
            self.write_line(Tone::Dim, &format!("  {}. {entry}", at + 1))?;
        }
        Ok(())
    }

    pub(super) fn write_gate_event(&mut self, event: &GateEvent) -> io::Result<()> {
        match event {
            // What an approved call announced was told with that call.
            GateEvent::Decided { by: Some(DecidedBy::Covered), .. } if !self.verbose => Ok(()),
            GateEvent::Decided { decision, title, .. } if !self.quiet => {
                let what =
                    decision.trail.first().map_or_else(|| title.clone(), |finding| finding.access.clone());
                let (tone, mark, word) = match decision.effect {
                    Effect::Allow => (Tone::Dim, "✓", "allowed"),
                    Effect::Ask | Effect::Deny => (Tone::Bad, "✗", "denied"),
                };
                if decision.effect == Effect::Allow && !self.verbose && is_read(decision) {
                    return Ok(());
                }
                self.write_line(
                    tone,
                    &format!("{mark} {word}: {}{}", escape_line(&what), reason_text(decision)),
                )
            }
            GateEvent::Resolved(resolved)
                if !self.prompts && !self.quiet && resolved.state != State::Cancelled =>
            {
                let word = if resolved.state == State::Approved { "allowed" } else { "denied" };
                self.write_line(Tone::Dim, &format!("  {word} by {}", escape_line(&resolved.by)))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn write_end(&mut self, ending: &Ending) -> io::Result<()> {
        self.screen.end_message()?;
        if let Some(error) = &ending.error {
            // The agent's last lines come along, each escaped and on a line of its own.
            for (at, line) in error.lines().enumerate() {
                let start = if at == 0 { "mayi: " } else { "" };
                self.write_line(Tone::Bad, &format!("{start}{line}"))?;
            }
        }
        let tally = &ending.tally;
        if !self.quiet || ending.exit_code != 0 {
            if let Some(summary) = tally_summary(tally).filter(|_| !self.quiet) {
                self.write_line(Tone::Dim, &format!("mayi: {summary}"))?;
            }
            for line in advice_lines(tally) {
                self.write_line(Tone::Plain, &line)?;
            }
        }
        Ok(())
    }

    fn write_line(&self, tone: Tone, text: &str) -> io::Result<()> {
        self.screen.write_line(&Line::with_text(tone, text))
    }
}

fn is_read(decision: &Decision) -> bool {
    decision.categories == [mayi_core::call::Category::Read]
}

fn reason_text(decision: &Decision) -> String {
    let Some(finding) = decision.deciding_finding() else { return String::new() };
    let place = match (&finding.file, finding.line) {
        (Some(file), Some(line)) => format!(" ({}:{line})", escape_line(&file.display().to_string())),
        _ => String::new(),
    };
    match &finding.pattern {
        Some(pattern) => format!(" — {}: {}{place}", escape_line(pattern), escape_line(&finding.reason)),
        None => format!(" — {}{place}", escape_line(&finding.reason)),
    }
}

/// "3 allowed, 1 denied": nothing where there was nothing.
fn tally_summary(tally: &Tally) -> Option<String> {
    let parts: Vec<String> = [
        (tally.allowed, "allowed by policy"),
        (tally.approved, "allowed by you"),
        (tally.denied, "denied by policy"),
        (tally.rejected, "denied by you"),
        (tally.unanswered, "needed an answer that nobody gave"),
        (tally.cancelled, "cancelled"),
        (tally.count_ran_unasked(), "ran without asking"),
        (tally.unasked_failed, "tried without asking, and failed"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// As many rules are advised; a person reads no more.
const MOST_ADVICE: usize = 20;

/// What would have helped.
fn advice_lines(tally: &Tally) -> Vec<String> {
    let mut lines = Vec::new();
    if !tally.would_allow.is_empty() {
        lines.push("mayi: these rules would have allowed what nobody answered:".to_owned());
        let shown = tally.would_allow.iter().take(MOST_ADVICE);
        lines.extend(shown.map(|pattern| format!("  --allow {}", quote_for_shell(pattern))));
        if let Some(more) = tally.would_allow.len().checked_sub(MOST_ADVICE).filter(|more| *more > 0) {
            lines.push(format!("  ... and {more} more; --format json lists them all"));
        }
        lines.push("  (or write them to [rules] allow in your file: mayi config path)".to_owned());
    }
    if tally.needs_person > 0 {
        lines.push(format!(
            "mayi: {} needed a person, whatever the rules: run it in a terminal",
            tally.needs_person
        ));
    }
    let against = tally.count_unasked_against();
    if against > 0 {
        lines.push(format!(
            "mayi: {against} tool call{} ran without asking that would have been asked about or denied; this agent can do \
             that because its tools run in its own process",
            if against == 1 { "" } else { "s" }
        ));
    }
    lines
}

/// As one word of a shell's.
fn quote_for_shell(text: &str) -> String {
    format!("'{}'", escape_line(text).replace('\'', r"'\''"))
}
