//! Variables that a shell takes for numbers (D2.18). What one holds is evaluated then, with the commands that a subscript in it
//! substitutes: `x=$(cat f); echo $((x))` runs what `f` says. A value that comes from elsewhere is code.

use super::Walker;
use crate::shell::program::InnerCommand;
use crate::shell::{Caveat, CaveatSubject, Word, variables};

/// The positional parameters, whichever it is, and the one before the first.
const POSITIONAL: &str = "@";
const ZEROTH: &str = "0";

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

    /// The same of what a program gives a line as its arguments: `bash -c 'echo $(($1))' NAME WORD`. `reads`: the line comes by
    /// the program's input.
    pub(super) fn note_line_arguments(&mut self, words: &[Word], inner: &[InnerCommand], reads: bool) {
        let lines = inner.iter().filter_map(|inner| match inner {
            InnerCommand::Line(Word::Literal(line)) => Some(line.as_str()),
            _ => None,
        });
        for line in lines {
            // Where the line is part of a word, all others count.
            let place = words.iter().rposition(|word| word.literal() == Some(line));
            let behind = words.get(place.unwrap_or(0) + 1..).unwrap_or_default();
            let zeroth = if place.is_some() { behind.get(..1).unwrap_or_default() } else { behind };
            self.note_arguments(zeroth, ZEROTH);
            self.note_arguments(behind.get(usize::from(place.is_some())..).unwrap_or_default(), POSITIONAL);
        }
        if reads {
            self.note_arguments(words.get(1..).unwrap_or_default(), POSITIONAL);
        }
    }

    fn note_arguments(&mut self, words: &[Word], parameter: &str) {
        let given = |word: &Word| !variables::is_number(word) && word.literal() != Some("--");
        if words.iter().any(given) {
            self.out.given.insert(parameter.to_owned());
        }
    }

    /// Keeps in mind which variables `text` speaks of, which the shell evaluates.
    pub(in crate::shell) fn note_evaluated_names(&mut self, text: &str) {
        let text = without_substitutions(text);
        for (at, _) in text.match_indices('$') {
            let behind = text.get(at + 1..).unwrap_or_default();
            let behind = match behind.strip_prefix('{') {
                // Flags, and what changes how it is expanded, but not its length.
                Some(inside) => inside.trim_start_matches(['!', '=', '~', '^']),
                None => behind,
            };
            let behind = match behind.strip_prefix('(') {
                Some(flags) => flags.split_once(')').map_or(flags, |(_, behind)| behind),
                None => behind,
            };
            let number = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
            let parameter = match behind.get(..number).unwrap_or_default() {
                "" if behind.starts_with(['@', '*', '!', '=', '~', '^']) => POSITIONAL,
                "" => continue,
                "0" => ZEROTH,
                _ => POSITIONAL,
            };
            self.out.evaluated.insert(parameter.to_owned());
        }
        let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        for name in names.filter(|name| variables::is_name(name)) {
            // zsh's other name of them.
            if name == "argv" {
                self.out.evaluated.insert(POSITIONAL.to_owned());
            }
            self.out.evaluated.insert(name.to_owned());
        }
    }

    /// Asks about a line that evaluates what it gives a variable from elsewhere, in whichever order they stand: loops go round.
    pub(super) fn settle_evaluated_names(&mut self) {
        let holds = |name: &&String| {
            self.out.given.contains(*name) || *name != "argv" && variables::holds_text_of_the_shell(name)
        };
        let Some(name) = self.out.evaluated.iter().filter(holds).min() else { return };
        let of = match name.as_str() {
            POSITIONAL | ZEROTH => "its positional parameters".to_owned(),
            name => format!("the variable {name}"),
        };
        let reason = format!("the shell evaluates what {of} may hold, which commands may stand in");
        let caveat = Caveat { reason, always: true, named: CaveatSubject::Nothing };
        if let Some(shell) = self.any_shell_access() {
            shell.caveats.push(caveat);
            shell.reader = false;
        }
    }
}

/// A text that is evaluated, without the commands in it, whose output is looked at as what it is: none of their words is a name
/// of a variable. One in which quotes could hide where a command ends stays whole.
fn without_substitutions(text: &str) -> std::borrow::Cow<'_, str> {
    let mut left = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("$(") {
        let mut depth = 1;
        let end = behind.find(|c| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        let inside = end.and_then(|end| behind.get(..end));
        let hides =
            |inside: &str| inside.contains(['\'', '"', '\\', '#', '`', '\n']) || inside.contains("<<");
        match inside.filter(|inside| !inside.starts_with('(') && !hides(inside)) {
            Some(inside) => {
                left.push_str(before);
                left.push(' ');
                rest = behind.get(inside.len() + 1..).unwrap_or_default();
            }
            None => {
                left.push_str(before);
                left.push_str("$(");
                rest = behind;
            }
        }
    }
    if left.is_empty() {
        return text.into();
    }
    left.push_str(rest);
    left.into()
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
    fn given_a_command_in_what_is_evaluated_then_its_words_are_no_names_unless_quotes_could_hide_its_end() {
        let left = |text: &str| without_substitutions(text).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(left("$(git log --format=%h | wc -l) + x"), "+ x");
        assert_eq!(left("$(wc -l < $(ls f)) + y"), "+ y");
        for whole in
            ["$((x + 1))", "$(echo \"(\" >&2; echo 1)+x)", "$(echo \\( )+x)", "$(cat <<E\n(\nE\n)+x)", "$(x"]
        {
            assert_eq!(without_substitutions(whole), whole);
        }
    }

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
