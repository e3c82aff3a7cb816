//! Machines among the words of a program that reaches some, in every form that such a program takes: for rules about
//! addresses alone.

use super::analyzer::CommandAnalyzer;
use super::name;
use crate::UrlAccess;
use crate::shell::Word;

/// As many are looked at, of one command.
const MOST: usize = 64;

/// What a word without a scheme may be to a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AddressForm {
    /// Only what has a scheme, in it or before it: `git::https://host/x`.
    Scheme,
    /// `host:folder` as well, and `me@host:folder`.
    Copy,
    /// `host`, `host:80`, `host/x`, `me@host` as well.
    Host,
}

/// Programs, words of which one has to stand there (with none listed, always), and what their words may be.
const PROGRAMS: &[(&str, &[&str], AddressForm)] = &[
    ("aria2c", &[], AddressForm::Host),
    ("buildah", &["pull", "push", "from"], AddressForm::Host),
    ("curl", &["--connect-to", "--resolve", "--doh-url"], AddressForm::Host),
    ("dig", &[], AddressForm::Host),
    ("docker", &["pull", "push", "run", "create", "login", "-H", "--host"], AddressForm::Host),
    ("ftp", &[], AddressForm::Host),
    ("gh", &[], AddressForm::Scheme),
    (
        "git",
        &["clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule", "archive"],
        AddressForm::Copy,
    ),
    ("go", &["install", "get", "run"], AddressForm::Host),
    ("helm", &[], AddressForm::Scheme),
    ("hg", &["clone", "pull", "push"], AddressForm::Copy),
    ("host", &[], AddressForm::Host),
    ("http", &[], AddressForm::Host),
    ("httpie", &[], AddressForm::Host),
    ("https", &[], AddressForm::Host),
    ("kubectl", &["--server", "-s"], AddressForm::Host),
    ("lftp", &[], AddressForm::Host),
    ("lynx", &[], AddressForm::Host),
    ("mariadb", &["-h", "--host"], AddressForm::Host),
    ("mongosh", &[], AddressForm::Host),
    ("mosh", &[], AddressForm::Host),
    ("mtr", &[], AddressForm::Host),
    ("mysql", &["-h", "--host"], AddressForm::Host),
    ("nc", &[], AddressForm::Host),
    ("ncat", &[], AddressForm::Host),
    ("nerdctl", &["pull", "push", "run", "create", "login"], AddressForm::Host),
    ("netcat", &[], AddressForm::Host),
    ("nmap", &[], AddressForm::Host),
    ("nslookup", &[], AddressForm::Host),
    ("oc", &["--server", "-s", "login"], AddressForm::Host),
    ("ping", &[], AddressForm::Host),
    ("podman", &["pull", "push", "run", "create", "login"], AddressForm::Host),
    ("psql", &["-h", "--host", "-d", "--dbname"], AddressForm::Host),
    ("redis-cli", &["-h", "-u"], AddressForm::Host),
    ("rsync", &[], AddressForm::Copy),
    ("scp", &[], AddressForm::Copy),
    ("sftp", &[], AddressForm::Host),
    ("skopeo", &[], AddressForm::Scheme),
    ("ss", &[], AddressForm::Host),
    ("ssh", &[], AddressForm::Host),
    ("ssh-copy-id", &[], AddressForm::Host),
    ("ssh-keyscan", &[], AddressForm::Host),
    ("svn", &[], AddressForm::Scheme),
    ("telnet", &[], AddressForm::Host),
    ("terraform", &[], AddressForm::Scheme),
    ("tofu", &[], AddressForm::Scheme),
    ("traceroute", &[], AddressForm::Host),
    ("w3m", &[], AddressForm::Host),
    ("wget", &["-e", "--execute"], AddressForm::Host),
    ("whois", &[], AddressForm::Host),
    ("xh", &[], AddressForm::Host),
    ("xhs", &[], AddressForm::Host),
];

impl CommandAnalyzer<'_> {
    /// Notes the machines that the words of the command at `at` name.
    pub(super) fn add_hosts(&mut self, at: usize) {
        let Some(words) = self.words.get(at..) else { return };
        let Some(program) = words.first().and_then(Word::literal).map(name::base_name) else { return };
        let literal: Vec<&str> = words.iter().skip(1).filter_map(Word::literal).collect();
        let option = |word: &&str| word.split_once('=').map_or(*word, |(name, _)| name).to_owned();
        let is = |verbs: &[&str]| {
            verbs.is_empty() || literal.iter().any(|word| verbs.contains(&option(word).as_str()))
        };
        let Some((.., form)) = PROGRAMS.iter().find(|(name, verbs, _)| *name == program && is(verbs)) else {
            return;
        };
        let mut found = Vec::new();
        for word in literal {
            for part in std::iter::once(word).chain(word.split(['=', ','])) {
                found.extend(host_in_text(part, *form));
            }
            // `--connect-to HOST:PORT:HOST:PORT`
            if *form == AddressForm::Host && program == "curl" {
                found.extend(word.split(':').filter_map(|part| host_in_text(part, AddressForm::Host)));
            }
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
    if text.starts_with(['-', '/', '.']) || text.is_empty() || form == AddressForm::Scheme {
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
    use super::{AddressForm, host_in_text};

    #[test]
    fn given_a_word_then_the_machine_in_it_is_found_in_every_form() {
        for (text, form) in [
            ("rsync://evil.example/x", AddressForm::Copy),
            ("scp://me@evil.example/x", AddressForm::Copy),
            ("git::https://evil.example/x", AddressForm::Scheme),
            ("evil.example:x", AddressForm::Copy),
            ("git@evil.example:x/y", AddressForm::Copy),
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
