//! Modules of Python's own library that only read what they are given: `python3 -m json.tool x.json`.
//!
//! Python looks for all that they need in the working folder first, so no file there may have the name of a module.

use std::path::Path;

use super::analyzer::CommandAnalyzer;
use super::form::OptionMeaning;
use super::scan::Scan;
use super::table::NameLists;
use crate::LookupBudget;
use crate::shell::{Reach, Use, Word};

/// A module, what it may be told, and the options of these that take the next word.
const MODULES: &[(&str, &[&str], &[&str])] = &[
    (
        "json.tool",
        &["--sort-keys", "--no-ensure-ascii", "--json-lines", "--tab", "--no-indent", "--compact"],
        &["--indent"],
    ),
    ("platform", &[], &[]),
    ("sysconfig", &[], &[]),
    ("tabnanny", &["-v"], &[]),
    ("tokenize", &["-e"], &[]),
];

/// The files that a command reads which runs a module that does no more, and writes nothing: one, or none where it reads its
/// input. None if it may do anything else.
pub(super) fn files_read_by_module(judge: &CommandAnalyzer<'_>, scan: &Scan<'_>) -> Option<Vec<String>> {
    let module = scan.options.iter().find(|found| found.name == "-m")?.value.as_ref()?;
    let (_, flags, valued) = MODULES.iter().find(|(name, ..)| Some(*name) == module.text)?;
    let words: Vec<&str> = judge.words.iter().map(Word::literal).collect::<Option<_>>()?;
    // Options of Python itself stand before it.
    let mut own = scan.options.iter().filter(|found| found.place <= module.place);
    let plain = own.all(|found| {
        let known = matches!(found.name, "-m" | "-I" | "-u" | "-B" | "-E" | "-s" | "-S");
        known && found.known.meaning == OptionMeaning::Harmless
    });
    let before = words.get(1..module.place)?;
    if !plain || !before.iter().all(|word| word.starts_with('-')) {
        return None;
    }
    let mut files = Vec::new();
    let mut rest = words.get(module.place + 1..)?.iter();
    while let Some(word) = rest.next() {
        match *word {
            word if flags.contains(&word) => {}
            word if valued.contains(&word) => drop(rest.next()?),
            word if word.starts_with('-') => return None,
            word => files.push(word.to_owned()),
        }
    }
    let isolated = before.contains(&"-I");
    let there = judge.command.cwd.filter(|_| !judge.command.made);
    // A second one is written.
    let sound = files.len() <= 1
        && (isolated || !there.is_none_or(|folder| is_shadowed(folder, judge.command.looked.brief_budget())));
    sound.then_some(files)
}

/// Has a command that only reads count as a reader.
pub(super) fn settle_as_reader(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    let Some(files) = files_read_by_module(judge, scan) else { return };
    for file in files {
        judge.places.add_path(&file, Use::Read, Reach::Itself);
    }
    judge.reader = judge.command.cwd.is_some();
}

/// Whether a name in the folder could be taken for a module of the library.
fn is_shadowed(folder: &Path, mut budget: LookupBudget) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return true };
    for entry in entries.flatten() {
        if budget.spend_name().is_none() {
            return true;
        }
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let (stem, end) = name.split_once('.').unwrap_or((name.as_str(), ""));
        let module = ["py", "pyc", "pyo", "pyw", "so", "pyd", "dll", "zip"]
            .iter()
            .any(|kind| end == *kind || end.ends_with(&format!(".{kind}")));
        let package = end.is_empty() && !entry.file_type().is_ok_and(|kind| kind.is_file());
        if (module || package && holds_package(&entry.path())) && NameLists::get().is_python_module(stem) {
            return true;
        }
    }
    false
}

/// Whether a folder is a package, and not merely a folder.
fn holds_package(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return true };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().to_lowercase().starts_with("__init__."))
}
