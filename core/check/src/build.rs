//! From a request to the [`Call`] that a door would have made of it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use super::{Request, RequestError, RequestedAction};
use mayi_acp as acp;
use mayi_core::call::{
    Access, AgentId, Call, Category, Door, McpAccess, PathAccess, SessionId, Surroundings, UrlAccess,
    WriteKind, file_paths, resolve_path, shell, with_and_without_blanks,
};
use mayi_core::gate::Session;

/// Where a call happens.
#[derive(Clone, Debug)]
pub(super) struct CallLocation {
    /// The folder that configuration is looked for in.
    pub(super) folder: PathBuf,
    /// The session's folders, in both forms.
    pub(super) roots: Vec<PathBuf>,
    /// The call's own folder.
    pub(super) cwd: PathBuf,
}

impl CallLocation {
    /// Where `request` happens; relative names start from `here`, which is a root of its own only if
    /// `root` holds.
    pub(super) fn from_request(request: &Request, here: &Path, root: bool) -> Self {
        let named: Vec<PathBuf> = request.workspace.iter().map(|folder| here.join(folder)).collect();
        let start = named.first().map_or(here, PathBuf::as_path);
        let cwd = request.cwd.as_ref().map_or_else(|| start.to_owned(), |cwd| start.join(cwd));
        let folders = match (named.is_empty(), &request.cwd) {
            (false, _) => named.clone(),
            (true, Some(_)) => vec![cwd.clone()],
            (true, None) if root => vec![cwd.clone()],
            (true, None) => Vec::new(),
        };
        let folder = named.into_iter().next().unwrap_or_else(|| cwd.clone());
        let folder = resolve_path(&folder).unwrap_or(folder);
        // With `..` in it, only the system knows where it is.
        let walked = |path: &Path| path.components().any(|part| part == Component::ParentDir);
        let cwd = if walked(&cwd) { resolve_path(&cwd).unwrap_or(cwd) } else { cwd };
        let mut place = Self { folder, roots: Vec::new(), cwd };
        place.add_roots(&folders, here);
        place
    }

    /// Folders that the session has, or has besides, in both forms, as paths are compared: as they are written, and where links
    /// lead.
    pub(super) fn add_roots<'f>(&mut self, folders: impl IntoIterator<Item = &'f PathBuf>, here: &Path) {
        for folder in folders {
            let forms = PathAccess::new(here, &folder.to_string_lossy());
            for form in [forms.lexical, forms.resolved] {
                if !self.roots.contains(&form) {
                    self.roots.push(form);
                }
            }
        }
    }

    /// The same, where the session's folders are those of `folders` that it lies in, and no others.
    pub(super) fn within_folders(request: &Request, here: &Path, folders: &[PathBuf]) -> Self {
        let named = request.cwd.as_ref().map_or_else(|| here.to_owned(), |cwd| here.join(cwd));
        let Ok(cwd) = resolve_path(&named) else {
            return Self { folder: here.to_owned(), roots: Vec::new(), cwd: named };
        };
        let roots = folders.iter().filter(|folder| cwd.starts_with(folder)).cloned().collect();
        Self { folder: cwd.clone(), roots, cwd }
    }
}

impl CallLocation {
    /// The session that `agent` would have there; none: one without a name.
    pub(super) fn session_of(&self, agent: Option<AgentId>) -> Session {
        Session {
            id: SessionId("check".to_owned()),
            // A name can't hold `:`, and commands have digests: nobody else is called that.
            agent: agent.unwrap_or_else(|| AgentId::from_command(&[])),
            parent: None,
            roots: self.roots.clone(),
            cwd: self.cwd.clone(),
            mode: None,
        }
    }
}

/// The call that `request` means in `session`. Looks up links, and reads nothing else.
pub(super) fn build_call(
    request: &Request,
    session: Session,
    home: Option<&Path>,
) -> Result<Call, RequestError> {
    if let RequestedAction::Acp(message) = &request.what {
        return acp::permission_call(&session, message).map_err(|what| {
            let hint = "give a session/request_permission, or its params, as the agent sends it";
            RequestError::new("/request", what, hint)
        });
    }
    let accesses = request_accesses(request, &session, home);
    Ok(Call {
        door: Door::Check,
        agent: session.agent,
        session: session.id,
        tool_call_id: None,
        roots: session.roots,
        cwd: session.cwd,
        env: BTreeMap::new(),
        title: String::new(),
        kind: accesses.first().map(|access| access.selector().to_string()).unwrap_or_default(),
        name: match &request.what {
            RequestedAction::Tool { name, .. } => Some(name.clone()),
            _ => None,
        },
        raw_input: raw_input(&request.what),
        diffs: Vec::new(),
        notes: Vec::new(),
        locations: Vec::new(),
        accesses,
        not_shown: Vec::new(),
        by_hand: None,
        server: None,
        blocked: None,
        cautions: Vec::new(),
        flagged: Vec::new(),
        parent: None,
        about: None,
        held: request.confined,
    })
}

