//! What a workspace file would loosen if it were trusted: shown before `mayi trust` remembers it.

use std::path::{Path, PathBuf};

use super::load::ConfigLoader;
use super::{ConfigError, ConfigErrors, Layer, Sources, read, secure_read, tighten, trust, workspace};

/// A workspace file as it was looked at: what is trusted then is exactly this content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// Where it is, links of its folder resolved.
    pub place: PathBuf,
    /// The digest of its content.
    pub sha256: String,
    /// What would count then and does not without trust, one line each. Text of the repository.
    pub looser: Vec<String>,
    /// What stays without effect all the same.
    pub ignored: Vec<String>,
}

/// Looks at the workspace file at `path`.
///
/// # Errors
/// Every mistake in it, or in the files that it would be laid over.
pub fn review_workspace(sources: &Sources, path: &Path) -> Result<Review, ConfigErrors> {
    let refuse = |message: String| ConfigError::of_file(Layer::Workspace, path, message, None);
    let place = match trust::place_of(path) {
        Ok(place) => place,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(refuse("does not exist".to_owned()).into());
        }
        Err(error) => return Err(refuse(error.to_string()).into()),
    };
    let text = secure_read::read_itself(Layer::Workspace, path)?
        .ok_or_else(|| refuse("does not exist".to_owned()))?;
    let mut base = ConfigLoader::load_base(sources)?;
    ConfigErrors::ok_if_empty(std::mem::take(&mut base.errors))?;
    let file = match read::read(Layer::Workspace, path, &text, &base.places) {
        Ok(file) => file,
        Err(errors) => {
            return Err(ConfigErrors::ok_if_empty(errors)
                .err()
                .unwrap_or_else(|| refuse("is not understood".to_owned()).into()));
        }
    };
    let mut looser = workspace::loosening_lines(&file);
    let mut ignored: Vec<String> =
        file.except.iter().map(|pattern| format!("the exception {pattern} from protection")).collect();
    // Once as it counts now, once as it would count then.
    let mut now = file.scalars.clone();
    let mut then = file.scalars.clone();
    let out_now = tighten::remove_disallowed(&base.merge, Layer::Workspace, true, &mut now);
    let out_then = tighten::remove_disallowed(&base.merge, Layer::Workspace, false, &mut then);
    for left in &out_now {
        match out_then.iter().find(|then| then.what == left.what) {
            Some(locked) => ignored.push(match &locked.locked_by {
                Some(by) => format!("{}: {} locks it", locked.what, by.display()),
                None => locked.what.clone(),
            }),
            None => looser.push(format!("sets {}", left.what)),
        }
    }
    Ok(Review { place, sha256: trust::content_digest(text.as_bytes()), looser, ignored })
}
