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

/// Attack 271.
#[test]
fn given_a_variable_that_is_a_function_then_what_it_runs_is_denied_by_every_wrapper() {
    let functions =
        ["'BASH_FUNC_ls%%=() { touch x; }'", "BASH_FUNC_echo%%='() { touch x; }'", "'ls=() { touch x; }'"];
    let wrappers = [
        "env",
        "env -i --",
        "env -u A B=c",
        "sudo",
        "sudo -E A=b",
        "env -S env",
        "systemd-run -E",
        "systemd-run --setenv",
        "docker run -e",
        "podman exec --env",
        "docker compose run -e",
        "machinectl shell -E",
    ];
    let runs = ["bash -c ls", "make", "box bash -c ls"];
    let mut lines = Vec::new();
    for wrapper in wrappers {
        for function in functions {
            lines.extend(runs.iter().map(|runs| format!("{wrapper} {function} {runs}")));
        }
    }
    lines.push("bwrap --setenv BASH_FUNC_ls%% '() { touch x; }' bash -c ls".to_owned());
    let through = other_than(&[Deny], lines);
    assert!(through.is_empty(), "{through:#?}");
    // A name that is none: the command stands behind it, and what reads the name is not known.
    let names = ["'a b=c'", "=c", "1=2", "'@=1'", "./a=b", "\"$X=1\"", "'a%b'=c"];
    let lines = names.iter().flat_map(|name| {
        ["env", "sudo", "env -i", "cross-env"].map(|wrapper| format!("{wrapper} {name} ls"))
    });
    let through = other_than(&[Ask], lines);
    assert!(through.is_empty(), "{through:#?}");
    let lines = names.iter().map(|name| format!("env {name} touch x"));
    let through = other_than(&[Deny], lines);
    assert!(through.is_empty(), "{through:#?}");
}

/// The other side of attack 271.
#[test]
fn given_variables_that_only_say_something_then_wrappers_are_as_quiet_as_before() {
    let asked = other_than(
        &[Allow],
        strings(&[
            "env RUST_LOG=debug cargo test",
            "env CI=1 npm test",
            "sudo RUST_BACKTRACE=1 make",
            "systemd-run --user -E RUST_LOG=info make",
            "docker run --rm -e A=b -e CI=1 box make",
            "docker run -e discovery.type=single-node elasticsearch",
            "docker exec -e PGPASSWORD=x db psql -c 'select 1'",
            "docker compose run -e NODE_ENV=test web npm test",
            "docker run -e HOME box ls",
            "kubectl run x --image=y --env=A=b",
        ]),
    );
    assert!(asked.is_empty(), "{asked:#?}");
}

/// Attack 272.
#[test]
fn given_a_text_that_env_splits_then_its_words_are_read_in_its_place() {
    let denied = strings(&[
        "env -S'-S\"touch x\"'",
        "env -S'touch\\_x'",
        "env -S'sh -c' 'touch x'",
        "env -S'-S' 'touch x'",
        "env -S '-i -u A touch x'",
        "env -S 'A=b touch' x",
        "env -vS 'touch x'",
        "env --split-string='-C /tmp touch x'",
        "env --sp 'touch x'",
        "env -S '' touch x",
        "env -S '\"tou\"c\"h\" x'",
        "env -S '-i -S\"A=b -S\\\"touch x\\\"\"'",
        "env -S 'sudo -u me' touch x",
        "env -S 'env -S' 'touch x'",
        "sudo env -S'-S\"touch x\"'",
        "nohup env -S'bash -c \"touch x\"'",
        "env -S'BASH_FUNC_ls%%=\"() { touch x; }\" bash -c ls'",
        "env -S 'touch\\tx'",
        "env -S '${X}' touch x",
        "env -S 'touch # x'",
    ]);
    let through = other_than(&[Deny], denied);
    assert!(through.is_empty(), "{through:#?}");
    let asked = ["${X} y", "a\\cb", "ls\\tx", "ls # x", "\\#ls", "ls $X", "ls 'x", "ls\\"];
    let through =
        other_than(&[Ask], asked.iter().map(|text| format!("env -S \"$(cat <<'E'\n{text}\nE\n)\" y")));
    assert!(through.is_empty(), "{through:#?}");
    let quoted = asked.iter().map(|text| format!("env -S {} y", mayi_call::shell::quote_word(text)));
    let through = other_than(&[Ask], quoted);
    assert!(through.is_empty(), "{through:#?}");
}

