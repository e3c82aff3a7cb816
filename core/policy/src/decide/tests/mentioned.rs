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
