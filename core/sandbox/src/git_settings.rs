//! Settings of a repository. A command has a copy of its own of them, and what it changes there is put through when it has ended,
//! key by key, but for keys whose values git runs. Until then nobody who is not confined reads what it has written.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mayi_policy::git_runs_key;
use tempfile::TempDir;

use crate::Place;
use crate::remove::delete_folder;

/// Maximum number of bytes of settings.
const LONGEST: u64 = 1 << 20;

/// Maximum number of keys that are put through at once.
const MOST_KEYS: usize = 256;

/// The name of a copy.
pub(crate) const COPY: &str = "config";

/// Whether a path is that of a repository's settings, which a command may have a copy of.
pub(crate) fn is_git_settings(path: &Path) -> bool {
    let Some(folder) = path.parent().filter(|_| path.file_name().is_some_and(|name| name == "config")) else {
        return false;
    };
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() <= LONGEST)
        && is_repository(folder)
}

/// Whether a folder is laid out as a repository, whatever its name: git takes it for one.
pub(crate) fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && ["objects", "refs"].iter().all(|name| folder.join(name).is_dir())
}

/// Copies of settings, for a command.
#[derive(Debug)]
pub(crate) struct Copies {
    folder: Option<TempDir>,
    /// Where each belongs, and how it was.
    originals: Vec<(PathBuf, Vec<u8>)>,
}

impl Copies {
    /// Copies the settings at these places, each into a folder by its number.
    ///
    /// # Errors
    /// If one can't be copied.
    pub(crate) fn make(places: &[Place]) -> io::Result<Self> {
        if places.is_empty() {
            return Ok(Self { folder: None, originals: Vec::new() });
        }
        let folder = tempfile::Builder::new().prefix("mayi-").tempdir()?;
        // A repository in a private home has addresses with passwords in them.
        #[cfg(unix)]
        fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        let mut originals = Vec::new();
        for (number, place) in places.iter().enumerate() {
            let copy = folder.path().join(number.to_string());
            let text = read_settings(&place.path)?;
            fs::create_dir(&copy)?;
            fs::write(copy.join(COPY), &text)?;
            fs::set_permissions(copy.join(COPY), fs::metadata(&place.path)?.permissions())?;
            originals.push((place.path.clone(), text));
        }
        Ok(Self { folder: Some(folder), originals })
    }

    /// Where they are, if there are any.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(TempDir::path)
    }

    /// Puts through what was changed in them, and says what was not, a line each.
    pub(crate) fn put_through(mut self) -> Vec<String> {
        let Some(folder) = self.folder.take() else { return Vec::new() };
        let mut told = Vec::new();
        for (number, (path, before)) in self.originals.iter().enumerate() {
            let copy = folder.path().join(number.to_string()).join(COPY);
            let done = read_settings(&copy).and_then(|now| {
                if now == *before { Ok(Vec::new()) } else { put_through(path, before, &now) }
            });
            told.extend(lines(path, done));
        }
        // What is in it is the command's.
        let path = folder.keep();
        if let Err(error) = delete_folder(&path) {
            told.push(format!("{} could not be deleted: {error}", path.display()));
        }
        told
    }
}

/// What is said of settings of which these keys were not kept.
pub(crate) fn lines(path: &Path, refused: io::Result<Vec<String>>) -> Vec<String> {
    match refused {
        Ok(keys) if keys.is_empty() => Vec::new(),
        Ok(keys) => vec![format!(
            "what the command set in {} was not kept of {}: git runs it, or finds by it what it runs",
            path.display(),
            keys.join(", ")
        )],
        Err(error) => vec![format!("what the command set in {} was not kept: {error}", path.display())],
    }
}

/// Reads a file that a command may have put there: no link, no pipe, not without end.
pub(crate) fn read_settings(path: &Path) -> io::Result<Vec<u8>> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut text = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(io::Error::other("it is too long"));
    }
    Ok(text)
}

/// Values by key, in their order; none is a key without one.
type Settings = BTreeMap<String, Vec<Option<String>>>;

/// Changes the settings at `path` as they were changed from `before` to `now`: the keys that were not.
///
/// # Errors
/// If git can't read or write them: then some may have been changed.
pub(crate) fn put_through(path: &Path, before: &[u8], now: &[u8]) -> io::Result<Vec<String>> {
    let (before, now) = (settings(before)?, settings(now)?);
    let mut keys: Vec<&String> = before.keys().chain(now.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.retain(|key| before.get(*key) != now.get(*key));
    if keys.len() > MOST_KEYS {
        return Err(io::Error::other(format!("it is more than {MOST_KEYS} keys")));
    }
    let (refused, harmless): (Vec<&String>, Vec<&String>) = keys.into_iter().partition(|key| is_refused(key));
    // Whoever changed it in the meantime is not undone.
    let there = if path.exists() { settings(&read_settings(path)?)? } else { Settings::new() };
    for key in harmless {
        let wanted = now.get(key).map(Vec::as_slice).unwrap_or_default();
        if there.get(key).map(Vec::as_slice).unwrap_or_default() == wanted {
            continue;
        }
        if there.contains_key(key) {
            git(&["config", "--file"], path, &["--unset-all", key])?;
        }
        for value in wanted {
            git(&["config", "--file"], path, &["--add", key, value.as_deref().unwrap_or("true")])?;
        }
    }
    Ok(refused.into_iter().cloned().collect())
}

/// Whether a key is not put through: what git runs by it, or what it can't be named by on a command line.
fn is_refused(key: &str) -> bool {
    git_runs_key(key) || !key.starts_with(|first: char| first.is_ascii_alphanumeric())
}

/// The keys in settings that are not a command's to set.
pub(crate) fn refused_keys(text: &[u8]) -> io::Result<Vec<String>> {
    Ok(settings(text)?.into_keys().filter(|key| is_refused(key)).collect())
}

/// Settings as git reads them.
fn settings(text: &[u8]) -> io::Result<Settings> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("settings");
    fs::write(&file, text)?;
    let listed = git(&["config", "--no-includes", "--file"], &file, &["--list", "-z"])?;
    let mut settings = Settings::new();
    for entry in listed.split_terminator('\0') {
        let (key, value) = match entry.split_once('\n') {
            Some((key, value)) => (key, Some(value.to_owned())),
            None => (entry, None),
        };
        settings.entry(key.to_owned()).or_default().push(value);
    }
    Ok(settings)
}

