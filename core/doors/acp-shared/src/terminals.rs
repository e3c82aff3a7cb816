//! `terminal/create`: the call that it is.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::input::{self, text};
use crate::side_door;
use mayi_core::call::{Access, Call, Dialect, Door, Surroundings, shell};
use mayi_core::gate::Session;
use mayi_doors::places::folder_caveat;

/// What `terminal/create` asks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The command and its arguments.
    pub argv: Vec<String>,
    /// A line without arguments that only a shell can run.
    pub line: Option<String>,
}

/// The call that a `terminal/create` with `params` is, where a line is run by a shell of `dialect`.
///
/// # Errors
/// If it has no command, or its arguments are no texts.
pub fn create_call(
    session: &Session,
    params: &Value,
    dialect: Dialect,
) -> Result<(Call, Wanted), &'static str> {
    let command = text(params, "command").ok_or("terminal/create needs a command")?;
    let given = params.get("args").and_then(Value::as_array).cloned().unwrap_or_default();
    let args: Option<Vec<String>> = given.iter().map(|arg| arg.as_str().map(str::to_owned)).collect();
    let args = args.ok_or("the args of terminal/create are strings")?;
    let cwd = session.cwd.join(input::cwd(params).unwrap_or_default());
    let env: BTreeMap<String, String> = input::env(params).into_iter().collect();
    let line = (args.is_empty() && command.contains(char::is_whitespace)).then(|| command.clone());
    let argv: Vec<String> = std::iter::once(command).chain(args).collect();
    let home = mayi_core::call::home();
    let at = Surroundings { cwd: &cwd, roots: &session.roots, home: home.as_deref(), env: &env, dialect };
    let mut accesses = match &line {
        Some(line) => shell::line(line, &at),
        None => shell::argv(&argv, &at),
    };
    caution(session, &cwd, &mut accesses);
    let title = line.clone().unwrap_or_else(|| shell::join(&argv));
    let mut call = side_door::call(session, Door::AcpTerminal, title, params.clone(), accesses);
    call.cwd = cwd;
    call.env = env;
    Ok((call, Wanted { argv, line }))
}

/// Adds to commands why they are asked about for the folder that they run in.
pub fn caution(session: &Session, cwd: &std::path::Path, accesses: &mut [Access]) {
    for access in accesses {
        if let Access::Shell(shell) = access {
            shell.caveats.extend(folder_caveat(session, cwd));
        }
    }
}
