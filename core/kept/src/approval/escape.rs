//! Text of others made visible: control characters, escape sequences, bidirectional overrides and
//! invisible characters are shown as escapes, so that what is read is what is there.

/// One line: everything that could move the cursor, hide or reorder text is escaped, line ends too.
#[must_use]
pub fn escape_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if needs_escape(c) => push_escape(&mut out, c),
            c => out.push(c),
        }
    }
    out
}

/// Several lines: line ends and tabs stay, the rest is escaped as in [`escape_line`].
#[must_use]
pub fn escape_block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => out.push('\n'),
            // A carriage return is shown unless it belongs to a line end.
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("    "),
            c if needs_escape(c) => push_escape(&mut out, c),
            c => out.push(c),
        }
    }
    out
}

fn push_escape(out: &mut String, c: char) {
    let code = u32::from(c);
    if code < 0x100 {
        out.push_str(&format!("\\x{code:02x}"));
    } else {
        out.push_str(&format!("\\u{{{code:x}}}"));
    }
}

/// Characters that show nothing, look like a blank, or change how others are shown.
fn needs_escape(c: char) -> bool {
    // Blanks that are none to a shell or a compiler.
    hides(c) || matches!(u32::from(c), 0x00A0 | 0x1680 | 0x2000..=0x200A | 0x202F | 0x205F | 0x2800 | 0x3000)
}

/// Characters that show nothing, or change how others are shown.
pub(crate) fn hides(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0x00AD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5
            | 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F
            | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
            | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF
            // Private use: a font decides what it looks like.
            | 0xE000..=0xF8FF | 0xF0000..=0x10FFFF)
}

#[cfg(test)]
mod tests {
    use super::{escape_block, escape_line};

    /// Attack 25: "ANSI, bidirectional text ...: escaped".
    #[test]
    fn given_text_that_hides_something_then_it_is_shown_as_escapes() {
        assert_eq!(escape_line("a\u{1b}[2Kb"), "a\\x1b[2Kb");
        assert_eq!(escape_line("rm \u{202e}fdp.x"), "rm \\u{202e}fdp.x");
        assert_eq!(escape_line("a\nb\rc\u{200d}\u{9b}"), "a\\nb\\rc\\u{200d}\\x9b");
        assert_eq!(escape_line("tag\u{e0041}"), "tag\\u{e0041}");
        assert_eq!(escape_line("a\u{a0}b\u{2003}c\u{3000}d"), "a\\xa0b\\u{2003}c\\u{3000}d");
        assert_eq!(escape_line("grüße, 世界 🎉"), "grüße, 世界 🎉");
    }

    #[test]
    fn given_a_block_then_its_lines_stay_and_a_lone_return_is_shown() {
        assert_eq!(escape_block("a\r\nb\n\u{7}c\rd"), "a\nb\n\\x07c\\rd");
    }
}
