//! Whether a repository's configuration names a program that a reading `git` command would run.
//!
//! Only keys that are listed as harmless pass (`harmless-git-keys` in the table): a key that is not
//! known, an include, a line that is not understood, a file too big to look into are reasons to say
//! no. The user's own and the system's configuration are not the repository's.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::git_files::GitFiles;
use super::gitlinks::gitlink_paths;
use super::table::NameLists;

/// The longest configuration that is looked into.
const LONGEST: u64 = 256 * 1024;
/// The longest index.
const LONGEST_INDEX: u64 = 64 * 1024 * 1024;
/// As many folders upwards, and as many sub-modules.
const MOST: usize = 64;

/// What is around a folder, in which links are followed: git goes up from where they led.
#[derive(Debug)]
pub(super) struct RepositoryLook {
    /// Git finds nothing to run.
    pub(super) harmless: bool,
    /// What its files lead to.
    pub(super) files: GitFiles,
    /// As many sub-modules may still be looked into.
    left: usize,
}

/// Whether `git` finds nothing to run in the repository around `cwd`, and what it reads elsewhere.
///
/// Which folder git takes for the repository hangs on details of what is in it, so everything that
/// could be one counts, up to one that certainly is.
pub(super) fn look_around(cwd: &Path) -> RepositoryLook {
    let mut look = RepositoryLook { harmless: true, files: GitFiles::default(), left: MOST };
    // One path for all the looks that are taken: most find nothing.
    let mut name = cwd.join(".git");
    for folder in cwd.ancestors().take(MOST) {
        let mut has = |wanted: &str| {
            folder.clone_into(&mut name);
            name.push(wanted);
            entry_exists(&name)
        };
        if has(".git") {
            let dot = folder.join(".git");
            let Some(git) = git_folder(folder, &dot) else {
                look.harmless = false;
                return look;
            };
            look.add_git_folder(&git, folder, Some(&dot));
            if is_certain_git_folder(&git) {
                return look;
            }
        }
        // A folder that is a repository by itself.
        if has("HEAD") && (has("objects") || has("commondir")) {
            look.add_git_folder(folder, folder, None);
            if is_certain_git_folder(folder) {
                return look;
            }
        }
    }
    // Further up, git still looks.
    look.harmless &= cwd.ancestors().nth(MOST).is_none();
    look
}

/// Whether git takes this folder's `.git` for its repository, whatever else is in the folder.
pub(in crate::shell) fn is_repository(folder: &Path) -> bool {
    entry_exists(&folder.join(".git"))
}

/// Whether something has that name, be it a link to nowhere.
pub(super) fn entry_exists(path: &Path) -> bool {
    let gone = |kind: ErrorKind| matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory);
    !fs::symlink_metadata(path).is_err_and(|error| gone(error.kind()))
}

/// Whether git takes this for a repository and looks no further up, without any doubt.
fn is_certain_git_folder(git: &Path) -> bool {
    let head = git.join("HEAD");
    let text =
        fs::symlink_metadata(&head).ok().filter(fs::Metadata::is_file).and_then(|_| read_small_file(&head));
    let named = text.is_some_and(|text| match text.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.trim_end().bytes().all(|b| b.is_ascii_graphic()),
        None => text.trim_end().len() >= 40 && text.trim_end().bytes().all(|b| b.is_ascii_hexdigit()),
    });
    // With a dot behind it, a folder counts only if it can be gone into.
    let folder = |common: &Path, name: &str| fs::metadata(common.join(name).join(".")).is_ok();
    named
        && common_git_folder(git).is_some_and(|common| folder(&common, "objects") && folder(&common, "refs"))
}

/// The top of the working tree around `cwd`.
pub(super) fn work_tree_top(cwd: &Path) -> Option<PathBuf> {
    let has = |folder: &&Path| fs::symlink_metadata(folder.join(".git")).is_ok();
    cwd.ancestors().take(MOST).find(has).map(Path::to_owned)
}

