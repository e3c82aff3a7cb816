//! An entry of the table: what the keys of `programs.toml` say about one program.

use serde::Deserialize;
use serde::de::value::Error;

use super::embedded_paths::Language;
use super::form::OptionMeaning;
use super::hosts::AddressForm;
use super::option_aliases::Spelling;
use super::packed;

/// An entry as it is written. Lists are names with spaces between; `programs.toml` explains them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct TableEntry {
    pub(super) also: String,
    pub(super) like: String,
    pub(super) kind: ProgramKind,
    pub(super) style: OptionStyle,
    pub(super) spelling: Spelling,
    pub(super) throughout: bool,
    pub(super) reader: Option<bool>,
    pub(super) reader_with: Option<String>,
    pub(super) everywhere: bool,
    pub(super) aliases: String,
    pub(super) abbreviates: bool,
    pub(super) digits: bool,
    pub(super) lost: bool,
    pub(super) here: Option<bool>,
    pub(super) here_below: Option<bool>,
    pub(super) deep: Option<String>,
    pub(super) shown: Option<String>,
    pub(super) shown_by: String,
    pub(super) patch_by: String,
    pub(super) options_file: String,
    pub(super) changed: Option<bool>,
    pub(super) past: Option<String>,
    pub(super) widens: Option<String>,
    pub(super) shows_patch: Option<String>,
    pub(super) shows_objects: Option<String>,
    pub(super) formats: Option<String>,
    pub(super) names_alone: Option<String>,
    pub(super) follows: Option<String>,
    pub(super) rewrites: Option<String>,
    pub(super) rewrites_in: Option<RewriteFolder>,
    pub(super) keeps: Option<String>,
    pub(super) sparing: Option<bool>,
    pub(super) own_paths: String,
    pub(super) objects: bool,
    pub(super) blobs: bool,
    pub(super) rewrites_by: String,
    pub(super) through_index: bool,
    pub(super) semicolon: bool,
    pub(super) lists: Option<String>,
    pub(super) contents: Option<String>,
    pub(super) pathspecs: Option<bool>,
    pub(super) reads_input: Option<bool>,
    pub(super) caveat: String,
    pub(super) operands: Option<String>,
    pub(super) instead: Option<String>,
    pub(super) special: Option<SpecialCase>,
    pub(super) options: String,
    pub(super) patterns: String,
    pub(super) reads: String,
    pub(super) stores: String,
    pub(super) named_files: String,
    pub(super) writes: String,
    pub(super) outputs: String,
    pub(super) prints: String,
    pub(super) edits: String,
    pub(super) urls: String,
    pub(super) proxies: String,
    pub(super) targets: String,
    pub(super) into: String,
    pub(super) elsewhere: String,
    pub(super) loads: String,
    pub(super) modules: String,
    pub(super) kinds: String,
    pub(super) runs: String,
    pub(super) changes: String,
    pub(super) sends: String,
    pub(super) data: String,
    pub(super) at_files: String,
    pub(super) lines: String,
    pub(super) own_lines: String,
    pub(super) commands: String,
    pub(super) evaluates: String,
    pub(super) splits: String,
    pub(super) sets: String,
    pub(super) passes: String,
    pub(super) query: Option<String>,
    pub(super) tells: bool,
    pub(super) responses: Option<bool>,
    pub(super) hands_on: String,
    pub(super) same: String,
    pub(super) modes: String,
    pub(super) backups: String,
    pub(super) suffixes: String,
    pub(super) wildcards: String,
    pub(super) archives: bool,
    pub(super) makes_beside: String,
    pub(super) makes_here: String,
    pub(super) makes_always: String,
    pub(super) makes_of: String,
    pub(super) makes_not: String,
    pub(super) resplits: bool,
    pub(super) downloads: Option<String>,
    pub(super) downloads_in: String,
    pub(super) downloads_to: String,
    pub(super) downloads_not: Option<String>,
    pub(super) server_names: Option<String>,
    pub(super) listing: String,
    pub(super) shows: String,
    pub(super) creates: String,
    pub(super) options_first: Option<String>,
    pub(super) names: String,
    pub(super) runs_input: bool,
    pub(super) program: Option<String>,
    pub(super) program_files: String,
    pub(super) project_files: String,
    pub(super) talks: String,
    pub(super) script: String,
    pub(super) starts_shell: Option<String>,
    pub(super) certain: String,
    pub(super) tame: String,
    pub(super) tame_words: String,
    pub(super) colon: bool,
    pub(super) numbers: String,
    pub(super) guides: String,
    pub(super) feeds: bool,
    pub(super) language: Language,
    pub(super) opens_pipes: bool,
    pub(super) takes_in: Option<String>,
    pub(super) operands_take_in: bool,
    pub(super) reaches: Option<AddressForm>,
    pub(super) more: Option<bool>,
    pub(super) subs: Option<String>,
}

