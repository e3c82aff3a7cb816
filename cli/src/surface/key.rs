//! Keys, from the bytes that a terminal sends.

use std::time::{Duration, Instant};

use super::status::StatusSupport;

/// A key that means something at a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A letter or sign.
    Char(char),
    /// Enter.
    Enter,
    /// Escape by itself.
    Escape,
    /// Arrow up, Shift-Tab.
    Up,
    /// Arrow down, Tab.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// Ctrl-C.
    Interrupt,
    /// No key: the terminal says what it takes.
    StatusSupport(StatusSupport),
}

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// As many bytes of an unfinished sequence are kept.
const LONGEST: usize = 32;

/// As many bytes of what a terminal says by itself.
const LONGEST_TEXT: usize = 4096;

/// After so long an escape is the key itself.
const ESCAPE: Duration = Duration::from_millis(50);

/// After so long without more of it a paste is over, also if its end was lost.
const PASTE: Duration = Duration::from_secs(1);

/// Reads keys. What is pasted is no key, except for Ctrl-C, so that there is always a way out.
#[derive(Debug, Default)]
pub(crate) struct KeyDecoder {
    rest: Vec<u8>,
    pasting: bool,
    fed: Option<Instant>,
}

impl KeyDecoder {
    /// Takes bytes, and returns the keys that are complete.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.rest.extend_from_slice(bytes);
        self.fed = Some(Instant::now());
        let mut keys = Vec::new();
        while let Some(used) = self.decode_key(&mut keys) {
            self.rest.drain(..used.min(self.rest.len()));
        }
        keys
    }

    /// How long to wait for more of what has begun.
    pub(crate) fn remaining_wait(&self) -> Option<Duration> {
        let most = if self.pasting || self.is_text() { PASTE } else { ESCAPE };
        let begun = self.pasting || !self.rest.is_empty();
        self.fed.filter(|_| begun).map(|fed| most.saturating_sub(fed.elapsed()))
    }

    /// No more has come in time: an escape was the key itself, and a paste is over.
    pub(crate) fn flush_pending(&mut self) -> Option<Key> {
        if self.remaining_wait().is_none_or(|left| !left.is_zero()) {
            return None;
        }
        let alone = !self.pasting && self.rest == [0x1b];
        *self = Self::default();
        alone.then_some(Key::Escape)
    }

    /// Reads one key from the front; returns how many bytes it took, or none if more are needed.
    fn decode_key(&mut self, keys: &mut Vec<Key>) -> Option<usize> {
        let (&first, after) = self.rest.split_first()?;
        if self.pasting {
            if self.rest.starts_with(PASTE_ENDS) {
                self.pasting = false;
                return Some(PASTE_ENDS.len());
            }
            if PASTE_ENDS.starts_with(&self.rest) {
                return None;
            }
            if first == 0x03 {
                self.pasting = false;
                keys.push(Key::Interrupt);
            }
            return Some(1);
        }
        match first {
            0x1b => match after.split_first() {
                None => None,
                Some((b'[' | b'O', _)) => self.decode_escape_sequence(keys),
                Some((b']' | b'P' | b'X' | b'^' | b'_', _)) => self.decode_control_string(keys),
                // Alt and a letter is not the letter.
                Some(_) => Some(2),
            },
            0x03 => push_key(keys, Key::Interrupt),
            b'\r' | b'\n' => push_key(keys, Key::Enter),
            b'\t' => push_key(keys, Key::Down),
            0x00..0x20 | 0x7f => Some(1),
            0x20..0x7f => push_key(keys, Key::Char(char::from(first))),
            // Letters beyond ASCII are no keys of a card; each byte is skipped by itself.
            _ => Some(1),
        }
    }

    /// Whether what has begun is text of the terminal's own.
    fn is_text(&self) -> bool {
        matches!(self.rest.as_slice(), [0x1b, b']' | b'P' | b'X' | b'^' | b'_', ..])
    }

    /// What a terminal says by itself, such as an answer to somebody's question: text between `ESC ]` or its like and an end.
    /// No letter of it is a key.
    fn decode_control_string(&self, keys: &mut Vec<Key>) -> Option<usize> {
        let body = self.rest.get(2..).unwrap_or_default();
        // Ctrl-C, and what cancels a sequence, end it too: there is always a way out.
        let Some(end) = body.iter().position(|byte| matches!(byte, 0x03 | 0x07 | 0x18 | 0x1a | 0x1b)) else {
            return (self.rest.len() > LONGEST_TEXT).then_some(self.rest.len());
        };
        let used = end + 3;
        match body.get(end) {
            Some(0x03) => push_key(keys, Key::Interrupt).and(Some(used)),
            Some(0x1b) if body.get(end + 1).is_none() => None,
            // Something else begins there.
            Some(0x1b) if body.get(end + 1) != Some(&b'\\') => Some(used - 1),
            Some(terminator) => {
                let used = if *terminator == 0x1b { used + 1 } else { used };
                let is_command = self.rest.get(1) == Some(&b']') && matches!(terminator, 0x07 | 0x1b);
                let takes = body.get(..end).filter(|_| is_command).and_then(StatusSupport::read);
                keys.extend(takes.map(Key::StatusSupport));
                Some(used)
            }
            None => None,
        }
    }

    /// A sequence that begins with `ESC [` or `ESC O`.
    fn decode_escape_sequence(&mut self, keys: &mut Vec<Key>) -> Option<usize> {
        let body = self.rest.get(2..).unwrap_or_default();
        let Some(end) = body.iter().position(|b| (0x40..=0x7e).contains(b)) else {
            return (self.rest.len() > LONGEST).then_some(self.rest.len());
        };
        let used = end + 3;
        if self.rest.get(..used) == Some(PASTE_BEGINS) {
            self.pasting = true;
            return Some(used);
        }
        let parameter = body.get(..end).unwrap_or_default();
        match (body.get(end), parameter) {
            (Some(b'A' | b'Z'), _) => keys.push(Key::Up),
            (Some(b'B'), _) => keys.push(Key::Down),
            (Some(b'~'), b"5") => keys.push(Key::PageUp),
            (Some(b'~'), b"6") => keys.push(Key::PageDown),
            _ => {}
        }
        Some(used)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "reads as one arm of `one`")]
