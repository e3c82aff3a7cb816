//! What a command is given to run around its own words: by the input that the shell opened for itself, by variables
//! that a wrapper sets, by words that a wrapper reads again, and by a shell that a wrapper starts.

use super::*;

/// Everything is allowed but one command.
fn open() -> Policy {
    policy(&[(Allow, "shell(*)"), (Allow, "write(**)"), (Allow, "read(**)"), (Deny, "shell(touch *)")])
}

fn other_than(wanted: &[Effect], lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let policy = open();
    let lines = lines.into_iter().map(|line| (effect(&policy, &shell(&line)), line));
    let others = lines.filter(|(effect, _)| !wanted.contains(effect));
    others.map(|(effect, line)| format!("{effect:?}: {line}")).collect()
}

fn strings(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// Attack 270.
#[test]
fn given_an_input_that_exec_opens_then_what_runs_it_later_is_denied() {
    let opens = [
        "exec <<<'touch x'",
        "exec 0<<<'touch x'",
        "exec < <(echo touch x)",
        "exec <<E\ntouch x\nE\n",
        "command exec <<<'touch x'",
        "builtin exec <<<'touch x'",
        "exec -- <<<'touch x'",
        "exec -la name <<<'touch x'",
        "A=b exec 2>&1 <<<'touch x'",
        "exec 3<<<'touch x' <&3",
        "exec 3< <(echo touch x); exec <&3",
        "{ exec <<<'touch x'; }",
        "{ exec <<<'touch x'; } 2>log",
        "if exec <<<'touch x'; then :; fi",
        "case a in a) exec <<<'touch x';; esac",
        "eval \"exec <<<'touch x'\"",
        "trap 'exec <<<\"touch x\"' DEBUG",
        "true | exec <<<'touch x'",
        "f() { exec <<<'touch x'; }; f",
    ];
    let runs = [
        "sh",
        "bash -s",
        "zsh -e",
        "cat | sh",
        "true && sudo -s",
        "(dash)",
        "{ :; sh; }",
        "parallel",
        "a=$(sh)",
        "ssh host",
        ". /dev/stdin",
    ];
    let mut lines: Vec<String> = Vec::new();
    for first in opens {
        for then in runs {
            let end = if first.ends_with('\n') { "" } else { "; " };
            lines.push(format!("{first}{end}{then}"));
        }
    }
    lines.extend(strings(&[
        "for i in 1 2; do sh; exec <<<'touch x'; done",
        "sh -c 'exec <<E\ntouch x\nE\nsh'",
        "exec 3<<<'touch x'; sh <&3",
        "exec 3<<<'touch x'; sh /dev/fd/3",
        "sh 3<<<'touch x' <&3",
    ]));
    assert!(lines.len() > 200, "{}", lines.len());
    let through = other_than(&[Deny], lines);
    assert!(through.is_empty(), "{through:#?}");
}

/// The other side of attack 270: descriptors that are none of the input, and what ends with its shell.
#[test]
fn given_descriptors_that_exec_opens_then_what_reads_no_lines_is_as_quiet_as_before() {
    let asked = other_than(
        &[Allow],
        strings(&[
            "exec 2>/dev/null; ls",
            "exec >log 2>&1; make",
            "exec <a.txt; wc -l",
            "exec <<<'touch x'; cat",
            "(exec <<<'touch x'); ls",
            "(exec <<<'touch x'); sh build.sh",
            "sh -c 'exec <<<\"touch x\"'; make",
            "exec 3<<<'touch x'; cat <&3",
            "exec make",
        ]),
    );
    assert!(asked.is_empty(), "{asked:#?}");
}
