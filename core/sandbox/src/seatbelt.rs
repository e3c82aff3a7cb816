//! The same profile for macOS, as the text that `sandbox-exec` takes. It was written from what is documented, and not tried on a Mac:
//! nothing runs by it.

use std::fmt::Write as _;
use std::path::Path;

use crate::Profile;

/// A profile in Seatbelt's language. Of several rules about one thing the last one holds: so what is denied comes after what is
/// allowed.
///
/// It begins by allowing: what a program needs of a Mac to start at all (its services, devices, preferences) is in no list that is
/// kept up by Apple, and a profile holds writes, reads of what is hidden, and the network. None if a path is not UTF-8 text, which
/// can't be said there.
#[must_use]
pub fn seatbelt_text(profile: &Profile) -> Option<String> {
    let mut text = String::from("(version 1)\n(allow default)\n");
    rule(&mut text, "deny", "file-write*", [Some("(subpath \"/\")".to_owned())])?;
    // What is written of the machine's devices, and the folder for temporary files that the command is given.
    let devices = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/dtracehelper"];
    let devices = devices.iter().map(|device| place("literal", Path::new(device)));
    let terminals = Some("(regex #\"^/dev/ttys[0-9]+$\")".to_owned());
    let temporary = Some("(subpath (param \"TMPDIR\"))".to_owned());
    rule(&mut text, "allow", "file-write*", devices.chain([terminals, temporary]))?;
    let below = |path: &Path| place("subpath", path);
    rule(&mut text, "allow", "file-write*", profile.writable.iter().map(|kept| below(&kept.path)))?;
    // There are no copies and no layers there: caches are as all else.
    let kept = || profile.read_only.iter().chain(&profile.copied);
    rule(&mut text, "deny", "file-write*", kept().map(|kept| below(&kept.path)))?;
    // What is renamed takes along what is in it.
    let between = kept().flat_map(|kept| {
        let in_writable = |folder: &&Path| {
            profile.writable.iter().any(|root| folder.starts_with(&root.path) && **folder != *root.path)
        };
        kept.path.ancestors().skip(1).take_while(in_writable).map(|folder| place("literal", folder))
    });
    rule(&mut text, "deny", "file-write-unlink", between)?;
    if let Some(readable) = &profile.readable {
        // Where people's own things are; the rest is the system's.
        let people = ["/Users", "/Volumes"].map(|folder| below(Path::new(folder)));
        rule(&mut text, "deny", "file-read-data", people)?;
        rule(&mut text, "allow", "file-read-data", readable.iter().map(|place| below(&place.path)))?;
    }
    let hidden = || profile.hidden.iter().map(|hidden| below(&hidden.path));
    rule(&mut text, "deny", "file-read-data", hidden())?;
    rule(&mut text, "deny", "file-write*", hidden())?;
    text.push_str("(deny network*)\n(allow network* (local ip \"localhost:*\"))\n(allow network* (remote ip \"localhost:*\"))\n");
    for operation in ["signal", "process-info*"] {
        let own = [Some("(target same-sandbox)".to_owned())];
        writeln!(text, "(deny {operation})").ok()?;
        rule(&mut text, "allow", operation, own)?;
    }
    Some(text)
}

/// One rule about several places; none about no place, since that would be one about all.
fn rule(
    text: &mut String,
    effect: &str,
    operation: &str,
    places: impl IntoIterator<Item = Option<String>>,
) -> Option<()> {
    let places: Vec<String> = places.into_iter().collect::<Option<_>>()?;
    if !places.is_empty() {
        writeln!(text, "({effect} {operation}\n  {})", places.join("\n  ")).ok()?;
    }
    Some(())
}

fn place(filter: &str, path: &Path) -> Option<String> {
    Some(format!("({filter} {})", quoted(path.to_str()?)))
}

