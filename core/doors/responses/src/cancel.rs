//! `POST /responses/ID/cancel` of an answer that waits for a person: the endpoint has ended its part, and knows nothing of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use http::{HeaderValue, Response, header};
use mayi_doors::members::Members;
use tokio::sync::{mpsc, oneshot};

use crate::events::Block;

/// Hears how an answer ended, as its app does.
type Tell = oneshot::Sender<Vec<u8>>;
type Waiting = HashMap<String, mpsc::Sender<Tell>>;

/// Answers that wait, by the ids that their apps saw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancels(Arc<Mutex<Waiting>>);

/// One of them. It can be cancelled for as long as this is there.
pub(crate) struct Cancel {
    cancels: Cancels,
    seen: String,
    wanted: tokio::sync::Mutex<mpsc::Receiver<Tell>>,
}

impl Cancels {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer waits.
    pub(crate) fn wait(&self, seen: &str) -> Cancel {
        let (sender, wanted) = mpsc::channel(1);
        self.lock().insert(seen.to_owned(), sender);
        Cancel { cancels: self.clone(), seen: seen.to_owned(), wanted: tokio::sync::Mutex::new(wanted) }
    }

    /// Cancels the answer that its app saw as `seen`, if it waits.
    pub(crate) async fn cancelled(&self, seen: &str) -> Option<Response<Body>> {
        let sender = self.lock().get(seen).cloned()?;
        let (tell, told) = oneshot::channel();
        sender.try_send(tell).ok()?;
        let mut response = Response::new(Body::from(response_of(told.await.ok()?)));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Some(response)
    }
}

/// The response in an event; the same, if it is no event.
fn response_of(text: Vec<u8>) -> Vec<u8> {
    let block = Block { raw: text };
    let event = block.data().and_then(|data| Members::parse(&data).ok());
    let response = event.and_then(|event| Some(event.get("response")?.get().as_bytes().to_vec()));
    response.unwrap_or(block.raw)
}

impl Cancel {
    /// Returns when somebody wants it.
    pub(crate) async fn wanted(&self) -> Option<Tell> {
        self.wanted.lock().await.recv().await
    }
}

impl Drop for Cancel {
    fn drop(&mut self) {
        self.cancels.lock().remove(&self.seen);
    }
}
