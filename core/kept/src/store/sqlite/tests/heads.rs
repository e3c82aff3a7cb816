//! The head between two commits of one process, which keeps its file open.

use std::fs;

use super::{Place, append, entry};
use crate::store::{Change, SqliteStore, Store, StoreError};

fn next(store: &SqliteStore, number: u64) -> Result<(), StoreError> {
    store.commit(vec![Change::Append(entry(number))])
}

/// Rule: without its head, nothing is appended to the record: what was done to it meanwhile shows at the next commit.
#[test]
fn given_a_head_that_is_changed_or_gone_between_two_commits_then_the_next_one_is_refused() {
    let place = Place::new();
    let store = place.open();
    append(&store, [1, 2]);
    let head = fs::read(place.at("head")).unwrap();
    let refused = |store: &SqliteStore| match next(store, 3) {
        Err(StoreError::Damaged { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let mut changed = head.clone();
    changed[20] ^= 1;
    for (what, text) in
        [("changed", &changed[..]), ("cut", &head[..80]), ("longer", &[&head[..], b"x"].concat())]
    {
        fs::write(place.at("head"), text).unwrap();
        assert!(refused(&store).contains("was changed"), "{what}");
        assert!(refused(&store).contains("was changed"), "{what}: again");
    }
    fs::remove_file(place.at("head")).unwrap();
    assert!(refused(&store).contains("is missing"));
    fs::write(place.at("head"), &head).unwrap();
    #[cfg(unix)]
    fs::set_permissions(place.at("head"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    append(&store, [3]);
    assert!(place.verify().is_sound());
}

/// Rule: the head that counts is the file in its place, and not one that was opened before.
#[test]
fn given_another_file_in_the_place_of_the_head_then_that_one_counts() {
    let place = Place::new();
    let store = place.open();
    append(&store, [1]);
    let (head, moved) = (place.at("head"), place.at("moved"));
    let one = fs::read(&head).unwrap();
    append(&store, [2]);
    fs::rename(&head, &moved).unwrap();
    fs::copy(&moved, &head).unwrap();
    append(&store, [3]);
    assert_ne!(fs::read(&head).unwrap(), fs::read(&moved).unwrap());
    assert!(place.verify().is_sound());
    // One of two commits before, as another file and in the same one.
    fs::write(&moved, &one).unwrap();
    #[cfg(unix)]
    {
        fs::rename(&head, place.at("kept")).unwrap();
        fs::rename(&moved, &head).unwrap();
        assert!(matches!(next(&store, 4), Err(StoreError::Damaged { .. })));
        fs::rename(place.at("kept"), &head).unwrap();
    }
    append(&store, [4]);
    fs::write(&head, &one).unwrap();
    assert!(matches!(next(&store, 5), Err(StoreError::Damaged { .. })));
}

/// Rule: the files of the record are the user's alone, and are no links: also while a process goes on.
#[test]
#[cfg(unix)]
fn given_a_head_that_is_opened_to_others_or_a_link_then_nothing_is_appended() {
    let place = Place::new();
    let store = place.open();
    append(&store, [1]);
    let (head, moved) = (place.at("head"), place.at("moved"));
    let mode = |mode| fs::set_permissions(&head, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    mode(0o644);
    assert!(matches!(next(&store, 2), Err(StoreError::Unsafe { .. })));
    mode(0o600);
    fs::rename(&head, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &head).unwrap();
    assert!(matches!(next(&store, 2), Err(StoreError::Unsafe { .. })));
}
