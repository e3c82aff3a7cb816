//! Names of machines that stand somewhere in a command's words: `tar xf host:x`, `socat - TCP:host:80`, `psql host=host`. What a
//! program makes of its words is known of few; that a rule is about the machine is enough to ask.

use mayi_call::shell::Word;
use mayi_call::{ShellAccess, UrlAccess};

/// As many names of one command are looked at.
const MOST: usize = 32;
/// The longest name of a machine.
const LONGEST: usize = 253;

/// Programs whose words with blanks in them are texts for people.
const PROSE: &[&str] = &["git", "gh", "glab", "hg", "jj", "svn", "echo", "printf"];

/// The machines that could be meant and are not among the addresses already. None of what only reads files.
pub(super) fn mentioned_hosts(shell: &ShellAccess) -> Vec<UrlAccess> {
    let mut found: Vec<UrlAccess> = Vec::new();
    if shell.reader {
        return found;
    }
    let name = shell.words.first().and_then(Word::literal).unwrap_or_default();
    let prose = PROSE.contains(&name.rsplit('/').next().unwrap_or(name));
    let values = shell.assignments.iter().map(|of| &of.value);
    for text in shell.words.iter().skip(1).chain(values).flat_map(known_texts) {
        // Most words have no dot between letters.
        if !text.contains('.') || prose && text.contains(char::is_whitespace) {
            continue;
        }
        // `-hHOST`: the value may be glued to a letter.
        let glued = text.strip_prefix('-').and_then(|rest| rest.get(1..)).filter(|_| !text.starts_with("--"));
        for host in
            host_names(text, prose).chain(glued.into_iter().flat_map(|glued| host_names(glued, prose)))
        {
            let known = shell.urls.iter().chain(&found).any(|url| url.host.eq_ignore_ascii_case(host));
            if known || found.len() >= MOST {
                continue;
            }
            found.extend(UrlAccess::parse(&format!("https://{host}/")).ok());
        }
    }
    found
}

/// The text of a word, as far as it is known.
fn known_texts(word: &Word) -> impl Iterator<Item = &str> {
    let (literal, pieces) = match word {
        Word::Literal(text) => (Some(text.as_str()), [].as_slice()),
        Word::Open(open) => (None, open.pieces.as_slice()),
    };
    literal.into_iter().chain(pieces.iter().flatten().map(String::as_str))
}

/// What looks like the name of a machine, between characters that are part of none. A component of a path is none, and in `prose`
/// nor is what an address of mail ends with.
fn host_names(text: &str, prose: bool) -> impl Iterator<Item = &str> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let connection = text.contains("/inet");
    let mut from = 0;
    text.split(move |c: char| !in_name(c)).filter_map(move |part| {
        let before = text.get(..from).unwrap_or_default();
        from += part.len();
        let behind = text.get(from..).unwrap_or_default();
        from += behind.chars().next().map_or(0, char::len_utf8);
        let in_path = before.ends_with('/') && !before.ends_with("//") && !connection;
        let mail = prose && before.ends_with('@') && !behind.starts_with([':', '/']);
        let name = part.trim_matches(['.', '-']);
        // `url.HOST:.insteadOf`, a setting of git's.
        let name = name.strip_prefix("url.").unwrap_or(name);
        (!in_path && !mail && is_like_a_host(name)).then_some(name)
    })
}

fn is_like_a_host(name: &str) -> bool {
    let Some((rest, last)) = name.rsplit_once('.') else { return false };
    let letters =
        last.len() >= 2 && last.bytes().all(|b| b.is_ascii_alphabetic()) || last.starts_with("xn--");
    let number = || {
        let parts = || name.split('.');
        parts().count() == 4 && parts().all(|part| part.parse::<u8>().is_ok())
    };
    name.len() <= LONGEST && !rest.is_empty() && (letters || number())
}

#[cfg(test)]
mod tests {
    use super::host_names;

    #[test]
    fn given_a_word_then_names_of_machines_in_it_are_found_and_components_of_paths_are_not() {
        for text in [
            "h.example:x",
            "TCP:h.example:80",
            "host=h.example",
            "-oHostName=h.example",
            "me@h.example",
            "sftp:h.example:/x",
            "//h.example/share",
            "/inet/tcp/0/h.example/80",
            "connect((\"h.example\", 80))",
            "h.example.",
        ] {
            assert_eq!(host_names(text, false).collect::<Vec<_>>(), ["h.example"], "{text}");
        }
        for text in ["./vendor/h.example/x", "src/h.example", "v1.2.3", "a.b.c.1", "x.", "..", "3.14"] {
            assert_eq!(host_names(text, false).count(), 0, "{text}");
        }
        assert_eq!(host_names("1.2.3.4:80", false).collect::<Vec<_>>(), ["1.2.3.4"]);
        assert_eq!(host_names("me@h.example", true).count(), 0);
        assert_eq!(host_names("git@h.example:x", true).count(), 1);
    }
}
