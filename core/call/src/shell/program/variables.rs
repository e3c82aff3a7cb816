//! Variables that a wrapper sets for its command (`env A=1 make`): judged as the shell's own are.

use super::analyzer::CommandAnalyzer;
use super::form::OptionMeaning;
use super::scan::FoundOption;
use crate::shell::variables::{self, VariableKind};
use crate::shell::{Caveat, CaveatSubject, Reach, Use, Word};

/// `NAME=value` at `place`, before the command of a wrapper.
pub(super) fn analyze_assignment(judge: &mut CommandAnalyzer<'_>, name: &str, word: &Word, place: usize) {
    judge.reader = false;
    judge.places.add_word(word, Use::Either, Reach::Itself);
    let value = word.literal().and_then(|text| text.split_once('=')).map(|(_, value)| Word::from(value));
    let text = value.as_ref().and_then(Word::literal).unwrap_or_default();
    if is_function(name, text) {
        return add_function_line(judge, name, text);
    }
    if value.as_ref().is_some_and(|value| variables::is_inert(name, value)) {
        return;
    }
    if variables::variable_kind(name) == VariableKind::Rebinding {
        add_rebinding_caveat(judge, name);
        // To a version of the wrapper that wants a name there, it is the command.
        if !is_plain(name) && word.literal().is_some() {
            judge.add_tails(std::iter::once(place));
        }
    } else {
        judge.add_plain_caveat(&format!("the variable {name} is set for the command"), vec![place]);
    }
}

/// An option that sets a variable: `systemd-run -E NAME=value`, `docker run -e NAME=value`.
pub(super) fn analyze_variable_option(judge: &mut CommandAnalyzer<'_>, found: &FoundOption<'_>) {
    let Some(value) = &found.value else { return };
    let word = judge.words.get(value.place);
    let text = value.text.or_else(|| word.map(Word::known_prefix)).unwrap_or_default();
    // The second of two values: `--setenv NAME VALUE`.
    if value.place == found.place + 2 {
        if is_function("", text) {
            add_function_line(judge, "", text);
        }
        return;
    }
    let (name, set) = text.split_once('=').unwrap_or((text, ""));
    let known = value.text.is_some() || text.contains('=');
    if is_function(name, set) {
        add_function_line(judge, name, set);
    } else if !known || !is_plain(name) {
        add_rebinding_caveat(judge, name);
    } else if found.known.meaning == OptionMeaning::Sets && !variables::is_inert(name, &Word::from(set)) {
        match variables::variable_kind(name) {
            VariableKind::Rebinding => add_rebinding_caveat(judge, name),
            _ => judge.add_plain_caveat(
                &format!("the variable {name} is set for the command"),
                vec![found.place, value.place],
            ),
        }
    }
}

/// Whether it may be the name of a variable, also to what is no shell: `discovery.type`.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

/// Whether bash takes it for a function of that name.
fn is_function(name: &str, value: &str) -> bool {
    name.starts_with("BASH_FUNC_") || value.trim_start().starts_with("()")
}

/// What the function runs, whenever something of its name does.
fn add_function_line(judge: &mut CommandAnalyzer<'_>, name: &str, value: &str) {
    add_rebinding_caveat(judge, name);
    judge.known.lines.push(format!("f {value}"));
}

fn add_rebinding_caveat(judge: &mut CommandAnalyzer<'_>, name: &str) {
    let reason = format!("the variable {name} can change what runs");
    judge.add_caveat(Caveat { reason, always: true, named: CaveatSubject::Nothing });
}
