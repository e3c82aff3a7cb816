//! The file that compiled rules are in: a head that says what they are of, its seal, and blocks whose digests stand in the head.

use mayi_kept::record::{Key, Mac};
use mayi_policy::compiled::BlockContents;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::skeleton::RuleSpan;

/// What such a file begins with; the number changes with its form.
const MAGIC: &[u8; 16] = b"mayi compiled 1\n";

/// The magic, and the length of the head.
pub(super) const HEAD_OFFSET: usize = MAGIC.len() + 4;

/// As long is a seal.
const SEAL: usize = 32;

/// No head is longer, in bytes: one of 100,000 rules takes about 200,000.
const LONGEST_HEAD: usize = 16 << 20;

/// The build that compiled: by another one's patterns, something else may be found.
pub(super) const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("MAYI_BUILD"));

/// What the rules are of. All of it has to be as it is now.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CompiledSubject<'a> {
    pub(super) build: &'a str,
    pub(super) layer: &'a str,
    pub(super) path: &'a str,
    pub(super) digest: &'a str,
    #[serde(borrow)]
    pub(super) home: Option<&'a str>,
}

/// The head.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CompiledHead<'a> {
    #[serde(borrow)]
    pub(super) subject: CompiledSubject<'a>,
    pub(super) cuts: Vec<RuleSpan>,
    /// The length of each block, and SHA-256 of it.
    pub(super) blocks: Vec<(u32, [u8; 32])>,
    pub(super) contents: BlockContents,
}

/// The digest of a block.
pub(super) fn block_digest(block: &[u8]) -> [u8; 32] {
    Sha256::digest(block).into()
}

/// A head with its seal, and what stands before it.
pub(super) fn write(head: &CompiledHead<'_>, key: &Key) -> Option<Vec<u8>> {
    let text = postcard::to_allocvec(head).ok()?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(u32::try_from(text.len()).ok()?.to_le_bytes());
    bytes.extend(text);
    let seal = key.seal(&bytes);
    bytes.extend(seal.0);
    Some(bytes)
}

/// Where the seal ends of a file that begins like this, if it is one.
pub(super) fn seal_end(start: &[u8]) -> Option<usize> {
    let length = start.strip_prefix(MAGIC)?.get(..4)?;
    let length = usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?;
    (length <= LONGEST_HEAD).then_some(HEAD_OFFSET + length + SEAL)
}

/// The head in `bytes`, which end with its seal, if that is the key's.
pub(super) fn read<'a>(bytes: &'a [u8], key: &Key) -> Option<CompiledHead<'a>> {
    let (sealed, seal) = bytes.split_at_checked(bytes.len().checked_sub(SEAL)?)?;
    if key.seal(sealed) != Mac::from_bytes(seal)? {
        return None;
    }
    postcard::from_bytes(sealed.get(HEAD_OFFSET..)?).ok()
}
