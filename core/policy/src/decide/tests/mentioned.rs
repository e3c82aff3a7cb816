//! Texts among the arguments of a tool that hold more than one path: patterns for names, and lists (D1.18).

use super::*;
use serde_json::Value;

fn judged(policy: &Policy, arguments: Value) -> Decision {
    let readings = vec![("s".into(), "t".into())];
    let access = McpAccess::with_home(readings, arguments, Path::new("/w"), Some(Path::new("/home/me")));
    in_mode(policy, &call(Access::Mcp(access)), Mode::Auto)
}

/// Where a text may stand among the arguments.
fn in_each_place(text: &str) -> Vec<Value> {
    vec![
        json!({ "path": text }),
        json!({ "q": { "deep": [[{ "files": text }]] } }),
        json!({ "paths": ["src/a.rs", text] }),
        json!({ text: 1 }),
        json!(json!({ "inner": text }).to_string()),
        json!(text),
    ]
}

fn not_allowed(policy: &Policy, texts: &[String]) -> (Vec<String>, usize) {
    let all: Vec<Value> = texts.iter().flat_map(|text| in_each_place(text)).collect();
    let count = all.len();
    let asked = |arguments: &Value| {
        let decision = judged(policy, arguments.clone());
        decision.effect == Deny || decision.always_asks()
    };
    (
        all.into_iter()
            .filter(|arguments| !asked(arguments))
            .map(|arguments| arguments.to_string())
            .collect(),
        count,
    )
}

/// A pattern that could give what is denied. Attack 387.
#[test]
fn given_a_pattern_for_names_that_could_give_what_is_denied_then_the_call_is_not_allowed() {
    for (rule, patterns) in [
        (
            "read(secret/k)",
            &[
                "secret/*",
                "secret/?",
                "secret/[k]",
                "secret/[a-z]",
                "secret/**",
                "s*/k",
                "*/k",
                "**/k",
                "./secret/*",
                "sub/../secret/*",
                "/w/secret/*",
                "file:///w/secret/*",
                "{secret,other}/k",
                "{secret,x}/*",
                "secret/{a,k}",
                "**/*",
                "secr?t/k",
                "/w/**/k",
                "path=secret/*",
                "secret\\*",
                "%73ecret/*",
                "**/secret/**",
                "s?????/*",
            ][..],
        ),
        (
            "read(.env)",
            &[
                "**/.env",
                ".e*",
                "**/.e*",
                "{.env,a}",
                ".{env,b}",
                "src/**/.env",
                "./.en?",
                "**/*",
                "/w/.env*",
                ".[e]nv",
            ],
        ),
        ("write(src/gen/**)", &["src/gen/*", "src/*/a", "src/**/*.rs", "**/gen/**", "src/{gen,x}/a.rs"]),
        (
            "read(~/.ssh/**)",
            &["~/.ssh/*", "$HOME/.ssh/id_*", "/home/me/.ssh/*", "/home/*/.ssh/*", "file:///home/me/.ssh/*"],
        ),
    ] {
        let policy = policy(&[(Allow, "mcp(*)"), (Deny, rule)]);
        let texts: Vec<String> = patterns.iter().map(|text| (*text).to_owned()).collect();
        let (found, count) = not_allowed(&policy, &texts);
        assert!(found.is_empty(), "{rule}: {} of {count}: {found:#?}", found.len());
    }
}

