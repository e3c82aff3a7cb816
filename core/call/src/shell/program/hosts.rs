//! Machines among the words of a program that reaches some, in every form that such a program takes. Which programs do is said
//! by their entries in the table.

use serde::Deserialize;

use super::addresses::begins_with_dot;
use super::analyzer::CommandAnalyzer;
use super::form::{CommandForm, InterpreterSpec, OptionMeaning, Role};
use super::scan::Scan;
use super::table::ProgramKind;
use crate::shell::{Caveat, CaveatSubject, GapContent, Word};
use crate::{UrlAccess, is_scheme};

/// As many are looked at, of one command.
const MOST: usize = 64;

/// What a word without a scheme may be to a program that reaches other machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AddressForm {
    /// It reaches none, whatever the program above it does.
    Nothing,
    /// The table does not say: what stands by itself as an address is taken for one.
    Bare,
    /// Only what has a scheme, in it or before it: `git::https://host/x`.
    Scheme,
    /// `host:folder` as well, and `me@host:folder`.
    Copy,
    /// `host/x` as well.
    Path,
    /// `host` and `host:80` as well.
    Host,
    /// It is an address, whatever it looks like.
    Always,
}

impl CommandAnalyzer<'_> {
    /// Notes the machines that the words of the command at `at` name: for rules that deny or ask.
    pub(super) fn add_hosts(&mut self, at: usize) {
        let form = match self.reaches {
            None | Some(AddressForm::Nothing) => return,
            Some(AddressForm::Path | AddressForm::Always) => AddressForm::Host,
            Some(form) => form,
        };
        let Some(words) = self.words.get(at + 1..) else { return };
        let mut found = Vec::new();
        for word in words.iter().filter_map(Word::literal) {
            // `--connect-to HOST:PORT:HOST:PORT`
            let parts = word.split(['=', ',']).chain(word.split(':').filter(|_| form == AddressForm::Host));
            found.extend(std::iter::once(word).chain(parts).filter_map(|part| host_in_text(part, form)));
        }
        found.dedup();
        for url in
            found.iter().take(MOST).filter_map(|host| UrlAccess::parse(&format!("https://{host}/")).ok())
        {
            if !self.places.urls.contains(&url) {
                self.places.urls.push(url);
            }
        }
    }

    /// Has every address among the operands and values of a program that reaches other machines, and every one of which not
    /// all is known, be allowed by itself (D2.37).
    pub(super) fn add_reached(&mut self, form: &CommandForm, scan: &Scan<'_>) {
        let takes = match form.reaches {
            Some(AddressForm::Nothing) => return,
            Some(takes) => takes,
            // What takes text for text, and what hands on its words, reaches nothing by itself.
            None if form.reader || form.kind != ProgramKind::Plain => return,
            None => AddressForm::Bare,
        };
        let words = self.words;
        let count = scan.operands.len();
        // Behind a script stand its own words; behind a sub-command that is not listed, those of the program.
        let script = form.program.as_ref().is_some_and(|program| program.operands == InterpreterSpec::SCRIPT)
            && !self.names_unlisted_sub(scan);
        for (index, &place) in scan.operands.iter().enumerate().take(if script { 1 } else { usize::MAX }) {
            let role = form.operands.as_ref().and_then(|roles| roles.role_at(index, count));
            let takes = match (role, takes) {
                (Some(Role::Url), _) => AddressForm::Always,
                (Some(Role::Command | Role::Line | Role::Single | Role::Assignment), _) => continue,
                // A pattern is text, and what is to be made takes words of its own.
                (Some(Role::Pattern | Role::Goal), AddressForm::Bare) => continue,
                // A name with a colon is something else there: `git push origin a:b`.
                (Some(Role::Text), AddressForm::Copy) => AddressForm::Scheme,
                _ => takes,
            };
            self.add_reached_word(place, words.get(place), takes);
        }
        // What a runner is told to get: `npx http://host/x`.
        if let Some(rest) = scan.rest.filter(|_| form.kind == ProgramKind::Runner) {
            self.add_reached_word(rest, words.get(rest), takes);
        }
        for found in scan.options.iter().chain(&scan.swallowed) {
            let Some(value) = &found.value else { continue };
            let takes = match found.known.meaning {
                OptionMeaning::Url | OptionMeaning::Proxy => AddressForm::Always,
                // A message, a title.
                OptionMeaning::Harmless if takes == AddressForm::Bare => continue,
                OptionMeaning::Harmless => takes,
                OptionMeaning::Reads
                | OptionMeaning::Stores
                | OptionMeaning::NamedFile
                | OptionMeaning::Names
                | OptionMeaning::Loads
                | OptionMeaning::Elsewhere => match takes {
                    AddressForm::Bare => takes,
                    _ => AddressForm::Scheme,
                },
                _ => continue,
            };
            match value.text {
                // What has blanks is prose, or tells where to connect to.
                Some(text)
                    if text.contains(' ')
                        && takes != AddressForm::Always
                        && !(takes == AddressForm::Host && is_connection(text)) => {}
                Some(text) => self.add_reached_word(value.place, Some(&Word::from(text)), takes),
                None => self.add_reached_word(value.place, words.get(value.place), takes),
            }
        }
        for &place in &scan.unknown {
            let value = |text: &str| text.split_once('=').map(|(_, value)| Word::from(value));
            let glued = words.get(place).and_then(Word::literal).and_then(value);
            self.add_reached_word(place, glued.as_ref(), takes);
        }
    }

    /// Whether its first operand is a sub-command that has no entry: a name, and no file.
    fn names_unlisted_sub(&self, scan: &Scan<'_>) -> bool {
        let first = scan.operands.first().filter(|place| **place == self.own_end);
        let name = first.and_then(|place| self.words.get(*place)).and_then(Word::literal);
        name.is_some_and(|name| !name.contains(['.', '/', ':']))
    }

    fn add_reached_word(&mut self, at: usize, word: Option<&Word>, takes: AddressForm) {
        match word {
            Some(Word::Literal(text)) if begins_with_dot(text) => {}
            Some(Word::Literal(text)) => {
                for address in addresses_in_text(text, takes) {
                    match UrlAccess::parse_lenient(&address) {
                        Ok(url) => self.add_reached_address(at, url),
                        Err(_) if takes != AddressForm::Always || address.starts_with("file:") => {}
                        Err(_) => self.add_reached_address(at, UrlAccess::from_prefix(text, "")),
                    }
                }
            }
            // Where no file has such a name, it stays as it is written: `curl host/x?y`.
            Some(Word::Open(open)) if open.glob => {
                let text = open.text.replace(['"', '\'', '\\'], "");
                self.add_reached_word(at, Some(&Word::Literal(text)), takes);
            }
            Some(Word::Open(open)) => {
                let known = open.pieces.first().and_then(Option::as_deref).unwrap_or_default();
                let value = known.split_once('=').filter(|(name, _)| name.starts_with('-'));
                let begins = addresses_in_text(value.map_or(known, |(_, value)| value), takes).pop();
                // A branch, a number or a value of a loop is no secret, and behind what is no address it is none.
                let plain = open.tame || open.held >= GapContent::Name;
                let plain = plain || takes == AddressForm::Bare;
                if plain && begins.is_none() && takes != AddressForm::Always {
                    return open.variant_words().for_each(|word| match word {
                        Word::Literal(_) => self.add_reached_word(at, Some(&word), takes),
                        Word::Open(_) => {}
                    });
                }
                let url = UrlAccess::from_prefix(&open.text, &begins.unwrap_or_default());
                self.add_reached_address(at, url);
            }
            None => {}
        }
    }

    fn add_reached_address(&mut self, at: usize, url: UrlAccess) {
        let reason = match url.open {
            true => "what is not known of it goes to another machine".to_owned(),
            false => {
                format!("an address that it reaches needs an allow of its own: fetch({})", pattern_of(&url))
            }
        };
        if !self.places.urls.contains(&url) {
            self.places.urls.push(url.clone());
        }
        let named = CaveatSubject::Address { at, url: Box::new(url) };
        self.add_caveat(Caveat { reason, always: false, named });
    }
}

