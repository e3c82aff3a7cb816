//! `mayi mcp pins`: what servers said of themselves, and what has changed since.

mod args;
mod text;

use self::args::PinsCommand;
pub(super) use self::args::{AFTER, PinsArgs};

use jiff::Timestamp;
use mayi_core::approval::visible;
use mayi_core::call::Digest;
use mayi_core::pin::{Flag, Item, Pinned, flags_of};
use mayi_core::store::{Change, Store, StoreError};
use serde::Serialize;

use crate::commands::confirm::confirmed;
use crate::commands::inbox::since;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, Kept};
use crate::surface::{Line, Tone, diff};
use crate::{person, print};

/// Columns that a diff may take where it is not known how wide the terminal is.
const WIDTH: usize = 100;

pub(super) fn pins(args: &PinsArgs, ctx: &Context) -> Result<Exit, CliError> {
    match &args.command {
        None => list(args.json, ctx),
        Some(PinsCommand::Diff { server, tool }) => differences(server.as_deref(), tool.as_deref(), ctx),
        Some(PinsCommand::Accept { server, tools, yes }) => accept(server, tools, *yes, ctx),
        Some(PinsCommand::Forget { server }) => forget(server, ctx),
    }
}

/// How an item stands, as lists say it.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Trusted,
    Flagged,
    Changed,
}

/// A pin, with what follows from it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'a> {
    #[serde(flatten)]
    pin: &'a Pinned,
    state: State,
    flags: Vec<Flag>,
}

impl<'a> Listed<'a> {
    fn of(pin: &'a Pinned) -> Self {
        // What would be accepted matters more than what was.
        let shown = pin.pending.as_ref().or(pin.trusted.as_ref());
        let flags = shown.map(|shown| flags_of(&pin.item, &shown.value)).unwrap_or_default();
        let state = match (pin.is_changed(), flags.is_empty() || pin.accepted_at.is_some()) {
            (true, _) => State::Changed,
            (false, true) => State::Trusted,
            (false, false) => State::Flagged,
        };
        Self { pin, state, flags }
    }

    fn state(&self) -> String {
        let first = self.flags.first().map(Flag::to_string).unwrap_or_default();
        match (self.state, self.flags.len()) {
            (State::Trusted, 0) => match (&self.pin.item, &self.pin.trusted) {
                (Item::Instructions, Some(trusted)) if trusted.value.is_null() => {
                    "trusted: it gives none".to_owned()
                }
                _ => "trusted".to_owned(),
            },
            (State::Trusted, _) => format!("accepted: {first}"),
            (State::Changed, _) if self.pin.item == Item::Program => "changed: blocks nothing".to_owned(),
            (State::Changed, _) if self.pin.item == Item::Launch => {
                "changed: everything of the server is blocked".to_owned()
            }
            (State::Changed, _) => "changed: blocked".to_owned(),
            (State::Flagged, count) => {
                let what = match self.pin.item {
                    Item::Instructions => "withheld",
                    _ => "asked about",
                };
                let more = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
                format!("flagged, {what}: {first}{more}")
            }
        }
    }
}

fn list(json: bool, ctx: &Context) -> Result<Exit, CliError> {
    let pins = match memory::existing(ctx)? {
        Some(store) => store.pins(None)?,
        None => Vec::new(),
    };
    if json {
        for pin in &pins {
            print::json(&print::Versioned::of(Listed::of(pin)))?;
        }
        return Ok(Exit::Done);
    }
    if pins.is_empty() {
        ctx.note("no server has said anything so far");
        return Ok(Exit::Done);
    }
    let now = Timestamp::now();
    let head = ["SERVER", "ITEM", "FIRST SEEN", "STATE"].map(str::to_owned).to_vec();
    let rows = pins.iter().map(|pin| {
        let seen = format!("{} ago", since(pin.first_seen, now));
        vec![visible(&pin.server), pin.item.to_string(), seen, Listed::of(pin).state()]
    });
    for line in print::columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>()) {
        print::line(line)?;
    }
    if pins.iter().any(is_open) {
        ctx.note("look at what has changed or is flagged with: mayi mcp pins diff, and accept it with: mayi mcp pins accept SERVER");
    }
    Ok(Exit::Done)
}

/// Whether there is something that a person should look at, and can accept.
fn is_open(pin: &Pinned) -> bool {
    Listed::of(pin).state != State::Trusted
}

/// The pins of `server`, or a mistake that names it.
fn of_server(store: &dyn Store, server: &str) -> Result<Vec<Pinned>, CliError> {
    let pins = store.pins(Some(server))?;
    if pins.is_empty() {
        return Err(CliError::usage(format!(
            "no server called `{}` has said anything so far; `mayi mcp pins` lists those that have",
            visible(server)
        )));
    }
    Ok(pins)
}

/// Those of `pins` that the tools name.
fn chosen(pins: Vec<Pinned>, tools: &[String]) -> Result<Vec<Pinned>, CliError> {
    if tools.is_empty() {
        return Ok(pins);
    }
    let named = |pin: &Pinned, tool: &String| matches!(&pin.item, Item::Tool(name) if name == tool);
    if let Some(tool) = tools.iter().find(|tool| !pins.iter().any(|pin| named(pin, tool))) {
        return Err(CliError::usage(format!("this server has no tool called `{}`", visible(tool))));
    }
    Ok(pins.into_iter().filter(|pin| tools.iter().any(|tool| named(pin, tool))).collect())
}

