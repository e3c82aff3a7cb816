//! What a command did is taken back, and nothing else.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use super::{Bench, State, everything};
use crate::{Outcome, Selection, Since, What};

/// Changed and deleted files come back by themselves; what was created stays unless the person says so.
#[test]
fn given_a_command_that_overwrites_deletes_and_creates_then_each_is_taken_back() {
    let bench = Bench::new();
    bench.write("a.txt", "one\ntwo\n");
    bench.write("sub/b.txt", "b");
    bench.write(".env", "KEY=secret");
    let before = bench.state();
    let snapshot = bench.take();
    bench.write("a.txt", "one\n2\n");
    fs::remove_dir_all(bench.at("sub")).unwrap();
    fs::remove_file(bench.at(".env")).unwrap();
    bench.write("new/c.txt", "c");
    assert_eq!(bench.snapshots.finish(snapshot.id).unwrap(), 6);

    let changes = bench.snapshots.changes(snapshot.id).unwrap();
    let listed: Vec<_> = changes
        .list
        .iter()
        .map(|change| (change.path.strip_prefix(&bench.root).unwrap().to_str().unwrap(), change.what))
        .collect();
    let expected = [
        (".env", What::Deleted),
        ("a.txt", What::Changed),
        ("new", What::Created),
        ("new/c.txt", What::Created),
        ("sub", What::Deleted),
        ("sub/b.txt", What::Deleted),
    ];
    assert_eq!(listed, expected);
    assert!(changes.list.iter().all(|change| change.since == Since::Command));
    let diff = bench.snapshots.text_diff(snapshot.id, &changes.list[1]).unwrap().unwrap();
    assert!(diff.contains("-two\n+2\n"), "{diff}");

    let undone = bench.undo(&snapshot, &Selection::default());
    assert_eq!((undone.restored.len(), undone.left.len()), (4, 2));
    assert_eq!(bench.read("a.txt"), "one\ntwo\n");
    assert_eq!(bench.read("new/c.txt"), "c");
    let undone = bench.undo(&snapshot, &everything());
    assert_eq!((undone.removed.len(), undone.left.len()), (2, 0));
    assert_eq!(bench.state(), before);
}

/// What the person changed after the command is listed, and left unless forced.
#[test]
fn given_a_file_that_the_person_changed_afterwards_then_it_is_left_unless_forced() {
    let bench = Bench::new();
    bench.write("a", "before");
    bench.write("b", "before");
    let snapshot = bench.take();
    bench.write("a", "by the command");
    bench.write("b", "by the command");
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.write("b", "by the person");
    let undone = bench.undo(&snapshot, &Selection::default());
    assert_eq!((bench.read("a").as_str(), bench.read("b").as_str()), ("before", "by the person"));
    assert_eq!(undone.left.len(), 1);
    assert!(undone.left[0].why.contains("changed after"), "{:?}", undone.left);
    bench.undo(&snapshot, &Selection { force: true, ..Selection::default() });
    assert_eq!(bench.read("b"), "before");
}

/// A file that the person created after the command is not the command's, and stays.
#[test]
fn given_a_file_that_the_person_created_afterwards_then_it_is_not_removed() {
    let bench = Bench::new();
    let snapshot = bench.take();
    bench.write("made", "x");
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.write("mine", "y");
    bench.undo(&snapshot, &everything());
    assert!(!bench.at("made").exists());
    assert_eq!(bench.read("mine"), "y");
}

/// Where mayi was killed before the command had ended, it can't be told who changed what: nothing is replaced unless forced.
#[test]
fn given_a_command_whose_end_nobody_saw_then_nothing_is_restored_unless_forced() {
    let bench = Bench::new();
    bench.write("a", "before");
    let snapshot = bench.take();
    bench.write("a", "after");
    assert_eq!(bench.snapshots.describe(snapshot.id).unwrap().outcome, Outcome::Unfinished);
    let undone = bench.undo(&snapshot, &Selection::default());
    assert_eq!((undone.restored.len(), undone.redo, bench.read("a").as_str()), (0, None, "after"));
    bench.undo(&snapshot, &Selection { force: true, ..Selection::default() });
    assert_eq!(bench.read("a"), "before");
}

/// An undo can be undone.
#[test]
fn given_an_undo_then_it_can_be_undone() {
    let bench = Bench::new();
    bench.write("a", "before");
    bench.write("gone", "x");
    let snapshot = bench.take();
    bench.write("a", "after");
    fs::remove_file(bench.at("gone")).unwrap();
    bench.write("made", "y");
    bench.snapshots.finish(snapshot.id).unwrap();
    let after = bench.state();
    let redo = bench.undo(&snapshot, &everything()).redo.unwrap();
    let redo = bench.snapshots.describe(redo).unwrap();
    assert_eq!(redo.undo_of, Some(snapshot.id));
    bench.undo(&redo, &everything());
    assert_eq!(bench.state(), after);
}

/// Only what was selected is restored, with the folders that it needs.
#[test]
fn given_paths_then_nothing_else_is_restored() {
    let bench = Bench::new();
    bench.write("x/y/a", "a");
    bench.write("x/y/b", "b");
    bench.write("c", "c");
    fs::set_permissions(bench.at("x"), fs::Permissions::from_mode(0o750)).unwrap();
    let snapshot = bench.take();
    fs::remove_dir_all(bench.at("x")).unwrap();
    fs::remove_file(bench.at("c")).unwrap();
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.undo(&snapshot, &Selection { paths: vec![bench.at("x/y/a")], ..Selection::default() });
    assert_eq!(bench.read("x/y/a"), "a");
    assert_eq!(bench.state()[std::path::Path::new("x")], State::Folder(0o750));
    assert!(!bench.at("x/y/b").exists() && !bench.at("c").exists());
}

