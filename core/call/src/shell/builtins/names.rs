//! Commands that are given names of variables. A name may hold a subscript, and that is evaluated:
//! `read 'a[$(x)]'` runs `x`.

use super::open_options::{add_elsewhere_caveat, check_test_operators, could_be_option};
use super::{Builtin, formats};
use crate::shell::expand::{evaluation_risk, naming_risk};
use crate::shell::variables::{self, VariableKind};
use crate::shell::{OpenWord, Word};

/// How a command that sets variables is called.
pub(super) struct NameOptions {
    /// Letters of options that take a value.
    valued: &'static str,
    /// Of these, letters whose value is a name too.
    named: &'static str,
    /// Of these, letters whose value is a number: how long, how much, from where. zsh takes arithmetic for it.
    numeric: &'static str,
}

impl NameOptions {
    pub(super) fn for_read() -> Self {
        Self { valued: "adinNptu", named: "a", numeric: "nNtu" }
    }
}

/// One name that is set.
fn check_name(word: &Word, place: usize, of: &mut Builtin) {
    let Some(text) = word.literal() else {
        of.add_always_caveat(format!("it sets a variable whose name is not literal: {}", word.text()));
        return;
    };
    let bare = text.split('[').next().unwrap_or_default();
    match variables::variable_kind_in(bare, of.dialect) {
        VariableKind::Rebinding => of.add_always_caveat(format!("the variable {text} can change what runs")),
        VariableKind::Inert | VariableKind::Other if bare == text => {
            of.add_plain_caveat(&[place], format!("it sets the variable {text}"))
        }
        VariableKind::Inert | VariableKind::Other => {
            add_evaluation_caveat(word, place, naming_risk(word), of);
        }
    }
}

/// One name that is set to what nobody knows before.
pub(super) fn check_read_name(word: &Word, place: usize, of: &mut Builtin) {
    check_name(word, place, of);
    check_evaluated_value(word.literal().unwrap_or_default(), &Word::Open(OpenWord::default()), of);
}

/// A value that the shell evaluates as soon as the variable is given it.
fn check_evaluated_value(name: &str, value: &Word, of: &mut Builtin) {
    let bare = name.split('[').next().unwrap_or_default();
    if variables::is_evaluated(bare, value) {
        of.add_always_caveat(format!("the shell evaluates what {bare} is given"));
    }
}

/// A word that is evaluated as a name or as a number: `risk` says whether it is asked about, whatever the mode.
pub(super) fn add_evaluation_caveat(word: &Word, place: usize, risk: Option<bool>, of: &mut Builtin) {
    let reason = || format!("the shell evaluates {}", word.text());
    if risk.is_some() {
        of.evaluated.push(word.text());
    }
    match risk {
        Some(true) => of.add_always_caveat(reason()),
        Some(false) => of.add_plain_caveat(&[place], reason()),
        None => {}
    }
}

/// `read`: options, then names.
pub(super) fn check_set_names(words: &[Word], how: &NameOptions, of: &mut Builtin) {
    let mut places = 1..words.len();
    while let Some(place) = places.next() {
        let Some(word) = words.get(place) else { break };
        let option =
            word.literal().and_then(|text| text.strip_prefix('-')).filter(|letters| !letters.is_empty());
        let Some(letters) = option else {
            if word.literal() != Some("-") || place > 1 {
                check_read_name(word, place, of);
            }
            continue;
        };
        if letters == "-" {
            places
                .by_ref()
                .filter_map(|place| Some((place, words.get(place)?)))
                .for_each(|(place, word)| check_read_name(word, place, of));
            break;
        }
        // The first letter with a value takes the rest, or the next word.
        if let Some(at) = letters.find(|c| how.valued.contains(c)) {
            let letter = letters.get(at..=at).unwrap_or_default();
            let rest = letters.get(at + 1..).unwrap_or_default();
            let value = if rest.is_empty() {
                places.next().and_then(|place| Some((place, words.get(place)?.clone())))
            } else {
                Some((place, Word::Literal(rest.to_owned())))
            };
            let Some((place, value)) = value else { continue };
            // What bash takes for the value of an option may be a name to zsh: `read -p NAME`.
            let name = value.literal().and_then(|text| text.split('[').next()).unwrap_or_default();
            let rebinds = of.dialect.may_be_zsh()
                && variables::is_name(name)
                && variables::variable_kind_in(name, of.dialect) == VariableKind::Rebinding;
            if how.named.contains(letter) || rebinds {
                check_read_name(&value, place, of);
            } else if how.numeric.contains(letter) && of.dialect.may_be_zsh() {
                add_evaluation_caveat(&value, place, evaluation_risk(&value), of);
            }
        }
    }
}

