//! Which responses of the endpoint stand behind the one that an app saw: an app goes on from the id that it knows, and the
//! endpoint from the last of them. One small file for each, so that several processes can share them and a restart forgets
//! nothing.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mayi_core::call::digest_of_bytes;
use serde::{Deserialize, Serialize};

/// So many are kept; the oldest go when mayi starts.
const KEPT: usize = 20_000;

/// What stands behind a response that an app saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chain {
    /// The endpoint's responses, in order; the first one is what the app saw.
    pub(crate) responses: Vec<String>,
    /// A call was denied, and the next request is to begin anew.
    #[serde(default)]
    pub(crate) fresh: bool,
}

/// The folder of all of them. Those of one endpoint are not looked up for another.
#[derive(Clone, Debug)]
pub struct Chains {
    folder: PathBuf,
    endpoint: String,
}

impl Chains {
    /// Those in `folder`, which is made if it is not there, of the endpoint at this address.
    ///
    /// # Errors
    /// If the folder can't be made or read.
    pub fn open(folder: &Path, endpoint: &str) -> io::Result<Self> {
        let mut maker = std::fs::DirBuilder::new();
        maker.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut maker, 0o700);
        maker.create(folder)?;
        let mut files: Vec<(SystemTime, PathBuf)> = std::fs::read_dir(folder)?
            .filter_map(|entry| {
                let entry = entry.ok()?;
                Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
            })
            .collect();
        if files.len() > KEPT {
            files.sort_unstable();
            let spare = files.len() - KEPT;
            files.iter().take(spare).for_each(|(_, path)| {
                // Another process may have been quicker.
                let _ = std::fs::remove_file(path);
            });
        }
        Ok(Self { folder: folder.to_owned(), endpoint: endpoint.to_owned() })
    }

    fn chain_path(&self, seen: &str) -> PathBuf {
        let name = format!("{}\n{seen}", self.endpoint);
        self.folder.join(digest_of_bytes(name.as_bytes()).as_str())
    }

    /// What stands behind the response that an app saw as `seen`; none if it is just that one.
    pub(crate) fn read_chain(&self, seen: &str) -> Option<Chain> {
        let text = std::fs::read(self.chain_path(seen)).ok()?;
        let chain: Chain = serde_json::from_slice(&text).ok()?;
        (chain.responses.first().map(String::as_str) == Some(seen)).then_some(chain)
    }

    /// Remembers what stands behind the first of these.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn save_chain(&self, chain: &Chain) -> io::Result<()> {
        let Some(seen) = chain.responses.first() else { return Ok(()) };
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&serde_json::to_vec(chain)?)?;
        file.persist(self.chain_path(seen)).map_err(|error| error.error)?;
        Ok(())
    }

    /// Forgets it.
    pub(crate) fn delete_chain(&self, seen: &str) {
        let _ = std::fs::remove_file(self.chain_path(seen));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The map from response ids that the app saw to those upstream outlives a restart.
    #[test]
    fn given_a_chain_then_it_is_there_for_the_next_process_and_for_no_other_endpoint() {
        let folder = tempfile::tempdir().unwrap();
        let chain = Chain { responses: vec!["resp_a".into(), "resp_../z".into()], fresh: false };
        Chains::open(folder.path(), "https://a/v1").unwrap().save_chain(&chain).unwrap();
        let again = Chains::open(folder.path(), "https://a/v1").unwrap();
        assert_eq!(again.read_chain("resp_a"), Some(chain));
        assert_eq!(again.read_chain("resp_b"), None);
        assert_eq!(Chains::open(folder.path(), "https://b/v1").unwrap().read_chain("resp_a"), None);
        again.delete_chain("resp_a");
        assert_eq!(again.read_chain("resp_a"), None);
    }
}