/// Several paths in one text, however they are divided. Attack 387.
#[test]
fn given_a_list_of_paths_with_a_denied_one_then_the_call_is_not_allowed() {
    let mut texts = Vec::new();
    let denied = [
        "secret/k",
        "./secret/k",
        "/w/secret/k",
        "file:///w/secret/k",
        "secret/*",
        "\"secret/k\"",
        "src/../secret/k",
    ];
    for path in denied {
        for others in [&["src/a.rs"][..], &["README", "LICENSE.md", "a/b"]] {
            for place in 0..=others.len() {
                let mut all = others.to_vec();
                all.insert(place, path);
                for between in [" ", "\n", ",", ", ", ";", "\r\n", "\n\n", " \n ", "\t"] {
                    texts.push(all.join(between));
                }
            }
        }
    }
    for text in [
        "a\nsecret/k\nb",
        "a,secret/k",
        "a, secret/k, b",
        "a;secret/k",
        "(src/a.rs, secret/k)",
        "`src/a.rs` `secret/k`",
    ] {
        texts.push(text.to_owned());
    }
    // However many stand before it.
    texts.push((0..1100).map(|at| format!("src/a{at}\n")).collect::<String>() + "secret/k");
    texts.push((0..400).map(|at| format!("src/a{at}, ")).collect::<String>() + "secret/k");
    for rule in ["read(secret/k)", "write(secret/**)", "read(secret/)"] {
        let policy = policy(&[(Allow, "mcp(*)"), (Deny, rule)]);
        let (found, count) = not_allowed(&policy, &texts);
        assert!(found.is_empty() && count > 2000, "{rule}: {} of {count}: {found:#?}", found.len());
    }
    // An ask counts as well, and keys without a rule.
    let asking = policy(&[(Allow, "mcp(*)"), (Ask, "read(secret/k)")]);
    let decision = judged(&asking, json!({ "p": "src/a.rs secret/k" }));
    assert_eq!(decision.effect, Ask, "{decision:?}");
    let open = policy(&[(Allow, "mcp(*)")]);
    assert_eq!(judged(&open, json!({ "p": "src/a.rs sub/id_rsa" })).effect, Ask);
}

/// Prose, code and other texts are as quiet as before. Attack 387.
#[test]
fn given_prose_and_code_then_the_call_is_as_quiet_as_before() {
    let policy = policy(&[
        (Allow, "mcp(*)"),
        (Deny, "read(secret/k)"),
        (Deny, "read(.env)"),
        (Deny, "write(src/gen/**)"),
        (Deny, "read(~/.ssh/**)"),
    ]);
    let texts = [
        "the file .env",
        "Please don't commit .env to the repository, nor anything that lies below it.",
        "See secret/k for what we did before, and tell me whether it still holds.",
        "*",
        "a * b",
        "SELECT * FROM t WHERE a = 'b'",
        "**bold** and *other* words in a text",
        "is it there?",
        "https://docs.example/a?b=c*d",
        "fn main() { println!(\"{}\", x.y()); }\nlet a = [1, 2];\n",
        "import os, sys\nprint(os.path.join('a', 'b'))\n",
        "^src/.*\\.rs$",
        "(foo|bar)+",
        "TODO|FIXME",
        "src/a.rs src/b.rs",
        "src/a.rs, docs/b.md",
        "a, b and c",
        "1.0, 2.0, 3.5",
        "2026-11-27 10:00",
        "*.md",
        "docs/*.md",
        "src/*.rs",
        "v1.*",
        "hello\nworld\n",
        "- one\n- two\n",
        "node_modules\ndist\n*.log",
        "{\"a\": [1, 2]}",
        "user@example.com, other@example.com",
        "fix: a thing in src/a.rs (see docs/b.md), and what else is wrong with it",
    ];
    for text in texts {
        for arguments in in_each_place(text) {
            let decision = judged(&policy, arguments.clone());
            assert_eq!(decision.effect, Allow, "{arguments}: {:?}", decision.deciding_finding());
        }
    }
    // With nothing denied, no list and no pattern is anything.
    let open = super::policy(&[(Allow, "mcp(*)")]);
    for text in ["**/*", "secret/*", "a\n.env\nb", "src/** docs/**"] {
        assert_eq!(judged(&open, json!({ "p": text })).effect, Allow, "{text}");
    }
}

