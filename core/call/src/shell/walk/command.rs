//! A command of words that are known as far as they can be: what it is, what it runs in turn, and where it leads.

use std::path::Path;
use std::rc::Rc;

use super::command_parts::{
    CommandParts, command_name_caveat, given_before, is_process_substitution, shift_subject,
};
use super::extended_globs::{as_commands, globbed_commands};
use super::folder::CurrentFolder;
use super::input::{ExactOutput, StandardInput};
use super::open_words::looked_up;
use super::possible_lines::guessed_commands;
use super::redirect::Feed;
use super::{Walker, assign, printed_input};
use crate::shell::line_error::Result;
use crate::shell::program::{self, Command, CommandFacts, FolderChange, GitNames, InnerCommand, Language};
use crate::shell::{
    Assignment, Caveat, CaveatSubject, Dialect, GapContent, Reach, ShellAccess, Touch, TouchedPath, Use,
    Word, builtins,
};
use crate::{Access, PathAccess, WriteKind};

/// What a command runs in turn.
struct NestedCommands {
    inner: Vec<InnerCommand>,
    /// Lines, and those that it reads from its input.
    lines: Vec<String>,
    read: Vec<String>,
    /// Lines of which what they run may read the rest.
    own: Vec<String>,
    /// Where the command stands among what was found.
    place: usize,
    /// The shell that reads them; for `eval` and `source`, which are the shell at hand itself.
    dialect: Dialect,
    evaluates: bool,
    sources: bool,
    /// It keeps them, and the shell moves.
    later: bool,
    /// The folder that it starts commands in, if that is another one.
    elsewhere: Option<FolderChange>,
    feed: Feed,
}

