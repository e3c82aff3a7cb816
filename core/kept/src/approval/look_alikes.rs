//! What a card shows and nobody sees: letters of one alphabet that look like those of another, and lines that change only in such
//! characters (S2.8). Which look alike is Unicode's list (UTS 39, confusables).

use std::collections::{HashMap, HashSet};

use mayi_call::{Access, Call, Diff};
use serde_json::Value;
use unicode_security::{MixedScript as _, is_potential_mixed_script_confusable_char, skeleton};

/// As many bytes of one call are looked through; a person reads fewer.
const MAX_BYTES: usize = 256 * 1024;

/// As many are said: one is enough to look closer.
const MAX_NOTES: usize = 4;

/// For each such place, what is not seen there, as it goes on after "not shown:".
pub(super) fn look_alike_notes(call: &Call) -> Vec<String> {
    let mut notes = Vec::new();
    let mut add = |note: String| {
        if notes.len() < MAX_NOTES && !notes.contains(&note) {
            notes.push(note);
        }
    };
    let mut left = MAX_BYTES;
    let mut within = |text: &str| {
        left = left.saturating_sub(text.len());
        left > 0
    };
    for text in named_texts(call).iter().filter(|text| !text.is_ascii() && within(text)) {
        words(text).filter_map(|word| word_note(word, true)).for_each(&mut add);
    }
    for diff in call.diffs.iter().filter(|diff| within(&diff.new_text)) {
        changed_lines_notes(diff).into_iter().for_each(&mut add);
    }
    notes
}

/// What the call names, where a whole word in another alphabet is as odd as a single letter.
fn named_texts(call: &Call) -> Vec<String> {
    let mut texts: Vec<String> = call.accesses.iter().map(Access::object).collect();
    texts.extend(call.env.values().cloned());
    if call.accesses.iter().any(|access| matches!(access, Access::Mcp(_))) {
        add_strings(&call.raw_input, &mut texts);
    }
    texts
}

fn add_strings(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| add_strings(item, texts)),
        Value::Object(members) => members.values().for_each(|member| add_strings(member, texts)),
        _ => {}
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_ascii())
}

/// What is not seen of a word: a letter that looks like an ASCII one beside real ones. Where a `name` is expected, also a word of
/// nothing but such letters, or a Latin one that is no ASCII one: in prose, languages have these.
fn word_note(word: &str, name: bool) -> Option<String> {
    let looks = |c: char| {
        let looks: String = skeleton(c.encode_utf8(&mut [0; 4])).collect();
        let other = is_potential_mixed_script_confusable_char(c) && looks.is_ascii();
        other.then_some((c, looks))
    };
    let mut other_letters = word.chars().filter(|c| !c.is_ascii());
    let (c, like) = other_letters.clone().find_map(looks)?;
    let beside_ascii = word.contains(|c: char| c.is_ascii_alphabetic());
    let only_such = name && word.chars().nth(1).is_some() && other_letters.all(|c| looks(c).is_some());
    let mixed = beside_ascii && (name || !word.is_single_script());
    (mixed || only_such).then(|| format!("that U+{:04X} in `{word}` only looks like `{like}`", u32::from(c)))
}

/// The same for the lines that a diff brings, and the lines that it changes without any change to be seen.
fn changed_lines_notes(diff: &Diff) -> Vec<String> {
    let old = diff.old_text.as_deref().unwrap_or_default();
    if old.is_ascii() && diff.new_text.is_ascii() {
        return Vec::new();
    }
    let (old, new): (HashSet<&str>, HashSet<&str>) = (old.lines().collect(), diff.new_text.lines().collect());
    let gone: HashMap<String, &str> = old
        .iter()
        .filter(|line| !new.contains(*line))
        .map(|line| (skeleton(line).collect(), *line))
        .collect();
    let mut notes = Vec::new();
    for line in diff.new_text.lines().filter(|line| !old.contains(line)) {
        notes.extend(words(line).filter_map(|word| word_note(word, false)));
        let Some(before) = gone.get(&skeleton(line).collect::<String>()) else { continue };
        let differing = before.chars().zip(line.chars()).find(|(was, is)| was != is);
        // What changes among ASCII characters looks alike to nobody who reads code.
        if let Some((was, is)) = differing.filter(|(was, is)| !(was.is_ascii() && is.is_ascii())) {
            notes.push(format!(
                "that a line of {} changes only in characters that look alike: U+{:04X} in place of U+{:04X}",
                diff.path,
                u32::from(is),
                u32::from(was),
            ));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(word: &str) -> Option<String> {
        word_note(word, true)
    }

    fn prose(word: &str) -> Option<String> {
        word_note(word, false)
    }

    /// Attack 618: `gіthub` with a Cyrillic letter reads as `github`.
    #[test]
    fn given_a_letter_that_looks_like_another_then_it_is_said() {
        assert_eq!(note("g\u{456}thub").unwrap(), "that U+0456 in `g\u{456}thub` only looks like `i`");
        assert!(note("\u{440}\u{430}\u{443}\u{440}\u{430}l").is_some());
        assert!(prose("g\u{456}thub").is_some() && note("g\u{131}thub").is_some());
        // A name of nothing but letters of another alphabet that look like ours.
        assert!(note("\u{440}\u{430}\u{435}").is_some());
    }

    /// Words as people write them in their own languages say nothing of the kind.
    #[test]
    fn given_words_of_any_language_then_nothing_is_said() {
        let text = "grüße naïve Привет сервера Ελλάδα 日本語 Tシャツ 서울 sınıf Ångström 10µs kΩ Δt señor 北京v2 résumé2";
        for word in words(text) {
            assert_eq!(prose(word), None, "{word}");
            assert!(note(word).is_none() || word == "sınıf", "{word}");
        }
    }

    /// Attack 618: a line that changes only in what looks alike.
    #[test]
    fn given_a_change_of_look_alikes_alone_then_it_is_said() {
        let diff = |old: &str, new: &str| Diff {
            path: "a.rs".into(),
            old_text: Some(old.into()),
            new_text: new.into(),
        };
        let changed = |old, new| changed_lines_notes(&diff(old, new));
        let notes = changed("let a = 1;\nlet b = 2;\n", "let \u{430} = 1;\nlet b = 2;\n");
        assert_eq!(
            notes,
            ["that a line of a.rs changes only in characters that look alike: U+0430 in place of U+0061"]
        );
        assert_eq!(changed("a b\n", "a\u{a0}b\n").len(), 1);
        assert!(changed("let l = 1;\n", "let I = 1;\n").is_empty(), "both are there to be read");
        assert!(changed("grüße\n", "grüsse\n").is_empty());
        assert!(changed("// Привет\n", "// Привет!\n").is_empty());
    }
}
