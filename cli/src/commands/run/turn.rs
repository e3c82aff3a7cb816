//! One turn: a prompt, everything that happens until it has ended, and its cancellation.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mayi_acp::{AcpEvent, AgentError, Briefing, Connection, SessionEvent, StopReason};
use mayi_core::call::SessionId;
use mayi_core::gate::{Gate, GateEvent};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::output::Output;

/// After the prompt's answer, tool calls that have begun may go on (sub-agents do): so long without
/// any sign of life is the end.
const QUIET: Duration = Duration::from_secs(2);

/// What comes right behind the prompt's answer belongs to the turn: some agents' sub-agents ask then, with nothing before
/// that announces it. The agent is asked whether it has said everything; one that does not answer that has so long.
const BEHIND: Duration = Duration::from_millis(200);

/// However lively it is: so long after the prompt's answer, the turn is over unless a person is asked.
const LINGERS: Duration = Duration::from_secs(60);

/// After so long without a sign of life, the person is told; then after each minute, and after longer and longer.
pub(super) const MUTE: Duration = Duration::from_secs(10);
const SILENT: Duration = Duration::from_secs(60);

/// After so long without a sign of life, and with nobody who could cancel it, the agent has failed.
const LOST: Duration = Duration::from_secs(30 * 60);

/// Why a turn was cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutReason {
    /// Ctrl-C, or SIGTERM.
    Interrupted,
    /// `--timeout`.
    Timeout,
    /// Nobody reads the output any more.
    OutputGone,
    /// Something ran without asking, and `on_unasked` says stop.
    Unasked,
}

/// How a turn ended.
#[derive(Debug)]
pub(super) struct TurnEnd {
    /// The agent's reason; none if it did not end its turn in time.
    pub(super) stop: Option<StopReason>,
    /// Why it was cut short, if it was.
    pub(super) cut: Option<CutReason>,
    /// What a person said when denying something.
    pub(super) reasons: Vec<String>,
}

/// What a turn listens to.
pub(super) struct TurnRunner {
    pub(super) connection: Arc<Connection>,
    pub(super) gate: Gate,
    pub(super) session: SessionId,
    /// What the model is told beside the prompts.
    pub(super) briefing: Briefing,
    pub(super) output: Output,
    pub(super) heard: mpsc::UnboundedReceiver<SessionEvent>,
    pub(super) interrupts: mpsc::UnboundedReceiver<()>,
    pub(super) deadline: Option<Instant>,
    /// Somebody at a terminal sees what goes on, and can cancel it.
    pub(super) watched: bool,
    /// A call that ran without asking, against the policy, ends the turn.
    pub(super) stops_at_unasked: bool,
    /// There was one.
    pub(super) ran_unasked: bool,
    /// Why the output could not be written, if it could not.
    pub(super) unwritten: Option<io::Error>,
}

impl TurnRunner {
    /// Sends the prompt, and sees the turn to its end.
    pub(super) async fn run_turn(&mut self, blocks: &[String]) -> Result<TurnEnd, AgentError> {
        let connection = Arc::clone(&self.connection);
        let session = self.session.clone();
        let prompt = connection.prompt(&session, blocks);
        tokio::pin!(prompt);
        let mut cut: Option<(CutReason, Instant)> = None;
        let mut reasons = Vec::new();
        let mut heard = Instant::now();
        let mut told = 0_u32;
        let far = far_future();
        loop {
            let deadline = self.deadline.filter(|_| cut.is_none()).unwrap_or(far);
            let grace = cut.map_or(far, |(_, until)| until);
            let written = tokio::select! {
                // The person and the clock come first: an agent that floods must not hold them off.
                biased;
                Some(()) = self.interrupts.recv() => {
                    if cut.is_some() {
                        return Ok(TurnEnd { stop: None, cut: cut.map(|(why, _)| why), reasons });
                    }
                    cut = Some((CutReason::Interrupted, self.cancel_turn()));
                    Ok(())
                }
                () = sleep_until(deadline) => {
                    cut = Some((CutReason::Timeout, self.cancel_turn()));
                    Ok(())
                }
                () = sleep_until(grace) => {
                    return Ok(TurnEnd { stop: None, cut: cut.map(|(why, _)| why), reasons });
                }
                Some(event) = self.heard.recv() => {
                    heard = Instant::now();
                    told = 0;
                    let written = self.output_event(event, &mut reasons);
                    if self.is_stopped_by_unasked() && cut.is_none() {
                        cut = Some((CutReason::Unasked, self.cancel_turn()));
                    }
                    written
                }
                result = &mut prompt => {
                    let stop = match result {
                        Ok(stop) => stop,
                        // Some agents fail when they are cancelled: this is no news.
                        Err(_) if matches!(cut, Some((CutReason::Unasked, _))) => StopReason::Cancelled,
                        Err(error) => return Err(error),
                    };
                    self.drain_events(&mut reasons);
                    if self.is_stopped_by_unasked() && cut.is_none() {
                        cut = Some((CutReason::Unasked, self.cancel_turn()));
                    }
                    if cut.is_none() && stop != StopReason::Cancelled {
                        cut = self.await_late_events(&mut reasons).await.map(|why| (why, Instant::now()));
                    }
                    return Ok(TurnEnd { stop: Some(stop), cut: cut.map(|(why, _)| why), reasons });
                }
                () = sleep_until(heard + silence_before_notice(told)) => {
                    told = (told + 1).min(20);
                    let silent = heard.elapsed();
                    if !self.gate.waiting_cards().is_empty() {
                        // It waits for an answer, and it is not its silence that is waited for.
                        heard = Instant::now();
                        told = 0;
                        Ok(())
                    } else if !self.watched && silent >= LOST {
                        self.cancel_turn();
                        return Err(AgentError::Silent { what: "the prompt, or say anything,", limit: silent });
                    } else {
                        self.output.write_notice(&silence_message(silent, "cancels the turn"))
                    }
                }
            };
            if let Err(error) = written
                && cut.is_none()
            {
                self.unwritten = Some(error);
                cut = Some((CutReason::OutputGone, self.cancel_turn()));
            }
        }
    }