/// Attack 711.
#[test]
fn given_a_path_in_quotes_in_a_program_then_the_call_is_not_allowed() {
    let denied = policy(&[(Allow, "mcp(*)"), (Deny, "read(.env)"), (Deny, "read(secret/**)")]);
    let texts = [
        "select readfile('.env')",
        "select * from read_csv('.env')",
        "select * from '.env'",
        "select * from \"./.env\"",
        "attach '/w/.env' as a",
        "attach 'file:.env?mode=ro' as a",
        "copy t to 'secret/x'",
        "select load_extension('/w/secret/x')",
        "-- don't\nselect readfile('.env')",
        "select 'a', readfile('.env'), 'b'",
        "open(\".env\").read()",
        "fs.readFileSync(`sub/../.env`)",
        "run(\"cat '.env'\")",
        "select * from glob('secret/*')",
        "os.listdir('/w/secret/')",
        "x = 'sub\\\\..\\\\.env'",
    ];
    for name in [
        "sql",
        "query",
        "sqlQuery",
        "sqlText",
        "code",
        "script",
        "source",
        "expression",
        "js",
        "python",
        "statement",
    ] {
        // A question in words has quotes, too.
        let asks = |text: &str| {
            let begins = ["select", "attach", "copy", "--"].iter().any(|word| text.starts_with(word));
            name != "query" || begins
        };
        for text in texts.into_iter().filter(|text| asks(text)) {
            for arguments in [json!({ name: text }), json!({ "a": { name: [text] } })] {
                let decision = judged(&denied, arguments.clone());
                // As a line, a script is one for certain.
                let line = name == "script" && decision.effect == Deny;
                assert!(
                    line || decision.effect == Ask && decision.always_asks(),
                    "{arguments}: {decision:?}"
                );
            }
        }
        let at_home = policy(&[(Allow, "mcp(*)"), (Ask, "read(~/.aws/**)")]);
        let texts = ["open('~/.aws/x')", "open(\"/home/me/.aws/x\")", "copy t from 'file://~/.aws/x'"];
        for text in texts.into_iter().filter(|text| asks(text)) {
            assert_eq!(judged(&at_home, json!({ name: text })).effect, Ask, "{name} {text}");
        }
        for text in [
            "select * from t where name = 'src/a.rs'",
            "select a || '.' || b, '/', '*', '?', '%' from t",
            "select * from t where kind = 'env' and path like '%.env.example'",
            "how do I read .env files",
            "what's in .env, and what isn't",
            "print(1)",
            "the secret is 'safe'",
            "x.env['A'] + y['secrets']",
            "a.rs",
        ] {
            // As a line, prose has words.
            if name != "script" {
                let decision = judged(&denied, json!({ name: text }));
                assert_eq!(decision.effect, Allow, "{name} {text}: {decision:?}");
            }
        }
    }
    let rule = policy(&[
        (Allow, "mcp(*)"),
        (Deny, "read(.env)"),
        (Deny, "read(secrets/**)"),
        (Deny, "write(.github/**)"),
    ]);
    for (arguments, effect) in [
        (json!({ "function": "() => { return document.querySelector(\".env\") }" }), Ask),
        (json!({ "query": "select \"secrets\" from t" }), Ask),
        (json!({ "sql": "select * from t where kind = '.github'" }), Ask),
        (json!({ "query": "how do I \"import\" from \".env\" in vite?" }), Allow),
        (json!({ "query_text": "what is 'secrets'?", "searchQuery": "open(\".env\")" }), Allow),
        (json!({ "input": "what does \".env\" mean", "script_name": "all about 'secrets' here" }), Allow),
    ] {
        let decision = judged(&rule, arguments.clone());
        assert_eq!((decision.effect, decision.always_asks()), (effect, effect == Ask), "{arguments}");
    }
    // Elsewhere, what stands in quotes is text; and without a rule, it is nothing.
    for arguments in [json!({ "text": "use '.env' for that" }), json!({ "body": "open('.env')" })] {
        assert_eq!(judged(&denied, arguments.clone()).effect, Allow, "{arguments}");
    }
    let open = policy(&[(Allow, "mcp(*)")]);
    for text in ["select readfile('/etc/hosts')", "open('/etc/hosts')"] {
        assert_eq!(judged(&open, json!({ "code": text })).effect, Allow, "{text}");
    }
}

