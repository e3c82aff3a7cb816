//! What a program is told by something that no word names: files of the folder (D2.30), a number's letters (D2.31), the pipe that a
//! script feeds it by (D2.27).

use super::*;

fn scene() -> Scene {
    let scene = Scene::new();
    for file in ["a.txt", "a.gz", "a.xz", "a.zst", "a.bz2", "chk.txt", "names"] {
        std::fs::write(scene.root.join(file), "x").unwrap();
    }
    scene
}

/// Nothing is allowed by a rule.
fn denials(scene: &Scene, denied: &[&str]) -> Policy {
    let mut policy = scene.denying(denied);
    policy.rules = policy.rules.iter().filter(|rule| rule.effect == Deny).cloned().collect();
    policy
}

/// Those of the lines that are allowed in mode auto or plan, with or without a rule that allows every command.
fn let_through(scene: &Scene, denied: &[&str], lines: &[&str]) -> Vec<String> {
    let all = scene.denying(denied);
    let denials = denials(scene, denied);
    let allowed = |line: &&&str| {
        [(&all, Mode::Auto), (&denials, Mode::Auto), (&denials, Mode::Plan)]
            .into_iter()
            .any(|(policy, mode)| in_mode(policy, &scene.shell(line), mode).effect == Allow)
    };
    lines.iter().filter(allowed).map(|line| (*line).to_owned()).collect()
}

/// Those that are asked about or denied in mode plan, where nothing but this is denied.
fn not_quiet(scene: &Scene, denied: &[&str], lines: &[&str]) -> Vec<String> {
    let policy = denials(scene, denied);
    let loud = |line: &&&str| in_mode(&policy, &scene.shell(line), Mode::Plan).effect != Allow;
    lines.iter().filter(loud).map(|line| (*line).to_owned()).collect()
}

/// D2.31, attack 594: a name that is written or read by a letter behind a number is denied as any other.
#[test]
fn given_a_letter_behind_a_number_then_what_it_names_is_judged() {
    let scene = scene();
    let through = let_through(
        &scene,
        &["write(.git/**)", "write(.env)"],
        &[
            "zstd -dc -T1o .git/hooks/pre-commit a.zst",
            "unzstd -c -T1fo .env a.zst",
            "zstd -dcT1fo .env a.zst",
            "zstd -dc -of .env a.zst",
            "zstd -dc -o=.env a.zst",
            "timeout 5 zstd -dc -M1Mfo .env a.zst",
            "zstd -dc -vT2o .env a.zst",
            "zstd -dc -M1o .env a.zst",
            "zstd -dc -B1o .env a.zst",
            "zstd -dc -1o .env a.zst",
            "zstd -dc -To .env a.zst",
            "zstd -dc -T1 -o .env a.zst",
        ],
    );
    assert_eq!(through, Vec::<String>::new());
    let through = let_through(
        &scene,
        &["read(.env)"],
        &[
            "ls -a | ack -A1x SECRET",
            "git ls-files | ack -A1x SECRET",
            "ls -a | ack -C1x SECRET",
            "ls -a | ack -B1x SECRET",
            "cat names | ack -A3x .",
            "ls -a | ack -x SECRET",
            "ack --files-from=names SECRET",
            "shasum -a256c chk.txt",
            "shasum -ba256c chk.txt",
        ],
    );
    assert_eq!(through, Vec::<String>::new());
    let writing =
        ["zstd -l -Tz f", "zstd -l -T0z f", "zstd -t -T0z f", "zstd -l -T1d a.zst", "unzstd -t -T0d a.zst"];
    assert_eq!(not_quiet(&scene, &[], &writing), writing);
    let quiet = [
        "zstd -dc -T0 a.zst",
        "zstd -dcT1 a.zst",
        "zstd -l a.zst",
        "zstd -t -v a.zst",
        "ls | ack -A1 x",
        "ls | ack -A1i x",
        "ack -A1i x a.txt",
        "shasum -a256 a.txt",
        "tree -L2 src",
    ];
    assert_eq!(not_quiet(&scene, &["read(.env)"], &quiet), Vec::<String>::new());
}

