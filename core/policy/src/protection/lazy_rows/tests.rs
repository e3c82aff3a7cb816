//! Rows that are told by their texts are the rows that are compiled.

use super::*;
use crate::Protection;

/// A disk on which these are links, and everything else is a folder.
pub(crate) struct Links(pub(crate) &'static [&'static str]);

impl PathLooks for Links {
    fn is_linked(&self, folder: &Path) -> bool {
        self.0.iter().any(|link| folder.starts_with(link))
    }

    fn entry_kind(&self, path: &Path) -> EntryKind {
        if self.0.iter().any(|link| path == Path::new(link)) { EntryKind::Link } else { EntryKind::Folder }
    }
}

fn places(home: &str) -> PatternBases {
    let home = (!home.is_empty()).then(|| PathBuf::from(home));
    PatternBases { home, as_written: true, ..PatternBases::default() }
}

/// Each row is found by the keys that it has as a pattern: no fewer, and no others.
#[test]
fn given_all_rows_then_they_have_the_keys_of_their_patterns() {
    for (home, settings) in [
        ("/home/me", ""),
        ("/Home/M\u{c9}\u{200d}/x", "/srv/me [x]/Settings"),
        ("", "/srv/settings"),
        ("/h", "/h/.config/deep"),
    ] {
        let places = places(home);
        let mut eager = Protection::built_in(&places, &[]).unwrap();
        let mut lazy = LazyRows::new(&places, &Links(&[])).unwrap();
        if !settings.is_empty() {
            eager.add_settings_folder(Path::new(settings), &places, &Links(&[])).unwrap();
            assert!(lazy.add_settings(Path::new(settings), 0, &places, &Links(&[])));
        }
        assert!(lazy.linked.is_empty() && lazy.compiled.iter().all(|row| row.get().is_none()));
        assert_eq!(lazy.rows.len(), eager.entries.len());
        let (index, found) = (eager.index(), |find: &dyn Fn(&mut Vec<u32>)| {
            let mut found = Vec::new();
            find(&mut found);
            sorted_unique(found)
        });
        for table in IndexTable::ALL {
            let memory = index.memory();
            let same = |what: &str, find: &dyn Fn(&dyn KeyLookup, &mut Vec<u32>)| {
                let (lazily, eagerly) = (found(&|to| find(&lazy, to)), found(&|to| find(memory, to)));
                assert_eq!(lazily, eagerly, "{table:?} {what} at {home}");
            };
            for name in memory.table(table).unwrap().named.keys() {
                same(name, &|keys, to| keys.find_named(table, name, to));
                same(name, &|keys, to| keys.find_from(table, name, to));
                if let Some((head, tail)) = name.split_at_checked(name.len() / 2) {
                    same(name, &|keys, to| keys.find_between(table, head, tail, to));
                    same(name, &|keys, to| keys.find_from(table, head, to));
                }
            }
            same("of any name", &|keys, to| keys.find_all(table, to));
            same("without a name", &|keys, to| keys.find_unnamed(table, to));
            assert_eq!(lazy.is_empty(table), memory.is_empty(table), "{table:?}");
            assert_eq!(lazy.max_depth(table), memory.max_depth(table), "{table:?} at {home}");
        }
        for (row, entry) in lazy.all().into_iter().zip(&eager.entries) {
            assert_eq!(format!("{:?}", lazy.protected(row).unwrap()), format!("{entry:?}"));
        }
    }
}

/// What a row is told by holds for rows of just these forms.
#[test]
fn given_the_tables_then_their_rows_are_of_the_forms_that_are_read() {
    for row in TABLES.iter().flat_map(|table| table.rows) {
        assert!(row.is_ascii() && !row.contains(['?', '[', ']', '{', '}', '\\', '!']), "{row}");
        assert!(["~/", "**/", "/"].iter().any(|start| row.starts_with(start)), "{row}");
        assert!(!row.ends_with('/') && row.split('/').all(|name| !matches!(name, "." | "..")), "{row}");
    }
}

/// A home folder that is written in another way has all rows compiled.
#[test]
fn given_a_home_folder_that_is_written_oddly_then_nothing_is_lazy() {
    for home in ["/home/../me", "/home/me/", "/home//me", "home", "/"] {
        assert!(LazyRows::new(&places(home), &Links(&[])).is_none(), "{home}");
    }
}

/// Links are looked for at each name once, and not below what is no folder.
#[test]
fn given_links_then_just_the_rows_behind_them_are_compiled_at_once() {
    struct Counting(std::cell::RefCell<Vec<PathBuf>>);
    impl PathLooks for Counting {
        fn is_linked(&self, _: &Path) -> bool {
            false
        }

        fn entry_kind(&self, path: &Path) -> EntryKind {
            self.0.borrow_mut().push(path.to_owned());
            match path.to_str().unwrap() {
                "/home/me/.ssh" | "/home/me/.config/git" => EntryKind::Link,
                "/home/me/.config" | "/etc" => EntryKind::Folder,
                _ => EntryKind::Nothing,
            }
        }
    }
    let looks = Counting(std::cell::RefCell::default());
    let lazy = LazyRows::new(&places("/home/me"), &looks).unwrap();
    let linked: Vec<&str> = lazy.linked.iter().map(|at| lazy.rows[*at as usize].text).collect();
    assert_eq!(linked, ["~/.config/git/**", "~/.ssh/**", "~/.ssh", "~/.config/git/credentials"]);
    let mut looked = looks.0.into_inner();
    assert!(looked.iter().all(|path| !path.starts_with("/home/me/.config/git/credentials")));
    let all = looked.len();
    looked.sort();
    looked.dedup();
    assert_eq!(looked.len(), all);
}
