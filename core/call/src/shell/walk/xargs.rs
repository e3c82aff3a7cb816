//! How `xargs` hands on what it reads, and which names a shell does so with, where no quotes are.

use std::path::{Path, PathBuf};

use crate::shell::Word;

/// How `xargs` puts names into a command.
pub(super) struct XargsOptions<'w> {
    /// A zero byte ends each.
    pub(super) zero: bool,
    /// They stand in place of this.
    pub(super) mark: Option<&'w str>,
}

/// What is known of `xargs` with these words, and the command that it starts.
pub(super) fn parse_xargs(words: &[Word]) -> Option<(XargsOptions<'_>, &[Word])> {
    let mut options = XargsOptions { zero: false, mark: None };
    let mut rest = words.get(1..)?;
    loop {
        let (word, behind) = rest.split_first()?;
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        rest = match word.literal()? {
            "-r" | "--no-run-if-empty" | "-t" | "-x" => behind,
            "-0" | "--null" | "-0r" | "-r0" => {
                options.zero = true;
                behind
            }
            "-I" => {
                options.mark = Some(behind.first()?.literal().filter(|mark| *mark == "{}" || *mark == "%")?);
                behind.get(1..)?
            }
            "-I{}" => {
                options.mark = Some("{}");
                behind
            }
            "-n" | "-P" | "-L" => {
                behind.split_first().filter(|(word, _)| word.literal().is_some_and(number))?.1
            }
            text if text
                .strip_prefix("-n")
                .or(text.strip_prefix("-P"))
                .or(text.strip_prefix("-L"))
                .is_some_and(number) =>
            {
                behind
            }
            text if text.starts_with('-') => return None,
            _ => return Some((options, rest)),
        };
    }
}

/// Whether a shell, or what takes input apart, leaves this alone in a name. Groups are globs where `extglob` is set.
pub(super) fn is_plain_in_names(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !"'\"\\*?[]{}()|$`~!^#".contains(c)
}

/// Whether names below `folder`, written with these known pieces, stay what they are where they are split, and read as globs
/// again: none holds a blank or a sign, or could begin an option.
pub(super) fn stay_whole(pieces: &[Option<String>], folder: &Path, names: &[PathBuf]) -> bool {
    let whole = |path: &PathBuf| {
        path.strip_prefix(folder).ok().and_then(Path::to_str).is_some_and(|name| {
            name.chars().all(is_plain_in_names) && !name.split('/').any(|part| part.starts_with('-'))
        })
    };
    pieces.iter().flatten().all(|piece| piece.chars().all(is_plain_in_names)) && names.iter().all(whole)
}