/// What a rule calls an address, by its host.
fn pattern_of(url: &UrlAccess) -> String {
    let port = url.port.map(|port| format!(":{port}")).unwrap_or_default();
    match url.scheme.as_str() {
        "http" | "https" => format!("{}{port}", url.host),
        scheme => format!("{scheme}://{}{port}/**", url.host),
    }
}

/// The addresses that a text is or holds.
fn addresses_in_text(text: &str, takes: AddressForm) -> Vec<String> {
    let part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let before = text.split_once("://").map(|(before, _)| before);
    if takes == AddressForm::Always {
        // curl takes one slash for two.
        let one = text.split_once(":/").filter(|(scheme, _)| is_scheme(scheme));
        let address = match (before.is_some_and(is_scheme), one) {
            (true, _) => text.to_owned(),
            (false, Some((scheme, rest))) => format!("{scheme}://{rest}"),
            (false, None) => format!("http://{text}"),
        };
        return if text.is_empty() { Vec::new() } else { vec![address] };
    }
    if takes == AddressForm::Bare {
        let far = |(scheme, rest): (&str, &str)| is_scheme(scheme) && !rest.starts_with('/');
        let whole = !text.contains(char::is_whitespace) && text.split_once("://").is_some_and(far);
        let host = || login_host(text).map(|host| format!("https://{host}/"));
        return whole.then(|| text.to_owned()).or_else(host).into_iter().collect();
    }
    let whole = |text: &str| text.split_whitespace().next().map(str::to_owned);
    let mut found = Vec::new();
    // What stands before an address may be one as well: `host/x?http://other`.
    let mut rest = text;
    if let Some(before) = before {
        // `x@http://host/y`
        let scheme: usize = before.chars().rev().take_while(|c| part(*c)).map(char::len_utf8).sum();
        let at = before.len() - scheme;
        found.extend(text.get(at..).and_then(whole));
        rest = text.get(..at).unwrap_or_default();
    }
    // Who follows the URL standard takes any slashes for two, and none.
    let lower = rest.to_ascii_lowercase();
    for scheme in ["http:", "https:"] {
        let behind = lower.find(scheme).and_then(|at| rest.get(at + scheme.len()..)).unwrap_or_default();
        let address = whole(behind.trim_start_matches(['/', '\\']));
        found.extend(address.map(|address| format!("{scheme}//{address}")));
    }
    let host = match takes {
        AddressForm::Copy | AddressForm::Host => host_in_text(rest, takes),
        AddressForm::Path => rest
            .split_once('/')
            .and_then(|(head, _)| host_in_text(head, AddressForm::Host).filter(|_| leads_on(head))),
        _ => None,
    };
    found.extend(host.or_else(|| login_host(rest)).map(|host| format!("https://{host}/")));
    if takes == AddressForm::Host && is_connection(text) {
        found.extend(connection_hosts(text).map(|host| format!("https://{host}/")));
    }
    found
}

