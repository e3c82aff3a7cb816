//! The table: what the files under `programs/` say, by name.
//!
//! The build has cut the files into entries (`build.rs`): an entry is read when it is first looked up, so
//! that one decision does not pay for a thousand programs.

use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::value::Error;

use super::embedded_paths::Language;
use super::form::{CommandForm, OptionMeaning};
pub(super) use super::names::NameLists;
use super::option_aliases::Spelling;
use super::packed::{self, Part};

/// Its files.
#[cfg(test)]
pub(super) const FILES: &[(&str, &str)] = &[
    ("builtins", include_str!("../programs/builtins.toml")),
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
    ("tools", include_str!("../programs/tools.toml")),
    ("wrappers", include_str!("../programs/wrappers.toml")),
];

/// An entry as it is written. Lists are names with spaces between; `programs.toml` explains them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct TableEntry {
    pub(super) also: String,
    pub(super) like: String,
    pub(super) kind: ProgramKind,
    pub(super) style: OptionStyle,
    pub(super) spelling: Spelling,
    pub(super) throughout: bool,
    pub(super) reader: Option<bool>,
    pub(super) reader_with: Option<String>,
    pub(super) everywhere: bool,
    pub(super) aliases: String,
    pub(super) abbreviates: bool,
    pub(super) digits: bool,
    pub(super) lost: bool,
    pub(super) here: Option<bool>,
    pub(super) here_below: Option<bool>,
    pub(super) deep: Option<String>,
    pub(super) shown: Option<String>,
    pub(super) changed: Option<bool>,
    pub(super) past: Option<String>,
    pub(super) follows: Option<String>,
    pub(super) rewrites: Option<String>,
    pub(super) rewrites_in: Option<RewriteFolder>,
    pub(super) keeps: Option<String>,
    pub(super) sparing: Option<bool>,
    pub(super) own_paths: String,
    pub(super) objects: bool,
    pub(super) lists: Option<String>,
    pub(super) contents: Option<String>,
    pub(super) pathspecs: Option<bool>,
    pub(super) reads_input: Option<bool>,
    pub(super) caveat: String,
    pub(super) operands: Option<String>,
    pub(super) instead: Option<String>,
    pub(super) special: Option<SpecialCase>,
    pub(super) options: String,
    pub(super) patterns: String,
    pub(super) reads: String,
    pub(super) stores: String,
    pub(super) writes: String,
    pub(super) outputs: String,
    pub(super) prints: String,
    pub(super) edits: String,
    pub(super) urls: String,
    pub(super) proxies: String,
    pub(super) targets: String,
    pub(super) into: String,
    pub(super) elsewhere: String,
    pub(super) loads: String,
    pub(super) modules: String,
    pub(super) runs: String,
    pub(super) changes: String,
    pub(super) sends: String,
    pub(super) data: String,
    pub(super) at_files: String,
    pub(super) lines: String,
    pub(super) own_lines: String,
    pub(super) commands: String,
    pub(super) evaluates: String,
    pub(super) splits: String,
    pub(super) sets: String,
    pub(super) passes: String,
    pub(super) query: Option<String>,
    pub(super) tells: bool,
    pub(super) responses: Option<bool>,
    pub(super) hands_on: String,
    pub(super) modes: String,
    pub(super) backups: String,
    pub(super) suffixes: String,
    pub(super) wildcards: String,
    pub(super) archives: bool,
    pub(super) resplits: bool,
    pub(super) downloads: Option<String>,
    pub(super) downloads_in: String,
    pub(super) downloads_to: String,
    pub(super) downloads_not: Option<String>,
    pub(super) server_names: Option<String>,
    pub(super) listing: String,
    pub(super) shows: String,
    pub(super) creates: String,
    pub(super) options_first: Option<String>,
    pub(super) names: String,
    pub(super) runs_input: bool,
    pub(super) program: Option<String>,
    pub(super) program_files: String,
    pub(super) project_files: String,
    pub(super) talks: String,
    pub(super) script: String,
    pub(super) starts_shell: Option<String>,
    pub(super) certain: String,
    pub(super) language: Language,
    pub(super) opens_pipes: bool,
    pub(super) takes_in: Option<String>,
    pub(super) operands_take_in: bool,
}

