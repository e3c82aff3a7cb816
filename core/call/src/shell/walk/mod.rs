//! The walk over the tree of a line: every node that can hold a command, a redirection or an
//! assignment is visited, in the order in which a shell would come to it.

mod assign;
mod compound;
mod fed;
mod finish;
mod folder;
mod given;
mod moved;
mod parts;
mod perhaps;
mod readings;
mod redirect;
mod refusals;
mod reopen;
mod script;
mod shown;
mod simple;
mod test_expr;

use brush_parser::ast::{AndOr, AndOrList, Command, CompoundList, Pipeline, Program, SeparatorOperator};

use super::parse::Grammar;
use super::refused::{Refused, Result};
use super::{Assignment, Caveat, Dialect, Named, Surroundings, Touch, Word, bounds, parse, variables};
use crate::{Access, Looked};

use folder::Folder;

/// Where the shell may be after a list: one state for each way that it can end.
struct Ends {
    /// After success.
    good: Option<Folder>,
    /// After failure.
    bad: Option<Folder>,
    /// After a `cd` that failed: only what is behind `||` starts there.
    stayed: Option<Folder>,
}

/// A variable of a `for`, while its body is walked.
struct Loop {
    name: String,
    value: Word,
}

/// One walk over one line, its inner lines included.
pub(super) struct Walker<'a> {
    at: &'a Surroundings<'a>,
    /// The line as it was given: what accesses show.
    line: &'a str,
    /// The text that is walked just now: the line, or one inside of it.
    texts: Vec<String>,
    /// The shell that reads it.
    dialect: Dialect,
    /// As whose it is walked.
    grammar: Grammar,
    /// So many substitutions of the same shell are around it.
    substitutions: usize,
    /// A POSIX shell stops reading at what was walked last.
    stopped: bool,
    out: Vec<Access>,
    /// What was noted about words since it was last asked for.
    notes: Vec<Caveat>,
    /// The same for paths.
    touches: Vec<Touch>,
    /// Files that `[[ ]]` looks at.
    tested: Vec<Touch>,
    /// Lines that a value would run where it is read as a number.
    pub(super) evaluated: Vec<String>,
    /// Names that the line makes from others.
    moved: Vec<moved::Moved>,
    folder: Folder,
    /// Where commands have gone since the loop at hand began; none have.
    visited: Option<Folder>,
    looked: Looked,
    /// Standard input is a pipe, or something else that the line gives.
    fed: bool,
    /// Texts that were looked at as lines though they may be none, and their length.
    guesses: (usize, usize),
    /// Texts that may stand on standard input, as far as they are known.
    input: Vec<String>,
    /// Texts that the commands since write.
    said: Vec<String>,
    /// Texts that process substitutions of the command at hand write.
    offered: Vec<String>,
    /// It is a pipe, for certain.
    piped: bool,
    /// All of what is on standard input, where one command reads it and that is certain.
    exact: Option<String>,
    /// All of what the last command writes to its output, where that is certain.
    wrote: Option<String>,
    /// What it writes and runs.
    files: given::Files,
    /// What `exec` opened for the shell itself.
    opened: reopen::Opened,
    /// How deep in what may print to something else than the agent.
    held: usize,
    /// Something that the line prints ends in a file.
    kept: bool,
    loops: Vec<Loop>,
    functions: Vec<String>,
    commands: usize,
    depth: usize,
    weight: usize,
    /// What the request sets for every command.
    env: Vec<Assignment>,
    /// The line may set these itself.
    home_set: bool,
    pwd_set: bool,
}

impl<'a> Walker<'a> {
    /// A walk that starts in `at`.
    pub(super) fn new(line: &'a str, at: &'a Surroundings<'a>) -> Self {
        let set = |name: &str| at.env.contains_key(name) || variables::mentioned(line, name) > 0;
        Self {
            at,
            line,
            texts: vec![line.to_owned()],
            dialect: at.dialect,
            grammar: Grammar::Bash,
            substitutions: 0,
            stopped: false,
            out: Vec::new(),
            notes: Vec::new(),
            touches: Vec::new(),
            tested: Vec::new(),
            evaluated: Vec::new(),
            moved: Vec::new(),
            folder: Folder::new(at.cwd),
            visited: None,
            looked: Looked::default(),
            fed: false,
            guesses: (0, 0),
            input: Vec::new(),
            said: Vec::new(),
            offered: Vec::new(),
            piped: false,
            exact: None,
            wrote: None,
            files: given::Files::default(),
            opened: reopen::Opened::default(),
            held: 0,
            kept: false,
            loops: Vec::new(),
            functions: Vec::new(),
            commands: 0,
            depth: 0,
            weight: 0,
            env: Vec::new(),
            home_set: set("HOME"),
            pwd_set: set("PWD"),
        }
    }

