//! The two eras of the protocol: with `initialize` (up to 2025-11-25), and stateless (2026-07-28), where each request
//! says what it needs in its `_meta`.

use std::sync::{Mutex, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::frame::{Frame, code};
use super::members::{Members, to_raw_json};
use mayi_core::approval::escape_line;

/// The newest version with `initialize`.
pub(super) const LATEST_OLDER: &str = "2025-11-25";

/// The stateless version.
pub(super) const STATELESS: &str = "2026-07-28";

/// The one version in which several messages may come as an array.
pub(super) const WITH_BATCHES: &str = "2025-03-26";

/// Versions with `initialize`, newest first.
pub(super) const OLDER: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Whether a version is spoken here: by the servers, or by mayi in front of them.
pub(super) fn is_known_version(version: &str) -> bool {
    version == STATELESS || OLDER.contains(&version)
}

/// What is said of a version that is not (MCP 2026-07-28, "Protocol version negotiation").
pub(super) fn unsupported_version(id: &RawValue, requested: &str) -> Frame {
    let shown: String = requested.chars().take(80).collect();
    let message = format!("the protocol version {} is not spoken here", escape_line(&shown));
    let supported: Vec<&str> = std::iter::once(STATELESS).chain(OLDER.iter().copied()).collect();
    let data = json!({ "supported": supported, "requested": shown });
    Frame::error_with(id, code::UNSUPPORTED_VERSION, &message, Some(data))
}

/// Keys of `_meta` (MCP 2026-07-28).
pub(super) mod meta {
    pub(crate) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    pub(crate) const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
    pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    pub(crate) const SERVER: &str = "io.modelcontextprotocol/serverInfo";
    pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
}

/// What a client or a server speaks, and how a message is taken that comes over HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Era {
    /// With `initialize`, and requests of the server to the client.
    #[default]
    Older,
    /// Without, and with results that ask for input.
    Stateless,
}

/// What a client says of itself: in `initialize`, or with each request.
#[derive(Clone, Debug, Default)]
pub(super) struct ClientProfile {
    /// What it speaks.
    pub(super) era: Era,
    /// Its name and version.
    pub(super) info: Option<Box<RawValue>>,
    /// What it can do.
    pub(super) capabilities: Option<Box<RawValue>>,
}

impl ClientProfile {
    /// From the parameters of `initialize`.
    pub(super) fn in_initialize(params: &Members) -> Self {
        let own = |name| params.get(name).map(ToOwned::to_owned);
        Self { era: Era::Older, info: own("clientInfo"), capabilities: own("capabilities") }
    }

    /// From the `_meta` of a stateless request.
    fn in_meta(params: &Members) -> Self {
        let meta = params.object_member("_meta").unwrap_or_default();
        let own = |name| meta.get(name).map(ToOwned::to_owned);
        Self { era: Era::Stateless, info: own(meta::CLIENT), capabilities: own(meta::CAPABILITIES) }
    }

    /// Whether it takes forms (`elicitation`; an empty object means forms only).
    pub(super) fn takes_forms(&self) -> bool {
        let Some(capabilities) = self.read() else { return false };
        capabilities
            .get("elicitation")
            .is_some_and(|elicitation| elicitation.get("form").is_some() || elicitation.get("url").is_none())
    }

    /// Whether it offers what servers can ask for only in a session.
    pub(super) fn needs_a_session(&self) -> bool {
        let Some(capabilities) = self.read() else { return false };
        ["elicitation", "sampling", "roots"].iter().any(|name| capabilities.get(name).is_some())
    }

    /// The name that it gives itself: a claim, for cards.
    pub(super) fn name(&self) -> Option<String> {
        let info: Value = serde_json::from_str(self.info.as_ref()?.get()).ok()?;
        let name = info.get("title").or_else(|| info.get("name"))?.as_str()?;
        Some(name.chars().take(80).collect())
    }

    fn read(&self) -> Option<Value> {
        serde_json::from_str(self.capabilities.as_ref()?.get()).ok()
    }

    /// `params` as a stateless server needs them: with who asks, and what that one can do.
    pub(super) fn stamp_params(&self, mut params: Members, log_level: Option<&str>) -> Members {
        let mut meta = params.object_member("_meta").unwrap_or_default();
        meta.set(meta::VERSION, to_raw_json(STATELESS));
        meta.set(meta::CLIENT, self.info.clone().unwrap_or_else(|| to_raw_json(&own_info())));
        meta.set(meta::CAPABILITIES, self.capabilities.clone().unwrap_or_else(|| to_raw_json(&json!({}))));
        if let Some(level) = log_level {
            meta.set(meta::LOG_LEVEL, to_raw_json(level));
        }
        params.set("_meta", meta.to_raw_value());
        params
    }
}

/// What a client of the older era has said once for all of its requests.
#[derive(Debug, Default)]
pub(super) struct Introduction {
    /// None before it began, and none in the stateless era.
    begun: Mutex<Option<ClientProfile>>,
    log_level: Mutex<Option<String>>,
}

impl Introduction {
    /// It has begun, and said this of itself.
    pub(super) fn record_client(&self, says: ClientProfile) {
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = Some(says);
    }

    /// Whether it has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// What the client of this request speaks, and what it says of itself: there, or when it began.
    pub(super) fn profile_for(&self, frame: &Frame) -> ClientProfile {
        let params = frame.params().unwrap_or_default();
        let names_version =
            params.object_member("_meta").is_some_and(|meta| meta.get(meta::VERSION).is_some());
        // The second one is what asks for versions.
        if names_version || frame.method() == Some("server/discover") {
            return ClientProfile::in_meta(&params);
        }
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
    }

    /// From which level on it wants to hear what servers log, if it has said so.
    pub(super) fn log_level(&self) -> Option<String> {
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It has said so.
    pub(super) fn set_log_level(&self, level: Option<String>) {
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }
}

/// What mayi says of itself.
pub(super) fn own_info() -> Value {
    json!({ "name": "mayi", "version": env!("CARGO_PKG_VERSION") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_profile(capabilities: &str) -> ClientProfile {
        let params = format!(r#"{{"capabilities":{capabilities},"clientInfo":{{"name":"c"}}}}"#);
        ClientProfile::in_initialize(&Members::parse(&params).unwrap())
    }

    /// "`elicitation: {}` means form only" (MCP, elicitation).
    #[test]
    fn given_capabilities_then_forms_are_taken_where_they_are_declared() {
        assert!(test_profile(r#"{"elicitation":{}}"#).takes_forms());
        assert!(test_profile(r#"{"elicitation":{"form":{},"url":{}}}"#).takes_forms());
        assert!(!test_profile(r#"{"elicitation":{"url":{}}}"#).takes_forms());
        assert!(!test_profile(r#"{"sampling":{}}"#).takes_forms());
    }

    #[test]
    fn given_a_stateless_server_then_requests_say_who_asks() {
        let params = Members::parse(r#"{"cursor":"x","_meta":{"progressToken":1}}"#).unwrap();
        let stamped = test_profile("{}").stamp_params(params, Some("info"));
        let stateless = Introduction::default().profile_for(&Frame::request(1, "tools/list", &stamped));
        assert_eq!(stateless.era, Era::Stateless);
        let meta = stamped.object_member("_meta").unwrap();
        assert_eq!(meta.get("progressToken").unwrap().get(), "1");
        assert_eq!(meta.string_member(meta::LOG_LEVEL).as_deref(), Some("info"));
        assert_eq!(stateless.name().as_deref(), Some("c"));
    }
}
