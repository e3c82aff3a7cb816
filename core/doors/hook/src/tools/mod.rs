//! What tools of harnesses would touch: the same for all of them, once an adapter has said what a tool does.
//!
//! A tool's input is read with all the keys that any harness has for it, and where several say the same thing otherwise, every
//! version counts. What has a key that is not known here is also `tool(NAME)`: it may do something besides (D1.11:
//! unless an adapter understands every field of its input).

mod below;
mod keys;
mod paths;
mod reading;
mod runs;

pub(crate) use reading::{ToolContext, read};

/// What a tool of a harness's own does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// Runs a line in a shell.
    Runs,
    /// Reads a file, or several.
    Reads,
    /// Lists a folder.
    Lists,
    /// Finds names of files.
    Finds,
    /// Searches texts of files.
    Searches,
    /// Writes a whole file.
    Writes,
    /// Changes a part of a file.
    Edits,
    /// Changes files as a patch says.
    Patches,
    /// Removes a file.
    Deletes,
    /// Fetches an address.
    Fetches,
    /// Searches the web, and names no address.
    SearchesWeb,
    /// Hands work to a sub-agent, whose own calls are judged.
    Delegates,
    /// Only thinks, plans, keeps a list or talks with the person.
    Thinks,
    /// Takes a listed action of a harness that only looks at what it has itself: the output of what it runs already.
    Looks,
    /// Switches the harness's mode.
    SwitchesMode,
    /// Anything else.
    Other,
}

impl ToolKind {
    /// ACP's word for this kind of tool, which the rest of mayi knows.
    #[must_use]
    pub(crate) fn acp_kind(self) -> &'static str {
        match self {
            Self::Runs => "execute",
            Self::Reads => "read",
            Self::Lists | Self::Finds | Self::Searches => "search",
            Self::Writes | Self::Edits | Self::Patches => "edit",
            Self::Deletes => "delete",
            Self::Fetches | Self::SearchesWeb => "fetch",
            Self::Thinks | Self::Looks => "think",
            Self::SwitchesMode => "switch_mode",
            Self::Delegates | Self::Other => "other",
        }
    }
}

/// What the tool `name` does, by a harness's table.
#[must_use]
pub fn tool_kind(table: &[(&str, ToolKind)], name: &str) -> ToolKind {
    table.iter().find(|(known, _)| *known == name).map_or(ToolKind::Other, |(_, does)| *does)
}

#[cfg(test)]
mod tests;
