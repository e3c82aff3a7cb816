//! Lines, and what is found in them.

mod after;
mod argv;
mod bounds;
mod builtins;
mod dialects;
mod documents;
mod folders;
mod lists;
mod printed;
mod quiet;
mod redirects;
mod variables;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Dialect, ShellAccess, Surroundings, Touch, TouchedPath, line_accesses, shell_accesses};
use crate::Access;

/// Reads a line in `/w`, the only root, with the home folder `/home/me`.
fn read(text: &str) -> Vec<Access> {
    read_by(Dialect::Unknown, text)
}

/// The same for a shell that is known.
fn read_by(dialect: Dialect, text: &str) -> Vec<Access> {
    let roots = [PathBuf::from("/w")];
    let none = BTreeMap::new();
    let home = Some(Path::new("/home/me"));
    line_accesses(
        text,
        &Surroundings { home, env: &none, dialect, ..Surroundings::new(Path::new("/w"), &roots) },
    )
}

/// What a line becomes, separated by ` | `: commands as text, with `!` for each `always` caveat and `~`
/// for each plain one; files as `read(...)` and `write(...)`; `?` for a line that is not understood.
fn shown(text: &str) -> String {
    read(text).iter().map(one).collect::<Vec<_>>().join(" | ")
}

fn one(access: &Access) -> String {
    let Access::Shell(shell) = access else { return access.to_string() };
    if !shell.understood {
        return "?".to_owned();
    }
    let marks = shell.caveats.iter().map(|caveat| if caveat.always { '!' } else { '~' }).collect::<String>();
    if marks.is_empty() { shell.text() } else { format!("{} {marks}", shell.text()) }
}

/// The first command of a line.
fn first(text: &str) -> ShellAccess {
    shell_accesses(&read(text)).next().unwrap().clone()
}

/// Whether a line is not understood, or asked about whatever the mode.
fn always(text: &str) -> bool {
    let found = read(text);
    shell_accesses(&found).any(|shell| shell.caveats.iter().any(|caveat| caveat.always))
}

/// The paths that the commands of a line touch, as far as they are known.
fn touched(text: &str) -> Vec<String> {
    let found = read(text);
    shell_accesses(&found).flat_map(|shell| &shell.touches).map(path_of).collect()
}

fn path_of(touch: &Touch) -> String {
    match &touch.path {
        TouchedPath::Known(path) => path.lexical.display().to_string(),
        TouchedPath::Open(open) => open.pieces.iter().map(|piece| piece.as_deref().unwrap_or("*")).collect(),
    }
}

/// Holds each line to what it becomes.
fn each(rows: &[(&str, &str)]) {
    let wrong: Vec<_> = rows
        .iter()
        .map(|(line, wanted)| (line, *wanted, shown(line)))
        .filter(|(_, wanted, found)| wanted != found)
        .map(|(line, wanted, found)| format!("{line:?}\n  wanted {wanted}\n  found  {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Holds each line to being asked about whatever the mode.
fn each_always(lines: &[&str]) {
    let wrong: Vec<_> = lines.iter().filter(|line| !always(line)).map(|line| (line, shown(line))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
