//! The layers that configuration comes from.

use std::fmt;

/// Where a setting comes from; the nearer layers come later (D5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// mayi itself.
    BuiltIn,
    /// `/etc/mayi/config.toml`.
    Managed,
    /// The user's file, or the one given with `--config`.
    User,
    /// A folder's `.mayi.toml`: an attacker's, so it only tightens until `mayi trust` was said of it.
    Workspace,
    /// The settings of the editor that mayi works for: the user's own, for all of the editor's folders.
    Editor,
    /// `MAYI_*`: only tightens.
    Environment,
    /// Options of this run.
    CommandLine,
    /// What was given together with a call that is only looked at (`mayi check`).
    Call,
}

impl Layer {
    /// The words for it, as files and people write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::Managed => "managed",
            Self::User => "user",
            Self::Workspace => "workspace",
            Self::Editor => "editor",
            Self::Environment => "environment",
            Self::CommandLine => "command line",
            Self::Call => "call",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
