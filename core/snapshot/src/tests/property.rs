//! Whatever is done to files, it is taken back byte for byte.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::{Bench, everything};

/// Something that a command does.
#[derive(Clone, Debug)]
enum Step {
    Write(PathBuf, Vec<u8>),
    Append(PathBuf, Vec<u8>),
    MakeFolder(PathBuf),
    Remove(PathBuf),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
    HardLink(PathBuf, PathBuf),
    Mode(PathBuf, u32),
}

/// Few names, so that steps meet.
fn path() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", ".x"]), 1..4)
        .prop_map(|parts| parts.iter().collect())
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => prop::collection::vec(any::<u8>(), 0..40),
        1 => (any::<u8>(), 250_000..600_000_usize).prop_map(|(byte, count)| vec![byte; count]),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (path(), content()).prop_map(|(path, content)| Step::Write(path, content)),
        1 => (path(), content()).prop_map(|(path, content)| Step::Append(path, content)),
        2 => path().prop_map(Step::MakeFolder),
        3 => path().prop_map(Step::Remove),
        2 => (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => (path(), path()).prop_map(|(to, from)| Step::Link(to, from)),
        2 => (path(), path()).prop_map(|(from, to)| Step::HardLink(from, to)),
        1 => (path(), prop::sample::select(vec![0o600, 0o644, 0o700, 0o755, 0o444, 0o555]))
            .prop_map(|(path, mode)| Step::Mode(path, mode)),
    ]
}

/// Does a step if it can be done. None leads out of the folder: links are relative, and are not written through.
fn act(root: &Path, step: &Step) {
    let is_link = |path: &Path| {
        path.ancestors()
            .any(|path| fs::symlink_metadata(root.join(path)).is_ok_and(|found| found.is_symlink()))
    };
    let _ = match step {
        Step::Write(path, content) if !is_link(path) => {
            let _ = root.join(path).parent().map(fs::create_dir_all);
            fs::write(root.join(path), content)
        }
        Step::Append(path, content) if !is_link(path) => fs::OpenOptions::new()
            .append(true)
            .open(root.join(path))
            .and_then(|mut file| std::io::Write::write_all(&mut file, content)),
        Step::MakeFolder(path) if !is_link(path) => fs::create_dir_all(root.join(path)),
        Step::Remove(path) => {
            let path = root.join(path);
            fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path))
        }
        Step::Rename(from, to) => fs::rename(root.join(from), root.join(to)),
        Step::Link(to, from) => symlink(to, root.join(from)),
        Step::HardLink(from, to) => fs::hard_link(root.join(from), root.join(to)),
        Step::Mode(path, mode) if !is_link(path) => {
            fs::set_permissions(root.join(path), fs::Permissions::from_mode(*mode))
        }
        _ => Ok(()),
    };
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any sequence of changes is taken back: contents, modes, links of both kinds, empty folders; and an undo of that, too.
    #[test]
    fn given_any_sequence_of_changes_then_all_of_it_is_restored(
        first in prop::collection::vec(step(), 0..25),
        second in prop::collection::vec(step(), 0..25),
    ) {
        let bench = Bench::new();
        first.iter().for_each(|step| act(&bench.root, step));
        let before = bench.state();
        let snapshot = bench.take();
        second.iter().for_each(|step| act(&bench.root, step));
        bench.snapshots.finish(snapshot.id).unwrap();
        let after = bench.state();
        let undone = bench.undo(&snapshot, &everything());
        prop_assert!(undone.left.is_empty() && undone.failed.is_empty(), "{undone:?}");
        prop_assert_eq!(bench.state(), before);
        prop_assert!(bench.snapshots.changes(snapshot.id).unwrap().list.is_empty());
        if let Some(redo) = undone.redo {
            let redo = bench.snapshots.describe(redo).unwrap();
            let undone = bench.undo(&redo, &everything());
            prop_assert!(undone.left.is_empty() && undone.failed.is_empty(), "{undone:?}");
            prop_assert_eq!(bench.state(), after);
        }
    }
}
