//! Whether what was looked up around a folder, so that a program there counts as one that only reads, still holds where the
//! command at hand comes to run: earlier ones of the line may have made what such programs go by (D2.10 d, D2.30).

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use super::Walker;
use super::read_only::only_sets;
use crate::shell::program::{
    self, BroughtFiles, CommandFacts, GitNames, brought_files, is_repository, looks_above,
};
use crate::shell::{CaveatSubject, OpenPath, Reach, ShellAccess, Touch, TouchedPath, Use, Word};
use crate::{Access, PathAccess, WriteKind};

/// Programs that do what files around their folder tell them, besides those to which the table gives names of such files.
const GUIDED: &[&str] = &["cargo", "git", "go", "rustc", "rustup"];

/// The names of such files and folders. A folder with `HEAD`, `objects` and `refs` is a repository, whatever it is called.
const GUIDES: &[&str] = &[
    ".cargo",
    ".git",
    "cargo.toml",
    "commondir",
    "config",
    "config.toml",
    "config.worktree",
    "go.mod",
    "go.work",
    "head",
    "objects",
    "refs",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// As many texts are kept with what they speak of.
const MOST_TEXTS: usize = 64;

/// As many folders upwards are looked at.
const MAX_FOLDERS: usize = 64;

/// Commands of git's that leave its names as they are, or have them stand for other commits: git lets a branch be nothing else.
/// What is cloned, and what is fetched for a sub-module, has names of its own.
const KEEP_NAMES: &[&str] = &[
    "add",
    "am",
    "apply",
    "archive",
    "blame",
    "cat-file",
    "checkout",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "describe",
    "diff",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "init",
    "lfs",
    "log",
    "ls-files",
    "ls-remote",
    "merge",
    "mv",
    "rebase",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "sparse-checkout",
    "stage",
    "stash",
    "status",
    "switch",
];

/// Those of `git submodule` of which the same is true.
const KEEP_NAMES_OF_MODULES: &[&str] = &["add", "deinit", "init", "status", "summary", "sync", "update"];

/// Those after which not even the commit at hand, or what is named by all of its hash, is what it was.
const CHANGE_ALL_NAMES: &[&str] = &["fast-import", "replace", "symbolic-ref"];

/// What a text speaks of that has a command in it change names of git's.
const SPEAKS_OF_NAMES: &[&str] = &[
    "branch",
    "fast-import",
    "fetch",
    "import",
    "pull",
    "push",
    "remote",
    "replace",
    "symbolic-ref",
    "tag",
    "update-ref",
];

impl Walker<'_> {
    /// Takes back what was found around the command where an earlier one may have made what it goes by. What names of files
    /// stand in options that were made so, is not known.
    pub(super) fn settle_guided(&self, words: &[Word], known: &mut CommandFacts) {
        let command = words.get(known.transparent..).unwrap_or_default();
        let obeys = base_name(command).is_some_and(|name| !program::guides_of(name).is_empty());
        let folder = &self.place.folder;
        let mut folders =
            folder.known_path().into_iter().chain(folder.candidates().iter().map(|folder| &**folder));
        if !(known.reader || obeys) || !folders.any(|folder| self.is_unsettled(command, folder)) {
            return;
        }
        known.reader = false;
        if obeys {
            let given = program::NAMED_BY_GUIDES.to_owned();
            let path =
                OpenPath { given, pieces: vec![None], slashes: true, stays_below: false, looked_up: false };
            known.touches.push(Touch { path: TouchedPath::Open(path), how: Use::Read, reach: Reach::Itself });
        }
    }

    /// What earlier commands of the line may have made of the names by which git is told commits.
    pub(super) fn git_names(&self) -> GitNames {
        let files = self.place.files();
        if files.is_out_of_order() || files.is_concurrent() {
            let text = self.current_text();
            let speaks = |text: &str| self.spoken.speaks(text);
            if speaks(self.line) || text != self.line && speaks(text) {
                return GitNames::AllChanged;
            }
        }
        let changed = self.out.accesses.iter().map(|access| match access {
            Access::Write(_, path) if is_in_git_folder(path) => GitNames::AllChanged,
            Access::Shell(shell) => changed_names(shell, self.place.folder.known_path()),
            _ => GitNames::AsTheyAre,
        });
        changed.max().unwrap_or_default()
    }

    /// Whether a command of these words goes by files that an earlier one may have made.
    fn is_unsettled(&self, command: &[Word], folder: &Path) -> bool {
        let name = base_name(command);
        let own = name.map(program::guides_of).unwrap_or_default();
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let guides = if name.is_some_and(|name| GUIDED.contains(&name)) { GUIDES } else { own.as_slice() };
        if guides.is_empty() || !self.could_have_made_files() {
            return false;
        }
        let Some(real) = self.looked.resolved_folder(folder) else { return true };
        let around: Vec<&Path> = match name {
            // git stops at the first repository: that of the folder itself is what was looked at.
            Some("git") if !looks_above(command) => {
                real.ancestors().take_while(|folder| !is_repository(folder)).take(MAX_FOLDERS).collect()
            }
            _ => real.ancestors().take(MAX_FOLDERS).collect(),
        };
        self.out.accesses.iter().any(|access| match access {
            Access::Write(kind, path) => is_guiding_write(path, *kind, &around, guides),
            Access::Shell(shell) if !makes_a_repository(shell, &real) => {
                shell.touches.iter().any(|touch| may_guide(touch, &around, guides))
            }
            _ => false,
        })
    }
}

