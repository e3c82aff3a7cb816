//! Names that the line itself makes from others: `mv lk m; cat m/key` reads what lies below `lk` now.

use std::path::{Path, PathBuf};

use super::Walker;
use super::given_programs::base_name;
use super::link_bringers::{base, makes_links};
use crate::shell::program::{self, CommandFacts};
use crate::shell::{OpenPath, Reach, Touch, TouchedPath, Use, Word};
use crate::{PathAccess, links_below, relative_target};

/// As many of them are followed.
const MOST: usize = 256;

/// A name, and what it stands for from then on.
#[derive(Clone, Debug)]
pub(super) struct RenamedPath {
    to: PathBuf,
    from: PathBuf,
    /// It is a link, and not the thing itself.
    linked: bool,
}

impl Walker<'_> {
    /// Keeps what `words` give another name.
    pub(super) fn keep_moved(&mut self, words: &[Word]) {
        let Some(folder) = self.place.folder.known_path().map(Path::to_path_buf) else { return };
        let Some(given) = GivenNames::of(words) else { return };
        let symbolic =
            given.links && (words.first().and_then(base) == Some("symlink") || words.iter().any(makes_links));
        let relative = symbolic && words.iter().any(makes_relative);
        for (from, to) in &given.pairs {
            let own_name = Path::new(from.trim_end_matches('/')).file_name().unwrap_or_default();
            let to = self.looked.path_access(&folder, to);
            let mut forms = vec![to.lexical];
            forms.extend(Some(to.resolved).filter(|resolved| !forms.contains(resolved)));
            for to in forms {
                // The name itself, or one in the folder of that name.
                for (at, to) in
                    [(to.parent().map(Path::to_path_buf), to.clone()), (Some(to.clone()), to.join(own_name))]
                {
                    // The target of a link counts from where the link stands.
                    let at = at.filter(|_| given.links);
                    // `ln -r` counts it from the folder at hand; what is no link is there as itself.
                    let at = std::iter::once((folder.clone(), relative)).chain(at.map(|at| (at, symbolic)));
                    for (at, linked) in at {
                        self.keep_name(&self.looked.path_access(&at, from), &to, linked);
                    }
                }
            }
        }
    }

    /// From now on `to` may be what `from` is, or what that stands for: itself, or as a link.
    fn keep_name(&mut self, from: &PathAccess, to: &Path, linked: bool) {
        // What an earlier command has given that name.
        let earlier =
            self.out.moved.iter().filter_map(|moved| Some((self.translate_path(from, moved)?, moved.linked)));
        let earlier: Vec<(PathAccess, bool)> = earlier.collect();
        for (from, before) in std::iter::once((from.clone(), false)).chain(earlier) {
            // A link says where it leads from where it stands.
            let led = relative_target(&from.lexical).and_then(|target| Some(to.parent()?.join(target)));
            let led =
                led.and_then(|path| Some(self.looked.path_access(Path::new("/"), path.to_str()?).lexical));
            let led = led.map(|led| (led, true));
            for (from, linked) in std::iter::once((from.lexical, linked || before)).chain(led) {
                let known =
                    |moved: &RenamedPath| moved.to == *to && moved.from == from && moved.linked == linked;
                if to == from || self.out.moved.iter().any(known) {
                    continue;
                }
                if self.out.moved.len() >= MOST {
                    self.out.moved_more = true;
                    return;
                }
                self.out.moved.push(RenamedPath { to: to.to_owned(), from, linked });
            }
        }
    }

    /// Where a link that `words` make leads, used as if it was named by itself: `ln -s ../x a/l` names what lies beside `a`.
    fn made_targets(&self, words: &[Word], touches: &[Touch]) -> Vec<Touch> {
        let Some(folder) = self.place.folder.known_path() else { return Vec::new() };
        let Some(given) = GivenNames::of(words).filter(|given| given.links) else { return Vec::new() };
        if !words.iter().any(makes_links) {
            return Vec::new();
        }
        let mut found: Vec<Touch> = Vec::new();
        for (from, to) in given.pairs.iter().filter(|(from, _)| !from.starts_with('/')) {
            let named = self.looked.path_access(folder, from);
            let is_named = |touch: &&Touch| matches!(&touch.path, TouchedPath::Known(path) if path.lexical == named.lexical);
            let Some(touch) = touches.iter().find(is_named) else { continue };
            let to = self.looked.path_access(folder, to);
            let linked = to.lexical != to.resolved;
            let into = to.folder || self.could_have_made_files();
            let beside = !to.folder || linked;
            let places =
                to.forms().flat_map(|form| [form.parent().filter(|_| beside), Some(form).filter(|_| into)]);
            for place in places.flatten() {
                let path = self.looked.path_access(place, from);
                let touch = Touch { path: TouchedPath::Known(path), ..touch.clone() };
                if !touches.contains(&touch) && !found.contains(&touch) {
                    found.push(touch);
                }
            }
        }
        found
    }

    /// The other paths that `path` stands for by then.
    pub(super) fn stands_for(&self, path: &PathAccess) -> Vec<PathAccess> {
        self.out.moved.iter().filter_map(|moved| self.translate_path(path, moved)).collect()
    }

    /// A path below a name that was made, as one below what the name stands for.
    fn translate_path(&self, path: &PathAccess, moved: &RenamedPath) -> Option<PathAccess> {
        let rest = path.lexical.strip_prefix(&moved.to).ok()?;
        Some(self.looked.path_access(&moved.from, rest.to_str()?))
    }

    /// Where links below a folder lead that the line has made.
    fn made_below(&self, folder: &PathAccess) -> Vec<PathAccess> {
        let mut found = Vec::new();
        for moved in self.out.moved.iter().filter(|moved| moved.linked) {
            let below = folder.forms().any(|form| moved.to != form && moved.to.starts_with(form));
            let path = moved.from.to_str().filter(|_| below);
            let path = path.map(|path| self.looked.path_access(Path::new("/"), path));
            found.extend(path.filter(|path| !found.contains(path)));
        }
        found
    }

    /// The command under the names that the line made its program from: `cp /usr/bin/rm r; ./r x` is `rm x` as well.
    pub(super) fn commands_stood_for(&self, words: &[Word]) -> Vec<Vec<Word>> {
        let Some((first, rest)) = words.split_first() else { return Vec::new() };
        let Some(name) = first.literal().filter(|name| name.contains('/')) else { return Vec::new() };
        let folders =
            self.place.folder.candidates().iter().map(|folder| self.looked.path_access(folder, name));
        let others = self.path_from_here(name).into_iter().chain(folders);
        let others: Vec<PathAccess> = others.flat_map(|path| self.stands_for(&path)).collect();
        let mut found: Vec<Vec<Word>> = Vec::new();
        for other in others.iter().flat_map(PathAccess::forms) {
            // Under the same name it is looked up as it is.
            let other = other.to_str().filter(|other| base_name(other) != base_name(name));
            let words = other.map(|other| std::iter::once(Word::from(other)).chain(rest.iter().cloned()));
            if let Some(words) = words.map(Iterator::collect).filter(|words| !found.contains(words)) {
                found.push(words);
            }
        }
        found
    }

    /// The command as that of the program to which a link leads that is there under its name: for denials alone.
    pub(super) fn linked_command(&self, words: &[Word]) -> Option<Vec<Word>> {
        let (first, rest) = words.split_first()?;
        let name = first.literal().filter(|name| name.contains('/'))?;
        let path = self.path_from_here(name)?;
        let other = path.resolved.to_str().filter(|other| base_name(other) != base_name(name))?;
        Some(std::iter::once(Word::from(other)).chain(rest.iter().cloned()).collect())
    }

    /// The touches of those other paths, and of where a link leads that is made; none if there is too much to look at.
    pub(super) fn moved_touches(&self, words: &[Word], known: &CommandFacts) -> Option<Vec<Touch>> {
        let (touches, writes) = (&known.touches, &known.writes);
        let mut found = self.made_targets(words.get(known.transparent..).unwrap_or_default(), touches);
        if self.out.moved.is_empty() {
            return Some(found);
        }
        (!self.out.moved_more || touches.is_empty() && writes.is_empty()).then_some(())?;
        let mut budget = self.looked.budget();
        let follows = |touch: &Touch| known.follows || !known.reader && !matches!(touch.how, Use::Write(_));
        for touch in touches {
            match &touch.path {
                TouchedPath::Known(path) => {
                    for path in self.stands_for(path) {
                        // The links below it are not there yet under the name at hand.
                        if touch.reach != Reach::Itself && path.folder {
                            let links = links_below(&path.resolved, true, &mut budget)?;
                            found.extend(self.link_touches(links, touch.how));
                        }
                        found.push(Touch { path: TouchedPath::Known(path), ..touch.clone() });
                    }
                    if follows(touch) && goes_below(touch) {
                        for path in self.made_below(path) {
                            if path.folder {
                                let links = links_below(&path.resolved, true, &mut budget)?;
                                found.extend(self.link_touches(links, touch.how));
                            }
                            // What is there may show names that are hidden elsewhere.
                            let path = TouchedPath::Known(path);
                            found.push(Touch { path, how: touch.how, reach: Reach::All });
                        }
                    }
                }
                TouchedPath::Open(open) => {
                    for open in
                        self.out.moved.iter().filter_map(|moved| self.translate_open_path(open, moved))
                    {
                        found.extend(
                            self.link_touches(program::linked_matches(&open, &self.looked)?, touch.how),
                        );
                        found.push(Touch { path: TouchedPath::Open(open), ..touch.clone() });
                    }
                }
            }
        }
        for (kind, path) in writes {
            let paths = self.path_from_here(path).map(|path| self.stands_for(&path)).unwrap_or_default();
            found.extend(paths.into_iter().map(|path| Touch::known_path(path, Use::Write(*kind))));
        }
        Some(found)
    }

    /// Where links lead, used in this way.
    fn link_touches(&self, links: Vec<PathBuf>, how: Use) -> Vec<Touch> {
        let path = |link: &PathBuf| Some(self.looked.path_access(Path::new("/"), link.to_str()?));
        links.iter().filter_map(path).map(|path| Touch::known_path(path, how)).collect()
    }

    /// An open path that begins below a name that was made, as one below what the name stands for.
    fn translate_open_path(&self, open: &OpenPath, moved: &RenamedPath) -> Option<OpenPath> {
        let (first, rest) = open.pieces.split_first()?;
        let (folder, name) = first.as_deref()?.rsplit_once('/')?;
        // A name that is only begun may be the one that was made.
        let whole = match Path::new(folder).strip_prefix(&moved.to) {
            Ok(below) => {
                let folder =
                    self.looked.path_access(Path::new("/"), moved.from.join(below).to_str()?).resolved;
                format!("{}/{name}", folder.to_str()?.trim_end_matches('/'))
            }
            Err(_) => {
                let below = Path::new(first.as_deref()?).strip_prefix(&moved.to).ok()?;
                moved.from.join(below).to_str()?.to_owned()
            }
        };
        let pieces = std::iter::once(Some(whole)).chain(rest.iter().cloned()).collect();
        Some(OpenPath { pieces, looked_up: false, ..open.clone() })
    }
}

