//! Words and texts that a program runs or reads in a language of its own.

use super::*;

/// A module that a filter loads is looked for in folders that stand apart from its name.
/// Attack 616.
#[test]
fn given_a_filter_that_imports_from_a_folder_then_it_reads_what_the_two_name() {
    let scene = Scene::new();
    let policy = scene.denying(&["read(secrets/**)"]);
    let lines = [
        "jq -n 'import \"key\" as $d {search: \"./secrets\"}; $d'",
        "jq -n 'import \"key\" as $d {\"search\": [\"x\", \"./secrets/\"]}; $d'",
        "jq -n 'import\"key\"as$d{search:\"secrets\"};$d'",
        "jq -n 'import \"key\" as a {search: \"./secrets\"}; a::b'",
        "jq -n 'include \"key\" {search: \"./secrets\"}; b'",
        "jq -n 'import \"secrets/key\" as $d; $d'",
        "jq -n 'import \"secrets/key\" as $d {search: \".\"}; $d'",
        "jq -n -L secrets 'import \"key\" as $d; $d'",
        "jq -Lsecrets -n 'include \"key\"; b'",
        "jq --library-path secrets -n 'include \"key\"; b'",
        "cd src; jq -n 'import \"key\" as $d {search: \"../secrets\"}; $d'",
        "jq -n 'import \"key\" as $d {search: (\"./sec\"+\"rets\")}; $d'",
        "jq -n 'import \"\\u006bey\" as $d {search: \"./sub\"}; $d'",
        "jq -n -L \"$x\" 'include \"key\"; b'",
    ];
    held(&wrong(&scene, &policy, lines.map(str::to_owned), |decision| decision.effect > Allow), 14, 14);
    let other = scene.denying(&["read(secrets/sub/key/key.jq)"]);
    let lines =
        ["jq -n 'include \"sub/key\" {search: \"secrets\"}; b'", "jq -L secrets -n 'include \"sub/key\"; b'"];
    held(&wrong(&scene, &other, lines.map(str::to_owned), |decision| decision.effect > Allow), 2, 2);
    let free = [
        "jq -n 'import \"key\" as $d {search: \"./lib\"}; $d'",
        "jq -L lib 'include \"util\"; map(f)' a.json",
        "jq '.include + \"secret\"' a.json",
        "jq '.a + .b' a.json",
        "jq -r '.secrets | \"\\(.key)\"' a.json",
    ];
    held(&wrong(&scene, &policy, free.map(str::to_owned), |decision| decision.effect == Allow), 5, 5);
}

/// Ways to hand a line to a program whose table does not know it for one.
const RUNS: &[&str] = &[
    "ed '!{}'",
    "ed -s '!{}' </dev/null",
    "ex '!{}'",
    "perl -ne 1 '{}|'",
    "perl -pe 1 '|{}'",
    "perl -ne 'print' a '{} |'",
    "perl -e 'while(<>)print' '{}|'",
    "sqlite3 :memory: '.shell {}'",
    "sqlite3 :memory: '.system {}'",
    "sqlite3 :memory: '.sh {}'",
    "sqlite3 a.db 'select 1' '.shell {}'",
    "sqlite3 -cmd '.shell {}' a.db .quit",
    "sqlite3 :memory: \".import '|{}' t\"",
    "sqlite3 :memory: '.once |{}'",
    "sqlite3 :memory: \"select edit('x','{};:')\"",
    "sqlite3 :memory: <<<'.shell {}'",
    "sqlite3 a.db <<E\nselect 1;\n.shell {}\nE",
    "printf '.system {}' | sqlite3 a.db",
    "psql -c '\\! {}'",
    "psql -c \"\\copy t to program '{}'\"",
    "psql <<<'\\! {}'",
    "mysql -e '\\! {}'",
    "mysql -e 'system {}'",
    "mysql <<<'system {}'",
    "tmux -L m start \\; run '{}'",
    "tmux new -d \\; split-window '{}'",
    "tmux start ';' if-shell true '{}'",
    "tmux start\\; run '{}'",
    "tmux if-shell true 'run-shell \"{}\"'",
    "tmux start \\; list-sessions \\; pipe-pane '{}'",
    "dpkg --pre-invoke='{}' -i x",
    "dpkg --pre-invoke '{}' -i x",
    "dpkg --post-invoke='{}' -i x",
    "dpkg --status-logger='{}' -i x",
    "npm version --what '{}'",
    "kubectl get --what='{}' pods",
    "aws s3 ls '{}'",
    "cargo build --what '!{}'",
    "make 'X={}'",
    "python3 -c 'import os; os.system(\"{}\")'",
    "perl -e 'system \"{}\"'",
    "ruby -e '`{}`'",
    "node -e 'require(\"child_process\").execSync(\"{}\")'",
    "php -r 'shell_exec(\"{}\");'",
    "tclsh <<< 'exec {}'",
];

