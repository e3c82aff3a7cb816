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
        "git log -p -- '*'",
        "git log -p -- '*v'",
        "git log -p -- '*.ENV'",
        "git log -p -- '?env'",
        "git show HEAD~1 -- '[.]env'",
        "git --icase-pathspecs log -p -- '*.ENV'",
        "git log --full-diff -p -- '*.md'",
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
        "git diff -- '*.rs'",
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

/// D2.27: a name is looked up as it is now, and an earlier command of the line gives it to something else. Attack 700.
#[test]
fn given_a_name_that_the_line_changes_then_paths_beside_it_leave_nothing_out() {
    let scene = scene();
    let text = git(&scene, &["rev-parse", "HEAD~1:.env"]);
    git(&scene, &["tag", "v1"]);
    git(&scene, &["update-ref", "refs/remotes/origin/main", "HEAD~1"]);
    let changes = [
        "git tag -f main {}",
        "git tag main {}",
        "git tag -d v1",
        "git -C . tag -f main {}",
        "sh -c 'git tag -f main {}'",
        "env X=1 git tag -f main {}",
        "python3 -c 'import os; os.system(\"git tag main {}\")'",
        "git branch -D main",
        "git update-ref refs/tags/main {}",
        "git update-ref --stdin < refs.txt",
        "git fetch . {}:refs/tags/main",
        "git fetch ../other 'refs/*:refs/*'",
        "git pull --tags --force ../other x",
        "git push . {}:refs/tags/main",
        "git remote update",
        "git symbolic-ref HEAD refs/tags/v2",
        "git replace -f HEAD {}",
        "/usr/lib/git-core/git-tag -f main {}",
        "cp x .git/refs/heads/main",
        "tar xf x.tar",
        "./some-program git tag -f main {}",
        "./some-program .git/refs/tags/main",
        "X='git tag' ./some-program",
        "./git-retag",
        "git frobnicate",
        "git fetch origin tag main",
        "git fetch origin +x",
        "git fetch ../other main",
        "git push origin {}:refs/tags/main",
        "git push . x",
        "git push --mirror",
        "git submodule foreach x",
        "perl -e 'system(\"git tag -f main {}\")'",
        "perl -e 'system(\"git\",\"tag\",\"-f\",\"main\",\"{}\")'",
        "perl -e '`git tag -f main {}`'",
        "perl -e 'system(\"g\".\"it tag -f main {}\")'",
        "perl5.36 -e 'system \"git tag -f main {}\"'",
        "python3 -c 'import os; os.system(\"g\"+\"it tag main {}\")'",
        "awk 'BEGIN{system(\"git tag -f main {}\")}'",
        "sed '1e git tag -f main {}' a.txt",
    ];
    let shows = ["git diff main -- a.txt", "git show main -- a.txt", "git show origin/main -- a.txt"];
    let mut lines: Vec<String> = changes
        .iter()
        .flat_map(|change| shows.iter().map(move |shows| format!("{change} && {shows}")))
        .map(|line| line.replace("{}", &text))
        .collect();
    lines.extend(
        [
            "git symbolic-ref HEAD refs/tags/x && git show HEAD -- a.txt",
            "git symbolic-ref HEAD refs/tags/x; git diff @ -- a.txt",
            "git replace -f HEAD {} && git show HEAD~1 -- a.txt",
            "git tag new {}; git show --stat new -- a.txt",
            "for x in 1 2; do git show main -- a.txt; git tag -f main {}; done",
            "for x in 1 2; do git show main -- a.txt; git ta''g -f main {}; done",
            "(sleep 1; git show main -- a.txt) & git tag -f main {}",
            "f() { git show main -- a.txt; }; git tag -f main {}; f",
            "git fetch origin x; git show FETCH_HEAD -- a.txt",
            "git pull origin x; git show --stat FETCH_HEAD -- a.txt",
        ]
        .iter()
        .map(|line| line.replace("{}", &text)),
    );
    asks(&scene, lines);
    let quiet = [
        "git add src && git commit -m x && git diff main -- a.txt",
        "git commit -am x; git show main -- src",
        "git checkout -b x && git diff main -- a.txt",
        "git switch main && git show v1 -- a.txt",
        "git stash && git diff main -- a.txt",
        "git fetch && git diff origin/main -- a.txt",
        "git fetch -p origin; git diff origin/main -- src",
        "mkdir -p out && git diff main -- a.txt",
        "cargo test && git diff main -- src",
        "npm test; git show v1 -- a.txt",
        "cp a.txt b.txt; git diff main~1 -- a.txt",
        "git push && git diff main -- src",
        "git push origin HEAD && git diff main -- src",
        "git push -u origin feature/x && git diff main -- src",
        "git push --force-with-lease origin v1.0; git diff main -- src",
        "git fetch origin main && git diff origin/main -- src",
        "git fetch origin release/1.2 && git diff main -- src",
        "git fetch origin main && git diff FETCH_HEAD~1 -- src",
        "git pull origin main && git diff main -- src",
        "git pull --rebase origin main && git diff main -- src",
        "git submodule update --init && git diff main -- src",
        "git -c x.y=z submodule --quiet update --init --recursive; git diff main -- src",
        "git lfs pull && git diff main -- src",
        "git clone x y && git diff main -- src",
        "git format-patch -1 -- src; git diff main -- src",
        "mix test && git diff main -- src",
        "buf generate && git diff main -- src",
        "buf push buf.build/github/x --digits 2 && git diff main -- src",
        "./some-program && git diff main -- a.txt",
        "perl -pi -e 's/git/hub/' a.txt && git diff main -- a.txt",
        "perl -ne 'print if /x/' a.txt; git diff main -- a.txt",
        "perl -e 'system(\"ls -l\")'; git diff main -- a.txt",
        "sed -i 's/git tag/x/' a.txt && git diff main -- a.txt",
        "awk '{ print $1 }' a.txt && git diff main -- a.txt",
        "python3 -c 'import subprocess; subprocess.run([\"make\", \"x\"])' && git diff main -- a.txt",
        "node -e 'console.log(1)' && git diff main -- a.txt",
        "./some-program && git diff HEAD -- a.txt",
        "./some-program && git diff HEAD~1 -- a.txt",
        "git tag -f v2 && git show HEAD -- a.txt",
        "git tag -l && git show main -- a.txt",
        "git branch -a; git diff main -- a.txt",
        "git log --oneline | head -3; git diff main -- a.txt",
        "for x in a.txt src; do git diff main -- $x; done",
        "for x in a b; do mkdir -p $x; git diff main -- a.txt; done",
    ];
    allows(&scene, quiet.map(str::to_owned).into());
}

