//! What the files of a git folder lead to: links among them, and other folders that they name.
//!
//! Git opens dozens of files there by itself, whatever it is told, and prints the lines that it does not understand. Who
//! made the folder decides what these files are: so all that lies below it is looked at, but for what git does not open by
//! a fixed name. Where a link or a pointer leads, git reads.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::analyzer::CommandAnalyzer;
use super::form::CommandForm;
use super::repository::{RepositoryLook, entry_exists, read_small_file};
use super::scan::Scan;
use super::user_settings::git_settings;
use crate::resolve_path;
use crate::shell::{Reach, Use, Word};

/// As many names are looked at: some repositories have tens of thousands of branches.
const MOST_NAMES: usize = 100_000;
/// As many folders.
const MOST_FOLDERS: usize = 5_000;
/// As many things that something leads to.
const MOST_LEADS: usize = 128;

/// What files of git folders lead to.
#[derive(Debug, Default)]
pub(super) struct GitFiles {
    /// The links, and what pointers name, by their whole names.
    leads: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
    names: usize,
    /// There is more than can be looked at, or something that is not understood.
    lost: bool,
}

/// Whether the repository that a git command finds names no program to run; where its files lead is noted as read.
pub(super) fn look_at_repository(judge: &mut CommandAnalyzer<'_>) -> bool {
    if let Some(harmless) = judge.repository {
        return harmless;
    }
    let harmless = find_repository(judge).is_some_and(|look| note_files(judge, &look));
    judge.repository = Some(harmless);
    harmless
}

/// The same for the repositories above, where an option has git look into them.
pub(super) fn look_above(judge: &mut CommandAnalyzer<'_>) -> bool {
    if !looks_above(judge.words) {
        return true;
    }
    let above = folder_of_words(judge).and_then(|(cwd, _)| folders_above(&cwd));
    above.is_some_and(|above| {
        above.iter().all(|folder| {
            judge.command.repositories.look(folder, None).is_some_and(|look| note_files(judge, &look))
        })
    })
}

/// As many folders above one are looked at.
const MAX_ABOVE: usize = 64;

/// Options with which git looks into the repository above the one at hand, and so obeys the configuration of that.
const LOOK_ABOVE: &[&str] = &["--show-superproject-working-tree"];

/// Whether a git command of these words looks into the repository above, too.
pub(in crate::shell) fn looks_above(words: &[Word]) -> bool {
    words.iter().any(|word| word.literal().is_some_and(|text| LOOK_ABOVE.contains(&text)))
}

/// The folders from which git looks for the repository above one: those that hold what could be a repository around `cwd`.
/// None if they are too many.
fn folders_above(cwd: &Path) -> Option<Vec<PathBuf>> {
    let could_be_one = |folder: &&Path| [".git", "HEAD"].iter().any(|name| entry_exists(&folder.join(name)));
    let above = cwd.ancestors().take(MAX_ABOVE).filter(could_be_one).filter_map(Path::parent);
    cwd.ancestors().nth(MAX_ABOVE).is_none().then(|| above.map(Path::to_owned).collect())
}

/// Notes where the files of a repository lead as read; says whether it names no program to run.
fn note_files(judge: &mut CommandAnalyzer<'_>, look: &RepositoryLook) -> bool {
    let RepositoryLook { files, harmless, .. } = look;
    for lead in &files.leads {
        judge.places.add_linked_path(lead, Use::Read, Reach::Itself);
    }
    if files.lost {
        judge.places.add_unknown_path(Use::Read);
    }
    *harmless && !files.lost
}

/// Whether a command without options of its own shows names alone: no configuration has the key by which it shows more, and no
/// word brings another one. Keys of the repository's that are not known to be harmless could be that.
pub(super) fn shows_no_patch(judge: &CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) -> bool {
    let own = scan.options.is_empty() && scan.unknown.is_empty() && scan.swallowed.is_empty();
    if !own || judge.repository != Some(true) {
        return false;
    }
    let brings = |word: &str| {
        word.starts_with('-') && !matches!(word, "--no-pager" | "-P" | "-C" | "--")
            || word.to_ascii_lowercase().contains(&form.patch_by)
    };
    if judge.words.iter().any(|word| word.literal().is_none_or(brings)) {
        return false;
    }
    let Some(settings) = git_settings(judge.command.cwd) else { return false };
    // An earlier command of the line may have written a file that only settings name.
    !(settings.elsewhere && judge.command.made)
        && settings.texts.iter().all(|text| !text.to_ascii_lowercase().contains(&form.patch_by))
}

