//! A server comes and goes: it is started, and started again with growing pauses when it has ended.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use mayi_doors::task::{SpawnBoxed as _, spawn};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Failure, Link, Server};
use crate::wire::{Incoming, Wire};

/// The first pause before it is started again; it doubles each time.
const FIRST: Duration = Duration::from_millis(500);

/// The longest pause.
const MOST: Duration = Duration::from_secs(30);

/// A server that has run for so long is not one that fails at once. Shorter than the 30 and 60 seconds after which proxies close
/// a stream on which nothing comes: that is no failure.
const WELL: Duration = Duration::from_secs(20);

impl Server {
    /// Starts it, or connects to it. What goes wrong is told, and tried again later.
    pub(crate) fn start(self: &Arc<Self>) {
        *self.leads_to.lock().unwrap_or_else(PoisonError::into_inner) =
            self.launch.transport.leads_to(&self.cwd);
        let wire = (self.connect)();
        let mut state = self.lock();
        if matches!(state.link, Link::Closed) {
            return;
        }
        state.generation += 1;
        let generation = state.generation;
        let Wire { outgoing: out, incoming: mut inc, guard } = match wire {
            Ok(wire) => wire,
            Err(why) => {
                drop(state);
                self.connection_ended(generation, &why);
                return;
            }
        };
        let again = state.begun.is_some();
        let over = CancellationToken::new();
        state.link = Link::Up { outgoing: out, ready: !again, guard, over: over.clone() };
        drop(state);
        let server = Arc::downgrade(self);
        spawn(async move {
            let _over = over.drop_guard();
            let begun = Instant::now();
            let mut ended = "it has closed the connection".to_owned();
            while let Some(incoming) = inc.recv().await {
                let Some(server) = server.upgrade() else { return };
                if let Incoming::Ended(why) = &incoming {
                    ended.clone_from(why);
                    break;
                }
                if !server.receive_incoming(generation, incoming) {
                    drop(server);
                    // It was stopped: it may end by itself.
                    while !matches!(inc.recv().await, None | Some(Incoming::Ended(_))) {}
                    return;
                }
            }
            if let Some(server) = server.upgrade() {
                if begun.elapsed() > WELL {
                    server.lock().failures = 0;
                }
                server.connection_ended(generation, &ended);
            }
        });
        if again {
            let server = Arc::clone(self);
            spawn(async move { server.begin_again(generation).await });
        }
    }

    /// The connection `generation` has ended: what waits for it fails, and it is started again later.
    pub(super) fn connection_ended(self: &Arc<Self>, generation: u64, why: &str) {
        let (pending, pause) = {
            let mut state = self.lock();
            if state.generation != generation || matches!(state.link, Link::Closed) {
                return;
            }
            let pause = FIRST.saturating_mul(1 << state.failures.min(10)).min(MOST);
            state.failures = state.failures.saturating_add(1);
            state.link = Link::Down(format!("{why}; it is started again in {:.1} s", pause.as_secs_f64()));
            state.forget_tools();
            (std::mem::take(&mut state.pending), pause)
        };
        (self.say)(&format!("{why}; started again in {:.1} s", pause.as_secs_f64()));
        for done in pending.into_values() {
            done(Err(Failure::of_sent(format!("the server {} is gone: {why}", self.name))));
        }
        let server = Arc::downgrade(self);
        spawn(async move {
            tokio::time::sleep(pause).await;
            if let Some(server) = server.upgrade()
                && server.lock().generation == generation
            {
                server.start();
            }
        });
    }

    /// It is not needed any more: what waits for it fails, and its process ends.
    pub(crate) fn stop(&self) {
        let pending = {
            let mut state = self.lock();
            state.generation += 1;
            let link = std::mem::replace(&mut state.link, Link::Closed);
            if let Link::Up { outgoing: out, guard, over, .. } = link {
                // Its input ends: most end by themselves. What is left is ended.
                drop(out);
                self.ending.spawn_boxed(async move {
                    let _ = tokio::time::timeout(FIRST, over.cancelled()).await;
                    drop(guard);
                });
            }
            std::mem::take(&mut state.pending)
        };
        for done in pending.into_values() {
            done(Err(Failure::of_sent(format!("the server {} was stopped", self.name))));
        }
    }
}
