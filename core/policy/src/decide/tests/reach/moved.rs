//! Links that the line itself moves, copies or unpacks, and those that a glob gives: the next command goes through them.

use super::*;

/// A workspace with a folder of links: out of it, to what is denied, to a key and to hooks.
pub(super) fn scene() -> Scene {
    let scene = Scene::new();
    scene.repository();
    let top = scene.home.parent().unwrap().to_owned();
    std::fs::create_dir_all(top.join("outside")).unwrap();
    for folder in ["q", "d", "secret", ".git/hooks"] {
        std::fs::create_dir_all(scene.root.join(folder)).unwrap();
    }
    std::fs::write(scene.root.join("secret/key"), "KEY").unwrap();
    std::fs::write(scene.root.join("f"), "text").unwrap();
    scene.link(top.join("outside"), "q/zz");
    scene.link(top.join("outside"), "zl");
    scene.link("../secret/key", "q/sk");
    scene.link("../secret", "q/sd");
    scene.link(scene.home.join(".ssh/id_rsa"), "q/ik");
    scene.link(scene.root.join(".git/hooks"), "q/hk");
    // It leads inside as long as it stands where it is.
    scene.link("../out", "q/rel");
    scene
}

/// What gives `q` the name `q3`.
const MOVES: &[&str] = &[
    "mv q q3",
    "mv -T q q3",
    "mv q/ q3/",
    "mv -v -f q q3",
    "cp -a q q3",
    "cp -r q q3",
    "cp -rT q q3",
    "cp -R --no-dereference q q3",
    "rsync -a q/ q3",
    "install -d q3 && cp -a q/. q3",
    "git mv q q3",
    "mv q q2 && mv q2 q3",
    "mv q -t d && mv d/q q3",
    "cp -a q d && cp -a d/q q3",
    "ln -s q q3",
];

/// What then goes through it.
const GOES: &[&str] = &[
    "tee q3/zz/p < f",
    "tee -a q3/zz/p",
    "dd if=f of=q3/zz/p",
    "sort f -o q3/zz/p",
    "touch q3/zz/p",
    "cp f q3/zz/p",
    "cp f q3/zz/",
    "install f q3/zz/p",
    "mkdir q3/zz/p",
    "mkdir -p q3/zz/p/r",
    "rm q3/zz/p",
    "echo x > q3/zz/p",
    "cat f >> q3/zz/p",
    "sed -i s/a/b/ q3/zz/p",
    "tee q3/hk/pre-commit < f",
    "cp f q3/hk/pre-commit",
    "cat q3/sk",
    "cat < q3/sk",
    "head -1 q3/sd/key",
    "grep -R KEY q3",
    "grep -R KEY q3/sd",
    "rg -L KEY q3",
    "cat q3/*",
    "cat q3/s*",
    "cat q3/sd/*",
    "tar chf - q3",
    "cat q3/ik",
    "cat q3/i*",
];

pub(super) fn allowed_lines(scene: &Scene, policies: &[(&Policy, Mode)], lines: &[String]) -> Vec<String> {
    let allows = |line: &&String| {
        policies.iter().any(|(policy, mode)| in_mode(policy, &scene.shell(line), *mode).effect == Allow)
    };
    lines.iter().filter(allows).cloned().collect()
}

/// D1.14, D4.10, attack 220.
#[test]
fn given_a_link_that_the_line_moved_then_what_goes_through_it_is_judged_where_it_leads() {
    let scene = scene();
    let denied = scene.denying(&["read(secret/**)"]);
    let joints = [" && ", "; "];
    let mut lines: Vec<String> = joints
        .iter()
        .flat_map(|joint| {
            MOVES.iter().flat_map(move |moves| GOES.iter().map(move |goes| format!("{moves}{joint}{goes}")))
        })
        .collect();
    // What a link means changes with its place.
    lines.extend(
        ["mv q/rel nl && touch nl/p", "mv q/rel nl; echo x > nl/p", "cp -P q/rel nl && tee nl/p < f"]
            .map(str::to_owned),
    );
    assert!(lines.len() > 800);
    let wrong = allowed_lines(&scene, &[(&denied, Mode::Auto)], &lines);
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(40)]);
    let harmless = [
        "mv f g && cat g",
        "mv src srcs && ls srcs",
        "cp -r src out/copy && touch out/copy/x",
        "cp f g; sed -i s/a/b/ g",
        "mv src s2 && grep -r KEY s2",
        "mkdir -p n/m && cp f n/m/",
        "cp -a src s2 && cat s2/*",
        "mv f d/ && cat d/f",
    ];
    for line in harmless {
        assert_eq!(in_mode(&denied, &scene.shell(line), Mode::Auto).effect, Allow, "{line}");
    }
}

