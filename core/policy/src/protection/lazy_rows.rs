//! The rows of the tables for a process that decides about one call: which of them could be about it is told by their texts, and
//! only those are compiled.
//!
//! What is found is what compiling all of them finds: the lookups are the same code (`index`), with the same keys, and a pattern
//! has the last word. Links on the way of a row are looked for at once, and such a row is compiled then, as the others would be.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::{LATER, Protected, SECRET, SETTINGS, table};
use crate::compiled::EntryKind;
use crate::fold::fold_text;
use crate::index::{Index, IndexTable, KeyLookup, about_touch, find_candidates, sorted_unique};
use crate::pattern::{AccessForms, PatternAuthor, PatternBases, TouchForms};
use crate::{Effect, Pattern, PatternError};
use mayi_call::{Selector, WriteKind};

/// What is on the disk now, as far as it decides where a row leads.
pub trait PathLooks {
    /// Whether a folder is another one than it is called.
    fn is_linked(&self, folder: &Path) -> bool;

    /// What is at a place.
    fn entry_kind(&self, path: &Path) -> EntryKind;
}

/// A table of rows that are about one thing, for one reason.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowTable {
    pub(super) rows: &'static [&'static str],
    pub(super) writes: bool,
    pub(super) reason: &'static str,
}

/// All tables, in their order.
pub(super) const TABLES: [RowTable; 3] = [
    RowTable { rows: table::RUN_LATER, writes: true, reason: LATER },
    RowTable { rows: table::EDITORS_AND_AGENTS, writes: true, reason: SETTINGS },
    RowTable { rows: table::CREDENTIALS, writes: false, reason: SECRET },
];

impl RowTable {
    /// What its patterns are about.
    pub(super) fn selector(self) -> Selector {
        if self.writes { Selector::Write(WriteKind::Write) } else { Selector::Read }
    }

    fn selector_text(self) -> &'static str {
        if self.writes { "write" } else { "read" }
    }

    /// What it protects below `~/.config`, as places below a folder for settings.
    pub(super) fn settings_places(self) -> impl Iterator<Item = &'static str> {
        let below = self.rows.iter().filter_map(|row| row.strip_prefix("~/.config/"));
        below.map(|row| row.trim_end_matches("/**"))
    }

    /// A row of it, compiled at `places`.
    pub(super) fn protected_row(self, row: &str, places: &PatternBases) -> Result<Protected, PatternError> {
        Ok(self.protected(Pattern::parse(&format!("{}({row})", self.selector_text()), places)?))
    }

    /// What is protected at `place` of a folder for settings.
    pub(super) fn protected_setting(
        self,
        folder: &Path,
        place: &str,
        places: &PatternBases,
    ) -> Result<Protected, PatternError> {
        Ok(self.protected(Pattern::exact_path_at(self.selector(), &folder.join(place), places)?))
    }

    fn protected(self, pattern: Pattern) -> Protected {
        Protected {
            effect: Effect::Ask,
            always: true,
            holds: false,
            pattern,
            reason: self.reason.to_owned(),
            managed: false,
            written: PatternAuthor::BuiltIn,
        }
    }
}

/// Where a row begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowBase {
    Top,
    Home,
    Settings,
    /// At any depth.
    Anywhere,
}

/// A row, and its keys in the index.
#[derive(Clone, Copy, Debug)]
struct Row {
    base: RowBase,
    /// As the table has it; of a setting, the place.
    text: &'static str,
    /// The names behind the base, up to the first that is none; at any depth, the same of its place in each root.
    place: &'static str,
    /// At any depth: the longest of its names.
    name: &'static str,
    table: RowTable,
    /// So many other entries stand before it.
    before: usize,
}

impl Row {
    fn of_table(text: &'static str, table: RowTable) -> Self {
        let (base, rest) = match (text.strip_prefix("~/"), text.strip_prefix("**/")) {
            (Some(rest), _) => (RowBase::Home, rest),
            (None, Some(rest)) => (RowBase::Anywhere, rest),
            (None, None) => (RowBase::Top, text.trim_start_matches('/')),
        };
        let (mut place, mut name) = ("", "");
        let (mut whole, mut parts) = (true, 0);
        for part in rest.split('/') {
            parts += 1;
            if part.contains('*') {
                whole = false;
                continue;
            }
            if whole {
                // Up to the end of this part: they stand side by side in one text.
                place = rest.get(..place.len() + usize::from(parts > 1) + part.len()).unwrap_or_default();
            }
            // The last of the longest.
            if part.len() >= name.len() {
                name = part;
            }
        }
        if base == RowBase::Anywhere && parts < 2 {
            // A name alone is at no place.
            place = "";
        }
        Self { base, text, place, name, table, before: 0 }
    }
}

