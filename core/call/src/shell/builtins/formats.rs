//! Formats of `printf`: what its conversions are. Zsh reads the escapes of a format before its conversions, so that `\u0025d` is `%d`,
//! where bash prints it.

/// What may stand between a `%` and its letter.
fn is_between(c: char) -> bool {
    c.is_ascii_digit() || "#'-+ *.$hlLjtz".contains(c)
}

/// Whether a format holds `%n`, as one shell or the other reads it.
pub(super) fn has_count_conversion(format: &str) -> bool {
    let counts = |format: &str| conversions(format).any(|(_, letter)| letter == Some('n'));
    counts(format) || counts(&decode_escapes(format))
}

/// Of each operand that a format takes, whether it is a number; none if it names them by their place, or if shells read it as
/// different ones.
pub(super) fn numeric_conversions(format: &str) -> Option<Vec<bool>> {
    let mut found = Vec::new();
    for (flags, letter) in conversions(format) {
        if flags.contains('$') {
            return None;
        }
        found.extend(flags.matches('*').map(|_| true));
        found.push(!letter.is_some_and(|letter| "sbqcn".contains(letter)));
    }
    let decoded = decode_escapes(format);
    conversions(format).eq(conversions(&decoded)).then_some(found)
}

/// The conversions of a format: what stands between, and the letter.
fn conversions(format: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    let mut rest = format;
    std::iter::from_fn(move || {
        loop {
            let (_, behind) = rest.split_once('%')?;
            if let Some(behind) = behind.strip_prefix('%') {
                rest = behind;
                continue;
            }
            rest = behind.trim_start_matches(is_between);
            let flags = behind.strip_suffix(rest).unwrap_or_default();
            return Some((flags, rest.chars().next()));
        }
    })
}

/// The text with the characters in it that escapes name by their number; other escapes stay.
fn decode_escapes(format: &str) -> String {
    let mut decoded = String::with_capacity(format.len());
    let mut rest = format;
    while let Some((before, behind)) = rest.split_once('\\') {
        decoded.push_str(before);
        rest = match numbered_character(behind) {
            Some((named, behind)) => {
                decoded.extend(named);
                behind
            }
            None => {
                let mut letters = behind.chars();
                decoded.push('\\');
                decoded.extend(letters.next());
                letters.as_str()
            }
        };
    }
    decoded.push_str(rest);
    decoded
}

/// The character that an escape names, and what stands behind it: `x25`, `u0025`, `U00000025`, `045`, `45`.
fn numbered_character(escape: &str) -> Option<(Option<char>, &str)> {
    let (digits, radix, most) = match escape.chars().next()? {
        'x' => (escape.get(1..)?, 16, 2),
        'u' => (escape.get(1..)?, 16, 4),
        'U' => (escape.get(1..)?, 16, 8),
        '0' => (escape, 8, 4),
        '1'..='7' => (escape, 8, 3),
        _ => return None,
    };
    let length = digits.chars().take(most).take_while(|c| c.is_digit(radix)).count();
    let (number, behind) = digits.split_at_checked(length).filter(|(number, _)| !number.is_empty())?;
    let number = u32::from_str_radix(number, radix).ok()?;
    Some((char::from_u32(number), behind))
}

#[cfg(test)]
mod tests {
    use super::{has_count_conversion, numeric_conversions};

    /// D2.18: a conversion counts however its `%` and its letter are written.
    /// Attack 583.
    #[test]
    fn given_a_format_with_escapes_then_its_conversions_are_found() {
        for format in [
            "%n",
            "%5n",
            "\\u0025n",
            "\\x25n",
            "\\045n",
            "%\\u006e",
            "\\U00000025n",
            "a\\x25\\x6e",
            "%s\\0045n",
        ] {
            assert!(has_count_conversion(format), "{format}");
        }
        for format in ["%s\\n", "%%n", "\\033[31m%s\\033[0m\\n", "\\\\u0025s", "\\x41n"] {
            assert!(!has_count_conversion(format), "{format}");
        }
        for format in ["\\u0025d", "\\x25d", "\\045d", "\\45d", "%\\x64", "%s\\u0025d", "%1$s"] {
            assert_eq!(numeric_conversions(format), None, "{format}");
        }
        assert_eq!(numeric_conversions("%s %d\\n"), Some(vec![false, true]));
        assert_eq!(numeric_conversions("\\033[1m%s\\x41\\n"), Some(vec![false]));
        assert_eq!(numeric_conversions("%*s"), Some(vec![true, false]));
    }
}
