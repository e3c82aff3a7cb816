//! What a wrapper runs: a command among its words, or one that its input decides.

use super::analyzer::CommandAnalyzer;
use super::form::{CommandForm, Operands, OptionMeaning, Role, ValueCount};
use super::given_programs::GivenProgram;
use super::scan::{FoundOption, Scan, is_assignment};
use super::table::{OptionStyle, ProgramKind, ProgramTable, SpecialCase};
use super::texts::join_as_word;
use super::{InnerCommand, input, name, tool, variables};
use crate::shell::{Use, Word};

impl CommandAnalyzer<'_> {
    /// What a wrapper runs.
    pub(super) fn analyze_wrapped(&mut self, form: &CommandForm, scan: &Scan<'_>, from: usize) {
        self.reader = false;
        let words = self.words;
        let rest = scan.rest.unwrap_or(words.len());
        let mut lost = scan.unknown.clone();
        lost.extend(&scan.perhaps);
        let differs = |found: &&FoundOption<'_>| found.known.takes == ValueCount::Differs;
        lost.extend(scan.options.iter().filter(differs).map(|found| found.place));
        if !lost.is_empty() {
            self.add_plain_caveat("an option that is not known, so what it runs could not be located", lost);
            self.add_tails(from..words.len());
            self.add_possible_commands(from);
            // To zsh and POSIX shells it has no options: `eval '- rm x'` runs all of its words.
            if from.checked_sub(1).and_then(|name| words.get(name)?.literal()) == Some("eval") {
                let line = words.get(from..).unwrap_or_default();
                self.known.inner.push(InnerCommand::Line(join_as_word(line)));
            }
        }
        for place in scan.operands.iter().filter(|place| **place < rest) {
            let Some(word) = words.get(*place) else { continue };
            match word.known_prefix().split_once('=') {
                Some((name, _)) => variables::analyze_assignment(self, name, word, *place),
                // The name is not known.
                None if is_assignment(word) => variables::analyze_assignment(self, "", word, *place),
                None => {}
            }
        }
        // What `env -S` splits stands before it.
        if scan.options.iter().any(|found| found.known.meaning == OptionMeaning::Split) {
            return;
        }
        let inner = scan.rest.and_then(|rest| words.get(rest..)).unwrap_or_default();
        if form.special == Some(SpecialCase::Input)
            && input::input_decides_command(self.command, inner, scan, form)
        {
            // `parallel ::: LINE`
            match inner.first().is_some_and(|word| word.literal().is_some_and(|text| text.starts_with(":::")))
            {
                true => {
                    self.add_plain_caveat("its words are lines that it runs", Vec::new());
                    inner.iter().skip(1).for_each(|word| self.add_possible_line(word));
                }
                false => self.add_always_caveat("its input decides what it runs"),
            }
            self.known.runs_input = true;
        }
        if form.special == Some(SpecialCase::Input) {
            self.add_input_paths(inner);
        }
        // To moreutils' `parallel`, each word behind `--` is a line: `parallel -- 'touch x' ls`.
        if input::takes_line(form)
            && scan.ended.is_some()
            && form.special == Some(SpecialCase::Input)
            && inner.len() > 1
        {
            self.add_plain_caveat("its words may be lines that it runs", Vec::new());
            inner.iter().for_each(|word| self.add_possible_line(word));
        }
        if inner.is_empty() {
            // Most start a shell then, or take lines.
            self.known.runs_input = true;
            if form.starts_shell.holds(&scan.options) && !scan.has_meaning(OptionMeaning::Line) {
                self.add_given_program(GivenProgram::Input);
            }
            // `kubectl exec pod ls`, without the `--` that it asks for.
            if form.operands_are_a_command() {
                self.add_tails(scan.operands.iter().skip(1).copied());
            }
            return;
        }
        if form.special == Some(SpecialCase::Input) {
            self.known.lines.push(input::command_with_input(inner, scan, form));
        }
        let line = form.operands.as_ref().is_some_and(|operands| {
            operands.first.iter().chain(&operands.many).any(|role| *role == Role::Line)
        });
        // A word with blanks in it may be the whole line: `pnpm -c exec 'rm x'`.
        inner
            .first()
            .filter(|first| first.known_prefix().contains(' '))
            .into_iter()
            .for_each(|first| self.add_possible_line(first));
        // `uv run x.py`
        inner
            .first()
            .into_iter()
            .for_each(|first| self.add_given_program(GivenProgram::Perhaps(first.clone())));
        match form.kind {
            _ if line => self.known.inner.push(InnerCommand::Line(join_as_word(inner))),
            ProgramKind::Runner => {
                self.known.also.push(inner.to_vec());
                let bare = tool::without_version(inner);
                tool::analyze_tool(self, bare.as_deref().unwrap_or(inner), rest);
                self.known.also.extend(bare);
            }
            _ => self.known.inner.push(InnerCommand::Words(inner.to_vec())),
        }
    }

    /// What the input of `xargs` names are words of the command that it runs: they could be any path.
    fn add_input_paths(&mut self, inner: &[Word]) {
        let Some(first) = inner.first().and_then(Word::literal) else { return };
        if inner.iter().any(|word| word.known_prefix().starts_with(":::")) {
            return;
        }
        let program = ProgramTable::get().find_program(name::base_name(first));
        // Text alone is printed.
        let prints = program.is_some_and(|program| {
            let form = program.form();
            form.style == OptionStyle::Text || form.operands.as_ref().is_some_and(Operands::only_patterns)
        });
        if prints {
            return;
        }
        let reads = program.is_some_and(|program| program.form().reader && !program.has_subs());
        self.named_elsewhere("what its input names", if reads { Use::Read } else { Use::Either });
    }
}
