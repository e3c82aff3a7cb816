//! Commands that are given names of variables. A name may hold a subscript, and that is evaluated:
//! `read 'a[$(x)]'` runs `x`.

use super::Builtin;
use crate::shell::Word;
use crate::shell::expand::evaluated;
use crate::shell::variables::{self, Kind};

/// How a command that sets variables is called.
pub(super) struct Setting {
    /// Letters of options that take a value.
    valued: &'static str,
    /// Of these, letters whose value is a name too.
    named: &'static str,
}

impl Setting {
    pub(super) fn read() -> Self {
        Self { valued: "adinNptu", named: "a" }
    }
}

/// One name that is set.
fn name(word: &Word, place: usize, of: &mut Builtin) {
    let Some(text) = word.literal() else {
        of.always(format!("it sets a variable whose name is not literal: {}", word.text()));
        return;
    };
    let bare = text.split('[').next().unwrap_or_default();
    match variables::kind_in(bare, of.dialect) {
        Kind::Rebinding => of.always(format!("the variable {text} can change what runs")),
        Kind::Inert | Kind::Other if bare == text => {
            of.plain(&[place], format!("it sets the variable {text}"))
        }
        Kind::Inert | Kind::Other => evaluate(word, place, of),
    }
}

/// A word that is evaluated as a name or as a number.
fn evaluate(word: &Word, place: usize, of: &mut Builtin) {
    let reason = format!("the shell evaluates {}", word.text());
    match evaluated(word) {
        Some(true) => of.always(reason),
        Some(false) => of.plain(&[place], reason),
        None => {}
    }
}

/// `read`: options, then names.
pub(super) fn set(words: &[Word], how: &Setting, of: &mut Builtin) {
    let mut places = 1..words.len();
    while let Some(place) = places.next() {
        let Some(word) = words.get(place) else { break };
        let option =
            word.literal().and_then(|text| text.strip_prefix('-')).filter(|letters| !letters.is_empty());
        let Some(letters) = option else {
            if word.literal() != Some("-") || place > 1 {
                name(word, place, of);
            }
            continue;
        };
        if letters == "-" {
            places
                .by_ref()
                .filter_map(|place| Some((place, words.get(place)?)))
                .for_each(|(place, word)| name(word, place, of));
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
            if let (true, Some((place, value))) = (how.named.contains(letter), value) {
                name(&value, place, of);
            }
        }
    }
}

/// `mapfile -C LINE -c 1 NAME`
pub(super) fn mapfile(words: &[Word], of: &mut Builtin) {
    set(words, &Setting { valued: "CcdnOsu", named: "" }, of);
    for (place, word) in words.iter().enumerate().skip(1) {
        let text = word.prefix();
        if text.starts_with('-') && text.contains('C') {
            of.always("it runs a line for what it reads");
            let inside = text.split_once('C').map(|(_, line)| line).filter(|line| !line.is_empty());
            match (inside, words.get(place + 1)) {
                (Some(line), _) => of.line(&Word::Literal(line.to_owned())),
                (None, Some(next)) => of.line(next),
                (None, None) => {}
            }
        }
    }
}

/// `printf -v NAME FORMAT ...`; `%n` in the format sets its operand.
pub(super) fn printf(words: &[Word], of: &mut Builtin) {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        match word.literal() {
            Some("-v") => {
                if let Some(target) = words.get(at + 1) {
                    name(target, at + 1, of);
                }
                at += 2;
            }
            Some("--") => {
                at += 1;
                break;
            }
            Some(text) => {
                let Some(target) = text.strip_prefix("-v") else { break };
                name(&Word::Literal(target.to_owned()), at, of);
                at += 1;
            }
            None => break,
        }
    }
    let Some(format) = words.get(at) else { return };
    let Word::Open(open) = format else {
        if format.literal().is_some_and(counts) {
            words.iter().enumerate().skip(at + 1).for_each(|(place, word)| name(word, place, of));
        }
        return;
    };
    if at == 1 && (open.splits || format.prefix().starts_with("-v")) && dashes(format) {
        // As one word it can't be `-v` and a name, but it can be both together.
        of.plain(&[1], "its first word could name a variable");
    }
    // What is not known of it could hold `%n`; ordinary variables are not worth asking about.
    for (place, word) in words.iter().enumerate().skip(at + 1) {
        match word.literal() {
            Some(text) if variables::is_name(text) && variables::kind(text) != Kind::Rebinding => {}
            Some(text) if variables::is_name(text.split('[').next().unwrap_or_default()) => {
                name(word, place, of);
            }
            Some(_) => {}
            None => of.plain(&[at], "its format could set a variable"),
        }
    }
}

