//! The table of readers.

use super::{hold, look, look_in};
use crate::shell::program::{Command, GitNames, RepositoryLooks, analyze_command};
use crate::shell::{Reach, Use, Word};
use std::path::Path;

/// D2.28: a table of commands that only read (...), each with every option that is
/// known to be harmless.
#[test]
fn given_a_command_that_only_reads_then_it_fits_the_table() {
    let lines = [
        "ls",
        "ls -la src",
        "cat a b",
        "/bin/cat a",
        "/usr/bin/cat a",
        "head -20 f",
        "head -n 20 f",
        "tail -c 100 f",
        "wc -l f",
        "rg -n foo src",
        "rg --files",
        "grep -rn foo src",
        "grep -e a -e b f",
        "egrep 'a|b' f",
        "find . -name x.rs -type f",
        "stat f",
        "file f",
        "pwd",
        "tree -L 2",
        "du -sh .",
        "df -h",
        "diff -u a b",
        "cmp a b",
        "cut -d: -f1 f",
        "tr a-z A-Z",
        "sort -u f",
        "uniq -c",
        "uniq f",
        "nl f",
        "tac f",
        "rev f",
        "column -t f",
        "paste a b",
        "basename a/b",
        "dirname a/b",
        "realpath a",
        "readlink -f a",
        "which cargo",
        "type -a ls",
        "command -v ls",
        "whoami",
        "id -u",
        "uname -a",
        "hostname",
        "date",
        "date +%s",
        "echo hello",
        "printf '%s' x",
        "true",
        "false",
        "test -f x",
        "[ -f x ]",
        "seq 1 10",
        "sleep 1",
        "jq .a f",
        "xxd f",
        "od -c f",
        "strings f",
        "sha256sum f",
        "base64 f",
        "less f",
        "git status",
        "git status --porcelain=v2 -b",
        "git log --oneline -5",
        "git --no-pager diff HEAD~1 -- src",
        "git show HEAD:a",
        "git branch",
        "git branch -a",
        "git branch --list",
        "git remote -v",
        "git rev-parse --abbrev-ref HEAD",
        "git ls-files",
        "git blame f",
        "git describe --tags",
        "git shortlog -sn",
        "git grep -n foo",
        "git cat-file -p HEAD",
        "git config --get user.name",
        "git config user.email",
        "git config get remote.origin.url",
        "git config --global --get user.name",
        "git config --get-all branch.main.merge",
        "git stash list",
        "git tag -l",
        "git tag",
        "git worktree list",
        "git reflog show",
        "git version",
        "cargo --version",
        "cargo metadata --no-deps",
        "cargo tree --frozen",
        "cargo tree --locked --offline -e x",
        "cargo metadata --frozen",
        "rustc --version",
        "node --version",
        "python3 --version",
        "npm --version",
        "sed -n 1,20p f",
        "sed s/a/b/ f",
        "awk '{print $1}' f",
        "awk -F: '{print $1}' f",
        "cd src",
        "comm -12 a b",
        "set -euo pipefail",
        "exit 1",
        "wait",
        "unzip -l a.zip",
        "sed -n p f",
        "echo --- x",
        "echo -",
        "git reflog",
        "git diff main...HEAD --stat",
        "git log --since=yesterday -- src",
        "fd foo src",
        "timeout 5 cat f",
        "tar tf a.tar",
        "tar -tvf a.tar",
        "rg foo -- -x",
        "git branch --list 'feat*'",
        "git branch -l foo",
        "git branch --merged main",
        "git branch -v --abbrev=8",
        "git tag -l 'v*'",
        "git tag -n3 'v*'",
        "git symbolic-ref --short HEAD",
        "git shortlog -sn HEAD",
        "ps aux",
        "ps -ef",
        "ps -p 1 -o comm",
        "tac f",
        "nm a.o",
        "readelf -n a.o",
        "scc src",
        "tsort f",
    ];
    hold(lines, |line| {
        let known = look(line);
        (!known.reader).then(|| format!("{line}: {:?} {:?}", known.caveats, known.inner))
    });
}

