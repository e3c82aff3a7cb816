//! What secrets look like that mayi was never told: well-known forms, as data.
//!
//! A form is looked for only where one of its marks stands in the text. In a pattern `\b` is about ASCII
//! alone, `{value}` is one value, quoted or not, `{word}` is a name that says secret, and what stands in a
//! group is the secret; without one it is all of the match.

/// One form of secret.
pub(super) struct Form {
    /// What it is called in the mark that replaces it.
    pub(super) name: &'static str,
    /// Lower-case text, one of which stands in every match, in any case.
    pub(super) marks: &'static [&'static str],
    /// The pattern.
    pub(super) pattern: &'static str,
    /// How it is told from what only looks like it.
    pub(super) only: Only,
}

/// What a match must be besides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Only {
    /// Nothing: the form is sure.
    Any,
    /// Letters and digits: words joined by hyphens are none.
    Mixed,
    /// Not the place of a secret: `$TOKEN`, `<token>`, `****`.
    Given,
    /// What the first group names is secret by that name, and the value could be.
    Named,
    /// As [`Self::Given`], and made of pairs that a shell would only set variables by: it ends where it ends.
    Pairs,
    /// The key that stands behind it.
    Behind,
}

const fn sure(name: &'static str, marks: &'static [&'static str], pattern: &'static str) -> Form {
    Form { name, marks, pattern, only: Only::Any }
}

const fn mixed(name: &'static str, marks: &'static [&'static str], pattern: &'static str) -> Form {
    Form { name, marks, pattern, only: Only::Mixed }
}

const fn given(name: &'static str, marks: &'static [&'static str], pattern: &'static str) -> Form {
    Form { name, marks, pattern, only: Only::Given }
}

const fn named(name: &'static str, marks: &'static [&'static str], pattern: &'static str) -> Form {
    Form { name, marks, pattern, only: Only::Named }
}

const fn pairs(name: &'static str, marks: &'static [&'static str], pattern: &'static str) -> Form {
    Form { name, marks, pattern, only: Only::Pairs }
}

/// Cookies: `a=b; c=d`, and none of what would run something.
pub(super) const PAIRS: &str =
    r#"[\w!#%*.^~+-]{1,80}=[^\s"'`;|&<>()$\\]+(?:;[ ]?[\w!#%*.^~+-]{1,80}=[^\s"'`;|&<>()$\\]+)*"#;

/// A value: in quotes, or up to where a shell's word ends.
pub(super) const VALUE: &str =
    r#"(?:"((?:[^"\\\n]|\\.)+)"|\$?'([^'\n]+)'|\\"([^"\n]+?)\\"|((?:[^\s"'\\;|&<>(),]|\\[^\n])+))"#;

/// A name that says secret, at its end.
pub(super) const WORD: &str = r"(?:password|passwd|passphrase|pgpass|secret|token|api[_.-]?key|access[_.-]?key|private[_.-]?key|secret[_.-]?key|signing[_.-]?key|encryption[_.-]?key|account[_.-]?key|auth[_.-]?key|credentials?)";

/// What may stand in a command before an option of it.
pub(super) const REST: &str = r#"(?:[^|;&\n"']|"[^"\n]*"|'[^'\n]*')*?"#;

/// The marks of [`WORD`], and of other names that say secret.
const NAMED: &[&str] = &[
    "pass",
    "secret",
    "token",
    "key",
    "credential",
    "creds",
    "auth",
    "cookie",
    "bearer",
    "jwt",
    "pwd",
    "otp=",
    "otp:",
    "otp\"",
    "otp\\",
    "--otp",
    "pin=",
    "pin:",
    "pin\"",
    "pin\\",
    "--pin",
    "pat=",
    "pat:",
    "pat\"",
    "pat\\",
    "-pat",
];

/// All forms; at most 64.
pub(super) const FORMS: &[Form] = &[
    // Clouds.
    sure("aws key", &["akia", "asia", "abia", "acca"], r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    sure("google key", &["aiza"], r"\bAIza[0-9A-Za-z_-]{35}"),
    sure("google token", &["ya29."], r"\bya29\.[0-9A-Za-z_-]{20,}"),
    sure("google client secret", &["gocspx-"], r"\bGOCSPX-[0-9A-Za-z_-]{20,}"),
    sure("digitalocean token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"\bdo[opr]_v1_[a-f0-9]{64}"),
    sure("azure signature", &["sig="], r"[?&;]sig=([A-Za-z0-9%/+=_-]{20,})"),
    // Forges and registries.
    sure("github token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    sure("github token", &["github_pat_"], r"\bgithub_pat_[A-Za-z0-9_]{20,}"),
    sure(
        "gitlab token",
        &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-"],
        r"\bgl(?:pat|dt|rt|ptt|cbt|ft|soat|imt|agent|oas)-[A-Za-z0-9_.-]{20,}",
    ),
    sure("npm token", &["npm_"], r"\bnpm_[A-Za-z0-9]{30,}"),
    sure("pypi token", &["pypi-age"], r"\bpypi-AgE[A-Za-z0-9_-]{16,}"),
    sure("rubygems key", &["rubygems_"], r"\brubygems_[a-f0-9]{40,}"),
    sure("docker token", &["dckr_pat_"], r"\bdckr_pat_[A-Za-z0-9_-]{20,}"),
    // Models.
    mixed("api key", &["sk-"], r"\bsk-[A-Za-z0-9][A-Za-z0-9_-]{18,}"),
    sure("hugging face token", &["hf_"], r"\bhf_[A-Za-z0-9]{30,}"),
    mixed("api key", &["xai-", "gsk_", "pplx-", "tvly-"], r"\b(?:xai-|gsk_|pplx-|tvly-)[A-Za-z0-9_-]{20,}"),
    // Messages, mail, money.
    sure("slack token", &["xox", "xapp-"], r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}"),
    sure(
        "slack hook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9+/_-]{16,})",
    ),
    sure("discord hook", &["/api/webhooks/"], r"/api/webhooks/\d{10,}/([A-Za-z0-9_-]{30,})"),
    sure("sendgrid key", &["sg."], r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    sure(
        "stripe key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        r"\b(?:[sr]k_(?:live|test)|whsec)_[0-9A-Za-z]{10,}",
    ),
    sure("shopify token", &["shpat_", "shpss_", "shpca_", "shppa_"], r"\bshp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}"),
    // Anything else with a form of its own.
    sure("vault token", &["hvs.", "hvb."], r"\bhv[sb]\.[A-Za-z0-9_-]{20,}"),
    sure("tailscale key", &["tskey-"], r"\btskey-[A-Za-z0-9-]{16,}"),
    sure("age key", &["age-secret-key-"], r"(?i)\bAGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    sure("json web token", &["eyj"], r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]+)?"),
    Form {
        name: "private key",
        marks: &["private key"],
        pattern: r"-----BEGIN (?:[A-Z0-9 ]{1,24} )?PRIVATE KEY(?: BLOCK)?-----",
        only: Only::Behind,
    },
    // By where it stands.
    given(
        "authorization",
        &["authorization"],
        r#"(?i)\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest|negotiate|apikey|bot)\s+)?([^\s"',;]{4,})"#,
    ),
    mixed("bearer token", &["bearer"], r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{12,})"),
    pairs("cookie", &["cookie"], r#"(?i)\b(?:set-)?cookie["']?:\s*["']?({pairs})"#),
    given(
        "header",
        &["-key:", "apikey:", "-token:", "-secret:", "auth"],
        r#"(?i)\b(?:x-[a-z0-9-]{0,30}auth[a-z0-9-]{0,20}|[a-z0-9-]{0,40}(?:api-?key|-token|-secret|access-?key)):\s*([^\s"']{6,})"#,
    ),
    given(
        "password in an address",
        &["://"],
        r#"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@"'<>]{0,100}:([^\s/"'<>]{1,200})@"#,
    ),
    given(
        "token in an address",
        &["://"],
        r#"(?i)\bhttps?://([^\s/:@"'<>?#]{8,200})(?::(?:x-oauth-basic)?)?@"#,
    ),
    given(
        "parameter of an address",
        &["token=", "key=", "secret=", "password=", "signature=", "passwd=", "credential=", "auth="],
        r#"(?i)[?&;](?:[a-z0-9]{1,20}[_.-])?(?:(?:access|id|auth|refresh|session)?_?-?token|auth|api_?-?key|(?:client)?_?secret|password|passwd|(?:x-amz-)?signature|x-amz-credential|key)=([^\s&"'#;]+)"#,
    ),
    // By their names.
    given(
        "option",
        NAMED,
        r#"(?i)(?:^|[\s"'=(])(?:--?(?:[a-z0-9]{1,20}[_-]){0,3}{word}|--(?:[a-z0-9]{1,20}[_-]){0,3}(?:pass|pwd|pin|otp|pat|jwt|creds))(?:=|\s+){value}"#,
    ),
    named("assignment", NAMED, r"(?:^|[^A-Za-z0-9_-])([A-Za-z_][A-Za-z0-9_]*)\+?={value}"),
    given("assignment", NAMED, r#"(?i){word}(?:_id|_[0-9]{1,3})?={value}"#),
    named(
        "setting",
        NAMED,
        r#"(?:^|[^A-Za-z0-9_.-])([A-Za-z_][A-Za-z0-9_.-]*)\\?["']\s{0,4}[:,]\s{0,4}\\?["']([^"'\n\\]{4,})\\?["']"#,
    ),
    given("setting", NAMED, r#"(?i){word}\\?["']\s{0,4}[:,]\s{0,4}\\?["']([^"'\n\\]{4,})\\?["']"#),
    given("setting", NAMED, r#"(?i){word}\s{0,4}(?::|=|:=|=>)\s{0,4}["']([^"'\n]{6,})["']"#),
    named(
        "setting",
        NAMED,
        r#"(?m)^\s{0,40}(?:-\s)?([A-Za-z_][A-Za-z0-9_.-]*)\s{0,4}:\s{1,4}(?:"([^"\n]{4,})"|'([^'\n]{4,})'|([^\s"'(){}\[\],;<>]{4,}))\s*$"#,
    ),
    mixed(
        "setting",
        NAMED,
        r#"(?im)^\s{0,40}[\w.-]{0,40}{word}\s{0,4}[:=]\s{0,4}([^\s"'(){}\[\],;<>]{6,})\s*$"#,
    ),
    named(
        "setting",
        &["config"],
        r#"(?i)\bconfig(?:ure)?\b{rest}\s["']?([A-Za-z0-9_./:@-]*(?:{word}|pass|pwd))["']?\s+{value}"#,
    ),
    given("password", &["pwd="], r#"(?i);\s{0,4}pwd=([^;"'\n/.~$\s][^;"'\n]*)"#),
    // By the place in a command.
    given("password", &["mysql", "mariadb"], r#"\b(?:mysql|mariadb)[a-z]{0,8}\b{rest}\s["']?-p{value}"#),
    given("password", &["sshpass"], r#"\bsshpass\s+["']?-p\s*{value}"#),
    given("password", &["redis-cli"], r#"\bredis-cli\b{rest}\s["']?-a\s*{value}"#),
    given("password", &["sqlcmd", "bcp"], r#"\b(?:sqlcmd|bcp)\b{rest}\s["']?-P\s*{value}"#),
    given("password", &["zip"], r#"\b(?:zip|unzip|zipcloak)\b{rest}\s["']?-P\s*{value}"#),
    given("password", &["ssh-keygen"], r#"\bssh-keygen\b{rest}\s["']?-[NP]\s*{value}"#),
    given("password", &["openssl"], r#"\bopenssl\b{rest}\s(?:["']?-k\s+|["']?pass:){value}"#),
    given(
        "password",
        &["htpasswd"],
        r#"\bhtpasswd\s+(?:-[A-Za-z]+\s+){0,4}-[A-Za-z]*b[A-Za-z]*\s+(?:-[A-Za-z]+\s+){0,4}(?:[^\s;|&]+\s+){1,2}?{value}\s*(?:$|[\n;|&>)"'])"#,
    ),
    given("password", &["from-literal"], r#"--from-literal(?:=|\s+)["']?[A-Za-z0-9_.-]+={value}"#),
    given(
        "token",
        &["vault"],
        r#"\bvault\s+login\s+(?:["']?-[^\s]+\s+){0,4}["']?([^\s"'=-][^\s"'=]{5,})(?:$|[\s"'),])"#,
    ),
    given(
        "password",
        &["login", "twine"],
        r#"\b(?:(?:docker|podman|helm|az|oc|nerdctl)\s{rest}\blogin|twine)\b{rest}\s["']?-p(?:=|\s+)?{value}"#,
    ),
    given(
        "password",
        &["curl"],
        r#"\bcurl\b{rest}\s["']?(?:-u|-U|--user|--proxy-user)(?:=|\s+)?(?:'[^\s:'"]{1,60}:([^'\n]+)'|"[^\s:'"]{1,60}:([^"\n]+)"|[^\s:'"]{1,60}:([^\s'"]+))"#,
    ),
    given(
        "password",
        &["http"],
        r#"\b(?:https?|xhs?)\s{rest}\s?["']?(?:-a|--auth)(?:=|\s+)["']?[^\s:'"]{1,60}:([^\s'"/][^\s'"]*)"#,
    ),
    pairs("cookie", &["curl"], r#"\bcurl\b{rest}\s["']?(?:-b|--cookie)(?:=|\s+)?["']?({pairs})"#),
    given("password", &["machine"], r#"(?i)\bmachine\s+\S{1,100}\s+login\s+\S{1,100}\s+password\s+(\S+)"#),
    given("password", &["identified by"], r#"(?i)\bidentified\s+by\s+(?:password\s+)?\\?["']([^"'\n]+)["']"#),
];
