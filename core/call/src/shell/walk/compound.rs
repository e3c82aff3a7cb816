//! Compound commands: groups, conditions, loops, functions.

use brush_parser::ast::{
    ArithmeticForClauseCommand, CaseClauseCommand, Command, CommandPrefixOrSuffixItem, CompoundCommand,
    CompoundList, ForClauseCommand, FunctionDefinition, IfClauseCommand, UnexpandedArithmeticExpr,
};

use super::Walker;
use super::extended_globs::ExtendedGlob;
use super::folder::CurrentFolder;
use super::shell_state::Variable;
use crate::shell::expand::WordContext;
use crate::shell::line_error::{LineError, Result};
use crate::shell::variables::{self, VariableKind};
use crate::shell::{GapContent, OpenWord, Word, scripts};

/// Functions that zsh calls when something happens, besides `TRAP...`.
const HOOKS: &[&str] = &[
    "chpwd",
    "command_not_found_handler",
    "periodic",
    "precmd",
    "preexec",
    "zsh_directory_name",
    "zshaddhistory",
    "zshexit",
];

/// Commands that move the shell, besides `.`.
const MOVES: &[&str] = &["cd", "chdir", "pushd", "popd", "source"];

impl Walker<'_> {
    /// One compound command, its redirections already seen to.
    pub(super) fn walk_compound(&mut self, command: &CompoundCommand) -> Result<()> {
        match command {
            CompoundCommand::Arithmetic(of) => self.walk_arithmetic(&of.expr),
            CompoundCommand::ArithmeticForClause(of) => self.walk_arithmetic_for(of),
            CompoundCommand::BraceGroup(of) => self.walk_list(&of.list),
            CompoundCommand::Subshell(of) => self.walk_subshell(|walker| walker.walk_list(&of.list)),
            CompoundCommand::ForClause(of) => self.walk_for(of),
            CompoundCommand::CaseClause(of) => self.walk_case(of),
            CompoundCommand::IfClause(of) => self.walk_if(of),
            CompoundCommand::WhileClause(of) | CompoundCommand::UntilClause(of) => {
                self.walk_loop(None, |walker| {
                    walker.walk_list(&of.0)?;
                    walker.record_read_variables(&of.0, &of.1.list);
                    walker.walk_list(&of.1.list)
                })
            }
            CompoundCommand::Coprocess(of) => {
                // bash writes what is substituted down anew, with the name that it gives, and reads that as a command.
                if self.is_substituted() && of.name.is_none() && matches!(*of.body, Command::Simple(_)) {
                    return Err(LineError::new("a coprocess without a name in a substitution"));
                }
                if let Some(name) = &of.name {
                    self.set_name(&name.value);
                }
                self.push_keyword_notes("coproc");
                self.mark_concurrent();
                let there = self.place.held_back();
                let (left, walked) =
                    self.walk_with_state(there, |walker| walker.walk_command(&of.body, false));
                self.place.after_subshell(left);
                walked.map(drop)
            }
        }
    }

    /// In the body of `while read NAME`, what NAME holds was read by the line.
    fn record_read_variables(&mut self, condition: &CompoundList, body: &CompoundList) {
        // Without quotes it is read as a glob again: that leads nowhere else if no line of the file does.
        let text = self.place.input.file.as_ref().filter(|_| only_echoes(body));
        let text = text.and_then(|file| scripts::text_at(&file.resolved));
        let held = if text.is_some_and(|text| lists_nothing_else(&text)) {
            GapContent::Name
        } else {
            GapContent::Printed
        };
        for name in read_by(condition) {
            if !self.is_set_once(&name) {
                continue;
            }
            let value =
                OpenWord { text: format!("${name}"), pieces: vec![None], held, ..OpenWord::default() };
            self.place.set_loop_variable(Variable { name, value: Word::Open(value) });
        }
    }

    /// `((..))`. A shell without it reads two subshells, so what could be a command there is refused.
    fn walk_arithmetic(&mut self, of: &UnexpandedArithmeticExpr) -> Result<()> {
        self.touching_parentheses()?;
        let text = of.value.trim();
        let name = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
        let (first, rest) = text.split_at_checked(name).unwrap_or_default();
        let operand = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-' | '/' | '.' | '~');
        let command = rest.starts_with([' ', '\t']) && rest.trim_start().starts_with(operand);
        if !first.is_empty() && command {
            return Err(LineError::new("`((` that some shells read as commands"));
        }
        self.note_arithmetic(text)?;
        let found = self.out.len();
        self.push_keyword_notes("((");
        // Denials also look at the names as commands.
        let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let names = names.filter(|name| variables::is_name(name)).map(|name| vec![name.into()]);
        if let Some(shell) = self.out.shell_access_mut(found) {
            shell.outer.extend(names);
        }
        Ok(())
    }

    fn walk_arithmetic_for(&mut self, of: &ArithmeticForClauseCommand) -> Result<()> {
        self.touching_parentheses()?;
        for expression in [&of.initializer, &of.condition, &of.updater].into_iter().flatten() {
            // Counting in a variable of the line's own is what this loop is for. It is evaluated nevertheless, each time anew: the
            // body may have given it something else.
            if is_counter_expression(&expression.value) {
                self.note_evaluated_names(&expression.value);
            } else {
                self.note_arithmetic(&expression.value)?;
            }
        }
        self.push_keyword_notes("for");
        let counter = self.counter_of(of).map(|name| {
            let (text, held) = (format!("${name}"), GapContent::Name);
            let value = OpenWord { text, pieces: vec![None], held, ..OpenWord::default() };
            Variable { name, value: Word::Open(value) }
        });
        let (out, before) = (self.out.len(), self.place.clone());
        self.walk_loop(counter, |walker| walker.walk_list(&of.body.list))?;
        // Something in it may have set the variable: then nothing is known of that.
        if self.out.sets {
            self.out.take_since(out);
            self.place = before;
            self.walk_loop(None, |walker| walker.walk_list(&of.body.list))?;
        }
        Ok(())
    }

    /// The variable that a loop counts in, if nothing else speaks of it: `for ((i=0; i<9; i++))`.
    fn counter_of(&self, of: &ArithmeticForClauseCommand) -> Option<String> {
        let parts = [&of.initializer, &of.condition, &of.updater];
        let texts = parts.map(|part| part.as_ref().map(|part| part.value.trim()).unwrap_or_default());
        let [first, ..] = texts;
        let (name, start) = first.split_once('=')?;
        let name = name.trim();
        let own = |text: &&str| {
            text.strip_prefix(name)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
        };
        let counts = variables::is_name(name)
            && start.trim().bytes().all(|b| b.is_ascii_digit())
            && texts.iter().all(own)
            && texts.iter().all(|text| is_counter_expression(text))
            && variables::variable_kind_in(name, self.dialect()) == VariableKind::Other
            && !variables::is_set_by_shells(name)
            && !self.sets_others_too()
            && self.is_mentioned_as_often(name, texts.len());
        counts.then(|| name.to_owned())
    }

    /// `( (x))` and `((x) )` are two subshells, and the parser takes them for arithmetic too: only where no two
    /// parentheses stand apart is it certain which one it was.
    fn touching_parentheses(&self) -> Result<()> {
        let blank = |c: char| c.is_whitespace() || c == '\\';
        let apart = |sign: char| {
            self.current_text().match_indices(sign).any(|(at, _)| {
                let rest = self.current_text().get(at + 1..).unwrap_or_default();
                rest.starts_with(blank) && rest.trim_start_matches(blank).starts_with(sign)
            })
        };
        match apart('(') || apart(')') {
            true => Err(LineError::new("parentheses that are subshells or arithmetic")),
            false => Ok(()),
        }
    }

    fn walk_for(&mut self, of: &ForClauseCommand) -> Result<()> {
        self.set_name(&of.variable_name);
        let mut values = Vec::new();
        for value in of.values.iter().flatten() {
            values.extend(self.expand_words(&value.value, WordContext::Command)?);
        }
        let globs = std::mem::take(&mut self.noted.globs);
        values.extend(globs.into_iter().flat_map(ExtendedGlob::into_words));
        values.iter().for_each(|value| self.evaluated_later(value));
        let name = &of.variable_name;
        values.iter().for_each(|value| self.note_given_value(name, value));
        self.keep_loop_values(name, &values);
        if of.values.is_none() {
            self.note_given_value(name, &Word::Open(OpenWord::default()));
        }
        let inert = self.is_set_once(name);
        let value = if inert && of.values.is_some() { common_word(&values) } else { None };
        self.push_keyword_notes("for");
        if inert && of.values.is_some() && self.only_reads_each(name, &values, &of.body.list) {
            return Ok(());
        }
        if inert && of.values.is_some() {
            let touched = self.touches_of_each(name, &values, &of.body.list);
            self.noted.touches.extend(touched);
        }
        let variable = value.map(|value| Variable { name: of.variable_name.clone(), value });
        if variable.is_none() {
            return self.walk_loop(None, |walker| walker.walk_list(&of.body.list));
        }
        let (out, before) = (self.out.len(), self.place.clone());
        self.walk_loop(variable, |walker| walker.walk_list(&of.body.list))?;
        // Something in it may have set the variable: then nothing is known of that.
        if self.out.sets {
            self.out.take_since(out);
            self.place = before;
            self.walk_loop(None, |walker| walker.walk_list(&of.body.list))?;
        }
        Ok(())
    }

    fn walk_case(&mut self, of: &CaseClauseCommand) -> Result<()> {
        self.expand_word(&of.value.value, WordContext::Alone)?;
        let before = self.place.folder.clone();
        let mut after = before.clone();
        for item in &of.cases {
            for pattern in &item.patterns {
                self.expand_word(&pattern.value, WordContext::Alone)?;
            }
            self.push_keyword_notes("case");
            if let Some(list) = &item.cmd {
                // One that falls through starts where the one before it ended.
                self.place.folder = before.clone().merged_with(after.clone());
                self.walk_list(list)?;
                after = after.merged_with(self.place.folder.clone());
            }
        }
        self.place.folder = after;
        self.push_keyword_notes("case");
        Ok(())
    }

    fn walk_if(&mut self, of: &IfClauseCommand) -> Result<()> {
        self.walk_list(&of.condition)?;
        let mut otherwise = self.place.folder.clone();
        self.walk_list(&of.then)?;
        let mut after = self.place.folder.clone();
        let mut complete = false;
        for part in of.elses.iter().flatten() {
            self.place.folder = otherwise.clone();
            match &part.condition {
                Some(condition) => {
                    self.walk_list(condition)?;
                    otherwise = self.place.folder.clone();
                }
                None => complete = true,
            }
            self.walk_list(&part.body)?;
            after = after.merged_with(self.place.folder.clone());
        }
        self.place.folder = if complete { after } else { after.merged_with(otherwise) };
        Ok(())
    }

    /// A body that runs any number of times: where it moves, its folder is not known from the start.
    fn walk_loop(
        &mut self,
        variable: Option<Variable>,
        body: impl Fn(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (out, before) = (self.out.len(), self.place.folder.clone());
        let there = self.place.loop_body(variable);
        let (left, walked) = self.walk_with_state(there, |walker| {
            let opened = walker.place.opened_inputs().open_count();
            walker.mark_out_of_order();
            body(walker)?;
            // It runs again, where it left the folder and the input of the shell; or it is left midway, wherever it was then.
            if walker.place.has_moved() || walker.place.opened_inputs().open_count() != opened {
                walker.out.take_since(out);
                walker.place.merge_loop_folders(&before);
                body(walker)?;
            }
            walker.place.merge_loop_folders(&before);
            Ok(())
        });
        self.place.after_loop(left);
        walked
    }

    /// Whether the line, or the text of it at hand, speaks of a command that moves, however that is quoted: functions are
    /// called, and lines that are kept are run, from other texts than their own.
    pub(super) fn mentions_folder_change(&self) -> bool {
        [self.current_text(), self.line].iter().any(|text| {
            let plain = text.replace(['\\', '\'', '"'], "");
            let reads = plain.match_indices(". ").any(|(at, _)| {
                !plain.get(..at).unwrap_or_default().ends_with(|c: char| c.is_alphanumeric() || c == '.')
            });
            reads || MOVES.iter().any(|name| plain.contains(name))
        })
    }

    /// A function: its body is judged where it is defined, and may run anywhere.
    pub(super) fn walk_function(&mut self, of: &FunctionDefinition) -> Result<()> {
        let name = of.fname.value.replace(['\\', '\'', '"'], "");
        if self.may_be_zsh() && (name.starts_with("TRAP") || HOOKS.contains(&name.as_str())) {
            return Err(LineError::new(format!("a function that zsh calls by itself: {name}")));
        }
        self.place.define_function(name);
        self.mark_out_of_order();
        // Whoever calls it may give it something to read.
        let mut there = self.place.function_body();
        if self.mentions_folder_change() {
            there.folder = CurrentFolder::Unknown;
        }
        let redirects = of.body.1.as_ref();
        let (left, walked) = self.walk_with_state(there, |walker| {
            walker.walk_redirected(redirects, |walker| walker.walk_compound(&of.body.0))
        });
        // What it opens counts from its first call on.
        self.place.after_opening(left);
        walked
    }
}

