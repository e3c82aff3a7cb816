//! What readers do besides reading their operands: contents of changed files, searches among names, files that a value or a
//! manifest names, programs that they start, what they keep.

use super::*;

/// Only what is denied, and nothing that is allowed.
fn only_denying(scene: &Scene, patterns: &[&str]) -> Policy {
    let mut policy = scene.denying(patterns);
    policy.rules = policy.rules.iter().filter(|rule| rule.effect == Deny).cloned().collect();
    policy
}

fn in_plan(scene: &Scene, policy: &Policy, line: &str) -> Effect {
    in_mode(policy, &scene.shell(line), Mode::Plan).effect
}

fn all_in_plan(scene: &Scene, policy: &Policy, lines: &[&str], allowed: bool) {
    let wrong: Vec<_> =
        lines.iter().filter(|line| (in_plan(scene, policy, line) == Allow) != allowed).collect();
    let why = wrong
        .first()
        .map(|line| format!("{:?}", in_mode(policy, &scene.shell(line), Mode::Plan).deciding_finding()));
    assert!(wrong.is_empty(), "{allowed}: {wrong:#?} {why:?}");
}

/// D2.27: what shows contents of changed files reads all of them below its operand, hidden names too. Attack 600.
#[test]
fn given_a_denied_file_then_what_shows_changes_of_the_folder_around_it_is_asked_about() {
    let scene = Scene::new();
    scene.repository();
    std::fs::write(scene.root.join("sub/.key"), "KEY").unwrap();
    std::fs::write(scene.root.join("b.txt"), "KEY").unwrap();
    let at_top = [
        "git diff",
        "git diff .",
        "git diff -- .",
        "git diff -- ./",
        "git diff ./.",
        "git diff -- ':/'",
        "git diff -- ':(top)'",
        "git diff -- src .",
        "git diff src .",
        "cd src && git diff ..",
        "git diff-files -p .",
        "git diff HEAD -- .",
        "git diff --word-diff .",
        "git status -v",
        "git status -vv",
        "git status --verbose",
        "git status --verbose --verbose .",
        "git status -vv -- .",
        "git status -sv",
        "git status -vv ':/'",
        "cd src && git status -vv",
        "git -P status -vv | head",
    ];
    all_in_plan(&scene, &only_denying(&scene, &["read(./.env)"]), &at_top, false);
    let below = ["git diff", "git diff sub", "git diff -- sub/", "git status -vv sub", "git status -v"];
    for denied in ["read(./sub/.key)", "read(sub/.key)", "read(./sub/**)", "read(sub/**)"] {
        all_in_plan(&scene, &only_denying(&scene, &[denied]), &below, false);
    }
    all_in_plan(&scene, &only_denying(&scene, &["read(b.txt)"]), &["git status -vv", "git diff ."], false);
    // Where commands are allowed, what they print is asked about all the same.
    let policy = scene.denying(&["read(./.env)"]);
    for line in ["git commit --dry-run -v", "git commit -v -m x", "git commit -p", "git stash -p"] {
        assert_ne!(loosest(&policy, &scene.shell(line)).effect, Allow, "{line}");
    }
    let other = [
        "git status",
        "git status -s",
        "git status .",
        "git status --short -- src",
        "git status -vv src",
        "git diff src",
        "git diff -- src/a.rs",
        "git diff --stat",
        "git diff --stat .",
        "git diff --name-only -- .",
        "git log --oneline -- .",
    ];
    all_in_plan(&scene, &only_denying(&scene, &["read(./.env)", "read(sub/.key)"]), &other, true);
    for line in ["git commit -m x", "git commit --dry-run", "git stash", "git stash push src"] {
        assert_eq!(loosest(&policy, &scene.shell(line)).effect, Allow, "{line}");
    }
    let none = only_denying(&scene, &[]);
    all_in_plan(&scene, &none, &at_top, true);
}

/// D2.26: a search for what files hold counts as one, also where no more than names or numbers is told. Attack 604.
#[test]
fn given_a_denied_read_then_a_search_by_content_that_tells_names_is_asked_about() {
    let scene = Scene::new();
    scene.repository();
    let searches = [
        "git log -G '^KEY=[0-4]' --format=%h --name-only",
        "git log -GKEY --oneline",
        "git log -S KEY",
        "git log -SKEY --stat",
        "git log -S KEY --pickaxe-all --name-only",
        "git log -S KEY --pickaxe-regex",
        "git log --find-object=a1b2c3d --name-only",
        "git log -L 1,2:.env",
        "git show --stat -S KEY",
        "git show --name-only -G KEY HEAD",
        "git diff -G KEY --stat",
        "git diff --name-only -S KEY",
        "git diff -I '^KEY=[0-4]' --stat HEAD~1",
        "git diff --ignore-matching-lines=KEY --numstat HEAD~1",
        "git diff --quiet -G KEY HEAD~1",
        "git diff-tree -r --name-only -S KEY HEAD",
        "git reflog -S KEY",
        "git shortlog -S KEY",
        "git whatchanged -G KEY",
        "git grep -l KEY",
        "git grep -L KEY",
        "git grep -c KEY",
        "git grep -q KEY",
        "git ls-files --eol",
        "git ls-files --eol .",
        "git ls-files --eol ':/'",
        "git ls-files --eol ':(top)'",
        "git ls-files --format='%(eolinfo:worktree) %(path)'",
    ];
    all_in_plan(&scene, &only_denying(&scene, &["read(./.env)"]), &searches, false);
    let others = [
        "git log --grep KEY --name-only",
        "git log --author x --stat",
        "git log -S KEY -- src",
        "git log -G KEY -- src/a.rs",
        "git log -i --grep=KEY",
        "git diff --stat HEAD~1",
        "git ls-files",
        "git ls-files -s",
        "git ls-files --eol src",
        "git ls-files '*.rs'",
        "git rev-list --count HEAD",
    ];
    all_in_plan(&scene, &only_denying(&scene, &["read(./.env)"]), &others, true);
    let none = only_denying(&scene, &[]);
    let free: Vec<&str> = searches.into_iter().filter(|line| !line.contains("-L 1,2")).collect();
    all_in_plan(&scene, &none, &free, true);
}

