//! Where the user's own settings lie for programs that go by them unasked, and what git is told there: by the environment, too.

use std::fs;
use std::path::{Path, PathBuf};

use super::repository::{entry_exists, read_small_file};
use crate::{home_folder, variable};

/// What holds for all users.
const OF_THE_SYSTEM: &[&str] = &["/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"];
/// As many files of settings are read.
const MOST_FILES: usize = 32;
/// As deep they include one another.
const DEEPEST: usize = 8;
/// As many settings of the environment are read.
const MOST_VARIABLES: usize = 64;

/// Where such settings lie.
#[derive(Clone, Debug)]
pub(super) struct UserPlaces {
    /// The home folder, and the one that the environment names, if that is another.
    homes: Vec<PathBuf>,
    /// What stands for `~/.config`: the usual folder, and the one that the environment names.
    settings: Vec<PathBuf>,
    /// The file that the environment names for git's.
    git: Option<PathBuf>,
}

impl UserPlaces {
    /// As a program finds them that is started in `cwd`. None if they can't be told.
    pub(super) fn find(cwd: Option<&Path>) -> Option<Self> {
        Self::around(home_folder().unwrap_or_else(|| PathBuf::from("/")), cwd)
    }

    fn around(home: PathBuf, cwd: Option<&Path>) -> Option<Self> {
        let named = |name: &str| variable(name).map(|told| counted_from(cwd, Path::new(&told)));
        let mut homes = vec![home];
        if let Some(other) = variable("HOME").map(PathBuf::from)
            && other.is_absolute()
            && !homes.contains(&other)
        {
            homes.push(other);
        }
        let mut settings: Vec<PathBuf> = homes.iter().map(|home| home.join(".config")).collect();
        if let Some(folder) = named("XDG_CONFIG_HOME") {
            let folder = folder?;
            if !settings.contains(&folder) {
                settings.push(folder);
            }
        }
        let git = match named("GIT_CONFIG_GLOBAL") {
            Some(file) => Some(file?),
            None => None,
        };
        Some(Self { homes, settings, git })
    }

    /// With this home folder, and nothing from the environment.
    #[cfg(test)]
    pub(super) fn of_home(home: &Path) -> Self {
        Self { homes: vec![home.to_owned()], settings: vec![home.join(".config")], git: None }
    }

    /// Where a file may lie that is written as `~/x`, or `~/.config/x`.
    pub(super) fn files_named(&self, name: &str) -> Vec<PathBuf> {
        match (name.strip_prefix("~/.config/"), name.strip_prefix("~/")) {
            (Some(rest), _) => self.settings.iter().map(|folder| folder.join(rest)).collect(),
            (None, Some(rest)) => self.homes.iter().map(|home| home.join(rest)).collect(),
            (None, None) => Vec::new(),
        }
    }

    /// The files in which git's own settings of the user's may be.
    pub(super) fn files_for_git(&self) -> Vec<PathBuf> {
        let mut files = self.files_named("~/.gitconfig");
        files.extend(self.files_named("~/.config/git/config"));
        files.extend(self.git.clone());
        files
    }

    /// Where a name leads in which `~` stands for the home folder, wherever in it.
    pub(super) fn in_homes(&self, name: &str) -> Vec<PathBuf> {
        if !name.contains('~') {
            return vec![PathBuf::from(name)];
        }
        self.homes.iter().map(|home| PathBuf::from(name.replace('~', &home.to_string_lossy()))).collect()
    }
}

/// A name as it counts for what is started in `cwd`.
pub(super) fn counted_from(cwd: Option<&Path>, path: &Path) -> Option<PathBuf> {
    match cwd {
        _ if path.is_absolute() => Some(path.to_owned()),
        Some(cwd) => Some(cwd.join(path)),
        None => None,
    }
}

/// What git is told beside the repository.
#[derive(Debug, Default)]
pub(super) struct GitSettings {
    /// The files, and what the environment says.
    pub(super) texts: Vec<String>,
    /// Some of it lies in files of other names than the usual ones.
    pub(super) elsewhere: bool,
    files: usize,
}

