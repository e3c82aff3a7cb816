//! The corpus of secrets: templates, and what is made of them.

use std::path::Path;

use mayi_tests::random::Random;

/// A text of the corpus with the secrets that were made for it.
pub(crate) struct Made {
    /// Its file and its name there.
    pub(crate) name: String,
    pub(crate) text: String,
    /// What must be gone.
    pub(crate) secrets: Vec<String>,
}

const DIGITS: &str = "0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";

/// The texts of `file` in `tests/corpus/secrets`.
pub(crate) fn texts(file: &str, random: &mut Random) -> Vec<Made> {
    let value = read(file);
    let table = value[file].as_table().unwrap();
    table.iter().map(|(name, text)| made(format!("{file}/{name}"), text.as_str().unwrap(), random)).collect()
}

/// Those that hold no secret.
pub(crate) fn harmless(random: &mut Random) -> Vec<Made> {
    let value = read("harmless");
    let list = value["harmless"].as_array().unwrap();
    list.iter().map(|text| made("harmless".to_owned(), text.as_str().unwrap(), random)).collect()
}

fn read(file: &str) -> toml::Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/secrets").join(format!("{file}.toml"));
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Fills in what stands in braces; two of them are one.
fn made(name: String, template: &str, random: &mut Random) -> Made {
    let (mut text, mut all, mut starred) = (String::new(), Vec::new(), Vec::new());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            text.push_str(&rest[..1]);
            rest = &rest[2..];
            continue;
        }
        let end = rest.find('}').unwrap_or_else(|| panic!("{name}: a brace is open"));
        let spec = &rest[1..end];
        let value = value(spec.trim_start_matches('*'), random);
        text.push_str(&value);
        rest = &rest[end + 1..];
        if spec.starts_with('*') {
            starred.push(value);
        } else if value.len() >= 8 {
            all.push(value);
        }
    }
    text.push_str(rest);
    let mut secrets = if starred.is_empty() { all } else { starred };
    // Lines of a key are many; of all others only the first one is it.
    if !text.contains("-----BEGIN") {
        secrets.truncate(1);
    }
    Made { name, text, secrets }
}

fn value(spec: &str, random: &mut Random) -> String {
    let (kind, length) = spec.split_once(':').unwrap_or((spec, "0"));
    let length: usize = length.parse().unwrap();
    let from = |sets: &[&str], length: usize, random: &mut Random| -> String {
        let all: Vec<char> = sets.concat().chars().collect();
        // One of each kind, so that it is what it is called.
        let each = sets.iter().map(|set| set.chars().collect::<Vec<char>>());
        let mut out: Vec<char> = each.map(|set| set[random.below(set.len())]).take(length).collect();
        while out.len() < length {
            out.insert(random.below(out.len() + 1), all[random.below(all.len())]);
        }
        // A word may begin and end with letters and digits alone.
        let begins = |c: &char| c.is_ascii_alphanumeric();
        for at in [0, length.saturating_sub(1)] {
            if out.get(at).is_some_and(|c| !begins(c)) {
                out[at] = 'k';
            }
        }
        out.into_iter().collect()
    };
    match kind {
        "" => String::new(),
        "base62" => from(&[DIGITS, UPPER, LOWER], length, random),
        "url" | "base64url" => from(&[DIGITS, UPPER, LOWER, "_-"], length, random),
        "base64" => from(&[DIGITS, UPPER, LOWER, "+/"], length, random),
        "bcrypt" => from(&[DIGITS, UPPER, LOWER, "./"], length, random),
        "hex" => from(&[DIGITS, "abcdef"], length, random),
        "lower" => from(&[DIGITS, LOWER], length, random),
        "upper" => from(&[DIGITS, UPPER], length, random),
        "base32" => from(&["234567", UPPER], length, random),
        "bech32" => from(&["023456789", "ACDEFGHJKLMNPQRSTUVWXYZ"], length, random),
        "lowbech32" => from(&["023456789", "acdefghjklmnpqrstuvwxyz"], length, random),
        "base58" => {
            from(&["123456789", "ABCDEFGHJKLMNPQRSTUVWXYZ", "abcdefghijkmnopqrstuvwxyz"], length, random)
        }
        "digits" => from(&[DIGITS], length, random),
        // The fourth digit of a number that is written in base64.
        "digit0" => random.of(&["w", "x", "y", "z", "0", "3"]).to_owned(),
        "uuid" => {
            let parts = [8, 4, 4, 4, 12].map(|length| from(&[DIGITS, "abcdef"], length, random));
            parts.join("-")
        }
        "password" => from(&[DIGITS, UPPER, LOWER], 12, random),
        "token" => from(&[DIGITS, UPPER, LOWER], 24, random),
        "odd" => from(&[DIGITS, LOWER, "+@%:_,"], 14, random),
        other => panic!("{other} is not known"),
    }
}
