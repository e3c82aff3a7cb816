//! What the files of a git folder lead to: git opens them by itself, and prints the lines that it does not understand.

use super::moved::allowed_lines;
use super::*;

/// Names that git opens, and some that it may come to open.
const FILES: &[&str] = &[
    "HEAD",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "MERGE_HEAD",
    "MERGE_MSG",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_START",
    "BISECT_LOG",
    "packed-refs",
    "shallow",
    "index",
    "description",
    "info/grafts",
    "info/exclude",
    "info/attributes",
    "info/sparse-checkout",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "objects/pack/pack-1.pack",
    "refs/heads/x",
    "refs/stash",
    "logs/HEAD",
    "logs/refs/stash",
    "rebase-merge/done",
    "rebase-merge/head-name",
    "rebase-merge/onto",
    "rebase-merge/git-rebase-todo",
    "rebase-apply/head-name",
    "sequencer/todo",
    "worktrees/x/gitdir",
    "worktrees/x/HEAD",
    "modules/x/packed-refs",
    "modules/x/objects/info/alternates",
    "rr-cache/ab/preimage",
    "reftable/tables.list",
    "anything/new",
];

/// Folders that are links as a whole.
const FOLDERS: &[&str] =
    &["refs", "info", "objects/info", "objects/pack", "objects/ab", "rebase-merge", "logs"];

const COMMANDS: &[&str] = &[
    "git status",
    "git status --short",
    "git diff",
    "git diff HEAD",
    "git log --oneline",
    "git log -p -- src",
    "git show",
    "git show HEAD:src/a.rs",
    "git branch -a",
    "git blame src/a.rs",
    "git -C src status",
    "cd src && git status",
    "git --no-pager log | head",
    "timeout 5 git status",
    "git ls-files | wc -l",
];

fn set_up() -> Scene {
    let scene = Scene::new();
    scene.repository();
    for folder in [".git/objects/info", ".git/objects/pack", ".git/refs/heads", ".git/info", ".git/logs/refs"]
    {
        std::fs::create_dir_all(scene.root.join(folder)).unwrap();
    }
    std::fs::create_dir_all(scene.root.join("secret/sub")).unwrap();
    std::fs::write(scene.root.join("secret/key"), "KEY").unwrap();
    std::fs::create_dir_all(scene.home.join("outside")).unwrap();
    std::fs::write(scene.home.join("outside/file"), "x").unwrap();
    scene
}

/// Puts a link to `target` in the place of a file, and takes it away again.
fn with_link<T>(scene: &Scene, name: &str, target: &Path, look: impl FnOnce() -> T) -> T {
    let (git, kept) = (scene.root.join(".git"), scene.root.join("kept"));
    let copied = std::process::Command::new("cp").arg("-a").args([&git, &kept]).status().unwrap();
    assert!(copied.success());
    let link = git.join(name);
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    let _ = if link.is_dir() { std::fs::remove_dir_all(&link) } else { std::fs::remove_file(&link) };
    std::os::unix::fs::symlink(target, &link).unwrap();
    let seen = look();
    std::fs::remove_dir_all(&git).unwrap();
    std::fs::rename(&kept, &git).unwrap();
    seen
}

fn commands() -> Vec<String> {
    COMMANDS.iter().map(|line| (*line).to_owned()).collect()
}

/// D2.30, D4.9, D4.11: whoever made the git folder decides what its files are. Attack 76.
#[test]
fn given_a_link_among_the_files_of_a_git_folder_then_no_git_command_only_reads() {
    let scene = set_up();
    let none = Policy { protection: scene.denying(&[]).protection, ..Policy::default() };
    let denied = {
        let mut policy = scene.denying(&["read(secret/**)"]);
        policy.rules = policy.rules.iter().filter(|rule| rule.effect == Deny).cloned().collect();
        policy
    };
    let (key, file, secret) =
        (scene.home.join(".ssh/id_rsa"), scene.home.join("outside/file"), scene.root.join("secret/key"));
    // Beside nothing of the kind, all of them are allowed.
    assert_eq!(allowed_lines(&scene, &[(&none, Mode::Plan)], &commands()), commands());
    // What shows any file is asked about where one is denied.
    let named: Vec<String> = commands()
        .into_iter()
        .filter(|line| !["git diff", "git diff HEAD", "git show"].contains(&&**line))
        .collect();
    assert_eq!(allowed_lines(&scene, &[(&denied, Mode::Auto)], &commands()), named);
    let (mut found, mut count) = (Vec::new(), 0);
    let mut look = |name: &str, target: &Path, policy: &Policy, mode| {
        let lines = commands();
        count += lines.len();
        let allowed = with_link(&scene, name, target, || allowed_lines(&scene, &[(policy, mode)], &lines));
        found.extend(allowed.into_iter().map(|line| format!("{name} -> {}: {line}", target.display())));
    };
    for &name in FILES {
        look(name, &key, &none, Mode::Plan);
        look(name, &key, &none, Mode::Auto);
        look(name, &file, &none, Mode::Plan);
        look(name, &secret, &denied, Mode::Plan);
        look(name, &secret, &denied, Mode::Auto);
    }
    for &name in FOLDERS {
        look(name, &scene.home.join(".ssh"), &none, Mode::Auto);
        look(name, &scene.home.join("outside"), &none, Mode::Plan);
        // Of a folder of objects, git opens what is called as an object is, and shows what is one.
        if name != "objects/ab" {
            look(name, &scene.root.join("secret"), &denied, Mode::Plan);
        }
    }
    held(&found, count, 2_000);
}

