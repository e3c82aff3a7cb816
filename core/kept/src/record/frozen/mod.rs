//! A call as the record keeps it, so that it can be judged again by another policy.
//!
//! What [`decide`](mayi_policy::decide) looks at is kept, and nothing else: no input, no content, no
//! values of variables. Looking up a path again would find today's files, so what was found when the call
//! was built is kept too, also what digests leave out (where a file system begins, what is a folder).

mod compact;
mod name;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use mayi_call::shell::{Touch, TouchedPath};
use mayi_call::{Access, AgentId, Call, Door, Mount, PathAccess, ServerId, SessionId};
use name::PathName;

/// The form that is written here.
const FORM: u32 = 1;

/// A call as the record keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrozenCall {
    /// The form: a later one may say more.
    #[serde(rename = "v")]
    form: u32,
    door: Door,
    agent: AgentId,
    session: SessionId,
    cwd: PathName,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    roots: Vec<PathName>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    by_hand: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    server: Option<ServerId>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    blocked: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    cautions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    flagged: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    held: bool,
    /// The accesses as they are in digests, without what follows from the rest.
    accesses: Value,
    /// File systems that paths lie on; the first one is that of every path which does not say.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    mounts: Vec<FrozenMount>,
    /// What digests leave out of paths, where it is not the usual.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    beside: Vec<PathExtras>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FrozenMount {
    at: PathName,
    device: u64,
}

/// What is kept of one path besides its member of `accesses`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PathExtras {
    /// Which: counted over all paths of all accesses.
    path: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    leads_to: Option<PathName>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    folder: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    holds: Vec<String>,
    /// Its file system by its place in `mounts`; behind their end: none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    mount: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    private_temporary: bool,
    /// Names that are no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    lexical: Option<PathName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<PathName>,
}

/// Why a call can't be taken from the record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ThawError {
    /// Another version of mayi wrote it.
    #[error("written in form {0}, which this mayi does not know")]
    Form(u32),
    /// It does not hold a call.
    #[error("damaged: {0}")]
    Damaged(String),
}

impl FrozenCall {
    /// The form of `call` that is kept.
    #[must_use]
    pub fn freeze(call: &Call) -> Self {
        let mut mounts: Vec<&Mount> = Vec::new();
        let mut beside = Vec::new();
        let paths = collect_paths(&call.accesses);
        for path in &paths {
            if let Some(mount) = &path.mount
                && !mounts.contains(&mount)
            {
                mounts.push(mount);
            }
        }
        for (at, path) in paths.iter().enumerate() {
            let extra = PathExtras::for_path(at, path, &mounts);
            if extra != (PathExtras { path: at, ..PathExtras::default() }) {
                beside.push(extra);
            }
        }
        // Fails for no access: their names of members are text.
        let mut accesses = serde_json::to_value(&call.accesses).unwrap_or_default();
        compact::shrink_value(&mut accesses, &call.cwd);
        let mount = |mount: &&Mount| FrozenMount { at: PathName::from_path(&mount.at), device: mount.device };
        Self {
            form: FORM,
            door: call.door,
            agent: call.agent.clone(),
            session: call.session.clone(),
            cwd: PathName::from_path(&call.cwd),
            roots: call.roots.iter().map(|root| PathName::from_path(root)).collect(),
            name: call.name.clone(),
            by_hand: call.by_hand.clone().or_else(|| call.without_substance().map(str::to_owned)),
            server: call.server.clone(),
            blocked: call.blocked.clone(),
            cautions: call.cautions.clone(),
            flagged: call.flagged.clone(),
            held: call.held,
            accesses,
            mounts: mounts.iter().map(mount).collect(),
            beside,
        }
    }

