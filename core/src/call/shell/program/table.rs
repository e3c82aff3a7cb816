//! The table: what the files under `programs/` say, by name.
//!
//! The text is read once. An entry's lists of options are taken apart when it is first looked up.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

use super::form::{Form, Meaning};

/// The head of the table, and its files.
const HEAD: &str = include_str!("../programs.toml");
pub(super) const FILES: &[(&str, &str)] = &[
    ("build", include_str!("../programs/build.toml")),
    ("containers", include_str!("../programs/containers.toml")),
    ("files", include_str!("../programs/files.toml")),
    ("git", include_str!("../programs/git.toml")),
    ("interpreters", include_str!("../programs/interpreters.toml")),
    ("network", include_str!("../programs/network.toml")),
    ("packages", include_str!("../programs/packages.toml")),
    ("readers", include_str!("../programs/readers.toml")),
    ("system", include_str!("../programs/system.toml")),
    ("text", include_str!("../programs/text.toml")),
    ("wrappers", include_str!("../programs/wrappers.toml")),
];

/// An entry as it is written. Lists are names with spaces between; `programs.toml` explains them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Entry {
    pub(super) also: String,
    pub(super) like: String,
    pub(super) kind: Kind,
    pub(super) style: Style,
    pub(super) reader: Option<bool>,
    pub(super) everywhere: bool,
    pub(super) digits: bool,
    pub(super) here: Option<bool>,
    pub(super) deep: Option<String>,
    pub(super) caveat: String,
    pub(super) operands: Option<String>,
    pub(super) instead: Option<String>,
    pub(super) special: Option<Special>,
    pub(super) options: String,
    pub(super) patterns: String,
    pub(super) reads: String,
    pub(super) writes: String,
    pub(super) outputs: String,
    pub(super) edits: String,
    pub(super) urls: String,
    pub(super) targets: String,
    pub(super) elsewhere: String,
    pub(super) loads: String,
    pub(super) runs: String,
    pub(super) changes: String,
    pub(super) sends: String,
    pub(super) data: String,
    pub(super) lines: String,
    pub(super) commands: String,
    pub(super) evaluates: String,
    pub(super) query: Option<String>,
}

/// What sort of program it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// One that does its own work.
    #[default]
    Plain,
    /// A wrapper that only changes how: looked through.
    Transparent,
    /// A wrapper that changes what or who: what it runs has to be allowed as well.
    Wrapper,
    /// Runs a package or task by its name: denials look at it as a command.
    Runner,
    /// A shell that is not understood.
    Foreign,
}

/// How options are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Style {
    /// `-abc`, `-ovalue`, `--long=value`, `--lo`; `--` ends them.
    #[default]
    Gnu,
    /// `-long` or `--long`, `-long=value`; `--` ends them.
    Single,
    /// Every word that is listed, wherever it stands, written out; `--` does not end them.
    Words,
}

/// Knowledge that a table can't hold: a language of its own, or a look at the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Special {
    Awk,
    Cargo,
    Cd,
    Date,
    Dd,
    Find,
    Git,
    Jq,
    Sed,
    Sets,
    Shell,
    Tar,
}

/// A program or sub-command, ready for use.
#[derive(Debug, Default)]
pub(super) struct Program {
    entry: Entry,
    /// Entries whose options count here too: the one that this is like, programs that this is a
    /// sub-command of.
    above: Vec<Entry>,
    /// Its sub-commands.
    pub(super) subs: HashMap<String, Program>,
    form: OnceLock<Form>,
}

impl Program {
    pub(super) fn kind(&self) -> Kind {
        self.entry.kind
    }

    pub(super) fn form(&self) -> &Form {
        self.form.get_or_init(|| Form::new(&self.entry, &self.above))
    }
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Table {
    programs: HashMap<String, Program>,
    /// Keys of a repository's configuration that name no program, in lower case; `*` is any name.
    pub(super) harmless_keys: Vec<String>,
    /// Variables that change only how a program's output looks.
    pub(super) inert: Vec<String>,
    /// Variables that change what later words run; `*` at the end is any.
    pub(super) rebinding: Vec<String>,
    /// What is wrong with it: none in a build that passed its tests.
    #[cfg_attr(not(test), allow(dead_code, reason = "a test looks at it"))]
    pub(super) wrong: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code, reason = "a test looks at it"))]
    pub(super) version: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Head {
    version: u32,
    harmless_git_keys: String,
    inert_variables: String,
    rebinding_variables: String,
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::load);

