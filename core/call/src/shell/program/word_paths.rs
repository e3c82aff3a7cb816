//! Paths and addresses among words.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::shown_names::{HiddenNames, shown_names, told_names};
use crate::shell::{GapContent, OpenPath, OpenWord, Reach, Touch, TouchedPath, Use, Word};
use crate::{
    LineLookups, LookupBudget, PathAccess, UrlAccess, could_be_name, file_paths, glob_matches, glob_targets,
    is_scheme, is_there, lies_in, links_below, resolve_path,
};

/// As many paths of one command are looked up.
pub(super) const MOST: usize = 256;
/// The longest name that a system takes.
pub(super) const LONGEST: usize = 4096;
/// The longest plain name.
const LONGEST_NAME: usize = 255;

/// Collects what a command's words could reach.
#[derive(Debug)]
pub(super) struct TouchCollector<'a> {
    cwd: Option<&'a Path>,
    looked: &'a LineLookups,
    pub(super) touches: Vec<Touch>,
    pub(super) urls: Vec<UrlAccess>,
    seen: HashSet<(String, Use, Reach)>,
    /// Earlier commands of the line could have made folders that are not there yet.
    made: bool,
    /// What is read lies in a repository's history, whatever is there now.
    pub(super) history: bool,
    /// It may be something else than what is there now.
    pub(super) past: bool,
    /// Links below are followed.
    pub(super) follows: bool,
    /// Hidden names are passed by so.
    pub(super) hidden: HiddenNames,
    /// Files that have some shown under other names than those.
    pub(super) shown_from: Vec<PathBuf>,
    /// Where links lead could not be looked up: there is too much.
    pub(super) lost: bool,
    /// It reads everything below a folder that is not known.
    pub(super) adrift: bool,
    budget: Option<LookupBudget>,
    /// There were more than are looked up.
    pub(super) more: bool,
}

impl<'a> TouchCollector<'a> {
    pub(super) fn new(cwd: Option<&'a Path>, looked: &'a LineLookups, made: bool) -> Self {
        let (touches, urls) = (Vec::new(), Vec::new());
        Self {
            cwd,
            looked,
            touches,
            urls,
            seen: HashSet::new(),
            made,
            history: false,
            past: false,
            follows: false,
            hidden: HiddenNames::default(),
            shown_from: Vec::new(),
            lost: false,
            adrift: false,
            budget: None,
            more: false,
        }
    }

    /// A path that is used in this way.
    pub(super) fn add_path(&mut self, text: &str, how: Use, reach: Reach) {
        let address = self.add_address(text);
        let files = file_paths(text);
        files.iter().filter(|file| *file != text).for_each(|file| self.add_path(file, how, reach));
        // To whoever knows no addresses it is a name.
        let named = self.made || self.cwd.is_none_or(|cwd| could_be_name(cwd, text));
        if (address || !files.is_empty()) && !named {
            return;
        }
        let sound = !text.is_empty() && text.len() <= LONGEST && !text.contains('\n');
        if !sound || text == "-" || !self.seen.insert((text.to_owned(), how, reach)) {
            return;
        }
        if self.touches.len() >= MOST {
            self.more = true;
            return;
        }
        let reads = !matches!(how, Use::Write(_));
        self.adrift |= self.cwd.is_none() && reach == Reach::All && reads && !text.starts_with('/');
        let path = match self.cwd {
            Some(cwd) => TouchedPath::Known(self.looked.path_access(cwd, text)),
            None if text.starts_with('/') => TouchedPath::Known(PathAccess::new(Path::new("/"), text)),
            None => TouchedPath::Open(OpenPath {
                given: text.to_owned(),
                pieces: vec![None, Some(format!("/{}", text.trim_start_matches("./")))],
                slashes: true,
                stays_below: false,
                looked_up: false,
            }),
        };
        let reach = match self.is_bare(&path, reach) {
            true => reach.without_folder(path_is_there(&path)),
            false => self.in_the_past(&path, reach),
        };
        if let TouchedPath::Known(known) = &path
            && known.folder
        {
            let folder = known.resolved.clone();
            self.add_shown_names(&folder, how, reach);
        }
        let (folder, path) = match path {
            TouchedPath::Known(known) => {
                let folder = Some(known.resolved.clone()).filter(|_| self.follows && known.folder);
                // What is there now may have been there then.
                let then = self.history && self.past && reach == Reach::Shown;
                // What is gone through shows what lies there.
                let searched = how == Use::Read && matches!(reach, Reach::All | Reach::Shown);
                let mut known = if then || searched { known.with_contents() } else { known };
                if reach == Reach::Shown && !then {
                    // Hidden names are passed by, but for those that are told apart.
                    known.holds.retain(|name| !name.split('/').any(|part| part.starts_with('.')));
                }
                (folder, TouchedPath::Known(known))
            }
            open => (None, open),
        };
        self.touches.push(Touch { path, how, reach });
        if let Some(folder) = folder {
            self.add_links_below(&folder, how, reach);
        }
    }

