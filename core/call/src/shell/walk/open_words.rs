//! Readers with words that are only known when the line runs (D2.10): what such a word gives now is looked
//! up, and the command is judged with that.
//!
//! Names in a repository are hostile: one may look like an option, and another may lead elsewhere. So two things have to
//! hold. Whatever names there will be, they are files that are read and nothing else: the command is judged with names that
//! nobody has. And the names that are there now may be read: each is a path of its own for denials and protection.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::print_only::{keeps_nothing, only_prints_words};
use super::xargs::{is_plain_in_names, parse_xargs, stay_whole};
use super::{Walker, tame_words};
use crate::shell::file_search::ListedFiles;
use crate::shell::program::{self, Command, CommandFacts, open_path_of};
use crate::shell::{CaveatSubject, OpenPath, OpenWord, Reach, Search, Touch, TouchedPath, Use, Word};
use crate::{LookupBudget, PathAccess, glob_matches};

/// As many names are looked at, each by itself.
const MAX_NAMES: usize = 2_000;

/// As many, where it matters what lies below each.
const MAX_FOLDERS: usize = 64;

/// Names that nobody has, in place of those that a word gives.
pub(super) const UNUSED: [&str; 2] = ["mayi-one", "mayi-other"];

/// One that looks like an option.
const OPTION: &str = "--mayi-one";

/// The name of a pipe that a process substitution becomes.
const PIPE: &str = "/dev/fd/63";

/// A word of a command, as it is looked at here.
enum WordSlot {
    /// Its text is known.
    Text(Word),
    /// It gives names of files.
    Names(Box<FileNames>),
}

/// A word that gives names of files.
struct FileNames {
    /// Known text, and `None` for each gap.
    pieces: Vec<Option<String>>,
    /// It may become several words.
    splits: bool,
    /// The folder that its names begin in.
    folder: PathBuf,
    from: NameSource,
    now: Vec<PathBuf>,
    /// The glob that gives them, for rules about what may be there by then.
    glob: Option<Touch>,
}

/// Where names come from.
enum NameSource {
    /// The shell gives those that fit.
    Glob(OpenPath),
    /// A search prints them.
    Search,
}

impl WordSlot {
    fn file_names(&self) -> Option<&FileNames> {
        match self {
            Self::Text(_) => None,
            Self::Names(names) => Some(names),
        }
    }

    fn set_splits(&mut self, splits: bool) {
        if let Self::Names(names) = self {
            names.splits = splits;
        }
    }

    /// The words that it is, where `put` says what names become.
    fn words_with(&self, put: impl Fn(&FileNames) -> Vec<String>) -> Vec<Word> {
        match self {
            Self::Text(word) => vec![word.clone()],
            Self::Names(names) => put(names).into_iter().map(Word::Literal).collect(),
        }
    }
}

impl FileNames {
    /// Its text with this in each gap.
    fn fill_gaps(&self, with: &str) -> String {
        self.pieces.iter().map(|piece| piece.as_deref().unwrap_or(with)).collect()
    }

    /// Names that nobody has: several, if it can become several words.
    fn unused_names(&self) -> Vec<String> {
        let several = if self.splits { UNUSED.len() } else { 1 };
        UNUSED.iter().take(several).map(|name| self.fill_gaps(name)).collect()
    }

    /// The same, and one that looks like an option, where nothing known stands before its name.
    fn unused_options(&self) -> Vec<String> {
        let option = self.is_bare().then(|| self.fill_gaps(OPTION));
        match self.splits {
            true => self.unused_names().into_iter().chain(option).collect(),
            false => option.map_or_else(|| self.unused_names(), |option| vec![option]),
        }
    }

    /// The folder that it begins in, for how far below the command goes.
    fn starting_folders(&self) -> Vec<String> {
        let begun = self.pieces.first().and_then(Option::clone).unwrap_or_else(|| ".".to_owned());
        if matches!(self.from, NameSource::Search) { vec![begun] } else { self.unused_names() }
    }

