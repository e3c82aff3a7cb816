//! From a command's words to what is known about it.

use super::form::{Form, Meaning, Operands, Role, Takes};
use super::given::Given;
use super::name;
use super::operands;
use super::places::Places;
use super::scan::{Found, Scan, assigns, scan};
use super::swallowed::readings;
use super::table::{Kind, Program, Special, Style, Table};
use super::texts::joined;
use super::{
    Command, Inner, Known, input, latent, library, shells, special, spellings, stray, taken, tool, variables,
};
use crate::WriteKind;
use crate::shell::{Caveat, Named, OpenWord, Reach, Use, Word};

/// As many tails of a wrapper that could not be located are offered to denials, each as long.
pub(super) const MOST_TAILS: usize = 24;
pub(super) const LONGEST_TAIL: usize = 256;
/// As many caveats of one command are told apart.
const MOST_CAVEATS: usize = 64;

/// What is being found out about one command.
pub(super) struct Judge<'a> {
    pub(super) command: &'a Command<'a>,
    /// As many others start it: see [`super::tool`].
    pub(super) depth: usize,
    pub(super) words: &'a [Word],
    pub(super) places: Places<'a>,
    pub(super) known: Known,
    /// Whether it still fits the table of readers.
    pub(super) reader: bool,
    /// Whether all its options are known, so that operands are what the table says.
    pub(super) understood: bool,
}

pub(super) fn known(command: &Command<'_>) -> Known {
    within(command).unwrap_or_else(|| known_at(command, 0))
}

/// What is known of `git -C DIR ...` that only reads in a folder below the one at hand: as if it stood there.
fn within(command: &Command<'_>) -> Option<Known> {
    let [git, c, folder, rest @ ..] = command.words else { return None };
    if git.literal() != Some("git") || c.literal() != Some("-C") || command.made {
        return None;
    }
    let (cwd, folder) = (command.cwd?, folder.literal()?);
    let there = command.looked.at(cwd, folder);
    let here = command.looked.resolved(cwd)?;
    if folder.is_empty() || !there.resolved.starts_with(here) || !there.resolved.is_dir() {
        return None;
    }
    let words: Vec<Word> = std::iter::once(git).chain(rest).cloned().collect();
    let known = known_at(&Command { words: &words, cwd: Some(&there.resolved), ..*command }, 0);
    if !known.reader {
        return None;
    }
    // Rules look at it as it is written, and without that.
    let mut whole = known_at(command, 0);
    whole.reader = true;
    whole.caveats.clear();
    whole.touches.extend(known.touches);
    whole.spellings.extend(known.spellings);
    whole.spellings.push(words);
    Some(whole)
}

/// As [`known`], for a command that others start: as many of them.
pub(super) fn known_at(command: &Command<'_>, depth: usize) -> Known {
    let mut judge = Judge {
        command,
        depth,
        words: command.words,
        places: Places::new(command.cwd, command.looked, command.made),
        known: Known::default(),
        reader: true,
        understood: true,
    };
    let at = judge.wrappers();
    judge.command_at(at);
    judge.uploads(at);
    judge.unsaid(at);
    judge.hosts(at);
    judge.written_out(at);
    spellings::spellings(command.words, at, &mut judge.known.spellings);
    if judge.places.more {
        judge.always("it names more paths than can be looked at");
    }
    let Judge { places, mut known, reader, .. } = judge;
    let reader = reader && !places.lost;
    known.reader = reader && known.caveats.is_empty() && known.inner.is_empty() && known.writes.is_empty();
    known.touches = places.touches;
    known.adrift = places.adrift;
    known.lost = places.lost;
    known.urls = places.urls;
    // What only reads files reaches no host: text that looks like an address is text.
    known.urls.retain(|url| !(known.reader && (url.unsound || url.open)));
    known
}

impl<'a> Judge<'a> {
    /// Walks over wrappers that only change how; returns where the command begins.
    fn wrappers(&mut self) -> usize {
        let words = self.words;
        let mut at = 0;
        while let Some(program) = self.program(at).filter(|program| program.kind() == Kind::Transparent) {
            let form = program.form();
            let scan = scan(form, words, at + 1, form.before_command);
            let end = scan.rest.unwrap_or(words.len());
            let open =
                words.get(at + 1..end).is_none_or(|own| own.iter().any(|word| word.literal().is_none()));
            let certain = scan.unknown.is_empty() && scan.swallowed.is_empty() && scan.differs.is_empty();
            if scan.has(Meaning::Query) || !certain || open {
                break;
            }
            for found in &scan.options {
                self.option(found);
            }
            self.reader &= !form.spoils;
            at = end;
        }
        self.known.transparent = at;
        at
    }

