//! Links that the line itself brings to places where none are yet: by a move, a copy, `ln`, a checkout, an archive.
//!
//! Where the names are known, what they stand for is followed (`moved_names.rs`). Where they are not, one rule holds: a path
//! that is not there now, or is not known, may lead anywhere behind a command that brought links there.

use std::path::{Path, PathBuf};

use super::Walker;
use super::link_bringers::{Bringer, Moves, base, leaves_links, packs, takes_unnamed};
use super::moved_names::goes_below;
use crate::shell::program::{self, CommandFacts};
use crate::shell::{OpenPath, OpenWord, Reach, Touch, TouchedPath, Use, Word};
use crate::{Access, LookupBudget, PathAccess, glob_matches, holds_links, is_in_no_folder, is_there};

/// As many places are told apart; where there are more, it could be any.
const MOST: usize = 64;
/// As many touches of earlier commands are looked at.
const MOST_TOUCHES: usize = 64;

/// Where links may be that are not there yet.
#[derive(Clone, Debug, Default)]
pub(super) struct BroughtLinks {
    /// Links that are there now, or that the line makes, are brought to these places, or below them.
    at: Vec<PathBuf>,
    /// The same, where it is known what each name there stands for.
    followed: Vec<PathBuf>,
    /// The same, nobody knows to where.
    anywhere: bool,
    /// Files of somebody else's are brought there, links perhaps among them.
    foreign: Vec<PathBuf>,
    /// Below these, somebody else's files get names that no word says.
    unnamed: Vec<PathBuf>,
}

impl BroughtLinks {
    /// Adds other places.
    pub(super) fn join(&mut self, other: Self) {
        let Self { at, followed, anywhere, foreign, unnamed } = other;
        self.anywhere |= anywhere;
        add(&mut self.at, at, &mut self.anywhere);
        add(&mut self.followed, followed, &mut self.anywhere);
        add(&mut self.foreign, foreign, &mut self.anywhere);
        add(&mut self.unnamed, unnamed, &mut self.anywhere);
    }
}

/// Whether a path may lead elsewhere than it does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    None,
    /// If there is a link among what somebody else has made.
    Perhaps,
    /// There are links, and one of them may stand there.
    Links,
}

