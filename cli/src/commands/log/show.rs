//! `mayi log show`: all that is recorded of one call.

use jiff::tz::TimeZone;
use mayi_core::approval::{ApprovalId, escape_line};
use mayi_core::policy::Effect;
use mayi_core::record::entry_details::{self, Asked, Config, Decided, DetailError, Done, Granted, Proposed};
use mayi_core::record::{CallId, Entry, Kind, Recorded};
use mayi_core::store::{EntryQuery, Order, Store};
use serde_json::Value;

use super::super::check::finding_lines;
use super::args::ShowArgs;
use super::table::{outcome_line, scope_text};
use super::{CliError, Context, check_gaps, existing_store, json};
use crate::exit::Exit;
use crate::print;
use crate::surface::{Break, Line, Tone};

/// Where what an entry says begins.
const INDENT: usize = 4;

pub(super) fn show(args: &ShowArgs, ctx: &Context) -> Result<Exit, CliError> {
    let Some(store) = existing_store(ctx)? else { return Ok(Exit::Done) };
    let entries = find_entries(&store, &args.id)?;
    if entries.is_empty() {
        return Err(CliError::usage(format!(
            "nothing that is recorded has the ID `{}`; `mayi log` shows numbers",
            escape_line(&args.id)
        )));
    }
    if args.json {
        entries.into_iter().try_for_each(json::print_entry)?;
        return Ok(Exit::Done);
    }
    let mut lines = heading_lines(&entries);
    for recorded in &entries {
        lines.push(Line::new());
        lines.extend(entry_lines(recorded));
    }
    let (color, width) = (ctx.is_stdout_colored(), output_width());
    for line in lines {
        for row in line.wrap(width, INDENT + 9, Break::Anywhere) {
            print::stdout_line(row.paint(color))?;
        }
    }
    Ok(check_gaps(&store))
}

fn output_width() -> usize {
    let stdout = console::Term::stdout();
    if !stdout.is_term() {
        return usize::MAX;
    }
    stdout.size_checked().map_or(100, |(_, columns)| usize::from(columns).max(40))
}

/// All entries of what `id` names, oldest first.
fn find_entries(store: &dyn Store, id: &str) -> Result<Vec<Recorded>, CliError> {
    let oldest = EntryQuery { order: Order::OldestFirst, ..EntryQuery::default() };
    if let Ok(seq) = id.trim_start_matches('#').parse::<u64>() {
        let (after, before) = (seq.checked_sub(1), seq.checked_add(1));
        let one = store.query_entries(&EntryQuery { after, before, ..oldest })?;
        return match one.first().map(|recorded| &recorded.entry) {
            Some(Entry { call: Some(call), .. }) => entries_of_call(store, *call),
            Some(Entry { approval: Some(approval), .. }) => entries_of_approval(store, *approval),
            _ => Ok(one),
        };
    }
    let Ok(call) = id.parse::<CallId>() else {
        return Err(CliError::usage(format!("`{}` is neither a number nor a whole ID", escape_line(id))));
    };
    let found = entries_of_call(store, call)?;
    match id.parse::<ApprovalId>() {
        Ok(approval) if found.is_empty() => entries_of_approval(store, approval),
        _ => Ok(found),
    }
}

/// The entries of a call, with those that name only its question.
fn entries_of_call(store: &dyn Store, call: CallId) -> Result<Vec<Recorded>, CliError> {
    let oldest = EntryQuery { order: Order::OldestFirst, ..EntryQuery::default() };
    let mut found = store.query_entries(&EntryQuery { call: Some(call), ..oldest.clone() })?;
    let mut approvals: Vec<ApprovalId> = found.iter().filter_map(|of| of.entry.approval).collect();
    approvals.dedup();
    for approval in approvals {
        found.extend(store.query_entries(&EntryQuery { approval: Some(approval), ..oldest.clone() })?);
    }
    found.sort_by_key(|recorded| recorded.seq);
    found.dedup_by_key(|recorded| recorded.seq);
    Ok(found)
}