fn push_key(keys: &mut Vec<Key>, key: Key) -> Option<usize> {
    keys.push(key);
    Some(1)
}

/// Whether these keys can have been typed one by one: different letters that arrive at once are
/// pasted text of a terminal that does not mark it.
pub(crate) fn can_be_typed(keys: &[Key]) -> bool {
    keys.len() < 2 || keys.iter().all(|key| matches!(key, Key::Up | Key::Down | Key::PageUp | Key::PageDown))
}

#[cfg(test)]
mod tests {
    use super::{Key, KeyDecoder, StatusSupport, can_be_typed};

    #[test]
    fn given_sequences_then_they_are_one_key_each() {
        let mut decoder = KeyDecoder::default();
        assert_eq!(
            decoder.feed(b"y\x1b[A\x1bOB\t\x1b[Z\r"),
            [Key::Char('y'), Key::Up, Key::Down, Key::Down, Key::Up, Key::Enter]
        );
        assert_eq!(decoder.feed(b"\x1b[1;5C\x1by\x7f\xc3\xa9\x03"), [Key::Interrupt]);
        assert_eq!(decoder.remaining_wait(), None);
    }

    #[test]
    fn given_a_sequence_in_pieces_then_it_is_still_one_key() {
        let mut decoder = KeyDecoder::default();
        assert_eq!(decoder.feed(b"\x1b"), []);
        assert!(decoder.remaining_wait().is_some());
        assert_eq!(decoder.feed(b"["), []);
        assert_eq!(decoder.feed(b"6~"), [Key::PageDown]);
    }

    /// Attack 478: what a terminal says by itself is no answer of the person's.
    #[test]
    fn given_what_a_terminal_says_by_itself_then_no_letter_of_it_is_a_key() {
        let mut decoder = KeyDecoder::default();
        let takes = Key::StatusSupport(StatusSupport::read(b"7501;?").unwrap());
        assert_eq!(decoder.feed(b"\x1b]7501;?\x1b\\y"), [takes, Key::Char('y')]);
        assert_eq!(decoder.feed(b"\x1b]11;rgb:y/y/y\x07\x1bP1+ryyy\x1b\\n"), [Key::Char('n')]);
        for (at, byte) in b"\x1b]7501;?:states=blocked\x1b\\".iter().enumerate() {
            let keys = decoder.feed(&[*byte]);
            assert_eq!(keys.is_empty(), at < 24, "{keys:?} after {at}");
        }
        assert_eq!(decoder.feed(b"\x1b]0;yyy\x03"), [Key::Interrupt]);
        assert_eq!(decoder.feed(b"\x1b]0;y\x1b[A"), [Key::Up]);
        // Much text without an end is none.
        assert_eq!(decoder.feed(&[&b"\x1b]"[..], &[b'y'; 5000]].concat()), []);
        assert_eq!(decoder.feed(b"n"), [Key::Char('n')]);
    }

    #[test]
    fn given_an_escape_and_nothing_more_then_it_is_the_key() {
        let mut decoder = KeyDecoder::default();
        assert_eq!(decoder.feed(b"\x1b"), []);
        while decoder.remaining_wait().is_some_and(|left| !left.is_zero()) {}
        assert_eq!(decoder.flush_pending(), Some(Key::Escape));
        assert_eq!(decoder.feed(b"y"), [Key::Char('y')]);
    }

    #[test]
    fn given_pasted_text_then_it_is_no_key() {
        let mut decoder = KeyDecoder::default();
        assert_eq!(decoder.feed(b"\x1b[200~yes\r\x1b[Ay"), []);
        assert_eq!(decoder.feed(b"y\x1b[20"), []);
        assert_eq!(decoder.feed(b"1~n"), [Key::Char('n')]);
        assert_eq!(decoder.feed(b"\x1b[200~y\x03n"), [Key::Interrupt, Key::Char('n')]);
        assert!(!can_be_typed(&[Key::Char('y'), Key::Enter]));
    }
}
