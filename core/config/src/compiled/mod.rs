//! Large files of the user's and the administrator's are compiled for the processes that come: what decides about one call reads the
//! few rules that it needs, and not all of them.
//!
//! What is kept is no more than the rules, in mayi's state folder, sealed with a key that is made of the user's. Everything else
//! of a file is read each time, from the file without its rules ([`skeleton`]). What was compiled counts for just this content of just this
//! file, for the build that compiled it, and only if all of it that is read is what was written; else the file is read as if
//! nothing had been compiled, and compiled anew once the answer is given (D5.13). A folder's own file is never compiled: whoever
//! wrote it has no say in what is kept.

mod links;
mod seal;
mod skeleton;
mod stored;
mod write;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

pub(super) use links::OnDisk;

use super::read::{self, ParsedFile};
use super::{Folders, Layer, secure_read};
use mayi_call::digest_of_bytes;
use mayi_policy::Rule;
use mayi_policy::compiled::CompiledRules;
use mayi_policy::pattern::PatternBases;

/// A file that is shorter is read as fast as what would be compiled of it, in bytes: some 150 rules.
pub(super) const MIN_COMPILED_BYTES: usize = 16 << 10;

/// The folder below mayi's state folder.
const FOLDER: &str = "compiled";

/// A file as it was read, and where its patterns are.
#[derive(Debug)]
pub(super) struct ConfigFileSource {
    pub(super) layer: Layer,
    pub(super) path: PathBuf,
    /// What it says: where what was compiled counts, it is not kept, and read again if it is needed.
    pub(super) text: OnceLock<String>,
    /// SHA-256 of the text, in hexadecimal.
    pub(super) digest: String,
    pub(super) home: Option<PathBuf>,
    pub(super) roots: Vec<PathBuf>,
}

impl ConfigFileSource {
    /// As [`read::read`]. Links are looked up anew.
    fn read(&self) -> Option<ParsedFile> {
        read::read(self.layer, &self.path, self.unchanged_text()?, &self.pattern_bases()).ok()
    }

    /// The text that the digest is of, if it is there still.
    pub(super) fn unchanged_text(&self) -> Option<&str> {
        if let Some(text) = self.text.get() {
            return Some(text);
        }
        let text = secure_read::read(self.layer, &self.path).ok()??;
        let same = digest_of_bytes(text.as_bytes()).as_str() == self.digest;
        same.then(|| self.text.get_or_init(|| text).as_str())
    }

    fn pattern_bases(&self) -> PatternBases {
        PatternBases::of_one_moment(self.home.clone(), self.roots.clone())
    }

    fn read_rules(&self) -> Option<Vec<Rule>> {
        self.read().map(|file| file.rules)
    }
}

/// A file that is large enough to be compiled.
#[derive(Clone, Debug)]
pub struct CompiledFile {
    source: Arc<ConfigFileSource>,
    place: CompiledPaths,
    /// It has to be compiled: nothing was kept, or it is not what it should be.
    wanted: Arc<AtomicBool>,
}

/// Where it is kept, and where the user's key is.
#[derive(Clone, Debug)]
struct CompiledPaths {
    folder: PathBuf,
    name: String,
    data: PathBuf,
}

impl CompiledPaths {
    fn for_source(folders: &Folders, source: &ConfigFileSource) -> Option<Self> {
        let (Some(state), Some(data)) = (&folders.state, &folders.data) else { return None };
        Some(Self { folder: state.join(FOLDER), name: stored::name_of(source)?, data: data.clone() })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }
}

impl CompiledFile {
    /// The file, if there are folders for what is compiled of it. It has to be compiled.
    pub(super) fn new(folders: &Folders, source: ConfigFileSource) -> Option<Self> {
        let place = CompiledPaths::for_source(folders, &source)?;
        Some(Self { source: Arc::new(source), place, wanted: Arc::new(AtomicBool::new(true)) })
    }

    pub(super) fn source(&self) -> &ConfigFileSource {
        &self.source
    }

    /// The file of `source`, which has no digest and no text yet, as it was compiled before; `None`: it has to be read.
    pub(super) fn open(
        folders: &Folders,
        source: ConfigFileSource,
        places: &PatternBases,
    ) -> Option<(Self, ParsedFile, CompiledRules)> {
        let place = CompiledPaths::for_source(folders, &source)?;
        stored::open(place, source, places)
    }

    /// Whether [`Self::compile_if_wanted`] has something to do.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Compiles the file for the next process, if that has to be done. It takes some milliseconds for each thousand rules, so it
    /// is for when nobody waits. What goes wrong leaves things as if nothing had been compiled.
    pub fn compile_if_wanted(&self) {
        if self.is_wanted() {
            write::write(&self.source, &self.place);
        }
    }
}

#[cfg(test)]
mod tests;