/// What all the values of a loop have in common.
fn common_word(values: &[Word]) -> Option<Word> {
    let (first, rest) = values.split_first()?;
    if rest.is_empty() {
        return Some(first.clone());
    }
    let end = |word: &Word| match word {
        Word::Literal(text) => text.clone(),
        Word::Open(open) => open.pieces.last().cloned().flatten().unwrap_or_default(),
    };
    let (mut start, mut stop) = (first.known_prefix().to_owned(), end(first));
    for word in rest {
        start = shared_affix(&start, word.known_prefix(), false);
        stop = shared_affix(&stop, &end(word), true);
    }
    // Together they must not be longer than the shortest value.
    let short = values.iter().filter_map(Word::literal).map(str::len).min().unwrap_or_default();
    if start.len() + stop.len() > short {
        stop.clear();
    }
    let known = |text: String| (!text.is_empty()).then_some(Some(text));
    let pieces = [known(start), Some(None), known(stop)].into_iter().flatten().collect();
    let text = values.iter().map(Word::text).collect::<Vec<_>>().join("|");
    let plain =
        |text: &str| !text.contains(['*', '?', '[', '~', '\\']) && !text.split('/').any(|name| name == "..");
    let tame = values.iter().all(|value| value.literal().is_some_and(plain));
    let held = values.iter().map(|value| match value {
        Word::Literal(_) => GapContent::Printed,
        Word::Open(open) => open.held,
    });
    let held = held.min().unwrap_or_default();
    Some(Word::Open(OpenWord { text, pieces, tame, held, ..OpenWord::default() }))
}

