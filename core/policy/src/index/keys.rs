//! What an index asks of where its patterns are kept: in memory, or in a file that was compiled before.

/// The tables of an index. Their numbers stand in compiled files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum IndexTable {
    /// Patterns about everything.
    Everything,
    /// Commands by their name.
    Command,
    /// Commands by their name and the word behind it.
    Pair,
    Fetch,
    Mcp,
    Tool,
    Mode,
    ReadAbsolute,
    ReadRooted,
    ReadPlaced,
    ReadNamed,
    ReadEnding,
    ReadAnywhere,
    ReadOthers,
    ReadAll,
    WriteAbsolute,
    WriteRooted,
    WritePlaced,
    WriteNamed,
    WriteEnding,
    WriteAnywhere,
    WriteOthers,
    WriteAll,
    /// Where path patterns begin, as it is written: for links that may be on the way. Only in compiled files.
    Leads,
}

impl IndexTable {
    /// So many there are.
    pub(super) const COUNT: usize = Self::Leads as usize + 1;

    /// All of them.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::Everything,
        Self::Command,
        Self::Pair,
        Self::Fetch,
        Self::Mcp,
        Self::Tool,
        Self::Mode,
        Self::ReadAbsolute,
        Self::ReadRooted,
        Self::ReadPlaced,
        Self::ReadNamed,
        Self::ReadEnding,
        Self::ReadAnywhere,
        Self::ReadOthers,
        Self::ReadAll,
        Self::WriteAbsolute,
        Self::WriteRooted,
        Self::WritePlaced,
        Self::WriteNamed,
        Self::WriteEnding,
        Self::WriteAnywhere,
        Self::WriteOthers,
        Self::WriteAll,
        Self::Leads,
    ];
}

/// Patterns by a name that everything they match has, and those that have none: a table of them for each kind. What is found
/// are their places.
pub(crate) trait KeyLookup {
    /// Those of this name.
    fn find_named(&self, table: IndexTable, name: &str, found: &mut Vec<u32>);

    /// Those of names that begin like this.
    fn find_from(&self, table: IndexTable, head: &str, found: &mut Vec<u32>);

    /// Those of names that begin and end like this.
    fn find_between(&self, table: IndexTable, head: &str, tail: &str, found: &mut Vec<u32>);

    /// Those of any name.
    fn find_all(&self, table: IndexTable, found: &mut Vec<u32>) {
        self.find_from(table, "", found);
    }

    /// Those without a name.
    fn find_unnamed(&self, table: IndexTable, found: &mut Vec<u32>);

    /// Whether there are none in it at all.
    fn is_empty(&self, table: IndexTable) -> bool;

    /// As many parts has the longest of its names that are places.
    fn max_depth(&self, table: IndexTable) -> usize;
}
