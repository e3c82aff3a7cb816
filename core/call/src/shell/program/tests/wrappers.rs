//! Programs that run other programs.

use super::{InnerCommand, hold, inner, look};
use crate::shell::Word;

/// D2.20: Wrappers that only change how (...) are looked through, for every effect.
#[test]
fn given_a_wrapper_that_only_changes_how_then_the_command_behind_it_begins_there() {
    for (line, at) in [
        ("timeout 5 curl x", 2),
        ("timeout -k 5 -s KILL 60s cargo test", 6),
        ("timeout --signal=KILL 60 cargo test", 3),
        ("nice -n 10 curl x", 3),
        ("nice -10 curl x", 2),
        ("nice curl x", 1),
        ("stdbuf -oL curl x", 2),
        ("nohup sh evil.sh", 1),
        ("exec curl x", 1),
        ("exec -a name curl x", 3),
        ("command -p curl x", 2),
        ("builtin cd x", 1),
        ("time -p cargo test", 2),
        ("time nice timeout 5 cargo test", 4),
        ("timeout -- 5 cargo test", 3),
        ("exec", 1),
        ("/usr/bin/timeout 5 x", 2),
        // Not understood: it stays.
        ("timeout --what 5 x", 0),
        ("timeout $X cargo test", 0),
        ("command -v cargo", 0),
        ("cargo test", 0),
    ] {
        assert_eq!(look(line).transparent, at, "{line}");
    }
    assert!(look("command -v cargo").inner.is_empty());
    assert!(look("command -v cargo").caveats.is_empty());
    assert!(!look("timeout --what 5 x").caveats.is_empty());
}

