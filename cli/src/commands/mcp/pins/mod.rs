//! `mayi mcp pins`: what servers said of themselves, and what has changed since.

mod args;
mod text;

use self::args::PinsCommand;
pub(super) use self::args::{AFTER, PinsArgs};

use jiff::Timestamp;
use mayi_core::approval::escape_line;
use mayi_core::call::Digest;
use mayi_core::pin::{Flag, Item, PinnedItem, flags_of};
use mayi_core::store::{Change, Store, StoreError};
use serde::Serialize;

use crate::commands::confirm::ask_to_confirm;
use crate::commands::inbox::elapsed_text;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, WritableStore};
use crate::surface::{Line, Tone, diff};
use crate::{person, print};

/// Columns that a diff may take where it is not known how wide the terminal is.
const WIDTH: usize = 100;

pub(super) fn pins(args: &PinsArgs, ctx: &Context) -> Result<Exit, CliError> {
    match &args.command {
        None => list_pins(args.json, ctx),
        Some(PinsCommand::Diff { server, tool }) => {
            print_differences(server.as_deref(), tool.as_deref(), ctx)
        }
        Some(PinsCommand::Accept { server, tools, yes }) => accept_pins(server, tools, *yes, ctx),
        Some(PinsCommand::Forget { server }) => forget_pins(server, ctx),
    }
}

/// How an item stands, as lists say it.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum PinState {
    Trusted,
    Flagged,
    Changed,
}

/// A pin, with what follows from it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedPin<'a> {
    #[serde(flatten)]
    pin: &'a PinnedItem,
    state: PinState,
    flags: Vec<Flag>,
}

impl<'a> ListedPin<'a> {
    fn from_pin(pin: &'a PinnedItem) -> Self {
        // What would be accepted matters more than what was.
        let shown = pin.pending.as_ref().or(pin.trusted.as_ref());
        let flags = shown.map(|shown| flags_of(&pin.item, &shown.value)).unwrap_or_default();
        let state = match (pin.is_changed(), flags.is_empty() || pin.accepted_at.is_some()) {
            (true, _) => PinState::Changed,
            (false, true) => PinState::Trusted,
            (false, false) => PinState::Flagged,
        };
        Self { pin, state, flags }
    }

    fn state_text(&self) -> String {
        let first = self.flags.first().map(Flag::to_string).unwrap_or_default();
        match (self.state, self.flags.len()) {
            (PinState::Trusted, 0) => match (&self.pin.item, &self.pin.trusted) {
                (Item::Instructions, Some(trusted)) if trusted.value.is_null() => {
                    "trusted: it gives none".to_owned()
                }
                _ => "trusted".to_owned(),
            },
            (PinState::Trusted, _) => format!("accepted: {first}"),
            (PinState::Changed, _) if self.pin.item == Item::Program => "changed: blocks nothing".to_owned(),
            (PinState::Changed, _) if self.pin.item == Item::Launch => {
                "changed: everything of the server is blocked".to_owned()
            }
            (PinState::Changed, _) => "changed: blocked".to_owned(),
            (PinState::Flagged, count) => {
                let what = match self.pin.item {
                    Item::Tool(_) => "withheld, and asked about",
                    _ => "withheld",
                };
                let more = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
                format!("flagged, {what}: {first}{more}")
            }
        }
    }
}

fn list_pins(json: bool, ctx: &Context) -> Result<Exit, CliError> {
    let pins = match memory::open_existing_store(ctx)? {
        Some(store) => store.read_pins(None)?,
        None => Vec::new(),
    };
    if json {
        for pin in &pins {
            print::stdout_json(&print::Versioned::new(ListedPin::from_pin(pin)))?;
        }
        return Ok(Exit::Done);
    }
    if pins.is_empty() {
        ctx.print_note("no server has said anything so far");
        return Ok(Exit::Done);
    }
    let now = Timestamp::now();
    let head = ["SERVER", "ITEM", "FIRST SEEN", "STATE"].map(str::to_owned).to_vec();
    let rows = pins.iter().map(|pin| {
        let seen = format!("{} ago", elapsed_text(pin.first_seen, now));
        vec![escape_line(&pin.server), pin.item.to_string(), seen, ListedPin::from_pin(pin).state_text()]
    });
    for line in print::align_columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>()) {
        print::stdout_line(line)?;
    }
    if pins.iter().any(is_open) {
        ctx.print_note("look at what has changed or is flagged with: mayi mcp pins diff, and accept it with: mayi mcp pins accept SERVER");
    }
    Ok(Exit::Done)
}

