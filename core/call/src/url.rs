//! Addresses that a call would fetch.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::Url;

/// An address, after IDNA normalisation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UrlAccess {
    /// As the agent wrote it.
    pub given: String,
    /// `http`, `https`, ...: lower case.
    pub scheme: String,
    /// The host in its ASCII form, lower case, without a dot at the end; an IP address as the URL
    /// standard writes it.
    pub host: String,
    /// The port if it is not the scheme's own.
    #[serde(default)]
    pub port: Option<u16>,
    /// The path and the query, in their normal form.
    pub path: String,
    /// The whole address in its normal form, without user name, password and fragment.
    pub href: String,
    /// The host that other programs may read in it, since they do not all follow the URL standard:
    /// `https://a\@b/` is one of either. Counts for deny and ask, and no allow matches.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub other_host: Option<String>,
    /// It has no host that the URL standard knows, and what other programs make of it can't be told: it is denied where
    /// any host is, and no allow matches.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unsound: bool,
    /// More follows that is not known: behind the host, or, where the host is empty, from the host on. It may be one that a
    /// rule denies, and no allow matches.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub open: bool,
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
    /// Reads `given` as a program may that does not follow the URL standard: what that refuses is an address all the same
    /// as long as something stands where a host would.
    ///
    /// # Errors
    /// If nothing does.
    pub fn parse_lenient(given: &str) -> Result<Self, UrlError> {
        let error = match Self::parse(given) {
            Ok(url) => return Ok(url),
            Err(error) => error,
        };
        let text = given.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_control());
        if let Some(url) = without_scheme(text) {
            return Ok(Self { given: given.to_owned(), ..url });
        }
        let Some((scheme, rest)) = text.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) else {
            return Err(error);
        };
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let host = authority.rsplit('@').next().unwrap_or_default();
        if host.is_empty() || scheme.eq_ignore_ascii_case("file") {
            return Err(error);
        }
        Ok(Self {
            given: given.to_owned(),
            scheme: scheme.to_ascii_lowercase(),
            host: host.to_ascii_lowercase(),
            port: None,
            path: path.split('#').next().unwrap_or_default().to_owned(),
            href: text.to_owned(),
            other_host: None,
            unsound: true,
            open: false,
        })
    }

    /// The address that begins with `beginning`, and of which the rest is not known; `given` as it is written.
    #[must_use]
    pub fn from_prefix(given: &str, beginning: &str) -> Self {
        let authority = beginning.split_once("://").map(|(_, rest)| rest).unwrap_or_default();
        // Without it, the host may go on: `https://docs.rs$x`.
        let whole = authority.contains(['/', '?', '#']);
        let known = whole.then(|| Self::parse_lenient(beginning).ok()).flatten().filter(|url| !url.unsound);
        let known = known.unwrap_or_else(|| Self {
            given: String::new(),
            scheme: String::new(),
            host: String::new(),
            port: None,
            path: "/".to_owned(),
            href: String::new(),
            other_host: None,
            unsound: false,
            open: true,
        });
        Self { given: given.to_owned(), href: given.to_owned(), open: true, ..known }
    }

    /// Reads `given` by the URL standard.
    ///
    /// # Errors
    /// If it is no URL, or one that reaches no host.
    pub fn parse(given: &str) -> Result<Self, UrlError> {
        let mut url = Url::parse(given)?;
        let embedded = match url.host() {
            Some(url::Host::Ipv6(six)) => embedded_ipv4(six),
            _ => None,
        };
        // An IPv4 address in the form of an IPv6 one reaches the same machine.
        if let Some(url::Host::Ipv6(six)) = url.host()
            && let Some(four) = six.to_ipv4_mapped()
        {
            let _ = url.set_ip_host(four.into());
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(UrlError::NoHost)?;
        let dots = host.ends_with("..");
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        // One dot at the end means the same host, and two are another name or none.
        let _ = url.set_host(Some(&host));
        url.set_fragment(None);
        // Both setters fail only for URLs without a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        Ok(Self {
            other_host: other_host(given, &host).or(embedded),
            unsound: dots || !is_sound(&host) || given.contains('\0') || has_odd_user(given),
            given: given.to_owned(),
            scheme: url.scheme().to_owned(),
            host,
            port: url.port(),
            path: url
                .query()
                .map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path())),
            href: url.to_string(),
            open: false,
        })
    }
}

/// Addresses that some programs complete by a scheme: `//host/x`, `\\\\host\\x`, and `user@host:x` as git and scp take it.
/// Which one is not said, so no allow matches.
fn without_scheme(text: &str) -> Option<UrlAccess> {
    let slashes = text.strip_prefix("//").or_else(|| text.strip_prefix("\\\\"));
    let whole = match slashes {
        Some(rest) => format!("https://{rest}"),
        None => {
            let (user, rest) = text.split_once('@')?;
            let (host, _) = rest.split_once(':')?;
            let plain = |text: &str| {
                !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
            };
            (plain(user) && plain(host)).then(|| format!("ssh://{user}@{host}/"))?
        }
    };
    let url = UrlAccess::parse(&whole).ok()?;
    Some(UrlAccess { other_host: url.other_host.or_else(|| Some(String::new())), ..url })
}

