//! Addresses that a call would fetch.

use serde::Serialize;
use thiserror::Error;
use url::Url;

/// An address, after IDNA normalisation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct UrlAccess {
    /// As the agent wrote it.
    pub given: String,
    /// `http`, `https`, ...: lower case.
    pub scheme: String,
    /// The host in its ASCII form, lower case, without a dot at the end; an IP address as the URL
    /// standard writes it.
    pub host: String,
    /// The port if it is not the scheme's own.
    pub port: Option<u16>,
    /// The path and the query, in their normal form.
    pub path: String,
    /// The whole address in its normal form, without user name, password and fragment.
    pub href: String,
    /// Whether every program would read it so: without user name, backslashes, blanks and control
    /// characters, about which the readers of addresses disagree. No allow matches another one.
    pub certain: bool,
}

/// Why an address was not understood.
#[derive(Debug, Error)]
pub enum UrlError {
    /// Not a URL by the URL standard.
    #[error("not a URL: {0}")]
    Parse(#[from] url::ParseError),
    /// `data:`, `file:` and the like reach no host.
    #[error("a URL without a host")]
    NoHost,
}

impl UrlAccess {
    /// Reads `given` by the URL standard.
    ///
    /// # Errors
    /// If it is no URL, or one that reaches no host.
    pub fn parse(given: &str) -> Result<Self, UrlError> {
        let mut url = Url::parse(given)?;
        // An IPv4 address in the form of an IPv6 one reaches the same machine.
        if let Some(url::Host::Ipv6(six)) = url.host()
            && let Some(four) = six.to_ipv4_mapped()
        {
            let _ = url.set_ip_host(four.into());
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(UrlError::NoHost)?;
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        // One dot at the end means the same host.
        let _ = url.set_host(Some(&host));
        url.set_fragment(None);
        // Both setters fail only for URLs without a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        Ok(Self {
            given: given.to_owned(),
            scheme: url.scheme().to_owned(),
            host,
            port: url.port(),
            path: url
                .query()
                .map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path())),
            href: url.to_string(),
            certain: certain(given),
        })
    }
}

/// `https://docs.rs\@evil.example/` is `docs.rs` by the URL standard, and `evil.example` for others.
fn certain(given: &str) -> bool {
    let authority = given.split_once("://").map_or(given, |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or(authority);
    !authority.contains('@') && !given.contains(|c: char| c == '\\' || c.is_whitespace() || c.is_control())
}

/// The ASCII form of a host name as people write it in a rule.
///
/// # Errors
/// If it is no host name by IDNA.
pub fn normal_host(host: &str) -> Result<String, idna::Errors> {
    idna::domain_to_ascii(host.trim_end_matches('.')).map(|host| host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::UrlAccess;

    #[test]
    fn given_other_spellings_of_a_host_then_it_is_one_host() {
        for given in [
            "https://EXAMPLE.com/x",
            "https://example.com.:443/x#f",
            "https://u:p@exa%6Dple.com/x",
            "https://ｅxample.com/x",
        ] {
            let url = UrlAccess::parse(given).unwrap();
            assert_eq!((url.host.as_str(), url.port), ("example.com", None), "{given}");
        }
        assert_eq!(UrlAccess::parse("http://0x7f.1/").unwrap().host, "127.0.0.1");
        assert_eq!(UrlAccess::parse("http://[::ffff:7f00:1]/").unwrap().host, "127.0.0.1");
    }

    /// Attack 69: "a backslash or a user name in an address, about which readers disagree".
    #[test]
    fn given_an_address_that_readers_disagree_about_then_it_is_not_certain() {
        for given in [
            "https://docs.rs\\@evil.example/",
            "https://a@docs.rs/",
            "https://docs.rs/ x",
            "https:\\\\docs.rs",
        ] {
            assert!(UrlAccess::parse(given).is_ok_and(|url| !url.certain), "{given}");
        }
        for given in ["https://docs.rs/a@b", "https://docs.rs?x=@y", "https://docs.rs#@"] {
            assert!(UrlAccess::parse(given).unwrap().certain, "{given}");
        }
    }

    #[test]
    fn given_no_host_then_it_is_refused() {
        for given in ["", "example.com", "data:text/plain,x", "mailto:a@b"] {
            assert!(UrlAccess::parse(given).is_err(), "{given}");
        }
    }
}
