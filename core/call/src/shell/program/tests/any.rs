//! Whatever the words are.

use proptest::prelude::*;

use super::super::table::ProgramTable;
use crate::shell::program::{Command, analyze_command};
use crate::shell::{CaveatSubject, OpenWord, Word};

fn word() -> impl Strategy<Value = Word> {
    let open = |text: String| {
        Word::Open(OpenWord {
            text: text.clone(),
            pieces: vec![Some(text), None],
            splits: true,
            ..OpenWord::default()
        })
    };
    let literal = prop_oneof![
        "-{0,2}[a-zA-Z]{0,6}(=[a-z/@.]{0,5})?",
        "[a-z/.@:=,{}+;!\\[\\]é\\\\$'\" ]{0,12}",
        "\\PC{0,8}",
        Just("--".to_owned()),
        Just("-c".to_owned()),
        Just("{}".to_owned()),
    ];
    (literal, 0..8).prop_map(move |(text, kind)| if kind == 0 { open(text) } else { Word::Literal(text) })
}

/// A program or sub-command of the table, and some of its options.
fn command() -> impl Strategy<Value = Vec<Word>> {
    let all: Vec<(&str, Vec<String>)> = ProgramTable::get()
        .all_programs()
        .map(|(name, program)| (name, program.form().options.keys().cloned().collect()))
        .collect();
    let name = proptest::sample::select(all);
    (name, proptest::collection::vec((word(), any::<proptest::sample::Index>(), any::<bool>()), 0..8))
        .prop_map(|((name, options), rest)| {
            let mut words: Vec<Word> = name.split(' ').map(Word::from).collect();
            words.extend(rest.into_iter().map(|(word, index, option)| match option && !options.is_empty() {
                true => Word::from(index.get(&options).as_str()),
                false => word,
            }));
            words
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// D2.28: A simple command that fits it entirely, with literal words: whatever it
    /// is, a reader runs nothing, writes nothing and has no caveat; and no place is beyond the words.
    #[test]
    fn given_any_command_then_what_is_known_about_it_is_sound(words in command(), fed: bool) {
        // Not the machine's own: what it has for links would count.
        let empty = tempfile::tempdir().unwrap();
        let known = analyze_command(&Command { words: &words, cwd: Some(empty.path()), looked: &crate::LineLookups::default(), repositories: &crate::shell::program::RepositoryLooks::default(), fed, piped: false, made: false, git_names: crate::shell::program::GitNames::AsTheyAre });
        prop_assert!(known.transparent <= words.len());
        for caveat in &known.caveats {
            if let CaveatSubject::Words(places) = &caveat.named {
                prop_assert!(!places.is_empty() && places.iter().all(|place| *place < words.len()), "{caveat:?}");
                prop_assert!(!caveat.always);
            }
        }
        let literal = words.iter().all(|word| word.literal().is_some());
        let harmless = known.caveats.is_empty() && known.inner.is_empty() && known.writes.is_empty();
        prop_assert!(!known.reader || harmless && literal);
        prop_assert!(known.touches.len() <= 256);
    }
}