/// The IPv4 address that an IPv6 one leads to: by NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056), translation (RFC 2765), or in the form that was there before
/// the mapped one.
fn embedded_ipv4(six: core::net::Ipv6Addr) -> Option<String> {
    let four = match six.segments() {
        [0x64, 0xff9b, 0 | 1, .., high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x2002, high, low, ..] => (high, low),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => (high, low),
        _ => return None,
    };
    let (high, low) = (u32::from(four.0), u32::from(four.1));
    Some(core::net::Ipv4Addr::from(high << 16 | low).to_string())
}

/// Whether a host, as [`UrlAccess::host`] has it, is this machine: programs reach it by each of these names.
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    let name = host == "localhost" || host.ends_with(".localhost");
    name || ["localhost.localdomain", "ip6-localhost", "ip6-loopback", "[::1]", "[::]", "0.0.0.0"]
        .contains(&host)
        || host.parse::<core::net::Ipv4Addr>().is_ok_and(|four| four.is_loopback())
}

/// Whether a text is the name of a scheme: `https`, `git+ssh`.
pub(crate) fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
}

/// Whether what stands before an `@` in an address holds what some programs take for the end of its host.
fn has_odd_user(given: &str) -> bool {
    let Some((_, rest)) = given.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let Some((user, _)) = authority.rsplit_once('@') else { return false };
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._~%+-:".contains(&b);
    !user.bytes().all(plain) || user.matches(':').count() > 1
}

/// Whether a host is an IP address, or a name that the domain name system could know.
fn is_sound(host: &str) -> bool {
    if host.starts_with('[') {
        return host.ends_with(']');
    }
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    host.len() <= 253 && host.split('.').all(label) && url::Host::parse(host).is_ok()
}

/// The paths on this machine that an address is about: of `file:`, and of others that name no other machine (`sqlite:///x`,
/// `jar:file:///x!/y`, `vscode://file/x`); decoded, as it is written and with its dots taken away. None for any other address.
#[must_use]
pub fn file_paths(given: &str) -> Vec<String> {
    let text = given.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_control());
    let Some((scheme, rest)) =
        text.split_once(':').filter(|(scheme, _)| scheme.len() > 1 && is_scheme(scheme))
    else {
        return Vec::new();
    };
    if !scheme.eq_ignore_ascii_case("file") {
        return other_local_paths(scheme, rest);
    }
    let mut found = paths_of_file(text, cut_at_mark(rest));
    // To who knows no marks, what stands behind one is more of the path.
    let behind_mark = rest.get(cut_at_mark(rest).len()..).unwrap_or_default();
    if super::has_parent_component(behind_mark) {
        found.extend(paths_of_file(text, rest));
    }
    if rest.contains('\\') {
        found.extend(paths_of_file(text, &cut_at_mark(rest).replace('\\', "/")));
    }
    keep_first_of_each(found)
}

/// What stands in front of `?x` and `#x`.
fn cut_at_mark(rest: &str) -> &str {
    rest.split(['?', '#']).next().unwrap_or_default()
}

/// What stands behind `file:`, as a path: whatever takes the host for one leaves it out, and whatever knows of none has it as
/// the first folder. A home folder may stand behind a slash.
fn paths_of_file(whole: &str, rest: &str) -> Vec<String> {
    let (path, with_host) = match rest.strip_prefix("//") {
        Some(behind) => match behind.find('/') {
            Some(at) => (behind.get(at..).unwrap_or(behind), (at > 0).then_some(behind)),
            None => (behind, None),
        },
        None => (rest, None),
    };
    let mut found = vec![percent_decode(path)];
    if let Some(url) = Url::parse(whole).ok().filter(|_| path.starts_with('/')) {
        found.push(percent_decode(url.path()));
    }
    found.extend(with_host.map(percent_decode));
    with_homes(found)
}

/// Paths, and those of a home folder (`~/x`, `$HOME/x`) that stand behind a slash.
fn with_homes(mut paths: Vec<String>) -> Vec<String> {
    let at_home = |path: &String| {
        let rest = path.trim_start_matches('/');
        (rest.len() < path.len() && rest.starts_with(['~', '$'])).then(|| rest.to_owned())
    };
    let homes: Vec<String> = paths.iter().filter_map(at_home).collect();
    paths.extend(homes);
    paths
}

fn keep_first_of_each(paths: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for path in paths {
        if !kept.contains(&path) {
            kept.push(path);
        }
    }
    kept
}

/// The same of an address that is no `file:`.
fn other_local_paths(scheme: &str, rest: &str) -> Vec<String> {
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    // Editors have addresses for what lies on this machine, whatever stands in place of a host.
    let editor = ["vscode", "code-oss", "cursor", "windsurf"]
        .iter()
        .any(|name| scheme.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name)));
    let path = match rest.strip_prefix("//") {
        Some(behind) => {
            let (host, path) = behind.split_at(behind.find('/').unwrap_or(behind.len()));
            if host.is_empty() || editor { path } else { "" }
        }
        None if rest.starts_with('/') && editor => rest,
        // `jar:file:///x!/y`
        None if rest.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) => {
            return file_paths(rest).into_iter().flat_map(with_archive).collect();
        }
        None => "",
    };
    if path.len() > 1 { with_homes(with_archive(percent_decode(path))) } else { Vec::new() }
}

