//! A command under another name: git's own programs, copies and links that the line makes, and the home folder in a pattern.

use super::*;

/// What git has as programs of its own is git. Attack 590.
#[test]
fn given_a_program_of_gits_own_then_it_is_that_sub_command() {
    let scene = Scene::new();
    scene.repository();
    let policy = scene.denying(&["shell(git push *)"]);
    let lines = [
        "/usr/lib/git-core/git-config core.hooksPath evil",
        "/usr/lib/git-core/git-config alias.x '!touch pwned'",
        "/usr/libexec/git-core/git-config --global core.pager x",
        "cd /usr/lib/git-core && ./git-config --global core.pager x",
        "timeout 5 /usr/lib/git-core/git-config core.hooksPath evil",
        "git-config core.hooksPath evil",
        "/usr/lib/git-core/git-push . HEAD:refs/heads/x",
        "git-push origin main",
        "/usr/lib/git-core/git-clone src .vscode",
    ];
    let bad = wrong(&scene, &policy, lines.map(str::to_owned), |decision| decision.effect != Allow);
    assert!(bad.is_empty(), "{bad:#?}");
    let harmless = ["git-lfs pull", "docker-compose up", "git-cliff -o x", "/usr/lib/git-core/git-status"];
    let bad = wrong(&scene, &policy, harmless.map(str::to_owned), |decision| decision.effect == Allow);
    assert!(bad.is_empty(), "{bad:#?}");
}

const COPIES: &[&str] = &[
    "ln -s @ t; ./t",
    "ln @ t && ./t",
    "cp @ t; ./t",
    "cp -a @ sub/t && sub/t",
    "install -m 755 @ t; ./t",
    "mv @ t; ./t",
    "cp @ u; mv u t; ./t",
    "cp @ u; ln -s u t; ./t",
    "ln -s @ cat; ./cat",
    "cp @ t; timeout 5 ./t",
    "cp @ t; cd sub; ../t",
];

/// D1.14: a name that the line made leads where it was made from, the command's own name too. Attack 591.
#[test]
fn given_a_program_that_the_line_copies_or_links_then_it_is_what_it_was_made_from() {
    let scene = Scene::new();
    scene.repository();
    let policy = scene.denying(&["shell(touch *)"]);
    let made = |program: &str, behind: &str| -> Vec<String> {
        COPIES.iter().map(|line| format!("{} {behind}", line.replace('@', program))).collect()
    };
    let mut lines = made("/usr/bin/touch", "pwned");
    lines.extend(made("/usr/bin/mayi", "inbox approve 1"));
    lines.extend(made("/usr/bin/mayi", "bypass claude on"));
    lines.extend(made("/usr/bin/git", "config core.hooksPath evil"));
    lines.extend(made("/bin/rm", "-rf ~"));
    // What is there by now leads on as well.
    scene.link("/usr/bin/touch", "linked");
    scene.link("/usr/bin/mayi", "asker");
    lines.extend(["./linked pwned", "sub/../linked pwned", "./asker inbox approve 1"].map(str::to_owned));
    let bad = wrong(&scene, &policy, lines, |decision| decision.effect != Allow);
    assert!(bad.is_empty(), "{bad:#?}");
    let mut harmless = made("/usr/bin/ls", "-l");
    harmless.retain(|line| !line.starts_with("mv"));

    let bad =
        wrong(&scene, &scene.denying(&["shell(shred *)"]), harmless, |decision| decision.effect != Deny);
    assert!(bad.is_empty(), "{bad:#?}");
}

