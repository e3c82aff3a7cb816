//! D7.3: every stored string redacted: patterns and known secret values. Attack 22:
//! "secrets in a path, a preview or a suggestion".

mod hiding;
mod places;

use proptest::prelude::*;
use serde_json::json;

use super::{Redactor, secrets_of};

fn plain() -> Redactor {
    Redactor::default()
}

fn knowing(secrets: &[&str]) -> Redactor {
    Redactor::new([""; 0], secrets.iter().copied()).unwrap()
}

/// Text with each `~` left out: so that no file holds what looks like a key.
fn of(text: &str) -> String {
    text.replace('~', "")
}

/// Each text, and what of it must be gone.
const SECRETS: &[(&str, &str)] = &[
    ("id AKI~AIOSFODNN7EXAMPLE here", "AKI~AIOSFODNN7EXAMPLE"),
    ("gh~p_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklm"),
    ("https://x:gh~s_abcdefghijklmnopqrstuvwxyz0123456789@github.com/a/b", "abcdefghijklm"),
    ("github~_pat_11AAAAAAA0aaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbb", "11AAAAAAA0"),
    ("glp~at-abcdefghij0123456789", "abcdefghij"),
    ("xox~b-123456789012-abcdefghijkl", "123456789012"),
    ("sk-~ant-api03-abcDEF123456789_abcdefgh-AA", "abcDEF123456789"),
    ("key is sk-~proj-abc123DEF456ghi789jkl", "abc123DEF456"),
    ("AIz~aSyA1234567890abcdefghijklmnopqrstuv", "SyA1234567890"),
    ("sk~_live_abcdefghijklmnop1234", "abcdefghijklmnop"),
    ("np~m_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijkl"),
    ("pypi~-AgEIcHlwaS5vcmcabcdefghijklmnopqrstuv", "IcHlwaS5vcmc"),
    ("hf~_abcdefghijklmnopqrstuvwxyzABCDEFGH", "abcdefghijkl"),
    (
        "eyJ~hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "dozjgNry",
    ),
    (
        "a\n-----BEGIN RSA PRIVATE ~KEY-----\nMIIEpAIBAAK\nCAQEA\n-----END RSA PRIVATE ~KEY-----\nb",
        "MIIEpAIBAAK",
    ),
    ("-----BEGIN OPENSSH PRIVATE ~KEY-----\nb3BlbnNzaC1rZXkt", "b3BlbnNzaC1rZXkt"),
    ("curl -H 'Authorization: Bearer hunter2hunter2' https://x", "hunter2hunter2"),
    ("curl -H \"authorization: Basic dXNlcjpodW50ZXIy\" x", "dXNlcjpodW50ZXIy"),
    ("Authorization: tokenvalue1", "tokenvalue1"),
    ("git clone https://me:hunter2@example.com/x.git", "hunter2"),
    ("postgres://app:p%40ss,w@db:5432/x", "p%40ss,w"),
    ("mysql -u root -phunter2 db", "hunter2"),
    ("sshpass -p hunter2 ssh x", "hunter2"),
    ("docker login -u me -p hunter2 registry.example", "hunter2"),
    ("docker login -u me --password-stdin <<E\nhunter2\nE", "hunter2"),
    ("passwd me <<'E'\nhunter2\nE", "hunter2"),
    ("sudo -S id << EOF\nhunter2\nEOF", "hunter2"),
    ("gh auth login --with-token <<-E\n\thunter2\nE", "hunter2"),
    ("echo hunter2 | gh secret set X", "hunter2"),
    ("read -r PASSWORD <<< hunter2", "hunter2"),
    ("read DB_PASSWORD<<<'hunter 2'", "hunter 2"),
    ("curl -H \"Authorization: Bearer ${T:-abcDEF123456789}\" https://x", "abcDEF123456789"),
    ("X='Bearer ${TOKEN-abcDEF123456789}'", "abcDEF123456789"),
    ("cat > a.yml <<E\npassword: |\n  hunter2\nE", "hunter2"),
    ("db:\n  api_token: >-\n    hunter2\n", "hunter2"),
    ("poetry publish -u me -p hunter2", "hunter2"),
    ("vercel -t hunter2 deploy", "hunter2"),
    ("curl -u me:hunter2 https://x", "hunter2"),
    ("deploy --password hunter2 now", "hunter2"),
    ("deploy --password='hunter 2' now", "hunter 2"),
    ("deploy --api-key=\"hunter 2\" now", "hunter 2"),
    ("deploy --client-secret hunter2", "hunter2"),
    ("PGPASSWORD=hunter2 psql", "hunter2"),
    ("export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI/K7MDENG"),
    ("export DB_PASSWORD='hunter 2'", "hunter 2"),
    ("password = \"hunter2\"", "hunter2"),
    ("  api_key: abc123def456", "abc123def456"),
    ("{\"password\": \"hunter2\"}", "hunter2"),
    ("{\\\"client_secret\\\":\\\"hunter2\\\"}", "hunter2"),
    ("https://x.example/cb?state=1&access_token=hunter2&b=c", "hunter2"),
    ("https://s3.example/x?X-Amz-Signature=abcdef0123", "abcdef0123"),
    ("machine example.com login me password hunter2", "hunter2"),
    ("Server=x;User=y;Password=hunter2;", "hunter2"),
    ("X-Api-Key: hunter2hunter2", "hunter2hunter2"),
    ("Cookie: session=hunter2hunter2", "hunter2hunter2"),
    ("CREATE USER x IDENTIFIED BY 'hunter2'", "hunter2"),
];

