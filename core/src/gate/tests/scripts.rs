//! Answers about scripts in the session's folders: they count for what these hold.

use std::fs;

use super::memory::{Kept, remembering};
use super::*;

struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for name in ["run.sh", "tool.py", "x.js", "data.json"] {
            project.write(name, "echo good");
        }
        project
    }

    fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.root().join(name), text).unwrap();
    }

    fn run(&self, line: &str) -> Call {
        let roots = vec![self.root()];
        let accesses = shell::line_accesses(line, &Surroundings::new(&roots[0], &roots));
        Call { accesses, cwd: self.root(), roots, ..run("1", "x") }
    }

    fn is_asked(&self, gate: &Gate, line: &str) -> bool {
        gate.submit(self.run(line), &[]).approval_id().is_some()
    }

    fn allow(&self, gate: &Gate, line: &str) {
        let ticket = gate.submit(self.run(line), &[]);
        answer(gate, &ticket, choice::ALLOW_SESSION).unwrap();
    }
}

/// Attack 118: "a grant on a workspace script binds its content" (D6.12).
#[tokio::test]
async fn given_a_script_that_changes_after_it_was_allowed_then_it_is_asked_about_again() {
    for (line, script) in [
        ("./run.sh", "run.sh"),
        ("bash run.sh", "run.sh"),
        ("sh -x ./run.sh arg", "run.sh"),
        ("bash -o pipefail run.sh", "run.sh"),
        ("timeout 60 bash run.sh", "run.sh"),
        ("bash < run.sh", "run.sh"),
        ("cat run.sh | bash", "run.sh"),
        ("source run.sh", "run.sh"),
        ("python3 tool.py", "tool.py"),
        ("python3.11 -u tool.py", "tool.py"),
        ("node x.js", "x.js"),
        ("deno run x.js", "x.js"),
        ("cd . && ./run.sh", "run.sh"),
    ] {
        let (gate, project) = (gate(), Project::new());
        project.allow(&gate, line);
        assert!(!project.is_asked(&gate, line), "{line}: nothing changed");
        project.write(script, "echo bad");
        assert!(project.is_asked(&gate, line), "{line}");
        project.write(script, "echo good");
        assert!(!project.is_asked(&gate, line), "{line}: as it was");
    }
}

/// The same: what a script works on is no script.
#[tokio::test]
async fn given_data_that_changes_then_the_answer_still_counts() {
    let (gate, project) = (gate(), Project::new());
    project.allow(&gate, "python3 tool.py data.json");
    project.write("data.json", "{}");
    assert!(!project.is_asked(&gate, "python3 tool.py data.json"));
}

/// The same, for a script that another one takes the place of, or that the line itself writes. Attack 118.
#[cfg(unix)]
#[tokio::test]
async fn given_another_script_in_its_place_then_it_is_asked_about() {
    let (gate, project) = (gate(), Project::new());
    let link = project.root().join("l.sh");
    std::os::unix::fs::symlink("run.sh", &link).unwrap();
    project.allow(&gate, "./l.sh");
    assert!(!project.is_asked(&gate, "./l.sh"));
    project.write("other.sh", "echo bad");
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("other.sh", &link).unwrap();
    assert!(project.is_asked(&gate, "./l.sh"));

    project.allow(&gate, "./run.sh");
    project.allow(&gate, "echo bad > run.sh");
    assert!(!project.is_asked(&gate, "echo bad > run.sh"));
    assert!(project.is_asked(&gate, "echo bad > run.sh; ./run.sh"));
}

/// The same, for a script that another command of the line may change, or put another file in the place of: what was allowed
/// is what it held. What runs before, only reads, or changes something else, changes nothing. Attack 118.
#[tokio::test]
async fn given_a_line_that_changes_a_script_otherwise_then_it_is_asked_about() {
    for (first, asks) in [
        ("cp other.sh run.sh", true),
        ("cp other.sh .", true),
        ("mv other.sh run.sh", true),
        ("ln -sf other.sh run.sh", true),
        ("install other.sh run.sh", true),
        ("sed -i s/good/bad/ run.sh", true),
        ("patch -p1 -i x.diff", true),
        ("tar xf x.tar", true),
        ("unzip -o x.zip", true),
        ("git checkout other", true),
        ("git pull", true),
        ("git stash pop", true),
        ("rsync other.sh run.sh", true),
        ("mv lib other", false),
        ("cp run.sh other.sh", false),
        ("sed -i s/good/bad/ data.json", false),
        ("chmod +x run.sh", false),
        ("cat run.sh", false),
        ("git add run.sh", false),
        ("make", false),
    ] {
        let (gate, project) = (gate(), Project::new());
        project.write("other.sh", "echo bad");
        fs::create_dir(project.root().join("lib")).unwrap();
        project.allow(&gate, "bash run.sh");
        if project.is_asked(&gate, first) {
            project.allow(&gate, first);
        }
        assert_eq!(project.is_asked(&gate, &format!("{first} && bash run.sh")), asks, "{first}");
    }
}

