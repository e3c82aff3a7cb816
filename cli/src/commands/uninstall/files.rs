//! The files of other programs in which mayi wrote something, and what becomes of them.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use mayi_core::approval::escape_line;
use mayi_core::config::secure_read;

use super::extension;
use crate::commands::hook::{Hooks, remove_folders, without_extension};
use crate::commands::mcp::Gateways;
use crate::commands::settings::{LARGEST, SettingsFile};
use crate::context::Context;
use crate::error::CliError;

/// What is found.
#[derive(Default)]
pub(super) struct UninstallPlan {
    pub(super) changes: Vec<PlannedChange>,
    /// What stays although it is about mayi, and why.
    pub(super) left: Vec<String>,
}

/// A file that is to be changed.
pub(super) struct PlannedChange {
    pub(super) settings: SettingsFile,
    /// None: it goes.
    pub(super) new: Option<String>,
    /// The old and the new text, without secrets.
    pub(super) shown: (String, String),
    pub(super) what: Vec<String>,
    pub(super) remarks: Vec<String>,
    /// Whether some of it stays, so that what was noted of it is needed still.
    partly: bool,
    folders: Vec<PathBuf>,
}

/// Looks at every file that mayi may have written in. One that can't be read hides no others.
///
/// # Errors
/// If there is no home folder.
pub(super) fn plan_changes(mayi: String, purge: bool, ctx: &Context) -> Result<UninstallPlan, CliError> {
    if ctx.sources.folders.data.is_none() {
        return Err(CliError::internal("there is no home folder: set HOME"));
    }
    let mut found = UninstallPlan::default();
    let ((gateways, damage), (hooks, other)) = (Gateways::read(mayi, ctx), Hooks::read(ctx));
    for error in damage.into_iter().chain(other) {
        found.left.push(format!(
            "{}: what it says of projects' files is not known; remove it, if mayi is in no file but those named here",
            error.message_text()
        ));
    }
    let mut files: BTreeMap<PathBuf, (PathBuf, bool)> = BTreeMap::new();
    let settings = if purge { extension::editor_settings_files(&ctx.sources.folders) } else { Vec::new() };
    let own = gateways.candidate_files(ctx).into_iter().chain(hooks.candidate_files(ctx));
    for (file, noted) in own.chain(settings.iter().map(|file| (file.clone(), false))) {
        let target = match file.canonicalize() {
            Ok(target) => target,
            // What was noted of a file that is gone is of no use.
            Err(error) if is_gone(&error) => continue,
            Err(error) => {
                let name = escape_line(&file.display().to_string());
                let why = format!(
                    "{name}: can't be looked at ({error}): whether something of mayi's is in it is not known"
                );
                if !found.left.contains(&why) {
                    found.left.push(why);
                }
                continue;
            }
        };
        let place = files.entry(target).or_insert_with(|| (file.clone(), noted));
        place.1 |= noted;
        // By the name under which the program looks for it.
        if !noted {
            place.0 = file;
        }
    }
    for (target, (file, noted)) in files {
        let of_extension = settings.contains(&file);
        match inspect_file(&target, &file, noted, of_extension, (&gateways, &hooks), ctx) {
            Ok(Some((change, left))) => {
                let name = escape_line(&file.display().to_string());
                found.left.extend(left.into_iter().map(|why| format!("{name}: {why}")));
                found.changes.extend(change);
            }
            Ok(None) => {}
            Err(why) => found.left.push(why),
        }
    }
    Ok(found)
}

/// Whether there is no such file, as opposed to one that can't be looked at.
pub(super) fn is_gone(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

type InspectedFile = Option<(Option<PlannedChange>, Vec<String>)>;

fn inspect_file(
    target: &Path,
    file: &Path,
    noted: bool,
    of_extension: bool,
    (gateways, hooks): (&Gateways, &Hooks),
    ctx: &Context,
) -> Result<InspectedFile, String> {
    if !noted && !speaks_of_mayi(target)? {
        return Ok(None);
    }
    let settings = SettingsFile::read(file, None).map_err(|error| error.message_text())?;
    if settings.target != target {
        return Err(settings.config_error("is another file by now: try again").message_text());
    }
    let wrong = |why: String| settings.config_error(&why).message_text();
    let mut now = settings.text.clone();
    let (mut what, mut remarks, mut left, mut folders) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut gone = false;
    match gateways.plan_removal(file, target, &now, ctx) {
        Ok(Some(taken)) => {
            now = taken.new.unwrap_or_default();
            what.extend(taken.what);
            remarks.extend(taken.remarks);
            left.extend(taken.left);
        }
        Ok(None) => {}
        Err(why) => left.push(why),
    }
    match hooks.plan_removal(file, target, &now, ctx) {
        Ok(Some(taken)) => {
            gone = taken.new.is_none();
            now = taken.new.unwrap_or_default();
            what.extend(taken.what);
            remarks.extend(taken.remarks);
            folders = taken.folders;
        }
        Ok(None) => {}
        // A file that is no JSON is that for both.
        Err(why) if left.iter().any(|other| why.starts_with(other.as_str())) => left = vec![why],
        Err(why) => left.push(why),
    }
    if of_extension {
        match without_extension(&now) {
            Ok(Some(new)) => {
                now = new;
                what.push("settings of the extension".to_owned());
            }
            Ok(None) => {}
            Err(why) => return Err(wrong(why)),
        }
    }
    if what.is_empty() {
        return Ok((!left.is_empty()).then_some((None, left)));
    }
    let shown = gateways.masked_texts(file, target, (&settings.text, &now), ctx);
    let new = (!gone).then_some(now);
    let change = PlannedChange { settings, new, shown, what, remarks, partly: !left.is_empty(), folders };
    Ok(Some((Some(change), left)))
}

/// Whether a file could have something of mayi's in it: one that has not the word is not looked at any further.
///
/// # Errors
/// If that can't be told.
fn speaks_of_mayi(target: &Path) -> Result<bool, String> {
    let wrong = |why: String| format!("{}: {why}", escape_line(&target.display().to_string()));
    let unknown = |why: &str| wrong(format!("{why}: whether something of mayi's is in it is not known"));
    let file = match secure_read::open(target, true) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(unknown(&format!("can't be read ({error})"))),
    };
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        return Ok(false);
    }
    let mut bytes = Vec::new();
    let read = file.take(LARGEST as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| unknown(&format!("can't be read ({error})")))?;
    if bytes.windows(4).any(|word| word == b"mayi") {
        return Ok(true);
    }
    if bytes.len() > LARGEST { Err(unknown("is larger than 16 MiB")) } else { Ok(false) }
}

impl PlannedChange {
    /// Makes it, and forgets what was noted of the file.
    ///
    /// # Errors
    /// If the file is not as it was read any more, or can't be written.
    pub(super) fn apply(&self, ctx: &Context) -> Result<(), CliError> {
        match &self.new {
            Some(new) => self.settings.replace_text(new)?,
            None => {
                self.settings.delete_file()?;
                remove_folders(&self.folders);
            }
        }
        if !self.partly {
            Gateways::forget_notes(&self.settings.target, ctx)?;
            Hooks::forget_notes(&self.settings.target, ctx)?;
        }
        Ok(())
    }
}