/// A denied command that a word holds is denied, whatever program gets the word. Attack 280, attack 281, attack 282.
#[test]
fn given_a_word_that_a_program_may_run_as_a_line_then_what_is_denied_in_it_is_denied() {
    let scene = Scene::new();
    let (mut found, mut count) = (Vec::new(), 0);
    for (pattern, line) in [
        ("shell(touch *)", "touch pwned"),
        ("shell(rm -rf *)", "rm -rf src"),
        ("shell(git push *)", "git push origin"),
        ("shell(touch *)", "sudo touch pwned"),
        ("shell(touch *)", "true; touch pwned"),
    ] {
        let policy = scene.denying(&[pattern]);
        let lines = RUNS.iter().map(|form| form.replacen("{}", line, 1));
        // `;` ends a command of tmux, and of SQL, before a shell gets to see it.
        let lines = lines.filter(|form| !line.contains(';') || !form.contains("edit("));
        count += RUNS.len();
        found.extend(wrong(&scene, &policy, lines, |decision| decision.effect == Deny));
    }
    held(&found, count, 150);
}

/// Lines with text in them that nobody runs.
const PLAIN: &[&str] = &[
    "git commit -m 'touch up the docs'",
    "git commit -am 'touch: new tests'",
    "echo 'touch pwned'",
    "printf '%s' 'touch pwned'",
    "grep -n 'touch pwned' a.txt",
    "rg '!touch x' src",
    "jq '.a | .b' a.json",
    "awk '{print $1}' a.txt",
    "sed -n 's/touch x/y/p' a.txt",
    "perl -ne 'print if /touch x/' a.txt",
    "perl -pe 's/a|b/c/' a.txt",
    "python3 -c 'print(\"touch x\")'",
    "node -e 'console.log(\"touch x\")'",
    "sqlite3 a.db 'select a || b from t'",
    "sqlite3 a.db .tables",
    "sqlite3 a.db \"insert into log values ('touch x')\"",
    "sqlite3 a.db \"select * from t where a != 1\"",
    "psql -c 'select count(*) from t'",
    "psql -c '\\d t'",
    "mysql -e 'show tables'",
    "tmux ls",
    "tmux new -d -s work",
    "tmux kill-session -t work",
    "cat 'touch me.txt'",
    "git add 'touch me.txt'",
    "cargo test --workspace",
    "dpkg -l",
    "dpkg -i x.deb",
    "make test",
    "kubectl get pods -o 'jsonpath={.items[*].metadata.name}'",
    "curl -d 'touch x' https://docs.rs",
    "gcc -o x a.c",
    "python3 -c 'import os; print(os.environ.get(\"A\"))'",
    "node -p process.env.HOME",
    "ed a.txt",
];

/// Text that nobody runs stays text. Attack 280, attack 281, attack 282.
#[test]
fn given_text_that_nobody_runs_then_it_is_as_quiet_as_without_the_denial() {
    let scene = Scene::new();
    let (free, denied) =
        (scene.denying(&[]), scene.denying(&["shell(touch *)", "read(.env)", "write(.github/**)"]));
    let lines = || PLAIN.iter().map(|line| (*line).to_owned());
    let noisy: Vec<String> = lines()
        .filter(|line| {
            let effect = |policy| loosest(policy, &scene.shell(line)).effect;
            effect(&denied) != effect(&free)
        })
        .collect();
    held(&noisy, PLAIN.len(), 30);
}

