//! What mayi protects by itself, whatever the rules are silent about (D4.5).
//!
//! What is protected by its name stands in [`table`]; commands that are dangerous by themselves are
//! recognised by their words.

mod catastrophe;
mod deferred_runs;
mod elsewhere;
mod lazy_rows;
pub(super) mod places;
mod self_protection;
mod table;

pub use deferred_runs::git_runs_key;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::index::Index;
use super::pattern::path::Fit;
use super::pattern::{AccessForms, Certainty, PatternAuthor, PatternBases, TouchForms};
use super::{Effect, Pattern, PatternError};
use crate::words;
use catastrophe::Destruction;
use elsewhere::Elsewhere;
pub use lazy_rows::PathLooks;
#[cfg(test)]
pub(crate) use lazy_rows::tests::Links;
use lazy_rows::{LazyRows, TABLES};
use mayi_call::shell::{TouchedPath, Use};
use mayi_call::{Access, Selector, ShellAccess, WriteKind};
use places::PathObjection;

/// One thing that is protected.
#[derive(Clone, Debug)]
pub struct Protected {
    /// Ask or deny.
    pub effect: Effect,
    /// For an ask: whether it holds whatever the mode.
    pub always: bool,
    /// For a plain ask: whether mode auto leaves it as it is.
    pub holds: bool,
    /// What it is about.
    pub pattern: Pattern,
    /// Why.
    pub reason: String,
    /// A managed file added it: only a managed file can except from it.
    pub managed: bool,
    /// What folders above it count for.
    written: PatternAuthor,
}

/// What is protected, compiled. By default nothing is: see [`Protection::built_in`].
#[derive(Clone, Debug, Default)]
pub struct Protection {
    entries: Vec<Protected>,
    /// Rows of the tables that are no entries yet.
    lazy: Option<LazyRows>,
    /// What is excepted, and whether a managed file says so.
    except: Vec<(Pattern, bool)>,
    readable: Vec<PathBuf>,
    home: Option<PathBuf>,
    /// Commands and places are protected too, not only what patterns name.
    built_in: bool,
    /// What destroys elsewhere.
    elsewhere: Elsewhere,
    /// Made from the entries when it is first needed, and again after they were changed.
    index: OnceLock<Index>,
}

/// What speaks against an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// Ask or deny.
    pub effect: Effect,
    /// It holds whatever the mode and the rules.
    pub always: bool,
    /// A plain ask that mode auto leaves as it is.
    pub holds: bool,
    /// It may be what is protected: that is known only when it runs.
    pub unsure: bool,
    /// The pattern that matched.
    pub pattern: Option<String>,
    /// Why.
    pub reason: String,
    /// Of what is only touched: the change that it would be; none: a read.
    pub write: Option<WriteKind>,
}

const DESTROYS: &str = "this would destroy the machine's or the user's files";
const OWN: &str = "this would change mayi itself or answer for the person";
const LATER: &str = "what is written there is run later";
const SETTINGS: &str = "settings of editors and agents say what they run";
const SECRET: &str = "a private key or credential store";

impl Protection {
    /// What is built in. `own` are mayi's own folders: nothing that an agent does may change them.
    ///
    /// # Errors
    /// If a folder's name can't be written as a pattern.
    pub fn built_in(places: &PatternBases, own: &[PathBuf]) -> Result<Self, PatternError> {
        let mut protection = Self::without_tables(places);
        for table in TABLES {
            for row in table.rows {
                // Without a home folder there is nothing below it to protect.
                if places.home.is_some() || !row.starts_with("~/") {
                    protection.entries.push(table.protected_row(row, places)?);
                }
            }
        }
        protection.add_own_folders(own, places)?;
        Ok(protection)
    }

    /// As [`Self::built_in`], for a process that decides about one call: only what could be about that is compiled. `looks` tells
    /// what is on the disk.
    ///
    /// # Errors
    /// As [`Self::built_in`].
    pub fn built_in_lazily(
        places: &PatternBases,
        own: &[PathBuf],
        looks: &dyn PathLooks,
    ) -> Result<Self, PatternError> {
        let Some(rows) = LazyRows::new(places, looks) else { return Self::built_in(places, own) };
        let mut protection = Self { lazy: Some(rows), ..Self::without_tables(places) };
        protection.add_own_folders(own, places)?;
        Ok(protection)
    }

