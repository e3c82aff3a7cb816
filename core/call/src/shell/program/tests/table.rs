//! The table as data.

use std::collections::{BTreeMap, HashMap};

use super::super::cut;
use super::super::table::{FILES, NameLists, ProgramEntry, ProgramKind, ProgramTable, TableEntry};

/// D2.35: The table is data with a version and tests.
#[test]
fn given_the_table_then_it_has_a_version_and_every_name_once() {
    let table = ProgramTable::get();
    let head = NameLists::read().unwrap();
    assert!(head.version >= 1);
    assert!(!head.harmless_keys.is_empty() && !head.inert.is_empty() && !head.rebinding.is_empty());
    assert!(table.find_program("git").unwrap().sub_command("log").unwrap().form().reader);
    assert!(
        table.find_program("podman").unwrap().sub_command("exec").unwrap().kind() == ProgramKind::Wrapper
    );
    assert!(table.find_program("git log").is_none());
}

/// An entry that could not be read would be a program that is not known.
#[test]
fn given_a_file_of_the_table_then_all_of_it_is_read_and_each_entry_by_itself() {
    let mut whole: BTreeMap<String, (TableEntry, &str)> = BTreeMap::new();
    for (file, text) in FILES {
        let of_file: HashMap<String, TableEntry> =
            toml::from_str(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        whole.extend(of_file.into_iter().map(|(name, entry)| (name, (entry, *file))));
    }
    let mut found: Vec<&str> = ProgramTable::get().all_programs().map(|(name, _)| name).collect();
    found.sort_unstable();
    assert_eq!(found, whole.keys().map(String::as_str).collect::<Vec<_>>());
    // What the build has made of it says the same.
    for (name, program) in ProgramTable::get().all_programs() {
        let (entry, file) = &whole[name];
        assert_eq!(format!("{:?}", program.parse_entry()), format!("{entry:?}"), "{name}");
        assert_eq!(program.source_file(), *file, "{name}");
    }
    for (name, program) in ProgramTable::get().all_programs() {
        program.check_entry().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(program.form().wrong, Vec::<String>::new(), "{name}");
    }
}

/// What is said of the operands of a program with sub-commands holds for those that are not listed as well, and one of them may run
/// what stands behind it (`meson devenv LINE`): said only of what takes none that does. Attack 622.
#[test]
fn given_a_program_with_sub_commands_then_its_operands_do_not_cover_those_that_are_not_listed() {
    const KNOWN: &[&str] = &[
        "7z",
        "apt-cache",
        "git config",
        "git maintenance",
        "git reflog",
        "git stash",
        "ip addr",
        "npm run",
        "service",
        "tsx",
        "unittest",
        "vite",
    ];
    let covers = |program: &ProgramEntry| {
        let form = program.form();
        program.has_subs() && form.operands.is_some() && form.before_command.is_none()
    };
    let programs = ProgramTable::get().all_programs();
    let mut found: Vec<_> = programs.filter(|(_, program)| covers(program)).map(|(name, _)| name).collect();
    found.sort_unstable();
    assert_eq!(found, KNOWN);
}

/// An option that is not known could be found nowhere, and the reach that hangs on it would be lost.
#[test]
fn given_options_that_say_how_far_a_program_goes_then_each_is_one_of_its_options() {
    for (name, program) in ProgramTable::get().all_programs() {
        let form = program.form();
        let with = [&form.deep, &form.shown, &form.lists, &form.contents];
        for with in with.into_iter().chain([&form.past, &form.follows, &form.rewrites, &form.keeps]) {
            for option in with.option_names() {
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

#[test]
fn given_a_name_then_its_entry_is_found_by_it_and_by_nothing_else() {
    let files = || FILES.iter().map(|(file, text)| (*file, *text));
    let table = cut::Table::of(files());
    assert_eq!(table.wrong, Vec::<String>::new());
    let upper = |name: &str| table.names.keys().any(|other| other.starts_with(&format!("{name} ")));
    for (name, at) in &table.names {
        let found = match name.rsplit_once(' ') {
            Some((above, sub)) => named(above).and_then(|program| program.sub_command(sub)),
            None => ProgramTable::get().find_program(name),
        };
        let Some(found) = found else {
            // Of another name of the program: its sub-commands stand under the first.
            assert!(name.contains(' '), "{name}");
            continue;
        };
        let entry = &table.entries[*at];
        assert_eq!(format!("{:?}", found.parse_entry()), format!("{:?}", read(entry)), "{name}");
        assert_eq!((found.has_subs(), found.source_file()), (upper(entry.name), entry.field), "{name}");
    }
    let names: Vec<&str> = ProgramTable::get().all_names().collect();
    assert_eq!(names, table.names.keys().map(String::as_str).collect::<Vec<_>>());
    for name in ["", " ", "no-such-program", "gi", "gitt", "~"] {
        assert!(ProgramTable::get().find_program(name).is_none(), "{name:?}");
    }
}

fn named(name: &str) -> Option<&'static ProgramEntry> {
    match name.rsplit_once(' ') {
        Some((above, sub)) => named(above)?.sub_command(sub),
        None => ProgramTable::get().find_program(name),
    }
}

/// An entry as a reader of TOML has it, from what was cut.
fn read(entry: &cut::Entry<'_>) -> TableEntry {
    let mut text = String::new();
    for (key, said) in &entry.said {
        match said {
            cut::Said::Is(is) => text.push_str(&format!("{key} = {is}\n")),
            cut::Said::Text(value) => text.push_str(&format!("{key} = {value:?}\n")),
        }
    }
    toml::from_str(&text).unwrap()
}

/// A slip in a file ends the build: an entry that was left out would be a program that is not known.
#[test]
fn given_a_file_that_says_more_than_can_be_cut_then_that_is_wrong() {
    let wrong = |text: &str| cut::Table::of([("x", text)]).wrong.len();
    assert_eq!(
        wrong("# x\n\n[a]\nalso = \"b c\"\ntells = true\noptions = \"\"\"\n-a\n-b\n\"\"\"\n[\"a x\"]\n"),
        0
    );
    for text in [
        "[a]\nalso = 'b'\n",
        "[a]\nalso = \"b\\t\"\n",
        "[a]\nalso = [\"b\"]\n",
        "[a]\nalso=\"b\"\n",
        "[a]\nalso = \"b\" # x\n",
        "[a]\nalso = \"b\"\nalso = \"c\"\n",
        "[a]\ntells = 1\n",
        "[a]\noptions = \"\"\"\n-a\n",
        "[a]\nalso = \"b\"",
        "tells = true\n",
        "[a]\n[b]\nalso = \"a\"\n",
        "[a]\n[a]\n",
        "[\"a b\"]\n",
    ] {
        assert!(wrong(text) > 0, "{text}");
    }
}
