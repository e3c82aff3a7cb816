//! Says which build this is: what one build has compiled of a configuration counts for no other one.

use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// What decides what a pattern finds, and how a file is read. What is not there, where only this package is built, is told by its
/// version.
const READ: [&str; 6] =
    ["src", "../policy/src", "../call/src", "../call/build.rs", "../kept/src/approval", "../../Cargo.lock"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut hasher = DefaultHasher::new();
    for path in READ.map(Path::new).into_iter().filter(|path| path.try_exists().unwrap_or(false)) {
        println!("cargo::rerun-if-changed={}", path.display());
        hash_path(path, &mut hasher)?;
    }
    println!("cargo::rustc-env=MAYI_BUILD={:016x}", hasher.finish());
    Ok(())
}

fn hash_path(path: &Path, hasher: &mut DefaultHasher) -> Result<(), Box<dyn Error>> {
    path.to_string_lossy().hash(hasher);
    if !path.is_dir() {
        std::fs::read(path)?.hash(hasher);
        return Ok(());
    }
    let mut entries = std::fs::read_dir(path)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, std::io::Error>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| hash_path(entry, hasher))
}
