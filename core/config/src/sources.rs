//! Where configuration is looked for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::EditorSettings;
use super::compiled::OnDisk;
use mayi_policy::pattern::PatternBases;
use mayi_policy::{Mode, PatternError, Protection};

/// What an administrator sets for everybody.
pub const MANAGED_FILE: &str = "/etc/mayi/config.toml";

/// What a folder may say about itself.
pub const WORKSPACE_FILE: &str = ".mayi.toml";

/// mayi's own folders, and the user's home.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME/mayi`.
    pub config: Option<PathBuf>,
    /// `$XDG_DATA_HOME/mayi`.
    pub data: Option<PathBuf>,
    /// `$XDG_STATE_HOME/mayi`.
    pub state: Option<PathBuf>,
}

impl Folders {
    /// As the environment says. Without a home folder there are none, and one that is relative is none: it would be another
    /// one in each folder, and that of the workspace.
    #[must_use]
    pub fn discover() -> Self {
        let Ok(base) = etcetera::choose_base_strategy() else {
            return Self::default();
        };
        if !base.home_dir().is_absolute() {
            return Self::default();
        }
        let data = own(base.data_dir());
        Self {
            home: Some(base.home_dir().to_owned()),
            config: Some(own(base.config_dir())),
            state: Some(base.state_dir().map_or_else(|| data.clone(), own)),
            data: Some(data),
        }
    }

    /// The usual ones of a user whose home folder is `home`, whatever the environment says. A relative one is none here either.
    #[must_use]
    pub fn in_home(home: Option<PathBuf>) -> Self {
        let Some(home) = home.filter(|home| home.is_absolute()) else { return Self::default() };
        Self {
            config: Some(own(home.join(".config"))),
            data: Some(own(home.join(".local/share"))),
            state: Some(own(home.join(".local/state"))),
            home: Some(home),
        }
    }
}

/// mayi's own folder within one for all programs.
fn own(folder: PathBuf) -> PathBuf {
    folder.join("mayi")
}

/// Options of this run that decide something.
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    /// `--mode`.
    pub mode: Option<Mode>,
    /// Each `--allow`.
    pub allow: Vec<String>,
    /// Each `--ask`.
    pub ask: Vec<String>,
    /// Each `--deny`.
    pub deny: Vec<String>,
    /// Each `--add-dir`, as a whole path.
    pub folders: Vec<PathBuf>,
}

/// Where configuration comes from. Files need not exist.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The administrator's file.
    pub managed: Option<PathBuf>,
    /// The user's file.
    pub user: Option<PathBuf>,
    /// The folder's `.mayi.toml`.
    pub workspace: Option<PathBuf>,
    /// The file that was given with `--config`: stands in for the user's and the workspace's.
    pub only: Option<PathBuf>,
    /// The editor's own settings, where one says them.
    pub editor: Option<EditorSettings>,
    /// Variables that start with `MAYI_`.
    pub environment: BTreeMap<String, String>,
    /// Options of this run.
    pub command_line: CommandLine,
    /// The folder that is worked in: the user's own settings for a workspace go by it.
    pub cwd: PathBuf,
    /// mayi's own folders.
    pub folders: Folders,
    /// Large files are read as they were compiled before (D5.13), and of what is protected only that is compiled which could be
    /// about a call: for a process that decides about one.
    pub compiled: bool,
}

