//! Patterns for addresses: a host or a URL glob.

use super::PatternError;
use super::glob::Globs;
use crate::call::{UrlAccess, normal_host};

/// A host, or a whole URL with wildcards.
#[derive(Clone, Debug)]
pub(crate) enum FetchPattern {
    /// `*`: every address.
    Any,
    /// One host; `*.` before it covers one or more labels.
    Host { host: String, subdomains: bool },
    /// With a scheme: its parts are matched one by one, so that a wildcard of the path never reaches
    /// into the host.
    Url { scheme: String, host: String, subdomains: bool, port: Option<u16>, path: Globs },
}

impl FetchPattern {
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let text = text.trim();
        if text == "*" {
            return Ok(Self::Any);
        }
        if let Some((scheme, rest)) = text.split_once("://") {
            return url(text, scheme, rest);
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

    /// The host that everything it matches has, or is below.
    pub(crate) fn host(&self) -> Option<&str> {
        match self {
            Self::Any => None,
            Self::Host { host, .. } | Self::Url { host, .. } => Some(host),
        }
    }

    /// Only the host itself, http or https, on its own port.
    pub(super) fn allows(&self, url: &UrlAccess) -> bool {
        let web = url.certain && matches!(url.scheme.as_str(), "http" | "https");
        match self {
            Self::Any => web,
            Self::Host { host, subdomains: false } => web && url.port.is_none() && url.host == *host,
            Self::Host { host, subdomains: true } => web && url.port.is_none() && below(&url.host, host),
            Self::Url { scheme, host, subdomains, port, path } => {
                let at = if *subdomains { below(&url.host, host) } else { url.host == *host };
                at && url.certain && url.scheme == *scheme && url.port == *port && path.matches(&url.path)
            }
        }
    }

    /// The host and everything below it, on every scheme and port.
    pub(super) fn concerns(&self, url: &UrlAccess) -> bool {
        // What others may read it as is somewhere in it.
        if !url.certain && self.host().is_none_or(|host| url.given.to_lowercase().contains(host)) {
            return true;
        }
        match self {
            Self::Any => true,
            Self::Host { host, subdomains } => (!subdomains && url.host == *host) || below(&url.host, host),
            Self::Url { host, subdomains, path, .. } => {
                ((!subdomains && url.host == *host) || below(&url.host, host)) && path.matches(&url.path)
            }
        }
    }
}

fn url(text: &str, scheme: &str, rest: &str) -> Result<FetchPattern, PatternError> {
    let wrong = || {
        PatternError::argument(
            format!("`{text}` is not a URL with wildcards"),
            "write `https://docs.rs/serde/*`; in the host only `*.` at its start stands for more",
        )
    };
    let host_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(host_end);
    let path = if path.is_empty() { "/".to_owned() } else { path.to_owned() };
    let (host, subdomains) = host.strip_prefix("*.").map_or((host, false), |host| (host, true));
    // Read as a URL, the host and port get the form that accesses have.
    let read = crate::call::UrlAccess::parse(&format!("{scheme}://{host}/")).map_err(|_| wrong())?;
    if host.contains(['*', '@', '[', '{']) || scheme.contains('*') {
        return Err(wrong());
    }
    Ok(FetchPattern::Url {
        scheme: read.scheme,
        host: read.host,
        subdomains,
        port: read.port,
        path: Globs::parse(&path)?,
    })
}

fn below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}
