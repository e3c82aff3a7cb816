//! How much a folder counts that lies above what a pattern is about.

/// How far a path that lies above what a pattern is about counts as being about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AncestorMatch {
    /// Not at all: what is done there stays there.
    No,
    /// Where it is certain that the pattern's own place lies there.
    Place,
    /// The same, but not for the session's folders themselves.
    PlaceBelowRoot,
    /// Where it is certain that the pattern's own place lies there, and nothing on the way is hidden.
    PlaceShown,
    /// As [`Self::Begun`], where nothing on the way is hidden.
    BegunShown,
    /// Where the pattern's own place lies there, or the names with which it begins do: no folder is there
    /// yet.
    Begun,
    /// Where anything that it matches could lie, and nothing on the way is hidden.
    AnyShown,
    /// Where anything that it matches could lie: the use goes through everything.
    Any,
}

impl AncestorMatch {
    /// Whether what lies at any depth counts.
    pub(crate) fn is_any(self) -> bool {
        matches!(self, Self::BegunShown | Self::Begun | Self::AnyShown | Self::Any)
    }

    /// Whether hidden names are passed by.
    pub(super) fn passes_hidden(self) -> bool {
        matches!(self, Self::PlaceShown | Self::BegunShown | Self::AnyShown)
    }

    /// Whether the names with which a pattern begins count.
    pub(super) fn is_begun(self) -> bool {
        matches!(self, Self::BegunShown | Self::Begun)
    }
}
