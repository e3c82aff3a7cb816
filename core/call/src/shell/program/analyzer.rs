//! From a command's words to what is known about it.

use super::form::{CommandForm, Operands, OptionMeaning};
use super::hosts::AddressForm;
use super::name;
use super::operands;
use super::option_values::version_readings;
use super::scan::{Scan, scan_words};
use super::table::{OptionStyle, ProgramEntry, ProgramKind, ProgramTable, SpecialCase};
use super::word_paths::TouchCollector;
use super::{
    Command, CommandFacts, InnerCommand, argument_paths, backups, git_added, input, library, options_file,
    other_folders, possible_lines, shells, special_programs, spellings, stray_paths,
};
use crate::effort;
use crate::shell::{OpenWord, Reach, Use, Word};

/// As many tails of a wrapper that could not be located are offered to denials, each as long.
pub(super) const MOST_TAILS: usize = 24;
pub(super) const LONGEST_TAIL: usize = 256;

/// Steps for each look at a command, for each of its words, and for each of their bytes.
const COMMAND: usize = 500;
const WORD: usize = 100;
const BYTE: usize = 4;

/// What is being found out about one command.
pub(super) struct CommandAnalyzer<'a> {
    pub(super) command: &'a Command<'a>,
    /// As many others start it: see [`super::tool`].
    pub(super) depth: usize,
    pub(super) words: &'a [Word],
    pub(super) places: TouchCollector<'a>,
    pub(super) known: CommandFacts,
    /// Whether it still fits the table of readers.
    pub(super) reader: bool,
    /// Whether all its options are known, so that operands are what the table says.
    pub(super) understood: bool,
    /// Whether the repository around names no program, once that was looked up.
    pub(super) repository: Option<bool>,
    /// Options that are not among its words have it go through everything below.
    pub(super) searches_all: bool,
    /// It reaches other machines, which it may be told in this form.
    pub(super) reaches: Option<AddressForm>,
    /// Where its own options end, since a sub-command begins that has no entry.
    pub(super) own_end: usize,
}

pub(super) fn analyze_command(command: &Command<'_>) -> CommandFacts {
    other_folders::analyze_git_below(command).unwrap_or_else(|| analyze_at_depth(command, 0))
}

/// As [`analyze_command`], for a command that others start: as many of them.
pub(super) fn analyze_at_depth(command: &Command<'_>, depth: usize) -> CommandFacts {
    let mut known = analyze_from(command, depth);
    other_folders::add_touches_from_there(command, &mut known, depth);
    known
}

/// What is known of a command whose paths begin at the working folder.
pub(super) fn analyze_from(command: &Command<'_>, depth: usize) -> CommandFacts {
    // Once that is too much, the line is not understood, whatever is known of this command.
    let bytes: usize = command.words.iter().map(Word::size).sum();
    if !effort::spend(COMMAND + command.words.len() * WORD + bytes * BYTE) {
        return CommandFacts::default();
    }
    let mut judge = CommandAnalyzer {
        command,
        depth,
        words: command.words,
        places: TouchCollector::new(command.cwd, command.looked, command.made),
        known: CommandFacts::default(),
        reader: true,
        understood: true,
        repository: None,
        searches_all: false,
        reaches: None,
        own_end: usize::MAX,
    };
    let at = judge.skip_wrappers();
    judge.command_at(at);
    judge.add_uploads(at);
    judge.add_implied_files(at);
    judge.add_hosts(at);
    judge.written_out(at);
    spellings::add_spellings(command.words, at, &mut judge.known.spellings);
    if judge.places.more {
        judge.add_always_caveat("it names more paths than can be looked at");
    }
    let CommandAnalyzer { places, mut known, reader, .. } = judge;
    let reader = reader && !places.lost;
    known.reader = reader && known.caveats.is_empty() && known.inner.is_empty() && known.writes.is_empty();
    known.touches = places.touches;
    known.shown_from = places.shown_from;
    known.adrift = places.adrift;
    known.lost = places.lost;
    known.urls = places.urls;
    // What only reads files reaches no host: text that looks like an address is text.
    known.urls.retain(|url| !(known.reader && (url.unsound || url.open)));
    known
}

