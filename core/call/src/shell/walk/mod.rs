//! The walk over the tree of a line: every node that can hold a command, a redirection or an
//! assignment is visited, in the order in which a shell would come to it.
//!
//! A walk has four things. Its place ([`ShellState`]) is what the shell is at this point of the line: parts are walked in places
//! of their own, and [`Walker::walk_with_state`] is the one way into such a place and out of it. What was found ([`WalkResult`]) only grows.
//! What was spent ([`WalkBudget`]) bounds it. What was noted ([`WordNotes`]) about words waits for the command that they belong to.

mod assign;
mod brought_links;
mod budget;
mod command;
mod command_parts;
mod compound;
mod evaluated_names;
mod extended_globs;
mod fed_patches;
mod files;
mod finish;
mod folder;
mod given_programs;
mod ignore_files;
mod input;
mod line_values;
mod lines;
mod link_bringers;
mod listed_names;
mod lists;
mod moved_names;
mod open_words;
mod output_visibility;
mod pending_notes;
mod possible_lines;
mod print_only;
mod printed_input;
mod printed_names;
mod read_only;
mod readings;
mod redirect;
mod refusals;
mod script;
mod shell_state;
mod simple;
mod stale_lookups;
mod tame_words;
mod test_expr;
mod walk_output;
mod xargs;

use brush_parser::ast::Program;

use super::line_error::Result;
use super::parse::Grammar;
use super::program::RepositoryLooks;
use super::{Assignment, Caveat, CaveatSubject, Dialect, Surroundings, Word, variables};
use crate::{Access, LineLookups};

use budget::{WalkBudget, check_steps};
pub(super) use evaluated_names::holds_printed;
pub(super) use extended_globs::{EXCLUSION, is_extended_sign};
pub(super) use line_values::{printed_values, value_readings};
use pending_notes::WordNotes;
use shell_state::ShellState;
use stale_lookups::SpokenNames;
use walk_output::WalkResult;

/// One walk over one line, its inner lines included.
pub(super) struct Walker<'a> {
    at: &'a Surroundings<'a>,
    /// The line as it was given: what accesses show.
    line: &'a str,
    /// Where the shell is by now.
    place: ShellState,
    out: WalkResult,
    budget: WalkBudget,
    noted: WordNotes,
    looked: LineLookups,
    repositories: RepositoryLooks,
    spoken: SpokenNames,
    /// What the request sets for every command.
    env: Vec<Assignment>,
    /// The same with what is transparent.
    given_env: Vec<Assignment>,
    /// The line may set these itself.
    home_set: bool,
    pwd_set: bool,
}

/// What was tried, and may never run.
struct TrialWalk {
    left: ShellState,
    found: Vec<Access>,
    walked: Result<()>,
}

impl<'a> Walker<'a> {
    /// A walk that starts in `at`.
    pub(super) fn new(line: &'a str, at: &'a Surroundings<'a>) -> Self {
        let set = |name: &str| at.env.contains_key(name) || variables::count_mentions(line, name) > 0;
        Self {
            at,
            line,
            place: ShellState::start(line, at),
            out: WalkResult::default(),
            budget: WalkBudget::default(),
            noted: WordNotes::default(),
            looked: LineLookups::default(),
            repositories: RepositoryLooks::default(),
            spoken: SpokenNames::default(),
            env: Vec::new(),
            given_env: Vec::new(),
            home_set: set("HOME"),
            pwd_set: set("PWD"),
        }
    }

    /// Walks the whole line in each way that shells of its dialect could read it, and gives what it found: at
    /// least one access. `program` is what bash reads.
    pub(super) fn walk_all_readings(mut self, program: &Program) -> Result<Vec<Access>> {
        self.set_env();
        self.walk_readings(program)?;
        // What a loop or a function uses may be set further on.
        if self.place.files().is_out_of_order()
            && let Some(values) = self.out.values.take_late()
        {
            let mut again = Self::new(self.line, self.at);
            (again.out.values, again.looked) = (values, self.looked);
            return again.walk_all_readings(program);
        }
        self.finish_within_budget()
    }

    /// Walks one command that is started without a shell.
    pub(super) fn walk_argv(mut self, words: Vec<Word>) -> Result<Vec<Access>> {
        self.set_env();
        self.walk_command_words(
            words,
            command_parts::CommandParts { shell: false, ..command_parts::CommandParts::default() },
        )?;
        self.finish_within_budget()
    }

    /// All that was found, if nothing was left out.
    fn finish_within_budget(self) -> Result<Vec<Access>> {
        let found = self.finish();
        check_steps(0)?;
        Ok(found)
    }

    /// Walks a part of the line in a place of its own. The place around it is untouched: what the part left its own as is
    /// handed back, for [`ShellState`] to say what of it counts.
    fn walk_with_state<T>(
        &mut self,
        there: ShellState,
        walk: impl FnOnce(&mut Self) -> T,
    ) -> (ShellState, T) {
        let here = std::mem::replace(&mut self.place, there);
        let walked = walk(self);
        (std::mem::replace(&mut self.place, here), walked)
    }

    /// Walks what can't change the folder, or the input, of what comes after it.
    fn walk_subshell(&mut self, walk: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (left, walked) = self.walk_with_state(self.place.clone(), walk);
        self.place.after_subshell(left);
        walked
    }

