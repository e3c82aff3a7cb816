//! `mayi log`: the newest calls, or those that filters mean.

use mayi_core::record::Recorded;
use mayi_core::store::{EntryQuery, Order, Store};

use super::args::LogArgs;
use super::call_groups::{EntryGroup, EntryGrouper};
use super::pages::Pages;
use super::table::Table;
use super::{CliError, Context, check_gaps, existing_store, json};
use crate::exit::Exit;

/// As many lines are a page.
const PAGE: usize = 50;
/// As many calls are joined at once where all are shown.
const JOINED: usize = 1000;

pub(super) fn list(args: &LogArgs, ctx: &Context) -> Result<Exit, CliError> {
    let query = args.which.narrow_query(args.whose.entry_query(ctx)?);
    let Some(store) = existing_store(ctx)? else { return Ok(Exit::Done) };
    let shown = match (args.json, args.all) {
        (true, _) => print_entries(&store, query, args)?,
        (false, true) => print_all(&store, query, args.reverse, ctx)?,
        (false, false) => {
            let lines = args.lines.map_or_else(page_lines, |lines| lines as usize);
            let mut happenings = newest_groups(&store, query, lines)?;
            if !args.reverse {
                happenings.reverse();
            }
            Table::new(ctx).print(&happenings)?;
            happenings.len()
        }
    };
    if shown == 0 && !args.json {
        ctx.print_note(if store.newest_time()?.is_none() {
            "nothing is recorded yet"
        } else {
            "nothing like that is recorded"
        });
    }
    Ok(check_gaps(&store))
}

/// Fifty lines; on a terminal no more than it has, so that the newest does not leave it.
fn page_lines() -> usize {
    let stdout = console::Term::stdout();
    let rows = stdout.size_checked().filter(|_| stdout.is_term()).map(|(rows, _)| usize::from(rows));
    // The next prompt and a day or two take lines of their own.
    rows.map_or(PAGE, |rows| rows.saturating_sub(4).clamp(1, PAGE))
}

/// Entries as JSON, one a line.
fn print_entries(store: &dyn Store, query: EntryQuery, args: &LogArgs) -> Result<usize, CliError> {
    if args.all {
        let order = if args.reverse { Order::OldestFirst } else { Order::NewestFirst };
        let mut count = 0;
        for recorded in Pages::new(store, EntryQuery { order, ..query })? {
            json::print_entry(recorded?)?;
            count += 1;
        }
        return Ok(count);
    }
    let lines = args.lines.map_or(PAGE, |lines| lines as usize);
    let limit = Some(page_of(lines));
    let pages = Pages::new(store, EntryQuery { limit, ..query })?.take(lines);
    let mut entries: Vec<Recorded> = pages.collect::<Result<_, _>>()?;
    if args.reverse {
        entries.reverse();
    }
    let count = entries.len();
    for recorded in entries {
        json::print_entry(recorded)?;
    }
    Ok(count)
}

/// The newest `lines` happenings, oldest first.
///
/// # Errors
/// If the store can't be read.
pub(super) fn newest_groups(
    store: &dyn Store,
    query: EntryQuery,
    lines: usize,
) -> Result<Vec<EntryGroup>, CliError> {
    // A call has three or four entries.
    let limit = Some(page_of(lines.saturating_mul(4)));
    let mut joining = EntryGrouper::default();
    for recorded in Pages::new(store, EntryQuery { order: Order::NewestFirst, limit, ..query })? {
        joining.add(recorded?);
        // With one more than is shown, nothing is missing of the last one that is.
        if joining.len() > lines {
            break;
        }
    }
    let mut all = joining.finish();
    all.drain(..all.len().saturating_sub(lines));
    Ok(all)
}

fn page_of(lines: usize) -> u32 {
    u32::try_from(lines.clamp(1, 1000)).unwrap_or(1000)
}

/// All of it, as it is read.
fn print_all(store: &dyn Store, query: EntryQuery, reverse: bool, ctx: &Context) -> Result<usize, CliError> {
    let order = if reverse { Order::OldestFirst } else { Order::NewestFirst };
    let mut table = Table::new(ctx);
    let mut joining = EntryGrouper::default();
    let mut count = 0;
    let mut show = |mut happenings: Vec<EntryGroup>| {
        if !reverse {
            happenings.reverse();
        }
        count += happenings.len();
        table.print(&happenings)
    };
    for recorded in Pages::new(store, EntryQuery { order, ..query })? {
        joining.add(recorded?);
        if joining.len() > JOINED {
            show(joining.take_whole())?;
        }
    }
    show(joining.finish())?;
    Ok(count)
}