fn differences(server: Option<&str>, tool: Option<&str>, ctx: &Context) -> Result<Exit, CliError> {
    let pins = match (memory::existing(ctx)?, server) {
        (Some(store), Some(server)) => of_server(&store, server)?,
        (Some(store), None) => store.pins(None)?,
        (None, _) => Vec::new(),
    };
    let tools: Vec<String> = tool.map(str::to_owned).into_iter().collect();
    let changed: Vec<Pinned> = chosen(pins, &tools)?.into_iter().filter(is_open).collect();
    if changed.is_empty() {
        ctx.note("nothing has changed, and nothing is flagged");
        return Ok(Exit::Done);
    }
    let color = ctx.color();
    for line in changed.iter().flat_map(difference) {
        print::line(line.paint(color))?;
    }
    Ok(Exit::Done)
}

/// What has changed, line by line, and what deserves a look in it.
fn difference(pin: &Pinned) -> Vec<Line> {
    let Some(open) = pin.open() else { return Vec::new() };
    let what = match (&pin.item, &pin.trusted) {
        _ if !pin.is_changed() => "is as it was first said, and deserves a look",
        (Item::Launch, _) => "is started or reached in another way",
        (Item::Program, Some(_)) => "its command leads to another program, or a script holds something else",
        (_, Some(_)) => "has changed",
        (_, None) => "was first said by a program that is not accepted",
    };
    // Escaped already: it names the server's tools.
    let mut lines =
        vec![Line::of(Tone::Strong, &pin.server).then(Tone::Plain, &format!(", {}: {what}", raw(&pin.item)))];
    let trusted = pin.trusted.as_ref().filter(|_| pin.is_changed()).map(|trusted| text::text(&trusted.value));
    let columns = usize::from(console::Term::stdout().size().1);
    let width = if columns > 20 { columns } else { WIDTH };
    lines.extend(diff::diff(trusted.as_deref(), &text::text(&open.value), Some(1), width).rows);
    let look = flags_of(&pin.item, &open.value);
    lines.extend(look.iter().map(|flag| {
        let found = format!("  look twice: {}: ", flag.what());
        Line::of(Tone::Warn, &found).then(Tone::Warn, &format!("\"{}\"", flag.excerpt))
    }));
    lines.push(Line::new());
    lines
}

/// The item, not escaped: a line does that.
fn raw(item: &Item) -> String {
    match item {
        Item::Tool(name) => format!("tool {name}"),
        other => other.kind().to_owned(),
    }
}

fn accept(server: &str, tools: &[String], yes: bool, ctx: &Context) -> Result<Exit, CliError> {
    let Some(kept) = memory::changing(ctx)? else {
        return Err(CliError::usage("no server has said anything so far"));
    };
    person::is_here(&*kept.store)?;
    let pins = chosen(of_server(&*kept.store, server)?, tools)?;
    let changed: Vec<Pinned> = pins.into_iter().filter(is_open).collect();
    if changed.is_empty() {
        ctx.note("nothing has changed, and nothing is flagged: there is nothing to accept");
        return Ok(Exit::Done);
    }
    // The question means nothing without what it is about: also with --quiet.
    let color = ctx.color_of_errors();
    for line in changed.iter().flat_map(difference) {
        let line = line.paint(color);
        if yes { ctx.note(line) } else { print::note(line) }
    }
    if !yes {
        let question = format!("Accept what {} says now?", visible(server));
        match confirmed(&question, "that this is to be accepted")? {
            Some(true) => {}
            answer => {
                ctx.note("nothing has changed");
                return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
            }
        }
    }
    let Kept { store, writer } = kept;
    let now = Timestamp::now();
    let items: Vec<(Item, Digest)> =
        changed.iter().filter_map(|pin| Some((pin.item.clone(), pin.open()?.digest.clone()))).collect();
    let accepting = |(item, digest): &(Item, Digest)| Change::AcceptPin {
        server: server.to_owned(),
        item: item.clone(),
        digest: digest.clone(),
        at: now,
    };
    let mut changes: Vec<Change> = items.iter().map(accepting).collect();
    changes.push(Change::Append(writer.repinned(server, "accepted", &items, "mayi mcp pins accept", now)));
    match store.commit(changes) {
        Ok(()) => {}
        Err(StoreError::Conflict(conflict)) => return Err(CliError::usage(conflict.to_string())),
        Err(error) => return Err(error.into()),
    }
    for (item, _) in &items {
        print::note(format!("accepted: {}, {item}", visible(server)));
    }
    let launch = store.pins(Some(server))?.into_iter().find(|pin| pin.item == Item::Launch);
    if launch.is_some_and(|launch| launch.is_changed()) {
        print::note("the server itself is blocked still: it is started or reached in another way");
    }
    Ok(Exit::Done)
}

fn forget(server: &str, ctx: &Context) -> Result<Exit, CliError> {
    let Some(Kept { store, writer }) = memory::changing(ctx)? else {
        return Err(CliError::usage("no server has said anything so far"));
    };
    person::is_here(&*store)?;
    let now = Timestamp::now();
    let pins = of_server(&*store, server)?;
    let items: Vec<(Item, Digest)> =
        pins.into_iter().filter_map(|pin| Some((pin.item, pin.trusted.or(pin.pending)?.digest))).collect();
    store.commit(vec![
        Change::ForgetPins { server: server.to_owned() },
        Change::Append(writer.repinned(server, "forgotten", &items, "mayi mcp pins forget", now)),
    ])?;
    print::note(format!("forgotten: what {} says next is trusted", visible(server)));
    Ok(Exit::Done)
}
