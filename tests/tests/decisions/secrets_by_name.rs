//! Secrets of a project by their names, as the templates ask about them (D3.26).

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Files of a project, those with secrets first.
const SECRETS: &[&str] = &[
    ".env",
    "service/.env.production",
    "certs/server.pem",
    "deploy/id_ed25519",
    ".git-credentials",
    "infra/terraform.tfstate",
    "cluster/prod.kubeconfig",
    "state/prod.tfstate.backup",
    "gcp/service-account.json",
    "my-gcp-service-account.json",
    "gcp/serviceAccountKey.json",
    "ios/AuthKey.p8",
    "infra/prod.tfvars",
    "deploy/secrets.yaml",
    ".dev.vars",
    ".my.cnf",
];
const OTHERS: &[&str] = &[
    ".env.example",
    ".dev.vars.example",
    "src/env.rs",
    "deploy/id_ed25519.pub",
    "docs/keys.md",
    "src/key/mod.rs",
    "src/secrets.rs",
    "src/credentials/mod.rs",
    "infra/terraform.tfvars.example",
];

/// What each request becomes under a template.
fn effects(template: &str, work: &Path, home: &Path, requests: &[Value]) -> Vec<String> {
    let mayi = |args: &[&str]| {
        let mut command = Command::new(mayi_tests::mayi_program());
        command
            .args(args)
            .env_clear()
            .env("HOME", home)
            .env("PATH", std::env::var_os("PATH").unwrap())
            .current_dir(work);
        command
    };
    let init = mayi(&["init", "--force", "--template", template]).stdin(Stdio::null()).output().unwrap();
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    let mut check = mayi(&["check", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    check.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = check.wait_with_output().unwrap();
    let answer =
        |line: &str| serde_json::from_str::<Value>(line).unwrap()["effect"].as_str().unwrap().to_owned();
    String::from_utf8(output.stdout).unwrap().lines().map(answer).collect()
}

/// D3.26: a rule about whatever is called so is about what is there, and about what a program shows of it.
#[test]
fn given_names_that_no_word_says_then_those_that_are_not_there_are_not_asked_about() {
    let top = tempfile::tempdir().unwrap();
    let (home, work) = (top.path().join("home"), top.path().join("work"));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(work.join("src")).unwrap();
    for (name, text) in [
        ("package.json", "{}"),
        ("pyproject.toml", "[project]\nname = \"a\"\n"),
        ("a.py", "a = 1\n"),
        ("src/a.ts", "let a\n"),
    ] {
        std::fs::write(work.join(name), text).unwrap();
    }
    let request = |line: &str| json!({ "kind": "shell", "command": line, "cwd": work, "workspace": work });
    let judged = |lines: &[&str]| {
        let requests: Vec<Value> = lines.iter().map(|line| request(line)).collect();
        let told = effects("everyday", &work, &home, &requests);
        lines.iter().zip(told).map(|(line, effect)| format!("{effect} {line}")).collect::<Vec<_>>()
    };
    let all = |effect: &str, lines: &[&str]| {
        lines.iter().map(|line| format!("{effect} {line}")).collect::<Vec<_>>()
    };
    // Made by the program, or looked for by it.
    let made = [
        "python3 -m py_compile a.py",
        "npx prettier --write 'src/*.ts'",
        "npx prettier --write 'src/*.{ts,tsx}'",
    ];
    let shown = ["docker compose config", "docker compose config --format json"];
    let used = ["docker compose ps", "docker compose logs web", "docker compose config --services"];
    assert_eq!(judged(&made), all("allow", &made));
    assert_eq!(judged(&shown), all("allow", &shown));
    assert_eq!(judged(&used), all("allow", &used));
    for name in [".env", "src/id_rsa.ts", "src/.env.tsx"] {
        std::fs::write(work.join(name), "x").unwrap();
    }
    assert_eq!(judged(&made[..1]), all("allow", &made[..1]));
    assert_eq!(judged(&made[1..]), all("ask", &made[1..]));
    assert_eq!(judged(&shown), all("ask", &shown));
    assert_eq!(judged(&used), all("allow", &used));
}

/// Attack 733.
#[test]
fn given_a_template_then_secrets_are_asked_about_by_their_names() {
    let top = tempfile::tempdir().unwrap();
    let (home, work) = (top.path().join("home"), top.path().join("work"));
    std::fs::create_dir_all(&home).unwrap();
    for name in SECRETS.iter().chain(OTHERS) {
        std::fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
        std::fs::write(work.join(name), "x").unwrap();
    }
    let request = |kind: &str, key: &str, value: &str| json!({ "kind": kind, key: value, "cwd": work, "workspace": work });
    for template in ["everyday", "careful", "trusting", "read-only", "ci"] {
        let mut asked: Vec<Value> = SECRETS.iter().map(|name| request("read", "path", name)).collect();
        asked.extend(SECRETS.iter().map(|name| request("shell", "command", &format!("cat {name}"))));
        let searches = [
            "grep -r x .",
            "grep -rn TOKEN service",
            "cat service/.env*",
            "head -3 ./.env",
            "rg --hidden x",
            "rg x certs",
            "cat cluster/*",
            "grep -r x cluster",
            "rg x cluster",
            "grep -r x state",
            "rg x state",
            "git show HEAD:.env",
        ];
        asked.extend(searches.map(|line| request("shell", "command", line)));
        for (request, effect) in asked.iter().zip(effects(template, &work, &home, &asked)) {
            // Plan mode denies what it can't look into.
            let held = effect == "ask" || template == "read-only" && effect == "deny";
            assert!(held, "{template}: {effect}: {request}");
        }
        let mut free: Vec<Value> = OTHERS.iter().map(|name| request("read", "path", name)).collect();
        let looks =
            ["grep -rn x src", "rg x src", "ls -la", "git log -p", "git diff", "cat src/env.rs", "ls certs"];
        free.extend(looks.map(|line| request("shell", "command", line)));
        for (request, effect) in free.iter().zip(effects(template, &work, &home, &free)) {
            assert_eq!(effect, "allow", "{template}: {request}");
        }
    }
    let edits: Vec<Value> = SECRETS.iter().map(|name| request("edit", "path", name)).collect();
    let plain: Vec<Value> = OTHERS.iter().map(|name| request("edit", "path", name)).collect();
    for template in ["everyday", "careful", "trusting", "ci"] {
        for (request, effect) in edits.iter().zip(effects(template, &work, &home, &edits)) {
            assert_eq!(effect, "ask", "{template}: {request}");
        }
        if template != "careful" {
            for (request, effect) in plain.iter().zip(effects(template, &work, &home, &plain)) {
                assert_eq!(effect, "allow", "{template}: {request}");
            }
        }
    }
}