/// What sort of program it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ProgramKind {
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

/// Below which folder a program changes files that no word names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RewriteFolder {
    /// The folder that it works in, or that an option names.
    #[default]
    Here,
    /// The top of the repository.
    Repository,
    /// Each of its operands; the folder that it works in, if there are none.
    Operands,
    /// The folder that it makes: its last operand, or what the address that it copies from is called.
    Made,
}

/// How options are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OptionStyle {
    /// `-abc`, `-ovalue`, `--long=value`, `--lo`; `--` ends them.
    #[default]
    Gnu,
    /// `-long` or `--long`, `-long=value`; `--` ends them.
    Single,
    /// Every word that is listed, wherever it stands, written out; `--` does not end them.
    Words,
    /// Only words that are listed; all others are text, whatever they begin with.
    Text,
    /// As Gnu, but the values of letters are the next words in their order: `-Lo 2 FILE`.
    Letters,
    /// As Gnu, but of letters only the first counts: `-bc` is `-b`.
    First,
}

/// Knowledge that a table can't hold: a language of its own, or a look at the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SpecialCase {
    Aliases,
    Awk,
    Cargo,
    Cd,
    Date,
    Dd,
    Find,
    Git,
    GitConfig,
    Go,
    Input,
    Jq,
    Module,
    Mounts,
    Remote,
    Sed,
    Sets,
    Several,
    Split,
    Shell,
    Tar,
    User,
}

/// A program or sub-command: its part of a file, and what that says once it was looked up.
#[derive(Debug)]
pub(super) struct ProgramEntry {
    part: Part,
    /// In a place of its own: few are ever looked up, and it is large.
    form: OnceLock<Box<CommandForm>>,
}

impl ProgramEntry {
    pub(super) const fn new(part: Part) -> Self {
        Self { part, form: OnceLock::new() }
    }

