//! The table as data.

use std::collections::HashMap;

use super::super::table::{Entry, FILES, Kind, Names, Table};

/// Decisions, section 2: "The table is data with a version and tests".
#[test]
fn given_the_table_then_it_has_a_version_and_every_name_once() {
    let table = Table::get();
    assert_eq!(table.wrong, Vec::<String>::new());
    let head = Names::read().unwrap();
    assert!(head.version >= 1);
    assert!(!head.harmless_keys.is_empty() && !head.inert.is_empty() && !head.rebinding.is_empty());
    assert!(table.program("git").unwrap().sub("log").unwrap().form().reader);
    assert!(table.program("podman").unwrap().sub("exec").unwrap().kind() == Kind::Wrapper);
    assert!(table.program("git log").is_none());
}

/// An entry that could not be read would be a program that is not known.
#[test]
fn given_a_file_of_the_table_then_all_of_it_is_read_and_each_entry_by_itself() {
    let mut names: Vec<String> = Vec::new();
    for (file, text) in FILES {
        let whole: HashMap<String, Entry> =
            toml::from_str(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        names.extend(whole.into_keys());
    }
    names.sort_unstable();
    let mut found: Vec<&str> = Table::get().all().map(|(name, _)| name).collect();
    found.sort_unstable();
    assert_eq!(found, names);
    for (name, program) in Table::get().all() {
        program.check().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(program.form().wrong, Vec::<String>::new(), "{name}");
    }
}

/// An option that is not known could be found nowhere, and the reach that hangs on it would be lost.
#[test]
fn given_options_that_say_how_far_a_program_goes_then_each_is_one_of_its_options() {
    for (name, program) in Table::get().all() {
        let form = program.form();
        let with = [&form.deep, &form.shown, &form.lists, &form.contents];
        for with in with.into_iter().chain([&form.past, &form.follows, &form.rewrites, &form.keeps]) {
            for option in with.names() {
                assert!(form.options.contains_key(option), "{name}: {option}");
            }
        }
    }
}

#[test]
fn given_a_file_of_the_table_then_its_names_are_sorted() {
    for (file, text) in FILES {
        let names: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'))
            .map(|name| name.trim_matches('"'))
            .collect();
        for pair in names.windows(2) {
            assert!(pair[0] < pair[1], "{file}: {} before {}", pair[0], pair[1]);
        }
    }
}