/// The names that a condition of one `read` sets.
fn read_by(condition: &CompoundList) -> Vec<String> {
    let [item] = condition.0.as_slice() else { return Vec::new() };
    let [Command::Simple(simple)] = item.0.first.seq.as_slice() else { return Vec::new() };
    let read = simple.word_or_name.as_ref().is_some_and(|name| name.value == "read");
    if !read || !item.0.additional.is_empty() || item.0.first.bang {
        return Vec::new();
    }
    let mut names = Vec::new();
    for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            CommandPrefixOrSuffixItem::Word(word) if matches!(word.value.as_str(), "-r" | "-s" | "-e") => {}
            CommandPrefixOrSuffixItem::Word(word) if variables::is_name(&word.value) => {
                names.push(word.value.clone());
            }
            // Other options may take the next word, or read otherwise.
            _ => return Vec::new(),
        }
    }
    names
}

/// The beginning that two texts share, or the end.
fn shared_affix(one: &str, other: &str, end: bool) -> String {
    let pair = |one: &mut dyn Iterator<Item = char>, other: &mut dyn Iterator<Item = char>| {
        one.zip(other).take_while(|(one, other)| one == other).map(|(one, _)| one).collect::<String>()
    };
    if end {
        pair(&mut one.chars().rev(), &mut other.chars().rev()).chars().rev().collect()
    } else {
        pair(&mut one.chars(), &mut other.chars())
    }
}

