//! The table: what the files under `programs/` say, by name.
//!
//! The build has cut the files into entries (`build.rs`): an entry is read when it is first looked up, so
//! that one decision does not pay for a thousand programs.

use std::sync::OnceLock;

use super::form::CommandForm;
pub(super) use super::names::NameLists;
use super::packed::{self, Part};
pub(super) use super::table_entry::{OptionStyle, ProgramKind, RewriteFolder, SpecialCase, TableEntry};

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
        // That aliases are looked at says nothing of the words behind one, or behind a sub-command that is not listed.
        let special = form.special.is_some_and(|special| special != SpecialCase::Aliases);
        let known = form.operands.is_some() || form.program.is_some() || special || form.reader;
        form.kind == ProgramKind::Plain && !known && (self.part.has_subs || !self.name().contains(' '))
    }

    /// Whether `name` is no sub-command of a program of which all are known, or begins several: to another version it is one of them.
    pub(super) fn lacks_sub(&self, name: &str) -> bool {
        // `+nightly` is none.
        let named = name.starts_with(|c: char| c.is_alphanumeric());
        let subs = self.form().subs.as_ref().filter(|_| named);
        let told = || self.form().aliases.iter().any(|(alias, full)| alias == name || full == name);
        let clear = |full: &[&str]| full.len() == 1 || !full.is_empty() && told();
        subs.is_some_and(|subs| !subs.contains(name)) && !clear(&self.full_names(name))
    }

    /// Whether all that the table says of it is its name: its first word may be what it runs, as that of any program.
    pub(super) fn says_nothing(&self) -> bool {
        let said = self.part.entry_text().split_terminator('\u{1e}');
        !self.part.has_subs && said.into_iter().all(|pair| pair.starts_with("also\u{1f}"))
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
            let mut reaches = None;
            for (at, _) in self.name().match_indices(' ') {
                let upper = self.name().get(..at).and_then(|upper| ProgramTable::get().find_entry(upper));
                let Some(upper) = upper.and_then(|upper| TableEntry::parse(upper.part.entry_text()).ok())
                else {
                    continue;
                };
                entry.certain.push(' ');
                entry.certain.push_str(&upper.certain);
                entry.inherit_spelling(upper.spelling);
                reaches = upper.reaches.or(reaches);
                above.extend(Some(upper).filter(|upper| upper.everywhere));
            }
            entry.reaches = entry.reaches.or(reaches);
            let by_field = matches!(self.source_file(), "build" | "tools") && entry.reader != Some(true);
            let anywhere = entry.responses == Some(true);
            entry.responses = entry.responses.or(Some(by_field));
            let of_tools = matches!(self.source_file(), "build" | "tools" | "packages");
            let mut form = CommandForm::new(&entry, &above);
            form.of_tools = of_tools;
            form.responses_anywhere = anywhere;
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
        let named = |name: &str| {
            ProgramTable::get().find_entry(&format!("{} {}", self.name(), name.replace('/', " ")))
        };
        named(name).or_else(|| {
            let mut full = self.full_names(name).into_iter().filter_map(named);
            let first = full.next()?;
            full.all(|other| std::ptr::eq(first, other)).then_some(first)
        })
    }

    /// Whether sub-commands of it are known, or other names for some.
    pub(super) fn names_subs(&self) -> bool {
        self.part.has_subs || !self.form().aliases.is_empty()
    }

    /// Whether a name of several parts begins so: `container` of `container/rm`.
    pub(super) fn begins_name(&self, path: &str) -> bool {
        let begins = |name: &String| name.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        self.form().aliases.iter().any(|(alias, full)| begins(alias) || begins(full))
    }

    /// Whether these names only say where the rest counts: `workspace x`.
    pub(super) fn leaves_out(&self, path: &str) -> bool {
        let parts = || path.split('/');
        let is = |own: &str| {
            own.split('/').count() == parts().count()
                && own.split('/').zip(parts()).all(|(own, part)| own == "*" || own == part)
        };
        self.form().aliases.iter().any(|(own, full)| full.is_empty() && is(own))
    }

    /// Other names of the sub-command that the program may take `name` for: the one that it is an alias of (`cargo r`) and
    /// the aliases of the same, or those that it begins where the program takes these too (`npm publ`). The parts of a name
    /// have a slash between them: `container/rm`.
    pub(super) fn full_names(&self, name: &str) -> Vec<&str> {
        let form = self.form();
        let alias = form.aliases.iter().find(|(alias, full)| *alias == name && !full.is_empty());
        let full = alias.map_or(name, |(_, full)| full);
        let same = form.aliases.iter().filter(|(_, other)| other == full);
        let same: Vec<_> = same.flat_map(|(alias, full)| [full, alias]).map(String::as_str).collect();
        if !same.is_empty() {
            let mut others: Vec<_> = same.into_iter().filter(|other| *other != name).collect();
            others.sort_unstable();
            others.dedup();
            return others;
        }
        if !form.abbreviates || name.is_empty() || name.contains('/') {
            return Vec::new();
        }
        // What a name of several parts begins with is a name by itself: `conf` is `config`, and not `config/set`.
        let begun = |of: &str| of.starts_with(name) && of != name && !of.contains(['/', '*']);
        let aliases = form.aliases.iter().filter(|(_, full)| !full.is_empty());
        let full = aliases.filter(|(alias, full)| begun(alias) || begun(full)).map(|(_, full)| full.as_str());
        let mut all: Vec<_> =
            ProgramTable::sub_command_names(self.name(), name).into_iter().chain(full).collect();
        all.sort_unstable();
        all.dedup();
        all
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
