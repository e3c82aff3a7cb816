//! What the line itself changes before it is used: files that it writes and then runs, variables of its loops, and input
//! that several commands share. No mode lets a line run by what it had before.

use mayi_call::Dialect;

use super::*;

const DIALECTS: &[Dialect] = &[Dialect::Bash, Dialect::Sh, Dialect::Zsh];

fn line_for(dialect: Dialect, line: &str) -> Call {
    let roots = [PathBuf::from("/w")];
    let at =
        Surroundings { home: Some(Path::new(HOME)), dialect, ..Surroundings::new(Path::new("/w"), &roots) };
    let mut call = call(Access::Mode { id: "replaced".into() });
    call.accesses = shell::line_accesses(line, &at);
    call
}

/// The lines that run under this denial in one of these shells, in mode auto or plan.
fn through<'a>(deny: &str, lines: &[&'a str], dialects: &[Dialect]) -> Vec<(&'a str, Dialect)> {
    let policy = policy(&[(Deny, deny)]);
    let runs = |line: &str, dialect| {
        let call = line_for(dialect, line);
        [Mode::Auto, Mode::Plan].iter().any(|mode| in_mode(&policy, &call, *mode).effect == Allow)
    };
    let each = lines.iter().flat_map(|line| dialects.iter().map(move |dialect| (*line, *dialect)));
    each.filter(|(line, dialect)| runs(line, *dialect)).collect()
}

/// The same for lines that each shell has to be asked about.
fn none_runs(deny: &str, lines: &[&str], dialects: &[Dialect]) {
    let through = through(deny, lines, dialects);
    assert!(through.is_empty(), "{through:#?}");
}

/// Attack 258.
#[test]
fn given_a_file_that_may_hold_something_else_by_then_then_what_runs_it_is_asked_about() {
    let lines = [
        "echo 'touch pwned' > s; false && echo ls > s; sh s",
        "echo 'touch pwned' > s; true || echo ls > s; sh s",
        "echo 'touch pwned' > s; if false; then echo ls > s; fi; sh s",
        "echo 'touch pwned' > s; case a in b) echo ls > s;; esac; sh s",
        "echo 'touch pwned' > s; for i in; do echo ls > s; done; sh s",
        "echo 'touch pwned' > s; while false; do echo ls > s; done; sh s",
        "echo 'touch pwned' > s; for i in 1; do continue; echo ls > s; done; sh s",
        "echo 'touch pwned' > s; (exit; echo ls > s); sh s",
        "echo 'touch pwned' > s; sh -c 'exit; echo ls > s'; sh s",
        "echo 'touch pwned' > s; eval 'false && echo ls > s'; sh s",
        "echo 'touch pwned' > s; f() { echo ls > s; }; sh s",
        "echo 'touch pwned' > s; [[ a || $(echo ls > s) ]]; sh s",
        "echo 'touch pwned' > s; { echo ls > s; } < nowhere; sh s",
        "echo 'touch pwned' > s; set -C; echo ls > s; sh s",
        "echo 'touch pwned' > s; set -o noclobber; echo ls > s; sh s",
        "{ sleep 1; echo 'touch pwned' > s; } & echo ls > s; wait; sh s",
        "{ sleep 1; echo 'touch pwned' > s; } | echo ls > s; sh s",
        "coproc { sleep 1; echo 'touch pwned' > s; }; echo ls > s; wait; sh s",
        "echo ls > s; { sleep 1; sh s; } | echo 'touch pwned' > s",
        "echo ls > s; ln s t; echo 'touch pwned' > t; sh s",
        "ln -s s t; echo ls > s; echo 'touch pwned' > t; sh s",
        "echo ls > s; cp -l s t; echo 'touch pwned' > t; sh s",
        "mkdir d e; echo ls > d/s; echo touch pwned > e/s; rm -r d; mv e d; sh d/s",
        "mkdir d e; echo ls > d/s; echo touch pwned > e/s; cp -rT e d; sh d/s",
        "echo 'touch pwned' > d/s; mv d e; sh e/s",
        "echo 'touch pwned' > d/s; mv d e; sh e/d/s",
        "echo 'touch pwned' > s; mv s t; sh t",
        "exec 3> s; echo ls > s; echo touch pwned >&3; sh s",
        "{ echo ls > s; echo touch pwned >&3; } 3> s; sh s",
        "printf '# ' > s; rm s; printf 'touch pwned\\n' >> s; sh s",
        "printf '# ' > s; unlink s; printf 'touch pwned\\n' >> s; sh s",
        "printf '# ' > s; truncate -s 0 s; printf 'touch pwned\\n' >> s; sh s",
        "mkdir d; printf '# ' > d/s; mv d e; mkdir d; printf 'touch pwned\\n' >> d/s; sh d/s",
        "printf 'touch pwned\\n' >> s; sh s",
        "printf '#' > s >&2; printf 'touch pwned\\n' >> s; sh s",
        "printf '#' > s >&-; printf 'touch pwned\\n' >> s; sh s",
        "printf 'touch ' > s; printf 'pwned\\n' >> ./s; sh s",
        "for i in 1 2; do printf 'pwned;touch ' >> s; done; sh s",
        "trap 'sh s' EXIT; echo 'touch pwned' > s",
        "echo ls > s; cat > $f <<< 'touch pwned'; sh s",
    ];
    none_runs("shell(touch *)", &lines, DIALECTS);
}