/// Whether what lies below the path is used, too.
pub(super) fn goes_below(touch: &Touch) -> bool {
    !matches!(touch.reach, Reach::Itself | Reach::Said)
}

/// What a command gives other names.
struct GivenNames<'w> {
    /// What, and which name: that name itself, or one in the folder of that name.
    pairs: Vec<(&'w str, &'w str)>,
    /// By links: where they lead counts from where they stand.
    links: bool,
}

impl<'w> GivenNames<'w> {
    fn of(words: &'w [Word]) -> Option<Self> {
        let mut texts = words.iter().filter_map(Word::literal);
        let name = texts.next()?.rsplit('/').next()?;
        let copies = matches!(
            name,
            "ln" | "gln"
                | "mv"
                | "gmv"
                | "cp"
                | "gcp"
                | "rsync"
                | "install"
                | "ginstall"
                | "link"
                | "symlink"
        );
        let git = name == "git" && texts.by_ref().any(|word| word == "mv");
        (copies || git).then_some(())?;
        let links = matches!(name, "ln" | "gln" | "symlink");
        let operands: Vec<&str> = texts.filter(|text| !text.starts_with('-')).collect();
        // `ln -s /x/y` makes `y` here.
        let (from, to) = match operands.as_slice() {
            [only] if links => (vec![*only], "."),
            [from @ .., to] => (from.to_vec(), *to),
            [] => return None,
        };
        let mut pairs: Vec<(&str, &str)> = from.into_iter().map(|from| (from, to)).collect();
        // `ln -st DIR x`: whether it is that option, or the value of another one, the words may mean this as well.
        for to in folders_told(words) {
            pairs.extend(operands.iter().filter(|from| **from != to).map(|from| (*from, to)));
        }
        Some(Self { pairs, links })
    }
}