    /// A folder around the one at hand, as it was at any time, may have held anything.
    fn in_the_past(&self, path: &TouchedPath, reach: Reach) -> Reach {
        let TouchedPath::Known(path) = path else { return reach };
        let around = || self.cwd.is_some_and(|cwd| is_around(&path.resolved, cwd));
        if self.history && self.past && reach == Reach::Shown && around() { Reach::Past } else { reach }
    }

    /// Where the links below a folder lead: they are read as the folder is.
    fn add_links_below(&mut self, folder: &Path, how: Use, reach: Reach) {
        let budget = self.budget.get_or_insert_with(|| self.looked.budget());
        match links_below(folder, reach != Reach::Shown, budget) {
            Some(links) => links.into_iter().for_each(|link| self.add_linked_path(&link, how, reach)),
            None => self.add_unknown_path(how),
        }
    }

    /// What may be looked at for one command of the line.
    pub(super) fn lookup_budget(&self) -> LookupBudget {
        self.looked.budget()
    }

    /// What a search shows below a folder though it is hidden. Where that can't be told, that is everything.
    fn add_shown_names(&mut self, folder: &Path, how: Use, reach: Reach) {
        if reach != Reach::Shown || self.hidden.files.is_empty() {
            return;
        }
        let (looked, hidden, cwd) = (self.looked, self.hidden, self.cwd);
        let found = looked.hidden_names((folder.to_owned(), format!("{hidden:?} {cwd:?}")), |budget| {
            shown_names(folder, cwd, hidden, budget)
        });
        if let Some(found) = &found {
            self.shown_from.extend(found.files.iter().cloned());
        }
        let Some((placed, open)) = found.as_deref().and_then(|found| told_names(folder, &found.names)) else {
            return self.add_shown_name(folder, how, Reach::All);
        };
        placed.into_iter().for_each(|path| self.add_shown_name(path, how, reach));
        self.touches.extend(open.into_iter().map(|path| Touch { path: TouchedPath::Open(path), how, reach }));
    }

    fn add_shown_name(&mut self, path: &Path, how: Use, reach: Reach) {
        let Some(text) = path.to_str() else { return self.add_unknown_path(how) };
        let path = PathAccess::new(Path::new("/"), text);
        let reach = if path.is_bare(false) { Reach::Itself } else { reach };
        self.touches.push(Touch { path: TouchedPath::Known(path), how, reach });
    }

    /// A path with a link on it, by its whole name.
    pub(super) fn add_linked_path(&mut self, link: &Path, how: Use, reach: Reach) {
        if self.touches.len() >= MOST {
            self.more = true;
            return;
        }
        let Some(text) = link.to_str() else { return self.add_unknown_path(how) };
        let path = PathAccess::new(Path::new("/"), text);
        let reach = if path.is_bare(false) { reach.without_folder(is_there(&path.resolved)) } else { reach };
        let folder = path.folder.then(|| path.resolved.clone());
        self.touches.push(Touch { path: TouchedPath::Known(path), how, reach });
        folder.into_iter().for_each(|folder| self.add_shown_names(&folder, how, reach));
    }

    /// There is more than could be looked at: it could be any path.
    pub(super) fn add_unknown_path(&mut self, how: Use) {
        self.lost = true;
        let path = OpenPath {
            given: "where links lead".to_owned(),
            pieces: vec![None],
            slashes: true,
            stays_below: false,
            looked_up: false,
        };
        self.touches.push(Touch { path: TouchedPath::Open(path), how, reach: Reach::Itself });
    }

    /// Whether nothing lies below a path: it is a file, or nothing is there, nor could this line have made it. Another call may, so
    /// what a rule names there counts even so: see [`Reach::Unmade`].
    fn is_bare(&self, path: &TouchedPath, reach: Reach) -> bool {
        let TouchedPath::Known(path) = path else { return false };
        let Some(cwd) = self.cwd else { return false };
        // What is not there may have been, or will be.
        if self.history || reach == Reach::Somewhere {
            return path.is_bare(true);
        }
        if path.folder || is_around(&path.resolved, cwd) || is_around(&path.lexical, cwd) {
            return false;
        }
        // Elsewhere, what is there may change by itself.
        path.is_bare(self.made || !begins_with(&path.lexical, cwd))
    }

