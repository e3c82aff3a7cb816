//! What an answer covers, in words: of the patterns that are remembered of it, and of nothing else, so that a card can't promise
//! another thing than what is kept.

use std::collections::BTreeSet;

use mayi_call::{Access, Call, Selector, WriteKind, shell};
use mayi_policy::grant::{naming_pattern, session_pattern};
use mayi_policy::{Decision, Pattern};

/// How a grant that has no pattern is called.
pub const EXACTLY_THIS_CALL: &str = "exactly this call";

/// The patterns that "Allow for this session" remembers of `call`, beside the call itself (D6.9). None: exactly that call, and no
/// more.
#[must_use]
pub fn session_patterns(call: &Call, decision: &Decision) -> Vec<Pattern> {
    if decision.always_asks() {
        return Vec::new();
    }
    let home = mayi_call::home_folder();
    let home = home.as_deref();
    let asked = call.accesses.iter().filter(|access| decision.asks_about(access));
    asked
        .flat_map(|access| [session_pattern(access, &call.roots, home), naming_pattern(access)])
        .filter_map(|pattern| pattern.ok().flatten())
        .filter(|pattern| covers_fully(pattern, call))
        .collect()
}

/// Whether a pattern says all of what is to be allowed: a program on a command's input is in no pattern, and then the
/// answer is about exactly this call.
fn covers_fully(pattern: &Pattern, call: &Call) -> bool {
    let unnamed = |shell: &shell::ShellAccess| {
        shell.caveats.iter().any(|caveat| !caveat.always && caveat.named == shell::CaveatSubject::Nothing)
    };
    !call.accesses.iter().any(|access| {
        matches!(access, Access::Shell(shell) if unnamed(shell))
            && pattern.certainly_matches(access, &call.roots)
    })
}

/// The same as people read it.
pub(super) fn session_grants(call: &Call, decision: &Decision) -> Vec<String> {
    let mut grants: Vec<String> = Vec::new();
    for pattern in session_patterns(call, decision) {
        let text = pattern.to_string();
        if !grants.contains(&text) {
            grants.push(text);
        }
    }
    if grants.is_empty() { vec![EXACTLY_THIS_CALL.to_owned()] } else { grants }
}

/// What `grants` cover together, as [`crate::approval::CardOption::grants`] has them.
#[must_use]
pub fn session_covers(grants: &[String]) -> String {
    let mut covers: Vec<String> = Vec::new();
    let mut changed: BTreeSet<&str> = BTreeSet::new();
    for grant in grants {
        let one = match split_pattern(grant) {
            Some((Selector::Write(_), path)) => {
                changed.insert(path);
                continue;
            }
            Some((Selector::Shell, _)) => "exactly these words".to_owned(),
            Some((Selector::Read, path)) => match path.strip_suffix("/[!.]*") {
                Some(folder) => {
                    format!("reads of any file in {}", if folder.is_empty() { "/" } else { folder })
                }
                None => "reads of this file".to_owned(),
            },
            Some(_) => pattern_covers(grant),
            None if grant == EXACTLY_THIS_CALL => "exactly this call, again".to_owned(),
            None => grant.clone(),
        };
        if !covers.contains(&one) {
            covers.push(one);
        }
    }
    match changed.len() {
        0 => {}
        1 => covers.push("changes to this file".to_owned()),
        many => covers.push(format!("changes to these {many} files")),
    }
    covers.join("; ")
}

fn split_pattern(pattern: &str) -> Option<(Selector, &str)> {
    let (selector, argument) = pattern.strip_suffix(')')?.split_once('(')?;
    Some((selector.parse().ok()?, argument))
}

/// What a pattern would allow, in words.
#[must_use]
pub fn pattern_covers(pattern: &str) -> String {
    let Some((selector, argument)) = pattern.strip_suffix(')').and_then(|pattern| pattern.split_once('('))
    else {
        return "everything".to_owned();
    };
    let below = argument.strip_suffix("/**");
    let Ok(selector) = selector.parse() else { return argument.to_owned() };
    match selector {
        Selector::Shell => match argument.strip_suffix(" *") {
            Some(words) => format!("`{words}` with any further words"),
            None if argument.contains('*') => format!("commands like `{argument}`"),
            None => "exactly this command".to_owned(),
        },
        Selector::Read | Selector::Write(_) => {
            let verb = match selector {
                Selector::Read => "reading",
                Selector::Write(WriteKind::Create) => "creating",
                Selector::Write(WriteKind::Edit) => "editing",
                Selector::Write(WriteKind::Delete) => "deleting",
                Selector::Write(WriteKind::Move) => "moving",
                _ => "changing",
            };
            match below {
                Some(folder) => format!("{verb} anything below {folder}"),
                None if argument.contains(['*', '?', '[', '{']) => format!("{verb} files like {argument}"),
                None => format!("{verb} this file"),
            }
        }
        Selector::Fetch => format!("anything from {}", url_host(argument)),
        Selector::Mcp if argument.contains('*') => format!("tools like {argument}, with any arguments"),
        Selector::Mcp => "this tool, with any arguments".to_owned(),
        Selector::Tool => "this tool, with any input".to_owned(),
        Selector::Mode => argument.to_owned(),
    }
}

fn url_host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}