/// A string of Scheme. Within quotes, only quotes and backslashes mean something.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    use crate::Place;

    /// What is read back: words, strings, lists.
    #[derive(Clone, Debug, PartialEq)]
    enum Read {
        Word(String),
        Text(String),
        List(Vec<Read>),
    }

    /// A reader of S-expressions that knows strings with two escapes, and words.
    fn read(text: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Read> {
        while text.next_if(|letter| letter.is_whitespace()).is_some() {}
        match text.next()? {
            '(' => {
                let mut list = Vec::new();
                loop {
                    while text.next_if(|letter| letter.is_whitespace()).is_some() {}
                    if text.next_if_eq(&')').is_some() {
                        return Some(Read::List(list));
                    }
                    list.push(read(text).expect("a list has an end"));
                }
            }
            '"' => {
                let mut said = String::new();
                loop {
                    match text.next().expect("a string has an end") {
                        '"' => return Some(Read::Text(said)),
                        '\\' => said.push(text.next().expect("something is escaped")),
                        letter => said.push(letter),
                    }
                }
            }
            ')' => panic!("a list ends that was not begun"),
            first => {
                let mut word = String::from(first);
                while let Some(letter) =
                    text.next_if(|letter| !letter.is_whitespace() && !"()\"".contains(*letter))
                {
                    word.push(letter);
                }
                Some(Read::Word(word))
            }
        }
    }

    fn read_all(text: &str) -> Vec<Vec<Read>> {
        let mut letters = text.chars().peekable();
        std::iter::from_fn(|| read(&mut letters))
            .map(|read| match read {
                Read::List(list) => list,
                other => panic!("not a rule: {other:?}"),
            })
            .collect()
    }

    fn at(path: &str) -> Place {
        Place { path: PathBuf::from(path), because: String::new() }
    }

    /// Whether a path may be written or read, by the last rule about it: what is said of Seatbelt.
    fn is_allowed(rules: &[Vec<Read>], operation: &str, path: &str) -> bool {
        let mut allowed = true;
        for rule in rules {
            let [Read::Word(effect), Read::Word(of), filters @ ..] = rule.as_slice() else { continue };
            let about = of == operation || of.strip_suffix('*').is_some_and(|of| operation.starts_with(of));
            let matches = |filter: &Read| match filter {
                Read::List(parts) => match parts.as_slice() {
                    [Read::Word(kind), Read::Text(place)] if kind == "subpath" => {
                        Path::new(path).starts_with(place)
                    }
                    [Read::Word(kind), Read::Text(place)] if kind == "literal" => path == place,
                    _ => false,
                },
                _ => false,
            };
            if about && filters.iter().any(matches) {
                allowed = effect == "allow";
            }
        }
        allowed
    }

    /// S1.31: the text says what the profile says, the last rule holding.
    #[test]
    fn given_a_profile_then_the_text_says_the_same() {
        let profile = Profile {
            writable: vec![at("/w")],
            read_only: vec![at("/w/.git/hooks")],
            copied: vec![at("/w/.git/config")],
            hidden: vec![at("/w/.env"), at("/Users/me/.ssh")],
            ..Profile::default()
        };
        let text = seatbelt_text(&profile).unwrap();
        assert!(text.starts_with("(version 1)\n"), "{text}");
        let rules = read_all(&text);
        for (operation, path, allowed) in [
            ("file-write-data", "/w/a", true),
            ("file-write-data", "/wx/a", false),
            ("file-write-data", "/Users/me/a", false),
            ("file-write-data", "/w/.git/hooks/x", false),
            ("file-write-data", "/w/.git/config", false),
            ("file-write-data", "/w/.git/index", true),
            ("file-write-unlink", "/w/.git", false),
            ("file-write-unlink", "/w/src", true),
            ("file-write-data", "/w/.env", false),
            ("file-read-data", "/w/.env", false),
            ("file-read-data", "/Users/me/.ssh/id", false),
            ("file-read-data", "/w/a", true),
            ("file-write-data", "/dev/null", true),
        ] {
            assert_eq!(is_allowed(&rules, operation, path), allowed, "{operation} {path}\n{text}");
        }
        assert!(text.contains("(deny network*)"));
        let needed = Profile { readable: Some(vec![at("/Users/me/a")]), ..profile };
        let rules = read_all(&seatbelt_text(&needed).unwrap());
        for (path, allowed) in [("/Users/me/b", false), ("/Users/me/a/c", true), ("/Users/me/.ssh", false)] {
            assert_eq!(is_allowed(&rules, "file-read-data", path), allowed, "{path}");
        }
    }

    /// A name that is made to be read as a rule is a name.
    #[test]
    fn given_hostile_names_then_they_are_read_back_as_they_are() {
        for name in [
            "a\"b",
            "a\\",
            "a\\\"",
            "a\nb",
            "a) (allow default",
            "\") (allow file-write* (subpath \"/",
            "#\"x\"",
            ";c",
            "(",
            "ä\t",
        ] {
            let path = format!("/w/{name}");
            let text = seatbelt_text(&Profile { hidden: vec![at(&path)], ..Profile::default() }).unwrap();
            let rules = read_all(&text);
            let plain = read_all(
                &seatbelt_text(&Profile { hidden: vec![at("/w/x")], ..Profile::default() }).unwrap(),
            );
            assert_eq!(rules.len(), plain.len(), "{text}");
            assert!(!is_allowed(&rules, "file-read-data", &path), "{text}");
        }
    }

    /// A rule without places would be one about all of them.
    #[test]
    fn given_nothing_that_may_be_written_then_no_rule_is_empty() {
        for rule in read_all(&seatbelt_text(&Profile::default()).unwrap()) {
            let [Read::Word(effect), Read::Word(operation), places @ ..] = rule.as_slice() else { continue };
            let all = ["default", "network*", "signal", "process-info*"].contains(&operation.as_str());
            assert!(!places.is_empty() || all || effect == "version", "{effect} {operation}");
        }
    }

    /// What can't be said is not said wrongly.
    #[cfg(unix)]
    #[test]
    fn given_a_name_that_is_no_text_then_there_is_no_profile() {
        use std::os::unix::ffi::OsStringExt as _;
        let path = PathBuf::from(std::ffi::OsString::from_vec(b"/w/\xff".to_vec()));
        let hidden = vec![Place { path, because: String::new() }];
        assert_eq!(seatbelt_text(&Profile { hidden, ..Profile::default() }), None);
    }
}