/// D2.28: A simple command that fits it entirely, with literal words.
/// Attack 77.
#[test]
fn given_anything_else_then_it_does_not_fit() {
    let lines = [
        "./cat a",
        "/tmp/cat a",
        "cat.exe a",
        "Cat a",
        "cat --what a",
        "cat $X",
        "cat *.rs",
        "ls -la --what",
        "rm a",
        "touch a",
        "sort -o out f",
        "uniq a b",
        "find . -delete",
        "find . -exec cat {} +",
        "rg --pre x foo",
        "git branch x",
        "git branch -D x",
        "git remote add a b",
        "git stash",
        "git tag x",
        "git config a b",
        "git config -l",
        "git config --list",
        "git config list",
        "git config --global -l",
        "git config --get a.b",
        "git config --get http.extraheader",
        "git config --get credential.helper",
        "git config --get-regexp user",
        "git config --get-regexp user.name",
        "git config --get-urlmatch user.name https://x.example",
        "git config http.https://x.example.extraheader",
        "git config -f x --get user.name",
        "git config --get user.name -l",
        "git -C x status",
        "git -c a=b status",
        "git push",
        "git pull",
        "git log --ext-diff",
        "git diff --textconv",
        "git what",
        "git",
        "cargo test",
        "cargo",
        "env",
        "printenv",
        "date 0101",
        "hostname x",
        "xxd a b",
        "sed -i s/a/b/ f",
        "sed 'w x' f",
        "awk '{print > \"x\"}' f",
        "awk 'BEGIN{print ENVIRON[\"A\"]}'",
        "jq 'env' f",
        "python3 -c x",
        "python3 --version x",
        "info ls",
        "info './x$(touch y).gz'",
        "sh -c ls",
        "xargs cat",
        "sudo cat f",
        "make",
        "curl x",
        "tar xf a.tar",
        "tar cf a.tar x",
        "yarn --version",
        "kill 1",
        "exec",
        "timeout 5 rm f",
        "timeout --what 5 cat f",
        "git log $X",
        "less -o x f",
        "cargo --version --config x",
        "nohup cargo test",
        "pushd x",
        "mv a b",
        "cp a b",
        "dd if=a",
        "tee a",
        "cargo metadata --config x",
        "[ -v x[1] ]",
        "unzip a.zip",
        "less +!id f",
        "pnpm --version",
        "set -- a",
        "printf -v x y",
        "yq 'load(\"x\")' f",
        "sysctl a=b",
        "umask 0",
        "jobs -x id",
        "exit --what",
        "git branch --abbrev newb",
        "git branch -v --abbrev x",
        "git branch --list -D x",
        "git tag v1 --sort=x",
        "git symbolic-ref HEAD refs/heads/x",
        "git symbolic-ref -d HEAD",
        "git diff --submodule=diff",
        "yq -s .name f.yml",
        "yq -n 'eval(\"lo\"+\"ad_str(x)\")'",
        "scc -o f",
        "cloc .",
        "cargo tree",
        "cargo tree --locked",
        "cargo tree --offline",
        "cargo metadata",
        "cargo metadata --format-version 1 --locked",
        "tar tf evil.example:x",
        "tar -tf evil.example:x",
        "tar -t --file=u@evil.example:/x",
        "tar tsf evil.example:x y",
        "tree -R",
        "tree -L 1 -R",
        "nohup timeout 5 ls",
        "ps e",
        "ps auxe",
        "ps ef",
        "ps -E",
        "ps aux e",
        "ps -ef 1 e",
        "nm @opts t.o",
        "size @opts",
        "strings @opts",
        "objdump -t @opts",
        "readelf -h @opts",
        "nm --plugin ./evil.so t.o",
        "gawk '{print}' /inet/tcp/0/evil.example/80",
        "objdump -S a.o",
        "unzip -l -x a.zip b.zip -d x",
        "git blame --abbrev ../x f --contents y",
    ];
    hold(lines, |line| look(line).reader.then(|| line.to_owned()));
    let words = [Word::from("ls")];
    assert!(
        !analyze_command(&Command {
            words: &words,
            cwd: None,
            looked: &crate::LineLookups::default(),
            repositories: &RepositoryLooks::default(),
            fed: false,
            piped: false,
            made: false,
            git_names: GitNames::AsTheyAre
        })
        .reader
    );
}

