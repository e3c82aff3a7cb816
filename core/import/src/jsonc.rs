//! JSON with comments and trailing commas, as editors write their settings.

use serde_json::Value;

/// Reads it as JSON.
///
/// # Errors
/// If it is none even without comments and trailing commas.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_str(&strip_comments(text)).map_err(|error| format!("is not JSON: {error}"))
}

/// The same text with comments and trailing commas blanked out, so that lines and columns stay.
fn strip_comments(text: &str) -> String {
    let mut out: Vec<char> = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    // Where a comma stands that nothing but a closing bracket may follow.
    let mut comma: Option<usize> = None;
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                comma = None;
                out.push(c);
                while let Some(c) = chars.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' if chars.peek() == Some(&'/') => {
                out.push(' ');
                while let Some(c) = chars.next_if(|c| *c != '\n') {
                    out.push(if c == '\r' { c } else { ' ' });
                }
            }
            '/' if chars.peek() == Some(&'*') => {
                out.extend([' ', ' ']);
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    out.push(if c == '\n' { c } else { ' ' });
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            ',' => {
                comma = Some(out.len());
                out.push(c);
            }
            ']' | '}' => {
                if let Some(slot) = comma.take().and_then(|at| out.get_mut(at)) {
                    *slot = ' ';
                }
                out.push(c);
            }
            c if c.is_whitespace() => out.push(c),
            c => {
                comma = None;
                out.push(c);
            }
        }
    }
    out.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn given_comments_and_trailing_commas_then_they_are_read_over() {
        let text = "// top\n{ \"a\": [1, 2, /* x */ ], // b\n \"u\": \"http://x/*y*/, ]\\\"\", }\n/* end";
        assert_eq!(parse(text).unwrap(), serde_json::json!({"a": [1, 2], "u": "http://x/*y*/, ]\""}));
        assert_eq!(parse(" \n").unwrap(), serde_json::json!({}));
        for text in ["{", "[1,,2]", "{\"a\" 1}", "{\"a\": \"\\", "nul"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