/// A folder that rows begin at.
#[derive(Clone, Debug, Default)]
struct BaseFolder {
    /// As it is.
    path: PathBuf,
    /// As paths are compared: without a slash at its end.
    folded: String,
}

impl BaseFolder {
    /// None: it is written in a way that nobody has here.
    fn new(path: &Path) -> Option<Self> {
        let text = path.to_str()?;
        let plain = text.starts_with('/')
            && !text.ends_with('/')
            && text.split('/').skip(1).all(|name| !matches!(name, "" | "." | ".."));
        plain.then(|| {
            // Each name by itself, as patterns have it.
            let folded = text.split('/').map(fold_text).collect::<Vec<_>>().join("/");
            Self { path: path.to_owned(), folded }
        })
    }
}

/// Rows that are compiled when they are reached.
#[derive(Clone, Debug)]
pub(super) struct LazyRows {
    rows: Vec<Row>,
    home: Option<BaseFolder>,
    settings: Option<BaseFolder>,
    compiled: Vec<OnceLock<Option<Box<Protected>>>>,
    /// Those on whose way is a link, and what finds them by where it leads.
    linked: Vec<u32>,
    linked_index: Index,
}

impl LazyRows {
    /// All rows. `None`: the home folder is written in a way for which they have to be compiled.
    pub(super) fn new(places: &PatternBases, looks: &dyn PathLooks) -> Option<Self> {
        let home = match &places.home {
            Some(home) => Some(BaseFolder::new(home)?),
            None => None,
        };
        let mut rows = Vec::with_capacity(TABLES.iter().map(|table| table.rows.len()).sum());
        for table in TABLES {
            let all = table.rows.iter().map(|text| Row::of_table(text, table));
            // Without a home folder there is nothing below it to protect.
            rows.extend(all.filter(|row| home.is_some() || row.base != RowBase::Home));
        }
        let mut lazy = Self {
            rows: Vec::new(),
            home,
            settings: None,
            compiled: Vec::new(),
            linked: Vec::new(),
            linked_index: Index::default(),
        };
        lazy.add_rows(rows, places, looks)?;
        Some(lazy)
    }

    /// Those of a folder for settings too, of which `before` other entries stand before them. False: they have to be compiled.
    pub(super) fn add_settings(
        &mut self,
        folder: &Path,
        before: usize,
        places: &PatternBases,
        looks: &dyn PathLooks,
    ) -> bool {
        let Some(settings) = BaseFolder::new(folder) else { return false };
        if self.settings.is_some() {
            return false;
        }
        self.settings = Some(settings);
        let mut rows = Vec::new();
        for table in TABLES {
            rows.extend(table.settings_places().map(|place| Row {
                base: RowBase::Settings,
                text: place,
                place,
                name: "",
                table,
                before,
            }));
        }
        self.add_rows(rows, places, looks).is_some()
    }

    fn add_rows(&mut self, rows: Vec<Row>, places: &PatternBases, looks: &dyn PathLooks) -> Option<()> {
        let first = self.rows.len();
        self.compiled.extend(rows.iter().map(|_| OnceLock::new()));
        self.rows.extend(rows);
        let mut ways = Ways::default();
        for (at, row) in self.rows.iter().enumerate().skip(first) {
            if row.base != RowBase::Anywhere && ways.has_link(row, self.base(row), looks) {
                let compiled = self.compile(row, places).ok()?;
                let _ = self.compiled.get(at)?.set(Some(Box::new(compiled)));
                self.linked.push(u32::try_from(at).ok()?);
            }
        }
        let linked = self.linked.iter().filter_map(|at| self.protected(*at)).map(|entry| &entry.pattern);
        self.linked_index = Index::new(linked);
        Some(())
    }

    fn base(&self, row: &Row) -> Option<&BaseFolder> {
        match row.base {
            RowBase::Home => self.home.as_ref(),
            RowBase::Settings => self.settings.as_ref(),
            RowBase::Top | RowBase::Anywhere => None,
        }
    }

