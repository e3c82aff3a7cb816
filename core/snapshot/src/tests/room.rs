//! The store stays within its limits, and whole whatever happens.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::{Bench, STARTING, everything};
use crate::{Limits, Snapshots, StoreLimits, Taken};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn bench_with(limits: StoreLimits) -> Bench {
    let mut bench = Bench::new();
    bench.snapshots = Snapshots::open_with(&bench.store, limits).unwrap();
    bench
}

/// The oldest snapshots are dropped first, with the contents that only they had.
#[test]
fn given_more_bytes_than_may_be_then_the_oldest_are_dropped() {
    let bench = bench_with(StoreLimits { bytes: 100_000, ..StoreLimits::default() });
    bench.write("same", "in all of them");
    for number in 0..20_u8 {
        bench.write("a", vec![number; 10_000]);
        bench.take();
        let size: u64 = bench.objects().iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        assert!(size <= 100_000, "{size}");
    }
    let kept = bench.snapshots.list().unwrap();
    assert!((5..10).contains(&kept.len()), "{}", kept.len());
    // All of those that are listed can be restored.
    for snapshot in kept {
        bench.write("a", "x");
        bench.write("same", "x");
        let all = crate::Selection { force: true, ..everything() };
        assert_eq!(bench.undo(&snapshot, &all).restored.len(), 2);
        assert_eq!(bench.read("same"), "in all of them");
    }
}

/// A snapshot is dropped when it is old, and the newest is not.
#[test]
fn given_old_snapshots_then_they_are_dropped() {
    let bench = Bench::new();
    bench.write("a", "1");
    let long_ago = SystemTime::now() - 30 * DAY;
    bench.take_at(long_ago);
    bench.write("a", "2");
    let recent = bench.take_at(SystemTime::now());
    let kept: Vec<_> = bench.snapshots.list().unwrap().iter().map(|snapshot| snapshot.id).collect();
    assert_eq!(kept, [recent.id]);
    assert_eq!(bench.objects().len(), 1);
}

/// There are never more snapshots than the limit says.
#[test]
fn given_more_snapshots_than_may_be_then_the_oldest_are_dropped() {
    let bench = bench_with(StoreLimits { snapshots: 8, ..StoreLimits::default() });
    for number in 0..30 {
        bench.write("a", number.to_string());
        let snapshot = bench.take();
        let kept = bench.snapshots.list().unwrap();
        assert!(kept.len() <= 8 && kept[0].id == snapshot.id, "{}", kept.len());
    }
}

/// What is damaged is not restored, and not taken for a snapshot.
#[test]
fn given_a_damaged_store_then_nothing_damaged_is_given_back() {
    let bench = Bench::new();
    bench.write("a", "before");
    let snapshot = bench.take();
    bench.write("a", "after");
    bench.snapshots.finish(snapshot.id).unwrap();
    fs::write(&bench.objects()[0], "before?").unwrap();
    let undone = bench.undo(&snapshot, &everything());
    assert_eq!((undone.restored.len(), bench.read("a").as_str()), (0, "after"));
    assert!(undone.failed[0].why.contains("damaged"), "{undone:?}");
    // One of another size is written again.
    bench.write("a", "before");
    let snapshot = bench.take();
    bench.write("a", "after");
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.undo(&snapshot, &everything());
    assert_eq!(bench.read("a"), "before");
    for file in ["head", "tree", "after"] {
        let path = bench.store.join("taken").join(snapshot.id.to_string()).join(file);
        for bytes in [&b""[..], b"\x02", b"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"] {
            fs::write(&path, bytes).unwrap();
            assert!(bench.snapshots.changes(snapshot.id).is_err() || file == "head");
        }
        assert!(
            bench.snapshots.list().unwrap().iter().all(|other| other.id != snapshot.id || file == "tree")
        );
    }
}

/// The test's own program, as one that takes a snapshot of a folder again and again until it is killed.
#[test]
#[ignore = "started by another test"]
fn taking_until_killed() {
    let Ok(base) = std::env::var("SNAPSHOT_TEST_FOLDER") else { return };
    let base = std::path::Path::new(&base);
    let snapshots = Snapshots::open(base.join("kept")).unwrap();
    for number in 0_u64.. {
        fs::write(base.join("work/changing"), number.to_string().repeat(100_000)).unwrap();
        let taken = snapshots.take(&[base.join("work")], &Limits::default(), "x").unwrap();
        assert!(matches!(taken, Taken::Done(_)));
        // Says how far it is.
        fs::write(base.join("progress"), number.to_string()).unwrap();
    }
}

/// Killed at any moment, mayi leaves no snapshot that is not whole, and what it left behind is deleted.
#[test]
fn given_kills_in_the_middle_then_every_snapshot_is_whole_and_nothing_stays_behind() {
    let bench = Bench::new();
    let base = bench.root.parent().unwrap().to_owned();
    for number in 0..30 {
        bench.write(&format!("f{number}"), vec![number; 20_000]);
    }
    for round in 0..12_u32 {
        let _ = fs::remove_file(base.join("progress"));
        let starting = STARTING.write().unwrap();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::room::taking_until_killed", "--ignored", "--nocapture"])
            .env("SNAPSHOT_TEST_FOLDER", &base)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        drop(starting);
        let mut child = child.unwrap();
        // Some way into one of its snapshots: as far as it has come when this has spun so often.
        let far = || fs::read_to_string(base.join("progress")).is_ok_and(|text| !text.is_empty());
        while !far() {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::yield_now();
        }
        for _ in 0..round * 400 {
            std::hint::black_box(fs::metadata(&base).is_ok());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for snapshot in bench.snapshots.list().unwrap() {
            let tree = bench.snapshots.tree_of(snapshot.id).unwrap();
            let objects = bench.snapshots.objects(&bench.store);
            for entry in tree.entries.values() {
                if let crate::state::Kind::File { digest, size } = entry.kind {
                    assert_eq!(fs::metadata(objects.path_of(&digest)).unwrap().len(), size);
                }
            }
        }
    }
    bench.take();
    assert_eq!(fs::read_dir(bench.store.join("unfinished")).unwrap().count(), 0);
    let stray = fs::read_dir(bench.store.join("objects")).unwrap();
    assert!(stray.into_iter().all(|entry| entry.unwrap().path().is_dir()));
}