    /// A word of a program of which it is not known what it is: every path that it is or holds.
    pub(super) fn add_possible_paths(&mut self, text: &str, how: Use, reach: Reach) {
        let number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if text.len() > LONGEST || number {
            return;
        }
        if !text.starts_with('-') {
            self.add_path(text, how, reach);
        } else if !text.starts_with("--")
            && let Some(glued) = text.get(2..).filter(|glued| glued.contains(['/', '.']))
        {
            self.add_path(glued, how, reach);
        }
        self.add_embedded_paths(text, how, reach);
    }

    /// The paths that a word holds behind `@`, `=`, `:` and commas.
    pub(super) fn add_embedded_paths(&mut self, text: &str, how: Use, reach: Reach) {
        if text.len() > LONGEST || text.contains("://") && !text.contains(['=', '@']) {
            return;
        }
        // `.env:/mounted`
        if let Some((before, _)) = text.split_once(':') {
            self.add_path(before.rsplit('=').next().unwrap_or(before), how, reach);
        }
        for (at, mark) in text.match_indices(['@', '=', ':', ',', '<']).take(16) {
            if let Some(behind) = text.get(at + mark.len()..) {
                if text.get(at..).is_some_and(|rest| rest.starts_with("://")) {
                    continue;
                }
                self.add_path(behind, how, reach);
            }
        }
        if text.contains(',') {
            for part in text.split(',').take(16) {
                self.add_path(part.rsplit('=').next().unwrap_or(part), how, reach);
            }
        }
    }

    /// Text that is no path to the program itself, and may be one to the next.
    pub(super) fn add_text(&mut self, text: &str) {
        let one = !text.contains(|c: char| c.is_whitespace());
        if one && text.contains(['/', '.']) {
            self.add_possible_paths(text, Use::Either, Reach::Itself);
        } else if one && text.len() <= LONGEST_NAME && !text.bytes().all(|b| b.is_ascii_digit()) {
            // A plain name counts where a rule is about that name.
            self.add_path(text, Use::Either, Reach::Itself);
        } else {
            self.add_address(text);
        }
    }

    /// A word of which only some text is known.
    pub(super) fn add_open_word(&mut self, word: &OpenWord, how: Use, reach: Reach) {
        if self.touches.len() >= MOST {
            self.more = true;
            return;
        }
        self.open_address(word, false);
        let mut word = word.clone();
        if let Some(Some(first)) = word.pieces.first_mut()
            && let Some((_, behind)) = first.rsplit_once(['=', '@'])
        {
            *first = behind.to_owned();
        } else if let Some(Some(first)) = word.pieces.first_mut()
            && let Some(glued) = first.strip_prefix('-').and_then(|rest| rest.get(1..))
            && glued.contains(['/', '.'])
            && !first.starts_with("--")
        {
            // `-t.g*b`
            *first = glued.to_owned();
        }
        let path = open_path_of(&word, self.cwd, self.looked);
        let by_link = self.begins_behind_a_link(&word);
        let budget = self.budget.get_or_insert_with(|| self.looked.budget());
        let glob = is_glob(&path);
        let given = match how {
            Use::Write(_) | Use::Either if glob => glob_targets(&path.pieces, budget),
            // Names that a glob gave are split again where no quotes are.
            Use::Write(_) | Use::Either if word.held == GapContent::Name => {
                let names = OpenWord { glob: true, ..word.clone() };
                glob_targets(&open_path_of(&names, self.cwd, self.looked).pieces, budget)
            }
            Use::Read if glob => glob_matches(&path.pieces, false, budget),
            _ => Some(Vec::new()),
        };
        // To a shell without it, `**` is a star.
        let deep = glob && path.given.contains("**");
        let below = if deep { glob_matches(&path.pieces, true, budget) } else { Some(Vec::new()) };
        self.touches.push(Touch { path: TouchedPath::Open(path), how, reach });
        let (Some(given), Some(below)) = (given, below) else { return self.add_unknown_path(how) };
        for found in given {
            if found.linked || by_link {
                self.add_linked_path(&found.path, how, reach);
            }
            if self.follows && found.path.is_dir() {
                self.add_links_below(&found.path, how, reach);
            }
            if !self.hidden.files.is_empty() && found.path.is_dir() {
                self.add_shown_names(&found.path, how, reach);
            }
        }
        for found in below {
            self.add_linked_path(&found.path, how, Reach::All);
        }
    }

    /// Whether the folder that a glob stands in is reached by a link.
    fn begins_behind_a_link(&self, word: &OpenWord) -> bool {
        let Some(Some(first)) = word.pieces.first() else { return false };
        let Some((cwd, (folder, _))) = self.cwd.zip(first.rsplit_once('/')).filter(|_| word.glob) else {
            return false;
        };
        let path = self.looked.path_access(cwd, if folder.is_empty() { "/" } else { folder });
        path.lexical != path.resolved
    }

