//! Variables that a wrapper sets for its command (`env A=1 make`): judged as the shell's own are.

use super::judge::Judge;
use super::table::Table;
use crate::call::shell::{Caveat, Named, Reach, Use, Word};

/// `NAME=value` at `place`, before the command of a wrapper.
pub(super) fn assigned(judge: &mut Judge<'_>, name: &str, word: &Word, place: usize) {
    judge.reader = false;
    judge.places.word(word, Use::Either, Reach::Itself);
    let table = Table::get();
    if table.inert.iter().any(|inert| inert == name) && word.literal().is_some() {
        return;
    }
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let family = |of: &String| match of.strip_suffix('*') {
        Some(family) => name.starts_with(family),
        None => of == name,
    };
    if !plain || table.rebinding.iter().any(family) {
        let reason = format!("the variable {name} changes what later words run");
        judge.add(Caveat { reason, always: true, named: Named::Nothing });
    } else {
        judge.caveat(&format!("the variable {name} is set for the command"), vec![place]);
    }
}
