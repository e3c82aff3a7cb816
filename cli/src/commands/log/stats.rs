//! `mayi log stats`: figures of the record.

use jiff::tz::TimeZone;
use mayi_core::approval::escape_line;
use mayi_core::record::Kind;
use mayi_core::record::analysis::{Counted, Counts, RecordParts, Stats, StatsBuilder};
use mayi_core::store::{EntryQuery, Order};

use super::args::StatsArgs;
use super::pages::Pages;
use super::table::took_text;
use super::{CliError, Context, check_gaps, existing_store, json};
use crate::exit::Exit;
use crate::print;
use crate::progress::Progress;
use crate::surface::{Line, Tone};

/// What the figures are made of.
const KINDS: [Kind; 6] =
    [Kind::Decided, Kind::Asked, Kind::Answered, Kind::Expired, Kind::Cancelled, Kind::Unasked];
/// As many of each list are shown.
const MOST: usize = 10;
/// As many days.
const DAYS: usize = 14;
/// The longest bar.
const BAR: u64 = 40;

pub(super) fn stats(args: &StatsArgs, ctx: &Context) -> Result<Exit, CliError> {
    let query = args.whose.entry_query(ctx)?;
    let Some(store) = existing_store(ctx)? else { return Ok(Exit::Done) };
    let query = EntryQuery { order: Order::OldestFirst, kinds: KINDS.to_vec(), ..query };
    let mut figures = StatsBuilder::new(TimeZone::system());
    let mut parts = RecordParts::default();
    let progress = Progress::new(ctx, args.json, "reading the record");
    for recorded in Pages::with_progress(&store, query, &progress)? {
        if let Some(part) = parts.push(recorded?) {
            figures.add_entries(&part);
        }
    }
    figures.add_entries(&parts.finish());
    let stats = figures.finish();
    drop(progress);
    if args.json {
        json::print_analysis(&stats)?;
        return Ok(Exit::Done);
    }
    match (stats.since, stats.until) {
        (Some(since), Some(until)) => {
            let day = |at: jiff::Timestamp| at.to_zoned(TimeZone::system()).date().to_string();
            print_heading(ctx, &format!("{} to {}", day(since), day(until)))?;
            print_stats(&stats, ctx)?;
        }
        _ => ctx.print_note("nothing like that is recorded"),
    }
    Ok(check_gaps(&store))
}

fn print_heading(ctx: &Context, text: &str) -> Result<(), CliError> {
    Ok(print::stdout_line(Line::with_text(Tone::Strong, text).paint(ctx.is_stdout_colored()))?)
}

fn print_stats(stats: &Stats, ctx: &Context) -> Result<(), CliError> {
    let all = Counted { name: "all".to_owned(), counts: stats.all };
    print_counts("AGENT", std::iter::once(&all).chain(&stats.agents))?;
    print::stdout_line("")?;
    print_counts("TOOL", stats.tools.iter().take(MOST))?;
    print_more_count(stats.tools.len())?;
    print_rules(stats)?;
    print_days(stats, ctx)?;
    let answers = stats.answers;
    if let (Some(median), Some(p90)) = (answers.median, answers.p90) {
        print::stdout_line("")?;
        print::stdout_line(format!(
            "answers by people: {}; half of them within {}, nine of ten within {}",
            answers.count,
            took_text(median),
            took_text(p90)
        ))?;
    }
    Ok(())
}

fn print_more_count(all: usize) -> Result<(), CliError> {
    match all.checked_sub(MOST) {
        None | Some(0) => Ok(()),
        Some(left) => Ok(print::stdout_line(format!("and {left} more: --json has them"))?),
    }
}

fn print_counts<'a>(title: &str, list: impl Iterator<Item = &'a Counted>) -> Result<(), CliError> {
    let names = ["CALLS", "ALLOWED", "DENIED", "ASKED", "YES", "NO", "UNANSWERED", "UNASKED"];
    let mut rows = vec![std::iter::once(title).chain(names).map(str::to_owned).collect::<Vec<_>>()];
    for Counted { name, counts } in list {
        let Counts { calls, allowed, denied, asked, approved, refused, unanswered, unasked } = *counts;
        let figures = [calls, allowed, denied, asked, approved, refused, unanswered, unasked];
        let figure = |(number, title): (u64, &str)| {
            let text = if number == 0 { "-".to_owned() } else { number.to_string() };
            format!("{text:>width$}", width = title.len())
        };
        let cells = figures.into_iter().zip(names).map(figure);
        rows.push(std::iter::once(escape_line(name)).chain(cells).collect());
    }
    Ok(print::align_columns(&rows).into_iter().try_for_each(print::stdout_line)?)
}

fn print_rules(stats: &Stats) -> Result<(), CliError> {
    if stats.rules.is_empty() {
        return Ok(());
    }
    let mut rows = vec![["RULE", "DECIDED", "SPOKE", "WHERE"].map(str::to_owned).to_vec()];
    for rule in stats.rules.iter().take(MOST) {
        let place = match (&rule.file, rule.line) {
            (Some(file), Some(line)) => escape_line(&format!("{file}:{line}")),
            (Some(file), None) => escape_line(file),
            _ => String::new(),
        };
        let what = escape_line(&format!("{} {}", rule.effect, rule.pattern));
        rows.push(vec![what, format!("{:>7}", rule.decided), format!("{:>5}", rule.spoke), place]);
    }
    print::stdout_line("")?;
    print::align_columns(&rows).into_iter().try_for_each(print::stdout_line)?;
    print_more_count(stats.rules.len())
}

/// Questions by day, each with a bar.
fn print_days(stats: &Stats, ctx: &Context) -> Result<(), CliError> {
    let from = stats.days.len().saturating_sub(DAYS);
    let days: Vec<_> = stats.days.iter().skip(from).collect();
    let Some(most) = days.iter().map(|day| day.asked).max().filter(|most| *most > 0) else { return Ok(()) };
    print::stdout_line("")?;
    print::stdout_line("PROMPTS A DAY")?;
    let width = most.to_string().len();
    for day in days {
        // Something is never nothing.
        let long = (day.asked * BAR.min(most)).div_ceil(most);
        let bar = "█".repeat(usize::try_from(long).unwrap_or_default());
        let line = Line::with_text(Tone::Plain, &format!("{}  {:>width$}  ", day.day, day.asked));
        print::stdout_line(line.append_text(Tone::Focus, &bar).paint(ctx.is_stdout_colored()))?;
    }
    Ok(())
}
