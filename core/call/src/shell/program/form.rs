//! The form of a program's command line: which options there are, what they are about, and, in `operand_roles.rs`, what
//! its operands are.

use std::collections::{BTreeMap, HashSet};

use super::downloads::DownloadSpec;
use super::embedded_paths::Language;
use super::hosts::AddressForm;
use super::made_files::MadeFiles;
pub(super) use super::operand_roles::{Operands, Role};
use super::option_aliases::Spelling;
pub(super) use super::option_condition::OptionCondition;
pub(super) use super::option_meaning::{OptionMeaning, OptionSpec, ValueCount};
use super::option_sets::SameOptions;
use super::option_values::fits_tame;
use super::other_names::OtherNames;
use super::scan::{Scan, command_end};
use super::table::{OptionStyle, ProgramKind, RewriteFolder, SpecialCase, TableEntry};
use crate::shell::Word;

/// How an interpreter is told what to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct InterpreterSpec {
    /// Options whose value is the program.
    pub(super) inline: HashSet<String>,
    /// Options with which it runs its input besides: `python -i`.
    pub(super) talks: HashSet<String>,
    /// As many operands stand before the one that is the program; without that one, it runs its input.
    /// [`Program::SCRIPT`]: the first is the script's file.
    pub(super) operands: usize,
}

impl InterpreterSpec {
    /// The first operand names the script.
    pub(super) const SCRIPT: usize = 0;

    fn parse(entry: &TableEntry) -> Option<Self> {
        let names = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        Some(Self {
            inline: names(entry.program.as_deref()?),
            talks: names(&entry.talks),
            operands: match entry.script.as_str() {
                "second" => 1,
                "none" => usize::MAX,
                _ => Self::SCRIPT,
            },
        })
    }
}

