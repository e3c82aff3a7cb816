//! Options that a program finds where they do not seem to be: behind a number, behind an operand, in a file of the folder.

use super::*;

/// In plan mode, where a reader is all that runs.
fn in_plan(policy: &Policy, scene: &Scene, line: &str) -> Effect {
    let standing =
        SessionStanding { mode: Mode::Plan, bypass: false, grants: &Grants::default(), servers: passed() };
    decide(policy, &scene.shell(line), &standing).effect
}

/// The lines of which plan mode does not say `effect`.
fn otherwise<'l>(policy: &Policy, scene: &Scene, lines: &[&'l str], effect: Effect) -> Vec<&'l str> {
    let is = |line: &&&str| (in_plan(policy, scene, line) == Allow) != (effect == Allow);
    lines.iter().filter(is).copied().collect()
}

/// What is read only as a number ends at its last digit. Attack 594.
#[test]
fn given_letters_behind_a_number_then_they_are_options() {
    let scene = Scene::new();
    let policy = scene.denying(&["read(.env)"]);
    let lines = [
        "zstd -dc -T1o .git/hooks/pre-commit a.zst",
        "unzstd -c -T1fo .env a.zst",
        "zstd -c -T1fo b.txt a.txt",
        "zstd -dcT1fo b a.zst",
        "zstd -dc -vT2o x2 a.zst",
        "zstd -l -Tz f",
        "zstd -l -T0z f",
        "zstd -t -T0z f",
        "zstd -l -T1d a.zst",
        "unzstd -t -T0d a.zst",
        "zstd -dc -M1o x a.zst",
        "zstd -dc -B1o x a.zst",
        "zstd -dc -1o x a.zst",
        "zstd -dc -T1 -o x a.zst",
        "zstd -dc -To x a.zst",
        "ls -a | ack -A1x KEY",
        "ls -a | ack -B1x KEY",
        "ls -a | ack -C1x KEY",
        "ls | ack -A3x .",
        "ls | ack -x KEY",
        "shasum -a256c list.txt",
        "shasum -a1c list.txt",
        "shasum -ba256c list.txt",
        "shasum -a 256 -c list.txt",
    ];
    let bad = otherwise(&policy, &scene, &lines, Ask);
    assert!(bad.is_empty(), "{bad:#?}");
    let harmless = [
        "zstd -dc a.zst",
        "zstd -dcT1 a.zst",
        "zstd -dc -T0 a.zst",
        "zstdcat a.zst",
        "zstd -l a.zst",
        "zstd -t -v a.zst",
        "ack -A1 KEY src",
        "ack -A 1 -i KEY src",
        "ack KEY src",
        "shasum -a256 src/a.rs",
        "shasum -a 256 src/a.rs",
        "tree -L2 src",
    ];
    let bad = otherwise(&scene.denying(&["read(secrets/**)"]), &scene, &harmless, Allow);
    assert!(bad.is_empty(), "{bad:#?}");
}

/// D2.30: a file of the folder that holds options speaks for the program. Attack 595.
#[test]
fn given_a_file_of_options_then_who_obeys_it_is_no_reader() {
    let lines = ["ack alpha src", "ls | ack x", "ack -l alpha src", "cd src && ack alpha a.rs"];
    let scene = Scene::new();
    let policy = scene.denying(&["read(secrets/**)"]);
    assert_eq!(otherwise(&policy, &scene, &lines, Allow), [""; 0]);
    let made = ["echo --files-from=.env > .ackrc; ack alpha src"];
    assert_eq!(otherwise(&policy, &scene, &made, Ask), [""; 0]);
    std::fs::write(scene.root.join(".ackrc"), "--files-from=.env\n").unwrap();
    assert_eq!(otherwise(&policy, &scene, &lines, Ask), [""; 0]);
}

/// D2.27: who feeds its operand by a pipe goes through the folder at hand. Attack 596.
#[test]
fn given_a_search_that_is_fed_then_below_folders_means_here() {
    let scene = Scene::new();
    let policy = scene.denying(&["read(.env)"]);
    let lines = [
        "zgrep -drecurse KEY a.gz",
        "zgrep --dereference-recursive KEY a.gz",
        "zgrep --dereference-r KEY a.gz",
        "zgrep KEY a.gz --dereference-recursive",
        "zgrep --dereference-recursive -e KEY a.gz",
        "xzgrep --dereference-recursive KEY a.xz",
    ];
    assert_eq!(otherwise(&policy, &scene, &lines, Ask), [""; 0]);
    assert_eq!(otherwise(&policy, &scene, &["zgrep KEY a.gz", "xzgrep -i KEY a.xz"], Allow), [""; 0]);
}

