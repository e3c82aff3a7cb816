//! `mayi config import`: the rules of another tool as mayi's.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use mayi_core::approval::{escape_block, escape_line};
use mayi_core::call::AgentId;
use mayi_core::config::{ConfigErrors, edit};
use mayi_core::import::{
    Carried, ImportResult, ImportTool, ImportedRule, files_of, given_file, import_rules as read,
    render_folders, render_rules,
};
use mayi_core::policy::Rule;
use serde_json::json;
use similar::TextDiff;

use super::confirm::ask_to_confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

pub(super) const AFTER: &str = "\
Without FILE, the places where the tool keeps its settings are read: the user's own, and those of
this folder, which become rules for this folder only. An allow that can't be said in mayi's rules
without allowing more is left out, and named with the reason. In the place of a denial or a question
that can't be said, all that it could be about is asked about. Where nothing can stand in the place
of a denial, that is said at the end; then --yes alone writes nothing: --without-denials says that
you have seen it.

Examples:
  mayi config import claude-code             print the rules as mayi would write them
  mayi config import vscode --write          add them to your file, after showing the change
  mayi config import codex my.rules --json   one object a line: what became of each entry";

/// `mayi config import`
#[derive(Clone, Debug, Args)]
pub(crate) struct ImportArgs {
    /// The tool that the rules are from
    #[arg(value_enum)]
    pub tool: ToolArg,
    /// Its files; without one, where the tool keeps them
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: Vec<PathBuf>,
    /// Add the rules to your file
    #[arg(long)]
    pub write: bool,
    /// Do not ask before writing
    #[arg(long, short, requires = "write")]
    pub yes: bool,
    /// Write also where denials are not carried over, and nothing is asked in their place
    #[arg(long, requires = "write")]
    pub without_denials: bool,
    /// The rules are only for this agent (repeatable)
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<String>,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// A tool with rules of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolArg {
    /// Claude Code: .claude/settings.json
    ClaudeCode,
    /// Codex: config.toml and rules/*.rules
    Codex,
    /// Gemini CLI: settings.json and policies/*.toml
    Gemini,
    /// VS Code: settings.json
    Vscode,
    /// Zed: settings.json
    Zed,
    /// opencode: opencode.json
    Opencode,
    /// Qwen Code: .qwen/settings.json
    Qwen,
    /// Cursor: cli-config.json, .cursor/cli.json and permissions.json
    Cursor,
    /// Copilot's command line program: permissions-config.json and settings.json
    Copilot,
}

impl ToolArg {
    fn to_tool(self) -> ImportTool {
        match self {
            Self::ClaudeCode => ImportTool::ClaudeCode,
            Self::Codex => ImportTool::Codex,
            Self::Gemini => ImportTool::Gemini,
            Self::Vscode => ImportTool::VsCode,
            Self::Zed => ImportTool::Zed,
            Self::Opencode => ImportTool::OpenCode,
            Self::Qwen => ImportTool::Qwen,
            Self::Cursor => ImportTool::Cursor,
            Self::Copilot => ImportTool::Copilot,
        }
    }
}

pub(super) fn run(args: &ImportArgs, ctx: &Context) -> Result<Exit, CliError> {
    if let Some(name) = args.agent.iter().find(|name| AgentId::parse(name).is_none()) {
        return Err(CliError::usage(format!("no agent can be called `{}`", escape_line(name))));
    }
    let tool = args.tool.to_tool();
    let home = ctx.sources.folders.home.as_deref();
    let files = match args.file.as_slice() {
        [] => files_of(tool, home, &ctx.cwd),
        named => {
            let whole = named.iter().map(std::path::absolute).collect::<Result<Vec<_>, _>>()?;
            whole.iter().map(|path| given_file(tool, home, path)).collect()
        }
    };
    if files.is_empty() {
        return Err(CliError::usage(format!(
            "no settings of {} were found for you or in {}: name the FILE",
            tool.title(),
            escape_line(&ctx.cwd.display().to_string())
        )));
    }
    let mut imported = read(tool, &files, &ctx.sources.pattern_bases()).map_err(ConfigErrors::from)?;
    if !args.agent.is_empty() {
        imported
            .leave_out_folders("folders are for every agent: write it under [workspace] if you mean that");
    }
    for file in &files {
        let whose = if file.project.is_some() { ", for this folder only" } else { "" };
        ctx.print_note(format!("read      {}{whose}", visible_path(&file.path)));
    }
    for left in &imported.left_out {
        if args.json {
            let kind = match left.carried {
                Carried::Partly => "partly",
                Carried::Asked => "asked",
                Carried::No => "left_out",
            };
            print::stdout_json(&json!({
                "type": kind, "denial": left.denial, "file": left.file, "from": left.from, "why": left.why,
            }))?;
        } else {
            // Not silenced by --quiet: a denial may be among them.
            let word = match left.carried {
                Carried::Partly => "partly  ",
                Carried::Asked => "asked   ",
                Carried::No => "left out",
            };
            print::stderr_line(format!("{word}  {}: {}", left.from, left.why));
        }
    }
    if args.json {
        for rule in &imported.rules {
            print::stdout_json(&json!({
                "type": "rule", "effect": rule.effect, "pattern": rule.pattern, "reason": rule.reason,
                "agents": args.agent, "workspace": rule.workspace, "file": rule.file, "from": rule.from,
            }))?;
        }
        for folder in &imported.folders {
            print::stdout_json(&json!({
                "type": "folder", "folder": folder.folder, "workspace": folder.workspace, "file": folder.file,
                "from": folder.from,
            }))?;
        }
    } else if !args.write && (!imported.rules.is_empty() || !imported.folders.is_empty()) {
        print::stdout_bytes(render_folders(&imported).as_bytes())?;
        print::stdout_bytes(render_rules(tool, &imported, &args.agent).as_bytes())?;
    }
    ctx.print_note(counts_text(&imported));
    if let Some(lost) = lost_text(&imported).filter(|_| !args.json) {
        print::stderr_line(lost);
    }
    if args.write {
        crate::person::refuse_agent_to_loosen(ctx)?;
        return write_rules(tool, imported, args, ctx);
    }
    if !imported.rules.is_empty() && !args.json {
        ctx.print_note("nothing was written: --write adds the rules to your file");
    }
    Ok(Exit::Done)
}