/// The whole of it.
#[derive(Debug, Default)]
pub(super) struct CommandForm {
    pub(super) style: OptionStyle,
    pub(super) spelling: Spelling,
    /// Its options count behind the command that it runs as well, up to `--`.
    pub(super) throughout: bool,
    pub(super) kind: ProgramKind,
    /// It is among the tools that build, check, test and fetch: values of their options name few paths.
    pub(super) of_tools: bool,
    pub(super) special: Option<SpecialCase>,
    pub(super) reader: bool,
    /// It is one only with one of these sets of options; with any if there are none.
    pub(super) reader_with: Vec<Vec<String>>,
    /// Options that exclude each other: of two that stand there, none can be relied on.
    pub(super) modes: HashSet<String>,
    /// Which of its options are the same.
    pub(super) same: SameOptions,
    /// Options by which it keeps copies of what it writes anew, or says how the names of those end.
    pub(super) backups: HashSet<String>,
    pub(super) other_names: OtherNames,
    pub(super) made_files: MadeFiles,
    /// A transparent wrapper: what it runs reads no more.
    pub(super) spoils: bool,
    /// `@FILE` stands for the words in that file.
    pub(super) responses: bool,
    /// So it does in the place of a value that is text, too: they are read before options are told apart.
    pub(super) responses_anywhere: bool,
    /// Behind `--` stand words of this program.
    pub(super) hands_on: String,
    /// With one of these, all operands are patterns.
    pub(super) listing: HashSet<String>,
    /// With one of these, all operands are only read.
    pub(super) shows: HashSet<String>,
    /// With one of these, all operands are made.
    pub(super) creates: HashSet<String>,
    /// Whether it is one if it only tells something about itself, and what that hangs on.
    pub(super) tells: Option<Option<SpecialCase>>,
    pub(super) digits: bool,
    /// Options end at the first operand, but for these; with `*` some programs of the name have it so.
    pub(super) options_first: Option<HashSet<String>>,
    /// What it reads from its input may be lines that it runs.
    pub(super) runs_input: bool,
    /// It runs a program that is given to it.
    pub(super) program: Option<InterpreterSpec>,
    /// Options whose value is a file with a program.
    pub(super) program_files: HashSet<String>,
    /// Files of the folder that it runs without being told to: `Makefile`.
    pub(super) project_files: Vec<String>,
    /// Without a command it starts a shell, which runs its input: always, or with one of these.
    pub(super) starts_shell: OptionCondition,
    /// Where the command that it runs begins is not certain.
    pub(super) lost: bool,
    /// Without a path among its operands it works on the working folder.
    pub(super) here: bool,
    /// The same, where it goes below.
    pub(super) here_below: bool,
    /// With these it goes through everything below.
    pub(super) deep: OptionCondition,
    /// With these through everything that is not hidden.
    pub(super) shown: OptionCondition,
    /// The last part of a key of git's with which it shows a patch by itself.
    pub(super) patch_by: String,
    /// The files by which it shows hidden names, too.
    pub(super) shown_by: Vec<String>,
    /// The variable that names a file of further options, and the option without which that is read.
    pub(super) options_file: Option<(String, String)>,
    /// Without a path it is about what changed in the whole repository.
    pub(super) changed: bool,
    /// With these it shows what was there at any time, where it is about the whole repository.
    pub(super) past: OptionCondition,
    /// With these it shows more than what the paths among its operands name.
    pub(super) widens: OptionCondition,
    /// With these, and without operands, it is told names on its input; beside `-r`, the last operand is where to.
    pub(super) names_alone: OptionCondition,
    /// With these it shows what changed anywhere in the repository at any time, but where paths are named.
    pub(super) shows_patch: OptionCondition,
    /// Those with which it shows or writes what an object of git's holds, whatever is named.
    pub(super) shows_objects: OptionCondition,
    /// Those whose value says how git prints references, and that may be what is in the objects behind them.
    pub(super) formats: HashSet<String>,
    /// With these it follows the links below.
    pub(super) follows: OptionCondition,
    /// With these it changes files below a folder that no word names, unless one of `keeps` stands there.
    pub(super) rewrites: OptionCondition,
    pub(super) rewrites_in: RewriteFolder,
    /// The same by these letters among those of its first word, with a dash before or without: `ar x`.
    pub(super) rewrites_by: String,
    pub(super) keeps: OptionCondition,
    pub(super) downloads: DownloadSpec,
    /// Its operands may be any objects, and those that hold text are shown whatever the options say.
    pub(super) objects: bool,
    /// Its operands may be names of files' texts, which it shows whatever paths stand there.
    pub(super) blobs: bool,
    /// It opens what git's index names, also behind links.
    pub(super) through_index: bool,
    /// The command that an option begins goes on to a word `;`.
    pub(super) semicolon: bool,
    /// It changes only the paths among its operands, where there are some.
    pub(super) sparing: bool,
    /// Variables that say where it finds code: that of the project's own folders it runs anyway.
    pub(super) own_paths: Vec<String>,
    /// With these it only lists names, and none of what they hold.
    pub(super) lists: OptionCondition,
    /// With these it shows what they hold, even so.
    pub(super) contents: OptionCondition,
    /// Its operands are revisions and paths, as git has them.
    pub(super) pathspecs: bool,
    /// Without a path it searches its input, where that is a pipe or a file.
    pub(super) reads_input: bool,
    /// With one of these, the first operand is like the others.
    pub(super) instead: HashSet<String>,
    /// What the texts are that it reads as programs.
    pub(super) language: Language,
    /// An operand with a `|` or `!` at its end is a command that it runs.
    pub(super) opens_pipes: bool,
    /// With these, git takes files into its store that no word names; and whether folders among its operands say which.
    pub(super) takes_in: OptionCondition,
    pub(super) operands_take_in: bool,
    /// It reaches other machines, and so a word of it may be an address.
    pub(super) reaches: Option<AddressForm>,
    /// The table says which options it has: any other is asked about.
    pub(super) listed: bool,
    /// Further sub-commands, of which nothing has to be said: with them, all of its sub-commands are known.
    pub(super) subs: Option<HashSet<String>>,
    /// It has more options than are listed, or passes on what it is given: none is asked about just for that.
    pub(super) more: bool,
    pub(super) caveat: String,
    /// None if nothing is said about them.
    pub(super) operands: Option<Operands>,
    /// The operands before the command that it runs; none if it runs none.
    pub(super) before_command: Option<usize>,
    pub(super) options: BTreeMap<String, OptionSpec>,
    /// Some option is dangerous.
    pub(super) dangers: bool,
    /// Some option has an effect.
    pub(super) effects: bool,
    /// Whether all that its options do is to choose what it reads, and how it shows that.
    pub(super) harmless: bool,
    /// Names of sub-commands that stand for others, with these.
    pub(super) aliases: Vec<(String, String)>,
    /// A sub-command's name may be left off at its end, as far as that is clear.
    pub(super) abbreviates: bool,
    /// Options to which what is glued is a value in every version of the program; `*` is all of them.
    certain: HashSet<String>,
    /// Options whose value is a number: glued, it ends at the last digit, and the letters behind are options again.
    numbers: HashSet<String>,
    /// Options with values with which these are harmless.
    tame: Vec<(String, String)>,
    /// The same, where each word of a value is one of these.
    tame_words: Vec<(String, String)>,
    /// Between a long option and its value may stand a colon.
    pub(super) colon: bool,
    /// Files of the folder at hand, or of one above, that hold options which it obeys.
    pub(super) guides: Vec<String>,
    /// It feeds each of its operands to a program by a pipe: where that goes below a folder, it is the one at hand.
    pub(super) feeds: bool,
    /// What is wrong with the entry.
    #[cfg_attr(not(test), allow(dead_code, reason = "a test looks at it"))]
    pub(super) wrong: Vec<String>,
}

