//! Whether a repository's configuration names a program that a reading `git` command would run.
//!
//! Only keys that are listed as harmless pass (`harmless-git-keys` in the table): a key that is not
//! known, an include, a line that is not understood, a file too big to look into are reasons to say
//! no. The user's own and the system's configuration are not the repository's.

use std::fs;
use std::path::{Path, PathBuf};

use super::table::Table;

/// The longest configuration that is looked into.
const LONGEST: u64 = 256 * 1024;
/// As many folders upwards, and as many sub-modules.
const MOST: usize = 64;

/// Whether `git` finds nothing to run in the repository around `cwd`.
pub(super) fn names_no_program(cwd: &Path) -> bool {
    for folder in cwd.ancestors().take(MOST) {
        let dot = folder.join(".git");
        if fs::symlink_metadata(&dot).is_ok() {
            return git_folder(folder, &dot).is_some_and(|git| harmless(&git));
        }
        // A folder that is a repository by itself.
        if folder.join("HEAD").is_file() && folder.join("objects").exists() && folder.join("refs").exists() {
            return harmless(folder);
        }
    }
    // Further up, git still looks.
    cwd.ancestors().nth(MOST).is_none()
}

/// The top of the working tree around `cwd`.
pub(super) fn top(cwd: &Path) -> Option<PathBuf> {
    let has = |folder: &&Path| fs::symlink_metadata(folder.join(".git")).is_ok();
    cwd.ancestors().take(MOST).find(has).map(Path::to_owned)
}

/// The git folder that `.git` is or names.
fn git_folder(folder: &Path, dot: &Path) -> Option<PathBuf> {
    if dot.is_dir() {
        return Some(dot.to_owned());
    }
    let text = small(dot)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    (!target.contains('\n')).then(|| folder.join(target))
}

fn harmless(git: &Path) -> bool {
    let common = match small(&git.join("commondir")) {
        Some(text) => git.join(text.trim_end_matches(['\n', '\r'])),
        None if git.join("commondir").exists() => return false,
        None => git.to_owned(),
    };
    let mut files = vec![common.join("config"), common.join("config.worktree"), git.join("config.worktree")];
    if !modules(&common.join("modules"), &mut files) {
        return false;
    }
    // `git status` writes the index anew, and this hook is told.
    let hook = |folder: &Path| folder.join("hooks/post-index-change").exists();
    !hook(&common) && !hook(git) && files.iter().all(|file| plain(file))
}

/// The configurations of sub-modules: commands look into these too.
fn modules(folder: &Path, files: &mut Vec<PathBuf>) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return !folder.exists() };
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
fn small(file: &Path) -> Option<String> {
    let meta = fs::metadata(file).ok()?;
    (meta.is_file() && meta.len() <= LONGEST).then(|| fs::read_to_string(file).ok())?
}

/// Whether a configuration has only harmless keys; also if it is not there.
fn plain(file: &Path) -> bool {
    if fs::symlink_metadata(file).is_err() {
        return true;
    }
    small(file).is_some_and(|text| keys(&text).is_some_and(|keys| keys.iter().all(harmless_key)))
}

/// `core.bare`, `remote.*.url`: `section.key`, or `section.*.key` for any sub-section; `*` is any key.
fn harmless_key((section, sub, key): &(String, bool, String)) -> bool {
    let section = if *sub { format!("{section}.*") } else { section.clone() };
    let known = &Table::get().harmless_keys;
    known.contains(&format!("{section}.{key}")) || known.contains(&format!("{section}.*"))
}

/// The keys of a configuration in lower case: section, whether it has a sub-section, name. None if a
/// line is not understood.
fn keys(text: &str) -> Option<Vec<(String, bool, String)>> {
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
    use super::names_no_program;
    use std::fs;

    fn repository(config: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".git/hooks")).unwrap();
        fs::create_dir_all(dir.path().join("src/deep")).unwrap();
        fs::write(dir.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(dir.path().join(".git/config"), config).unwrap();
        dir
    }

    const USUAL: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n[remote \"origin\"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\temail = a@example.com\n";

    /// Decisions, section 2: "`git` fits only where the repository's configuration names no program
    /// to run".
    #[test]
    fn given_a_usual_configuration_then_git_only_reads() {
        for config in [USUAL, "", "# nothing\n", "[core] bare = false ; x\n", "[branch.main]\nremote=x\n"] {
            let dir = repository(config);
            assert!(names_no_program(dir.path()), "{config}");
            assert!(names_no_program(&dir.path().join("src/deep")), "{config}");
        }
    }

    /// Decisions, section 2: the same.
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
            assert!(!names_no_program(repository(config).path()), "{config}");
        }
    }

    /// Attack 76: git looks further up than mayi does.
    #[test]
    fn given_a_folder_too_deep_to_look_up_from_then_git_is_no_reader() {
        let dir = repository("[core]\nfsmonitor=x\n");
        assert!(!names_no_program(&dir.path().join("d/".repeat(super::MOST + 6))));
        let dir = tempfile::tempdir().unwrap();
        assert!(names_no_program(&dir.path().join("d/d/d")));
    }

    #[test]
    fn given_configuration_in_other_places_then_it_counts() {
        let dir = repository(USUAL);
        fs::write(dir.path().join(".git/config.worktree"), "[core]\npager=x\n").unwrap();
        assert!(!names_no_program(dir.path()));

        let dir = repository(USUAL);
        fs::write(dir.path().join(".git/hooks/post-index-change"), "").unwrap();
        assert!(!names_no_program(dir.path()));

        let dir = repository(USUAL);
        fs::create_dir_all(dir.path().join(".git/modules/x")).unwrap();
        fs::write(dir.path().join(".git/modules/x/HEAD"), "x").unwrap();
        assert!(names_no_program(dir.path()));
        fs::write(dir.path().join(".git/modules/x/config"), "[core]\nfsmonitor=x\n").unwrap();
        assert!(!names_no_program(dir.path()));

        // A worktree whose common folder is elsewhere.
        let dir = repository("[core]\npager=x\n");
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
}
