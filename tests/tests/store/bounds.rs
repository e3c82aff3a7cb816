//! A process that lives long: its database stays within its bounds while it lives.

use std::path::Path;

use super::{Data, verify};

/// What the database may grow to, in bytes.
const LIMIT: u64 = 3_000_000;
/// So many decisions are written, of two entries each: several times as much.
const DECISIONS: u64 = 8_000;

/// Bytes of the files of `folder` that `belongs` tells of.
fn bytes(folder: &Path, belongs: impl Fn(&str) -> bool) -> u64 {
    let Ok(files) = std::fs::read_dir(folder) else { return 0 };
    let of = |file: std::io::Result<std::fs::DirEntry>| -> Option<u64> {
        let file = file.ok()?;
        if belongs(&file.file_name().to_string_lossy()) { Some(file.metadata().ok()?.len()) } else { None }
    };
    files.filter_map(of).sum()
}

/// Found in review: a process that lives on archives as it goes, without being started again; nothing is
/// lost by it, and `verify` finds archives and database sound.
#[test]
fn given_a_process_that_lives_on_then_its_database_stays_within_its_bounds() {
    let data = Data::new();
    let limit = LIMIT.to_string();
    let count = DECISIONS.to_string();
    let mut worker = data.worker(&["stay", "long", &count, "limit", &limit]);
    worker.begin();
    let mut largest = 0;
    loop {
        let line = worker.line().unwrap();
        if line == "written" {
            break;
        }
        if line.ends_with("00") {
            largest = largest.max(bytes(&data.path(), |name| name == "store.db"));
        }
    }
    // Killed as it goes on with that, or when it is done.
    worker.kill();
    let archived = bytes(&data.path().join("archive"), |name| name.starts_with("record-"));
    println!("{largest} bytes at most, {archived} in archives");
    assert!(largest < LIMIT * 2, "{largest}");
    assert!(archived > LIMIT, "{archived}");
    let report = verify(&data.open());
    assert!(report.is_sound(), "{report:?}");
    let gone: u64 = report.archives.iter().map(|archive| archive.last - archive.first + 1).sum();
    assert_eq!(report.entries + gone, 2 * DECISIONS);
    // Whoever reads all of the record opens each.
    let files = report.archives.len() as u64;
    assert!(gone / files >= 300, "{gone} entries in {files} archives");
    assert_eq!(report.last, Some(2 * DECISIONS));
}
