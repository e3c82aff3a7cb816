//! Simple commands.

use brush_parser::ast::{
    AssignmentValue, CommandPrefixOrSuffixItem as Item, IoFileRedirectKind as Kind,
    IoFileRedirectTarget as Target, IoRedirect, SimpleCommand, Word as Node,
};

use super::input::{Wrote, is_bare_exec};
use super::parts::{Parts, behind, is_keyword, onto_output};
use super::redirect::Feed;
use super::refusals::{end_of_a_group, glued_substitution, named_descriptor, open_subscript, stray_array};
use super::{Walker, assign};
use crate::Access;
use crate::shell::expand::Place;
use crate::shell::refused::Result;
use crate::shell::{Held, Named, ShellAccess, Word, foreign};

impl Walker<'_> {
    /// One simple command, and what it writes to its output; `timed` if the word `time` stood before it.
    pub(super) fn simple(&mut self, of: &SimpleCommand, timed: bool) -> Result<Wrote> {
        named_descriptor(of)?;
        open_subscript(of)?;
        stray_array(of)?;
        if self.may_be_zsh() {
            end_of_a_group(of)?;
        }
        let mark = self.out.len();
        self.noted.ate = false;
        let mut parts = Parts::default();
        let mut words: Vec<Word> = Vec::new();
        let prefix = of.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = of.suffix.iter().flat_map(|suffix| &suffix.0);
        for item in prefix {
            match item {
                Item::AssignmentWord(assignment, word) => {
                    parts.assignments.extend(self.assignment(assignment, &word.value)?);
                    parts.caveats.append(&mut self.noted.caveats);
                }
                item => self.item(item, &mut words, &mut parts)?,
            }
        }
        // Some shells open its input before they run what stands in assignments.
        let ate = self.noted.ate;
        if let Some(name) = &of.word_or_name {
            self.item(&Item::Word(name.clone()), &mut words, &mut parts)?;
        }
        for item in suffix {
            self.item(item, &mut words, &mut parts)?;
        }
        parts.touches.append(&mut self.noted.touches);
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
        let mut wrote = None;
        if words.is_empty() {
            self.without_words(parts);
        } else if self.posix() && words.first().and_then(Word::literal).is_some_and(is_keyword) {
            // No such command is found, but its words were expanded.
            self.without_words(Parts { assignments: Vec::new(), ..parts });
        } else {
            foreign::check(&words)?;
            if let (true, Feed::Text(text)) = (ate, &parts.feed)
                && !text.is_empty()
            {
                self.noted.offered.push(text.clone());
                parts.feed = Feed::Unknown;
            }
            let outputs = std::mem::take(&mut parts.outputs);
            let opens = (parts.feed != Feed::Nothing && is_bare_exec(&words))
                .then(|| (parts.feed.clone(), self.noted.offered.clone()));
            let timed = timed.then(|| std::iter::once("time".into()).chain(words.clone()).collect());
            wrote = self.command(words, parts)?;
            if !redirects(of).all(keeps_output) {
                // What it says of its errors is among what it prints.
                (self.out.search, self.out.held) = (None, Held::Printed);
            }
            if let Some(text) = &wrote {
                for (at, appended) in outputs {
                    self.place.files_mut().hold(at..at + 1, text, appended);
                }
            }
            if let Some((feed, offered)) = opens {
                self.place.opens(|opened| opened.again(feed, offered));
            }
            if let (Some(timed), Some(shell)) = (timed, self.out.shell(found)) {
                shell.outer.insert(0, timed);
            }
        }
        // The command first, then what stands in its words and behind its redirections.
        self.out.since_mut(mark).rotate_left(found - mark);
        Ok(wrote)
    }

    fn item(&mut self, item: &Item, words: &mut Vec<Word>, parts: &mut Parts) -> Result<()> {
        match item {
            Item::IoRedirect(redirect) => {
                let made = self.place.files().made();
                let feed = self.redirect(redirect)?;
                if let (Some(appended), true) = (onto_output(redirect), self.place.files().made() == made + 1)
                {
                    parts.outputs.push((made, appended));
                }
                if feed != Feed::Nothing {
                    parts.feed = self.joined_feed(std::mem::take(&mut parts.feed), feed);
                }
                parts.caveats.append(&mut self.noted.caveats);
                return Ok(());
            }
            Item::ProcessSubstitution(kind, inner) => {
                glued_substitution(inner, self.text())?;
                self.process(inner)?;
                let text = format!("{kind}{inner}");
                words.push(Word::Open(crate::shell::OpenWord {
                    text,
                    pieces: vec![Some("/dev/fd/".to_owned()), None],
                    ..crate::shell::OpenWord::default()
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
                        ..crate::shell::OpenWord::default()
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
        for mut note in self.noted.caveats.drain(..) {
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
        self.keep_values(&assignments);
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
    pub(super) fn evaluated_lines(&mut self) {
        let lines = std::mem::take(&mut self.noted.evaluated);
        if let Some(place) = self.out.len().checked_sub(1) {
            lines.iter().for_each(|line| self.perhaps(line, place, true));
        }
    }

    /// What was noted about words that belong to no simple command, but to `keyword`.
    pub(super) fn bare(&mut self, keyword: &str) {
        let caveats = std::mem::take(&mut self.noted.caveats);
        let touches = std::mem::take(&mut self.noted.touches);
        if !caveats.is_empty() || !touches.is_empty() {
            let (words, line) = (vec![keyword.into()], self.line.to_owned());
            let shell =
                ShellAccess { words, line, understood: true, caveats, touches, ..ShellAccess::default() };
            self.out.push(Access::Shell(shell));
            self.evaluated_lines();
        }
    }
}

/// The redirections of a command.
fn redirects(of: &SimpleCommand) -> impl Iterator<Item = &IoRedirect> {
    let items =
        of.prefix.iter().flat_map(|prefix| &prefix.0).chain(of.suffix.iter().flat_map(|suffix| &suffix.0));
    items.filter_map(|item| match item {
        Item::IoRedirect(redirect) => Some(redirect),
        _ => None,
    })
}

/// Whether a redirection leaves alone what a command prints: it is of its input, or throws its errors away.
fn keeps_output(redirect: &IoRedirect) -> bool {
    match redirect {
        IoRedirect::File(_, Kind::Read, _) | IoRedirect::HereDocument(..) | IoRedirect::HereString(..) => {
            true
        }
        IoRedirect::File(Some(2), Kind::Write | Kind::Append, Target::Filename(file)) => {
            file.value == "/dev/null"
        }
        _ => false,
    }
}
