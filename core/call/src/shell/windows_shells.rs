//! Lines for PowerShell or `cmd`: recognised, and not understood.

use super::Word;
use super::line_error::{LineError, Result};

/// Verbs of cmdlets.
const VERBS: &[&str] = &[
    "Add",
    "Clear",
    "Close",
    "Compress",
    "Convert",
    "ConvertFrom",
    "ConvertTo",
    "Copy",
    "Disable",
    "Enable",
    "Enter",
    "Exit",
    "Expand",
    "Export",
    "Find",
    "ForEach",
    "Format",
    "Get",
    "Group",
    "Import",
    "Install",
    "Invoke",
    "Join",
    "Limit",
    "Measure",
    "Move",
    "New",
    "Out",
    "Pop",
    "Push",
    "Read",
    "Receive",
    "Register",
    "Remove",
    "Rename",
    "Resolve",
    "Restart",
    "Select",
    "Send",
    "Set",
    "Show",
    "Sort",
    "Split",
    "Start",
    "Stop",
    "Tee",
    "Test",
    "Trace",
    "Unblock",
    "Uninstall",
    "Update",
    "Wait",
    "Where",
    "Write",
];

/// Commands of `cmd` that take `/x` switches.
const SWITCHED: &[&str] = &[
    "attrib", "copy", "del", "dir", "erase", "move", "rd", "rmdir", "robocopy", "xcopy", "type", "findstr",
    "cmd",
];

/// Refuses a command that is one of another kind of shell.
pub(super) fn check_foreign(words: &[Word]) -> Result<()> {
    let mut raw = words.iter().map(|word| match word {
        Word::Literal(text) => text.as_str(),
        Word::Open(open) => open.text.as_str(),
    });
    let name = raw.next().unwrap_or_default();
    let rest: Vec<&str> = raw.collect();
    if is_powershell(name, &rest) {
        return Err(LineError::new("a line for PowerShell"));
    }
    if is_cmd_exe(name, &rest) {
        return Err(LineError::new("a line for cmd"));
    }
    Ok(())
}

/// As many words of a line tell whom it is for: it is refused anyway, and this is only the reason that is given.
const TELLING: usize = 1_000;

/// The reason for a line that does not parse, where it is one of those.
pub(super) fn foreign_line_reason(line: &str) -> Option<&'static str> {
    let mut words = line.split_whitespace().take(TELLING);
    let name = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    if is_powershell(name, &rest) || rest.iter().any(|word| is_cmdlet(word)) {
        return Some("a line for PowerShell");
    }
    let exists =
        name.eq_ignore_ascii_case("if") && rest.iter().take(2).any(|word| word.eq_ignore_ascii_case("exist"));
    (exists || is_cmd_exe(name, &rest)).then_some("a line for cmd")
}

fn is_cmdlet(word: &str) -> bool {
    let Some((verb, noun)) = word.split_once('-') else { return false };
    let known = VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb));
    let capital = |text: &str| text.starts_with(|c: char| c.is_ascii_uppercase());
    known && capital(verb) && capital(noun) && noun.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn is_powershell(name: &str, rest: &[&str]) -> bool {
    let typed = name.starts_with('[') && name.contains("]::");
    let options = ["-ErrorAction", "-Recurse", "-LiteralPath", "-ItemType", "-WhatIf"];
    is_cmdlet(name)
        || typed
        || std::iter::once(&name)
            .chain(rest)
            .filter(|word| word.contains('$'))
            .any(|word| word.contains("$env:") || word.contains("$Env:"))
        || rest.iter().any(|word| word.starts_with('-') && options.contains(word))
}

fn is_cmd_exe(name: &str, rest: &[&str]) -> bool {
    let switch = |word: &&str| {
        word.strip_prefix('/')
            .is_some_and(|letters| letters.len() == 1 && letters.bytes().all(|b| b.is_ascii_alphabetic()))
    };
    let variable = |word: &str| {
        word.match_indices('%').count() >= 2
            && word.split('%').nth(1).is_some_and(|name| {
                name.len() > 2 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
            })
    };
    let set = name.eq_ignore_ascii_case("set")
        && rest.first().is_some_and(|word| !word.starts_with(['-', '+']) && word.contains('='));
    let switched = SWITCHED.iter().any(|known| known.eq_ignore_ascii_case(name)) && rest.iter().any(switch);
    switched || set || std::iter::once(&name).chain(rest).any(|word| variable(word))
}