/// D1.14, D4.10, attack 220: what was unpacked or checked out may hold links.
#[test]
fn given_files_that_an_earlier_command_unpacks_then_what_is_written_below_a_new_folder_is_asked_about() {
    let scene = scene();
    let policy = scene.denying(&["read(secret/**)"]);
    let unpacks = [
        "tar xf a.tar",
        "tar -xzf a.tgz",
        "unzip a.zip",
        "unzip -o a.zip -d .",
        "7z x a.7z",
        "git switch evil",
        "git checkout evil",
        "git checkout -b n evil",
        "git rebase evil",
        "git merge evil",
        "git pull",
        "git stash pop",
        "git reset --hard evil",
        "git apply a.patch",
        "tar cf - q | tar xf - --transform=s/q/q3/",
    ];
    let writes = [
        "touch nl/p",
        "echo x > nl/p",
        "cp f nl/p",
        "tee nl/p < f",
        "mkdir nl/p",
        "sed -i s/a/b/ nl/p",
        "dd if=f of=nl/p",
        "mv f nl/p",
        "ln -s f nl/p",
        "rm nl/p",
    ];
    let lines: Vec<String> = unpacks
        .iter()
        .flat_map(|unpack| {
            writes.iter().flat_map(move |write| [" && ", "; "].map(|joint| format!("{unpack}{joint}{write}")))
        })
        .collect();
    let wrong = allowed_lines(&scene, &[(&policy, Mode::Auto)], &lines);
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(40)]);
    for line in [
        "git pull && touch f",
        "git pull && mkdir p",
        "git checkout -b topic && touch p",
        "tar xf a.tar && cat f",
        "git switch main && sed -i s/a/b/ src/a.rs",
        "git stash pop && cp src/a.rs f",
    ] {
        assert_eq!(in_mode(&policy, &scene.shell(line), Mode::Auto).effect, Allow, "{line}");
    }
}

/// D1.14, D4.8, D4.10, attack 220: a glob gives names that are links, and what is written behind them need not be there.
#[test]
fn given_a_glob_that_gives_a_link_then_what_is_written_behind_it_is_judged_where_it_leads() {
    let scene = scene();
    let typical = {
        let mut policy = scene.denying(&["read(secret/**)"]);
        for pattern in [
            "shell(touch *)",
            "shell(cp *)",
            "shell(mkdir *)",
            "shell(tee *)",
            "shell(echo *)",
            "write(./**)",
        ] {
            policy.rules.push(rule(Allow, pattern));
        }
        policy
    };
    let auto = scene.denying(&["read(secret/**)"]);
    let bodies = [
        "touch $d/x",
        "touch \"$d/x\"",
        "touch ${d}/x",
        "mkdir -p \"$d/x\"",
        "cp f \"$d/x\"",
        "cp f $d/",
        "cp f $d",
        "echo x > $d/x",
        "echo x >> \"$d/x\"",
        "tee $d/x < f",
        "tee -a \"$d\"/x",
    ];
    let globs = ["z*", "*", "q/z*", "q/*", "./z*", "zl z*", "q/h*"];
    let mut lines: Vec<String> = globs
        .iter()
        .flat_map(|glob| bodies.iter().map(move |body| format!("for d in {glob}; do {body}; done")))
        .collect();
    lines.extend(["z*/", "*/", "q/*/", "q/h*/"].iter().flat_map(|glob| {
        ["touch \"${d}x\"", "cp f \"${d}pre-commit\"", "echo x > ${d}x", "cp f $d"]
            .map(|body| format!("for d in {glob}; do {body}; done"))
    }));
    lines.extend(
        ["touch z*/x", "cp f z*/x", "cp f z*", "tee q/z*/x < f", "echo x > z*/x", "mkdir q/z*/p"]
            .map(str::to_owned),
    );
    let wrong = allowed_lines(&scene, &[(&typical, Mode::Default), (&auto, Mode::Auto)], &lines);
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(40)]);
    for line in ["for d in src/*; do touch $d; done", "touch sr*/x", "for d in s*; do echo $d; done"] {
        assert_eq!(in_mode(&auto, &scene.shell(line), Mode::Auto).effect, Allow, "{line}");
    }
}