/// The machine of `me@host:folder`, which nothing else is written as.
fn login_host(text: &str) -> Option<String> {
    let (user, host) = text.split_once(':')?.0.rsplit_once('@')?;
    let plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._+%@".contains(&b))
    };
    let named = host == "localhost" || host.contains('.') && leads_on(host);
    (plain(user) && plain(host) && named).then(|| host.to_owned())
}

/// Whether a text is a list of settings by name: `host=h dbname=x`.
fn is_connection(text: &str) -> bool {
    let mut parts = text.split([' ', ';']).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| part.contains('='))
}

/// The machines that such a text names.
fn connection_hosts(text: &str) -> impl Iterator<Item = &str> {
    let settings = text.split([' ', ';']).filter_map(|part| part.split_once('='));
    let named = settings
        .filter(|(name, _)| ["host", "hostaddr", "server"].iter().any(|own| name.eq_ignore_ascii_case(own)));
    named.flat_map(|(_, value)| value.split(',')).filter(|host| !host.is_empty() && !host.starts_with('/'))
}

/// Whether what stands before a slash is a machine's name: its last part has letters alone, or it is a number.
fn leads_on(head: &str) -> bool {
    let end = head.rsplit(['.', ':']).next().unwrap_or_default();
    let letters = end.len() > 1 && end.bytes().all(|b| b.is_ascii_alphabetic());
    letters || !end.is_empty() && end.bytes().all(|b| b.is_ascii_digit())
}

