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

pub(super) fn register(module: &mut RpcModule<Context>) -> Registered {
    module
        .register_subscription(
            "events/subscribe",
            "events/event",
            "events/unsubscribe",
            |params, pending, context, extensions| async move {
                let wanted = allowed(&extensions, Credential::Page)
                    .and_then(|peer| Ok((parsed::<Subscribe>(&params)?, peer.credential)));
                let (wanted, whole) = match wanted {
                    // The page hears of questions and answers, and not of what is said and set.
                    Ok((wanted, credential)) => (wanted, credential == Credential::Answer),
                    Err(refused) => return pending.reject(refused).await,
                };
                // Before the place is looked up, so that nothing falls in between.
                let news = context.backend.events.watch();
                let (at, anew) = context.backend.events.begin(wanted.cursor.as_ref());
                if let Ok(sink) = pending.accept().await {
                    follow(&context.backend, (&sink, whole), news, at, anew).await;
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

/// Sends what there is, at the pace of whoever reads it.
async fn follow(
    backend: &Arc<Backend>,
    (sink, whole): (&SubscriptionSink, bool),
    mut news: watch::Receiver<u64>,
    mut at: u64,
    anew: Option<bool>,
) {
    if let Some(lost) = anew
        && !snapshot(backend, (sink, whole), at, lost).await
    {
        return;
    }
    loop {
        news.borrow_and_update();
        let sent = match backend.events.after(at, whole) {
            Next::Events(events, end) => {
                at = end;
                if events.is_empty() {
                    continue;
                }
                let events: Vec<&RawValue> = events.iter().map(AsRef::as_ref).collect();
                send(sink, &Batch { cursor: backend.events.cursor(end), events }).await
            }
            Next::Lost(first) => {
                at = first;
                snapshot(backend, (sink, whole), at, true).await
            }
            Next::Nothing => tokio::select! {
                changed = news.changed() => changed.is_ok(),
                () = sink.closed() => false,
            },
        };
        if !sent {
            return;
        }
    }
}

/// Everything as it is now.
async fn snapshot(
    backend: &Arc<Backend>,
    (sink, whole): (&SubscriptionSink, bool),
    at: u64,
    lost: bool,
) -> bool {
    let from = Arc::clone(backend);
    let now = tokio::task::spawn_blocking(move || Event::Snapshot {
        sessions: if whole { from.sessions() } else { Vec::new() },
        waiting: from.waiting(),
        lost,
    });
    match now.await {
        Ok(now) => send(sink, &Batch { cursor: backend.events.cursor(at), events: vec![now] }).await,
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
