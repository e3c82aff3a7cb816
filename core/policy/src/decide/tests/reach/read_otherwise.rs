//! What a program or a shell makes of its words otherwise than it seems: where a command ends, what a value is put into, which
//! language a line is in.

use super::*;

/// The lines of which these rules, in one of the modes, do not make `expected`.
fn ruled(rules: &[(Effect, &str)], lines: &[&str], expected: Effect) {
    let policy = policy(rules);
    let wrong: Vec<_> = lines.iter().filter(|line| effect(&policy, &shell(line)) != expected).collect();
    assert!(wrong.is_empty(), "under {rules:?} not {expected:?}: {wrong:#?}");
}

/// The lines that are allowed in mode auto, or by a rule that allows all, where `denied` is.
fn allowed<'l>(scene: &Scene, denied: &[&str], lines: &[&'l str]) -> Vec<&'l str> {
    let policy = scene.denying(denied);
    let is = |line: &&&str| in_mode(&policy, &scene.shell(line), Mode::Auto).effect == Allow;
    lines.iter().filter(is).copied().collect()
}

/// Attack 690: the command of `fd -x` goes on to a `;`, and none of its words is fd's own.
#[test]
fn given_the_command_of_an_option_that_goes_on_to_a_semicolon_then_all_of_it_counts() {
    ruled(
        &[(Allow, "shell(*)"), (Deny, "shell(touch *)")],
        &[
            "fd k -x sh -c 'touch x'",
            "fd k -x env touch x",
            "fdfind -X nice touch x",
            "fd k . --exec timeout 5 touch x",
            "fd -x echo + ';' -x touch x",
            "fd k -x sh + -c 'touch x'",
            "fd k -xtouch",
            "fd k --exec=touch x",
            "fd k --exec-batch sh -c 'touch x'",
        ],
        Deny,
    );
    ruled(
        &[(Allow, "shell(fd *)"), (Allow, "shell(wc *)"), (Deny, "shell(touch *)")],
        &["fd -e rs -x wc -l", "fd -e rs -X wc -l ';'", "fd -e rs -xwc"],
        Allow,
    );
    ruled(&[(Allow, "shell(fd *)")], &["fd -e rs -x rm", "fd -x make {}", "fd -xmake"], Ask);
    let scene = Scene::new();
    std::fs::write(scene.root.join(".ignore"), "!.env\n").unwrap();
    let lines = [
        "fd -H env -x cat {}",
        "fd -H env -x cat -",
        "fd -H env -x head -n 3",
        "fd -H env -X grep TOP",
        "fd -H . -x cat {.}",
        "fd -x sh -c 'cat \"$1\"' --no-ignore",
        "fd -x cat ';' -x echo --no-ignore",
    ];
    assert_eq!(allowed(&scene, &["read(.env)"], &lines), [""; 0]);
    let harmless = ["fd -e rs -x wc -l", "fd a src -x cat {}", "fd -e rs . src -X wc -l ';'"];
    std::fs::remove_file(scene.root.join(".ignore")).unwrap();
    assert_eq!(allowed(&scene, &["read(.env)"], &harmless), harmless);
}

/// Attack 691: a line that is continued between a number and its sign.
#[test]
fn given_a_number_that_is_parted_from_its_sign_by_a_line_then_it_is_its_descriptor() {
    let rules = [(Allow, "shell(*)"), (Allow, "read(/w/**)")];
    ruled(
        &rules,
        &[
            "cat a 2\\\n<.env > /dev/stderr",
            "{ echo x >/dev/stderr; } 2\\\n<.env",
            "cat 1\\\n<.env > /dev/stdout < a",
            "cat a 2\\\n<.env >> /dev/stderr",
            "echo x >&1\\\n0 > /dev/stderr",
        ],
        Ask,
    );
    ruled(
        &rules,
        &[
            "echo 'exec failed' > /dev/stderr",
            "echo 'not executable' > /dev/stderr",
            "echo 'a<b' > /dev/stderr",
            "echo 'Usage: x [<a>]' > /dev/stderr",
            "while read l; do echo \"$l\" > /dev/stderr; done <a.txt",
        ],
        Allow,
    );
}

/// Attack 692: a variable that only changes how output looks, with a value that is a line to `make`.
#[test]
fn given_a_variable_for_output_with_a_value_that_could_be_a_line_then_it_is_asked_about() {
    let rules = [(Allow, "shell(make *)"), (Allow, "shell(cargo test *)")];
    let values =
        ["$(shell touch x)", "touch x;", "touch x", "`touch x`", "a|b", "$x", "a&&b", "@touch x", "${x}"];
    for name in ["CI", "NO_COLOR", "DEBUG", "QUIET", "VERBOSE", "SKIP", "TF_INPUT", "LANG", "UPDATE_EXPECT"] {
        for value in values {
            ruled(&rules, &[&format!("{name}='{value}' make"), &format!("env {name}='{value}' make")], Ask);
        }
    }
    ruled(&rules, &["QUIET=rm make", "VERBOSE=touch make"], Ask);
    ruled(
        &rules,
        &[
            "CI=1 make",
            "VERBOSE=1 make test",
            "QUIET=true make",
            "DEBUG=app:* make",
            "LANG=en_US.UTF-8 make",
            "TZ=America/New_York make",
            "RUST_LOG=mayi=debug,info cargo test",
            "SKIP=flake8,black make",
            "TERM=xterm-256color make",
            "NO_COLOR= make",
        ],
        Allow,
    );
}

