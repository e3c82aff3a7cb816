//! `$'...'`.

use crate::shell::line_error::{LineError, Result};

/// The text that `$'inner'` stands for. Refused where shells without `$'` would end it elsewhere, and
/// where it is not text.
pub(super) fn decode_ansi_c(inner: &str) -> Result<String> {
    let refuse = || LineError::new("an escape that mayi does not read");
    let mut out = String::new();
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let c = chars.next().ok_or_else(refuse)?;
        let (digits, radix) = match c {
            'x' => (2, 16),
            'u' => (4, 16),
            'U' => (8, 16),
            '0'..='7' => (3, 8),
            _ => (0, 0),
        };
        if digits == 0 {
            out.push(match c {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'a' => '\x07',
                'b' => '\x08',
                'v' => '\x0b',
                'f' => '\x0c',
                'e' | 'E' => '\x1b',
                '\\' | '?' | '"' => c,
                _ => return Err(refuse()),
            });
            continue;
        }
        let mut code = if radix == 8 { c.to_digit(8).unwrap_or_default() } else { 0 };
        let mut read = usize::from(radix == 8);
        while read < digits
            && let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix))
        {
            chars.next();
            code = code.saturating_mul(radix).saturating_add(digit);
            read += 1;
        }
        // Bytes beyond ASCII are parts of characters, and a zero byte ends the text.
        let byte = !matches!(c, 'u' | 'U');
        let c = char::from_u32(code).filter(|c| (c.is_ascii() || !byte) && read > 0 && *c != '\0');
        out.push(c.ok_or_else(refuse)?);
    }
    Ok(out)
}