/// D2.29: with its operands as `read` accesses, and words that ... lie above a path.
/// Attack 85: a search goes as far below its operands, or the folder that it runs in, as the program does.
/// Attacks 77 and 225.
#[test]
fn given_a_reader_then_its_operands_are_read() {
    let dir = tempfile::tempdir().unwrap();
    // What lies beside it counts, so that has to be nobody's.
    let root = dir.path().canonicalize().unwrap().join("root");
    std::fs::create_dir(&root).unwrap();
    for folder in ["src", "other", "x"] {
        std::fs::create_dir(root.join(folder)).unwrap();
    }
    std::fs::write(root.join("src/f"), "").unwrap();
    use Reach::{All, Changed, Itself, Past, Shown, Unmade, UnmadeShown};
    let rows: &[(&str, &[(&str, Reach)])] = &[
        ("cat a b/c", &[("a", Itself), ("b/c", Itself)]),
        ("ls", &[(".", Itself)]),
        ("ls -R", &[(".", Itself)]),
        ("tree", &[(".", Itself)]),
        ("du x", &[("x", Itself)]),
        ("fd x", &[(".", Itself)]),
        ("find . -name x", &[(".", Itself)]),
        ("find", &[(".", Itself)]),
        ("rg --files src", &[("src", Itself)]),
        ("rg foo", &[(".", Shown)]),
        ("rg foo src no", &[("src", Shown), ("no", UnmadeShown)]),
        ("rg --hidden foo", &[(".", All)]),
        ("rg -uu foo src", &[("src", All)]),
        ("rg -g .env foo", &[(".", All)]),
        ("rg --iglob=.ENV foo", &[(".", All)]),
        ("rg -tall foo src", &[("src", All)]),
        ("rg --type-add x:.env -t x foo", &[(".", All)]),
        ("rg --ignore-file x foo", &[("x", All), (".", All)]),
        ("rg -g '!target' foo", &[(".", Shown)]),
        ("ag foo", &[(".", All)]),
        ("ack foo src", &[("src", All)]),
        ("grep -r foo src", &[("src", All)]),
        ("grep -r foo", &[(".", All)]),
        ("grep -rn foo src/f nothing", &[("src/f", Itself), ("nothing", Unmade)]),
        ("grep -d recurse foo src", &[("src", All)]),
        ("grep --directories=rec foo", &[(".", All)]),
        ("grep -d skip foo src", &[("src", Itself)]),
        ("egrep -r foo", &[(".", All)]),
        ("grep foo", &[]),
        ("grep foo f", &[("f", Itself)]),
        ("grep -f patterns f", &[("patterns", Itself), ("f", Itself)]),
        ("diff src other", &[("src", All), ("other", All)]),
        ("diff src/f other", &[("src/f", Itself), ("other", All)]),
        ("git status", &[(".", Itself)]),
        ("git grep x", &[(".", All)]),
        ("git grep x HEAD", &[("HEAD", Itself), (".", All)]),
        ("git grep x -- src", &[("src", All)]),
        ("git grep --no-index x src", &[("src", All)]),
        ("git log", &[]),
        ("git log --stat -- src", &[("src", Itself)]),
        ("git log -p -- gone", &[("gone", Shown), ("gone", Changed)]),
        ("git diff --stat", &[]),
        ("git diff", &[(".", Changed)]),
        ("git show HEAD", &[("HEAD", Itself), (".", Past)]),
        ("git show HEAD -- src/f", &[("HEAD", Itself), ("src/f", Itself)]),
        ("git diff --cached", &[(".", Past)]),
        ("git diff main~1 -- src", &[("main~1", Itself), ("src", Shown), ("src", Changed)]),
        ("git log -p .", &[(".", Past)]),
        ("git cat-file -p HEAD", &[("HEAD", Itself), (".", Past)]),
        ("git cat-file -t HEAD", &[("HEAD", Itself)]),
        ("git log -p", &[(".", Past)]),
        ("git diff src", &[("src", Shown), ("src", Changed)]),
        ("git diff --stat -p src", &[("src", Shown), ("src", Changed)]),
        ("git stash show -p src", &[("src", Shown), ("src", Changed)]),
        ("sed -n 1p .env", &[(".env", Itself)]),
        ("cat -b ../x", &[("../x", Itself)]),
        ("cat -l ../x", &[("../x", Itself)]),
        ("tac -b ../x", &[("../x", Itself)]),
        ("nl -b a ../x", &[("../x", Itself)]),
        ("look '' ../x", &[("../x", Itself)]),
        ("yq ../x", &[("../x", Itself)]),
        ("stat -t ../x", &[("../x", Itself)]),
        ("readelf -n ../x", &[("../x", Itself)]),
        ("readelf -e ../x", &[("../x", Itself)]),
        ("objdump -t ../x", &[("../x", Itself)]),
        ("nm ../x", &[("../x", Itself)]),
        ("size -t ../x", &[("../x", Itself)]),
        ("zipinfo ../x", &[("../x", Itself), ("../x.zip", Itself), ("../x.ZIP", Itself)]),
        ("who ../x", &[("../x", Itself)]),
        ("users ../x", &[("../x", Itself)]),
        ("uptime ../x", &[("../x", Itself)]),
        ("last -f ../x", &[("../x", Itself)]),
        ("git diff -U ../x", &[("../x", Shown), ("../x", Changed)]),
        ("sed -l 80 p ../x", &[("../x", Itself)]),
        ("ls -T ../x", &[(".", Itself), ("../x", Itself)]),
        ("unzip -l -x ../x", &[("../x", Itself), ("../x.zip", Itself), ("../x.ZIP", Itself)]),
    ];
    hold(rows, |(line, expected)| {
        let known = look_in(line, &root, false);
        let found: Vec<(String, Reach)> = known
            .touches
            .iter()
            .filter(|touch| touch.how == Use::Read)
            .filter_map(|touch| match &touch.path {
                crate::shell::TouchedPath::Known(path) => Some((path.given.clone(), touch.reach)),
                crate::shell::TouchedPath::Open(_) => None,
            })
            .collect();
        let expected: Vec<(String, Reach)> =
            expected.iter().map(|(path, reach)| ((*path).to_owned(), *reach)).collect();
        (found != expected || !known.reader).then(|| format!("{line}: {found:?}"))
    });
}