    /// Whether a name of somebody else's choice stands at its very beginning.
    fn is_bare(&self) -> bool {
        self.pieces.first().is_none_or(Option::is_none)
    }

    /// Whether a program could take `path`, which it gives now, for something else than a file.
    fn is_misleading(&self, path: &Path) -> bool {
        let name = path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy();
        self.is_bare() && name.starts_with(['-', '+', '@', '='])
    }

    /// How far below the command goes, if it reads what this gives. `known`: as it stands; `searched`: with the folder in
    /// place of what a search finds there.
    fn read_reach(&self, known: &CommandFacts, searched: Option<&CommandFacts>) -> Option<Reach> {
        let touches =
            if matches!(self.from, NameSource::Search) { &searched?.touches } else { &known.touches };
        let mut of_this = touches.iter().filter(|touch| match (&touch.path, &self.from) {
            (TouchedPath::Open(open), NameSource::Glob(path)) => open == path,
            (TouchedPath::Known(path), NameSource::Search) => path.resolved == self.folder,
            _ => false,
        });
        let (first, more) = (of_this.next()?, of_this.next());
        (more.is_none() && first.how == Use::Read).then_some(first.reach)
    }
}

impl Walker<'_> {
    /// Has a command be a reader that is none only because some of its words are not literal, if they give names that it
    /// reads, and those may be read. `input`: what it is given to read, if a search prints that.
    /// Returns whether it is one for that reason.
    pub(super) fn accept_as_reader(
        &self,
        words: &[Word],
        known: &mut CommandFacts,
        input: Option<&Search>,
    ) -> bool {
        if !known.reader && !known.lost && self.only_prints(words, known) {
            known.reader = true;
            known.caveats.clear();
            return true;
        }
        if !known.reader && (self.tells_variables(words, known) || keeps_nothing(words, known)) {
            known.reader = true;
            known.touches.clear();
            known.writes.clear();
            return true;
        }
        // Something earlier may make names; where the folder is not known, nothing can be looked up.
        if known.reader
            || known.lost
            || self.could_have_made_files()
            || !self.place.folder.candidates().is_empty()
        {
            return false;
        }
        let Some(cwd) = self.place.folder.known_path() else { return false };
        let command = Command::with_input(words, cwd, &self.looked, &self.repositories);
        let touches = match words.first().and_then(Word::literal).map(program::name_of) {
            Some("xargs") => self.reads_input(&command, known, input),
            Some("find") => self.reads_found(&command, known),
            _ => self.reads_words(&command, known),
        };
        let Some(touches) = touches else { return false };
        known.reader = true;
        known.caveats.clear();
        known.touches.extend(touches);
        true
    }

    /// What a command prints, if that are names that a search finds. `input`: what it is given to read, if a search prints
    /// that.
    pub(super) fn printed_search(
        &self,
        words: &[Word],
        known: &CommandFacts,
        input: Option<&Arc<Search>>,
    ) -> Option<Arc<Search>> {
        let words = words.get(known.transparent..).filter(|_| known.reader)?;
        if let Some(through) = input.and_then(|search| Search::filtered_by(search, words)) {
            return Some(through);
        }
        if let Some(search) =
            self.place.folder.known_path().and_then(|folder| Search::of_index(words, folder))
        {
            return Some(Arc::new(search));
        }
        let mut folders: Vec<(&str, &PathAccess)> = Vec::new();
        for touch in &known.touches {
            match &touch.path {
                TouchedPath::Known(path) if touch.how == Use::Read => folders.push((&path.given, path)),
                TouchedPath::Known(_) if touch.how == Use::Either => {}
                _ => return None,
            }
        }
        Search::from_command(words, &folders).filter(|_| !folders.is_empty()).map(Arc::new)
    }

    /// What a command reads now whose words give names.
    fn reads_words(&self, command: &Command<'_>, known: &CommandFacts) -> Option<Vec<Touch>> {
        let open = || command.words.iter().filter(|word| matches!(word, Word::Open(_)));
        // A number is judged below with one in its place, and so is a commit.
        let is_tame = |word: &Word| tame_words::is_tame(word, command, known);
        let tame = open().all(is_tame);
        let plain = known.caveats.is_empty() || tame && !known.caveats.iter().any(|caveat| caveat.always);
        if open().next().is_none() || !plain || !known.inner.is_empty() || !known.writes.is_empty() {
            return None;
        }
        let mut budget = self.looked.brief_budget();
        let slots = command.words.iter().map(|word| match word {
            Word::Open(open) if is_tame(word) => {
                Some(vec![WordSlot::Text(Word::Literal(tame_words::with_zero(open)))])
            }
            word => self.word_slots(word, &mut budget),
        });
        let slots = slots.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect::<Vec<_>>();
        let mut touches = self.read_now(command, known, &slots)?;
        // A number is no name of a file that anybody meant.
        let numbers: Vec<String> = open().filter_map(tame_words::bare_number).collect();
        let is_number =
            |touch: &Touch| matches!(&touch.path, TouchedPath::Known(path) if numbers.contains(&path.given));
        if touches.iter().any(is_number) {
            return None;
        }
        if open().any(is_tame) {
            // It may be nothing, too.
            let mut slots = Vec::new();
            for word in command.words {
                match word {
                    Word::Open(open) if is_tame(word) => {
                        slots.extend(tame_words::without_gaps(open).map(WordSlot::Text))
                    }
                    word => slots.extend(self.word_slots(word, &mut budget)?),
                }
            }
            touches.extend(self.read_now(command, known, &slots)?);
            // With one number or another it may be a name that is there.
            for word in command.words {
                if let Word::Open(open) = word
                    && is_tame(word)
                    && open.pieces.len() > 1
                {
                    let any = OpenWord { glob: true, splits: false, text: String::new(), ..open.clone() };
                    touches.extend(self.read_each(&self.glob_names(&any, &mut budget)?)?);
                }
            }
        }
        Some(touches)
    }

    /// What a command reads now that `xargs` gives the names of `search`.
    fn reads_input(
        &self,
        command: &Command<'_>,
        known: &CommandFacts,
        search: Option<&Search>,
    ) -> Option<Vec<Touch>> {
        let (options, inner) = parse_xargs(command.words)?;
        if known.caveats.is_empty() && only_prints_words(command, inner) {
            return Some(Vec::new());
        }
        let search = search?;
        if !known.caveats.is_empty()
            || known.inner.len() != 1
            || !known.writes.is_empty()
            || options.zero != search.zero
        {
            return None;
        }
        let found = names_of(search, !search.zero, &mut self.looked.brief_budget())?;
        let mut slots: Vec<WordSlot> = Vec::new();
        let mut found = Some(found);
        for word in inner {
            match word.literal()? {
                text if Some(text) == options.mark => slots.extend(found.take()?),
                text if options.mark.is_some_and(|mark| text.contains(mark)) => return None,
                _ => slots.push(WordSlot::Text(word.clone())),
            }
        }
        match (options.mark, found) {
            (None, Some(found)) => slots.extend(found),
            (Some(_), None) => {}
            _ => return None,
        }
        self.read_now(command, known, &slots)
    }

    /// What `find -exec` has a command read now.
    fn reads_found(&self, command: &Command<'_>, known: &CommandFacts) -> Option<Vec<Touch>> {
        let exec = command.words.iter().position(|word| word.literal() == Some("-exec"))?;
        let end = program::end_of_exec(command.words, exec + 1);
        let inner = command.words.get(exec + 1..end)?;
        let named =
            |named: &CaveatSubject| matches!(named, CaveatSubject::Words(places) if places.contains(&exec));
        if known.inner.len() != 1 || known.caveats.iter().any(|caveat| caveat.always || !named(&caveat.named))
        {
            return None;
        }
        // It searches as it would without that.
        let mut outer: Vec<Word> = command.words.get(..exec)?.to_vec();
        outer.extend(command.words.get(end + 1..)?.iter().cloned());
        let searching = program::analyze_command(&Command { words: &outer, ..*command });
        // What stands behind it says nothing of what it is run for.
        let search = self.printed_search(command.words.get(..exec)?, &searching, None)?;
        let mut found = Some(names_of(&search, false, &mut self.looked.brief_budget())?);
        let mut slots: Vec<WordSlot> = Vec::new();
        for word in inner {
            match word.literal()? {
                "{}" => slots.extend(found.take()?),
                text if text.contains("{}") => return None,
                _ => slots.push(WordSlot::Text(word.clone())),
            }
        }
        if found.is_some() {
            return None;
        }
        self.read_now(command, known, &slots)
    }

    /// A word, and what it gives now.
    fn word_slots(&self, word: &Word, budget: &mut LookupBudget) -> Option<Vec<WordSlot>> {
        let open = match word {
            Word::Literal(_) => return Some(vec![WordSlot::Text(word.clone())]),
            Word::Open(open) if open.text.starts_with("<(") => {
                return Some(vec![WordSlot::Text(PIPE.into())]);
            }
            Word::Open(open) => open,
        };
        if let Some(assigned) = &open.assigned {
            return Some(vec![WordSlot::Text(Word::Literal(assigned.clone()))]);
        }
        match &open.search {
            Some(search) if !search.zero => {
                let mut slots = names_of(search, true, budget)?;
                slots.iter_mut().for_each(|slot| slot.set_splits(open.splits));
                Some(slots)
            }
            Some(_) => None,
            None => {
                let names = self.glob_names(open, budget)?;
                // A glob that fits nothing stays as it is written, and this one is an option whatever it gives.
                let option =
                    names.pieces.first().and_then(Option::as_deref).is_some_and(|text| text.starts_with('-'));
                if option && names.now.is_empty() {
                    return Some(vec![WordSlot::Text(Word::Literal(names.fill_gaps("*")))]);
                }
                Some(vec![WordSlot::Names(Box::new(names))])
            }
        }
    }

    /// What a glob gives now.
    fn glob_names(&self, open: &OpenWord, budget: &mut LookupBudget) -> Option<FileNames> {
        let climbs = open.pieces.iter().flatten().any(|piece| piece.split('/').any(|name| name == ".."));
        // What stands in a group of alternatives may be more than a name.
        if !(open.glob || open.split_name) || climbs || open.text.contains('(') {
            return None;
        }
        let here = self.place.folder.known_path();
        // As the command has it, and as the glob gave it.
        let written = open_path_of(open, here, &self.looked);
        let path = open_path_of(&OpenWord { glob: true, ..open.clone() }, here, &self.looked);
        let begun = path.pieces.first().and_then(Option::as_deref).filter(|text| text.starts_with('/'))?;
        let folder = PathBuf::from(begun.rsplit_once('/').map_or("/", |(folder, _)| folder));
        // `**` goes down any number of folders, or is a star.
        let deep = open.text.contains("**");
        if path.slashes && !deep {
            return None;
        }
        let mut given = glob_matches(&path.pieces, false, budget)?;
        if deep {
            given.extend(glob_matches(&path.pieces, true, budget)?);
        }
        let now: Vec<PathBuf> = given.into_iter().map(|given| given.path).collect();
        if open.split_name && !stay_whole(&open.pieces, &folder, &now) {
            return None;
        }
        let (pieces, splits, from) = (open.pieces.clone(), open.splits, NameSource::Glob(written));
        let glob = Some(Touch { path: TouchedPath::Open(path), how: Use::Read, reach: Reach::Itself });
        (now.len() <= MAX_NAMES).then_some(FileNames { pieces, splits, folder, from, now, glob })
    }

    /// What a command of these `slots` reads now, where `known` is known of `command`; none if it may do anything else with
    /// what they give than to read files.
    fn read_now(
        &self,
        command: &Command<'_>,
        known: &CommandFacts,
        slots: &[WordSlot],
    ) -> Option<Vec<Touch>> {
        let judged = |put: fn(&FileNames) -> Vec<String>| {
            let words: Vec<Word> = slots.iter().flat_map(|slot| slot.words_with(put)).collect();
            let known = program::analyze_command(&Command { words: &words, ..*command });
            (known.reader && known.caveats.is_empty()).then_some(known)
        };
        let among = judged(FileNames::unused_names)?;
        let names = || slots.iter().filter_map(WordSlot::file_names);
        if among.prints_words {
            return Some(Vec::new());
        }
        // What variables of the line hold is read as if it stood there.
        let stands = |touch: &&Touch| match &touch.path {
            TouchedPath::Known(path) => {
                path.given != PIPE && !UNUSED.iter().any(|name| path.given.contains(name))
            }
            TouchedPath::Open(_) => true,
        };
        let mut touches: Vec<Touch> = among.touches.iter().filter(stands).cloned().collect();
        touches.extend(names().filter_map(|names| names.glob.clone()));
        touches.retain(|touch| !known.touches.contains(touch));
        if names().any(FileNames::is_bare) && judged(FileNames::unused_options).is_none() {
            let misled = names().any(|names| names.now.iter().any(|path| names.is_misleading(path)));
            if misled || !among.harmless_options {
                return None;
            }
        }
        let searched = judged(FileNames::starting_folders);
        let reach = |names: &FileNames| names.read_reach(known, searched.as_ref());
        let reach: Vec<Reach> = names().map(reach).collect::<Option<_>>()?;
        if reach.iter().all(|reach| *reach == Reach::Itself) {
            for names in names() {
                touches.extend(self.read_each(names)?);
            }
            return Some(touches);
        }
        // What lies below counts too: where links there lead, for example.
        let count: usize = names().map(|names| names.now.len()).sum();
        let text = names().all(|names| names.now.iter().all(|path| path.to_str().is_some()));
        let texts = |names: &FileNames| {
            names.now.iter().filter_map(|path| path.to_str().map(str::to_owned)).collect()
        };
        let globs = names().all(|names| matches!(names.from, NameSource::Glob(_)));
        (globs && text && count <= MAX_FOLDERS).then(|| judged(texts))?.map(|known| known.touches)
    }

    /// Each path that the names give now, as one that is read.
    fn read_each(&self, names: &FileNames) -> Option<Vec<Touch>> {
        let touch = |path: &PathBuf| {
            let (folder, name) = (path.parent()?, path.file_name()?.to_str()?);
            Some(Touch::known_path(self.looked.path_access(folder, name), Use::Read))
        };
        names.now.iter().map(touch).collect()
    }
}

