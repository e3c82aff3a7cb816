use super::{each, first, path_of, read, read_by, shown, touched};
use crate::Dialect;
use crate::shell::shell_accesses;

/// D2.7: `cd` with a literal folder changes the cwd for the rest of its list. Attack 6.
#[test]
fn given_cd_then_later_words_are_looked_up_from_there() {
    let last = |line: &str| touched(line).pop().unwrap();
    assert_eq!(last("cd ~/.ssh && cat id_rsa"), "/home/me/.ssh/id_rsa");
    assert_eq!(last("cd a && cd b && cat x"), "/w/a/b/x");
    assert_eq!(last("cd a && cd ../c && cat x"), "/w/c/x");
    assert_eq!(last("cd /etc\ncat passwd"), "/etc/passwd");
    assert_eq!(last("{ cd /etc; }; cat x"), "/etc/x");
    assert_eq!(last("{ cd a || exit; }; cat x"), "/w/a/x");
    assert_eq!(last("cd a && echo $PWD && cat $PWD/x"), "/w/a/x");
    assert_eq!(last("cd a || exit 1; cat x"), "/w/a/x");
    assert!(
        ["*/x", "/w/a/x"]
            .iter()
            .all(|path| touched("cd a || { echo; exit 1; }; cat x").contains(&(*path).into()))
    );
}

/// A `break` outside of a loop leaves nothing, in bash: what comes next is where it was.
/// Attack 206.
#[test]
fn given_a_command_that_leaves_then_what_follows_is_looked_up_from_where_it_stands() {
    for line in [
        "break; cat x",
        "exit\ncat x",
        "return && cat x",
        "continue || cat x",
        "if a; then exit; else break; fi; cat x",
    ] {
        assert_eq!(touched(line).last().map(String::as_str), Some("/w/x"), "{line}");
    }
}

