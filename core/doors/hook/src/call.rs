//! From an event to the [`Call`] that the gate judges.

use std::path::{Path, PathBuf};

use mayi_core::call::{Access, Call, Category, Door};
use mayi_core::gate::Session;
use mayi_doors::places::folder_caveat;

use crate::event::{Event, Own};
use crate::harness::Harness;
use crate::tools::{self, Place};

/// The home folders that `~` could be: the user's own, and the one that the harness's environment names, if that is another. What it
/// starts expands `~` by its environment, which a repository's settings may have changed; every version counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Homes {
    own: Option<PathBuf>,
    said: Option<PathBuf>,
}

impl Homes {
    /// `own` is the user's, from the password entry; `said` what the environment has.
    #[must_use]
    pub fn new(own: Option<PathBuf>, said: Option<PathBuf>) -> Self {
        Self { said: said.filter(|said| Some(said) != own.as_ref()), own }
    }

    /// Those that are known.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Path> {
        [&self.own, &self.said].into_iter().flatten().map(PathBuf::as_path)
    }

    /// The readings that a line has: at least one, also where no home is known.
    pub(crate) fn each(&self) -> impl Iterator<Item = Option<&Path>> {
        std::iter::once(self.own.as_deref()).chain(self.said.as_deref().map(Some))
    }
}

/// The one way to split a tool's name that fits the server which the harness names; all of them, where it names none that fits.
fn certain(mut readings: Vec<(String, String)>, server: Option<&str>) -> Vec<(String, String)> {
    if let Some(server) = server
        && readings.iter().any(|(name, _)| name == server)
    {
        readings.retain(|(name, _)| name == server);
    }
    readings
}

/// The call that `event` is about, in `session`, which works in its own `cwd` by now.
pub(crate) fn call(harness: &Harness, event: &Event, session: &Session, homes: &Homes) -> Call {
    let does = tools::does(harness.tools, &event.tool);
    let servers = (harness.servers)(&event.tool).map(|readings| certain(readings, event.server.as_deref()));
    let outside = |cwd: &Path| folder_caveat(session, cwd);
    let place = Place { cwd: &session.cwd, roots: &session.roots, homes, outside: &outside };
    let of_server = servers.is_some();
    let mut read = tools::read(&event.tool, does, &event.input, servers, &place);
    if let Own::Lax(mode) = &event.mode
        && mode.is_empty()
    {
        read.not_shown.push("the harness's own mode".to_owned());
    }
    if event.tool.is_empty() {
        read.accesses
            .push(Access::Tool { name: "a tool without a name".to_owned(), category: Category::Execute });
    }
    Call {
        door: Door::Hook,
        agent: session.agent.clone(),
        session: session.id.clone(),
        tool_call_id: event.id.clone(),
        roots: session.roots.clone(),
        cwd: read.cwd.unwrap_or_else(|| session.cwd.clone()),
        env: read.env,
        title: event.tool.clone(),
        kind: if of_server { "mcp" } else { does.kind() }.to_owned(),
        name: Some(event.tool.clone()),
        raw_input: event.input.clone(),
        diffs: read.diffs,
        notes: read.notes,
        locations: Vec::new(),
        accesses: read.accesses,
        not_shown: read.not_shown,
        by_hand: read.too_much.then(|| "it names more than can be looked at".to_owned()),
        server: None,
        blocked: None,
        cautions: read.cautions,
        flagged: Vec::new(),
        parent: event.parent.clone(),
        about: None,
    }
}
