//! Simple commands.

use brush_parser::ast::{
    AssignmentValue, CommandPrefixOrSuffixItem as Item, IoFileRedirectKind as Kind,
    IoFileRedirectTarget as Target, IoRedirect, SimpleCommand, Word as Node,
};

use super::command_parts::{CommandParts, is_keyword, onto_output, shift_subject};
use super::input::{ExactOutput, is_bare_exec};
use super::redirect::Feed;
use super::refusals::{end_of_a_group, glued_substitution, named_descriptor, open_subscript, stray_array};
use super::{Walker, assign};
use crate::Access;
use crate::shell::expand::WordContext;
use crate::shell::line_error::Result;
use crate::shell::{Caveat, CaveatSubject, GapContent, ShellAccess, Word, windows_shells};

impl Walker<'_> {
    /// One simple command, and what it writes to its output; `timed` if the word `time` stood before it.
    pub(super) fn walk_simple_command(&mut self, of: &SimpleCommand, timed: bool) -> Result<ExactOutput> {
        named_descriptor(of)?;
        open_subscript(of)?;
        stray_array(of)?;
        if self.may_be_zsh() {
            end_of_a_group(of)?;
        }
        let mark = self.out.len();
        self.noted.ate = false;
        let mut parts = CommandParts::default();
        let mut words: Vec<Word> = Vec::new();
        let prefix = of.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = of.suffix.iter().flat_map(|suffix| &suffix.0);
        for item in prefix {
            match item {
                Item::AssignmentWord(assignment, word) => {
                    let (assigned, transparent) = self.walk_assignment(assignment, &word.value)?;
                    parts.written.push(assigned.clone());
                    parts.assignments.extend((!transparent).then_some(assigned));
                    parts.caveats.append(&mut self.noted.caveats);
                }
                item => self.walk_command_item(item, &mut words, &mut parts)?,
            }
            parts.secret |= std::mem::take(&mut self.noted.secret);
        }
        // Some shells open its input before they run what stands in assignments.
        let ate = self.noted.ate;
        if let Some(name) = &of.word_or_name {
            self.walk_command_item(&Item::Word(name.clone()), &mut words, &mut parts)?;
            if words.is_empty() {
                let reason = format!("nothing stands in the place of a command: {}", name.value);
                parts.caveats.push(Caveat { reason, always: true, named: CaveatSubject::Nothing });
            }
        }
        for item in suffix {
            self.walk_command_item(item, &mut words, &mut parts)?;
            parts.secret |= std::mem::take(&mut self.noted.secret);
        }
        parts.touches.append(&mut self.noted.touches);
        // `time -f %e make`, where `time` is a program.
        let program = timed && words.first().is_some_and(|word| word.known_prefix().starts_with('-'));
        let program = program && words.first().and_then(Word::literal) != Some("--");
        if program {
            words.insert(0, "time".into());
            parts.caveats.iter_mut().for_each(|caveat| {
                if let CaveatSubject::Words(places) = &mut caveat.named {
                    places.iter_mut().for_each(|place| *place += 1);
                }
            });
        }
        let timed = timed && !program;
        // `time -- make`
        if timed && words.first().and_then(Word::literal) == Some("--") {
            words.remove(0);
            parts.caveats.iter_mut().for_each(|caveat| caveat.named = shift_subject(&caveat.named, 1));
        }
        let found = self.out.len();
        let mut wrote = None;
        if words.is_empty() {
            self.without_words(parts);
        } else if self.is_posix() && words.first().and_then(Word::literal).is_some_and(is_keyword) {
            // No such command is found, but its words were expanded.
            self.without_words(CommandParts { assignments: Vec::new(), ..parts });
        } else {
            windows_shells::check_foreign(&words)?;
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
            wrote = self.walk_command_words(words, parts)?;
            if !command_redirections(of).all(keeps_output) {
                // What it says of its errors is among what it prints.
                (self.out.search, self.out.held) = (None, GapContent::Printed);
            }
            if let Some(text) = &wrote {
                for (at, appended) in outputs {
                    self.place.files_mut().set_content(at..at + 1, text, appended);
                }
            }
            if let Some((feed, offered)) = opens {
                self.place.open_inputs(|opened| opened.open_input(feed, offered));
            }
            if let (Some(timed), Some(shell)) = (timed, self.out.shell_access_mut(found)) {
                shell.outer.insert(0, timed);
            }
        }
        // The command first, then what stands in its words and behind its redirections.
        self.out.since_mut(mark).rotate_left(found - mark);
        Ok(wrote)
    }

    fn walk_command_item(
        &mut self,
        item: &Item,
        words: &mut Vec<Word>,
        parts: &mut CommandParts,
    ) -> Result<()> {
        match item {
            Item::IoRedirect(redirect) => {
                let made = self.place.files().written_count();
                let feed = self.walk_redirection(redirect)?;
                if let (Some(appended), true) =
                    (onto_output(redirect), self.place.files().written_count() == made + 1)
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
                glued_substitution(inner, self.current_text())?;
                self.walk_process_substitution(inner)?;
                let text = format!("{kind}{inner}");
                words.push(Word::Open(crate::shell::OpenWord {
                    text,
                    pieces: vec![Some("/dev/fd/".to_owned()), None],
                    ..crate::shell::OpenWord::default()
                }));
                return Ok(());
            }
            Item::AssignmentWord(assignment, Node { value: raw, .. }) => match &assignment.value {
                AssignmentValue::Scalar(_) => self.push_words(raw, words)?,
                AssignmentValue::Array(_) => {
                    let (assigned, _) = self.walk_assignment(assignment, raw)?;
                    let pieces = vec![Some(format!("{}=", assigned.name)), None];
                    words.push(Word::Open(crate::shell::OpenWord {
                        text: raw.clone(),
                        pieces,
                        ..crate::shell::OpenWord::default()
                    }));
                }
            },
            Item::Word(word) => self.push_words(&word.value, words)?,
        }
        self.place_notes(words.len(), parts);
        Ok(())
    }

    fn push_words(&mut self, raw: &str, words: &mut Vec<Word>) -> Result<()> {
        words.extend(self.expand_words(raw, WordContext::Command)?);
        Ok(())
    }

    /// What was noted about a word is named by naming that word.
    fn place_notes(&mut self, words: usize, parts: &mut CommandParts) {
        let Some(place) = words.checked_sub(1) else { return };
        for mut note in self.noted.caveats.drain(..) {
            if !note.always {
                note.named = CaveatSubject::Words(vec![place]);
            }
            parts.caveats.push(note);
        }
    }

    /// Only assignments and redirections: they are the shell's own from then on.
    fn without_words(&mut self, parts: CommandParts) {
        let CommandParts { assignments, mut caveats, touches, .. } = parts;
        caveats.extend(assign::assignment_caveats(&assignments));
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
            lines.iter().for_each(|line| self.guess_text(line, place, true));
        }
    }

    /// What was noted about words that belong to no simple command, but to `keyword`.
    pub(super) fn push_keyword_notes(&mut self, keyword: &str) {
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
fn command_redirections(of: &SimpleCommand) -> impl Iterator<Item = &IoRedirect> {
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