/// Attack 22.
#[test]
fn given_a_secret_of_a_known_form_then_it_is_gone() {
    for (text, secret) in SECRETS {
        let (text, secret) = (of(text), of(secret));
        let clean = plain().redact(&text).into_owned();
        assert!(!clean.contains(&secret), "{text} became {clean}");
        assert!(clean.contains("«redacted: "), "{text} became {clean}");
    }
}

/// What is no secret stays: else previews say nothing.
#[test]
fn given_text_without_secrets_then_it_is_as_it_was() {
    for text in [
        "cargo test -p mayi-core record",
        "git commit -m 'rename the token kinds'",
        "the password must be asked for; tokens are counted",
        "curl -H \"Authorization: Bearer $GITHUB_TOKEN\" https://api.example.com",
        "export TOKEN=${TOKEN} && deploy --token \"$TOKEN\"",
        "let token = lexer.next_token();",
        "fn password(&self) -> Option<&str> {",
        "max_tokens=4096",
        "https://example.com/a?page=2&sort=token",
        "task-with-a-very-long-name-that-goes-on",
        "risk-management-and-desk-sk-learn",
        "ssh://git@example.com:22/x",
        "docker run -p 8080:80 image",
        "mkdir -p a/b",
        "password: <your password>",
        "-----BEGIN PUBLIC KEY-----",
        "8b1a9953c4611296a827abf8c47804d7",
        "0196f2a4-7c1e-7cc0-8f43-0242ac120002",
    ] {
        assert_eq!(plain().redact(text), text);
    }
}

#[test]
fn given_a_known_secret_then_no_encoding_of_it_is_left() {
    let secret = "s3cr3t \"va/lue+'1";
    let redactor = knowing(&[secret]);
    let percent: String = secret.bytes().map(|b| format!("%{b:02X}")).collect();
    let hex: String = secret.bytes().map(|b| format!("{b:02x}")).collect();
    for text in [
        secret.to_owned(),
        format!("a{secret}b"),
        json!({ "x": secret }).to_string(),
        format!("echo '{}'", secret.replace('\'', r"'\''")),
        format!("?q={percent}&x"),
        "?q=s3cr3t%20%22va%2flue%2b'1&x".to_owned(),
        hex.clone(),
        hex.to_uppercase(),
    ] {
        let clean = redactor.redact(&text);
        assert!(clean.contains("«redacted: known secret»") && !clean.contains("3cr3t"), "{text}: {clean}");
    }
}

/// As `base64` writes them: known beforehand, so that mayi's own encoder is not its own judge.
#[test]
fn given_base64_of_a_known_secret_then_it_is_found_at_every_place() {
    let redactor = knowing(&["hunter2hunter2"]);
    for (text, core) in [
        ("aHVudGVyMmh1bnRlcjI=", "HVudGVyMmh1bnRlc"),
        ("dTpodW50ZXIyaHVudGVyMg==", "h1bnRlcjJodW50ZXI"),
        ("dToxaHVudGVyMmh1bnRlcjI6eA==", "HVudGVyMmh1bnRlc"),
        ("eGh1bnRlcjJodW50ZXIy", "h1bnRlcjJodW50ZXI"),
        ("eHhodW50ZXIyaHVudGVyMnh4", "odW50ZXIyaHVudGVyM"),
    ] {
        // Not by itself, where it would be hidden for being random.
        let clean = redactor.redact(&format!("a.{text}")).into_owned();
        assert!(!clean.contains(core) && clean.contains("known secret"), "{text}: {clean}");
    }
}