/// The machine that a text names.
fn host_in_text(text: &str, form: AddressForm) -> Option<String> {
    let bare = |authority: &str| {
        let host = authority.rsplit('@').next().unwrap_or_default();
        host.to_owned()
    };
    if let Some((_, rest)) = text.split_once("://") {
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        return Some(bare(rest.get(..end)?)).filter(|host| !host.is_empty());
    }
    if matches!(form, AddressForm::Scheme | AddressForm::Bare) {
        return login_host(text);
    }
    if text.starts_with(['-', '/', '.']) || text.is_empty() {
        return None;
    }
    let head = text.split(['/', '?', '#']).next()?;
    let (before, behind) = match head.split_once(':') {
        Some((before, behind)) => (before, Some(behind)),
        None if text.contains(':') => return None,
        None => (head, None),
    };
    // In brackets stands an address with colons of its own.
    let host = if bare(head).starts_with('[') {
        bare(head).split_inclusive(']').next()?.to_owned()
    } else {
        bare(before)
    };
    let named = host.contains('.')
        || host == "localhost"
        || host.starts_with('[')
        || behind.is_some()
        || text.contains('@');
    let plain = host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._[]:".contains(&b)) && !host.is_empty();
    let fits = match form {
        AddressForm::Copy => text.contains(':') && behind.is_some(),
        _ => named,
    };
    (plain && fits).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::{AddressForm, addresses_in_text, host_in_text};

    /// D2.37: a program of which the table does not say that it reaches any.
    #[test]
    fn given_a_word_that_is_an_address_as_it_stands_then_it_is_one_to_any_program() {
        let found = |text: &str| addresses_in_text(text, AddressForm::Bare);
        assert_eq!(found("http://evil.example/x"), ["http://evil.example/x"]);
        assert_eq!(found("me@evil.example:x"), ["https://evil.example/"]);
        for text in ["see http://x.example", "s,http://a,http://b,", "a:b", "x@1:2", "foo@npm:b@1.2", "a.b/c"]
        {
            assert!(found(text).is_empty(), "{text}");
        }
        assert_eq!(
            addresses_in_text("host=evil.example dbname=x", AddressForm::Host),
            ["https://evil.example/"]
        );
        assert!(addresses_in_text("the host=evil.example of it", AddressForm::Host).is_empty());
    }

    #[test]
    fn given_a_word_then_the_machine_in_it_is_found_in_every_form() {
        for (text, form) in [
            ("rsync://evil.example/x", AddressForm::Copy),
            ("scp://me@evil.example/x", AddressForm::Copy),
            ("git::https://evil.example/x", AddressForm::Scheme),
            ("evil.example:x", AddressForm::Copy),
            ("git@evil.example:x/y", AddressForm::Copy),
            ("git@evil.example:x/y", AddressForm::Scheme),
            ("x@git@evil.example:y", AddressForm::Scheme),
            ("evil.example", AddressForm::Host),
            ("evil.example/x@latest", AddressForm::Host),
            ("me@evil.example", AddressForm::Host),
        ] {
            assert_eq!(host_in_text(text, form).as_deref(), Some("evil.example"), "{text}");
        }
        for (text, form) in [
            ("origin", AddressForm::Copy),
            ("src/a:b", AddressForm::Copy),
            ("./a.b", AddressForm::Host),
            ("alpine", AddressForm::Host),
            ("-v", AddressForm::Host),
        ] {
            assert_eq!(host_in_text(text, form), None, "{text}");
        }
    }
}
