//! Numbers that readers of JSON take for different ones: written as texts, so that what is judged and shown has the digits that are
//! passed on.

use mayi_core::call::json;
use serde_json::Value;
use serde_json::value::RawValue;

use super::json_members::RawMembers;
use super::splice::{TextEdit, apply_edits};

/// Reads a text as every reader does, but for such numbers, which become texts. Whether there were any.
///
/// # Errors
/// Says what readers could disagree about besides.
pub(crate) fn parse_strict(text: &str) -> Result<(Value, bool), serde_json::Error> {
    match json::parse_strict(text) {
        Ok(value) => Ok((value, false)),
        Err(error) => match quote_unsafe_integers(text) {
            Some(quoted) => json::parse_strict(&quoted).map(|value| (value, true)),
            None => Err(error),
        },
    }
}

/// The same for the parameters of a question, where such numbers may stand in the input of its tool call, and in what says nothing of
/// the call (`_meta`). Whether there were any in the input.
///
/// # Errors
/// Says what readers could disagree about besides.
pub(crate) fn strict_but_input(params: &str) -> Result<(Value, bool), serde_json::Error> {
    let error = match strict_but_meta(params) {
        Ok(value) => return Ok((value, false)),
        Err(error) => error,
    };
    match with_input_quoted(params) {
        Some(quoted) => strict_but_meta(&quoted).map(|value| (value, true)),
        None => Err(error),
    }
}

/// Reads a text as every reader does, but for numbers in `_meta`, which become texts where readers disagree on them. A `_meta` in what
/// goes to a tool, or comes from it, is no such one.
///
/// # Errors
/// Says what readers could disagree about besides.
pub(crate) fn strict_but_meta(params: &str) -> Result<Value, serde_json::Error> {
    let error = match json::parse_strict(params) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut edits = Vec::new();
    quote_in_meta(params, params, DEEPEST, &mut edits);
    let quoted = if edits.is_empty() { None } else { apply_edits(params, edits) };
    quoted.map_or(Err(error), |quoted| json::parse_strict(&quoted))
}

/// So deep is looked for `_meta`: that of an option or a piece of content is four deep.
const DEEPEST: usize = 8;

/// Finds the numbers in each `_meta` of `value`, which is a piece of `text`.
fn quote_in_meta(text: &str, value: &str, depth: usize, edits: &mut Vec<TextEdit>) {
    if depth == 0 {
        return;
    }
    if value.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(value).unwrap_or_default();
        return items.iter().for_each(|item| quote_in_meta(text, item.get(), depth - 1, edits));
    }
    // One that names a member twice is refused for that.
    let Some(parts) =
        Some(value).filter(|value| value.starts_with('{')).and_then(|value| RawMembers::parse(value).ok())
    else {
        return;
    };
    for (name, value) in parts.iter() {
        match name {
            "_meta" => edits.extend(
                with_numbers_quoted(value, |_| true)
                    .and_then(|quoted| TextEdit::replace(text, value, quoted)),
            ),
            "rawInput" | "rawOutput" => {}
            _ => quote_in_meta(text, value, depth - 1, edits),
        }
    }
}

/// Reads what only tells: any number that readers disagree on becomes a text, and half of a pair of surrogates the sign for what
/// can't be shown. Whether there were any.
///
/// # Errors
/// Says what readers could disagree about besides.
pub(crate) fn parse_lenient(text: &str) -> Result<(Value, bool), serde_json::Error> {
    match json::parse_strict(text) {
        Ok(value) => Ok((value, false)),
        Err(error) => match with_numbers_quoted(&with_whole_pairs(text), |_| true) {
            Some(mended) => json::parse_strict(&mended).map(|value| (value, true)),
            None => json::parse_strict(&with_whole_pairs(text)).map(|value| (value, true)).map_err(|_| error),
        },
    }
}

