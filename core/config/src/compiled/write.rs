//! A file is compiled, and what comes of it is kept.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use super::seal::{self, CompiledHead};
use super::{CompiledPaths, ConfigFileSource, skeleton, stored};
use crate::edit::make_folder;
use crate::read;
use mayi_kept::record::Key;
use mayi_kept::store::compiled_key;
use mayi_policy::compiled::compile_rules;

/// So many are kept: those that were written last.
const MAX_COMPILED_FILES: usize = 16;

/// Whoever compiles holds this lock: one at a time is enough.
const LOCK: &str = "lock";

/// What is not finished has this name, so that a process that is killed leaves one at most.
const UNFINISHED: &str = "unfinished";

/// Compiles `source`, and keeps it at `place`; not if somebody else does just that, or there is no key.
pub(super) fn write(source: &ConfigFileSource, place: &CompiledPaths) {
    if !cfg!(unix) || make_folder(&place.folder).is_err() {
        return;
    }
    let Ok(lock) = open(&place.folder.join(LOCK)) else { return };
    if lock.try_lock().is_err() {
        return;
    }
    let Some(key) = compiled_key(&place.data) else { return };
    let Some(parts) = compile_parts(source, &key) else { return };
    // What is left of it at a failure is overwritten by the next one.
    if replace_file(&place.folder, &place.name, &parts).is_ok() {
        remove_oldest(&place.folder, &place.name);
    }
}

/// All of the file that is to be kept, in parts.
pub(super) fn compile_parts(source: &ConfigFileSource, key: &Key) -> Option<Vec<Vec<u8>>> {
    let places = source.pattern_bases();
    let mut file = source.read()?;
    let rules = std::mem::take(&mut file.rules);
    let all = source.unchanged_text()?;
    let cuts = skeleton::find_rule_spans(all)?;
    let (text, missing) = skeleton::strip_rules(all, &cuts)?;
    let left = read::read_without(source.layer, &source.path, &text, missing, &places).ok()?;
    // What is read without the rules has to be all the rest, with each line where it was.
    if format!("{left:?}") != format!("{file:?}") {
        return None;
    }
    let body = compile_rules(&rules, &places)?;
    let block = |block: &Vec<u8>| Some((u32::try_from(block.len()).ok()?, seal::block_digest(block)));
    let blocks = body.blocks.iter().map(block).collect::<Option<_>>()?;
    let head =
        CompiledHead { subject: stored::source_subject(source)?, cuts, blocks, contents: body.contents };
    Some(std::iter::once(seal::write(&head, key)?).chain(body.blocks).collect())
}

/// Opens a file of the user's own to be written, never through a link.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}

/// Puts a file in its place, as a whole.
fn replace_file(folder: &Path, name: &str, parts: &[Vec<u8>]) -> io::Result<()> {
    let unfinished = folder.join(UNFINISHED);
    // Whatever was there, it is not written to.
    match std::fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = open(&unfinished)?;
    for part in parts {
        file.write_all(part)?;
    }
    // Not brought to the disk: what a power failure makes of it has no seal.
    std::fs::rename(&unfinished, folder.join(name))
}

/// Removes those that were written before the last ones.
fn remove_oldest(folder: &Path, kept: &str) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let policies = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let written = entry.metadata().and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        (name.ends_with(".policy") && name != kept).then_some((written, entry.path()))
    });
    let mut policies: Vec<_> = policies.collect();
    policies.sort();
    let over = (policies.len() + 1).saturating_sub(MAX_COMPILED_FILES);
    for (_, path) in policies.into_iter().take(over) {
        // One that can't be removed is in nobody's way.
        let _ = std::fs::remove_file(path);
    }
}