/// What sort of program it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ProgramKind {
    /// One that does its own work.
    #[default]
    Plain,
    /// A wrapper that only changes how: looked through.
    Transparent,
    /// A wrapper that changes what or who: what it runs has to be allowed as well.
    Wrapper,
    /// Runs a package or task by its name: denials look at it as a command.
    Runner,
    /// A shell that is not understood.
    Foreign,
}

/// Below which folder a program changes files that no word names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RewriteFolder {
    /// The folder that it works in, or that an option names.
    #[default]
    Here,
    /// The top of the repository.
    Repository,
    /// Each of its operands; the folder that it works in, if there are none.
    Operands,
    /// Its second operand; the folder that it works in, if there is none.
    Second,
    /// The folder that it makes: its last operand, or what the address that it copies from is called.
    Made,
}

/// How options are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OptionStyle {
    /// `-abc`, `-ovalue`, `--long=value`, `--lo`; `--` ends them.
    #[default]
    Gnu,
    /// `-long` or `--long`, `-long=value`; `--` ends them.
    Single,
    /// Every word that is listed, wherever it stands, written out; `--` does not end them.
    Words,
    /// Only words that are listed; all others are text, whatever they begin with.
    Text,
    /// As Gnu, but the values of letters are the next words in their order: `-Lo 2 FILE`.
    Letters,
    /// As Gnu, but of letters only the first counts: `-bc` is `-b`.
    First,
}

/// Knowledge that a table can't hold: a language of its own, or a look at the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SpecialCase {
    Aliases,
    Awk,
    Cargo,
    Cd,
    Date,
    Dd,
    Find,
    Git,
    GitConfig,
    Go,
    Input,
    Jq,
    Module,
    Mounts,
    Remote,
    RunsGit,
    Sed,
    Sets,
    Several,
    Split,
    Shell,
    Tar,
    User,
}