#[test]
fn given_secrets_that_overlap_then_nothing_of_either_is_left() {
    let redactor = knowing(&["abcdefgh1", "gh1jklmnop"]);
    assert_eq!(redactor.redact("xabcdefgh1jklmnopy"), "x«redacted: known secret»y");
}

#[test]
fn given_short_secrets_then_they_are_not_looked_for() {
    assert_eq!(knowing(&["short", ""]).redact("a short text"), "a short text");
}

#[test]
fn given_own_patterns_then_their_group_is_the_secret() {
    let redactor = Redactor::new([r"ticket-(\d+)", "x*"], [""; 0]).unwrap();
    assert_eq!(redactor.redact("ticket-42"), "ticket-«redacted: own pattern»");
    assert!(
        Redactor::new(["("], [""; 0]).unwrap_err().to_string().contains("`(` is not a regular expression")
    );
}

#[test]
fn given_an_environment_then_secrets_are_told_by_names_and_values() {
    let found = secrets_of(
        [
            ("GITHUB_TOKEN", "abcdefgh1"),
            ("MY_API_KEY", "abcdefgh2"),
            ("DB_PASSWORD", "12345678"),
            ("AWS_SECRET_ACCESS_KEY", "/abc+defgh/ijkl+mnop/qrst+uvwx/yzab+cdef"),
            ("DATABASE_URL", "postgres://me:abcdefgh3@db/x"),
            ("NPM_AUTH", "abcdefgh4"),
            ("SSH_AUTH_SOCK", "/run/user/1000/keyring/ssh"),
            ("GIT_AUTHOR_NAME", "Ada Lovelace"),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/home/me/.config/gcloud/x.json"),
            ("TOKEN_URL", "https://login.example.com/token"),
            ("TOKEN_TTL", "86400000"),
            ("PASSWORD_STORE", "gnome-keyring"),
            ("SHORT_TOKEN", "abc"),
            ("TOKENIZERS_PARALLELISM", "truetruetrue"),
            ("EDITOR", "abcdefgh5"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let expected =
        ["abcdefgh1", "abcdefgh2", "12345678", "/abc+defgh/ijkl+mnop/qrst+uvwx/yzab+cdef", "abcdefgh3"];
    assert_eq!(found[..5], expected);
    assert_eq!(found[5..], ["abcdefgh4"]);
}

/// D7.3: known secret values: where the user works is none, whatever its name.
#[test]
fn given_variables_that_hold_folders_then_paths_stay_as_they_are() {
    let found = secrets_of(
        [
            ("PWD", "/srv/my work/größe"),
            ("OLDPWD", "/srv/a b"),
            ("HOME", "/srv/Jürgen Müller"),
            ("INIT_CWD", "/srv/a b"),
            ("X_PWD", "/srv/my work/größe"),
            ("PASS", "/srv/größe"),
            ("AUTH", "~/größe und mehr"),
            ("COOKIE", "./a b/c"),
            ("TOKEN_PATH", "/srv/a b:/srv/ü/bin:~/x"),
            ("PWD", "hunter2hunter2"),
            ("SECRET_DIR", "C:\\Users\\a b"),
            ("SECRET_URLS", "https://a.example/x"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    assert_eq!(found, [""; 0]);
    let redactor = Redactor::of_environment([("PWD".to_owned(), "/srv/my größe".to_owned())]).unwrap();
    assert_eq!(redactor.redact("cat '/srv/my größe/a'"), "cat '/srv/my größe/a'");
    for secret in ["/abc+defgh/ijkl+mnop/qrst+uvwx/yzab+cdef", "/aB3defghijklmnopqrstuvwx", "hunter2 größe"]
    {
        assert_eq!(secrets_of([("MY_TOKEN".to_owned(), secret.to_owned())]), [secret]);
    }
}

#[test]
fn given_json_then_names_say_secret_too() {
    let mut value = json!({
        "command": ["mysql", "--password", "hunter2", "db"],
        "env": [{"name": "GITHUB_TOKEN", "value": "x1"}, {"name": "CI", "value": "1"}],
        "API-KEY": "a b", "apiKey": ["c", {"d": "e"}], "auth": {"user": "me"}, "passWord": 1234,
        "max_tokens": 4096, "token": "", "tokens": 5, "path": "/w/src", "author": "me",
        "password": "$PASSWORD", "headers": {"Authorization": "Bearer x"},
    });
    assert!(plain().redact_value(&mut value));
    let mark = "«redacted: by its name»";
    assert_eq!(
        value,
        json!({
            "command": ["mysql", "--password", mark, "db"],
            "env": [{"name": "GITHUB_TOKEN", "value": mark}, {"name": "CI", "value": "1"}],
            "API-KEY": mark, "apiKey": [mark, {"d": mark}], "auth": {"user": mark}, "passWord": mark,
            "max_tokens": 4096, "token": "", "tokens": 5, "path": "/w/src", "author": "me",
            "password": "$PASSWORD", "headers": {"Authorization": mark},
        })
    );
    let mut plain_value = json!({"a": ["b", {"c": null}]});
    assert!(!plain().redact_value(&mut plain_value));
}

#[test]
fn given_secrets_in_names_of_members_then_the_names_change_and_none_is_lost() {
    let redactor = knowing(&["abcdefgh1", "abcdefgh2"]);
    let mut value = json!({"abcdefgh1": 1, "abcdefgh2": 2, "x": 3});
    assert!(redactor.redact_value(&mut value));
    assert!(!value.to_string().contains("abcdefgh") && value.as_object().unwrap().len() == 3);
}

#[test]
fn given_a_cut_then_no_half_of_a_secret_is_left_at_it() {
    let redactor = knowing(&["abcdefghijklmnop"]);
    let text = format!("{}abcdefghijklmnop{}", "x".repeat(95), "y".repeat(10_000));
    for limit in 80..130 {
        let (clean, left) = redactor.redact_start(&text, limit);
        assert!(!clean.contains("abcd"), "{limit}: {clean}");
        assert!(left > 9_000);
    }
    let umlauts = "ü".repeat(100);
    assert_eq!(redactor.redact_start(&umlauts, 51).0.len(), 50);
}

fn any_secret() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z0-9+/=_-]{8,40}", "[ -~]{8,24}", "\\PC{8,16}", "[«»▒ab]{8,10}", "[%25ab\"\\\\]{8,12}"]
        .prop_filter("long enough without blanks around it", |secret| secret.trim().chars().count() >= 8)
}

proptest! {
    /// A known secret of 8 characters or more never survives, wherever it stands. Attack 22.
    #[test]
    fn a_known_secret_never_survives(
        secrets in prop::collection::vec(any_secret(), 1..4),
        before in "\\PC{0,30}",
        after in "\\PC{0,30}",
        at in any::<prop::sample::Index>(),
        encoding in 0..3,
    ) {
        let redactor = Redactor::new([""; 0], secrets.iter().cloned()).unwrap();
        let secret = at.get(&secrets);
        let form = match encoding {
            0 => secret.clone(),
            1 => serde_json::Value::from(secret.as_str()).to_string(),
            _ => secret.bytes().map(|b| format!("%{b:02x}")).collect(),
        };
        let text = format!("{before}{form}{after}");
        let clean = redactor.redact(&text);
        for secret in &secrets {
            prop_assert!(!clean.contains(secret.trim()), "{} in {}", secret, clean);
        }
        let mut value = json!({ "a": [text, {form: 1}] });
        redactor.redact_value(&mut value);
        fn strings(value: &serde_json::Value, out: &mut Vec<String>) {
            match value {
                serde_json::Value::String(text) => out.push(text.clone()),
                serde_json::Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
                serde_json::Value::Object(members) => members.iter().for_each(|(name, value)| {
                    out.push(name.clone());
                    strings(value, out);
                }),
                _ => {}
            }
        }
        let mut all = Vec::new();
        strings(&value, &mut all);
        for secret in &secrets {
            prop_assert!(all.iter().all(|text| !text.contains(secret.trim())));
        }
    }

    /// Nothing in any text makes it fail, and what is clean stays so.
    #[test]
    fn any_text_can_be_redacted(text in "(?s).{0,200}", limit in 0usize..200) {
        let redactor = knowing(&["abcdefgh1"]);
        let clean = redactor.redact(&text).into_owned();
        prop_assert!(!clean.contains("abcdefgh1"));
        let (start, left) = redactor.redact_start(&text, limit);
        prop_assert!(left <= text.len());
        prop_assert!(left == 0 || !start.is_empty() || limit < 4);
    }
}