impl Walker<'_> {
    /// A command of these words, with what it runs in turn; and what it writes to its output.
    pub(super) fn walk_command_words(
        &mut self,
        words: Vec<Word>,
        parts: CommandParts,
    ) -> Result<ExactOutput> {
        self.budget.spend_command()?;
        let CommandParts { assignments, written, mut caveats, mut touches, feed, shell, secret, .. } = parts;
        // `</dev/null` is no pipe, and what searches its input where that is one goes below the folder.
        let text = matches!(&feed, Feed::Text(text) if !text.is_empty());
        let from_pipe = shell && self.place.input.piped && feed == Feed::Nothing || text;
        let input = self.command_input(&feed);
        let fed = input.fed;
        let mut known = self.analyze_words(&words, fed, from_pipe);
        let quietened = self.accept_as_reader(&words, &mut known, input.search.as_deref());
        known.reader &= !secret;
        let search = self.printed_search(&words, &known, input.search.as_ref());
        // A function may go under any name.
        let held = if self.place.functions().is_empty() {
            GapContent::printed_by(&words)
        } else {
            GapContent::Printed
        };
        self.keep_output_texts(&words, &input.texts, known.reader);
        caveats.extend(self.add_patched_files(&words, &feed, &mut known).map(always_caveat));
        match self.moved_touches(&words, &known) {
            Some(elsewhere) => known.touches.extend(elsewhere),
            None => caveats.push(always_caveat("more names than can be looked at".to_owned())),
        }
        caveats.extend(self.check_brought_links(&words, &mut known).map(always_caveat));
        let globbed = globbed_commands(&words, &std::mem::take(&mut self.noted.globs));
        known.also.extend(as_commands(&globbed));
        touches.extend(self.globbed_touches(&globbed, &known, (fed, from_pipe)));
        let mut folders = Vec::new();
        match self.variant_touches(&words, &known, (fed, from_pipe), &input.texts) {
            Some((told, moves)) => {
                touches.extend(told);
                folders = moves;
            }
            None if known.reader => {}
            None => caveats.push(always_caveat("more values of variables than can be looked at".to_owned())),
        }
        let through = if known.transparent < words.len() { known.transparent } else { 0 };
        let (rest, wrapped) = match words.get(through..) {
            Some(rest) if through > 0 => (rest.to_vec(), Some(words)),
            _ => (words, None),
        };
        known.inner.extend(self.commands_stood_for(&rest).into_iter().map(InnerCommand::Words));
        known.also.extend(self.linked_command(&rest));
        self.keep_given_values(&rest, &input.texts);
        if shell {
            self.record_given_values(&rest, &input.texts);
            self.note_other_variables(&rest);
            self.keep_exported_values(&rest);
            caveats.append(&mut self.noted.caveats);
        }
        let mut lines = Vec::new();
        let runs = self.collect_programs(&rest, &known.given, &feed, fed);
        known.runs_input &= runs.lines.is_empty() && runs.own.is_empty();
        caveats.append(&mut known.caveats);
        for caveat in &mut caveats {
            caveat.named = shift_subject(&caveat.named, through);
        }
        caveats.extend(command_name_caveat(&rest));
        known.reader &= runs.caveats.is_empty();
        caveats.extend(runs.caveats);
        let (mut harmless, mut quiet) = (false, false);
        if shell {
            let builtin = builtins::look_up_builtin(&rest, self.dialect());
            harmless = builtin.harmless;
            known.reader &= builtin.caveats.is_empty();
            caveats.extend(builtin.caveats);
            quiet = builtin.quiet;
            builtin.evaluated.iter().for_each(|text| self.note_evaluated_names(text));
            let is_known = |line: &String| {
                known
                    .inner
                    .iter()
                    .any(|inner| matches!(inner, InnerCommand::Line(Word::Literal(known)) if known == line))
            };
            lines.extend(builtin.lines.into_iter().filter(|line| !is_known(line)));
        }
        caveats.extend(self.folder_caveat(known.reader, harmless));
        // Where it could be one of several, each was looked at.
        if known.adrift && self.place.folder.could_be_any() {
            caveats.push(always_caveat("it reads everything below a folder that is not known".to_owned()));
        }
        let reader = (known.reader || quiet) && (harmless || self.place.folder.known_path().is_some());
        let mut assigned = self.env.clone();
        assigned.extend(assignments);
        // Places among the assignments count with those of the request.
        let base = rest.first().and_then(Word::literal).unwrap_or_default();
        let module = program::module_of(&rest);
        let finds = |of: &Assignment| {
            program::finds_own_code(base, &of.name)
                || module.is_some_and(|module| program::finds_own_code(module, &of.name))
        };
        let own = |of: &Assignment| finds(of) && assign::lie_here(&of.value);
        // How `read` splits what it reads is nothing to anybody else.
        let splits = |of: &Assignment| of.name == "IFS" && of.value.literal().is_some();
        let splits =
            |of: &Assignment| shell && base == "read" && !self.is_function(Some("read")) && splits(of);
        assigned.retain(|of| !own(of) && !splits(of));
        caveats.extend(assign::assignment_caveats(&assigned));
        // Words that only the shell itself looks at are no paths.
        let paths = std::mem::take(&mut known.touches);
        let writes_some = paths.iter().any(|touch| matches!(touch.how, Use::Write(_)));
        let paths = paths.into_iter();
        touches.extend(paths.filter(|touch| !quiet && !is_process_substitution(touch)));
        // Where the home folder is may be printed.
        if let Some(home) = self.known_home().filter(|_| reader && known.prints_words && !self.place.held) {
            let is_home =
                |touch: &&mut Touch| matches!(&touch.path, TouchedPath::Known(path) if path.lexical == *home);
            touches.iter_mut().filter(is_home).for_each(|touch| touch.reach = Reach::Said);
        }
        touches.extend(self.named_in(known.reads_text, &input.texts));
        touches.extend(self.named_in(Language::Commands, &runs.texts));
        if known.reads_addresses {
            known.urls.extend(input.texts.iter().flat_map(|text| program::addresses_in(text)));
        }
        let mut writes = Vec::new();
        for (kind, path) in &known.writes {
            match self.path_from_here(path) {
                Some(path) => writes.push(Access::write(*kind, path)),
                None => self.open_touch(&Word::Literal(path.clone()), Use::Write(*kind)),
            }
        }
        touches.append(&mut self.noted.touches);
        for inner in &known.inner {
            if let InnerCommand::Line(Word::Open(open)) = inner {
                caveats.push(always_caveat(format!("it runs a line that is not literal: {}", open.text)));
            }
        }
        let made: Vec<String> = known.writes.iter().map(|(_, path)| path.clone()).collect();
        self.note_disturbed_files(&rest, writes_some || !known.writes.is_empty());
        self.note_brought_files(&rest, &made, input.exact.as_deref());
        let wrote = self.exact_output(&rest, input.exact.as_deref());
        let mut outer = std::mem::take(&mut known.also);
        outer.splice(0..0, wrapped);
        let scripts = self.executed_scripts(&rest, fed);
        let calls = shell && self.is_function(rest.first().and_then(Word::literal));
        let name = rest.first().and_then(Word::literal).filter(|_| shell);
        let (evaluates, sources) = (name == Some("eval"), matches!(name, Some("." | "source")));
        // `trap`, `mapfile -C` and the like keep lines for this shell; what another program runs lines with is its
        // own business, unless it is a shell itself.
        let base = rest.first().and_then(Word::literal).and_then(|name| name.rsplit('/').next());
        let keeps = shell && builtins::keeps_lines(base.unwrap_or_default());
        let dialect = match base.map(Dialect::of_program) {
            _ if keeps || sources => self.dialect(),
            Some(dialect) => dialect,
            None => Dialect::Unknown,
        };
        if keeps {
            self.mark_concurrent();
        }
        let homewards = matches!(rest.as_slice(), [cd] if cd.literal() == Some("cd"));
        let stays = sources && self.activates_virtualenv(&rest);
        self.keep_moved(&rest);
        if !evaluates && !keeps {
            self.note_line_arguments(&rest, &known.inner, !runs.lines.is_empty() || !runs.own.is_empty());
        }
        self.note_brought_links(&rest);
        let written = self.all_assigned(written, assigned.len());
        self.out.push(Access::Shell(ShellAccess {
            words: rest,
            written,
            assignments: assigned,
            outer,
            spellings: std::mem::take(&mut known.spellings),
            tails: std::mem::take(&mut known.tails),
            guesses: guessed_commands(&mut known, &input.texts, &runs.texts),
            line: self.line.to_owned(),
            understood: true,
            candidates: Vec::new(),
            caveats,
            touches,
            urls: std::mem::take(&mut known.urls),
            reader,
            shown: reader && !self.place.held,
            scripts,
        }));
        let place = self.out.len().saturating_sub(1);
        self.guess_lines(&known, &input.texts, &runs.perhaps);
        if let (true, Some(shell)) = (quietened, self.out.shell_access_mut(place)) {
            looked_up(&mut shell.touches);
        }
        self.out.accesses.append(&mut writes);
        let CommandFacts { inner, elsewhere, moves, .. } = known;
        let read = !runs.lines.is_empty();
        if !(inner.is_empty() && lines.is_empty() && !read && runs.own.is_empty()) {
            // What runs inside reads the same.
            let there = self.place.nested_command(input, !reader);
            let there = if sources { there.loop_body(None) } else { there };
            let later = keeps && !evaluates && self.mentions_folder_change();
            let turn = NestedCommands {
                inner,
                lines,
                read: runs.lines,
                own: runs.own,
                place,
                dialect,
                evaluates,
                sources,
                later,
                elsewhere,
                feed,
            };
            let (left, walked) = self.walk_with_state(there, |walker| walker.in_turn(turn));
            match sources {
                true => self.place.after_source(left),
                // `eval "exec <FILE"`, and what a trap runs later, open it for this shell.
                false => self.place.after_inner(left, evaluates || keeps),
            }
            walked?;
        }
        if sources && !read {
            self.place.sources_unread(stays);
        }
        if calls && self.mentions_folder_change() {
            self.place.enter_folder(CurrentFolder::Unknown);
        }
        match moves.filter(|_| shell) {
            Some(FolderChange::To(folder)) => self.place.enter_folder(self.place.folder.after_cd(&folder)),
            Some(FolderChange::Somewhere) => {
                let home = self.known_home().filter(|_| homewards);
                let home = home.map(|home| CurrentFolder::new(home.as_ref()));
                let told = folders.iter().map(|folder| self.place.folder.after_cd(folder));
                let told = told.fold(CurrentFolder::Unknown, CurrentFolder::merged_with);
                self.place.enter_folder(home.unwrap_or(told));
            }
            None => {}
        }
        self.out.search = search;
        self.out.held = held;
        Ok(wrote)
    }

    /// What a command has to read whose own redirections give it `feed`.
    fn command_input(&mut self, feed: &Feed) -> StandardInput {
        let mut texts = std::mem::take(&mut self.noted.offered);
        // What stands in its words was run before it, and may have read some of its input.
        let shared = std::mem::take(&mut self.noted.ate);
        let here = &self.place.input;
        let exact = here.exact.clone().filter(|_| !shared);
        let (texts, exact) = match feed {
            Feed::Nothing if texts.is_empty() => (Rc::clone(&here.texts), exact),
            Feed::Nothing => {
                texts.extend_from_slice(&here.texts);
                (Rc::new(texts), exact)
            }
            Feed::Unknown | Feed::File(_) => (Rc::new(texts), None),
            Feed::Text(text) => {
                texts.push(text.clone());
                (Rc::new(texts), Some(Rc::from(text.as_str())))
            }
        };
        let search = here.search.clone().filter(|_| *feed == Feed::Nothing && !shared);
        StandardInput {
            fed: here.fed || *feed != Feed::Nothing,
            piped: here.piped,
            texts,
            exact,
            search,
            file: None,
        }
    }

    /// Texts that the command that was found last might run as lines.
    fn guess_lines(&mut self, known: &CommandFacts, input: &[String], perhaps: &[String]) {
        let Some(place) = self.out.len().checked_sub(1) else { return };
        self.evaluated_lines();
        perhaps.iter().for_each(|line| self.guess_text(line, place, true));
        known.lines.iter().for_each(|line| self.guess_text(line, place, true));
        known.prose.iter().for_each(|line| self.guess_text(line, place, false));
        if known.runs_input {
            let elsewhere = self.place.opened_inputs().descriptor_texts().to_vec();
            for text in input.iter().chain(&elsewhere) {
                self.guess_text(text, place, true);
                printed_input::embedded_lines(text)
                    .iter()
                    .for_each(|line| self.guess_text(line, place, true));
            }
        }
        if known.reads_text == program::Language::Commands {
            for line in input.iter().flat_map(|text| program::embedded_commands(text)) {
                self.guess_text(&line, place, true);
            }
        }
    }

    /// What a command runs in turn, where it stands itself and with what it has to read.
    fn in_turn(&mut self, turn: NestedCommands) -> Result<()> {
        let NestedCommands {
            inner,
            mut lines,
            read,
            own,
            place,
            dialect,
            evaluates,
            sources,
            later,
            elsewhere,
            feed,
        } = turn;
        for inner in inner {
            match inner {
                InnerCommand::Words(words) => {
                    let before = self.out.shell_access_mut(place).map(|shell| given_before(&words, shell));
                    let written = before.unwrap_or_default();
                    self.words_in_turn(words, written, &feed, elsewhere.as_ref())?;
                }
                InnerCommand::Line(Word::Literal(line)) if evaluates => {
                    self.walk_separate_line(&line, self.dialect());
                }
                InnerCommand::Line(Word::Literal(line)) => lines.push(line),
                InnerCommand::Line(Word::Open(_)) => {}
            }
        }
        for line in lines {
            self.walk_line_in_other_shell(&line, dialect, later);
        }
        // Who reads lines from its input leaves the rest of it to them.
        self.place.input = self.place.input.as_shared();
        for line in read {
            match sources {
                true => self.walk_separate_line(&line, dialect),
                false => self.walk_line_in_other_shell(&line, dialect, false),
            }
        }
        for text in own {
            let found = self.out.len();
            self.walk_line_in_other_shell(&text, dialect, false);
            self.walk_input_as_shell(&text, found, place);
        }
        Ok(())
    }

    /// A command that another one starts, without a shell; `elsewhere`: in another folder.
    fn words_in_turn(
        &mut self,
        words: Vec<Word>,
        written: Vec<Assignment>,
        feed: &Feed,
        elsewhere: Option<&FolderChange>,
    ) -> Result<()> {
        let mut there = self.place.clone();
        match elsewhere {
            Some(FolderChange::To(folder)) => there.folder = there.folder.after_cd(folder),
            Some(FolderChange::Somewhere) => there.folder = CurrentFolder::Unknown,
            None => {}
        }
        let (left, walked) = self.walk_with_state(there, |walker| {
            walker.walk_nested(|walker| {
                // It may get something else to read.
                if *feed == Feed::Unknown {
                    walker.noted.offered.clone_from(&walker.place.input.texts);
                }
                walker.walk_command_words(
                    words,
                    CommandParts { written, feed: feed.clone(), shell: false, ..CommandParts::default() },
                )
            })
        });
        self.place.after_subshell(left);
        walked.map(drop)
    }

    pub(super) fn analyze_words(&self, words: &[Word], fed: bool, piped: bool) -> CommandFacts {
        let cwd = self.place.folder.known_path();
        // Where the line has gone out of the session's folders, what is there changes by itself.
        let within = |cwd: &Path| self.at.roots.iter().any(|root| cwd.starts_with(root));
        let left = within(self.at.cwd) && cwd.is_some_and(|cwd| !within(cwd));
        let made = left || self.could_have_made_files();
        let (looked, repositories) = (&self.looked, &self.repositories);
        let git_names = if made { self.git_names() } else { GitNames::default() };
        let command = Command { words, cwd, looked, repositories, fed, piped, made, git_names };
        let mut known = program::analyze_command(&command);
        self.add_stray_caveats(&mut known);
        for folder in self.place.folder.candidates() {
            let there = program::analyze_command(&Command { cwd: Some(folder), ..command });
            let written = |(kind, path): &(WriteKind, String)| {
                Touch::known_path(looked.path_access(folder, path), Use::Write(*kind))
            };
            known.touches.extend(there.writes.iter().map(written));
            known.touches.extend(there.touches);
            known.shown_from.extend(there.shown_from);
        }
        self.show_hidden_names(&mut known);
        self.settle_guided(words, &mut known);
        known
    }

    /// Has the paths of which it is not known what they are for asked about, where they lie apart.
    fn add_stray_caveats(&self, known: &mut CommandFacts) {
        for stray in std::mem::take(&mut known.strays) {
            if self.path_from_here(&stray.path).is_none_or(|path| program::is_apart(&path, self.at.roots)) {
                known.reader = false;
                known.caveats.push(stray.into_caveat());
            }
        }
    }

    /// A path that is written, from the folder at hand.
    pub(super) fn path_from_here(&self, path: &str) -> Option<PathAccess> {
        match self.place.folder.known_path() {
            Some(folder) => Some(self.looked.path_access(folder, path)),
            None if path.starts_with('/') => Some(PathAccess::new(std::path::Path::new("/"), path)),
            None => None,
        }
    }

    /// Whether a script that is sourced is the one with which an environment of Python's is entered, below one of the
    /// session's folders. Such a script goes nowhere. One that was made to do so was made to do anything else as well, by whoever
    /// allows that it runs: nothing that stands behind it is worse.
    fn activates_virtualenv(&self, words: &[Word]) -> bool {
        let [_, script] = words else { return false };
        let Some(text) = script.literal().filter(|text| text.ends_with("/bin/activate")) else {
            return false;
        };
        let Some(folder) = self.place.folder.known_path() else { return false };
        let path = self.looked.path_access(folder, text);
        path.unresolved.is_none() && path.forms().all(|form| self.is_inside(form))
    }

    /// Where a command runs, if that is not one of the session's folders.
    fn folder_caveat(&self, reader: bool, harmless: bool) -> Option<Caveat> {
        if harmless {
            return None;
        }
        let plain = |reason| Some(Caveat { reason, always: false, named: CaveatSubject::Nothing });
        let Some(folder) = self.place.folder.known_path() else {
            return plain("the folder that it runs in is not known".to_owned());
        };
        if reader || self.at.roots.is_empty() || self.is_inside(folder) {
            return None;
        }
        plain(format!("it runs in {}, outside of the session's folders", folder.display()))
    }

    /// Whether this is one of the session's folders, or below one.
    pub(super) fn is_inside(&self, folder: &std::path::Path) -> bool {
        let roots = self.at.roots;
        let under = roots.iter().any(|root| folder.starts_with(root));
        under && (folder == self.at.cwd || self.looked.working_folder(folder).is_within(roots))
    }
}

/// Something that is asked about whatever the mode, and that no pattern names.
fn always_caveat(reason: String) -> Caveat {
    Caveat { reason, always: true, named: CaveatSubject::Nothing }
}
