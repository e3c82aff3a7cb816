//! What a command did that ran because it was confined is taken back by `mayi undo`.

use std::fs::{self, File};
use std::path::Path;

use super::place::{Project, Who};

/// A project in which nobody speaks of `try.py`, which changes, deletes and creates.
fn project(who: Who) -> Project {
    let project = Project::new(who);
    let config = "[sandbox]\nallow_confined = true\n";
    project.machine.configuration("config/mayi/config.toml", config);
    let code = "import os; open('notes', 'w').write('other'); os.remove('src/lib.rs'); open('new', 'w')";
    fs::write(project.machine.work().join("try.py"), code).unwrap();
    fs::write(project.machine.work().join("notes"), "mine").unwrap();
    project
}

fn run(project: &Project) -> (Option<i32>, String) {
    let output = project.mayi(&["exec", "--", "/usr/bin/python3", "try.py"]).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn has_full(project: &Project) -> bool {
    project.tiers().first() == Some(&"full")
}

fn text(project: &Project, name: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(project.machine.work().join(name)).ok()
}

/// S1.33: what it changed and deleted is there again, what it created only goes if that is said.
#[test]
fn given_a_command_that_ran_because_it_was_confined_then_what_it_did_is_undone() {
    for project in Who::all().iter().map(|who| project(*who)).filter(has_full) {
        let (code, told) = run(&project);
        assert_eq!(code, Some(0), "{told}");
        assert_eq!((text(&project, "notes").as_deref(), text(&project, "src/lib.rs")), (Some("other"), None));
        let undo = |words: &[&str]| {
            let output = project.mayi(&[&["undo", "--yes"], words].concat()).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let shown = undo(&[]);
        assert!(shown.contains("changed  notes") && shown.contains("deleted  src/lib.rs"), "{shown}");
        assert_eq!(text(&project, "notes").as_deref(), Some("mine"));
        assert_eq!(text(&project, "src/lib.rs").as_deref(), Some("// code\n"));
        assert_eq!(text(&project, "new").as_deref(), Some(""), "what it created stays");
        // It is the person's alone (D4.7).
        let asked = project.mayi(&["check", "shell", "mayi undo --yes"]).output().unwrap();
        assert_eq!(asked.status.code(), Some(5), "{}", String::from_utf8_lossy(&asked.stdout));
    }
}

/// S1.33: "where the bound is passed, it is asked about".
#[test]
fn given_more_than_can_be_kept_then_it_is_asked_about() {
    let project = project(Who::Myself);
    if !has_full(&project) {
        return;
    }
    File::create(project.machine.work().join("large")).unwrap().set_len(2 << 30).unwrap();
    let (code, told) = run(&project);
    assert_eq!(code, Some(6), "nobody is there to be asked: {told}");
    assert!(told.contains("can't be kept"), "{told}");
    assert_eq!(text(&project, "notes").as_deref(), Some("mine"));
}
