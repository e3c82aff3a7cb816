//! `mayi config import`: the rules of another tool as mayi's.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use mayi_core::approval::{visible, visible_block};
use mayi_core::call::AgentId;
use mayi_core::config::{ConfigErrors, edit};
use mayi_core::import::{Imported, ImportedRule, Tool, files_of, given, import as read, render};
use mayi_core::policy::Rule;
use serde_json::json;
use similar::TextDiff;

use super::confirm::confirmed;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

pub(super) const AFTER: &str = "\
Without FILE, the places where the tool keeps its settings are read: the user's own, and those of
this folder, which become rules for this folder only. What can't be said in mayi's rules without
allowing more is left out, and named with the reason.

Examples:
  mayi config import claude-code             print the rules as mayi would write them
  mayi config import vscode --write          add them to your file, after showing the change
  mayi config import codex my.rules --json   one object a line: rules, and what was left out";

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
}

impl ToolArg {
    fn tool(self) -> Tool {
        match self {
            Self::ClaudeCode => Tool::ClaudeCode,
            Self::Codex => Tool::Codex,
            Self::Gemini => Tool::Gemini,
            Self::Vscode => Tool::VsCode,
            Self::Zed => Tool::Zed,
            Self::Opencode => Tool::OpenCode,
        }
    }
}

pub(super) fn import(args: &ImportArgs, ctx: &Context) -> Result<Exit, CliError> {
    if let Some(name) = args.agent.iter().find(|name| AgentId::written(name).is_none()) {
        return Err(CliError::usage(format!("no agent can be called `{}`", visible(name))));
    }
    let tool = args.tool.tool();
    let home = ctx.sources.folders.home.as_deref();
    let files = match args.file.as_slice() {
        [] => files_of(tool, home, &ctx.cwd),
        named => {
            let whole = named.iter().map(std::path::absolute).collect::<Result<Vec<_>, _>>()?;
            whole.iter().map(|path| given(tool, home, path)).collect()
        }
    };
    if files.is_empty() {
        return Err(CliError::usage(format!(
            "no settings of {} were found for you or in {}: name the FILE",
            tool.title(),
            visible(&ctx.cwd.display().to_string())
        )));
    }
    let imported = read(tool, &files, &ctx.sources.places()).map_err(ConfigErrors::from)?;
    for file in &files {
        let whose = if file.project.is_some() { ", for this folder only" } else { "" };
        ctx.note(format!("read      {}{whose}", shown(&file.path)));
    }
    for left in &imported.left_out {
        if args.json {
            let kind = if left.carried { "partly" } else { "left_out" };
            print::json(&json!({ "type": kind, "file": left.file, "from": left.from, "why": left.why }))?;
        } else {
            // Not silenced by --quiet: a denial may be among them.
            let word = if left.carried { "partly  " } else { "left out" };
            print::note(format!("{word}  {}: {}", left.from, left.why));
        }
    }
    let left_out = imported.left_out.iter().filter(|left| !left.carried).count();
    let count = format!("{} carried over, {left_out} left out", rules(imported.rules.len()));
    if args.json {
        for rule in &imported.rules {
            print::json(&json!({
                "type": "rule", "effect": rule.effect, "pattern": rule.pattern, "reason": rule.reason,
                "agents": args.agent, "workspace": rule.workspace, "file": rule.file, "from": rule.from,
            }))?;
        }
    } else if !args.write && !imported.rules.is_empty() {
        print::bytes(render(tool, &imported, &args.agent).as_bytes())?;
    }
    ctx.note(&count);
    if args.write {
        return write(tool, imported, args, ctx);
    }
    if !imported.rules.is_empty() && !args.json {
        ctx.note("nothing was written: --write adds the rules to your file");
    }
    Ok(Exit::Done)
}

fn write(tool: Tool, mut imported: Imported, args: &ImportArgs, ctx: &Context) -> Result<Exit, CliError> {
    let file = ctx
        .sources
        .own_file()
        .ok_or_else(|| CliError::internal("there is no home folder to keep a configuration in"))?;
    let all = imported.rules.len();
    let change = edit::preview(file, &ctx.sources.places(), |there| {
        imported.rules.retain(|rule| !there.iter().any(|other| same(rule, other, &args.agent)));
        render(tool, &imported, &args.agent)
    })?;
    let name = shown(file);
    if imported.rules.is_empty() {
        ctx.note(format!("nothing has changed: {name} says all of it already"));
        return Ok(Exit::Done);
    }
    if imported.rules.len() < all {
        ctx.note(format!("{} of them there already", all - imported.rules.len()));
    }
    if !(args.yes && ctx.quiet) {
        let old = change.old.as_deref().unwrap_or_default();
        for line in
            TextDiff::from_lines(old, &change.new).unified_diff().context_radius(1).to_string().lines()
        {
            print::note(painted(line, ctx.color_of_errors() && std::io::stderr().is_terminal()));
        }
    }
    if !args.yes {
        match confirmed(&format!("Add {} to {name}?", rules(imported.rules.len())), "this change")? {
            Some(true) => {}
            answer => {
                ctx.note("nothing has changed");
                return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
            }
        }
    }
    edit::append(file, &change)?;
    ctx.note(format!("wrote     {name}"));
    ctx.notices(&ctx.load()?);
    Ok(Exit::Done)
}

/// Whether `there` says just what `rule` would.
fn same(rule: &ImportedRule, there: &Rule, agents: &[String]) -> bool {
    rule.workspace.is_none()
        && rule.effect == there.effect
        && rule.pattern == there.pattern.as_str()
        && there.unless.is_none()
        && there.holds
        && there.agents == agents
}

/// A line of a diff, with or without colour.
pub(super) fn painted(line: &str, color: bool) -> String {
    let style = match line.chars().next() {
        Some('+') => console::Style::new().green(),
        Some('-') => console::Style::new().red(),
        _ => console::Style::new().dim(),
    };
    style.force_styling(color).apply_to(visible_block(line)).to_string()
}

fn rules(count: usize) -> String {
    if count == 1 { "1 rule".to_owned() } else { format!("{count} rules") }
}

fn shown(path: &Path) -> String {
    visible(&path.display().to_string())
}