impl CommandForm {
    pub(super) fn new(entry: &TableEntry, above: &[TableEntry]) -> Self {
        let mut form = Self {
            style: entry.style,
            spelling: entry.spelling,
            throughout: entry.throughout,
            kind: entry.kind,
            special: entry.special,
            reader: entry.reader.unwrap_or_default(),
            digits: entry.digits,
            runs_input: entry.runs_input,
            program: InterpreterSpec::parse(entry),
            program_files: entry.program_files.split_whitespace().map(str::to_owned).collect(),
            numbers: entry.numbers.split_whitespace().map(str::to_owned).collect(),
            guides: entry.guides.split_whitespace().map(str::to_owned).collect(),
            feeds: entry.feeds,
            project_files: entry.project_files.split_whitespace().map(str::to_owned).collect(),
            starts_shell: OptionCondition::parse(entry.starts_shell.as_deref()),
            lost: entry.lost,
            here: entry.here.unwrap_or_default(),
            here_below: entry.here_below.unwrap_or_default(),
            deep: OptionCondition::parse(entry.deep.as_deref()),
            shown: OptionCondition::parse(entry.shown.as_deref()),
            changed: entry.changed.unwrap_or_default(),
            past: OptionCondition::parse(entry.past.as_deref()),
            widens: OptionCondition::parse(entry.widens.as_deref()),
            names_alone: OptionCondition::parse(entry.names_alone.as_deref()),
            shows_patch: OptionCondition::parse(entry.shows_patch.as_deref()),
            shows_objects: OptionCondition::parse(entry.shows_objects.as_deref()),
            formats: entry
                .formats
                .iter()
                .flat_map(|text| text.split_whitespace())
                .map(str::to_owned)
                .collect(),
            follows: OptionCondition::parse(entry.follows.as_deref()),
            rewrites: OptionCondition::parse(entry.rewrites.as_deref()),
            rewrites_in: entry.rewrites_in.unwrap_or_default(),
            keeps: OptionCondition::parse(entry.keeps.as_deref()),
            downloads: DownloadSpec::parse(entry),
            objects: entry.objects,
            blobs: entry.blobs,
            through_index: entry.through_index,
            semicolon: entry.semicolon,
            sparing: entry.sparing.unwrap_or_default(),
            lists: OptionCondition::parse(entry.lists.as_deref()),
            contents: OptionCondition::parse(entry.contents.as_deref()),
            pathspecs: entry.pathspecs.unwrap_or_default(),
            reads_input: entry.reads_input.unwrap_or_default(),
            language: entry.language,
            opens_pipes: entry.opens_pipes,
            takes_in: OptionCondition::parse(entry.takes_in.as_deref()),
            operands_take_in: entry.operands_take_in,
            reaches: entry.reaches,
            caveat: entry.caveat.clone(),
            abbreviates: entry.abbreviates,
            other_names: OtherNames::parse(entry),
            made_files: MadeFiles::parse(entry),
            ..Self::default()
        };
        let like = above.first().filter(|_| !entry.like.is_empty());
        form.subs = entry.subs.as_ref().map(|list| list.split_whitespace().map(str::to_owned).collect());
        form.more = entry.more == Some(true);
        form.listed = !form.more && (entry.lists_options() || like.is_some_and(TableEntry::lists_options));
        let reader_with = entry.reader_with.as_deref().unwrap_or_default();
        let set = |word: &str| word.split('+').map(str::to_owned).collect();
        form.reader_with = reader_with.split_whitespace().map(set).collect();
        form.spoils = entry.kind == ProgramKind::Transparent && entry.reader == Some(false);
        form.backups = entry.backups.split_whitespace().map(str::to_owned).collect();
        form.same = SameOptions::new(entry, above);
        form.modes = entry.modes.split_whitespace().map(str::to_owned).collect();
        form.listing = entry.listing.split_whitespace().map(str::to_owned).collect();
        form.shows = entry.shows.split_whitespace().map(str::to_owned).collect();
        form.creates = entry.creates.split_whitespace().map(str::to_owned).collect();
        let pair = |word: &str| word.split_once('=').map(|(alias, full)| (alias.to_owned(), full.to_owned()));
        let tame = above.iter().map(|upper| &upper.tame).chain([&entry.tame]);
        form.tame = tame.flat_map(|list| list.split_whitespace()).filter_map(pair).collect();
        let words = above.iter().map(|upper| &upper.tame_words).chain([&entry.tame_words]);
        form.tame_words = words.flat_map(|list| list.split_whitespace()).filter_map(pair).collect();
        form.colon = entry.colon;
        form.responses = entry.responses == Some(true);
        form.hands_on.clone_from(&entry.hands_on);
        form.aliases = entry.aliases.split_whitespace().filter_map(pair).collect();
        form.patch_by.clone_from(&entry.patch_by);
        form.rewrites_by.clone_from(&entry.rewrites_by);
        form.shown_by = entry.shown_by.split_whitespace().map(str::to_owned).collect();
        let apart = |words: (&str, &str)| (words.0.to_owned(), words.1.to_owned());
        form.options_file = entry.options_file.split_once(' ').map(apart);
        form.own_paths = entry.own_paths.split_whitespace().map(str::to_owned).collect();
        let first = |list: &String| list.split_whitespace().map(str::to_owned).collect();
        form.options_first = entry.options_first.as_ref().map(first);
        form.instead =
            entry.instead.as_deref().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        for (meaning, list) in entry.option_lists() {
            form.add_options(meaning, list, false);
        }
        let query = if form.kind == ProgramKind::Foreign { "" } else { "--version --help" };
        // What a program does not tell by itself, its sub-commands do not either: `npm ls --help` writes a log.
        let teller = above.iter().find(|upper| upper.everywhere && upper.tells);
        let told = teller.and_then(|upper| upper.query.as_deref());
        let tells = |word: &&str| told.is_none_or(|told| told.split_whitespace().any(|known| known == *word));
        let query = query.split_whitespace().filter(tells).collect::<Vec<_>>().join(" ");
        form.add_options(
            OptionMeaning::Query,
            entry.query.as_deref().unwrap_or(&query),
            entry.query.is_none(),
        );
        // What a reader with a look around is asked for help may be answered by a program of the folder's.
        let looks = |special| {
            matches!(
                special,
                SpecialCase::Git | SpecialCase::GitConfig | SpecialCase::Cargo | SpecialCase::Go
            )
        };
        let telling = entry.tells || form.reader && !form.special.is_some_and(looks);
        form.tells = match teller {
            _ if telling => Some(form.special),
            Some(upper) => Some(upper.special),
            None => None,
        };
        for (meaning, list) in above.iter().flat_map(TableEntry::option_lists) {
            form.add_options(meaning, list, true);
        }
        form.dangers = form.options.values().any(|known| known.meaning.is_dangerous());
        form.effects = form.options.values().any(|known| known.meaning.has_effect());
        form.harmless = form.options.values().all(|known| known.meaning.only_reads());
        let certain = above.iter().map(|upper| &upper.certain).chain([&entry.certain]);
        form.certain = certain.flat_map(|list| list.split_whitespace()).map(str::to_owned).collect();
        if let Some(text) = &entry.operands {
            form.operands = Operands::parse(text);
            if form.operands.is_none() {
                form.wrong.push(format!("operands {text:?}"));
            }
        }
        form.before_command = form.find_command();
        form
    }

