//! Paths where the table does not say what a word is: behind options that it does not list, and among the words that a
//! program passes on to another behind `--`. Such a program may read, load or write there.

use std::path::Component;

use super::Command;
use super::analyzer::CommandAnalyzer;
use super::embedded_paths::Language;
use super::form::{CommandForm, InterpreterSpec, OptionMeaning, Role};
use super::scan::{FoundOption, Scan};
use super::table::ProgramKind;
use crate::PathAccess;
use crate::shell::{Caveat, CaveatSubject, Word};

/// As many are looked at.
const MOST: usize = 32;

/// Folders of tools, as names that an option leaves out: `--skip=.git`.
const LEFT_OUT: &[&str] =
    &[".git", ".hg", ".svn", ".venv", ".tox", ".nox", ".cache", ".next", ".nuxt", ".turbo"];

/// A path of which it is not known what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::shell) struct StrayPath {
    /// The words that a pattern has to name: the option and its value.
    pub(super) named: Vec<usize>,
    pub(in crate::shell) path: String,
}

impl StrayPath {
    /// The same, where the words stand behind `place` others.
    pub(super) fn shifted_by(self, place: usize) -> Self {
        Self { named: self.named.into_iter().map(|at| at + place).collect(), ..self }
    }

    pub(in crate::shell) fn into_caveat(self) -> Caveat {
        let reason = format!(
            "{} is outside of the session's folders, or hidden, and what it is for is not known",
            self.path
        );
        Caveat { reason, always: false, named: CaveatSubject::Words(self.named) }
    }
}

/// Whether such a path lies where mayi would rather have it said what it is for: not below `roots`, or in a hidden folder.
pub(in crate::shell) fn is_apart(path: &PathAccess, roots: &[std::path::PathBuf]) -> bool {
    if roots.is_empty() {
        return false;
    }
    let hidden = |form: &std::path::Path| {
        let rest = roots.iter().find_map(|root| form.strip_prefix(root).ok()).unwrap_or(form);
        let mut names = rest
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .peekable();
        while let Some(name) = names.next() {
            let last = names.peek().is_none();
            if name.starts_with('.') && !(last && (!path.folder || LEFT_OUT.contains(&name))) {
                return true;
            }
        }
        false
    };
    !path.is_within(roots) || path.forms().any(hidden)
}

