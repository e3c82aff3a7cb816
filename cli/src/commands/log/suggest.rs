//! `mayi log suggest`: rules that would have saved questions.

use mayi_core::approval::{escape_block, escape_line};
use mayi_core::config::edit::{self, NewRule, rules_text};
use mayi_core::config::load;
use mayi_core::policy::{Effect, Policy};
use mayi_core::record::analysis::{Proposal, RecordParts, RuleSuggestions, suggest_rules as of};
use mayi_core::record::{CallId, Kind, Recorded};
use mayi_core::store::{EntryQuery, Order, SqliteStore};
use similar::TextDiff;

use super::super::confirm::ask_to_confirm;
use super::args::SuggestArgs;
use super::pages::Pages;
use super::{CliError, Context, check_gaps, count_text, existing_store, json};
use crate::exit::Exit;
use crate::moments::Moment;
use crate::progress::Progress;
use crate::{person, print};

/// So far back is looked if nothing else was said.
const DAYS: i32 = 30;

const KINDS: [Kind; 7] = [
    Kind::Proposed,
    Kind::Decided,
    Kind::Asked,
    Kind::Answered,
    Kind::Expired,
    Kind::Cancelled,
    Kind::Unasked,
];

pub(super) fn suggest(args: &SuggestArgs, ctx: &Context) -> Result<Exit, CliError> {
    let mut query = args.whose.entry_query(ctx)?;
    query.since.get_or_insert(Moment::days_ago(DAYS).0);
    let policy = load_policy(args, &query, ctx)?;
    let Some(store) = existing_store(ctx)? else { return Ok(Exit::Done) };
    if args.apply {
        person::refuse_agent(&store)?;
    }
    let progress = Progress::new(ctx, args.json, "reading the record");
    let entries = relevant_entries(&store, query, &progress)?;
    progress.goes_on("looking for rules");
    let suggested = of(&entries, &policy);
    drop(progress);
    if args.json {
        json::print_analysis(&suggested)?;
        return Ok(Exit::Done);
    }
    let span = if args.whose.since.is_none() { format!(" in the last {DAYS} days") } else { String::new() };
    let questions = count_text(suggested.prompts, "question", "questions");
    if suggested.proposals.is_empty() {
        let why = "no rule that allows nothing else would have saved two of them";
        ctx.print_note(match suggested.prompts {
            0 => format!(
                "nothing to suggest: no question{span} was answered with yes that would be asked again"
            ),
            _ => format!("nothing to suggest: {questions} answered with yes{span}, and {why}"),
        });
        return Ok(Exit::Done);
    }
    let rules = proposed_rules(&suggested, ctx);
    ctx.print_note(format!(
        "{} of {questions} answered with yes{span} would not be asked again with these rules",
        suggested.saved
    ));
    if args.apply {
        return apply_rules(&rules, args, ctx);
    }
    print::stdout_bytes(rules_text(&rules).as_bytes())?;
    ctx.print_note("nothing was written: --apply adds the rules to your file");
    Ok(check_gaps(&store))
}

/// What counts now: in a folder, if it is about one; else what counts everywhere.
fn load_policy(args: &SuggestArgs, query: &EntryQuery, ctx: &Context) -> Result<Policy, CliError> {
    let mut sources = ctx.sources.clone();
    match &query.workspace {
        Some(_) if args.whose.here => {}
        Some(folder) => {
            sources.cwd = folder.into();
            sources.workspace = Some(sources.cwd.join(mayi_core::config::WORKSPACE_FILE));
        }
        None => sources.workspace = None,
    }
    let loaded = load(&sources)?;
    ctx.print_notices(&loaded);
    Ok(loaded.policy.with_indexes())
}

