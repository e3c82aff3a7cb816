//! What a managed file keeps others from loosening.

use std::path::{Path, PathBuf};

use super::row::{ScalarKey, ScalarRow};
use super::{TABLE, keys};
use mayi_call::{AgentId, Names};
use mayi_policy::aliases::same_agent;

/// One that is locked.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lock {
    /// The path of its row.
    path: &'static str,
    /// Whose, none being everybody's.
    name: Option<String>,
    /// The file that says so.
    by: PathBuf,
}

/// What a managed file keeps others from loosening.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locks(Vec<Lock>);

/// The settings that can be locked.
pub(crate) fn lockable_rows() -> impl Iterator<Item = &'static ScalarRow> {
    TABLE.iter().filter(|row| row.lockable)
}

impl Locks {
    /// Takes a line of `lock`; false if it is not understood.
    pub(crate) fn add_lock(&mut self, line: &str, by: Option<&Path>) -> bool {
        let by = by.map_or_else(PathBuf::new, Path::to_owned);
        let Some((row, name)) = lockable_rows().find_map(|row| Some((row, name_in(row.path, line)?))) else {
            return false;
        };
        let may_be = match row.path.split_once('.') {
            Some(("agents", _)) => Names::is_valid_agent_name,
            _ => Names::is_plain,
        };
        if !matches!(name, None | Some("*")) && !name.is_some_and(may_be) {
            return false;
        }
        let name = name.filter(|name| *name != "*").map(str::to_owned);
        self.0.push(Lock { path: row.path, name, by });
        true
    }

    /// The file that locks `row` for `name`, an agent's under whichever of its names.
    pub(crate) fn find_lock(&self, row: &ScalarRow, name: Option<&str>) -> Option<&Path> {
        let is_it = |locked: &str| match (name, row.path.split_once('.')) {
            (Some(name), Some(("agents", _))) => same_agent(locked, &AgentId::from_name(name)),
            (name, _) => name == Some(locked),
        };
        let is = |lock: &&Lock| lock.path == row.path && lock.name.as_deref().is_none_or(is_it);
        self.0.iter().find(is).map(|lock| lock.by.as_path())
    }

    /// The file that locks the mode.
    #[must_use]
    pub fn mode_lock(&self) -> Option<&Path> {
        self.lock_of(keys::MODE, None)
    }

    /// The file that locks `bypass_permissions` of `agent`, under whichever of its names.
    #[must_use]
    pub fn bypass_lock(&self, agent: &str) -> Option<&Path> {
        self.lock_of(keys::AGENT_BYPASS, Some(agent))
    }

    /// The file that locks `trust_require_approval` of `app`.
    #[must_use]
    pub fn app_trust_lock(&self, app: &str) -> Option<&Path> {
        self.lock_of(keys::APP_TRUST, Some(app))
    }

    fn lock_of<T>(&self, key: ScalarKey<T>, name: Option<&str>) -> Option<&Path> {
        self.find_lock(key.row, name)
    }
}

/// What stands in `line` for the star of `path`, no name where there is no star; `None` if it is about something else.
fn name_in<'l>(path: &str, line: &'l str) -> Option<Option<&'l str>> {
    match path.split_once('*') {
        Some((before, after)) => Some(Some(line.strip_prefix(before)?.strip_suffix(after)?)),
        None => (path == line).then_some(None),
    }
}
