//! `mayi config`: which files are read, what is wrong with them, and what counts in the end.

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueHint};
use mayi_core::approval::escape_line;
use mayi_core::config::{Layer, LoadedConfig, SearchedFile, WORKSPACE_FILE, check_file, load};
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
pub(super) struct SourceLocation<'a> {
    layer: &'a str,
    file: Option<&'a Path>,
    line: Option<u32>,
}

impl<'a> SourceLocation<'a> {
    pub(super) fn from_origin(origin: &'a Origin) -> Self {
        Self { layer: origin.layer.as_str(), file: origin.file.as_deref(), line: origin.line }
    }

    fn location_text(&self) -> String {
        match (self.file, self.line) {
            (Some(file), Some(line)) => escape_line(&format!("{}:{line}", file.display())),
            (Some(file), None) => escape_line(&file.display().to_string()),
            _ => self.layer.to_owned(),
        }
    }
}

/// The files that are read, whether there are mistakes in them or not.
pub(super) fn source_files(ctx: &Context) -> Vec<SearchedFile> {
    let sources = &ctx.sources;
    let seen = |layer: Layer, path: &Path| SearchedFile {
        path: path.to_owned(),
        layer,
        found: path.symlink_metadata().is_ok(),
    };
    let mut files: Vec<SearchedFile> =
        sources.managed.iter().map(|path| seen(Layer::Managed, path)).collect();
    match &sources.only {
        Some(only) => files.push(seen(Layer::User, only)),
        None => {
            files.extend(sources.user.iter().map(|path| seen(Layer::User, path)));
            files.extend(sources.workspace.iter().map(|path| seen(Layer::Workspace, path)));
        }
    }
    files
}