/// The same of a folder that git takes for its own. Attack 76.
#[test]
fn given_a_git_folder_that_leads_to_another_repository_then_that_is_read_as_well() {
    let put = |path: PathBuf, text: &str| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let other = |at: &Path| {
        for folder in ["objects/info", "refs"] {
            std::fs::create_dir_all(at.join(folder)).unwrap();
        }
        put(at.join("HEAD"), "ref: refs/heads/main\n");
        put(at.join("config"), "[core]\n\tbare = false\n");
    };
    // How, and whether the other one lies in the session's folder.
    for inside in [false, true] {
        for way in 0..6 {
            let scene = set_up();
            let top = if inside { scene.root.clone() } else { scene.home.clone() };
            let there = top.join("priv/.git");
            other(&there);
            let git = scene.root.join(".git");
            let up = if inside { "priv" } else { "../priv" };
            match way {
                0 => put(git.join("objects/info/alternates"), &format!("{}/objects\n", there.display())),
                1 => put(git.join("objects/info/alternates"), &format!("../../{up}/.git/objects\n")),
                2 => put(git.join("commondir"), &format!("../{up}/.git\n")),
                3 => {
                    std::fs::remove_dir_all(&git).unwrap();
                    put(git, &format!("gitdir: {up}/.git\n"));
                }
                4 => {
                    std::fs::remove_dir_all(&git).unwrap();
                    std::os::unix::fs::symlink(&there, &git).unwrap();
                }
                // By way of a third one.
                _ => {
                    other(&scene.root.join("third"));
                    put(git.join("objects/info/alternates"), "../../third/objects\n");
                    let text = format!("{}/objects\n", there.display());
                    put(scene.root.join("third/objects/info/alternates"), &text);
                }
            }
            let none = Policy { protection: scene.denying(&[]).protection, ..Policy::default() };
            let allowed = allowed_lines(&scene, &[(&none, Mode::Plan)], &commands());
            let expected = if inside { commands() } else { Vec::new() };
            assert_eq!(allowed, expected, "way {way}, inside: {inside}");
        }
    }
}

/// The other side: what ordinary repositories look like. Attack 76.
#[test]
fn given_work_trees_sub_modules_and_links_that_stay_inside_then_git_only_reads() {
    let real = |path: &Path, args: &[&str]| {
        let mut git = std::process::Command::new("git");
        let git = git.current_dir(path).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let of = |name: &str| format!("GIT_{name}_NAME");
        let done = git
            .envs(["AUTHOR", "COMMITTER"].map(|name| (of(name), "a")))
            .envs([("GIT_AUTHOR_EMAIL", "a@example.com"), ("GIT_COMMITTER_EMAIL", "a@example.com")])
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let scene = Scene::new();
    real(&scene.root, &["init", "-q"]);
    real(&scene.root, &["add", "src"]);
    real(&scene.root, &["commit", "-qm", "x"]);
    real(&scene.root, &["worktree", "add", "-q", "tree"]);
    // The session stands in a work tree, whose repository lies elsewhere.
    let main = scene.home.join("main");
    std::fs::create_dir_all(&main).unwrap();
    real(&main, &["init", "-q"]);
    real(&main, &["commit", "-qm", "x", "--allow-empty"]);
    let branch = |scene: &Scene| Policy { protection: scene.denying(&[]).protection, ..Policy::default() };
    let lines =
        ["git status", "git log --oneline", "git diff", "cd tree && git status", "git -C tree log -3"];
    let lines: Vec<String> = lines.map(str::to_owned).to_vec();
    assert_eq!(allowed_lines(&scene, &[(&branch(&scene), Mode::Plan)], &lines), lines);
    std::fs::create_dir_all(scene.root.join("hook")).unwrap();
    std::fs::remove_dir_all(scene.root.join(".git/hooks")).unwrap();
    scene.link("../hook", ".git/hooks");
    std::fs::remove_file(scene.root.join(".git/HEAD")).unwrap();
    scene.link("refs/heads/master", ".git/HEAD");
    assert_eq!(allowed_lines(&scene, &[(&branch(&scene), Mode::Plan)], &lines), lines);

    let away =
        Scene { root: scene.home.join("away"), home: scene.home.clone(), _dir: tempfile::tempdir().unwrap() };
    real(&main, &["worktree", "add", "-q", away.root.to_str().unwrap()]);
    let lines = ["git status", "git log --oneline", "git diff", "git show"].map(str::to_owned).to_vec();
    assert_eq!(allowed_lines(&away, &[(&branch(&away), Mode::Plan)], &lines), lines);
    // It is another one's.
    std::fs::write(main.join(".git/worktrees/away/gitdir"), "/somewhere/else/.git\n").unwrap();
    assert_eq!(allowed_lines(&away, &[(&branch(&away), Mode::Plan)], &lines), Vec::<String>::new());
}
