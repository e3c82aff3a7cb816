//! Path patterns by the folder that they are about, or by a name or an ending that their paths have.

use std::path::PathBuf;

use rustc_hash::FxHashSet;

use super::names::Names;
use crate::fold::fold;
use crate::pattern::path::{Above, Anchor, Form, Part, Seen, below_text, names};
use mayi_call::shell::OpenPath;

/// Patterns for paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    /// By their place in the file system: `/srv/x` of `/srv/x/**`.
    absolute: Places,
    /// By their place in each root: `src` of `src/**`.
    rooted: Places,
    /// What `**/.git/hooks/**` is about in each root.
    placed: Places,
    /// At any depth, by a whole name: `.env`.
    named: Names,
    /// At any depth, by what stands behind a name's last dot: `pem`.
    ending: Names,
    /// At any depth.
    anywhere: Vec<u32>,
    /// Without any of these.
    others: Vec<u32>,
    all: Vec<u32>,
}

/// Patterns by folders.
#[derive(Clone, Debug, Default)]
struct Places {
    at: Names,
    /// In the order of names, to find those below a folder.
    sorted: Vec<(Box<str>, u32)>,
    /// Every folder above one of them.
    above: FxHashSet<Box<str>>,
    /// As many names has the longest of them.
    deepest: usize,
}

impl Places {
    fn add(&mut self, at: u32, place: &str) {
        self.at.add(at, Some(place));
        self.sorted.push((place.into(), at));
        self.above.insert("".into());
        self.above.extend(place.match_indices('/').filter_map(|(at, _)| place.get(..at)).map(Box::from));
        self.deepest = self.deepest.max(place.matches('/').count() + 1);
    }

    /// Those of a folder, and of every folder above it.
    fn up(&self, path: &str, found: &mut Vec<u32>) {
        if self.sorted.is_empty() {
            return;
        }
        let ends = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0).take(self.deepest);
        for end in ends {
            self.at.look(path.get(..end).unwrap_or_default(), found);
        }
        self.at.look(path, found);
    }

    /// Those of folders below it.
    fn down(&self, path: &str, found: &mut Vec<u32>) {
        let path = path.trim_end_matches('/');
        if !self.above.contains(path) {
            return;
        }
        let from = self.sorted.partition_point(|(place, _)| **place <= *path);
        let below = self.sorted.iter().skip(from).take_while(|(place, _)| place.starts_with(path));
        found.extend(below.filter(|(place, _)| path.is_empty() || is_below(place, path)).map(|(_, at)| at));
    }
}

fn is_below(place: &str, path: &str) -> bool {
    place.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
}

impl Paths {
    pub(super) fn add(&mut self, at: u32, forms: &[Form]) {
        self.all.push(at);
        for form in forms {
            let place = form.place().collect::<Vec<_>>().join("/");
            match form.anchor {
                Anchor::Absolute if !place.is_empty() => self.absolute.add(at, &format!("/{place}")),
                Anchor::Root(0) if !place.is_empty() => self.rooted.add(at, &place),
                Anchor::Anywhere => {
                    self.anywhere.push(at);
                    let placed: Vec<&str> = form.placed().map(names).unwrap_or_default();
                    if !placed.is_empty() {
                        self.placed.add(at, &placed.join("/"));
                    }
                    self.by_name(at, form);
                }
                _ => self.others.push(at),
            }
        }
    }

    fn by_name(&mut self, at: u32, form: &Form) {
        let name =
            form.folded.iter().filter_map(|part| if let Part::Name(name) = part { Some(name) } else { None });
        let mut ending = form.folded.iter().filter_map(|part| {
            let Part::Glob(glob) = part else { return None };
            glob.ending()?.rsplit_once('.').map(|(_, ending)| ending.to_owned())
        });
        match (name.max_by_key(|name| name.len()), ending.next_back()) {
            (Some(name), _) => self.named.add(at, Some(name)),
            (None, Some(ending)) => self.ending.add(at, Some(&ending)),
            (None, None) => self.others.push(at),
        }
    }