/// Whether there is something that a person should look at, and can accept.
fn is_open(pin: &PinnedItem) -> bool {
    ListedPin::from_pin(pin).state != PinState::Trusted
}

/// The pins of `server`, or a mistake that names it.
fn pins_of_server(store: &dyn Store, server: &str) -> Result<Vec<PinnedItem>, CliError> {
    let pins = store.read_pins(Some(server))?;
    if pins.is_empty() {
        return Err(CliError::usage(format!(
            "no server called `{}` has said anything so far; `mayi mcp pins` lists those that have",
            escape_line(server)
        )));
    }
    Ok(pins)
}

/// Those of `pins` that the tools name.
fn select_pins(pins: Vec<PinnedItem>, tools: &[String]) -> Result<Vec<PinnedItem>, CliError> {
    if tools.is_empty() {
        return Ok(pins);
    }
    let named = |pin: &PinnedItem, tool: &String| !tool.is_empty() && pin.item.name() == tool;
    if let Some(tool) = tools.iter().find(|tool| !pins.iter().any(|pin| named(pin, tool))) {
        return Err(CliError::usage(format!("this server has no tool called `{}`", escape_line(tool))));
    }
    Ok(pins.into_iter().filter(|pin| tools.iter().any(|tool| named(pin, tool))).collect())
}

fn print_differences(server: Option<&str>, tool: Option<&str>, ctx: &Context) -> Result<Exit, CliError> {
    let pins = match (memory::open_existing_store(ctx)?, server) {
        (Some(store), Some(server)) => pins_of_server(&store, server)?,
        (Some(store), None) => store.read_pins(None)?,
        (None, _) => Vec::new(),
    };
    let tools: Vec<String> = tool.map(str::to_owned).into_iter().collect();
    let changed: Vec<PinnedItem> = select_pins(pins, &tools)?.into_iter().filter(is_open).collect();
    if changed.is_empty() {
        ctx.print_note("nothing has changed, and nothing is flagged");
        return Ok(Exit::Done);
    }
    let color = ctx.is_stdout_colored();
    for line in changed.iter().flat_map(difference_lines) {
        print::stdout_line(line.paint(color))?;
    }
    Ok(Exit::Done)
}

/// What has changed, line by line, and what deserves a look in it.
fn difference_lines(pin: &PinnedItem) -> Vec<Line> {
    let Some(open) = pin.open_definition() else { return Vec::new() };
    let what = match (&pin.item, &pin.trusted) {
        _ if !pin.is_changed() => "is as it was first said, and deserves a look",
        (Item::Launch, _) => "is started or reached in another way",
        (Item::Program, Some(_)) => "its command leads to another program, or a script holds something else",
        (_, Some(_)) => "has changed",
        (_, None) => "was first said by a program that is not accepted",
    };
    // Escaped already: it names the server's tools.
    let mut lines = vec![
        Line::with_text(Tone::Strong, &pin.server)
            .append_text(Tone::Plain, &format!(", {}: {what}", item_text(&pin.item))),
    ];
    let trusted = pin
        .trusted
        .as_ref()
        .filter(|_| pin.is_changed())
        .map(|trusted| text::definition_text(&trusted.value));
    let columns = usize::from(console::Term::stdout().size().1);
    let width = if columns > 20 { columns } else { WIDTH };
    lines.extend(
        diff::diff_texts(trusted.as_deref(), &text::definition_text(&open.value), Some(1), width).rows,
    );
    let look = flags_of(&pin.item, &open.value);
    lines.extend(look.iter().map(|flag| {
        let found = format!("  look twice: {}: ", flag.describe());
        Line::with_text(Tone::Warn, &found).append_text(Tone::Warn, &format!("\"{}\"", flag.excerpt))
    }));
    lines.push(Line::new());
    lines
}

