//! The two eras of the protocol: with `initialize` (up to 2025-11-25), and stateless (2026-07-28), where each request
//! says what it needs in its `_meta`.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::members::{Members, raw};

/// The newest version with `initialize`.
pub(super) const LATEST_OLDER: &str = "2025-11-25";

/// The stateless version.
pub(super) const STATELESS: &str = "2026-07-28";

/// Versions with `initialize`, newest first.
pub(super) const OLDER: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// With `initialize`, and requests of the server to the client.
    Older,
    /// Without, and with results that ask for input.
    Stateless,
}

/// The era of a request: its `_meta` names a version, or it is the one that asks for versions.
pub(super) fn of_request(method: &str, params: Option<&Members>) -> Era {
    let named = params
        .and_then(|params| params.object("_meta"))
        .is_some_and(|meta| meta.get(meta::VERSION).is_some());
    if named || method == "server/discover" { Era::Stateless } else { Era::Older }
}

/// What a client says of itself: in `initialize`, or with each request.
#[derive(Clone, Debug, Default)]
pub(super) struct ClientSays {
    /// Its name and version.
    pub(super) info: Option<Box<RawValue>>,
    /// What it can do.
    pub(super) capabilities: Option<Box<RawValue>>,
}

impl ClientSays {
    /// From the parameters of `initialize`.
    pub(super) fn in_initialize(params: &Members) -> Self {
        let own = |name| params.get(name).map(ToOwned::to_owned);
        Self { info: own("clientInfo"), capabilities: own("capabilities") }
    }

    /// From the `_meta` of a stateless request.
    pub(super) fn in_meta(params: &Members) -> Self {
        let Some(meta) = params.object("_meta") else { return Self::default() };
        let own = |name| meta.get(name).map(ToOwned::to_owned);
        Self { info: own(meta::CLIENT), capabilities: own(meta::CAPABILITIES) }
    }

    /// Whether it takes forms (`elicitation`; an empty object means forms only).
    pub(super) fn takes_forms(&self) -> bool {
        let Some(capabilities) = self.read() else { return false };
        capabilities
            .get("elicitation")
            .is_some_and(|elicitation| elicitation.get("form").is_some() || elicitation.get("url").is_none())
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
    pub(super) fn stamp(&self, mut params: Members, log_level: Option<&str>) -> Members {
        let mut meta = params.object("_meta").unwrap_or_default();
        meta.set(meta::VERSION, raw(STATELESS));
        meta.set(meta::CLIENT, self.info.clone().unwrap_or_else(|| raw(&own_info())));
        meta.set(meta::CAPABILITIES, self.capabilities.clone().unwrap_or_else(|| raw(&json!({}))));
        if let Some(level) = log_level {
            meta.set(meta::LOG_LEVEL, raw(level));
        }
        params.set("_meta", meta.raw());
        params
    }
}

/// What mayi says of itself.
pub(super) fn own_info() -> Value {
    json!({ "name": "mayi", "version": env!("CARGO_PKG_VERSION") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(capabilities: &str) -> ClientSays {
        let params = format!(r#"{{"capabilities":{capabilities},"clientInfo":{{"name":"c"}}}}"#);
        ClientSays::in_initialize(&Members::parse(&params).unwrap())
    }

    /// "`elicitation: {}` means form only" (MCP, elicitation).
    #[test]
    fn given_capabilities_then_forms_are_taken_where_they_are_declared() {
        assert!(says(r#"{"elicitation":{}}"#).takes_forms());
        assert!(says(r#"{"elicitation":{"form":{},"url":{}}}"#).takes_forms());
        assert!(!says(r#"{"elicitation":{"url":{}}}"#).takes_forms());
        assert!(!says(r#"{"sampling":{}}"#).takes_forms());
    }

    #[test]
    fn given_a_stateless_server_then_requests_say_who_asks() {
        let params = Members::parse(r#"{"cursor":"x","_meta":{"progressToken":1}}"#).unwrap();
        let stamped = says("{}").stamp(params, Some("info"));
        assert_eq!(of_request("tools/list", Some(&stamped)), Era::Stateless);
        let meta = stamped.object("_meta").unwrap();
        assert_eq!(meta.get("progressToken").unwrap().get(), "1");
        assert_eq!(meta.string(meta::LOG_LEVEL).as_deref(), Some("info"));
        assert_eq!(ClientSays::in_meta(&stamped).name().as_deref(), Some("c"));
    }
}
