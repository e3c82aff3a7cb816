//! Where a command stands: what the shell is at this point of the line, as far as it is known.
//!
//! A part of the line (a subshell, a side of a pipe, the body of a loop, a line inside of the line) is walked in a place of
//! its own, which begins as a copy of the one around it. When the part is over, what it left its place as is handed back,
//! and one of the `after_...` below says what of it counts outside. Whatever is not named there ends with the part.

use std::rc::Rc;

use super::files::LineFiles;
use super::folder::CurrentFolder;
use super::input::{OpenedInputs, StandardInput};
use super::redirect::Feed;
use crate::shell::parse::Grammar;
use crate::shell::{Dialect, Surroundings, Word};

/// The text that is walked, and how it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShellText {
    /// The line, or one inside of it.
    pub(super) text: Rc<str>,
    /// The shell that reads it.
    pub(super) dialect: Dialect,
    /// As whose it is walked.
    pub(super) grammar: Grammar,
    /// It stands in a substitution of the same shell.
    pub(super) substituted: bool,
}

/// The variables of `for` loops, while their bodies are walked: the innermost, and those around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LoopVariables(Option<Rc<(Variable, LoopVariables)>>);

/// A variable of a `for`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) value: Word,
}

impl LoopVariables {
    fn value(&self, name: &str) -> Option<&Word> {
        let (inner, around) = self.0.as_deref()?;
        if inner.name == name { Some(&inner.value) } else { around.value(name) }
    }
}

/// What the shell is. Copies share what is large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShellState {
    pub(super) reading: ShellText,
    pub(super) folder: CurrentFolder,
    /// Where commands have gone since the loop at hand began; none have.
    visited: Option<CurrentFolder>,
    pub(super) input: StandardInput,
    opened: Rc<OpenedInputs>,
    loops: LoopVariables,
    /// Variables that the text at hand sets whatever else happens in it, and those that it has set so by now.
    certain: Rc<Vec<String>>,
    assigned: Rc<Vec<Variable>>,
    /// What is printed here may go to something else than the agent.
    pub(super) held: bool,
    functions: Rc<Vec<String>>,
    /// What the line writes and runs.
    files: Rc<LineFiles>,
}

impl ShellState {
    /// Where a line begins.
    pub(super) fn start(line: &str, at: &Surroundings<'_>) -> Self {
        let (text, dialect) = (line.into(), at.dialect);
        Self {
            reading: ShellText { text, dialect, grammar: Grammar::Bash, substituted: false },
            folder: CurrentFolder::new(at.cwd),
            visited: None,
            input: StandardInput::default(),
            opened: Rc::default(),
            loops: LoopVariables::default(),
            certain: Rc::default(),
            assigned: Rc::default(),
            held: false,
            functions: Rc::default(),
            files: Rc::default(),
        }
    }
}

/// What commands do to the place that they stand in.
impl ShellState {
    /// A command goes to this folder. Loops ask where one went: a `break` may end them there.
    pub(super) fn enter_folder(&mut self, folder: CurrentFolder) {
        self.visited = CurrentFolder::merge_optional(self.visited.take(), Some(folder.clone()));
        self.folder = folder;
    }

    /// What comes next is in this folder. Where nothing comes, behind an `exit`, it is where it was.
    pub(super) fn set_next_folder(&mut self, folder: Option<CurrentFolder>) {
        if let Some(folder) = folder {
            self.folder = folder;
        }
    }

    /// Something else may have run instead, and then the shell is in `folder`.
    pub(super) fn merge_folder(&mut self, folder: CurrentFolder) {
        self.folder = self.folder.clone().merged_with(folder);
    }

    /// The shell reads a file that is not known: what that holds may go anywhere, and open anything.
    /// One that `stays` leaves the shell where it is.
    pub(super) fn sources_unread(&mut self, stays: bool) {
        if !stays {
            self.enter_folder(self.folder.clone().merged_with(CurrentFolder::Unknown));
        }
        self.open_inputs(|opened| opened.open_input(Feed::Unknown, Vec::new()));
    }

    /// Between two rounds of a loop, and behind it: it began in `before`, and has gone to places since, or not.
    pub(super) fn merge_loop_folders(&mut self, before: &CurrentFolder) {
        self.folder = before.clone();
        if let Some(visited) = self.visited.clone() {
            // A third round may begin where the second one ended.
            self.folder = before.clone().merged_with(visited).merged_with(CurrentFolder::Unknown);
        }
    }

    /// Whether a command went anywhere since the loop at hand began.
    pub(super) fn has_moved(&self) -> bool {
        self.visited.is_some()
    }

