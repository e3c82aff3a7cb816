//! Files that a program makes beside those that it is told to write, with more behind their names: copies of what was there
//! (`cp -b -S .bak new old`, `sed -i.bak`), packed files, and parts (`split big part-`).

use super::analyzer::CommandAnalyzer;
use super::form::CommandForm;
use super::scan::{FoundOption, Scan};
use crate::WriteKind;
use crate::shell::{OpenPath, OpenWord, Reach, TouchedPath, Use, Word};

const WRITE: Use = Use::Write(WriteKind::Write);

/// What stands behind the name of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NameEnd {
    Known(String),
    /// An expansion.
    Unknown,
}

/// Notes the copies that the command keeps of what it writes anew. Every file that it writes may be there already.
pub(super) fn add_backups(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    if form.backups.is_empty() {
        return;
    }
    add_packed_name(judge, form, scan);
    let ends: Vec<NameEnd> =
        scan.options.iter().filter(|found| form.backups.contains(found.name)).flat_map(name_ends).collect();
    if ends.is_empty() {
        return;
    }
    let named = judge.known.writes.iter().map(|(_, path)| WrittenFile::Known(path.clone()));
    let touched = judge.places.touches.iter().filter(|touch| matches!(touch.how, Use::Write(_)));
    let touched = touched.map(|touch| match &touch.path {
        TouchedPath::Known(path) => WrittenFile::Known(path.given.clone()),
        TouchedPath::Open(path) => WrittenFile::Open(path.clone()),
    });
    let files: Vec<WrittenFile> = named.chain(touched).collect();
    for end in &ends {
        files.iter().for_each(|file| add_backup(judge, file, end));
    }
}

/// A file that is written, as the line names it.
enum WrittenFile {
    Known(String),
    Open(OpenPath),
}

/// The ends of names that an option says; a word alone behind `--backup` says how they are counted.
fn name_ends(found: &FoundOption<'_>) -> Vec<NameEnd> {
    let counted = || ["~", ".~1~"].map(|end| NameEnd::Known(end.to_owned())).to_vec();
    match &found.value {
        _ if matches!(found.name, "-b" | "--backup") => counted(),
        None => Vec::new(),
        Some(value) => match value.text {
            Some("") => Vec::new(),
            Some(text) => vec![NameEnd::Known(text.to_owned())],
            None => vec![NameEnd::Unknown],
        },
    }
}

fn add_backup(judge: &mut CommandAnalyzer<'_>, file: &WrittenFile, end: &NameEnd) {
    let file = match file {
        WrittenFile::Known(name) => name.trim_end_matches('/'),
        WrittenFile::Open(path) => {
            let end = if let NameEnd::Known(end) = end { Some(end.clone()) } else { None };
            let pieces = path.pieces.iter().cloned().chain([end]).collect();
            let word =
                OpenWord { text: path.given.clone(), pieces, glob: path.stays_below, ..OpenWord::default() };
            return judge.places.add_open_word(&word, WRITE, Reach::Itself);
        }
    };
    match end {
        // To sed and perl, a star is the name itself.
        NameEnd::Known(end) if end.contains('*') => {
            let (folder, name) = file.rsplit_once('/').map_or(("", file), |(folder, name)| (folder, name));
            let copy = end.replace('*', name);
            let slash = if folder.is_empty() || copy.contains('/') { "" } else { "/" };
            let folder = if copy.contains('/') { "" } else { folder };
            judge.places.add_path(&format!("{folder}{slash}{copy}"), WRITE, Reach::Itself);
        }
        NameEnd::Known(end) => judge.places.add_path(&format!("{file}{end}"), WRITE, Reach::Itself),
        NameEnd::Unknown => add_begun_name(judge, file, None),
    }
}

/// Notes the parts that `split` and `csplit` write: each has more behind the name that is said.
pub(super) fn add_parts(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    let words = judge.words;
    let values = |names: &'static [&'static str]| {
        let found = scan.options.iter().filter(|found| names.contains(&found.name));
        found.filter_map(|found| found.value.as_ref()).map(|value| value.text).collect::<Vec<_>>()
    };
    let end = values(&["--additional-suffix"]).last().copied().flatten();
    let operand = scan.operands.get(1).and_then(|place| words.get(*place));
    let named = values(&["-f", "--prefix"]).into_iter().map(|text| text.map(Word::from));
    for begin in named.chain(operand.map(|word| Some(word.clone()))) {
        match begin {
            Some(Word::Literal(text)) => add_begun_name(judge, &text, end),
            Some(Word::Open(open)) => judge.places.add_open_word(&open, WRITE, Reach::Itself),
            None => judge.add_plain_caveat("it writes to a place that is not known", Vec::new()),
        }
    }
}

/// A file whose name begins so, and ends with `end` where that is known.
fn add_begun_name(judge: &mut CommandAnalyzer<'_>, begin: &str, end: Option<&str>) {
    let pieces =
        [Some(begin.to_owned()), None].into_iter().chain(end.map(|end| Some(end.to_owned()))).collect();
    let text = format!("{begin}*{}", end.unwrap_or_default());
    // What stands there holds no slash.
    judge.places.add_open_word(
        &OpenWord { text, pieces, glob: true, ..OpenWord::default() },
        WRITE,
        Reach::Itself,
    );
}

/// Whether a packed file says itself what the file in it is called (`gunzip -N`).
fn add_packed_name(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    let has = |names: &[&str]| names.iter().any(|name| scan.has_option(name));
    let unpacks = || {
        let program = judge.words.first().and_then(Word::literal).unwrap_or_default();
        program.rsplit('/').next().is_some_and(|name| name.contains("un")) || has(&["-d", "--decompress"])
    };
    if form.modes.contains("--decompress") && has(&["-N", "--name"]) && unpacks() {
        judge.add_always_caveat("the packed file says what the file that it writes is called");
    }
}
