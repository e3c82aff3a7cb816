//! In which list of words one is looked for.

/// As many lists are there.
pub(crate) const LISTS: usize = 2048;

/// The list of words that begin so, in any case of ASCII. Of two letters each pair has its own.
pub(crate) fn list_index(first: u8, second: u8) -> usize {
    let fold = |byte: u8| usize::from(byte.to_ascii_lowercase());
    ((fold(first) & 31) << 6) | (fold(second) & 63)
}
