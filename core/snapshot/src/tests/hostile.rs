//! Folders that somebody has made to be a nuisance.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{Bench, everything};
use crate::{Limits, Selection, Taken};

/// What is no file is not opened: nobody writes into the pipe, and the snapshot does not wait for that.
#[test]
fn given_pipes_sockets_and_links_in_a_circle_then_they_are_noted_and_not_opened() {
    let bench = Bench::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.at("pipe"), rustix::fs::Mode::RWXU).unwrap();
    let _socket = UnixListener::bind(bench.at("socket")).unwrap();
    symlink("b", bench.at("a")).unwrap();
    symlink("a", bench.at("b")).unwrap();
    symlink(".", bench.at("self")).unwrap();
    symlink("/nowhere", bench.at("dangling")).unwrap();
    let before = bench.state();
    let snapshot = bench.take();
    assert_eq!(snapshot.left_out_count, 2);
    for name in ["pipe", "a", "self", "dangling"] {
        fs::remove_file(bench.at(name)).unwrap();
    }
    bench.snapshots.finish(snapshot.id).unwrap();
    let undone = bench.undo(&snapshot, &everything());
    assert_eq!(undone.left.len(), 1);
    assert_eq!(undone.left[0].path, bench.at("pipe"));
    let after = bench.state();
    assert!(
        before.iter().filter(|(path, _)| !path.ends_with("pipe")).all(|(path, state)| after[path] == *state)
    );
}

/// Names are bytes.
#[test]
fn given_names_that_are_not_utf8_then_they_are_kept_as_they_are() {
    let bench = Bench::new();
    for name in [&b"\xff\xfe"[..], b"new\nline", b"-rf", b"\x1b[2J", b" "] {
        fs::write(bench.root.join(OsStr::from_bytes(name)), name).unwrap();
        symlink(OsStr::from_bytes(name), bench.root.join(OsStr::from_bytes(&[name, b"l"].concat()))).unwrap();
    }
    let before = bench.state();
    let snapshot = bench.take();
    fs::remove_dir_all(&bench.root).unwrap();
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.undo(&snapshot, &everything());
    assert_eq!(bench.state(), before);
}

/// What is more than the limits say is not kept in part, and it is said what it is.
#[test]
fn given_more_than_the_limits_then_nothing_is_kept_and_it_is_said() {
    let bench = Bench::new();
    for number in 0..20 {
        bench.write(&format!("f{number}"), "12345678");
    }
    bench.write("1/2/3/4/deep", "x");
    let usual = Limits::default();
    let said = [
        (Limits { entries: 10, ..usual }, "more than 10 files"),
        (Limits { bytes: 100, ..usual }, "more than 100 bytes"),
        (Limits { depth: 3, ..usual }, "more than 3 deep"),
        (Limits { time: Duration::ZERO, ..usual }, "longer than 0 seconds"),
    ];
    for (limits, said) in said {
        let what = bench.too_large(limits);
        assert!(what.contains(said), "{what}");
    }
    assert_eq!(bench.objects().len(), 0);
    assert_eq!(bench.snapshots.list().unwrap().len(), 0);
    // A file that holds nothing on the disk counts as what it says that it is.
    fs::File::create(bench.at("sparse")).unwrap().set_len(1 << 40).unwrap();
    assert!(bench.too_large(usual).contains("sparse"));
}

/// A command that makes more than is looked at does not keep the rest from being taken back.
#[test]
fn given_a_command_that_creates_very_much_then_what_it_destroyed_comes_back() {
    let bench = Bench::new();
    bench.write("mine", "before");
    let roots = [bench.root.clone()];
    let snapshot = bench.take();
    for number in 0..300 {
        bench.write(&format!("many/{number}"), "x");
    }
    bench.write("mine", "after");
    let tree = bench.snapshots.tree_of(snapshot.id).unwrap();
    let few = Limits { entries: 10, bytes: 3, ..Limits::default() };
    let (found, _) = bench.snapshots.look(&tree, &tree, &few).unwrap();
    assert!(found.truncated && found.tree.entries.len() < 20, "{}", found.tree.entries.len());
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.undo(&snapshot, &Selection::default());
    assert_eq!(bench.read("mine"), "before");
    assert!(matches!(bench.snapshots.take(&roots, &few, "x").unwrap(), Taken::TooLarge { .. }));
}

