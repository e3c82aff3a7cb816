//! What a file as a whole holds.

use std::path::{Path, PathBuf};

use super::record::RecordEntry;
use super::section::{Section, join_with_or};
use super::{AgentEntry, ServerEntry, agents, apps, record, rules, scalars, servers, tools};
use crate::Layer;
use crate::scalars::{CATEGORIES, EFFECTS, Locks, MODES, Scalars, WithOrigin, keys, lockable_rows};
use mayi_call::Category;
use mayi_policy::{Effect, Mode, Origin, Pattern, Rule};

/// A file, understood.
#[derive(Debug, Default)]
pub(crate) struct ParsedFile {
    /// Modes, matrix, settings of agents and servers.
    pub(crate) scalars: Scalars,
    /// Short and long forms alike.
    pub(crate) rules: Vec<Rule>,
    /// How agents are started.
    pub(crate) agents: Vec<AgentEntry>,
    /// How servers are reached.
    pub(crate) servers: Vec<ServerEntry>,
    /// Apps that are written down, with settings or without.
    pub(crate) apps: Vec<String>,
    /// The user's own settings for some folders.
    pub(crate) workspaces: Vec<WorkspaceEntry>,
    /// Folders that are worked in besides.
    pub(crate) folders: Vec<FolderEntry>,
    /// What is protected besides.
    pub(crate) add: Vec<Pattern>,
    /// What is not protected.
    pub(crate) except: Vec<Pattern>,
    /// What nearer layers may not loosen.
    pub(crate) locks: Locks,
    /// How the record is kept.
    pub(crate) record: RecordEntry,
}

/// `[workspaces."path"]` of a user's file.
#[derive(Debug)]
pub(crate) struct WorkspaceEntry {
    pub(crate) folder: PathBuf,
    pub(crate) mode: Option<WithOrigin<Mode>>,
    pub(crate) folders: Vec<FolderEntry>,
    pub(crate) rules: Vec<Rule>,
}

/// A folder that is worked in besides, and where that is written.
#[derive(Clone, Debug)]
pub(crate) struct FolderEntry {
    pub(crate) folder: PathBuf,
    pub(crate) origin: Origin,
}

pub(super) fn read(mut top: Section<'_, '_>) -> ParsedFile {
    let mut file = ParsedFile::default();
    if let Some(version) = top.take_integer("version")
        && *version.get_ref() != 1
    {
        let help = Some("this mayi reads version 1".to_owned());
        top.reader().add_mistake(version.span(), format!("version {} is not known", version.get_ref()), help);
    }
    scalars::read(&mut top, "", &[], &mut file.scalars);
    read_acp(&mut top, &mut file.scalars);
    read_sandbox(&mut top, &mut file.scalars);
    file.rules = rules::read(&mut top);
    agents::read(&mut top, &mut file);
    servers::read(&mut top, &mut file);
    apps::read(&mut top, &mut file);
    for (tool, category) in tools::read(&mut top) {
        file.scalars.set(keys::TOOL_CATEGORY, &[&tool], Some(category));
    }
    file.workspaces = read_workspaces(&mut top);
    file.folders = read_workspace(&mut top);
    read_matrix(&mut top, &mut file.scalars);
    read_protection(&mut top, &mut file);
    read_locks(&mut top, &mut file.locks);
    file.record = record::read(&mut top);
    top.finish();
    file
}

fn read_mode(section: &mut Section<'_, '_>) -> Option<WithOrigin<Mode>> {
    let mode = section.take_word("mode", MODES)?;
    Some(WithOrigin::new(*mode.get_ref(), section.reader().span_origin(&mode.span())))
}

/// `[acp]`: the version of the protocol is the user's choice, since a repository knows neither their editor nor their agents.
fn read_acp(top: &mut Section<'_, '_>, scalars: &mut Scalars) {
    let Some(mut section) = top.take_table("acp") else { return };
    if section.reader().layer == Layer::Workspace {
        section.add_mistake("a file in a repository has no settings for `mayi acp`", "leave out [acp]");
    }
    scalars::read(&mut section, "acp", &[], scalars);
    section.finish();
}

/// `[sandbox]`: settings of one value each.
fn read_sandbox(top: &mut Section<'_, '_>, scalars: &mut Scalars) {
    let Some(mut section) = top.take_table("sandbox") else { return };
    scalars::read(&mut section, "sandbox", &[], scalars);
    section.finish();
}

