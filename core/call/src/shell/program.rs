//! What is known about programs: wrappers, options that run others or write files, operands that
//! are read or written. The knowledge itself is data (`programs.toml`); this is its use.
//!
//! The walker over the grammar hands in one simple command at a time ([`Command`]) and gets back what
//! is known about it ([`CommandFacts`]). Nothing here parses shell text.

mod addresses;
mod analyzer;
mod archives;
mod argument_paths;
mod awk;
mod backups;
mod cargo_words;
mod caveats;
mod clients;
#[cfg(test)]
mod cut;
mod database_archives;
mod downloads;
mod embedded_paths;
mod env;
mod form;
mod git_added;
mod git_files;
mod git_objects;
mod gitignore;
mod gitlinks;
mod given_programs;
mod goals;
mod hosts;
mod implied_files;
mod index_links;
mod input;
mod jq_modules;
mod library;
mod looked_up_names;
mod made_files;
mod made_repositories;
mod manifests;
mod name;
mod named_options;
mod names;
mod operand_roles;
mod operands;
mod option_aliases;
mod option_condition;
mod option_lookup;
mod option_meaning;
mod option_reader;
mod option_sets;
mod option_values;
mod options;
mod options_file;
mod other_folders;
mod other_names;
mod outputs;
mod packed;
mod patch_names;
mod pathspec;
mod possible_commands;
mod possible_lines;
mod quoted_commands;
mod repository;
mod repository_looks;
mod responses;
mod scan;
mod sed;
mod several_commands;
mod shells;
mod shown_names;
mod special_programs;
mod spellings;
mod started_lines;
mod stray_paths;
mod sub_names;
mod table;
mod table_entry;
#[cfg(test)]
mod tests;
mod texts;
mod tool;
mod toolchains;
mod unnamed_writes;
mod unpack;
mod uploads;
mod url_globs;
mod user_settings;
mod users;
mod variables;
mod word_paths;
mod worktree;
mod wrapped;

use std::path::{Path, PathBuf};

use super::{Caveat, Touch, Word};
use crate::{LineLookups, UrlAccess, WriteKind};

pub(super) use addresses::addresses_in;
pub(super) use argument_paths::{ArgumentText, touches_in_strings};
pub(super) use embedded_paths::{Language, paths_in_text};
pub(super) use git_files::looks_above;
pub use gitlinks::index_paths;
pub(super) use given_programs::{BroughtFiles, GivenProgram, brought_files, is_shell};
pub use option_sets::{GivenOption, OptionSet, option_set};
pub use patch_names::patched_names;
pub(super) use possible_lines::embedded_commands;
pub(super) use quoted_commands::{commands_in_input, quoted_commands};
pub(super) use repository::is_repository;
pub(super) use repository_looks::RepositoryLooks;
pub(crate) use shown_names::ShownNames;
pub(super) use special_programs::NAMED_BY_GUIDES;
pub(super) use started_lines::may_start;
pub(super) use stray_paths::is_apart;
pub(super) use texts::lines_of_code;
pub(crate) use texts::lines_started_by_code;
pub(in crate::shell) use user_settings::{forms_of, links_from};
pub(super) use word_paths::{linked_matches, open_path_of};

/// One simple command as the grammar has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command<'a> {
    /// Its words, the program first; never empty.
    pub(super) words: &'a [Word],
    /// The folder that it runs in, if it is known.
    pub(super) cwd: Option<&'a Path>,
    /// Folders that were looked up for the line.
    pub(super) looked: &'a LineLookups,
    /// Repositories that were looked at for the line.
    pub(super) repositories: &'a RepositoryLooks,
    /// Its standard input is a pipe or a file of the same line: an interpreter without operands would
    /// run it.
    pub(super) fed: bool,
    /// That is certainly a pipe or a file: some programs search it, and then no folder.
    pub(super) piped: bool,
    /// Earlier commands of the line could have made files and folders.
    pub(super) made: bool,
    /// What they could have made of git's names.
    pub(super) git_names: GitNames,
}

