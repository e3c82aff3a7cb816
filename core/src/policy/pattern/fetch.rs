//! Patterns for addresses: a host or a URL glob.

use globset::GlobMatcher;

use super::{PatternError, name_glob};
use crate::call::{UrlAccess, normal_host};

/// A host, or a whole URL with wildcards.
#[derive(Clone, Debug)]
pub(super) enum FetchPattern {
    /// `*`: every address.
    Any,
    /// One host; `*.` before it covers one or more labels.
    Host { host: String, subdomains: bool },
    /// With a scheme: matched against the address in its normal form.
    Url(GlobMatcher),
}

impl FetchPattern {
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let text = text.trim();
        if text == "*" {
            return Ok(Self::Any);
        }
        if text.contains("://") {
            let (scheme, rest) = text.split_once("://").unwrap_or_default();
            let host_end = rest.find('/').unwrap_or(rest.len());
            let (host, path) = rest.split_at(host_end);
            let path = if path.is_empty() { "/" } else { path };
            let pattern = format!("{}://{}{path}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase());
            return name_glob(&pattern).map(Self::Url);
        }
        let (host, subdomains) = match text.strip_prefix("*.") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        if host.contains(['*', '/', '?', ' ']) {
            return Err(PatternError::argument(
                format!("`{text}` is neither a host nor a URL"),
                "write `docs.rs`, `*.docs.rs` or `https://docs.rs/serde/*`",
            ));
        }
        let host = normal_host(host).map_err(|_| {
            PatternError::argument(format!("`{text}` is not a host name"), "write it as in a URL")
        })?;
        Ok(Self::Host { host, subdomains })
    }

    /// Only the host itself, http or https, on its own port.
    pub(super) fn allows(&self, url: &UrlAccess) -> bool {
        let web = matches!(url.scheme.as_str(), "http" | "https");
        match self {
            Self::Any => web,
            Self::Host { host, subdomains: false } => web && url.port.is_none() && url.host == *host,
            Self::Host { host, subdomains: true } => web && url.port.is_none() && below(&url.host, host),
            Self::Url(glob) => glob.is_match(&url.href),
        }
    }

    /// The host and everything below it, on every scheme and port.
    pub(super) fn concerns(&self, url: &UrlAccess) -> bool {
        match self {
            Self::Any => true,
            Self::Host { host, subdomains } => (!subdomains && url.host == *host) || below(&url.host, host),
            Self::Url(glob) => glob.is_match(&url.href) || glob.is_match(&url.given),
        }
    }
}

fn below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}
