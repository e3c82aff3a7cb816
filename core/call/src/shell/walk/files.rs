//! Files that the line writes, fetches and runs, and what they hold by then.

use std::ops::Range;
use std::rc::Rc;

use crate::PathAccess;
use crate::shell::OpenWord;
use crate::shell::scripts::Script;

/// As many files are told apart.
const MOST: usize = 64;

/// What is known of a program's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileContent {
    /// All of it.
    Text(String),
    /// One of these, as far as the line tells, or anything else.
    Perhaps(Vec<String>),
    /// It is a file that is there, and an answer about the call is bound to what that holds.
    Bound,
    /// Nothing.
    Unknown,
}

/// A file that the line writes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WrittenFile {
    /// Where it is, if the folder is known.
    path: Option<PathAccess>,
    /// As it was written.
    name: String,
    /// What it may hold then, as far as the line tells.
    texts: Vec<String>,
    /// It is just the first of these, if it was written at all.
    sure: bool,
}

/// A file that is run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ExecutedFile {
    path: PathAccess,
    /// How many files had been made before, and how often some had been changed otherwise.
    made: usize,
    disturbed: usize,
}

/// Files that the line writes, fetches and runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LineFiles {
    made: Vec<WrittenFile>,
    run: Vec<ExecutedFile>,
    /// So often files that were made may have been changed otherwise than by a write.
    disturbed: usize,
    /// Files may have got other names, or be written by such: nobody knows which text is where.
    muddled: bool,
    /// Something was fetched or unpacked: files may be there that are not there yet.
    fetched: bool,
    /// The last parts of the addresses that were fetched.
    names: Vec<String>,
    /// There are too many of them to tell apart.
    many: bool,
    /// Parts of the line run more than once, later, or beside each other.
    out_of_order: bool,
    /// Some of them run beside each other, or later: what is written further on may be there before.
    beside: bool,
}

/// As many texts are kept of one file, and as long together.
const MOST_TEXTS: usize = 8;
const LONGEST: usize = 64 * 1024;

impl LineFiles {
    /// How many files were written by now.
    pub(super) fn written_count(&self) -> usize {
        self.made.len()
    }

    /// A file is written, with what is not known yet.
    pub(super) fn add_written(&mut self, path: Option<PathAccess>, name: String) {
        self.many |= self.made.len() >= MOST;
        if !self.many {
            self.made.push(WrittenFile { path, name, texts: Vec::new(), sure: false });
        }
    }

    /// The files at these places hold just `text`, or that behind what they held before.
    pub(super) fn set_content(&mut self, places: Range<usize>, text: &str, appended: bool) {
        let start = places.start.min(self.made.len());
        let (before, new) = self.made.split_at_mut(start);
        for made in new.iter_mut().take(places.len()) {
            made.texts = vec![text.to_owned()];
            // What it was put behind may be gone, or be there twice.
            made.sure = !appended && made.path.is_some();
            if appended {
                let same =
                    before.iter().filter(|other| made.path.as_ref().is_some_and(|path| other.is_at(path)));
                let others = same.flat_map(|other| &other.texts);
                let joined: Vec<_> =
                    others.chain([&text.to_owned()]).map(|first| format!("{first}{text}")).collect();
                made.texts.extend(joined.into_iter().rev());
                made.texts.truncate(MOST_TEXTS);
                made.texts.retain(|text| text.len() <= LONGEST);
            }
        }
    }

    /// What is at this place may be changed, be gone, or be something else; without one, that goes for any place.
    pub(super) fn mark_disturbed(&mut self, path: Option<&PathAccess>) {
        let Some(path) = path else {
            (self.muddled, self.disturbed) = (true, self.disturbed + 1);
            return;
        };
        for made in self.made.iter_mut().filter(|made| made.is_at(path) || made.lies_in(path)) {
            made.sure = false;
            self.disturbed += 1;
        }
    }

    /// Something is fetched, or told to be, from addresses that end in `names`.
    pub(super) fn add_fetched(&mut self, fetched: bool, names: impl Iterator<Item = String>) {
        self.fetched |= fetched;
        self.names.extend(names.take(MOST));
    }

    /// Whether files may be there that are not there yet.
    pub(super) fn has_fetched(&self) -> bool {
        self.fetched
    }

    /// A file is run; whether it can still be told which.
    pub(super) fn note_run(&mut self, path: &PathAccess) -> bool {
        self.many |= self.run.len() >= MOST;
        if !self.many {
            let (made, disturbed) = (self.made.len(), self.disturbed);
            self.run.push(ExecutedFile { path: path.clone(), made, disturbed });
        }
        !self.many
    }

