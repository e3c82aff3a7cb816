//! Patterns for addresses: a host or a URL glob.

use super::PatternError;
use super::glob::Globs;
use mayi_call::{UrlAccess, is_this_machine};

/// A host, or a whole URL with wildcards.
#[derive(Clone, Debug)]
pub(crate) enum FetchPattern {
    /// `*`: every address.
    Any,
    /// One host; `*.` before it covers one or more labels.
    Host { host: String, subdomains: bool, port: Option<u16> },
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
            return parse_url_pattern(text, scheme, rest);
        }
        let (host, subdomains) = match text.strip_prefix("*.") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        if host.contains(['*', '/', '?', '#', '@', '%', '\\', '{', '}']) || host.contains(char::is_whitespace)
        {
            return Err(PatternError::bad_argument(
                format!("`{text}` is neither a host nor a URL"),
                "write `docs.rs`, `*.docs.rs`, `localhost:3000` or `https://docs.rs/serde/*`",
            ));
        }
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, Some(port)),
            _ => (host, None),
        };
        let port = port.map(str::parse::<u16>).transpose().map_err(|_| {
            PatternError::bad_argument(
                format!("`{text}` has no port that is a number"),
                "write `localhost:3000`",
            )
        })?;
        // As in an address, so that both have one form: `[::1]`, `127.1`, names in any script.
        let wrong = |_| {
            let hint = "write it as in a URL: `docs.rs`, `[::1]:3000`";
            PatternError::bad_argument(format!("`{text}` is not a host name"), hint)
        };
        let host = UrlAccess::parse(&format!("http://{name}/")).map_err(wrong)?.host;
        Ok(Self::Host { host, subdomains, port })
    }

    /// The host that everything it matches has, or is below.
    pub(crate) fn host(&self) -> Option<&str> {
        match self {
            Self::Any => None,
            Self::Host { host, .. } | Self::Url { host, .. } => Some(host),
        }
    }

    /// Only the host itself, http or https, on its own port or the one that is named.
    pub(super) fn certainly_matches(&self, url: &UrlAccess) -> bool {
        if url.unsound || url.open {
            return false;
        }
        let web = matches!(url.scheme.as_str(), "http" | "https") && url.other_host.is_none();
        match self {
            Self::Any => web,
            Self::Host { host, subdomains, port } => {
                let at = if *subdomains { is_subdomain(&url.host, host) } else { url.host == *host };
                let own = match port {
                    None => url.port.is_none(),
                    Some(port) => port_of(url) == Some(*port),
                };
                web && at && own
            }
            Self::Url { scheme, host, subdomains, port, path } => {
                let at = if *subdomains { is_subdomain(&url.host, host) } else { url.host == *host };
                at && url.other_host.is_none()
                    && url.scheme == *scheme
                    && url.port == *port
                    && path.matches(&url.path)
            }
        }
    }

    /// The host and everything below it, on every scheme and port; with a port, on that one.
    pub(super) fn could_match(&self, url: &UrlAccess) -> bool {
        let hosts = || std::iter::once(&url.host).chain(&url.other_host);
        let at = |host: &String, subdomains: bool| {
            let local = !subdomains && is_this_machine(host);
            hosts().any(|of| {
                (!subdomains && of == host) || is_subdomain(of, host) || local && is_this_machine(of)
            })
        };
        match self {
            // It could be any host.
            _ if url.unsound || url.open && url.host.is_empty() => true,
            Self::Any => true,
            Self::Host { host, subdomains, port } => {
                at(host, *subdomains) && port.is_none_or(|port| port_of(url).is_none_or(|of| of == port))
            }
            Self::Url { host, subdomains, path, .. } => {
                at(host, *subdomains) && (url.open || path.matches(&url.path))
            }
        }
    }

    /// Whether [`Self::could_match`] is certain of it, also where not all of the address is known.
    pub(super) fn is_certain(&self, url: &UrlAccess) -> bool {
        !url.open || !url.host.is_empty() && !matches!(self, Self::Url { .. }) || matches!(self, Self::Any)
    }
}

/// The port that is reached, where that is known.
fn port_of(url: &UrlAccess) -> Option<u16> {
    url.port.or(match url.scheme.as_str() {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    })
}

fn parse_url_pattern(text: &str, scheme: &str, rest: &str) -> Result<FetchPattern, PatternError> {
    let wrong = || {
        PatternError::bad_argument(
            format!("`{text}` is not a URL with wildcards"),
            "write `https://docs.rs/serde/*`; in the host only `*.` at its start stands for more",
        )
    };
    let host_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(host_end);
    let path = if path.is_empty() { "/".to_owned() } else { path.to_owned() };
    let (host, subdomains) = host.strip_prefix("*.").map_or((host, false), |host| (host, true));
    // Read as a URL, the host and port get the form that accesses have.
    let read = mayi_call::UrlAccess::parse(&format!("{scheme}://{host}/")).map_err(|_| wrong())?;
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

fn is_subdomain(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}
