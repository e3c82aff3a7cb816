//! What was compiled before is opened, if it can be believed.

use std::fs::File as Stored;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::seal::{self, BUILD, CompiledHead, CompiledSubject};
use super::skeleton::RuleSpan;
use super::{CompiledFile, CompiledPaths, ConfigFileSource, MIN_COMPILED_BYTES, links, skeleton};
use crate::read::{self, ParsedFile};
use crate::{LARGEST_OWN_FILE, secure_read};
use mayi_kept::store::compiled_key;
use mayi_policy::compiled::{BlockSource, CompiledRules};
use mayi_policy::pattern::PatternBases;
use mayi_policy::{Origin, Rule};
use sha2::{Digest as _, Sha256};

/// So much is read at first, in bytes: the head of some thousand rules, or the first of it.
const FIRST_READ_BYTES: usize = 32 << 10;

/// As much of a file is read at once, in bytes.
const READ_CHUNK_BYTES: usize = 32 << 10;

/// What a compiled file is called: by the file that it is of. `None` if that has no name that can be written.
pub(super) fn name_of(source: &ConfigFileSource) -> Option<String> {
    let subject = source_subject(source)?;
    let of = format!("{}\0{}\0{}", subject.layer, subject.path, subject.home.unwrap_or_default());
    let hex: String = Sha256::digest(of).iter().take(20).map(|byte| format!("{byte:02x}")).collect();
    Some(format!("{hex}.policy"))
}

/// What rules that are compiled of `source` are of.
pub(super) fn source_subject(source: &ConfigFileSource) -> Option<CompiledSubject<'_>> {
    Some(CompiledSubject {
        build: BUILD,
        layer: source.layer.as_str(),
        path: source.path.to_str()?,
        digest: &source.digest,
        home: match &source.home {
            Some(home) => Some(home.to_str()?),
            None => None,
        },
    })
}

pub(super) fn open(
    place: CompiledPaths,
    mut source: ConfigFileSource,
    places: &PatternBases,
) -> Option<(CompiledFile, ParsedFile, CompiledRules)> {
    let stored = open_own_file(&place.path())?;
    let key = compiled_key(&place.data)?;
    let bytes = head_of(&stored)?;
    let head: CompiledHead<'_> = seal::read(&bytes, &key)?;
    let (digest, text, missing) = left_of(&source, &head.cuts)?;
    source.digest = digest;
    if head.subject != source_subject(&source)? {
        return None;
    }
    let begins = u64::try_from(bytes.len()).ok()?;
    let length = head.blocks.iter().map(|(length, _)| u64::from(*length)).sum::<u64>();
    if stored.metadata().ok()?.len() != begins.checked_add(length)? {
        return None;
    }
    let file = read::read_without(source.layer, &source.path, &text, missing, places).ok()?;
    if !file.rules.is_empty() {
        return None;
    }
    let origin = Origin { file: Some(source.path.clone()), line: None, layer: source.layer };
    let (source, wanted) = (Arc::new(source), Arc::new(AtomicBool::new(false)));
    let blocks = StoredBlocks {
        stored,
        places: block_extents(begins, &head.blocks),
        source: Arc::clone(&source),
        doubted: Arc::clone(&wanted),
    };
    let compiled = CompiledRules::new(head.contents, Box::new(blocks), origin, source.home.clone());
    let linked = links::linked_rules(&compiled, &source.roots);
    let compiled = compiled.load_eager_rules(&linked, places)?;
    Some((CompiledFile { source, place, wanted }, file, compiled))
}

/// What is left of a file: its digest, its text without the cuts, and where lines are missing in that.
type StrippedText = (String, String, Vec<(usize, u32)>);

/// The file as it is now. It goes by in pieces: room for all of it would take as long as everything else.
fn left_of(source: &ConfigFileSource, cuts: &[RuleSpan]) -> Option<StrippedText> {
    let (mut file, length) = secure_read::open_if_safe(source.layer, &source.path).ok()??;
    if length < u64::try_from(MIN_COMPILED_BYTES).ok()? || length > LARGEST_OWN_FILE {
        return None;
    }
    let mut sha = Sha256::new();
    let mut left = skeleton::RuleStripper::new(cuts);
    let mut piece = vec![0; READ_CHUNK_BYTES];
    loop {
        let read = file.read(&mut piece).ok()?;
        let Some(read) = piece.get(..read).filter(|read| !read.is_empty()) else { break };
        sha.update(read);
        left.push_piece(read)?;
    }
    let digest = sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let (text, missing) = left.finish()?;
    Some((digest, text, missing))
}

/// The file at `path`, if it is the user's alone.
fn open_own_file(path: &Path) -> Option<Stored> {
    let stored = secure_read::open(path, false).ok()?;
    let meta = stored.metadata().ok()?;
    (meta.is_file() && is_own(&meta)).then_some(stored)
}

#[cfg(unix)]
fn is_own(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o077 == 0
}

#[cfg(not(unix))]
fn is_own(_: &std::fs::Metadata) -> bool {
    false
}

/// All of the file up to the end of the seal.
fn head_of(stored: &Stored) -> Option<Vec<u8>> {
    let length = usize::try_from(stored.metadata().ok()?.len()).ok()?;
    let mut bytes = vec![0; length.min(FIRST_READ_BYTES)];
    read_at(stored, &mut bytes, 0).ok()?;
    let end = seal::seal_end(&bytes).filter(|end| *end <= length)?;
    let known = bytes.len();
    bytes.resize(end, 0);
    if let Some(rest) = bytes.get_mut(known..).filter(|rest| !rest.is_empty()) {
        read_at(stored, rest, u64::try_from(known).ok()?).ok()?;
    }
    Some(bytes)
}

#[cfg(unix)]
fn read_at(stored: &Stored, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(stored, bytes, at)
}

#[cfg(not(unix))]
fn read_at(_: &Stored, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Where each block is, how long, and its digest.
type BlockExtents = Vec<(u64, u32, [u8; 32])>;

fn block_extents(begins: u64, blocks: &[(u32, [u8; 32])]) -> BlockExtents {
    let mut at = begins;
    let place = |(length, digest): &(u32, [u8; 32])| {
        let place = (at, *length, *digest);
        at += u64::from(*length);
        place
    };
    blocks.iter().map(place).collect()
}

/// Blocks of a file, each held to its digest when it is read.
#[derive(Debug)]
struct StoredBlocks {
    stored: Stored,
    places: BlockExtents,
    source: Arc<ConfigFileSource>,
    /// One is not what was written.
    doubted: Arc<AtomicBool>,
}

impl BlockSource for StoredBlocks {
    fn read_block(&self, number: usize) -> Option<Vec<u8>> {
        let (at, length, digest) = self.places.get(number)?;
        let mut bytes = vec![0; usize::try_from(*length).ok()?];
        read_at(&self.stored, &mut bytes, *at).ok()?;
        (seal::block_digest(&bytes) == *digest).then_some(bytes)
    }

    fn read_all_rules(&self) -> Option<Vec<Rule>> {
        self.doubted.store(true, Ordering::Relaxed);
        self.source.read_rules()
    }
}
