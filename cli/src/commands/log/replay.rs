//! `mayi log replay`: what another configuration would have decided.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use mayi_core::approval::escape_line;
use mayi_core::config::{ConfigErrors, WORKSPACE_FILE, load};
use mayi_core::policy::{Effect, Policy};
use mayi_core::record::analysis::{
    DecidingRule, Difference, Example, NotReplayed, RecordParts, ReplayBuilder, ReplayReport,
};
use mayi_core::record::{Kind, Recorded};
use mayi_core::store::{EntryQuery, Order};

use super::args::ReplayArgs;
use super::pages::Pages;
use super::{CliError, Context, check_gaps, count_text, existing_store, json};
use crate::exit::Exit;
use crate::print;
use crate::progress::Progress;
use crate::surface::{Line, Tone};

pub(super) fn replay(args: &ReplayArgs, ctx: &Context) -> Result<Exit, CliError> {
    let query = args.whose.entry_query(ctx)?;
    // Mistakes are told whether there is anything to replay or not.
    ctx.print_notices(&ctx.load()?);
    let Some(store) = existing_store(ctx)? else { return Ok(Exit::Done) };
    let query = EntryQuery { order: Order::OldestFirst, kinds: vec![Kind::Proposed, Kind::Decided], ..query };
    let mut policies = Policies { ctx, by_folder: BTreeMap::new() };
    let mut replaying = ReplayBuilder::default();
    let mut parts = RecordParts::default();
    let progress = Progress::new(ctx, args.json, "deciding again");
    for recorded in Pages::with_progress(&store, query, &progress)? {
        if let Some(part) = parts.push(recorded?) {
            policies.decide_again(&mut replaying, part)?;
        }
    }
    policies.decide_again(&mut replaying, parts.finish())?;
    let replay = replaying.finish();
    drop(progress);
    if args.json {
        json::print_analysis(&replay)?;
    } else {
        print_replay(&replay, ctx)?;
    }
    Ok(check_gaps(&store))
}

/// What counts in each folder.
struct Policies<'c> {
    ctx: &'c Context,
    by_folder: BTreeMap<Option<String>, Policy>,
}

impl Policies<'_> {
    /// Decides again, every folder's calls by what counts there.
    fn decide_again(
        &mut self,
        replaying: &mut ReplayBuilder,
        entries: Vec<Recorded>,
    ) -> Result<(), CliError> {
        let mut folders: BTreeMap<Option<String>, Vec<Recorded>> = BTreeMap::new();
        for recorded in entries {
            folders.entry(recorded.entry.workspace.clone()).or_default().push(recorded);
        }
        for (folder, entries) in folders {
            if !self.by_folder.contains_key(&folder) {
                let policy = self.load_policy(folder.as_deref())?;
                self.by_folder.insert(folder.clone(), policy);
            }
            if let Some(policy) = self.by_folder.get(&folder) {
                replaying.add_entries(&entries, policy);
            }
        }
        Ok(())
    }

    fn load_policy(&self, folder: Option<&str>) -> Result<Policy, ConfigErrors> {
        let mut sources = self.ctx.sources.clone();
        if let Some(folder) = folder {
            sources.cwd = folder.into();
            sources.workspace = Some(sources.cwd.join(WORKSPACE_FILE));
        }
        Ok(load(&sources)?.policy.with_indexes())
    }
}

fn print_replay(replay: &ReplayReport, ctx: &Context) -> Result<(), CliError> {
    if replay.calls == 0 {
        ctx.print_note("nothing like that is recorded");
        return Ok(());
    }
    let color = ctx.is_stdout_colored();
    let differ: usize = replay.differences.iter().map(|difference| difference.count).sum();
    let head = match differ {
        0 => format!("{} decided again: all as they were", count_text(replay.calls, "call", "calls")),
        _ => format!(
            "{} decided again: {} as they were, {differ} otherwise",
            count_text(replay.calls, "call", "calls"),
            replay.same
        ),
    };
    let left: usize = replay.not_replayed.iter().map(|of| of.count).sum();
    let head = if left == 0 { head } else { format!("{head}; {left} can't be decided again") };
    print::stdout_line(Line::with_text(Tone::Strong, &head).paint(color))?;
    // What loosens first: that is what has to be looked at.
    let mut differences: Vec<&Difference> = replay.differences.iter().collect();
    differences.sort_by_key(|of| (of.to >= of.from, of.to, of.from));
    for difference in differences {
        print::stdout_line("")?;
        let line = Line::with_text(effect_tone(difference.from), difference.from.as_str())
            .append_text(Tone::Plain, " → ")
            .append_text(effect_tone(difference.to), difference.to.as_str())
            .append_text(Tone::Strong, &format!("  {}", count_text(difference.count, "call", "calls")))
            .append_text(Tone::Plain, &difference.because.as_ref().map(reason_text).unwrap_or_default());
        print::stdout_line(line.paint(color))?;
        print_examples(&difference.examples, difference.count, color)?;
    }
    for NotReplayed { why, count: number, examples: some } in &replay.not_replayed {
        print::stdout_line("")?;
        let line = Line::with_text(Tone::Warn, "not decided again")
            .append_text(Tone::Strong, &format!("  {}", count_text(*number, "call", "calls")))
            .append_text(Tone::Plain, &format!(": {why}"));
        print::stdout_line(line.paint(color))?;
        print_examples(some, *number, color)?;
    }
    Ok(())
}

fn effect_tone(effect: Effect) -> Tone {
    match effect {
        Effect::Allow => Tone::Good,
        Effect::Ask => Tone::Warn,
        Effect::Deny => Tone::Bad,
    }
}

fn reason_text(spoken: &DecidingRule) -> String {
    let pattern = spoken.pattern.as_ref().map(|pattern| format!(", {pattern}")).unwrap_or_default();
    let place = match (&spoken.file, spoken.line) {
        (Some(file), Some(line)) => format!(" at {file}:{line}"),
        (Some(file), None) => format!(" at {file}"),
        _ => String::new(),
    };
    format!(": {}{pattern}{place}", spoken.reason)
}

fn print_examples(some: &[Example], all: usize, color: bool) -> Result<(), CliError> {
    for example in some {
        let at = example.at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
        let line = Line::with_text(Tone::Plain, &format!("    {}", escape_line(&example.access)))
            .append_text(Tone::Dim, &format!("  #{}, {at}", example.seq));
        print::stdout_line(line.paint(color))?;
    }
    match all.saturating_sub(some.len()) {
        0 => Ok(()),
        left => {
            Ok(print::stdout_line(Line::with_text(Tone::Dim, &format!("    and {left} more")).paint(color))?)
        }
    }
}
