//! What denies or asks about a command with options is about them in every spelling and order (D3.7).

use super::*;

/// What a denial, with everything else allowed, makes of each line.
fn denied(pattern: &str, lines: &[&str], expected: Effect) {
    let deny = format!("shell({pattern})");
    let policy = policy(&[(Allow, "shell(*)"), (Allow, "fetch(x)"), (Deny, deny.as_str())]);
    let wrong: Vec<_> = lines.iter().filter(|line| effect(&policy, &shell(line)) != expected).collect();
    assert!(wrong.is_empty(), "under {pattern} not {expected:?}: {wrong:#?}");
}

/// Attack 640: `rm -fr x`, `rm -r -f x` and `rm x --force --recursive` passed a denial of `rm -rf *`.
#[test]
fn given_a_denial_with_options_then_no_other_order_or_spelling_of_them_passes() {
    for (pattern, lines) in [
        (
            "rm -rf *",
            &[
                "rm -rf x",
                "rm -fr x",
                "rm -r -f x",
                "rm -rfv x",
                "rm -f x -R y",
                "rm --recursive --force x",
                "rm x --forc --recursive",
                "/bin/rm -fr x",
                "sudo rm -fr x",
                "timeout 5 rm -fr x",
                "sh -c 'rm -fr x'",
                "find . -name x | xargs rm -fr",
                "foo rm -fr x",
                "rm -fr",
            ][..],
        ),
        ("hg strip --force *", &["hg strip --force x", "hg strip x --force"]),
        ("git push ** +*", &["git push o +a", "git push o a b c +d", "git push +a", "git -C . push o a +b"]),
        (
            "psql -c 'drop table*' *",
            &[
                "psql -c 'drop/**/table x'",
                "psql -h h -tc 'drop\n\ttable x'",
                "psql --command='drop -- x\n table y'",
            ],
        ),
        ("git clean -fd *", &["git clean -df", "git clean -f -d", "git clean -xfd x", "git -C . clean -df"]),
        (
            "git push --force *",
            &[
                "git push origin main --force",
                "git push -f",
                "git push -uf origin x",
                "git push --forc origin",
            ],
        ),
        ("git reset --hard *", &["git reset HEAD --hard", "git reset --hard", "git reset -q --hard HEAD"]),
        ("git commit --amend *", &["git commit -m x --amend", "git commit --no-edit --amend"]),
        ("npm install -g *", &["npm install x -g", "npm i --global x", "npm install --global x"]),
        ("sed -i *", &["sed -n -i p x", "sed --in-place p x", "sed -ni p x", "sed p -i x"]),
        ("find * -delete", &["find . -delete"]),
        ("curl -k *", &["curl http://x -k", "curl -sk http://x", "curl --insecure http://x"]),
        ("git -c *", &["git -c a.b=c status", "git -C x -c a.b=c log"]),
        (
            "docker run --privileged *",
            &["docker run -it --privileged x", "docker run --rm --privileged x sh"],
        ),
        ("git log --output=*", &["git log -1 --output=x", "git log --oneline --output x"]),
        ("foo --now *", &["foo x --now", "foo --later --now x"]),
        ("tar --to-command=sh *", &["tar xf a.tar --to-command=sh", "tar --to-command sh -xf a"]),
    ] {
        denied(pattern, lines, Deny);
    }
}

#[test]
fn given_a_denial_with_options_then_commands_without_all_of_them_pass() {
    for (pattern, lines) in [
        ("rm -rf *", &["rm x", "rm -f x", "rm -r x", "rm -i x", "echo rm -rf x", "rmdir x"][..]),
        ("git clean -fd *", &["git clean -n", "git clean -f x", "git clean -nd"]),
        (
            "git push --force *",
            &[
                "git push",
                "git push origin main",
                "git push --force-with-lease",
                "git fetch -f",
                "git push origin -- --force",
            ],
        ),
        ("git push --force", &["git push --force origin", "git push -v --force"]),
        ("git reset --hard *", &["git reset HEAD", "git reset --soft HEAD~1"]),
        ("git commit --amend *", &["git commit -m x", "git commit -m --amend", "git commit -m 'no --amend'"]),
        ("npm install -g *", &["npm install x", "npm ci", "npm run x -- -g"]),
        ("sed -i *", &["sed -n p x", "sed p x", "grep -i x y"]),
        ("find * -delete", &["find . -name x", "find . -type f"]),
        ("curl -k *", &["curl -s http://x", "curl -H -k http://x"]),
    ] {
        denied(pattern, lines, Allow);
    }
}

/// A word that is not known is one word: none of it takes the place of an option before it.
#[test]
fn given_a_word_that_is_not_known_behind_options_then_no_denial_takes_it_for_another_option() {
    denied("git push --force *", &["git push -u origin \"$(git branch --show-current)\""], Ask);
    denied("git log --output=x", &["git log -1 --output=y"], Ask);
    denied("rm -rf *", &["rm -f a \"$x\""], Allow);
}

/// What allows is as it is written: an order that is not named is not allowed.
#[test]
fn given_an_allow_with_options_then_it_stays_as_it_is_written() {
    let policy = policy(&[(Allow, "shell(rm -r -f *)")]);
    assert_eq!(effect(&policy, &shell("rm -rf x")), Ask);
    assert_eq!(effect(&policy, &shell("rm -f -r x")), Ask);
}

/// What asks follows the same law.
#[test]
fn given_an_ask_with_options_then_other_orders_are_asked_about() {
    let policy = policy(&[(Allow, "shell(*)"), (Ask, "shell(git push --force *)")]);
    assert_eq!(effect(&policy, &shell("git push origin -f")), Ask);
    assert_eq!(effect(&policy, &shell("git push origin")), Allow);
}