/// The text with each escape of half a pair of surrogates replaced.
fn with_whole_pairs(text: &str) -> String {
    let (mut made, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        made.push_str(before);
        let half = |from: &str| {
            let digits = from.strip_prefix("\\u").and_then(|digits| digits.get(..4))?;
            u16::from_str_radix(digits, 16).ok()
        };
        let length = match half(from) {
            Some(0xd800..=0xdbff) => {
                let second = from.get(6..).and_then(half);
                if matches!(second, Some(0xdc00..=0xdfff)) { 12 } else { 0 }
            }
            Some(0xdc00..=0xdfff) => 0,
            Some(_) => 6,
            // Any other escape: what is behind the backslash begins none.
            None => 1 + from.chars().nth(1).map_or(0, char::len_utf8),
        };
        let taken = if length == 0 { 6 } else { length };
        made.push_str(if length == 0 { "\\ufffd" } else { from.get(..length).unwrap_or(from) });
        rest = from.get(taken..).unwrap_or_default();
    }
    made.push_str(rest);
    made
}

/// The places in which a question has the input of a tool call.
const PLACES: &[&[&str]] = &[&["toolCall", "rawInput"], &["subject", "toolCall", "rawInput"]];

fn with_input_quoted(params: &str) -> Option<String> {
    let mut edits = Vec::new();
    for place in PLACES {
        let mut at = Some(params);
        for name in *place {
            at = at
                .filter(|text| text.starts_with('{'))
                .and_then(|text| RawMembers::parse(text).ok()?.get(name));
        }
        if let Some((input, quoted)) = at.and_then(|input| Some((input, quote_unsafe_integers(input)?))) {
            edits.push(TextEdit::replace(params, input, quoted)?);
        }
    }
    if edits.is_empty() { None } else { apply_edits(params, edits) }
}

/// The text with each whole number that readers disagree on as a text; none, if it has none.
fn quote_unsafe_integers(text: &str) -> Option<String> {
    with_numbers_quoted(text, is_whole)
}