/// Whether the repository around `cwd` may know a commit by this name: git takes it before a file of the name.
pub(super) fn may_know(cwd: &Path, name: &str) -> bool {
    let Some(top) = work_tree_top(cwd) else { return false };
    let Some(git) = git_folder(&top, &top.join(".git")) else { return true };
    let Some(common) = common_git_folder(&git) else { return true };
    let hash = name.len() >= 4 && name.bytes().all(|b| b.is_ascii_hexdigit());
    let under = |folder: PathBuf| entry_exists(&folder.join(name));
    let remotes = fs::read_dir(common.join("refs/remotes")).into_iter().flatten().flatten();
    let packed = common.join("packed-refs");
    hash || entry_exists(&common.join("reftable"))
        || ["", "refs", "refs/heads", "refs/tags", "refs/remotes"].iter().any(|at| under(common.join(at)))
        || under(git)
        || remotes.map(|remote| remote.path()).any(under)
        || entry_exists(&packed)
            && fs::read_to_string(&packed)
                .map_or(true, |text| text.lines().any(|line| line.ends_with(&format!("/{name}"))))
}

/// The git folder of the working tree with this top.
pub(super) fn git_folder_of(top: &Path) -> Option<PathBuf> {
    let dot = top.join(".git");
    entry_exists(&dot).then(|| git_folder(top, &dot)).flatten()
}

/// The git folder that `.git` is or names.
fn git_folder(folder: &Path, dot: &Path) -> Option<PathBuf> {
    if dot.is_dir() {
        return Some(dot.to_owned());
    }
    let text = read_small_file(dot)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    (!target.contains('\n')).then(|| folder.join(target))
}

/// The folder that a git folder shares with other work trees, mostly itself.
pub(super) fn common_git_folder(git: &Path) -> Option<PathBuf> {
    let file = git.join("commondir");
    if !entry_exists(&file) {
        return Some(git.to_owned());
    }
    Some(git.join(read_small_file(&file)?.trim_end_matches(['\n', '\r'])))
}

impl RepositoryLook {
    /// Looks at a git folder, which `dot` is or names if there is a work tree, and at those of its sub-modules.
    pub(super) fn add_git_folder(&mut self, git: &Path, work_tree: &Path, dot: Option<&Path>) {
        let common = common_git_folder(git);
        self.files.add_pointers(dot, git, common.as_deref());
        self.files.add_git_folder(git);
        let Some(common) = common else {
            self.harmless = false;
            return;
        };
        // Where it shares a folder, its own files count as well, in case it does not count as the one that is shared.
        let own = (common != git).then_some(git);
        let folders = || own.into_iter().chain([common.as_path()]);
        if own.is_some() {
            self.files.add_git_folder(&common);
        }
        let mut files: Vec<PathBuf> =
            folders().flat_map(|folder| [folder.join("config"), folder.join("config.worktree")]).collect();
        self.harmless &= add_submodule_configs(&common.join("modules"), &mut files);
        // `git status` writes the index anew, and this hook is told.
        let hook = |folder: &Path| folder.join("hooks/post-index-change").exists();
        self.harmless &= !folders().any(hook) && files.iter().all(|file| has_harmless_keys(file));
        match submodule_paths(git) {
            Some(inner) => inner.iter().for_each(|sub| self.add_submodule(&work_tree.join(sub))),
            None => self.harmless = false,
        }
    }

    /// The work tree of a sub-module. Where nothing was checked out, git does not look.
    fn add_submodule(&mut self, work_tree: &Path) {
        let dot = work_tree.join(".git");
        if !entry_exists(&dot) {
            return;
        }
        match (self.left.checked_sub(1), git_folder(work_tree, &dot)) {
            (Some(left), Some(git)) => {
                self.left = left;
                self.add_git_folder(&git, work_tree, Some(&dot));
            }
            _ => self.harmless = false,
        }
    }
}

/// The sub-modules that the index names.
fn submodule_paths(git: &Path) -> Option<Vec<String>> {
    let file = git.join("index");
    if !entry_exists(&file) {
        return Some(Vec::new());
    }
    let meta = fs::metadata(&file).ok()?;
    let bytes = (meta.is_file() && meta.len() <= LONGEST_INDEX).then(|| fs::read(&file).ok())??;
    // A new one has nothing in it.
    if bytes.is_empty() { Some(Vec::new()) } else { gitlink_paths(&bytes) }
}