/// Texts in which a program finds a path.
const NAMES: &[&str] = &[
    "sqlite3 :memory: '.read {}'",
    "sqlite3 :memory: '.import {} t'",
    "vim -c 'w {}' a.txt",
    "ex -sc 'r {}|p|q' a.txt",
    "gawk -i inplace 1 {}",
    "curl -sK- <<< 'output = {}'",
    "sqlite3 :memory: '.open {}'",
    "sqlite3 :memory: \"select readfile('{}')\"",
    "sqlite3 :memory: \"attach '{}' as y; select 1\"",
    "sqlite3 a.db '.backup {}'",
    "sqlite3 a.db \"vacuum into '{}'\"",
    "sqlite3 a.db <<<'.read {}'",
    "duckdb -c \"from '{}'\"",
    "psql -c '\\i {}'",
    "psql -c \"\\copy t from '{}'\"",
    "psql -c \"\\copy t to '{}'\"",
    "mysql -e 'source {}'",
    "mysql <<<'source {}'",
    "gcc -xc -E -I. - <<<'#include \"{}\"'",
    "echo '#include \"{}\"' | cpp",
    "echo '#include <{}>' | gcc -xc -E -I. -",
    "m4 <<<'include({})'",
    "echo 'undivert({})' | m4",
    "tclsh <<<'puts [read [open {}]]'",
    "expect -c 'puts [read [open {}]]'",
    "yq -n 'load(\"{}\")'",
    "ed -s a.txt <<<'w {}'",
    "ed a.txt <<E\nr {}\nE",
    "lftp -e 'put {}' h",
    "lftp -c 'open h; put {}; bye'",
    "sftp h <<<'put {}'",
    "python3 -c 'print(open(\"{}\").read())'",
    "python3 <<E\nprint(open('{}').read())\nE",
    "perl -e 'open F,\"{}\"; print <F>'",
    "ruby -e 'puts File.read(\"{}\")'",
    "node -p 'require(\"fs\").readFileSync(\"{}\")'",
    "php -r 'readfile(\"{}\");'",
    "cd src && python3 -c 'open(\"../{}\")'",
    "bash -c 'sqlite3 :memory: \".read {}\"'",
    "kubectl create cm x --from-file=a={}",
    "kubectl create cm x --from-file a={}",
];

/// A denied path in a text that a program reads as a program counts as named. Attack 283.
#[test]
fn given_a_denied_path_in_a_text_that_is_a_program_then_it_is_denied() {
    let scene = Scene::new();
    let policy = scene.denying(&["read(.env)", "write(.github/**)"]);
    let (mut found, mut count) = (Vec::new(), 0);
    for path in [".env", "./.env", "src/../.env", ".github/x", ".github/workflows/ci.yml"] {
        let lines = NAMES.iter().map(|form| form.replacen("{}", path, 1));
        count += NAMES.len();
        // That only reads, and writing is what is denied there.
        let lines = lines.filter(|line| !(path.contains("github") && line.contains("kubectl")));
        found.extend(wrong(&scene, &policy, lines, |decision| decision.effect == Deny));
    }
    held(&found, count, 150);
}

/// What only looks like one is nothing, and what is built in says nothing about texts. Attack 283.
#[test]
fn given_a_text_that_names_nothing_denied_then_it_is_allowed_as_before() {
    let scene = Scene::new();
    let policy = scene.denying(&["read(.env)", "read(secrets)", "write(.github/**)"]);
    let lines = [
        "jq .env package.json",
        "jq '.env | keys' package.json",
        "yq .a.env a.yml",
        "node -p process.env.HOME",
        "node -e 'console.log(process.env)'",
        "python3 -c 'import secrets; print(secrets.token_hex(8))'",
        "python3 -c 'print(10 / 2)'",
        "python3 -c 'import os; print(os.listdir(\".\"))'",
        "awk '{print $1 / 2}' a.txt",
        "perl -ne 'print if /env/' a.txt",
        "sqlite3 a.db 'select * from secret where a < 3'",
        "psql -c 'select * from env'",
        "python3 -c 'open(\".env.example\")'",
        "ruby -e 'puts ENV[\"HOME\"]'",
        "tmux ls",
        "cpp a.c",
    ];
    let lines = lines.map(str::to_owned);
    // What is asked about without these rules, too, is none of theirs.
    let free = scene.denying(&[]);
    let right = |line: &String| {
        loosest(&policy, &scene.shell(line)).effect == loosest(&free, &scene.shell(line)).effect
    };
    let noisy: Vec<String> = lines.into_iter().filter(|line| !right(line)).collect();
    held(&noisy, 16, 16);
}