/// All that git is told by files of the user's and the system's, those that they include, whatever the condition, and by the
/// environment. None if that can't be told.
pub(super) fn git_settings(cwd: Option<&Path>) -> Option<GitSettings> {
    let places = UserPlaces::find(cwd)?;
    let mut found = GitSettings { elsewhere: places.git.is_some(), ..GitSettings::default() };
    let mut files: Vec<PathBuf> = OF_THE_SYSTEM.iter().map(PathBuf::from).collect();
    if let Some(told) = variable("GIT_CONFIG_SYSTEM") {
        found.elsewhere = true;
        files.push(counted_from(cwd, Path::new(&told))?);
    }
    files.extend(places.files_for_git());
    for file in files {
        found.read(&file, &places, 0)?;
    }
    found.read_environment()?;
    Some(found)
}

impl GitSettings {
    fn read(&mut self, file: &Path, places: &UserPlaces, depth: usize) -> Option<()> {
        if file == Path::new("/dev/null") || !entry_exists(file) {
            return Some(());
        }
        self.files += 1;
        (self.files <= MOST_FILES && depth <= DEEPEST).then_some(())?;
        let text = read_small_file(file)?;
        for named in included_files(&text)? {
            self.elsewhere = true;
            let named = match named.starts_with("~/") {
                true => places.files_named(named),
                // Another user's folder, or that of git itself.
                false if named.starts_with(['~', '%']) => return None,
                false => vec![file.parent()?.join(named)],
            };
            for file in named {
                self.read(&file, places, depth + 1)?;
            }
        }
        self.texts.push(text);
        Some(())
    }

    /// `GIT_CONFIG_COUNT` with its keys and values, and what `git -c` hands on.
    fn read_environment(&mut self) -> Option<()> {
        let mut told = Vec::new();
        if let Some(count) = variable("GIT_CONFIG_COUNT") {
            let count: usize = count.to_str()?.trim().parse().ok()?;
            (count <= MOST_VARIABLES).then_some(())?;
            told.extend((0..count).filter_map(|at| variable(&format!("GIT_CONFIG_KEY_{at}"))));
        }
        told.extend(variable("GIT_CONFIG_PARAMETERS"));
        for text in told {
            let text = text.to_str()?.to_owned();
            // It names a file of settings.
            (!text.to_ascii_lowercase().contains("include")).then_some(())?;
            self.texts.push(text);
        }
        Some(())
    }
}

/// The files that a file of git's settings includes, whatever the condition. None if it is not understood.
fn included_files(text: &str) -> Option<Vec<&str>> {
    if !text.to_ascii_lowercase().contains("include") {
        return Some(Vec::new());
    }
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        // What goes on in the next line may look like the begin of another part.
        (!line.ends_with('\\')).then_some(())?;
        if let Some(header) = line.strip_prefix('[') {
            inside = header.trim_start().to_ascii_lowercase().starts_with("include");
        }
        if !inside || line.starts_with(['#', ';']) {
            continue;
        }
        let lower = line.to_ascii_lowercase();
        for (at, key) in lower.match_indices("path") {
            let behind = line.get(at + key.len()..)?.trim_start();
            if let Some(value) = behind.strip_prefix('=') {
                found.extend(plain_value(value.trim())?);
            }
        }
    }
    Some(found)
}

/// A value without its quotes and the comment behind it; an empty one names nothing. None if it is not understood.
#[expect(clippy::option_option, reason = "a value that says nothing is understood")]
fn plain_value(value: &str) -> Option<Option<&str>> {
    let (value, behind) = match value.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => (value.split(['#', ';']).next().unwrap_or_default().trim_end(), ""),
    };
    let sound =
        !value.contains(['"', '\\']) && matches!(behind.trim_start().chars().next(), None | Some('#' | ';'));
    sound.then_some((!value.is_empty()).then_some(value))
}

