//! `mayi trust`: lets a folder's own configuration loosen, or a program in a workspace start.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use mayi_core::approval::escape_line;
use mayi_core::call::shell::quote_word;
use mayi_core::config::{
    ConfigErrors, Sources, Trust, TrustState, TrustedKind, WORKSPACE_FILE, place_of, program_digest,
    review_workspace,
};
use serde_json::json;

use super::confirm::ask_to_confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::person::refuse_agent_to_loosen;
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
enum TrustSubject {
    Workspace(PathBuf),
    Program(PathBuf),
}

pub(super) fn run(args: &TrustArgs, ctx: &Context) -> Result<Exit, CliError> {
    if args.list {
        return list_trusted(args.json, ctx);
    }
    if !args.revoke {
        refuse_agent_to_loosen(ctx)?;
    }
    match (resolve_subject(args.path.as_deref(), ctx)?, args.revoke) {
        (TrustSubject::Workspace(file) | TrustSubject::Program(file), true) => revoke_trust(&file, ctx),
        (TrustSubject::Workspace(file), false) => trust_workspace_file(&file, args.yes, ctx),
        (TrustSubject::Program(file), false) => trust_program(&file, args.yes, ctx),
    }
}

/// A folder stands for its nearest `.mayi.toml`; a file is that, or a program.
fn resolve_subject(path: Option<&Path>, ctx: &Context) -> Result<TrustSubject, CliError> {
    let nearest = |sources: &Sources| {
        let file = sources.workspace.clone().unwrap_or_else(|| sources.cwd.join(WORKSPACE_FILE));
        TrustSubject::Workspace(file)
    };
    let Some(path) = path else { return Ok(nearest(&ctx.sources)) };
    // As every path that is given to mayi: from where it was started.
    let path = std::path::absolute(path)?;
    if path.is_dir() {
        let folder = path
            .canonicalize()
            .map_err(|error| CliError::usage(format!("{}: {error}", visible_path(&path))))?;
        return Ok(nearest(&Sources::discover(&folder, None)));
    }
    match path.file_name() {
        Some(name) if name == WORKSPACE_FILE => Ok(TrustSubject::Workspace(path)),
        _ => Ok(TrustSubject::Program(path)),
    }
}

fn trust_workspace_file(file: &Path, yes: bool, ctx: &Context) -> Result<Exit, CliError> {
    if file.symlink_metadata().is_err() {
        return Err(CliError::usage(format!(
            "there is no {WORKSPACE_FILE} in {} that could be trusted",
            visible_path(file.parent().unwrap_or(file))
        )));
    }
    // Measured by the files that count where it lies.
    let folder = file.parent().unwrap_or(file);
    let sources = Sources { cwd: folder.to_owned(), ..ctx.sources.clone() };
    let review = review_workspace(&sources, file)?;
    let place = visible_path(&review.place);
    if read_trust(ctx)?.workspace_file(&review.place) == TrustState::Trusted {
        ctx.print_note(format!("{place} is trusted already, just as it is"));
        return Ok(Exit::Done);
    }
    if review.looser.is_empty() {
        ctx.print_note(format!("{place} only tightens: it counts already, and needs no trust"));
        note_ignored_lines(&review.ignored, ctx);
        return Ok(Exit::Done);
    }
    // The question means nothing without what it is about: also with --quiet.
    let tell = |line: String| if yes { ctx.print_note(line) } else { print::stderr_line(line) };
    tell(format!("{place} comes with the folder. With your trust it"));
    for line in &review.looser {
        tell(format!("  {}", escape_line(line)));
    }
    note_ignored_lines(&review.ignored, ctx);
    if !yes {
        match ask_to_confirm("Trust this file, as it is now?", "that this file is to be trusted")? {
            Some(true) => {}
            answer => return Ok(note_declined(answer, ctx)),
        }
    }
    Trust::add_file(&ctx.sources.folders, TrustedKind::Workspace, &review.place, &review.sha256)?;
    ctx.print_note(format!("{place} is trusted, until it changes"));
    ctx.print_note(format!(
        "take it back with: mayi trust --revoke {}",
        escape_line(&quote_word(&folder.display().to_string()))
    ));
    Ok(Exit::Done)
}