    /// Walks another text in the middle of words: what was noted about these words is not that text's.
    fn walk_with_own_notes(
        &mut self,
        walk: impl FnOnce(&mut Self) -> (ShellState, Result<()>),
    ) -> (ShellState, Result<()>) {
        let noted = std::mem::take(&mut self.noted);
        let (left, walked) = walk(self);
        let over = std::mem::replace(&mut self.noted, noted);
        if walked.is_ok() {
            self.noted.append_notes(over);
        }
        (left, walked)
    }

    /// Walks a part whose output goes into a pipe, and gives what it prints there.
    fn capture_output<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> (Vec<String>, T) {
        let before = std::mem::take(&mut self.out.said);
        let walked = walk(self);
        (std::mem::replace(&mut self.out.said, before), walked)
    }

    /// Walks what may never run, as if of all that was found only the first `known` were there. What it finds is handed
    /// back, and the rest of the line may find and spend as much as if it had not been tried.
    fn walk_trial(
        &mut self,
        known: usize,
        walk: impl FnOnce(&mut Self) -> (ShellState, Result<()>),
    ) -> TrialWalk {
        let (found, budget) = (self.out.take_since(known), self.budget);
        let (left, walked) = walk(self);
        self.budget.refund_trial(budget);
        let tried = self.out.take_since(known);
        self.out.accesses.extend(found);
        TrialWalk { left, found: tried, walked }
    }

    fn walk_nested<T>(&mut self, walk: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.budget.enter_level()?;
        let walked = walk(self);
        self.budget.leave_level();
        walked
    }

    /// Counts what opens in words.
    pub(super) fn spend_weight(&mut self, weight: usize) -> Result<()> {
        self.budget.spend_word(weight)
    }

    /// Counts what is looked at.
    pub(super) fn spend_steps(&self, steps: usize) -> Result<()> {
        check_steps(steps)
    }

    /// Notes something about the word at hand.
    pub(super) fn note_caveat(&mut self, always: bool, reason: String) {
        self.noted.add_caveat(always, reason);
    }

    /// Notes lines that run where a value is read as a number.
    pub(super) fn evaluates_lines(&mut self, lines: Vec<String>) {
        self.noted.evaluated.extend(lines);
    }

    /// The text that is walked just now.
    pub(super) fn current_text(&self) -> &str {
        &self.place.reading.text
    }

    /// Whether zsh may read the text at hand.
    pub(super) fn may_be_zsh(&self) -> bool {
        self.dialect().may_be_zsh()
    }

    /// Whether the text at hand may be typed into a shell, so that its history counts.
    pub(super) fn may_be_typed(&self) -> bool {
        self.dialect() == Dialect::Unknown
    }

    /// The shell that reads the text at hand.
    pub(super) fn dialect(&self) -> Dialect {
        self.place.reading.dialect
    }

    /// Whether the text is walked as a shell reads it that has none of bash's additions.
    pub(super) fn is_posix(&self) -> bool {
        self.place.reading.grammar == Grammar::Posix
    }

    /// Whether the text at hand stands in a substitution.
    pub(super) fn is_substituted(&self) -> bool {
        self.place.reading.substituted
    }

    /// Whether the text that is walked holds `raw` as it stands.
    pub(super) fn contains_verbatim(&self, raw: &str) -> bool {
        let text = self.current_text();
        text.contains(raw) || (text.contains("\\\n") && text.replace("\\\n", "").contains(raw))
    }

    /// The home folder, where it is known and nothing sets it.
    pub(super) fn known_home(&self) -> Option<String> {
        let home = self.at.home.filter(|_| !self.home_set)?.to_str()?;
        (!home.contains(char::is_whitespace) && !home.contains(['*', '?', '['])).then(|| home.to_owned())
    }

    /// The working folder, where it is known and nothing sets it.
    pub(super) fn known_cwd(&self) -> Option<String> {
        let here = self.place.folder.known_path().filter(|_| !self.pwd_set)?.to_str()?;
        (!here.contains(char::is_whitespace) && !here.contains(['*', '?', '['])).then(|| here.to_owned())
    }

    /// What a variable of a `for` around holds.
    pub(super) fn loop_variable(&self, name: &str) -> Option<Word> {
        self.place.loop_variable(name).cloned()
    }

    /// What the text at hand has set a variable to by now.
    pub(super) fn assigned_value(&self, name: &str) -> Option<Word> {
        self.place.assigned_value(name).filter(|_| !self.out.sets).cloned()
    }

    /// Whether a command may have set variables that the text around it does not name.
    pub(super) fn sets_others_too(&self) -> bool {
        self.out.sets
    }

    /// Whether no name is one of a function that the line defines.
    pub(super) fn has_no_functions(&self) -> bool {
        self.place.functions().is_empty()
    }

    fn is_function(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.place.functions().iter().any(|function| function == name))
    }
}

/// What is said about the variables that the request sets, where the line itself is not understood.
pub(super) fn env_caveats(at: &Surroundings<'_>) -> Vec<Caveat> {
    let mut walker = Walker::new("", at);
    walker.set_env();
    assign::assignment_caveats(&walker.env)
        .map(|caveat| Caveat { named: CaveatSubject::Nothing, ..caveat })
        .collect()
}
