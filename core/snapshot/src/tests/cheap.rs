//! What was kept is not read again.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{Bench, everything};
use crate::Outcome;

/// A file that is as at the last snapshot is not read again, only referred to.
#[test]
fn given_a_second_snapshot_then_only_what_changed_is_read() {
    let bench = Bench::new();
    for number in 0..50 {
        bench.write(&format!("d{}/f{number}", number % 5), format!("content {number}"));
    }
    assert_eq!(bench.take_later().read, 50);
    assert_eq!(bench.take_later().read, 0);
    bench.write("d1/f1", "another");
    bench.write("new", "new");
    assert_eq!(bench.take_later().read, 2);
}

/// A change within the same tick of a file system's clock would have the same time: what is that new is read again.
#[test]
fn given_a_file_that_was_just_changed_then_it_is_read_again() {
    let bench = Bench::new();
    bench.write("a", "1");
    assert_eq!(bench.take().read, 1);
    assert_eq!(bench.take().read, 1);
}

/// A program can set the time of a file's last change, and keep its size: it is read nevertheless.
#[test]
fn given_a_change_that_hides_its_time_then_it_is_seen() {
    let bench = Bench::new();
    bench.write("a", "1");
    bench.take_later();
    let time = fs::metadata(bench.at("a")).unwrap().modified().unwrap();
    // The clock of a file system goes on in steps of some milliseconds.
    let changed = |_: &()| bench.take_later().read == 1;
    let waited = std::iter::repeat_with(|| {
        bench.write("a", "2");
        fs::File::open(bench.at("a")).unwrap().set_modified(time).unwrap();
    });
    assert!(waited.take(10_000).any(|()| changed(&())));
    let snapshot = bench.take_later();
    bench.write("a", "3");
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.undo(&snapshot, &everything());
    assert_eq!(bench.read("a"), "2");
}

/// Equal contents are kept once, and by nobody else to be read.
#[test]
fn given_equal_contents_then_they_are_kept_once_and_for_this_user_alone() {
    let bench = Bench::new();
    for name in ["a", "b", "c"] {
        bench.write(name, "the same");
    }
    bench.write("large", vec![7; 1 << 20]);
    bench.take();
    let objects = bench.objects();
    assert_eq!(objects.len(), 2);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert!(objects.iter().all(|path| mode(path) == 0o600));
    assert_eq!(mode(&bench.store), 0o700);
    let mut all = Vec::new();
    super::collect(&bench.store, &mut all);
    assert!(all.iter().all(|path| mode(path) & 0o077 == 0), "{all:?}");
}

/// Of snapshots after which nothing was changed only the last one stays.
#[test]
fn given_commands_that_change_nothing_then_one_snapshot_stays() {
    let bench = Bench::new();
    bench.write("a", "1");
    for _ in 0..3 {
        let snapshot = bench.take_later();
        assert_eq!(bench.snapshots.finish(snapshot.id).unwrap(), 0);
    }
    let all = bench.snapshots.list().unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].outcome, Outcome::Finished { changed: 0 });
}