/// Which texts speak of commands that change git's names, as far as was looked: a line may have hundreds of commands.
#[derive(Debug, Default)]
pub(super) struct SpokenNames(RefCell<HashMap<String, bool>>);

impl SpokenNames {
    fn speaks(&self, text: &str) -> bool {
        if let Some(known) = self.0.borrow().get(text) {
            return *known;
        }
        let plain = text.replace(['\\', '\'', '"'], "");
        let speaks = SPEAKS_OF_NAMES.iter().any(|name| plain.contains(name));
        let mut known = self.0.borrow_mut();
        if known.len() < MOST_TEXTS {
            known.insert(text.to_owned(), speaks);
        }
        speaks
    }
}

fn is_in_git_folder(path: &PathAccess) -> bool {
    path.forms().any(|form| form.iter().any(|part| part.eq_ignore_ascii_case(".git")))
}

/// Whether a path in a git folder lies in that of a repository around this folder.
fn is_of_repository(path: &Path, folder: &Path) -> bool {
    let is_git = |above: &&Path| above.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
    path.ancestors().filter(is_git).filter_map(Path::parent).any(|top| folder.starts_with(top))
}

/// What a command may do to git's names.
fn changed_names(shell: &ShellAccess, folder: Option<&Path>) -> GitNames {
    let into_git = |touch: &Touch| match (&touch.path, touch.how) {
        (TouchedPath::Known(path), Use::Write(_)) => is_in_git_folder(path),
        _ => false,
    };
    if shell.reader || only_sets(shell) || shell.words.is_empty() {
        return GitNames::AsTheyAre;
    }
    let Some(name) = base_name(&shell.words) else { return GitNames::AllChanged };
    // What a clone writes in the git folder of the new repository.
    let cloned = git_command(&shell.words) == Some("clone")
        && folder.is_some_and(|folder| {
            shell.touches.iter().filter(|touch| into_git(touch)).all(|touch| match &touch.path {
                TouchedPath::Known(path) => path.forms().all(|form| !is_of_repository(form, folder)),
                TouchedPath::Open(_) => false,
            })
        });
    if !(name == "git" && cloned) && shell.touches.iter().any(into_git) {
        return GitNames::AllChanged;
    }
    let sub = match name.strip_prefix("git-") {
        Some(own) => Some(own),
        None if name == "git" => git_command(&shell.words),
        None => None,
    };
    match sub {
        Some(sub) if KEEP_NAMES.contains(&sub) => GitNames::AsTheyAre,
        Some("submodule") if says_next(&shell.words, "submodule", KEEP_NAMES_OF_MODULES) => {
            GitNames::AsTheyAre
        }
        Some("fetch" | "pull") if moves_branches(&shell.words, FETCHES) => GitNames::Fetched,
        Some("push") if moves_branches(&shell.words, PUSHES) => GitNames::Fetched,
        Some(sub) if CHANGE_ALL_NAMES.contains(&sub) => GitNames::AllChanged,
        Some(_) => GitNames::Changed,
        None if name == "git" => GitNames::Changed,
        // What a program is told in a text to start.
        None if program::runs_others(name) || program::takes_code(name) => {
            let others = program::runs_others(name);
            let starts = |word: &Word| {
                let text = word.text();
                others && text.contains("git") || program::may_start(&text, "git")
            };
            if shell.words.iter().skip(1).any(starts) { GitNames::AllChanged } else { GitNames::AsTheyAre }
        }
        // Where awk, sed and clients of databases start something, there is a caveat.
        None if program::takes_program(name) && !shell.caveats.is_empty() => GitNames::AllChanged,
        // One of the user's own, which does what it is for.
        None if !program::is_known(name) => {
            let assigned = shell.assignments.iter().map(|of| of.value.text());
            let speaks = shell.words.iter().map(Word::text).chain(assigned).any(|text| speaks_of_git(&text));
            if speaks { GitNames::Changed } else { GitNames::AsTheyAre }
        }
        None if brought_files(&shell.words) == BroughtFiles::Fetched => GitNames::Changed,
        None => GitNames::AsTheyAre,
    }
}

/// Whether git stands in a text as a word of its own: not in `github` and `digits`.
fn speaks_of_git(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
    text.match_indices("git").any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + found.len()..).and_then(|behind| behind.chars().next());
        ends(before) && ends(behind)
    })
}

