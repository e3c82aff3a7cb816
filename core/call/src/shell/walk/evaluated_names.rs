//! Variables that a shell takes for numbers (D2.18). What one holds is evaluated then, with the commands that a subscript in it
//! substitutes: `x=$(cat f); echo $((x))` runs what `f` says. A value that comes from elsewhere is code.

use super::Walker;
use crate::shell::{Caveat, CaveatSubject, Word, variables};

/// The positional parameters, whichever it is.
const POSITIONAL: &str = "@";

impl Walker<'_> {
    /// Keeps in mind that a variable is given this.
    pub(super) fn note_given_value(&mut self, name: &str, value: &Word) {
        if !variables::is_number(value) && !is_arithmetic(value) {
            self.out.given.insert(name.to_owned());
        }
    }

    /// The same of a command that sets variables: any word of it may name one.
    pub(super) fn note_given_words(&mut self, words: &[Word]) {
        let Some(name) = words.first().and_then(Word::literal) else { return };
        let into = || words.iter().any(|word| word.known_prefix().starts_with("-v"));
        match name {
            "printf" | "print" if !into() => {}
            "read" | "mapfile" | "readarray" | "getopts" | "vared" | "printf" | "print" | "declare"
            | "typeset" | "local" | "export" | "readonly" => {
                self.out.given.extend(["REPLY", "MAPFILE", "reply"].map(str::to_owned));
                for word in words.iter().skip(1) {
                    let (target, value) = match word.known_prefix().split_once('=') {
                        Some((target, value)) => (target, value),
                        None => (word.known_prefix(), "?"),
                    };
                    let target = target.trim_end_matches('+').split('[').next().unwrap_or_default();
                    let target = target.trim_start_matches('-');
                    let number = word.literal().is_some() && variables::is_number(&Word::from(value));
                    if variables::is_name(target) && !number {
                        self.out.given.insert(target.to_owned());
                    }
                }
            }
            _ => {
                let positional = name == "set" || self.is_function(Some(name));
                if positional && words.iter().skip(1).any(|word| !variables::is_number(word)) {
                    self.out.given.insert(POSITIONAL.to_owned());
                }
            }
        }
    }

    /// Keeps in mind which variables `text` speaks of, which the shell evaluates.
    pub(in crate::shell) fn note_evaluated_names(&mut self, text: &str) {
        let positional = |(at, _): (usize, &str)| {
            let behind = text.get(at + 1..).unwrap_or_default().trim_start_matches('{');
            behind.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '@' | '*'))
        };
        if text.match_indices('$').any(positional) {
            self.out.evaluated.insert(POSITIONAL.to_owned());
        }
        let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        self.out.evaluated.extend(names.filter(|name| variables::is_name(name)).map(str::to_owned));
    }

    /// Asks about a line that evaluates what it gives a variable from elsewhere, in whichever order they stand: loops go round.
    pub(super) fn settle_evaluated_names(&mut self) {
        let mut both: Vec<&String> = self.out.evaluated.intersection(&self.out.given).collect();
        both.sort_unstable();
        let Some(name) = both.first() else { return };
        let of = if *name == POSITIONAL {
            "its positional parameters".to_owned()
        } else {
            format!("the variable {name}")
        };
        let reason = format!("the shell evaluates what {of} may hold, which commands may stand in");
        let caveat = Caveat { reason, always: true, named: CaveatSubject::Nothing };
        if let Some(shell) = self.any_shell_access() {
            shell.caveats.push(caveat);
            shell.reader = false;
        }
    }
}

/// Whether a value is the result of arithmetic.
fn is_arithmetic(value: &Word) -> bool {
    let text = value.text();
    let text = text.trim_matches('"');
    text.strip_prefix("$((")
        .and_then(|rest| rest.strip_suffix("))"))
        .is_some_and(|inside| !inside.contains(['(', ')']))
}

/// Whether a word that the shell evaluates is what a command prints.
pub(in crate::shell) fn holds_printed(word: &Word) -> bool {
    let Word::Open(open) = word else { return false };
    let text = open.text.replace("$((", "");
    text.contains("$(") || text.contains('`') || text.contains("<(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_value_then_only_the_result_of_arithmetic_is_a_number_for_certain() {
        let open =
            |text: &str| Word::Open(crate::shell::OpenWord { text: text.to_owned(), ..Default::default() });
        assert!(is_arithmetic(&open("$((i+1))")) && is_arithmetic(&open("\"$((i * 2))\"")));
        assert!(!is_arithmetic(&open("$((i))$(cat f)))")) && !is_arithmetic(&open("$((1)) $((2))")));
        assert!(
            holds_printed(&open("$(cat f)"))
                && holds_printed(&open("a`cat f`"))
                && !holds_printed(&open("$((i))$x"))
        );
    }
}
