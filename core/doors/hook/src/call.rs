//! From an event to the [`Call`] that the gate judges.

use std::path::{Path, PathBuf};

use mayi_core::approval::untold_diffs;
use mayi_core::call::{Access, Call, Category, Door};
use mayi_core::gate::Session;
use mayi_doors::folders::folder_caveat;

use crate::event::{HookEvent, OwnMode};
use crate::harness::Harness;
use crate::tools::{self, ToolContext};

/// The home folders that `~` could be: the user's own, and the one that the harness's environment names, if that is another. What it
/// starts expands `~` by its environment, which a repository's settings may have changed; every version counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HomeFolders {
    own: Option<PathBuf>,
    environment: Option<PathBuf>,
}

impl HomeFolders {
    /// `own` is the user's, from the password entry; `said` what the environment has.
    #[must_use]
    pub fn new(own: Option<PathBuf>, said: Option<PathBuf>) -> Self {
        Self { environment: said.filter(|said| Some(said) != own.as_ref()), own }
    }

    /// Those that are known.
    pub(crate) fn known_homes(&self) -> impl Iterator<Item = &Path> {
        [&self.own, &self.environment].into_iter().flatten().map(PathBuf::as_path)
    }

    /// The readings that a line has: at least one, also where no home is known.
    pub(crate) fn home_readings(&self) -> impl Iterator<Item = Option<&Path>> {
        std::iter::once(self.own.as_deref()).chain(self.environment.as_deref().map(Some))
    }
}

/// The ways to split a tool's name that fit the server which the harness names. Where none does, the harness has written the
/// name otherwise (`my.server` as `my_server`): then it is each of them, and the one that is named as well.
fn narrow_to_server(mut readings: Vec<(String, String)>, event: &HookEvent) -> Vec<(String, String)> {
    // A name that can't be split may be any, which one reading more would hide.
    if let Some(server) = event.server.as_ref().filter(|_| !readings.is_empty()) {
        if readings.iter().any(|(name, _)| name == server) {
            readings.retain(|(name, _)| name == server);
        } else {
            let named: Vec<_> = readings.iter().map(|(_, tool)| (server.clone(), tool.clone())).collect();
            readings.extend(named);
        }
        if let Some(tool) = &event.server_tool
            && !readings.iter().any(|(_, own)| own == tool)
        {
            readings.push((server.clone(), tool.clone()));
        }
    }
    readings
}

/// The servers and tools that the event's tool may be, if it may be one of a server.
fn server_readings(harness: &Harness, event: &HookEvent) -> Option<Vec<(String, String)>> {
    if let Some(readings) = (harness.servers)(&event.tool) {
        return Some(narrow_to_server(readings, event));
    }
    // What the harness says is one is that, whatever its name looks like: Gemini CLI had `wipe` for one of `my.server`.
    let server = event.server.as_ref()?;
    let tools = [Some(&event.tool), event.server_tool.as_ref()];
    let mut readings: Vec<_> =
        tools.into_iter().flatten().map(|tool| (server.clone(), tool.clone())).collect();
    readings.dedup();
    Some(readings)
}

/// The call that `event` is about, in `session`, which works in its own `cwd` by now.
pub(crate) fn call_from_event(
    harness: &Harness,
    event: &HookEvent,
    session: &Session,
    homes: &HomeFolders,
) -> Call {
    let does = tools::tool_kind(harness.tools, &event.tool);
    let servers = server_readings(harness, event);
    let outside = |cwd: &Path| folder_caveat(session, cwd);
    let own_keys = harness.folder_keys.iter().filter(|(tool, _)| *tool == event.tool);
    let folder_keys: Vec<&str> = own_keys.map(|(_, key)| *key).collect();
    let place = ToolContext {
        cwd: &session.cwd,
        roots: &session.roots,
        homes,
        folder_keys: &folder_keys,
        shows: harness.shows.contains(&event.tool.as_str()),
        searches_below: harness.searches_below.contains(&event.tool.as_str()),
        outside: &outside,
    };
    let of_server = servers.is_some();
    let mut read = tools::read(&event.tool, does, &event.input, servers, &place);
    if let OwnMode::Lax(mode) = &event.mode
        && mode.is_empty()
    {
        read.not_shown.push("the harness's own mode".to_owned());
    }
    if event.tool.is_empty() {
        read.accesses
            .push(Access::Tool { name: "a tool without a name".to_owned(), category: Category::Execute });
    }
    let mut call = Call {
        door: Door::Hook,
        agent: session.agent.clone(),
        session: session.id.clone(),
        tool_call_id: event.id.clone(),
        roots: session.roots.clone(),
        cwd: read.cwd.unwrap_or_else(|| session.cwd.clone()),
        env: read.env,
        title: event.tool.clone(),
        kind: if of_server { "mcp" } else { does.acp_kind() }.to_owned(),
        name: Some(event.tool.clone()),
        raw_input: event.input.clone(),
        diffs: read.diffs,
        notes: read.notes,
        locations: Vec::new(),
        accesses: read.accesses,
        not_shown: read.not_shown,
        by_hand: read.by_hand,
        server: None,
        blocked: None,
        cautions: read.cautions,
        flagged: Vec::new(),
        parent: event.parent.clone(),
        about: None,
        held: false,
    };
    let untold = untold_diffs(&call);
    call.diffs.extend(untold);
    call
}
