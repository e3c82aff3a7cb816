//! Names that begin with a dot, and that files in the folder have a search show all the same (D2.26).

use super::*;

fn write_file(scene: &Scene, name: &str, text: &str) {
    let path = scene.root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Lines that search the folder or a part of it without a word about hidden names.
const SEARCHES: &[&str] = &[
    "rg KEY",
    "rg KEY .",
    "rg KEY ./",
    "rg KEY src sub .",
    "rg -n KEY --no-ignore-vcs",
    "rg -l KEY | head",
    "cd src; rg KEY ..",
];

/// Attack 612.
#[test]
fn given_an_ignore_file_that_takes_a_denied_name_in_then_a_search_names_it() {
    for (file, line) in [
        (".ignore", "!.env"),
        (".rgignore", "!.env"),
        (".gitignore", "!.env"),
        ("../.ignore", "!.env"),
        ("../.rgignore", "!/w/.env"),
        (".git/info/exclude", "!.env"),
        (".ignore", "!.e*"),
        (".ignore", "!*"),
        (".ignore", "*\n!.en[v]"),
        (".ignore", "!.{env,x}"),
        (".ignore", "!.env\t"),
        (".ignore", "!**"),
        (".ignore", "!/.env"),
        (".ignore", "#\n\n!.env\r\n"),
    ] {
        let scene = Scene::new();
        scene.repository();
        let policy = scene.denying(&["read(.env)"]);
        write_file(&scene, file, line);
        let lines = SEARCHES.iter().map(|line| (*line).to_owned());
        let found = wrong(&scene, &policy, lines, |decision| decision.effect > Allow);
        held(&found, SEARCHES.len(), 7);
        let other = scene.denying(&["read(.envrc)"]);
        let lines = SEARCHES.iter().map(|line| (*line).to_owned());
        held(&wrong(&scene, &other, lines, |decision| decision.effect == Allow), SEARCHES.len(), 7);
    }
}

/// The same for files further below, for folders, behind links, and for other programs that go by such files. Attack 612.
#[test]
fn given_such_a_file_elsewhere_or_another_program_then_it_counts_as_well() {
    let scene = Scene::new();
    scene.repository();
    write_file(&scene, ".gitignore", "node_modules\nout/\n");
    write_file(&scene, "sub/.ignore", "!.env");
    write_file(&scene, "sub/deep/.env", "KEY");
    let env = scene.denying(&["read(sub/deep/.env)"]);
    let lines =
        ["rg KEY", "rg KEY sub", "rg KEY su*", "rg KEY sub/deep", "fd . -x cat", "fdfind -t f -X cat"];
    held(&wrong(&scene, &env, lines.map(str::to_owned), |decision| decision.effect > Allow), 6, 6);
    // A hidden folder is gone into.
    write_file(&scene, "lk/.ignore", "!.conf");
    write_file(&scene, "lk/.conf/secret/key", "KEY");
    let folder = scene.denying(&["read(lk/.conf/secret/**)"]);
    held(
        &wrong(&scene, &folder, ["rg KEY".into(), "rg KEY lk".into()], |decision| decision.effect > Allow),
        2,
        2,
    );
    // A folder that is left out, and taken back in by another file.
    write_file(&scene, "node_modules/a/.ignore", "!.npmrc");
    write_file(&scene, "node_modules/a/.npmrc", "KEY");
    let inner = scene.denying(&["read(**/.npmrc)"]);
    let all = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert_eq!(wrong(&scene, &inner, all(&["rg KEY"]), |decision| decision.effect == Allow), [""; 0]);
    let reaching = all(&["rg --no-ignore-vcs KEY", "rg KEY node_modules", "rg KEY node_modules/a"]);
    held(&wrong(&scene, &inner, reaching, |decision| decision.effect > Allow), 3, 3);
    write_file(&scene, ".ignore", "!node_modules");
    held(&wrong(&scene, &inner, all(&["rg KEY"]), |decision| decision.effect > Allow), 1, 1);
    // The line itself writes the file.
    let own = scene.denying(&["read(.env)"]);
    let lines = all(&[
        "echo '!.env' > .ignore; rg KEY",
        "cp src/a.rs .rgignore && rg KEY .",
        "echo '!.env' > \"$x\"; rg KEY",
        "echo '!.env' >> .git/info/exclude; rg KEY",
    ]);
    held(&wrong(&scene, &own, lines, |decision| decision.effect > Allow), 4, 4);
}

/// Files that take in what nobody denies are everyday matter.
#[test]
fn given_ignore_files_that_take_in_other_names_then_a_search_passes_by_hidden_ones() {
    let scene = Scene::new();
    scene.repository();
    write_file(
        &scene,
        ".gitignore",
        ".env*\n!.env.example\n!src/\n*.log\n!keep.log\n!.gitkeep\n!.vscode/settings.json\n",
    );
    write_file(&scene, ".env.example", "KEY=");
    write_file(&scene, "src/.gitkeep", "");
    write_file(&scene, ".ignore", "target\n# !.env\n\\!.env\n");
    write_file(&scene, ".vscode/settings.json", "{}");
    let policy = scene.denying(&["read(.env)", "read(.env.local)", "read(~/.ssh/**)"]);
    let lines = [
        "rg KEY",
        "rg KEY . | head",
        "rg -n KEY src sub",
        "rg KEY src/*",
        "fd a",
        "fd -e rs -x wc -l",
        "tokei",
        "echo a > out/x; rg KEY src",
        "cargo build && rg KEY src",
        "sed -i s/a/b/ src/*.rs && rg KEY src",
    ];
    held(&wrong(&scene, &policy, lines.map(str::to_owned), |decision| decision.effect == Allow), 10, 10);
}

/// Many names that are taken in are told by name alone, and with no such file read, none is shown. Attack 612.
#[test]
fn given_a_name_that_is_taken_in_everywhere_then_only_a_rule_about_it_counts() {
    let scene = Scene::new();
    scene.repository();
    write_file(&scene, ".gitignore", "*.log\n!.gitkeep\n!.env.example\n");
    for at in 0..100 {
        write_file(&scene, &format!("gen/d{at}/.gitkeep"), "");
    }
    let other = scene.denying(&["read(.env)", "read(~/.ssh/**)", "read(.aws/credentials)"]);
    let lines = ["rg KEY", "rg KEY gen", "fd . gen -x wc -l", "rg -n KEY src gen | head"];
    held(&wrong(&scene, &other, lines.map(str::to_owned), |decision| decision.effect == Allow), 4, 4);
    for own in [
        ".gitkeep",
        "gen/d7/.gitkeep",
        "**/.gitk*",
        "**/*keep",
        "gen/d7/.*",
        "gen/*/.git?eep",
        "~/w/gen/**/.g*",
    ] {
        let own = scene.denying(&[&format!("read({own})")]);
        held(&wrong(&scene, &own, lines.map(str::to_owned), |decision| decision.effect > Allow), 4, 4);
    }
    // A folder that is taken in is gone through.
    write_file(&scene, ".rgignore", "!.conf");
    write_file(&scene, "gen/d7/.conf/key", "KEY");
    for below in ["gen/d7/.conf/key", "**/.conf/key", "gen/*/.conf/**"] {
        let below = scene.denying(&[&format!("read({below})")]);
        held(&wrong(&scene, &below, ["rg KEY".to_owned()], |decision| decision.effect > Allow), 1, 1);
    }
    let elsewhere = scene.denying(&["read(.conf/key)"]);
    held(&wrong(&scene, &elsewhere, ["rg KEY".to_owned()], |decision| decision.effect == Allow), 1, 1);
    write_file(&scene, ".ignore", "!.env");
    let none = ["rg --no-ignore KEY", "rg KEY --no-ignore src ."];
    held(&wrong(&scene, &other, none.map(str::to_owned), |decision| decision.effect == Allow), 2, 2);
    let again = ["rg --no-ignore --ignore KEY", "rg --no-ignore --no-such KEY", "rg --no-ignore-vcs KEY"];
    held(&wrong(&scene, &other, again.map(str::to_owned), |decision| decision.effect > Allow), 3, 3);
}

/// Attack 670.
#[test]
fn given_an_ignore_file_that_is_a_link_then_what_is_written_to_its_target_counts() {
    for (link, target, file) in [
        (".ignore", "rules.txt", "rules.txt"),
        (".rgignore", "cfg/r.txt", "cfg/r.txt"),
        (".gitignore", "cfg/gone", "cfg/gone"),
        ("src/.ignore", "../cfg/r.txt", "cfg/r.txt"),
        (".git/info/exclude", "../../ex.txt", "ex.txt"),
    ] {
        let scene = Scene::new();
        scene.repository();
        for folder in ["cfg", ".git/info"] {
            std::fs::create_dir_all(scene.root.join(folder)).unwrap();
        }
        scene.link(target, link);
        if !target.ends_with("gone") {
            write_file(&scene, file, "x\n");
        }
        let policy = scene.denying(&["read(.env)"]);
        let lines = [
            format!("echo '!.env' > {file}; rg KEY"),
            format!("echo '!.env' >> {file} && rg KEY ."),
            format!("sed -i 's/x/!.env/' {file}; rg KEY"),
            format!("printf '!.env\\n' | tee {file}; rg KEY"),
            format!("cat <<< '!.env' > {file}; rg KEY"),
            format!("cp src/a.rs {file}; rg KEY"),
            format!("mv src/a.rs {file}; rg KEY"),
        ];
        held(&wrong(&scene, &policy, lines, |decision| decision.effect > Allow), 7, 7);
        let others =
            ["rg KEY", "echo a > out/x; rg KEY", "sed -i s/a/b/ src/a.rs; rg KEY", "mkdir out/y && rg KEY"];
        held(&wrong(&scene, &policy, others.map(str::to_owned), |decision| decision.effect == Allow), 4, 4);
    }
}

/// A file that programs read differently leaves nothing out. Attack 674.
#[test]
fn given_an_ignore_file_that_is_no_plain_text_then_it_leaves_nothing_out() {
    for (text, effect) in [
        (&b"build/\n"[..], Allow),
        (b"# caf\xc3\xa9\nbuild/\n", Allow),
        (b"\xef\xbb\xbfbuild/\n", Deny),
        (b"# caf\xe9\nbuild/\n", Deny),
        (b"build/\n\xff\n", Deny),
    ] {
        let scene = Scene::new();
        scene.repository();
        std::fs::write(scene.root.join(".gitignore"), text).unwrap();
        write_file(&scene, "build/.ignore", "!.env");
        write_file(&scene, "build/.env", "KEY");
        let policy = scene.denying(&["read(.env)"]);
        held(&wrong(&scene, &policy, ["rg KEY".to_owned()], |decision| decision.effect == effect), 1, 1);
        assert_eq!(loosest(&scene.denying(&["read(.envrc)"]), &scene.shell("rg KEY")).effect, Allow);
    }
    // Of one that stops to be text behind what it takes in, the rest counts for nothing.
    let scene = Scene::new();
    scene.repository();
    std::fs::write(scene.root.join(".ignore"), b"!.env\n\xff\n.env\n").unwrap();
    let policy = scene.denying(&["read(.env)"]);
    held(&wrong(&scene, &policy, ["rg KEY".to_owned()], |decision| decision.effect == Deny), 1, 1);
}
