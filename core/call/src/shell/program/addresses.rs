//! Addresses that curl takes, which writes several as one: `{a,b}` and `[1-9]` stand for each of what they hold.

use super::word_paths::{LONGEST, MOST, TouchCollector};
use crate::shell::{OpenWord, Reach, Use};
use crate::{UrlAccess, is_scheme};

/// Settings of curl's that are addresses.
const ADDRESSES: &[&str] = &[
    "url",
    "proxy",
    "preproxy",
    "proxy1.0",
    "socks4",
    "socks4a",
    "socks5",
    "socks5-hostname",
    "doh-url",
    "x",
];

/// The addresses that a text names which a program reads settings or addresses from: `url = "host/x"`, or one on each line. One of
/// which not all is known is known by its beginning. Other settings, and remarks, name none.
pub(in crate::shell) fn addresses_in(text: &str) -> Vec<UrlAccess> {
    let mut found: Vec<UrlAccess> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let bare = line.trim_start_matches('-');
        let name = bare.find(|c: char| c.is_whitespace() || "=:".contains(c)).unwrap_or(bare.len());
        let (name, value) = bare.split_at(name);
        let separated = value.trim_start_matches(|c: char| c.is_whitespace() || "=:".contains(c));
        let address = match (ADDRESSES.contains(&name), line.contains("://")) {
            (true, _) => separated,
            // `https://host/x` on a line of its own; nothing but the host, where nothing stands behind it.
            (false, true) if line.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme)) => line,
            (false, false) if value.is_empty() => line,
            (false, _) => continue,
        };
        let address = address.trim_matches(['"', '\'', ' ']).replace("\\\"", "");
        let address = address.split([' ', '\t', '"', '\'']).next().unwrap_or_default();
        if address.is_empty() || address.len() > LONGEST || found.len() >= MOST {
            continue;
        }
        let whole = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
        let url = match whole.split_once("${") {
            Some((known, _)) => Some(UrlAccess::from_prefix(line, known)),
            None => UrlAccess::parse_lenient(&whole).ok(),
        };
        found.extend(url.filter(|url| !found.contains(url)));
    }
    found
}

/// Whether a text is no address for the dot that it begins with: no machine is called so. Another reading of letters behind one
/// dash leaves such a text (`-hh.example`).
pub(super) fn begins_with_dot(text: &str) -> bool {
    text.starts_with('.') && !text.contains("://")
}