/// Attack 693: what runs in a text of rpm's, Miller's, exiftool's or duckdb's.
#[test]
fn given_a_text_that_runs_or_reads_in_another_form_then_it_is_asked_about() {
    ruled(
        &[(Allow, "shell(*)"), (Deny, "shell(curl *)")],
        &[
            "rpm -E '%[lua:os.execute(\"touch x\")]'",
            "rpm -E '%{expr:lua:os.execute(\"touch x\")}'",
            "rpm -D 'x %[lua:print(1)]' -E '%x'",
            "rpmbuild -D '_buildshell ./evil' -bp a.spec",
            "rpmbuild --define '__python ./evil' -bp a.spec",
            "mlr -n put 'end{print exec #\n(\"touch\",[\"x\"])}'",
            "mlr put 'system#\n(\"touch x\")' a.csv",
            "mlr put -q 'print#\n | \"touch x\", $a' a.csv",
            "mlr put -q 'tee#\n > \"o\", $*' a.csv",
            "mlr put -q '$a = \"#\"; tee > \"o\", $*' a.csv",
            "mlr -n put 'end{$a = \"#\"; print exec #\n(\"touch\",[\"x\"])}'",
            "mlr put -f x.mlr a.csv",
            "mlr --icsv filter -q -f x.mlr a.csv",
            "mlr cat then put -f x.mlr a.csv",
            "mlr --icsv split -n 2 a.csv",
            "duckdb -c \"select * from read_text('a')\"",
            "duckdb -c \"import database 'a'\"",
            "duckdb -c \"set profile_output='x'\"",
        ],
        Ask,
    );
    ruled(
        &[(Allow, "shell(*)"), (Deny, "shell(curl *)")],
        &[
            "rpm -E '%{_libdir}'",
            "rpm -D '_topdir /w/x' -q b",
            "mlr --icsv --ojson cat a.csv",
            "mlr --icsv put '$c = $a . \"x\"' a.csv",
            "mlr sort -f a then head -n 3 a.csv",
            "exiftool -p '$FileName' a.jpg",
            "duckdb a.db 'select 1'",
        ],
        Allow,
    );
    let scene = Scene::new();
    std::fs::write(scene.root.join("$x.fmt"), "").unwrap();
    let lines = ["exiftool -p '$x.fmt' a.png"];
    assert_eq!(allowed(&scene, &["write(.git/**)"], &lines), [""; 0]);
}

/// Attack 694: quotes, escapes and comments of another shell, and its words in front of a command.
#[test]
fn given_a_line_for_a_shell_of_another_family_then_it_is_not_read_as_one_for_a_posix_shell() {
    let rules = [(Allow, "shell(*)"), (Deny, "shell(touch *)")];
    let policy = policy(&rules);
    for line in [
        "fish -c \"echo 'it\\'s'; touch pwned #'\"",
        "fish --command=\"echo 'it\\'s'; touch pwned #'\"",
        "env fish -c \"echo 'it\\'s'; touch pwned #'\"",
        "fish -c 'echo (touch pwned)'",
        "csh -c 'echo \"\\`touch pwned\\`\"'",
        "timeout 5 tcsh -fc 'echo \"\\`touch pwned\\`\"'",
        "csh -c 'echo \"\\\"; touch pwned; echo \"\\\"'",
        "csh -c $'echo \"a\\ntouch pwned\\n\"'",
        "nu -c '^touch pwned'",
        "xonsh -c '![touch pwned]'",
    ] {
        assert_ne!(effect(&policy, &shell(line)), Allow, "{line}");
    }
    ruled(&rules, &["fish -c 'true; and touch x'", "fish -c 'not touch x'", "csh -c 'nice touch x'"], Deny);
    ruled(&rules, &["fish -c 'ls src'", "csh -c 'make test'", "fish -c 'cargo test; cargo build'"], Allow);
}