    /// `git log`: the name that its part begins with.
    fn name(&self) -> &'static str {
        self.part.name()
    }

    /// Other entries are its sub-commands.
    pub(super) fn has_subs(&self) -> bool {
        self.part.has_subs
    }

    /// Whether it is among the interpreters, shells and wrappers.
    pub(super) fn runs_others(&self) -> bool {
        matches!(self.source_file(), "interpreters" | "wrappers")
    }

    /// The file of the table that it stands in.
    pub(super) fn source_file(&self) -> &'static str {
        self.part.source_file()
    }

    /// Whether it takes further sub-commands, or nothing is known of its operands, so that it may run any of its words.
    pub(super) fn is_vague(&self) -> bool {
        let form = self.form();
        let known =
            form.operands.is_some() || form.program.is_some() || form.special.is_some() || form.reader;
        form.kind == ProgramKind::Plain && !known && (self.part.has_subs || !self.name().contains(' '))
    }

    pub(super) fn kind(&self) -> ProgramKind {
        self.form().kind
    }

    pub(super) fn form(&self) -> &CommandForm {
        self.form.get_or_init(|| {
            let mut entry = TableEntry::parse(self.part.entry_text()).unwrap_or_default();
            // Entries whose options count here too: the one that this is like, and programs that this
            // is a sub-command of.
            let mut above = Vec::new();
            if let Some(like) = ProgramTable::get()
                .find_entry(&entry.like)
                .map(|like| TableEntry::parse(like.part.entry_text()))
            {
                let like = like.unwrap_or_default();
                entry.inherit_from(&like);
                above.push(like);
            }
            for (at, _) in self.name().match_indices(' ') {
                let upper = self.name().get(..at).and_then(|upper| ProgramTable::get().find_entry(upper));
                let Some(upper) = upper.and_then(|upper| TableEntry::parse(upper.part.entry_text()).ok())
                else {
                    continue;
                };
                entry.certain.push(' ');
                entry.certain.push_str(&upper.certain);
                entry.inherit_spelling(upper.spelling);
                above.extend(Some(upper).filter(|upper| upper.everywhere));
            }
            let by_field = matches!(self.source_file(), "build" | "tools") && entry.reader != Some(true);
            entry.responses = entry.responses.or(Some(by_field));
            let of_tools = matches!(self.source_file(), "build" | "tools" | "packages");
            let mut form = CommandForm::new(&entry, &above);
            form.of_tools = of_tools;
            Box::new(form)
        })
    }

    /// What its part says.
    #[cfg(test)]
    pub(super) fn parse_entry(&self) -> TableEntry {
        TableEntry::parse(self.part.entry_text()).unwrap_or_default()
    }

    /// Whether its part can be read, and whether what it is like exists and is like nothing else.
    #[cfg(test)]
    pub(super) fn check_entry(&self) -> Result<(), String> {
        let entry = TableEntry::parse(self.part.entry_text()).map_err(|error| error.to_string())?;
        let like = |name: &str| {
            ProgramTable::get()
                .find_entry(name)
                .and_then(|like| TableEntry::parse(like.part.entry_text()).ok())
        };
        match like(&entry.like) {
            _ if entry.like.is_empty() => Ok(()),
            Some(like) if like.like.is_empty() => Ok(()),
            _ => Err(format!("like what? {}", entry.like)),
        }
    }

    /// The sub-command with this name, or with one that stands for it.
    pub(super) fn sub_command(&self, name: &str) -> Option<&'static ProgramEntry> {
        let named = |name: &str| ProgramTable::get().find_entry(&format!("{} {name}", self.name()));
        named(name).or_else(|| {
            let mut full = self.full_names(name).into_iter().filter_map(named);
            let first = full.next()?;
            full.all(|other| std::ptr::eq(first, other)).then_some(first)
        })
    }

    /// Other names of the sub-command that the program may take `name` for: the one that it is an alias of (`cargo r`) and
    /// the aliases of the same, or those that it begins where the program takes these too (`npm publ`).
    pub(super) fn full_names(&self, name: &str) -> Vec<&str> {
        let form = self.form();
        let alias = form.aliases.iter().find(|(alias, _)| *alias == name);
        let full = alias.map_or(name, |(_, full)| full);
        let same = form.aliases.iter().filter(|(_, other)| other == full);
        let same: Vec<_> = same.flat_map(|(alias, full)| [full, alias]).map(String::as_str).collect();
        if !same.is_empty() {
            let mut others: Vec<_> = same.into_iter().filter(|other| *other != name).collect();
            others.sort_unstable();
            others.dedup();
            return others;
        }
        match form.abbreviates && !name.is_empty() {
            true => ProgramTable::sub_command_names(self.name(), name),
            false => Vec::new(),
        }
    }
}

/// All of it.
#[derive(Debug)]
pub(super) struct ProgramTable {
    programs: &'static [ProgramEntry],
}

static TABLE: ProgramTable = ProgramTable { programs: &packed::PROGRAMS };

impl ProgramTable {
    pub(super) fn get() -> &'static Self {
        &TABLE
    }

    /// The program with this base name.
    pub(super) fn find_program(&self, base: &str) -> Option<&ProgramEntry> {
        (!base.contains(' ')).then(|| self.find_entry(base))?
    }

    /// The entry with this whole name: `git log`.
    fn find_entry(&self, name: &str) -> Option<&ProgramEntry> {
        self.programs.get(packed::find_entry(name)?)
    }

    #[cfg(test)]
    pub(super) fn all_programs(&self) -> impl Iterator<Item = (&'static str, &ProgramEntry)> {
        self.programs.iter().map(|program| (program.name(), program))
    }

    /// The last words of the names that `program`'s sub-commands have and that begin with `start`, in order.
    fn sub_command_names(program: &str, start: &str) -> Vec<&'static str> {
        let whole = format!("{program} {start}");
        let begun = packed::names_with_prefix(&whole);
        let sub = begun.filter_map(|name| name.get(program.len() + 1..));
        sub.filter(|name| !name.contains(' ')).collect()
    }

    /// Every name, with those of `also`.
    pub(super) fn all_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        packed::all_names()
    }
}

