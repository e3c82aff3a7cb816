//! Cuts the files of the table of forms into what forms are found by, and makes lists of words. The build does that, so that no process has to: `build.rs`
//! writes down what this finds. It understands the little of TOML that those lines use, and refuses the rest; tests hold it to a
//! reader of TOML.

use std::borrow::Cow;

use super::lists::{LISTS, list_index};

/// The header of a form by its place in a command.
const COMMAND: &str = "command";

/// What such a form is called if it has no name.
pub(crate) const PASSWORD: &str = "password";

/// What a form is found by.
#[derive(Debug)]
pub(crate) struct CutForm<'t> {
    /// By its place in a command.
    pub(crate) command: bool,
    /// Its part of the file, without the header.
    pub(crate) text: &'t str,
    /// What it is called in the mark that replaces it.
    pub(crate) name: Cow<'t, str>,
    /// A run of so many letters and digits stands in every match.
    pub(crate) run: usize,
    /// Lower-case text, one of which stands in every match, in any case.
    pub(crate) marks: Vec<String>,
    /// What stands in every match besides: `options` of a command, `also` of any other. Empty: nothing.
    pub(crate) besides: Cow<'t, str>,
}

/// The forms of a file, and behind them those by their place in a command. `named` are the marks of names that say secret. A header
/// stands at the beginning of a line, as nothing else does that begins with two brackets.
///
/// # Errors
/// If a line that is looked at is not written so simply as it has to be.
pub(crate) fn cut_forms<'t>(text: &'t str, named: &str) -> Result<Vec<CutForm<'t>>, String> {
    let parts = split_parts(text);
    let of = |kind: &'static str| parts.iter().filter(move |(header, _)| *header == kind);
    if let Some((header, _)) = parts.iter().find(|(header, _)| !["form", COMMAND].contains(header)) {
        return Err(format!("a form is no [[{header}]]"));
    }
    of("form").chain(of(COMMAND)).map(|(kind, text)| cut_form(*kind == COMMAND, text, named)).collect()
}

fn cut_form<'t>(command: bool, text: &'t str, named: &str) -> Result<CutForm<'t>, String> {
    let said = |key: &str| read_value(text, key).map(Option::unwrap_or_default);
    let run =
        read_value(text, "run")?.map_or(Ok(0), |run| run.parse().map_err(|_| format!("run = {run}")))?;
    let marks = if command {
        command_marks(&said("programs")?, &said("sub")?)
    } else {
        let marks = said("marks")?;
        let each = marks.split_whitespace().flat_map(|mark| match mark {
            "{named}" => named.split_whitespace().map(str::to_owned).collect(),
            mark => vec![mark.to_owned()],
        });
        each.collect()
    };
    Ok(CutForm {
        command,
        text,
        name: read_value(text, "name")?.unwrap_or(Cow::Borrowed(PASSWORD)),
        run,
        marks,
        besides: said(if command { "options" } else { "also" })?,
    })
}

/// The marks of a command: its sub-command, where that is rarer than the programs.
pub(crate) fn command_marks(programs: &str, sub: &str) -> Vec<String> {
    let plain = sub.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if plain && sub.len() > "user".len() {
        return vec![sub.to_ascii_lowercase()];
    }
    programs.split_whitespace().map(|program| format!("{program} ").to_ascii_lowercase()).collect()
}

/// Headers and what stands below each.
fn split_parts(text: &str) -> Vec<(&str, &str)> {
    let (mut starts, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if at > 0 && line.starts_with("[[") {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([text.len()]);
    let parts =
        starts.iter().zip(ends).filter_map(|(start, end)| text.get(start + 2..end)?.split_once("]]\n"));
    parts.collect()
}

/// What the line of `key` says in `text`: a number, `'''...'''`, or `"..."` in which nothing but `\` and `"` is escaped.
///
/// # Errors
/// If it is written otherwise.
pub(crate) fn read_value<'t>(text: &'t str, key: &str) -> Result<Option<Cow<'t, str>>, String> {
    let value = |line: &'t str| line.strip_prefix(key).and_then(|rest| rest.strip_prefix(" = "));
    let Some(value) = text.lines().find_map(value) else { return Ok(None) };
    let wrong = || format!("this is written in a way that is not understood: {key} = {value}");
    if let Some(inner) = value.strip_prefix("'''") {
        let inner = inner.strip_suffix("'''").filter(|inner| !inner.contains("'''"));
        return inner.map(|inner| Some(Cow::Borrowed(inner))).ok_or_else(wrong);
    }
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(Some(Cow::Borrowed(value)));
    }
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).ok_or_else(wrong)?;
    if !inner.contains(['\\', '"']) {
        return Ok(Some(Cow::Borrowed(inner)));
    }
    let (mut out, mut chars) = (String::new(), inner.chars());
    while let Some(next) = chars.next() {
        match next {
            '\\' => out.push(chars.next().filter(|c| matches!(c, '\\' | '"')).ok_or_else(wrong)?),
            '"' => return Err(wrong()),
            other => out.push(other),
        }
    }
    Ok(Some(Cow::Owned(out)))
}

/// Words in lists.
#[derive(Debug, Default)]
pub(crate) struct BuiltLists {
    /// All of them, each in a line.
    pub(crate) text: String,
    /// In the order of their lists: where each begins and ends in `text`, and which one it is.
    pub(crate) words: Vec<[u16; 3]>,
    /// Where each list begins in `words`. Behind the last stand those that don't have two bytes, and where they end.
    pub(crate) starts: Vec<u16>,
}

impl BuiltLists {
    /// Of words, none of which is there twice. `None`: there are too many, or one is empty or of several lines.
    pub(crate) fn of<'a>(all: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let (mut text, mut words) = (String::new(), Vec::new());
        for (number, word) in all.into_iter().enumerate() {
            if word.is_empty() || word.contains('\n') {
                return None;
            }
            let list = match word.as_bytes() {
                [first, second, ..] => list_index(*first, *second),
                _ => LISTS,
            };
            let begin = u16::try_from(text.len()).ok()?;
            text.push_str(word);
            words.push((list, [begin, u16::try_from(text.len()).ok()?, u16::try_from(number).ok()?]));
            text.push('\n');
        }
        words.sort_by_key(|(list, _)| *list);
        let start = |list| u16::try_from(words.partition_point(|(of, _)| *of < list)).ok();
        let starts = (0..=LISTS + 1).map(start).collect::<Option<Vec<u16>>>()?;
        Some(Self { text, words: words.into_iter().map(|(_, word)| word).collect(), starts })
    }
}
