//! Reasons in the words of the line that they are about: whoever reads one should find what it means in the line, and
//! nothing that only mayi calls so.

use std::borrow::Cow;

use mayi_call::shell::{Caveat, CaveatSubject, OpenPath, Word, is_known_reader};
use mayi_call::{Access, ShellAccess};

/// A name that no word of the line stands for: one of a list, or on the input.
pub(crate) const COMES_IN: &str = "a name that comes in";

/// As much of a word is quoted.
const MAX_EXCERPT_CHARS: usize = 60;

/// `text` between backticks, on one line, and not all of it where it is long.
pub(crate) fn backtick_excerpt(text: &str) -> String {
    let text = placeholders_as_stars(text);
    let mut out: String =
        text.chars().take(MAX_EXCERPT_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MAX_EXCERPT_CHARS).is_some() {
        out.push('…');
    }
    format!("`{out}`")
}

/// A path of which not all is known, as people write it: what stands for a name that comes in later is a star.
pub(crate) fn placeholders_as_stars(text: &str) -> Cow<'_, str> {
    if text.contains("${_}") {
        Cow::Owned(text.replace("\"${_}\"", "*").replace("${_}", "*"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The first word of a command that is known only when it runs; of its name it is said elsewhere.
fn first_open_word(shell: &ShellAccess) -> Option<&str> {
    shell.words.iter().skip(1).find_map(|word| match word {
        Word::Open(open) => Some(open.text.as_str()),
        Word::Literal(_) => None,
    })
}

/// Whether it is one of the commands that only look, as far as its words are known.
fn only_looks(shell: &ShellAccess) -> bool {
    let words: Vec<&str> = shell.words.iter().map_while(Word::literal).take(2).collect();
    is_known_reader(&words)
}

/// Why a command that is not known to read counts as running something, if a word of it is the reason.
pub(crate) fn not_reading(access: &Access) -> Option<String> {
    let Access::Shell(shell) = access else { return None };
    if !shell.understood {
        return None;
    }
    let name = shell.words.first().and_then(Word::literal)?;
    if let Some(word) = first_open_word(shell) {
        let word = backtick_excerpt(word);
        return Some(match only_looks(shell) {
            true => format!(
                "{word} is known only when the line runs; {} is free with plain words in its place",
                backtick_excerpt(name)
            ),
            false => format!("{word} is known only when the line runs"),
        });
    }
    let passes_on = name.rsplit('/').next() == Some("xargs");
    passes_on.then(|| format!("what {} passes on is known only when the line runs", backtick_excerpt(name)))
}

/// What is said of a part of a command, with the word that it is about where the reason has none.
pub(crate) fn caveat_reason(shell: &ShellAccess, caveat: &Caveat) -> String {
    let at = match &caveat.named {
        CaveatSubject::Words(places) => places.first().copied(),
        CaveatSubject::Beside { at, .. } | CaveatSubject::Address { at, .. } => Some(*at),
        CaveatSubject::Nothing | CaveatSubject::Assignment(_) => None,
    };
    let text = match at.and_then(|at| shell.words.get(at)) {
        Some(Word::Open(open)) => open.text.as_str(),
        Some(Word::Literal(text)) => text,
        None => return caveat.reason.clone(),
    };
    if text.is_empty() || caveat.reason.contains(text) {
        return caveat.reason.clone();
    }
    format!("{}: {}", backtick_excerpt(text), caveat.reason)
}

/// Why a path that is not known is asked about: `such_as` is the pattern of something that it could be.
pub(crate) fn open_path_reason(path: &OpenPath, such_as: &str) -> String {
    let inner = such_as.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(such_as);
    let inner = inner.strip_prefix("**/").unwrap_or(inner);
    let word = match path.given.as_str() {
        "what its input names" | "what a list names" => COMES_IN.to_owned(),
        given if given.contains("${_}") => COMES_IN.to_owned(),
        given => backtick_excerpt(given),
    };
    format!("{word} is known only when the line runs, and could be a protected path, such as {inner}")
}

/// What plan mode tells: what is not done and, where a command would only read but for a word of it, that word.
pub(crate) fn not_in_plan(access: &Access, category: &str) -> String {
    let propose = "say what you would do instead";
    if let Some(why) = not_reading(access) {
        return format!("plan mode: reading is allowed, but {why}: name it, or {propose}");
    }
    if let Access::Shell(shell) = access
        && only_looks(shell)
        && let Some(caveat) = shell.caveats.first()
    {
        return format!(
            "plan mode: reading is allowed, but here {}: leave that out, or {propose}",
            caveat_reason(shell, caveat)
        );
    }
    format!("plan mode: {category} is not done, only proposed; {propose}")
}