impl<'a> Command<'a> {
    /// One that is given something to read, and that stands first in its line.
    pub(super) fn with_input(
        words: &'a [Word],
        cwd: &'a Path,
        looked: &'a LineLookups,
        repositories: &'a RepositoryLooks,
    ) -> Self {
        let git_names = GitNames::AsTheyAre;
        Self { words, cwd: Some(cwd), looked, repositories, fed: true, piped: true, made: false, git_names }
    }
}

/// Whether names by which git is told commits stand for what they do now by the time that a command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GitNames {
    #[default]
    AsTheyAre,
    /// Branches of other repositories may be other commits, and what was fetched last is anything.
    Fetched,
    /// Those of references may be other ones.
    Changed,
    /// The commit at hand, and what is told by its hash, too.
    AllChanged,
}

/// What is known about a command.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandFacts {
    /// The words before the command that counts: wrappers that only change how, with their options.
    /// `timeout 60 cargo test` has two. If it is all of the words, nothing is run (`exec 3<x`).
    pub(super) transparent: usize,
    /// What it runs besides itself: to be judged as commands of their own.
    pub(super) inner: Vec<InnerCommand>,
    /// Why it is asked about. Places of words count from the first word that was handed in.
    pub(super) caveats: Vec<Caveat>,
    /// Paths that its words are or hold.
    pub(super) touches: Vec<Touch>,
    /// Files that it certainly changes: accesses of their own.
    pub(super) writes: Vec<(WriteKind, String)>,
    /// Paths of which it is not known what they are for.
    pub(super) strays: Vec<stray_paths::StrayPath>,
    /// Where what it runs starts, if an option says so (`env -C DIR`).
    pub(super) elsewhere: Option<FolderChange>,
    /// The folders that its options name for that, as they are written.
    pub(super) folders: Vec<String>,
    /// It reads everything below a folder that is not known.
    pub(super) adrift: bool,
    /// There is more than could be looked at.
    pub(super) lost: bool,
    /// Addresses among its words.
    pub(super) urls: Vec<UrlAccess>,
    /// It fits the table of readers entirely.
    pub(super) reader: bool,
    /// The names of files by which it shows hidden names.
    pub(super) shown_by: &'static [String],
    /// Files that say so under other names: where links lead, and those that settings name.
    pub(super) shown_from: Vec<PathBuf>,
    /// It, or what it hands names to, goes where links lead that lie below what it names.
    pub(super) follows: bool,
    /// The file by which it has options that are not among its words.
    pub(super) options_file: Option<PathBuf>,
    /// All that its options do is to choose what it reads, and how it shows that.
    pub(super) harmless_options: bool,
    /// Its words are text that it prints, and no paths.
    pub(super) prints_words: bool,
    /// Other commands that it would or could run: for deny and ask alone, they need no allow. Packages
    /// that a runner starts by name (`npx x`), and every tail of a wrapper whose command could not be
    /// located.
    pub(super) also: Vec<Vec<Word>>,
    /// The same command, spelled otherwise: for rules that deny or ask.
    pub(super) spellings: Vec<Vec<Word>>,
    /// Words of which each could begin a command: for deny and ask.
    pub(super) tails: Vec<Vec<Word>>,
    /// Lines that it might run: for deny and ask.
    pub(super) lines: Vec<String>,
    /// Words that may be lines, and may be prose: for deny and ask, by what they begin with.
    pub(super) prose: Vec<String>,
    /// Commands that code among its words may start, as far as anybody can tell: asked about, and never denied.
    pub(super) guesses: Vec<Vec<Word>>,
    /// It is not known what it makes of the text that it is fed: commands there are guesses, too.
    pub(super) takes_any_text: bool,
    /// What it is given to read may be lines that it runs: denials look at those.
    pub(super) runs_input: bool,
    /// What the text is that it reads on its input as a program.
    pub(super) reads_text: Language,
    /// What it reads on its input may name addresses that it fetches (`curl -K -`): for deny and ask.
    pub(super) reads_addresses: bool,
    /// Programs that it is given to run, otherwise than by its words.
    pub(super) given: Vec<GivenProgram>,
    /// The folder of the shell changes (`cd`).
    pub(super) moves: Option<FolderChange>,
}

