//! What the options of a command are about.

use super::FolderChange;
use super::analyzer::{CommandAnalyzer, LONGEST_TAIL};
use super::embedded_paths::Language;
use super::form::{CommandForm, InterpreterSpec, OptionMeaning, Role, ValueCount};
use super::named_options::files_of_kinds;
use super::scan::{FoundOption, Scan};
use super::table::{ProgramTable, SpecialCase};
use super::{InnerCommand, env, name, operands, unpack, variables};
use crate::shell::{OpenWord, Reach, Use, Word, split_words};
use crate::{PathAccess, WriteKind};

impl CommandAnalyzer<'_> {
    /// The program that the word at `place` is an option of a sub-command of.
    fn own_name(&self, place: usize) -> &str {
        let before = self.words.get(..place).unwrap_or_default().iter().rev().filter_map(Word::literal);
        let has_subs = |name: &&str| {
            ProgramTable::get().find_program(name::base_name(name)).is_some_and(|program| program.has_subs())
        };
        before.into_iter().find(has_subs).unwrap_or_default()
    }

    /// All the options of a scan, and words that could be one.
    pub(super) fn analyze_options(&mut self, form: &CommandForm, scan: &Scan<'_>) {
        let first = scan.operands.first();
        if !scan.unknown.is_empty() {
            self.reader = false;
            self.understood = false;
            self.add_unlisted(form, scan);
        }
        self.add_switched_off(form, scan);
        // What it is told to read by an option it goes through as it does its operands: `diff --to-file=DIR a`.
        let reads = |meaning| matches!(meaning, OptionMeaning::Reads | OptionMeaning::Stores);
        let mut all = scan.options.iter().chain(&scan.swallowed);
        let mut reach = Reach::Itself;
        if all.any(|found| reads(found.known.meaning)) {
            reach = operands::operand_reach(self, form, scan);
            self.places.follows = operands::can_follow_links(self, form, scan);
        }
        for found in &scan.options {
            self.analyze_option(found, reach);
            // Where options end at the first operand, this is an operand too.
            if found.known.meaning == OptionMeaning::Pattern
                && first.is_some_and(|first| found.place > *first)
            {
                found.value.iter().filter_map(|value| value.text).for_each(|text| self.places.add_text(text));
            }
        }
        for found in &scan.swallowed {
            self.analyze_option(found, reach);
            if found.known.meaning == OptionMeaning::Command {
                self.add_plain_caveat(
                    &format!("the option {} runs another program", found.name),
                    vec![found.place],
                );
            }
            self.add_swallowed_caveat(found);
        }
        let names = || form.options.values().any(|known| known.meaning == OptionMeaning::Names);
        let alone = form.names_alone.holds(&scan.options)
            && scan.operands.len() <= usize::from(scan.has_option("-r"));
        if alone || scan.has_meaning(OptionMeaning::Names) || !scan.perhaps.is_empty() && names() {
            let reads = form.reader && form.special != Some(SpecialCase::Tar);
            self.named_elsewhere("what a list names", if reads { Use::Read } else { Use::Either });
        }
        if form.dangers {
            for place in &scan.perhaps {
                self.add_plain_caveat("a word that could be an option which does more", vec![*place]);
            }
        }
    }

    /// A harmless option that is switched off is as if it did not stand there; where it does stand there, that takes it back.
    fn add_switched_off(&mut self, form: &CommandForm, scan: &Scan<'_>) {
        self.reader &= scan.off.is_empty();
        self.understood &= scan.off.is_empty();
        for (place, name) in &scan.off {
            let same = |found: &FoundOption<'_>| form.same.one_name(found.name) == form.same.one_name(name);
            if scan.options.iter().any(same) {
                self.add_plain_caveat("an option that takes another one back", vec![*place]);
            }
        }
    }

    /// An option that the table does not list may do anything: what it does is asked about (D2.38).
    fn add_unlisted(&mut self, form: &CommandForm, scan: &Scan<'_>) {
        if !form.listed {
            return;
        }
        let end = Self::own_words_end(form, scan).min(self.own_end);
        let is_end = |place: &usize| self.words.get(*place).and_then(Word::literal) == Some("--");
        let places: Vec<_> = scan.unknown.iter().filter(|place| **place <= end && !is_end(place)).collect();
        for place in places {
            self.add_plain_caveat("an option that mayi does not know", vec![*place]);
        }
    }

    /// Where the program's own words end: behind a script, and behind what is to be made, stand their own.
    pub(super) fn own_words_end(form: &CommandForm, scan: &Scan<'_>) -> usize {
        let script = form.program.as_ref().filter(|program| program.operands == InterpreterSpec::SCRIPT);
        let inline =
            |found: &&FoundOption<'_>| script.is_some_and(|program| program.inline.contains(found.name));
        let values = scan.options.iter().filter(inline).filter_map(|found| Some(found.value.as_ref()?.place));
        let goals = form.operands.as_ref().is_some_and(|of| of.many == Some(Role::Goal));
        let operands = scan.operands.iter().copied().filter(|_| script.is_some() || goals);
        values.chain(operands).min().unwrap_or(usize::MAX)
    }

    /// An option in the place of a value: what it may do is asked about, where it would be plain otherwise.
    fn add_swallowed_caveat(&mut self, found: &FoundOption<'_>) {
        let target = found.value.as_ref().and_then(|value| value.text);
        match found.known.meaning {
            OptionMeaning::Target => {
                target.into_iter().for_each(|text| self.add_write(WriteKind::Write, text))
            }
            OptionMeaning::Edits | OptionMeaning::Line | OptionMeaning::OwnLine => {}
            _ => return,
        }
        let mut named = vec![found.place];
        named.extend(found.value.as_ref().map(|value| value.place).filter(|place| *place != found.place));
        self.add_plain_caveat("a value that could be an option which does more", named);
    }

    /// Whether a name is that of a file: with a slash, unless that only says how (`UTF-8//TRANSLIT`), and nothing is called so.
    fn is_named_file(&self, text: &str) -> bool {
        let how = |(_, behind): (&str, &str)| behind.bytes().all(|b| b.is_ascii_uppercase() || b == b'/');
        let plain = text.split_once("//").is_some_and(how) && !text.contains("..");
        let there = self.command.made || self.command.cwd.is_none_or(|cwd| PathAccess::is_at(cwd, text));
        text.contains('/') && (!plain || there)
    }

    /// The address that an option has for its value.
    fn address_of(&mut self, text: Option<&str>, word: Option<&Word>) {
        match (text, word) {
            (Some(text), _) => self.places.add_host(text),
            (None, Some(Word::Open(open))) => self.places.open_address(open, true),
            _ => {}
        }
    }

    /// One option. `reach` is how far below its operands the command goes.
    pub(super) fn analyze_option(&mut self, found: &FoundOption<'_>, reach: Reach) {
        let value = found.value.as_ref();
        let text = value.and_then(|value| value.text);
        let mut named = vec![found.place];
        named.extend(value.map(|value| value.place).filter(|place| *place != found.place));
        let word = value.and_then(|value| self.words.get(value.place));
        let about = |what: &str| format!("the option {} {what}", found.name);
        if matches!(found.known.meaning, OptionMeaning::Loads | OptionMeaning::Url)
            && text.is_some_and(|text| matches!(text, "-" | "@-" | "/dev/stdin"))
        {
            self.known.reads_text = Language::Commands;
            self.known.reads_addresses = true;
        }
        match found.known.meaning {
            OptionMeaning::Harmless => {
                if let Some(text) = text {
                    self.places.add_text(text);
                }
                return;
            }
            OptionMeaning::Pattern | OptionMeaning::Query => return,
            OptionMeaning::Url => {
                self.reader = false;
                self.address_of(text, word);
                let file = text.and_then(|text| text.strip_prefix('@'));
                if let Some(file) = file {
                    self.places.add_path(file, Use::Read, Reach::Itself);
                }
                if text.is_none() || file.is_some() {
                    self.add_plain_caveat(&about("takes addresses from a file"), named);
                }
                return;
            }
            OptionMeaning::Proxy => {
                self.address_of(text, word);
                self.add_plain_caveat(&about("goes through another machine"), named);
            }
            OptionMeaning::Reads | OptionMeaning::Stores => {
                // Whoever brings the scheme along decides what is loaded for it.
                if found.known.meaning == OptionMeaning::Stores
                    && word.is_some_and(|word| may_be_address(text, word))
                {
                    self.add_always_caveat(&about("has an address for which code may be loaded"));
                }
                if let Some(text) = text {
                    self.places.add_path(text, Use::Read, reach);
                    // `--from-file=NAME=FILE`
                    self.places.add_embedded_paths(text, Use::Read, reach);
                } else if let Some(Word::Open(open)) = word {
                    self.places.add_open_word(open, Use::Either, reach);
                }
                return;
            }
            OptionMeaning::NamedFile => {
                match (text, word) {
                    (Some(text), _) if self.is_named_file(text) => {
                        self.places.add_path(text, Use::Read, Reach::Itself)
                    }
                    (Some(text), _) => self.places.add_text(text),
                    (None, Some(Word::Open(open))) => {
                        self.places.add_open_word(open, Use::Either, Reach::Itself)
                    }
                    _ => {}
                }
                return;
            }
            OptionMeaning::Names => {
                match (text, word) {
                    (Some(text), _) => self.places.add_path(text, Use::Read, Reach::Itself),
                    (None, Some(Word::Open(open))) => {
                        self.places.add_open_word(open, Use::Read, Reach::Itself)
                    }
                    _ => {}
                }
                return self.add_plain_caveat(&about("names files in another file or on its input"), named);
            }
            OptionMeaning::Writes | OptionMeaning::Outputs | OptionMeaning::Prints => {
                self.reader = false;
                // What is thrown away, or printed, is written nowhere.
                let printed = found.known.meaning == OptionMeaning::Prints && text == Some("-");
                if printed || text == Some("/dev/null") {
                    return;
                }
                match (text, word) {
                    (Some(text), _) => {
                        self.add_write(WriteKind::Write, text);
                        if found.known.meaning != OptionMeaning::Writes {
                            files_of_kinds(text).for_each(|file| self.add_write(WriteKind::Write, file));
                        }
                        // To some programs it is a folder (`git format-patch -o`).
                        if !self.command.cwd.is_some_and(|cwd| cwd.join(text).is_file()) {
                            unpack::fill_folder(self, text, false);
                        }
                    }
                    (None, Some(Word::Open(open))) => {
                        self.places.add_open_word(open, Use::Write(WriteKind::Write), Reach::Itself);
                        self.add_plain_caveat(&about("writes a file that is not known"), named.clone());
                    }
                    _ => {}
                }
                if found.known.meaning == OptionMeaning::Writes {
                    return;
                }
                if let Some(text) = text.filter(|text| text.starts_with(['|', '!'])) {
                    self.add_option_value(&Word::from(text));
                }
                self.add_plain_caveat(&about("writes a file"), named);
            }
            OptionMeaning::Edits => {
                self.reader = false;
                // `sed -i'copies/*'`: the value is the end of the copy's name, or where the copy goes.
                if let Some((folder, _)) = text.and_then(|text| text.rsplit_once('/')) {
                    self.places.add_path(folder, Use::Write(WriteKind::Write), Reach::All);
                    self.add_plain_caveat(&about("keeps a copy in another place"), named);
                } else if let (Some(_), None, Some(Word::Open(open))) = (value, text, word) {
                    self.places.add_open_word(open, Use::Write(WriteKind::Write), Reach::All);
                    self.add_plain_caveat(&about("keeps a copy in a place that is not known"), named);
                }
                return;
            }
            OptionMeaning::Target => {
                self.reader = false;
                return;
            }
            OptionMeaning::Into => {
                unpack::write_into_folder(self, found);
                self.add_plain_caveat(&about("writes in another place"), named);
            }
            OptionMeaning::Elsewhere => {
                let folder =
                    text.filter(|text| !text.is_empty()).map(|text| FolderChange::To(text.to_owned()));
                if let Some(FolderChange::To(folder)) = &folder {
                    // A second one may begin at the first: `git -C a -C b`.
                    let joined = self.known.folders.last().map(|last| format!("{last}/{folder}"));
                    self.known.folders.extend(joined.filter(|_| !folder.starts_with('/')));
                    self.known.folders.push(folder.clone());
                }
                self.known.elsewhere = Some(folder.unwrap_or(FolderChange::Somewhere));
                self.add_plain_caveat(&about("works in another place"), named);
            }
            OptionMeaning::Loads => self.add_plain_caveat(&about("loads configuration or code"), named),
            OptionMeaning::Module if text.is_some_and(is_name) => return,
            OptionMeaning::Module => self.add_plain_caveat(&about("loads code from a path"), named),
            OptionMeaning::Kind if text.is_some_and(|text| !text.contains(['.', '/', '\\', '~'])) => return,
            OptionMeaning::Kind => self.add_plain_caveat(&about("writes a file, or loads code"), named),
            OptionMeaning::Runs => self.add_plain_caveat(&about("runs another program"), named),
            OptionMeaning::Changes => self.add_plain_caveat(&about("changes something"), named),
            OptionMeaning::Sends => self.add_plain_caveat(&about("sends a file"), named),
            OptionMeaning::Data => {
                self.reader = false;
                if text.is_none_or(|text| sends_a_file(found.name, text)) {
                    self.add_plain_caveat(&about("sends a file"), named);
                }
            }
            OptionMeaning::AtFile => {
                self.reader = false;
                let begins = match (text, word) {
                    (Some(text), _) => text,
                    (None, Some(word)) if named.len() > 1 => word.known_prefix(),
                    (None, Some(word)) => {
                        let end = if found.name.starts_with("--") {
                            "="
                        } else {
                            found.name.trim_start_matches('-')
                        };
                        word.known_prefix().split_once(end).map_or("", |(_, value)| value)
                    }
                    (None, None) => "",
                };
                if !begins.is_empty() && !begins.starts_with('@') {
                    return text.into_iter().for_each(|text| self.places.add_text(text));
                }
                if text != Some("") {
                    self.add_plain_caveat(&about("takes its text from a file"), named);
                }
            }
            OptionMeaning::OwnLine => {
                self.reader = false;
                let own = format!("{} ", self.own_name(found.place));
                let line = match (text, word) {
                    (Some(text), _) => Some(Word::Literal(own + text)),
                    (None, Some(Word::Open(open))) => {
                        let pieces = std::iter::once(Some(own)).chain(open.pieces.iter().cloned()).collect();
                        Some(Word::Open(OpenWord { pieces, ..open.clone() }))
                    }
                    _ => None,
                };
                self.known.inner.extend(line.map(InnerCommand::Line));
                return;
            }
            OptionMeaning::Line => {
                self.reader = false;
                // What follows may belong to the line.
                if let (Some(line), Some(value)) = (text.and_then(split_words), value) {
                    let rest = self.words.iter().skip(value.place + 1).take(LONGEST_TAIL).cloned();
                    self.known.also.push(line.into_iter().map(Word::Literal).chain(rest).collect());
                }
                let line = match (text, word) {
                    (Some(text), _) => Some(Word::from(text)),
                    (None, word) => word.cloned(),
                };
                self.known.inner.extend(line.map(InnerCommand::Line));
                return;
            }
            OptionMeaning::Split => {
                self.reader = false;
                return env::analyze_split_option(self, found);
            }
            OptionMeaning::Sets | OptionMeaning::Passes => {
                self.reader = false;
                if let Some(text) = text {
                    self.places.add_text(text);
                }
                return variables::analyze_variable_option(self, found);
            }
            // All of its command is judged by itself, wherever it begins: `fd -xtouch`.
            OptionMeaning::Command if found.known.takes == ValueCount::Perhaps => {
                self.reader = false;
                if let (Some(text), Some(value)) = (text, value) {
                    let rest = self.words.iter().skip(value.place + 1).take(LONGEST_TAIL).cloned();
                    self.known.also.push(std::iter::once(Word::from(text)).chain(rest).collect());
                    self.known.inner.push(InnerCommand::Words(vec![Word::from(text)]));
                }
                return;
            }
            OptionMeaning::Command => {
                self.add_plain_caveat(&about("runs another program"), vec![found.place])
            }
            OptionMeaning::Evaluates => {
                self.reader = false;
                if text.is_none_or(|text| text.contains('[')) {
                    self.add_plain_caveat(&about("evaluates its value"), named);
                }
                return;
            }
        }
        if matches!(found.known.meaning, OptionMeaning::Runs | OptionMeaning::Loads | OptionMeaning::Module) {
            let value = text.map(Word::from).or_else(|| word.cloned());
            value.iter().for_each(|value| self.add_option_value(value));
            if value.is_none() && found.known.meaning == OptionMeaning::Runs {
                self.add_possible_commands(found.place + 1);
            }
        }
        match (text, word) {
            (Some(text), _) => self.places.add_possible_paths(text, Use::Either, Reach::Itself),
            (None, Some(Word::Open(open))) => self.places.add_open_word(open, Use::Either, Reach::Itself),
            _ => {}
        }
    }
}

