//! Characters that nobody sees, or that a terminal obeys. Emoji and scripts that need joiners are fine.

/// The first character that hides something: with its place in the text.
pub(super) fn find_hidden(text: &str) -> Option<(usize, char)> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let at = |place: Option<usize>| place.and_then(|place| chars.get(place)).map(|(_, c)| *c);
    for (place, (byte, c)) in chars.iter().enumerate() {
        if c.is_control() || !hides(*c) {
            continue;
        }
        let (before, after) = (at(place.checked_sub(1)), at(Some(place + 1)));
        if !is_legitimate_joiner(*c, before, after) && !in_flag(&chars, place) {
            return Some((*byte, *c));
        }
    }
    None
}

/// The first control character that is no end of a line and no tab.
pub(super) fn find_control(text: &str) -> Option<(usize, char)> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let harmless =
            matches!(c, '\n' | '\t') || (c == '\r' && chars.peek().is_some_and(|(_, next)| *next == '\n'));
        if c.is_control() && !harmless {
            return Some((at, c));
        }
    }
    None
}

/// Whether a character shows nothing, or changes how others are shown.
pub(super) fn hides(c: char) -> bool {
    crate::approval::hides(c)
}

/// Whether `c` belongs where it is: it joins emoji, says how a symbol is drawn, or joins letters of a script that
/// needs it.
fn is_legitimate_joiner(c: char, before: Option<char>, after: Option<char>) -> bool {
    let emoji = |c: Option<char>| c.is_some_and(is_emoji);
    let drawn = |c: Option<char>| emoji(c) || c == Some('\u{fe0f}');
    let script = |c: Option<char>| c.is_some_and(|c| matches!(u32::from(c), 0x600..=0xDFF | 0x1780..=0x18AF));
    match c {
        '\u{fe0e}' | '\u{fe0f}' => {
            emoji(before) || before.is_some_and(|c| c.is_ascii_digit() || matches!(c, '#' | '*'))
        }
        '\u{200d}' => (drawn(before) && emoji(after)) || (script(before) && script(after)),
        '\u{200c}' => script(before) && script(after),
        _ => false,
    }
}

/// Symbols that are drawn as pictures, or may be.
fn is_emoji(c: char) -> bool {
    matches!(u32::from(c),
        0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2190..=0x2BFF | 0x3030 | 0x303D | 0x3297 | 0x3299
        | 0x1F000..=0x1FAFF)
}

/// The three flags that are written with tag characters.
const FLAGS: &[&str] = &["gbeng", "gbsct", "gbwls"];

/// Whether the tag character at `place` belongs to such a flag.
fn in_flag(chars: &[(usize, char)], place: usize) -> bool {
    let tag = |c: char| matches!(u32::from(c), 0xE0020..=0xE007F);
    let char_at = |place: usize| chars.get(place).map(|(_, c)| *c);
    if !char_at(place).is_some_and(tag) {
        return false;
    }
    let mut first = place;
    while let Some(before) = first.checked_sub(1)
        && char_at(before).is_some_and(tag)
        && place - first < 8
    {
        first = before;
    }
    let black_flag = first.checked_sub(1).and_then(char_at) == Some('\u{1f3f4}');
    let letters: String = (first..first + 6)
        .filter_map(char_at)
        .filter(|c| tag(*c))
        .filter_map(|c| char::from_u32(u32::from(c) - 0xE0000))
        .collect();
    black_flag && place < first + 6 && FLAGS.iter().any(|flag| letters == format!("{flag}\u{7f}"))
}
