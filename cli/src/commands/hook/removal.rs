//! Mayi's hooks out of a harness's file: to the byte where they are as they were put in, else the hooks alone.

use std::path::{Path, PathBuf};

use mayi_hook::{HARNESSES, Harness};

use super::install::{PLUGIN, PLUGIN_COMMAND, mentions_hook};
use super::install_notes::{InstallNote, InstallNotes};
use super::settings_files::{HarnessSettings, HookShape};
use super::{edit, reformatted};
use crate::commands::removal::Removal;
use crate::context::Context;
use crate::error::CliError;

/// The text of a file without the hooks.
#[derive(Debug)]
pub(super) struct HookRemoval {
    /// None: the file was not there before, and goes.
    pub(super) new: Option<String>,
    /// What there is to know of it.
    pub(super) remarks: Vec<String>,
}

/// `text` without the hooks of `harness`; none if it has none.
///
/// # Errors
/// Why they can't be taken out.
pub(super) fn without_hooks(
    harness: &Harness,
    place: &HarnessSettings,
    note: Option<&InstallNote>,
    text: &str,
) -> Result<Option<HookRemoval>, String> {
    let created = note.is_some_and(|note| note.created);
    let mut text = text.to_owned();
    let mut remarks = Vec::new();
    // Somebody may have changed what was noted: what goes has to be a hook of mayi's.
    let noted = note.filter(|note| note.pieces.iter().any(|piece| mentions_hook(piece, harness)));
    let exact = noted.and_then(|note| edit::without_pieces(&text, &note.pieces));
    // A member that was put behind mayi's has the comma in front of it.
    let exact = exact.filter(|old| {
        old.trim().is_empty() || (place.shape != HookShape::Plugin && reformatted::is_whole(old))
    });
    let is_exact = exact.is_some();
    if let Some(old) = exact {
        text = old;
    }
    if mentions_hook(&text, harness) {
        if place.shape == HookShape::Plugin {
            if !is_whole_plugin(&text) {
                return Err(format!(
                    "was changed since mayi wrote it: look at it, and remove it by hand if all of it is `hook {}`",
                    harness.name
                ));
            }
            return Ok(Some(HookRemoval { new: None, remarks }));
        }
        let own = |command: &str| mentions_hook(command, harness);
        // Without a note, a list that has become empty is taken for mayi's.
        let made = |key: &str| {
            let quoted = format!("\"{key}\":");
            note.is_none_or(|note| note.pieces.iter().any(|piece| piece.contains(&quoted)))
        };
        let top: Vec<&str> = place.top_members.iter().map(|(name, _)| *name).collect();
        let near = reformatted::without_own_hooks(&text, &own, &made, &top)
            .map_err(|why| format!("{why}: take out what says `hook {}` by hand", harness.name))?;
        match near {
            Some(new) => {
                text = new;
                remarks.push("it was edited since: mayi's hooks alone are taken out".to_owned());
            }
            None if !is_exact => {
                return Err(format!(
                    "has mayi's hooks in another form than they were put in: take out what says `hook {}` by hand",
                    harness.name
                ));
            }
            None => {}
        }
        if mentions_hook(&text, harness) {
            remarks.push(format!("it still says `hook {}` elsewhere, which is left alone", harness.name));
        }
    } else if !is_exact {
        return Ok(None);
    }
    let bare = text.trim();
    let new = if created && (bare.is_empty() || bare == "{}") { None } else { Some(text) };
    Ok(Some(HookRemoval { new, remarks }))
}

/// Whether a text is the plugin that mayi writes, whatever command stands in it.
fn is_whole_plugin(text: &str) -> bool {
    PLUGIN.split_once(PLUGIN_COMMAND).is_some_and(|(before, after)| {
        let command = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        command.is_some_and(|command| serde_json::from_str::<String>(command).is_ok())
    })
}

/// The folders above `file` that are not there, the outermost first.
pub(super) fn missing_folders(file: &Path) -> Vec<PathBuf> {
    let above = file.ancestors().skip(1).take_while(|folder| folder.symlink_metadata().is_err());
    let mut missing: Vec<PathBuf> = above.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Removes folders that were made for a file, as far as they are empty.
pub(in crate::commands) fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        if std::fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// An editor's settings without those of mayi's extension; none if there are none.
///
/// # Errors
/// If the text can't be read.
pub(in crate::commands) fn without_extension(text: &str) -> Result<Option<String>, String> {
    reformatted::without_members(text, &|name| name.starts_with("mayi."))
}

/// All hooks that mayi put into settings of harnesses.
pub(in crate::commands) struct Hooks {
    notes: InstallNotes,
}

impl Hooks {
    /// Reads what was noted. Where that is damaged, nothing was noted, and it is told.
    pub(in crate::commands) fn read(ctx: &Context) -> (Self, Option<CliError>) {
        match InstallNotes::read(ctx) {
            Ok(notes) => (Self { notes }, None),
            Err(error) => (Self { notes: InstallNotes::empty() }, Some(error)),
        }
    }

    /// Where hooks could be, and whether it was noted that they are.
    pub(in crate::commands) fn candidate_files(&self, ctx: &Context) -> Vec<(PathBuf, bool)> {
        let home = ctx.sources.folders.home.as_deref();
        let places = HARNESSES.iter().filter_map(|harness| HarnessSettings::for_harness(harness.name));
        let own = places.filter_map(|place| Some((place.own_file(home?), false)));
        self.notes.all.iter().map(|note| (note.file.clone(), true)).chain(own).collect()
    }

    /// `text`, which is that of `file` (`target`, links resolved), without all of mayi's hooks; none if there are none.
    ///
    /// # Errors
    /// Why they can't be taken out.
    pub(in crate::commands) fn plan_removal(
        &self,
        file: &Path,
        target: &Path,
        text: &str,
        ctx: &Context,
    ) -> Result<Option<Removal>, String> {
        let home = ctx.sources.folders.home.as_deref();
        let mut taken = Removal { new: Some(text.to_owned()), ..Removal::default() };
        for harness in HARNESSES {
            let Some(place) = HarnessSettings::for_harness(harness.name) else { continue };
            let note = self.notes.find_note(harness.name, target);
            if note.is_none() && home.is_none_or(|home| place.own_file(home) != file) {
                continue;
            }
            let Some(now) = &taken.new else { break };
            let Some(out) = without_hooks(harness, place, note, now)? else { continue };
            taken.new = out.new;
            taken.what.push(format!("hooks of {}", harness.title));
            taken.remarks.extend(out.remarks);
            taken.folders.extend(note.into_iter().flat_map(|note| note.folders.clone()));
        }
        Ok((!taken.what.is_empty()).then_some(taken))
    }

    /// Forgets what was noted of a file. Of what is damaged nothing is known.
    ///
    /// # Errors
    /// If that can't be written.
    pub(in crate::commands) fn forget_notes(target: &Path, ctx: &Context) -> Result<(), CliError> {
        let Ok(mut notes) = InstallNotes::read(ctx) else { return Ok(()) };
        let of: Vec<String> =
            notes.all.iter().filter(|note| note.file == target).map(|note| note.harness.clone()).collect();
        for harness in of {
            notes.replace_note(&harness, target, None)?;
        }
        Ok(())
    }
}