/// Each path that one of these could be is a touch of its own.
pub(super) fn looked_up(touches: &mut [Touch]) {
    for touch in touches {
        if let TouchedPath::Open(path) = &mut touch.path {
            path.looked_up = true;
        }
    }
}

/// What a search prints now; `split`: where blanks end a name, and quotes and globs are read. None if that is too much, or
/// not the names that it finds.
fn names_of(search: &Search, split: bool, budget: &mut LookupBudget) -> Option<Vec<WordSlot>> {
    let mut slots = Vec::new();
    let mut count = 0;
    for folder in &search.folders {
        let now = folder.list_paths(budget)?;
        let plain = is_plain_in_names;
        let whole = |path: &PathBuf| {
            let below = path.strip_prefix(&folder.path).ok().and_then(Path::to_str);
            // Git puts quotes around other names.
            below.is_some_and(|below| {
                below.chars().all(plain) && (folder.printed != ListedFiles::Tracked || below.is_ascii())
            })
        };
        if split && !(folder.prefix.chars().all(plain) && now.iter().all(whole))
            || folder.prefix.starts_with('-')
        {
            return None;
        }
        count += now.len();
        let prefix = Some(folder.prefix.clone()).filter(|prefix| !prefix.is_empty());
        let pieces = prefix.map(Some).into_iter().chain([None]).collect();
        let (folder, from) = (folder.path.clone(), NameSource::Search);
        let names = FileNames { pieces, splits: true, folder, from, now, glob: None };
        slots.push(WordSlot::Names(Box::new(names)));
    }
    (count <= MAX_NAMES && !slots.is_empty()).then_some(slots)
}
