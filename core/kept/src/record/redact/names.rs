//! Names that say secret: of variables, and of members of objects.

use super::table::{self, WordSet};

/// Whole names, or whole parts of one between separators, that say it too.
const SAYS_WHOLE: &[&str] = &[
    "auth", "pass", "pwd", "pin", "otp", "cookie", "cookies", "bearer", "jwt", "pat", "cred", "creds", "psk",
];

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

/// Last words of names that say where a secret is, or what is with it, and not which it is.
const SAYS_ABOUT: &[&str] = &[
    "algorithm",
    "arn",
    "class",
    "count",
    "dir",
    "directory",
    "enabled",
    "endpoint",
    "exists",
    "expires",
    "expiry",
    "field",
    "file",
    "filename",
    "folder",
    "format",
    "header",
    "hint",
    "index",
    "issuer",
    "label",
    "length",
    "limit",
    "lifetime",
    "manager",
    "method",
    "mode",
    "name",
    "names",
    "namespace",
    "path",
    "placeholder",
    "policy",
    "prompt",
    "provider",
    "ref",
    "required",
    "rotation",
    "schema",
    "status",
    "store",
    "strategy",
    "ttl",
    "type",
    "validator",
    "version",
];

/// Before these words an option does something with a secret, or counts what it is called by, and takes none.
const TAKES_NONE: &[&str] = &[
    "ask", "clear", "delete", "generate", "list", "max", "min", "no", "num", "print", "prompt", "read",
    "require", "reset", "revoke", "save", "show", "skip", "store", "total", "with", "without",
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
    if says_about(name) {
        return false;
    }
    if has_secret_word(folded) {
        return !SAYS_OTHER.iter().any(|word| folded.windows(word.len()).any(|part| part == word.as_bytes()));
    }
    let whole = |part: &[u8]| SAYS_WHOLE.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes()));
    let ends = |words: &[&str]| words.iter().any(|word| folded.ends_with(word.as_bytes()));
    (ends(SAYS_AT_END) && !ends(ENDS_OTHERWISE))
        || whole(folded)
        || name.as_bytes().split(|b| !b.is_ascii_alphanumeric()).any(whole)
}

/// Whether the last of several words in a name says that it is about a secret, and none: `secret_name`, `tokenType`.
fn says_about(name: &str) -> bool {
    let separated = name.rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    let last = name.get(separated..).unwrap_or_default();
    let hump = last
        .rfind(|c: char| c.is_ascii_uppercase())
        .filter(|_| last.contains(|c: char| c.is_ascii_lowercase()));
    let word = last.get(hump.unwrap_or(0)..).unwrap_or_default();
    word.len() < name.len() && SAYS_ABOUT.iter().any(|about| word.eq_ignore_ascii_case(about))
}

/// Whether an option by this name takes a secret: `--password`, and not `--no-password`.
pub(super) fn takes_secret(option: &str) -> bool {
    let mut words = option.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    words.next().is_none() || !TAKES_NONE.iter().any(|word| first.eq_ignore_ascii_case(word))
}