fn note_ignored_lines(lines: &[String], ctx: &Context) {
    for line in lines {
        ctx.print_note(format!("without effect all the same: {}", escape_line(line)));
    }
}

fn trust_program(file: &Path, yes: bool, ctx: &Context) -> Result<Exit, CliError> {
    let cant =
        |error: std::io::Error| CliError::usage(format!("{} can't be trusted: {error}", visible_path(file)));
    // Where a link leads is what is started.
    let place = place_of(&file.canonicalize().map_err(cant)?).map_err(cant)?;
    let sha256 = program_digest(&place).map_err(cant)?;
    let name = visible_path(&place);
    if read_trust(ctx)?.program_state(&place) == TrustState::Trusted {
        ctx.print_note(format!("{name} is trusted already, just as it is"));
        return Ok(Exit::Done);
    }
    if !yes {
        print::stderr_line(format!(
            "{name} may then be started as an agent, although it lies in a workspace."
        ));
        print::stderr_line("What it loads from there itself is not looked at.");
        match ask_to_confirm("Trust this program, as it is now?", "that this program is to be trusted")? {
            Some(true) => {}
            answer => return Ok(note_declined(answer, ctx)),
        }
    }
    Trust::add_file(&ctx.sources.folders, TrustedKind::Program, &place, &sha256)?;
    ctx.print_note(format!("{name} is trusted, until it changes"));
    ctx.print_note(format!(
        "take it back with: mayi trust --revoke {}",
        escape_line(&quote_word(&place.display().to_string()))
    ));
    Ok(Exit::Done)
}

fn note_declined(answer: Option<bool>, ctx: &Context) -> Exit {
    ctx.print_note("nothing has changed");
    if answer.is_none() { Exit::Interrupted } else { Exit::Denied }
}

fn revoke_trust(file: &Path, ctx: &Context) -> Result<Exit, CliError> {
    // The file may be gone, or a link by now: its place is what was remembered.
    let places = [
        file.to_owned(),
        place_of(file).unwrap_or_else(|_| file.to_owned()),
        file.canonicalize().unwrap_or_else(|_| file.to_owned()),
    ];
    for place in &places {
        if Trust::revoke(&ctx.sources.folders, place)? {
            ctx.print_note(format!("{} is not trusted any more", visible_path(place)));
            return Ok(Exit::Done);
        }
    }
    ctx.print_note(format!(
        "nothing has changed: {} was not trusted; `mayi trust --list` shows what is",
        visible_path(file)
    ));
    Ok(Exit::Done)
}

fn list_trusted(json: bool, ctx: &Context) -> Result<Exit, CliError> {
    let trust = read_trust(ctx)?;
    let mut rows = Vec::new();
    for file in trust.files() {
        let standing = match file.kind {
            TrustedKind::Program => trust.program_state(&file.path),
            TrustedKind::Workspace => trust.workspace_file(&file.path),
        };
        let found = file.path.symlink_metadata().is_ok();
        let state = match standing {
            TrustState::Trusted => "trusted",
            _ if !found => "not there",
            _ => "changed since",
        };
        if json {
            print::stdout_json(&json!({
                "kind": file.kind, "path": file.path, "sha256": file.sha256, "since": file.since,
                "state": state.replace(' ', "_"),
            }))?;
        } else {
            let day = file.since.split('T').next().unwrap_or_default();
            rows.push(vec![state.to_owned(), escape_line(day), visible_path(&file.path)]);
        }
    }
    if trust.files().is_empty() && !json {
        ctx.print_note("nothing is trusted: `mayi trust` in a folder lets its .mayi.toml count");
    }
    for line in print::align_columns(&rows) {
        print::stdout_line(line)?;
    }
    Ok(Exit::Done)
}

fn read_trust(ctx: &Context) -> Result<Trust, CliError> {
    Trust::read(&ctx.sources.folders).map_err(|error| ConfigErrors::from(error).into())
}

fn visible_path(path: &Path) -> String {
    escape_line(&path.display().to_string())
}