    fn without_tables(places: &PatternBases) -> Self {
        let mut readable: Vec<PathBuf> = table::READABLE.iter().map(PathBuf::from).collect();
        if let Some(home) = &places.home {
            readable.extend(table::READABLE_HOME.iter().map(|folder| home.join(folder)));
        }
        Self { home: places.home.clone(), built_in: true, readable, ..Self::default() }
    }

    fn add_own_folders(&mut self, own: &[PathBuf], places: &PatternBases) -> Result<(), PatternError> {
        for folder in own {
            // The folder itself too: it could be moved away.
            for selector in [Selector::Write(WriteKind::Write), Selector::Read] {
                self.entries.push(Protected {
                    effect: Effect::Deny,
                    always: false,
                    holds: false,
                    pattern: Pattern::exact_path_at(selector, folder, places)?,
                    reason: "mayi's own files".to_owned(),
                    managed: false,
                    written: PatternAuthor::BuiltIn,
                });
            }
        }
        Ok(())
    }

    /// Protects below `folder` too what is protected below `~/.config`: programs keep their settings there if
    /// `$XDG_CONFIG_HOME` says so.
    ///
    /// # Errors
    /// If its name can't be written as a pattern.
    pub fn add_settings_folder(
        &mut self,
        folder: &Path,
        places: &PatternBases,
        looks: &dyn PathLooks,
    ) -> Result<(), PatternError> {
        let usual = places.home.as_ref().map(|home| home.join(".config"));
        if usual.as_deref() == Some(folder) || !folder.is_absolute() {
            return Ok(());
        }
        self.index = OnceLock::new();
        let before = self.entries.len();
        if let Some(lazy) = &mut self.lazy
            && lazy.add_settings(folder, before, places, looks)
        {
            return Ok(());
        }
        for table in TABLES {
            for place in table.settings_places() {
                self.entries.push(table.protected_setting(folder, place, places)?);
            }
        }
        Ok(())
    }

    /// The same with its first entries, which are what is built in, as rows.
    #[cfg(test)]
    pub(super) fn as_lazy(&self) -> Option<Self> {
        let places = PatternBases { home: self.home.clone(), ..PatternBases::default() };
        let rows = LazyRows::new(&places, &Links(&[])).filter(|_| self.built_in && self.lazy.is_none())?;
        Some(Self {
            entries: self.entries.get(rows.all().len()..)?.to_vec(),
            lazy: Some(rows),
            except: self.except.clone(),
            readable: self.readable.clone(),
            home: self.home.clone(),
            built_in: true,
            elsewhere: self.elsewhere.clone(),
            index: OnceLock::new(),
        })
    }

    /// Protects more: from a file's `[protection] add`.
    pub fn add_entry(&mut self, pattern: Pattern, reason: String, managed: bool) {
        self.index = OnceLock::new();
        let written = PatternAuthor::ByHand;
        self.entries.push(Protected {
            effect: Effect::Ask,
            always: true,
            holds: false,
            pattern,
            reason,
            managed,
            written,
        });
    }

    /// Takes something out: from a user's or managed file's `[protection] except`. A user's takes out
    /// nothing that a managed file added.
    pub fn add_exception(&mut self, pattern: Pattern, managed: bool) {
        self.except.push((pattern, managed));
    }

    /// Whether `access` is excepted from what anybody, or a managed file, added.
    fn excepts(&self, access: &Access, roots: &[PathBuf], from_managed: bool) -> bool {
        self.except
            .iter()
            .any(|(pattern, managed)| (*managed || !from_managed) && pattern.excepts(access, roots))
    }

    /// What is protected, for `config show`.
    #[must_use]
    pub fn entries(&self) -> Vec<&Protected> {
        let rows = self.lazy.as_ref().map(LazyRows::all).unwrap_or_default();
        let all = (0..).zip(&self.entries).map(|(at, _)| at).collect();
        let elsewhere = self.elsewhere.entries().filter(|_| self.built_in);
        self.in_order(rows, all).flatten().chain(elsewhere).collect()
    }

