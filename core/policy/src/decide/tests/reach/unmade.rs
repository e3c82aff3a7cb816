//! Folders that a word names and that are not there when it is judged: another call may make them before the line runs.

use super::*;

/// The lines that are allowed, with such a denial.
fn allowed<'l>(scene: &Scene, denied: &str, lines: &[&'l str]) -> Vec<&'l str> {
    let policy = scene.denying(&[denied]);
    let allows = |line: &&str| loosest(&policy, &scene.shell(line)).effect == Allow;
    lines.iter().copied().filter(allows).collect()
}

/// D2.26: named, whether or not it is there. Attack 850.
#[test]
fn given_a_denied_folder_that_is_not_there_then_a_word_that_names_it_counts() {
    let scene = Scene::new();
    let lines = [
        "grep -r x secrets",
        "grep -d recurse x secrets",
        "rg x secrets/",
        "rg --hidden x secrets",
        "diff -r secrets src",
        "cp -r secrets out/copy",
        "cat src/a.rs; grep -rn x ./secrets",
    ];
    for denied in
        ["read(secrets/**)", "read(./secrets/*.key)", "read(secrets/**/x.pem)", "read(**/secrets/**)"]
    {
        assert_eq!(allowed(&scene, denied, &lines), [""; 0], "{denied}");
    }
    let policy = scene.denying(&["read(secrets/**)"]);
    assert_eq!(loosest(&policy, &scene.shell("grep -r x secrets")).effect, Deny);
    // A folder above it that is not there either.
    assert_eq!(allowed(&scene, "read(conf/prod/keys/**)", &["grep -r x conf", "rg x conf/prod"]), [""; 0]);
    assert_eq!(allowed(&scene, "read(**/secrets/**)", &["grep -r x sub/secrets"]), [""; 0]);
    assert_eq!(allowed(&scene, "write(secrets/**)", &["chmod -R 600 secrets", "rm -r secrets"]), [""; 0]);
}

/// The same of a glob that could give it. Attack 850.
#[test]
fn given_a_denied_folder_that_is_not_there_then_a_glob_that_could_give_it_counts() {
    let scene = Scene::new();
    let lines = [
        "cat */key.txt",
        "head */key.txt",
        "cat */*",
        "cat ./*/key.txt",
        "for f in */key.txt; do cat $f; done",
        "for f in */key.txt; do cat \"$f\"; done",
        "cat */README.md",
    ];
    for denied in ["read(secrets/**)", "read(**/secrets/**)"] {
        assert_eq!(allowed(&scene, denied, &lines), [""; 0], "{denied}");
    }
    assert_eq!(allowed(&scene, "read(conf/prod/**)", &["cat conf/*/x", "cat */prod/x"]), [""; 0]);
}

/// What names no denied place is as quiet as before, and so is what takes whatever a folder holds.
#[test]
fn given_words_that_name_no_denied_folder_then_what_is_not_there_stays_quiet() {
    let scene = Scene::new();
    let lines = [
        "grep -r x src",
        "grep -r x nothing",
        "rg x src/gen nothing",
        "cp -r src nothing",
        "diff -r src sub",
        "ls secrets",
        "ls *",
        "cat *",
        "cat src/*.rs",
        "cat src/*/a.rs",
        "for f in *; do cat \"$f\"; done",
        "find src -name '*.rs' | xargs wc -l",
    ];
    assert_eq!(allowed(&scene, "read(secrets/**)", &lines), lines);
    // Nothing is known of where it lies, but that it is called so.
    let named = ["grep -r x nothing", "cat */a.rs", "cat */*", "cp -r nothing out/x"];
    assert_eq!(allowed(&scene, "read(**/*.pem)", &named), named);
    assert_eq!(allowed(&scene, "read(*.pem)", &named), named);
    // What is allowed is only what is certain.
    let policy = scene.policy(&["shell(grep *)"], &[]);
    assert_eq!(loosest(&policy, &scene.shell("grep -r x secrets")).effect, Allow);
}
