//! What a command is given beside its words: on its input, by what an option implies, by what a script makes of its words.

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