/// What is where the words say.
fn find_repository(judge: &CommandAnalyzer<'_>) -> Option<Rc<RepositoryLook>> {
    let (cwd, named) = folder_of_words(judge)?;
    judge.command.repositories.look(&cwd, named.as_deref())
}

/// The folder that git works in, in which links are followed: that at hand, or `-C` another; and a git folder that is named.
fn folder_of_words(judge: &CommandAnalyzer<'_>) -> Option<(PathBuf, Option<PathBuf>)> {
    let mut words = judge.words.iter().map(Word::literal);
    words.by_ref().find(|word| word.is_some_and(|word| word.rsplit('/').next() == Some("git")))?;
    let mut cwd = judge.command.cwd?.to_owned();
    let mut named = None;
    while let Some(Some(word)) = words.next() {
        match word {
            "-C" => cwd.push(words.next()??),
            "-c" | "--config-env" | "--namespace" | "--work-tree" | "--super-prefix" => drop(words.next()),
            "--git-dir" => named = words.next()?,
            _ if word.starts_with('-') => named = word.strip_prefix("--git-dir=").or(named),
            _ => break,
        }
    }
    let named = named.map(|named| cwd.join(named));
    Some((judge.command.looked.resolved_folder(&cwd)?, named))
}

/// What a folder is to git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A git folder itself.
    Git,
    /// Several of them: of sub-modules, of work trees.
    Several,
    /// One with objects.
    Objects,
    /// Any other below it.
    Inner,
}

impl Kind {
    /// What a folder of this name in it is; none if git opens nothing in it that could be shown.
    fn inner(self, name: &str) -> Option<Self> {
        match (self, name) {
            // What hooks do is another question, and the rest belongs to other programs.
            (Self::Git, "hooks" | "lfs" | "annex") => None,
            (Self::Git, "modules" | "worktrees") => Some(Self::Several),
            (Self::Git, "objects") => Some(Self::Objects),
            (Self::Several, _) => Some(Self::Git),
            // Links in these lead to objects again, and who can name one of those knows what it holds.
            (Self::Objects, name) if name.len() == 2 && name.bytes().all(|b| b.is_ascii_hexdigit()) => None,
            _ => Some(Self::Inner),
        }
    }
}

impl GitFiles {
    /// So many names were gone through.
    pub(super) fn names(&self) -> usize {
        self.names
    }

    #[cfg(test)]
    pub(super) fn count_names(&mut self, more: usize) {
        self.names += more;
    }

    fn add_lead(&mut self, path: PathBuf) {
        if self.leads.len() >= MOST_LEADS {
            self.lost = true;
        } else if !self.leads.contains(&path) {
            self.leads.push(path);
        }
    }

    /// All that lies below a git folder.
    pub(super) fn add_git_folder(&mut self, git: &Path) {
        self.add_folder(git, Kind::Git, false);
    }

    /// The git folder of a work tree, which `dot` is or names if it has one, and the folder that it shares with others.
    ///
    /// They count as what is read, but where they say themselves that they belong to just this work tree: nobody who
    /// makes up a work tree can write that there.
    pub(super) fn add_pointers(&mut self, dot: Option<&Path>, git: &Path, common: Option<&Path>) {
        let named = dot.filter(|dot| !fs::symlink_metadata(dot).is_ok_and(|meta| meta.is_dir()));
        let own = named.and_then(|dot| belongs_to(git, dot));
        if let Some(dot) = named
            && own.is_none()
        {
            self.add_lead(if dot.is_dir() { dot.to_owned() } else { git.to_owned() });
        }
        if let Some(common) = common.filter(|common| *common != git)
            && !own.is_some_and(|own| resolve_path(common).is_ok_and(|common| common == own))
        {
            self.add_lead(common.to_owned());
        }
    }

