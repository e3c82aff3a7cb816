//! `mayi config`: which files are read, what is wrong with them, and what counts in the end.

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueHint};
use mayi_core::approval::visible;
use mayi_core::config::{Layer, Loaded, SeenFile, WORKSPACE_FILE, check_file, load};
use mayi_core::policy::{Effect, Origin, Rule};
use serde::Serialize;
use serde_json::json;

use super::import;
use crate::context::Context;
use crate::error::{CliError, report_all};
use crate::exit::Exit;
use crate::options::ListArgs;
use crate::print;

/// `mayi config`
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// List the files that are read, farthest first
    Path(ListArgs),
    /// Look for mistakes: in FILE, or in all files that are read
    Check {
        /// A configuration file; one called .mayi.toml is checked as a folder's own
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
    },
    /// Show what counts, and where it is written
    Show(ListArgs),
    /// Print the JSON schema of a configuration file, for editors
    #[command(after_help = SCHEMA_AFTER)]
    Schema,
    /// Turn the rules of another tool into mayi's
    #[command(after_help = import::AFTER)]
    Import(import::ImportArgs),
}

const SCHEMA_AFTER: &str = "\
Editors with support for TOML schemas read it from a first line such as
`#:schema ./mayi.schema.json`. What `mayi init` writes has that line, and the schema beside it.

Example:
  mayi config schema > mayi.schema.json";

/// Where something is written, as JSON has it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Place<'a> {
    layer: &'a str,
    file: Option<&'a Path>,
    line: Option<u32>,
}

impl<'a> Place<'a> {
    pub(super) fn of(origin: &'a Origin) -> Self {
        Self { layer: origin.layer, file: origin.file.as_deref(), line: origin.line }
    }

    fn text(&self) -> String {
        match (self.file, self.line) {
            (Some(file), Some(line)) => visible(&format!("{}:{line}", file.display())),
            (Some(file), None) => visible(&file.display().to_string()),
            _ => self.layer.to_owned(),
        }
    }
}

/// The files that are read, whether there are mistakes in them or not.
pub(super) fn files(ctx: &Context) -> Vec<SeenFile> {
    let sources = &ctx.sources;
    let seen = |layer: Layer, path: &Path| SeenFile {
        path: path.to_owned(),
        layer,
        found: path.symlink_metadata().is_ok(),
    };
    let mut files: Vec<SeenFile> = sources.managed.iter().map(|path| seen(Layer::Managed, path)).collect();
    match &sources.only {
        Some(only) => files.push(seen(Layer::User, only)),
        None => {
            files.extend(sources.user.iter().map(|path| seen(Layer::User, path)));
            files.extend(sources.workspace.iter().map(|path| seen(Layer::Workspace, path)));
        }
    }
    files
}

