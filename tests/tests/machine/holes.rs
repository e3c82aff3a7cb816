//! Holes that were mended, each as a patch that takes its mending out again: the machine has to find what comes back.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of `tests/holes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    pub(crate) name: String,
    /// Findings in lines with one of these constructs are of this hole.
    pub(crate) constructs: Vec<String>,
    /// Nothing is taken out: the hole is there, and has still to be mended.
    pub(crate) open: bool,
}

/// All holes, by name.
pub(crate) fn holes() -> Vec<Hole> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("holes");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "patch"));
    files.sort();
    let read = |file: &PathBuf| {
        hole(&file.file_stem().unwrap().to_string_lossy(), &std::fs::read_to_string(file).unwrap())
    };
    files.iter().map(read).collect()
}

fn hole(name: &str, text: &str) -> Hole {
    let (head, diff) =
        text.split_once("\ndiff --git ").map_or((text, None), |(head, diff)| (head, Some(diff)));
    let listed = head.lines().filter_map(|line| line.strip_prefix("construct: "));
    Hole {
        name: name.to_owned(),
        constructs: listed.map(|construct| construct.trim().to_owned()).collect(),
        open: diff.is_none(),
    }
}

#[test]
fn given_a_patch_then_its_head_says_what_is_looked_for() {
    let open = hole("u1", "What it is.\n\nconstruct: a b\nconstruct: c\n");
    assert_eq!(
        open,
        Hole { name: "u1".to_owned(), constructs: vec!["a b".to_owned(), "c".to_owned()], open: true }
    );
    assert!(!hole("u1", "construct: a\n\ndiff --git a/x b/x\n").open);
}

/// Attack 261.
#[test]
fn given_the_holes_then_each_names_constructs_that_there_are() {
    let names = super::grammar::Grammar::new(0).names();
    for hole in holes() {
        assert!(!hole.constructs.is_empty(), "{}: names no construct", hole.name);
        for construct in &hole.constructs {
            assert!(
                names.contains(&construct.as_str()),
                "{}: there is no construct {construct:?}",
                hole.name
            );
        }
    }
}

/// A mending that was changed takes its hole's patch with it.
#[test]
fn given_the_holes_then_each_patch_applies_to_the_code_as_it_is() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for hole in holes().into_iter().filter(|hole| !hole.open) {
        let patch = top.join(format!("tests/holes/{}.patch", hole.name));
        let tried = Command::new("git").args(["apply", "--check"]).arg(&patch).current_dir(top).output();
        let tried = tried.expect("git is missing: tests/run installs it");
        assert!(tried.status.success(), "{}: {}", hole.name, String::from_utf8_lossy(&tried.stderr));
    }
}