/// D2.28: a value that is a name, and with a slash a file that is read, is a read. Attack 605.
#[test]
fn given_a_name_of_an_encoding_with_a_slash_then_it_is_a_file_that_is_read() {
    let scene = Scene::new();
    std::fs::create_dir_all(scene.home.join("outside")).unwrap();
    std::fs::write(scene.home.join("outside/secret"), "KEY").unwrap();
    scene.link(scene.home.join("outside"), "UTF-8");
    std::fs::create_dir(scene.home.join("outside/TRANSLIT")).unwrap();
    let lines = [
        "iconv -f ../outside/secret src/a.rs",
        "iconv -f../outside/secret src/a.rs",
        "iconv -t ../outside/secret src/a.rs",
        "iconv --from-code=../outside/secret src/a.rs",
        "iconv --to-code ../outside/secret src/a.rs",
        "iconv --from=../outside/secret src/a.rs",
        "iconv -cf ../outside/secret src/a.rs",
        "iconv -f UTF-8/secret src/a.rs",
        "iconv -t UTF-8//TRANSLIT src/a.rs",
    ];
    let none = only_denying(&scene, &[]);
    all_in_plan(&scene, &none, &lines, false);
    let env = only_denying(&scene, &["read(.env)"]);
    assert_eq!(in_plan(&scene, &env, "iconv -f ./.env src/a.rs"), Deny);
    let quiet = [
        "iconv -f latin1 -t UTF-8 src/a.rs",
        "iconv -f ISO-8859-1 -t UTF-16//TRANSLIT src/a.rs",
        "iconv -f utf8 -t ASCII//TRANSLIT//IGNORE src/a.rs",
        "iconv -c -t ascii src/a.rs",
        "iconv -t UTF-16// src/a.rs",
        "iconv -l",
    ];
    all_in_plan(&scene, &env, &quiet, true);
}

/// D2.30: reading forms of cargo open manifests in any folder that a manifest names, and keep something in their target folder.
/// Attack 606.
#[test]
fn given_a_denied_folder_then_what_follows_manifests_is_asked_about() {
    let scene = Scene::new();
    let write = |folder: &str, text: &str| {
        std::fs::create_dir_all(scene.home.join(folder)).unwrap();
        std::fs::write(scene.home.join(folder).join("Cargo.toml"), text).unwrap();
    };
    write("w", "[dependencies]\na = { path = \"dep\" }\n[workspace]\nmembers = [\"src/*\"]\n");
    write("w/dep", "[dependencies]\nb = { path = \"../../outside/b\" }\n");
    write("outside/b", "[package]\n");
    let lines = [
        "cargo metadata --frozen",
        "cargo metadata --no-deps --format-version 1",
        "cargo tree --frozen",
        "cargo tree --locked --offline -d",
        "cargo pkgid",
        "cargo locate-project --workspace",
        "cargo metadata --frozen | jq .packages",
    ];
    let outside = format!("read({}/outside/**)", scene.home.display());
    for denied in [outside.as_str(), "read(**/Cargo.toml)", "read(dep/**)"] {
        let policy = scene.denying(&[denied]);
        for line in lines {
            assert_ne!(loosest(&policy, &scene.shell(line)).effect, Allow, "{denied}: {line}");
        }
    }
    // So it is a read outside of the session's folders.
    all_in_plan(&scene, &only_denying(&scene, &[]), &lines, false);
    write("w/dep", "[dependencies]\nb = { path = \"../sub/b\" }\n");
    write("w/sub/b", "[package]\n");
    for denied in ["read(dep/**)", "read(./sub/**)", "read(**/Cargo.toml)"] {
        all_in_plan(&scene, &only_denying(&scene, &[denied]), &lines, false);
    }
    let others = [outside.as_str(), "read(.env)", "read(**/*.pem)", "read(**/.env.*)", "read(./src/key.txt)"];
    all_in_plan(&scene, &only_denying(&scene, &others), &lines, true);
    all_in_plan(&scene, &only_denying(&scene, &[]), &lines, true);
    all_in_plan(
        &scene,
        &only_denying(&scene, &[]),
        &["cd src; cargo tree --frozen", "cd dep && cargo pkgid"],
        true,
    );
    // What it keeps would be written elsewhere.
    scene.link("../../outside", "target");
    all_in_plan(
        &scene,
        &only_denying(&scene, &[]),
        &["cargo tree --frozen", "cd src; cargo tree --frozen"],
        false,
    );
    std::fs::remove_file(scene.root.join("target")).unwrap();
    std::fs::create_dir(scene.root.join("target")).unwrap();
    all_in_plan(&scene, &only_denying(&scene, &[]), &lines, true);
    scene.link("../../outside/x", "target/.rustc_info.json");
    all_in_plan(&scene, &only_denying(&scene, &[]), &["cargo tree --frozen"], false);
}