impl<'a> CommandAnalyzer<'a> {
    /// Walks over wrappers that only change how; returns where the command begins.
    fn skip_wrappers(&mut self) -> usize {
        let words = self.words;
        let mut at = 0;
        while let Some(program) =
            self.program_at(at).filter(|program| program.kind() == ProgramKind::Transparent)
        {
            let form = program.form();
            let scan = scan_words(form, words, at + 1, form.before_command);
            let end = scan.rest.unwrap_or(words.len());
            let open =
                words.get(at + 1..end).is_none_or(|own| own.iter().any(|word| word.literal().is_none()));
            let certain = scan.unknown.is_empty() && scan.swallowed.is_empty() && scan.differs.is_empty();
            if scan.has_meaning(OptionMeaning::Query) || !certain || open {
                break;
            }
            for found in &scan.options {
                self.analyze_option(found, Reach::Itself);
            }
            self.reader &= !form.spoils;
            at = end;
        }
        self.known.transparent = at;
        at
    }

    /// The program that the word at `at` names.
    pub(super) fn program_at(&self, at: usize) -> Option<&'static ProgramEntry> {
        ProgramTable::get().find_program(name::base_name(self.words.get(at)?.literal()?))
    }

    fn command_at(&mut self, at: usize) {
        let words = self.words;
        let Some(first) = words.get(at) else {
            // Wrappers around nothing: `exec 3<x`.
            self.reader = false;
            return;
        };
        let Some(program) = self.program_at(at) else {
            self.reader = false;
            self.known.takes_any_text = true;
            self.add_dashed_command(at);
            // A program that stands in a folder is a path too.
            if first.literal().is_none_or(|name| name.contains('/')) {
                self.places.add_word(first, Use::Either, Reach::Itself);
            }
            self.add_possible_commands(at + 1);
            self.given_to_unknown(at);
            self.add_response_files(at + 1, None);
            self.add_all_words(at + 1);
            // Behind `--` may stand words of another program.
            let own = (at + 1..words.len())
                .take_while(|place| words.get(*place).and_then(Word::literal) != Some("--"));
            return own.for_each(|place| self.add_own_named_option(place));
        };
        let text = first.literal().unwrap_or_default();
        if !name::is_trusted_name(text) {
            self.reader = false;
            self.understood = false;
            self.places.add_possible_paths(text, Use::Either, Reach::Itself);
        }
        if program.kind() == ProgramKind::Foreign {
            self.reader = false;
            self.add_always_caveat(&format!("mayi does not read lines for {}", name::base_name(text)));
            self.add_possible_commands(at + 1);
            return self.add_all_words(at + 1);
        }
        if program.form().special == Some(SpecialCase::Several) && self.add_separate_commands(at) {
            return;
        }
        let (program, from) = self.sub_commands(program, at);
        match program.is_vague() {
            true if program.says_nothing() => self.add_possible_commands(from),
            true => self.behind_vague(from),
            false => {}
        }
        let form = program.form();
        self.known.takes_any_text |= program.is_vague() || form.more || form.kind == ProgramKind::Runner;
        self.analyze_own_words(form, at, from);
    }

    /// A sub-command as a program of its own: `/usr/lib/git-core/git-config` is `git config`.
    fn add_dashed_command(&mut self, at: usize) {
        let Some((first, rest)) = self.words.get(at..).and_then(<[Word]>::split_first) else { return };
        let Some(text) = first.literal() else { return };
        let Some((program, sub)) = name::base_name(text).split_once('-') else { return };
        let known = ProgramTable::get().find_program(program).filter(|program| program.has_subs());
        // What git has in a folder of its own is git's, whatever it is.
        let own = program == "git" && text.contains('/');
        if known.is_some_and(|program| own || program.sub_command(sub).is_some()) {
            let words = [Word::from(program), Word::from(sub)].into_iter().chain(rest.iter().cloned());
            self.known.inner.push(InnerCommand::Words(words.collect()));
        }
    }

    /// Goes down into sub-commands; returns the last one and where its words begin.
    fn sub_commands(
        &mut self,
        mut program: &'static ProgramEntry,
        at: usize,
    ) -> (&'static ProgramEntry, usize) {
        let words = self.words;
        let mut from = at + 1;
        let mut named = Vec::new();
        while program.has_subs() {
            let scan = scan_words(program.form(), words, from, Some(0));
            let Some(rest) = scan.rest else { break };
            let Some(word) = words.get(rest) else { break };
            // `git stash -- list`: behind that stand operands, and to few programs a sub-command.
            if let Some(end) = scan.ended {
                self.reader = false;
                if word.literal().is_none_or(|text| program.sub_command(text).is_some()) {
                    self.add_plain_caveat(
                        "what could be a sub-command, behind the end of the options",
                        vec![end, rest],
                    );
                }
                break;
            }
            let Some(text) = word.literal() else {
                if program.form().operands.is_none() {
                    self.add_plain_caveat("the sub-command is not known", Vec::new());
                }
                break;
            };
            if let Some(behind) = self.passed_on(program, rest) {
                self.analyze_options(program.form(), &scan);
                from = behind;
                continue;
            }
            let Some(sub) = program.sub_command(text) else {
                if program.lacks_sub(text) {
                    self.add_plain_caveat("a sub-command that mayi does not know", vec![rest]);
                }
                if program.form().operands.is_none() {
                    self.own_end = rest;
                }
                break;
            };
            self.analyze_options(program.form(), &scan);
            program = sub;
            from = rest + 1;
            named.push(rest);
            let caveat = &program.form().caveat;
            if !caveat.is_empty() {
                self.add_plain_caveat(caveat, named.clone());
            }
        }
        (program, from)
    }

    /// Where the command goes on behind a name that only says for what it counts: `pnpm recursive add`, `yarn workspace x add`.
    fn passed_on(&self, program: &'static ProgramEntry, at: usize) -> Option<usize> {
        let name = self.words.get(at)?.literal()?;
        if program.leaves_out(name) {
            return Some(at + 1);
        }
        if !program.begins_name(name) {
            return None;
        }
        let next = scan_words(program.form(), self.words, at + 1, Some(0)).rest?;
        let inner = self.words.get(next)?.literal()?;
        program.leaves_out(&format!("{name}/{inner}")).then_some(next + 1)
    }

    /// The command's own options and operands.
    fn analyze_own_words(&mut self, form: &'static CommandForm, at: usize, from: usize) {
        if form.special == Some(SpecialCase::Shell) {
            return shells::analyze_shell(self, from);
        }
        let words = self.words;
        let stop = form.before_command;
        self.reaches = form.reaches;
        let scan = scan_words(form, words, from, stop);
        self.analyze_options(form, &scan);
        let others = self.other_version_scans(form, &scan, from, stop);
        if form.lost {
            self.add_possible_commands(from);
        }
        self.known.runs_input |= form.runs_input;
        std::iter::once(&scan).chain(&others).for_each(|scan| self.find_given(form, scan));
        special_programs::look_for_guides(self, form);
        if let Some(tells) = form.tells
            && self.is_query(&scan, from)
        {
            self.reader &= tells.is_none_or(|which| special_programs::is_unguided(self, which));
            self.reader &= !form.of_tools && form.program.is_none() || special_programs::plain_versions(self);
            return;
        }
        self.reader &= form.reader && self.command.cwd.is_some();
        self.reader &= std::iter::once(&scan).chain(&others).all(|scan| scan.has_reading_options(form));
        self.known.harmless_options = form.harmless && form.special.is_none();
        self.known.prints_words = form.operands.as_ref().is_some_and(Operands::only_text);
        // What only prints its words prints numbers, too.
        let prints =
            form.style == OptionStyle::Text && form.operands.as_ref().is_some_and(Operands::only_text);
        let known = |word: &Word| match word {
            Word::Literal(_) => true,
            Word::Open(open) => prints && open.tame,
        };
        self.reader &= words.get(at..).is_some_and(|all| all.iter().all(known));
        let mut readings = std::iter::once(&scan).chain(&others);
        self.places.follows = readings.any(|scan| operands::can_follow_links(self, form, scan));
        let told = options_file::told_options(self, form, &scan);
        let told = self.obey_told_options(form, &told);
        self.places.follows |= told.as_ref().is_some_and(|told| form.follows.holds(&told.options));
        self.known.follows |= self.places.follows;
        self.places.hidden = operands::hidden_names(form, &scan, told.as_ref(), self.places.follows);
        self.known.shown_by = &form.shown_by;
        for scan in std::iter::once(&scan).chain(&others) {
            special_programs::analyze_special(self, form, scan);
        }
        if form.responses {
            self.add_response_files(from, Some((form, &scan)));
        }
        self.handed_on(form, scan.ended);
        for range in &scan.commands {
            self.reader = false;
            if let Some(inner) = words.get(range.clone()).filter(|inner| !inner.is_empty()) {
                if input::runs_found_files(inner) {
                    self.add_always_caveat("what it finds decides what it runs");
                }
                // fd passes by hidden names, which a name that is not known could be.
                if !form.semicolon {
                    let starts = scan.operands.iter().filter_map(|at| words.get(*at)).map(Word::known_prefix);
                    let starts = starts.chain(scan.operands.is_empty().then_some("."));
                    self.known
                        .lines
                        .extend(starts.take(MOST_TAILS).flat_map(|start| input::exec_lines(inner, start)));
                }
                self.known.inner.push(InnerCommand::Words(inner.to_vec()));
            }
        }
        // `jobs` runs a command only with `-x`.
        let quiet = form.kind == ProgramKind::Plain && form.reader && scan.rest.is_none();
        if stop.is_some() && !quiet && !scan.has_meaning(OptionMeaning::Query) {
            self.analyze_wrapped(form, &scan, from);
        } else if form.kind == ProgramKind::Wrapper || form.kind == ProgramKind::Runner {
            self.reader = false;
        }
        for scan in std::iter::once(&scan).chain(&others) {
            operands::analyze_operands(self, form, scan);
            self.add_reached(form, scan);
        }
        for scan in std::iter::once(&scan).chain(&others) {
            possible_lines::add_latent_lines(self, form, scan);
            possible_lines::add_perl_redirections(self, form, scan);
            stray_paths::add_strays(self, form, scan);
            git_added::add_taken_files(self, form, scan);
            backups::add_backups(self, form, scan);
        }
        self.add_paths_in_texts(form, from);
        if form.special == Some(SpecialCase::Module) {
            library::settle_as_reader(self, &scan);
        }
        let end = Self::own_words_end(form, &scan);
        for place in &scan.unknown {
            if let Some(word) = words.get(*place) {
                self.places.add_word(word, Use::Either, Reach::Itself);
                self.add_named_option(*place);
            }
            if *place <= end {
                self.add_own_named_option(*place);
            }
        }
    }

    /// The line as other versions of the program read it, with what their options say.
    fn other_version_scans<'s>(
        &mut self,
        form: &'static CommandForm,
        scan: &Scan<'s>,
        from: usize,
        stop: Option<usize>,
    ) -> Vec<Scan<'s>>
    where
        'a: 's,
    {
        let others = version_readings(form, self.words, from, stop, scan);
        if others.is_none() {
            self.add_plain_caveat(
                "more options that programs of this name read otherwise than can be told apart",
                Vec::new(),
            );
        }
        let mut others = others.unwrap_or_default();
        others.retain(|scan| !special_programs::fails_early(self, form, scan));
        others.iter().for_each(|scan| self.analyze_options(form, scan));
        others
    }

    /// A command that only tells its version or its help.
    fn is_query(&mut self, scan: &Scan<'_>, from: usize) -> bool {
        scan.has_meaning(OptionMeaning::Query) && scan.operands.is_empty() && self.words.len() == from + 1
    }

    /// Paths that no word says: they could be any.
    pub(super) fn named_elsewhere(&mut self, text: &str, how: Use) {
        let (text, pieces) = (text.to_owned(), vec![None]);
        let word = OpenWord { text, pieces, splits: true, ..OpenWord::default() };
        self.places.add_open_word(&word, how, Reach::Itself);
    }

    /// Every word from `from` on could be a path.
    pub(super) fn add_all_words(&mut self, from: usize) {
        for (place, word) in self.words.iter().enumerate().skip(from) {
            self.places.add_word(word, Use::Either, Reach::Itself);
            // It may look for names itself.
            if let Some(text) = word.literal() {
                argument_paths::add_pattern(&mut self.places, text, None);
            }
            self.add_named_option(place);
        }
    }
}