    fn compile(&self, row: &Row, places: &PatternBases) -> Result<Protected, PatternError> {
        match (row.base, &self.settings) {
            (RowBase::Settings, Some(folder)) => row.table.protected_setting(&folder.path, row.text, places),
            _ => row.table.protected_row(row.text, places),
        }
    }

    /// The rows that could be about an access; the numbers are in order.
    pub(super) fn candidates_for(&self, seen: &AccessForms<'_>) -> Vec<u32> {
        self.with_linked(find_candidates(self, seen), |index| index.candidates_for(seen))
    }

    /// The rows that could be about something that is touched.
    pub(super) fn about_touch(&self, seen: &TouchForms<'_>) -> Vec<u32> {
        self.with_linked(about_touch(self, seen), |index| index.about_touch(seen))
    }

    fn with_linked(&self, mut found: Vec<u32>, linked: impl Fn(&Index) -> Vec<u32>) -> Vec<u32> {
        if self.linked.is_empty() {
            return found;
        }
        let number = |at: u32| self.linked.get(usize::try_from(at).ok()?).copied();
        found.extend(linked(&self.linked_index).into_iter().filter_map(number));
        sorted_unique(found)
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<u32> {
        (0..).zip(&self.rows).map(|(at, _)| at).collect()
    }

    /// How many other entries stand before a row.
    pub(super) fn entries_before(&self, row: u32) -> usize {
        usize::try_from(row).ok().and_then(|at| self.rows.get(at)).map_or(0, |row| row.before)
    }

    /// A row, compiled. `None`: it can't be, and what it is about is not known.
    pub(super) fn protected(&self, row: u32) -> Option<&Protected> {
        let at = usize::try_from(row).ok()?;
        let (row, place) = (self.rows.get(at)?, self.compiled.get(at)?);
        let compile = || {
            let home = self.home.as_ref().map(|home| home.path.clone());
            // No link is on its way.
            let places = PatternBases { home, as_written: true, ..PatternBases::default() };
            self.compile(row, &places).ok().map(Box::new)
        };
        place.get_or_init(compile).as_deref()
    }

    fn find(&self, table: IndexTable, found: &mut Vec<u32>, is_meant: impl Fn(&Row) -> bool) {
        let Some((writes, kind)) = RowKey::of(table) else { return };
        let is_of = |row: &&Row| row.table.writes == writes && kind.has(row);
        found.extend((0..).zip(&self.rows).filter(|(_, row)| is_of(row) && is_meant(row)).map(|(at, _)| at));
    }

    fn folded_base(&self, row: &Row) -> &str {
        self.base(row).map_or("", |base| base.folded.as_str())
    }

    /// The whole name under which a row is found.
    fn whole_name(&self, kind: RowKey, row: &Row) -> String {
        let name = match kind {
            RowKey::Absolute => format!("{}/{}", self.folded_base(row), row.place),
            RowKey::Placed => row.place.to_owned(),
            RowKey::Named => row.name.to_owned(),
            RowKey::Anywhere | RowKey::All | RowKey::Other => String::new(),
        };
        fold_text(&name).into_owned()
    }

    fn has_name(&self, kind: RowKey, row: &Row, name: &str) -> bool {
        match kind {
            RowKey::Absolute => name
                .strip_prefix(self.folded_base(row))
                .and_then(|rest| rest.strip_prefix('/'))
                .is_some_and(|rest| rest.eq_ignore_ascii_case(row.place)),
            RowKey::Placed => name.eq_ignore_ascii_case(row.place),
            RowKey::Named => name.eq_ignore_ascii_case(row.name),
            RowKey::Anywhere | RowKey::All | RowKey::Other => false,
        }
    }
}

/// How rows are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowKey {
    Absolute,
    Placed,
    Named,
    Anywhere,
    All,
    Other,
}

impl RowKey {
    /// Whether a table is about changes, and what its names are.
    fn of(table: IndexTable) -> Option<(bool, Self)> {
        Some(match table {
            IndexTable::ReadAbsolute => (false, Self::Absolute),
            IndexTable::ReadPlaced => (false, Self::Placed),
            IndexTable::ReadNamed => (false, Self::Named),
            IndexTable::ReadAnywhere => (false, Self::Anywhere),
            IndexTable::ReadOthers => (false, Self::Other),
            IndexTable::ReadAll => (false, Self::All),
            IndexTable::WriteAbsolute => (true, Self::Absolute),
            IndexTable::WritePlaced => (true, Self::Placed),
            IndexTable::WriteNamed => (true, Self::Named),
            IndexTable::WriteAnywhere => (true, Self::Anywhere),
            IndexTable::WriteOthers => (true, Self::Other),
            IndexTable::WriteAll => (true, Self::All),
            _ => return None,
        })
    }

