//! The command line, as `cargo bench` and criterion have it.

/// What was asked for.
pub(crate) struct Options {
    /// Few rounds: does it run, is anything off by far?
    pub(crate) quick: bool,
    filter: Option<String>,
}

impl Options {
    /// None if nothing is to be measured.
    pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Option<Self> {
        // Without `--bench` it is a test run: `cargo test` and nextest start benches too.
        let mut options = Self { quick: true, filter: None };
        let mut arguments = arguments.peekable();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--list" => return None,
                "--bench" => options.quick = false,
                "--quick" | "--noplot" | "--exact" | "--nocapture" | "--verbose" | "--quiet" | "--test" => {}
                // Another of criterion's options, perhaps with a value.
                option if option.starts_with('-') => {
                    arguments.next_if(|value| !value.starts_with('-'));
                }
                filter => options.filter = Some(filter.to_owned()),
            }
        }
        options.quick |= std::env::args().any(|argument| argument == "--quick");
        Some(options)
    }

    /// Whether the section called `name` is to be measured.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()))
    }

    /// `all`, or `few` in a quick run.
    pub(crate) fn rounds(&self, all: usize, few: usize) -> usize {
        if self.quick { few } else { all }
    }
}
