//! What git finds by its index: names of files in folders that are links by now.

use super::*;

fn git(scene: &Scene, words: &[&str]) {
    let mut command = std::process::Command::new("git");
    let done = command.args(words).current_dir(&scene.root).env("HOME", &scene.home).output().unwrap();
    assert!(done.status.success(), "{words:?} {}", String::from_utf8_lossy(&done.stderr));
}

/// As an archive with a repository in it may bring it along: the index names files in `d`, which is a link.
fn scene(version: &str, target: Option<&str>) -> Scene {
    let scene = Scene::new();
    for folder in ["d/deep", "sub/e"] {
        std::fs::create_dir_all(scene.root.join(folder)).unwrap();
        std::fs::write(scene.root.join(folder).join("f"), "x").unwrap();
    }
    git(&scene, &["init", "-q"]);
    git(&scene, &["add", "d", "sub", "src"]);
    match version {
        "split" => git(&scene, &["update-index", "--split-index"]),
        version => git(&scene, &["update-index", "--index-version", version]),
    }
    if let Some(target) = target {
        std::fs::remove_dir_all(scene.root.join("d")).unwrap();
        std::fs::remove_dir_all(scene.root.join("sub/e")).unwrap();
        scene.link(target, "d");
        scene.link(target, "sub/e");
    }
    scene
}

const SEARCH: &[&str] = &[
    "git grep KEY",
    "git grep -n KEY",
    "git grep -I -e KEY",
    "git grep KEY -- d",
    "git grep KEY -- 'd/*'",
    "git --no-pager grep KEY",
    "git -C src grep KEY -- ..",
    "cd src && git grep KEY -- ..",
    "timeout 9 git grep KEY",
];

/// Where the folder leads counts as read, whatever form the index has. Attack 85.
#[test]
fn given_a_folder_that_became_a_link_then_a_search_by_the_index_goes_through_it() {
    let (mut found, mut count) = (Vec::new(), 0);
    for version in ["2", "3", "4", "split"] {
        for target in ["../.ssh", "src/gen"] {
            let scene = scene(version, Some(if target == "src/gen" { "../src/gen" } else { target }));
            let target = scene.home.join(if target == "src/gen" { "w/src/gen" } else { ".ssh" });
            let _ = std::fs::remove_file(scene.root.join("d"));
            scene.link(&target, "d");
            let policy = scene.denying(&["read(~/.ssh/**)", "read(src/gen/**)"]);
            let lines: Vec<String> = SEARCH.iter().map(|line| (*line).to_owned()).collect();
            count += lines.len();
            found.extend(wrong(&scene, &policy, lines, |decision| decision.effect != Allow));
        }
    }
    held(&found, count, 70);
}

/// Without such a link, and without an index, it is as quiet as before; what is not understood, as a split index, could name any
/// folder. Attack 85.
#[test]
fn given_folders_that_are_none_then_a_search_by_the_index_is_as_quiet_as_before() {
    for version in ["2", "3", "4"] {
        let scene = scene(version, None);
        // A link that the index does not lead through.
        scene.link("../.ssh", "other");
        let policy = scene.denying(&["read(~/.ssh/**)", "read(/srv/**)"]);
        // What stands behind `git -C` counts from both folders.
        let lines = SEARCH.iter().filter(|line| !line.contains("-C")).map(|line| (*line).to_owned());
        held(&wrong(&scene, &policy, lines, |decision| decision.effect == Allow), SEARCH.len() - 1, 8);
    }
    let scene = Scene::new();
    scene.repository();
    let policy = scene.denying(&["read(~/.ssh/**)"]);
    assert_eq!(loosest(&policy, &scene.shell("git grep KEY")).effect, Allow);
}