/// The other side of attack 258: a text that is written once, whatever else is written.
#[test]
fn given_a_file_that_is_written_once_then_its_text_is_judged_and_nothing_more_is_asked() {
    let lines = [
        "cat > t.sh <<'E'\nls\nE\nbash t.sh",
        "echo ls > t.sh && chmod +x t.sh && ./t.sh",
        "mkdir -p d && echo ls > d/t.sh && sh d/t.sh",
        "rm -f old; echo ls > t.sh; sh t.sh",
        "echo ls > t.sh; git add t.sh; sh t.sh",
        "echo ls > t.sh; echo pwd > u.sh; sh t.sh; sh u.sh",
        "echo 'print(1)' > t.py; python3 t.py; python3 t.py | head; cp t.py u.py",
        "echo 'print(1)' > t.py; python3 t.py; rm t.py",
        "[[ -f x ]] && echo ls > t.sh; sh t.sh",
        "echo ls > t.sh; for i in 1 2; do sh t.sh; done",
        "cp a.sh b.sh; bash b.sh",
    ];
    for dialect in [Dialect::Bash, Dialect::Zsh] {
        let run = through("shell(touch *)", &lines, &[dialect]);
        assert_eq!(run.iter().map(|(line, _)| *line).collect::<Vec<_>>(), lines);
    }
}

/// Attack 257.
#[test]
fn given_a_variable_of_a_loop_that_is_set_by_other_means_then_it_is_not_known() {
    let secret = "read(secret/**)";
    let of_all = [
        "for OPTARG in a; do getopts x: y -xsecret; cat $OPTARG/key; done",
        "for dx in a; do unset d\\x; cat ${dx}secret/key; done",
        "for dx in a; do . ./lib; cat $dx/key; done",
        "for dx in a; do wait -p d\\x; cat ${dx}/key; done",
    ];
    none_runs(secret, &of_all, DIALECTS);
    let of_two = [
        "for _ in a; do true secret; cat $_/key; done",
        "for REPLY in a; do read <<< secret; cat $REPLY/key; done",
    ];
    none_runs(secret, &of_two, &[Dialect::Bash, Dialect::Zsh]);
    let of_bash = [
        "for BASH_REMATCH in a; do [[ secret =~ .* ]]; cat $BASH_REMATCH/key; done",
        "for MAPFILE in a; do mapfile -t <<< secret; cat $MAPFILE/key; done",
    ];
    none_runs(secret, &of_bash, &[Dialect::Bash]);
    let of_zsh = [
        "for MATCH in a; do [[ secret =~ .* ]]; cat $MATCH/key; done",
        "for match in a; do [[ secret =~ (secret) ]]; cat $match/key; done",
    ];
    none_runs(secret, &of_zsh, &[Dialect::Zsh]);
    let commands = [
        "for dx in ls; do read d\\x <<< touch; $dx pwned; done",
        "for dx in ls; do printf -v d\\x touch; $dx pwned; done",
        "for dx in ls; do printf -v\"d\"x touch; $dx pwned; done",
        "for dx in ls; do eval 'd''x=touch'; $dx pwned; done",
        "for dx in ls; do . ./lib; $dx pwned; done",
        "for dx in ls; do source lib; $dx pwned; done",
        "for dx in ls; do command . ./lib; $dx pwned; done",
        "for dx in ls; do read d$y <<< touch; $dx pwned; done",
        "for dx in ls; do read {d,}x <<< touch; $dx pwned; done",
        "for dx in ls; do read $'d\\x78' <<< touch; $dx pwned; done",
        "declare -n r=d$y; for dx in ls; do r=touch; $dx pwned; done",
        "for i in 1; do for dx in ls; do read d\\x <<< touch; done; $dx pwned; done",
    ];
    none_runs("shell(touch *)", &commands, DIALECTS);
    // The others are known as before.
    let known = [
        "for d in a; do cat $d/key; done",
        "for d in a; do while read l; do cat $d/key; done < list; done",
        "for d in 'b c'; do echo \"$d\"; printf '%s\\n' \"$d\"; cat \"$d/key\"; done",
        "for c in ls; do $c x; done; eval ls",
        "for d in a; do export X=$d; cat $d/key; done",
    ];
    let run = through(secret, &known, &[Dialect::Bash]);
    assert_eq!(run.iter().map(|(line, _)| *line).collect::<Vec<_>>(), known);
}

