//! What a shell would put in place of a word's beginning: a pattern is compared with words that it has been put into.

use std::borrow::Cow;
use std::path::Path;

use mayi_call::shell::quote_word;

use super::super::PatternError;

/// Variables that are the home folder, and those that are the folder at hand, which is another one for every call.
const HOME: &[&str] = &["$HOME", "${HOME}"];
const HERE: &[&str] = &["$PWD", "${PWD}"];

/// The text of a pattern with `~`, `$HOME` and `${HOME}` as the home folder, where a shell would put it in.
///
/// # Errors
/// If there is no home folder, or for what never is in a command's words: the name of the folder at hand, and braces with
/// several texts.
pub(super) fn expand_home<'t>(text: &'t str, home: Option<&Path>) -> Result<Cow<'t, str>, PatternError> {
    if !text.contains(['~', '$', '{']) {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut begins = true;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (own, behind) = rest.split_at(c.len_utf8());
        let variable = |names: &[&str]| {
            let name = names.iter().find(|name| quote != Some('\'') && rest.starts_with(**name))?;
            let behind = rest.get(name.len()..)?;
            let longer = |c: char| c == '_' || c.is_ascii_alphanumeric();
            (name.ends_with('}') || !behind.starts_with(longer)).then_some(behind)
        };
        let tilde = (c == '~' && begins && quote.is_none())
            .then_some(behind)
            .filter(|behind| behind.is_empty() || behind.starts_with(['/', ' ', '\t', '\n']));
        if let Some(behind) = tilde.or_else(|| variable(HOME)) {
            out.push_str(&home_text(home, quote)?);
            (rest, begins) = (behind, false);
            continue;
        }
        if variable(HERE).is_some() {
            return Err(PatternError::bad_argument(
                "`$PWD` is the folder of the command, and stands in no pattern",
                "write the whole path, or how the command is written from there",
            ));
        }
        if c == '{' && quote.is_none() && !out.ends_with('$') && has_several_texts(behind) {
            return Err(PatternError::bad_argument(
                format!("a shell would make several words of the braces in `{text}`"),
                "write them out, or quote them",
            ));
        }
        begins = false;
        rest = behind;
        out.push_str(own);
        match (quote, c) {
            (None, ' ' | '\t' | '\n') => begins = true,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => {
                let next = behind.chars().next().map_or(0, char::len_utf8);
                let (escaped, behind) = behind.split_at(next);
                out.push_str(escaped);
                rest = behind;
            }
            _ => {}
        }
    }
    Ok(Cow::Owned(out))
}

/// The home folder as it is written between such quotes.
fn home_text(home: Option<&Path>, quote: Option<char>) -> Result<String, PatternError> {
    let home = home.and_then(Path::to_str).filter(|home| !home.contains('*')).ok_or_else(|| {
        PatternError::bad_argument("there is no home folder that `~` could mean", "write the whole path")
    })?;
    let home = if home == "/" { "" } else { home };
    Ok(match quote {
        // Out of the quotes, and in again.
        Some(open) => format!("{open}{}{open}", quote_word(home)),
        None => quote_word(home),
    })
}

/// Whether braces begin here that are a list or a range, as in `{a,b}` and `{1..3}`.
fn has_several_texts(behind: &str) -> bool {
    let word = behind.split([' ', '\t', '\n', '\'', '"']).next().unwrap_or_default();
    word.split_once('}').is_some_and(|(inner, _)| inner.contains(',') || inner.contains(".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, PatternError> {
        expand_home(text, Some(Path::new("/h/u"))).map(Cow::into_owned)
    }

    /// D3.7. Attack 589.
    #[test]
    fn given_what_a_shell_expands_then_the_home_folder_stands_there() {
        for (text, is) in [
            ("cat ~/notes/s", "cat /h/u/notes/s"),
            ("cd ~", "cd /h/u"),
            ("cat \"$HOME/a b\" ${HOME}/c", "cat \"\"/h/u\"/a b\" /h/u/c"),
            ("cat '~/x' '$HOME/x' \\~/x a~/x x=~/x", "cat '~/x' '$HOME/x' \\~/x a~/x x=~/x"),
            ("ls ~user/x $HOMELESS ~*", "ls ~user/x $HOMELESS ~*"),
            ("find . -exec rm {} \\;", "find . -exec rm {} \\;"),
            ("jq '{a,b}' f", "jq '{a,b}' f"),
            ("echo ${x,,} {}", "echo ${x,,} {}"),
            ("git stash show stash@{0}", "git stash show stash@{0}"),
        ] {
            assert_eq!(expanded(text).unwrap(), is);
        }
        assert_eq!(expand_home("cat ~/x", Some(Path::new("/h/a b"))).unwrap(), "cat '/h/a b'/x");
        assert_eq!(expand_home("cat ~/x", Some(Path::new("/"))).unwrap(), "cat ''/x");
    }

    /// The same: what could never match is refused.
    #[test]
    fn given_what_never_is_in_a_word_then_the_pattern_is_refused() {
        for text in ["cat $PWD/x", "cat \"${PWD}\"/x", "rm {a,b}", "rm f{1..3}"] {
            assert!(expanded(text).is_err(), "{text}");
        }
        assert!(expand_home("cat ~/x", None).is_err());
        assert!(expanded("cat '$PWD' \"{a,b}\" '{1..3}'").is_ok());
    }
}
