//! What mayi protects by itself, whatever the rules are silent about (D4.5).
//!
//! What is protected by its name stands in [`table`]; commands that are dangerous by themselves are
//! recognised by their words.

mod catastrophe;
mod deferred_runs;
pub(super) mod places;
mod self_protection;
mod table;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::index::Index;
use super::pattern::path::Fit;
use super::pattern::{AccessForms, Certainty, PatternAuthor, PatternBases, TouchForms};
use super::{Effect, Pattern, PatternError};
use crate::words;
use catastrophe::Destruction;
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
    /// What is excepted, and whether a managed file says so.
    except: Vec<(Pattern, bool)>,
    readable: Vec<PathBuf>,
    home: Option<PathBuf>,
    /// Commands and places are protected too, not only what patterns name.
    built_in: bool,
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
        let mut protection = Self { home: places.home.clone(), built_in: true, ..Self::default() };
        protection.add_all("write", table::RUN_LATER, LATER, places)?;
        protection.add_all("write", table::EDITORS_AND_AGENTS, SETTINGS, places)?;
        protection.add_all("read", table::CREDENTIALS, SECRET, places)?;
        for folder in own {
            // The folder itself too: it could be moved away.
            for selector in [Selector::Write(WriteKind::Write), Selector::Read] {
                protection.entries.push(Protected {
                    effect: Effect::Deny,
                    always: false,
                    pattern: Pattern::exact_path_at(selector, folder, places)?,
                    reason: "mayi's own files".to_owned(),
                    managed: false,
                    written: PatternAuthor::BuiltIn,
                });
            }
        }
        protection.readable = table::READABLE.iter().map(PathBuf::from).collect();
        if let Some(home) = &places.home {
            protection.readable.extend(table::READABLE_HOME.iter().map(|folder| home.join(folder)));
        }
        Ok(protection)
    }

    /// Protects below `folder` too what is protected below `~/.config`: programs keep their settings there if
    /// `$XDG_CONFIG_HOME` says so.
    ///
    /// # Errors
    /// If its name can't be written as a pattern.
    pub fn add_settings_folder(&mut self, folder: &Path, places: &PatternBases) -> Result<(), PatternError> {
        let usual = places.home.as_ref().map(|home| home.join(".config"));
        if usual.as_deref() == Some(folder) || !folder.is_absolute() {
            return Ok(());
        }
        self.index = OnceLock::new();
        let tables = [
            (Selector::Write(WriteKind::Write), table::RUN_LATER, LATER),
            (Selector::Write(WriteKind::Write), table::EDITORS_AND_AGENTS, SETTINGS),
            (Selector::Read, table::CREDENTIALS, SECRET),
        ];
        for (selector, paths, reason) in tables {
            let below = paths.iter().filter_map(|path| path.strip_prefix("~/.config/"));
            for path in below.map(|path| path.trim_end_matches("/**")) {
                self.entries.push(Protected {
                    effect: Effect::Ask,
                    always: true,
                    pattern: Pattern::exact_path_at(selector, &folder.join(path), places)?,
                    reason: reason.to_owned(),
                    managed: false,
                    written: PatternAuthor::BuiltIn,
                });
            }
        }
        Ok(())
    }

    fn add_all(
        &mut self,
        selector: &str,
        paths: &[&str],
        reason: &str,
        places: &PatternBases,
    ) -> Result<(), PatternError> {
        for path in paths {
            // Without a home folder there is nothing below it to protect.
            if places.home.is_none() && path.starts_with("~/") {
                continue;
            }
            self.entries.push(Protected {
                effect: Effect::Ask,
                always: true,
                pattern: Pattern::parse(&format!("{selector}({path})"), places)?,
                reason: reason.to_owned(),
                managed: false,
                written: PatternAuthor::BuiltIn,
            });
        }
        Ok(())
    }

    /// Protects more: from a file's `[protection] add`.
    pub fn add_entry(&mut self, pattern: Pattern, reason: String, managed: bool) {
        self.index = OnceLock::new();
        let written = PatternAuthor::ByHand;
        self.entries.push(Protected { effect: Effect::Ask, always: true, pattern, reason, managed, written });
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
    pub fn entries(&self) -> &[Protected] {
        &self.entries
    }

    /// Compiles what would else be when it is first needed.
    pub(super) fn build_index(&self) {
        self.index();
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.entries.iter().map(|entry| &entry.pattern)))
    }

    fn entries_at(&self, places: Vec<u32>) -> impl Iterator<Item = &Protected> {
        places.into_iter().filter_map(|at| self.entries.get(usize::try_from(at).ok()?))
    }

    /// Everything that speaks against an access itself.
    pub(super) fn access_objections(&self, seen: &AccessForms<'_>) -> Vec<Objection> {
        let (access, roots) = (seen.access, seen.roots);
        let mut found = Vec::new();
        for entry in self.entries_at(self.index().candidates_for(seen)) {
            let fit = entry.pattern.fit(seen, entry.written);
            if fit != Fit::No && !self.is_excepted(entry, Some(access), roots) {
                add_best_objection(entry, None, fit, &mut found);
            }
        }
        let mut found: Vec<Objection> = found.into_iter().map(|(_, against)| against).collect();
        if !self.built_in {
            return found;
        }
        match access {
            Access::Read(path) => {
                self.add_path_objection(places::read(path, roots, &self.readable), access, roots, &mut found)
            }
            Access::Write(_, path) => {
                self.add_path_objection(places::write_objection(path, roots), access, roots, &mut found)
            }
            Access::Shell(shell) => found.extend(self.command_objection(shell)),
            _ => {}
        }
        found
    }

    /// Everything that speaks against a path that is touched; a word that could be any path counts once,
    /// and not for long: an explicit allow of the command silences it.
    pub(super) fn touch_objections(&self, seen: &TouchForms<'_>) -> Vec<Objection> {
        let roots = seen.roots;
        let mut found = Vec::new();
        let mut perhaps = None;
        for entry in self.entries_at(self.index().about_touch(seen)) {
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
        let mut found: Vec<Objection> = found.into_iter().map(|(_, against)| against).collect();
        if let Some((write, pattern)) = perhaps {
            let reason = match &seen.touch.path {
                TouchedPath::Open(open) => words::open_path_reason(open, &pattern),
                TouchedPath::Known(_) => format!("it could reach a protected path, such as {pattern}"),
            };
            found.push(Objection { effect: Effect::Ask, always: false, pattern: None, reason, write });
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
            found.push(Objection { effect, always, pattern: None, reason, write });
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
            pattern: None,
            reason: reason.to_owned(),
            write: None,
        })
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
            let (effect, always, reason) = (entry.effect, entry.always, entry.reason.clone());
            found.push((fit, Objection { effect, always, pattern: pattern(), reason, write }));
        }
    }
}