/// The configurations of sub-modules: commands look into these too.
fn add_submodule_configs(folder: &Path, files: &mut Vec<PathBuf>) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return !entry_exists(folder) };
    for entry in entries.flatten() {
        let git = entry.path();
        if files.len() > MOST || !git.join("HEAD").exists() {
            // Names with `/` nest; that is rare enough to ask.
            return false;
        }
        files.push(git.join("config"));
        files.push(git.join("config.worktree"));
    }
    true
}

/// The text of a small file; none if there is none or it is no small text.
pub(super) fn read_small_file(file: &Path) -> Option<String> {
    let meta = fs::metadata(file).ok()?;
    (meta.is_file() && meta.len() <= LONGEST).then(|| fs::read_to_string(file).ok())?
}

/// Whether a configuration has only harmless keys; also if it is not there.
fn has_harmless_keys(file: &Path) -> bool {
    if fs::symlink_metadata(file).is_err() {
        return true;
    }
    read_small_file(file)
        .is_some_and(|text| parse_config_keys(&text).is_some_and(|keys| keys.iter().all(harmless_key)))
}

/// Whether `user.name` or `branch.main.merge` names no program, and holds no secret.
pub(super) fn is_harmless(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let Some((section, rest)) = key.split_once('.') else { return false };
    let (sub, name) = rest.rsplit_once('.').map_or((false, rest), |(_, name)| (true, name));
    harmless_key(&(section.to_owned(), sub, name.to_owned()))
}

/// `core.bare`, `remote.*.url`: `section.key`, or `section.*.key` for any sub-section; `*` is any key.
fn harmless_key((section, sub, key): &(String, bool, String)) -> bool {
    let section = if *sub { format!("{section}.*") } else { section.clone() };
    let known = &NameLists::get().harmless_keys;
    known.contains(&format!("{section}.{key}")) || known.contains(&format!("{section}.*"))
}

