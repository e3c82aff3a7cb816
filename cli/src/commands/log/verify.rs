//! `mayi log verify`: whether the record is as mayi wrote it.

use jiff::tz::TimeZone;
use mayi_core::approval::escape_line;
use mayi_core::record::{HeadState, RecordFault, VerifyReport};
use mayi_core::store::{EntryQuery, Order, SqliteStore, Store};
use serde_json::Value;

use super::args::VerifyArgs;
use super::{CliError, Context, count_text, existing_store};
use crate::exit::Exit;
use crate::print;
use crate::progress::Progress;
use crate::surface::{Line, Tone};

pub(super) fn verify(args: &VerifyArgs, ctx: &Context) -> Result<Exit, CliError> {
    let Some(store) = existing_store(ctx)? else {
        return match ctx.sources.folders.data.as_ref().filter(|folder| SqliteStore::is_gone(folder)) {
            Some(folder) => Err(CliError::internal(format!(
                "not sound: the record itself is gone from {}, and what belongs to it is still there",
                escape_line(&folder.display().to_string())
            ))),
            None => Ok(Exit::Done),
        };
    };
    let progress = Progress::new(ctx, args.json, "checking entries");
    let report = store.verify_record(&mut |done, all| progress.set_progress(done, all))?;
    drop(progress);
    if args.json {
        print::stdout_json(&print::Versioned::new(report_json(&report)?))?;
    } else {
        print_report(&report, &store, ctx)?;
    }
    Ok(if report.is_sound() { Exit::Done } else { Exit::Internal })
}

/// The report, each finding with its words.
fn report_json(report: &VerifyReport) -> Result<Value, CliError> {
    let failed = |error: serde_json::Error| CliError::internal(error.to_string());
    let mut value = serde_json::to_value(report).map_err(failed)?;
    if let Some(members) = value.as_object_mut() {
        members.insert("sound".to_owned(), Value::from(report.is_sound()));
    }
    if let Some(findings) = value.get_mut("findings").and_then(Value::as_array_mut) {
        for (value, finding) in findings.iter_mut().zip(&report.findings) {
            if let Some(members) = value.as_object_mut() {
                members.insert("says".to_owned(), Value::from(finding.to_string()));
            }
        }
    }
    Ok(value)
}

fn print_report(report: &VerifyReport, store: &SqliteStore, ctx: &Context) -> Result<(), CliError> {
    let entries = count_text(usize::try_from(report.entries).unwrap_or(usize::MAX), "entry", "entries");
    let head = if report.is_sound() {
        Line::with_text(Tone::Good, "sound")
            .append_text(Tone::Plain, &format!(": {entries}{}", span_text(report, store)))
    } else {
        let found = count_text(report.findings.len(), "finding", "findings");
        Line::with_text(Tone::Bad, "not sound").append_text(Tone::Plain, &format!(": {found} in {entries}"))
    };
    let color = ctx.is_stdout_colored();
    print::stdout_line(head.paint(color))?;
    for finding in &report.findings {
        print::stdout_line(Line::with_text(Tone::Strong, &format!("  {finding}")).paint(color))?;
        print::stdout_line(
            Line::with_text(Tone::Dim, &format!("    {}", finding_meaning(&finding.what))).paint(color),
        )?;
    }
    if let Some(text) = head_text(report.head) {
        print::stdout_line(format!("  {text}"))?;
    }
    for archive in &report.archives {
        let there =
            if archive.present { "checked too" } else { "not there: these can't be checked any more" };
        let path = escape_line(&archive.path.display().to_string());
        print::stdout_line(format!(
            "  entries {} to {} are in {path}: {there}",
            archive.first, archive.last
        ))?;
    }
    Ok(())
}

/// From which entry to which, and when.
fn span_text(report: &VerifyReport, store: &SqliteStore) -> String {
    let (Some(first), Some(last)) = (report.first, report.last) else { return String::new() };
    let day = |order| {
        let query = EntryQuery { order, limit: Some(1), ..EntryQuery::default() };
        let at = store.query_entries(&query).ok()?.first()?.entry.at;
        Some(at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string())
    };
    let days = match (day(Order::OldestFirst), day(Order::NewestFirst)) {
        (Some(first), Some(last)) => format!(", {first} to {last}"),
        _ => String::new(),
    };
    format!(", number {first} to {last}{days}")
}

fn head_text(head: HeadState) -> Option<String> {
    match head {
        HeadState::Current => Some("the head names the last entry: no end was removed".to_owned()),
        HeadState::Behind { entries } => Some(format!(
            "the head is {} behind: mayi was ended just then, and the next entry mends it",
            count_text(usize::try_from(entries).unwrap_or(usize::MAX), "entry", "entries")
        )),
        HeadState::None | HeadState::Wrong => None,
    }
}

/// What a finding means for whoever reads the record.
fn finding_meaning(what: &RecordFault) -> &'static str {
    match what {
        RecordFault::Changed => "something in it is not what mayi wrote: do not believe what it says",
        RecordFault::Missing => "something happened here that the record does not tell any more",
        RecordFault::OutOfPlace { .. } => "mayi wrote this, but not here: the order was changed",
        RecordFault::Added => "somebody else wrote this: it need not have happened",
        RecordFault::Replaced => "what stood here is gone, and this came in its place",
        RecordFault::EndRemoved => "the newest entries were cut off: what happened last is missing",
        RecordFault::HeadMissing => "the file that names the newest entry was removed",
        RecordFault::HeadDamaged => "the file that names the newest entry was changed",
        RecordFault::HeadOlder => "the file that names the newest entry is an earlier one, put back",
        RecordFault::AnchorDamaged => "whether these were archived, or removed, can't be told",
        RecordFault::Damaged { .. } => "something else than mayi wrote to it, or the disk fails",
        RecordFault::Unreadable { .. } => "what they say is lost, or the disk fails",
    }
}
