//! What an option of a program is about, and how many values it takes.

/// What an option is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionMeaning {
    /// Known to be harmless.
    Harmless,
    /// Harmless, and its value is a pattern or a small program: never a path.
    Pattern,
    /// Its value is a file that is read.
    Reads,
    /// The same, but what begins with a scheme is an address, and what stands for that may be code.
    Stores,
    /// Its value is a name, or with a slash a file that is read.
    NamedFile,
    /// It names, in a file that is read or on its input, the files that the program works on.
    Names,
    /// Its value is a file that is written, as one expects of the program.
    Writes,
    /// Its value is a file that is written, or it makes the program write.
    Outputs,
    /// The same, but `-` is the standard output.
    Prints,
    /// It makes the program change its operands in place.
    Edits,
    /// Its value is an address.
    Url,
    /// An address that it goes through.
    Proxy,
    /// Its value is the folder or file that operands are copied to.
    Target,
    /// Its value is a folder that it writes in.
    Into,
    /// Its value is another working folder.
    Elsewhere,
    /// It loads configuration or code.
    Loads,
    /// Its value is a name, or the path of a module that it loads.
    Module,
    /// Its value is the name of a kind; one with a dot or a slash names a file that is written, or code.
    Kind,
    /// It runs another program.
    Runs,
    /// It changes something.
    Changes,
    /// It sends a file away.
    Sends,
    /// It sends its value, or a file behind `@`.
    Data,
    /// Its value is text, or the name of a file that holds it, behind `@`.
    AtFile,
    /// Its value is a line for a shell.
    Line,
    /// Its value is a line for a shell, behind the program's own name.
    OwnLine,
    /// What follows it is a command.
    Command,
    /// Its value is evaluated by the shell.
    Evaluates,
    /// Its value are more words of the program's own.
    Split,
    /// Its value is a variable for the command, `NAME=value`.
    Sets,
    /// The same, for one that runs in a container.
    Passes,
    /// With it the program only tells something about itself.
    Query,
}

impl OptionMeaning {
    /// Whether a word that may be such an option is worth asking about.
    pub(super) fn is_dangerous(self) -> bool {
        !matches!(
            self,
            Self::Harmless
                | Self::Pattern
                | Self::Module
                | Self::Kind
                | Self::Reads
                | Self::Stores
                | Self::NamedFile
                | Self::Names
                | Self::Writes
                | Self::Edits
                | Self::Url
                | Self::Target
                | Self::Query
        )
    }

    /// Whether all that such an option does is to choose what is read, and how that is shown.
    pub(super) fn only_reads(self) -> bool {
        matches!(
            self,
            Self::Harmless
                | Self::Pattern
                | Self::Query
                | Self::Reads
                | Self::Stores
                | Self::NamedFile
                | Self::Names
        )
    }

    /// Whether it counts where such an option stands as the value of another.
    pub(super) fn has_effect(self) -> bool {
        !matches!(self, Self::Harmless | Self::Pattern | Self::Query)
    }
}

/// How many values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueCount {
    /// None.
    Nothing,
    /// One, glued or as the next word.
    One,
    /// Perhaps one, glued.
    Perhaps,
    /// Two, as the next words.
    Two,
    /// One to some versions of the program, glued or as the next word; none to others.
    Differs,
}

/// An option of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OptionSpec {
    pub(super) meaning: OptionMeaning,
    pub(super) takes: ValueCount,
}
