//! Simple commands.

use brush_parser::ast::{AssignmentValue, CommandPrefixOrSuffixItem as Item, SimpleCommand, Word as Node};

use super::parts::{Parts, behind, is_keyword, named, onto_output, piped};
use super::redirect::Feed;
use super::refusals::{glued_substitution, named_descriptor, open_subscript, stray_array};
use super::reopen::is_bare_exec;
use super::{Folder, Walker, assign, fed};
use crate::shell::expand::Place;
use crate::shell::program::{self, Command, Inner, Known, Moves};
use crate::shell::refused::{Refused, Result};
use crate::shell::{
    Caveat, Dialect, Named, ShellAccess, Touch, Use, Word, bounds, builtins, candidates, foreign,
};
use crate::{Access, PathAccess, WriteKind};

impl Walker<'_> {
    /// One simple command; `timed` if the word `time` stood before it.
    pub(super) fn simple(&mut self, of: &SimpleCommand, timed: bool) -> Result<()> {
        named_descriptor(of)?;
        open_subscript(of)?;
        stray_array(of)?;
        let mark = self.out.len();
        let mut parts = Parts::default();
        let mut words: Vec<Word> = Vec::new();
        let prefix = of.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = of.suffix.iter().flat_map(|suffix| &suffix.0);
        for item in prefix {
            match item {
                Item::AssignmentWord(assignment, word) => {
                    parts.assignments.extend(self.assignment(assignment, &word.value)?);
                    parts.caveats.append(&mut self.notes);
                }
                item => self.item(item, &mut words, &mut parts)?,
            }
        }
        if let Some(name) = &of.word_or_name {
            self.item(&Item::Word(name.clone()), &mut words, &mut parts)?;
        }
        for item in suffix {
            self.item(item, &mut words, &mut parts)?;
        }
        parts.touches.append(&mut self.touches);
        // `time -f %e make`, where `time` is a program.
        let program = timed && words.first().is_some_and(|word| word.prefix().starts_with('-'));
        let program = program && words.first().and_then(Word::literal) != Some("--");
        if program {
            words.insert(0, "time".into());
            parts.caveats.iter_mut().for_each(|caveat| {
                if let Named::Words(places) = &mut caveat.named {
                    places.iter_mut().for_each(|place| *place += 1);
                }
            });
        }
        let timed = timed && !program;
        // `time -- make`
        if timed && words.first().and_then(Word::literal) == Some("--") {
            words.remove(0);
            parts.caveats.iter_mut().for_each(|caveat| caveat.named = behind(&caveat.named, 1));
        }
        let found = self.out.len();
        if words.is_empty() {
            self.without_words(parts);
        } else if self.posix() && words.first().and_then(Word::literal).is_some_and(is_keyword) {
            // No such command is found, but its words were expanded.
            self.without_words(Parts { assignments: Vec::new(), ..parts });
        } else {
            foreign::check(&words)?;
            let outputs = std::mem::take(&mut parts.outputs);
            let opens = (parts.feed != Feed::Nothing && is_bare_exec(&words))
                .then(|| (parts.feed.clone(), self.offered.clone()));
            let timed = timed.then(|| std::iter::once("time".into()).chain(words.clone()).collect());
            self.command(words, parts)?;
            if let Some(text) = self.wrote.clone() {
                outputs.iter().for_each(|(at, appended)| self.holds_text(*at..*at + 1, &text, *appended));
            }
            if let Some((feed, offered)) = opens {
                self.reopens(&feed, &offered);
            }
            if let (Some(timed), Some(Access::Shell(shell))) = (timed, self.out.get_mut(found)) {
                shell.outer.insert(0, timed);
            }
        }
        // The command first, then what stands in its words and behind its redirections.
        if let Some(new) = self.out.get_mut(mark..) {
            new.rotate_left(found - mark);
        }
        Ok(())
    }

    fn item(&mut self, item: &Item, words: &mut Vec<Word>, parts: &mut Parts) -> Result<()> {
        match item {
            Item::IoRedirect(redirect) => {
                let made = self.made_so_far();
                let feed = self.redirect(redirect)?;
                if let (Some(appended), true) = (onto_output(redirect), self.made_so_far() == made + 1) {
                    parts.outputs.push((made, appended));
                }
                if feed != Feed::Nothing {
                    parts.feed = self.joined_feed(std::mem::take(&mut parts.feed), feed);
                }
                parts.caveats.append(&mut self.notes);
                return Ok(());
            }
            Item::ProcessSubstitution(kind, inner) => {
                glued_substitution(inner, self.text())?;
                self.process(inner)?;
                let text = format!("{kind}{inner}");
                words.push(Word::Open(crate::shell::OpenWord {
                    text,
                    pieces: vec![Some("/dev/fd/".to_owned()), None],
                    splits: false,
                    glob: false,
                    tame: false,
                }));
                return Ok(());
            }
            Item::AssignmentWord(assignment, Node { value: raw, .. }) => match &assignment.value {
                AssignmentValue::Scalar(_) => self.push(raw, words)?,
                AssignmentValue::Array(_) => {
                    let assigned = self.assignment(assignment, raw)?;
                    let pieces =
                        assigned.map(|of| vec![Some(format!("{}=", of.name)), None]).unwrap_or_default();
                    words.push(Word::Open(crate::shell::OpenWord {
                        text: raw.clone(),
                        pieces,
                        splits: false,
                        glob: false,
                        tame: false,
                    }));
                }
            },
            Item::Word(word) => self.push(&word.value, words)?,
        }
        self.place_notes(words.len(), parts);
        Ok(())
    }

    fn push(&mut self, raw: &str, words: &mut Vec<Word>) -> Result<()> {
        words.extend(self.words(raw, Place::Command)?);
        Ok(())
    }

    /// What was noted about a word is named by naming that word.
    fn place_notes(&mut self, words: usize, parts: &mut Parts) {
        let Some(place) = words.checked_sub(1) else { return };
        for mut note in self.notes.drain(..) {
            if !note.always {
                note.named = Named::Words(vec![place]);
            }
            parts.caveats.push(note);
        }
    }

    /// Only assignments and redirections: they are the shell's own from then on.
    fn without_words(&mut self, parts: Parts) {
        let Parts { assignments, mut caveats, touches, .. } = parts;
        caveats.extend(assign::caveats(&assignments));
        if !assignments.is_empty() || !caveats.is_empty() || !touches.is_empty() {
            let line = self.line.to_owned();
            self.out.push(Access::Shell(ShellAccess {
                assignments,
                line,
                understood: true,
                caveats,
                touches,
                ..ShellAccess::default()
            }));
        }
        self.evaluated_lines();
    }

    /// Denials look at what a value would run, at the access that was found last.
    fn evaluated_lines(&mut self) {
        let lines = std::mem::take(&mut self.evaluated);
        if let Some(place) = self.out.len().checked_sub(1) {
            lines.iter().for_each(|line| self.perhaps(line, place, true));
        }
    }

    /// What was noted about words that belong to no simple command, but to `keyword`.
    pub(super) fn bare(&mut self, keyword: &str) {
        let caveats = std::mem::take(&mut self.notes);
        let touches = std::mem::take(&mut self.touches);
        if !caveats.is_empty() || !touches.is_empty() {
            let (words, line) = (vec![keyword.into()], self.line.to_owned());
            let shell =
                ShellAccess { words, line, understood: true, caveats, touches, ..ShellAccess::default() };
            self.out.push(Access::Shell(shell));
            self.evaluated_lines();
        }
    }

    /// A command of these words, with what it runs in turn.
    pub(super) fn command(&mut self, words: Vec<Word>, parts: Parts) -> Result<()> {
        self.commands += 1;
        if self.commands > bounds::MOST_COMMANDS {
            return Err(Refused::new("the line holds too many commands"));
        }
        let Parts { assignments, mut caveats, mut touches, feed, shell, .. } = parts;
        let fed = self.fed || feed != Feed::Nothing;
        // What a command runs in turn may get something else to read.
        // `</dev/null` is no pipe, and what searches its input where that is one goes below the folder.
        let text = matches!(&feed, Feed::Text(text) if !text.is_empty());
        let from_pipe = shell && self.piped && feed == Feed::Nothing || text;
        let mut known = self.known(&words, fed, from_pipe);
        let mut input = std::mem::take(&mut self.offered);
        match &feed {
            Feed::Nothing => input.extend(self.input.iter().cloned()),
            Feed::Unknown | Feed::File(_) => {}
            Feed::Text(text) => input.push(text.clone()),
        }
        let exact = match &feed {
            Feed::Nothing => self.exact.clone(),
            Feed::Text(text) => Some(text.clone()),
            Feed::Unknown | Feed::File(_) => None,
        };
        self.says(&words, &input, known.reader);
        let elsewhere = self.moved_touches(&known.touches);
        known.touches.extend(elsewhere);
        let through = if known.transparent < words.len() { known.transparent } else { 0 };
        let (rest, wrapped) = match words.get(through..) {
            Some(rest) if through > 0 => (rest.to_vec(), Some(words)),
            _ => (words, None),
        };
        if shell {
            self.gives_values(&rest, &input);
            caveats.append(&mut self.notes);
        }
        let mut lines = Vec::new();
        let runs = self.runs(&rest, &known.given, &feed, fed);
        known.runs_input &= runs.lines.is_empty();
        caveats.append(&mut known.caveats);
        for caveat in &mut caveats {
            caveat.named = behind(&caveat.named, through);
        }
        caveats.extend(named(&rest));
        known.reader &= runs.caveats.is_empty();
        caveats.extend(runs.caveats);
        let (mut harmless, mut quiet) = (false, false);
        if shell {
            let builtin = builtins::look(&rest, self.dialect);
            harmless = builtin.harmless;
            known.reader &= builtin.caveats.is_empty();
            caveats.extend(builtin.caveats);
            quiet = builtin.quiet;
            let known_lines: Vec<_> = known
                .inner
                .iter()
                .filter_map(|inner| match inner {
                    Inner::Line(Word::Literal(line)) => Some(line.clone()),
                    _ => None,
                })
                .collect();
            lines.extend(builtin.lines.into_iter().filter(|line| !known_lines.contains(line)));
        }
        caveats.extend(self.folder_caveat(known.reader, harmless));
        // Where it could be one of several, each was looked at.
        if known.adrift && self.folder.could_be_any() {
            let reason = "it reads everything below a folder that is not known".to_owned();
            caveats.push(Caveat { reason, always: true, named: Named::Nothing });
        }
        let reader = (known.reader || quiet) && (harmless || self.folder.known().is_some());
        let mut assigned = self.env.clone();
        assigned.extend(assignments);
        // Places among the assignments count with those of the request.
        caveats.extend(assign::caveats(&assigned));
        // Words that only the shell itself looks at are no paths.
        let paths = known.touches.into_iter().filter(|touch| !quiet && !piped(touch));
        touches.extend(paths);
        touches.extend(self.named_in(known.reads_text, &input));
        let mut writes = Vec::new();
        for (kind, path) in &known.writes {
            match self.written(path) {
                Some(path) => writes.push(Access::write(*kind, path)),
                None => self.open_touch(&Word::Literal(path.clone()), Use::Write(*kind)),
            }
        }
        touches.append(&mut self.touches);
        for inner in &known.inner {
            if let Inner::Line(Word::Open(open)) = inner {
                let reason = format!("it runs a line that is not literal: {}", open.text);
                caveats.push(Caveat { reason, always: true, named: Named::Nothing });
            }
        }
        let written: Vec<String> = known.writes.iter().map(|(_, path)| path.clone()).collect();
        self.brings(&rest, &written, exact.as_deref());
        let wrote = self.exactly(&rest, exact.as_deref());
        let mut outer = known.also;
        outer.splice(0..0, wrapped);
        let scripts = self.scripts(&rest, fed);
        let calls = shell && self.is_function(rest.first().and_then(Word::literal));
        let evaluates = rest.first().and_then(Word::literal) == Some("eval");
        // `trap`, `mapfile -C` and the like keep lines for this shell; what another program runs lines with is its
        // own business, unless it is a shell itself.
        let base = rest.first().and_then(Word::literal).and_then(|name| name.rsplit('/').next());
        let keeps = builtins::keeps_lines(base.unwrap_or_default());
        let own_lines = shell && (evaluates || keeps);
        let reads = match base.map(Dialect::of_program) {
            _ if shell && keeps => self.dialect,
            Some(dialect) => dialect,
            None => Dialect::Unknown,
        };
        let homewards = matches!(rest.as_slice(), [cd] if cd.literal() == Some("cd"));
        self.keep_moved(&rest);
        self.out.push(Access::Shell(ShellAccess {
            words: rest,
            assignments: assigned,
            outer,
            spellings: known.spellings,
            tails: known.tails,
            line: self.line.to_owned(),
            understood: true,
            candidates: Vec::new(),
            caveats,
            touches,
            urls: known.urls,
            reader,
            shown: reader && self.held == 0,
            scripts,
        }));
        let place = self.out.len() - 1;
        self.evaluated_lines();
        for line in known.lines {
            self.perhaps(&line, place, true);
        }
        for line in known.prose {
            self.perhaps(&line, place, false);
        }
        if known.runs_input {
            let elsewhere = self.opened.elsewhere.clone();
            for text in input.iter().chain(&elsewhere) {
                self.perhaps(text, place, true);
                for line in fed::inside(text) {
                    self.perhaps(&line, place, true);
                }
            }
        }
        if known.reads_text == program::Language::Commands {
            for line in input.iter().flat_map(|text| program::commands(text)) {
                self.perhaps(&line, place, true);
            }
        }
        // What runs inside reads the same.
        let opened = self.opened.clone();
        let held = self.held;
        self.held += usize::from(!reader);
        let outside = std::mem::replace(&mut self.input, input);
        let fed_outside = std::mem::replace(&mut self.fed, fed);
        let exact_outside = std::mem::replace(&mut self.exact, exact);
        self.out.append(&mut writes);
        for inner in known.inner {
            match inner {
                Inner::Words(words) => self.apart(|walker| {
                    walker.deeper(|walker| {
                        if feed == Feed::Unknown {
                            walker.offered = walker.input.clone();
                        }
                        match &known.elsewhere {
                            Some(Moves::To(folder)) => walker.folder = walker.folder.to(folder),
                            Some(Moves::Somewhere) => walker.folder = Folder::Unknown,
                            None => {}
                        }
                        walker.command(words, Parts { feed: feed.clone(), shell: false, ..Parts::default() })
                    })
                })?,
                Inner::Line(Word::Literal(line)) if evaluates && shell => {
                    self.line_of_its_own(&line, self.dialect);
                }
                Inner::Line(Word::Literal(line)) => lines.push(line),
                Inner::Line(Word::Open(_)) => {}
            }
        }
        let own = lines.len();
        for (at, line) in lines.into_iter().chain(runs.lines).enumerate() {
            // Who reads lines from its input leaves the rest of it to them.
            if at >= own {
                self.exact = None;
            }
            let folder = self.folder.clone();
            self.line_of_its_own(&line, reads);
            self.folder = folder;
        }
        (self.input, self.fed, self.held) = (outside, fed_outside, held);
        (self.exact, self.wrote) = (exact_outside, wrote);
        // `eval "exec <FILE"`, and what a trap runs later, open it for this shell.
        match own_lines {
            true => self.stays_opened(opened.times()),
            false => self.opened = opened,
        }
        if calls && self.moves() {
            self.goes_to(Folder::Unknown);
        }
        match known.moves.filter(|_| shell) {
            Some(Moves::To(folder)) => self.goes_to(self.folder.to(&folder)),
            Some(Moves::Somewhere) => {
                let home = self.home().filter(|_| homewards);
                self.goes_to(home.map_or(Folder::Unknown, |home| Folder::Known(home.into())));
            }
            None => {}
        }
        Ok(())
    }

    pub(super) fn known(&self, words: &[Word], fed: bool, piped: bool) -> Known {
        let made = self.made();
        let looked = &self.looked;
        let command = Command { words, cwd: self.folder.known(), looked, fed, piped, made };
        let mut known = program::known(&command);
        for folder in self.folder.candidates() {
            let there = program::known(&Command { cwd: Some(folder), ..command });
            let written =
                |(kind, path): &(WriteKind, String)| Touch::known(looked.at(folder, path), Use::Write(*kind));
            known.touches.extend(there.writes.iter().map(written));
            known.touches.extend(there.touches);
        }
        known
    }

    /// Whether something else than a look was taken before the command at hand.
    pub(super) fn made(&self) -> bool {
        // What stands further on in a loop, or beside a job, may have run before.
        self.is_out_of_order()
            || self.out.iter().any(|access| match access {
                Access::Shell(shell) => !shell.reader,
                Access::Write(..) => true,
                _ => false,
            })
    }

    /// A line that a command runs: where it is not understood, that is an access of its own.
    fn line_of_its_own(&mut self, line: &str, dialect: Dialect) {
        let (folder, fed) = (self.folder.clone(), self.fed);
        if let Err(refused) = self.inner_line(line, dialect) {
            self.goes_to(Folder::Unknown);
            if self.depth > 0 {
                self.fed = fed;
            }
            self.out.push(Access::Shell(candidates::opaque(line, refused)));
        } else if self.depth == 0 {
            self.folder = folder;
        }
    }

    /// A path that is written, from the folder at hand.
    fn written(&self, path: &str) -> Option<PathAccess> {
        match self.folder.known() {
            Some(folder) => Some(self.looked.at(folder, path)),
            None if path.starts_with('/') => Some(PathAccess::new(std::path::Path::new("/"), path)),
            None => None,
        }
    }

    /// Where a command runs, if that is not one of the session's folders.
    fn folder_caveat(&self, reader: bool, harmless: bool) -> Option<Caveat> {
        if harmless {
            return None;
        }
        let plain = |reason| Some(Caveat { reason, always: false, named: Named::Nothing });
        let Some(folder) = self.folder.known() else {
            return plain("the folder that it runs in is not known".to_owned());
        };
        let roots = self.at.roots;
        let inside = || {
            let under = roots.iter().any(|root| folder.starts_with(root));
            under && (folder == self.at.cwd || self.looked.folder(folder).within(roots))
        };
        if reader || roots.is_empty() || inside() {
            return None;
        }
        plain(format!("it runs in {}, outside of the session's folders", folder.display()))
    }
}