/// The same: what is there already and has git take a commit for something else. Attack 701.
#[test]
fn given_commits_that_something_else_stands_in_for_then_no_name_is_one() {
    let commit = |scene: &Scene| git(scene, &["rev-parse", "HEAD"]);
    let forms = ["git show HEAD -- a.txt", "git diff main -- a.txt", "git show {} -- a.txt"];
    let lines = |scene: &Scene| -> Vec<String> {
        forms.iter().map(|form| form.replace("{}", &commit(scene))).collect()
    };
    let scene = scene();
    let text = git(&scene, &["rev-parse", "HEAD~1:.env"]);
    let all = lines(&scene);
    allows(&scene, all.clone());
    git(&scene, &["tag", "text", &text]);
    git(&scene, &["replace", "-f", "HEAD", &text]);
    asks(&scene, all.clone());
    git(&scene, &["pack-refs", "--all"]);
    asks(&scene, all.clone());
    git(&scene, &["replace", "-d", &text_of_replaced(&scene)]);
    allows(&scene, all.clone());
    git(&scene, &["symbolic-ref", "HEAD", "refs/tags/text"]);
    asks(&scene, vec!["git show HEAD -- a.txt".to_owned(), "git diff @ -- a.txt".to_owned()]);
}

fn text_of_replaced(scene: &Scene) -> String {
    git(scene, &["replace", "-l"])
}