/// `mapfile -C LINE -c 1 NAME`
pub(super) fn check_mapfile(words: &[Word], of: &mut Builtin) {
    check_set_names(words, &NameOptions { valued: "CcdnOsu", named: "", numeric: "" }, of);
    for (place, word) in words.iter().enumerate().skip(1) {
        let text = word.known_prefix();
        if text.starts_with('-') && text.contains('C') {
            of.add_always_caveat("it runs a line for what it reads");
            let inside = text.split_once('C').map(|(_, line)| line).filter(|line| !line.is_empty());
            match (inside, words.get(place + 1)) {
                (Some(line), _) => of.keep_line(&Word::Literal(line.to_owned())),
                (None, Some(next)) => of.keep_line(next),
                (None, None) => {}
            }
        }
    }
}

/// `printf -v NAME FORMAT ...`; `%n` in the format sets its operand.
pub(super) fn check_printf(words: &[Word], of: &mut Builtin) {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        match word.literal() {
            Some("-v") => {
                if let Some(target) = words.get(at + 1) {
                    check_read_name(target, at + 1, of);
                }
                at += 2;
            }
            Some("--") => {
                at += 1;
                break;
            }
            Some(text) => {
                let Some(target) = text.strip_prefix("-v") else { break };
                check_read_name(&Word::Literal(target.to_owned()), at, of);
                at += 1;
            }
            None => break,
        }
    }
    let Some(format) = words.get(at) else { return };
    let Word::Open(open) = format else {
        if format.literal().is_some_and(formats::has_count_conversion) {
            words.iter().enumerate().skip(at + 1).for_each(|(place, word)| check_read_name(word, place, of));
        }
        return;
    };
    let more = open.splits || words.len() > at + 1;
    if at == 1 && more && could_be_option(format) {
        // It can be `-v` and a name together.
        add_elsewhere_caveat(format, of);
        if format.known_prefix().starts_with("-v") {
            of.add_always_caveat("it sets a variable whose name is not literal");
        } else if open.splits {
            of.add_plain_caveat(&[1], "its first word could name a variable");
        }
    }
    // What is not known of it could hold `%n`; ordinary variables are not worth asking about.
    for (place, word) in words.iter().enumerate().skip(at + 1) {
        match word.literal() {
            Some(text)
                if variables::is_name(text) && variables::variable_kind(text) != VariableKind::Rebinding => {}
            Some(text) if variables::is_name(text.split('[').next().unwrap_or_default()) => {
                check_read_name(word, place, of);
            }
            Some(_) => {}
            None => of.add_plain_caveat(&[at], "its format could set a variable"),
        }
    }
}

/// `test -v NAME`, and numbers.
pub(super) fn check_test(words: &[Word], of: &mut Builtin) {
    check_test_operators(words, of);
    const NUMBERS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
    for (place, word) in words.iter().enumerate().skip(1) {
        let Some(text) = word.literal() else { continue };
        let before = place.checked_sub(1).filter(|before| *before > 0);
        let operands = match text {
            "-v" | "-R" => [None, Some(place + 1)],
            text if NUMBERS.contains(&text) => [before, Some(place + 1)],
            _ => continue,
        };
        for place in operands.into_iter().flatten() {
            let Some(operand) = words.get(place) else { continue };
            // Numbers of `test` itself are not evaluated, only what is said to be one and holds more.
            if text == "-v"
                || text == "-R"
                || operand.literal().is_some_and(|text| text.contains(['[', '$', '`']))
            {
                let names = matches!(text, "-v" | "-R");
                let risk = if names { naming_risk(operand) } else { evaluation_risk(operand) };
                add_evaluation_caveat(operand, place, risk, of);
            }
        }
    }
}

