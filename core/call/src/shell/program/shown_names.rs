//! Names that begin with a dot and that a search shows all the same: a line of an ignore file takes them back in
//! (`!.env`), and such a line counts for more than the dot.
//!
//! Such a file may lie in any folder that is searched, and so may what it takes in: the folders are gone through as the
//! search itself would, by the names in them alone, and without those that git leaves out.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::mem;
use std::path::{Path, PathBuf};

use super::gitignore::{IgnoreRule, is_ignored, parse_rules, takes_in};
use super::repository;
use super::user_settings::{UserPlaces, counted_from, excludes_file, forms_of, links_from};
use crate::LookupBudget;
use crate::shell::OpenPath;

/// The longest ignore file that is looked into.
const LONGEST: u64 = 256 * 1024;
/// As many are told by their places; of more, each file is one that could lie anywhere below.
const MOST_PLACES: usize = 64;
/// As many are kept, of any place.
const MOST: usize = 4096;
const DEEPEST: usize = 64;
/// As many files are told apart that are written under other names.
const MOST_FILES: usize = 256;

/// How a search passes by names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HiddenNames {
    /// What it calls the files that may take some of them back in.
    pub(super) files: &'static [String],
    /// It goes into folders that git's own such files leave out, too.
    pub(super) unsparing: bool,
    /// It follows links.
    pub(super) follows: bool,
}

/// What a search shows of hidden names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownName {
    pub(crate) path: PathBuf,
    /// It is a file, so that nothing lies below it.
    pub(crate) file: bool,
}

/// All that it shows of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShownNames {
    pub(crate) names: Vec<ShownName>,
    /// Files that say so and whose names are not those that the program looks for: where links lead, what settings name, and
    /// these settings.
    pub(crate) files: Vec<PathBuf>,
}

/// What is there below `folder` and hidden, and taken back in by an ignore file in it, below it or above it, or by one of the
/// user's; none if that can't be told. Each such file counts, whichever comes before another to the program.
pub(super) fn shown_names(
    folder: &Path,
    cwd: Option<&Path>,
    hidden: HiddenNames,
    budget: &mut LookupBudget,
) -> Option<ShownNames> {
    let mut walk = IgnoreWalk {
        hidden,
        files: Vec::new(),
        left_out: Vec::new(),
        in_repository: false,
        found: ShownNames::default(),
        budget,
    };
    walk.read_files_of_user(&UserPlaces::find(cwd)?, cwd)?;
    let mut above: Vec<&Path> = folder.ancestors().skip(1).collect();
    above.reverse();
    for folder in above {
        walk.enter_folder(folder, |name| fs::symlink_metadata(folder.join(name)).is_ok())?;
    }
    walk.walk_folder(folder, 0)?;
    Some(walk.found)
}

/// Those that are told by their places, and the names of files that are too many for that: each could lie anywhere below
/// `folder`. None if there is too much of either.
pub(super) fn told_names<'f>(
    folder: &Path,
    found: &'f [ShownName],
) -> Option<(Vec<&'f Path>, Vec<OpenPath>)> {
    let many = found.len() > MOST_PLACES;
    // What lies right in the folder lies nowhere else, and a folder has more below it than its name.
    let alone = |name: &&ShownName| !many || !name.file || name.path.parent() == Some(folder);
    let (placed, others): (Vec<&ShownName>, Vec<&ShownName>) = found.iter().partition(alone);
    let names: BTreeSet<&OsStr> = others.iter().filter_map(|name| name.path.file_name()).collect();
    (placed.len() <= MOST_PLACES && names.len() <= MOST_PLACES).then_some(())?;
    let folder = format!("{}/", folder.to_str()?.trim_end_matches('/'));
    // Folders on the way are looked at by themselves: what is not hidden is gone through, and what is stands among the names.
    let open = |name: &OsStr| {
        let name = name.to_str()?;
        Some(OpenPath {
            given: format!("{folder}**/{name}"),
            pieces: vec![Some(folder.clone()), None, Some(format!("/{name}"))],
            slashes: true,
            stays_below: true,
            looked_up: true,
        })
    };
    let open: Option<Vec<OpenPath>> = names.into_iter().map(open).collect();
    Some((placed.into_iter().map(|name| name.path.as_path()).collect(), open?))
}

struct IgnoreWalk<'a> {
    hidden: HiddenNames,
    /// The rules of each file that takes something back in.
    files: Vec<Vec<IgnoreRule>>,
    /// Those that git goes by in the repository at hand.
    left_out: Vec<IgnoreRule>,
    in_repository: bool,
    found: ShownNames,
    budget: &'a mut LookupBudget,
}

