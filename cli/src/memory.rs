//! What outlives a run: where it is, and how it is opened.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mayi_core::config::{Durability, Loaded, RecordSettings};
use mayi_core::gate::sweep;
use mayi_core::record::{Redactor, secrets_of};
use mayi_core::store::{Limits, Options, Owner, Presence, SqliteStore, StoreError};
use mayi_core::writer::Writer;

use crate::context::Context;
use crate::error::CliError;

/// A store that can be written, and what makes its entries.
pub(crate) struct Kept {
    /// The store.
    pub store: Arc<SqliteStore>,
    /// Makes entries without secrets.
    pub writer: Writer,
}

/// The store of a process that has several sessions: one for all of them, as long as one is open.
#[derive(Debug, Default)]
pub(crate) struct Stores(Mutex<Vec<(PathBuf, Options, Weak<SqliteStore>)>>);

impl Stores {
    /// Opens the store, unless it is open and used in the same way: a folder's own settings may have the record kept in another. What
    /// makes its entries is the caller's own, since these settings say what is a secret.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn open(&self, ctx: &Context, loaded: &Loaded) -> Result<Kept, CliError> {
        let (folder, options) = (folder(ctx)?, options(&loaded.record));
        let mut stores = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stores.retain(|(_, _, store)| store.strong_count() > 0);
        let mut same = stores.iter().filter(|(of, how, _)| *of == folder && *how == options);
        let store = match same.find_map(|(_, _, store)| store.upgrade()) {
            Some(store) => store,
            None => {
                let store = Arc::new(SqliteStore::open(&folder, options)?);
                stores.push((folder, options, Arc::downgrade(&store)));
                store
            }
        };
        drop(stores);
        let writer = writer(&store, &loaded.record).map_err(CliError::internal)?;
        Ok(Kept { store, writer })
    }
}

/// The folder of the store.
///
/// # Errors
/// Without a home folder there is none.
pub(crate) fn folder(ctx: &Context) -> Result<PathBuf, CliError> {
    let hint = "there is no home folder to keep the record in: set HOME or XDG_DATA_HOME";
    ctx.sources.folders.data.clone().ok_or_else(|| CliError::internal(hint))
}

/// Opens the store, and makes it if there is none.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn open(ctx: &Context, loaded: &Loaded) -> Result<Kept, CliError> {
    open_without(ctx, loaded, &[])
}

/// The same, where entries are written without these secrets too.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn open_without(ctx: &Context, loaded: &Loaded, secrets: &[String]) -> Result<Kept, CliError> {
    let store = SqliteStore::open(&folder(ctx)?, options(&loaded.record))?;
    let writer = writer_without(&store, &loaded.record, secrets).map_err(CliError::internal)?;
    Ok(Kept { store: Arc::new(store), writer })
}

/// Opens the store to look at it; none if there is none.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn existing(ctx: &Context) -> Result<Option<SqliteStore>, CliError> {
    let Some(folder) = ctx.sources.folders.data.clone() else { return Ok(None) };
    Ok(SqliteStore::open_existing(&folder, Options { limits: None, ..Options::default() })?)
}

/// Opens the store to change something that is in it, and settles what processes that are gone have left;
/// none if there is none.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn changing(ctx: &Context) -> Result<Option<Kept>, CliError> {
    if existing(ctx)?.is_none() {
        return Ok(None);
    }
    // Mistakes in the configuration are no reason why nobody could answer or revoke.
    let record = ctx.load().map(|loaded| loaded.record).unwrap_or_default();
    let store = SqliteStore::open(&folder(ctx)?, options(&record))?;
    let writer = writer(&store, &record).map_err(CliError::internal)?;
    sweep(&store, &writer)?;
    Ok(Some(Kept { store: Arc::new(store), writer }))
}

/// How the store is used, as `record` says.
pub(crate) fn options(record: &RecordSettings) -> Options {
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
pub(crate) fn writer(store: &SqliteStore, record: &RecordSettings) -> Result<Writer, String> {
    writer_without(store, record, &[])
}

fn writer_without(
    store: &SqliteStore,
    record: &RecordSettings,
    secrets: &[String],
) -> Result<Writer, String> {
    let redactor = redactor_without(record, secrets)?;
    let key = store.arguments_key().map(|key| key.seal(b"arguments").0.to_vec()).unwrap_or_default();
    Ok(Writer::new(key, redactor))
}

/// What takes secrets out of texts that are kept.
///
/// # Errors
/// If a pattern of secrets is wrong.
pub(crate) fn redactor(record: &RecordSettings) -> Result<Redactor, String> {
    redactor_without(record, &[])
}

/// The same, which takes out `secrets` too.
///
/// # Errors
/// If a pattern of secrets is wrong.
pub(crate) fn redactor_without(record: &RecordSettings, secrets: &[String]) -> Result<Redactor, String> {
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
pub(crate) fn present(ctx: &Context, owner: &Owner) -> Option<Presence> {
    let folder = ctx.sources.folders.data.as_ref()?;
    let present = Presence::of(owner, folder);
    present.inspect_err(|error| tracing::warn!(%error, "other processes do not know of this one")).ok()
}