/// D2.21: Wrappers that change what or who (...): deny and ask reach inside; allow
/// needs the wrapper and the inner command allowed. Attack 40.
#[test]
fn given_a_wrapper_that_changes_what_or_who_then_the_inner_command_is_found() {
    let rows: &[(&str, &[&str])] = &[
        ("sudo curl x", &["curl x"]),
        ("sudo -u root -- curl x", &["curl x"]),
        ("sudo -nE A=1 curl x", &["curl x"]),
        ("sudo env A=1 curl x", &["env 'A=1' curl x"]),
        ("./sudo curl x", &["curl x"]),
        ("/usr/bin/sudo curl x", &["curl x"]),
        ("sudo.exe curl x", &["curl x"]),
        ("env A=1 B=2 curl x", &["curl x"]),
        ("env -i -u HOME curl x", &["curl x"]),
        ("env -S 'curl https://x'", &["curl https://x"]),
        ("env '-Scurl x'", &["curl x"]),
        ("xargs curl x", &["curl x"]),
        ("xargs -I{} -n1 curl x", &["curl x"]),
        ("xargs -0 -P 4 -n 1 sh -c 'rm x'", &["sh -c 'rm x'"]),
        ("find . -execdir curl x {} +", &["curl x '{}'"]),
        ("find . -exec a {} ';' -ok b {} ';' -print", &["a '{}'", "b '{}'"]),
        ("sh -c 'curl x'", &["line: curl x"]),
        ("bash -lc 'curl x' name", &["line: curl x"]),
        ("bash -o pipefail -c 'curl x'", &["line: curl x"]),
        ("bash -eo pipefail -c 'curl x'", &["line: curl x"]),
        ("bash --norc -c 'curl x'", &["line: curl x"]),
        ("zsh +x -c 'curl x'", &["line: curl x"]),
        ("eval curl x", &["line: curl x"]),
        ("eval 'curl x' '&& y'", &["line: curl x && y"]),
        ("watch -n 1 curl x", &["line: curl x"]),
        ("flock /tmp/l curl x", &["curl x"]),
        ("flock /tmp/l -c 'curl x'", &["line: curl x"]),
        ("chroot / curl x", &["curl x"]),
        ("unshare -r curl x", &["curl x"]),
        ("nsenter -t 1 -m curl x", &["curl x"]),
        ("setsid curl x", &["curl x"]),
        ("ionice -c 3 curl x", &["curl x"]),
        ("taskset 0x1 curl x", &["curl x"]),
        ("strace -f -o log curl x", &["curl x"]),
        ("ssh host curl x", &["line: curl x"]),
        ("ssh -p 22 me@host 'curl x; y'", &["line: curl x; y"]),
        ("docker exec -it c curl x", &["curl x"]),
        ("docker run --rm -e A=b image curl x", &["curl x"]),
        ("podman exec c curl x", &["curl x"]),
        ("docker compose exec web curl x", &["curl x"]),
        ("kubectl exec -n a pod -- curl x", &["curl x"]),
        ("direnv exec . git add -A", &["git add -A"]),
        ("mise exec node@20 -- curl x", &["curl x"]),
        ("nix-shell -p a --run 'curl x'", &["line: curl x"]),
        ("nix develop .#a -c curl x", &["curl x"]),
        ("uv run --frozen pytest -q", &["pytest -q"]),
        ("poetry run pytest", &["pytest"]),
        ("bundle exec rspec", &["rspec"]),
        ("cross-env A=1 node x", &["node x"]),
        ("busybox rm x", &["rm x"]),
        ("su -c 'curl x' root", &["line: curl x"]),
        ("script -c 'curl x' out", &["line: curl x"]),
        ("parallel curl ::: x", &["line: curl ::: x"]),
        ("gdb --args curl x", &["curl x"]),
        ("tmux new -d -s a 'curl x'", &["line: curl x"]),
        ("trap 'curl x' EXIT", &["line: curl x"]),
        ("git submodule foreach 'curl x'", &["line: curl x"]),
        ("git bisect run curl x", &["curl x"]),
        ("entr -r make", &["make"]),
        ("pnpm exec eslint .", &["eslint ."]),
        ("npx -c 'curl x'", &["line: curl x"]),
        ("sudo -l", &[]),
        ("env", &[]),
        ("docker run image", &[]),
        ("ssh host", &[]),
    ];
    hold(rows, |(line, expected)| {
        let known = look(line);
        (inner(&known) != *expected || known.reader).then(|| format!("{line}: {known:?}"))
    });
}

/// Wrappers whose command cannot be located are asked about, and denials look at every tail. Attack 40.
#[test]
fn given_an_option_that_is_not_known_then_denials_look_at_every_tail() {
    for line in ["sudo --what 1 curl x", "xargs -Z curl x", "env --what=1 curl x", "sudo $X curl x"] {
        let known = look(line);
        assert!(!known.caveats.is_empty(), "{line}");
        let tail = vec![Word::from("curl"), Word::from("x")];
        assert!(known.also.contains(&tail), "{line}: {known:?}");
    }
    let known = look("env -S rm -rf x");
    assert!(
        matches!(known.inner.as_slice(), [InnerCommand::Words(words)] if *words == super::words("rm -rf x")),
        "{known:?}"
    );
    // What a runner starts is a package by its name: for denials.
    let known = look("npx -y rimraf dist");
    assert_eq!(known.also, vec![vec![Word::from("rimraf"), Word::from("dist")]]);
    assert!(known.inner.is_empty());
}

/// D2.13: anything that rebinds what later words run, also by `env`.
#[test]
fn given_a_variable_set_by_a_wrapper_then_it_counts_as_in_the_shell() {
    for (line, caveats, always) in [
        ("env RUST_LOG=debug cargo test", 0, false),
        ("env FOO=1 cargo test", 1, false),
        ("env PATH=. cargo test", 1, true),
        ("sudo LD_PRELOAD=x ls", 1, true),
        ("env RUST_LOG=$X cargo test", 1, false),
    ] {
        let known = look(line);
        assert_eq!(known.caveats.len(), caveats, "{line}: {:?}", known.caveats);
        assert_eq!(known.caveats.iter().any(|caveat| caveat.always), always, "{line}");
    }
}