/// What a command runs.
#[derive(Clone, Debug)]
pub(super) enum InnerCommand {
    /// These words: `sudo make`.
    Words(Vec<Word>),
    /// A line for a shell: `sh -c LINE`, `eval LINE`.
    Line(Word),
}

/// Where the shell goes.
#[derive(Clone, Debug)]
pub(super) enum FolderChange {
    /// To a folder, as it was written.
    To(String),
    /// To one that is not known.
    Somewhere,
}

/// The variables that only change how output looks, and those that change what later words run: names,
/// or with a `*` at the end how they begin.
pub(super) fn inert_and_rebinding() -> (&'static [String], &'static [String]) {
    let names = table::NameLists::get();
    (&names.inert, &names.rebinding)
}

/// The module that `python -m MODULE` runs, which counts as a program of its name.
pub(super) fn module_of(words: &[Word]) -> Option<&str> {
    match words {
        [python, m, module, ..] if m.literal() == Some("-m") => module
            .literal()
            .filter(|_| python.literal().is_some_and(|name| name::base_name(name).starts_with("python"))),
        _ => None,
    }
}

/// Whether a program runs the project's own code anyway, so that this variable may name folders of it.
pub(super) fn finds_own_code(program: &str, variable: &str) -> bool {
    let program = table::ProgramTable::get().find_program(name::base_name(program));
    program.is_some_and(|program| program.form().own_paths.iter().any(|own| own == variable))
}

/// The words that a value of this variable may consist of, so that it changes nothing of what runs.
pub(super) fn inert_values(name: &str) -> &'static [String] {
    table::NameLists::get().inert_values.get(name).map(Vec::as_slice).unwrap_or_default()
}

/// Whether the name of a program that is known begins so.
pub(super) fn begins_a_name(text: &str) -> bool {
    table::ProgramTable::get().all_names().any(|name| name.starts_with(text))
}

/// The variables that zsh ties to what it runs.
pub(super) fn zsh_variables() -> &'static [String] {
    &table::NameLists::get().zsh
}

/// Whether shells hold this variable as a number, and evaluate what it is given.
pub(super) fn is_evaluated_variable(name: &str) -> bool {
    table::NameLists::get().evaluated.contains(name)
}

/// Files around a folder that hold options which a program obeys.
pub(super) fn guides_of(name: &str) -> &'static [String] {
    table::ProgramTable::get().find_program(name).map_or(&[], |program| program.form().guides.as_slice())
}

/// Whether a folder is the top of a repository.
pub(super) fn is_top(folder: &Path) -> bool {
    repository::work_tree_top(folder).as_deref() == Some(folder)
}

/// The files below a folder that the index of the repository around it knows, as far as git could print them; none if
/// that is not certain.
pub(super) fn tracked_files(folder: &Path) -> Option<Vec<PathBuf>> {
    worktree::tracked_files(folder)
}

/// Whether a variable holds nothing that is a secret: who prints it tells no more than what the machine is like.
pub(super) fn tells_no_secret(variable: &str) -> bool {
    table::NameLists::get().telling.contains(variable)
}

/// The name of a program without the folders before it.
pub(super) fn name_of(text: &str) -> &str {
    name::base_name(text)
}

/// Where a command of `find -exec` ends that begins at `from`.
pub(super) fn end_of_exec(words: &[Word], from: usize) -> usize {
    scan::command_end(words, from)
}

/// Looks `command` up. Wrappers that only change how are looked through: what is known is about the
/// command behind them.
pub(super) fn analyze_command(command: &Command<'_>) -> CommandFacts {
    analyzer::analyze_command(command)
}

/// Whether a program is an interpreter, a shell or a wrapper, also with a version behind its name.
#[must_use]
pub fn runs_others(name: &str) -> bool {
    programs_called(name).any(|program| {
        let kind = program.kind();
        program.runs_others() || !matches!(kind, table::ProgramKind::Plain | table::ProgramKind::Runner)
    })
}