/// Whether a word may begin with a dash.
fn dashes(word: &Word) -> bool {
    word.prefix().is_empty() || word.prefix().starts_with('-')
}

/// Whether a format holds `%n`, with whatever may stand between.
fn counts(format: &str) -> bool {
    let between = |c: char| c.is_ascii_digit() || "#'-+ *.hjlLtz$".contains(c);
    let mut rest = format;
    while let Some((_, behind)) = rest.split_once('%') {
        let conversion = behind.trim_start_matches(between);
        if conversion.starts_with('n') {
            return true;
        }
        rest = if behind.starts_with('%') { behind.get(1..).unwrap_or_default() } else { conversion };
    }
    false
}

/// `test -v NAME`, and numbers.
pub(super) fn test(words: &[Word], of: &mut Builtin) {
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
                evaluate(operand, place, of);
            }
        }
    }
}

/// `declare -i NAME=VALUE ...`, `export NAME`, ...
pub(super) fn declare(words: &[Word], of: &mut Builtin) {
    let mut options = String::new();
    for (place, word) in words.iter().enumerate().skip(1) {
        let prefix = word.prefix();
        if let (Some(text), true) = (word.literal(), prefix.starts_with(['-', '+'])) {
            options.push_str(text);
            continue;
        }
        let (target, value) = prefix.split_once('=').unwrap_or((prefix, ""));
        let target = target.strip_suffix('+').unwrap_or(target);
        let known = word.literal().is_some() || prefix.contains('=');
        if !known {
            of.always(format!("it sets a variable whose name is not literal: {}", word.text()));
            continue;
        }
        if options.contains(['f', 'F', 'p']) {
            continue;
        }
        if options.contains('n') {
            of.always(format!("{target} becomes another name of a variable"));
        }
        if of.dialect.may_be_posix() && matches!(word, Word::Open(open) if open.splits) {
            of.always(format!(
                "a POSIX shell splits the value of {target}, and sets what it names: quote it"
            ));
        }
        let bare = target.split('[').next().unwrap_or_default();
        match variables::kind_in(bare, of.dialect) {
            Kind::Rebinding => of.always(format!("the variable {target} can change what runs")),
            Kind::Inert if bare == target && word.literal().is_some() => {}
            Kind::Inert | Kind::Other => {
                of.plain(&[place], format!("it sets the variable {target}"));
                if bare != target {
                    evaluate(&Word::Literal(target.to_owned()), place, of);
                }
            }
        }
        if value.contains(['[', '$', '`']) {
            // With `-i`, or for an array, the value is evaluated too.
            let numbers = options.contains(['i', 'a', 'A']);
            if numbers {
                of.always(format!("the shell evaluates {value}"));
            }
        }
    }
}

/// `unset NAME`
pub(super) fn unset(words: &[Word], of: &mut Builtin) {
    for (place, word) in words.iter().enumerate().skip(1) {
        match word.literal() {
            Some("-v" | "-f" | "-n" | "--") => {}
            _ => name(word, place, of),
        }
    }
}

/// `wait -p NAME`, `wait -npNAME`
pub(super) fn wait(words: &[Word], of: &mut Builtin) {
    let mut places = 1..words.len();
    while let Some(place) = places.next() {
        let Some(word) = words.get(place) else { break };
        let Some(letters) = word.prefix().strip_prefix('-') else { continue };
        if word.literal() == Some("--") {
            break;
        }
        if word.literal().is_none() {
            of.always(format!("it sets a variable whose name is not literal: {}", word.text()));
        } else if let Some((_, target)) = letters.split_once('p') {
            let glued = (!target.is_empty()).then(|| (place, Word::Literal(target.to_owned())));
            let next = || places.next().and_then(|place| Some((place, words.get(place)?.clone())));
            if let Some((place, target)) = glued.or_else(next) {
                name(&target, place, of);
            }
        }
    }
}

/// `getopts LETTERS NAME`
pub(super) fn getopts(words: &[Word], of: &mut Builtin) {
    if let Some(word) = words.get(2) {
        name(word, 2, of);
    }
}

/// `let X=1+2`
pub(super) fn numbers(words: &[Word], of: &mut Builtin) {
    for (place, word) in words.iter().enumerate().skip(1) {
        let target = word.literal().and_then(|text| text.split('=').next()).unwrap_or_default();
        let target = target.trim_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        if variables::is_name(target) && variables::kind(target) == Kind::Rebinding {
            of.always(format!("the variable {target} can change what runs"));
        }
        evaluate(word, place, of);
    }
}