fn request_accesses(request: &Request, session: &Session, home: Option<&Path>) -> Vec<Access> {
    let cwd = session.cwd.as_path();
    let none = BTreeMap::new();
    let at = Surroundings { cwd, roots: &session.roots, home, env: &none, dialect: request.shell };
    let path = |given: &str| PathAccess::new(cwd, &expand_home(given, home));
    match &request.what {
        RequestedAction::Line(line) => add_folder_caveat(shell::line_accesses(line, &at), request, session),
        RequestedAction::Words(words) => {
            add_folder_caveat(shell::argv_accesses(words, &at), request, session)
        }
        RequestedAction::Read(given) => {
            with_and_without_blanks(given).map(|given| Access::Read(path(given))).collect()
        }
        RequestedAction::Write(kind, given) => {
            let change = |given| {
                let written = Access::write(*kind, path(given));
                // What is moved can be read where it goes.
                let read = (*kind == WriteKind::Move).then(|| Access::Read(path(given)));
                std::iter::once(written).chain(read)
            };
            with_and_without_blanks(given).flat_map(change).collect()
        }
        RequestedAction::Fetch(given) => {
            let files = file_paths(given).into_iter().map(|file| Access::Read(PathAccess::new(cwd, &file)));
            std::iter::once(fetch_access(given)).chain(files).collect()
        }
        RequestedAction::Mcp { server, tool, arguments } => {
            let readings = vec![(server.clone(), tool.clone())];
            vec![Access::Mcp(McpAccess::with_home(readings, arguments.clone(), cwd, home))]
        }
        RequestedAction::Tool { name, .. } => {
            let category = if name == "think" { Category::Read } else { Category::Execute };
            vec![Access::Tool { name: name.clone(), category }]
        }
        RequestedAction::Acp(_) => Vec::new(),
    }
}

/// A command that runs outside of the session's folders may do something else there: asked about as at
/// the doors. A rule set that is tested by itself has no such folders.
fn add_folder_caveat(mut accesses: Vec<Access>, request: &Request, session: &Session) -> Vec<Access> {
    if request.isolated && !request.protection {
        return accesses;
    }
    let Some(caveat) = acp::folder_caveat(session, &session.cwd) else { return accesses };
    for access in &mut accesses {
        if let Access::Shell(shell) = access {
            shell.caveats.push(caveat.clone());
        }
    }
    accesses
}

/// `~/x` is a file in the home folder, as people and tools mean it.
fn expand_home(given: &str, home: Option<&Path>) -> String {
    let rest = if given == "~" { Some("") } else { given.strip_prefix("~/") };
    match (rest, home.and_then(Path::to_str)) {
        (Some(rest), Some(home)) => format!("{home}/{rest}"),
        _ => given.to_owned(),
    }
}

/// An address; one without a scheme, such as `docs.rs/serde`, is one of the web.
fn fetch_access(given: &str) -> Access {
    let bare = || {
        let host = given.split(['/', '?', '#']).next().unwrap_or_default();
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '%' | '_');
        (!host.is_empty() && host.chars().all(plain))
            .then(|| UrlAccess::parse_lenient(&format!("https://{given}")).ok())?
    };
    match UrlAccess::parse_lenient(given).ok().or_else(bare) {
        Some(url) => Access::Fetch(UrlAccess { given: given.to_owned(), ..url }),
        // As at the doors: what it would reach is not known.
        None => {
            Access::Tool { name: "an address that is not understood".to_owned(), category: Category::Execute }
        }
    }
}

fn raw_input(what: &RequestedAction) -> Value {
    match what {
        RequestedAction::Line(line) => json!({ "command": line }),
        RequestedAction::Words(words) => json!({ "command": words }),
        RequestedAction::Read(path) | RequestedAction::Write(_, path) => json!({ "path": path }),
        RequestedAction::Fetch(url) => json!({ "url": url }),
        RequestedAction::Mcp { server, tool, arguments } => {
            json!({ "server": server, "tool": tool, "arguments": arguments })
        }
        RequestedAction::Tool { arguments, .. } => arguments.clone(),
        RequestedAction::Acp(message) => message.clone(),
    }
}
