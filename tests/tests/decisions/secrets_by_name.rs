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
    "gcp/service-account.json",
];
const OTHERS: &[&str] =
    &[".env.example", "src/env.rs", "deploy/id_ed25519.pub", "docs/keys.md", "src/key/mod.rs"];

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
    for template in ["everyday", "careful"] {
        let mut asked: Vec<Value> = SECRETS.iter().map(|name| request("read", "path", name)).collect();
        asked.extend(SECRETS.iter().map(|name| request("shell", "command", &format!("cat {name}"))));
        let searches = [
            "grep -r x .",
            "grep -rn TOKEN service",
            "cat service/.env*",
            "head -3 ./.env",
            "rg --hidden x",
            "rg x certs",
            "git show HEAD:.env",
        ];
        asked.extend(searches.map(|line| request("shell", "command", line)));
        for (request, effect) in asked.iter().zip(effects(template, &work, &home, &asked)) {
            assert_eq!(effect, "ask", "{template}: {request}");
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