/// D2.30: an option that looks into the repository above obeys that one. Attack 597.
#[test]
fn given_a_repository_above_that_names_a_program_then_git_is_no_reader() {
    let scene = Scene::new();
    scene.repository();
    let nest = scene.root.join("nest/.git");
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(nest.join(folder)).unwrap();
    }
    std::fs::write(nest.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(nest.join("config"), "[core]\n\tbare = false\n").unwrap();
    let policy = scene.denying(&["read(secrets/**)"]);
    let lines = [
        "cd nest && git rev-parse --show-superproject-working-tree",
        "git -C nest rev-parse --show-superproject-working-tree",
    ];
    let plain = ["git rev-parse --show-toplevel", "cd nest && git rev-parse --show-toplevel"];
    assert_eq!(otherwise(&policy, &scene, &plain, Allow), [""; 0]);
    assert_eq!(otherwise(&policy, &scene, &lines[..1], Allow), [""; 0]);
    std::fs::write(scene.root.join(".git/config"), "[core]\n\tfsmonitor = ./evil\n").unwrap();
    assert_eq!(otherwise(&policy, &scene, &lines, Ask), [""; 0]);
    assert_eq!(otherwise(&policy, &scene, &plain[1..], Allow), [""; 0]);
}

/// D2.28: `git config` stops at its first operand, and stores what follows. Attack 598.
#[test]
fn given_an_option_behind_the_name_of_a_setting_then_it_is_its_value() {
    let scene = Scene::new();
    scene.repository();
    let policy = scene.denying(&["read(secrets/**)"]);
    let lines = [
        "git config user.name --get",
        "git config user.name --default=EVIL --get",
        "git config user.email --bool",
        "git config remote.origin.url --get",
        "git config --global user.email --get",
        "git config core.bare --get",
        "git config user.name --list",
        "git config user.name -l",
    ];
    assert_eq!(otherwise(&policy, &scene, &lines, Ask), [""; 0]);
    for line in
        ["git config core.hooksPath --get", "git config core.pager --type=path", "git config alias.x --list"]
    {
        assert_ne!(loosest(&policy, &scene.shell(line)).effect, Allow, "{line}");
    }
    for line in [
        "git config --get core.hooksPath",
        "git config get core.hooksPath",
        "git config --unset core.hooksPath",
    ] {
        assert_eq!(loosest(&policy, &scene.shell(line)).effect, Allow, "{line}");
    }
    let harmless = ["git config --get user.name", "git config user.name", "git config --get-all user.name"];
    assert_eq!(otherwise(&policy, &scene, &harmless, Allow), [""; 0]);
}

/// D2.28: what may be a secret is one on a command's input, too. Attack 614.
#[test]
fn given_a_variable_of_the_environment_on_the_input_then_it_is_as_a_word() {
    let scene = Scene::new();
    let policy = scene.denying(&["read(secrets/**)"]);
    let lines = [
        "cat <<< \"$TOKEN\"",
        "cat <<< $TOKEN",
        "base64 <<< $AWS_SECRET_ACCESS_KEY",
        "rev <<< \"x$TOKEN\"",
        "grep . <<< ${TOKEN}",
        "cat <<E\n$TOKEN\nE",
        "tee /dev/null <<< \"$TOKEN\"",
        "while read -r x; do echo \"$x\"; done <<< \"$TOKEN\"",
    ];
    assert_eq!(otherwise(&policy, &scene, &lines, Ask), [""; 0]);
    let harmless = [
        "cat <<< text",
        "x=a; cat <<< \"$x\"",
        "cat <<< \"$HOME\"",
        "cat <<E\n$PWD and $HOME\nE",
        "cat <<'E'\n$TOKEN\nE",
        "for i in a b; do cat <<< \"$i\"; done",
    ];
    assert_eq!(otherwise(&policy, &scene, &harmless, Allow), [""; 0]);
}

/// What implies a patch shows contents. Attack 613.
#[test]
fn given_what_implies_a_patch_then_contents_are_read() {
    let scene = Scene::new();
    scene.repository();
    let policy = scene.denying(&["read(.env)"]);
    let lines = [
        "git log --diff-merges=separate",
        "git log --diff-merges=on --oneline",
        "git log --diff-merges c",
        "git log --diff-m=1",
        "git stash list --diff-merges=separate",
        "git reflog --diff-merges=on",
    ];
    assert_eq!(otherwise(&policy, &scene, &lines, Ask), [""; 0]);
    assert_eq!(
        otherwise(&policy, &scene, &["git log --oneline", "git stash list", "git reflog"], Allow),
        [""; 0]
    );
    std::fs::write(scene.root.join(".git/config"), "[stash]\n\tshowPatch = true\n").unwrap();
    assert_eq!(otherwise(&policy, &scene, &["git stash show", "git stash show --stat"], Ask), [""; 0]);
}

/// An option that only some versions take with a value. Attack 615.
#[test]
fn given_a_script_that_knows_fewer_options_than_its_program_then_each_reading_counts() {
    let scene = Scene::new();
    let policy = scene.denying(&["read(secrets/**)", "read(.env)"]);
    let lines =
        ["zgrep --group-separator SECRET secrets/key.txt a.txt", "zgrep --group-separator KEY .env a.txt"];
    assert_eq!(otherwise(&policy, &scene, &lines, Ask), [""; 0]);
    assert_eq!(otherwise(&policy, &scene, &["zgrep -n KEY a.txt", "zgrep -A 2 KEY a.gz"], Allow), [""; 0]);
}
