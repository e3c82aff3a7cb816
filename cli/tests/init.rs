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
    assert!(err.contains("rules   Builds, tests and edits in the project run; "), "{err}");
    assert!(err.contains("mayi check shell 'cargo test'"), "{err}");
    let text = machine.user_text();
    assert!(text.starts_with("#:schema ./mayi.schema.json\n"), "{text}");
    assert!(text.contains("shell(cargo test *)") && !text.contains("(go build"), "{text}");
    assert!(machine.home().join(".config/mayi/mayi.schema.json").exists());
    let done = machine.mayi(["config", "check"]);
    let lines: Vec<&str> = done.err.lines().filter(|line| !line.ends_with("not there")).collect();
    assert_eq!((done.code, lines.as_slice()), (0, [""; 0].as_slice()));
}

/// Tasks that the folder's own files name run there, those that leave the project are left to the person, and the cases
/// that are written along hold for the real program. Attack 340.
#[test]
fn given_files_that_name_tasks_then_usual_ones_are_allowed_here_and_cases_come_along() {
    let machine = Machine::new()
        .file("justfile", "test-unit:\n    x\ndeploy:\n    x\n")
        .file(
            "package.json",
            "{\"scripts\":{\"typecheck:all\":\"x\",\"lint * --x\":\"x\",\"publish\":\"x\"}}",
        )
        .file("Cargo.toml", "[package]\nname = \"app\"\n")
        .file("src/main.rs", "")
        .file("go.mod", "");
    let done = machine.mayi(["init"]);
    let err = machine.plain(&done.err);
    assert_eq!(done.code, 0, "{err}");
    let tasks = "tasks   justfile (1 allowed, 1 left to you), package.json (1 allowed, 2 left to you), Cargo.toml (1 allowed)";
    assert!(err.contains(tasks), "{err}");
    assert!(
        err.contains("wrote   /home/.config/mayi/mayi.test.toml: what the rules are to do, as cases"),
        "{err}"
    );
    let effect = |line: &str| machine.mayi(["check", "shell", line]).code;
    for line in ["just test-unit", "npm run typecheck:all", "./target/debug/app --help", "gofmt -w ."] {
        assert_eq!(effect(line), 0, "{line}");
    }
    for line in [
        "just deploy",
        "just test-unit deploy",
        "npm run publish",
        "npm run lint --script-shell ./x",
        "./target/debug/other",
        "cd .. && just test-unit",
        "rm -rf .",
        "npm ci",
        "pip install -r requirements.txt",
    ] {
        assert_ne!(effect(line), 0, "{line}");
    }
    // What shows the environment, or what was typed before, may show secrets: asked about, whatever was found.
    for line in [
        "env",
        "env | sort",
        "printenv",
        "printenv GITHUB_TOKEN",
        "export -p",
        "declare -p",
        "set",
        "history",
        "history 20",
        "git config --list",
        "git config -l",
        "git config --global --list",
    ] {
        assert_eq!(effect(line), 6, "{line}");
    }
    let done = machine.mayi(["test"]);
    assert_eq!((done.code, done.out.as_str()), (0, "8 passed\n"), "{}", done.err);
    // Once more: cases that a person may have changed stay, unless it is forced.
    let cases = machine.home().join(".config/mayi/mayi.test.toml");
    std::fs::remove_file(machine.user_file()).unwrap();
    std::fs::write(&cases, "# mine\n").unwrap();
    assert!(machine.mayi(["init"]).err.contains("its cases are as they were"));
    assert_eq!(std::fs::read_to_string(&cases).unwrap(), "# mine\n");
    assert_eq!(machine.mayi(["init", "--force"]).code, 0);
    assert_eq!(std::fs::read_to_string(cases.with_file_name("mayi.test.toml.bak")).unwrap(), "# mine\n");
    // The rules are of that folder alone.
    let other = machine.home().join("other");
    std::fs::create_dir(&other).unwrap();
    let there = machine.command(["check", "shell", "just test-unit"]).current_dir(&other).output().unwrap();
    assert_eq!(there.status.code(), Some(6));
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
