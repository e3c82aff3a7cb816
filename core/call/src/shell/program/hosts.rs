//! Machines among the words of a program that reaches some, in every form that such a program takes: for rules about
//! addresses alone.

use super::judge::Judge;
use super::name;
use crate::UrlAccess;
use crate::shell::Word;

/// As many are looked at, of one command.
const MOST: usize = 64;

/// What a word without a scheme may be to a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Only what has a scheme, in it or before it: `git::https://host/x`.
    Scheme,
    /// `host:folder` as well, and `me@host:folder`.
    Copy,
    /// `host`, `host:80`, `host/x`, `me@host` as well.
    Host,
}

/// Programs, words of which one has to stand there (with none listed, always), and what their words may be.
const PROGRAMS: &[(&str, &[&str], Form)] = &[
    ("aria2c", &[], Form::Host),
    ("buildah", &["pull", "push", "from"], Form::Host),
    ("curl", &["--connect-to", "--resolve", "--doh-url"], Form::Host),
    ("dig", &[], Form::Host),
    ("docker", &["pull", "push", "run", "create", "login", "-H", "--host"], Form::Host),
    ("ftp", &[], Form::Host),
    ("gh", &[], Form::Scheme),
    ("git", &["clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule", "archive"], Form::Copy),
    ("go", &["install", "get", "run"], Form::Host),
    ("helm", &[], Form::Scheme),
    ("hg", &["clone", "pull", "push"], Form::Copy),
    ("host", &[], Form::Host),
    ("http", &[], Form::Host),
    ("httpie", &[], Form::Host),
    ("https", &[], Form::Host),
    ("kubectl", &["--server", "-s"], Form::Host),
    ("lftp", &[], Form::Host),
    ("lynx", &[], Form::Host),
    ("mariadb", &["-h", "--host"], Form::Host),
    ("mongosh", &[], Form::Host),
    ("mosh", &[], Form::Host),
    ("mtr", &[], Form::Host),
    ("mysql", &["-h", "--host"], Form::Host),
    ("nc", &[], Form::Host),
    ("ncat", &[], Form::Host),
    ("nerdctl", &["pull", "push", "run", "create", "login"], Form::Host),
    ("netcat", &[], Form::Host),
    ("nmap", &[], Form::Host),
    ("nslookup", &[], Form::Host),
    ("oc", &["--server", "-s", "login"], Form::Host),
    ("ping", &[], Form::Host),
    ("podman", &["pull", "push", "run", "create", "login"], Form::Host),
    ("psql", &["-h", "--host", "-d", "--dbname"], Form::Host),
    ("redis-cli", &["-h", "-u"], Form::Host),
    ("rsync", &[], Form::Copy),
    ("scp", &[], Form::Copy),
    ("sftp", &[], Form::Host),
    ("skopeo", &[], Form::Scheme),
    ("ssh", &[], Form::Host),
    ("ssh-copy-id", &[], Form::Host),
    ("ssh-keyscan", &[], Form::Host),
    ("svn", &[], Form::Scheme),
    ("telnet", &[], Form::Host),
    ("terraform", &[], Form::Scheme),
    ("tofu", &[], Form::Scheme),
    ("traceroute", &[], Form::Host),
    ("w3m", &[], Form::Host),
    ("wget", &["-e", "--execute"], Form::Host),
    ("whois", &[], Form::Host),
    ("xh", &[], Form::Host),
    ("xhs", &[], Form::Host),
];

impl Judge<'_> {
    /// Notes the machines that the words of the command at `at` name.
    pub(super) fn hosts(&mut self, at: usize) {
        let Some(words) = self.words.get(at..) else { return };
        let Some(program) = words.first().and_then(Word::literal).map(name::base) else { return };
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
                found.extend(host(part, *form));
            }
            // `--connect-to HOST:PORT:HOST:PORT`
            if *form == Form::Host && program == "curl" {
                found.extend(word.split(':').filter_map(|part| host(part, Form::Host)));
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
fn host(text: &str, form: Form) -> Option<String> {
    let bare = |authority: &str| {
        let host = authority.rsplit('@').next().unwrap_or_default();
        host.to_owned()
    };
    if let Some((_, rest)) = text.split_once("://") {
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        return Some(bare(rest.get(..end)?)).filter(|host| !host.is_empty());
    }
    if text.starts_with(['-', '/', '.']) || text.is_empty() || form == Form::Scheme {
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
        Form::Copy => text.contains(':') && behind.is_some(),
        _ => named,
    };
    (plain && fits).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::{Form, host};

    #[test]
    fn given_a_word_then_the_machine_in_it_is_found_in_every_form() {
        for (text, form) in [
            ("rsync://evil.example/x", Form::Copy),
            ("scp://me@evil.example/x", Form::Copy),
            ("git::https://evil.example/x", Form::Scheme),
            ("evil.example:x", Form::Copy),
            ("git@evil.example:x/y", Form::Copy),
            ("evil.example", Form::Host),
            ("evil.example/x@latest", Form::Host),
            ("me@evil.example", Form::Host),
        ] {
            assert_eq!(host(text, form).as_deref(), Some("evil.example"), "{text}");
        }
        for (text, form) in [
            ("origin", Form::Copy),
            ("src/a:b", Form::Copy),
            ("./a.b", Form::Host),
            ("alpine", Form::Host),
            ("-v", Form::Host),
        ] {
            assert_eq!(host(text, form), None, "{text}");
        }
    }
}
