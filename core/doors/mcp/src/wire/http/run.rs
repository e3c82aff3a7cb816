//! Messages out: in their order where that matters, else side by side.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::Shared;
use super::sse::{self, EventStream};
use crate::headers::{is_stateless_version, version_in};
use crate::{Frame, FrameKind};

/// The most requests that are under way; others wait.
pub(super) const MOST: usize = 1024;
/// `notifications/initialized` is waited for this long before anything else is sent.
pub(super) const INITIALIZED: Duration = Duration::from_secs(10);

/// Requests that are under way, by their ids; and whether leaving them is cancelling them.
type RequestsInFlight = HashMap<u64, (AbortHandle, bool)>;

/// Sends what comes from `out`, until the wire is dropped.
pub(super) async fn run(shared: Arc<Shared>, mut out: mpsc::Receiver<Frame>) {
    let mut tasks: JoinSet<Option<u64>> = JoinSet::new();
    let mut under_way = RequestsInFlight::new();
    let mut open = true;
    loop {
        let frame = tokio::select! {
            () = shared.closing.cancelled() => break,
            Some(done) = tasks.join_next() => {
                if let Ok(Some(id)) = done {
                    under_way.remove(&id);
                }
                continue;
            }
            frame = out.recv(), if open && tasks.len() < MOST => frame,
        };
        let Some(frame) = frame else {
            open = false;
            continue;
        };
        let first = matches!(frame.method(), Some("initialize" | "notifications/initialized"));
        if first {
            let sending = first_messages(&shared, frame, &mut tasks);
            let other_way = tokio::select! {
                () = shared.closing.cancelled() => break,
                other_way = sending => other_way,
            };
            if let Some((frame, stream)) = other_way {
                return sse::run_open(shared, stream, frame, out).await;
            }
        } else {
            start(&shared, frame, &mut tasks, &mut under_way);
        }
    }
    drop(tasks);
    shared.end_session().await;
}

/// What has to have arrived before anything else is sent.
/// Something comes back if the server speaks the older transport.
async fn first_messages(
    shared: &Arc<Shared>,
    frame: Frame,
    tasks: &mut JoinSet<Option<u64>>,
) -> Option<(Frame, EventStream)> {
    if frame.kind() == FrameKind::Request {
        return shared.send_initialize(frame).await;
    }
    let _ = tokio::time::timeout(INITIALIZED, shared.send_one_way(frame)).await;
    let shared = Arc::clone(shared);
    tasks.spawn(async move {
        shared.listen_general().await;
        None
    });
    None
}

fn start(
    shared: &Arc<Shared>,
    frame: Frame,
    tasks: &mut JoinSet<Option<u64>>,
    under_way: &mut RequestsInFlight,
) {
    let shared = Arc::clone(shared);
    if frame.kind() == FrameKind::Request
        && let Some(id) = frame.numeric_id()
    {
        let closing_cancels = version_in(&frame).is_some_and(|version| is_stateless_version(&version));
        let task = tasks.spawn(async move {
            shared.send_request(frame).await;
            Some(id)
        });
        under_way.insert(id, (task, closing_cancels));
        return;
    }
    if let Some((task, closing_cancels)) = cancelled_request(&frame).and_then(|id| under_way.remove(&id)) {
        task.abort();
        if closing_cancels {
            return;
        }
    }
    tasks.spawn(async move {
        shared.send_one_way(frame).await;
        None
    });
}

/// The request that a message cancels.
pub(super) fn cancelled_request(frame: &Frame) -> Option<u64> {
    let cancels =
        frame.kind() == FrameKind::Notification && frame.method() == Some("notifications/cancelled");
    if !cancels {
        return None;
    }
    frame.params()?.get("requestId")?.get().parse().ok()
}