/// A loop that is left midway, a `cd` that may fail or that this shell reads otherwise, a command that only looks as if it
/// left: wherever the shell may be counts.
/// Attack 207.
#[test]
fn given_a_line_that_may_be_elsewhere_then_words_are_looked_up_from_every_such_folder() {
    let home = "/home/me";
    let missing = |line: &str, wanted: &[&str]| {
        let found = read_by(Dialect::Unknown, line);
        let found: Vec<String> =
            shell_accesses(&found).flat_map(|shell| &shell.touches).map(path_of).collect();
        !wanted.iter().all(|path| found.iter().any(|of| of == path))
    };
    let etc = ["/etc/y", "/w/y"];
    let mut wrong = Vec::new();
    for line in [
        "for i in 1; do cd /etc; break; cd /w; done; cat y",
        "for i in 1 2; do cat y; cd /etc; continue; cd /w; done",
        "for i in 1; do cd /etc; true && break; cd /w; done; cat y",
        "until cd /etc; do cd /w; done; cat y",
        "while ! cd /etc; do cd /w; done; cat y",
        "cd /etc >/dev/null && break; cat y",
        "cd /etc >/dev/null && (exit); cat y",
        "eval 'cd /etc && break'; cat y",
        "mkdir -p /etc; cd /etc && continue; cat y",
        "cd /etc >/dev/null || break; cat y",
        "cd /etc >/dev/null || return; cat y",
        "cd /etc >/dev/null || (exit 1); cat y",
        "cd /etc >/dev/null || ! (exit); cat y",
        "cd /etc >/dev/null || f() { exit; }; cat y",
        "cd /etc >/dev/null || exit --help; cat y",
        "cd /etc >/dev/null || exit 1 2; cat y",
        "cd /etc >/dev/null || exit >&9; cat y",
        "cd /etc >/dev/null || for i in; do exit; done; cat y",
        "cd /etc >/dev/null || nohup exit; cat y",
        "cd /etc >/dev/null || { exit; } 2>&9; cat y",
        "if cd /etc 2>/dev/null && (exit); then cat y; fi; cat y",
        "pushd -n /etc; cat y",
        "cd -@ /etc; cat y",
        "pushd /etc; cat y",
        "builtin cd /etc; cat y",
        "command cd /etc; cat y",
        "time cd /etc; cat y",
        "for i in 1 2; do cat y; cd /etc; cat y; cd /w; rm -r x; done",
    ] {
        if missing(line, &etc) {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // What is sure stays known: nothing of it is asked about.
    for (line, path) in [
        ("cd ~ && cat y", format!("{home}/y")),
        ("cd /etc || exit 1; cat y", "/etc/y".to_owned()),
        ("cd /etc; cat y", "/etc/y".to_owned()),
        ("(cd /etc && cat y); cat z", "/w/z".to_owned()),
        ("for i in 1 2; do (cd /etc && cat y); done; cat z", "/w/z".to_owned()),
    ] {
        assert_eq!(touched(line).last(), Some(&path), "{line}");
        assert!(!touched(line).iter().any(|path| path.contains('*')), "{line}");
    }
}

/// The same: a function that zsh calls by itself moves it.
/// Attack 207.
#[test]
fn given_a_function_that_zsh_calls_by_itself_then_it_is_not_understood_where_zsh_may_read_it() {
    for name in ["TRAPDEBUG", "TRAPZERR", "TRAPUSR1", "TRAPEXIT", "zshexit", "chpwd", "precmd"] {
        let line = format!("{name}() {{ cd /etc; }}; cat y");
        for dialect in [Dialect::Zsh, Dialect::Unknown] {
            let found = read_by(dialect, &line);
            assert!(shell_accesses(&found).any(|shell| !shell.understood), "{line}");
        }
        assert!(shell_accesses(&read_by(Dialect::Bash, &line)).all(|shell| shell.understood), "{line}");
    }
}

/// D2.7: a folder that is not known. Where a loop moves on, its first rounds are at places that are known:
/// they count for denials beside all others.
/// Attack 205.
#[test]
fn given_a_loop_that_moves_then_the_folders_of_its_first_rounds_count_among_all_others() {
    for (line, paths) in [
        ("for x in 1 2; do cd a; cat x; done", ["/w/a/x", "/w/a/a/x", "*/x"]),
        ("while b; do pushd a; cat x; done", ["/w/a/x", "/w/a/a/x", "*/x"]),
        ("while b; do cat x; cd a; done", ["/w/x", "/w/a/x", "*/x"]),
        ("for x in 1 2; do cd a; done; cat x", ["/w/x", "/w/a/x", "*/x"]),
        ("for ((x=0; x<2; x++)); do pushd a && cat x; done", ["/w/a/x", "/w/a/a/x", "*/x"]),
    ] {
        let found = touched(line);
        assert!(paths.iter().all(|path| found.iter().any(|of| of == path)), "{line}: {found:?}");
    }
}

/// D2.7: `cd` with a literal folder changes the cwd for the rest of its list. Where it may fail, both
/// folders count for denials.
/// Attack 6.
#[test]
fn given_a_cd_that_may_fail_then_words_are_looked_up_from_both_folders() {
    for line in ["cd a; cat x", "cd a\ncat < x", "{ cd a; }; cat x", "cd a; cp y x", "cd a; tee x"] {
        let found = touched(line);
        assert!(["/w/a/x", "/w/x"].iter().all(|path| found.iter().any(|of| of == path)), "{line}: {found:?}");
    }
    let found = touched("cd a; cd b; cat x");
    assert!(["/w/x", "/w/a/x", "/w/b/x", "/w/a/b/x"].iter().all(|path| found.iter().any(|of| of == path)));
}

/// What a subshell, a part of a pipeline, a substitution or a job does stays with it.
#[test]
fn given_a_process_of_its_own_then_the_folder_stays() {
    for line in [
        "(cd a); cat x",
        "cd a | true; cat x",
        "echo $(cd a); cat x",
        "cd a & cat x",
        "sh -c 'cd a'; cat x",
        "sudo cd a; cat x",
        "diff <(cd a) y; cat x",
    ] {
        assert_eq!(touched(line).pop().as_deref(), Some("/w/x"), "{line}");
    }
}

/// D2.7: with another, the cwd is unknown and relative paths are caveats.
#[test]
fn given_a_folder_that_depends_then_it_is_asked_about_and_nothing_reads() {
    for line in [
        "cd $x; cat y",
        "cd \"$(id)\" && cat y",
        "cd -; cat y",
        "if a; then cd b; fi; cat y",
        "a && cd b; cat y",
        "a || cd b; cat y",
        "while a; do cd b; done; cat y",
        "for x in 1; do cd b; cat y; done",
        "case $x in a) cd b;; esac; cat y",
        "popd; cat y",
        "f() { cd b; }; f; cat y",
        // It may fail: there is no such folder, or there will be none, or something else goes wrong.
        "cd nowhere; cat y",
        "cd nowhere\ncat y",
        "cd nowhere && true; cat y",
        "cd nowhere/at/all; cat ../../y",
        "cd /etc/passwd; cat y",
        "rmdir /etc; cd /etc; cat y",
        "cd /etc <nofile; cat y",
        "cd /etc >/nowhere/x; cat y",
        "{ cd nowhere; }; cat y",
        "eval 'cd nowhere'; cat y",
    ] {
        let found = read(line);
        let last = shell_accesses(&found).last().unwrap();
        assert!(!last.reader, "{line}");
        assert!(
            last.caveats.iter().any(|caveat| caveat.reason.contains("folder")),
            "{line}: {:?}",
            last.caveats
        );
    }
    // Both ways lead to the same place, or one of them leads nowhere.
    each(&[
        ("if a; then cd b || exit; else cd b || exit; fi; cat y", "a | cd b | exit | cd b | exit | cat y"),
        ("cd b && a && cat y", "cd b | a | cat y"),
        ("a; true", "a | true"),
    ]);
    assert_eq!(shown("cd $x; a > o").matches('~').count(), 2);
}

/// A folder outside of the session's own is a plain ask for what does not only read.
#[test]
fn given_a_folder_outside_of_the_roots_then_it_is_asked_about() {
    each(&[
        ("cd /opt && make", "cd /opt | make ~"),
        ("cd /opt && ls", "cd /opt | ls"),
        ("cd .. && make", "cd .. | make ~"),
        ("cd sub && make", "cd sub | make"),
        ("cd /opt && echo x", "cd /opt | echo x"),
    ]);
    assert!(first("make").caveats.is_empty());
}
