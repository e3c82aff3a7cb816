//! What another program is started by: options that are called so, and sub-commands that run what follows (D2.16, D2.21).

use super::*;

/// Sub-commands and programs that run the words behind them; `@` is the command.
const WRAPPERS: &[&str] = &[
    "tox exec -- @",
    "tox exec -e py -- @",
    "tox e -- @",
    "tox -e py exec -- @",
    "tox exec -e py --skip-pkg-install -- @",
    "pdm run @",
    "rye run @",
    "pixi run @",
    "pixi run -e x @",
    "devbox run @",
    "rbenv exec @",
    "pyenv exec @",
    "nodenv exec @",
    "volta run @",
    "volta run --node 22 @",
    "fnm exec @",
    "fnm exec --using=22 @",
    "nvm exec 22 @",
    "lxc exec c -- @",
    "incus exec c -- @",
    "c8 @",
    "nyc --reporter=text @",
];

/// Options that the table does not list, of programs that it lists and of others; `@` is the line.
const OPTIONS: &[&str] = &[
    "unheard-of --exec '@'",
    "unheard-of --exec='@'",
    "unheard-of -exec '@'",
    "unheard-of sub --pager '@'",
    "unheard-of --pager='@' x",
    "unheard-of --editor '@'",
    "unheard-of --editor-cmd='@'",
    "unheard-of --shell '@'",
    "unheard-of --cmd '@'",
    "unheard-of --diffCmd '@'",
    "unheard-of --launcher '@'",
    "unheard-of --post-exec '@'",
    "delta --pager '@'",
    "fzf --preview '@'",
    "ranger --cmd '@'",
    "fossil diff --command '@'",
    "ctest --launcher '@'",
    "pytest --tx 'popen//python=@'",
    "pytest --tx='3*popen//python=@' x",
    "pytest -n 2 --tx 'popen//python=@'",
    "python3 -m pytest --tx 'popen//python=@'",
];

fn lines(of: &[&str], command: &str) -> Vec<String> {
    of.iter().map(|line| line.replace('@', command)).collect()
}

/// Denials reach what is started. Attack 77.
#[test]
fn given_a_denied_command_then_nothing_that_starts_it_is_allowed() {
    let denied = policy(&[(Allow, "shell(*)"), (Deny, "shell(rm *)"), (Deny, "shell(rm)")]);
    for line in lines(WRAPPERS, "rm x").into_iter().chain(lines(OPTIONS, "rm x")).chain(lines(OPTIONS, "rm"))
    {
        assert_ne!(in_mode(&denied, &shell(&line), Mode::Auto).effect, Allow, "{line}");
    }
    for line in lines(WRAPPERS, "ls").into_iter().chain(lines(OPTIONS, "ls")) {
        assert_ne!(in_mode(&denied, &shell(&line), Mode::Auto).effect, Deny, "{line}");
    }
}

/// An allow of the program alone does not cover what it starts. Attack 77.
#[test]
fn given_an_allow_of_a_program_then_what_it_starts_is_asked_about() {
    for line in lines(WRAPPERS, "make x").into_iter().chain(lines(OPTIONS, "make")) {
        let first = line.split(' ').next().unwrap();
        let allowed = policy(&[(Allow, &format!("shell({first} *)"))]);
        assert_eq!(effect(&allowed, &shell(&line)), Ask, "{line}");
        let both = policy(&[(Allow, &format!("shell({first} *)")), (Allow, "shell(make *)")]);
        if WRAPPERS.iter().any(|of| of.replace('@', "make x") == line) && !line.contains(" -- ") {
            assert_eq!(effect(&both, &shell(&line)), Allow, "{line}");
        }
    }
}

/// What starts nothing is as quiet as before. Attack 77.
#[test]
fn given_other_options_then_they_are_as_quiet_as_before() {
    for line in [
        "tox",
        "tox -e py",
        "tox -e py -- -k x",
        "tox run -e py",
        "pytest -n 2",
        "pytest --dist loadfile -q",
        "unheard-of --no-pager x",
        "unheard-of --shell bash",
        "unheard-of --shell=zsh",
        "unheard-of --execution-time 9",
        "unheard-of --hooks x",
        "unheard-of -e x",
        "pyenv versions",
        "pixi install",
        "pdm install",
        "nvm ls",
        "volta list",
    ] {
        let first = line.split(' ').next().unwrap();
        let allowed = policy(&[(Allow, &format!("shell({first} *)"))]);
        assert_eq!(effect(&allowed, &shell(line)), Allow, "{line}");
    }
}
