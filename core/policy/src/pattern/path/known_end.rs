//! Whether the names that stand behind the last gap of a path are those that a pattern is about: `$D/.vscode/tasks.json`,
//! `$D/hooks/pre-commit`. Whatever is in the gap then, the path could be meant.

use super::super::glob::TextPart as Known;
use super::{PathPart, PatternForm};

/// Files that git runs, where they lie in a folder of hooks.
const GIT_HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "p4-prepare-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// As much of a name that is only begun has to be known.
const LEAST: usize = 3;

/// The names of a path from its last gap that may hold slashes on.
struct KnownNames {
    /// The end of the name that the gap stands in, where a slash does not begin the rest.
    end: String,
    /// Whole names.
    names: Vec<String>,
    /// The beginning of the last one, where the rest of it is not known.
    begun: Option<String>,
}

impl KnownNames {
    fn new(text: &[Known]) -> Option<Self> {
        // What a glob stands for is one name, or a part of one.
        let open = |part: &Known| matches!(part, Known::Gap { .. });
        // A gap that ends the text may be the rest of the name.
        let (text, ends_open) = match text.split_last() {
            Some((last, before)) if open(last) => (before, true),
            _ => (text, false),
        };
        let from = text.iter().rposition(open)? + 1;
        let known: String = text
            .get(from..)?
            .iter()
            .filter_map(|part| if let Known::Char(c) = part { Some(*c) } else { None })
            .collect();
        let (end, rest) = known.split_once('/').unwrap_or((known.as_str(), ""));
        let mut names: Vec<String> =
            rest.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let whole = !ends_open || rest.ends_with('/') || rest.is_empty();
        let begun = match (whole, ends_open) {
            (false, _) => names.pop(),
            (true, true) => Some(String::new()),
            (true, false) => None,
        };
        Some(Self { end: end.to_owned(), names, begun })
    }

    /// Whether the names are what is wanted, and say enough.
    fn fits(&self, wanted: &[PathPart], names: &[String]) -> bool {
        let mut said = 0;
        let enough = |said: usize| says_enough(names.get(..said).unwrap_or_default());
        for part in wanted {
            match (part, names.get(said)) {
                (PathPart::Name(own), Some(name)) if own == name => said += 1,
                (PathPart::Glob(glob), Some(name)) if !glob.is_any() && glob.matches(name) => said += 1,
                // The rest lies below.
                (PathPart::Deep, _) => return enough(said),
                // It is begun, or not known.
                (PathPart::Name(own), None) => {
                    let begun = self.begun.as_ref().filter(|begun| own.starts_with(begun.as_str()));
                    let says = |begun: &&String| begun.len() >= LEAST && own.starts_with('.') || enough(said);
                    return begun.is_some_and(|begun| says(&begun));
                }
                _ => return false,
            }
        }
        enough(said)
    }
}

/// Whether the names behind the last gap of a path are those of the form, or the last of them: what stands there says which
/// place is meant. A single name says so if it is hidden, or that of a hook in a folder of them.
pub(super) fn fits_known_end(form: &PatternForm, text: &[Known]) -> bool {
    let Some(known) = KnownNames::new(text) else { return false };
    let parts = match form.folded.as_slice() {
        [PathPart::Deep, rest @ ..] => rest,
        whole => whole,
    };
    // `dir/**` stands for what lies below alone.
    let parts = match parts {
        [rest @ .., PathPart::Glob(last)] if last.is_any() && rest.last() == Some(&PathPart::Deep) => rest,
        whole => whole,
    };
    if names_a_hook(parts, &known) {
        return true;
    }
    // A gap may end with a slash: then what stands behind it is a whole name.
    let glued: Vec<String> = std::iter::once(&known.end).chain(&known.names).cloned().collect();
    (0..parts.len()).any(|from| {
        let wanted = parts.get(from..).unwrap_or_default();
        let before = from.checked_sub(1).and_then(|before| parts.get(before));
        let whole = !known.end.is_empty() && known.fits(wanted, &glued);
        // With all of the form's names known, any folder may stand before them.
        let later = (1..known.names.len()).filter(|_| from == 0);
        whole
            || before.is_none_or(|part| could_end(part, &known.end)) && known.fits(wanted, &known.names)
            || later.into_iter().any(|at| known.fits(wanted, known.names.get(at..).unwrap_or_default()))
    })
}

/// Whether a name that ends so could be what the form has there.
fn could_end(part: &PathPart, end: &str) -> bool {
    match part {
        _ if end.is_empty() => true,
        PathPart::Name(name) => name.ends_with(end),
        PathPart::Glob(glob) => {
            let gap = std::iter::once(Known::Gap { slashes: false });
            glob.could_match(&gap.chain(end.chars().map(Known::Char)).collect::<Vec<_>>())
        }
        PathPart::Deep => true,
    }
}

/// Whether such names are hardly those of anything else.
fn says_enough(names: &[String]) -> bool {
    names.len() > 1 || names.iter().any(|name| name.starts_with('.'))
}

/// `hooks/pre-commit`, where the form is about a folder of git's hooks.
fn names_a_hook(parts: &[PathPart], known: &KnownNames) -> bool {
    let [rest @ .., before, PathPart::Name(folder), PathPart::Deep] = parts else { return false };
    if folder != "hooks" {
        return false;
    }
    let hook = |name: &String| GIT_HOOKS.contains(&name.as_str());
    let begun = |name: &String| GIT_HOOKS.iter().any(|hook| name.len() >= LEAST && hook.starts_with(name));
    let stands = |at: usize| match at.checked_sub(1).and_then(|at| known.names.get(..=at)?.split_last()) {
        None => could_end(before, &known.end),
        Some((last, above)) => match before {
            PathPart::Name(name) => name == last,
            PathPart::Glob(glob) => glob.matches(last),
            // `.git/modules/**/hooks`
            PathPart::Deep => {
                let named = |name: &String| {
                    rest.iter().any(|part| matches!(part, PathPart::Name(own) if own == name))
                };
                above.iter().chain([last]).any(named)
            }
        },
    };
    (0..known.names.len()).any(|at| {
        let next = known.names.get(at + 1);
        let is_hook = next.is_some_and(hook) || next.is_none() && known.begun.as_ref().is_some_and(begun);
        known.names.get(at) == Some(folder) && is_hook && stands(at)
    })
}