/// Whether a command is one of those that only look, whatever its options are: by its first words.
#[must_use]
pub fn is_known_reader(words: &[&str]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    let program = table::ProgramTable::get().find_program(name::base_name(name));
    let sub = |program: &'static table::ProgramEntry| rest.first().and_then(|word| program.sub_command(word));
    program.is_some_and(|program| program.form().reader || sub(program).is_some_and(|sub| sub.form().reader))
}

/// Whether anything is known of a program.
pub(super) fn is_known(name: &str) -> bool {
    table::ProgramTable::get().find_program(name::base_name(name)).is_some()
}

/// Whether a program is given one of its own language to run, whatever that is.
pub(super) fn takes_program(name: &str) -> bool {
    let program = table::ProgramTable::get().find_program(name::base_name(name));
    program.is_some_and(|program| program.form().program.is_some())
}

/// Whether a program is given code in a language of its own, also one with a version behind its name: what that starts is judged
/// as far as it can be told.
pub(super) fn takes_code(name: &str) -> bool {
    let code = |form: &form::CommandForm| form.program.is_some() && form.language == Language::Code;
    programs_called(name).any(|program| code(program.form()))
}

/// The programs of this name, also without a version behind it.
fn programs_called(name: &str) -> impl Iterator<Item = &'static table::ProgramEntry> {
    let name = name::base_name(name);
    let names = std::iter::once(name).chain(name::without_version(name));
    names.filter_map(|name| table::ProgramTable::get().find_program(name))
}

/// Whether a program has sub-commands that are known.
pub(super) fn has_sub_commands(name: &str) -> bool {
    table::ProgramTable::get().find_program(name::base_name(name)).is_some_and(|program| program.has_subs())
}

/// Whether these words are a program and sub-commands of it that are known, and no more.
#[must_use]
pub fn is_sub_command(words: &[&str]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    let program = table::ProgramTable::get().find_program(name::base_name(name));
    !rest.is_empty()
        && rest.iter().try_fold(program, |of, word| Some(Some(of?.sub_command(word)?))).flatten().is_some()
}

/// Whether a program does nothing without an operand, as far as the table tells: one that it changes, or fetches.
#[must_use]
pub fn needs_operands(name: &str) -> bool {
    use operand_roles::Role as R;
    let Some(program) = table::ProgramTable::get().find_program(name::base_name(name)) else { return false };
    let form = program.form();
    let roles = form.operands.iter().flat_map(|operands| operands.first.iter().chain(&operands.many));
    !program.has_subs()
        && roles.take(1).any(|role| {
            matches!(role, R::Written | R::Target | R::Created | R::Edited | R::Deleted | R::Moved | R::Url)
        })
}

/// How many of these words are wrappers that only change how what stands behind them runs; 0 if nothing does.
pub(super) fn wrapper_length(words: &[String]) -> usize {
    let find = |name: &String| table::ProgramTable::get().find_program(name::base_name(name));
    let program = words.first().and_then(find);
    if program.is_none_or(|program| program.kind() != table::ProgramKind::Transparent) {
        return 0;
    }
    let words: Vec<Word> = words.iter().cloned().map(Word::Literal).collect();
    let (looked, repositories) = (LineLookups::default(), RepositoryLooks::default());
    let command = Command::with_input(&words, Path::new("/"), &looked, &repositories);
    let length = analyze_command(&Command { cwd: None, fed: false, piped: false, ..command }).transparent;
    if length < words.len() { length } else { 0 }
}

/// Every name in the table, also those of sub-commands: `git log`.
#[must_use]
pub fn program_names() -> Vec<String> {
    table::ProgramTable::get().all_names().map(str::to_owned).collect()
}

/// Whether `command` is known, and neither it nor what it is a sub-command of runs what it is given; a
/// sub-command of a runner may be none itself.
#[must_use]
pub fn is_plain(command: &str) -> bool {
    let mut words = command.split(' ');
    let first = words.next().and_then(|name| table::ProgramTable::get().find_program(name));
    let last = words.try_fold(first, |program, word| Some(Some(program?.sub_command(word)?)));
    let known = last.flatten().or(first.filter(|program| program.kind() == table::ProgramKind::Plain));
    known.is_some_and(|program| program.kind() == table::ProgramKind::Plain && !program.runs_others())
}