/// What options of `ln`, `cp` and the like name as the folder where to: `-tDIR`, `-st DIR`, `--target-directory=DIR`.
fn folders_told(words: &[Word]) -> Vec<&str> {
    let mut found = Vec::new();
    for pair in words.windows(2) {
        let text = |at: usize| pair.get(at).and_then(Word::literal);
        found.extend(text(0).and_then(|option| folder_of_option(option, text(1))));
    }
    found.extend(words.last().and_then(Word::literal).and_then(|option| folder_of_option(option, None)));
    found
}

fn folder_of_option<'w>(option: &'w str, next: Option<&'w str>) -> Option<&'w str> {
    if let Some(long) = option.strip_prefix("--") {
        return if long.starts_with("ta") {
            long.split_once('=').map(|(_, value)| value).or(next)
        } else {
            None
        };
    }
    let (_, glued) = option.strip_prefix('-')?.split_once('t')?;
    if glued.is_empty() { next } else { Some(glued) }
}

/// `ln -sr`, `ln -s --relative`: the target is told from the folder at hand.
fn makes_relative(word: &Word) -> bool {
    let Some(option) = word.literal().and_then(|text| text.strip_prefix('-')) else { return false };
    if let Some(long) = option.strip_prefix('-') { long.starts_with('r') } else { option.contains('r') }
}