/// Runs git where no repository and no variable of the environment has a say.
fn git(first: &[&str], file: &Path, then: &[&str]) -> io::Result<String> {
    let mut command = Command::new("git");
    command.args(first).arg(file).args(then).current_dir("/").stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", "C");
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("git refuses it").to_owned();
        return Err(io::Error::other(said));
    }
    String::from_utf8(output.stdout).map_err(|_| io::Error::other("it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &[u8] = b"[core]\n\tbare = false\n[alias]\n\tst = status\n";

    fn put(now: &[u8]) -> (Vec<String>, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config");
        fs::write(&path, [BEFORE, b"# mine\n[user]\n\tname = me\n"].concat()).unwrap();
        let refused = put_through(&path, BEFORE, now).unwrap();
        (refused, fs::read_to_string(path).unwrap())
    }

    /// S1.29: what is harmless is put through, and nothing else of the file changes.
    #[test]
    fn given_harmless_keys_then_they_are_put_through_into_what_is_there_now() {
        let now = [BEFORE, b"[remote \"o\"]\n\turl = https://h/r\n\tfetch = a\n\tfetch = b\n[x]\n\tflag\n"]
            .concat();
        let (refused, text) = put(&now);
        assert!(refused.is_empty(), "{refused:?}");
        for line in ["url = https://h/r", "fetch = a", "fetch = b", "# mine", "name = me", "st = status"] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    /// S1.29, attack 902: a key whose value git runs is not, however it is written.
    #[test]
    fn given_keys_that_git_runs_then_they_are_not_put_through() {
        for (setting, key) in [
            ("[CORE]\n\tFSMonitor = evil", "core.fsmonitor"),
            ("[core] hooksPath = evil", "core.hookspath"),
            ("[filter \"x\"]\n\tclean = evil", "filter.x.clean"),
            ("[include]\n\tpath = evil", "include.path"),
            ("[alias]\n\tst = !evil", "alias.st"),
            ("[extensions]\n\tworktreeConfig = true", "extensions.worktreeconfig"),
            ("[-x]\n\ty = evil", "-x.y"),
        ] {
            let (refused, text) =
                put(&[BEFORE, setting.as_bytes(), b"\n[user]\n\temail = evil-free\n"].concat());
            assert_eq!(refused, [key]);
            assert!(!text.contains("evil\n") && text.contains("evil-free"), "{text}");
        }
        // One that the person has set stays, also if the command takes it out.
        let (refused, text) = put(b"[core]\n\tbare = false\n");
        assert_eq!(refused, ["alias.st"]);
        assert!(text.contains("st = status"), "{text}");
    }

    /// Attack 902: what a command leaves in place of its copy is not followed, waited for or believed.
    #[cfg(unix)]
    #[test]
    fn given_a_copy_that_is_no_settings_then_nothing_is_put_through() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config");
        fs::write(&path, BEFORE).unwrap();
        let place = Place { path: path.clone(), because: String::new() };
        let copies = || Copies::make(std::slice::from_ref(&place)).unwrap();
        let with = |change: &dyn Fn(&Path)| {
            let copies = copies();
            let copy = copies.folder().unwrap().join("0/config");
            fs::remove_file(&copy).unwrap();
            change(&copy);
            let told = copies.put_through();
            assert_eq!(fs::read(&path).unwrap(), BEFORE);
            told
        };
        let secret = folder.path().join("secret");
        fs::write(&secret, "[user]\n\tname = x\n").unwrap();
        assert_eq!(with(&|copy| std::os::unix::fs::symlink(&secret, copy).unwrap()).len(), 1);
        assert_eq!(with(&|copy| fs::create_dir(copy).unwrap()).len(), 1);
        assert_eq!(with(&|copy| fs::write(copy, "[broken").unwrap()).len(), 1);
        assert_eq!(
            with(&|copy| assert!(Command::new("mkfifo").arg(copy).status().unwrap().success())).len(),
            1
        );
        assert_eq!(with(&|_| {}).len(), 1);
        assert!(copies().put_through().is_empty());
    }
}