/// The other side of attack 272.
#[test]
fn given_a_plain_text_that_env_splits_then_its_command_is_allowed_as_it_stands() {
    let policy = policy(&[(Allow, "shell(env *)"), (Allow, "shell(cargo test *)"), (Allow, "shell(ls *)")]);
    for line in
        ["env -S 'cargo test'", "env -S 'cargo test' -p x", "env -S '-i ls -l'", "env -S \"ls 'a b'\""]
    {
        assert_eq!(effect(&policy, &shell(line)), Allow, "{line}");
    }
    assert_eq!(effect(&policy, &shell("env -S 'cargo build'")), Ask);
}

/// Attack 273.
#[test]
fn given_words_behind_the_user_of_su_then_they_are_those_of_a_shell() {
    let words =
        ["-c 'touch x'", "-lc 'touch x'", "--norc -c 'touch x'", "-e -c 'touch x'", "-c 'ls; touch x' a"];
    let users =
        ["root --", "-- root", "- root --", "-l -- root", "-p root --", "-s /bin/bash root --", "\"$U\" --"];
    let mut lines = Vec::new();
    for program in ["su", "sudo su", "runuser"] {
        for user in users {
            lines.extend(words.iter().map(|words| format!("{program} {user} {words}")));
        }
    }
    lines.extend(strings(&[
        "su -s /bin/touch root x",
        "su -s /usr/bin/touch root -- x",
        "su root -c 'touch x'",
        "su -c 'touch x'",
        "su --session-command 'touch x' - root",
        "runuser -u root -- touch x",
        "runuser -u root touch x",
    ]));
    let through = other_than(&[Deny], lines);
    assert!(through.is_empty(), "{through:#?}");
    let asked = other_than(
        &[Allow],
        strings(&[
            "su",
            "su - postgres",
            "su root -c ls",
            "su - postgres -c 'psql -l'",
            "su root -- -c ls",
            "runuser -u www-data -- php artisan migrate",
            "runuser root -c 'ls -l'",
        ]),
    );
    assert!(asked.is_empty(), "{asked:#?}");
}

/// Attack 274.
#[test]
fn given_a_wrapper_without_its_command_then_the_shell_that_it_starts_runs_its_input() {
    let wrappers = [
        "su",
        "su root",
        "su - root",
        "su -s /bin/sh root",
        "sudo su",
        "sudo -s",
        "sudo -i",
        "doas -s",
        "runuser root",
        "newgrp",
        "newgrp docker",
        "sg docker",
        "login -f root",
        "unshare -r",
        "nsenter -t 1 -a",
        "setarch -R",
        "linux64",
        "chroot /mnt",
        "fakeroot",
        "script -q log",
        "ssh host",
        "machinectl shell box",
        "distrobox enter box",
        "toolbox enter",
        "nix-shell",
        "nix-shell -p git",
        "pipenv shell",
    ];
    let feeds = |runs: &str| {
        [
            format!("echo touch x | {runs}"),
            format!("{runs} <<<'touch x'"),
            format!("{runs} <<E\ntouch x\nE\n"),
            format!("{runs} < <(echo touch x)"),
            format!("exec <<<'touch x'; {runs}"),
        ]
    };
    let through = other_than(&[Deny], wrappers.iter().flat_map(|runs| feeds(runs)));
    assert!(through.is_empty(), "{through:#?}");
    let not_known = wrappers.iter().map(|runs| format!("curl https://example.com | {runs}"));
    let through = other_than(&[Ask], not_known);
    assert!(through.is_empty(), "{through:#?}");
    let asked = other_than(
        &[Allow],
        strings(&[
            "cat x | su root -c 'wc -l'",
            "echo y | sudo -S make",
            "cat x | unshare -r wc",
            "cat x | ssh host wc -l",
            "cat x | nix-shell --run make",
            "cat x | docker exec -i db psql -c 'select 1'",
        ]),
    );
    assert!(asked.is_empty(), "{asked:#?}");
}

