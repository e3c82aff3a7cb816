//! The file of a login: replaced in one step, and readable by the user only.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use url::Url;

use super::LoginError;
use mayi_core::approval::escape_line;
use mayi_core::call::ServerId;

/// The version of the file.
const VERSION: u32 = 1;
/// Another process that gets a new token is waited for this long: longer than that may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A login, as it is kept.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct LoginEntry {
    version: u32,
    /// The address that it belongs to.
    url: String,
    /// Its authorization server may be in a private network.
    #[serde(default)]
    pub(super) private_network: bool,
    /// The secret of a client that the authorization server knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    credentials: StoredCredentials,
}

/// Where one login is kept.
#[derive(Clone)]
pub(super) struct LoginStore {
    path: PathBuf,
    url: String,
    /// What a new entry says.
    pub(super) private_network: bool,
    pub(super) client_secret: Option<String>,
}

impl LoginStore {
    pub(super) fn new(folder: &Path, url: &Url) -> Self {
        let id = ServerId::from_launch(&serde_json::json!({ "url": url.as_str() }));
        let path = folder.join(format!("{}.json", id.as_str()));
        Self { path, url: url.to_string(), private_network: false, client_secret: None }
    }

    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// What is kept; nothing if it is of another address.
    pub(super) fn read_entry(&self) -> Result<Option<LoginEntry>, LoginError> {
        let text = match std::fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.io_error("can't read", error)),
        };
        let entry: LoginEntry = serde_json::from_slice(&text).map_err(|_| {
            let what = "no login of this version of mayi: log in again";
            self.io_error("can't use", io::Error::new(io::ErrorKind::InvalidData, what))
        })?;
        Ok(Some(entry).filter(|entry| entry.version == VERSION && entry.url == self.url))
    }

    fn write(&self, credentials: StoredCredentials) -> Result<(), LoginError> {
        let entry = LoginEntry {
            version: VERSION,
            url: self.url.clone(),
            private_network: self.private_network,
            client_secret: self.client_secret.clone(),
            credentials,
        };
        let failed = |error| self.io_error("can't write", error);
        let text = serde_json::to_vec_pretty(&entry).map_err(|error| failed(error.into()))?;
        let folder = self.create_folder()?;
        // A temporary file is the user's own from its beginning.
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// Takes it away; `false` if there is none.
    pub(super) fn remove(&self) -> Result<bool, LoginError> {
        match std::fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.io_error("can't remove", error)),
        }
    }

    fn create_folder(&self) -> Result<&Path, LoginError> {
        let folder = self.path.parent().unwrap_or(&self.path);
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder).map_err(|error| self.io_error("can't make the folder of", error))?;
        Ok(folder)
    }

    /// Keeps other processes from getting a new token at the same time: the old one is good only once.
    fn acquire_lock(&self) -> Result<File, LoginError> {
        self.create_folder()?;
        let place = self.path.with_extension("lock");
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&place).map_err(|error| self.io_error("can't lock", error))?;
        let end = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < end => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    let busy = io::Error::new(io::ErrorKind::TimedOut, "another process holds it");
                    return Err(self.io_error("can't lock", busy));
                }
                Err(TryLockError::Error(error)) => return Err(self.io_error("can't lock", error)),
            }
        }
    }

    fn io_error(&self, what: &'static str, error: io::Error) -> LoginError {
        LoginError::Io { path: self.path.clone(), what, error }
    }

    /// Does something with files where that may take time.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, LoginError> + Send + 'static,
    ) -> Result<T, AuthError> {
        let store = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&store)).await;
        let stopped = |_| AuthError::CredentialStoreError("the store was stopped".to_owned());
        done.map_err(stopped)?
            .map_err(|error| AuthError::CredentialStoreError(escape_line(&error.to_string())))
    }
}

#[async_trait]
impl CredentialStore for LoginStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.run_blocking(|store| Ok(store.read_entry()?.map(|entry| entry.credentials))).await
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.run_blocking(|store| store.write(credentials)).await
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.run_blocking(|store| store.remove().map(drop)).await
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let file = self.run_blocking(LoginStore::acquire_lock).await?;
        Ok(Some(CredentialRefreshGuard::new(file)))
    }
}
