//! The walk over the tree of a line: every node that can hold a command, a redirection or an
//! assignment is visited, in the order in which a shell would come to it.
//!
//! A walk has four things. Its place ([`Where`]) is what the shell is at this point of the line: parts are walked in places
//! of their own, and [`Walker::within`] is the one way into such a place and out of it. What was found ([`Out`]) only grows.
//! What was spent ([`Budget`]) bounds it. What was noted ([`Noted`]) about words waits for the command that they belong to.

mod assign;
mod budget;
mod command;
mod compound;
mod fed;
mod files;
mod finish;
mod folder;
mod given;
mod input;
mod lines;
mod listed;
mod lists;
mod moved;
mod noted;
mod out;
mod parts;
mod perhaps;
mod place;
mod printed;
mod quiet;
mod readings;
mod redirect;
mod refusals;
mod script;
mod settled;
mod shown;
mod simple;
mod test_expr;
mod unsettled;
mod xargs;

use brush_parser::ast::Program;

use super::parse::Grammar;
use super::refused::Result;
use super::{Assignment, Caveat, Dialect, Named, Surroundings, Word, variables};
use crate::{Access, Looked};

use budget::Budget;
use noted::Noted;
use out::Out;
use place::Where;

/// One walk over one line, its inner lines included.
pub(super) struct Walker<'a> {
    at: &'a Surroundings<'a>,
    /// The line as it was given: what accesses show.
    line: &'a str,
    /// Where the shell is by now.
    place: Where,
    out: Out,
    budget: Budget,
    noted: Noted,
    looked: Looked,
    /// What the request sets for every command.
    env: Vec<Assignment>,
    /// The line may set these itself.
    home_set: bool,
    pwd_set: bool,
}

/// What was tried, and may never run.
struct Tried {
    left: Where,
    found: Vec<Access>,
    walked: Result<()>,
}

impl<'a> Walker<'a> {
    /// A walk that starts in `at`.
    pub(super) fn new(line: &'a str, at: &'a Surroundings<'a>) -> Self {
        let set = |name: &str| at.env.contains_key(name) || variables::mentioned(line, name) > 0;
        Self {
            at,
            line,
            place: Where::start(line, at),
            out: Out::default(),
            budget: Budget::default(),
            noted: Noted::default(),
            looked: Looked::default(),
            env: Vec::new(),
            home_set: set("HOME"),
            pwd_set: set("PWD"),
        }
    }

    /// Walks the whole line in each way that shells of its dialect could read it, and gives what it found: at
    /// least one access. `program` is what bash reads.
    pub(super) fn all(mut self, program: &Program) -> Result<Vec<Access>> {
        self.set_env();
        self.readings(program)?;
        Ok(self.finish())
    }

    /// Walks one command that is started without a shell.
    pub(super) fn one(mut self, words: Vec<Word>) -> Result<Vec<Access>> {
        self.set_env();
        self.command(words, parts::Parts { shell: false, ..parts::Parts::default() })?;
        Ok(self.finish())
    }

    /// Walks a part of the line in a place of its own. The place around it is untouched: what the part left its own as is
    /// handed back, for [`Where`] to say what of it counts.
    fn within<T>(&mut self, there: Where, walk: impl FnOnce(&mut Self) -> T) -> (Where, T) {
        let here = std::mem::replace(&mut self.place, there);
        let walked = walk(self);
        (std::mem::replace(&mut self.place, here), walked)
    }

    /// Walks what can't change the folder, or the input, of what comes after it.
    fn subshell(&mut self, walk: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (left, walked) = self.within(self.place.clone(), walk);
        self.place.after_subshell(left);
        walked
    }

    /// Walks another text in the middle of words: what was noted about these words is not that text's.
    fn aside(&mut self, walk: impl FnOnce(&mut Self) -> (Where, Result<()>)) -> (Where, Result<()>) {
        let noted = std::mem::take(&mut self.noted);
        let (left, walked) = walk(self);
        let over = std::mem::replace(&mut self.noted, noted);
        if walked.is_ok() {
            self.noted.join(over);
        }
        (left, walked)
    }

