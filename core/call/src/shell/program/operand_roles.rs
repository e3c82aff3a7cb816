//! What the operands of a command are: the notation of `operands` in the table.

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Text that may name a path for something else.
    Text,
    /// Text that is no path: a pattern, a filter.
    Pattern,
    /// Read.
    Read,
    /// A page of a manual, or a file of one: it may include others.
    Page,
    /// Perhaps read, perhaps written.
    Path,
    /// Written: an access of its own.
    Written,
    /// Written where one would not think so: asked about, too.
    Output,
    /// A file or folder that others are copied to.
    Target,
    /// Made.
    Created,
    /// Changed by what is in it, which may be shown.
    Edited,
    /// Changed without a look at what is in it.
    Marked,
    /// Replaced by another form of it, which may be shown.
    Packed,
    /// Removed.
    Deleted,
    /// Gets another name.
    Moved,
    /// Changes something by being there.
    Change,
    /// A script that is loaded into the shell, or configuration.
    Loaded,
    /// `NAME=value` before a command.
    Assignment,
    /// An address, perhaps without its scheme.
    Url,
    /// An address, or the name that stands for one.
    Remote,
    /// Something to make: who names the first has to name the others.
    Goal,
    /// A member of an archive that is taken apart.
    Member,
    /// The command begins.
    Command,
    /// The rest is one line for a shell.
    Line,
    /// A line for a shell by itself.
    Single,
    /// A script that is run.
    Script,
    /// A module that is run, by its name, or a script.
    Module,
}

/// What the operands are: some, then one kind repeated, then some more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Operands {
    pub(super) first: Vec<Role>,
    pub(super) many: Option<Role>,
    pub(super) last: Vec<Role>,
}

impl Operands {
    pub(super) fn only_text(&self) -> bool {
        self.first.is_empty() && self.last.is_empty() && self.many == Some(Role::Text)
    }

    /// Whether all of them are patterns, and so no paths.
    pub(super) fn only_patterns(&self) -> bool {
        self.first.is_empty() && self.last.is_empty() && self.many == Some(Role::Pattern)
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut operands = Self::default();
        for word in text.split_whitespace() {
            let (name, many) = word.strip_suffix('*').map_or((word, false), |name| (name, true));
            let role = Role::parse(name)?;
            match (many, operands.many) {
                (true, None) => operands.many = Some(role),
                (true, Some(_)) => return None,
                (false, None) => operands.first.push(role),
                (false, Some(_)) => operands.last.push(role),
            }
        }
        Some(operands)
    }

    /// What the operand at `place` among `count` is; none if there should not be one.
    pub(super) fn role_at(&self, place: usize, count: usize) -> Option<Role> {
        if let Some(role) = self.first.get(place) {
            return Some(*role);
        }
        let many = self.many?;
        let from_end = count.saturating_sub(place + 1);
        let enough = count > self.first.len() + self.last.len();
        match self.last.len().checked_sub(from_end + 1) {
            Some(last) if enough => self.last.get(last).copied(),
            _ => Some(many),
        }
    }
}

impl Role {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "pattern" => Self::Pattern,
            "read" => Self::Read,
            "page" => Self::Page,
            "path" => Self::Path,
            "written" => Self::Written,
            "output" => Self::Output,
            "target" => Self::Target,
            "created" => Self::Created,
            "edited" => Self::Edited,
            "marked" => Self::Marked,
            "packed" => Self::Packed,
            "deleted" => Self::Deleted,
            "moved" => Self::Moved,
            "change" => Self::Change,
            "loaded" => Self::Loaded,
            "assignment" => Self::Assignment,
            "url" => Self::Url,
            "remote" => Self::Remote,
            "goal" => Self::Goal,
            "member" => Self::Member,
            "command" => Self::Command,
            "line" => Self::Line,
            "single" => Self::Single,
            "script" => Self::Script,
            "module" => Self::Module,
            _ => return None,
        })
    }
}