impl Table {
    pub(super) fn get() -> &'static Self {
        &TABLE
    }

    /// The program with this base name.
    pub(super) fn program(&self, base: &str) -> Option<&Program> {
        self.programs.get(base)
    }

    /// Every program and sub-command, with its name.
    #[cfg(test)]
    pub(super) fn all(&self) -> Vec<(String, &Program)> {
        let mut all = Vec::new();
        let mut todo: Vec<(String, &Program)> =
            self.programs.iter().map(|(name, program)| (name.clone(), program)).collect();
        while let Some((name, program)) = todo.pop() {
            todo.extend(program.subs.iter().map(|(sub, program)| (format!("{name} {sub}"), program)));
            all.push((name, program));
        }
        all
    }

    pub(super) fn load() -> Self {
        let mut table = Self::default();
        match toml::from_str::<Head>(HEAD) {
            Ok(head) => {
                table.version = head.version;
                let list = |text: &str| text.split_whitespace().map(str::to_owned).collect();
                table.harmless_keys = list(&head.harmless_git_keys);
                table.inert = list(&head.inert_variables);
                table.rebinding = list(&head.rebinding_variables);
            }
            Err(error) => table.wrong.push(format!("programs.toml: {error}")),
        }
        let mut entries: HashMap<String, Entry> = HashMap::new();
        for (file, text) in FILES {
            match toml::from_str::<HashMap<String, Entry>>(text) {
                Ok(found) => {
                    for (name, entry) in found {
                        if entries.insert(name.clone(), entry).is_some() {
                            table.wrong.push(format!("{file}: {name} stands in two files"));
                        }
                    }
                }
                Err(error) => table.wrong.push(format!("{file}: {error}")),
            }
        }
        // Programs before their sub-commands.
        let mut names: Vec<&String> = entries.keys().collect();
        names.sort_by_key(|name| (name.split(' ').count(), *name));
        for name in names {
            if let Some(entry) = entries.get(name) {
                table.insert(name, entry, &entries);
            }
        }
        table
    }

    fn insert(&mut self, name: &str, entry: &Entry, entries: &HashMap<String, Entry>) {
        let mut entry = entry.clone();
        let mut above = Vec::new();
        if !entry.like.is_empty() {
            match entries.get(&entry.like) {
                Some(like) if like.like.is_empty() => {
                    entry.follow(like);
                    above.push(like.clone());
                }
                _ => self.wrong.push(format!("{name}: like what? {}", entry.like)),
            }
        }
        let parts: Vec<&str> = name.split(' ').collect();
        for count in 1..parts.len() {
            let upper = parts.get(..count).unwrap_or_default().join(" ");
            if let Some(upper) = entries.get(&upper).filter(|upper| upper.everywhere) {
                above.push(upper.clone());
            }
        }
        let (last, folders) = parts.split_last().unwrap_or((&name, &[]));
        let aliases: Vec<String> = entry.also.split_whitespace().map(str::to_owned).collect();
        for alias in std::iter::once((*last).to_owned()).chain(aliases) {
            let program = Program { entry: entry.clone(), above: above.clone(), ..Program::default() };
            let added = match folders {
                [] => self.programs.insert(alias, program).is_none(),
                [first, rest @ ..] => {
                    // The sub-commands of every name of a program: `docker` and `podman`.
                    let names = entries.get(*first).map(|upper| upper.also.clone()).unwrap_or_default();
                    let mut fits = true;
                    for first in std::iter::once(*first).chain(names.split_whitespace()) {
                        fits &= self.place(first, rest, &alias, &entry, &above);
                    }
                    fits
                }
            };
            if !added {
                self.wrong.push(format!("{name}: no such program above it, or twice"));
            }
        }
    }

    fn place(&mut self, first: &str, rest: &[&str], alias: &str, entry: &Entry, above: &[Entry]) -> bool {
        let Some(mut at) = self.programs.get_mut(first) else { return false };
        for step in rest {
            match at.subs.get_mut(*step) {
                Some(next) => at = next,
                None => return false,
            }
        }
        let program = Program { entry: entry.clone(), above: above.to_vec(), ..Program::default() };
        at.subs.insert(alias.to_owned(), program).is_none()
    }
}

impl Entry {
    /// Takes over what `like` says besides its options, where this entry says nothing itself.
    fn follow(&mut self, like: &Self) {
        self.reader = self.reader.or(like.reader);
        self.here = self.here.or(like.here);
        self.digits |= like.digits;
        self.deep = self.deep.take().or_else(|| like.deep.clone());
        self.operands = self.operands.take().or_else(|| like.operands.clone());
        self.instead = self.instead.take().or_else(|| like.instead.clone());
        self.query = self.query.take().or_else(|| like.query.clone());
        self.special = self.special.or(like.special);
        if self.style == Style::Gnu {
            self.style = like.style;
        }
        if self.kind == Kind::Plain {
            self.kind = like.kind;
        }
    }

    /// Its lists of options, with what each is about.
    pub(super) fn lists(&self) -> [(Meaning, &str); 17] {
        [
            (Meaning::Harmless, &self.options),
            (Meaning::Pattern, &self.patterns),
            (Meaning::Reads, &self.reads),
            (Meaning::Writes, &self.writes),
            (Meaning::Outputs, &self.outputs),
            (Meaning::Edits, &self.edits),
            (Meaning::Url, &self.urls),
            (Meaning::Target, &self.targets),
            (Meaning::Elsewhere, &self.elsewhere),
            (Meaning::Loads, &self.loads),
            (Meaning::Runs, &self.runs),
            (Meaning::Changes, &self.changes),
            (Meaning::Sends, &self.sends),
            (Meaning::Data, &self.data),
            (Meaning::Line, &self.lines),
            (Meaning::Command, &self.commands),
            (Meaning::Evaluates, &self.evaluates),
        ]
    }
}