    /// Whether nothing was opened, defined or written since it was as `before`.
    pub(super) fn has_changed_nothing_since(&self, before: &Self) -> bool {
        let files = self.files.same_but_concurrency(&before.files);
        files && self.opened == before.opened && self.functions == before.functions
    }

    pub(super) fn opened_inputs(&self) -> &OpenedInputs {
        &self.opened
    }

    /// Opens something for the shell that stands here.
    pub(super) fn open_inputs(&mut self, open: impl FnOnce(&mut OpenedInputs)) {
        let before = self.opened.open_count();
        open(Rc::make_mut(&mut self.opened));
        self.stays_opened(before);
    }

    /// If the input was opened since it had been `before` times, what comes next reads that.
    fn stays_opened(&mut self, before: usize) {
        if self.opened.open_count() != before {
            self.opened.add_to_input(&mut self.input);
        }
    }

    pub(super) fn files(&self) -> &LineFiles {
        &self.files
    }

    /// The same, to come back to.
    pub(super) fn shared_files(&self) -> Rc<LineFiles> {
        Rc::clone(&self.files)
    }

    pub(super) fn files_mut(&mut self) -> &mut LineFiles {
        Rc::make_mut(&mut self.files)
    }

    pub(super) fn functions(&self) -> &[String] {
        &self.functions
    }

    pub(super) fn define_function(&mut self, function: String) {
        Rc::make_mut(&mut self.functions).push(function);
    }

    /// What a variable of a `for` around holds.
    pub(super) fn loop_variable(&self, name: &str) -> Option<&Word> {
        self.loops.value(name)
    }

    /// From here on in the loop at hand, a variable holds this.
    pub(super) fn set_loop_variable(&mut self, variable: Variable) {
        self.loops = LoopVariables(Some(Rc::new((variable, std::mem::take(&mut self.loops)))));
    }

    /// The text at hand sets these variables whatever else happens in it.
    pub(super) fn set_certain_names(&mut self, names: Vec<String>) {
        (self.certain, self.assigned) = (Rc::new(names), Rc::default());
    }

    pub(super) fn sets_for_certain(&self, name: &str) -> bool {
        self.certain.iter().any(|certain| certain == name)
    }

    pub(super) fn assign_variable(&mut self, variable: Variable) {
        Rc::make_mut(&mut self.assigned).push(variable);
    }

    /// What the text at hand has set a variable to.
    pub(super) fn assigned_value(&self, name: &str) -> Option<&Word> {
        self.assigned.iter().rfind(|variable| variable.name == name).map(|variable| &variable.value)
    }
}

/// How parts begin. One that is not named here begins as a plain copy: a subshell, a job.
impl ShellState {
    /// What does not print to the agent, as far as is known yet.
    pub(super) fn held_back(&self) -> Self {
        Self { held: true, ..self.clone() }
    }

    /// A side of a pipe; `input`: what the one before it writes.
    pub(super) fn pipe_side(&self, input: Option<StandardInput>) -> Self {
        let here = self.held_back();
        Self { input: input.unwrap_or(here.input), ..here }
    }

    /// `text` in `$(...)` or backquotes.
    pub(super) fn command_substitution(&self, text: &str) -> Self {
        let reading = ShellText { text: text.into(), substituted: true, ..self.reading.clone() };
        Self { reading, input: self.input.as_shared(), ..self.held_back() }
    }

    /// What stands in `<(...)` or `>(...)`.
    pub(super) fn process_substitution(&self) -> Self {
        let reading = ShellText { substituted: true, ..self.reading.clone() };
        Self { reading, ..self.function_body() }.held_back()
    }

    /// The same among words that `texts` are offered to: a command that reads these may write them there, as in
    /// `cp <(echo ls) >(sh)`.
    pub(super) fn with_offered_texts(mut self, texts: &[String]) -> Self {
        if !texts.is_empty() {
            Rc::make_mut(&mut self.input.texts).extend_from_slice(texts);
        }
        self
    }

    /// What is given something to read by whoever runs it: a function's body.
    pub(super) fn function_body(&self) -> Self {
        Self { input: StandardInput { fed: true, ..self.input.as_shared() }, ..self.clone() }
    }

    /// A compound command: several commands share what it is given.
    pub(super) fn compound_command(&self) -> Self {
        Self { input: self.input.as_shared(), ..self.clone() }
    }

    /// The body of a loop, and the variable that it has.
    pub(super) fn loop_body(&self, variable: Option<Variable>) -> Self {
        let around = self.loops.clone();
        let loops = match variable {
            Some(variable) => LoopVariables(Some(Rc::new((variable, around)))),
            None => around,
        };
        Self { loops, visited: None, ..self.clone() }
    }