/// Whether the value may be an address to what takes addresses: a colon stands before the first slash. What it is called is not
/// looked at, since a scheme is whatever somebody called one.
fn may_be_address(text: Option<&str>, word: &Word) -> bool {
    let prefix = word.known_prefix();
    let known = text.unwrap_or(prefix.split_once('=').map_or(prefix, |(_, value)| value));
    known.split_once('/').map_or(text.is_none() || known.contains(':'), |(scheme, _)| scheme.contains(':'))
}

/// Whether the value of an option that sends it is, or names, a file that is sent instead.
fn sends_a_file(option: &str, text: &str) -> bool {
    let named = || text.split('=').next().is_some_and(|name| name.contains('@'));
    match option {
        // `--data-urlencode NAME@FILE`
        "--data-urlencode" | "--url-query" | "--variable" => named(),
        // Without a name, cookies are those that stand in a file.
        "-b" | "--cookie" => !text.is_empty() && !text.contains('='),
        _ => text.starts_with(['@', '<']) || text.contains("=@") || text.contains("=<"),
    }
}

/// Whether the value is the name of something that the program brings along or looks up, and not a path.
pub(super) fn is_name(text: &str) -> bool {
    let code = [".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb", ".so", ".php"];
    text.split([',', ':', '=']).all(|part| {
        // `@scope/name` is a package.
        let package =
            part.strip_prefix('@').is_some_and(|part| part.matches('/').count() == 1 && !part.contains(".."));
        let path = part.contains(['/', '\\']) || part.starts_with(['.', '~']);
        (!path || package) && !code.iter().any(|end| part.ends_with(end))
    })
}
