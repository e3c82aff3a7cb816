//! Archives of object files that hold no more than the names of their members: who reads one opens those files.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// As many members are looked at.
const MOST_MEMBERS: usize = 4096;
/// As many programs for different processors one file holds at most.
const MOST_PROGRAMS: u32 = 64;
/// How an archive begins, whatever its kind.
const ARCHIVE: &[u8; 2] = b"!<";
/// The length of a member's header.
const HEADER: u64 = 60;

/// Whether what reads this file as an archive may open others that it names, or whether that could not be found out.
pub(super) fn names_other_files(path: &Path) -> bool {
    // What is no plain file, and what can't be opened, is no archive to the program either.
    if !fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        return false;
    }
    let Ok(mut file) = File::open(path) else { return false };
    match bytes_at(&mut file, 0).as_ref() {
        Some(b"!<thin>\n") => true,
        Some(b"!<arch>\n") => holds_archive(&mut file),
        Some([0xca, 0xfe, 0xba, 0xbe, count @ ..]) => {
            holds_archive_for_a_processor(&mut file, u32::from_be_bytes(*count), false)
        }
        Some([0xca, 0xfe, 0xba, 0xbf, count @ ..]) => {
            holds_archive_for_a_processor(&mut file, u32::from_be_bytes(*count), true)
        }
        _ => false,
    }
}

/// Whether a member is an archive itself, which may be of the kind that names files.
fn holds_archive(file: &mut File) -> bool {
    let mut at = 8;
    for _ in 0..MOST_MEMBERS {
        let Some(header) = bytes_at::<60>(file, at) else { return false };
        let number = |range: std::ops::Range<usize>| {
            std::str::from_utf8(header.get(range)?).ok()?.trim_end().parse::<u64>().ok()
        };
        let Some(size) = number(48..58) else { return true };
        // A long name stands before the member: `#1/20`.
        let name = if header.starts_with(b"#1/") { number(3..16) } else { Some(0) };
        let Some(member) = name.and_then(|name| at.checked_add(HEADER)?.checked_add(name)) else {
            return true;
        };
        if bytes_at(file, member).as_ref() == Some(ARCHIVE) {
            return true;
        }
        let Some(next) = at.checked_add(HEADER).and_then(|at| at.checked_add(size)?.checked_add(size % 2))
        else {
            return true;
        };
        at = next;
    }
    true
}

/// The same of a file that holds the program for several processors.
fn holds_archive_for_a_processor(file: &mut File, count: u32, long: bool) -> bool {
    // Others begin in this way, too: classes of Java.
    (count <= MOST_PROGRAMS).then_some(0..count).into_iter().flatten().any(|index| {
        let entry = 8 + u64::from(index) * if long { 32 } else { 20 } + 8;
        let at = match long {
            true => bytes_at(file, entry).map(u64::from_be_bytes),
            false => bytes_at(file, entry).map(u32::from_be_bytes).map(u64::from),
        };
        at.is_some_and(|at| bytes_at(file, at).as_ref() == Some(ARCHIVE))
    })
}

/// The bytes that stand there; none if the file ends before.
fn bytes_at<const N: usize>(file: &mut File, at: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    file.seek(SeekFrom::Start(at)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
