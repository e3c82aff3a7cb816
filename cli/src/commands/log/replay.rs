//! `mayi log replay`: what another configuration would have decided.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use mayi_core::approval::visible;
use mayi_core::config::{ConfigErrors, WORKSPACE_FILE, load};
use mayi_core::policy::{Effect, Policy};
use mayi_core::record::analysis::{Difference, Example, NotReplayed, Parts, Replay, Replaying, Spoken};
use mayi_core::record::{Kind, Recorded};
use mayi_core::store::{EntryQuery, Order};

use super::args::ReplayArgs;
use super::pages::Pages;
use super::{CliError, Context, count, json, store};
use crate::exit::Exit;
use crate::print;
use crate::progress::Progress;
use crate::surface::{Line, Tone};

pub(super) fn replay(args: &ReplayArgs, ctx: &Context) -> Result<Exit, CliError> {
    let query = args.whose.query(ctx)?;
    // Mistakes are told whether there is anything to replay or not.
    ctx.notices(&ctx.load()?);
    let Some(store) = store(ctx)? else { return Ok(Exit::Done) };
    let query = EntryQuery { order: Order::OldestFirst, kinds: vec![Kind::Proposed, Kind::Decided], ..query };
    let mut policies = Policies { ctx, known: BTreeMap::new() };
    let mut replaying = Replaying::default();
    let mut parts = Parts::default();
    let progress = Progress::new(ctx, args.json, "deciding again");
    for recorded in Pages::watched(&store, query, &progress)? {
        if let Some(part) = parts.push(recorded?) {
            policies.decide(&mut replaying, part)?;
        }
    }
    policies.decide(&mut replaying, parts.finish())?;
    let replay = replaying.replay();
    drop(progress);
    if args.json {
        json::found(&replay)?;
    } else {
        show(&replay, ctx)?;
    }
    Ok(Exit::Done)
}

/// What counts in each folder.
struct Policies<'c> {
    ctx: &'c Context,
    known: BTreeMap<Option<String>, Policy>,
}

impl Policies<'_> {
    /// Decides again, every folder's calls by what counts there.
    fn decide(&mut self, replaying: &mut Replaying, entries: Vec<Recorded>) -> Result<(), CliError> {
        let mut folders: BTreeMap<Option<String>, Vec<Recorded>> = BTreeMap::new();
        for recorded in entries {
            folders.entry(recorded.entry.workspace.clone()).or_default().push(recorded);
        }
        for (folder, entries) in folders {
            if !self.known.contains_key(&folder) {
                let policy = self.load(folder.as_deref())?;
                self.known.insert(folder.clone(), policy);
            }
            if let Some(policy) = self.known.get(&folder) {
                replaying.add(&entries, policy);
            }
        }
        Ok(())
    }

    fn load(&self, folder: Option<&str>) -> Result<Policy, ConfigErrors> {
        let mut sources = self.ctx.sources.clone();
        if let Some(folder) = folder {
            sources.cwd = folder.into();
            sources.workspace = Some(sources.cwd.join(WORKSPACE_FILE));
        }
        Ok(load(&sources)?.policy.compiled())
    }
}

fn show(replay: &Replay, ctx: &Context) -> Result<(), CliError> {
    if replay.calls == 0 {
        ctx.note("nothing like that is recorded");
        return Ok(());
    }
    let color = ctx.color();
    let differ: usize = replay.differences.iter().map(|difference| difference.count).sum();
    let head = match differ {
        0 => format!("{} decided again: all as they were", count(replay.calls, "call", "calls")),
        _ => format!(
            "{} decided again: {} as they were, {differ} otherwise",
            count(replay.calls, "call", "calls"),
            replay.same
        ),
    };
    let left: usize = replay.not_replayed.iter().map(|of| of.count).sum();
    let head = if left == 0 { head } else { format!("{head}; {left} can't be decided again") };
    print::line(Line::of(Tone::Strong, &head).paint(color))?;
    // What loosens first: that is what has to be looked at.
    let mut differences: Vec<&Difference> = replay.differences.iter().collect();
    differences.sort_by_key(|of| (of.to >= of.from, of.to, of.from));
    for difference in differences {
        print::line("")?;
        let line = Line::of(tone(difference.from), difference.from.as_str())
            .then(Tone::Plain, " → ")
            .then(tone(difference.to), difference.to.as_str())
            .then(Tone::Strong, &format!("  {}", count(difference.count, "call", "calls")))
            .then(Tone::Plain, &difference.because.as_ref().map(because).unwrap_or_default());
        print::line(line.paint(color))?;
        examples(&difference.examples, difference.count, color)?;
    }
    for NotReplayed { why, count: number, examples: some } in &replay.not_replayed {
        print::line("")?;
        let line = Line::of(Tone::Warn, "not decided again")
            .then(Tone::Strong, &format!("  {}", count(*number, "call", "calls")))
            .then(Tone::Plain, &format!(": {why}"));
        print::line(line.paint(color))?;
        examples(some, *number, color)?;
    }
    Ok(())
}

fn tone(effect: Effect) -> Tone {
    match effect {
        Effect::Allow => Tone::Good,
        Effect::Ask => Tone::Warn,
        Effect::Deny => Tone::Bad,
    }
}

fn because(spoken: &Spoken) -> String {
    let pattern = spoken.pattern.as_ref().map(|pattern| format!(", {pattern}")).unwrap_or_default();
    let place = match (&spoken.file, spoken.line) {
        (Some(file), Some(line)) => format!(" at {file}:{line}"),
        (Some(file), None) => format!(" at {file}"),
        _ => String::new(),
    };
    format!(": {}{pattern}{place}", spoken.reason)
}

fn examples(some: &[Example], all: usize, color: bool) -> Result<(), CliError> {
    for example in some {
        let at = example.at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
        let line = Line::of(Tone::Plain, &format!("    {}", visible(&example.access)))
            .then(Tone::Dim, &format!("  #{}, {at}", example.seq));
        print::line(line.paint(color))?;
    }
    match all.saturating_sub(some.len()) {
        0 => Ok(()),
        left => Ok(print::line(Line::of(Tone::Dim, &format!("    and {left} more")).paint(color))?),
    }
}