/// D2.30: `git` fits only where the repository's configuration names no program to
/// run.
/// Attack 76.
#[test]
fn given_a_repository_that_names_a_program_then_git_is_no_reader() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join(".git")).unwrap();
    std::fs::write(dir.path().join(".git/config"), "[core]\n\tbare = false\n").unwrap();
    assert!(look_in("git status", dir.path(), false).reader);
    std::fs::write(dir.path().join(".git/config"), "[core]\n\tfsmonitor = ./x\n").unwrap();
    assert!(!look_in("git status", dir.path(), false).reader);
    assert!(look_in("git version", dir.path(), false).reader);
}

/// Attack 76.
#[test]
fn given_a_folder_that_tells_cargo_what_to_run_then_cargo_is_no_reader() {
    let dir = tempfile::tempdir().unwrap();
    let at = Path::new(dir.path());
    let line = "cargo tree --frozen";
    assert!(look_in(line, at, false).reader);
    std::fs::create_dir(at.join(".cargo")).unwrap();
    std::fs::write(at.join(".cargo/config.toml"), "[build]\nrustc = \"./x\"\n").unwrap();
    assert!(!look_in(line, at, false).reader);
    // From further down than mayi looks up.
    let other = tempfile::tempdir().unwrap();
    assert!(!look_in(line, &other.path().join("d/".repeat(70)), false).reader);
}

/// Attacks 76 and 603: `--version` of a program that loads something of its folder, and the help of a command whose
/// manual is shown by a program of the repository's.
#[test]
fn given_a_question_for_help_then_only_programs_that_load_nothing_here_answer_it_as_readers() {
    let readers = [
        "ls --help",
        "cp --help",
        "env --version",
        "node -v",
        "python -V",
        "python3 -VV",
        "rustc -V",
        "rustc -vV",
        "cargo -V",
        "cargo test --help",
        "java -version",
        "git -v",
        "npm --version",
        "gh pr create --help",
        "curl --version",
    ];
    hold(readers, |line| (!look(line).reader).then(|| line.to_owned()));
    let others = [
        "mvn --version",
        "hg --version",
        "flake8 --version",
        "pylint --help",
        "rubocop --version",
        "webpack --version",
        "ng --version",
        "turbo --version",
        "lerna --version",
        "bazel --version",
        "sbt --version",
        "rust-gdb --version",
        "gradle --version",
        "eslint --version",
        "cargo nonesuch --help",
        "npm --help",
        "npm ls --help",
        "pnpm --help",
        "yarn --version",
        "npx --help",
        "npx --version",
    ];
    hold(others, |line| look(line).reader.then(|| line.to_owned()));

    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join(".git")).unwrap();
    std::fs::write(dir.path().join(".git/config"), "[man]\n\tviewer = evil\n").unwrap();
    std::fs::write(dir.path().join("rust-toolchain.toml"), "[toolchain]\npath = \"x\"\n").unwrap();
    std::fs::write(dir.path().join("go.mod"), "module x\ntoolchain go1.99\n").unwrap();
    let lines = ["git log --help", "git status --help", "rustc -V", "cargo --version", "rustup --version"];
    let lines = lines.into_iter().chain(["cargo test --help", "rustfmt --version", "go version"]);
    hold(lines, |line| look_in(line, dir.path(), false).reader.then(|| line.to_owned()));
}