    /// What a file holds that the line writes or brings; none for files that are simply there.
    ///
    /// A text is certain where it is the only one that the line gives to the file, and nothing in the line changes the file
    /// otherwise: if the write does not run after all, or fails, what is there is run as if the line did not write. Which
    /// one of several writes came last is not for the text to tell.
    pub(super) fn file_content(&self, path: &PathAccess, certain: bool) -> Option<FileContent> {
        let found: Vec<&WrittenFile> = self.made.iter().filter(|made| made.is_at(path)).collect();
        let brought = self.muddled || self.fetched || self.many;
        if let [made] = found.as_slice()
            && let (true, false, Some(text)) = (made.sure, brought, made.texts.first())
        {
            return Some(FileContent::Text(text.clone()));
        }
        if !found.is_empty() {
            // Under other names the texts of other files are there too.
            let all = self.made.iter().filter(|made| self.muddled || made.is_at(path));
            let texts: Vec<String> = all.flat_map(|made| made.texts.iter().cloned()).collect();
            return Some(if texts.is_empty() { FileContent::Unknown } else { FileContent::Perhaps(texts) });
        }
        // Nothing is there, so the line brings it.
        let name = path.lexical.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let named = self.names.iter().any(|other| *other == name);
        let missing = || Script::look_up(path).is_none();
        (named || certain && self.fetched && missing()).then_some(FileContent::Unknown)
    }

    /// Whether one was written at this place, or, where that is not known, under this very name.
    pub(super) fn has_written(&self, path: Option<&PathAccess>, name: &str) -> bool {
        self.made.iter().any(|made| path.map_or(made.name == name, |path| made.is_at(path)))
    }

    /// Whether one was written in the folder at this place, or below it.
    pub(super) fn wrote_below(&self, path: &PathAccess) -> bool {
        self.made.iter().any(|made| made.lies_in(path))
    }

    /// Whether one was written under this name in any folder.
    pub(super) fn made_by_name(&self, name: &str) -> bool {
        self.made.iter().any(|made| base_name(&made.name) == base_name(name))
    }

    /// Whether a word of which only a part is known could name one.
    pub(super) fn could_have_made(&self, open: &OpenWord) -> bool {
        self.made.iter().any(|made| made.could_be(open))
    }

    /// Parts of the line run again, later, or beside each other.
    pub(super) fn mark_out_of_order(&mut self) {
        self.out_of_order = true;
    }

    /// Whether they do.
    pub(super) fn is_out_of_order(&self) -> bool {
        self.out_of_order
    }

    /// Parts of the line run beside each other, or later.
    pub(super) fn mark_concurrent(&mut self) {
        self.beside = true;
    }

    /// Whether they do.
    pub(super) fn is_concurrent(&self) -> bool {
        self.beside
    }

    /// Whether this is the same, but for parts that may run beside each other.
    pub(super) fn same_but_concurrency(&self, other: &Self) -> bool {
        self == other || Self { beside: other.beside, ..self.clone() } == *other
    }

    /// What is written or changed after it was run, where that may run again.
    pub(super) fn changed_after_run(&self) -> Option<&PathAccess> {
        let changed = |run: &&ExecutedFile| {
            let is = |made: &WrittenFile| made.is_at(&run.path);
            let later = self.made.get(run.made..).unwrap_or_default();
            later.iter().any(is) || self.disturbed > run.disturbed && self.made.iter().any(is)
        };
        let run = self.run.iter().find(changed).filter(|_| self.out_of_order || self.beside);
        run.map(|run| &run.path)
    }

    /// What was written where the line is read in two ways: what either of them writes.
    pub(super) fn merge_readings(one: Rc<Self>, other: Rc<Self>) -> Rc<Self> {
        if one == other {
            return one;
        }
        let mut all = Rc::unwrap_or_clone(one);
        let other = Rc::unwrap_or_clone(other);
        let new: Vec<_> = other.made.into_iter().filter(|made| !all.made.contains(made)).collect();
        all.made.extend(new);
        all.run.extend(other.run);
        all.names.extend(other.names);
        all.disturbed = all.disturbed.max(other.disturbed);
        all.muddled |= other.muddled;
        all.fetched |= other.fetched;
        all.many |= other.many;
        all.out_of_order |= other.out_of_order;
        all.beside |= other.beside;
        Rc::new(all)
    }
}

impl WrittenFile {
    /// Whether a word of which only a part is known could name it.
    fn could_be(&self, open: &OpenWord) -> bool {
        let known = |piece: Option<&Option<String>>| piece.cloned().flatten().unwrap_or_default();
        let (start, end) = (known(open.pieces.first()), known(open.pieces.last()));
        let own = base_name(&self.name);
        self.path.is_none() || own.starts_with(base_name(&start)) && own.ends_with(&end)
    }

    /// Whether it stands in the folder at this place, or below it, or that is not known.
    fn lies_in(&self, folder: &PathAccess) -> bool {
        let Some(own) = &self.path else { return true };
        own.forms().any(|own| folder.forms().any(|form| own.starts_with(form)))
    }

    /// Whether it is the file, or, where nothing is known of it, a folder above.
    fn is_at(&self, path: &PathAccess) -> bool {
        let Some(own) = &self.path else {
            return path
                .lexical
                .file_name()
                .is_some_and(|other| other.to_string_lossy() == base_name(&self.name));
        };
        own.forms()
            .any(|own| path.forms().any(|form| form == own || self.texts.is_empty() && form.starts_with(own)))
    }
}

/// The last part of a name.
fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}