/// The call that a question was about.
fn entries_of_approval(store: &dyn Store, approval: ApprovalId) -> Result<Vec<Recorded>, CliError> {
    let order = Order::OldestFirst;
    let found =
        store.query_entries(&EntryQuery { order, approval: Some(approval), ..EntryQuery::default() })?;
    match found.iter().find_map(|recorded| recorded.entry.call) {
        Some(call) => entries_of_call(store, call),
        None => Ok(found),
    }
}

/// Who and where: what all entries share.
fn heading_lines(entries: &[Recorded]) -> Vec<Line> {
    fn first_member(entries: &[Recorded], member: impl Fn(&Entry) -> Option<String>) -> Option<String> {
        entries.iter().find_map(|of| member(&of.entry))
    }
    let members = [
        ("agent", first_member(entries, |entry| Some(entry.agent.as_ref()?.to_string()))),
        ("session", first_member(entries, |entry| Some(entry.session.as_ref()?.to_string()))),
        ("folder", first_member(entries, |entry| entry.workspace.clone())),
        ("call", first_member(entries, |entry| Some(entry.call?.to_string()))),
        ("approval", first_member(entries, |entry| Some(entry.approval?.to_string()))),
    ];
    members.into_iter().filter_map(|(name, text)| Some(member_line(0, name, &text?))).collect()
}

/// `name` and what it is.
fn member_line(indent: usize, name: &str, text: &str) -> Line {
    Line::with_text(Tone::Dim, &format!("{}{name:<9}", " ".repeat(indent))).append_text(Tone::Plain, text)
}

fn entry_lines(recorded: &Recorded) -> Vec<Line> {
    let entry = &recorded.entry;
    let at = entry.at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S%.3f").to_string();
    let mut head =
        Line::with_text(Tone::Plain, &format!("{at}  ")).append_text(Tone::Strong, entry.kind.as_str());
    if let (Some(effect), Kind::Decided | Kind::Unasked) = (entry.effect, entry.kind) {
        head = head.append_text(Tone::Plain, ": ").append_text(effect_tone(effect), effect.as_str());
    }
    head = head.append_text(Tone::Dim, &format!("  #{}", recorded.seq));
    let more = match entry.kind {
        Kind::Proposed => entry_details::read(entry).map(|detail| proposed_lines(&detail)),
        Kind::Decided | Kind::Unasked => entry_details::read(entry).map(|detail| decided_lines(&detail)),
        Kind::Asked => entry_details::read(entry).map(|detail| option_lines(&detail)),
        Kind::Answered | Kind::Expired | Kind::Cancelled => {
            Ok(vec![Line::with_text(Tone::Plain, &" ".repeat(INDENT)).append_line(outcome_line(entry))])
        }
        Kind::Started | Kind::Finished => entry_details::read(entry)
            .map(|done: Done| done.how.iter().map(|how| member_line(INDENT, "how", how)).collect()),
        Kind::Granted | Kind::Revoked => {
            entry_details::read(entry).map(|detail| granted_lines(entry, &detail))
        }
        Kind::Config => entry_details::read(entry).map(|detail| config_lines(&detail)),
    };
    std::iter::once(head).chain(more.unwrap_or_else(|error| unread_lines(&error))).collect()
}

fn unread_lines(error: &DetailError) -> Vec<Line> {
    vec![member_line(INDENT, "unread", &error.to_string())]
}

fn effect_tone(effect: Effect) -> Tone {
    match effect {
        Effect::Allow => Tone::Good,
        Effect::Ask => Tone::Warn,
        Effect::Deny => Tone::Bad,
    }
}

