//! `mayi sandbox caches` and `mayi sandbox clean`: what confined commands have written in caches of tools.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use mayi_core::approval::escape_line;
use mayi_sandbox::{CacheStore, CleanError, KeptCache, KeptProject};
use serde_json::json;

use super::super::confirm::ask_to_confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::parse_folder;
use crate::print;

/// `mayi sandbox clean`
#[derive(Clone, Debug, Args)]
pub(crate) struct CleanArgs {
    /// The cache, as `mayi sandbox caches` names it: all of them, if none is named
    pub name: Option<String>,
    /// Those of every project
    #[arg(long, conflicts_with = "project")]
    pub all: bool,
    /// Those of the project in DIR, in place of this one
    #[arg(long, value_name = "DIR", value_parser = parse_folder, value_hint = ValueHint::DirPath)]
    pub project: Option<PathBuf>,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

fn store(ctx: &Context) -> Result<CacheStore, CliError> {
    let data = ctx.sources.folders.data.as_deref();
    let data =
        data.ok_or_else(|| CliError::internal("there is no home folder: set HOME, or XDG_DATA_HOME"))?;
    Ok(CacheStore::new(data))
}

pub(super) fn list(as_json: bool, ctx: &Context) -> Result<Exit, CliError> {
    let projects = store(ctx)?.projects()?;
    if as_json {
        print::stdout_line(json!({ "version": 1, "projects": projects }).to_string())?;
        return Ok(Exit::Done);
    }
    if projects.is_empty() {
        ctx.print_note("nothing is kept");
    }
    for project in &projects {
        let used = if project.in_use { "  (in use)" } else { "" };
        print::stdout_line(format!("{}{used}", name_of(project)))?;
        for cache in project.caches.iter().filter(|cache| cache.entries > 0) {
            print::stdout_line(format!("  {:<14} {}", cache.name, size_of(std::slice::from_ref(cache))))?;
        }
    }
    Ok(Exit::Done)
}

/// The folders of a project, for a person.
fn name_of(project: &KeptProject) -> String {
    let roots: Vec<String> =
        project.roots.iter().map(|root| escape_line(&root.0.to_string_lossy())).collect();
    if roots.is_empty() { "a project that is not known".to_owned() } else { roots.join(", ") }
}

fn size_of<'a>(caches: impl IntoIterator<Item = &'a KeptCache>) -> String {
    let (mut entries, mut bytes, mut more) = (0_u64, 0_u64, "");
    for cache in caches {
        entries = entries.saturating_add(cache.entries);
        bytes = bytes.saturating_add(cache.bytes);
        more = if cache.more { " or more" } else { more };
    }
    // Tenths of a mebibyte, rounded up: what is not empty is not shown as nothing.
    let tenths = bytes.saturating_mul(10).div_ceil(1 << 20);
    format!("{}.{} MiB in {entries} files and folders{more}", tenths / 10, tenths % 10)
}

pub(super) fn clean(args: &CleanArgs, ctx: &Context) -> Result<Exit, CliError> {
    let store = store(ctx)?;
    let roots = match &args.project {
        Some(folder) => vec![folder.clone()],
        None => ctx.roots(&ctx.load()?),
    };
    let own = |project: &KeptProject| args.all || project.folder == store.project_folder(&roots);
    let has = |cache: &KeptCache| args.name.as_ref().is_none_or(|name| cache.name == *name);
    let wanted =
        |project: &KeptProject| own(project) && (args.name.is_none() || project.caches.iter().any(has));
    let projects: Vec<KeptProject> = store.projects()?.into_iter().filter(wanted).collect();
    if projects.is_empty() {
        ctx.print_note("nothing is kept");
        return Ok(Exit::Done);
    }
    let caches = || projects.iter().flat_map(|project| &project.caches).filter(|cache| has(cache));
    let of = match projects.as_slice() {
        [one] => name_of(one),
        several => format!("{} projects", several.len()),
    };
    let question = format!("Delete {} of {of}?", size_of(caches()));
    if !args.yes {
        match ask_to_confirm(&question, "this")? {
            Some(true) => {}
            Some(false) => return Ok(Exit::Done),
            None => return Ok(Exit::Interrupted),
        }
    }
    let mut failed = None;
    for project in &projects {
        if let Err(error) = project.clean(args.name.as_deref()) {
            failed = Some(refused(&project.folder, &name_of(project), &error));
        }
    }
    failed.map_or(Ok(Exit::Done), Err)
}

fn refused(folder: &Path, project: &str, error: &CleanError) -> CliError {
    match error {
        CleanError::InUse => {
            CliError::usage(format!("a command uses what is kept for {project}: try it later"))
        }
        other => CliError::internal(format!("{}: {other}", escape_line(&folder.to_string_lossy()))),
    }
}
