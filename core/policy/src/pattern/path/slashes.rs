//! Names in a path, found by slashes that were looked for once: an index asks for them in each of its tables.

/// Where the slashes of a path are, in bytes.
pub(crate) fn slash_places(path: &str) -> Vec<usize> {
    // By bytes: paths are short, and their slashes near to each other.
    let mut places = Vec::with_capacity(16);
    places.extend(path.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at));
    places
}

/// The end of a path, with the slashes in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlashedText<'a> {
    pub(crate) text: &'a str,
    /// Where `text` begins in what the slashes were counted in.
    start: usize,
    slashes: &'a [usize],
}

impl<'a> SlashedText<'a> {
    /// A whole path, with what [`slash_places`] says of it.
    pub(crate) fn new(text: &'a str, slashes: &'a [usize]) -> Self {
        Self { text, start: 0, slashes }
    }

    /// What stands from byte `at` on.
    pub(crate) fn from(self, at: usize) -> Self {
        let text = self.text.get(at..).unwrap_or_default();
        let start = self.start + at;
        let passed = self.slashes.iter().take_while(|slash| **slash < start).count();
        Self { text, start, slashes: self.slashes.get(passed..).unwrap_or_default() }
    }

    fn slash_ends(self) -> impl Iterator<Item = usize> {
        self.slashes.iter().map(move |slash| slash - self.start)
    }

    /// Each folder that it lies in, from the top; not the top itself.
    pub(crate) fn folders_above(self) -> impl Iterator<Item = &'a str> {
        self.slash_ends().filter(|at| *at > 0).map(move |at| self.text.get(..at).unwrap_or_default())
    }

    /// Its names.
    pub(crate) fn names(self) -> impl Iterator<Item = &'a str> {
        let mut from = 0;
        let ends = self.slash_ends().chain([self.text.len()]);
        let names = ends.map(move |end| {
            let name = self.text.get(from..end).unwrap_or_default();
            from = end + 1;
            name
        });
        names.filter(|name| !name.is_empty())
    }

    /// So many slashes stand before byte `end`.
    pub(crate) fn slash_count_before(self, end: usize) -> usize {
        self.slash_ends().take_while(|at| *at < end).count()
    }
}

#[cfg(test)]
mod tests {
    use super::{SlashedText, slash_places};

    proptest::proptest! {
        /// The names and folders are those that a search for each slash finds.
        #[test]
        fn slashes_are_found_as_a_search_finds_them(text in "[a/ü.]{0,12}", at in 0_usize..13) {
            let slashes = slash_places(&text);
            let whole = SlashedText::new(&text, &slashes);
            let at = if text.is_char_boundary(at) { at } else { 0 };
            let path = whole.from(at);
            let rest = text.get(at..).unwrap_or_default();
            proptest::prop_assert_eq!(path.text, rest);
            let names: Vec<&str> = rest.split('/').filter(|name| !name.is_empty()).collect();
            proptest::prop_assert_eq!(path.names().collect::<Vec<_>>(), names);
            let above: Vec<&str> =
                rest.match_indices('/').filter(|(at, _)| *at > 0).map(|(at, _)| &rest[..at]).collect();
            proptest::prop_assert_eq!(path.folders_above().collect::<Vec<_>>(), above);
            for end in 0..=rest.len() {
                let counted = rest.bytes().take(end).filter(|byte| *byte == b'/').count();
                proptest::prop_assert_eq!(path.slash_count_before(end), counted);
            }
        }
    }
}
