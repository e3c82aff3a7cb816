//! Folders that something is put into: archives taken apart, folders of this machine in a container.

use std::path::Path;

use super::analyzer::CommandAnalyzer;
use super::form::{CommandForm, OptionMeaning};
use super::scan::{FoundOption, Scan};
use super::table::SpecialCase;
use crate::WriteKind;
use crate::shell::{OpenWord, Reach, Use, Word};

const WRITE: Use = Use::Write(WriteKind::Write);
/// The name that stands for those of files that are put into a folder.
const ANY_FILE: &str = "any-file";

/// A folder that an option names, and that the program writes in.
pub(super) fn write_into_folder(judge: &mut CommandAnalyzer<'_>, found: &FoundOption<'_>) {
    let Some(value) = &found.value else { return };
    match (value.text, judge.words.get(value.place)) {
        (Some(text), _) => {
            judge.places.add_path(text, WRITE, Reach::Itself);
            fill_folder(judge, text, true);
        }
        (None, Some(Word::Open(open))) => {
            judge.places.add_open_word(open, WRITE, Reach::Itself);
            write_below_folder(judge, open, &[]);
        }
        _ => {}
    }
}

/// A folder gets files of names that are not known: one stands for all of them.
pub(super) fn fill_folder(judge: &mut CommandAnalyzer<'_>, folder: &str, deep: bool) {
    fill_folder_with(judge, folder, ANY_FILE, deep);
}

/// The same, where a file is known that stands for them. Of some hidden folders only what lies deeper is run later
/// (`.github/hooks`), where what is put there may have folders of its own (`deep`).
pub(super) fn fill_folder_with(judge: &mut CommandAnalyzer<'_>, folder: &str, own: &str, deep: bool) {
    let bare = folder.trim_end_matches('/');
    let bare = bare.strip_suffix("/.").unwrap_or(bare);
    if matches!(bare, "" | ".") || folder.starts_with('-') {
        return;
    }
    judge.places.add_path(&format!("{bare}/{own}"), WRITE, Reach::Itself);
    let hidden = bare.rsplit('/').next().is_some_and(|name| name.starts_with('.') && name != "..");
    if deep && hidden {
        judge.places.add_path(&format!("{bare}/hooks/{ANY_FILE}"), WRITE, Reach::Itself);
    }
}

/// The same of the folder at hand, where that is a hidden one: `cd .git && unzip a`.
pub(super) fn fill_hidden_folder(judge: &mut CommandAnalyzer<'_>) {
    let hidden =
        |cwd: &Path| cwd.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with('.'));
    if judge.command.cwd.is_some_and(hidden) {
        for name in [ANY_FILE.to_owned(), format!("hooks/{ANY_FILE}")] {
            judge.places.add_path(&name, WRITE, Reach::Itself);
        }
    }
}

/// What is written in a folder that is not known: files of the names that `sources` have. Without any, and
/// below what is copied as a whole, they are not known either.
pub(super) fn write_below_folder(judge: &mut CommandAnalyzer<'_>, folder: &OpenWord, sources: &[&Word]) {
    let whole: Vec<Option<String>> = sources
        .iter()
        .map(|word| Some(Path::new(word.literal()?).file_name()?.to_str()?.to_owned()))
        .collect();
    let names = if whole.is_empty() { vec![None] } else { whole };
    for name in names {
        let mut pieces = folder.pieces.clone();
        let slash = match pieces.last() {
            Some(Some(last)) if last.ends_with('/') => "",
            _ => "/",
        };
        // A glob in the folder's name reaches over no slash, what lies below may have some.
        let glob = folder.glob && name.is_some();
        match name {
            Some(name) => pieces.push(Some(format!("{slash}{name}"))),
            None => pieces.extend([Some(slash.to_owned()), None]),
        }
        judge.places.add_open_word(&OpenWord { pieces, glob, ..folder.clone() }, WRITE, Reach::Itself);
    }
}

/// Whether what is taken apart is written, and not only listed.
pub(super) fn is_unpacking(form: &CommandForm, scan: &Scan<'_>) -> bool {
    let takes = |found: &FoundOption<'_>| matches!(found.name, "-x" | "--extract" | "--get" | "-i" | "-p");
    match form.special {
        Some(SpecialCase::Tar) => scan.options.iter().any(takes),
        _ => form.reader_with.is_empty() || !scan.has_reading_options(form),
    }
}

/// A member of an archive: written by its name, below the folder that an option names.
pub(super) fn write_member(
    judge: &mut CommandAnalyzer<'_>,
    form: &CommandForm,
    scan: &Scan<'_>,
    word: &Word,
) {
    if !is_unpacking(form, scan) {
        return;
    }
    let into = |found: &&FoundOption<'_>| {
        matches!(found.known.meaning, OptionMeaning::Into | OptionMeaning::Elsewhere)
    };
    let folder = scan.options.iter().rfind(into).and_then(|found| found.value.as_ref()?.text).unwrap_or(".");
    match word {
        Word::Literal(name) => judge.places.add_path(&format!("{folder}/{name}"), WRITE, Reach::Itself),
        Word::Open(open) => {
            let mut pieces = open.pieces.clone();
            match pieces.first_mut() {
                Some(Some(first)) => *first = format!("{folder}/{first}"),
                _ => pieces.insert(0, Some(format!("{folder}/"))),
            }
            judge.places.add_open_word(&OpenWord { pieces, ..open.clone() }, WRITE, Reach::Itself);
        }
    }
}

/// `docker run -v FOLDER:/x`, `--mount type=bind,src=FOLDER,dst=/x`: what runs there may write it.
pub(super) fn add_mounts(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    for found in &scan.options {
        if found.name == "--entrypoint"
            && let (Some(program), Some(rest)) =
                (found.value.as_ref().and_then(|value| value.text), scan.rest)
        {
            let rest = judge.words.get(rest..).unwrap_or_default();
            judge.known.also.push(std::iter::once(Word::from(program)).chain(rest.iter().cloned()).collect());
        }
        // It runs in the container, from time to time.
        if found.name == "--health-cmd"
            && let Some(value) = &found.value
            && let Some(word) = value.text.map(Word::from).or_else(|| judge.words.get(value.place).cloned())
        {
            judge.add_possible_line(&word);
        }
        let volume = matches!(found.name, "-v" | "--volume");
        if !volume && found.name != "--mount" {
            continue;
        }
        let Some(value) = &found.value else { continue };
        let Some(text) = value.text else {
            if let Some(Word::Open(open)) = judge.words.get(value.place) {
                judge.places.add_open_word(open, WRITE, Reach::Itself);
            }
            continue;
        };
        let parts: Vec<&str> = text.split(if volume { ':' } else { ',' }).collect();
        let (folder, options) = match volume {
            true => (parts.first().copied(), parts.get(2).copied().unwrap_or_default()),
            false => {
                let source = parts
                    .iter()
                    .find_map(|part| part.strip_prefix("src=").or_else(|| part.strip_prefix("source=")));
                (source, text)
            }
        };
        // Without a slash it is the name of a volume.
        let Some(folder) = folder.filter(|folder| folder.contains('/') || folder.starts_with(['.', '~']))
        else {
            continue;
        };
        let only_read =
            options.split(',').any(|option| matches!(option, "ro" | "readonly" | "readonly=true"));
        judge.places.add_path(folder, if only_read { Use::Read } else { WRITE }, Reach::Itself);
    }
}