    /// The call, as far as it is judged: title, input and content are empty.
    ///
    /// # Errors
    /// If another version wrote it, or if it was changed.
    pub fn thaw(&self) -> Result<Call, ThawError> {
        if self.form != FORM {
            return Err(ThawError::Form(self.form));
        }
        let cwd = self.cwd.path()?;
        let mut accesses = self.accesses.clone();
        compact::restore_value(&mut accesses, &cwd);
        let mut accesses: Vec<Access> =
            serde_json::from_value(accesses).map_err(|error| ThawError::Damaged(error.to_string()))?;
        let mounts: Vec<Mount> = self.mounts.iter().map(FrozenMount::to_mount).collect::<Result<_, _>>()?;
        let mut paths = paths_mut(&mut accesses);
        for path in &mut paths {
            path.mount = mounts.first().cloned();
        }
        for beside in &self.beside {
            let path = paths.get_mut(beside.path);
            let path = path.ok_or_else(|| ThawError::Damaged(format!("there is no path {}", beside.path)))?;
            beside.apply_to(path, &mounts)?;
        }
        Ok(Call {
            door: self.door,
            agent: self.agent.clone(),
            session: self.session.clone(),
            tool_call_id: None,
            roots: self.roots.iter().map(PathName::path).collect::<Result<_, _>>()?,
            cwd,
            env: std::collections::BTreeMap::new(),
            title: String::new(),
            kind: String::new(),
            name: self.name.clone(),
            raw_input: Value::Null,
            diffs: Vec::new(),
            notes: Vec::new(),
            locations: Vec::new(),
            accesses,
            not_shown: Vec::new(),
            by_hand: self.by_hand.clone(),
            server: self.server.clone(),
            blocked: self.blocked.clone(),
            cautions: self.cautions.clone(),
            flagged: self.flagged.clone(),
            parent: None,
            about: None,
            held: self.held,
        })
    }
}

impl FrozenMount {
    fn to_mount(&self) -> Result<Mount, ThawError> {
        Ok(Mount { at: self.at.path()?, device: self.device })
    }
}

impl PathExtras {
    fn for_path(at: usize, path: &PathAccess, mounts: &[&Mount]) -> Self {
        let place = match &path.mount {
            Some(mount) => mounts.iter().position(|of| *of == mount).unwrap_or(mounts.len()),
            None => mounts.len(),
        };
        let no_text = |path: &std::path::Path| path.to_str().is_none().then(|| PathName::from_path(path));
        Self {
            path: at,
            leads_to: path.leads_to.as_deref().map(PathName::from_path),
            folder: path.folder,
            holds: path.holds.clone(),
            // The first is the usual, and none is if there are none.
            mount: Some(place).filter(|place| *place != 0),
            private_temporary: path.private_temporary,
            lexical: no_text(&path.lexical),
            resolved: no_text(&path.resolved),
        }
    }

    fn apply_to(&self, path: &mut PathAccess, mounts: &[Mount]) -> Result<(), ThawError> {
        path.leads_to = self.leads_to.as_ref().map(PathName::path).transpose()?;
        path.folder = self.folder;
        path.holds.clone_from(&self.holds);
        if let Some(place) = self.mount {
            path.mount = mounts.get(place).cloned();
        }
        path.private_temporary = self.private_temporary;
        if let Some(lexical) = &self.lexical {
            path.lexical = lexical.path()?;
        }
        if let Some(resolved) = &self.resolved {
            path.resolved = resolved.path()?;
        }
        Ok(())
    }
}

/// All paths of all accesses, in one order.
fn collect_paths(accesses: &[Access]) -> Vec<&PathAccess> {
    fn touched_path(touch: &Touch) -> Option<&PathAccess> {
        match &touch.path {
            TouchedPath::Known(path) => Some(path),
            TouchedPath::Open(_) => None,
        }
    }
    let mut found = Vec::new();
    for access in accesses {
        match access {
            Access::Read(path) | Access::Write(_, path) => found.push(path),
            Access::Shell(shell) => found.extend(shell.touches.iter().filter_map(touched_path)),
            Access::Mcp(mcp) => found.extend(mcp.touches.iter().filter_map(touched_path)),
            Access::Fetch(_) | Access::Tool { .. } | Access::Mode { .. } => {}
        }
    }
    found
}

/// As [`collect_paths`].
fn paths_mut(accesses: &mut [Access]) -> Vec<&mut PathAccess> {
    fn touched_path_mut(touch: &mut Touch) -> Option<&mut PathAccess> {
        match &mut touch.path {
            TouchedPath::Known(path) => Some(path),
            TouchedPath::Open(_) => None,
        }
    }
    let mut found = Vec::new();
    for access in accesses {
        match access {
            Access::Read(path) | Access::Write(_, path) => found.push(path),
            Access::Shell(shell) => found.extend(shell.touches.iter_mut().filter_map(touched_path_mut)),
            Access::Mcp(mcp) => {
                found.extend(mcp.touches.iter_mut().filter_map(touched_path_mut));
                found.extend(mcp.paths.values_mut().flatten());
            }
            Access::Fetch(_) | Access::Tool { .. } | Access::Mode { .. } => {}
        }
    }
    found
}

#[cfg(test)]
mod tests;