/// D2.30, attack 595: options that stand in a file of the folder, or of one above.
#[test]
fn given_a_file_of_options_in_the_folder_then_the_program_that_obeys_it_is_no_reader() {
    let lines =
        ["ack alpha a.txt", "ack alpha", "ack -i alpha src", "cd src && ack alpha a.rs", "ack --version"];
    for name in [".ackrc", "_ackrc"] {
        let scene = scene();
        assert_eq!(not_quiet(&scene, &[], &lines), Vec::<String>::new());
        std::fs::write(scene.root.join(name), "--files-from=.env\n").unwrap();
        let quiet = not_quiet(&scene, &[], &lines);
        assert_eq!(quiet, lines, "{name}");
        // Others do not obey it.
        let others = ["grep alpha a.txt", "rg alpha a.txt", "cat a.txt"];
        assert_eq!(not_quiet(&scene, &[], &others), Vec::<String>::new());
        std::fs::remove_file(scene.root.join(name)).unwrap();
        // It can't be told what it says.
        scene.link("nowhere", name);
        assert_eq!(not_quiet(&scene, &[], &lines), lines, "{name}");
    }
    let scene = scene();
    std::fs::write(scene.root.join("tokei.toml"), "hidden = true\n").unwrap();
    assert_eq!(not_quiet(&scene, &[], &["tokei", "tokei src"]), ["tokei", "tokei src"]);
    // An earlier command may have made it.
    std::fs::remove_file(scene.root.join("tokei.toml")).unwrap();
    let mut writing = scene.denying(&[]);
    writing.rules = writing.rules.iter().skip(1).cloned().collect();
    for (line, judged) in [
        ("echo --files-from=.env > .ackrc; ack alpha", Ask),
        ("echo --files-from=.env > _ackrc && cd src && ack alpha a.rs", Ask),
        ("echo x > config; ack alpha", Allow),
        ("echo x > a.txt; ack alpha a.txt", Allow),
    ] {
        assert_eq!(effect(&writing, &scene.shell(line)), judged, "{line}");
    }
    // In whatever mode, what the file may name counts.
    let lines = ["echo x > .ackrc; ack alpha a.txt", "cp names _ackrc && ack --new alpha a.txt"];
    assert_eq!(let_through(&scene, &["read(.env)"], &lines), Vec::<String>::new());
    std::fs::write(scene.root.join(".ackrc"), "--files-from=.env\n").unwrap();
    let lines = ["ack alpha a.txt", "ack --new alpha a.txt", "cd src && ack alpha a.rs"];
    assert_eq!(let_through(&scene, &["read(.env)"], &lines), Vec::<String>::new());
}

/// D2.27, attack 596: a script that feeds its operand to `grep` by a pipe has it search the folder at hand.
#[test]
fn given_a_search_that_is_fed_by_a_pipe_then_it_goes_through_the_folder_at_hand() {
    let scene = scene();
    let lines = [
        "zgrep -drecurse SECRET a.gz",
        "zgrep -d recurse SECRET a.gz",
        "zgrep --directories=recurse SECRET a.gz",
        "zgrep --directories=rec SECRET a.gz",
        "zgrep --dereference-recursive SECRET a.gz",
        "zgrep --deref SECRET a.gz",
        "zgrep SECRET a.gz --dereference-recursive",
        "zgrep -e SECRET --dereference-recursive a.gz",
        "zegrep -drecurse SECRET a.gz",
        "xzgrep --dereference-recursive SECRET a.xz",
        "xzgrep -drecurse SECRET a.xz",
        "cat a.gz | zgrep -drecurse SECRET",
        "cat a.gz | zgrep -drecurse SECRET -",
        "bzgrep -R SECRET a.bz2",
        "bzgrep -nR SECRET a.bz2",
        "zipgrep -r SECRET a.zip",
        "timeout 5 zgrep -drecurse SECRET a.gz",
    ];
    assert_eq!(let_through(&scene, &["read(.env)"], &lines), Vec::<String>::new());
    let quiet = [
        "zgrep SECRET a.gz",
        "zgrep -i -A1 SECRET a.gz",
        "zgrep -dskip SECRET a.gz",
        "zgrep -c SECRET a.gz src/a.rs",
        "xzgrep SECRET a.xz",
        "cat a.gz | zgrep SECRET",
    ];
    assert_eq!(not_quiet(&scene, &["read(.env)"], &quiet), Vec::<String>::new());
    assert_eq!(not_quiet(&scene, &[], &["zgrep -drecurse SECRET a.gz"]), Vec::<String>::new());
}

