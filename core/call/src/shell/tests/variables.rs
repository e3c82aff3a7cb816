use super::{each, each_always, first, touched};
use crate::shell::CaveatSubject;

/// D2.14: a listed set of inert variables such as `RUST_LOG`, `CI`, `NO_COLOR`, `LANG`
/// with literal values is transparent.
#[test]
fn given_inert_variables_then_they_are_left_out_where_their_values_are_literal() {
    each(&[
        ("RUST_LOG=debug cargo test", "cargo test"),
        ("CI=1 NO_COLOR= LC_ALL='C' a", "a"),
        ("RUST_LOG=debug; a", "a"),
        ("RUST_LOG=$x a", "RUST_LOG=$x a ~"),
        ("RUST_LOG+=x a", "RUST_LOG+=x a ~"),
        ("CI=$(id) a", "CI=$(id) a ~ | id"),
    ]);
}

/// D2.14: inert variables such as ... `LANG` with literal values: a path is a file of
/// messages, and no language. Attack 77.
#[test]
fn given_a_language_or_a_zone_that_is_a_path_then_it_is_not_inert() {
    each(&[
        ("LC_ALL=../x ls", "LC_ALL=../x ls ~"),
        ("LANGUAGE=/tmp/x ls", "LANGUAGE=/tmp/x ls ~"),
        ("LANG=x/y ls", "LANG=x/y ls ~"),
        ("TZ=:/etc/shadow date", "TZ=:/etc/shadow date ~"),
        ("TZ=../x date", "TZ=../x date ~"),
        ("TZ=Europe/Berlin date", "date"),
        ("LC_ALL=C.UTF-8 ls", "ls"),
    ]);
}

/// D2.15: Caveats that are plain asks: other assignments; a pattern that names the
/// assignment ... allows it.
#[test]
fn given_other_variables_then_they_are_plain_asks_that_a_pattern_can_name() {
    let access = first("CI=1 FOO=bar B=c ls");
    let named: Vec<_> = access.caveats.iter().map(|caveat| (caveat.always, caveat.named.clone())).collect();
    assert_eq!(named, [(false, CaveatSubject::Assignment(0)), (false, CaveatSubject::Assignment(1))]);
    assert_eq!(access.text(), "FOO=bar B=c ls");
    each(&[
        ("FOO=bar; make", "FOO=bar ~ | make"),
        ("a=(1 2); x", "a=(1 2) ~ | x"),
        ("a[1]=2 ls", "a[1]=2 ls ~"),
    ]);
    // It means nothing to what only reads.
    each(&[("FOO=bar; ls", "FOO=bar | ls"), ("a=(1 2)", "a=(1 2)")]);
}

/// D2.13: anything that rebinds what later words run (`PATH`, `LD_*`, `IFS`, `BASH_ENV`,
/// `GIT_*`, `PAGER`, `EDITOR`, ..., by assignment, `export`, `for`, `read`, `printf -v`, `declare`,
/// `${x:=}`, `alias`, functions named like commands, `trap`, `hash -p`). Attacks 1 and 18.
#[test]
fn given_a_variable_that_rebinds_then_it_is_always_asked_about_however_it_is_set() {
    each_always(&[
        "PATH=. ls",
        "PATH=.; ls",
        "PATH+=:. ls",
        "LD_PRELOAD=x ls",
        "IFS=x",
        "BASH_ENV=x sh y",
        "GIT_PAGER='sh -c id' git log",
        "GREP=./x zgrep a b",
        "PYTEST_ADDOPTS='-p x' pytest",
        "LUA_INIT_5_4=@x lua y",
        "TF_CLI_ARGS_plan=-x terraform plan",
        "CMAKE_CXX_COMPILER_LAUNCHER=./x cmake .",
        "GROFF_TMAC_PATH=. man ls",
        "UNZIP=-o unzip -l a.zip",
        "XZ_OPT=-k xz -l a",
        "env KUBE_EDITOR=./x kubectl edit a",
        "PAGER=x git log",
        "EDITOR=x git commit",
        "export PATH=x",
        "export PATH",
        "declare -x PATH=/tmp",
        "local PATH=x",
        "typeset PATH=x",
        "readonly PATH=x",
        "for PATH in /tmp/e; do ls; done",
        "read PATH",
        "read -r -a PATH x",
        "mapfile PATH",
        "mapfile -t PATH",
        "printf -v PATH x",
        "printf -vPATH x",
        "getopts ab PATH",
        "unset PATH",
        "let PATH=1",
        "declare -n x=PATH",
        "export $x",
        "export \"$(cat .env)\"",
        "read $x",
        "echo ${PATH:=x}",
        "alias ls=id",
        "trap 'id' EXIT",
        "hash -p /x ls",
        "coproc PATH { a; }",
        "command export PATH=x",
        "builtin read PATH",
    ]);
}

/// Attack 6: what a variable holds may be a path that a rule is about.
#[test]
fn given_a_value_that_is_a_path_then_it_is_touched() {
    assert!(touched("X=~/.ssh/id_rsa ls").contains(&"/home/me/.ssh/id_rsa".to_owned()));
    assert!(touched("X=./a; ls").contains(&"/w/a".to_owned()));
}

/// Inert variables before an allowed command (`CGO_ENABLED`, `NODE_ENV`, ...): by their values, too.
#[test]
fn given_a_variable_with_a_value_that_changes_nothing_then_it_is_left_out() {
    each(&[
        ("CGO_ENABLED=0 GOOS=linux x", "x"),
        ("NODE_ENV=test DEBUG=* x", "x"),
        ("GOFLAGS=-mod=mod x", "x"),
        ("RUSTFLAGS='-D warnings -Aunused' x", "x"),
        ("NODE_OPTIONS=--max-old-space-size=4096 x", "x"),
        ("GIT_PAGER=cat PAGER=cat git log -1", "git log -1"),
    ]);
    each_always(&[
        "GOFLAGS='-mod=mod -toolexec=./x' go test",
        "GOFLAGS= go test",
        "RUSTFLAGS='-D warnings -C linker=./x' cargo test",
        "RUSTFLAGS='-D ./x' cargo test",
        "NODE_OPTIONS='--require ./x' node y",
        "GIT_PAGER='cat; id' git log",
        "PAGER=./cat git log",
        "PYTHONWARNINGS=ignore::x.Y python y",
        "MAKEFLAGS='-j4 -f x' make",
    ]);
    assert!(!first("NODE_ENV=../x node y").assignments.is_empty());
}

/// What runs the project's own code anyway may be told where more of it lies.
#[test]
fn given_folders_of_the_project_for_a_program_that_runs_its_code_then_they_are_left_out() {
    each(&[("PYTHONPATH=. pytest", "pytest"), ("PYTHONPATH=src:./lib/x pytest -q", "pytest -q")]);
    each_always(&[
        "PYTHONPATH=/tmp/x pytest",
        "PYTHONPATH=../x pytest",
        "PYTHONPATH=a/../.. pytest",
        "PYTHONPATH=~/x pytest",
        "PYTHONPATH= pytest",
        "PYTHONPATH=. pip list",
        "PYTHONPATH=. black x.py",
        "export PYTHONPATH=.; pytest",
    ]);
}