    /// Adds options; `weak` ones only where nothing is said about them yet.
    fn add_options(&mut self, meaning: OptionMeaning, list: &str, weak: bool) {
        for word in list.split_whitespace() {
            let (name, takes) = if let Some(name) = word.strip_suffix("::") {
                (name, ValueCount::Two)
            } else if let Some(name) = word.strip_suffix("?:") {
                (name, ValueCount::Differs)
            } else if let Some(name) = word.strip_suffix(':') {
                (name, ValueCount::One)
            } else if let Some(name) = word.strip_suffix('?') {
                (name, ValueCount::Perhaps)
            } else {
                (word, ValueCount::Nothing)
            };
            if self.options.contains_key(name) {
                if !weak {
                    self.wrong.push(format!("{name} stands there twice"));
                }
                continue;
            }
            self.options.insert(name.to_owned(), OptionSpec { meaning, takes });
        }
    }

    /// The places of operands that are members of an archive.
    pub(super) fn archive_members(&self, scan: &Scan<'_>) -> impl Iterator<Item = usize> {
        let count = scan.operands.len();
        let of = |index| self.operands.as_ref().and_then(|operands| operands.role_at(index, count));
        let places = scan.operands.iter().enumerate();
        let places = places.filter(move |(index, _)| of(*index) == Some(Role::Member));
        places.map(|(_, place)| *place).collect::<Vec<_>>().into_iter()
    }

