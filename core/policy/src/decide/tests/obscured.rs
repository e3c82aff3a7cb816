//! A denied command stays denied, however it is started (D2.21: deny and ask reach
//! inside, and for deny and ask only).

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

/// Attack 102.
#[test]
fn given_a_wrapper_whose_command_stands_elsewhere_then_a_denial_of_it_holds() {
    denied(
        &["shell(rm *)"],
        &[
            "gosu root rm x",
            "su-exec root rm x",
            "setuidgid a rm x",
            "chpst -u a rm x",
            "numactl rm x",
            "numactl -N 0 rm x",
            "setarch x86_64 rm x",
            "setarch -R rm x",
            "wait-for-it h:1 -- rm x",
            "aws-vault exec p -- rm x",
            "chamber exec s -- rm x",
            "envchain x rm x",
            "runuser x -c 'rm x'",
            "bash +c 'rm x'",
            "time -f %e rm x",
            "docker run --entrypoint rm a x",
            "oc rsh pod rm x",
            "kubectl debug a -- rm x",
            "nix run x -- rm x",
            "hatch run rm x",
            "tox -e x -- rm x",
            "gdb -ex 'shell rm x'",
            "expect -c 'spawn rm x'",
            "make SHELL='rm x'",
            "fakeroot rm x",
            "choom -n 1 -- rm x",
            "prlimit --nofile=1 rm x",
            "perf stat rm x",
            "hyperfine 'rm x'",
            "run0 rm x",
            "cpulimit -l 5 rm x",
            "ld.so /bin/rm x",
            "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
            "vagrant ssh -c 'rm x'",
            "adb shell rm x",
            "rg --pre 'rm x' y",
            "ssh -o ProxyCommand='rm x' h",
        ],
    );
}

/// Attack 103.
#[test]
fn given_a_program_that_is_not_known_then_any_of_its_words_may_begin_a_command() {
    let many = format!("unknown {} rm b", "a ".repeat(300));
    let lines = [
        "unknown a rm b",
        "unknown -- /bin/rm b",
        "unknown 'rm b'",
        "unknown --run='rm b'",
        "unknown --run=rm b",
        "unknown 'sudo rm b'",
        "unknown \"rm $x\"",
        "unknown sh -c 'rm b'",
        "pwsh -c 'rm b'",
        &many,
    ];
    denied(&["shell(rm *)"], &lines);
    denied(&["shell(/^rm /)"], &lines[..8]);
    denied(&["shell(git push *)"], &["unknown a git -C . push"]);
    denied(&["read(.env)"], &["unknown 'cat .env'"]);
    not_denied(
        &["shell(rm *)"],
        &["unknown 'please rm it'", "unknown \"don't rm it\"", "unknown arm b", "unknown $x b"],
    );
    for line in ["unknown mayi inbox approve 1", "unknown rm -rf /"] {
        assert_eq!(in_mode(&policy(&[]), &shell(line), Mode::Auto).effect, Deny, "{line}");
    }
}

/// Attack 104.
#[test]
fn given_a_text_that_is_fed_to_a_shell_then_a_denial_of_what_it_says_holds() {
    denied(
        &["shell(rm *)"],
        &[
            "echo 'rm x' | sh",
            "printf 'rm x' | sh",
            "printf '%s %s\\n' rm x | bash",
            "echo -e 'r\\x6d x' | sh",
            "printf '\\162m x' | sh",
            "cat <<E | bash\nrm x\nE\n",
            "cat <<< 'rm x' | bash",
            "echo \"rm $y\" | sudo sh",
            "echo 'rm x' | cat | sh",
            "echo 'rm x' | tee f | sh",
            "(echo a; echo 'rm x') | sh",
            "echo 'rm x' | docker exec -i c sh",
            "echo 'rm x' | ssh h",
            "echo 'rm x' | ssh h bash",
            "ssh h <<< 'rm x'",
            "ssh h bash <<< 'rm x'",
            "ssh h bash <<E\nrm x\nE\n",
            "echo 'rm x' | xargs -I{} sh -c {}",
            "echo 'rm x' | parallel",
            "echo 'rm x' | sudo -s",
            "bash <(echo rm x)",
            "source <(echo rm x)",
            "{ sh; } <<< 'rm x'",
            "echo 'rm x' | (cd y; sh)",
            "echo 'rm x' | sh -s",
        ],
    );
    not_denied(
        &["shell(rm *)"],
        &["echo 'rm x' | sudo tee f", "echo 'rm x' | grep rm", "echo 'rm x'; sh y", "echo 'rm x' | cat"],
    );
    // What is not known is asked about.
    let decision = in_mode(&policy(&[(Allow, "shell(*)")]), &shell("cmd | sh"), Mode::Default);
    assert_eq!(decision.effect, Ask, "{:?}", decision.deciding_finding());
}