    fn add_folder(&mut self, folder: &Path, kind: Kind, linked: bool) {
        match resolve_path(folder) {
            Ok(real) => self.add_real_folder(folder, &real, kind, linked),
            Err(_) => self.lost = true,
        }
    }

    /// A folder of which it is known where links on the way lead.
    fn add_real_folder(&mut self, folder: &Path, real: &Path, kind: Kind, linked: bool) {
        if !self.seen.insert(real.to_owned()) {
            return;
        }
        if self.seen.len() > MOST_FOLDERS {
            self.lost = true;
        }
        if kind == Kind::Objects {
            self.add_alternates(folder);
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(_) => {
                self.lost |= folder.is_dir();
                return;
            }
        };
        for entry in entries {
            self.names += 1;
            self.lost |= self.names > MOST_NAMES;
            let Ok((entry, found)) = entry.and_then(|entry| entry.file_type().map(|found| (entry, found)))
            else {
                self.lost = true;
                return;
            };
            if self.lost {
                return;
            }
            let name = entry.file_name();
            let below = kind.inner(&name.to_string_lossy());
            if found.is_dir() {
                if let Some(below) = below {
                    self.add_real_folder(&entry.path(), &real.join(&name), below, linked);
                }
                continue;
            }
            // A link to a folder of objects leads to objects.
            if found.is_symlink() && (below.is_some() || kind == Kind::Objects) {
                self.add_link(&entry.path(), below);
            } else if linked && below.is_some() {
                self.add_lead(entry.path());
            }
        }
    }

    /// A link is read as what it leads to, and so is what lies there.
    fn add_link(&mut self, link: &Path, kind: Option<Kind>) {
        self.add_lead(link.to_owned());
        if let Some(kind) = kind
            && link.is_dir()
        {
            self.add_folder(link, kind, true);
        }
    }

    /// Other folders whose objects count as well.
    fn add_alternates(&mut self, objects: &Path) {
        let file = objects.join("info/alternates");
        if !entry_exists(&file) {
            return;
        }
        let Some(text) = read_small_file(&file) else {
            self.lost = true;
            return;
        };
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            // In quotes, characters stand for others.
            if line.starts_with('"') || self.lost {
                self.lost = true;
                return;
            }
            let other = objects.join(line);
            self.add_lead(other.clone());
            if other.is_dir() {
                self.add_folder(&other, Kind::Objects, false);
            }
        }
    }
}

