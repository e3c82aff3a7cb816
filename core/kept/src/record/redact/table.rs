//! Words that are looked for in much text, or in little.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError};

/// So many bytes are looked through by a table that is quickly made. With more, one that is quickly read is worth its making: that
/// takes a millisecond or two, which is much for a process of one call.
const LITTLE: usize = 256 << 10;

/// Makes a table of some words.
type Make = fn(AhoCorasickKind) -> Result<AhoCorasick, BuildError>;

/// Words to be looked for. Both tables find the same.
pub(super) struct Words {
    make: Make,
    quickly_made: OnceLock<Option<AhoCorasick>>,
    quickly_read: OnceLock<Option<AhoCorasick>>,
    seen: AtomicUsize,
}

impl Words {
    pub(super) const fn new(make: Make) -> Self {
        Self { make, quickly_made: OnceLock::new(), quickly_read: OnceLock::new(), seen: AtomicUsize::new(0) }
    }

    /// The table for a text of `bytes`. None where it could not be built.
    pub(super) fn table(&self, bytes: usize) -> Option<&AhoCorasick> {
        let seen = self.seen.load(Ordering::Relaxed).saturating_add(bytes);
        // Of several threads one may be missed: that only puts off the other table.
        self.seen.store(seen, Ordering::Relaxed);
        let (table, kind) = if seen > LITTLE {
            (&self.quickly_read, AhoCorasickKind::DFA)
        } else {
            (&self.quickly_made, AhoCorasickKind::NoncontiguousNFA)
        };
        table.get_or_init(|| (self.make)(kind).ok()).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_little_text_or_much_then_the_same_is_found() {
        let words = Words::new(|kind| AhoCorasick::builder().kind(Some(kind)).build(["key", "token"]));
        let found =
            |bytes: usize| words.table(bytes).unwrap().find_overlapping_iter("a token, a key").count();
        assert_eq!((found(10), words.quickly_read.get().is_some()), (2, false));
        assert_eq!((found(LITTLE), words.quickly_read.get().is_some()), (2, true));
    }
}