impl Walker<'_> {
    /// Asks about what a command writes where links may be by then, and has rules look at what it reads there as at any path.
    /// Then notes whether it unpacks or checks out files that no word names.
    pub(super) fn check_brought_links(&mut self, words: &[Word], known: &mut CommandFacts) -> Option<String> {
        let mut asked = None;
        let words = words.get(known.transparent..).unwrap_or_default();
        let follows = !leaves_links(words);
        if self.may_hold_links() {
            let mut reads = false;
            for touch in known.touches.iter().filter(|touch| touch.reach != Reach::Said) {
                let writes = matches!(touch.how, Use::Write(_));
                let doubt = match &touch.path {
                    TouchedPath::Known(path) => self.doubt(&path.lexical, writes && follows),
                    TouchedPath::Open(open) => self.open_doubt(open, writes && follows),
                };
                let certain = doubt == Doubt::Links || writes;
                if doubt != Doubt::None && certain {
                    asked = asked.or_else(|| Some(reason(&touch.path)));
                }
                reads |= doubt != Doubt::None;
                reads |= (known.follows || !known.reader) && self.may_hold_brought(touch);
            }
            for (_, path) in &known.writes {
                match self.path_from_here(path) {
                    Some(path) if self.doubt(&path.lexical, follows) != Doubt::None => {
                        asked = asked.or_else(|| Some(reason(&TouchedPath::Known(path))));
                    }
                    None => asked = asked.or_else(|| Some(format!("a link may lead elsewhere: {path}"))),
                    Some(_) => {}
                }
            }
            if reads {
                known.touches.push(any_read());
            }
        }
        let unpacks = |touch: &&Touch| matches!(touch.how, Use::Write(_)) && touch.reach == Reach::Somewhere;
        if known.touches.iter().any(|touch| unpacks(&touch)) {
            self.note_unpacked();
        }
        if takes_unnamed(words) {
            let places = known.touches.iter().filter(unpacks).map(|touch| match &touch.path {
                TouchedPath::Known(path) => path.lexical.clone(),
                // It could be anywhere.
                TouchedPath::Open(_) => PathBuf::from("/"),
            });
            add(&mut self.out.brought.unnamed, places.collect(), &mut self.out.brought.anywhere);
        }
        asked
    }

    /// The same of a file that a redirection opens.
    pub(super) fn check_redirected_path(&mut self, path: &TouchedPath, writes: bool) {
        let doubt = match path {
            TouchedPath::Known(path) => self.doubt(&path.lexical, writes),
            TouchedPath::Open(open) => self.open_doubt(open, writes),
        };
        if doubt == Doubt::Links || writes && doubt == Doubt::Perhaps {
            self.note_caveat(true, reason(path));
        } else if doubt == Doubt::Perhaps {
            self.noted.touches.push(any_read());
        }
    }

    /// Keeps where a command of these words may bring links.
    pub(super) fn note_brought_links(&mut self, words: &[Word]) {
        match Bringer::of(words) {
            Some(Bringer::Moves(moves)) => self.note_moves(&moves),
            Some(Bringer::Takes(paths)) => {
                let places: Option<Vec<PathBuf>> = paths.iter().map(|word| self.place_of(word)).collect();
                match places.filter(|places| !places.is_empty()) {
                    Some(places) if !self.has_brought() => {
                        add(&mut self.out.brought.foreign, places, &mut false)
                    }
                    _ => {
                        self.note_unpacked();
                        // Into any folder that its words may name.
                        let top = vec![PathBuf::from("/")];
                        add(&mut self.out.brought.unnamed, top, &mut false);
                    }
                }
            }
            None => {}
        }
    }

    fn note_moves(&mut self, moves: &Moves<'_>) {
        let places: Vec<Option<PathBuf>> = moves.operands.iter().map(|word| self.place_of(word)).collect();
        let from = if moves.plain { places.len().saturating_sub(1) } else { places.len() };
        let sources = if moves.links { Source::Made } else { self.sources(moves, from) };
        let all = !moves.hidden && places.iter().all(Option::is_some);
        let known: Vec<PathBuf> = places.iter().flatten().cloned().collect();
        let to = places.last().cloned().flatten().filter(|_| moves.plain && places.len() > 1);
        let brought = &mut self.out.brought;
        match (sources, to) {
            (Source::Plain, _) => {}
            (Source::Foreign, _) if all => add(&mut brought.foreign, known, &mut brought.anywhere),
            (Source::Foreign, _) => self.out.unpacked = true,
            // What these names stand for is followed; where a link that the line makes leads, only from where it was made.
            (Source::There, _) if all && moves.plain => {
                add(&mut brought.followed, known, &mut brought.anywhere)
            }
            (Source::Made, _) if all && moves.links => {
                add(&mut brought.followed, known, &mut brought.anywhere)
            }
            (_, Some(to)) => add(&mut brought.at, vec![to], &mut brought.anywhere),
            _ if all => add(&mut brought.at, known, &mut brought.anywhere),
            _ => brought.anywhere = true,
        }
    }

    /// What is among the files that get other names: those of the first `count` operands.
    fn sources(&self, moves: &Moves<'_>, count: usize) -> Source {
        let mut budget = self.looked.brief_budget();
        let found = moves.operands.iter().take(count).map(|word| match word {
            Word::Open(_) if self.has_brought() => Source::Made,
            Word::Open(open) => self.open_source(open, &mut budget),
            Word::Literal(_) => {
                self.place_of(word).map_or(Source::There, |place| self.source(&place, &mut budget))
            }
        });
        found.max().unwrap_or(Source::Plain)
    }

    fn source(&self, place: &Path, budget: &mut LookupBudget) -> Source {
        if self.has_brought_below(place) {
            return Source::Made;
        }
        if holds_links(place, budget) {
            return Source::There;
        }
        match self.doubt(place, false) {
            Doubt::Links => Source::Made,
            Doubt::Perhaps => Source::Foreign,
            Doubt::None => Source::Plain,
        }
    }

    /// The same of a word that is not known: the names that a glob gives now, and otherwise any below the folder.
    fn open_source(&self, open: &OpenWord, budget: &mut LookupBudget) -> Source {
        let Some(folder) = self.place.folder.known_path() else { return Source::There };
        let path = program::open_path_of(open, Some(folder), &self.looked);
        // What a loop goes through begins in a folder, and a name there does not go up.
        let below = path.pieces.first().and_then(Option::as_deref).and_then(|text| text.rsplit_once('/'));
        let below = below.filter(|(at, _)| path.stays_below && at.starts_with('/'));
        let held = if path.slashes {
            holds_links(below.map_or(folder, |(at, _)| Path::new(at)), budget)
        } else {
            glob_matches(&path.pieces, false, budget).is_none_or(|given| {
                given.iter().any(|given| given.linked || holds_links(&given.path, budget))
            })
        };
        if held {
            return Source::There;
        }
        if self.out.unpacked || !self.out.brought.foreign.is_empty() {
            Source::Foreign
        } else {
            Source::Plain
        }
    }

    /// Files come from an archive or a repository, and nobody knows which. They are those that the line has put in there, if
    /// it has put any.
    fn note_unpacked(&mut self) {
        self.out.unpacked = true;
        let mut budget = self.looked.brief_budget();
        let mut packed = |touch: &Touch| match &touch.path {
            TouchedPath::Known(path) if !matches!(touch.how, Use::Write(_)) => {
                holds_links(&path.lexical, &mut budget)
            }
            _ => false,
        };
        let packed = self.out.accesses.iter().any(|access| match access {
            Access::Shell(shell) if packs(&shell.words) => {
                // What a commit holds is not looked up.
                shell.words.first().and_then(base) == Some("git")
                    || shell.touches.iter().take(MOST_TOUCHES).any(&mut packed)
            }
            _ => false,
        });
        self.out.brought.anywhere |= packed || self.has_brought();
    }

    /// Whether there is anything to look for.
    fn may_hold_links(&self) -> bool {
        self.out.unpacked || self.has_brought() || !self.out.brought.foreign.is_empty()
    }

    /// Whether the line itself has brought or made a link.
    fn has_brought(&self) -> bool {
        let brought = &self.out.brought;
        brought.anywhere || !brought.at.is_empty() || !brought.followed.is_empty()
    }

    /// Whether it has put one there, or below.
    fn has_brought_below(&self, place: &Path) -> bool {
        let brought = &self.out.brought;
        brought.at.iter().chain(&brought.followed).any(|at| at.starts_with(place) || place.starts_with(at))
    }

    /// Whether what goes below this path may come by links that the line has brought there, and nobody knows where these lead.
    fn may_hold_brought(&self, touch: &Touch) -> bool {
        let TouchedPath::Known(path) = &touch.path else { return false };
        let below = |at: &PathBuf| path.forms().any(|form| at.starts_with(form));
        goes_below(touch) && self.out.brought.at.iter().any(below)
    }

    /// With `follows`, it is written to, and a link of just this name would be followed.
    fn doubt(&self, path: &Path, follows: bool) -> Doubt {
        let brought = &self.out.brought;
        let within = |places: &[PathBuf]| places.iter().any(|at| path.starts_with(at));
        if !self.may_hold_links() || is_there(path) {
            return Doubt::None;
        }
        if brought.anywhere || within(&brought.at) {
            return Doubt::Links;
        }
        let foreign = within(&brought.foreign)
            || self.out.unpacked && is_in_no_folder(path)
            || follows && within(&brought.unnamed);
        if foreign { Doubt::Perhaps } else { Doubt::None }
    }

    fn open_doubt(&self, open: &OpenPath, follows: bool) -> Doubt {
        let brought = &self.out.brought;
        let within = |places: &[PathBuf]| places.iter().any(|at| could_lie_in(open, at));
        if brought.anywhere || within(&brought.at) || within(&brought.followed) {
            return Doubt::Links;
        }
        // The last name of all may be any, as where it is known.
        let folder_is_open = open.slashes
            || open
                .pieces
                .iter()
                .rev()
                .skip_while(|piece| piece.as_ref().is_none_or(|text| !text.contains('/')))
                .skip(1)
                .any(Option::is_none);
        let unmade = || {
            let known = open.pieces.first().and_then(Option::as_deref).and_then(|text| text.rsplit_once('/'));
            known.is_some_and(|(folder, _)| is_in_no_folder(&Path::new(folder).join("x")))
        };
        let foreign = within(&brought.foreign)
            || self.out.unpacked && (folder_is_open || unmade())
            || follows && within(&brought.unnamed);
        if foreign { Doubt::Perhaps } else { Doubt::None }
    }

    /// Where a word leads by its text; none if that is not known.
    fn place_of(&self, word: &Word) -> Option<PathBuf> {
        let path = self.path_from_here(word.literal()?)?;
        path.unresolved.is_none().then_some(path.lexical)
    }
}