/// `i=0`, `i<10`, `i++`: one variable and a number.
fn is_counter_expression(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let (name, rest) = text
        .split_at_checked(text.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(0))
        .unwrap_or_default();
    let number = rest.trim_start_matches(['=', '<', '>', '+', '-', '!', '*', '/']);
    variables::variable_kind(name) == VariableKind::Other
        && number.bytes().all(|b| b.is_ascii_digit())
        && rest.len() - number.len() <= 2
}

/// Whether nothing in a body does anything else than to print.
fn only_echoes(body: &CompoundList) -> bool {
    body.0.iter().all(|item| {
        let [Command::Simple(simple)] = item.0.first.seq.as_slice() else { return false };
        let word = |item: &CommandPrefixOrSuffixItem| matches!(item, CommandPrefixOrSuffixItem::Word(_));
        let name =
            simple.word_or_name.as_ref().is_some_and(|name| matches!(name.value.as_str(), "echo" | "printf"));
        name && item.0.additional.is_empty()
            && simple.prefix.is_none()
            && simple.suffix.iter().flat_map(|suffix| &suffix.0).all(word)
    })
}

/// Whether no word of a text, read as a glob, gives names in another folder.
fn lists_nothing_else(text: &str) -> bool {
    text.split_whitespace().all(|word| {
        let elsewhere = word.starts_with('/') || word.contains("..") || word.contains('\\');
        !elsewhere || !word.contains(['*', '?', '[', '{'])
    })
}