/// The keys of a configuration in lower case: section, whether it has a sub-section, name. None if a
/// line is not understood.
fn parse_config_keys(text: &str) -> Option<Vec<(String, bool, String)>> {
    let mut keys = Vec::new();
    let mut section: Option<(String, bool)> = None;
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    while let Some(line) = lines.next() {
        let mut rest = line.trim();
        if let Some(header) = rest.strip_prefix('[') {
            let (found, behind) = section_header(header)?;
            section = Some(found);
            rest = behind.trim();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        let (name, value) = rest.split_at_checked(end)?;
        let value = value.trim_start();
        let sound = value.is_empty() || value.starts_with(['=', '#', ';']);
        if name.is_empty() || !sound {
            return None;
        }
        let (first, sub) = section.clone()?;
        keys.push((first, sub, name.to_ascii_lowercase()));
        // A value goes on in the next line; where quotes and comments make that unclear, no key of
        // the next line may be missed, so it is looked at as one too.
        let mut value = value;
        while value.trim_end_matches('\r').ends_with('\\') {
            value = lines.next()?;
            if value.contains(['=', '[']) {
                return None;
            }
        }
    }
    Some(keys)
}

/// `core]`, `remote "origin"]`, `branch.main]`: and what is behind it.
fn section_header(header: &str) -> Option<((String, bool), &str)> {
    let end = header.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.')?;
    let (name, rest) = header.split_at_checked(end)?;
    let name = name.to_ascii_lowercase();
    if let Some(behind) = rest.strip_prefix(']') {
        return Some(match name.split_once('.') {
            Some((section, _)) => ((section.to_owned(), true), behind),
            None => ((name, false), behind),
        });
    }
    let mut inside = rest.trim_start().strip_prefix('"')?.char_indices();
    let quoted = rest.trim_start().strip_prefix('"')?;
    while let Some((at, c)) = inside.next() {
        match c {
            '\\' => {
                inside.next()?;
            }
            '"' => return Some(((name, true), quoted.get(at + 1..)?.strip_prefix(']')?)),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::shell::program::gitlinks::tests::build_index;
    use std::fs;
    use std::path::Path;

    fn names_no_program(cwd: &Path) -> bool {
        super::look_around(&crate::resolve_path(cwd).unwrap()).harmless
    }

    fn repository_with_config(config: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".git/hooks")).unwrap();
        fs::create_dir_all(dir.path().join("src/deep")).unwrap();
        fs::write(dir.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(dir.path().join(".git/config"), config).unwrap();
        dir
    }

    const USUAL: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n[remote \"origin\"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\temail = a@example.com\n";

    /// D2.30: `git` fits only where the repository's configuration names no program
    /// to run.
    #[test]
    fn given_a_usual_configuration_then_git_only_reads() {
        for config in [USUAL, "", "# nothing\n", "[core] bare = false ; x\n", "[branch.main]\nremote=x\n"] {
            let dir = repository_with_config(config);
            assert!(names_no_program(dir.path()), "{config}");
            assert!(names_no_program(&dir.path().join("src/deep")), "{config}");
        }
    }

    /// D2.30: the same. Attack 76.
    #[test]
    fn given_a_configuration_that_names_a_program_or_is_not_understood_then_git_is_no_reader() {
        for config in [
            "[core]\n\tfsmonitor = ./x\n",
            "[core]\n\tpager = sh -c id\n",
            "[core] pager = sh\n",
            "[CORE]\n\tPaGeR = sh\n",
            "[core]\n\thooksPath = x\n",
            "[core]\n\tsshCommand = x\n",
            "[core]\n\tworktree = /\n",
            "[diff]\n\texternal = x\n",
            "[diff \"x\"]\n\ttextconv = x\n",
            "[filter \"lfs\"]\n\tclean = x\n",
            "[include]\n\tpath = x\n",
            "[includeIf \"gitdir:/\"]\n\tpath = x\n",
            "[alias]\n\tx = !id\n",
            "[gpg]\n\tprogram = x\n",
            "[extensions]\n\tpartialClone = origin\n",
            "[remote \"origin\"]\n\tpromisor = true\n",
            "[remote \"a]\n[core]\"]\n\turl=x\n[core]\npager=x\n",
            "[user]\n\tname = a \\\n[core] pager = x\n",
            "pager = x\n",
            "[core\n",
            "[core]\n\t= x\n",
            "\u{feff}[core]\npager=x\n",
        ] {
            assert!(!names_no_program(repository_with_config(config).path()), "{config}");
        }
    }

    /// Attack 76: git looks further up than mayi does.
    #[test]
    fn given_a_folder_too_deep_to_look_up_from_then_git_is_no_reader() {
        let dir = repository_with_config("[core]\nfsmonitor=x\n");
        assert!(!names_no_program(&dir.path().join("d/".repeat(super::MOST + 6))));
        let dir = tempfile::tempdir().unwrap();
        assert!(names_no_program(&dir.path().join("d/d/d")));
    }

    /// Attack 76.
    #[test]
    fn given_configuration_in_other_places_then_it_counts() {
        let dir = repository_with_config(USUAL);
        fs::write(dir.path().join(".git/config.worktree"), "[core]\npager=x\n").unwrap();
        assert!(!names_no_program(dir.path()));

        let dir = repository_with_config(USUAL);
        fs::write(dir.path().join(".git/hooks/post-index-change"), "").unwrap();
        assert!(!names_no_program(dir.path()));

        let dir = repository_with_config(USUAL);
        fs::create_dir_all(dir.path().join(".git/modules/x")).unwrap();
        fs::write(dir.path().join(".git/modules/x/HEAD"), "x").unwrap();
        assert!(names_no_program(dir.path()));
        fs::write(dir.path().join(".git/modules/x/config"), "[core]\nfsmonitor=x\n").unwrap();
        assert!(!names_no_program(dir.path()));

        // A worktree whose common folder is elsewhere.
        let dir = repository_with_config("[core]\npager=x\n");
        fs::create_dir_all(dir.path().join(".git/worktrees/w")).unwrap();
        fs::create_dir_all(dir.path().join("w")).unwrap();
        fs::write(dir.path().join(".git/worktrees/w/commondir"), "../..\n").unwrap();
        fs::write(dir.path().join("w/.git"), "gitdir: ../.git/worktrees/w\n").unwrap();
        assert!(!names_no_program(&dir.path().join("w")));
        fs::write(dir.path().join(".git/config"), USUAL).unwrap();
        assert!(names_no_program(&dir.path().join("w")));

        // A folder that is a repository by itself.
        let dir = tempfile::tempdir().unwrap();
        for folder in ["objects", "refs", "inside"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join("HEAD"), "x").unwrap();
        fs::write(dir.path().join("config"), "[core]\nfsmonitor=x\n").unwrap();
        assert!(!names_no_program(&dir.path().join("inside")));

        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".git"), "gitdir").unwrap();
        assert!(!names_no_program(dir.path()));
    }

    /// Attack 76: what a clone can bring along that git takes for a repository.
    #[test]
    fn given_a_folder_that_git_may_take_for_a_repository_then_its_configuration_counts() {
        let scene = || {
            let dir = repository_with_config(USUAL);
            fs::create_dir_all(dir.path().join("evil/objects")).unwrap();
            fs::create_dir_all(dir.path().join("evil/refs")).unwrap();
            dir
        };
        // `HEAD` is a link to nowhere.
        let dir = scene();
        let evil = dir.path().join("evil");
        std::os::unix::fs::symlink("refs/heads/x", evil.join("HEAD")).unwrap();
        assert!(names_no_program(&evil));
        fs::write(evil.join("config"), "[core]\nworktree=.\nfsmonitor=x\n").unwrap();
        assert!(!names_no_program(&evil));
        assert!(names_no_program(dir.path()));
        // A link to it leads there, too, and what is above is above where it leads.
        std::os::unix::fs::symlink("evil/refs", dir.path().join("way")).unwrap();
        assert!(!names_no_program(&dir.path().join("way")));

        // Its objects are in the folder that it shares.
        let dir = scene();
        let sub = dir.path().join("sub");
        fs::create_dir_all(sub.join("common/objects")).unwrap();
        fs::create_dir_all(sub.join("common/refs")).unwrap();
        fs::write(sub.join("HEAD"), "ref: refs/heads/x\n").unwrap();
        fs::write(sub.join("commondir"), "common").unwrap();
        assert!(names_no_program(&sub));
        fs::write(sub.join("common/config"), "[diff]\nexternal=x\n").unwrap();
        assert!(!names_no_program(&sub));

        // An empty `.git` does not end the search.
        let dir = repository_with_config("[core]\nfsmonitor=x\n");
        fs::create_dir_all(dir.path().join("src/.git/objects")).unwrap();
        assert!(!names_no_program(&dir.path().join("src/deep")));
        // A sound one does.
        fs::create_dir_all(dir.path().join("src/.git/refs")).unwrap();
        fs::write(dir.path().join("src/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(names_no_program(&dir.path().join("src/deep")));
    }

    /// Attack 76: `git status` runs in sub-modules.
    #[test]
    fn given_a_sub_module_with_a_git_folder_of_its_own_then_its_configuration_counts() {
        let dir = repository_with_config(USUAL);
        let sub = dir.path().join("lib/sub");
        fs::create_dir_all(sub.join(".git")).unwrap();
        fs::write(sub.join(".git/config"), "[core]\nfsmonitor=x\n").unwrap();
        assert!(names_no_program(dir.path()));
        fs::write(dir.path().join(".git/index"), build_index(&[(0o160_000, "lib/sub")])).unwrap();
        assert!(!names_no_program(dir.path()));
        fs::write(sub.join(".git/config"), USUAL).unwrap();
        assert!(names_no_program(dir.path()));
        // One in the other.
        fs::write(sub.join(".git/index"), build_index(&[(0o160_000, "x")])).unwrap();
        assert!(names_no_program(dir.path()));
        fs::create_dir_all(sub.join("x")).unwrap();
        fs::write(sub.join("x/.git"), "gitdir: nowhere\n").unwrap();
        fs::create_dir_all(sub.join("x/nowhere")).unwrap();
        fs::write(sub.join("x/nowhere/config"), "[core]\npager=x\n").unwrap();
        assert!(!names_no_program(dir.path()));
        // Not understood.
        fs::write(dir.path().join(".git/index"), "DIRC").unwrap();
        assert!(!names_no_program(dir.path()));
    }
}