/// A deleted file has its time back; one that was changed has the time of now, by which programs that build see it.
#[test]
fn given_deleted_and_changed_files_then_only_deleted_ones_have_their_time_back() {
    let bench = Bench::new();
    bench.write("deleted", "1");
    bench.write("changed", "1");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for name in ["deleted", "changed"] {
        fs::File::open(bench.at(name)).unwrap().set_modified(old).unwrap();
    }
    let snapshot = bench.take();
    fs::remove_file(bench.at("deleted")).unwrap();
    bench.write("changed", "2");
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.undo(&snapshot, &Selection::default());
    let time = |name: &str| fs::metadata(bench.at(name)).unwrap().modified().unwrap();
    assert_eq!(time("deleted"), old);
    assert!(time("changed") > old);
}

/// A folder that a link has taken the place of is restored as a folder, and nothing is written where the link led.
#[test]
fn given_a_folder_replaced_by_a_link_then_nothing_is_written_through_it() {
    let bench = Bench::new();
    bench.write("d/file", "mine");
    let outside = bench.store.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    let before = bench.state();
    let snapshot = bench.take();
    fs::remove_dir_all(bench.at("d")).unwrap();
    symlink(&outside, bench.at("d")).unwrap();
    bench.snapshots.finish(snapshot.id).unwrap();
    // The file alone: its folder is a link, and that is no way to it.
    let only = Selection { paths: vec![bench.at("d/file")], ..Selection::default() };
    assert_eq!(bench.undo(&snapshot, &only).failed.len(), 1);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    bench.undo(&snapshot, &Selection::default());
    assert_eq!(bench.state(), before);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

/// A file that a hard link to another has taken the place of is replaced: the other one keeps its content.
#[test]
fn given_a_file_replaced_by_a_hard_link_then_the_other_file_stays_as_it_is() {
    let bench = Bench::new();
    bench.write("a", "mine");
    let outside = bench.store.parent().unwrap().join("outside");
    fs::write(&outside, "theirs").unwrap();
    let snapshot = bench.take();
    fs::remove_file(bench.at("a")).unwrap();
    fs::hard_link(&outside, bench.at("a")).unwrap();
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.undo(&snapshot, &Selection::default());
    assert_eq!(bench.read("a"), "mine");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs");
}

/// Names of one file are names of one file again.
#[test]
fn given_hard_links_then_they_are_links_again() {
    let bench = Bench::new();
    bench.write("a", "1");
    for name in ["b", "c"] {
        fs::hard_link(bench.at("a"), bench.at(name)).unwrap();
    }
    let before = bench.state();
    let snapshot = bench.take();
    // All of them are changed, and one is gone.
    bench.write("a", "2");
    fs::remove_file(bench.at("c")).unwrap();
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.undo(&snapshot, &Selection::default());
    assert_eq!(bench.state(), before);
    // One is gone, and the others are as they were.
    let snapshot = bench.take();
    fs::remove_file(bench.at("b")).unwrap();
    bench.snapshots.finish(snapshot.id).unwrap();
    bench.undo(&snapshot, &Selection::default());
    assert_eq!(bench.state(), before);
    assert_eq!(fs::metadata(bench.at("b")).unwrap().nlink(), 3);
}

/// git's own files are kept, but for its objects; folders of dependencies are not, unless git has something in them.
#[test]
fn given_a_repository_then_its_small_files_are_kept_and_dependencies_that_it_tracks() {
    let bench = Bench::new();
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
        let done = git.args(words).current_dir(&bench.root).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    bench.write("src.txt", "s");
    bench.write("vendor/lib/v.txt", "v");
    bench.write("node_modules/m/m.js", "m");
    bench.write(".gitignore", "node_modules\nnotes\n");
    bench.write("notes", "ignored, and mine");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "x"]);
    let head = bench.read(".git/refs/heads/main");
    let snapshot = bench.take();
    let left: Vec<_> = snapshot.left_out.iter().map(|left| left.path.clone()).collect();
    assert_eq!(left, [bench.at(".git/objects"), bench.at("node_modules")]);
    bench.write(".git/refs/heads/main", "0\n");
    for name in ["src.txt", "vendor/lib/v.txt", "notes", ".git/HEAD", ".git/index"] {
        fs::remove_file(bench.at(name)).unwrap();
    }
    fs::remove_dir_all(bench.at("node_modules")).unwrap();
    bench.snapshots.finish(snapshot.id).unwrap();
    let undone = bench.undo(&snapshot, &Selection::default());
    assert_eq!(undone.left.len(), 1, "{:?}", undone.left);
    assert_eq!(undone.left[0].path, bench.at("node_modules"));
    for (name, content) in [("src.txt", "s"), ("vendor/lib/v.txt", "v"), ("notes", "ignored, and mine")] {
        assert_eq!(bench.read(name), content);
    }
    assert_eq!(bench.read(".git/refs/heads/main"), head);
    git(&["status"]);
}
