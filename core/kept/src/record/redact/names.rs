//! Names that say secret: of variables, and of members of objects.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Texts in a name, without separators and in lower case, that say secret.
const SAYS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pgpass",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "accountkey",
    "authkey",
    "deploykey",
    "masterkey",
    "credential",
    "authorization",
    "setcookie",
    "webhookurl",
    "connectionstring",
];

/// Whole names, or whole parts of one between separators, that say it too.
const SAYS_WHOLE: &[&str] =
    &["auth", "pass", "pwd", "pin", "otp", "cookie", "cookies", "bearer", "jwt", "pat", "creds"];

/// Ends of names that say it.
const SAYS_AT_END: &[&str] = &["pass", "pwd"];

/// Words with such an end that do not.
const ENDS_OTHERWISE: &[&str] = &[
    "bypass",
    "bypassed",
    "compass",
    "encompass",
    "multipass",
    "onepass",
    "overpass",
    "renderpass",
    "singlepass",
    "subpass",
    "surpass",
    "trespass",
    "twopass",
    "underpass",
];

/// Texts in names that hold one of those words and say something else.
const SAYS_OTHER: &[&str] = &[
    "tokeniz",
    "tokencount",
    "tokenlimit",
    "tokentype",
    "tokenusage",
    "maxtoken",
    "mintoken",
    "numtoken",
    "inputtoken",
    "outputtoken",
    "totaltoken",
    "secretary",
    "setcredential",
    "passwordfile",
    "tokenfile",
    "credentialsfile",
];

/// Names of folders that hold `pwd`.
const FOLDERS: &[&str] = &["pwd", "oldpwd", "initpwd", "initcwd"];

/// Whether a variable by this name holds a folder.
pub(super) fn says_folder(name: &str) -> bool {
    let name = name.trim_start_matches('_').replace('_', "");
    FOLDERS.iter().any(|folder| name.eq_ignore_ascii_case(folder))
}

/// Whether what goes by this name is secret.
pub(super) fn says_secret(name: &str) -> bool {
    // Long names are not names.
    if name.len() > 128 {
        return false;
    }
    // Every member of every entry comes by here.
    let mut folded = [0u8; 128];
    let mut len = 0;
    let letters = name.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase());
    for (place, byte) in folded.iter_mut().zip(letters) {
        *place = byte;
        len += 1;
    }
    let folded = folded.get(..len).unwrap_or_default();
    if says(folded) {
        return !SAYS_OTHER.iter().any(|word| folded.windows(word.len()).any(|part| part == word.as_bytes()));
    }
    let whole = |part: &[u8]| SAYS_WHOLE.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes()));
    let ends = |words: &[&str]| words.iter().any(|word| folded.ends_with(word.as_bytes()));
    (ends(SAYS_AT_END) && !ends(ENDS_OTHERWISE))
        || whole(folded)
        || name.as_bytes().split(|b| !b.is_ascii_alphanumeric()).any(whole)
}

fn says(folded: &[u8]) -> bool {
    static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let builder = &mut AhoCorasick::builder();
        builder.kind(Some(aho_corasick::AhoCorasickKind::DFA)).build(SAYS).ok()
    });
    match &*WORDS {
        Some(words) => words.is_match(folded),
        None => SAYS.iter().any(|word| folded.windows(word.len()).any(|part| part == word.as_bytes())),
    }
}

/// Values of variables that are no secrets though their names say so.
const WORDS: &[&str] = &[
    "anonymous",
    "basic",
    "bearer",
    "false",
    "inherit",
    "none",
    "null",
    "oauth",
    "off",
    "true",
    "yes",
    "changeme",
    "credentials",
    "development",
    "disabled",
    "gnome-keyring",
    "keychain",
    "kwallet5",
    "libsecret",
    "localhost",
    "optional",
    "osxkeychain",
    "password",
    "production",
    "required",
    "undefined",
    "username",
];

/// Whether a variable holds a secret, by its name and by what the value could be.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    says_secret(name)
        && !says_folder(name)
        && !is_path(value)
        && !is_plain_address(value)
        && !is_word(name, value)
}

/// Whether it is a path, or a list of them. What is base64 may begin with a slash and hold more of them: it
/// has digits, small and capital letters, and most often `+` or `=`.
fn is_path(value: &str) -> bool {
    let drive = |part: &str| part.as_bytes().get(1..3).is_some_and(|two| two == b":\\" || two == b":/");
    let rooted =
        |part: &str| ["/", "~/", "./", "../"].iter().any(|root| part.starts_with(root)) || drive(part);
    if drive(value) || ["~/", "./", "../"].iter().any(|root| value.starts_with(root)) {
        return true;
    }
    let mut parts = value.split([':', ';']).filter(|part| !part.is_empty());
    value.starts_with('/') && parts.all(rooted) && !looks_encoded(value)
}

/// Whether a text that begins with a slash is rather base64 than a path.
fn looks_encoded(value: &str) -> bool {
    let digits = value.trim_end_matches('=');
    let encoded = digits.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'));
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    // A path has another slash behind the first, and names of one kind of letter.
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let marked = value.contains(['+', '=']);
    encoded && value.len() >= 24 && (marked || mixed || !digits.get(1..).unwrap_or_default().contains('/'))
}

fn is_plain_address(value: &str) -> bool {
    value.contains("://") && !value.contains(['@', '?', ' '])
}

fn is_word(name: &str, value: &str) -> bool {
    let number = value.bytes().all(|b| b.is_ascii_digit()) && value.len() < 12;
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
        || (number && (value.len() < 4 || !name.contains("pass")))
}

/// What only stands for a secret: `$TOKEN`, `${TOKEN}`, `<token>`, `****`.
pub(super) fn stands_for(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']);
    let name = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    let first = value.chars().next();
    value.strip_prefix('$').is_some_and(|rest| name(rest) || rest.starts_with(['{', '(']))
        || (value.starts_with('<') && value.ends_with('>'))
        || (value.starts_with("{{") && value.ends_with("}}"))
        || value.starts_with('«')
        || (matches!(first, Some('*' | '.' | 'x' | 'X')) && value.chars().all(|c| Some(c) == first))
}

/// Whether a number by this name is a secret, too.
pub(super) fn says_number(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["pass", "pin", "otp", "secret", "code"].iter().any(|word| name.contains(word))
}
