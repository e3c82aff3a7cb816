//! `events/subscribe`: what happened after a cursor, and then what happens.

use std::sync::Arc;

use jsonrpsee::server::{RpcModule, SubscriptionSink};
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::watch;

use super::{Context, Registered, allowed, for_page, parsed};
use crate::api::{Batch, Event, Subscribe};
use crate::backend::Backend;
use crate::credentials::Credential;
use crate::error::Refused;
use crate::events::Next;
use crate::front::Peer;

pub(super) fn register(module: &mut RpcModule<Context>) -> Registered {
    module
        .register_subscription(
            "events/subscribe",
            "events/event",
            "events/unsubscribe",
            |params, pending, context, extensions| async move {
                let wanted = allowed(&extensions, Credential::Page)
                    .and_then(|peer| Ok((parsed::<Subscribe>(&params)?, peer)));
                let (wanted, peer) = match wanted {
                    Ok(wanted) => wanted,
                    Err(refused) => return pending.reject(refused).await,
                };
                // The page hears of questions and answers, and not of what is said and set.
                let whole = peer.credential == Credential::Answer;
                // Before the place is looked up, so that nothing falls in between.
                let news = context.backend.events.watch();
                let (at, anew) = context.backend.events.begin(wanted.cursor.as_ref());
                if let Ok(sink) = pending.accept().await {
                    let reader = Reader { sink: &sink, peer: &peer, whole };
                    follow(&context.backend, reader, news, at, anew).await;
                }
            },
        )
        .map(|_| ())
}

/// Says to whoever may subscribe that they have to come over a WebSocket.
pub(super) fn refuse(module: &mut RpcModule<Context>) -> Registered {
    for name in ["events/subscribe", "events/unsubscribe"] {
        for_page(module, name, |_, _, _: serde_json::Value| -> Result<(), Refused> {
            Err(Refused::NoSocket)
        })?;
    }
    Ok(())
}

/// Who reads: everything, or only what the inbox has.
#[derive(Clone, Copy)]
struct Reader<'r> {
    sink: &'r SubscriptionSink,
    peer: &'r Peer,
    whole: bool,
}

/// Sends what there is, at the pace of whoever reads it.
async fn follow(
    backend: &Arc<Backend>,
    reader: Reader<'_>,
    mut news: watch::Receiver<u64>,
    mut at: u64,
    anew: Option<bool>,
) {
    if let Some(lost) = anew
        && !snapshot(backend, reader, at, lost).await
    {
        return;
    }
    loop {
        news.borrow_and_update();
        let sent = match backend.events.after(at, reader.whole) {
            Next::Events(events, end) => {
                at = end;
                if events.is_empty() {
                    continue;
                }
                for (id, digest) in events.iter().filter_map(|told| told.shows.as_ref()) {
                    reader.peer.show(*id, digest);
                }
                let events: Vec<&RawValue> = events.iter().map(|told| &*told.text).collect();
                send(reader.sink, &Batch { cursor: backend.events.cursor(end), events }).await
            }
            Next::Lost(first) => {
                at = first;
                snapshot(backend, reader, at, true).await
            }
            Next::Nothing => tokio::select! {
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
async fn snapshot(backend: &Arc<Backend>, reader: Reader<'_>, at: u64, lost: bool) -> bool {
    let from = Arc::clone(backend);
    let whole = reader.whole;
    let now = tokio::task::spawn_blocking(move || {
        let waiting = from.waiting();
        let shown: Vec<_> =
            waiting.iter().map(|card| (card.card.approval_id, card.card.digest.clone())).collect();
        let sessions = if whole { from.sessions() } else { Vec::new() };
        (Event::Snapshot { sessions, waiting, in_line: from.in_line(), lost }, shown)
    });
    match now.await {
        Ok((now, shown)) => {
            for (id, digest) in &shown {
                reader.peer.show(*id, digest);
            }
            send(reader.sink, &Batch { cursor: backend.events.cursor(at), events: vec![now] }).await
        }
        Err(_) => false,
    }
}

/// Waits while the connection's buffer is full. Whether it is there still.
async fn send(sink: &SubscriptionSink, batch: &impl serde::Serialize) -> bool {
    match to_raw_value(batch) {
        Ok(text) => sink.send(text).await.is_ok(),
        Err(_) => false,
    }
}