/// D1.14, attack 220: each value of a loop by itself, and no more work than a line is worth however deep loops stand in each other.
#[test]
fn given_loops_over_names_then_each_is_looked_at_and_none_takes_long() {
    let scene = scene();
    let auto = scene.denying(&["read(secret/**)"]);
    for line in [
        "for d in zl src; do touch $d/x; done",
        "for d in src zl; do cp f \"$d/x\"; done",
        "for a in 1 2; do for d in src q/zz; do echo x > $d/$a; done; done",
        "for a in src q; do for d in rel zz; do tee $a/$d/x < f; done; done",
    ] {
        assert_ne!(in_mode(&auto, &scene.shell(line), Mode::Auto).effect, Allow, "{line}");
    }
    assert_eq!(
        in_mode(&auto, &scene.shell("for d in src out; do touch $d/x; done"), Mode::Auto).effect,
        Allow
    );
    // Walked for each value of each loop, this would be walked a billion times.
    let nested = |depth: usize| {
        let open: String = (0..depth).map(|at| format!("for v{at} in a b c; do ")).collect();
        format!("{open}touch x{}", "; done".repeat(depth))
    };
    assert_eq!(in_mode(&auto, &scene.shell(&nested(20)), Mode::Auto).effect, Ask);
    assert_eq!(in_mode(&auto, &scene.shell(&nested(3)), Mode::Auto).effect, Allow);
}

/// A link that the line makes leads from where it stands, and a search that follows links goes through it. Attack 675.
#[test]
fn given_a_link_that_the_line_makes_then_a_search_that_follows_links_reads_where_it_leads() {
    let scene = scene();
    std::fs::create_dir_all(scene.root.join("build")).unwrap();
    std::fs::write(scene.root.join(".gitignore"), "build/\n").unwrap();
    std::fs::write(scene.root.join("build/.ignore"), "!.npmrc").unwrap();
    std::fs::write(scene.root.join("build/.npmrc"), "KEY").unwrap();
    let searches =
        ["rg -L KEY src", "rg --follow KEY", "grep -R KEY src", "tar -chf - src", "cd src; grep -R KEY ."];
    let secret = scene.denying(&["read(secret/**)"]);
    let makes = [
        "ln -s ../secret src/l",
        "ln -s ../secret src",
        "ln -s ../secret src/",
        "ln -st src ../secret",
        "ln -s -t src ../secret",
        "ln -s ../secret --target-directory=src",
        "ln -sf ../secret/key src/l",
        "mkdir src/d; ln -s ../../secret src/d",
        "ln -s ../secret src/l; mv src/l src/m",
    ];
    let lines: Vec<String> =
        makes.iter().flat_map(|make| searches.map(|search| format!("{make}; {search}"))).collect();
    let count = lines.len();
    held(&wrong(&scene, &secret, lines, |decision| decision.effect > Allow), count, 45);
    // What the folder behind it shows.
    let inner = scene.denying(&["read(.npmrc)"]);
    let lines = [
        "ln -s ../build src/l; rg -L KEY src",
        "ln -s build l; rg -L KEY",
        "ln -st src ../build && rg -L KEY",
    ];
    held(&wrong(&scene, &inner, lines.map(str::to_owned), |decision| decision.effect > Allow), 3, 3);
    let quiet = [
        "ln -s ../sub src/l; rg -L KEY src",
        "ln -s ../sub src/l; grep -R KEY src",
        "ln -s ../build src/l; rg KEY src",
        "ln -sf a.rs src/l && cat src/a.rs",
        "mv src/a.rs src/b.rs; rg -L KEY src",
        "cp -r sub src/sub; grep -R KEY src",
        "ln -s ../sub src/l && ls src",
    ];
    held(&wrong(&scene, &secret, quiet.map(str::to_owned), |decision| decision.effect == Allow), 7, 7);
    let apart = quiet.into_iter().filter(|line| !line.contains("-R") && !line.contains("l; rg -L"));
    held(&wrong(&scene, &inner, apart.map(str::to_owned), |decision| decision.effect == Allow), 4, 4);
}