    /// Walks the whole line in each way that shells of `dialect` could read it, and gives what it found: at
    /// least one access. `program` is what bash reads.
    pub(super) fn all(mut self, program: &Program, dialect: Dialect) -> Result<Vec<Access>> {
        self.set_env();
        self.dialect = dialect;
        let line = self.line;
        self.readings(line, program)?;
        Ok(self.finish())
    }

    /// Walks one command that is started without a shell.
    pub(super) fn one(mut self, words: Vec<Word>) -> Result<Vec<Access>> {
        self.set_env();
        self.command(words, parts::Parts { shell: false, ..parts::Parts::default() })?;
        Ok(self.finish())
    }

    fn program(&mut self, program: &Program) -> Result<()> {
        program.complete_commands.iter().try_for_each(|list| self.list(list))
    }

    /// A list: what is run in the background leaves the folder as it was.
    fn list(&mut self, list: &CompoundList) -> Result<()> {
        self.deeper(|walker| {
            for item in &list.0 {
                match item.1 {
                    SeparatorOperator::Async => {
                        walker.out_of_order();
                        walker.apart(|walker| walker.and_or(&item.0))?;
                    }
                    SeparatorOperator::Sequence => walker.and_or(&item.0)?,
                }
            }
            Ok(())
        })
    }

    fn and_or(&mut self, list: &AndOrList) -> Result<()> {
        let mut ends = self.pipeline(&list.first)?;
        let mut fails = self.is_missing(&list.first);
        for next in &list.additional {
            // To a shell without `[[`, what is joined to it by `&&` never runs.
            if fails && matches!(next, AndOr::And(_)) {
                continue;
            }
            fails = matches!(next, AndOr::Or(pipeline) if self.is_missing(pipeline));
            ends = match next {
                AndOr::And(pipeline) => {
                    self.goes_on(ends.good);
                    let next = self.pipeline(pipeline)?;
                    Ends {
                        good: next.good,
                        bad: Folder::either(ends.bad, next.bad),
                        stayed: Folder::either(ends.stayed, next.stayed),
                    }
                }
                AndOr::Or(pipeline) => {
                    self.goes_on(Folder::either(ends.bad, ends.stayed));
                    let next = self.pipeline(pipeline)?;
                    Ends { good: Folder::either(ends.good, next.good), bad: next.bad, stayed: next.stayed }
                }
            };
        }
        let moved = Folder::either(ends.good, ends.bad);
        self.goes_on(Folder::either(moved, ends.stayed));
        Ok(())
    }

    /// A command goes to this folder. Loops ask where one went: a `break` may end them there.
    fn goes_to(&mut self, folder: Folder) {
        self.visited = Folder::either(self.visited.take(), Some(folder.clone()));
        self.folder = folder;
    }

    /// What comes next is in this folder. Where nothing comes, behind an `exit`, it is where it was.
    fn goes_on(&mut self, folder: Option<Folder>) {
        if let Some(folder) = folder {
            self.folder = folder;
        }
    }

