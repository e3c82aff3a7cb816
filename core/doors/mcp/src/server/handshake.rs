//! How a conversation with a server begins: with `initialize`, or with `server/discover`; and again after it was
//! started anew.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::{Failure, Link, Server};
use crate::era::{ClientProfile, Era, LATEST_OLDER, STATELESS, own_info};
use crate::frame::Frame;
use crate::members::{Members, to_raw_json};

/// A server may have to be fetched and unpacked before it says anything.
const FETCHED: Duration = Duration::from_secs(300);

/// A server of the older era may not know what `server/discover` is, and say nothing at all.
pub(super) const PROBE: Duration = Duration::from_secs(10);

/// How a conversation began.
#[derive(Clone, Debug)]
pub(crate) struct Handshake {
    /// What the server speaks.
    pub(crate) era: Era,
    /// What it answered: the result of `initialize` or `server/discover`.
    pub(crate) hello: Members,
    /// With what it was asked to begin: parameters of `initialize`; empty in the stateless era.
    params: Members,
}

impl Handshake {
    /// What the server can do.
    pub(crate) fn has_capability(&self, what: &str) -> bool {
        self.hello.object_member("capabilities").is_some_and(|can| can.get(what).is_some())
    }
}

impl Server {
    /// Begins as a client of the older era asked for it. A server that does not take that is asked in the stateless way.
    /// Returns the server's refusal if it takes neither.
    ///
    /// # Errors
    /// If there is no answer.
    pub(crate) async fn begin_older(&self, params: &Members) -> Result<Result<Handshake, Frame>, Failure> {
        let _one = self.beginning.lock().await;
        let response = self.ask_within("initialize", params, FETCHED).await?;
        if let Some(hello) = response.result_object() {
            return Ok(Ok(self.record_handshake(Era::Older, hello, params.clone())));
        }
        let says = ClientProfile::in_initialize(params);
        match self.discover(&says).await {
            Ok(Some(hello)) => Ok(Ok(self.record_handshake(Era::Stateless, hello, Members::default()))),
            _ => Ok(Err(response)),
        }
    }

    /// Begins for a client of the stateless era, if that has not happened yet. A server of the older era is begun with in
    /// its own way, and told of no capabilities: what it would ask the client has no way there.
    ///
    /// # Errors
    /// If there is no answer that makes sense.
    pub(crate) async fn begin_stateless(&self, says: &ClientProfile) -> Result<Handshake, Failure> {
        let _one = self.beginning.lock().await;
        if let Some(begun) = self.handshake() {
            return Ok(begun);
        }
        if let Some(hello) = self.discover(says).await? {
            return Ok(self.record_handshake(Era::Stateless, hello, Members::default()));
        }
        let info = says.info.clone().unwrap_or_else(|| to_raw_json(&own_info()));
        let params = json!({ "protocolVersion": LATEST_OLDER, "capabilities": {}, "clientInfo": info });
        let params = Members::parse(&params.to_string()).unwrap_or_default();
        let response = self.ask_within("initialize", &params, FETCHED).await?;
        let Some(hello) = response.result_object() else {
            let said = response.member("error").map_or("no result", |error| error.get());
            let said = mayi_core::approval::escape_line(&said.chars().take(200).collect::<String>());
            return Err(Failure::new(format!(
                "the server {} speaks neither {STATELESS} nor {LATEST_OLDER}: {said}",
                self.name
            )));
        };
        self.send_frame(initialized_frame());
        Ok(self.record_handshake(Era::Older, hello, params))
    }

    /// What a server of the stateless era says of itself; `None` if it is none.
    ///
    /// # Errors
    /// If there is no connection.
    pub(crate) async fn discover(&self, says: &ClientProfile) -> Result<Option<Members>, Failure> {
        let params = says.stamp_params(Members::default(), None);
        // Gone is gone, and silence is an answer.
        Ok(self
            .probe(&params)
            .await?
            .and_then(|response| response.result_object())
            .filter(is_stateless_hello))
    }

    /// After it was started again: the client is not to notice.
    pub(super) async fn begin_again(self: &Arc<Self>, generation: u64) {
        let Some(begun) = self.handshake() else { return };
        if begun.era == Era::Older {
            match self
                .ask_within("initialize", &begun.params, FETCHED)
                .await
                .map(|response| response.result_object())
            {
                Ok(Some(hello)) => {
                    self.send_frame(initialized_frame());
                    self.record_handshake(Era::Older, hello, begun.params);
                }
                Ok(None) => return self.connection_ended(generation, "it did not begin again as before"),
                Err(failure) => return self.connection_ended(generation, &failure.message),
            }
        }
        let mut state = self.lock();
        if state.generation == generation
            && let Link::Up { ready, .. } = &mut state.link
        {
            *ready = true;
            drop(state);
            (self.say)("is there again");
        }
    }

    fn record_handshake(&self, era: Era, hello: Members, params: Members) -> Handshake {
        let begun = Handshake { era, hello, params };
        self.lock().begun = Some(begun.clone());
        begun
    }

    pub(super) fn is_down(&self) -> bool {
        !matches!(self.lock().link, Link::Up { .. })
    }
}

/// Whether an answer to `server/discover` is one of a server of the stateless era.
pub(crate) fn is_stateless_hello(hello: &Members) -> bool {
    let versions: Option<Vec<String>> =
        hello.get("supportedVersions").and_then(|versions| serde_json::from_str(versions.get()).ok());
    versions.is_some_and(|versions| versions.iter().any(|version| version == STATELESS))
}

fn initialized_frame() -> Frame {
    Frame::notification("notifications/initialized", &json!({}))
}