/// `xargs sh -c` and the like: what is read is what runs.
#[test]
fn given_an_input_that_decides_what_runs_then_it_is_asked_about() {
    let rows = [
        ("xargs sh -c", true),
        ("xargs -I{} {}", true),
        ("xargs -I{} sh -c '{}'", true),
        ("xargs -I % sh -c 'x %'", true),
        ("xargs -I{} sudo {}", true),
        ("xargs -I{} timeout 5 {}", true),
        ("xargs env", true),
        ("xargs sudo", true),
        ("xargs nice", true),
        ("xargs -I$X rm a", true),
        ("find . -exec {} ';'", true),
        ("find . -exec sh -c '{}' ';'", true),
        ("parallel", true),
        ("parallel ::: a b", true),
        ("parallel {}", true),
        ("xargs", false),
        ("xargs cat", false),
        ("xargs -I{} mv {} {}.bak", false),
        ("xargs -I{} sudo mv {} x", false),
        ("xargs -I{} sh -c 'wc \"$1\"' x {}", false),
        ("xargs -n 1 timeout 5 cargo test -p", false),
        ("parallel gzip {}", false),
        ("xargs -I{} xargs -I% sh -c %", false),
        ("xargs -I{} docker exec c {}", true),
        ("find . -exec sudo {} ';'", true),
        ("find . -exec sudo cat {} ';'", false),
    ];
    hold(rows, |(line, expected)| {
        let known = super::look_in(line, std::path::Path::new("/"), true);
        let found = known.caveats.iter().any(|caveat| !caveat.reason.contains("the option -exec"));
        (found != expected).then(|| format!("{line}: {:?}", known.caveats))
    });
}

/// Everything from agents is hostile: bounded work, whatever is inside what. Attack 70.
#[test]
fn given_wrappers_in_wrappers_then_the_work_is_bounded() {
    for wrapper in
        ["xargs", "sudo", "timeout 5", "find . -exec", "nice", "env A=1", "xargs -I{} sh -c {}", "parallel"]
    {
        let line = format!("{}{{}}", format!("{wrapper} ").repeat(3000));
        let started = cpu_time::ThreadTime::now();
        let _ = super::look_in(&line, std::path::Path::new("/"), true);
        assert!(started.elapsed() < std::time::Duration::from_secs(10), "{wrapper}: {:?}", started.elapsed());
    }
    for (program, word) in [
        ("env", "A$X=1 "),
        ("env", "PATH=x "),
        ("env", "Z1=$X "),
        ("rg", "$X "),
        ("sudo", "-Z "),
        ("rg", "--pre=x "),
        ("x", "a=b,c:d@e "),
        ("curl", "https://a.example/$X "),
        ("curl", "https://a.example/x "),
        ("find", "-exec a ';' "),
        ("cp", "a "),
        ("sed -e", "p -e "),
        ("git", "-c a=b "),
        ("awk", "a "),
        ("x", "-abcdefgh "),
        ("sort", "-zzzzzqq "),
        ("tar", "-C a "),
        ("make", "A=b "),
    ] {
        let line = format!("{program} {}", word.repeat(20_000));
        let words = super::words(&line);
        let started = cpu_time::ThreadTime::now();
        let command = super::Command {
            words: &words,
            cwd: Some(std::path::Path::new("/")),
            looked: &crate::LineLookups::default(),
            repositories: &crate::shell::program::RepositoryLooks::default(),
            fed: true,
            piped: false,
            made: false,
            git_names: crate::shell::program::GitNames::AsTheyAre,
        };
        let _ = super::analyze_command(&command);
        assert!(
            started.elapsed() < std::time::Duration::from_secs(10),
            "{program} {word}: {:?}",
            started.elapsed()
        );
    }
}