/// The item, not escaped: a line does that.
fn item_text(item: &Item) -> String {
    match item {
        Item::Launch | Item::Program | Item::Instructions => item.kind().to_owned(),
        named => format!("{} {}", named.kind(), named.name()),
    }
}

fn accept_pins(server: &str, tools: &[String], yes: bool, ctx: &Context) -> Result<Exit, CliError> {
    let Some(kept) = memory::open_for_changes(ctx)? else {
        return Err(CliError::usage("no server has said anything so far"));
    };
    person::require_person(&*kept.store)?;
    let pins = select_pins(pins_of_server(&*kept.store, server)?, tools)?;
    let changed: Vec<PinnedItem> = pins.into_iter().filter(is_open).collect();
    if changed.is_empty() {
        ctx.print_note("nothing has changed, and nothing is flagged: there is nothing to accept");
        return Ok(Exit::Done);
    }
    // The question means nothing without what it is about: also with --quiet.
    let color = ctx.is_stderr_colored();
    for line in changed.iter().flat_map(difference_lines) {
        let line = line.paint(color);
        if yes { ctx.print_note(line) } else { print::stderr_line(line) }
    }
    if !yes {
        let question = format!("Accept what {} says now?", escape_line(server));
        match ask_to_confirm(&question, "that this is to be accepted")? {
            Some(true) => {}
            answer => {
                ctx.print_note("nothing has changed");
                return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
            }
        }
    }
    let WritableStore { store, writer } = kept;
    let now = Timestamp::now();
    let items: Vec<(Item, Digest)> = changed
        .iter()
        .filter_map(|pin| Some((pin.item.clone(), pin.open_definition()?.digest.clone())))
        .collect();
    let accepting = |(item, digest): &(Item, Digest)| Change::AcceptPin {
        server: server.to_owned(),
        item: item.clone(),
        digest: digest.clone(),
        at: now,
    };
    let mut changes: Vec<Change> = items.iter().map(accepting).collect();
    changes.push(Change::Append(writer.repinned_entry(
        server,
        "accepted",
        &items,
        "mayi mcp pins accept",
        now,
    )));
    match store.commit(changes) {
        Ok(()) => {}
        Err(StoreError::Conflict(conflict)) => return Err(CliError::usage(conflict.to_string())),
        Err(error) => return Err(error.into()),
    }
    for (item, _) in &items {
        print::stderr_line(format!("accepted: {}, {item}", escape_line(server)));
    }
    let launch = store.read_pins(Some(server))?.into_iter().find(|pin| pin.item == Item::Launch);
    if launch.is_some_and(|launch| launch.is_changed()) {
        print::stderr_line("the server itself is blocked still: it is started or reached in another way");
    }
    Ok(Exit::Done)
}

fn forget_pins(server: &str, ctx: &Context) -> Result<Exit, CliError> {
    let Some(WritableStore { store, writer }) = memory::open_for_changes(ctx)? else {
        return Err(CliError::usage("no server has said anything so far"));
    };
    person::require_person(&*store)?;
    let now = Timestamp::now();
    let pins = pins_of_server(&*store, server)?;
    let items: Vec<(Item, Digest)> =
        pins.into_iter().filter_map(|pin| Some((pin.item, pin.trusted.or(pin.pending)?.digest))).collect();
    store.commit(vec![
        Change::ForgetPins { server: server.to_owned() },
        Change::Append(writer.repinned_entry(server, "forgotten", &items, "mayi mcp pins forget", now)),
    ])?;
    print::stderr_line(format!("forgotten: what {} says next is trusted", escape_line(server)));
    Ok(Exit::Done)
}
