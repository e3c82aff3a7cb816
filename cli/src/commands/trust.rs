//! `mayi trust`: lets a folder's own configuration loosen, or a program in a workspace start.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use mayi_core::approval::visible;
use mayi_core::call::shell::quote;
use mayi_core::config::{
    ConfigErrors, Sources, Standing, Trust, TrustedKind, WORKSPACE_FILE, place_of, program_digest, review,
};
use serde_json::json;

use super::confirm::confirmed;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

pub(super) const AFTER: &str = "\
A folder's .mayi.toml comes with the repository, so by itself it can only make mayi stricter. Trust
makes the rest of it count: for exactly this file with this content. When it changes, it is not
trusted any more.

Examples:
  mayi trust                            the .mayi.toml of this folder
  mayi trust ~/work/site                the one of another folder
  mayi trust ./node_modules/.bin/agent  a program in a workspace: it may be started as an agent
  mayi trust --list
  mayi trust --revoke";

/// `mayi trust`
#[derive(Clone, Debug, Args)]
pub(crate) struct TrustArgs {
    /// A folder, its .mayi.toml, or a program [default: this folder]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// List what is trusted
    #[arg(long, conflicts_with_all = ["path", "revoke", "yes"])]
    pub list: bool,
    /// Trust it no longer
    #[arg(long, conflicts_with = "yes")]
    pub revoke: bool,
    /// Do not ask once more
    #[arg(long, short)]
    pub yes: bool,
    /// With --list: print one JSON object a line
    #[arg(long, requires = "list")]
    pub json: bool,
}

/// What PATH is about.
enum Subject {
    Workspace(PathBuf),
    Program(PathBuf),
}

pub(super) fn trust(args: &TrustArgs, ctx: &Context) -> Result<Exit, CliError> {
    if args.list {
        return list(args.json, ctx);
    }
    match (subject(args.path.as_deref(), ctx)?, args.revoke) {
        (Subject::Workspace(file) | Subject::Program(file), true) => revoke(&file, ctx),
        (Subject::Workspace(file), false) => workspace(&file, args.yes, ctx),
        (Subject::Program(file), false) => program(&file, args.yes, ctx),
    }
}

/// A folder stands for its nearest `.mayi.toml`; a file is that, or a program.
fn subject(path: Option<&Path>, ctx: &Context) -> Result<Subject, CliError> {
    let nearest = |sources: &Sources| {
        let file = sources.workspace.clone().unwrap_or_else(|| sources.cwd.join(WORKSPACE_FILE));
        Subject::Workspace(file)
    };
    let Some(path) = path else { return Ok(nearest(&ctx.sources)) };
    // As every path that is given to mayi: from where it was started.
    let path = std::path::absolute(path)?;
    if path.is_dir() {
        let folder =
            path.canonicalize().map_err(|error| CliError::usage(format!("{}: {error}", shown(&path))))?;
        return Ok(nearest(&Sources::discover(&folder, None)));
    }
    match path.file_name() {
        Some(name) if name == WORKSPACE_FILE => Ok(Subject::Workspace(path)),
        _ => Ok(Subject::Program(path)),
    }
}

fn workspace(file: &Path, yes: bool, ctx: &Context) -> Result<Exit, CliError> {
    if file.symlink_metadata().is_err() {
        return Err(CliError::usage(format!(
            "there is no {WORKSPACE_FILE} in {} that could be trusted",
            shown(file.parent().unwrap_or(file))
        )));
    }
    // Measured by the files that count where it lies.
    let folder = file.parent().unwrap_or(file);
    let sources = Sources { cwd: folder.to_owned(), ..ctx.sources.clone() };
    let review = review(&sources, file)?;
    let place = shown(&review.place);
    if trusted(ctx)?.workspace_file(&review.place) == Standing::Trusted {
        ctx.note(format!("{place} is trusted already, just as it is"));
        return Ok(Exit::Done);
    }
    if review.looser.is_empty() {
        ctx.note(format!("{place} only tightens: it counts already, and needs no trust"));
        ignored(&review.ignored, ctx);
        return Ok(Exit::Done);
    }
    // The question means nothing without what it is about: also with --quiet.
    let tell = |line: String| if yes { ctx.note(line) } else { print::note(line) };
    tell(format!("{place} comes with the folder. With your trust it"));
    for line in &review.looser {
        tell(format!("  {}", visible(line)));
    }
    ignored(&review.ignored, ctx);
    if !yes {
        match confirmed("Trust this file, as it is now?", "that this file is to be trusted")? {
            Some(true) => {}
            answer => return Ok(declined(answer, ctx)),
        }
    }
    Trust::add(&ctx.sources.folders, TrustedKind::Workspace, &review.place, &review.sha256)?;
    ctx.note(format!("{place} is trusted, until it changes"));
    ctx.note(format!(
        "take it back with: mayi trust --revoke {}",
        visible(&quote(&folder.display().to_string()))
    ));
    Ok(Exit::Done)
}

