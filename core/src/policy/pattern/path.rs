//! Path globs in the style of gitignore.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::{PatternError, Places};
use crate::call::{self, PathAccess};

/// A path glob. Without `/` it matches at any depth; `./` anchors at the roots, as does a `/` in
/// the middle; `/` and `~/` are absolute.
#[derive(Clone, Debug)]
pub(super) struct PathPattern {
    anchor: Anchor,
    /// As written, and with the links of its literal part followed.
    globs: Vec<Glob>,
    /// The same with everything below: what a denial of a folder covers.
    below: Vec<Glob>,
}

/// A glob, with a text that every path it matches holds: most paths are told apart by that alone, and
/// protection looks at dozens of patterns for each path.
#[derive(Clone, Debug)]
struct Glob {
    matcher: GlobMatcher,
    literal: String,
}

impl Glob {
    fn may_match(&self, text: Option<&str>) -> bool {
        text.is_none_or(|text| text.contains(&self.literal))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    /// From the top of the file system.
    Absolute,
    /// From each root of the session.
    Root,
    /// At any depth.
    Anywhere,
}

impl PathPattern {
    pub(super) fn parse(text: &str, places: &Places) -> Result<Self, PatternError> {
        Self::parse_exactly(text.trim(), places)
    }

    /// As [`Self::parse`], with spaces at the ends as part of the name.
    pub(super) fn parse_exactly(text: &str, places: &Places) -> Result<Self, PatternError> {
        if text.starts_with('!') {
            return Err(PatternError::argument(
                "`!` does not negate here",
                "write an exception as `unless` in a [[rule]]",
            ));
        }
        let (anchor, mut forms) = if let Some(rest) =
            text.strip_prefix("~/").or_else(|| (text == "~").then_some(""))
        {
            let home = places.home.as_deref().ok_or_else(|| {
                PatternError::argument("there is no home folder that `~` could mean", "write the whole path")
            })?;
            let home = super::escape(&home.display().to_string());
            (
                Anchor::Absolute,
                vec![format!("{home}/{rest}").trim_end_matches('/').to_owned() + trailing(rest)],
            )
        } else if text.starts_with('/') {
            (Anchor::Absolute, vec![text.to_owned()])
        } else if let Some(rest) = text.strip_prefix("./") {
            (Anchor::Root, vec![rest.to_owned()])
        } else if text.trim_end_matches('/').contains('/') && !text.starts_with("**/") {
            (Anchor::Root, vec![text.to_owned()])
        } else {
            (Anchor::Anywhere, vec![text.to_owned()])
        };
        if anchor == Anchor::Absolute
            && let Some(resolved) = forms.first().and_then(|form| follow_literal_part(form))
            && !forms.contains(&resolved)
        {
            forms.push(resolved);
        }
        let mut globs = Vec::new();
        let mut below = Vec::new();
        for form in forms {
            let form = match anchor {
                Anchor::Anywhere if form == "**" || form == "*" => "**".to_owned(),
                Anchor::Anywhere => format!("**/{}", form.trim_start_matches("**/")),
                _ => form,
            };
            let (stem, folder) = match form.strip_suffix('/') {
                Some(stem) => (stem, true),
                None => (form.as_str(), false),
            };
            let under = compile(&format!("{stem}/**"))?;
            below.push(under.clone());
            globs.push(if folder { under } else { compile(stem)? });
            if folder {
                below.push(compile(stem)?);
            }
        }
        Ok(Self { anchor, globs, below })
    }

    /// Both forms of the path must match: the pattern is certainly about it.
    pub(super) fn allows(&self, path: &PathAccess, roots: &[PathBuf]) -> bool {
        path.unresolved.is_none() && path.forms().all(|form| self.hits(form, roots, false))
    }

    /// Either form matches, or lies below what matches.
    pub(super) fn concerns(&self, path: &PathAccess, roots: &[PathBuf]) -> bool {
        path.forms().any(|form| self.hits(form, roots, true))
    }

    fn hits(&self, path: &Path, roots: &[PathBuf], wide: bool) -> bool {
        // Of the whole path: what it does not hold, no part of it below a root holds.
        let text = path.to_str();
        let below = if wide { self.below.as_slice() } else { &[] };
        let possible: Vec<&Glob> =
            self.globs.iter().chain(below).filter(|glob| glob.may_match(text)).collect();
        if possible.is_empty() {
            return false;
        }
        let matches = |path: &Path| possible.iter().any(|glob| glob.matcher.is_match(path));
        let under_root = || roots.iter().filter_map(|root| path.strip_prefix(root).ok()).any(matches);
        match self.anchor {
            Anchor::Absolute => matches(path),
            Anchor::Root => under_root(),
            // An allow without a place is about the session's folders, a denial about every place.
            Anchor::Anywhere => under_root() || (wide && matches(path)),
        }
    }
}

fn trailing(rest: &str) -> &'static str {
    if rest.ends_with('/') { "/" } else { "" }
}

fn compile(text: &str) -> Result<Glob, PatternError> {
    GlobBuilder::new(text)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map(|glob| Glob { matcher: glob.compile_matcher(), literal: literal(text) })
        .map_err(|error| {
            PatternError::argument(format!("`{text}` is not a path glob"), error.kind().to_string())
        })
}

/// The longest text between the stars of a glob, without the slashes around it: `**/` and `/**` may
/// stand for nothing. Empty where anything else in the glob is special.
fn literal(text: &str) -> String {
    if text.contains(['?', '[', ']', '{', '}', '\\', '!']) {
        return String::new();
    }
    let parts = text.split('*').map(|part| part.trim_matches('/'));
    parts.max_by_key(|part| part.len()).unwrap_or_default().to_owned()
}

/// The pattern with the links of the part before its first wildcard followed.
fn follow_literal_part(text: &str) -> Option<String> {
    let wild = text.find(['*', '?', '[', '{', '\\']).unwrap_or(text.len());
    let cut = if wild == text.len() { wild } else { text.get(..wild)?.rfind('/')? };
    let (literal, rest) = text.split_at(cut);
    let resolved = call::resolve(Path::new(literal)).ok()?;
    Some(format!("{}{rest}", super::escape(&resolved.display().to_string())))
}

#[cfg(test)]
mod tests {
    use super::compile;
    use proptest::prelude::*;

    proptest! {
        /// Looking for the literal text first changes nothing: whatever a glob matches, holds it.
        #[test]
        fn what_a_glob_matches_holds_its_literal_text(glob in "[ab*/.?]{1,10}", path in "[ab/.]{0,12}") {
            if let Ok(glob) = compile(&glob) {
                prop_assert!(!glob.matcher.is_match(&path) || glob.may_match(Some(&path)));
                let deep = format!("/w/{path}");
                prop_assert!(!glob.matcher.is_match(&path) || glob.may_match(Some(&deep)));
            }
        }
    }
}