/// What was carried over, and what was not.
fn counts_text(imported: &ImportResult) -> String {
    let left_out = imported.left_out.iter().filter(|left| left.carried == Carried::No).count();
    let folders = match imported.folders.len() {
        0 => String::new(),
        1 => " and 1 folder".to_owned(),
        count => format!(" and {count} folders"),
    };
    format!("{}{folders} carried over, {left_out} left out", rule_count_text(imported.rules.len()))
}

/// How many denials were not carried over, if any were not.
fn lost_text(imported: &ImportResult) -> Option<String> {
    let (asked, lost) = imported.lost_denials();
    let what = match (asked, lost) {
        (0, 0) => return None,
        (1, 0) => "what it is about is asked about in its place".to_owned(),
        (_, 0) => "what they are about is asked about in their place".to_owned(),
        (0, 1) => "nothing stands in its place".to_owned(),
        (0, _) => "nothing stands in their place".to_owned(),
        (asked, lost) => {
            let are = if asked == 1 { "is" } else { "are" };
            format!("{asked} {are} asked about in their place, nothing stands in the place of {lost}")
        }
    };
    let denials = if asked + lost == 1 { "1 denial".to_owned() } else { format!("{} denials", asked + lost) };
    Some(format!("{denials} NOT carried over: {what}"))
}

fn write_rules(
    tool: ImportTool,
    mut imported: ImportResult,
    args: &ImportArgs,
    ctx: &Context,
) -> Result<Exit, CliError> {
    let file = ctx
        .sources
        .own_file()
        .ok_or_else(|| CliError::internal("there is no home folder to keep a configuration in"))?;
    let all = imported.rules.len();
    let (_, lost) = imported.lost_denials();
    let folders: Vec<_> =
        imported.folders.iter().map(|folder| (folder.workspace.clone(), folder.folder.clone())).collect();
    let change = edit::preview_append(file, &ctx.sources.pattern_bases(), &folders, |there| {
        imported.rules.retain(|rule| !there.iter().any(|other| is_same_rule(rule, other, &args.agent)));
        if imported.rules.is_empty() { String::new() } else { render_rules(tool, &imported, &args.agent) }
    })?;
    let name = visible_path(file);
    if change.old.as_ref() == Some(&change.new) || (imported.rules.is_empty() && folders.is_empty()) {
        let why = if all == 0 && folders.is_empty() {
            "there is nothing to add".to_owned()
        } else {
            format!("{name} says all of it already")
        };
        ctx.print_note(format!("nothing has changed: {why}"));
        return Ok(Exit::Done);
    }
    if imported.rules.len() < all {
        ctx.print_note(format!("{} of them there already", all - imported.rules.len()));
    }
    if !(args.yes && ctx.quiet) {
        let old = change.old.as_deref().unwrap_or_default();
        for line in
            TextDiff::from_lines(old, &change.new).unified_diff().context_radius(1).to_string().lines()
        {
            print::stderr_line(paint_diff_line(
                line,
                ctx.is_stderr_colored() && std::io::stderr().is_terminal(),
            ));
        }
    }
    if args.yes && lost > 0 && !args.without_denials {
        return Err(CliError::usage(
            "nothing was written: denials would be lost, which --yes alone does not accept; write rules for them yourself, and say \
             --without-denials",
        ));
    }
    if !args.yes {
        let lost = lost_text(&imported).map(|lost| format!("{lost}. ")).unwrap_or_default();
        let folders = if folders.is_empty() { "" } else { " and folders to work in" };
        match ask_to_confirm(
            &format!("{lost}Add {}{folders} to {name}?", rule_count_text(imported.rules.len())),
            "this change",
        )? {
            Some(true) => {}
            answer => {
                ctx.print_note("nothing has changed");
                return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
            }
        }
    }
    edit::apply_append(file, &change)?;
    ctx.print_note(format!("wrote     {name}"));
    ctx.print_notices(&ctx.load()?);
    Ok(Exit::Done)
}

/// Whether `there` says just what `rule` would.
fn is_same_rule(rule: &ImportedRule, there: &Rule, agents: &[String]) -> bool {
    rule.workspace.is_none()
        && rule.effect == there.effect
        && rule.pattern == there.pattern.as_str()
        && there.unless.is_none()
        && there.holds
        && there.agents == agents
}

/// A line of a diff, with or without colour.
pub(super) fn paint_diff_line(line: &str, color: bool) -> String {
    let style = match line.chars().next() {
        Some('+') => console::Style::new().green(),
        Some('-') => console::Style::new().red(),
        _ => console::Style::new().dim(),
    };
    style.force_styling(color).apply_to(escape_block(line)).to_string()
}

fn rule_count_text(count: usize) -> String {
    if count == 1 { "1 rule".to_owned() } else { format!("{count} rules") }
}

fn visible_path(path: &Path) -> String {
    escape_line(&path.display().to_string())
}
