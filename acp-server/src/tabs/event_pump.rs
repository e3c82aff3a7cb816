//! What the agent says and what the gate tells goes to the log of events, in order.

use std::sync::{Arc, Weak};
use std::time::Instant;

use mayi_acp::{AcpEvent, Connection, SessionEvent};
use mayi_core::approval::State;
use mayi_core::config::OnUnasked;
use mayi_core::gate::{GateEvent, ReportedEnd};
use mayi_doors::task::spawn;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::oneshot;

use super::Tab;
use crate::api::{Answered, Event, TabState};
use crate::backend::{Backend, lock_mutex};
use crate::{cards, other_processes};

/// Passes on what happens in `tab`, until its agent is gone.
pub(super) fn pump_events(
    backend: &Arc<Backend>,
    tab: &Arc<Tab>,
    mut heard: UnboundedReceiver<SessionEvent>,
    connection: Arc<Connection>,
) {
    let (ask, mut asked) = mpsc::unbounded_channel::<oneshot::Sender<()>>();
    let _ = tab.passed_on.set(ask);
    let backend = Arc::downgrade(backend);
    let (ended, tab) = (Arc::downgrade(tab), Arc::downgrade(tab));
    spawn(async move {
        loop {
            let event = tokio::select! {
                biased;
                event = heard.recv() => match event {
                    Some(SessionEvent::Agent(event)) => agent_event(&tab, event),
                    Some(SessionEvent::Gate(event)) => gate_event(&backend, &tab, event),
                    None => return,
                },
                // Last: there is nothing else to tell by now.
                Some(done) = asked.recv() => {
                    let _ = done.send(());
                    None
                }
            };
            let Some(backend) = backend.upgrade() else { return };
            if let Some(event) = event {
                backend.events.push(&event);
                if matches!(event, Event::Unasked { .. })
                    && let Some(tab) = tab.upgrade()
                {
                    tab.ran_unasked();
                }
            }
        }
    });
    spawn(async move {
        connection.wait_until_gone().await;
        let Some(tab) = ended.upgrade() else { return };
        tab.record_agent_gone(&connection, None).await;
    });
}

fn agent_event(tab: &Weak<Tab>, event: AcpEvent) -> Option<Event> {
    let tab = tab.upgrade()?;
    lock_mutex(&tab.now).heard = Instant::now();
    let tab_id = tab.id.clone();
    match event {
        AcpEvent::Update { session, update } => {
            Some(Event::SessionUpdate { tab_id, session_id: session.0, update })
        }
        AcpEvent::Unasked { session, tool_call_id, title, decision, end } => Some(Event::Unasked {
            tab_id,
            session_id: session.0,
            tool_call_id,
            title,
            policy: decision.effect,
            why: decision.trail,
            failed: end == ReportedEnd::Failed,
        }),
        AcpEvent::Notice(text) => Some(Event::Notice { tab_id: Some(tab_id), text }),
        AcpEvent::Stderr(line) => {
            tracing::info!(tab = %tab.id, agent = %tab.agent, "{line}");
            None
        }
    }
}

fn gate_event(backend: &Weak<Backend>, tab: &Weak<Tab>, event: GateEvent) -> Option<Event> {
    let (backend, tab) = (backend.upgrade()?, tab.upgrade()?);
    lock_mutex(&tab.now).heard = Instant::now();
    {
        let mut now = lock_mutex(&tab.now);
        if let Some(session) = now.session.clone() {
            now.briefing.note_gate_event(&session, &event);
        }
    }
    let tab_id = tab.id.clone();
    match event {
        GateEvent::Asked(card) => {
            backend.remember_asking_tab(card.approval_id, &tab_id);
            backend.events.push(&Event::Asked(Box::new(cards::of_tab(*card, &tab_id))));
            tab.announce_state();
            None
        }
        GateEvent::InLine(_) => {
            tab.announce_state();
            Some(Event::InLine { count: backend.in_line() })
        }
        GateEvent::Updated(card) => Some(other_processes::updated_event(cards::of_tab(*card, &tab_id))),
        GateEvent::Resolved(resolved) => {
            let reason = resolved.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
            if let Some(reason) = reason
                && resolved.state == State::Denied
                && resolved.by != "policy"
            {
                lock_mutex(&tab.now).reasons.push(reason.to_owned());
            }
            let granted = !resolved.granted_permissions.is_empty();
            backend.events.push(&Event::Resolved(Answered { resolved, tab_id: Some(tab_id) }));
            if granted {
                backend.events.push(&Event::GrantsChanged);
            }
            tab.announce_state();
            None
        }
        GateEvent::Decided { session, tool_call_id, decision, title, by } => Some(Event::Decided {
            tab_id,
            session_id: session.0,
            tool_call_id,
            title,
            effect: decision.effect,
            by: by.map(|by| by.as_str()),
            why: decision.trail,
        }),
    }
}

impl Tab {
    /// The agent did something without asking, against the policy: the turn ends, where that is wanted.
    fn ran_unasked(self: &Arc<Self>) {
        {
            let now = lock_mutex(&self.now);
            if now.on_unasked == OnUnasked::Record || now.cancelled || now.state != TabState::Running {
                return;
            }
        }
        self.push_notice(
            "something ran without asking that the policy asks about or denies, and `on_unasked` is \"stop\": the turn is \
             cancelled",
        );
        self.cancel_turn();
    }

    /// The agent is gone: says why, once.
    pub(super) async fn record_agent_gone(&self, connection: &Arc<Connection>, error: Option<String>) {
        {
            let mut now = lock_mutex(&self.now);
            if now.state == TabState::Ended {
                if let (Some(error), true) = (error, now.error.is_none()) {
                    now.error = Some(error);
                }
                return;
            }
            // A turn that is under way knows better why.
            if now.state == TabState::Running && error.is_none() {
                return;
            }
            now.state = TabState::Ended;
            now.error = Some(error.unwrap_or_else(|| "the agent has ended".to_owned()));
            now.connection = None;
        }
        connection.end().await;
        self.announce_state();
    }
}