/// The same: what another command may change after it ran changes nothing, where the line tells the order.
#[tokio::test]
async fn given_a_line_that_changes_files_after_it_ran_a_script_then_the_answer_counts() {
    let (gate, project) = (gate(), Project::new());
    project.allow(&gate, "bash run.sh");
    project.allow(&gate, "git checkout other");
    assert!(!project.is_asked(&gate, "bash run.sh && git checkout other"));
    assert!(project.is_asked(&gate, "for x in 1 2; do bash run.sh && git checkout other; done"));
}

/// The same, for a script that is there only later, and one that is too long to look into.
#[tokio::test]
async fn given_a_script_that_could_not_be_looked_into_then_it_is_asked_about_each_time() {
    let (gate, project) = (gate(), Project::new());
    project.allow(&gate, "./later.sh");
    project.write("later.sh", "echo bad");
    assert!(project.is_asked(&gate, "./later.sh"));
    project.write("long.sh", &"#".repeat(1024 * 1024 + 1));
    project.allow(&gate, "./long.sh");
    assert!(project.is_asked(&gate, "./long.sh"));
}

/// The same, for a wider pattern: it is about the script that was there to be looked at.
#[tokio::test]
async fn given_a_wider_pattern_then_another_script_is_asked_about() {
    let (gate, project) = (gate(), Project::new());
    let asked = gate.submit(project.run("bash run.sh"), &[]);
    let remember = Remember::of_patterns(RememberScope::Session, vec!["shell(bash *)".into()]);
    gate.answer(remembering(&gate, &asked, choice::ALLOW_ALWAYS, remember), "test").unwrap();
    assert!(!project.is_asked(&gate, "bash run.sh again"));
    project.write("other.sh", "echo bad");
    assert!(project.is_asked(&gate, "bash other.sh"));
}

/// The same, for an answer that outlives the process. Attack 118.
#[tokio::test]
async fn given_a_grant_for_the_workspace_then_later_processes_know_what_the_script_held() {
    let (kept, project) = (Kept::new(), Project::new());
    let first = kept.gate();
    let asked = first.submit(project.run("bash run.sh"), &[]);
    let remember = Remember::of_patterns(RememberScope::Workspace, vec!["shell(bash run.sh)".into()]);
    first.answer(remembering(&first, &asked, choice::ALLOW_ALWAYS, remember), "test").unwrap();
    drop(first);
    let second = kept.gate();
    assert!(!project.is_asked(&second, "bash run.sh"));
    project.write("run.sh", "echo bad");
    assert!(project.is_asked(&second, "bash run.sh"));
}

/// D6.12: a grant binds content; a rule that the user wrote is about the words alone.
#[tokio::test]
async fn given_a_rule_of_the_user_then_the_script_may_change() {
    let (gate, project) = (gate(), Project::new());
    let rule = |text: &str| Rule {
        effect: Effect::Allow,
        pattern: Pattern::parse(text, &PatternBases::default()).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: Origin { file: None, line: None, layer: "user" },
    };
    gate.replace_policy(Policy { rules: vec![rule("shell(./run.sh)")].into(), ..Policy::default() });
    assert!(!project.is_asked(&gate, "./run.sh"));
    project.write("run.sh", "echo other");
    assert!(!project.is_asked(&gate, "./run.sh"));
}

/// D6.2: The answer echoes the digest that was rendered; if the call has changed since, the
/// answer is refused.
#[test]
fn given_another_script_then_the_call_has_another_digest() {
    let project = Project::new();
    let before = project.run("bash run.sh");
    assert_eq!(before.digest(1), project.run("bash run.sh").digest(1));
    project.write("run.sh", "echo bad");
    assert_ne!(before.digest(1), project.run("bash run.sh").digest(1));
}