    pub(super) fn sort(&mut self) {
        for places in [&mut self.absolute, &mut self.rooted, &mut self.placed] {
            places.sorted.sort_unstable();
        }
        self.named.sort();
    }

    /// The patterns that could be about a path, or about something below it as far as `above` says.
    pub(super) fn about(&self, path: &Seen<'_>, above: Above, found: &mut Vec<u32>) {
        if self.all.is_empty() {
            return;
        }
        for form in path.forms() {
            let text = form.folded.as_ref();
            self.absolute.up(text, found);
            if !self.anywhere.is_empty() {
                text.split('/').filter(|name| !name.is_empty()).for_each(|name| self.of_name(name, found));
            }
            for rest in form.in_roots() {
                self.rooted.up(rest, found);
                if above != Above::No {
                    self.rooted.down(rest, found);
                    self.placed.down(rest, found);
                    // The place itself, where what is below it is meant.
                    self.placed.up(rest, found);
                }
            }
            if above != Above::No {
                self.absolute.down(text, found);
                if form.above_root {
                    self.rooted.down("", found);
                }
            }
        }
        if above.is_any() {
            found.extend(&self.anywhere);
        }
        found.extend(&self.others);
    }

    /// The patterns that could be about a path of which only parts are known.
    pub(super) fn could(&self, path: &OpenPath, roots: &[PathBuf], above: Above, found: &mut Vec<u32>) {
        let known = path.pieces.first().and_then(Option::as_deref).filter(|text| text.starts_with('/'));
        let up_again = path.pieces.iter().skip(1).flatten().any(|piece| piece.contains(".."));
        let Some(known) = known.filter(|_| !up_again) else {
            found.extend(&self.all);
            return;
        };
        // Up to the last slash, all of it is known.
        let folder = known.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = fold(folder);
        self.absolute.up(&folder, found);
        self.absolute.down(&folder, found);
        for rest in in_roots(&folder, roots) {
            self.rooted.up(rest, found);
            self.rooted.down(rest, found);
        }
        if roots.iter().any(|root| below_text(&fold(&root.to_string_lossy()), &folder, 0).is_some()) {
            self.rooted.down("", found);
        }
        self.anywhere(path, above, found);
        found.extend(&self.others);
    }

    /// Those at any depth: by the names that are known, in full or how they begin and end.
    fn anywhere(&self, path: &OpenPath, above: Above, found: &mut Vec<u32>) {
        if path.slashes || above.is_any() {
            found.extend(&self.anywhere);
            return;
        }
        // A glob stands within one name: what it leaves open is between a head and a tail.
        let text: Vec<String> = path
            .pieces
            .iter()
            .map(|piece| piece.as_ref().map_or_else(|| "\0".to_owned(), |text| fold(text).into_owned()))
            .collect();
        for name in text.concat().split('/').filter(|name| !name.is_empty()) {
            match (name.split_once('\0'), name.rsplit_once('\0')) {
                (Some((head, _)), Some((_, tail))) => {
                    self.named.between(head, tail, found);
                    match tail.rsplit_once('.') {
                        Some((_, ending)) => self.ending.look(ending, found),
                        None => self.ending.all(found),
                    }
                }
                _ => self.of_name(name, found),
            }
        }
    }

    fn of_name(&self, name: &str, found: &mut Vec<u32>) {
        self.named.look(name, found);
        if let Some((_, ending)) = name.rsplit_once('.') {
            self.ending.look(ending, found);
        }
    }
}

/// A path as it is seen from each root that it lies in.
fn in_roots<'a>(path: &'a str, roots: &[PathBuf]) -> impl Iterator<Item = &'a str> {
    roots.iter().filter_map(move |root| below_text(path, &fold(&root.to_string_lossy()), 0))
}
