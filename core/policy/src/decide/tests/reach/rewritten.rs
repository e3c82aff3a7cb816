//! Files that a command changes though no word names them.

use super::*;

/// Commands that change files anywhere below the workspace.
const REWRITE: &[&str] = &[
    "git reset --hard",
    "git reset --hard HEAD~1",
    "git reset --merge x",
    "git checkout HEAD",
    "git checkout .",
    "git checkout -f",
    "git checkout -b x origin/main",
    "git switch main",
    "git switch -",
    "git switch -c x origin/main",
    "git checkout main",
    "git checkout main --",
    "git checkout packed",
    "git checkout theirs",
    "git stash pop -q",
    "git stash branch x",
    "tar xf a.tar --strip-components=1 x/",
    "tar xf a.tar -C src -C ..",
    "unzip -j a.zip x/y",
    "7z e a.7z x",
    "git restore .",
    "git restore -s HEAD~1 .",
    "git stash",
    "git stash pop",
    "git stash apply",
    "git stash push -u",
    "git clean -fdx",
    "git clean -f",
    "git apply a.patch",
    "git apply < a.patch",
    "git am a.patch",
    "git am --continue",
    "git merge x",
    "git merge --abort",
    "cargo fmt",
    "cargo fmt --all -- --emit files",
    "cargo fix --allow-dirty",
    "cargo clippy --fix --allow-dirty",
    "go fmt",
    "go fmt ./...",
    "go fmt ./src",
    "go fix ./...",
    "deno fmt",
    "deno fmt .",
    "deno lint --fix",
    "dotnet format",
    "dotnet format app.sln",
    "git rebase main",
    "git rebase --continue",
    "git cherry-pick a1b2c3",
    "git revert HEAD",
    "git pull",
    "git pull --rebase origin main",
    "git bisect good",
    "git submodule update --init",
    "git worktree add .",
    "gh pr checkout 12",
    "unzip a.zip",
    "unzip -o a.zip",
    "unzip a.zip -d .",
    "tar xf a.tar",
    "tar -xzf a.tgz",
    "tar --extract --file=a.tar",
    "tar xf a.tar -C .",
    "bsdtar -xf a.tar",
    "7z x a.7z",
    "7z x a.7z -o.",
    "cpio -i < a",
    "cpio -idm < a",
    "patch < a",
    "patch -p1 < a",
    "patch -p1 -i a",
    "black .",
    "isort .",
    "ruff format .",
    "ruff format",
    "ruff check --fix .",
    "prettier --write .",
    "eslint --fix .",
    "gofmt -w .",
    "rsync -a x/ .",
    "rsync -r h:x .",
    "cp -r x/. .",
    "cp -a x/ .",
    "cd src && git reset --hard",
    "cd src && git pull",
    "sudo unzip a.zip",
    "timeout 9 tar xf a.tar",
    "bash -c 'git checkout main'",
];

/// A denied write is reached by what writes anywhere below. Attacks 223 and 587.
#[test]
fn given_a_denied_write_then_what_changes_anything_below_is_not_allowed() {
    let scene = Scene::new();
    scene.repository();
    std::fs::create_dir(scene.root.join("x")).unwrap();
    // What is called as a branch or a verb is no path for that.
    for name in ["main", "pop", "apply", "packed", "theirs"] {
        std::fs::write(scene.root.join(name), "").unwrap();
    }
    for branch in ["heads/main", "remotes/origin/theirs"] {
        let file = scene.root.join(".git/refs").join(branch);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "").unwrap();
    }
    std::fs::write(scene.root.join(".git/packed-refs"), "# x\n0123 refs/heads/packed\n").unwrap();
    let (mut found, mut count) = (Vec::new(), 0);
    for pattern in
        ["write(.github/**)", "write(src/gen/**)", "write(.env)", "write(**/*.yml)", "edit(./Cargo.lock)"]
    {
        let policy = scene.denying(&[pattern]);
        count += REWRITE.len();
        let lines = REWRITE.iter().map(|line| (*line).to_owned());
        let of_pattern = wrong(&scene, &policy, lines, |decision| decision.effect != Allow);
        found.extend(of_pattern.into_iter().map(|line| format!("{pattern}: {line}")));
    }
    held(&found, count, 300);
    let policy = scene.denying(&["write(.github/**)"]);
    for line in [
        "git init .github",
        "git clone https://h.example/x .github",
        "git clone https://h.example/.github.git",
    ] {
        assert!(loosest(&policy, &scene.shell(line)).effect > Allow, "{line}");
    }
}

/// The same: no effect where nothing below is denied or asked about, and none of what changes nothing. Attack 223.
#[test]
fn given_no_denied_write_below_then_what_changes_files_is_as_quiet_as_before() {
    let scene = Scene::new();
    scene.repository();
    let before = scene.denying(&[]);
    let elsewhere = scene.denying(&["write(/srv/**)", "write(~/.bashrc)", "read(~/.ssh/**)"]);
    let quiet: Vec<String> = REWRITE
        .iter()
        .filter(|line| loosest(&before, &scene.shell(line)).effect == Allow)
        .map(|line| (*line).to_owned())
        .collect();
    let count = quiet.len();
    held(&wrong(&scene, &elsewhere, quiet, |decision| decision.effect == Allow), count, 40);
    let policy = scene.denying(&["write(.github/**)", "write(.env)", "write(**/*.yml)"]);
    let lines = [
        "git checkout -b x",
        "git switch -c x",
        "git checkout -- src/a.rs",
        "git checkout HEAD -- src/a.rs",
        "git checkout src/a.rs",
        "git restore src/a.rs",
        "git reset",
        "git reset --soft HEAD~1",
        "git stash list",
        "git stash push -- src/a.rs",
        "git clean -n",
        "git clean -f src/a.rs",
        "git commit -m x",
        "git add src/a.rs",
        "git fetch",
        "git push",
        "git branch x",
        "unzip -l a.zip",
        "tar tf a.tar",
        "tar cf a.tar src/a.rs",
        "7z l a.7z",
        "patch --dry-run -p1 < a",
        "black src/a.rs",
        "black --check .",
        "ruff format --diff .",
        "prettier --write src/a.rs",
        "cargo fmt --check",
        "cargo clippy",
        "go fmt -n ./...",
        "deno fmt --check",
        "dotnet format --verify-no-changes",
        "cp src/a.rs out/",
    ];
    let count = lines.len();
    let quiet: Vec<String> = lines
        .iter()
        .filter(|line| loosest(&before, &scene.shell(line)).effect == Allow)
        .map(|line| (*line).to_owned())
        .collect();
    assert!(quiet.len() + 3 >= count, "{quiet:?}");
    held(&wrong(&scene, &policy, quiet, |decision| decision.effect == Allow), count, 25);
}