/// What counts no more behind a folder.
struct Outside {
    files: usize,
    left_out: usize,
    /// What counted around a repository that begins there.
    around: Option<(Vec<IgnoreRule>, bool)>,
}

impl IgnoreWalk<'_> {
    fn goes_by_git(&self) -> bool {
        self.hidden.files.iter().any(|name| name == ".gitignore")
    }

    /// Files that count wherever a search starts: git's, those that its settings name, and the program's own.
    fn read_files_of_user(&mut self, places: &UserPlaces, cwd: Option<&Path>) -> Option<()> {
        let mut files: Vec<PathBuf> =
            self.hidden.files.iter().flat_map(|name| places.files_named(name)).collect();
        if self.goes_by_git() {
            files.extend(places.files_named("~/.config/git/ignore"));
            for settings in places.files_for_git() {
                self.note_file(&settings)?;
                let text = read_text(&settings)?.unwrap_or_default().text;
                for named in text.lines().filter_map(excludes_file) {
                    for named in places.in_homes(named) {
                        let file = counted_from(cwd, &named)?;
                        self.note_file(&file)?;
                        files.push(file);
                    }
                }
            }
        }
        for file in files {
            self.note_links(&file)?;
            let mut rules = read_text(&file)?.unwrap_or_default().rules("/");
            rules.iter_mut().for_each(IgnoreRule::unanchor);
            if rules.iter().any(IgnoreRule::is_negation) {
                self.files.push(rules);
            }
        }
        Some(())
    }

    /// Keeps where a file lies that counts under any name. None if there are too many.
    fn note_file(&mut self, file: &Path) -> Option<()> {
        self.note_links(file)?;
        self.found.files.extend(forms_of(file));
        (self.found.files.len() <= MOST_FILES).then_some(())
    }

    /// The same of where it leads, if it is a link.
    fn note_links(&mut self, file: &Path) -> Option<()> {
        self.found.files.extend(links_from(file));
        (self.found.files.len() <= MOST_FILES).then_some(())
    }

    /// Reads the files of one folder, of those that `has` says are there.
    fn enter_folder(&mut self, folder: &Path, has: impl Fn(&str) -> bool) -> Option<Outside> {
        let mut outside = Outside { files: self.files.len(), left_out: self.left_out.len(), around: None };
        if self.goes_by_git() && has(".git") {
            // What lies above a repository says nothing of what it leaves out.
            outside.around = Some((mem::take(&mut self.left_out), self.in_repository));
            self.in_repository = true;
            if let Some(git) = repository::git_folder_of(folder) {
                let common = repository::common_git_folder(&git).filter(|common| *common != git);
                for git in std::iter::once(git).chain(common) {
                    self.read_rules(&git.join("info/exclude"), folder, true)?;
                }
            }
        }
        for name in self.hidden.files.iter().filter(|name| has(name)) {
            self.read_rules(&folder.join(name), folder, name == ".gitignore")?;
        }
        Some(outside)
    }

    fn leave_folder(&mut self, outside: Outside) {
        self.files.truncate(outside.files);
        match outside.around {
            Some(around) => (self.left_out, self.in_repository) = around,
            None => self.left_out.truncate(outside.left_out),
        }
    }

    fn read_rules(&mut self, file: &Path, folder: &Path, of_git: bool) -> Option<()> {
        self.note_links(file)?;
        let Some(text) = read_text(file)? else { return Some(()) };
        let rules = text.rules(&format!("{}/", folder.to_string_lossy().trim_end_matches('/')));
        if of_git && self.in_repository && !text.doubtful {
            self.left_out.extend(rules.iter().cloned());
        }
        if rules.iter().any(IgnoreRule::is_negation) {
            self.files.push(rules);
        }
        Some(())
    }

    /// None once there is too much.
    fn walk_folder(&mut self, folder: &Path, depth: usize) -> Option<()> {
        (depth <= DEEPEST).then_some(())?;
        // What can't be opened can't be read by the command either.
        let Ok(entries) = fs::read_dir(folder) else { return Some(()) };
        let mut kept = Vec::new();
        for entry in entries.flatten() {
            self.budget.spend_name()?;
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_dir() || name.as_encoded_bytes().starts_with(b".") {
                kept.push((name, kind));
            }
        }
        let outside = self.enter_folder(folder, |name| kept.iter().any(|(own, _)| own == name))?;
        for (name, kind) in &kept {
            self.walk_entry(&folder.join(name), *kind, depth)?;
        }
        self.leave_folder(outside);
        Some(())
    }

    fn walk_entry(&mut self, path: &Path, kind: FileType, depth: usize) -> Option<()> {
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if kind.is_symlink() && !self.hidden.follows || is_hidden && self.files.is_empty() {
            return Some(());
        }
        let text = path.to_string_lossy();
        let taken_in = self.files.iter().any(|rules| takes_in(rules, &text, kind.is_dir()));
        if is_hidden {
            if !taken_in {
                return Some(());
            }
            (self.found.names.len() < MOST).then_some(())?;
            self.found.names.push(ShownName { path: path.to_owned(), file: kind.is_file() });
        }
        let spared = !self.hidden.unsparing && !taken_in && is_ignored(&self.left_out, &text, true);
        if kind.is_dir() && !spared { self.walk_folder(path, depth + 1) } else { Some(()) }
    }
}