    /// The option of one letter.
    pub(super) fn letter_option(&self, letter: char) -> Option<(&str, OptionSpec)> {
        let mut text = [b'-', 0, 0, 0, 0];
        let length = letter.encode_utf8(text.get_mut(1..)?).len();
        let name = std::str::from_utf8(text.get(..=length)?).ok()?;
        self.options.get_key_value(name).map(|(name, known)| (name.as_str(), *known))
    }

    /// Whether what is glued to this option is its value to every version of the program.
    pub(super) fn always_takes_value(&self, name: &str) -> bool {
        self.certain.contains(name) || self.certain.contains("*")
    }

    /// Whether this is a harmless option without a value that its program lets be switched on and off by one: those do that take
    /// options in any case (`--watchAll=false`), and those to which each has one dash (`-composites=false`).
    pub(super) fn is_switch(&self, known: OptionSpec) -> bool {
        let takes = self.spelling == Spelling::Loose || self.style == OptionStyle::Single;
        takes && known.takes == ValueCount::Nothing && known.meaning == OptionMeaning::Harmless
    }

    /// Whether the option `name` is harmless with this value.
    pub(super) fn is_tame(&self, name: &str, value: &str) -> bool {
        let of = |list: &[(String, String)], value: &str| {
            list.iter().any(|(option, tame)| option == name && fits_tame(tame, value))
        };
        let mut words = value.split_whitespace().peekable();
        of(&self.tame, value) || words.peek().is_some() && words.all(|word| of(&self.tame_words, word))
    }

    /// Whether the program reads the value of this option only as far as it is a number.
    pub(super) fn takes_number(&self, name: &str) -> bool {
        self.numbers.contains(name)
    }

    /// A command may stand among its operands, though an option should announce it.
    pub(super) fn operands_are_a_command(&self) -> bool {
        self.options.get("--").is_some_and(|known| known.meaning == OptionMeaning::Command)
    }

    /// Whether the command that an option begins ends before the program's own words do.
    pub(super) fn parts_commands(&self) -> bool {
        self.style == OptionStyle::Words || self.semicolon
    }

    /// Where a command that begins at `from` ends.
    pub(super) fn command_end(&self, words: &[Word], from: usize) -> usize {
        match self.semicolon {
            true => (from..words.len())
                .find(|place| words.get(*place).and_then(Word::literal) == Some(";"))
                .unwrap_or(words.len()),
            false if self.style == OptionStyle::Words => command_end(words, from),
            false => words.len(),
        }
    }

    /// Finds [`Self::before_command`].
    fn find_command(&self) -> Option<usize> {
        if self.options.values().any(|known| known.meaning == OptionMeaning::Command)
            && !self.parts_commands()
        {
            return Some(usize::MAX);
        }
        let operands = self.operands.as_ref()?;
        let is = |role: &Role| matches!(role, Role::Command | Role::Line);
        let at = operands.first.iter().chain(&operands.many).chain(&operands.last).position(is)?;
        let assignments = |role: &&Role| **role == Role::Assignment;
        Some(at - operands.first.iter().chain(&operands.many).filter(assignments).count().min(at))
    }
}