    /// The program that the word at `at` names.
    pub(super) fn program(&self, at: usize) -> Option<&'static Program> {
        Table::get().program(name::base(self.words.get(at)?.literal()?))
    }

    fn command_at(&mut self, at: usize) {
        let words = self.words;
        let Some(first) = words.get(at) else {
            // Wrappers around nothing: `exec 3<x`.
            self.reader = false;
            return;
        };
        let Some(program) = self.program(at) else {
            self.reader = false;
            // A program that stands in a folder is a path too.
            if first.literal().is_none_or(|name| name.contains('/')) {
                self.places.word(first, Use::Either, Reach::Itself);
            }
            self.anything(at + 1);
            self.given_to_unknown(at);
            self.responses(at + 1);
            return self.everything(at + 1);
        };
        let text = first.literal().unwrap_or_default();
        if !name::trusted(text) {
            self.reader = false;
            self.understood = false;
            self.places.any(text, Use::Either, Reach::Itself);
        }
        if program.kind() == Kind::Foreign {
            self.reader = false;
            self.always(&format!("mayi does not read lines for {}", name::base(text)));
            self.anything(at + 1);
            return self.everything(at + 1);
        }
        if program.form().special == Some(Special::Several) && self.several(at) {
            return;
        }
        let (program, from) = self.sub_commands(program, at);
        if program.is_vague() {
            self.behind_vague(from);
        }
        self.own(program.form(), at, from);
    }

    /// Goes down into sub-commands; returns the last one and where its words begin.
    fn sub_commands(&mut self, mut program: &'static Program, at: usize) -> (&'static Program, usize) {
        let words = self.words;
        let mut from = at + 1;
        let mut named = Vec::new();
        while program.has_subs {
            let scan = scan(program.form(), words, from, Some(0));
            let Some(rest) = scan.rest else { break };
            let Some(word) = words.get(rest) else { break };
            // `git stash -- list`: behind that stand operands, and to few programs a sub-command.
            if let Some(end) = scan.ended {
                self.reader = false;
                if word.literal().is_none_or(|text| program.sub(text).is_some()) {
                    self.caveat(
                        "what could be a sub-command, behind the end of the options",
                        vec![end, rest],
                    );
                }
                break;
            }
            let Some(text) = word.literal() else {
                if program.form().operands.is_none() {
                    self.caveat("the sub-command is not known", Vec::new());
                }
                break;
            };
            let Some(sub) = program.sub(text) else { break };
            self.options(program.form(), &scan);
            program = sub;
            from = rest + 1;
            named.push(rest);
            let caveat = &program.form().caveat;
            if !caveat.is_empty() {
                self.caveat(caveat, named.clone());
            }
        }
        (program, from)
    }

    /// The command's own options and operands.
    fn own(&mut self, form: &'static Form, at: usize, from: usize) {
        if form.special == Some(Special::Shell) {
            return shells::shell(self, from);
        }
        let words = self.words;
        let stop = form.before_command;
        let scan = scan(form, words, from, stop);
        self.options(form, &scan);
        let others = self.others(form, &scan, from, stop);
        if form.lost {
            self.anything(from);
        }
        self.known.runs_input |= form.runs_input;
        std::iter::once(&scan).chain(&others).for_each(|scan| self.find_given(form, scan));
        if let Some(tells) = form.tells
            && self.query(&scan, from)
        {
            self.reader &= tells.is_none_or(|which| special::quiet(self, which));
            self.reader &= !form.of_tools && form.program.is_none() || special::plain_versions(self);
            return;
        }
        self.reader &= form.reader && self.command.cwd.is_some();
        self.reader &= form.reader_with.is_empty()
            || form.reader_with.iter().any(|set| {
                let all = |scan: &Scan<'_>| set.iter().all(|name| scan.names(name));
                all(&scan) && others.iter().all(all)
            });
        self.known.harmless_options = form.harmless && form.special.is_none();
        self.known.prints_words = form.operands.as_ref().is_some_and(Operands::only_text);
        // What only prints its words prints numbers, too.
        let prints = form.style == Style::Text && form.operands.as_ref().is_some_and(Operands::only_text);
        let known = |word: &Word| match word {
            Word::Literal(_) => true,
            Word::Open(open) => prints && open.tame,
        };
        self.reader &= words.get(at..).is_some_and(|all| all.iter().all(known));
        let mut readings = std::iter::once(&scan).chain(&others);
        self.places.follows = readings.any(|scan| operands::follows(self, form, scan));
        for scan in std::iter::once(&scan).chain(&others) {
            special::special(self, form, scan);
        }
        if form.responses {
            self.responses(from);
        }
        self.handed_on(form, scan.ended);
        for range in &scan.commands {
            self.reader = false;
            if let Some(inner) = words.get(range.clone()).filter(|inner| !inner.is_empty()) {
                if input::chooses(inner) {
                    self.always("what it finds decides what it runs");
                }
                let starts = scan.operands.iter().filter_map(|at| words.get(*at)).map(Word::prefix);
                let starts = starts.chain(scan.operands.is_empty().then_some("."));
                self.known.lines.extend(starts.take(MOST_TAILS).flat_map(|start| input::found(inner, start)));
                self.known.inner.push(Inner::Words(inner.to_vec()));
            }
        }
        // `jobs` runs a command only with `-x`.
        let quiet = form.kind == Kind::Plain && form.reader && scan.rest.is_none();
        if stop.is_some() && !quiet && !scan.has(Meaning::Query) {
            self.wrapped(form, &scan, from);
        } else if form.kind == Kind::Wrapper || form.kind == Kind::Runner {
            self.reader = false;
        }
        for scan in std::iter::once(&scan).chain(&others) {
            operands::operands(self, form, scan);
        }
        for scan in std::iter::once(&scan).chain(&others) {
            latent::latent(self, form, scan);
            latent::redirected(self, form, scan);
            stray::strays(self, form, scan);
            taken::taken(self, form, scan);
        }
        self.texts(form, from);
        if form.special == Some(Special::Module) {
            library::settle(self, &scan);
        }
        for place in &scan.unknown {
            if let Some(word) = words.get(*place) {
                self.places.word(word, Use::Either, Reach::Itself);
            }
        }
    }

    /// The line as other versions of the program read it, with what their options say.
    fn others<'s>(
        &mut self,
        form: &'static Form,
        scan: &Scan<'s>,
        from: usize,
        stop: Option<usize>,
    ) -> Vec<Scan<'s>>
    where
        'a: 's,
    {
        let others = readings(form, self.words, from, stop, scan);
        if others.is_none() {
            self.caveat(
                "more options that programs of this name read otherwise than can be told apart",
                Vec::new(),
            );
        }
        let mut others = others.unwrap_or_default();
        others.retain(|scan| !special::fails(self, form, scan));
        others.iter().for_each(|scan| self.options(form, scan));
        others
    }

    /// A command that only tells its version or its help.
    fn query(&mut self, scan: &Scan<'_>, from: usize) -> bool {
        scan.has(Meaning::Query) && scan.operands.is_empty() && self.words.len() == from + 1
    }

    /// What a wrapper runs.
    fn wrapped(&mut self, form: &Form, scan: &Scan<'_>, from: usize) {
        self.reader = false;
        let words = self.words;
        let rest = scan.rest.unwrap_or(words.len());
        let mut lost = scan.unknown.clone();
        lost.extend(&scan.perhaps);
        let differs = |found: &&Found<'_>| found.known.takes == Takes::Differs;
        lost.extend(scan.options.iter().filter(differs).map(|found| found.place));
        if !lost.is_empty() {
            self.caveat("an option that is not known, so what it runs could not be located", lost);
            self.tails(from..words.len());
            self.anything(from);
            // To zsh and POSIX shells it has no options: `eval '- rm x'` runs all of its words.
            if from.checked_sub(1).and_then(|name| words.get(name)?.literal()) == Some("eval") {
                let line = words.get(from..).unwrap_or_default();
                self.known.inner.push(Inner::Line(joined(line)));
            }
        }
        for place in scan.operands.iter().filter(|place| **place < rest) {
            let Some(word) = words.get(*place) else { continue };
            match word.prefix().split_once('=') {
                Some((name, _)) => variables::assigned(self, name, word, *place),
                // The name is not known.
                None if assigns(word) => variables::assigned(self, "", word, *place),
                None => {}
            }
        }
        // What `env -S` splits stands before it.
        if scan.options.iter().any(|found| found.known.meaning == Meaning::Split) {
            return;
        }
        let inner = scan.rest.and_then(|rest| words.get(rest..)).unwrap_or_default();
        if form.special == Some(Special::Input) && input::decides(self.command, inner, scan, form) {
            // `parallel ::: LINE`
            match inner.first().is_some_and(|word| word.literal().is_some_and(|text| text.starts_with(":::")))
            {
                true => {
                    self.caveat("its words are lines that it runs", Vec::new());
                    inner.iter().skip(1).for_each(|word| self.line(word));
                }
                false => self.always("its input decides what it runs"),
            }
            self.known.runs_input = true;
        }
        if form.special == Some(Special::Input) {
            self.input(inner);
        }
        if inner.is_empty() {
            // Most start a shell then, or take lines.
            self.known.runs_input = true;
            if form.starts_shell.holds(&scan.options) && !scan.has(Meaning::Line) {
                self.give(Given::Input);
            }
            // `kubectl exec pod ls`, without the `--` that it asks for.
            if form.operands_are_a_command() {
                self.tails(scan.operands.iter().skip(1).copied());
            }
            return;
        }
        if form.special == Some(Special::Input) {
            self.known.lines.push(input::filled(inner, scan, form));
        }
        let line = form.operands.as_ref().is_some_and(|operands| {
            operands.first.iter().chain(&operands.many).any(|role| *role == Role::Line)
        });
        // A word with blanks in it may be the whole line: `pnpm -c exec 'rm x'`.
        inner
            .first()
            .filter(|first| first.prefix().contains(' '))
            .into_iter()
            .for_each(|first| self.line(first));
        // `uv run x.py`
        inner.first().into_iter().for_each(|first| self.give(Given::Perhaps(first.clone())));
        match form.kind {
            _ if line => self.known.inner.push(Inner::Line(joined(inner))),
            Kind::Runner => {
                self.known.also.push(inner.to_vec());
                tool::tool(self, inner, rest);
            }
            _ => self.known.inner.push(Inner::Words(inner.to_vec())),
        }
    }

    /// What the input of `xargs` names are words of the command that it runs: they could be any path.
    fn input(&mut self, inner: &[Word]) {
        let Some(first) = inner.first().and_then(Word::literal) else { return };
        if inner.iter().any(|word| word.prefix().starts_with(":::")) {
            return;
        }
        let program = Table::get().program(name::base(first));
        // Text alone is printed.
        let prints = program.is_some_and(|program| {
            let form = program.form();
            form.style == Style::Text || form.operands.as_ref().is_some_and(Operands::only_patterns)
        });
        if prints {
            return;
        }
        let reads = program.is_some_and(|program| program.form().reader && !program.has_subs);
        self.named_elsewhere("what its input names", if reads { Use::Read } else { Use::Either });
    }

    /// Paths that no word says: they could be any.
    pub(super) fn named_elsewhere(&mut self, text: &str, how: Use) {
        let (text, pieces) = (text.to_owned(), vec![None]);
        let word = OpenWord { text, pieces, splits: true, ..OpenWord::default() };
        self.places.open(&word, how, Reach::Itself);
    }

    /// Every word from `from` on could be a path.
    pub(super) fn everything(&mut self, from: usize) {
        for word in self.words.iter().skip(from) {
            self.places.word(word, Use::Either, Reach::Itself);
        }
    }

    /// A file that it certainly changes.
    pub(super) fn write(&mut self, kind: WriteKind, path: &str) {
        self.reader = false;
        let nowhere = matches!(path, "" | "-" | "/dev/null" | "/dev/stdout" | "/dev/stderr");
        if !nowhere && self.known.writes.len() < 256 {
            self.known.writes.push((kind, path.to_owned()));
        }
    }

    /// A caveat that no pattern can name.
    pub(super) fn always(&mut self, reason: &str) {
        self.add(Caveat { reason: reason.to_owned(), always: true, named: Named::Nothing });
    }

    /// A plain caveat about the words at these places.
    pub(super) fn caveat(&mut self, reason: &str, places: Vec<usize>) {
        self.reader = false;
        let named = if places.is_empty() { Named::Nothing } else { Named::Words(places) };
        self.add(Caveat { reason: reason.to_owned(), always: false, named });
    }

    /// A caveat; where there are too many to tell apart, one that no pattern can name.
    pub(super) fn add(&mut self, caveat: Caveat) {
        self.reader = false;
        let many = self.known.caveats.len() >= MOST_CAVEATS && !caveat.always;
        let caveat = match many {
            true => {
                Caveat { reason: "more than can be told apart".to_owned(), named: Named::Nothing, ..caveat }
            }
            false => caveat,
        };
        // An `always` one is never left out, and one is enough of those that are too many.
        let enough = self.known.caveats.iter().filter(|other| other.always).count() >= MOST_CAVEATS;
        if !enough && !self.known.caveats.contains(&caveat) {
            self.known.caveats.push(caveat);
        }
    }
}