fn ignored(lines: &[String], ctx: &Context) {
    for line in lines {
        ctx.note(format!("without effect all the same: {}", visible(line)));
    }
}

fn program(file: &Path, yes: bool, ctx: &Context) -> Result<Exit, CliError> {
    let cant = |error: std::io::Error| CliError::usage(format!("{} can't be trusted: {error}", shown(file)));
    // Where a link leads is what is started.
    let place = place_of(&file.canonicalize().map_err(cant)?).map_err(cant)?;
    let sha256 = program_digest(&place).map_err(cant)?;
    let name = shown(&place);
    if trusted(ctx)?.program(&place) == Standing::Trusted {
        ctx.note(format!("{name} is trusted already, just as it is"));
        return Ok(Exit::Done);
    }
    if !yes {
        print::note(format!("{name} may then be started as an agent, although it lies in a workspace."));
        print::note("What it loads from there itself is not looked at.");
        match confirmed("Trust this program, as it is now?", "that this program is to be trusted")? {
            Some(true) => {}
            answer => return Ok(declined(answer, ctx)),
        }
    }
    Trust::add(&ctx.sources.folders, TrustedKind::Program, &place, &sha256)?;
    ctx.note(format!("{name} is trusted, until it changes"));
    ctx.note(format!(
        "take it back with: mayi trust --revoke {}",
        visible(&quote(&place.display().to_string()))
    ));
    Ok(Exit::Done)
}

fn declined(answer: Option<bool>, ctx: &Context) -> Exit {
    ctx.note("nothing has changed");
    if answer.is_none() { Exit::Interrupted } else { Exit::Denied }
}

fn revoke(file: &Path, ctx: &Context) -> Result<Exit, CliError> {
    // The file may be gone, or a link by now: its place is what was remembered.
    let places = [
        file.to_owned(),
        place_of(file).unwrap_or_else(|_| file.to_owned()),
        file.canonicalize().unwrap_or_else(|_| file.to_owned()),
    ];
    for place in &places {
        if Trust::revoke(&ctx.sources.folders, place)? {
            ctx.note(format!("{} is not trusted any more", shown(place)));
            return Ok(Exit::Done);
        }
    }
    ctx.note(format!(
        "nothing has changed: {} was not trusted; `mayi trust --list` shows what is",
        shown(file)
    ));
    Ok(Exit::Done)
}

fn list(json: bool, ctx: &Context) -> Result<Exit, CliError> {
    let trust = trusted(ctx)?;
    let mut rows = Vec::new();
    for file in trust.files() {
        let standing = match file.kind {
            TrustedKind::Program => trust.program(&file.path),
            TrustedKind::Workspace => trust.workspace_file(&file.path),
        };
        let found = file.path.symlink_metadata().is_ok();
        let state = match standing {
            Standing::Trusted => "trusted",
            _ if !found => "not there",
            _ => "changed since",
        };
        if json {
            print::json(&json!({
                "kind": file.kind, "path": file.path, "sha256": file.sha256, "since": file.since,
                "state": state.replace(' ', "_"),
            }))?;
        } else {
            let day = file.since.split('T').next().unwrap_or_default();
            rows.push(vec![state.to_owned(), visible(day), shown(&file.path)]);
        }
    }
    if trust.files().is_empty() && !json {
        ctx.note("nothing is trusted: `mayi trust` in a folder lets its .mayi.toml count");
    }
    for line in print::columns(&rows) {
        print::line(line)?;
    }
    Ok(Exit::Done)
}

fn trusted(ctx: &Context) -> Result<Trust, CliError> {
    Trust::read(&ctx.sources.folders).map_err(|error| ConfigErrors::from(error).into())
}

fn shown(path: &Path) -> String {
    visible(&path.display().to_string())
}