impl TableEntry {
    /// Reads what the build has made of the lines below a header.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        packed::read_entry(text)
    }

    /// Takes over what `like` says besides its options, where this entry says nothing itself.
    fn inherit_from(&mut self, like: &Self) {
        self.reader = self.reader.or(like.reader);
        self.reader_with = self.reader_with.take().or_else(|| like.reader_with.clone());
        self.here = self.here.or(like.here);
        self.digits |= like.digits;
        self.here_below = self.here_below.or(like.here_below);
        self.deep = self.deep.take().or_else(|| like.deep.clone());
        self.shown = self.shown.take().or_else(|| like.shown.clone());
        self.changed = self.changed.or(like.changed);
        self.past = self.past.take().or_else(|| like.past.clone());
        self.follows = self.follows.take().or_else(|| like.follows.clone());
        self.rewrites = self.rewrites.take().or_else(|| like.rewrites.clone());
        self.rewrites_in = self.rewrites_in.or(like.rewrites_in);
        self.keeps = self.keeps.take().or_else(|| like.keeps.clone());
        self.sparing = self.sparing.or(like.sparing);
        self.lists = self.lists.take().or_else(|| like.lists.clone());
        self.contents = self.contents.take().or_else(|| like.contents.clone());
        self.pathspecs = self.pathspecs.or(like.pathspecs);
        self.reads_input = self.reads_input.or(like.reads_input);
        self.operands = self.operands.take().or_else(|| like.operands.clone());
        self.instead = self.instead.take().or_else(|| like.instead.clone());
        self.query = self.query.take().or_else(|| like.query.clone());
        self.special = self.special.or(like.special);
        self.archives |= like.archives;
        for (own, other) in [(&mut self.suffixes, &like.suffixes), (&mut self.wildcards, &like.wildcards)] {
            if own.is_empty() {
                own.clone_from(other);
            }
        }
        self.tells |= like.tells;
        self.inherit_spelling(like.spelling);
        self.responses = self.responses.or(like.responses);
        self.runs_input |= like.runs_input;
        self.starts_shell = self.starts_shell.take().or_else(|| like.starts_shell.clone());
        if self.program.is_none() && like.program.is_some() {
            self.program.clone_from(&like.program);
            self.script.clone_from(&like.script);
            self.talks.clone_from(&like.talks);
        }
        self.options_first = self.options_first.take().or_else(|| like.options_first.clone());
        if self.style == OptionStyle::Gnu {
            self.style = like.style;
        }
        if self.kind == ProgramKind::Plain {
            self.kind = like.kind;
        }
    }

    /// Its lists of options, with what each is about.
    pub(super) fn option_lists(&self) -> [(OptionMeaning, &str); 28] {
        [
            (OptionMeaning::Harmless, &self.options),
            (OptionMeaning::Pattern, &self.patterns),
            (OptionMeaning::Reads, &self.reads),
            (OptionMeaning::Stores, &self.stores),
            (OptionMeaning::Names, &self.names),
            (OptionMeaning::Writes, &self.writes),
            (OptionMeaning::Outputs, &self.outputs),
            (OptionMeaning::Prints, &self.prints),
            (OptionMeaning::Edits, &self.edits),
            (OptionMeaning::Url, &self.urls),
            (OptionMeaning::Proxy, &self.proxies),
            (OptionMeaning::Target, &self.targets),
            (OptionMeaning::Into, &self.into),
            (OptionMeaning::Elsewhere, &self.elsewhere),
            (OptionMeaning::Loads, &self.loads),
            (OptionMeaning::Module, &self.modules),
            (OptionMeaning::Runs, &self.runs),
            (OptionMeaning::Changes, &self.changes),
            (OptionMeaning::Sends, &self.sends),
            (OptionMeaning::Data, &self.data),
            (OptionMeaning::AtFile, &self.at_files),
            (OptionMeaning::Line, &self.lines),
            (OptionMeaning::OwnLine, &self.own_lines),
            (OptionMeaning::Command, &self.commands),
            (OptionMeaning::Evaluates, &self.evaluates),
            (OptionMeaning::Split, &self.splits),
            (OptionMeaning::Sets, &self.sets),
            (OptionMeaning::Passes, &self.passes),
        ]
    }
}
