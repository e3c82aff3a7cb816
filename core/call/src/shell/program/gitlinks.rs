//! The work trees of sub-modules that git's index names: commands run in these, too.
//!
//! The index may be an attacker's as well. Git reads it in more than one way (by its entries, or from
//! tables at its end), so one that could be read differently is not understood.

/// As many sub-modules.
const MOST: usize = 1024;
/// Mode bits of an entry, and those of a sub-module.
const KIND: u32 = 0o170_000;
const GITLINK: u32 = 0o160_000;
/// The bits of an entry's flags: more flags follow; the length of its name, as far as it fits.
const EXTENDED: usize = 0x4000;
const LENGTH: usize = 0x0fff;

/// The paths of sub-modules in an index whose ids have 20 or 32 bytes; none if it is not understood.
pub(super) fn gitlink_paths(index: &[u8]) -> Option<Vec<String>> {
    // Which it is stands in the configuration, but what is read both ways may be either.
    match (read_gitlinks(index, 20), read_gitlinks(index, 32)) {
        (Some(one), Some(other)) => Some(one.into_iter().chain(other).collect()),
        (one, other) => one.or(other),
    }
}

fn read_gitlinks(index: &[u8], id: usize) -> Option<Vec<String>> {
    let links = read_entries(index, id)?.into_iter().filter(|(mode, ..)| mode & KIND == GITLINK);
    let found = links.map(|(_, _, _, name)| String::from_utf8(name).ok()).collect::<Option<Vec<_>>>()?;
    (found.len() <= MOST).then_some(found)
}

/// A file that git tracks.
#[derive(Debug)]
pub(super) struct IndexEntry {
    pub(super) name: String,
    /// When it was changed last, as the index has it: seconds and billionths.
    #[cfg_attr(not(unix), allow(dead_code, reason = "an index holds other numbers there"))]
    pub(super) modified: (u64, u64),
    #[cfg_attr(not(unix), allow(dead_code, reason = "an index holds other numbers there"))]
    pub(super) size: u64,
}

/// The files that an index knows; none if it is not understood.
pub(super) fn tracked_entries(index: &[u8]) -> Option<Vec<IndexEntry>> {
    let found = read_entries(index, 20).or_else(|| read_entries(index, 32))?;
    let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let files = found.into_iter().filter(|(mode, ..)| mode & KIND != GITLINK);
    let entry = |(_, (seconds, rest), size, name): RawEntry| IndexEntry {
        name: String::from_utf8_lossy(&name).into_owned(),
        modified: (wide(seconds), wide(rest)),
        size: wide(size),
    };
    Some(files.map(entry).collect())
}

/// The paths of all that an index has, files and sub-modules, from the top of the repository; none if it is not understood. What is
/// not UTF-8 in a path stands there as U+FFFD.
#[must_use]
pub fn index_paths(index: &[u8]) -> Option<Vec<String>> {
    let found = read_entries(index, 20).or_else(|| read_entries(index, 32))?;
    Some(found.into_iter().map(|(.., name)| String::from_utf8_lossy(&name).into_owned()).collect())
}

/// Mode, time of the last change, size and name.
type RawEntry = (u32, (usize, usize), usize, Vec<u8>);

struct IndexBytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> IndexBytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.all.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn read_number(&mut self, bytes: usize) -> Option<usize> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// As many bytes of the last name as go.
    fn read_stripped_length(&mut self) -> Option<usize> {
        let mut byte = self.read_number(1)?;
        let mut number = byte & 127;
        while byte & 128 != 0 {
            byte = self.read_number(1)?;
            number = (number + 1).checked_mul(128)? + (byte & 127);
        }
        Some(number)
    }
}

fn read_entries(index: &[u8], id: usize) -> Option<Vec<RawEntry>> {
    let mut bytes = IndexBytes { all: index, at: 0 };
    let known = bytes.take(4)? == b"DIRC";
    let version = bytes.read_number(4)?;
    let count = bytes.read_number(4)?;
    (known && (2..=4).contains(&version)).then_some(())?;
    let mut found = Vec::new();
    let mut begins = Vec::new();
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let from = bytes.at;
        begins.push(from);
        bytes.take(8)?;
        let modified = (bytes.read_number(4)?, bytes.read_number(4)?);
        bytes.take(8)?;
        let mode = u32::try_from(bytes.read_number(4)?).ok()?;
        bytes.take(8)?;
        let size = bytes.read_number(4)?;
        bytes.take(id)?;
        let flags = bytes.read_number(2)?;
        if flags & EXTENDED != 0 {
            (version > 2).then_some(())?;
            bytes.take(2)?;
        }
        let kept = match version {
            4 => name.len().checked_sub(bytes.read_stripped_length()?)?,
            _ => 0,
        };
        name.truncate(kept);
        let length = index.get(bytes.at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(bytes.take(length)?);
        (flags & LENGTH == name.len().min(LENGTH)).then_some(())?;
        // Up to a multiple of eight, and at least one.
        let padding = if version == 4 { 1 } else { 8 - (bytes.at - from) % 8 };
        bytes.take(padding)?;
        found.push((mode, modified, size, name.clone()));
    }
    extensions_agree(&mut bytes, id, version, &begins).then_some(found)
}

