//! Other names of sub-commands: `docker container rm` is `docker rm`, `helm delete` is `helm uninstall`.

use super::name;
use super::scan::scan_words;
use super::table::{ProgramEntry, ProgramTable};
use crate::shell::Word;

/// As many names of one command are offered.
const MOST: usize = 32;
/// A sub-command's name has no more parts.
const DEEPEST: usize = 4;

/// The same command by all other names of its sub-commands, and by those that these have in turn.
pub(super) fn by_other_names<'w>(spellings: impl Iterator<Item = &'w [Word]>) -> Vec<Vec<Word>> {
    let mut all: Vec<Vec<Word>> = spellings.map(<[Word]>::to_vec).collect();
    let (given, mut at) = (all.len(), 0);
    while let Some(words) = all.get(at) {
        for other in other_names(words) {
            if all.len() < given + MOST && !all.contains(&other) {
                all.push(other);
            }
        }
        at += 1;
    }
    all.split_off(given)
}

/// A program or sub-command that stands for a part of the words, and how many words lead to it.
struct Level {
    entry: &'static ProgramEntry,
    kept: usize,
}

/// The command with another name in place of one of its parts.
fn other_names(words: &[Word]) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    let Some(first) = words.first().and_then(Word::literal) else { return found };
    let Some(program) = ProgramTable::get().find_program(name::base_name(first)) else { return found };
    if !program.names_subs() {
        return found;
    }
    // The names without the options between them, and those that have sub-commands.
    let mut kept: Vec<&Word> = words.first().into_iter().collect();
    let mut levels = vec![Level { entry: program, kept: 1 }];
    let (mut here, mut from) = (Some(program), 1);
    while kept.len() <= DEEPEST {
        let rest = match here {
            Some(entry) => scan_words(entry.form(), words, from, Some(0)).rest,
            None => Some(from),
        };
        let Some((rest, word)) = rest.and_then(|rest| Some((rest, words.get(rest)?))) else { break };
        let Some(name) = word.literal() else { break };
        // `+nightly`
        if name.starts_with('+') && kept.len() == 1 && from == 1 {
            from = rest + 1;
            continue;
        }
        kept.push(word);
        let behind = words.get(rest + 1..).unwrap_or_default();
        let mut goes_on = false;
        for level in &levels {
            let path = kept.get(level.kept..).unwrap_or_default().iter().filter_map(|word| word.literal());
            let path = path.collect::<Vec<_>>().join("/");
            for full in level.entry.full_names(&path) {
                let before = kept.get(..level.kept).unwrap_or_default().iter().copied().cloned();
                found.push(
                    before.chain(full.split('/').map(Word::from)).chain(behind.iter().cloned()).collect(),
                );
            }
            if level.entry.leaves_out(&path) {
                let before = kept.get(..level.kept).unwrap_or_default().iter().copied();
                found.push(before.chain(behind).cloned().collect());
            }
            goes_on |= level.entry.begins_name(&path);
        }
        here = here.and_then(|entry| entry.sub_command(name));
        match here {
            Some(entry) => levels.push(Level { entry, kept: kept.len() }),
            None if goes_on => {}
            None => break,
        }
        from = rest + 1;
    }
    found
}