/// Attack 275.
#[test]
fn given_a_denied_file_then_no_expression_of_the_shell_looks_at_it() {
    let rules = [(Allow, "shell(*)"), (Allow, "read(**)"), (Deny, "read(.env)"), (Deny, "read(~/.ssh/**)")];
    let policy = policy(&rules);
    let files = [".env", "~/.ssh/key", "./.env", "$HOME/.ssh/key", "/w/src/../.env", "\".env\""];
    let mut lines = Vec::new();
    for file in files {
        for operator in ["-a", "-d", "-e", "-f", "-h", "-N", "-r", "-s", "-x"] {
            lines.push(format!("[[ {operator} {file} ]]"));
        }
        for operator in ["-nt", "-ot", "-ef"] {
            lines.push(format!("[[ a {operator} {file} ]]"));
            lines.push(format!("[[ {file} {operator} a ]]"));
        }
        lines.push(format!("[[ ! ( -z x || -f {file} ) ]] && make"));
        lines.push(format!("if [[ -n x && -s {file} ]]; then echo a; fi"));
        lines.push(format!("echo $([[ -f {file} ]] && echo a)"));
        lines.push(format!("make; bash -c '[[ -f {} ]]'", file.replace('"', "")));
        lines.push(format!("while [[ -f {file} ]]; do sleep 1; done"));
    }
    lines.push("cd src; [[ -f ../.env ]]".to_owned());
    let mut through: Vec<_> = lines.iter().filter(|line| effect(&policy, &shell(line)) != Deny).collect();
    // What is not bash has no such expression, and asks.
    through.retain(|line| effect(&policy, &shell(line)) == Allow);
    assert!(through.is_empty(), "{through:#?}");
}

/// The other side of attack 275: nothing more has to be allowed.
#[test]
fn given_files_that_no_rule_is_about_then_expressions_are_as_quiet_as_before() {
    let rules =
        [(Allow, "shell(make *)"), (Allow, "shell(echo *)"), (Deny, "read(.env)"), (Deny, "read(~/.ssh/**)")];
    let policy = policy(&rules);
    let lines = [
        "[[ -f Makefile ]] && make",
        "[[ -d .git ]] && make",
        "if [[ -e a || -s b ]]; then make; fi",
        "[[ -f /etc/os-release ]] && make",
        "[[ a -nt b ]] && make",
        "[[ .env == x ]] && make",
        "[[ -n .env ]] && make",
        "[[ -f ~/.bashrc ]] && echo a",
        "[[ -f /etc/os-release ]] && echo a",
    ];
    let roots = [PathBuf::from("/w")];
    let at = Surroundings {
        home: Some(Path::new(HOME)),
        dialect: shell::Dialect::Bash,
        ..Surroundings::new(Path::new("/w"), &roots)
    };
    for line in lines {
        let mut call = call(Access::Mode { id: "replaced".into() });
        call.accesses = shell::line_accesses(line, &at);
        assert_eq!(effect(&policy, &call), Allow, "{line}");
    }
}

/// Attack 276.
#[test]
fn given_a_folder_that_is_not_known_then_what_reads_all_below_it_may_read_what_is_protected() {
    let policy = policy(&[]);
    let readers =
        ["grep -r x .", "grep -r x", "grep -R x ..", "find . -exec cat {} +", "diff -r . a", "cp -r . out"];
    let loops = [
        "for x in a; do cd .. && {}; done",
        "while true; do cd ..; {}; done",
        "for x in a; do pushd ..; {}; done",
        "until false; do cd ../.. && {}; done",
        "cd \"$D\" && {}",
        "cd \"$D\"; {}",
        "f() { cd ..; {}; }; f",
    ];
    let lines = loops.iter().flat_map(|around| readers.map(|reader| around.replace("{}", reader)));
    let through: Vec<_> =
        lines.filter(|line| in_mode(&policy, &shell(line), Mode::Auto).effect == Allow).collect();
    assert!(through.is_empty(), "{through:#?}");
    let quiet = [
        "for x in a; do grep -r x src; done",
        "for x in a b; do grep -r \"$x\" .; done",
        "cd src && grep -r x .",
        "cd src; grep -r x .",
        "for d in a b; do (cd \"$d\" && make); done",
        "for d in a b; do (cd \"$d\" && git status); done",
        "cd \"$D\" && ls",
        "for d in */; do cd \"$d\"; ls; cd ..; done",
        "cd \"$D\" && make test",
    ];
    let asked: Vec<_> =
        quiet.iter().filter(|line| in_mode(&policy, &shell(line), Mode::Auto).effect != Allow).collect();
    assert!(asked.is_empty(), "{asked:#?}");
}
