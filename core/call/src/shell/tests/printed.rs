//! Commands that print or compare what the line itself printed, and readers with a number or a commit among their words.

use std::path::Path;

use crate::Access;
use crate::shell::{Surroundings, line_accesses, shell_accesses};

/// Whether all that the line does in the folder is to read.
fn reads(at: &Path, text: &str) -> bool {
    let (at, roots) = (at.canonicalize().unwrap(), [at.canonicalize().unwrap()]);
    line_accesses(text, &Surroundings::new(&at, &roots)).iter().all(|access| match access {
        Access::Shell(shell) => shell.reader && shell.caveats.is_empty(),
        Access::Read(_) => true,
        _ => false,
    })
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// D2.28: what only reads is a reader; printing what was printed, or comparing it, tells nothing more.
#[test]
fn given_a_command_that_prints_what_the_line_printed_then_it_is_a_reader() {
    let folder = folder(&[("a.md", "x\ny z\n"), ("src/b.md", "x\n")]);
    for text in [
        "echo \"today: $(date)\"",
        "echo \"$(wc -l < a.md) lines\"",
        "echo $(git rev-parse HEAD)",
        "n=$(wc -l < a.md); echo \"lines: $n\"",
        "x=$(cat a.md) && echo \"$x\"",
        "printf '%s\\n' \"$(date)\"",
        "while read -r l; do echo \"- $l\"; done < a.md",
        "while IFS= read -r l; do echo \"$l\"; done < a.md",
        "while read l; do echo $l; done < a.md",
        "cat a.md | while read -r line; do echo \"$line\"; done",
        "for x in $(cat a.md); do echo \"$x\"; done",
        "for d in src .; do echo \"$d: $(ls $d | wc -l)\"; done",
        "for f in src/*; do echo \"${f%.md}\"; done",
        "echo $PATH",
        "echo \"$SHELL ${USER}\"",
        "basename \"$(pwd)\"",
        "[ -z \"$(ls src)\" ] && echo none",
        "test -n \"$TOKEN\" && echo set",
        "[ \"$(ls | wc -l)\" -gt 3 ]",
        "[ \"$(cat a.md)\" = x ]",
        "ls; echo \"exit ${PIPESTATUS[0]}\"",
        "sed -n \"$(wc -l < a.md)p\" a.md",
        "n=$(wc -l < a.md); head -n $n a.md",
        "grep -rn x src --include=*.ts --include=*.md",
        "cat src/**/*.md",
    ] {
        assert!(reads(folder.path(), text), "{text}");
    }
}

/// D2.10: which commit is meant is known well enough where git takes one.
#[test]
fn given_a_commit_where_git_takes_one_then_it_is_a_reader() {
    let folder = folder(&[("a.md", "x\n"), ("src/b.md", "x\n")]);
    for text in [
        "git log --oneline $(git merge-base main HEAD)..HEAD",
        "git diff \"$(git merge-base HEAD main)\"",
        "git diff $(git rev-parse HEAD)",
        "git show \"$(git rev-parse --short HEAD~2)\" --stat",
        "git show $(git rev-parse HEAD^2):src/b.md",
        "git --no-pager log -3 $(git rev-parse --verify main)",
        "git diff --stat $(git merge-base HEAD main) -- src",
        "git rev-list --count $(git merge-base HEAD main)..HEAD",
        "echo \"at $(git rev-parse --short HEAD)\"",
    ] {
        assert!(reads(folder.path(), text), "{text}");
    }
}

/// D2.10, attack 580: a hash has letters, and `git rev-parse` prints what it does not know as it was written. So it is a name of a
/// file, options, and commands of a script anywhere else.
#[test]
fn given_a_commit_where_it_is_more_than_that_then_it_is_none() {
    let folder = folder(&[("a.md", "x\n"), ("src/b.md", "x\n")]);
    let commits = [
        "git rev-parse e",
        "git rev-parse lnk",
        "git rev-parse HEAD",
        "git rev-parse system",
        "git rev-parse wPWNED",
        "git rev-parse Osub/ev.sh",
        "git rev-parse HEAD~1",
        "git rev-parse --short HEAD",
        "git rev-parse --verify -q e",
        "git rev-parse -q HEAD",
        "git --no-pager rev-parse abc",
        "git merge-base HEAD main",
        "git merge-base e a",
    ];
    let mut count = 0;
    for commit in commits {
        for given in [
            format!("$({commit})"),
            format!("`{commit}`"),
            format!("$({commit} | head -1)"),
            format!("$( {commit};)"),
        ] {
            for line in [
                "cat @",
                "cat \"@\"",
                "cat src/@",
                "head -5 @",
                "wc -l <@",
                "tail -n 3 -- @",
                "sed \"s/.*/touch p/@\" a.md",
                "sed -n \"@\" a.md",
                "sed -n 5@ a.md",
                "sed \"s/x/y/@\" a.md",
                "sed -@ a.md",
                "awk \"BEGIN{@(1)}\"",
                "awk \"@\" a.md",
                "jq -n \"@\"",
                "grep -@ x a.md",
                "grep -f @ a.md",
                "grep x @",
                "sort -@ a.md",
                "find . -@",
                "find @",
                "tree @",
                "ls -@",
                "git grep -@ x",
                "git log -@",
                "git diff -@",
                "git config -f @ -l",
                "git hash-object @",
                "git diff --no-index a.md @",
                "git -C @ log",
                "git --git-dir=@ log",
                "git blame --contents @ a.md",
                "git diff --no-index -- @ a.md",
                "git apply --stat @",
                "git archive @ --remote=x",
                "git ls-files -X @",
                "git -@ log",
                "rg -@ x",
                "tar tf @",
                "diff a.md @",
                "xargs -a @ cat",
            ] {
                let as_variable = ["\"@\"", "@"].iter().any(|word| line.ends_with(word));
                let mut lines = vec![line.replace('@', &given)];
                if as_variable {
                    lines.push(format!("x={given}; {}", line.replace('@', "$x")));
                    lines.push(format!("x={given} && {}", line.replace('@', "${x}")));
                }
                for line in lines {
                    count += 1;
                    assert!(!reads(folder.path(), &line), "{line}");
                }
            }
        }
    }
    assert!(count >= 1_000, "{count}");
}

/// What the environment holds may be a secret, what is printed may be an option, a glob, or evaluated. Attack 326.
#[test]
fn given_what_may_be_a_secret_or_more_than_text_then_it_is_none() {
    let folder = folder(&[("a.md", "/root/.ssh/* x\n"), ("list", "../x\n"), ("far", "/etc/passwd\n")]);
    for text in [
        "echo $TOKEN",
        "echo \"${TOKEN:-none}\"",
        "x=$TOKEN; echo \"$x\"",
        "x=${TOKEN#a}; echo \"$x\"",
        "USER=$TOKEN; echo \"$USER\"",
        "false && TOKEN=x; echo \"$TOKEN\"",
        "if x; then y=$(date); fi; echo \"$y\"",
        "(TOKEN=$(date)); echo \"$TOKEN\"",
        "while read x; do y=$TOKEN; echo \"$y\"; done < a.md",
        "while read x; do :; done < a.md; echo \"$x\"",
        "while read -a x; do echo \"$x\"; done < a.md",
        "for x in $TOKEN; do echo \"$x\"; done",
        "[ \"$TOKEN\" = a ]",
        "[ $(cat a.md) = a ]",
        "[ \"$(cat a.md)\" -eq 1 ]",
        "[ -v \"$(cat a.md)\" ]",
        "[ \"$(cat a.md)\" a ]",
        "echo \"${!x}\"",
        "echo \"${PATH@P}\"",
        // Read as a glob again, and as options.
        "echo $(cat a.md)",
        "while read l; do echo $l; done < a.md",
        "while read l; do cp b a.md; echo $l; done < list",
        "printf \"$(cat a.md)\" PATH",
        "printf $(cat a.md)",
        "kill \"$(cat a.md)\"",
        // A function goes under the name.
        "wc() { cat far; }; sed -n \"$(wc -l)p\" a.md",
        "sed -n \"$(cat a.md)p\" a.md",
        "git diff $(cat a.md)",
        "git diff $(git branch --show-current)",
        "git -C .. status",
        // Errors are printed, too.
        "sed -n \"$(git rev-list --count HEAD 2>&1)p\" a.md",
        "git diff $(git rev-parse HEAD 2>&1)",
        "find . 2>&1 | xargs cat",
        "find . |& xargs cat",
        "find . &> a.md | xargs cat",
        // What a file holds, or that it is not there, may be otherwise when the line runs.
        "cat none.txt | xargs cat",
        "cat list | xargs cat",
        "cat far | xargs cat",
        "cat a.md | xargs cat",
    ] {
        assert!(!reads(folder.path(), text), "{text}");
    }
}

/// What a variable gives to a command's input is shown as it would be among the words of `echo`. Attack 614.
#[test]
fn given_a_secret_of_the_environment_on_an_input_then_what_reads_it_is_none() {
    let folder = folder(&[("a.md", "x\n")]);
    for text in [
        "cat <<< \"$TOKEN\"",
        "cat <<< $TOKEN",
        "cat <<<\"Bearer ${TOKEN}\"",
        "cat <<< \"${TOKEN:-none}\"",
        "cat <<< \"$TOKEN\"*",
        "cat 0<<< \"$TOKEN\"",
        "cat /dev/fd/3 3<<< \"$TOKEN\"",
        "cat <&3 3<<< \"$TOKEN\"",
        "cat <<E\na $TOKEN\nE",
        "cat <<E\n${TOKEN}\nE",
        "cat <<-E\n\t${TOKEN#a}\n\tE",
        "base64 <<< $AWS_SECRET_ACCESS_KEY",
        "rev <<< \"$TOKEN\"",
        "grep . <<< \"$TOKEN\"",
        "jq -R . <<< \"$TOKEN\"",
        "sed -n p <<< \"$TOKEN\"",
        "tee /dev/null <<< \"$TOKEN\"",
        "head -c 4 <<< \"$TOKEN\" | rev",
        "cat <<< \"$TOKEN\" | rev",
        "x=$TOKEN; cat <<< \"$x\"",
        "(TOKEN=$(date)); cat <<< \"$TOKEN\"",
        "while read -r x; do echo \"$x\"; done <<< \"$TOKEN\"",
        "while read -r x; do echo hi; cat; done <<< \"$TOKEN\"",
        "{ cat; } <<< \"$TOKEN\"",
        "(rev) <<E\n$TOKEN\nE",
        "if true; then cat; fi <<< \"$TOKEN\"",
        "for i in 1 2; do cat; done <<< \"$TOKEN\"",
        "{ cat | rev; } <<< \"$TOKEN\"",
        "f() { cat; }; f <<< \"$TOKEN\"",
        "f() { cat; } <<< \"$TOKEN\"; f",
        "read -r x <<< \"$TOKEN\"; echo \"$x\"",
        "mapfile x <<< \"$TOKEN\"; echo \"$x\"",
        "exec <<< \"$TOKEN\"; cat",
        "exec 3<<< \"$TOKEN\"; cat <&3",
        "env cat <<< \"$TOKEN\"",
        "xargs echo <<< \"$TOKEN\"",
        "find . -exec cat {} + <<< \"$TOKEN\"",
        "echo \"$(cat <<< \"$TOKEN\")\"",
        "x=$(cat <<< \"$TOKEN\"); echo \"$x\"",
        "cat <<< \"$1\"",
    ] {
        assert!(!reads(folder.path(), text), "{text}");
    }
    for text in [
        "cat <<< text",
        "cat <<'E'\n$TOKEN\nE",
        "cat <<\\E\n$TOKEN\nE",
        "cat <<< '$TOKEN'",
        "cat <<E\n\\$TOKEN\nE",
        "cat <<< \"$HOME $USER\"",
        "cat <<E\n$PWD $USER $HOME\nE",
        "grep a <<< \"$USER\"",
        "x=5; cat <<< \"$x\"",
        "x='a b'; grep a <<< \"$x\"",
        "x=$(date); cat <<E\nat $x\nE",
        "for i in 1 2; do cat <<< \"$i\"; done",
        "for f in *.md; do cat <<< \"$f\"; done",
        "while read -r l; do rev <<< \"$l\"; done < a.md",
        "x='a\nb'; while read -r l; do echo \"$l\"; done <<< \"$x\"",
        "cat <<E\n$? $$ $((1+2))\nE",
        "cat <<E\nat $(date)\nE",
        "cat a.md; echo \"$(cat <<'E'\n$TOKEN\nE\n)\"",
    ] {
        assert!(reads(folder.path(), text), "{text}");
    }
}

/// A module of Python's library only reads where nothing in the folder is taken for one, or for what it needs. Attack 327.
#[test]
fn given_a_module_of_the_library_then_it_is_a_reader_where_no_name_shadows_any() {
    let plain = folder(&[("a.json", "{}"), ("main.py", ""), ("json/x", ""), ("src/re.py", "")]);
    for text in [
        "python3 -m json.tool a.json",
        "cat a.json | python3 -m json.tool --indent 2 | head",
        "python3 -I -m json.tool --sort-keys a.json",
        "python3 -m platform",
    ] {
        assert!(reads(plain.path(), text), "{text}");
    }
    for text in [
        "python3 -m json.tool a.json b.json",
        "python3 -m json.tool --unknown a.json",
        "python3 -m json.tool \"$x\"",
        "python3 -i -m json.tool a.json",
        "python3 -c x -m json.tool a.json",
        "python3 x.py -m json.tool a.json",
        "python3 -m json",
        "python3 -m http.server",
        "PYTHONPATH=src python3 -m json.tool a.json",
        "touch re.py; python3 -m json.tool a.json",
        "cd src; python3 -m json.tool a.json",
        "python3 -m json.tool a.json > b",
    ] {
        assert!(!reads(plain.path(), text), "{text}");
    }
    for name in
        ["json.py", "Re.py", "argparse.cpython-312-x86_64-linux-gnu.so", "codecs.pyc", "os/__init__.py"]
    {
        let folder = folder(&[("a.json", "{}"), (name, "")]);
        assert!(!reads(folder.path(), "python3 -m json.tool a.json"), "{name}");
        assert!(reads(folder.path(), "python3 -I -m json.tool a.json"), "{name}");
    }
}

/// D2.22: a denial reaches a command however it is written: `shell(git log *)` also with `-C`.
#[test]
fn given_git_in_a_folder_below_then_denials_see_it_as_if_it_stood_there() {
    let folder = folder(&[("src/a.md", "x\n")]);
    let at = folder.path().canonicalize().unwrap();
    let roots = [at.clone()];
    for place in [".", "src", "./src/"] {
        let text = format!("git -C {place} log -1");
        assert!(reads(&at, &text), "{text}");
        let found = line_accesses(&text, &Surroundings::new(&at, &roots));
        let plain: Vec<crate::shell::Word> = ["git", "log", "-1"].map(Into::into).to_vec();
        assert!(shell_accesses(&found).all(|shell| shell.spellings.contains(&plain)), "{text}: {found:#?}");
    }
    for text in
        ["git -C .. log", "git -C /etc log", "git -C none log", "git -C src push", "git -C \"$x\" log"]
    {
        assert!(!reads(&at, text), "{text}");
    }
}
