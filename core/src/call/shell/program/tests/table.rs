//! The table as data.

use super::super::table::{FILES, Table};

/// Decisions, section 2: "The table is data with a version and tests".
#[test]
fn given_the_table_then_it_is_read_and_has_a_version() {
    let table = Table::load();
    assert_eq!(table.wrong, Vec::<String>::new());
    assert!(table.version >= 1);
    assert!(table.program("git").unwrap().subs.contains_key("log"));
    assert!(table.program("podman").unwrap().subs.contains_key("exec"));
}

#[test]
fn given_an_entry_then_no_option_stands_there_twice_and_every_role_is_known() {
    let table = Table::load();
    let wrong = |(name, program): (String, &super::super::table::Program)| {
        (!program.form().wrong.is_empty()).then(|| (name, program.form().wrong.clone()))
    };
    assert_eq!(table.all().into_iter().filter_map(wrong).collect::<Vec<_>>(), vec![]);
}

#[test]
fn given_a_file_of_the_table_then_its_names_are_sorted() {
    for (file, text) in FILES {
        if *file == "wrappers" {
            continue;
        }
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

#[test]
fn given_an_option_that_runs_or_writes_then_its_program_is_not_read_with_it() {
    for (name, program) in Table::load().all() {
        let form = program.form();
        assert!(!form.reader || form.operands.is_some() || form.here || form.options.len() < 80, "{name}");
    }
}