/// A folder that may not be written by its owner has its files back, and its mode.
#[test]
fn given_folders_without_write_then_their_content_comes_back_and_they_stay_so() {
    let bench = Bench::new();
    bench.write("fixed/a", "1");
    let mode = |bits| fs::set_permissions(bench.at("fixed"), fs::Permissions::from_mode(bits)).unwrap();
    mode(0o555);
    let before = bench.state();
    let snapshot = bench.take();
    mode(0o755);
    fs::remove_file(bench.at("fixed/a")).unwrap();
    mode(0o555);
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.undo(&snapshot, &everything());
    assert_eq!(bench.state(), before);
    mode(0o755);
}

/// A program that moves files and folders about while they are looked at is no reason to fail, to hang, or to leave the folder.
#[test]
fn given_a_tree_that_changes_all_the_time_then_the_snapshot_ends_and_stays_within() {
    let bench = Bench::new();
    let outside = bench.store.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "not of this folder").unwrap();
    bench.write("steady", "steady");
    let over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                bench.write("d/secret", "harmless");
                bench.write("growing", vec![0; 300_000]);
                let _ = fs::rename(bench.at("d"), bench.at("e"));
                let _ = symlink(&outside, bench.at("d"));
                let _ = fs::remove_file(bench.at("d"));
                let _ = fs::remove_dir_all(bench.at("e"));
                let _ = rustix::fs::mkfifoat(rustix::fs::CWD, bench.at("x"), rustix::fs::Mode::RWXU);
                let _ = fs::remove_file(bench.at("x"));
                bench.write("x", "x");
                let _ = fs::remove_file(bench.at("x"));
            }
        });
        for _ in 0..200 {
            let snapshot = bench.take();
            assert!(snapshot.entries >= 2);
        }
        over.store(true, Ordering::Relaxed);
    });
    for object in bench.objects() {
        assert_ne!(fs::read(object).unwrap(), b"not of this folder");
    }
}

/// While files are restored, somebody swaps a folder for a link that leads outside: nothing is written there.
#[test]
fn given_folders_swapped_during_an_undo_then_nothing_is_written_outside() {
    let bench = Bench::new();
    let outside = bench.store.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    for number in 0..40 {
        bench.write(&format!("d/f{number}"), "mine");
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if fs::rename(bench.at("d"), bench.at("moved")).is_ok() {
                    let _ = symlink(&outside, bench.at("d"));
                    let _ = fs::remove_file(bench.at("d"));
                    let _ = fs::rename(bench.at("moved"), bench.at("d"));
                }
            }
        });
        let snapshot = bench.take();
        for _ in 0..20 {
            for number in 0..40 {
                let _ = fs::remove_file(bench.at(&format!("d/f{number}")));
            }
            let selection = Selection { force: true, remove_created: true, ..Selection::default() };
            // It may find that something is in the way.
            let _ = bench.snapshots.undo(snapshot.id, &selection, "undo");
            assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

/// The folder of snapshots may lie in what a snapshot is taken of: it is no part of that.
#[test]
fn given_a_store_within_the_folders_then_it_does_not_keep_itself() {
    let bench = Bench::new();
    bench.write("a", "1");
    let snapshots = crate::Snapshots::open(bench.at("kept")).unwrap();
    for _ in 0..2 {
        let Taken::Done(snapshot) =
            snapshots.take(std::slice::from_ref(&bench.root), &Limits::default(), "x").unwrap()
        else {
            panic!()
        };
        assert_eq!(snapshot.entries, 2);
    }
}

/// A repository's index decides what of dependencies is kept: one that is not understood, or no plain file, makes that more.
#[test]
fn given_an_index_that_is_not_understood_then_dependencies_are_kept() {
    let bench = Bench::new();
    bench.write(".git/HEAD", "ref: refs/heads/main\n");
    bench.write("node_modules/a", "1");
    assert_eq!(bench.take().left_out_count, 1);
    bench.write(".git/index", "DIRC nonsense");
    assert_eq!(bench.take().left_out_count, 0);
    fs::remove_file(bench.at(".git/index")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.at(".git/index"), rustix::fs::Mode::RWXU).unwrap();
    let snapshot = bench.take();
    assert_eq!(snapshot.left_out[0].path, bench.at(".git/index"));
    assert_eq!(snapshot.left_out_count, 1);
}