/// Attack 713.
#[test]
fn given_an_address_of_a_file_in_any_reading_then_denials_of_it_hold() {
    for (rule, texts) in [
        (
            "read(~/.ssh/**)",
            &[
                "file://~/.ssh/id",
                "file:~/.ssh/id",
                "file:/~/.ssh/id",
                "file:///~/.ssh/id",
                "file:///%7E/.ssh/id",
                "file://%7e/.ssh/id",
                "file://localhost/~/.ssh/id",
                "FILE://~/.ssh/id",
                " file://~/.ssh/id",
                "file://$HOME/.ssh/id",
                "file:///${HOME}/.ssh/id",
                "file://localhost/home/me/.ssh/id",
                "file://127.0.0.1/home/me/.ssh/id",
                "file:\\\\~\\.ssh\\id",
                "sqlite:///~/.ssh/id",
                "file:///a#/../home/me/.ssh/id",
                "%66ile://~/.ssh/id",
                "path=file://~/.ssh/id",
            ][..],
        ),
        (
            "read(/w/sub/k)",
            &[
                "file://./sub/k",
                "file://sub/k",
                "file:sub/k",
                "file:./sub/k",
                "FILE:sub/k",
                "file://%2e/sub/k",
                "file://sub/x/../k",
                "file:///w/sub/k",
                "file://localhost/w/sub/k#L1",
                "sqlite:///sub/k",
            ],
        ),
    ] {
        let policy = policy(&[(Allow, "mcp(*)"), (Deny, rule)]);
        for text in texts {
            for arguments in [json!({ "uri": text }), json!({ "a": [text] })] {
                let decision = judged(&policy, arguments.clone());
                assert_eq!(decision.effect, Deny, "{rule}: {arguments}");
            }
        }
        for text in [
            "file:///w/src/a.rs",
            "file://localhost/w/a",
            "file:a",
            "file://src/k",
            "https://x.example/sub/k",
        ] {
            assert_eq!(judged(&policy, json!({ "uri": text })).effect, Allow, "{rule}: {text}");
        }
    }
}

/// Attack 710.
#[cfg(unix)]
#[test]
fn given_a_folder_with_a_link_to_what_is_denied_then_the_call_is_not_allowed() {
    use std::os::unix::fs::symlink;

    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for folder in ["x/deep/er", "secret/in", "src", "other", "home/.ssh"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in [".env", "secret/k", "src/a.rs", "other/b"] {
        std::fs::write(root.join(file), "").unwrap();
    }
    for (target, link) in [
        ("../.env", "x/e"),
        ("../../../secret", "x/deep/er/s"),
        ("../other", "src/o"),
        ("../../x/deep/er", "other/.on"),
        ("../home", "x/h"),
        ("/proc/mounts", "other/mtab"),
        ("/dev/stdout", "other/log"),
        ("/nowhere/a", "other/broken"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    let judged = |rule: &str, arguments: &Value| {
        let policy = policy(&[(Allow, "mcp(*)"), (Deny, rule)]);
        let readings = vec![("s".into(), "t".into())];
        let access = McpAccess::with_home(readings, arguments.clone(), &root, Some(&root.join("home")));
        in_mode(&policy, &call(Access::Mcp(access)), Mode::Auto)
    };
    let at = |path: &str| root.join(path).display().to_string();
    for (rule, arguments) in [
        ("read(.env)", json!({ "path": "x", "recursive": true })),
        ("read(.env)", json!({ "path": "./x/" })),
        ("read(.env)", json!({ "paths": ["src/a.rs", "x"] })),
        ("read(.env)", json!({ "path": at("x"), "pattern": "KEY" })),
        ("read(.env)", json!({ "uri": format!("file://{}", at("x")) })),
        ("read(secret/**)", json!({ "root": "x" })),
        ("read(secret/k)", json!({ "path": "x/deep" })),
        ("read(~/.ssh/**)", json!({ "path": "x" })),
    ] {
        let rule =
            rule.replace("(secret", &format!("({}", at("secret"))).replace("(~", &format!("({}", at("home")));
        let decision = judged(&rule, &arguments);
        assert!(decision.effect == Deny || decision.always_asks(), "{rule} {arguments}: {decision:?}");
    }
    for (rule, arguments) in [
        ("read(.env)", json!({ "path": "src", "recursive": true })),
        ("read(.env)", json!({ "path": "secret", "followSymlinks": true })),
        ("read(.env)", json!({ "path": "other" })),
        ("read(other/z)", json!({ "path": "x/deep" })),
        ("write(secret/**)", json!({ "path": "x" })),
        ("read(.env)", json!({ "x": 1 })),
        ("read(.env)", json!({ "path": "other", "recursive": true })),
        ("shell(rm *)", json!({ "path": at("other") })),
    ] {
        let rule = rule.replace("(secret", &format!("({}", at("secret")));
        assert_eq!(judged(&rule, &arguments).effect, Allow, "{rule} {arguments}");
    }
}