    /// Walks a part whose output goes into a pipe, and gives what it prints there.
    fn heard<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> (Vec<String>, T) {
        let before = std::mem::take(&mut self.out.said);
        let walked = walk(self);
        (std::mem::replace(&mut self.out.said, before), walked)
    }

    /// Walks what may never run, as if of all that was found only the first `known` were there. What it finds is handed
    /// back, and the rest of the line may find and spend as much as if it had not been tried.
    fn tried(&mut self, known: usize, walk: impl FnOnce(&mut Self) -> (Where, Result<()>)) -> Tried {
        let (found, budget) = (self.out.take(known), self.budget);
        let (left, walked) = walk(self);
        self.budget.forgive(budget);
        let tried = self.out.take(known);
        self.out.accesses.extend(found);
        Tried { left, found: tried, walked }
    }

    fn deeper<T>(&mut self, walk: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.budget.goes_in()?;
        let walked = walk(self);
        self.budget.comes_out();
        walked
    }

    /// Counts what opens in words.
    pub(super) fn spend(&mut self, weight: usize) -> Result<()> {
        self.budget.word(weight)
    }

    /// Notes something about the word at hand.
    pub(super) fn note(&mut self, always: bool, reason: String) {
        self.noted.note(always, reason);
    }

    /// Notes lines that run where a value is read as a number.
    pub(super) fn evaluates_lines(&mut self, lines: Vec<String>) {
        self.noted.evaluated.extend(lines);
    }

    /// The text that is walked just now.
    pub(super) fn text(&self) -> &str {
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
    pub(super) fn posix(&self) -> bool {
        self.place.reading.grammar == Grammar::Posix
    }

    /// Whether the text at hand stands in a substitution.
    pub(super) fn substituted(&self) -> bool {
        self.place.reading.substituted
    }

    /// Whether the text that is walked holds `raw` as it stands.
    pub(super) fn stands(&self, raw: &str) -> bool {
        let text = self.text();
        text.contains(raw) || (text.contains("\\\n") && text.replace("\\\n", "").contains(raw))
    }

    /// The home folder, where it is known and nothing sets it.
    pub(super) fn home(&self) -> Option<String> {
        let home = self.at.home.filter(|_| !self.home_set)?.to_str()?;
        (!home.contains(char::is_whitespace) && !home.contains(['*', '?', '['])).then(|| home.to_owned())
    }

    /// The working folder, where it is known and nothing sets it.
    pub(super) fn here(&self) -> Option<String> {
        let here = self.place.folder.known().filter(|_| !self.pwd_set)?.to_str()?;
        (!here.contains(char::is_whitespace) && !here.contains(['*', '?', '['])).then(|| here.to_owned())
    }

    /// What a variable of a `for` around holds.
    pub(super) fn looped(&self, name: &str) -> Option<Word> {
        self.place.looped(name).cloned()
    }

    /// What the text at hand has set a variable to by now.
    pub(super) fn assigned(&self, name: &str) -> Option<Word> {
        self.place.assigned(name).filter(|_| !self.out.sets).cloned()
    }

    /// Whether a command may have set variables that the text around it does not name.
    pub(super) fn sets_others_too(&self) -> bool {
        self.out.sets
    }

    fn is_function(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.place.functions().iter().any(|function| function == name))
    }
}

/// What is said about the variables that the request sets, where the line itself is not understood.
pub(super) fn env_caveats(at: &Surroundings<'_>) -> Vec<Caveat> {
    let mut walker = Walker::new("", at);
    walker.set_env();
    assign::caveats(&walker.env).map(|caveat| Caveat { named: Named::Nothing, ..caveat }).collect()
}