/// D2.27: commands that show a patch besides what they are for. Attack 702.
#[test]
fn given_an_option_with_which_a_commit_is_shown_then_the_past_counts() {
    let scene = scene();
    let text = git(&scene, &["rev-parse", "HEAD~1:.env"]);
    let lines = [
        "git rebase --show-current-patch",
        "git rebase --show-cur",
        "git am --show-current-patch",
        "git am --show-current-patch=diff",
        "git am --show-current-patch=raw",
        "git am --show",
        "git checkout -p HEAD~1",
        "git checkout --patch HEAD~1 < /dev/null",
        "git reset -p HEAD~1",
        "git restore -p -s HEAD~1",
        "git bisect view -p",
        "git bisect visualize --patch",
        "git request-pull -p HEAD~1 . main",
        "git notes add -C {} HEAD",
        "git notes append --reuse-message={}",
        "git notes --ref=x add -fC {}",
        "git merge-file -p --object-id {} {} {}",
    ];
    asks(&scene, lines.iter().map(|line| line.replace("{}", &text)).collect());
    let quiet = [
        "git rebase main",
        "git rebase --continue",
        "git rebase -i --autosquash HEAD~2",
        "git am --continue",
        "git am --abort",
        "git am -3 x.patch",
        "git checkout main",
        "git checkout HEAD~1 -- a.txt",
        "git checkout -p HEAD~1 -- a.txt",
        "git restore -p a.txt",
        "git reset --hard HEAD~1",
        "git bisect start",
        "git bisect view --oneline",
        "git notes add -m x",
        "git notes show",
        "git merge-file -p a.txt b.txt c.txt",
    ];
    allows(&scene, quiet.map(str::to_owned).into());
}

/// D2.27, D2.21: what git has besides the commands that people type. Attack 708.
#[test]
fn given_commands_of_gits_own_then_the_past_counts_and_words_may_be_commands() {
    let scene = scene();
    let text = git(&scene, &["rev-parse", "HEAD~1:.env"]);
    let shown = [
        "git merge-one-file '' '' {} out.txt '' '' 100644",
        "git fsck --lost-found",
        "git fsck --full --lost-found a.txt",
        "git fsck --lost-found -- src",
        "git fsck-objects --lost-found",
        "git merge-file -p --object-id {} {} a.txt",
        "git diff-pairs -z -p < pairs",
        "git for-each-ref --format='%(raw)' refs/tags",
        "git for-each-ref --format '%(refname) %(*raw)'",
        "git for-each-ref --form='%(if)%(raw)%(then)x%(end)'",
        "git for-each-ref --format=\"$X\"",
        "git refs list --format='%(raw)'",
        "git tag -l --format='%(raw)'",
        "git tag --format='%(raw)' --points-at {}",
        "git branch --format='%(raw)'",
        "git verify-tag --format='%(*raw)' v1",
        "git pack-objects --all --stdout",
        "git pack-objects --revs --stdout < revs",
        "git merge-tree HEAD~1 HEAD~1 HEAD",
        "git merge-tree --trivial-merge HEAD~1 HEAD~1 HEAD",
    ];
    asks(&scene, shown.map(|line| line.replace("{}", &text)).to_vec());
    let quiet = [
        "git fsck",
        "git fsck --full --no-dangling",
        "git merge-file -p a.txt b.txt c.txt",
        "git for-each-ref --format='%(refname:short) %(objectname) %(raw:size)' refs/tags",
        "git for-each-ref --format='%(contents) %(body) %(subject) %(*contents)' refs/tags",
        "git for-each-ref --sort=-creatordate --count=5",
        "git refs list --format='%(refname)'",
        "git tag -l --format='%(refname) %(contents:subject)'",
        "git branch --format='%(refname:short)'",
        "git verify-tag v1",
        "git checkout-index -f a.txt",
        "git show-index < x.idx",
    ];
    allows(&scene, quiet.map(str::to_owned).into());
    let rules = [(Allow, "shell(*)"), (Deny, "shell(touch *)")];
    for line in [
        "git submodule--helper foreach touch x",
        "git submodule--helper foreach 'touch x'",
        "git frobnicate touch x",
        "git -C src frobnicate --x env touch x",
    ] {
        assert_eq!(effect(&policy(&rules), &shell(line)), Deny, "{line}");
    }
    for line in ["git lfs track '*.bin'", "git log --grep touch", "git add touch"] {
        assert_eq!(effect(&policy(&rules), &shell(line)), Allow, "{line}");
    }
    // D2.38: what the table does not list is no denied command, and a rule has to name it.
    assert_eq!(effect(&policy(&rules), &shell("git frobnicate x")), Ask);
    let named = [rules[0], rules[1], (Allow, "shell(git frobnicate *)")];
    assert_eq!(effect(&policy(&named), &shell("git frobnicate x")), Allow);
}