/// D2.30, attack 597: what is told of the repository above is found by a git that obeys the configuration of that one.
#[test]
fn given_an_option_that_looks_into_the_repository_above_then_that_one_counts_too() {
    let scene = scene();
    scene.repository();
    let nest = scene.root.join("sub/nest");
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(nest.join(".git").join(folder)).unwrap();
    }
    std::fs::create_dir_all(nest.join("deep")).unwrap();
    std::fs::write(nest.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(nest.join(".git/config"), "[core]\n\tbare = false\n").unwrap();
    let config = scene.root.join(".git/config");
    let clean = std::fs::read_to_string(&config).unwrap();
    let lines = [
        "cd sub/nest && git rev-parse --show-superproject-working-tree",
        "cd sub/nest/deep && git rev-parse --show-superproject-working-tree",
        "cd sub/nest && git rev-parse --show-toplevel --show-superproject-working-tree",
        "cd sub/nest && git --no-pager rev-parse --show-superproject-working-tree --git-dir",
        "git -C sub/nest rev-parse --show-superproject-working-tree",
    ];
    let own = ["cd sub/nest && git rev-parse --show-toplevel", "cd sub/nest && git status"];
    assert_eq!(not_quiet(&scene, &[], &lines), Vec::<String>::new());
    std::fs::write(&config, "[core]\n\tfsmonitor = touch x; true\n").unwrap();
    assert_eq!(not_quiet(&scene, &[], &lines), lines);
    assert_eq!(not_quiet(&scene, &[], &own), Vec::<String>::new());
    // Also one that is further up than the one that git comes to first.
    std::fs::write(&config, &clean).unwrap();
    let home = scene.home.join(".git");
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
    }
    std::fs::write(home.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(home.join("config"), "[core]\n\tfsmonitor = x\n").unwrap();
    let top = ["git rev-parse --show-superproject-working-tree"];
    assert_eq!(not_quiet(&scene, &[], &top), top);
    assert_eq!(not_quiet(&scene, &[], &own), Vec::<String>::new());
}

/// D4.8, D2.28, attack 598: git takes no option behind the first operand of `git config`.
#[test]
fn given_an_option_behind_a_key_then_the_key_is_set_to_it() {
    let scene = scene();
    scene.repository();
    let set = [
        "git config user.name --get",
        "git config user.name --default=EVIL --get",
        "git config user.email --bool",
        "git config remote.origin.url --get",
        "git config --global user.email --get",
        "git config core.bare --get",
        "git config user.name --list",
        "git config --local user.name -l",
    ];
    assert_eq!(not_quiet(&scene, &[], &set), set);
    let all = scene.denying(&[]);
    let run = ["core.hooksPath", "core.pager", "alias.x", "core.fsmonitor"];
    for key in run {
        for option in ["--get", "--get-all", "-l", "--list", "--unset"] {
            let line = format!("git config {key} {option}");
            let decided = in_mode(&all, &scene.shell(&line), Mode::Auto);
            assert_eq!(decided.effect, Ask, "{line}");
        }
    }
    for line in [
        "git config --get core.hooksPath",
        "git config get core.hooksPath",
        "git config --unset core.hooksPath",
    ] {
        assert_eq!(in_mode(&all, &scene.shell(line), Mode::Auto).effect, Allow, "{line}");
    }
    let quiet = [
        "git config --get user.name",
        "git config user.name",
        "git config --default x --get user.name",
        "git config --global --get user.email",
        "git config get user.name",
        "git config --bool core.bare",
    ];
    assert_eq!(not_quiet(&scene, &[], &quiet), Vec::<String>::new());
}
