//! `events/subscribe`: what happened after a cursor, and then what happens.

use std::sync::Arc;

use jsonrpsee::server::{RpcModule, SubscriptionSink};
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::watch;

use super::{RegisterResult, RpcContext, add_page_method, parse_params, require_credential};
use crate::api::{Batch, Event, Subscribe};
use crate::backend::Backend;
use crate::credentials::Credential;
use crate::error::RpcError;
use crate::events::NextEvents;
use crate::front::Peer;

pub(super) fn register_methods(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    module
        .register_subscription(
            "events/subscribe",
            "events/event",
            "events/unsubscribe",
            |params, pending, context, extensions| async move {
                let wanted = require_credential(&extensions, Credential::Page)
                    .and_then(|peer| Ok((parse_params::<Subscribe>(&params)?, peer)));
                let (wanted, peer) = match wanted {
                    Ok(wanted) => wanted,
                    Err(refused) => return pending.reject(refused).await,
                };
                // The page hears of questions and answers, and not of what is said and set.
                let whole = peer.credential == Credential::Answer;
                // Before the place is looked up, so that nothing falls in between.
                let news = context.backend.events.watch_newest();
                let (at, anew) = context.backend.events.start_position(wanted.cursor.as_ref());
                if let Ok(sink) = pending.accept().await {
                    let reader = EventReader { sink: &sink, peer: &peer, whole };
                    follow_events(&context.backend, reader, news, at, anew).await;
                }
            },
        )
        .map(|_| ())
}

/// Says to whoever may subscribe that they have to come over a WebSocket.
pub(super) fn register_refusals(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    for name in ["events/subscribe", "events/unsubscribe"] {
        add_page_method(module, name, |_, _, _: serde_json::Value| -> Result<(), RpcError> {
            Err(RpcError::NoSocket)
        })?;
    }
    Ok(())
}

/// Who reads: everything, or only what the inbox has.
#[derive(Clone, Copy)]
struct EventReader<'r> {
    sink: &'r SubscriptionSink,
    peer: &'r Peer,
    whole: bool,
}

/// Sends what there is, at the pace of whoever reads it.
async fn follow_events(
    backend: &Arc<Backend>,
    reader: EventReader<'_>,
    mut news: watch::Receiver<u64>,
    mut at: u64,
    anew: Option<bool>,
) {
    if let Some(lost) = anew
        && !send_snapshot(backend, reader, at, lost).await
    {
        return;
    }
    loop {
        news.borrow_and_update();
        let sent = match backend.events.events_after(at, reader.whole) {
            NextEvents::Events(events, end) => {
                at = end;
                if events.is_empty() {
                    continue;
                }
                for (id, digest) in events.iter().filter_map(|told| told.shows.as_ref()) {
                    reader.peer.record_shown(*id, digest);
                }
                let events: Vec<&RawValue> = events.iter().map(|told| &*told.text).collect();
                send_batch(reader.sink, &Batch { cursor: backend.events.cursor_at(end), events }).await
            }
            NextEvents::Lost(first) => {
                at = first;
                send_snapshot(backend, reader, at, true).await
            }
            NextEvents::Nothing => tokio::select! {
                changed = news.changed() => changed.is_ok(),
                () = reader.sink.closed() => false,
            },
        };
        if !sent {
            return;
        }
    }
}

/// Everything as it is now.
async fn send_snapshot(backend: &Arc<Backend>, reader: EventReader<'_>, at: u64, lost: bool) -> bool {
    let from = Arc::clone(backend);
    let whole = reader.whole;
    let now = tokio::task::spawn_blocking(move || {
        let waiting = from.waiting_cards();
        let shown: Vec<_> =
            waiting.iter().map(|card| (card.card.approval_id, card.card.digest.clone())).collect();
        let sessions = if whole { from.session_infos() } else { Vec::new() };
        (Event::Snapshot { sessions, waiting, in_line: from.in_line(), lost }, shown)
    });
    match now.await {
        Ok((now, shown)) => {
            for (id, digest) in &shown {
                reader.peer.record_shown(*id, digest);
            }
            send_batch(reader.sink, &Batch { cursor: backend.events.cursor_at(at), events: vec![now] }).await
        }
        Err(_) => false,
    }
}

/// Waits while the connection's buffer is full. Whether it is there still.
async fn send_batch(sink: &SubscriptionSink, batch: &impl serde::Serialize) -> bool {
    match to_raw_value(batch) {
        Ok(text) => sink.send(text).await.is_ok(),
        Err(_) => false,
    }
}
