//! What belongs to a command besides its words, and what its words alone tell.

use brush_parser::ast::{IoFileRedirectKind, IoRedirect};

use super::redirect::Feed;
use crate::shell::{Assignment, Caveat, CaveatSubject, ShellAccess, Touch, TouchedPath, Word, variables};

/// What belongs to a command besides its words.
pub(super) struct CommandParts {
    pub(super) assignments: Vec<Assignment>,
    /// All of them, those that are transparent among them.
    pub(super) written: Vec<Assignment>,
    /// Places of words count from the first one.
    pub(super) caveats: Vec<Caveat>,
    pub(super) touches: Vec<Touch>,
    pub(super) feed: Feed,
    /// The files that its output goes to, by their places among those that the line writes; whether it is put behind
    /// what they hold.
    pub(super) outputs: Vec<(usize, bool)>,
    /// A shell runs it: its builtins count, and it may move.
    pub(super) shell: bool,
    /// Its input holds what may be a secret of the environment.
    pub(super) secret: bool,
}

impl Default for CommandParts {
    fn default() -> Self {
        Self {
            assignments: Vec::new(),
            written: Vec::new(),
            caveats: Vec::new(),
            touches: Vec::new(),
            feed: Feed::Nothing,
            outputs: Vec::new(),
            shell: true,
            secret: false,
        }
    }
}

/// What a command assigns before another one that it starts (`env A=1 make`): that one sees it as if it were written before it.
pub(super) fn given_before(inner: &[Word], outer: &ShellAccess) -> Vec<Assignment> {
    let before = outer.words.strip_suffix(inner).unwrap_or_default();
    let given = before.iter().rev().map_while(|word| {
        let (name, value) = word.literal()?.split_once('=').filter(|(name, _)| variables::is_name(name))?;
        Some(Assignment { name: name.to_owned(), value: Word::Literal(value.to_owned()) })
    });
    let mut given: Vec<Assignment> = given.collect();
    given.reverse();
    given
}

/// Whether a path is that of a process substitution: a pipe of the line's own.
pub(super) fn is_process_substitution(touch: &Touch) -> bool {
    matches!(&touch.path, TouchedPath::Open(open) if open.given.starts_with("<(") || open.given.starts_with(">("))
}

/// What the name of a command tells.
pub(super) fn command_name_caveat(words: &[Word]) -> Option<Caveat> {
    let reason = match words.first() {
        None => "no command is named".to_owned(),
        Some(Word::Open(open)) => format!("the command's name is not literal: {}", open.text),
        Some(Word::Literal(name)) if name.trim().is_empty() => "no command is named".to_owned(),
        Some(Word::Literal(_)) if words.iter().filter_map(Word::literal).any(|word| word.contains('\0')) => {
            "a zero byte among the words".to_owned()
        }
        Some(Word::Literal(_)) => return None,
    };
    Some(Caveat { reason, always: true, named: CaveatSubject::Nothing })
}

/// Whether a redirection is one of standard output to a file, and then whether it goes behind what is there.
pub(super) fn onto_output(redirect: &IoRedirect) -> Option<bool> {
    let IoRedirect::File(None | Some(1), kind, _) = redirect else { return None };
    match kind {
        IoFileRedirectKind::Write | IoFileRedirectKind::Clobber => Some(false),
        IoFileRedirectKind::Append => Some(true),
        _ => None,
    }
}

/// What a caveat names, once the first `through` words are taken away.
pub(super) fn shift_subject(named: &CaveatSubject, through: usize) -> CaveatSubject {
    match named {
        CaveatSubject::Words(places) => {
            let places: Vec<_> = places.iter().filter_map(|place| place.checked_sub(through)).collect();
            if places.is_empty() { CaveatSubject::Nothing } else { CaveatSubject::Words(places) }
        }
        CaveatSubject::Beside { first, at } => match (first.checked_sub(through), at.checked_sub(through)) {
            (Some(first), Some(at)) => CaveatSubject::Beside { first, at },
            _ => CaveatSubject::Nothing,
        },
        CaveatSubject::Address { at, url } => match at.checked_sub(through) {
            Some(at) => CaveatSubject::Address { at, url: url.clone() },
            None => CaveatSubject::Nothing,
        },
        other => other.clone(),
    }
}

/// Whether these words are a shell that reads its line from its input.
pub(super) fn reads_shell(words: &[Word]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    let name = name.literal().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    let shell = matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash");
    let plain = |word: &Word| {
        word.literal().is_some_and(|word| {
            let letters = word.strip_prefix('-').unwrap_or("?");
            word == "-" || (!letters.is_empty() && letters.bytes().all(|b| b"seuxl".contains(&b)))
        })
    };
    shell && rest.iter().all(plain)
}

/// Whether bash has a keyword where a POSIX shell looks for a command.
pub(super) fn is_keyword(name: &str) -> bool {
    matches!(name, "[[" | "]]" | "function" | "select" | "coproc")
}