impl TouchCollector<'_> {
    /// An address that may be without its scheme: `curl example.com/x`.
    pub(super) fn add_host(&mut self, text: &str) {
        if begins_with_dot(text) {
            return;
        }
        self.add_expanded_addresses(text);
        if text.contains("://") {
            self.add_address(text);
        } else if !text.is_empty() && text.len() <= LONGEST {
            // curl takes one slash for two: `http:/host/x`.
            if let Some((scheme, rest)) = text.split_once(":/").filter(|(scheme, _)| is_scheme(scheme)) {
                self.add_address(&format!("{scheme}://{rest}"));
            }
            // `name=value`, among the words of some programs.
            let name = text.split('/').next().unwrap_or_default();
            if name.contains(['=', ' ']) {
                self.urls.extend(UrlAccess::parse(&format!("http://{text}")).ok());
            } else {
                self.add_address(&format!("http://{text}"));
            }
        }
    }

    /// The addresses that stand in a program: `urlopen("http://host/x")`.
    pub(super) fn add_addresses_in_code(&mut self, text: &str) {
        let apart = |c: char| c.is_whitespace() || "\"'`()<>\\,;{}$%".contains(c);
        for (at, _) in text.match_indices("://") {
            let before = text.get(..at).unwrap_or_default();
            let from = before
                .rfind(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c))
                .map_or(0, |at| at + 1);
            let Some(address) = text.get(from..).and_then(|text| text.split(apart).next()) else { continue };
            if let Ok(url) = UrlAccess::parse(address)
                && self.urls.len() < MOST
                && !self.urls.contains(&url)
            {
                self.urls.push(url);
            }
        }
    }

    /// An address of which only some text is known. `is_one`: it is an address whatever it looks like.
    pub(super) fn open_address(&mut self, word: &OpenWord, is_one: bool) {
        let beginning = word.pieces.first().and_then(Option::as_deref).unwrap_or_default();
        let scheme = beginning.find("://").map(|at| {
            let before = beginning.get(..at).unwrap_or_default();
            let name = before.rfind(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
            // `--url=https://...`
            beginning.get(name.map_or(0, |at| at + 1)..).unwrap_or_default()
        });
        let text = match scheme {
            Some(text) => text.to_owned(),
            None if is_one => format!("http://{beginning}"),
            None => return,
        };
        // What the line itself has put there, and what stands there if no file has such a name.
        let literal = word.glob.then(|| word.text.replace(['"', '\'', '\\'], ""));
        for text in word.assigned.iter().chain(&literal) {
            self.add_host(text);
        }
        let url = UrlAccess::from_prefix(&word.text, &text);
        if self.urls.len() < MOST && !self.urls.contains(&url) {
            self.urls.push(url);
        }
    }

    /// What the URL standard does not see of an address that stands for several: one of them may be a file.
    fn add_expanded_addresses(&mut self, text: &str) {
        let Some(at) = first_expansion(text).filter(|_| text.len() <= LONGEST) else { return };
        let (before, rest) = text.split_at(at);
        let (scheme, known) = match before.split_once(':') {
            Some((scheme, path)) => (Some(scheme), path),
            None => (None, ""),
        };
        let pieces = match scheme {
            // `file:///e{tc}/passwd`
            Some(scheme) if scheme.eq_ignore_ascii_case("file") => {
                let path = known.trim_start_matches('/');
                if known.is_empty() { vec![None] } else { vec![Some(format!("/{path}")), None] }
            }
            // Another scheme, or the port of a host: `localhost:[8080-8089]/`.
            Some(_) => return,
            // `f{ile}:///etc/passwd`, `{file:///etc/passwd,https://host}`; but not `{a,b}.example.com:8080`.
            None if may_end_a_scheme(rest) => vec![None],
            None => return,
        };
        let whole = pieces.first().is_some_and(Option::is_none);
        let word = OpenWord { text: text.to_owned(), pieces, ..OpenWord::default() };
        self.add_open_word(&word, Use::Read, Reach::Itself);
        if whole && let Some((_, behind)) = text.rsplit_once("://") {
            // Whatever the scheme is, this is the host.
            self.urls.extend(UrlAccess::parse_lenient(&format!("https://{behind}")).ok());
        }
    }
}

/// Where the first part begins that stands for several; an IPv6 address in its brackets is none.
fn first_expansion(text: &str) -> Option<usize> {
    let six = |at: usize| {
        let inner = text.get(at + 1..).and_then(|rest| rest.split(']').next()).unwrap_or_default();
        inner.contains(':') && inner.bytes().all(|b| b.is_ascii_hexdigit() || b":.%".contains(&b))
    };
    text.match_indices(['{', '[']).find(|(at, mark)| *mark == "{" || !six(*at)).map(|(at, _)| at)
}

/// Whether something in `text` may be the colon behind a scheme, and not only one before a port.
fn may_end_a_scheme(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            '/' if depth == 0 => return false,
            ':' if depth > 0 || !chars.peek().is_some_and(char::is_ascii_digit) => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{first_expansion, may_end_a_scheme};

    #[test]
    fn given_an_ipv6_address_then_it_stands_for_one() {
        for text in ["[::1]:8080/x", "http://[fe80::1%251]/", "example.com/x"] {
            assert_eq!(first_expansion(text), None, "{text}");
        }
        assert_eq!(first_expansion("http://[::1]/[1-3]"), Some(13));
        assert_eq!(first_expansion("a{b}"), Some(1));
    }

    #[test]
    fn given_a_colon_then_it_may_end_a_scheme_unless_a_port_follows_or_a_path_has_begun() {
        for text in ["{ile}:///etc", "{file:///x,a}", "{e:,x}/etc", "{file,x}:{/etc/passwd}"] {
            assert!(may_end_a_scheme(text), "{text}");
        }
        for text in ["{a,b}.example.com:8080/x", "{a,b}/x:y", "[1-3].example.com"] {
            assert!(!may_end_a_scheme(text), "{text}");
        }
    }
}
