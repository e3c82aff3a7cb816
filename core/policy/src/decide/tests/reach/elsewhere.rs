//! Words that lead elsewhere than they seem to: what is not known of them goes up again, or a name of them is another thing for
//! each process.

use super::*;

/// Commands that read what they are given.
const READERS: &[&str] = &[
    "cat {}",
    "head -5 {}",
    "tail -n +1 {}",
    "sort {}",
    "cut -c1-9 {}",
    "wc -l {}",
    "grep x {}",
    "diff {} src/a.rs",
    "cat < {}",
    "timeout 5 cat {}",
    "bash -c 'cat {}'",
    "echo x && cat {}",
    "cat src/a.rs {} | head",
    "tac {}",
    "nl {}",
    "od -c {}",
];

/// What stands in a word and could be `..`.
const UNKNOWN: &[&str] =
    &["$A", "${A}", "\"$A\"", "\"$(cat f)\"", "$(cat f)", "`cat f`", "${A:-b}", "$1", "\"${B[0]}\"", "b$A"];

/// D2.9, attack 79: what is denied could be behind a folder that is known, as long as what follows it may go up again.
#[test]
fn given_a_known_folder_before_what_is_not_known_then_it_may_lead_to_what_is_denied() {
    let scene = Scene::new();
    let policy = scene.denying(&["read(secret/**)"]);
    let words = [
        "src/{}",
        "./src/{}",
        "src/gen/../{}",
        "src/{}/x",
        "src/x{}",
        "\"src/\"{}",
        "sub/{}/{}",
        "$PWD/src/{}",
    ];
    let lines: Vec<String> = READERS
        .iter()
        .flat_map(|reader| words.map(|word| reader.replace("{}", word)))
        .flat_map(|line| UNKNOWN.iter().map(move |open| line.replace("{}", open)))
        .collect();
    held(&wrong(&scene, &policy, lines.clone(), |it| it.effect != Allow), lines.len(), 1000);
}

/// D1.14, attack 588: to who knows no addresses, `http://x/a` is a file in a folder called `http:`, and that may be a link.
#[test]
fn given_a_folder_called_as_a_scheme_then_an_address_is_a_name_in_it_too() {
    let scene = Scene::new();
    let root = scene.root.display().to_string();
    let addresses = [
        "http://x/a".to_owned(),
        "https://x/a".to_owned(),
        "s3:/x/a".to_owned(),
        "foo://x//a".to_owned(),
        format!("file:{root}/src/a.rs"),
        format!("file://{root}/src/a.rs"),
        format!("vscode:{root}/src/a.rs"),
        format!("sqlite://{root}/src/a.rs"),
        format!("jar:file:{root}/src/a.rs"),
    ];
    let policy = scene.denying(&["read(.env)"]);
    let lines: Vec<String> = READERS
        .iter()
        .flat_map(|reader| addresses.iter().map(|address| reader.replace("{}", address)))
        .collect();
    let plain = scene.denying(&[]);
    // No such folder is there: they are what they say.
    let allowed = |line: &&String| loosest(&plain, &scene.shell(line)).effect == Allow;
    // What stands behind a colon alone is a path by itself.
    let quiet: Vec<String> =
        lines.iter().filter(|line| !line.contains(":/x/")).filter(allowed).cloned().collect();
    let count = quiet.len();
    held(&wrong(&scene, &policy, quiet, |it| it.effect == Allow), count, 100);
    for address in &addresses {
        let name = scene.root.join(address);
        std::fs::create_dir_all(name.parent().unwrap()).unwrap();
        // Two spellings of one address are one name.
        if !name.is_symlink() {
            std::os::unix::fs::symlink(scene.root.join(".env"), name).unwrap();
        }
    }
    held(&wrong(&scene, &policy, lines.clone(), |it| it.effect != Allow), lines.len(), 140);
}

/// The same words lead nowhere else where what is not known can't go up: names that a glob gives, numbers, values that stand there.
#[test]
fn given_what_can_not_go_up_then_it_stays_in_its_folder() {
    let scene = Scene::new();
    let policy = scene.denying(&["read(secret/**)"]);
    let stays = [
        "cat src/*.rs",
        "cat src/**/*.rs",
        "for i in 1 2 3; do cat src/$i.rs; done",
        "for f in a b; do cat src/$f.rs; done",
        "cat src/$((1 + 1)).rs",
        "head -3 src/a$$.rs",
        "for f in src/*; do cat \"$f\"; done",
        "cat src/[ab].rs",
    ];
    let lines = stays.map(str::to_owned);
    held(&wrong(&scene, &policy, lines, |it| it.effect == Allow), stays.len(), 8);
}

