//! `mayi log`: what happened, and what can be learnt from it.

mod args;
mod call_groups;
mod filter;
mod follow;
mod json;
mod list;
mod pages;
mod replay;
mod show;
mod stats;
mod suggest;
mod table;
mod verify;

use self::args::LogCommand;
pub(super) use self::args::{AFTER, LogArgs};

use mayi_core::store::SqliteStore;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{memory, print};

pub(super) async fn run(args: LogArgs, ctx: Context) -> Result<Exit, CliError> {
    match &args.command {
        None if args.follow => follow::follow(args, ctx).await,
        None => list::list(&args, &ctx),
        Some(LogCommand::Show(args)) => show::show(args, &ctx),
        Some(LogCommand::Verify(args)) => verify::verify(args, &ctx),
        Some(LogCommand::Stats(args)) => stats::stats(args, &ctx),
        Some(LogCommand::Replay(args)) => replay::replay(args, &ctx),
        Some(LogCommand::Suggest(args)) => suggest::suggest(args, &ctx),
    }
}

/// The store to read; where there is none, it says so.
fn existing_store(ctx: &Context) -> Result<Option<SqliteStore>, CliError> {
    let store = memory::open_existing_store(ctx)?;
    if store.is_none() {
        ctx.print_note("nothing is recorded yet");
    }
    Ok(store)
}

/// How a command ends that has read entries: not well where some could not be read, which it names.
fn check_gaps(store: &SqliteStore) -> Exit {
    let gaps = store.gaps();
    for gap in &gaps {
        print::stderr_line(format!("mayi: the record is damaged: {gap}"));
    }
    if gaps.is_empty() {
        return Exit::Done;
    }
    print::stderr_line("mayi: how much that is, `mayi log verify` may say");
    Exit::Internal
}

/// A number with its word, in one or many.
fn count_text(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
