//! What hangs on options: that a program goes below its operands, that it spares files.

use std::collections::HashSet;

use super::scan::FoundOption;

/// The options with which something holds, also with one value alone (`-d=recurse`); or `always`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OptionCondition {
    always: bool,
    options: HashSet<String>,
    values: Vec<(String, String)>,
    /// Options that have to stand there together: `-L+-R`.
    sets: Vec<Vec<String>>,
}

impl OptionCondition {
    pub(super) fn parse(text: Option<&str>) -> Self {
        let mut with = Self::default();
        for word in text.unwrap_or_default().split_whitespace() {
            match word.split_once('=') {
                _ if word == "always" => with.always = true,
                _ if word.contains('+') => with.sets.push(word.split('+').map(str::to_owned).collect()),
                Some((name, value)) => with.values.push((name.to_owned(), value.to_owned())),
                None => {
                    with.options.insert(word.to_owned());
                }
            }
        }
        with
    }

    /// Whether it holds with this option and its value: also one that is not known, or the beginning of
    /// the one that is meant.
    fn matches_option(&self, name: &str, value: Option<&str>) -> bool {
        let meant = |of: &str| value.is_none_or(|value| !value.is_empty() && of.starts_with(value));
        self.options.contains(name) || self.values.iter().any(|(own, of)| own == name && meant(of))
    }

    /// Whether it never holds.
    pub(super) fn is_never(&self) -> bool {
        !self.always && self.options.is_empty() && self.values.is_empty() && self.sets.is_empty()
    }

    /// Whether it holds with one of these options.
    pub(super) fn holds<'f, 'w: 'f>(
        &self,
        options: impl IntoIterator<Item = &'f FoundOption<'w>, IntoIter: Clone>,
    ) -> bool {
        let options = options.into_iter();
        let stands = |name: &String| options.clone().any(|found| found.name == name);
        self.always
            || self.sets.iter().any(|set| set.iter().all(stands))
            || options.clone().any(|found| {
                let value = found.value.as_ref().and_then(|value| value.text);
                // A glob that leaves something out: `-g '!target'`.
                let less = value.is_some_and(|value| value.starts_with('!'));
                !less && self.matches_option(found.name, value)
            })
    }

    /// The options that are named, for tests.
    #[cfg(test)]
    pub(super) fn option_names(&self) -> impl Iterator<Item = &str> {
        let values = self.values.iter().map(|(name, _)| name);
        self.options.iter().chain(values).chain(self.sets.iter().flatten()).map(String::as_str)
    }
}