/// The text with each number that readers disagree on, and that is `of` those, as a text; none, if it has none.
fn with_numbers_quoted(text: &str, of: fn(&str) -> bool) -> Option<String> {
    let mut made = String::new();
    let mut from = 0;
    let mut bytes = text.bytes().enumerate().peekable();
    let (mut within, mut escaped) = (false, false);
    while let Some((at, byte)) = bytes.next() {
        if within {
            (within, escaped) = (escaped || byte != b'"', !escaped && byte == b'\\');
            continue;
        }
        within = byte == b'"';
        if byte != b'-' && !byte.is_ascii_digit() {
            continue;
        }
        let mut end = at + 1;
        while let Some((next, _)) = bytes
            .next_if(|(_, byte)| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'))
        {
            end = next + 1;
        }
        let number = text.get(at..end)?;
        let is_number = || serde_json::from_str::<serde::de::IgnoredAny>(number).is_ok();
        if of(number) && json::parse_strict(number).is_err() && is_number() {
            made.push_str(text.get(from..at)?);
            made.push('"');
            made.push_str(number);
            made.push('"');
            from = end;
        }
    }
    if from == 0 {
        return None;
    }
    made.push_str(text.get(from..)?);
    Some(made)
}

/// Whether it is a whole number as JSON writes one, without a point or an exponent.
fn is_whole(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn given_whole_numbers_that_readers_disagree_on_then_they_are_read_with_all_their_digits() {
        let text = r#"{"a":9007199254740993,"b":[-123456789012345678901234567890, 1,0.5],"c":"9007199254740993 \\\" 9007199254740993"}"#;
        let (value, some) = parse_strict(text).unwrap();
        assert!(some);
        assert_eq!(value["a"], "9007199254740993");
        assert_eq!(value["b"], json!(["-123456789012345678901234567890", 1, 0.5]));
        assert_eq!(value["c"], "9007199254740993 \\\" 9007199254740993");
        assert!(!parse_strict(r#"{"a":9007199254740991}"#).unwrap().1);
        for text in [r#"{"a":1e400}"#, r#"{"a":9007199254740993,"a":1}"#, "[01]", "[-]", "9e99"] {
            assert!(parse_strict(text).is_err(), "{text}");
        }
    }

    #[test]
    fn given_what_only_tells_then_it_is_read_whatever_numbers_and_halves_are_in_it() {
        for (text, read) in [
            (r#"{"a":1e400,"b":[9007199254740993]}"#, json!({"a": "1e400", "b": ["9007199254740993"]})),
            (
                r#"["cut \ud83d","\ude00","\ud83d\ude00","\\ud83d"]"#,
                json!(["cut \u{fffd}", "\u{fffd}", "\u{1f600}", "\\ud83d"]),
            ),
            (r#"{"a":"\ud83d\u0041\"\ud83d\ud83d"}"#, json!({"a": "\u{fffd}A\"\u{fffd}\u{fffd}"})),
        ] {
            assert_eq!(parse_lenient(text).unwrap(), (read, true), "{text}");
        }
        for text in [r#"{"a":1,"a":"\ud83d"}"#, "[01]", r#"["\ud8"]"#, r#""\"#, r#"{"a":1e400,"a":1}"#] {
            assert!(parse_lenient(text).is_err(), "{text}");
        }
    }

    /// Attack 521: a number is let pass only where nothing of the call is said.
    #[test]
    fn given_such_a_number_beside_a_call_then_only_there_it_is_a_text() {
        let big = "1764000000000000000";
        for text in [
            format!(r#"{{"path":"/a","_meta":{{"n":{big},"m":[1e400,{{"o":{big}}}]}}}}"#),
            format!(r#"{{"options":[{{"optionId":"a","_meta":{{"n":{big}}}}}]}}"#),
            format!(
                r#"{{"toolCall":{{"content":[{{"type":"content","content":{{"_meta":{{"n":{big}}}}}}}]}}}}"#
            ),
        ] {
            assert!(strict_but_meta(&text).is_ok(), "{text}");
            assert!(!strict_but_input(&text).unwrap().1, "{text}");
        }
        let read = strict_but_meta(&format!(r#"{{"line":1,"_meta":{{"n":{big},"m":1.5}}}}"#)).unwrap();
        assert_eq!(read, json!({"line": 1, "_meta": {"n": big, "m": 1.5}}));
        for text in [
            format!(r#"{{"line":{big},"_meta":{{"n":1}}}}"#),
            format!(r#"{{"line":{big},"_meta":{{"n":{big}}}}}"#),
            format!(r#"{{"_meta":{{"n":{big},"n":1}}}}"#),
            format!(r#"{{"_meta":{{"n":{big}}},"_meta":{{}}}}"#),
            format!(r#"{{"toolCall":{{"rawInput":{{"_meta":{{"n":{big}}}}}}}}}"#),
            format!(r#"{{"_Meta":{{"n":{big}}}}}"#),
        ] {
            assert!(strict_but_meta(&text).is_err(), "{text}");
        }
        // What goes to a tool is looked at as that.
        let both =
            format!(r#"{{"toolCall":{{"rawInput":{{"_meta":{{"n":{big}}}}}}},"_meta":{{"n":{big}}}}}"#);
        assert!(strict_but_input(&both).unwrap().1);
    }

    #[test]
    fn given_such_a_number_outside_of_an_input_then_the_question_is_refused() {
        let big = "9007199254740993";
        for text in [
            format!(r#"{{"toolCall":{{"rawInput":{{"n":{big}}}}}}}"#),
            format!(r#"{{"subject":{{"toolCall":{{"rawInput":[{big}]}}}}}}"#),
        ] {
            assert!(strict_but_input(&text).unwrap().1, "{text}");
        }
        for text in [
            format!(r#"{{"toolCall":{{"x":{big},"rawInput":{{"n":{big}}}}}}}"#),
            format!(r#"{{"toolCall":{{"rawInput":1}},"n":{big}}}"#),
            format!(r#"{{"toolCall":{{"rawInput":{{"n":{big},"n":1}}}}}}"#),
        ] {
            assert!(strict_but_input(&text).is_err(), "{text}");
        }
    }
}