/// What an ignore file is that settings of git's name, as such programs read it: `excludesFile = x`.
pub(super) fn excludes_file(line: &str) -> Option<&str> {
    let (key, value) = line.split_once('=')?;
    let value = value.trim().trim_matches('"').trim();
    (key.trim().eq_ignore_ascii_case("excludesfile") && !value.is_empty()).then_some(value)
}

/// The files by which a link is followed, step by step, to where it ends: what is written to one of them, or put in its place,
/// is found behind the link. None of them if it is no link.
pub(in crate::shell) fn links_from(file: &Path) -> Vec<PathBuf> {
    const MOST: usize = 16;
    let mut found = Vec::new();
    let mut at = file.to_owned();
    while let (Ok(target), true) = (fs::read_link(&at), found.len() < MOST) {
        at = at.parent().unwrap_or(Path::new("/")).join(target);
        found.extend(forms_of(&at));
    }
    found
}

/// A path as it is written, and with links followed.
pub(in crate::shell) fn forms_of(path: &Path) -> Vec<PathBuf> {
    let Some(text) = path.to_str() else { return vec![path.to_owned()] };
    let access = crate::PathAccess::new(Path::new("/"), text);
    vec![access.lexical, access.resolved]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_settings_that_include_others_then_those_are_found() {
        for (text, expected) in [
            ("[user]\n\tname = include\n\tpath = x\n", Some(vec![])),
            ("[include]\n\tpath = x\n", Some(vec!["x"])),
            ("[INCLUDE] PATH=x\n", Some(vec!["x"])),
            (
                "[includeIf \"gitdir:~/w/\"]\n path = \"~/a b\" ; why\n[core]\n path = y\n",
                Some(vec!["~/a b"]),
            ),
            ("[include]\npath = x # why\npath=\n", Some(vec!["x"])),
            ("\u{feff}[include]\r\npath = x\r\n", Some(vec!["x"])),
            ("[include]\npath = \"x\\\\y\"\n", None),
            ("[include]\na = b\\\n[core]\npath = x\n", None),
        ] {
            assert_eq!(included_files(text), expected, "{text:?}");
        }
    }

    /// Attack 673.
    #[test]
    fn given_settings_of_gits_anywhere_then_they_are_read_or_can_not_be_told() {
        use crate::home::told;
        let top = tempfile::tempdir().unwrap();
        let top = top.path();
        let shows = || {
            git_settings(Some(top))
                .is_none_or(|found| found.texts.iter().any(|text| text.contains("showPatch")))
        };
        fs::create_dir_all(top.join("x/git")).unwrap();
        fs::write(top.join("patch"), "[stash]\n\tshowPatch = true\n").unwrap();
        fs::write(top.join("other"), "[user]\n\tname = Me\n[include]\n\tpath = gone\n").unwrap();
        fs::write(top.join("x/git/config"), "[includeIf \"gitdir:~/a/\"]\n\tpath = ../../patch\n").unwrap();
        told::set("GIT_CONFIG_GLOBAL", top.join("other"));
        assert!(!shows());
        told::set("XDG_CONFIG_HOME", top.join("x"));
        assert!(shows());
        told::set("XDG_CONFIG_HOME", top.join("y"));
        for file in ["patch", "x/git/config"] {
            told::set("GIT_CONFIG_GLOBAL", top.join(file));
            assert!(shows(), "{file}");
        }
        told::set("GIT_CONFIG_GLOBAL", "/dev/null");
        assert!(!shows());
        for (key, shown) in [("user.name", false), ("stash.showPatch", true), ("include.path", true)] {
            told::set("GIT_CONFIG_COUNT", "1");
            told::set("GIT_CONFIG_KEY_0", key);
            assert_eq!(shows(), shown, "{key}");
            told::set("GIT_CONFIG_COUNT", "0");
            told::set("GIT_CONFIG_PARAMETERS", format!("'{key}'='x'"));
            assert_eq!(shows(), shown, "{key}");
            told::set("GIT_CONFIG_PARAMETERS", "");
        }
        told::set("GIT_CONFIG_COUNT", "many");
        assert!(shows());
    }
}