fn proposed_lines(detail: &Proposed) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut say = |name: &str, text: &str| {
        if !text.is_empty() {
            lines.push(member_line(INDENT, name, text));
        }
    };
    say("title", &detail.title);
    say("tool", detail.name.as_deref().unwrap_or_default());
    say("kind", &detail.kind);
    say(
        "for",
        &detail.parent.as_deref().map(|id| format!("a sub-agent of the call {id}")).unwrap_or_default(),
    );
    say("in", &detail.cwd);
    for access in &detail.accesses {
        say("touches", access);
    }
    say("sets", &detail.env.join(", "));
    if let Some(preview) = &detail.preview {
        if preview.raw_input != Value::Null {
            say("input", &preview.raw_input.to_string());
        }
        for diff in &preview.diffs {
            let before = if diff.old_text.is_some() { "changes" } else { "writes" };
            say(before, &format!("{}: {}", diff.path, diff.new_text));
        }
        if preview.left_out > 0 {
            say("", &format!("and {} more that were not kept", preview.left_out));
        }
    }
    for what in &detail.not_shown {
        say("hidden", what);
    }
    say("replay", &detail.not_replayable.as_ref().map(|why| format!("no: {why}")).unwrap_or_default());
    lines
}

fn decided_lines(detail: &Decided) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(mode) = detail.mode {
        let bypass = if detail.bypass { ", bypassed" } else { "" };
        lines.push(member_line(INDENT, "mode", &format!("{mode}{bypass}")));
    }
    match detail.by.as_str() {
        "covered" => lines.push(member_line(INDENT, "by", "a call that was approved covers it")),
        "nobody" => lines.push(member_line(INDENT, "by", "nobody was there to ask")),
        _ => {}
    }
    let indent = " ".repeat(INDENT - 2);
    lines.extend(
        finding_lines(&detail.trail)
            .into_iter()
            .map(|line| Line::with_text(Tone::Plain, &indent).append_line(line)),
    );
    lines
}

fn option_lines(detail: &Asked) -> Vec<Line> {
    let mut lines = vec![member_line(INDENT, "choices", &detail.options.join(", "))];
    for patterns in &detail.suggestions {
        lines.push(member_line(INDENT, "offered", &patterns.join(" ")));
    }
    if let Some(at) = detail.expires_at {
        lines.push(member_line(INDENT, "expires", &at.to_string()));
    }
    lines
}

fn granted_lines(entry: &Entry, detail: &Granted) -> Vec<Line> {
    let what = match (&detail.pattern, &detail.level) {
        (Some(pattern), _) => pattern.clone(),
        (None, Some((server, level))) => format!("mcp({server}/*), level {}", level.as_str()),
        (None, None) => "exactly this call".to_owned(),
    };
    let effect = entry.effect.map(Effect::as_str).unwrap_or_default();
    let mut lines = vec![member_line(INDENT, effect, &format!("{what} {}", scope_text(detail.scope)))];
    lines.push(member_line(INDENT, "id", &detail.grant.to_string()));
    lines.extend(detail.expires_at.map(|at| member_line(INDENT, "until", &at.to_string())));
    lines.extend(detail.uses_left.map(|uses| member_line(INDENT, "uses", &uses.to_string())));
    lines.extend(detail.used.map(|used| member_line(INDENT, "used", &format!("{used}x"))));
    lines.extend(detail.by.as_deref().map(|by| member_line(INDENT, "by", by)));
    lines
}

fn config_lines(detail: &Config) -> Vec<Line> {
    if let Some(pins) = &detail.pins {
        let mut lines =
            vec![member_line(INDENT, "server", &pins.server), member_line(INDENT, &pins.how, &pins.by)];
        for item in &pins.items {
            let digest = item.digest.as_deref().and_then(|digest| digest.get(..12));
            let digest = digest.map(|digest| format!(" ({digest})")).unwrap_or_default();
            lines.push(member_line(INDENT, "item", &format!("{}{digest}", item.item)));
        }
        return lines;
    }
    let mut lines = vec![member_line(INDENT, "mode", &detail.mode.to_string())];
    for file in &detail.files {
        let digest = file.digest.get(..12).unwrap_or(&file.digest);
        lines.push(member_line(INDENT, "file", &format!("{} ({digest})", file.path)));
    }
    lines.extend(detail.notices.iter().map(|notice| member_line(INDENT, "notice", notice)));
    lines
}
