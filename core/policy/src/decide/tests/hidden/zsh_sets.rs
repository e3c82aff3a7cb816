//! What sets a variable to zsh, and nothing to other shells (D2.13).

use super::*;

/// What changes which program, file or function a later word stands for.
const NAMES: &[&str] = &[
    "PATH",
    "path",
    "fpath",
    "FPATH",
    "LD_PRELOAD",
    "NULLCMD",
    "READNULLCMD",
    "functions[ls]",
    "commands[ls]",
    "aliases[ls]",
    "GIT_PAGER",
    "IFS",
    "PATH[1]",
    "path[1]",
];

/// Attack 609: `${NAME::=WORD}`.
#[test]
fn given_an_expansion_that_assigns_in_zsh_then_it_is_asked_about_always() {
    let uses = [
        ": E",
        "echo \"E\"",
        "echo a/E/b",
        "case E in a) ;; esac",
        "for i in E; do ls; done",
        "x=E",
        "x=\"E\"",
        "x=(E)",
        "export x=E",
        "cat <<< E",
        "cat <<Z\nE\nZ\n",
        "[ -n E ]",
        "[[ -n E ]]",
        "[[ a == E ]]",
        "echo $(: E)",
        "cat <(: E)",
        "if : E; then ls; fi",
        "f() { : E; }; f",
        "ls > E",
        "echo $((E))",
        "((E))",
        "echo ${x:-E}",
        "echo ${x/a/E}",
        "echo ${x:E}",
        "zsh -c ': E'",
        "eval ': E'",
    ];
    let mut lines = BTreeSet::new();
    for name in NAMES {
        for value in ["sub", "sub/evil", "./evil", "touch p", "$x", "$(cat f)", ""] {
            for use_ in uses {
                let line = use_.replace('E', &format!("${{{name}::={value}}}"));
                lines.insert(format!("{line}\nls"));
            }
        }
    }
    for dialect in [Dialect::Zsh, Dialect::Unknown] {
        none_allowed(dialect, &lines);
    }
}

/// Attack 611: commands of zsh and of its modules that are given names of parameters, or keep a line.
#[test]
fn given_a_command_of_zsh_that_sets_a_parameter_then_it_is_asked_about_always() {
    let setters = [
        "print -v N sub",
        "print -vN sub",
        "print -r -v N sub",
        "print -rv N sub",
        "print -rnv N sub",
        "print -u2 -v N sub",
        "print -C 2 -v N sub",
        "print -f %s -v N sub",
        "print -f '%n' N",
        "print -f '%s%n' a N",
        "builtin print -v N sub",
        "command print -v N sub",
        "print -z sub; getln N",
        "pushln sub; getln N",
        "getln N",
        "vared N",
        "vared -c N",
        "zformat -f N %a a:sub",
        "zformat -a N : sub",
        "zparseopts -a N a:",
        "zparseopts -A N -D a:",
        "zparseopts a:=N",
        "zregexparse N x a",
        "zstat -A N f",
        "zstat -H N f",
        "stat -A N f",
        "stat +link -A N f",
        "strftime -s N %s 0",
        "sysread N",
        "sysread -c N x",
        "sysopen -r -u N f",
        "syserror -e N 1",
        "zselect -A N -r 0",
        "zselect -a N -r 0",
        "zpty -r x N",
        "zcurses input x N",
        "ztie -d db/gdbm -f f N",
        "zgetattr f a N",
        "zlistattr f N",
        "pcre_match -v N a",
        "pcre_match -a N a",
        "compadd -O N a",
        "compadd -A N a",
        "private N=sub",
        "typeset N=sub",
        "read -p N",
        "read -n N",
        "nameref x=N",
        "printf -v N sub",
    ];
    let more = [
        "print -z 'touch p'",
        "print -s 'touch p'",
        "print -S 'touch p'",
        "print -rz x",
        "pushln x",
        "bindkey -s a b",
        "r",
        "zf_rm -r d",
        "zf_ln -s a b",
        "x=$(cat f); print $x sub",
        "print \"$(cat f)\" sub",
        "print -v$x sub",
        "print -v \"$x\" sub",
        "print -f \"$x\" PATH",
    ];
    let mut lines: BTreeSet<String> = more.iter().map(|line| format!("{line}; ls")).collect();
    for name in NAMES {
        for setter in setters {
            // A subscript is a pattern for files where no quotes are.
            let name = if name.contains('[') { format!("'{name}'") } else { (*name).to_owned() };
            let line = setter.replace('N', &name);
            lines.extend([format!("{line}; ls"), format!("{line} && echo y")]);
        }
    }
    for dialect in [Dialect::Zsh, Dialect::Unknown] {
        none_allowed(dialect, &lines);
    }
}

/// Attacks 609 and 611, where nothing is set, or a name that means nothing.
#[test]
fn given_commands_of_zsh_that_print_or_read_then_nothing_is_asked_about() {
    let none = policy(&[]);
    for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Sh, Dialect::Unknown] {
        for line in [
            "print hello",
            "print -l a b",
            "print -r -- a",
            "print -P '%F{red}x%f'",
            "print -u2 error",
            "print -n a",
            "print -v x a",
            "print -f '%s' a",
            "print",
            "stat -c %s f",
            "stat -f %z f",
            "stat f",
            "read -r x < f",
            "read -p 'Name? ' x < f",
            "read -p name x < f",
            "read -rsn 1 x < f",
            "read -t 5 x < f",
            "echo \"${x::3}\"",
            "echo \"${x::-1}\" \"${x: -1}\"",
            "echo ${x:0:3} ${x:-y} ${x:1}",
            "echo 'a::=b' a::=b",
            "make A::=b",
            "echo \"a::=$x\"",
        ] {
            let call = line_for(dialect, line);
            assert_eq!(in_mode(&none, &call, Mode::Auto).effect, Allow, "{dialect:?} {line}");
        }
    }
    // Other shells cut a part out of the value.
    let cut = line_for(Dialect::Bash, "print -v PATH sub; ls");
    assert_eq!(in_mode(&none, &cut, Mode::Auto).effect, Allow);
}
