//! `mayi log --follow`: what happens, as it happens.

use std::time::{Duration, Instant};

use mayi_core::store::{EntryQuery, Order, SqliteStore, Store};

use super::args::LogArgs;
use super::call_groups::EntryGrouper;
use super::pages::Pages;
use super::table::Table;
use super::{CliError, Context, json, list};
use crate::exit::Exit;
use crate::memory;

/// So often it is looked for something new.
const PAUSE: Duration = Duration::from_millis(200);
/// As many lines of what was before.
const BEFORE: usize = 10;
/// A record that another process is making is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn follow(args: LogArgs, ctx: Context) -> Result<Exit, CliError> {
    let following = tokio::task::spawn_blocking(move || Follower::new(&args, &ctx)?.run());
    tokio::select! {
        ended = following => ended.map_err(|error| CliError::internal(error.to_string()))?,
        _ = tokio::signal::ctrl_c() => Ok(Exit::Interrupted),
    }
}

struct Follower<'a> {
    args: &'a LogArgs,
    ctx: &'a Context,
    query: EntryQuery,
    table: Table,
    /// The newest entry that was looked at.
    last_seq: u64,
}

impl<'a> Follower<'a> {
    fn new(args: &'a LogArgs, ctx: &'a Context) -> Result<Self, CliError> {
        let query = args.which.narrow_query(args.whose.entry_query(ctx)?);
        Ok(Self { args, ctx, query, table: Table::new(ctx), last_seq: 0 })
    }

    fn run(mut self) -> Result<Exit, CliError> {
        let Some(store) = self.wait_for_store()? else { return Ok(Exit::Done) };
        while someone_reads(PAUSE) {
            let newest = newest_seq(&store)?;
            if newest > self.last_seq {
                self.show_new_entries(&store, newest)?;
            }
        }
        Ok(Exit::Done)
    }

    /// The store, once there is one; with what was before.
    fn wait_for_store(&mut self) -> Result<Option<SqliteStore>, CliError> {
        if let Some(store) = memory::open_existing_store(self.ctx)? {
            let newest = newest_seq(&store)?;
            let lines = self.args.lines.map_or(BEFORE, |lines| lines as usize);
            self.show_last_lines(&store, newest, if self.args.all { usize::MAX } else { lines })?;
            self.last_seq = newest;
            return Ok(Some(store));
        }
        self.ctx.print_note("nothing is recorded yet; waiting for it");
        let mut since: Option<Instant> = None;
        while someone_reads(PAUSE) {
            // It may be half made.
            let opened = memory::open_existing_store(self.ctx)
                .and_then(|store| store.map(|store| newest_seq(&store).map(|_| store)).transpose());
            match opened {
                Ok(Some(store)) => return Ok(Some(store)),
                Ok(None) => {}
                Err(error) if since.get_or_insert_with(Instant::now).elapsed() > PATIENCE => {
                    return Err(error);
                }
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Shows the last lines up to the entry `newest`.
    fn show_last_lines(&mut self, store: &dyn Store, newest: u64, lines: usize) -> Result<(), CliError> {
        let query = EntryQuery { before: Some(newest.saturating_add(1)), ..self.query.clone() };
        if !self.args.json {
            return self.table.print(&list::newest_groups(store, query, lines)?);
        }
        let pages = Pages::new(store, query)?.take(lines);
        let entries: Vec<_> = pages.collect::<Result<_, _>>()?;
        entries.into_iter().rev().try_for_each(json::print_entry)
    }

    /// Shows what is new up to the entry `newest`.
    fn show_new_entries(&mut self, store: &dyn Store, newest: u64) -> Result<(), CliError> {
        let query = EntryQuery {
            order: Order::OldestFirst,
            after: Some(self.last_seq),
            before: Some(newest.saturating_add(1)),
            ..self.query.clone()
        };
        let mut joining = EntryGrouper::default();
        for recorded in Pages::new(store, query)? {
            let recorded = recorded?;
            if self.args.json { json::print_entry(recorded)? } else { joining.add(recorded) }
        }
        self.last_seq = newest;
        self.table.print(&joining.finish())
    }
}

/// The number of the newest entry; 0: there is none.
fn newest_seq(store: &dyn Store) -> Result<u64, CliError> {
    let query = EntryQuery { limit: Some(1), ..EntryQuery::default() };
    Ok(store.query_entries(&query)?.first().map_or(0, |recorded| recorded.seq))
}

/// Waits so long. Says no at once when the reader of standard output goes away.
#[cfg(unix)]
fn someone_reads(pause: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = std::io::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
    let pause = Timespec { tv_sec: 0, tv_nsec: i64::from(pause.subsec_nanos()) };
    match poll(&mut fds, Some(&pause)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => true,
        Ok(_) => false,
        Err(_) => {
            std::thread::sleep(PAUSE);
            true
        }
    }
}

#[cfg(not(unix))]
fn someone_reads(pause: Duration) -> bool {
    std::thread::sleep(pause);
    true
}
