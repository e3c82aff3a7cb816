//! What git takes into its store though no word names it.

use super::*;

/// Lines that take in everything below the top.
const TAKE: &[&str] = &[
    "git add .",
    "git add -A",
    "git add --all",
    "git add -- .",
    "git add ./",
    "git add ':!a.txt'",
    "git add :/",
    "git add -A && git diff --cached",
    "git init -q; git add -A; git diff --cached",
    "git stash -u",
    "git stash push --include-untracked",
    "git add \"$PWD\"",
    "git add src ../w",
    "git add '*'",
    "git add '.e*'",
    "git add '*.rs' '?env'",
    "timeout 5 git add .",
    "bash -c 'git add .'",
    "cd src && git add ..",
];

fn effects(scene: &Scene, lines: &[&str], right: Effect) -> Vec<String> {
    let policy = scene.denying(&["read(.env)"]);
    wrong(scene, &policy, lines.iter().map(|line| (*line).to_owned()), |decision| decision.effect == right)
}

fn git(scene: &Scene, words: &[&str]) {
    let mut command = std::process::Command::new("git");
    let done = command.args(words).current_dir(&scene.root).env("HOME", &scene.home).output().unwrap();
    assert!(done.status.success(), "{words:?} {}", String::from_utf8_lossy(&done.stderr));
}

/// A denied file that is there, not tracked and not ignored is taken in. Attack 284.
#[test]
fn given_a_denied_file_that_git_would_take_in_then_it_is_denied() {
    let scene = Scene::new();
    scene.repository();
    let mut found = effects(&scene, TAKE, Deny);
    // Patterns that leave out something else, or are not understood, leave it in.
    for ignore in [".envrc\n", "/src/.env\n", ".env\n!.env\n", ".env/\n", "# .env\n", "*.rs\n"] {
        std::fs::write(scene.root.join(".gitignore"), ignore).unwrap();
        found.extend(effects(&scene, TAKE, Deny));
    }
    std::fs::write(scene.root.join(".gitignore"), ".env\n").unwrap();
    found.extend(effects(
        &scene,
        &["git add -f .", "git add --force -A", "git stash -a", "git stash --all"],
        Deny,
    ));
    held(&found, TAKE.len() * 7 + 4, 80);
}

/// Where it is ignored, or not there, everyday lines are as quiet as ever. Attack 284.
#[test]
fn given_a_denied_file_that_is_ignored_or_not_there_then_adding_everything_is_allowed() {
    let scene = Scene::new();
    scene.repository();
    let mut found = Vec::new();
    for ignore in
        [".env\n", "/.env\n", ".env*\n", "*.env\n", "**/.env\n", "*\n!src\n", ".env  \n", "!.env\n.e*v\n"]
    {
        std::fs::write(scene.root.join(".gitignore"), ignore).unwrap();
        let lines = ["git add .", "git add -A", "git add --all", "git add ./", "git add -u", "git add :/"];
        found.extend(effects(&scene, &lines, Allow));
    }
    std::fs::remove_file(scene.root.join(".gitignore")).unwrap();
    let elsewhere = [
        "git add src",
        "git add -A src",
        "git add -u",
        "git commit -am x",
        "git add -n .",
        "git add src/a.rs",
        "git add '*.rs'",
    ];
    found.extend(effects(&scene, &elsewhere, Allow));
    std::fs::create_dir_all(scene.root.join(".git/info")).unwrap();
    std::fs::write(scene.root.join(".git/info/exclude"), ".env\n").unwrap();
    found.extend(effects(&scene, &["git add .", "git add -A"], Allow));
    std::fs::remove_file(scene.root.join(".env")).unwrap();
    std::fs::remove_file(scene.root.join(".git/info/exclude")).unwrap();
    found.extend(effects(&scene, &["git add .", "git add -A", "git commit -am 'touch .env'"], Allow));
    held(&found, 60, 50);
}

/// A tracked file is taken in once it has changed. Attack 284.
#[test]
fn given_a_denied_file_that_is_tracked_then_it_counts_once_it_has_changed() {
    let scene = Scene::new();
    git(&scene, &["init", "-q"]);
    git(&scene, &["add", "-f", ".env", "src"]);
    let lines = ["git add .", "git add -A", "git add -u", "git commit -am x", "git commit --all -m x"];
    let mut found = effects(&scene, &lines, Allow);
    std::fs::write(scene.root.join(".env"), "ANOTHER").unwrap();
    found.extend(effects(&scene, &lines, Deny));
    found.extend(effects(&scene, &["git stash -u", "git stash -a"], Deny));
    held(&found, 12, 12);
}

/// More files than are looked at: it may be among them. Attack 284.
#[test]
fn given_more_files_than_are_looked_at_then_it_is_asked_about() {
    let scene = Scene::new();
    scene.repository();
    std::fs::remove_file(scene.root.join(".env")).unwrap();
    for number in 0..2_100 {
        std::fs::write(scene.root.join(format!("sub/{number}")), "").unwrap();
    }
    held(&effects(&scene, &["git add .", "git add -A"], Ask), 2, 2);
    let free = scene.denying(&[]);
    assert_eq!(loosest(&free, &scene.shell("git add .")).effect, Allow);
}
