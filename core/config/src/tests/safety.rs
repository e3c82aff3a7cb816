//! "Configuration files must belong to the user (or root) and not be writable by others."
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use super::Machine;
use crate::load;

fn mode(machine: &Machine, mode: u32) {
    std::fs::set_permissions(machine.user_file(), std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Attack 28.
#[test]
fn given_a_file_that_others_can_write_then_it_is_refused_with_the_remedy() {
    let machine = Machine::new().user("mode = \"auto\"\n");
    for fine in [0o600, 0o644, 0o400, 0o755] {
        mode(&machine, fine);
        assert!(load(&machine.sources).is_ok(), "{fine:o}");
    }
    for bad in [0o666, 0o602, 0o622] {
        mode(&machine, bad);
        assert!(load(&machine.sources).is_err(), "{bad:o}");
    }
    insta::assert_snapshot!(machine.mistakes(), @"/home/.config/mayi/config.toml: can be written by other users, who could change what is allowed (look at what it says, then: chmod go-w /home/.config/mayi/config.toml)");
}

/// Attack 28.
#[test]
fn given_a_file_of_somebody_else_then_it_is_refused() {
    let machine = Machine::new().user("mode = \"auto\"\n");
    // Only root can give a file away.
    if std::os::unix::fs::chown(machine.user_file(), Some(12345), None).is_ok() {
        insta::assert_snapshot!(machine.mistakes(), @"/home/.config/mayi/config.toml: belongs to another user (uid 12345), who could change what is allowed (look at what it says, then: sudo chown 0 /home/.config/mayi/config.toml)");
    }
}

/// Attack 27.
#[test]
fn given_something_that_is_no_small_text_file_then_it_is_refused() {
    // 100,000 rules are the user's to have; a repository's file is kept smaller.
    let rules: String = (0..100_000).map(|n| format!("    \"shell(tool-{n} *)\",\n")).collect();
    let machine = Machine::new().user(&format!("[rules]\nallow = [\n{rules}]\n"));
    machine.load();
    let machine = Machine::new().workspace(&format!("# {}\n", "x".repeat(1 << 20)));
    assert!(machine.notices().contains(".mayi.toml: is larger than 1 MiB"), "{}", machine.notices());
    let machine = Machine::new().user(&format!("# {}\n", "x".repeat(16 << 20)));
    insta::assert_snapshot!(machine.mistakes(), @"/home/.config/mayi/config.toml: is larger than 16 MiB (a configuration is not that long)");
    std::fs::write(machine.user_file(), [0xff, 0xfe]).unwrap();
    insta::assert_snapshot!(machine.mistakes(), @"/home/.config/mayi/config.toml: is not UTF-8 text (save it as UTF-8)");
    std::fs::remove_file(machine.user_file()).unwrap();
    std::fs::create_dir(machine.user_file()).unwrap();
    insta::assert_snapshot!(machine.mistakes(), @"/home/.config/mayi/config.toml: is not a file (put a TOML file there, or remove it)");
}

/// A pipe in the place of a file never makes mayi wait; for a workspace file it means: ask. Attack 27.
#[test]
fn given_a_pipe_then_nobody_waits_for_it() {
    let machine = Machine::new();
    let path = machine.sources.workspace.as_deref().unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert!(machine.load().policy.ask_all.is_some());
}

#[test]
fn given_a_workspace_file_that_others_can_write_then_it_still_only_tightens() {
    let machine = Machine::new().workspace("mode = \"plan\"\n");
    let path = machine.sources.workspace.as_deref().unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(machine.load().policy.mode, mayi_policy::Mode::Plan);
}