    /// Whether a pipeline is one command that the shell at hand does not have.
    fn is_missing(&self, pipeline: &Pipeline) -> bool {
        match pipeline.seq.as_slice() {
            [Command::Simple(simple)] if self.posix() && !pipeline.bang => {
                simple.prefix.is_none() && simple.word_or_name.as_ref().is_some_and(|name| name.value == "[[")
            }
            _ => false,
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Result<Ends> {
        let before = self.folder.clone();
        let (out, made) = (self.out.len(), self.made());
        match pipeline.seq.as_slice() {
            [] => {}
            [command] => self.node(command, pipeline.timed.is_some())?,
            commands => {
                let before = std::mem::take(&mut self.said);
                let mut wrote = None;
                let mut moved = None;
                for (at, command) in commands.iter().enumerate() {
                    let timed = at == 0 && pipeline.timed.is_some();
                    // Of several commands nobody knows which one reads how much.
                    let simple = matches!(command, Command::Simple(_));
                    let exact = wrote.take();
                    self.wrote = None;
                    let apart = |walker: &mut Self| {
                        walker.fed |= at > 0;
                        walker.exact =
                            exact.filter(|_| simple).or_else(|| walker.exact.take().filter(|_| at == 0));
                        if at > 0 {
                            walker.input = std::mem::take(&mut walker.said);
                        }
                        walker.piped |= at > 0;
                        let walked = walker.node(command, timed);
                        moved = Some(walker.folder.clone());
                        walked
                    };
                    // zsh runs the last one itself.
                    let last = at + 1 == commands.len();
                    self.held_back(|walker| match last {
                        true => walker.apart_but_opened(apart),
                        false => walker.apart(apart),
                    })?;
                    wrote = self.wrote.take().filter(|_| simple);
                }
                // zsh runs the last one by itself, and so does bash with an option of it.
                if self.may_be_zsh() {
                    self.folder = Folder::either(Some(self.folder.clone()), moved).unwrap_or(Folder::Unknown);
                }
                self.joined(out);
                self.said.splice(0..0, before);
            }
        }
        let after = self.folder.clone();
        let ends = if self.leaves(pipeline, out) {
            Ends { good: None, bad: None, stayed: None }
        } else if let (true, [Command::Simple(simple)]) = (after != before, pipeline.seq.as_slice()) {
            let plain = pipeline.timed.is_none() && folder::is_plain(simple, self.dialect);
            let sure = !made && plain && after.is_there();
            Ends { good: Some(after), bad: None, stayed: (!sure).then_some(before) }
        } else {
            Ends { good: Some(after.clone()), bad: Some(after), stayed: None }
        };
        Ok(if pipeline.bang { Ends { good: ends.bad, bad: ends.good, stayed: ends.stayed } } else { ends })
    }

    /// Whether a pipeline, the only one found since `out`, is one `exit` of this very shell, which nothing can keep from
    /// leaving. `break`, `continue` and `return` leave nothing outside of a loop or a function.
    fn leaves(&self, pipeline: &Pipeline, out: usize) -> bool {
        let [Command::Simple(simple)] = pipeline.seq.as_slice() else { return false };
        let plain = pipeline.timed.is_none() && !pipeline.bang && folder::is_exit(simple);
        let alone = matches!(self.out.get(out..), Some([Access::Shell(_)]));
        plain && alone && !self.is_function(Some("exit"))
    }

    fn node(&mut self, command: &Command, timed: bool) -> Result<()> {
        self.deeper(|walker| match command {
            Command::Simple(simple) => walker.simple(simple, timed),
            Command::Compound(compound, redirects) => {
                walker.redirected(redirects.as_ref(), |walker| walker.compound(compound))
            }
            Command::Function(function) => walker.function(function),
            Command::ExtendedTest(test, redirects) => walker.redirected(redirects.as_ref(), |walker| {
                walker.test(&test.expr)?;
                walker.bare("[[");
                Ok(())
            }),
        })
    }

    /// Walks what is inside of `$(...)`, backquotes or a process substitution.
    pub(super) fn substitution(&mut self, text: &str) -> Result<()> {
        let parsed = parse::substituted(text, self.grammar);
        // A POSIX shell that can't read what is substituted reads no further, and runs none of it.
        self.stopped |= self.posix() && parsed.is_err();
        let program = parsed?;
        self.substitutions += 1;
        let apart = |walker: &mut Self| {
            walker.exact = None;
            walker.program(&program)
        };
        let walked = self.held_back(|walker| walker.inside(text, |walker| walker.apart(apart)));
        self.substitutions -= 1;
        walked
    }

    /// Walks a literal line that a command would run in a shell of `dialect`, with what it finds.
    fn inner_line(&mut self, text: &str, dialect: Dialect) -> Result<()> {
        bounds::check(text)?;
        let program = parse::program(text, Grammar::Bash)?;
        let loops = std::mem::take(&mut self.loops);
        let exact = self.exact.take();
        self.exact = exact.clone().filter(|_| is_one_command(&program));
        let around = (self.dialect, self.grammar, self.substitutions);
        (self.dialect, self.grammar, self.substitutions) = (dialect, Grammar::Bash, 0);
        let walked = self.inside(text, |walker| walker.readings(text, &program));
        (self.dialect, self.grammar, self.substitutions) = around;
        self.exact = exact;
        self.loops = loops;
        walked
    }

    fn inside(&mut self, text: &str, walk: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let notes = std::mem::take(&mut self.notes);
        let touches = std::mem::take(&mut self.touches);
        self.texts.push(text.to_owned());
        let walked = self.deeper(walk);
        self.texts.pop();
        self.notes = notes;
        self.touches = touches;
        walked
    }

    /// Walks what can't change the folder, or the input, of what comes after it.
    fn apart(&mut self, walk: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let opened = self.opened.clone();
        let walked = self.brought_back(walk);
        self.opened = opened;
        walked
    }

    /// The same, but for the input that it opens for the shell.
    fn apart_but_opened(&mut self, walk: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let opened = self.times_opened();
        let walked = self.brought_back(walk);
        self.stays_opened(opened);
        walked
    }

    fn brought_back(&mut self, walk: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (folder, fed, piped) = (self.folder.clone(), self.fed, self.piped);
        let (input, exact, visited) = (self.input.clone(), self.exact.clone(), self.visited.clone());
        let walked = walk(self);
        (self.folder, self.visited) = (folder, visited);
        (self.fed, self.piped, self.input, self.exact) = (fed, piped, input, exact);
        walked
    }

    fn deeper<T>(&mut self, walk: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= bounds::DEEPEST {
            return Err(Refused::new("the line is nested too deep"));
        }
        self.depth += 1;
        let walked = walk(self);
        self.depth -= 1;
        walked
    }

    /// Counts what opens in words.
    pub(super) fn spend(&mut self, weight: usize) -> Result<()> {
        self.weight += weight;
        if self.weight > bounds::MOST_IN_WORDS {
            return Err(Refused::new("the line holds too many expansions"));
        }
        Ok(())
    }

    /// Notes something about the word at hand.
    pub(super) fn note(&mut self, always: bool, reason: String) {
        self.notes.push(Caveat { reason, always, named: Named::Nothing });
    }

    /// The text that is walked just now.
    pub(super) fn text(&self) -> &str {
        self.texts.last().map_or(self.line, String::as_str)
    }

    /// Whether zsh may read the text at hand.
    pub(super) fn may_be_zsh(&self) -> bool {
        self.dialect.may_be_zsh()
    }

    /// Whether the text at hand may be typed into a shell, so that its history counts.
    pub(super) fn may_be_typed(&self) -> bool {
        self.dialect == Dialect::Unknown
    }

    /// The shell that reads the text at hand.
    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether the text is walked as a shell reads it that has none of bash's additions.
    pub(super) fn posix(&self) -> bool {
        self.grammar == Grammar::Posix
    }

    /// Whether the text at hand stands in a substitution.
    pub(super) fn substituted(&self) -> bool {
        self.substitutions > 0
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
        let here = self.folder.known().filter(|_| !self.pwd_set)?.to_str()?;
        (!here.contains(char::is_whitespace) && !here.contains(['*', '?', '['])).then(|| here.to_owned())
    }

    /// What a variable of a `for` around holds.
    pub(super) fn looped(&self, name: &str) -> Option<Word> {
        self.loops.iter().rev().find(|inner| inner.name == name).map(|inner| inner.value.clone())
    }

    fn is_function(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.functions.iter().any(|function| function == name))
    }
}

/// Whether there is one command in it, and no other that could read its input.
fn is_one_command(program: &Program) -> bool {
    let [list] = program.complete_commands.as_slice() else { return false };
    let [item] = list.0.as_slice() else { return false };
    let and_or = &item.0;
    let plain = |command: &Command| matches!(command, Command::Simple(_));
    and_or.additional.is_empty() && and_or.first.seq.first().is_some_and(plain)
}

/// What is said about the variables that the request sets, where the line itself is not understood.
pub(super) fn env_caveats(at: &Surroundings<'_>) -> Vec<Caveat> {
    let mut walker = Walker::new("", at);
    walker.set_env();
    assign::caveats(&walker.env).map(|caveat| Caveat { named: Named::Nothing, ..caveat }).collect()
}
