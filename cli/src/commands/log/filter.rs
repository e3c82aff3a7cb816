//! What the filters ask the store for.

use std::path::Path;

use mayi_core::call::SessionId;
use mayi_core::store::EntryQuery;

use super::args::{WhichArgs, WhoseArgs};
use crate::context::Context;
use crate::error::CliError;

impl WhoseArgs {
    /// The entries that are meant.
    ///
    /// # Errors
    /// If there is no current folder.
    pub(super) fn entry_query(&self, ctx: &Context) -> Result<EntryQuery, CliError> {
        let workspace = match (&self.workspace, self.here) {
            (Some(folder), _) => Some(recorded_folder(folder)?),
            (None, true) => Some(ctx.cwd.to_string_lossy().into_owned()),
            (None, false) => None,
        };
        Ok(EntryQuery {
            agent: self.agent.as_deref().map(|name| ctx.agent_id(name)),
            session: self.session.clone().map(SessionId),
            workspace,
            since: self.since.map(|moment| moment.0),
            until: self.until.map(|moment| moment.0),
            ..EntryQuery::default()
        })
    }
}

impl WhichArgs {
    /// Of those that `query` means, these.
    pub(super) fn narrow_query(&self, query: EntryQuery) -> EntryQuery {
        EntryQuery {
            kinds: self.kind.clone(),
            effects: self.effect.clone(),
            access_prefix: self.access.clone(),
            contains: self.grep.clone(),
            call: self.call,
            approval: self.approval,
            ..query
        }
    }
}

/// A folder as the record has it; also one that is gone.
fn recorded_folder(folder: &Path) -> Result<String, CliError> {
    let place = match folder.canonicalize() {
        Ok(place) => place,
        Err(_) => std::path::absolute(folder)?,
    };
    Ok(place.to_string_lossy().into_owned())
}