    /// Compiles what would else be when it is first needed.
    pub(super) fn build_index(&self) {
        self.index();
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.entries.iter().map(|entry| &entry.pattern)))
    }

    /// Rows and entries by their numbers, as they would stand if all were entries. `None`: a row that can't be compiled.
    fn in_order(&self, rows: Vec<u32>, entries: Vec<u32>) -> impl Iterator<Item = Option<&Protected>> {
        let mut found: Vec<(usize, bool, Option<&Protected>)> =
            Vec::with_capacity(rows.len() + entries.len());
        if let Some(lazy) = &self.lazy {
            found.extend(rows.into_iter().map(|row| (lazy.entries_before(row), false, lazy.protected(row))));
        }
        let entry = |at: u32| {
            let at = usize::try_from(at).ok()?;
            Some((at, true, Some(self.entries.get(at)?)))
        };
        found.extend(entries.into_iter().filter_map(entry));
        if self.lazy.is_some() {
            // Stable: rows and entries are in their order each.
            found.sort_by_key(|(before, is_entry, _)| (*before, *is_entry));
        }
        found.into_iter().map(|(_, _, protected)| protected)
    }

    /// What could be about an access.
    fn candidates_for(&self, seen: &AccessForms<'_>) -> impl Iterator<Item = Option<&Protected>> {
        let rows = self.lazy.as_ref().map(|lazy| lazy.candidates_for(seen)).unwrap_or_default();
        self.in_order(rows, self.index().candidates_for(seen))
    }

    /// What could be about something that is touched.
    fn about_touch(&self, seen: &TouchForms<'_>) -> impl Iterator<Item = Option<&Protected>> {
        let rows = self.lazy.as_ref().map(|lazy| lazy.about_touch(seen)).unwrap_or_default();
        self.in_order(rows, self.index().about_touch(seen))
    }

    /// Everything that speaks against an access itself.
    pub(super) fn access_objections(&self, seen: &AccessForms<'_>) -> Vec<Objection> {
        let (access, roots) = (seen.access, seen.roots);
        let mut found = Vec::new();
        let mut unknown = None;
        for entry in self.candidates_for(seen) {
            let Some(entry) = entry else {
                unknown = Some(unknown_objection());
                continue;
            };
            let fit = entry.pattern.fit(seen, entry.written);
            if fit != Fit::No && !self.is_excepted(entry, Some(access), roots) {
                add_best_objection(entry, None, fit, &mut found);
            }
        }
        let mut found: Vec<Objection> =
            found.into_iter().map(|(_, against)| against).chain(unknown).collect();
        if !self.built_in {
            return found;
        }
        let mut elsewhere = Vec::new();
        match access {
            Access::Read(path) => {
                self.add_path_objection(places::read(path, roots, &self.readable), access, roots, &mut found)
            }
            Access::Write(_, path) => {
                self.add_path_objection(places::write_objection(path, roots), access, roots, &mut found)
            }
            Access::Shell(shell) => {
                found.extend(self.command_objection(shell));
                for entry in self.elsewhere.about(seen) {
                    if !self.is_excepted(entry, Some(access), roots) {
                        add_best_objection(entry, None, Fit::Whole, &mut elsewhere);
                    }
                }
                found.extend(elsewhere.into_iter().map(|(_, against)| against));
            }
            _ => {}
        }
        found
    }

    /// Everything that speaks against a path that is touched; a word that could be any path counts once,
    /// and not for long: an explicit allow of the command silences it.
    pub(super) fn touch_objections(&self, seen: &TouchForms<'_>) -> Vec<Objection> {
        let roots = seen.roots;
        let mut found = Vec::new();
        let (mut perhaps, mut unknown) = (None, None);
        for entry in self.about_touch(seen) {
            let Some(entry) = entry else {
                unknown = Some(unknown_objection());
                continue;
            };
            let Some(touching) = entry.pattern.match_touch(seen, entry.written) else { continue };
            if self.is_excepted(entry, seen.as_access(touching.write).as_ref(), roots) {
                continue;
            }
            match touching.certainty {
                Certainty::Known => add_best_objection(entry, touching.write, touching.fit, &mut found),
                Certainty::Perhaps => {
                    perhaps.get_or_insert((touching.write, entry.pattern.to_string()));
                }
            }
        }
        let mut found: Vec<Objection> =
            found.into_iter().map(|(_, against)| against).chain(unknown).collect();
        if let Some((write, pattern)) = perhaps {
            let reason = match &seen.touch.path {
                TouchedPath::Open(open) => words::open_path_reason(open, &pattern),
                TouchedPath::Known(_) => format!("it could reach a protected path, such as {pattern}"),
            };
            let (effect, always, holds) = (Effect::Ask, false, false);
            found.push(Objection { effect, always, holds, unsure: true, pattern: None, reason, write });
        }
        if self.built_in {
            self.places_of_touch(seen, roots, &mut found);
        }
        found
    }

    fn places_of_touch(&self, seen: &TouchForms<'_>, roots: &[PathBuf], found: &mut Vec<Objection>) {
        let write = match seen.touch.how {
            Use::Write(kind) => Some(kind),
            Use::Read => None,
            // What it is used for is not known: only names speak.
            Use::Either => return,
        };
        match (&seen.touch.path, seen.as_access(write)) {
            (TouchedPath::Known(path), Some(access)) => {
                let place = match write {
                    Some(_) => places::write_objection(path, roots),
                    None => places::read(path, roots, &self.readable),
                };
                self.add_path_objection(place, &access, roots, found);
            }
            (TouchedPath::Open(open), _) => {
                let folder =
                    open.pieces.first().and_then(Option::as_deref).filter(|text| text.starts_with('/'));
                let Some(folder) =
                    folder.map(|text| Path::new(text.rsplit_once('/').map_or("/", |(at, _)| at)))
                else {
                    return;
                };
                let inside = |at: &PathBuf| folder.starts_with(at);
                let may = roots.iter().any(inside) || (write.is_none() && self.readable.iter().any(inside));
                if !may {
                    let reason = "outside of the session's folders".to_owned();
                    found.push(Objection {
                        effect: Effect::Ask,
                        always: write.is_some(),
                        holds: false,
                        unsure: false,
                        pattern: None,
                        reason,
                        write,
                    });
                }
            }
            _ => {}
        }
    }

    /// What destroys, or answers for the person, can't be excepted.
    fn is_excepted(&self, entry: &Protected, access: Option<&Access>, roots: &[PathBuf]) -> bool {
        entry.effect != Effect::Deny
            && access.is_some_and(|access| self.excepts(access, roots, entry.managed))
    }

    fn add_path_objection(
        &self,
        place: Option<PathObjection>,
        access: &Access,
        roots: &[PathBuf],
        found: &mut Vec<Objection>,
    ) {
        let Some(PathObjection { effect, always, reason }) = place else { return };
        if effect == Effect::Deny || !self.excepts(access, roots, false) {
            let write = if let Access::Write(kind, _) = access { Some(*kind) } else { None };
            found.push(Objection {
                effect,
                always,
                holds: false,
                unsure: false,
                pattern: None,
                reason,
                write,
            });
        }
    }

    fn command_objection(&self, shell: &ShellAccess) -> Option<Objection> {
        let (effect, reason) = if self_protection::is_own_command(shell) {
            (Effect::Deny, OWN)
        } else {
            match catastrophe::find_destruction(shell, self.home.as_deref()) {
                Destruction::Certainly => (Effect::Deny, DESTROYS),
                Destruction::Perhaps => {
                    (Effect::Ask, "a word that is not known could make this destroy everything")
                }
                Destruction::No if deferred_runs::sets_what_git_runs(shell) => {
                    (Effect::Ask, "git would run what is set there")
                }
                Destruction::No => return None,
            }
        };
        Some(Objection {
            effect,
            always: effect == Effect::Ask,
            holds: false,
            unsure: false,
            pattern: None,
            reason: reason.to_owned(),
            write: None,
        })
    }
}

/// What speaks against what could be protected by a row that can't be compiled.
fn unknown_objection() -> Objection {
    Objection {
        effect: Effect::Deny,
        always: false,
        holds: false,
        unsure: false,
        pattern: None,
        reason: "it is not known what is protected there".to_owned(),
        write: None,
    }
}

/// Takes an entry as a finding; of those of one kind, the first that fits best: a folder lies above many.
fn add_best_objection(
    entry: &Protected,
    write: Option<WriteKind>,
    fit: Fit,
    found: &mut Vec<(Fit, Objection)>,
) {
    let same = |(_, of): &&mut (Fit, Objection)| {
        (of.effect, of.always, of.write) == (entry.effect, entry.always, write) && of.reason == entry.reason
    };
    let pattern = || Some(entry.pattern.to_string());
    match found.iter_mut().find(same) {
        Some((best, of)) if *best < fit => (*best, of.pattern) = (fit, pattern()),
        Some(_) => {}
        None => {
            let (effect, always, holds) = (entry.effect, entry.always, entry.holds);
            let reason = entry.reason.clone();
            found.push((
                fit,
                Objection { effect, always, holds, unsure: false, pattern: pattern(), reason, write },
            ));
        }
    }
}