/// The entries of calls that were asked about or denied: no others have a part in it.
fn relevant_entries(
    store: &SqliteStore,
    query: EntryQuery,
    progress: &Progress,
) -> Result<Vec<Recorded>, CliError> {
    let query = EntryQuery { order: Order::OldestFirst, kinds: KINDS.to_vec(), ..query };
    let mut parts = RecordParts::default();
    let mut kept = Vec::new();
    for recorded in Pages::with_progress(store, query, progress)? {
        if let Some(part) = parts.push(recorded?) {
            kept.extend(keep_relevant(part));
        }
    }
    kept.extend(keep_relevant(parts.finish()));
    Ok(kept)
}

fn keep_relevant(part: Vec<Recorded>) -> impl Iterator<Item = Recorded> {
    let speaks = |of: &&Recorded| of.entry.effect.is_some_and(|effect| effect != Effect::Allow);
    let calls: std::collections::HashSet<CallId> =
        part.iter().filter(speaks).filter_map(|of| of.entry.call).collect();
    part.into_iter().filter(move |of| of.entry.call.is_none_or(|call| calls.contains(&call)))
}

/// The proposals as rules; what was asked of agents without a name can't be one.
fn proposed_rules(suggested: &RuleSuggestions, ctx: &Context) -> Vec<NewRule> {
    let today = jiff::Zoned::now().date();
    let mut rules = Vec::new();
    for Proposal { patterns, agents, prompts_saved, examples, besides, since } in &suggested.proposals {
        let named: Vec<String> =
            agents.iter().filter(|agent| agent.name().is_some()).map(ToString::to_string).collect();
        if named.is_empty() {
            let all = patterns.join(" ");
            ctx.print_note(format!("left out, since no named agent asked: {}", escape_line(&all)));
            continue;
        }
        let saved = count_text(*prompts_saved, "question", "questions");
        let since = since.to_zoned(jiff::tz::TimeZone::system()).date();
        // All of them were answered with yes, and nothing that the rule allows with no.
        let mut comments =
            vec![format!("saves {saved}, allowed by you since {since} and never denied, such as:")];
        comments.extend(examples.iter().map(|example| format!("  {example}")));
        let mut reach = besides.clone();
        reach.dedup();
        comments.extend(reach.iter().map(|words| format!("it also allows: {words}")));
        rules.push(NewRule {
            patterns: patterns.clone(),
            agents: named,
            reason: format!("suggested by the record on {today}"),
            comments,
        });
    }
    rules
}

fn apply_rules(rules: &[NewRule], args: &SuggestArgs, ctx: &Context) -> Result<Exit, CliError> {
    let file = ctx
        .sources
        .own_file()
        .ok_or_else(|| CliError::internal("there is no home folder to keep a configuration in"))?;
    let name = escape_line(&file.display().to_string());
    let change = edit::preview_append(file, &ctx.sources.pattern_bases(), &[], |_| rules_text(rules))?;
    if !(args.yes && ctx.quiet) {
        let old = change.old.as_deref().unwrap_or_default();
        let diff = TextDiff::from_lines(old, &change.new).unified_diff().context_radius(1).to_string();
        for line in diff.lines() {
            print::stderr_line(paint_diff_line(line, ctx));
        }
    }
    let number: usize = rules.iter().map(|rule| rule.patterns.len()).sum();
    if !args.yes {
        let question = format!("Add {} to {name}?", count_text(number, "rule", "rules"));
        match ask_to_confirm(&question, "this change")? {
            Some(true) => {}
            answer => {
                ctx.print_note("nothing has changed");
                return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
            }
        }
    }
    edit::apply_append(file, &change)?;
    ctx.print_note(format!("wrote {name}"));
    ctx.print_notices(&ctx.load()?);
    Ok(Exit::Done)
}

fn paint_diff_line(line: &str, ctx: &Context) -> String {
    let style = match line.chars().next() {
        Some('+') => console::Style::new().green(),
        Some('-') => console::Style::new().red(),
        _ => console::Style::new().dim(),
    };
    style.force_styling(ctx.is_stderr_colored()).apply_to(escape_block(line)).to_string()
}