/// A path, and the archive that it could be a member of: `x!/y`.
fn with_archive(path: String) -> Vec<String> {
    let archive = path.split_once("!/").map(|(archive, _)| archive.to_owned());
    std::iter::once(path).chain(archive).collect()
}

/// Text with `%41` as the byte that it stands for.
pub(super) fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The host that a reader by RFC 3986 would see, where it is another one or can't be told.
fn other_host(given: &str, host: &str) -> Option<String> {
    let odd = |c: char| c == '\\' || c.is_control() || c.is_whitespace();
    let given = given.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_control());
    let (_, rest) = given.split_once(':')?;
    // Slashes that are missing, or one too many, are put right by some and refused by others.
    let Some(rest) = rest.strip_prefix("//").filter(|rest| !rest.starts_with(['/', '\\'])) else {
        return Some(String::new());
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let named = authority.rsplit('@').next().unwrap_or_default();
    let other = match named.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => format!("[{address}]"),
        None => named.split(':').next().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase(),
    };
    (authority.contains(odd) || other.contains('%')).then_some(other).filter(|other| other != host)
}

#[cfg(test)]
mod tests {
    use super::{UrlAccess, file_paths};

    /// Attack 69.
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

    /// Seen in other gates: `https://github.com\@evil.example/` is one host for some and another for others.
    /// Attack 69.
    #[test]
    fn given_an_address_that_programs_read_differently_then_both_hosts_are_known() {
        for (given, host, other) in [
            ("https://github.com\\@evil.example/", "github.com", Some("evil.example")),
            ("https://github.com\t/x", "github.com", Some("github.com\t")),
            ("https://exa%6Dple.com/", "example.com", Some("exa%6dple.com")),
            ("https:/example.com/", "example.com", Some("")),
            ("https:///example.com/", "example.com", Some("")),
            ("https://u:p@example.com:8443/x\\y", "example.com", None),
            ("https://EXAMPLE.com./?a@b", "example.com", None),
            ("http://[::1]:3000/", "[::1]", None),
        ] {
            let url = UrlAccess::parse(given).unwrap();
            assert_eq!((url.host.as_str(), url.other_host.as_deref()), (host, other), "{given}");
        }
    }

    /// Attack 106.
    #[test]
    fn given_an_address_of_a_file_then_its_path_is_known() {
        for (given, paths) in [
            ("file:///etc/shadow", &["/etc/shadow"] as &[&str]),
            ("FILE:///etc/shadow", &["/etc/shadow"]),
            (" file://localhost/etc/%73hadow?x#y", &["/etc/shadow", "localhost/etc/shadow"]),
            ("file:/etc/shadow", &["/etc/shadow"]),
            ("file://other/etc/shadow", &["/etc/shadow", "other/etc/shadow"]),
            ("file://./.env", &["/.env", "./.env"]),
            ("file://~/.ssh/x", &["/.ssh/x", "~/.ssh/x"]),
            ("file:///%7E/.ssh/x", &["/~/.ssh/x", "~/.ssh/x"]),
            ("file:///w/a#/../../x", &["/w/a", "/w/a#/../../x"]),
            ("file:\\\\.\\.env", &["\\\\.\\.env", "/.env", "./.env"]),
            ("sqlite:///~/x", &["/~/x", "~/x"]),
            ("file:///w/l/../x", &["/w/l/../x", "/w/x"]),
            ("file:///w/%2e%2e/x%zz%", &["/w/../x%zz%", "/x%zz%"]),
            ("file://.env", &[".env"]),
            ("file:.env", &[".env"]),
            ("https://example.com/file:///x", &[]),
            ("sqlite:///w/secrets/key", &["/w/secrets/key"]),
            ("sqlite:////w/x?mode=ro", &["//w/x"]),
            ("jar:file:///w/x!/y", &["/w/x!/y", "/w/x"]),
            (&"aa:".repeat(100_000), &[]),
            ("zip:///w/x!/y", &["/w/x!/y", "/w/x"]),
            ("vscode://file/w/a%20b", &["/w/a b"]),
            ("vscode-remote://wsl+x/w/x", &["/w/x"]),
            ("vscode-userdata:/root/x", &["/root/x"]),
            ("postgres://u:p@db.example/x", &[]),
            ("s3://bucket/x", &[]),
            ("host:/x", &[]),
            ("c:/x", &[]),
            ("note: /x", &[]),
            ("", &[]),
        ] {
            assert_eq!(file_paths(given), paths, "{given}");
        }
    }

    #[test]
    fn given_no_host_then_it_is_refused() {
        for given in ["", "example.com", "data:text/plain,x", "mailto:a@b"] {
            assert!(UrlAccess::parse(given).is_err(), "{given}");
        }
    }
}