pub(super) fn path(args: ListArgs, ctx: &Context) -> Result<Exit, CliError> {
    let files = files(ctx);
    if args.json {
        for file in &files {
            print::json(&json!({ "path": file.path, "layer": file.layer.as_str(), "found": file.found }))?;
        }
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = files
        .iter()
        .map(|file| {
            let found = if file.found { "" } else { "not there" };
            vec![file.layer.to_string(), visible(&file.path.display().to_string()), found.to_owned()]
        })
        .collect();
    for line in print::columns(&rows) {
        print::line(line)?;
    }
    Ok(Exit::Done)
}

pub(super) fn check(file: Option<&Path>, ctx: &Context) -> Result<Exit, CliError> {
    let places = ctx.sources.places();
    let wanted = match file {
        Some(path) => {
            let own = path.file_name().is_some_and(|name| name == WORKSPACE_FILE);
            let layer = if own { Layer::Workspace } else { Layer::User };
            vec![SeenFile { path: std::path::absolute(path)?, layer, found: true }]
        }
        None => files(ctx),
    };
    let mut bad = false;
    for seen in &wanted {
        let path = visible(&seen.path.display().to_string());
        // A file that was named has to be there.
        let named = seen.layer == Layer::User && ctx.sources.only.is_some();
        if !seen.found && !named {
            ctx.note(format!("{path}: not there"));
            continue;
        }
        match check_file(seen.layer, &seen.path, &places) {
            Ok(rules) => {
                print::line(format!("{path}: ok, {rules} rule{}", if rules == 1 { "" } else { "s" }))?
            }
            Err(errors) => {
                bad = true;
                report_all(errors.all(), ctx.color_of_errors());
            }
        }
    }
    if bad {
        return Ok(Exit::Config);
    }
    if file.is_none() {
        // The files are right by themselves; now together, with the environment.
        ctx.notices(&ctx.load()?);
    }
    Ok(Exit::Done)
}

pub(super) fn show(args: ListArgs, ctx: &Context) -> Result<Exit, CliError> {
    let loaded = load(&ctx.sources)?;
    if args.json {
        show_json(&loaded)?
    } else {
        show_text(&loaded, ctx)?
    }
    Ok(Exit::Done)
}

fn show_json(loaded: &Loaded) -> Result<(), CliError> {
    for setting in &loaded.settings {
        print::json(&json!({
            "type": "setting", "key": setting.key, "value": setting.value, "origin": Place::of(&setting.origin),
        }))?;
    }
    for rule in &loaded.policy.rules {
        print::json(&json!({
            "type": "rule", "effect": rule.effect, "pattern": rule.pattern.as_str(),
            "unless": rule.unless.as_ref().map(ToString::to_string), "reason": rule.reason, "agents": rule.agents,
            "always": rule.effect == Effect::Ask && rule.holds, "origin": Place::of(&rule.origin),
        }))?;
    }
    for entry in loaded.policy.protection.entries() {
        print::json(&json!({
            "type": "protection", "effect": entry.effect, "pattern": entry.pattern.as_str(),
            "always": entry.always, "reason": entry.reason,
        }))?;
    }
    for notice in &loaded.policy.notices {
        print::json(&json!({ "type": "notice", "text": notice }))?;
    }
    Ok(())
}

fn show_text(loaded: &Loaded, ctx: &Context) -> Result<(), CliError> {
    ctx.notices(loaded);
    let settings: Vec<Vec<String>> = loaded
        .settings
        .iter()
        .map(|setting| {
            vec![visible(&format!("{} = {}", setting.key, setting.value)), Place::of(&setting.origin).text()]
        })
        .collect();
    section("settings", &settings)?;
    let rules: Vec<Vec<String>> = loaded.policy.rules.iter().map(rule).collect();
    section("rules", &rules)?;
    // Many entries share a reason: shown once, with what it is about.
    print::line("protected")?;
    let entries = loaded.policy.protection.entries();
    let mut last = None;
    for entry in entries {
        let head = (entry.effect, entry.always, entry.reason.as_str());
        if last != Some(head) {
            let always = if entry.always { ", always" } else { "" };
            print::line(format!("  {}{always}: {}", entry.effect, visible(&entry.reason)))?;
            last = Some(head);
        }
        print::line(format!("    {}", visible(entry.pattern.as_str())))?;
    }
    Ok(())
}

fn rule(rule: &Rule) -> Vec<String> {
    let mut what = visible(rule.pattern.as_str());
    if let Some(unless) = &rule.unless {
        what.push_str(&format!(" unless {}", visible(unless.as_str())));
    }
    if !rule.agents.is_empty() {
        what.push_str(&format!(" for {}", rule.agents.join(", ")));
    }
    let mut why = Place::of(&rule.origin).text();
    if let Some(reason) = &rule.reason {
        why.push_str(&format!("  {}", visible(reason)));
    }
    vec![rule.effect.to_string(), what, why]
}

fn section(title: &str, rows: &[Vec<String>]) -> Result<(), CliError> {
    print::line(title)?;
    if rows.is_empty() {
        print::line("  none")?;
    }
    for line in print::columns(rows) {
        print::line(format!("  {line}"))?;
    }
    Ok(print::line("")?)
}

pub(super) fn schema() -> Result<Exit, CliError> {
    print::bytes(mayi_core::config::schema_text().as_bytes())?;
    Ok(Exit::Done)
}