/// Whether what follows the entries, which begin at these places, says the same as they do.
fn extensions_agree(bytes: &mut IndexBytes<'_>, id: usize, version: usize, begins: &[usize]) -> bool {
    let all = bytes.all;
    let entries_end = bytes.at;
    let Some(end) = all.len().checked_sub(id) else { return false };
    // Git looks for this one at its fixed place from the end.
    let last = end.checked_sub(12 + id).filter(|at| all.get(*at..).is_some_and(|x| x.starts_with(b"EOIE")));
    let mut seen = None;
    while bytes.at < end {
        let at = bytes.at;
        let (Some(name), Some(length)) = (bytes.take(4), bytes.read_number(4)) else { return false };
        let Some(data) = bytes.take(length) else { return false };
        let mut data = IndexBytes { all: data, at: 0 };
        let same = match name {
            b"EOIE" => {
                seen = Some(at);
                data.read_number(4) == Some(entries_end)
            }
            b"IEOT" => version < 4 && blocks_cover_entries(&mut data, begins),
            // Entries are elsewhere.
            b"link" => false,
            _ => true,
        };
        if !same {
            return false;
        }
    }
    bytes.at == end && (last.is_none() || last == seen)
}

/// Whether a table of blocks covers the entries, one after the other.
fn blocks_cover_entries(data: &mut IndexBytes<'_>, begins: &[usize]) -> bool {
    if data.read_number(4) != Some(1) {
        return false;
    }
    let mut covered = 0;
    while data.at < data.all.len() {
        let (Some(from), Some(count)) = (data.read_number(4), data.read_number(4)) else { return false };
        if begins.get(covered) != Some(&from) {
            return false;
        }
        covered += count;
    }
    covered == begins.len()
}

#[cfg(test)]
pub(super) mod tests {
    use super::gitlink_paths;

    /// An index of version 2 with these modes and names, and no tables.
    pub(in super::super) fn build_index(entries: &[(u32, &str)]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02".to_vec();
        bytes.extend((entries.len() as u32).to_be_bytes());
        for (mode, name) in entries {
            let from = bytes.len();
            bytes.extend([0; 24]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; 32]);
            bytes.extend((name.len() as u16).to_be_bytes());
            bytes.extend(name.as_bytes());
            bytes.extend(vec![0; 8 - (bytes.len() - from) % 8]);
        }
        bytes.extend([0; 20]);
        bytes
    }

    /// D2.30: `git` fits only where the repository's configuration names no program to
    /// run.
    #[test]
    fn given_an_index_then_its_sub_modules_are_found() {
        let bytes = build_index(&[(0o100_644, "a"), (0o160_000, "sub/deep"), (0o120_000, "z")]);
        assert_eq!(gitlink_paths(&bytes), Some(vec!["sub/deep".to_owned()]));
        assert_eq!(gitlink_paths(&build_index(&[])), Some(Vec::new()));
        // As version 4 writes names: the second leaves three bytes of the first away.
        let mut bytes = b"DIRC\0\0\0\x04\0\0\0\x02".to_vec();
        for (mode, name, strip, length) in [(0o100_644_u32, "lib/a.c", 0, 7_u16), (0o160_000, "sub", 3, 7)] {
            bytes.extend([0; 24]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; 32]);
            bytes.extend(length.to_be_bytes());
            bytes.push(strip);
            bytes.extend(name.as_bytes());
            bytes.push(0);
        }
        bytes.extend([0; 20]);
        assert_eq!(gitlink_paths(&bytes), Some(vec!["lib/sub".to_owned()]));
    }

    /// Attack 76: an index that git could read otherwise.
    #[test]
    fn given_an_index_that_is_not_understood_then_nothing_is_said() {
        let sound = build_index(&[(0o100_644, "a")]);
        let with = |extension: &[u8]| {
            let mut bytes = sound[..sound.len() - 20].to_vec();
            bytes.extend(extension);
            bytes.extend([0; 20]);
            gitlink_paths(&bytes)
        };
        assert_eq!(with(b"TREE\0\0\0\x01x"), Some(Vec::new()));
        assert_eq!(with(b"IEOT\0\0\0\x0c\0\0\0\x01\0\0\0\x0c\0\0\0\x01"), Some(Vec::new()));
        for extension in [
            b"link\0\0\0\0".to_vec(),
            b"IEOT\0\0\0\x0c\0\0\0\x01\0\0\0\x20\0\0\0\x01".to_vec(),
            b"IEOT\0\0\0\x04\0\0\0\x01".to_vec(),
            b"EOIE\0\0\0\x18\0\0\0\0aaaaaaaaaaaaaaaaaaaa".to_vec(),
            b"TREE\0\0\0\x20EOIE\0\0\0\x18\0\0\0\0aaaaaaaaaaaaaaaaaaaa".to_vec(),
            b"TREE\0\0\xff\0".to_vec(),
            b"x".to_vec(),
        ] {
            assert_eq!(with(&extension), None, "{extension:?}");
        }
        let mut longer = sound.clone();
        longer[12 + 61] = 2;
        for bytes in [&b"DIRC"[..], b"", &sound[..sound.len() - 1], &longer] {
            assert_eq!(gitlink_paths(bytes), None, "{bytes:?}");
        }
    }
}