/// Attack 259.
#[test]
fn given_input_that_something_else_may_have_read_then_what_runs_it_is_asked_about() {
    let lines = [
        "printf 'cat <<E\\ntouch pwned\\nE\\n' | x=$(read l) sh",
        "printf 'cat <<E\\ntouch pwned\\nE\\n' | sh > $(read l; echo x)",
        "x=$(read l) sh <<'X'\ncat <<E\ntouch pwned\nE\nX",
        "printf 'read l\\ncat <<E\\ntouch pwned\\nE\\n' | bash",
        "bash <<'X'\nread l\ncat <<E\ntouch pwned\nE\nX",
        "printf 'read l\\ncat <<E\\ntouch pwned\\nE\\n' > s; bash < s",
        "bash <<'X'\nhead -c 5\necho touch pwned\nX",
        "sh -c 'sh' <<'X'\nread l\ncat <<E\ntouch pwned\nE\nX",
        "printf 'touch pwned\n' | sh $x",
        "printf 'cat <<E\ntouch pwned\nE\n' | sh $(read l)",
    ];
    none_runs("shell(touch *)", &lines, DIALECTS);
}

/// The other side of attack 259.
#[test]
fn given_a_script_on_an_input_that_nothing_else_reads_then_nothing_more_is_asked() {
    let lines = [
        "echo ls | sh",
        "printf '%s\\n' ls pwd | bash",
        "bash <<'E'\ncargo test\nE",
        "bash <<'E'\nset -e\ncd a\nls\nE",
        "python3 - $(pwd) <<'E'\nprint(1)\nprint(2)\nE",
    ];
    let run = through("shell(touch *)", &lines, &[Dialect::Bash]);
    assert_eq!(run.iter().map(|(line, _)| *line).collect::<Vec<_>>(), lines);
}

/// Attack 267.
#[test]
fn given_output_to_a_file_that_is_not_known_outside_of_the_folders_then_it_is_asked_about_always() {
    let lines = [
        "cd; > \"$v\"x",
        "cd ..; ls -la\necho a 0<> \"$v\"x",
        "cd / && echo a >> $(date).log",
        "cd ~/other || cd ..; echo a > $v",
    ];
    none_runs("shell(touch *)", &lines, DIALECTS);
    let within = ["echo a > \"$v\"x", "cd src && echo a >> $(date).log"];
    let run = through("shell(touch *)", &within, &[Dialect::Bash]);
    assert_eq!(run.iter().map(|(line, _)| *line).collect::<Vec<_>>(), within);
}

/// mksh evaluates what `shift` is given. Attack 599.
#[test]
fn given_a_number_of_a_posix_shell_then_it_may_be_evaluated() {
    let lines = [
        "shift 'a[$(touch pwned)]'",
        "set -- a; shift 'a[`touch pwned`]'",
        "shift 'x[$(touch pwned)0]' || ls",
    ];
    none_runs("shell(shred *)", &lines, &[Dialect::Sh, Dialect::Unknown]);
    let harmless = ["shift", "shift 2", "set -- a b; shift 1"];
    assert_eq!(through("shell(shred *)", &harmless, &[Dialect::Sh, Dialect::Bash]).len(), 2 * harmless.len());
}