/// What is among files that get other names: the worst counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Plain,
    Foreign,
    /// A link that is there now.
    There,
    /// One that the line has brought.
    Made,
}

fn add(places: &mut Vec<PathBuf>, more: Vec<PathBuf>, many: &mut bool) {
    for place in more {
        if places.len() >= MOST {
            *many = true;
        } else if !places.contains(&place) {
            places.push(place);
        }
    }
}

/// Whether an open path could be a place, or lie below it.
fn could_lie_in(open: &OpenPath, place: &Path) -> bool {
    const GAP: char = '\0';
    let Some(place) = place.to_str() else { return true };
    let text: String = open.pieces.iter().map(|piece| piece.as_deref().unwrap_or("\0").to_owned()).collect();
    let known = text.split(GAP).next().unwrap_or_default();
    if !known.starts_with('/') || open.slashes {
        return !known.starts_with('/') || place.starts_with(known) || Path::new(known).starts_with(place);
    }
    let mut names = text.split('/').filter(|name| !name.is_empty());
    place.split('/').filter(|name| !name.is_empty()).all(|wanted| {
        names.next().is_some_and(|name| match (name.split_once(GAP), name.rsplit_once(GAP)) {
            (Some((begin, _)), Some((_, end))) => {
                wanted.starts_with(begin) && wanted.ends_with(end) || begin.contains('[') || end.contains(']')
            }
            _ => name == wanted,
        })
    })
}

/// It reads some file, and nobody knows which.
fn any_read() -> Touch {
    let given = "where links lead that are not there yet".to_owned();
    let path = OpenPath { given, pieces: vec![None], slashes: true, stays_below: false, looked_up: false };
    Touch { path: TouchedPath::Open(path), how: Use::Read, reach: Reach::Itself }
}

/// Why such a path is asked about.
fn reason(path: &TouchedPath) -> String {
    let shown = match path {
        TouchedPath::Known(PathAccess { lexical, .. }) => lexical.display().to_string(),
        TouchedPath::Open(open) => open.given.clone(),
    };
    format!("what the line brings there before decides where {shown} leads")
}
