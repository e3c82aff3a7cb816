//! Paths that leave nothing out: options of git's that show more, and names of what a file held.

use super::*;

fn git(scene: &Scene, words: &[&str]) -> String {
    let mut command = std::process::Command::new("git");
    let by = ["-c", "user.email=a@b", "-c", "user.name=n", "-c", "commit.gpgsign=false"];
    command.args(by).args(words).current_dir(&scene.root).env("HOME", &scene.home);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{words:?} {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// A repository in which `.env` was once, with this many commits after that.
fn scene() -> Scene {
    let scene = Scene::new();
    git(&scene, &["init", "-q", "-b", "main"]);
    std::fs::write(scene.root.join(".env"), "KEY=1\n").unwrap();
    std::fs::write(scene.root.join("a.txt"), "a\n").unwrap();
    git(&scene, &["add", "-A"]);
    git(&scene, &["commit", "-qm", "one"]);
    git(&scene, &["rm", "-qf", "--cached", ".env"]);
    git(&scene, &["commit", "-qm", "two"]);
    scene
}

fn asks(scene: &Scene, lines: Vec<String>) {
    let count = lines.len();
    held(
        &wrong(scene, &scene.denying(&["read(.env)"]), lines, |decision| decision.effect > Allow),
        count,
        count,
    );
}

fn allows(scene: &Scene, lines: Vec<String>) {
    let count = lines.len();
    let policy = scene.denying(&["read(.env)"]);
    held(&wrong(scene, &policy, lines, |decision| decision.effect == Allow), count, count);
}

/// D2.27: what an option shows besides what lies at the paths. Attack 680.
#[test]
fn given_an_option_that_shows_more_than_the_paths_then_the_whole_past_counts() {
    let scene = scene();
    let lines = [
        "git log --full-diff -p a.txt",
        "git log --full-diff -p -- src",
        "git log --full-diff --stat -p -- src",
        "git log --cc --full-diff -- a.txt",
        "git log --follow -p a.txt",
        "git log -p --follow -- src/a.rs",
        "git show --full-diff HEAD~1 -- a.txt",
        "git show --full-diff HEAD -- 'src/*'",
        "git whatchanged --full-diff -p a.txt",
        "git reflog --full-diff -p -- a.txt",
        "git stash list --full-diff -p -- a.txt",
        "git format-patch --stdout --root --full-diff HEAD -- src",
        "git diff-tree -p --full-diff HEAD~1 -- a.txt",
        "git unpack-file HEAD",
        "git show HEAD HEAD:a.txt",
        "git log -p HEAD HEAD:a.txt",
        "git show HEAD :a.txt",
        "git show :0:a.txt HEAD",
        "git show 'HEAD@{12:00}'",
        "git show 'HEAD^{/one: two}'",
        "git log -p -- '\\.env'",
        "git show HEAD -- '.\\env' a.txt",
        "git log -p -- ':(top)\\.env'",
    ];
    asks(&scene, lines.map(str::to_owned).into());
    let quiet = [
        "git log --full-diff --stat -- src",
        "git log --follow --oneline -- a.txt",
        "git log --follow --name-only a.txt",
        "git log -p --full-history -- a.txt",
        "git log -p --pickaxe-all -- a.txt",
        "git show HEAD:a.txt",
        "git show :a.txt",
        "git show :0:a.txt",
        "git diff HEAD:a.txt HEAD~1:a.txt",
        "git cat-file blob HEAD:a.txt",
        "git cat-file -p HEAD:a.txt",
        "git show HEAD~1 HEAD:a.txt -- a.txt",
        "git log -p -- 'src/*'",
        "git log -p -- 'src/*.rs'",
        "git diff HEAD~1 -- 'src/*.rs' a.txt",
        "git log --output-indicator-new=+ --output-indicator-old=- --output-indicator-context=.",
    ];
    allows(&scene, quiet.map(str::to_owned).into());
}

/// The same: paths narrow commits, and no texts. Attack 681.
#[test]
fn given_the_name_of_a_text_then_paths_beside_it_leave_nothing_out() {
    let scene = scene();
    let text = git(&scene, &["rev-parse", "HEAD~1:.env"]);
    git(&scene, &["tag", "text", &text]);
    git(&scene, &["tag", "-am", "x", "told", &text]);
    git(&scene, &["tag", "v1"]);
    git(&scene, &["tag", "-f", "other", &text]);
    git(&scene, &["branch", "other"]);
    git(&scene, &["update-ref", "refs/remotes/origin/text", &text]);
    git(&scene, &["update-ref", "refs/remotes/origin/main", "HEAD~1"]);
    let short = text.get(..7).unwrap();
    let names = [
        text.clone(),
        text.to_uppercase(),
        short.to_owned(),
        text.get(..4).unwrap().to_owned(),
        format!("v1-3-g{short}"),
        format!("{text}^{{}}"),
        format!("{text}^{{blob}}"),
        "text".to_owned(),
        "tags/text".to_owned(),
        "refs/tags/text".to_owned(),
        "text^{}".to_owned(),
        "told".to_owned(),
        "told^{}".to_owned(),
        "other".to_owned(),
        "origin/text".to_owned(),
        "nobody".to_owned(),
        "$NAME".to_owned(),
    ];
    let forms = [
        "git show {} -- a.txt",
        "git show --stat {} -- a.txt",
        "git show HEAD {} -- a.txt",
        "git diff {} -- a.txt",
        "git diff {} HEAD:a.txt",
        "git diff HEAD:a.txt {}",
        "git diff {}..HEAD:a.txt --",
        "git grep KEY {} -- a.txt",
    ];
    let all = |names: &[String]| -> Vec<String> {
        names.iter().flat_map(|name| forms.iter().map(|form| form.replace("{}", name))).collect()
    };
    // Without their contents, texts are shown only by their own names.
    let of_none = |line: &String| line.contains("--stat") && (line.contains("nobody") || line.contains('$'));
    let commit = git(&scene, &["rev-parse", "HEAD"]);
    let first = git(&scene, &["rev-parse", "HEAD~1"]);
    let commits = [
        commit.clone(),
        commit.get(..7).unwrap().to_owned(),
        format!("v1-1-g{}", commit.get(..8).unwrap()),
        format!("{first}~0"),
        format!("{}..{commit}", first.get(..9).unwrap()),
        "main".to_owned(),
        "main~1".to_owned(),
        "v1".to_owned(),
        "v1^{commit}".to_owned(),
        "v1^{}".to_owned(),
        "origin/main".to_owned(),
        "origin/main...HEAD".to_owned(),
        "heads/other".to_owned(),
        "HEAD".to_owned(),
        "@{0}".to_owned(),
        "main@{1}".to_owned(),
    ];
    let narrow = [
        "git show {} -- a.txt",
        "git show --stat {} -- a.txt",
        "git diff {} -- a.txt",
        "git diff {} -- src a.txt",
    ];
    let quiet: Vec<String> =
        commits.iter().flat_map(|name| narrow.iter().map(|form| form.replace("{}", name))).collect();
    for packed in [false, true] {
        if packed {
            git(&scene, &["pack-refs", "--all"]);
            git(&scene, &["gc", "-q"]);
        }
        asks(&scene, all(&names).into_iter().filter(|line| !of_none(line)).collect());
        allows(&scene, quiet.clone());
    }
    // What lies elsewhere can't be told.
    std::fs::create_dir_all(scene.root.join(".git/objects/info")).unwrap();
    std::fs::write(scene.root.join(".git/objects/info/alternates"), "/else/objects\n").unwrap();
    asks(&scene, vec![format!("git show {text} -- a.txt"), format!("git show {commit} -- a.txt")]);
}
