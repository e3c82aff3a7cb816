//! `POST /responses/ID/cancel` of an answer that waits for a person: the endpoint has ended its part, and knows nothing of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use http::{HeaderValue, Response, header};
use mayi_doors::members::{Members, to_raw_json};
use tokio::sync::{mpsc, oneshot};

use crate::events::EventBlock;

/// Hears how an answer ended, as its app does.
type CancelReply = oneshot::Sender<Vec<u8>>;
type WaitingAnswers = HashMap<String, mpsc::Sender<CancelReply>>;

/// Answers that wait, by the ids that their apps saw.
#[derive(Clone, Debug, Default)]
pub(crate) struct CancellableAnswers(Arc<Mutex<WaitingAnswers>>);

/// One of them. It can be cancelled for as long as this is there.
pub(crate) struct Cancellable {
    cancels: CancellableAnswers,
    seen_id: String,
    requests: tokio::sync::Mutex<mpsc::Receiver<CancelReply>>,
}

impl CancellableAnswers {
    fn lock(&self) -> MutexGuard<'_, WaitingAnswers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer waits.
    pub(crate) fn wait(&self, seen: &str) -> Cancellable {
        let (sender, wanted) = mpsc::channel(1);
        self.lock().insert(seen.to_owned(), sender);
        Cancellable {
            cancels: self.clone(),
            seen_id: seen.to_owned(),
            requests: tokio::sync::Mutex::new(wanted),
        }
    }

    /// Cancels the answer that its app saw as `seen`, if it waits.
    pub(crate) async fn cancel_answer(&self, seen: &str) -> Option<Response<Body>> {
        let sender = self.lock().get(seen).cloned()?;
        let (tell, told) = oneshot::channel();
        sender.try_send(tell).ok()?;
        let mut response = Response::new(Body::from(response_of(told.await.ok()?)));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Some(response)
    }
}

/// The response in an event, as one that was cancelled; the same, if it is no event.
fn response_of(text: Vec<u8>) -> Vec<u8> {
    let block = EventBlock { raw: text };
    let event = block.data().and_then(|data| Members::parse(&data).ok());
    let Some(mut response) = event.and_then(|event| event.object_member("response")) else {
        return block.raw;
    };
    response.set("status", to_raw_json("cancelled"));
    response.to_raw_value().get().as_bytes().to_vec()
}

impl Cancellable {
    /// Returns when somebody wants it.
    pub(crate) async fn wait_for_cancel(&self) -> Option<CancelReply> {
        self.requests.lock().await.recv().await
    }
}

impl Drop for Cancellable {
    fn drop(&mut self) {
        self.cancels.lock().remove(&self.seen_id);
    }
}