/// D3.7: words are compared as a shell would have expanded them. Attack 589.
#[test]
fn given_a_home_folder_in_a_pattern_then_it_matches_each_way_to_write_it() {
    let scene = Scene::new();
    let home = scene.home.display().to_string();
    for pattern in ["shell(foo ~/notes/s)", "shell(foo $HOME/notes/s)", "shell(foo \"${HOME}/notes/s\")"] {
        let policy = scene.denying(&[pattern]);
        for line in [
            "foo ~/notes/s".to_owned(),
            "foo $HOME/notes/s".to_owned(),
            "foo \"$HOME\"/notes/s".to_owned(),
            format!("foo {home}/notes/s"),
        ] {
            assert_eq!(loosest(&policy, &scene.shell(&line)).effect, Deny, "{pattern}: {line}");
        }
        assert_eq!(loosest(&policy, &scene.shell("foo '~/notes/s'")).effect, Allow, "{pattern}");
    }
    let policy = scene.denying(&["shell(bar ~)", "shell(bar ~/x/* y)"]);
    for line in ["bar ~", "bar $HOME", "bar ~/x/z y"] {
        assert_eq!(loosest(&policy, &scene.shell(line)).effect, Deny, "{line}");
    }
}

/// D2.21: a denial reaches lines that are given to code that starts what it is given. Attack 593.
#[test]
fn given_code_that_starts_what_it_is_given_then_a_denial_reaches_that() {
    let scene = Scene::new();
    let policy = scene.denying(&["shell(touch *)"]);
    let lines = [
        "awk -v c='touch pwned' 'BEGIN{system(c)}'",
        "awk 'BEGIN{system(ARGV[1])}' 'touch pwned'",
        "awk '{system(c)}' c='touch pwned' src/a.rs",
        "echo touch pwned | awk '{system($0)}'",
        "echo touch pwned | awk '{print | \"sh\"}'",
        "perl -e 'system(@ARGV)' touch pwned",
        "perl -e 'exec @ARGV' -- touch pwned",
        "python3 -c 'import os,sys; os.execvp(sys.argv[1], sys.argv[1:])' touch pwned",
        "node -e 'require(\"child_process\").execFileSync(process.argv[1], process.argv.slice(2))' touch pwned",
        "ruby -e 'system(*ARGV)' touch pwned",
    ];
    let bad = wrong(&scene, &policy, lines.map(str::to_owned), |decision| decision.effect != Allow);
    assert!(bad.is_empty(), "{bad:#?}");
    let harmless = [
        "awk -v c=3 '{print c, $1}' src/a.rs",
        "python3 -c 'import sys; print(sys.argv[1])' a",
        "awk 'NR==1' src/a.rs",
    ];
    let bad = wrong(&scene, &policy, harmless.map(str::to_owned), |decision| decision.effect == Allow);
    assert!(bad.is_empty(), "{bad:#?}");
}

/// D2.33: an answer is bound to the files that a command runs, however it names them. Attack 592.
#[test]
fn given_a_file_that_a_command_runs_then_an_answer_is_bound_to_it() {
    let scene = Scene::new();
    for file in ["s.js", "server.js", "gen.py", "sub/tool.py", "p.pl", "a.awk", "s.sed", "Makefile.x", "r.rb"]
    {
        std::fs::write(scene.root.join(file), "x").unwrap();
    }
    std::fs::create_dir_all(scene.root.join("lib")).unwrap();
    std::fs::write(scene.root.join("lib/index.js"), "x").unwrap();
    for (line, file) in [
        ("perl p.pl", "p.pl"),
        ("node --require=./s.js x.js", "s.js"),
        ("node --import=./s.js", "s.js"),
        ("node -r ./s.js x", "s.js"),
        ("ruby -r./r.rb x", "r.rb"),
        ("node server", "server.js"),
        ("node ./lib", "lib/index.js"),
        ("python3 -m gen", "gen.py"),
        ("python3 -m sub.tool", "sub/tool.py"),
        ("awk -f a.awk src/a.rs", "a.awk"),
        ("gawk --file=a.awk src/a.rs", "a.awk"),
        ("sed -i -f s.sed src/a.rs", "s.sed"),
        ("make -f Makefile.x all", "Makefile.x"),
        ("make -fMakefile.x all", "Makefile.x"),
        ("vim -S s.sed -c q", "s.sed"),
    ] {
        let path = scene.root.join(file).display().to_string();
        let call = scene.shell(line);
        let bound = call.accesses.iter().any(|access| match access {
            Access::Shell(shell) => {
                shell.scripts.iter().any(|script| script.path == path && script.digest.is_some())
            }
            _ => false,
        });
        assert!(bound, "{line}: {:?}", call.accesses);
    }
}