/// What an ignore file holds.
#[derive(Default)]
struct IgnoreText {
    text: String,
    /// Programs differ in what they take of it: some stop at what is no UTF-8, and to some a mark at its begin is part of the
    /// first line. So it leaves nothing out.
    doubtful: bool,
}

impl IgnoreText {
    /// Here anything blank at the end of a line counts for nothing, and not a space alone.
    fn rules(&self, base: &str) -> Vec<IgnoreRule> {
        let lines: Vec<&str> = self.text.lines().map(str::trim_end).collect();
        let mut rules: Vec<IgnoreRule> = parse_rules(&lines.join("\n"), base).collect();
        if self.doubtful {
            rules.retain(IgnoreRule::is_negation);
        }
        rules
    }
}

/// The text of a file; none if it is too long, or none at all. What is no file, or can't be read, says nothing to the program
/// either.
#[expect(clippy::option_option, reason = "a file that says nothing is no file that is not looked into")]
fn read_text(file: &Path) -> Option<Option<IgnoreText>> {
    let Ok(meta) = fs::metadata(file) else { return Some(None) };
    (meta.is_file() && meta.len() <= LONGEST).then_some(())?;
    Some(fs::read(file).ok().map(|bytes| match String::from_utf8(bytes) {
        Ok(text) => IgnoreText { doubtful: text.starts_with('\u{feff}'), text },
        Err(error) => {
            IgnoreText { text: String::from_utf8_lossy(error.as_bytes()).into_owned(), doubtful: true }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LineLookups;

    fn write_file(file: &Path, text: &str) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn paths(found: &[ShownName]) -> Vec<&Path> {
        found.iter().map(|name| name.path.as_path()).collect()
    }

    fn rg() -> HiddenNames {
        let files: &'static [String] =
            Box::leak(Box::new([".ignore", "~/.config/fd/ignore", ".gitignore"].map(str::to_owned)));
        HiddenNames { files, unsparing: false, follows: false }
    }

    /// Attack 612: files of the user's count as well.
    #[test]
    fn given_an_ignore_file_of_the_user_then_it_takes_names_in_everywhere() {
        for (file, text) in [
            (".config/git/ignore", "!.env"),
            (".config/git/ignore", "/sub/.env\n!/sub/.env"),
            (".config/fd/ignore", "!.en*"),
            ("own", "!.env"),
        ] {
            let top = tempfile::tempdir().unwrap();
            let (home, root) = (top.path().join("h"), top.path().join("w"));
            write_file(&root.join("sub/.env"), "KEY");
            write_file(&home.join(".gitconfig"), "[core]\n\tExcludesFile = \"~/own\"\n");
            write_file(&home.join(file), text);
            let mut budget = LineLookups::default().walk_budget();
            let mut walk = IgnoreWalk {
                hidden: rg(),
                files: Vec::new(),
                left_out: Vec::new(),
                in_repository: false,
                found: ShownNames::default(),
                budget: &mut budget,
            };
            walk.read_files_of_user(&UserPlaces::of_home(&home), None).unwrap();
            walk.walk_folder(&root, 0).unwrap();
            assert_eq!(paths(&walk.found.names), [root.join("sub/.env")], "{file}: {text}");
        }
    }

    /// The same where the environment says that such files lie elsewhere. Attack 672.
    #[test]
    fn given_another_folder_for_settings_then_ignore_files_there_count() {
        use crate::home::told;
        for (file, text) in [
            ("x/git/ignore", "!.env"),
            ("x/fd/ignore", "!.env"),
            ("x/git/config", "[core] \n excludesfile = own\n"),
            ("git", "[core] \n excludesfile = ~/no\n excludesfile = own\n"),
        ] {
            let top = tempfile::tempdir().unwrap();
            let root = top.path().join("w");
            write_file(&root.join(".env"), "KEY");
            write_file(&root.join("own"), "!.env");
            told::set("XDG_CONFIG_HOME", top.path().join("x"));
            told::set("GIT_CONFIG_GLOBAL", top.path().join("git"));
            let look = || shown_names(&root, Some(&root), rg(), &mut LineLookups::default().walk_budget());
            assert_eq!(look().map(|found| found.names), Some(Vec::new()));
            write_file(&top.path().join(file), text);
            let found = look().unwrap();
            assert_eq!(paths(&found.names), [root.join(".env")], "{file}");
            assert_eq!(found.files.contains(&root.join("own")), text.contains("own"), "{file}");
        }
    }

    /// The same where it names another home folder than the user's. Attack 707.
    #[test]
    fn given_another_home_folder_in_the_environment_then_settings_there_count() {
        use crate::home::told;
        for (file, text) in
            [(".config/git/ignore", "!.env"), (".gitconfig", "[core] \n excludesfile = ~/own\n")]
        {
            let top = tempfile::tempdir().unwrap();
            let root = top.path().join("w");
            write_file(&root.join(".env"), "KEY");
            write_file(&top.path().join("own"), "!.env");
            let look = || shown_names(&root, Some(&root), rg(), &mut LineLookups::default().walk_budget());
            assert_eq!(look().map(|found| found.names), Some(Vec::new()));
            told::set("HOME", top.path());
            write_file(&top.path().join(file), text);
            assert_eq!(paths(&look().unwrap().names), [root.join(".env")], "{file}");
            told::set("HOME", "");
        }
    }

    /// What is left out in one repository says nothing of the next one, nor of what lies beside it.
    #[test]
    fn given_repositories_in_one_another_then_each_has_rules_of_its_own() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path();
        for (file, text) in [
            (".git/HEAD", ""),
            (".gitignore", "out\n"),
            (".ignore", "!.env\n"),
            ("out/.env", ""),
            ("in/.git/HEAD", ""),
            ("in/.gitignore", "mine\n"),
            ("in/out/.env", ""),
            ("in/mine/.env", ""),
            ("j/mine/.env", ""),
            ("j/out/.env", ""),
        ] {
            write_file(&root.join(file), text);
        }
        let mut found =
            shown_names(root, None, rg(), &mut LineLookups::default().walk_budget()).unwrap().names;
        found.sort_by(|a, b| a.path.cmp(&b.path));
        assert_eq!(paths(&found), ["in/out/.env", "j/mine/.env"].map(|name| root.join(name)));
    }

    /// D2.11: a tree of more names than other look-ups may go through is gone through, and a very large one is not.
    #[test]
    fn given_many_names_then_a_walk_ends_by_itself() {
        let top = tempfile::tempdir().unwrap();
        for folder in 0..30 {
            let folder = top.path().join(format!("d{folder}"));
            fs::create_dir(&folder).unwrap();
            for name in 0..1000 {
                fs::File::create(folder.join(format!("n{name}"))).unwrap();
            }
        }
        let looked = LineLookups::default();
        let names = |looked: &LineLookups| shown_names(top.path(), None, rg(), &mut looked.walk_budget());
        assert_eq!(names(&looked).map(|found| found.names), Some(Vec::new()));
        let walks = (0..20).filter(|_| names(&looked).is_some());
        assert!(walks.count() < 20);
        assert!(looked.budget().spend_name().is_some());
    }

    #[test]
    fn given_more_names_than_places_then_each_could_lie_anywhere() {
        let name = |path: String, file| ShownName { path: path.into(), file };
        let many = |names: &[&str], file| -> Vec<ShownName> {
            (0..70).map(|at| name(format!("/w/{at}/{}", names[at % names.len()]), file)).collect()
        };
        let told = |found: &[ShownName]| -> Option<(usize, Vec<String>)> {
            let (placed, open) = told_names(Path::new("/w"), found)?;
            Some((placed.len(), open.into_iter().map(|open| open.given).collect()))
        };
        assert_eq!(told(&many(&[".a"], true)[..64]), Some((64, Vec::new())));
        let mut two = many(&[".b", ".a"], true);
        two.extend([name("/w/.c".into(), true), name("/w/x/.d".into(), false)]);
        assert_eq!(told(&two), Some((2, vec!["/w/**/.a".into(), "/w/**/.b".into()])));
        assert_eq!(told(&many(&[".a"], false)), None);
        let all: Vec<ShownName> = (0..70).map(|at| name(format!("/w/x/.{at}"), true)).collect();
        assert_eq!(told(&all), None);
    }
}
