//! The man pages say what the command line says.
#![allow(clippy::unwrap_used, clippy::panic, reason = "only tests")]

use std::process::Command;

/// Every command has a page, with its options and examples; what people don't start by themselves has none.
#[test]
fn given_the_command_line_then_each_command_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new(env!("CARGO_BIN_EXE_mayi-man")).arg(folder.path()).status().unwrap();
    assert!(made.success());
    let page = |name: &str| {
        let file = folder.path().join(format!("{name}.1"));
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let command = mayi::clap_command();
    let mut seen = 0;
    for one in command.get_subcommands().filter(|one| one.get_name() != "help") {
        let name = format!("mayi-{}", one.get_name());
        if one.is_hide_set() {
            assert!(!folder.path().join(format!("{name}.1")).exists(), "{name}");
            continue;
        }
        let text = page(&name);
        for option in
            one.get_arguments().filter(|option| !option.is_hide_set()).filter_map(|option| option.get_long())
        {
            assert!(text.contains(&option.replace('-', "\\-")), "{name} has nothing about --{option}");
        }
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
    let first = page("mayi");
    assert!(first.contains(env!("CARGO_PKG_VERSION")), "it says which version it is of");
    assert!(page("mayi-mcp-install").contains("mcp install"), "commands below commands have theirs");
}

/// Without a folder nothing is written anywhere.
#[test]
fn given_no_folder_then_it_says_how_it_is_used() {
    let done = Command::new(env!("CARGO_BIN_EXE_mayi-man")).output().unwrap();
    assert!(!done.status.success());
    assert!(String::from_utf8_lossy(&done.stderr).contains("mayi-man FOLDER"));
}