impl TableEntry {
    /// Reads what the build has made of the lines below a header.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        packed::read_entry(text)
    }

    /// Takes over what `like` says besides its options, where this entry says nothing itself.
    pub(super) fn inherit_from(&mut self, like: &Self) {
        self.reader = self.reader.or(like.reader);
        self.reader_with = self.reader_with.take().or_else(|| like.reader_with.clone());
        self.here = self.here.or(like.here);
        self.digits |= like.digits;
        self.here_below = self.here_below.or(like.here_below);
        self.deep = self.deep.take().or_else(|| like.deep.clone());
        self.shown = self.shown.take().or_else(|| like.shown.clone());
        self.changed = self.changed.or(like.changed);
        self.past = self.past.take().or_else(|| like.past.clone());
        self.widens = self.widens.take().or_else(|| like.widens.clone());
        self.names_alone = self.names_alone.take().or_else(|| like.names_alone.clone());
        self.shows_patch = self.shows_patch.take().or_else(|| like.shows_patch.clone());
        self.shows_objects = self.shows_objects.take().or_else(|| like.shows_objects.clone());
        self.formats = self.formats.take().or_else(|| like.formats.clone());
        self.follows = self.follows.take().or_else(|| like.follows.clone());
        self.rewrites = self.rewrites.take().or_else(|| like.rewrites.clone());
        self.rewrites_in = self.rewrites_in.or(like.rewrites_in);
        self.keeps = self.keeps.take().or_else(|| like.keeps.clone());
        self.sparing = self.sparing.or(like.sparing);
        self.lists = self.lists.take().or_else(|| like.lists.clone());
        self.contents = self.contents.take().or_else(|| like.contents.clone());
        self.pathspecs = self.pathspecs.or(like.pathspecs);
        self.reads_input = self.reads_input.or(like.reads_input);
        self.operands = self.operands.take().or_else(|| like.operands.clone());
        self.instead = self.instead.take().or_else(|| like.instead.clone());
        self.query = self.query.take().or_else(|| like.query.clone());
        self.special = self.special.or(like.special);
        self.reaches = self.reaches.or(like.reaches);
        self.more = self.more.or(like.more);
        self.archives |= like.archives;
        for (own, other) in [
            (&mut self.shown_by, &like.shown_by),
            (&mut self.options_file, &like.options_file),
            (&mut self.suffixes, &like.suffixes),
            (&mut self.wildcards, &like.wildcards),
            (&mut self.makes_beside, &like.makes_beside),
            (&mut self.makes_here, &like.makes_here),
            (&mut self.makes_always, &like.makes_always),
            (&mut self.makes_of, &like.makes_of),
            (&mut self.makes_not, &like.makes_not),
        ] {
            if own.is_empty() {
                own.clone_from(other);
            }
        }
        self.tells |= like.tells;
        self.inherit_spelling(like.spelling);
        self.responses = self.responses.or(like.responses);
        self.runs_input |= like.runs_input;
        self.starts_shell = self.starts_shell.take().or_else(|| like.starts_shell.clone());
        if self.program.is_none() && like.program.is_some() {
            self.program.clone_from(&like.program);
            self.script.clone_from(&like.script);
            self.talks.clone_from(&like.talks);
        }
        self.options_first = self.options_first.take().or_else(|| like.options_first.clone());
        if self.style == OptionStyle::Gnu {
            self.style = like.style;
        }
        if self.kind == ProgramKind::Plain {
            self.kind = like.kind;
        }
    }

    /// Whether it says which options there are.
    pub(super) fn lists_options(&self) -> bool {
        self.option_lists().iter().any(|(_, list)| !list.is_empty())
    }

    /// Its lists of options, with what each is about.
    pub(super) fn option_lists(&self) -> [(OptionMeaning, &str); 30] {
        [
            (OptionMeaning::Harmless, &self.options),
            (OptionMeaning::Pattern, &self.patterns),
            (OptionMeaning::Reads, &self.reads),
            (OptionMeaning::Stores, &self.stores),
            (OptionMeaning::NamedFile, &self.named_files),
            (OptionMeaning::Names, &self.names),
            (OptionMeaning::Writes, &self.writes),
            (OptionMeaning::Outputs, &self.outputs),
            (OptionMeaning::Prints, &self.prints),
            (OptionMeaning::Edits, &self.edits),
            (OptionMeaning::Url, &self.urls),
            (OptionMeaning::Proxy, &self.proxies),
            (OptionMeaning::Target, &self.targets),
            (OptionMeaning::Into, &self.into),
            (OptionMeaning::Elsewhere, &self.elsewhere),
            (OptionMeaning::Loads, &self.loads),
            (OptionMeaning::Module, &self.modules),
            (OptionMeaning::Kind, &self.kinds),
            (OptionMeaning::Runs, &self.runs),
            (OptionMeaning::Changes, &self.changes),
            (OptionMeaning::Sends, &self.sends),
            (OptionMeaning::Data, &self.data),
            (OptionMeaning::AtFile, &self.at_files),
            (OptionMeaning::Line, &self.lines),
            (OptionMeaning::OwnLine, &self.own_lines),
            (OptionMeaning::Command, &self.commands),
            (OptionMeaning::Evaluates, &self.evaluates),
            (OptionMeaning::Split, &self.splits),
            (OptionMeaning::Sets, &self.sets),
            (OptionMeaning::Passes, &self.passes),
        ]
    }
}
