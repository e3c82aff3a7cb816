//! What the shell is after a part of a line: in which folder, and what it has to read.

use super::{always, path_of, read_by};
use crate::Dialect;
use crate::shell::{Caveat, shell_accesses};

const ALL: [Dialect; 4] = [Dialect::Bash, Dialect::Sh, Dialect::Zsh, Dialect::Unknown];
const PERHAPS_ZSH: [Dialect; 2] = [Dialect::Zsh, Dialect::Unknown];

fn touched_by(dialect: Dialect, line: &str) -> Vec<String> {
    let found = read_by(dialect, line);
    shell_accesses(&found).flat_map(|shell| &shell.touches).map(path_of).collect()
}

/// Holds each line to touching the path beside it, whichever of these shells reads it.
fn each_touches(dialects: &[Dialect], rows: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (line, path) in rows {
        for dialect in dialects {
            let found = touched_by(*dialect, line);
            if !found.iter().any(|of| of == path) {
                wrong.push((*dialect, *line, *path, found));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Holds each line to touching no other `y` than `/w/y`.
fn each_touches_only_y(dialects: &[Dialect], lines: &[&str]) {
    for line in lines {
        for dialect in dialects {
            let mut found = touched_by(*dialect, line);
            found.retain(|path| path.ends_with("/y"));
            assert!(
                !found.is_empty() && found.iter().all(|of| of == "/w/y"),
                "{dialect:?} {line}: {found:?}"
            );
        }
    }
}

/// `!` turns around whether a `cd` failed, and not where the shell is then. What moves by itself, and fails then, has moved.
/// Attack 250.
#[test]
fn given_a_cd_that_is_turned_around_then_what_follows_is_where_it_failed() {
    each_touches(
        &ALL,
        &[
            ("! cd nowhere && cat y", "/w/y"),
            ("! command cd nowhere && cat y", "/w/y"),
            ("! cd nowhere 2>/dev/null && cat y", "/w/y"),
            ("! time cd nowhere && cat y", "/w/y"),
            ("if ! cd nowhere; then cat y; fi", "/w/y"),
            ("case x in x) ! cd nowhere && cat y;; esac", "/w/y"),
            ("sh -c '! cd nowhere && cat y'", "/w/y"),
            ("! cd nowhere && (cat y)", "/w/y"),
            ("! pushd nowhere && cat y", "/w/y"),
            ("! eval 'cd nowhere' && cat y", "/w/y"),
            ("eval '! cd nowhere' && cat y", "/w/y"),
            ("eval 'cd /etc; false' || cat y", "/etc/y"),
            ("! eval 'cd /etc; false' && cat y", "/etc/y"),
            ("f() { cd /etc; false; }; ! f && cat y", "*/y"),
            ("cd - >/dev/full || cat y", "*/y"),
        ],
    );
    each_touches_only_y(
        &ALL,
        &["! cd nowhere && cat y", "cd nowhere || cat y", "! true && cat y", "command cd nowhere || cat y"],
    );
    // To zsh, `&!` puts a command beside itself, and what stands behind it is not turned around.
    each_touches(&PERHAPS_ZSH, &[("true &! cd nowhere && cat y", "/w/nowhere/y")]);
}

/// The last side of a pipe moves zsh itself, which a loop has to know; bash too, with an option.
/// Attack 251.
#[test]
fn given_a_last_side_that_moves_then_a_loop_around_it_has_moved() {
    each_touches(
        &PERHAPS_ZSH,
        &[
            ("for i in 1 2; do cat y; true | cd /etc; done", "/etc/y"),
            ("while true; do true | cd /etc; break; done; cat y", "/etc/y"),
            ("true | cd /etc; cat y", "/etc/y"),
        ],
    );
    each_touches(&[Dialect::Bash], &[("shopt -s lastpipe; true | cd /etc; cat y", "/etc/y")]);
    each_touches_only_y(
        &[Dialect::Bash, Dialect::Sh],
        &["for i in 1 2; do cat y; true | cd /etc; done", "true | cd /etc; cat y"],
    );
    each_touches_only_y(&ALL, &["for i in 1 2; do cat y; true | cat; done"]);
}

/// Of `{/etc,}` bash makes one word and zsh two, and a `cd` with two words fails.
/// Attack 252.
#[test]
fn given_a_word_that_may_be_several_then_a_cd_may_fail() {
    each_touches(
        &ALL,
        &[("cd {/etc,}; cat y", "/w/y"), ("cd {/etc,}; cat y", "/etc/y"), ("cd {,/etc}; cat y", "/w/y")],
    );
    for line in ["cd /etc; cat y", "cd '/etc'; cat y", "cd ${PWD}/../etc; cat y"] {
        assert!(!touched_by(Dialect::Zsh, line).contains(&"/w/y".to_owned()), "{line}");
    }
}

/// A file that the shell reads itself moves it. What nobody read of it may be anything.
/// Attack 253.
#[test]
fn given_a_file_that_the_shell_reads_then_what_it_does_stays() {
    each_touches(
        &ALL,
        &[
            ("echo 'cd /etc' > s; . ./s; cat y", "/etc/y"),
            ("echo 'cd /etc' > s; eval '. ./s'; cat y", "/etc/y"),
            ("echo 'cd /etc' > s; command . ./s; cat y", "/etc/y"),
            ("echo 'cd /etc' > s; source ./s; cat y", "/etc/y"),
            ("echo 'cd /etc' > s; sh -c '. ./s; cat y'", "/etc/y"),
            ("echo 'cd /etc' | tee s; . ./s; cat y", "/etc/y"),
            ("echo 'cd /etc; return; cd /' > s; . ./s; cat y", "/etc/y"),
            (". ./there; cat y", "*/y"),
            (". ./there && cat y", "*/y"),
            ("for i in 1 2; do cat y; . ./there; done", "*/y"),
            ("f() { cat y; }; . ./there; f", "*/y"),
        ],
    );
    each_touches(&PERHAPS_ZSH, &[("echo 'cd /etc' > s; true | . ./s; cat y", "/etc/y")]);
    assert!(always("echo 'exec < evil' > s; . ./s; sh"));
    assert!(always(". ./there; sh"));
    assert!(!always(". ./there; cat y"));
    // It may not be there, or stop before it moves.
    each_touches(&ALL, &[("echo 'cd /etc' > s; . ./s; cat y", "/w/y")]);
    for line in ["echo 'true' > s; . ./s; cat y", "echo 'cd /etc' > s; sh ./s; cat y"] {
        assert!(!touched_by(Dialect::Bash, line).contains(&"*/y".to_owned()), "{line}");
    }
}

/// What a side of a pipe or a job opens with `exec`, zsh opens for itself.
/// Attack 254.
#[test]
fn given_an_exec_that_zsh_does_by_itself_then_what_follows_reads_it() {
    let asks = |dialect: Dialect, line: &str| {
        let found = read_by(dialect, line);
        let is_input = |caveat: &Caveat| caveat.always && caveat.reason.contains("its input");
        shell_accesses(&found).any(|shell| shell.caveats.iter().any(is_input))
    };
    for line in [
        "exec < evil | true; sh",
        "exec < evil & sh",
        "true | exec < evil | true; sh",
        "true && exec < evil & sh",
    ] {
        assert!(PERHAPS_ZSH.iter().all(|dialect| asks(*dialect, line)), "{line}");
        assert!(!asks(Dialect::Bash, line), "{line}");
    }
    assert!(!ALL.iter().any(|dialect| asks(*dialect, "cat < evil & (exec < evil); sh")));
}

/// A function, or a line that is kept, may run from wherever the line goes, however that is written.
/// Attack 255.
#[test]
fn given_what_runs_from_elsewhere_then_its_folder_is_not_known() {
    each_touches(
        &ALL,
        &[
            ("f() { c\\d /etc; }; f; cat y", "*/y"),
            ("f() { 'cd' /etc; }; f; cat y", "*/y"),
            ("f() { chdir /etc; }; f; cat y", "*/y"),
            ("f() { cd /etc; }; eval f; cat y", "*/y"),
            ("f() { cd /etc; }; echo $(f; cat y)", "*/y"),
            ("eval 'f() { cat y; }'; cd /etc; f", "*/y"),
            ("trap 'cat y' EXIT; cd /etc", "*/y"),
        ],
    );
    each_touches_only_y(&ALL, &["f() { cat y; }; f; cat y", "trap 'cat y' EXIT; cat y"]);
}

/// Of a list with `&` behind it, zsh puts the last pipeline beside itself, and goes through the others by itself.
/// Attack 256.
#[test]
fn given_a_list_that_is_a_job_then_zsh_moves_with_all_but_its_last_pipeline() {
    let lines = [
        ("cd /etc && true & cat y", "/etc/y"),
        ("cd /etc && true | cat & cat y", "/etc/y"),
        ("cd /etc && true &! cat y", "/etc/y"),
        ("pushd nowhere && d & cat y", "/w/nowhere/y"),
        ("false || cd /etc && true & cat y", "/etc/y"),
        ("if cd /etc && true & then cat y; fi", "/etc/y"),
    ];
    each_touches(&PERHAPS_ZSH, &lines);
    each_touches(&[Dialect::Unknown], &lines.map(|(line, _)| (line, "/w/y")));
    each_touches_only_y(&[Dialect::Bash, Dialect::Sh], &["cd /etc && true & cat y"]);
    each_touches_only_y(
        &ALL,
        &["true && true & cat y", "true && cd /etc & cat y", "(cd /etc && true) & cat y"],
    );
}
