//! `mayi init`: a configuration to start from.
#![allow(clippy::unwrap_used, reason = "only tests")]

#[path = "everyday/machine.rs"]
mod machine;

use machine::Machine;

/// "It shows what it found, what it wrote where, and the next command to try"; the result loads without any
/// notice.
#[test]
fn given_a_project_then_its_languages_come_with_the_template() {
    let machine = Machine::new().file("Cargo.toml", "").file("web/package.json", "{}");
    let done = machine.mayi(["init"]);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
    let err = machine.plain(&done.err);
    assert!(err.contains("found   Rust (Cargo.toml), JavaScript and TypeScript (web/package.json)"), "{err}");
    assert!(err.contains("wrote   /home/.config/mayi/config.toml: everyday, "), "{err}");
    assert!(err.contains("mayi check shell 'cargo test'"), "{err}");
    let text = machine.user_text();
    assert!(text.starts_with("#:schema ./mayi.schema.json\n"), "{text}");
    assert!(text.contains("shell(cargo test *)") && !text.contains("(go build"), "{text}");
    assert!(machine.home().join(".config/mayi/mayi.schema.json").exists());
    let done = machine.mayi(["config", "check"]);
    let lines: Vec<&str> = done.err.lines().filter(|line| !line.ends_with("not there")).collect();
    assert_eq!((done.code, lines.as_slice()), (0, [""; 0].as_slice()));
}

#[test]
fn given_a_file_that_is_there_then_it_is_written_over_only_by_force_and_kept() {
    let machine = Machine::new().user("mode = \"plan\"\n");
    let done = machine.mayi(["init"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("is there already, and nothing was written"), "{}", done.err);
    assert_eq!(machine.user_text(), "mode = \"plan\"\n");
    assert_eq!(machine.mayi(["init", "--force"]).code, 0);
    assert!(machine.user_text().contains("everyday work"));
    let kept = machine.user_file().with_file_name("config.toml.bak");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "mode = \"plan\"\n");
}

#[test]
fn given_each_template_then_it_is_printed_and_read_without_a_word() {
    for template in ["everyday", "careful", "trusting", "read-only", "ci"] {
        let machine = Machine::new();
        let done = machine.mayi(["init", "--template", template, "--print", "-q"]);
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{template}");
        assert!(!machine.user_file().exists());
        let machine = machine.user(&done.out);
        let done = machine.mayi(["config", "show", "--json"]);
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{template}");
        assert!(!done.out.contains("\"type\":\"notice\""), "{template}");
    }
}

/// A link that a repository brings along is not written through.
/// Attack 82.
#[cfg(unix)]
#[test]
fn given_a_workspace_then_its_file_is_written_and_no_link_is_followed() {
    let machine = Machine::new().file("go.mod", "");
    let done = machine.mayi(["init", "--workspace"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("next    mayi trust"), "{}", done.err);
    let file = machine.work().join(".mayi.toml");
    assert!(std::fs::read_to_string(&file).unwrap().contains("shell(go test *)"));
    assert!(!machine.user_file().exists());
    let target = machine.home().join("precious");
    std::fs::write(&target, "precious").unwrap();
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&target, &file).unwrap();
    assert_eq!(machine.mayi(["init", "--workspace"]).code, 2);
    assert_eq!(machine.mayi(["init", "--workspace", "--force"]).code, 0);
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "precious");
    assert!(!file.is_symlink());
}

#[test]
fn given_a_file_of_the_persons_choice_then_that_is_written() {
    let machine = Machine::new();
    let done = machine.mayi(["init", "--config", "policy.toml", "--template", "careful"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(machine.work().join("policy.toml")).unwrap();
    assert!(text.starts_with("# mayi, for careful work"), "{text}");
    assert_eq!(machine.mayi(["--config", "policy.toml", "config", "check"]).code, 0);
}
