//! What outlives a run: where it is, and how it is opened.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mayi_core::approval::escape_line;
use mayi_core::config::{Durability, LoadedConfig, RecordSettings};
use mayi_core::gate::cancel_abandoned;
use mayi_core::record::{Redactor, secrets_of};
use mayi_core::store::{Limits, Options, Owner, Presence, SqliteStore, StoreError};
use mayi_core::writer::EntryWriter;

use crate::context::Context;
use crate::error::CliError;
use crate::print;

/// A store that can be written, and what makes its entries.
pub(crate) struct WritableStore {
    /// The store.
    pub store: Arc<SqliteStore>,
    /// Makes entries without secrets.
    pub writer: EntryWriter,
}

/// The store of a process that has several sessions: one for all of them, as long as one is open.
#[derive(Debug, Default)]
pub(crate) struct SharedStores(Mutex<Vec<(PathBuf, Options, Weak<SqliteStore>)>>);

impl SharedStores {
    /// Opens the store, unless it is open and used in the same way: a folder's own settings may have the record kept in another. What
    /// makes its entries is the caller's own, since these settings say what is a secret.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn open(&self, ctx: &Context, loaded: &LoadedConfig) -> Result<WritableStore, CliError> {
        let (folder, options) = (store_folder(ctx)?, store_options(&loaded.record));
        let mut stores = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stores.retain(|(_, _, store)| store.strong_count() > 0);
        let mut same = stores.iter().filter(|(of, how, _)| *of == folder && *how == options);
        let store = match same.find_map(|(_, _, store)| store.upgrade()) {
            Some(store) => store,
            None => {
                let store = Arc::new(SqliteStore::open(&folder, options)?);
                warn_of_damage(&store);
                stores.push((folder, options, Arc::downgrade(&store)));
                store
            }
        };
        drop(stores);
        let writer = record_writer(&store, &loaded.record).map_err(CliError::internal)?;
        Ok(WritableStore { store, writer })
    }
}

/// The folder of the store.
///
/// # Errors
/// Without a home folder there is none.
pub(crate) fn store_folder(ctx: &Context) -> Result<PathBuf, CliError> {
    let hint = "there is no home folder to keep the record in: set HOME or XDG_DATA_HOME";
    ctx.sources.folders.data.clone().ok_or_else(|| CliError::internal(hint))
}

/// Opens the store, and makes it if there is none.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn open(ctx: &Context, loaded: &LoadedConfig) -> Result<WritableStore, CliError> {
    open_without(ctx, loaded, &[])
}

/// The same, where entries are written without these secrets too.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn open_without(
    ctx: &Context,
    loaded: &LoadedConfig,
    secrets: &[String],
) -> Result<WritableStore, CliError> {
    let store = SqliteStore::open(&store_folder(ctx)?, store_options(&loaded.record))?;
    warn_of_damage(&store);
    let writer = record_writer_without(&store, &loaded.record, secrets).map_err(CliError::internal)?;
    Ok(WritableStore { store: Arc::new(store), writer })
}

/// Says once that the database is damaged, where somebody is about to write it: what could be lost would be lost unnoticed. A
/// large one is looked at meanwhile, and nobody waits for that.
fn warn_of_damage(store: &SqliteStore) {
    let (check, quick) = store.damage_check();
    let warn = move || {
        if let Some(error) = check.run() {
            print::stderr_line(format!(
                "mayi: warning: part of the record can't be trusted any more, and it goes on being written: {}; see: mayi log verify",
                escape_line(&error.to_string())
            ));
        }
    };
    if quick {
        return warn();
    }
    if let Err(error) = std::thread::Builder::new().name("damage".to_owned()).spawn(warn) {
        tracing::debug!(%error, "the record was not looked through");
    }
}

/// Opens the store to look at it; none if there is none.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn open_existing_store(ctx: &Context) -> Result<Option<SqliteStore>, CliError> {
    let Some(folder) = ctx.sources.folders.data.clone() else { return Ok(None) };
    Ok(SqliteStore::open_existing(&folder, Options { limits: None, ..Options::default() })?)
}

/// Opens the store to change something that is in it, and settles what processes that are gone have left;
/// none if there is none.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn open_for_changes(ctx: &Context) -> Result<Option<WritableStore>, CliError> {
    if open_existing_store(ctx)?.is_none() {
        return Ok(None);
    }
    // Mistakes in the configuration are no reason why nobody could answer or revoke.
    let record = ctx.load().map(|loaded| loaded.record).unwrap_or_default();
    let store = SqliteStore::open(&store_folder(ctx)?, store_options(&record))?;
    warn_of_damage(&store);
    let writer = record_writer(&store, &record).map_err(CliError::internal)?;
    cancel_abandoned(&store, &writer)?;
    Ok(Some(WritableStore { store: Arc::new(store), writer }))
}

/// How the store is used, as `record` says.
pub(crate) fn store_options(record: &RecordSettings) -> Options {
    Options {
        durability: match record.durable {
            Durability::Process => mayi_core::store::Durability::Process,
            Durability::Power => mayi_core::store::Durability::Power,
        },
        limits: Some(Limits {
            max_bytes: record.max_size,
            max_age: Some(record.max_age),
            ..Limits::default()
        }),
        ..Options::default()
    }
}

/// What makes entries of the record without secrets.
///
/// # Errors
/// If a pattern of secrets is wrong.
pub(crate) fn record_writer(store: &SqliteStore, record: &RecordSettings) -> Result<EntryWriter, String> {
    record_writer_without(store, record, &[])
}

fn record_writer_without(
    store: &SqliteStore,
    record: &RecordSettings,
    secrets: &[String],
) -> Result<EntryWriter, String> {
    let redactor = record_redactor_without(record, secrets)?;
    let key = store.arguments_key().map(|key| key.seal(b"arguments").0.to_vec()).unwrap_or_default();
    Ok(EntryWriter::new(key, redactor))
}

/// What takes secrets out of texts that are kept.
///
/// # Errors
/// If a pattern of secrets is wrong.
pub(crate) fn record_redactor(record: &RecordSettings) -> Result<Redactor, String> {
    record_redactor_without(record, &[])
}

/// The same, which takes out `secrets` too.
///
/// # Errors
/// If a pattern of secrets is wrong.
pub(crate) fn record_redactor_without(
    record: &RecordSettings,
    secrets: &[String],
) -> Result<Redactor, String> {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let patterns = record.redact.iter().map(|regex| regex.as_str().to_owned());
    Redactor::new(patterns, secrets_of(variables).into_iter().chain(secrets.iter().cloned()))
        .map_err(|error| format!("secrets can't be kept out of the record: {error}"))
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        Self::internal(error.to_string())
    }
}

/// Says that this process runs an agent, where nothing is recorded: what the agent starts can't answer then either.
/// `None`, if there is no folder for it; nobody could look there.
pub(crate) fn announce_presence(ctx: &Context, owner: &Owner) -> Option<Presence> {
    let folder = ctx.sources.folders.data.as_ref()?;
    let present = Presence::for_owner(owner, folder);
    present.inspect_err(|error| tracing::warn!(%error, "other processes do not know of this one")).ok()
}
