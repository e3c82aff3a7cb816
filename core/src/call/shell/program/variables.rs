//! Variables that a wrapper sets for its command (`env A=1 make`): judged as the shell's own are.

use super::judge::Judge;
use crate::call::shell::variables::{self, Kind};
use crate::call::shell::{Caveat, Named, Reach, Use, Word};

/// `NAME=value` at `place`, before the command of a wrapper.
pub(super) fn assigned(judge: &mut Judge<'_>, name: &str, word: &Word, place: usize) {
    judge.reader = false;
    judge.places.word(word, Use::Either, Reach::Itself);
    let value = word.literal().and_then(|text| text.split_once('=')).map(|(_, value)| Word::from(value));
    if value.is_some_and(|value| variables::is_inert(name, &value)) {
        return;
    }
    if variables::kind(name) == Kind::Rebinding {
        let reason = format!("the variable {name} changes what later words run");
        judge.add(Caveat { reason, always: true, named: Named::Nothing });
    } else {
        judge.caveat(&format!("the variable {name} is set for the command"), vec![place]);
    }
}