/// Whether one of these stands behind that word, but for options.
fn says_next(words: &[Word], word: &str, next: &[&str]) -> bool {
    let behind = words.iter().skip_while(|own| own.literal() != Some(word)).skip(1);
    let mut names = behind.map(Word::literal).filter(|name| !name.is_some_and(|name| name.starts_with('-')));
    names.next().flatten().is_some_and(|name| next.contains(&name))
}

/// The command of git's that these words are.
fn git_command(words: &[Word]) -> Option<&str> {
    let mut words = words.iter().skip(1);
    loop {
        match words.next()?.literal()? {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" | "--attr-source" => {
                words.next();
            }
            option if option.starts_with('-') => {}
            name => return Some(name),
        }
    }
}

/// Options of `git fetch` and `git pull` that change nothing of what is fetched.
const FETCHES: &[&str] = &[
    "--all",
    "--autostash",
    "--ff-only",
    "--no-edit",
    "--no-rebase",
    "--no-tags",
    "--prune",
    "--quiet",
    "--rebase",
    "--verbose",
    "-p",
    "-q",
    "-r",
    "-v",
];

/// The same of `git push`.
const PUSHES: &[&str] = &[
    "--all",
    "--dry-run",
    "--follow-tags",
    "--force",
    "--force-if-includes",
    "--force-with-lease",
    "--no-verify",
    "--quiet",
    "--set-upstream",
    "--tags",
    "--verbose",
    "-f",
    "-n",
    "-q",
    "-u",
    "-v",
];

/// Whether what is fetched or sent are branches by their names, from or to a remote by its name: here, git keeps
/// them as commits that it has seen there.
fn moves_branches(words: &[Word], plain: &[&str]) -> bool {
    let texts: Option<Vec<&str>> = words.iter().skip(1).map(Word::literal).collect();
    let name = |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let bare = |word: &str| !word.starts_with('-');
    // `git fetch origin tag v1` is a name for a tag.
    let parts = |word: &str| word.split(['/', '.']).all(|part| !part.is_empty() && name(part));
    let branch = |word: &str| bare(word) && word != "tag" && parts(word);
    texts.is_some_and(|texts| {
        let mut rest = texts.into_iter().skip(1).filter(|word| !plain.contains(word));
        rest.next().is_none_or(|remote| bare(remote) && name(remote)) && rest.all(branch)
    })
}

fn base_name(command: &[Word]) -> Option<&str> {
    command.first().and_then(Word::literal).map(|name| name.rsplit('/').next().unwrap_or(name))
}

/// Whether what is written there may tell programs in one of these folders what to do.
fn is_guiding_write(path: &PathAccess, kind: WriteKind, around: &[&Path], guides: &[&str]) -> bool {
    let is_guide = |name: &str| guides.iter().any(|guide| guide.eq_ignore_ascii_case(name));
    [&path.lexical, &path.resolved].into_iter().any(|path| {
        let guide = path.file_name().and_then(|name| name.to_str()).is_some_and(is_guide);
        let beside = path.parent().is_some_and(|parent| around.contains(&parent));
        // `.cargo/config.toml`
        let within = path.parent().and_then(Path::parent).is_some_and(|folder| around.contains(&folder))
            && path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).is_some_and(is_guide);
        // The folder itself came from elsewhere, with all that is in it. One that was only made is empty.
        let itself = kind != WriteKind::Create && around.contains(&path.as_path());
        guide && beside || within || itself
    })
}

/// The same for a path that a command may change.
fn may_guide(touch: &Touch, around: &[&Path], guides: &[&str]) -> bool {
    let Use::Write(kind) = touch.how else { return false };
    let TouchedPath::Known(path) = &touch.path else {
        // It could be any of them.
        return !around.is_empty();
    };
    let below = matches!(touch.reach, Reach::Somewhere | Reach::Shown | Reach::All);
    let holds = |folder: &&Path| folder.starts_with(&path.resolved) || folder.starts_with(&path.lexical);
    is_guiding_write(path, kind, around, guides)
        || below && kind != WriteKind::Delete && around.iter().any(holds)
}

/// Whether a command makes a new repository in just this folder, of which git has written the configuration.
fn makes_a_repository(shell: &ShellAccess, folder: &Path) -> bool {
    let word = |at: usize| shell.words.get(at).and_then(Word::literal);
    let new = word(0) == Some("git") && matches!(word(1), Some("clone" | "init"));
    // The folder, or what stands for all that git itself puts there.
    let own = |path: &Path| {
        let below = path.strip_prefix(folder).ok().and_then(Path::to_str);
        below.is_some_and(|below| matches!(below, "" | "HEAD" | ".git/HEAD" | "hooks/HEAD"))
    };
    let itself = |touch: &Touch| match &touch.path {
        TouchedPath::Known(path) => own(&path.resolved) || own(&path.lexical),
        TouchedPath::Open(_) => false,
    };
    let written = |touch: &&Touch| matches!(touch.how, Use::Write(_));
    // Where it is copied from is asked about by itself.
    let plain = shell.caveats.iter().all(|caveat| matches!(caveat.named, CaveatSubject::Address { .. }));
    new && plain && shell.touches.iter().filter(written).all(itself)
}
