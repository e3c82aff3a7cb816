//! Cuts the files under `programs/` into entries. The build does that, so that no process has to: `build.rs` writes down what
//! this finds. It understands the little of TOML that they use, and refuses the rest; tests hold it to a reader of TOML.

use std::collections::{BTreeMap, BTreeSet};

/// What a key says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said<'t> {
    /// `true` or `false`.
    Is(bool),
    /// `"..."`, on one line or on several.
    Text(&'t str),
}

/// An entry: a program, or one of its sub-commands.
#[derive(Debug)]
pub(crate) struct Entry<'t> {
    /// `git log`.
    pub(crate) name: &'t str,
    /// The file that it stands in.
    pub(crate) field: &'t str,
    /// What it says, in its order.
    pub(crate) said: Vec<(&'t str, Said<'t>)>,
    /// Other entries are its sub-commands.
    pub(crate) has_subs: bool,
}

/// All of the table.
#[derive(Debug, Default)]
pub(crate) struct Table<'t> {
    pub(crate) entries: Vec<Entry<'t>>,
    /// The entry of every name, with those of `also`.
    pub(crate) names: BTreeMap<String, usize>,
    /// What is wrong with it.
    pub(crate) wrong: Vec<String>,
}

impl<'t> Table<'t> {
    /// Of files, each with its name.
    pub(crate) fn of(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let mut table = Self::default();
        for (field, text) in files {
            table.add_file(field, text);
        }
        let mut subs: BTreeSet<&str> =
            table.entries.iter().filter_map(|entry| Some(entry.name.rsplit_once(' ')?.0)).collect();
        for entry in &mut table.entries {
            entry.has_subs = subs.remove(entry.name);
        }
        table.wrong.extend(subs.into_iter().map(|upper| format!("nothing is called {upper}")));
        table
    }

    fn add_file(&mut self, field: &'t str, text: &'t str) {
        let mut rest = text;
        while let Some((line, behind)) = rest.split_once('\n') {
            rest = behind;
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                self.finish();
                let name = name.trim_matches('"');
                self.entries.push(Entry { name, field, said: Vec::new(), has_subs: false });
                continue;
            }
            let said =
                line.split_once(" = ").and_then(|(key, value)| Some((key, value_of(value, &mut rest)?)));
            match (said, self.entries.last_mut()) {
                (Some((key, _)), Some(entry)) if entry.said.iter().any(|(other, _)| *other == key) => {
                    self.wrong.push(format!("{field}: {}: {key} stands there twice", entry.name));
                }
                (Some(said), Some(entry)) => entry.said.push(said),
                _ => self.wrong.push(format!("{field}: not understood: {line}")),
            }
        }
        if !rest.is_empty() {
            self.wrong.push(format!("{field}: its last line has no end"));
        }
        self.finish();
    }

    /// The names of the entry that was read last.
    fn finish(&mut self) {
        let Some(entry) = self.entries.last() else { return };
        let upper = entry.name.rsplit_once(' ').map(|(upper, _)| upper);
        let also = entry.said.iter().find_map(|(key, said)| match said {
            Said::Text(text) if *key == "also" => Some(*text),
            _ => None,
        });
        let also = also.unwrap_or_default().split_whitespace();
        let also = also.map(|alias| upper.map_or(alias.to_owned(), |upper| format!("{upper} {alias}")));
        let at = self.entries.len() - 1;
        for name in std::iter::once(entry.name.to_owned()).chain(also) {
            // The same entry is finished more than once where a file ends.
            match self.names.insert(name.clone(), at) {
                Some(other) if other != at => self.wrong.push(format!("{name:?} stands there twice")),
                _ => {}
            }
        }
    }
}

/// A value that begins on a line, and may go on behind it.
fn value_of<'t>(value: &'t str, rest: &mut &'t str) -> Option<Said<'t>> {
    let text = match value {
        "true" => return Some(Said::Is(true)),
        "false" => return Some(Said::Is(false)),
        "\"\"\"" => {
            let (text, behind) = rest.split_once("\"\"\"\n")?;
            *rest = behind;
            text
        }
        value => value.strip_prefix('"')?.strip_suffix('"')?,
    };
    (!text.contains(['"', '\\'])).then_some(Said::Text(text))
}