    /// A word, as [`Self::add_possible_paths`] or [`Self::add_open_word`] has it.
    pub(super) fn add_word(&mut self, word: &Word, how: Use, reach: Reach) {
        match word {
            Word::Literal(text) => self.add_possible_paths(text, how, reach),
            Word::Open(open) => self.add_open_word(open, how, reach),
        }
    }

    /// An address with its scheme, also behind `=`; whether the whole word is one.
    pub(super) fn add_address(&mut self, text: &str) -> bool {
        self.address_of(text, text.contains(char::is_whitespace))
    }

    /// The same; among `prose`, text that no standard takes for an address is text.
    fn address_of(&mut self, text: &str, prose: bool) -> bool {
        if !text.contains("://") || text.len() > LONGEST || self.urls.len() >= MOST {
            return false;
        }
        let whole = text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme));
        let at = text.rfind(['=', ' ']).filter(|_| !whole);
        let part = at.and_then(|at| text.get(at + 1..)).unwrap_or(text);
        if let Ok(url) = if prose && !whole { UrlAccess::parse(part) } else { UrlAccess::parse_lenient(part) }
            && !self.urls.contains(&url)
        {
            self.urls.push(url);
        }
        whole && file_paths(text).is_empty()
    }
}

/// Whether something is at a path, as far as it is known.
fn path_is_there(path: &TouchedPath) -> bool {
    matches!(path, TouchedPath::Known(path) if is_there(&path.resolved))
}

/// As [`Path::starts_with`], and quick where the text alone tells.
fn begins_with(path: &Path, folder: &Path) -> bool {
    lies_in(path, folder) || path.starts_with(folder)
}

/// Whether `cwd`, however it is written, lies in `folder`, which is written without anything that could be left out.
fn is_around(folder: &Path, cwd: &Path) -> bool {
    folder.as_os_str().len() <= cwd.as_os_str().len() && begins_with(cwd, folder)
}

/// The path that a word of which only some text is known begins with, from the folder at hand.
pub(in crate::shell) fn open_path_of(word: &OpenWord, cwd: Option<&Path>, looked: &LineLookups) -> OpenPath {
    let mut pieces = word.pieces.clone();
    let (mut glob, stays_below) = (word.glob, word.stays_below());
    match pieces.first_mut() {
        Some(Some(first)) => {
            let folder = first.rfind('/').map_or(0, |at| at + 1);
            let (folder, name) = first.split_at_checked(folder).unwrap_or(("", first));
            let nothing = first.is_empty();
            match resolve_prefix(folder, cwd, looked) {
                Some(folder) if !nothing || glob => *first = format!("{folder}{name}"),
                _ => {
                    glob = false;
                    pieces.insert(0, None);
                }
            }
        }
        _ if glob => match resolve_prefix("", cwd, looked) {
            Some(folder) => pieces.insert(0, Some(folder)),
            None => glob = false,
        },
        _ => {}
    }
    // `**` goes down any number of folders, in zsh at least.
    let slashes = !glob || word.text.contains("**");
    OpenPath { given: word.text.clone(), pieces, slashes, stays_below, looked_up: false }
}

/// Whether what is not known of a path comes from a glob, in a folder that is known.
fn is_glob(path: &OpenPath) -> bool {
    !path.slashes || path.given.contains("**") && matches!(path.pieces.first(), Some(Some(_)))
}

/// The paths that a glob gives now and that have a link on them. None if there is too much to look at.
pub(in crate::shell) fn linked_matches(path: &OpenPath, looked: &LineLookups) -> Option<Vec<PathBuf>> {
    if !is_glob(path) && !path.stays_below {
        return Some(Vec::new());
    }
    let mut budget = looked.budget();
    let given = match path.given.contains("**") {
        true => glob_matches(&path.pieces, true, &mut budget)?,
        false => glob_targets(&path.pieces, &mut budget)?,
    };
    Some(given.into_iter().filter(|given| given.linked).map(|given| given.path).collect())
}

/// The folder that a path begins with, links resolved, with `/` at the end.
fn resolve_prefix(folder: &str, cwd: Option<&Path>, looked: &LineLookups) -> Option<String> {
    let whole = match cwd {
        Some(cwd) => cwd.join(folder),
        None if folder.starts_with('/') => folder.into(),
        None => return None,
    };
    let found = match cwd {
        Some(cwd) if folder.is_empty() => looked.resolved_folder(cwd),
        _ => resolve_path(&whole).ok(),
    };
    let text = found.unwrap_or(whole).to_str()?.to_owned();
    Some(if text.ends_with('/') { text } else { text + "/" })
}