    /// `text`, which is a line of its own for a shell of `dialect`; `one`: there is one command in it.
    pub(super) fn nested_line(&self, text: &str, dialect: Dialect, one: bool) -> Self {
        let reading = ShellText { text: text.into(), dialect, grammar: Grammar::Bash, substituted: false };
        let input = if one { self.input.clone() } else { self.input.as_shared() };
        let (certain, assigned) = (Rc::default(), Rc::default());
        Self { reading, input, loops: LoopVariables::default(), certain, assigned, ..self.clone() }
    }

    /// What a command runs in turn, with what it has to read; `held`: it does not only print what that prints.
    pub(super) fn nested_command(&self, input: StandardInput, held: bool) -> Self {
        Self { input, held: self.held || held, ..self.clone() }
    }

    /// The same text from `folder` on, with the files that were written before, as a shell reads it that has none of bash's
    /// additions.
    pub(super) fn read_as_posix(&self, folder: CurrentFolder, files: Rc<LineFiles>) -> Self {
        let reading = ShellText { grammar: Grammar::Posix, ..self.reading.clone() };
        Self { reading, folder, files, ..self.clone() }
    }
}

/// What of a part counts outside of it. A file that was written is there for all, whoever wrote it, and so does a name count
/// that was made a function anywhere; but what a guess would write is not there.
impl ShellState {
    /// What can't change the folder, or the input, of what comes after it.
    pub(super) fn after_subshell(&mut self, left: Self) {
        (self.files, self.functions) = (left.files, left.functions);
    }

    /// The same, but for the input that it opens: it may be the shell itself that ran it.
    pub(super) fn after_opening(&mut self, left: Self) {
        let before = self.opened.open_count();
        self.opened = Rc::clone(&left.opened);
        self.after_subshell(left);
        self.stays_opened(before);
    }

    /// The last side of a pipe, where this very shell may run it: it may have gone wherever that one went.
    pub(super) fn after_last_side(&mut self, left: Self) {
        self.visited.clone_from(&left.visited);
        self.folder = self.folder.clone().merged_with(left.folder.clone());
        self.after_opening(left);
    }

    /// A compound command, which this very shell ran; with an input of its `own`, the one of the shell comes back.
    pub(super) fn after_compound(&mut self, left: Self, own: bool) {
        let (before, input) = (self.opened.open_count(), std::mem::take(&mut self.input));
        *self = Self { input, ..left };
        if !own {
            self.stays_opened(before);
        }
    }

    /// A loop. The one around it went wherever this one went.
    pub(super) fn after_loop(&mut self, left: Self) {
        let visited = CurrentFolder::merge_optional(self.visited.take(), left.visited);
        *self = Self { visited, loops: std::mem::take(&mut self.loops), ..left };
    }

    /// A line that this very shell read.
    pub(super) fn after_line(&mut self, left: Self) {
        let input = StandardInput { exact: self.input.exact.take(), ..left.input };
        let loops = std::mem::take(&mut self.loops);
        *self = Self { reading: self.reading.clone(), input, loops, ..left };
    }

    /// A line that another shell read, which this one started: its folder is its own. What it opened may be open for the
    /// next one that is started, and for a loop around it counts where it went: that is more than can be.
    pub(super) fn after_other_shell(&mut self, left: Self) {
        *self = Self { folder: self.folder.clone(), ..left };
    }

    /// All that a command ran; `own`: lines that this very shell runs, now or later.
    pub(super) fn after_inner(&mut self, left: Self, own: bool) {
        let before = self.opened.open_count();
        let opened = Rc::clone(if own { &left.opened } else { &self.opened });
        *self = Self { input: std::mem::take(&mut self.input), held: self.held, opened, ..left };
        self.stays_opened(before);
    }

    /// A file that this very shell read, as far as the line says what it holds. A `return` may leave it midway.
    pub(super) fn after_source(&mut self, mut left: Self) {
        left.merge_loop_folders(&self.folder);
        left.visited = CurrentFolder::merge_optional(self.visited.take(), left.visited);
        self.after_inner(left, true);
    }

    /// What might be run, and might not. For a loop around it counts where it would go: that is more than can be.
    pub(super) fn after_guess(&mut self, left: Self) {
        self.visited = left.visited;
    }

    /// The same text as a POSIX shell reads it. Where it did not read `all` of it, nothing runs behind it.
    pub(super) fn after_posix(&mut self, left: Self, all: bool) {
        let mut folder = self.folder.clone();
        if all {
            folder = folder.merged_with(left.folder);
        }
        let files = LineFiles::merge_readings(Rc::clone(&self.files), Rc::clone(&left.files));
        *self = Self { reading: self.reading.clone(), folder, files, ..left };
    }
}

#[cfg(test)]
mod tests;