/// Notes the paths of a command that stand where the table says nothing.
pub(super) fn add_strays(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    let words = judge.words;
    let literal = |place: usize| words.get(place).and_then(Word::literal);
    for &place in &scan.unknown {
        let Some(text) = literal(place) else { continue };
        let glued = text.split_once('=').map(|(_, value)| value);
        match glued {
            Some(value) => note_stray_paths(judge, vec![place], value),
            None => {
                // `-o/srv/x`, `-xout:/srv/x`
                let letters = text.find(['/', '~', '.', ':']).filter(|_| !text.starts_with("--"));
                if let Some(value) = letters.and_then(|at| text.get(at..)) {
                    note_stray_paths(judge, vec![place], value.trim_start_matches(':'));
                }
                if let Some(next) = literal(place + 1).filter(|next| !next.starts_with('-')) {
                    note_stray_paths(judge, vec![place, place + 1], next);
                }
            }
        }
    }
    let tool =
        form.of_tools && form.kind == ProgramKind::Plain && form.language == Language::None && !form.reader;
    // What an interpreter is told to take along: `java -cp /srv/x`. Its program itself is text.
    let code = form.program.as_ref().filter(|_| form.language == Language::Code && !form.reader);
    let end = CommandAnalyzer::own_words_end(form, scan);
    let along = |found: &FoundOption<'_>| {
        found.place < end && code.is_some_and(|program| !program.inline.contains(found.name))
    };
    let harmless = scan.options.iter().filter(|found| found.known.meaning == OptionMeaning::Harmless);
    let harmless = harmless.filter(|found| tool || along(found));
    for value in harmless.filter_map(|found| found.value.as_ref().map(|value| (found.place, value))) {
        let (place, value) = value;
        // A title has blanks; options for another program begin with one of them.
        let Some(text) =
            value.text.filter(|text| text.starts_with('-') || !text.contains(char::is_whitespace))
        else {
            continue;
        };
        let mut named = vec![place, value.place];
        named.dedup();
        note_stray_paths(judge, named, text);
    }
    // A script that an option names: `php -f /srv/x.php`.
    let files = scan.options.iter().filter(|found| code.is_some() && form.program_files.contains(found.name));
    for value in files.filter_map(|found| found.value.as_ref().map(|value| (found.place, value))) {
        let (place, value) = value;
        if let Some(text) = value.text {
            let mut named = vec![place, value.place];
            named.dedup();
            note_stray_paths(judge, named, text);
        }
    }
    let count = scan.operands.len();
    for (index, &place) in scan.operands.iter().enumerate() {
        let role = form.operands.as_ref().and_then(|roles| roles.role_at(index, count));
        let Some(text) = literal(place) else { continue };
        if matches!(role, Some(Role::Script | Role::Module)) || runs_operand(form, scan, index) {
            note_stray_paths(judge, vec![place], text);
        }
        if role == Some(Role::Module) && is_elsewhere(judge.command, text) {
            judge.add_plain_caveat("a module that does not lie in the folder", vec![place]);
        }
    }
    let Some(ended) = scan.ended.filter(|_| !form.reader) else { return };
    for (index, &place) in scan.operands.iter().enumerate().filter(|(_, place)| **place > ended) {
        let role = form.operands.as_ref().and_then(|roles| roles.role_at(index, count));
        let Some(text) = literal(place).filter(|_| matches!(role, None | Some(Role::Text))) else { continue };
        note_stray_paths(
            judge,
            vec![place],
            text.split_once('=').filter(|_| text.starts_with('-')).map_or(text, |(_, value)| value),
        );
    }
}

/// Whether an interpreter runs the operand at `index`: its script, and all of them where an option without a value says so
/// (`node --test`).
fn runs_operand(form: &CommandForm, scan: &Scan<'_>, index: usize) -> bool {
    let script = |program: &&InterpreterSpec| program.operands == InterpreterSpec::SCRIPT;
    let Some(program) = form.program.as_ref().filter(script).filter(|_| form.language == Language::Code)
    else {
        return false;
    };
    let mut inline = scan.options.iter().filter(|found| program.inline.contains(found.name)).peekable();
    if inline.peek().is_none() { index == 0 } else { inline.all(|found| found.value.is_none()) }
}

/// Whether a word is a module's name, and the folder has none that begins so.
fn is_elsewhere(command: &Command<'_>, text: &str) -> bool {
    let package = text.split('.').next().unwrap_or_default();
    let name = !text.contains('/') && !text.ends_with(".py");
    let here = |cwd| PathAccess::is_at(cwd, package) || PathAccess::is_at(cwd, &format!("{package}.py"));
    name && !command.made && !command.cwd.is_some_and(here)
}

/// Notes the paths that a value is or holds: `html:/x`, `a,/x`, `out=/x`.
pub(super) fn note_stray_paths(judge: &mut CommandAnalyzer<'_>, named: Vec<usize>, value: &str) {
    if value.contains("://") || matches!(value, "/dev/null" | "/dev/stdout" | "/dev/stderr") {
        return;
    }
    let parts = value.split(['=', ',', ':', ' ']);
    for part in std::iter::once(value).chain(parts) {
        let path = part.contains('/') || part.starts_with('.') && part.len() > 1;
        let stray = StrayPath { named: named.clone(), path: part.to_owned() };
        if path && judge.known.strays.len() < MOST && !judge.known.strays.contains(&stray) {
            judge.known.strays.push(stray);
        }
    }
}
