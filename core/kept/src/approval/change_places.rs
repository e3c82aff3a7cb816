//! Where the changes of a card stand in their files: agents send a part of a file as often as all of it, and count its lines
//! from 1.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use super::Card;

/// A larger file is not read for the number of a line.
const LARGE: u64 = 4 * 1024 * 1024;

/// For each change among what came with the card's call, in order, the line (from 1) at which its old text begins in the file as
/// it is now. `None`: the file can't be read, or the text is not there just once, so that any number would mislead. What is new
/// begins at 1.
#[must_use]
pub fn change_lines(card: &Card) -> Vec<Option<u32>> {
    let content = card.tool_call.content.as_array();
    let changes = content.into_iter().flatten().filter(|item| string_member(item, "type") == Some("diff"));
    changes.map(|change| change_start_line(&card.cwd, change)).collect()
}

fn string_member<'a>(item: &'a Value, key: &str) -> Option<&'a str> {
    item.get(key).and_then(Value::as_str)
}

fn change_start_line(folder: &str, change: &Value) -> Option<u32> {
    let Some(old) = string_member(change, "oldText") else {
        return Some(1);
    };
    let path = Path::new(folder).join(string_member(change, "path")?);
    if !path.is_absolute() {
        return None;
    }
    line_of(old, &read(&path)?)
}

/// The line at which `part` begins in `whole`, if it is there once.
fn line_of(part: &str, whole: &str) -> Option<u32> {
    if part == whole {
        return Some(1);
    }
    let at = whole.find(part).filter(|_| !part.is_empty())?;
    // The same may begin again before it has ended.
    let next = at + whole.get(at..)?.chars().next().map_or(1, char::len_utf8);
    if whole.get(next..).is_some_and(|rest| rest.contains(part)) {
        return None;
    }
    let before = whole.get(..at)?.bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(before + 1).ok()
}

/// What a plain file holds. Elsewhere than on Unix nothing is looked at: the path could be another machine's, which is told who asks.
fn read(path: &Path) -> Option<String> {
    if !cfg!(unix) {
        return None;
    }
    let file = open(path).ok()?;
    if !file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LARGE) {
        return None;
    }
    let mut held = String::new();
    file.take(LARGE).read_to_string(&mut held).ok()?;
    Some(held)
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe in the place of the file must not make mayi wait.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::line_of;

    #[test]
    fn given_a_part_that_is_there_once_then_its_line_is_found() {
        assert_eq!(line_of("two", "one\ntwo\nthree\n"), Some(2));
        assert_eq!(line_of("one\ntwo\nthree\n", "one\ntwo\nthree\n"), Some(1));
        assert_eq!(line_of("ä\n", "x\nä\n"), Some(2));
    }

    #[test]
    fn given_a_part_that_is_there_never_or_more_than_once_then_no_line_is_said() {
        assert_eq!(line_of("x", "one\n"), None);
        assert_eq!(line_of("one", "one\ntwo\none\n"), None);
        assert_eq!(line_of("aa", "aaa"), None);
        assert_eq!(line_of("", "one\n"), None);
    }
}