fn read_workspaces(top: &mut Section<'_, '_>) -> Vec<WorkspaceEntry> {
    let mut entries = Vec::new();
    for (name, mut section) in top.named_tables("workspaces") {
        let reader = section.reader();
        if reader.layer == Layer::Workspace {
            section.add_mistake(
                "a file in a repository has no settings for workspaces",
                "leave out [workspaces]",
            );
        }
        let folder = named_folder(name.get_ref(), reader.places.home.as_deref());
        if folder.is_none() {
            let help = "write the whole path, or one that starts with ~/".to_owned();
            reader.add_mistake(
                name.span(),
                format!("`{}` does not say which folder it is", name.get_ref()),
                Some(help),
            );
        }
        let mode = read_mode(&mut section);
        let folders = read_folders(&mut section);
        let rules = rules::read(&mut section);
        section.finish();
        entries.extend(folder.map(|folder| WorkspaceEntry { folder, mode, folders, rules }));
    }
    entries
}

/// `[workspace]`: where a session works is the person's to say (D1.26).
fn read_workspace(top: &mut Section<'_, '_>) -> Vec<FolderEntry> {
    let Some(mut section) = top.take_table("workspace") else { return Vec::new() };
    if section.reader().layer == Layer::Workspace {
        section.add_mistake("a file in a repository can't name folders to work in", "leave out [workspace]");
    }
    let folders = read_folders(&mut section);
    section.finish();
    folders
}

fn read_folders(section: &mut Section<'_, '_>) -> Vec<FolderEntry> {
    let reader = section.reader();
    let mut folders = Vec::new();
    for text in section.take_strings("folders").unwrap_or_default() {
        match named_folder(text.get_ref(), reader.places.home.as_deref()) {
            Some(folder) => folders.push(FolderEntry { folder, origin: reader.span_origin(&text.span()) }),
            None => {
                let help = "write the whole path, or one that starts with ~/".to_owned();
                let message = format!("`{}` does not say which folder it is", text.get_ref());
                reader.add_mistake(text.span(), message, Some(help));
            }
        }
    }
    folders
}

/// The folder that a setting names: absolute, or from `~/`.
#[must_use]
pub fn named_folder(name: &str, home: Option<&Path>) -> Option<PathBuf> {
    let folder = match (name.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(name),
    };
    folder.is_absolute().then_some(folder)
}

fn read_matrix(top: &mut Section<'_, '_>, scalars: &mut Scalars) {
    let Some(mut matrix) = top.take_table("matrix") else {
        return;
    };
    for (mode_word, mode) in MODES {
        let Some(mut row) = matrix.take_table(mode_word) else {
            continue;
        };
        for (name, category) in CATEGORIES {
            if let Some(effect) = row.take_word(name, EFFECTS) {
                if *mode == Mode::Plan && *category != Category::Read && *effect.get_ref() != Effect::Deny {
                    let help = "leave it out, or say what the tool is: \"read\" under [tools] or [servers.NAME.tools]";
                    let message = format!(
                        "`{name} = \"{}\"` has no effect in plan mode, which only reads",
                        effect.get_ref()
                    );
                    row.reader().add_mistake(effect.span(), message, Some(help.to_owned()));
                }
                let origin = row.reader().span_origin(&effect.span());
                let effect = WithOrigin::new(*effect.get_ref(), origin);
                scalars.set(keys::MATRIX, &[mode_word, name], Some(effect));
            }
        }
        row.finish();
    }
    matrix.finish();
}

fn read_protection(top: &mut Section<'_, '_>, file: &mut ParsedFile) {
    let Some(mut protection) = top.take_table("protection") else {
        return;
    };
    let reader = protection.reader();
    let mut patterns = |key| -> Vec<Pattern> {
        let texts = protection.take_strings(key).unwrap_or_default();
        texts.iter().filter_map(|text| reader.compile_pattern(text.get_ref(), &text.span(), None)).collect()
    };
    file.except = patterns("except");
    file.add = patterns("add");
    protection.finish();
}

fn read_locks(top: &mut Section<'_, '_>, locks: &mut Locks) {
    let Some(names) = top.take_strings("lock") else { return };
    let reader = top.reader();
    if reader.layer != Layer::Managed {
        for name in names {
            let help = format!("leave it out, or write it in {}", crate::MANAGED_FILE);
            reader.add_mistake(name.span(), "only a managed file can lock settings", Some(help));
        }
        return;
    }
    for name in names {
        if !locks.add_lock(name.get_ref(), reader.path) {
            let paths: Vec<String> = lockable_rows().map(|row| format!("{:?}", row.path)).collect();
            let paths = join_with_or(paths.iter().map(String::as_str));
            reader.add_mistake(
                name.span(),
                format!("`{}` can't be locked", name.get_ref()),
                Some(format!("write {paths}, or a name in place of the star")),
            );
        }
    }
}