/// Attacks 695 and 696: letters of zsh that change what globs find, and groups that name hidden files themselves.
#[test]
fn given_globs_that_find_hidden_names_then_denials_of_these_hold() {
    let scene = Scene::new();
    let lines = [
        "zsh -4c 'cat *'",
        "zsh -f4c 'cat *'",
        "zsh -4 -c 'cat ?env'",
        "zsh -c -4 'cat *v'",
        "ksh -c 'cat @(.env|x)'",
        "ksh -c 'cat +(.env|x)'",
        "ksh -c 'cat ?(x|.env)'",
        "ksh -c 'cat *(.env|x)'",
        "ksh -c 'cat ./@(.e*|x)'",
        "cat @(.env|x)",
    ];
    assert_eq!(allowed(&scene, &["read(.env)"], &lines), [""; 0]);
    let harmless = [
        "zsh -c 'cat *'",
        "zsh -fc 'cat src/*'",
        "bash -ec 'cat src/*'",
        "sh -euc 'ls src'",
        "ls src/*@(.rs|.toml)",
    ];
    assert_eq!(allowed(&scene, &["read(.env)"], &harmless), harmless);
}

/// Attack 699: what zsh takes for a glob where somebody has set EXTENDED_GLOB for all their shells.
#[test]
fn given_signs_that_are_globs_to_some_then_what_they_give_now_is_denied() {
    let scene = Scene::new();
    let lines = [
        "cat .e^x",
        "cat .envv#",
        "cat .env~x*",
        "cat .env~x#",
        "cat ./.e^x",
        "cat ''.e^'x y'",
        "cat src/../.e^x",
        "cat .e*~.e",
        "cat .env#*",
        "grep KEY .e^x",
        "X=.e^x; cat $X .e^y",
        "cat < .e^x",
        "for f in .e^x; do cat $f; done",
        "zsh -c 'cat .e^x'",
    ];
    assert_eq!(allowed(&scene, &["read(.env)"], &lines), [""; 0]);
    std::fs::create_dir_all(scene.root.join(".github")).unwrap();
    std::fs::write(scene.root.join("rmm"), "").unwrap();
    std::fs::write(scene.root.join("push"), "").unwrap();
    std::fs::create_dir_all(scene.root.join("secrets")).unwrap();
    std::fs::write(scene.root.join("secrets/key"), "").unwrap();
    let lines = ["rm -r .git^x", "rm -r ^q", "rm s^x/a.rs"];
    assert_eq!(allowed(&scene, &["write(.github/**)", "write(src/**)"], &lines), [""; 0]);
    let lines = [
        "cat **/k^x",
        "cat ./**/keyy#",
        "cat s^x/^y",
        "cat < secrets/^x",
        "for f in secrets/^x; do cat $f; done",
    ];
    assert_eq!(allowed(&scene, &["read(secrets/**)"], &lines), [""; 0]);
    let lines = ["git pus^x nowhere", "git pushh# nowhere", "./rmmm# q"];
    assert_eq!(allowed(&scene, &["shell(git push *)", "shell(rmm *)"], &lines), [""; 0]);
    // Where no name fits, zsh refuses the line, or leaves the word as it is; and what people search for gives all names.
    let harmless = [
        "git log HEAD^",
        "git log HEAD~1 main^^",
        "git log ^main HEAD",
        "git rev-list --count ^origin/main HEAD",
        "git log --oneline main ^HEAD~2",
        "grep ^use src/a.rs",
        "rg ^fn src",
        "echo a#b C#",
        "echo done ^_^",
        "echo x~ y^2",
        "sed s#x#y#g a.txt",
        "expr 2 ^ 3",
        "tr ^ x",
        "cut -d ^ -f1 a.txt",
        "cat 'a^b' \"c#d\"",
        "cargo test -- ^x",
        "jq .a#b x.json",
        "nix build .#p",
        "bash -c 'cat .e^x'",
    ];
    let denied = ["read(.env)", "read(secrets/**)", "write(src/**)", "write(.github/**)"];
    for denied in denied {
        assert_eq!(allowed(&scene, &[denied], &harmless), harmless, "{denied}");
    }
}

/// Attack 697: a program that names a folder may go through all of it.
#[test]
fn given_a_folder_in_the_text_of_a_program_then_a_denial_of_all_in_it_holds() {
    let scene = Scene::new();
    std::fs::create_dir_all(scene.root.join(".github")).unwrap();
    let lines = [
        "python3 -c 'import shutil;shutil.rmtree(\".github\")'",
        "perl -e 'rename \".github\",\"x\"'",
        "node -e 'fs.rmSync(\".github\",{recursive:true})'",
        "ruby -e 'Dir.chdir(\".github/\"); x'",
        "python3 -c 'import os;os.chdir(\"./.github\");print(open(\"key\").read())'",
    ];
    for denied in ["read(.github/**)", "write(.github/**)"] {
        assert_eq!(allowed(&scene, &[denied], &lines), [""; 0]);
    }
    let harmless = ["python3 -c 'print(\"src\")'", "node -e 'fs.readdirSync(\"src\")'"];
    assert_eq!(allowed(&scene, &["read(.github/**)", "read(src/secret.rs)"], &harmless), harmless);
}