/// Attack 105.
#[test]
fn given_words_that_come_from_elsewhere_then_they_could_be_any() {
    for line in [
        "echo inbox approve 1 | xargs mayi",
        "xargs mayi",
        "xargs sudo mayi",
        "xargs -I% mayi % approve 1",
        "find inbox -exec mayi {} approve 1 ';'",
        "parallel mayi ::: inbox",
        "parallel mayi {} approve ::: inbox",
    ] {
        assert_eq!(in_mode(&policy(&[]), &shell(line), Mode::Auto).effect, Deny, "{line}");
    }
    denied(&["shell(git push *)"], &["xargs git", "echo push | xargs git -C .", "xargs -I% git % x"]);
    not_denied(&["shell(git push *)"], &["xargs git add", "xargs cat"]);
    let policy = policy(&[(Allow, "shell(find *)"), (Allow, "shell(xargs *)"), (Allow, "shell(grep *)")]);
    assert_eq!(effect(&policy, &shell("find . -name x | xargs grep y")), Allow, "an allow is as it was");
}

/// D2.21: deny and ask reach inside: lines that known programs are given among their words,
/// scripts and input. Attack 102.
#[test]
fn given_a_line_inside_of_a_known_program_then_a_denial_of_it_holds() {
    denied(
        &["shell(rm *)"],
        &[
            "sed '1e rm x' f",
            "sed 's/.*/rm x/e' f",
            "sed -n 's,.*,rm x,e' f",
            "awk 'BEGIN{print \"rm x\" | \"sh\"}'",
            "awk 'BEGIN{system(\"rm x\")}'",
            "awk 'BEGIN{c = \"rm x\"; system(c)}'",
            "jobs -x rm x",
            "xargs sh -c <<< '\"rm x\"'",
            "echo \"'rm x'\" | xargs -n1 sh -c",
            "git difftool -x 'rm x'",
            "git difftool --extcmd='rm x' HEAD",
            "git filter-branch --tree-filter 'rm x'",
            "git filter-branch --index-filter='rm x' HEAD",
            "git clone 'ext::rm x' y",
            "git fetch 'ext::rm x'",
            "git send-email --sendmail-cmd='rm x' p",
            "vim -c ':!rm x'",
            "vim -c 'r !rm x' f",
            "vim '+!rm x' f",
            "vim -c 'call system(\"rm x\")'",
            "ed f <<< '!rm x'",
            "ed f <<< 'r !rm x'",
            "echo '* * * * * rm x' | crontab -",
            "echo '@daily rm x' | crontab -",
            "at now <<< 'rm x'",
            "echo 'rm x' | at now",
            "cargo --config 'target.x.runner=\"rm x\"' run",
            "cargo --config 'target.x.runner=[\"rm\", \"x\"]' run",
            "parallel ::: 'rm x'",
        ],
    );
    not_denied(
        &["shell(rm *)"],
        &[
            "sed 's/rm x/e/' f",
            "jobs -l",
            "awk '/rm x/ {print}' f",
            "git clone https://a.example/rm y",
            "vim rm",
        ],
    );
}

/// Attack 265.
#[test]
fn given_a_sed_script_that_is_hard_to_read_then_what_it_runs_is_denied_or_asked_about() {
    denied(
        &["shell(touch *)"],
        &[
            "sed '/[/]/ y,ab,ba,;e touch x' f",
            "sed --expression '/[/]/ y,ab,ba,;;/a/,$e touch x' f",
            "sed 's/[^/]*$//;e touch x' f",
            "sed -n ':a;e touch x' f",
            "sed ':a e touch x' f",
        ],
    );
    let policy = policy(&[(Deny, "shell(touch *)")]);
    for line in ["sed '%%% e touch x' f", "sed ':a}e touch x' f", "sed 'k;e touch x' f"] {
        let decision = in_mode(&policy, &shell(line), Mode::Auto);
        assert!(decision.effect == Ask && decision.always_asks(), "{line}");
    }
    for line in ["sed ':a;N;$!ba;s/\\n/ /g' f", "sed -n '/start/,/end/p' f"] {
        assert_eq!(in_mode(&policy, &shell(line), Mode::Default).effect, Allow, "{line}");
    }
}

/// Attack 266.
#[test]
fn given_an_awk_program_that_calls_by_name_then_no_mode_lets_it_run() {
    let policy = policy(&[(Deny, "shell(touch *)")]);
    let lines = [
        "awk 'N=1{#\nf=\"system\";@f(\"touch\")}' f",
        "awk 'NR==1{ # \"\nf = \"system\"; @f(\"touch x\")}' f",
        "awk '@include \"x\"' f",
    ];
    for line in lines {
        let decision = in_mode(&policy, &shell(line), Mode::Auto);
        assert!(decision.effect == Deny || decision.effect == Ask && decision.always_asks(), "{line}");
    }
}

/// Attack 295.
#[test]
fn given_an_eval_whose_line_begins_with_a_dash_then_what_it_runs_is_denied() {
    denied(
        &["shell(evil *)"],
        &[
            "eval '- evil x'",
            "eval - evil x",
            "eval '-  noglob evil x'",
            "eval -- - evil x",
            "eval '-x; evil x'",
        ],
    );
}
