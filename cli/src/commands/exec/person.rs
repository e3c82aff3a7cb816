//! Whoever is asked at the terminal.

use std::io::IsTerminal as _;

use mayi_core::call::Call;
use mayi_core::gate::{Gate, Verdict};
use tokio::sync::mpsc;

use super::super::run::{TerminalAsker, listen_for_signals};
use crate::context::Context;
use crate::surface::Screen;

/// Whoever is asked at the terminal.
#[derive(Clone)]
pub(super) struct Person {
    screen: Screen,
    color: bool,
    prompts: bool,
}

impl Person {
    /// `prompts`: whether the terminal is there to be asked at.
    pub(super) fn new(prompts: bool, ctx: &Context) -> Self {
        let color = ctx.is_stderr_colored();
        Self { screen: Screen::new(color, std::io::stdout().is_terminal()), color, prompts }
    }

    /// What asks, and what hears of an interrupt.
    pub(super) fn asker(&self, gate: &Gate) -> (TerminalAsker, mpsc::UnboundedReceiver<()>) {
        let (interrupt, interrupted) = mpsc::unbounded_channel();
        let (screen, color) = (self.screen.clone(), self.color);
        (TerminalAsker::new(gate.clone(), screen, color, self.prompts, interrupt), interrupted)
    }
}

/// Hands the call in, with the terminal as a surface while it waits.
pub(super) async fn ask(gate: &Gate, call: Call, person: &Person) -> Verdict {
    let (interrupt, mut signalled) = mpsc::unbounded_channel();
    listen_for_signals(&interrupt);
    let (asker, mut interrupted) = person.asker(gate);
    let mut ticket = gate.submit(call, &[]);
    // The terminal is touched only where something is asked.
    if let Some(verdict) = ticket.at_once() {
        return verdict;
    }
    let surface = asker.open_surface();
    let verdict = tokio::select! {
        verdict = ticket.verdict() => verdict,
        Some(()) = interrupted.recv() => Verdict::Cancelled,
        Some(()) = signalled.recv() => Verdict::Cancelled,
    };
    surface.close().await;
    verdict
}