    /// Writes what happened, and keeps of it what ends the turn or is said in the next prompt.
    fn output_event(&mut self, event: SessionEvent, reasons: &mut Vec<String>) -> io::Result<()> {
        match event {
            SessionEvent::Agent(event) => {
                self.ran_unasked |= matches!(event, AcpEvent::Unasked { .. });
                self.output.write_agent_event(event)
            }
            SessionEvent::Gate(event) => {
                keep_reason(&event, reasons);
                self.briefing.note_gate_event(&self.session, &event);
                self.output.write_gate_event(&event)
            }
        }
    }

    /// Whether something has ended the turn by itself.
    fn is_stopped_by_unasked(&self) -> bool {
        self.stops_at_unasked && self.ran_unasked
    }

    /// Cancels the turn; returns until when the agent may take to end it.
    fn cancel_turn(&self) -> Instant {
        self.connection.cancel_turn(&self.session);
        Instant::now() + self.connection.cancel_limit()
    }

    /// Some agents go on after the prompt's answer: what they ask then is still answered.
    async fn await_late_events(&mut self, reasons: &mut Vec<String>) -> Option<CutReason> {
        let begun = Instant::now();
        let mut heard = begun;
        let connection = Arc::clone(&self.connection);
        let mut settled = Box::pin(connection.wait_until_settled(BEHIND));
        // It was heard of since it was asked whether it has said everything.
        let (mut more, mut done) = (false, false);
        loop {
            let waiting = !self.gate.waiting_cards().is_empty();
            let patience = if self.connection.under_way(&self.session) > 0 { QUIET } else { BEHIND };
            if done && !waiting && patience == BEHIND {
                return None;
            }
            let far = far_future();
            let until = if waiting { far } else { (heard + patience).min(begun + LINGERS) };
            let written = tokio::select! {
                biased;
                Some(()) = self.interrupts.recv() => {
                    self.cancel_turn();
                    return Some(CutReason::Interrupted);
                }
                () = sleep_until(self.deadline.unwrap_or(far)) => {
                    self.cancel_turn();
                    return Some(CutReason::Timeout);
                }
                () = sleep_until(until) => return None,
                Some(event) = self.heard.recv() => {
                    (heard, more) = (Instant::now(), true);
                    let written = self.output_event(event, reasons);
                    if self.is_stopped_by_unasked() {
                        self.cancel_turn();
                        return Some(CutReason::Unasked);
                    }
                    written
                }
                () = self.connection.wait_until_gone() => {
                    self.drain_events(reasons);
                    return None;
                }
                // What it said before it answered that was taken above.
                () = &mut settled, if !done => {
                    done = !more;
                    more = false;
                    if !done {
                        settled = Box::pin(connection.wait_until_settled(BEHIND));
                    }
                    Ok(())
                }
            };
            if more && done {
                done = false;
                settled = Box::pin(connection.wait_until_settled(BEHIND));
            }
            if let Err(error) = written {
                self.unwritten = Some(error);
                return Some(CutReason::OutputGone);
            }
        }
    }

    /// Writes what has come already.
    pub(super) fn drain_events(&mut self, reasons: &mut Vec<String>) {
        let mut written: io::Result<()> = Ok(());
        while let Ok(event) = self.heard.try_recv() {
            let now = self.output_event(event, reasons);
            written = written.and(now);
        }
        if let Err(error) = written {
            self.unwritten.get_or_insert(error);
        }
    }
}

/// Later than anybody waits for: where there is no limit.
pub(super) fn far_future() -> Instant {
    Instant::now() + Duration::from_secs(365 * 24 * 3600)
}

/// After so long without a sign of life, the person is told for the next time.
fn silence_before_notice(told: u32) -> Duration {
    told.checked_sub(1).map_or(MUTE, |before| SILENT * (1 << before))
}

/// Says that the agent is silent, and what ends that.
pub(super) fn silence_message(silent: Duration, ends: &str) -> String {
    let long = match silent.as_secs() {
        seconds if seconds < 60 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    };
    format!("the agent has said nothing for {long}; Ctrl-C {ends}")
}

/// A person's own words: mayi passes them on in a prompt of their own, since agents do not read
/// them in the answer.
fn keep_reason(event: &GateEvent, reasons: &mut Vec<String>) {
    if let GateEvent::Resolved(resolved) = event
        && let Some(reason) = resolved.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty())
        && resolved.state == mayi_core::approval::State::Denied
        && resolved.by != "policy"
    {
        reasons.push(reason.to_owned());
    }
}
