//! What a program is told to make: `make test deploy` makes `deploy` as `make deploy` does.

use super::form::CommandForm;
use super::operand_roles::Role;
use super::scan::scan_words;
use crate::shell::{OpenWord, Word};

/// As many of them are told apart.
const MOST: usize = 64;

/// The command with each thing that it makes in front of all others, and alone; none if there is one at most. Variables and
/// options stay behind it.
pub(super) fn by_each_goal(form: &CommandForm, words: &[Word]) -> Vec<Vec<Word>> {
    let scan = scan_words(form, words, 1, None);
    let count = scan.operands.len();
    let is_goal = |index| form.operands.as_ref().and_then(|of| of.role_at(index, count)) == Some(Role::Goal);
    let places = scan.operands.iter().enumerate().filter(|(index, _)| is_goal(*index)).map(|(_, at)| *at);
    let goals: Vec<usize> =
        places.filter(|at| words.get(*at).is_some_and(|word| !sets_variable(word))).collect();
    if goals.len() < 2 && goals.first().is_none_or(|at| *at == 1) {
        return Vec::new();
    }
    let program = || words.first().cloned();
    let mut found = Vec::new();
    for at in goals.iter().take(MOST) {
        let goal = words.get(*at).cloned();
        let others = words.iter().enumerate().skip(1).filter(|(other, _)| other != at).map(|(_, word)| word);
        let whole: Vec<Word> = program().into_iter().chain(goal.clone()).chain(others.cloned()).collect();
        if whole.len() > 2 {
            found.push(program().into_iter().chain(goal).collect());
        }
        found.push(whole);
    }
    // Of more it is not known which they are.
    if goals.len() > MOST {
        let any = OpenWord { text: "…".to_owned(), pieces: vec![None], ..OpenWord::default() };
        found.push(program().into_iter().chain([Word::Open(any)]).collect());
    }
    found
}

/// `NAME=value`
fn sets_variable(word: &Word) -> bool {
    match word {
        Word::Literal(text) => text.contains('='),
        Word::Open(open) => {
            open.pieces.first().is_some_and(|first| first.as_ref().is_some_and(|text| text.contains('=')))
        }
    }
}
