//! Files that a program makes beside those that it is told to write, with more behind their names: copies of what was there
//! (`cp -b -S .bak new old`, `sed -i.bak`), packed files, and parts (`split big part-`).

use super::analyzer::CommandAnalyzer;
use super::embedded_paths::Language;
use super::form::CommandForm;
use super::scan::{FoundOption, Scan};
use super::table::SpecialCase;
use crate::WriteKind;
use crate::shell::{OpenPath, OpenWord, Reach, TouchedPath, Use, Word};

const WRITE: Use = Use::Write(WriteKind::Write);

/// Options with what stands before the name of a copy, and those with what stands before its last part.
const BEGINNINGS: &[&str] = &["-B", "--prefix"];
const BASE_BEGINNINGS: &[&str] = &["-Y", "--basename-prefix"];

/// What stands behind the name of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NameEnd {
    Known(String),
    /// An expansion.
    Unknown,
}

/// Notes the copies that the command keeps of what it writes anew. Every file that it writes may be there already.
pub(super) fn add_backups(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    add_editor_copies(judge, form);
    let awk = if form.special == Some(SpecialCase::Awk) { awk_ends(judge, scan) } else { Vec::new() };
    if form.backups.is_empty() && awk.is_empty() {
        return;
    }
    add_packed_name(judge, form, scan);
    let of_copies = scan.options.iter().filter(|found| form.backups.contains(found.name));
    let (begins, ends): (Vec<_>, Vec<_>) =
        of_copies.partition(|found| BEGINNINGS.iter().chain(BASE_BEGINNINGS).any(|name| *name == found.name));
    let mut ends: Vec<NameEnd> = ends.into_iter().flat_map(name_ends).collect();
    ends.extend(awk);
    if ends.is_empty() && begins.is_empty() {
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
    for begin in begins {
        files.iter().for_each(|file| add_begun_backup(judge, file, begin, &ends));
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

/// A copy with this before its name, `-B BEGIN`, or before its last part, `-Y BEGIN`.
fn add_begun_backup(
    judge: &mut CommandAnalyzer<'_>,
    file: &WrittenFile,
    begin: &FoundOption<'_>,
    ends: &[NameEnd],
) {
    let value = begin.value.as_ref();
    let name = if let WrittenFile::Known(name) = file { name.as_str() } else { "" };
    let (folder, base) = match name.rsplit_once('/') {
        Some((folder, base)) if BASE_BEGINNINGS.contains(&begin.name) => (format!("{folder}/"), base),
        _ => (String::new(), name),
    };
    let known = value.and_then(|value| value.text).map(|text| format!("{folder}{text}"));
    let (Some(known), WrittenFile::Known(_)) = (&known, file) else {
        let pieces = vec![known, None];
        let text = value.and_then(|value| judge.words.get(value.place)).map(Word::text).unwrap_or_default();
        return judge.places.add_open_word(
            &OpenWord { text, pieces, ..OpenWord::default() },
            WRITE,
            Reach::Itself,
        );
    };
    judge.places.add_path(&format!("{known}{base}"), WRITE, Reach::Itself);
    for end in ends {
        add_backup(judge, &WrittenFile::Known(format!("{known}{base}")), end);
    }
}

/// What gawk's `inplace` puts behind the name of a copy, by an assignment among its words or in its program.
fn awk_ends(judge: &CommandAnalyzer<'_>, scan: &Scan<'_>) -> Vec<NameEnd> {
    let names = ["inplace::suffix", "INPLACE_SUFFIX"];
    let operands = scan.operands.iter().filter_map(|place| judge.words.get(*place));
    let values = scan.options.iter().filter_map(|found| {
        let value = found.value.as_ref()?;
        value.text.map(Word::from).or_else(|| judge.words.get(value.place).cloned())
    });
    let end = |word: Word| match &word {
        Word::Literal(text) => match text.split_once('=') {
            Some((name, end)) if names.contains(&name.trim()) => Some(NameEnd::Known(end.to_owned())),
            // The program says it.
            _ => names.iter().any(|name| text.contains(name)).then_some(NameEnd::Unknown),
        },
        Word::Open(open) => {
            let said = |text: &String| names.iter().any(|name| text.contains(name));
            open.pieces.iter().flatten().any(said).then_some(NameEnd::Unknown)
        }
    };
    operands.cloned().chain(values).filter_map(end).collect()
}

/// Asks where a command of vi's sets what a copy of a file is called: it is any name then.
fn add_editor_copies(judge: &mut CommandAnalyzer<'_>, form: &CommandForm) {
    const SETTINGS: &[&str] = &["backupext", "bex", "patchmode", "pm"];
    if form.language != Language::Commands || !form.runs_input {
        return;
    }
    let sets = |text: &str| {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
        text.contains(['=', ':']) && words.any(|word| SETTINGS.contains(&word))
    };
    let told = judge.words.iter().skip(1).any(|word| match word {
        Word::Literal(text) => sets(text),
        Word::Open(open) => open.pieces.iter().flatten().any(|piece| sets(piece)),
    });
    if told {
        judge.add_always_caveat("it is told what the copies of files are called");
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
    let begins: Vec<_> = named.chain(operand.map(|word| Some(word.clone()))).collect();
    if begins.is_empty() {
        // `xaa` of the one, `xx00` of the other.
        add_begun_name(judge, "x", end);
    }
    for begin in begins {
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
