//! What is denied whatever is allowed: catastrophes, and commands that answer for the person.

use super::*;

/// D4.6: catastrophic commands (`rm -rf /` and its spellings ...). Attack 41.
#[test]
fn given_spellings_of_a_catastrophe_then_each_is_denied_and_plain_ones_are_not() {
    let all = policy(&[(Allow, "shell(*)")]);
    for line in [
        "rm -rf /",
        "rm -Rf /",
        "rm -rfv /",
        "rm -r --force /",
        "rm -rf -- /",
        "rm -rf x /",
        "/bin/rm -rf /*",
        "rm -rf ~",
        "rm -rf ~/",
        "sudo rm -rf /",
        "rm -rf '/'",
        "rm -rf //",
        "rm -rf /.",
        "rm -rf --no-preserve-root /x",
        "mkfs.ext4 /dev/sda",
        "dd if=x of=/dev/sda",
        "cd x && rm -rf /",
        "rm -rf /; ls",
    ] {
        assert_eq!(in_mode(&all, &shell(line), Mode::Auto).effect, Deny, "{line}");
    }
    for line in ["rm -rf target", "rm -rf /w/target", "rm -rf ./x", "rm x; ls /", "git rm -r old", "ls /"] {
        assert_ne!(in_mode(&all, &shell(line), Mode::Auto).effect, Deny, "{line}");
    }
}

/// Attack 2: "the agent runs `mayi inbox approve`, `mayi bypass x on`, `mayi trust`: denied", also
/// with options before the command, by a path, or behind a wrapper. Attack 40.
#[test]
fn given_a_command_that_answers_for_the_person_then_it_is_denied_however_it_is_written() {
    let all = policy(&[(Allow, "shell(*)")]);
    for line in [
        "mayi bypass a on --yes",
        "mayi -q bypass a on --yes",
        "mayi --cwd / trust",
        "mayi --config=x config show",
        "env mayi bypass a on",
        "/usr/bin/mayi grants revoke 1",
        "sh -c 'mayi bypass a on'",
        "make && mayi trust",
        "mayi log suggest --apply --yes",
    ] {
        assert_eq!(in_mode(&all, &shell(line), Mode::Auto).effect, Deny, "{line}");
    }
    assert_eq!(effect(&all, &shell("mayi agents")), Allow);
    assert_eq!(effect(&all, &shell("mayi log suggest --json")), Allow);
}