pub(super) fn print_paths(args: ListArgs, ctx: &Context) -> Result<Exit, CliError> {
    let files = source_files(ctx);
    if args.json {
        for file in &files {
            print::stdout_json(
                &json!({ "path": file.path, "layer": file.layer.as_str(), "found": file.found }),
            )?;
        }
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = files
        .iter()
        .map(|file| {
            let found = if file.found { "" } else { "not there" };
            vec![file.layer.to_string(), escape_line(&file.path.display().to_string()), found.to_owned()]
        })
        .collect();
    for line in print::align_columns(&rows) {
        print::stdout_line(line)?;
    }
    Ok(Exit::Done)
}

pub(super) fn check(file: Option<&Path>, ctx: &Context) -> Result<Exit, CliError> {
    let places = ctx.sources.pattern_bases();
    let wanted = match file {
        Some(path) => {
            let own = path.file_name().is_some_and(|name| name == WORKSPACE_FILE);
            let layer = if own { Layer::Workspace } else { Layer::User };
            vec![SearchedFile { path: std::path::absolute(path)?, layer, found: true }]
        }
        None => source_files(ctx),
    };
    let mut bad = false;
    for seen in &wanted {
        let path = escape_line(&seen.path.display().to_string());
        // A file that was named has to be there.
        let named = seen.layer == Layer::User && ctx.sources.only.is_some();
        if !seen.found && !named {
            ctx.print_note(format!("{path}: not there"));
            continue;
        }
        match check_file(seen.layer, &seen.path, &places) {
            Ok(rules) => {
                print::stdout_line(format!("{path}: ok, {rules} rule{}", if rules == 1 { "" } else { "s" }))?
            }
            Err(errors) => {
                bad = true;
                report_all(errors.all(), ctx.is_stderr_colored());
            }
        }
    }
    if bad {
        return Ok(Exit::Config);
    }
    if file.is_none() {
        // The files are right by themselves; now together, with the environment.
        let loaded = ctx.load()?;
        let outside = loaded.rules_outside(&ctx.cwd, ctx.sources.folders.home.as_deref());
        for line in loaded.full_notices().into_iter().chain(outside) {
            ctx.print_note(format!("mayi: {line}"));
        }
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

fn show_json(loaded: &LoadedConfig) -> Result<(), CliError> {
    for setting in &loaded.settings {
        print::stdout_json(&json!({
            "type": "setting", "key": setting.key, "value": setting.value, "origin": SourceLocation::from_origin(&setting.origin),
        }))?;
    }
    for folder in &loaded.folders {
        print::stdout_json(&json!({ "type": "folder", "folder": folder }))?;
    }
    for rule in &loaded.policy.rules {
        print::stdout_json(&json!({
            "type": "rule", "effect": rule.effect, "pattern": rule.pattern.as_str(),
            "unless": rule.unless.as_ref().map(ToString::to_string), "reason": rule.reason, "agents": rule.agents,
            "always": rule.effect == Effect::Ask && rule.holds, "named": rule.named, "origin": SourceLocation::from_origin(&rule.origin),
        }))?;
    }
    for entry in loaded.policy.protection.entries() {
        print::stdout_json(&json!({
            "type": "protection", "effect": entry.effect, "pattern": entry.pattern.as_str(),
            "always": entry.always, "reason": entry.reason,
        }))?;
    }
    for notice in &loaded.policy.notices {
        print::stdout_json(&json!({ "type": "notice", "text": notice }))?;
    }
    Ok(())
}

fn show_text(loaded: &LoadedConfig, ctx: &Context) -> Result<(), CliError> {
    ctx.print_notices(loaded);
    let settings: Vec<Vec<String>> = loaded
        .settings
        .iter()
        .map(|setting| {
            vec![
                escape_line(&format!("{} = {}", setting.key, setting.value)),
                SourceLocation::from_origin(&setting.origin).location_text(),
            ]
        })
        .collect();
    print_section("settings", &settings)?;
    if !loaded.folders.is_empty() {
        let folder = |folder: &PathBuf| vec![escape_line(&folder.display().to_string())];
        print_section("further folders", &loaded.folders.iter().map(folder).collect::<Vec<_>>())?;
    }
    let rules: Vec<Vec<String>> = loaded.policy.rules.iter().map(rule_row).collect();
    print_section("rules", &rules)?;
    // Many entries share a reason: shown once, with what it is about.
    print::stdout_line("protected")?;
    let entries = loaded.policy.protection.entries();
    let mut last = None;
    for entry in entries {
        let head = (entry.effect, entry.always, entry.reason.as_str());
        if last != Some(head) {
            let always = if entry.always { ", always" } else { "" };
            print::stdout_line(format!("  {}{always}: {}", entry.effect, escape_line(&entry.reason)))?;
            last = Some(head);
        }
        print::stdout_line(format!("    {}", escape_line(entry.pattern.as_str())))?;
    }
    Ok(())
}

fn rule_row(rule: &Rule) -> Vec<String> {
    let mut what = escape_line(rule.pattern.as_str());
    if let Some(unless) = &rule.unless {
        what.push_str(&format!(" unless {}", escape_line(unless.as_str())));
    }
    if !rule.agents.is_empty() {
        what.push_str(&format!(" for {}", rule.agents.join(", ")));
    }
    let mut why = SourceLocation::from_origin(&rule.origin).location_text();
    if let Some(reason) = &rule.reason {
        why.push_str(&format!("  {}", escape_line(reason)));
    }
    vec![rule.effect.to_string(), what, why]
}

fn print_section(title: &str, rows: &[Vec<String>]) -> Result<(), CliError> {
    print::stdout_line(title)?;
    if rows.is_empty() {
        print::stdout_line("  none")?;
    }
    for line in print::align_columns(rows) {
        print::stdout_line(format!("  {line}"))?;
    }
    Ok(print::stdout_line("")?)
}

pub(super) fn print_schema() -> Result<Exit, CliError> {
    print::stdout_bytes(mayi_core::config::schema_text().as_bytes())?;
    Ok(Exit::Done)
}