impl Sources {
    /// Where configuration is on this machine, for work in `cwd`.
    #[must_use]
    pub fn discover(cwd: &Path, only: Option<PathBuf>) -> Self {
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.starts_with("MAYI_"))
            .collect();
        Self { environment, ..Self::with_folders(cwd, only, Folders::discover()) }
    }

    /// The same with these folders, and without anything of the environment.
    #[must_use]
    pub fn with_folders(cwd: &Path, only: Option<PathBuf>, folders: Folders) -> Self {
        Self {
            managed: cfg!(unix).then(|| PathBuf::from(MANAGED_FILE)),
            user: folders.config.as_ref().map(|folder| folder.join("config.toml")),
            workspace: Some(workspace_file(cwd)),
            only,
            editor: None,
            environment: BTreeMap::new(),
            command_line: CommandLine::default(),
            cwd: cwd.to_owned(),
            folders,
            compiled: false,
        }
    }

    /// The file that is the user's own here: what settings are written to.
    #[must_use]
    pub fn own_file(&self) -> Option<&Path> {
        self.only.as_deref().or(self.user.as_deref())
    }

    /// What `~` in a pattern stands for, for patterns that are compiled now.
    #[must_use]
    pub fn pattern_bases(&self) -> PatternBases {
        PatternBases::of_one_moment(self.folders.home.clone(), vec![self.cwd.clone()])
    }

    /// What is protected whatever files say (D4.5, D4.8): mayi's own folders, and what is protected by its name, also where
    /// the user keeps settings elsewhere.
    ///
    /// # Errors
    /// If one of mayi's folders has a name that can't be written as a pattern.
    pub fn built_in_protection(&self, places: &PatternBases) -> Result<Protection, PatternError> {
        let folders = &self.folders;
        let managed = Path::new(MANAGED_FILE).parent().map(Path::to_owned);
        let own: Vec<PathBuf> = [&folders.config, &folders.data, &folders.state, &managed]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let mut protection = if self.compiled {
            Protection::built_in_lazily(places, &own, &OnDisk)?
        } else {
            Protection::built_in(places, &own)?
        };
        if let Some(settings) = folders.config.as_deref().and_then(Path::parent) {
            protection.add_settings_folder(settings, places, &OnDisk)?;
        }
        Ok(protection)
    }
}

/// The nearest `.mayi.toml` from `cwd` up to the top of its repository; without a repository only
/// `cwd`'s own. The name it would have in `cwd` if there is none.
fn workspace_file(cwd: &Path) -> PathBuf {
    let top = cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok()).unwrap_or(cwd);
    cwd.ancestors()
        .take_while(|folder| folder.starts_with(top))
        .map(|folder| folder.join(WORKSPACE_FILE))
        .find(|file| file.symlink_metadata().is_ok())
        .unwrap_or_else(|| cwd.join(WORKSPACE_FILE))
}

#[cfg(test)]
mod tests {
    use super::{Folders, workspace_file};

    /// D5.10.
    #[test]
    fn given_a_home_folder_then_the_usual_folders_are_below_it_whatever_the_environment_says() {
        let folders = Folders::in_home(Some("/h".into()));
        let own = [folders.config, folders.data, folders.state];
        let usual = [".config", ".local/share", ".local/state"];
        assert_eq!(own, usual.map(|folder| Some(format!("/h/{folder}/mayi").into())));
        for none in [None, Some("h".into())] {
            let folders = Folders::in_home(none);
            assert_eq!((folders.home, folders.config, folders.data, folders.state), (None, None, None, None));
        }
    }

    #[test]
    fn given_a_repository_then_the_nearest_file_within_it_counts() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("repo");
        let deep = top.join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(dir.path().join(".mayi.toml"), "").unwrap();
        // Not a repository: only the folder itself.
        assert_eq!(workspace_file(&deep), deep.join(".mayi.toml"));
        std::fs::create_dir(top.join(".git")).unwrap();
        std::fs::write(top.join(".mayi.toml"), "").unwrap();
        assert_eq!(workspace_file(&deep), top.join(".mayi.toml"));
        std::fs::write(top.join("a/.mayi.toml"), "").unwrap();
        assert_eq!(workspace_file(&deep), top.join("a/.mayi.toml"));
        // The file above the repository never counts.
        std::fs::remove_file(top.join(".mayi.toml")).unwrap();
        assert_eq!(workspace_file(&top), top.join(".mayi.toml"));
    }
}