/// D4.6: what a command empties may be everything, where a word of it may go up to that.
#[test]
fn given_a_known_folder_before_what_is_not_known_then_emptying_it_is_asked_about_always() {
    let scene = Scene::new();
    let policy = scene.denying(&[]);
    let commands =
        ["rm -rf {}", "rm -r -- {}", "sudo rm -rf {}", "find {} -delete", "chmod -R 0 {}", "rm -rf src {}"];
    let words = ["src/{}", "src/{}/", "./src/{}", "/tmp/x/{}", "src/{}/..", "src/{}/home", "\"src/\"{}"];
    let lines: Vec<String> = commands
        .iter()
        .flat_map(|command| words.map(|word| command.replace("{}", word)))
        .flat_map(|line| UNKNOWN.iter().map(move |open| line.replace("{}", open)))
        .collect();
    held(&wrong(&scene, &policy, lines.clone(), |it| it.effect != Allow), lines.len(), 400);
    let stays = [
        "rm -rf src/*",
        "rm -rf src/gen/*.o",
        "for d in a b; do rm -rf src/$d; done",
        "rm -rf \"src/$A/target\"",
    ];
    held(&wrong(&scene, &policy, stays.map(str::to_owned), |it| it.effect == Allow), stays.len(), 4);
}

/// D2.25, attack 79: names that are another thing for each process are asked about under every policy, also where a glob stands
/// behind them or could be one of them, and where a link leads there.
#[test]
fn given_a_name_that_is_another_thing_for_each_process_then_a_glob_behind_it_is_asked_about_always() {
    let scene = Scene::new();
    std::fs::create_dir_all(scene.root.join("secret")).unwrap();
    std::fs::write(scene.root.join("secret/x"), "KEY").unwrap();
    scene.link("/proc/self/cwd", "way");
    let policy = scene.denying(&["read(secret/**)"]);
    let words = [
        "/proc/self/cwd/secret/*",
        "/proc/self/cwd/sec*/x",
        "/pr*/self/cwd/secret/x",
        "/proc/thread-self/cwd/secret/*",
        "/proc/self/task/*/cwd/secret/x",
        "/dev/fd/../cwd/secret/*",
        "/sys/../proc/self/cwd/secret/*",
        "/proc/self/cwd/../secret/*",
        "/p[r]oc/self/root/etc/*",
        "/pr*/self/cwd/../secret/x",
        "sub/*/../../../../../../../proc/self/cwd/secret/x",
        "/proc/*/environ",
        "/proc/[0-9]*/cwd/secret/x",
        "../../../../../proc/self/cwd/secret/*",
        "/d*v/fd/0",
        "/proc/self/fd/*",
        "/./proc/self/cwd/s*",
        "way/secret/x",
        "way/s*/x",
        "./way/secret/*",
        "w?y/secret/x",
    ];
    let lines: Vec<String> = READERS
        .iter()
        .flat_map(|reader| words.map(|word| reader.replace("{}", word)))
        // Names that begin here are others elsewhere.
        .flat_map(|line| {
            let moved = ["cd sub; ", "cd .. && "].map(|before| format!("{before}{line}"));
            let here = ["way/", "w?y/"].iter().any(|name| line.contains(name));
            moved.into_iter().filter(|_| !here).chain([line.clone()]).collect::<Vec<_>>()
        })
        .collect();
    held(&wrong(&scene, &policy, lines.clone(), |it| it.effect != Allow), lines.len(), 700);
}

/// What the kernel says of the machine is read as before, and names that only look like those of processes.
#[test]
fn given_a_name_that_is_the_same_for_all_processes_then_it_is_read() {
    let scene = Scene::new();
    std::fs::create_dir_all(scene.root.join("proc/self")).unwrap();
    std::fs::write(scene.root.join("proc/self/x.txt"), "x").unwrap();
    let policy = scene.denying(&[]);
    let reads = [
        "cat /proc/cpuinfo",
        "cat /proc/meminfo",
        "cat proc/self/*.txt",
        "cat ./proc/*/x.txt",
        "ls proc",
        "diff <(sort src/a.rs) <(sort sub/x)",
        "cat <(echo x)",
    ];
    held(&wrong(&scene, &policy, reads.map(str::to_owned), |it| it.effect == Allow), reads.len(), 7);
}

/// What `tar` packs from another folder lies there, and not in the folder at hand.
#[test]
fn given_a_folder_that_tar_goes_to_first_then_what_it_packs_counts_from_there() {
    let scene = Scene::new();
    for folder in ["src/deep", "other"] {
        std::fs::create_dir_all(scene.root.join(folder)).unwrap();
    }
    std::fs::write(scene.root.join("src/deep/key"), "x").unwrap();
    let policy = scene.denying(&["read(src/deep/key)"]);
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let denied = lines(&[
        "tar -cf - -C src .",
        "tar -cf - -C src deep",
        "tar -cf - -C other -C ../src deep/key",
        "tar cfC - src deep",
        "tar -cf - src -C other .",
        "tar -cf - --directory=src/deep -- key",
        "tar -cf - . -C other",
    ]);
    held(&wrong(&scene, &policy, denied.clone(), |it| it.effect == Deny), denied.len(), 7);
    let others = lines(&["tar -cf - -C other .", "tar -cf - -C other deep", "tar cfC - other ."]);
    held(&wrong(&scene, &policy, others.clone(), |it| it.effect != Deny), others.len(), 3);
}