/// The folder that is shared, if a git folder says that the work tree with this `.git` belongs to it: a further work tree of
/// a repository, or a sub-module.
fn belongs_to(git: &Path, dot: &Path) -> Option<PathBuf> {
    let git = resolve_path(git).ok()?;
    let same = |one: &Path, other: &Path| {
        one.parent().and_then(|one| resolve_path(one).ok()) == Some(other.to_owned()) && other.is_absolute()
    };
    let top = resolve_path(dot.parent()?).ok()?;
    if let Some(text) = read_small_file(&git.join("gitdir")) {
        let back = git.join(text.trim_end_matches(['\n', '\r']));
        let worktrees = git.parent().filter(|folder| folder.ends_with("worktrees"))?;
        return (back.ends_with(".git") && same(&back, &top))
            .then(|| worktrees.parent().map(Path::to_owned))?;
    }
    let config = read_small_file(&git.join("config"))?;
    let mut named = config.lines().filter_map(|line| {
        let value = line.trim().strip_prefix("worktree")?.trim_start().strip_prefix('=')?;
        resolve_path(&git.join(value.trim())).ok()
    });
    named.next_back().filter(|named| *named == top).map(|_| git)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::repository::look_around;
    use super::*;

    fn repository(at: &Path) {
        for folder in
            ["objects/info", "objects/pack", "objects/ab", "refs/heads", "info", "logs/refs", "hooks"]
        {
            fs::create_dir_all(at.join(folder)).unwrap();
        }
        fs::write(at.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(at.join("config"), "[core]\n\tbare = false\n").unwrap();
    }

    /// A workspace with a repository, and another repository beside it.
    fn scene() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        repository(&top.join("w/.git"));
        repository(&top.join("other/.git"));
        fs::write(top.join("key"), "KEY\n").unwrap();
        (dir, top)
    }

    fn leads(at: &Path) -> Vec<PathBuf> {
        let look = look_around(at);
        assert!(!look.files.lost, "{look:?}");
        look.files.leads.iter().map(|path| resolve_path(path).unwrap()).collect()
    }

    /// D2.30: every name that git could open. Attack 76.
    #[test]
    fn given_a_link_among_the_files_of_a_git_folder_then_it_leads_where_it_leads() {
        for name in [
            "HEAD",
            "packed-refs",
            "shallow",
            "info/grafts",
            "info/exclude",
            "objects/info/alternates",
            "objects/info/packs",
            "objects/pack/x.pack",
            "refs/heads/x",
            "logs/HEAD",
            "logs/refs/x",
            "ORIG_HEAD",
            "rebase-merge/done",
            "rebase-apply/head-name",
            "BISECT_START",
            "sequencer/todo",
            "some/new/file",
            "worktrees/x/gitdir",
            "modules/x/packed-refs",
            "rr-cache/ab/preimage",
        ] {
            let (_dir, top) = scene();
            let link = top.join("w/.git").join(name);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&link);
            symlink(top.join("key"), &link).unwrap();
            assert!(leads(&top.join("w")).contains(&top.join("key")), "{name}");
        }
        for name in ["hooks/pre-commit", "lfs/objects/x", "hooks"] {
            let (_dir, top) = scene();
            let link = top.join("w/.git").join(name);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            let _ = fs::remove_dir(&link);
            symlink(top.join("key"), &link).unwrap();
            assert_eq!(leads(&top.join("w")), Vec::<PathBuf>::new(), "{name}");
        }
    }

    /// The same for folders that it takes for its own. Attack 76.
    #[test]
    fn given_a_git_folder_that_names_another_then_that_is_read_unless_it_names_this_one() {
        let (_dir, top) = scene();
        let other = top.join("other/.git");
        let (work, git) = (top.join("w"), top.join("w/.git"));
        assert_eq!(leads(&work), Vec::<PathBuf>::new());
        fs::write(git.join("objects/info/alternates"), "# x\n../../../other/.git/objects\n").unwrap();
        assert_eq!(leads(&work), [other.join("objects")]);
        // And so on from there.
        fs::write(other.join("objects/info/alternates"), format!("{}\n", top.join("third").display()))
            .unwrap();
        assert_eq!(leads(&work), [other.join("objects"), top.join("third")]);
        fs::remove_file(git.join("objects/info/alternates")).unwrap();
        fs::write(git.join("commondir"), "../../other/.git\n").unwrap();
        assert!(leads(&work).contains(&other));
        fs::remove_dir_all(&git).unwrap();
        symlink("../other/.git", &git).unwrap();
        assert!(leads(&work).contains(&other));
        fs::remove_file(&git).unwrap();
        fs::write(&git, "gitdir: ../other/.git\n").unwrap();
        assert!(leads(&work).contains(&other));
        // A sub-module.
        fs::remove_file(other.join("objects/info/alternates")).unwrap();
        fs::write(other.join("config"), "[core]\n\tworktree = ../../w\n").unwrap();
        assert_eq!(leads(&work), Vec::<PathBuf>::new());
        fs::write(other.join("config"), "[core]\n\tworktree = ../../x\n").unwrap();
        assert_eq!(leads(&work), std::slice::from_ref(&other));
        // A further work tree.
        let tree = other.join("worktrees/w");
        fs::create_dir_all(&tree).unwrap();
        fs::write(tree.join("commondir"), "../..\n").unwrap();
        fs::write(tree.join("HEAD"), "ref: refs/heads/w\n").unwrap();
        fs::write(&git, format!("gitdir: {}\n", tree.display())).unwrap();
        fs::write(tree.join("gitdir"), format!("{}\n", git.display())).unwrap();
        assert_eq!(leads(&work), Vec::<PathBuf>::new());
        fs::write(tree.join("gitdir"), format!("{}\n", top.join("x/.git").display())).unwrap();
        assert!(
            leads(&work).contains(&tree)
                && leads(&work).contains(&tree.join("../..").canonicalize().unwrap())
        );
    }
}
