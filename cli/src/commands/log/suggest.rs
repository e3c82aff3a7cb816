//! `mayi log suggest`: rules that would have saved questions.

use mayi_core::approval::{visible, visible_block};
use mayi_core::config::edit::{self, NewRule, rules_text};
use mayi_core::config::load;
use mayi_core::policy::{Effect, Policy};
use mayi_core::record::analysis::{Parts, Proposal, Suggested, suggest as of};
use mayi_core::record::{CallId, Kind, Recorded};
use mayi_core::store::{EntryQuery, Order, SqliteStore};
use similar::TextDiff;

use super::super::confirm::confirmed;
use super::args::SuggestArgs;
use super::pages::Pages;
use super::{CliError, Context, count, json, store};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::when::Moment;
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
    let mut query = args.whose.query(ctx)?;
    query.since.get_or_insert(Moment::days_ago(DAYS).0);
    let policy = policy(args, &query, ctx)?;
    let Some(store) = store(ctx)? else { return Ok(Exit::Done) };
    if args.apply {
        person::is_no_agent(&store)?;
    }
    let progress = Progress::new(ctx, args.json, "reading the record");
    let entries = entries(&store, query, &progress)?;
    progress.goes_on("looking for rules");
    let suggested = of(&entries, &policy);
    drop(progress);
    if args.json {
        json::found(&suggested)?;
        return Ok(Exit::Done);
    }
    let span = if args.whose.since.is_none() { format!(" in the last {DAYS} days") } else { String::new() };
    let questions = count(suggested.prompts, "question", "questions");
    if suggested.proposals.is_empty() {
        let why = "no rule that allows nothing else would have saved two of them";
        ctx.note(match suggested.prompts {
            0 => format!(
                "nothing to suggest: no question{span} was answered with yes that would be asked again"
            ),
            _ => format!("nothing to suggest: {questions} answered with yes{span}, and {why}"),
        });
        return Ok(Exit::Done);
    }
    let rules = rules(&suggested, ctx);
    ctx.note(format!(
        "{} of {questions} answered with yes{span} would not be asked again with these rules",
        suggested.saved
    ));
    if args.apply {
        return apply(&rules, args, ctx);
    }
    print::bytes(rules_text(&rules).as_bytes())?;
    ctx.note("nothing was written: --apply adds the rules to your file");
    Ok(Exit::Done)
}

/// What counts now: in a folder, if it is about one; else what counts everywhere.
fn policy(args: &SuggestArgs, query: &EntryQuery, ctx: &Context) -> Result<Policy, CliError> {
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
    ctx.notices(&loaded);
    Ok(loaded.policy.compiled())
}

/// The entries of calls that were asked about or denied: no others have a part in it.
fn entries(store: &SqliteStore, query: EntryQuery, progress: &Progress) -> Result<Vec<Recorded>, CliError> {
    let query = EntryQuery { order: Order::OldestFirst, kinds: KINDS.to_vec(), ..query };
    let mut parts = Parts::default();
    let mut kept = Vec::new();
    for recorded in Pages::watched(store, query, progress)? {
        if let Some(part) = parts.push(recorded?) {
            kept.extend(matter(part));
        }
    }
    kept.extend(matter(parts.finish()));
    Ok(kept)
}

fn matter(part: Vec<Recorded>) -> impl Iterator<Item = Recorded> {
    let speaks = |of: &&Recorded| of.entry.effect.is_some_and(|effect| effect != Effect::Allow);
    let calls: std::collections::HashSet<CallId> =
        part.iter().filter(speaks).filter_map(|of| of.entry.call).collect();
    part.into_iter().filter(move |of| of.entry.call.is_none_or(|call| calls.contains(&call)))
}

/// The proposals as rules; what was asked of agents without a name can't be one.
fn rules(suggested: &Suggested, ctx: &Context) -> Vec<NewRule> {
    let today = jiff::Zoned::now().date();
    let mut rules = Vec::new();
    for Proposal { patterns, agents, prompts_saved, examples, besides, since } in &suggested.proposals {
        let named: Vec<String> =
            agents.iter().filter(|agent| agent.name().is_some()).map(ToString::to_string).collect();
        if named.is_empty() {
            let all = patterns.join(" ");
            ctx.note(format!("left out, since no named agent asked: {}", visible(&all)));
            continue;
        }
        let saved = count(*prompts_saved, "question", "questions");
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

fn apply(rules: &[NewRule], args: &SuggestArgs, ctx: &Context) -> Result<Exit, CliError> {
    let file = ctx
        .sources
        .own_file()
        .ok_or_else(|| CliError::internal("there is no home folder to keep a configuration in"))?;
    let name = visible(&file.display().to_string());
    let change = edit::preview(file, &ctx.sources.places(), |_| rules_text(rules))?;
    if !(args.yes && ctx.quiet) {
        let old = change.old.as_deref().unwrap_or_default();
        let diff = TextDiff::from_lines(old, &change.new).unified_diff().context_radius(1).to_string();
        for line in diff.lines() {
            print::note(painted(line, ctx));
        }
    }
    let number: usize = rules.iter().map(|rule| rule.patterns.len()).sum();
    if !args.yes {
        let question = format!("Add {} to {name}?", count(number, "rule", "rules"));
        match confirmed(&question, "this change")? {
            Some(true) => {}
            answer => {
                ctx.note("nothing has changed");
                return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
            }
        }
    }
    edit::append(file, &change)?;
    ctx.note(format!("wrote {name}"));
    ctx.notices(&ctx.load()?);
    Ok(Exit::Done)
}

fn painted(line: &str, ctx: &Context) -> String {
    let style = match line.chars().next() {
        Some('+') => console::Style::new().green(),
        Some('-') => console::Style::new().red(),
        _ => console::Style::new().dim(),
    };
    style.force_styling(ctx.color_of_errors()).apply_to(visible_block(line)).to_string()
}
