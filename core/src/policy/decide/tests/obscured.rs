//! A denied command stays denied, however it is started (decisions, section 2: "deny and ask reach
//! inside", and "for deny and ask only").

use super::*;

/// Holds each line to be denied by one of `denials` where everything else is allowed.
fn denied(denials: &[&str], lines: &[&str]) {
    let rules: Vec<_> = denials.iter().map(|pattern| (Deny, *pattern)).collect();
    let policy = policy(&rules);
    let through: Vec<_> =
        lines.iter().filter(|line| in_mode(&policy, &shell(line), Mode::Auto).effect != Deny).collect();
    assert!(through.is_empty(), "not denied by {denials:?}: {through:#?}");
}

/// Holds each line not to be denied by any of `denials`.
fn not_denied(denials: &[&str], lines: &[&str]) {
    let rules: Vec<_> = denials.iter().map(|pattern| (Deny, *pattern)).collect();
    let policy = policy(&rules);
    let wrong: Vec<_> =
        lines.iter().filter(|line| in_mode(&policy, &shell(line), Mode::Auto).effect == Deny).collect();
    assert!(wrong.is_empty(), "denied by {denials:?}: {wrong:#?}");
}

/// Attack 101.
#[test]
fn given_options_before_a_sub_command_then_a_denial_of_it_holds() {
    let pushes = [
        "git push",
        "git --no-pager push",
        "git -P push",
        "git -C . push --force",
        "git -c a=b push",
        "git --git-dir=.git push",
        "git --git-dir .git push origin",
        "git -- push",
        "git --what push",
        "git --what x push",
        "git --what x -y push",
        "git -c alias.x='!git push' x",
        "git -c alias.x=push x",
        "git -c ALIAS.x='push --force' x",
        "timeout 5 git -C . push",
        "sudo git -P push",
        "sh -c 'git -P push'",
    ];
    denied(&["shell(git push *)"], &pushes);
    denied(&["shell(/^git push/)"], &pushes);
    for (denial, lines) in [
        ("shell(npm publish *)", ["npm --silent publish", "npm --loglevel silent publish"].as_slice()),
        ("shell(cargo publish *)", &["cargo -q publish", "cargo +nightly publish"]),
        ("shell(docker push *)", &["docker --debug push x"]),
        ("shell(kubectl delete *)", &["kubectl -n p delete x", "kubectl --namespace=p delete x"]),
        ("shell(aws s3 rm *)", &["aws --profile p s3 rm x", "aws --region=r s3 --what rm x"]),
        ("shell(terraform apply *)", &["terraform -chdir=x apply"]),
        ("shell(gh repo delete *)", &["gh -R a/b repo delete", "gh repo -R a/b delete x"]),
        ("shell(pnpm publish *)", &["pnpm -r publish", "pnpm --filter x publish"]),
        ("shell(yarn publish *)", &["yarn --silent publish"]),
        ("shell(uv publish *)", &["uv -q publish"]),
        ("shell(poetry publish *)", &["poetry -q publish"]),
        ("shell(tool send *)", &["tool -v send x", "tool --to x send y", "tool --to=x -v send y"]),
    ] {
        denied(&[denial], lines);
    }
    not_denied(
        &["shell(git push *)"],
        &[
            "git stash push",
            "git commit -m push",
            "git log push",
            "git -C push status",
            "git config push.x y",
        ],
    );
    // An allow still needs the words as they stand.
    let allows = policy(&[(Allow, "shell(git status *)")]);
    assert_eq!(effect(&allows, &shell("git -C /outside status")), Ask);
}

/// Attack 101.
#[test]
fn given_a_long_option_that_is_only_begun_then_a_denial_of_it_holds() {
    for (denial, lines) in [
        ("shell(git restore --staged --worktree *)", ["git restore --staged --work ."].as_slice()),
        ("shell(git switch --discard-changes *)", &["git switch --disc main", "git -P switch --disc main"]),
        ("shell(git push --force *)", &["git push --forc", "git push --fo origin"]),
        ("shell(/git switch .*--discard-changes/)", &["git switch -q --disc main"]),
        ("shell(tool --force *)", &["tool --forc x", "tool --f"]),
        ("shell(tool --mode=all *)", &["tool --mod=all x"]),
    ] {
        denied(&[denial], lines);
    }
    not_denied(&["shell(git push --force-with-lease *)"], &["git push --force", "git push -f"]);
}