fn has_secret_word(folded: &[u8]) -> bool {
    static WORDS: WordSet = WordSet::new(table::SAYS);
    WORDS.any_in(folded)
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
    // Types of it.
    "boolean",
    "bytes",
    "read",
    "write",
    "number",
    "object",
    "string",
    "varchar",
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
pub(super) fn is_path(value: &str) -> bool {
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

/// Beginnings of what leads to a secret and is none: members of a program's environment, names in stores of secrets.
const LEADS: &[&str] = &[
    "@microsoft.keyvault",
    "args.",
    "arn:aws",
    "config.",
    "ctx.",
    "data.",
    "deno.env",
    "env.",
    "env:",
    "env[",
    "event.",
    "file:",
    "import.meta.env",
    "local.",
    "module.",
    "op://",
    "options.",
    "opts.",
    "os.environ",
    "os.getenv",
    "params.",
    "process.env",
    "props.",
    "req.",
    "request.",
    "secrets.",
    "self.",
    "settings.",
    "std::env",
    "system.getenv",
    "this.",
    "var.",
    "vars.",
    "vault:",
];

/// What people write in place of a secret.
const PLACEHOLDERS: &[&str] = &[
    "change-me",
    "change_me",
    "changeit",
    "changeme",
    "example",
    "false",
    "insert",
    "nil",
    "none",
    "null",
    "placeholder",
    "redacted",
    "replace-me",
    "replace_me",
    "replaceme",
    "tbd",
    "todo",
    "true",
    "undefined",
];

/// What only stands for a secret: `$TOKEN`, `${TOKEN}`, `<token>`, `****`, `process.env.TOKEN`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'', '`', '\\']);
    let first = value.chars().next();
    is_variable_reference(value)
        || (value.starts_with('<') && value.ends_with('>'))
        || (value.starts_with("{{") && value.ends_with("}}"))
        || (value.starts_with('[') && value.ends_with(']'))
        || value.starts_with('«')
        || (matches!(first, Some('*' | '.' | 'x' | 'X' | '-' | '_' | '$' | '?' | '#'))
            && value.chars().all(|c| Some(c) == first))
        || value.starts_with("%s")
        || starts_with_any(value, LEADS)
        || PLACEHOLDERS.iter().any(|word| value.eq_ignore_ascii_case(word))
        || (starts_with_any(value, &["your"]) && matches!(value.as_bytes().get(4), Some(b'-' | b'_' | b' ')))
}

/// `$TOKEN`, `${TOKEN}`, `$(pass show x)`, `%TOKEN%`, `$1`, `$token`.
fn is_variable_reference(value: &str) -> bool {
    let name = |name: &str| {
        let letters = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        !name.is_empty() && (name.bytes().all(letters) || is_lower_name(name))
    };
    let between = value.strip_prefix('%').and_then(|rest| rest.strip_suffix('%'));
    value.strip_prefix('$').is_some_and(|rest| {
        name(rest)
            || rest.starts_with(['{', '('])
            || starts_with_any(rest, &["env:"])
            || matches!(rest, "@" | "*" | "?")
    }) || between.is_some_and(name)
}

/// A variable in small letters, where its name says what it holds.
fn is_lower_name(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && says_secret(name)
}

fn starts_with_any(value: &str, with: &[&str]) -> bool {
    with.iter().any(|begin| value.get(..begin.len()).is_some_and(|start| start.eq_ignore_ascii_case(begin)))
}

/// Letters and digits.
pub(super) fn has_letters_and_digits(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Capital and small letters, and digits, as nobody writes them. Of a long text it is enough that they change often:
/// more so than in a name of several words.
pub(super) fn looks_random(value: &str) -> bool {
    const LONG: usize = 16;
    let often = value.len() >= LONG && count_kind_changes(value) * 100 >= value.len() * 48;
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    of_both_cases(value) && (often || digits > 1)
}

/// Capital and small letters, and digits, that change as often as they do by chance (62 of 100 times), which those of names
/// never do: `getBase64EncodedStringFromUtf8` comes to 40.
pub(super) fn looks_scattered(value: &str) -> bool {
    of_both_cases(value)
        && value.bytes().any(|b| b.is_ascii_digit())
        && !value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'x')
        && count_kind_changes(value) * 100 >= value.len() * 45
}

fn of_both_cases(value: &str) -> bool {
    let count = |is: fn(&u8) -> bool| value.as_bytes().iter().filter(|b| is(b)).count();
    count(u8::is_ascii_uppercase) > 1 && count(u8::is_ascii_lowercase) > 1
}

/// So often a letter or digit of another kind follows.
fn count_kind_changes(value: &str) -> usize {
    let kind = |b: &u8| (b.is_ascii_uppercase(), b.is_ascii_lowercase());
    value.as_bytes().windows(2).filter(|two| two.first().map(kind) != two.last().map(kind)).count()
}

/// Whether it could be a secret: no path, address or version, and no name in a program.
pub(super) fn could_be(value: &str) -> bool {
    let version = value.strip_prefix('v').unwrap_or(value);
    let version = version.contains('.') && version.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let path = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'/' | b'.' | b'_' | b'-');
    let below = value.contains('/') && value.bytes().all(path);
    !(is_path(value) || is_plain_address(value) || value.contains("::") || version || below)
}

/// Whether it is the name of a host, with its port: what a command reaches stays in sight.
pub(super) fn is_host(value: &str) -> bool {
    let name = value.split_once(':').map_or(value, |(name, _)| name);
    let label = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.');
    let top = name.rsplit_once('.').map(|(_, top)| top).unwrap_or_default();
    let number = name.contains('.') && name.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    number || (top.len() > 1 && top.bytes().all(|b| b.is_ascii_lowercase()) && name.bytes().all(label))
}

/// Whether a number by this name is a secret, too.
pub(super) fn says_number(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["pass", "pin", "otp", "secret", "code"].iter().any(|word| name.contains(word))
}
