//! `mayi config import`: the rules of another tool as mayi's.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use mayi_core::approval::{escape_block, escape_line};
use mayi_core::call::AgentId;
use mayi_core::config::{ConfigErrors, edit};
use mayi_core::import::{
    ImportResult, ImportTool, ImportedRule, files_of, given_file, import_rules as read, render_rules,
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
    fn to_tool(self) -> ImportTool {
        match self {
            Self::ClaudeCode => ImportTool::ClaudeCode,
            Self::Codex => ImportTool::Codex,
            Self::Gemini => ImportTool::Gemini,
            Self::Vscode => ImportTool::VsCode,
            Self::Zed => ImportTool::Zed,
            Self::Opencode => ImportTool::OpenCode,
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
    let imported = read(tool, &files, &ctx.sources.pattern_bases()).map_err(ConfigErrors::from)?;
    for file in &files {
        let whose = if file.project.is_some() { ", for this folder only" } else { "" };
        ctx.print_note(format!("read      {}{whose}", visible_path(&file.path)));
    }
    for left in &imported.left_out {
        if args.json {
            let kind = if left.carried { "partly" } else { "left_out" };
            print::stdout_json(
                &json!({ "type": kind, "file": left.file, "from": left.from, "why": left.why }),
            )?;
        } else {
            // Not silenced by --quiet: a denial may be among them.
            let word = if left.carried { "partly  " } else { "left out" };
            print::stderr_line(format!("{word}  {}: {}", left.from, left.why));
        }
    }
    let left_out = imported.left_out.iter().filter(|left| !left.carried).count();
    let count = format!("{} carried over, {left_out} left out", rule_count_text(imported.rules.len()));
    if args.json {
        for rule in &imported.rules {
            print::stdout_json(&json!({
                "type": "rule", "effect": rule.effect, "pattern": rule.pattern, "reason": rule.reason,
                "agents": args.agent, "workspace": rule.workspace, "file": rule.file, "from": rule.from,
            }))?;
        }
    } else if !args.write && !imported.rules.is_empty() {
        print::stdout_bytes(render_rules(tool, &imported, &args.agent).as_bytes())?;
    }
    ctx.print_note(&count);
    if args.write {
        return write_rules(tool, imported, args, ctx);
    }
    if !imported.rules.is_empty() && !args.json {
        ctx.print_note("nothing was written: --write adds the rules to your file");
    }
    Ok(Exit::Done)
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
    let change = edit::preview_append(file, &ctx.sources.pattern_bases(), |there| {
        imported.rules.retain(|rule| !there.iter().any(|other| is_same_rule(rule, other, &args.agent)));
        render_rules(tool, &imported, &args.agent)
    })?;
    let name = visible_path(file);
    if imported.rules.is_empty() {
        ctx.print_note(format!("nothing has changed: {name} says all of it already"));
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
    if !args.yes {
        match ask_to_confirm(
            &format!("Add {} to {name}?", rule_count_text(imported.rules.len())),
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
