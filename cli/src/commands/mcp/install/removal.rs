//! All gateways that mayi put before servers of clients, for `mayi uninstall`.

use std::path::{Path, PathBuf};

use super::clients::{CLIENTS, Client};
use super::gated_entries::{other_gateway_words, parse_gateway};
use super::model::ServerEntry;
use super::plan::{self, mask_values};
use super::undo_notes::UndoNotes;
use crate::commands::removal::Removal;
use crate::context::Context;
use crate::error::CliError;

/// All gateways that were put before servers of clients.
pub(in crate::commands) struct Gateways {
    notes: UndoNotes,
    mayi: String,
}

impl Gateways {
    /// Reads what was noted; `mayi` is this program. Where that is damaged, nothing was noted, and it is told.
    pub(in crate::commands) fn read(mayi: String, ctx: &Context) -> (Self, Option<CliError>) {
        let (notes, damage) = match UndoNotes::read(ctx) {
            Ok(notes) => (notes, None),
            Err(error) => (UndoNotes::empty(), Some(error)),
        };
        (Self { notes, mayi }, damage)
    }

    /// Where gateways could be, and whether it was noted that they are.
    pub(in crate::commands) fn candidate_files(&self, ctx: &Context) -> Vec<(PathBuf, bool)> {
        let own = CLIENTS.iter().flat_map(|client| client.own_files(&ctx.sources.folders));
        let noted = self.notes.all.iter().map(|note| (note.file.clone(), true));
        noted.chain(own.map(|file| (file, false))).collect()
    }

    /// The clients that have their servers in `file`: by its place, or by what was noted of it.
    fn clients_of_file(&self, file: &Path, target: &Path, text: &str, ctx: &Context) -> Vec<&'static Client> {
        let noted = |client: &Client| {
            let of_file: Vec<_> = self.notes.all.iter().filter(|note| note.file == target).collect();
            if of_file.is_empty() {
                return false;
            }
            client.parse_entries(text).unwrap_or_default().iter().any(|entry| {
                of_file.iter().any(|note| note.keys == entry.keys)
                    && (parse_gateway(entry, client.shape, &self.mayi)
                        .is_some_and(|gated| gated.agent.as_deref() == Some(client.id))
                        || self.is_for(client, entry))
            })
        };
        let own = |client: &Client| client.own_files(&ctx.sources.folders).iter().any(|own| own == file);
        CLIENTS.iter().filter(|client| own(client) || noted(client)).collect()
    }

    /// Whether an entry starts the gateway in another form, and for this client.
    fn is_for(&self, client: &Client, entry: &ServerEntry) -> bool {
        other_gateway_words(entry, client.shape, &self.mayi).is_some_and(|words| {
            words
                .windows(2)
                .any(|pair| matches!(pair, [option, id] if option == "--agent" && id == client.id))
        })
    }

    /// `text`, which is that of `file` (`target`, links resolved), without all of mayi's gateways; none if there are none.
    ///
    /// # Errors
    /// If the text can't be read.
    pub(in crate::commands) fn plan_removal(
        &self,
        file: &Path,
        target: &Path,
        text: &str,
        ctx: &Context,
    ) -> Result<Option<Removal>, String> {
        let clients = self.clients_of_file(file, target, text, ctx);
        let mut taken = Removal::default();
        let mut new = text.to_owned();
        for client in &clients {
            let plan = plan::plan_uninstall(client, target, &new, &[], &self.notes.all, &self.mayi)?;
            new = plan.new;
            taken
                .what
                .extend(plan.changed.iter().map(|server| format!("server {server} of {}", client.title)));
            taken.remarks.extend(plan.remarks.iter().map(|(server, why)| format!("{server}: {why}")));
            taken.left.extend(plan.left_alone.iter().map(|(server, why)| format!("{server}: {why}")));
            for entry in client.parse_entries(&new)? {
                if other_gateway_words(&entry, client.shape, &self.mayi).is_some() {
                    let server = entry.display_name();
                    taken
                        .left
                        .push(format!("{server}: starts `mayi mcp` in another form: take it out by hand"));
                }
            }
        }
        taken.new = Some(new);
        Ok((!taken.what.is_empty() || !taken.left.is_empty()).then_some(taken))
    }

    /// The old and the new text of `file` to be shown: values of variables and headers are hidden.
    pub(in crate::commands) fn masked_texts(
        &self,
        file: &Path,
        target: &Path,
        (old, new): (&str, &str),
        ctx: &Context,
    ) -> (String, String) {
        let clients = self.clients_of_file(file, target, old, ctx);
        let hidden =
            |text: &str| clients.iter().fold(text.to_owned(), |text, client| mask_values(client, &text));
        (hidden(old), hidden(new))
    }

    /// Forgets what was noted of a file, under the lock that other processes wait for. Of what is damaged nothing is known.
    ///
    /// # Errors
    /// If that can't be written.
    pub(in crate::commands) fn forget_notes(target: &Path, ctx: &Context) -> Result<(), CliError> {
        if UndoNotes::read(ctx).is_err() {
            return Ok(());
        }
        let mut notes = UndoNotes::read_locked(ctx)?;
        let all = notes.all.len();
        notes.all.retain(|note| note.file != target);
        if notes.all.len() == all { Ok(()) } else { notes.write() }
    }
}