/// `declare -i NAME=VALUE ...`, `export NAME`, ...
pub(super) fn check_declare(words: &[Word], of: &mut Builtin) {
    let mut options = String::new();
    for (place, word) in words.iter().enumerate().skip(1) {
        let prefix = word.known_prefix();
        if let (Some(text), true) = (word.literal(), prefix.starts_with(['-', '+'])) {
            options.push_str(text);
            continue;
        }
        let (target, value) = prefix.split_once('=').unwrap_or((prefix, ""));
        let target = target.strip_suffix('+').unwrap_or(target);
        let known = word.literal().is_some() || prefix.contains('=');
        if !known {
            of.add_always_caveat(format!("it sets a variable whose name is not literal: {}", word.text()));
            continue;
        }
        if options.contains(['f', 'F', 'p']) {
            continue;
        }
        if options.contains('n') {
            of.add_always_caveat(format!("{target} becomes another name of a variable"));
        }
        if of.dialect.may_be_posix() && matches!(word, Word::Open(open) if open.splits) {
            of.add_always_caveat(format!(
                "a POSIX shell splits the value of {target}, and sets what it names: quote it"
            ));
        }
        let bare = target.split('[').next().unwrap_or_default();
        match variables::variable_kind_in(bare, of.dialect) {
            VariableKind::Rebinding => {
                of.add_always_caveat(format!("the variable {target} can change what runs"))
            }
            VariableKind::Inert if bare == target && word.literal().is_some() => {}
            VariableKind::Inert | VariableKind::Other => {
                of.add_plain_caveat(&[place], format!("it sets the variable {target}"));
                if bare != target {
                    let target = Word::Literal(target.to_owned());
                    add_evaluation_caveat(&target, place, naming_risk(&target), of);
                }
            }
        }
        if prefix.contains('=') {
            let whole = word.literal().is_some().then(|| Word::Literal(value.to_owned()));
            check_evaluated_value(target, &whole.unwrap_or(Word::Open(OpenWord::default())), of);
        }
        if value.contains(['[', '$', '`']) {
            // With `-i`, or for an array, the value is evaluated too.
            let numbers = options.contains(['i', 'a', 'A']);
            if numbers {
                of.add_always_caveat(format!("the shell evaluates {value}"));
            }
        }
    }
}

/// `unset NAME`
pub(super) fn check_unset(words: &[Word], of: &mut Builtin) {
    for (place, word) in words.iter().enumerate().skip(1) {
        match word.literal() {
            Some("-v" | "-f" | "-n" | "--") => {}
            _ => check_name(word, place, of),
        }
    }
}

/// `wait -p NAME`, `wait -npNAME`
pub(super) fn check_wait(words: &[Word], of: &mut Builtin) {
    let mut places = 1..words.len();
    while let Some(place) = places.next() {
        let Some(word) = words.get(place) else { break };
        let next = words.get(place + 1);
        if let Some(next) = next.filter(|_| word.known_prefix().is_empty() && could_be_option(word)) {
            // `-p`, behind which a name stands.
            if naming_risk(next) == Some(true) {
                of.add_always_caveat(format!("the shell may evaluate {}", next.text()));
            }
            of.evaluated.extend(next.literal().is_none().then(|| next.text()));
        }
        let Some(letters) = word.known_prefix().strip_prefix('-') else { continue };
        if word.literal() == Some("--") {
            break;
        }
        if word.literal().is_none() {
            of.add_always_caveat(format!("it sets a variable whose name is not literal: {}", word.text()));
        } else if let Some((_, target)) = letters.split_once('p') {
            let glued = (!target.is_empty()).then(|| (place, Word::Literal(target.to_owned())));
            let next = || places.next().and_then(|place| Some((place, words.get(place)?.clone())));
            if let Some((place, target)) = glued.or_else(next) {
                check_read_name(&target, place, of);
            }
        }
    }
}

/// `getopts LETTERS NAME`
pub(super) fn check_getopts(words: &[Word], of: &mut Builtin) {
    if let Some(word) = words.get(2) {
        check_read_name(word, 2, of);
    }
}

/// `let X=1+2`
pub(super) fn check_let(words: &[Word], of: &mut Builtin) {
    for (place, word) in words.iter().enumerate().skip(1) {
        let target = word.literal().and_then(|text| text.split('=').next()).unwrap_or_default();
        let target = target.trim_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        if variables::is_name(target) && variables::variable_kind(target) == VariableKind::Rebinding {
            of.add_always_caveat(format!("the variable {target} can change what runs"));
        }
        add_evaluation_caveat(word, place, evaluation_risk(word), of);
    }
}
