//! Relays come in: by a credential that is good for one server of one session, and never by what they say of themselves.

use std::sync::Arc;

use mayi_doors::task::SpawnBoxed as _;
use mayi_doors::web::same_token;
use tokio::io::BufReader;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::channel::{Listener, ReadHalf, WriteHalf};
use super::handshake::{self, Hello, Welcome};
use crate::door::McpDoor;
use crate::stdio;

/// So many may wait to be let in.
const WAITING: usize = 16;

/// So many may be in for one server: an agent starts it once, and perhaps again for each of its sub-agents.
const IN: usize = 16;

/// What a credential opens.
pub(super) struct RelayCredential {
    pub(super) token: String,
    pub(super) door: Arc<McpDoor>,
    places: Arc<Semaphore>,
}

impl RelayCredential {
    pub(super) fn new(token: String, door: Arc<McpDoor>) -> Self {
        Self { token, door, places: Arc::new(Semaphore::new(IN)) }
    }
}

/// Lets relays in until it is `over`.
pub(super) async fn admit_relays(
    listener: Listener,
    ways: Arc<[RelayCredential]>,
    over: CancellationToken,
    served: TaskTracker,
) {
    let waiting = Arc::new(Semaphore::new(WAITING));
    loop {
        let Ok(place) = Arc::clone(&waiting).acquire_owned().await else { return };
        let come = tokio::select! {
            come = listener.accept() => come,
            () = over.cancelled() => return,
        };
        let Ok((reader, writer)) = come else {
            // No more files may be open for now.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            continue;
        };
        let (ways, over) = (Arc::clone(&ways), over.clone());
        served.spawn_boxed(async move {
            tokio::select! {
                () = serve_relay(BufReader::new(reader), writer, &ways, place) => {}
                // What was begun is dropped, and its servers end with it.
                () = over.cancelled() => {}
            }
        });
    }
}

/// Serves one relay, if it may come in. `waiting` is given back once that is known.
async fn serve_relay(
    mut reader: BufReader<ReadHalf>,
    mut writer: WriteHalf,
    ways: &[RelayCredential],
    waiting: tokio::sync::OwnedSemaphorePermit,
) {
    let said: Option<Hello> = handshake::read_first_line(&mut reader).await;
    drop(waiting);
    let refuse = |why: &str| Welcome::Refused(why.to_owned());
    // Each is compared, so that the time it takes tells nothing about any.
    let mut ways =
        ways.iter().filter(|way| said.as_ref().is_some_and(|said| same_token(&said.token, &way.token)));
    let Some(way) = ways.next() else {
        let _ = handshake::write_first_line(&mut writer, &refuse("this credential opens nothing here")).await;
        return;
    };
    let Ok(_place) = Arc::clone(&way.places).try_acquire_owned() else {
        let _ = handshake::write_first_line(
            &mut writer,
            &refuse("too many of this server run in this session already"),
        )
        .await;
        return;
    };
    if handshake::write_first_line(&mut writer, &Welcome::Open).await.is_ok()
        && let Err(error) = stdio::serve(&*way.door, reader, writer).await
    {
        tracing::debug!(%error, "a relay is gone");
    }
}
