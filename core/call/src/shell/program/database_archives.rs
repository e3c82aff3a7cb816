//! A database that is an archive of files: `sqlite3 x -Ac .`, `sqlite3 x '.archive -x'`.

use super::analyzer::CommandAnalyzer;
use super::name::base_name;
use crate::WriteKind;
use crate::shell::{Reach, Use, Word};

/// Notes what is put into such an archive as read, and the folder at hand as filled where one is taken apart.
pub(super) fn add_database_archive(judge: &mut CommandAnalyzer<'_>) {
    let is_program = |word: &Word| word.literal().is_some_and(|text| base_name(text) == "sqlite3");
    let Some(at) = judge.words.iter().position(is_program) else { return };
    let behind = judge.words.get(at + 1..).unwrap_or_default();
    for (place, word) in behind.iter().enumerate() {
        let Some(text) = word.literal() else { continue };
        let bare = text.strip_prefix("--").or_else(|| text.strip_prefix('-'));
        if let Some(letters) = bare.and_then(|bare| bare.strip_prefix('A')) {
            let rest = behind.get(place + 1..).unwrap_or_default().to_vec();
            let first = (!letters.is_empty()).then(|| Word::from(letters));
            add_parts(judge, &first.into_iter().chain(rest).collect::<Vec<_>>());
        }
        for line in text.lines().map(str::trim_start).filter(|line| line.starts_with(".ar")) {
            let words =
                line.split_whitespace().skip(1).map(|part| Word::from(part.trim_matches(['"', '\''])));
            add_parts(judge, &words.collect::<Vec<_>>());
        }
    }
}

/// What it is told: letters, with a dash before or without in the first word, and the names of files.
fn add_parts(judge: &mut CommandAnalyzer<'_>, words: &[Word]) {
    let mut takes_apart = false;
    let mut puts_in = false;
    for (place, word) in words.iter().enumerate() {
        let text = word.known_prefix();
        let letters = match text.strip_prefix("--") {
            Some(long) => long.get(..1).unwrap_or("x"),
            None if place == 0 || text.starts_with('-') => text,
            None => continue,
        };
        takes_apart |= letters.contains('x') || letters.starts_with('e');
        puts_in |= letters.contains(['c', 'u', 'i']);
    }
    if takes_apart {
        judge.places.add_path(".", Use::Write(WriteKind::Write), Reach::Somewhere);
    }
    for word in words.iter().filter(|_| puts_in) {
        judge.places.add_word(word, Use::Read, Reach::All);
    }
}