    fn is_named(self) -> bool {
        matches!(self, Self::Absolute | Self::Placed | Self::Named)
    }

    /// Whether a row stands in such a table.
    fn has(self, row: &Row) -> bool {
        let anywhere = row.base == RowBase::Anywhere;
        match self {
            Self::All => true,
            Self::Anywhere => anywhere,
            Self::Named => anywhere && !row.name.is_empty(),
            Self::Placed => anywhere && !row.place.is_empty(),
            Self::Absolute => !anywhere && !row.place.is_empty(),
            // What has no name is looked at each time.
            Self::Other => {
                if anywhere {
                    row.name.is_empty()
                } else {
                    row.place.is_empty()
                }
            }
        }
    }
}

impl KeyLookup for LazyRows {
    fn find_named(&self, table: IndexTable, name: &str, found: &mut Vec<u32>) {
        let Some((_, kind)) = RowKey::of(table).filter(|(_, kind)| kind.is_named()) else { return };
        self.find(table, found, |row| self.has_name(kind, row, name));
    }

    fn find_from(&self, table: IndexTable, head: &str, found: &mut Vec<u32>) {
        self.find_between(table, head, "", found);
    }

    fn find_between(&self, table: IndexTable, head: &str, tail: &str, found: &mut Vec<u32>) {
        let Some((_, kind)) = RowKey::of(table).filter(|(_, kind)| kind.is_named()) else { return };
        self.find(table, found, |row| {
            let name = self.whole_name(kind, row);
            name.starts_with(head) && name.ends_with(tail)
        });
    }

    fn find_unnamed(&self, table: IndexTable, found: &mut Vec<u32>) {
        if RowKey::of(table).is_some_and(|(_, kind)| !kind.is_named()) {
            self.find(table, found, |_| true);
        }
    }

    fn is_empty(&self, table: IndexTable) -> bool {
        let Some((writes, kind)) = RowKey::of(table) else { return true };
        !self.rows.iter().any(|row| row.table.writes == writes && kind.has(row))
    }

    fn max_depth(&self, table: IndexTable) -> usize {
        let Some((writes, kind)) = RowKey::of(table) else { return 0 };
        let slashes = |text: &str| text.bytes().filter(|byte| *byte == b'/').count();
        let depth = |row: &Row| match kind {
            RowKey::Absolute => slashes(self.folded_base(row)) + slashes(row.place) + 2,
            RowKey::Placed => slashes(row.place) + 1,
            _ => 0,
        };
        let of_table = self.rows.iter().filter(|row| row.table.writes == writes && kind.has(row));
        of_table.map(depth).max().unwrap_or(0)
    }
}

/// What was found on the ways of rows, so that it is looked at once.
#[derive(Default)]
struct Ways {
    /// By the base and the names behind it.
    known: FxHashMap<(u8, &'static str), EntryKind>,
    /// Whether a base is another folder than it is called.
    linked: [Option<bool>; 3],
    path: String,
}

impl Ways {
    /// Whether a link is on the way of a row.
    fn has_link(&mut self, row: &Row, base: Option<&BaseFolder>, looks: &dyn PathLooks) -> bool {
        if let (Some(folder), Some(linked)) = (base, self.linked.get_mut(row.base as usize))
            && *linked.get_or_insert_with(|| looks.is_linked(&folder.path))
        {
            return true;
        }
        let ends = row.place.match_indices('/').map(|(at, _)| at).chain([row.place.len()]);
        for end in ends {
            let Some(names) = row.place.get(..end).filter(|names| !names.is_empty()) else { return false };
            let kind = match self.known.get(&(row.base as u8, names)) {
                Some(kind) => *kind,
                None => {
                    self.path.clear();
                    self.path.push_str(base.and_then(|folder| folder.path.to_str()).unwrap_or_default());
                    self.path.push('/');
                    self.path.push_str(names);
                    let kind = looks.entry_kind(Path::new(&self.path));
                    self.known.insert((row.base as u8, names), kind);
                    kind
                }
            };
            match kind {
                EntryKind::Link => return true,
                EntryKind::Folder => {}
                EntryKind::Nothing => return false,
            }
        }
        false
    }
}

#[cfg(test)]
pub(super) mod tests;