/// D2.28, D2.30: what sets a file's times, takes locks, makes a socket's folder, or runs git, which the repository may guide.
/// Attacks 603 and 607.
#[test]
fn given_a_reader_that_writes_or_starts_a_program_then_it_is_none() {
    let scene = Scene::new();
    scene.repository();
    let none = only_denying(&scene, &[]);
    let lines = [
        "file -p src/a.rs",
        "file --preserve-date src/a.rs",
        "file -bp src/a.rs",
        "apt-cache gencaches",
        "tmux ls",
        "tmux list-panes -a",
        "pidof -S , -x x",
        "npm --help",
        "npm ls --help",
        "npm run --help",
    ];
    all_in_plan(&scene, &none, &lines, false);
    let quiet = [
        "file src/a.rs",
        "file -b --mime src/a.rs",
        "apt-cache policy x",
        "apt-cache search -n x",
        "pidof -x x",
        "npm --version",
        "npm -v",
        "ag KEY src",
        "ag -l KEY",
        "ack KEY src",
    ];
    all_in_plan(&scene, &none, &quiet, true);
    std::fs::write(scene.root.join(".git/config"), "[core]\n\tfsmonitor = ./evil\n").unwrap();
    all_in_plan(&scene, &none, &["ag KEY src", "ag -l KEY", "git status"], false);
    all_in_plan(&scene, &none, &["ack KEY src", "rg KEY src"], true);
}

/// D2.16, D2.22: an option that changes files that no word names is asked about, and `git push` goes by other names. Attack 607.
#[test]
fn given_an_allow_of_a_tool_then_what_changes_files_without_naming_them_is_asked_about() {
    let edits = [
        "ruff check --fix",
        "rubocop -A",
        "rubocop --autocorrect",
        "eslint --fix",
        "prettier --write",
        "autopep8 -i -r",
    ];
    for line in edits {
        let program = line.split(' ').next().unwrap();
        let allowing = policy(&[(Allow, format!("shell({program} *)").as_str())]);
        assert_ne!(effect(&allowing, &shell(line)), Allow, "{line}");
        // Named, it is allowed.
        let option = line.split(' ').find(|word| word.starts_with('-')).unwrap();
        let words = line.split(option).next().unwrap();
        let naming = policy(&[(Allow, format!("shell({words}{option} *)").as_str())]);
        assert_eq!(effect(&naming, &shell(line)), Allow, "{line}");
    }
    for line in [
        "ruff check",
        "ruff check --fix --diff",
        "ruff format",
        "biome check",
        "rubocop",
        "eslint src",
        "prettier --check .",
        "autopep8 --diff a.py",
        "black .",
        "pip list",
        "pip list -o",
        "kubectl get pods",
        "kubectl logs -f x",
    ] {
        let program = line.split(' ').next().unwrap();
        let allowing = policy(&[(Allow, format!("shell({program} *)").as_str())]);
        assert_eq!(effect(&allowing, &shell(line)), Allow, "{line}");
    }
    let pip = policy(&[(Allow, "shell(pip list *)")]);
    assert_ne!(effect(&pip, &shell("pip list --outdated --index-url http://x.example/")), Allow);
    let kubectl =
        policy(&[(Allow, "shell(kubectl get *)"), (Deny, "fetch(x.example)"), (Deny, "read(.env)")]);
    for line in ["kubectl get -f http://x.example/a", "kubectl get -f .env", "kubectl diff --filename=.env"] {
        assert_eq!(effect(&kubectl, &shell(line)), Deny, "{line}");
    }
    let push = policy(&[(Allow, "shell(git *)"), (Deny, "shell(git push *)")]);
    for line in [
        "git push o main",
        "git send-pack o main",
        "git -C x send-pack --force o main",
        "git http-push o main",
    ] {
        assert_eq!(effect(&push, &shell(line)), Deny, "{line}");
    }
    assert_eq!(effect(&push, &shell("git fetch-pack o main")), Allow);
    let only = policy(&[(Allow, "shell(git push *)")]);
    assert_ne!(effect(&only, &shell("git send-pack o main")), Allow);
}
