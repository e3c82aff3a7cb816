//! `terminal/create`: the call that it is.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::input::{self, non_empty_text};
use crate::side_door;
use mayi_core::call::{Access, Call, Dialect, Door, Surroundings, effort, shell};
use mayi_core::gate::Session;
use mayi_doors::folders::folder_caveat;

/// Who starts what `terminal/create` asks for.
#[derive(Clone, Copy, Debug)]
pub enum Starter {
    /// mayi: the words as a program with its arguments, a line without arguments in a shell of this dialect.
    Mayi(Dialect),
    /// An editor: some take the command for a program's name whatever is in it, others put the words behind each other and have a
    /// shell run that. Which one it is, nobody can tell.
    Editor,
}

/// What `terminal/create` asks for.
#[derive(Clone, Debug)]
pub struct TerminalRequest {
    /// The command and its arguments.
    pub argv: Vec<String>,
    /// A line without arguments that only a shell can run.
    pub line: Option<String>,
    /// What the line does, if a shell runs it.
    pub by_shell: Vec<Access>,
}

/// The call that a `terminal/create` with `params` is. Where an editor starts it, it is all that it does in either reading.
///
/// # Errors
/// If it has no command, its arguments are no texts, or one of its variables could be taken for another one.
pub fn create_call(
    session: &Session,
    params: &Value,
    starts: Starter,
) -> Result<(Call, TerminalRequest), &'static str> {
    let command = non_empty_text(params, "command").ok_or("terminal/create needs a command")?;
    let given = params.get("args").and_then(Value::as_array).cloned().unwrap_or_default();
    let args: Option<Vec<String>> = given.iter().map(|arg| arg.as_str().map(str::to_owned)).collect();
    let args = args.ok_or("the args of terminal/create are strings")?;
    let cwd = input::find_cwd(params).map_or_else(|| session.cwd.clone(), |cwd| session.cwd.join(cwd));
    let env = read_variables(params)?;
    let line = (args.is_empty() && command.contains(char::is_whitespace)).then(|| command.clone());
    let argv: Vec<String> = std::iter::once(command).chain(args).collect();
    let home = mayi_core::call::home_folder();
    let dialect = match starts {
        Starter::Mayi(dialect) => dialect,
        Starter::Editor => Dialect::Unknown,
    };
    let at = Surroundings { cwd: &cwd, roots: &session.roots, home: home.as_deref(), env: &env, dialect };
    let words = || shell::argv_accesses(&argv, &at);
    let (mut accesses, mut by_shell) = effort::bounded(|| match (starts, &line) {
        (Starter::Mayi(_), Some(line)) => (shell::line_accesses(line, &at), Vec::new()),
        (Starter::Mayi(_), None) => (words(), Vec::new()),
        (Starter::Editor, _) => (words(), shell::line_accesses(&argv.join(" "), &at)),
    });
    add_folder_caveats(session, &cwd, &mut accesses);
    add_folder_caveats(session, &cwd, &mut by_shell);
    let more: Vec<Access> = by_shell.iter().filter(|access| !accesses.contains(access)).cloned().collect();
    accesses.extend(more);
    let title = line.clone().unwrap_or_else(|| shell::join_words(&argv));
    let mut call = side_door::side_door_call(session, Door::AcpTerminal, title, params.clone(), accesses);
    call.cwd = cwd;
    call.env = env;
    Ok((call, TerminalRequest { argv, line, by_shell }))
}

/// The variables that it is to have.
fn read_variables(params: &Value) -> Result<BTreeMap<String, String>, &'static str> {
    let mut all = BTreeMap::new();
    for (name, value) in input::find_env(params) {
        if !input::is_plain_name(&name) {
            return Err("the name of a variable for terminal/create is of letters, digits, `_`, `.` and `-`");
        }
        // Which of them counts, whoever starts it knows for itself.
        if all.insert(name, value).is_some() {
            return Err("a variable for terminal/create is named once");
        }
    }
    Ok(all)
}

/// Adds to commands why they are asked about for the folder that they run in.
fn add_folder_caveats(session: &Session, cwd: &std::path::Path, accesses: &mut [Access]) {
    for access in accesses {
        if let Access::Shell(shell) = access {
            shell.caveats.extend(folder_caveat(session, cwd));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mayi_core::call::{AgentId, Category, SessionId};
    use serde_json::json;

    fn test_session(cwd: &std::path::Path) -> Session {
        Session {
            id: SessionId("s".into()),
            agent: AgentId::from_name("a"),
            parent: None,
            roots: vec![cwd.to_owned()],
            cwd: cwd.to_owned(),
            mode: None,
        }
    }

    fn is_read_only(params: &Value, starts: Starter) -> bool {
        let session = test_session(&std::env::temp_dir().canonicalize().unwrap());
        let (call, _) = create_call(&session, params, starts).unwrap();
        call.accesses.iter().all(|access| match access {
            Access::Shell(shell) => shell.reader,
            other => other.category() == Some(Category::Read),
        })
    }

    /// S4.20, attacks 490 and 491: both readings count at an editor's; mayi itself starts it in one way.
    #[test]
    fn given_what_an_editor_starts_then_it_only_reads_where_both_readings_do() {
        for (params, editor, mayi) in [
            (json!({"command": "ls"}), true, true),
            (json!({"command": "ls", "args": ["-l", "src"]}), true, true),
            (json!({"command": "ls", "args": []}), true, true),
            (json!({"command": "ls ./evil", "args": []}), false, true),
            (json!({"command": "ls\t./evil"}), false, true),
            (json!({"command": "ls "}), false, true),
            (json!({"command": "bash", "args": ["-c", "make --version"]}), false, true),
            (json!({"command": "ls", "args": [";", "make"]}), false, true),
            (json!({"command": "ls;make"}), false, false),
            (json!({"command": "if", "args": ["make"]}), false, false),
        ] {
            assert_eq!(is_read_only(&params, Starter::Editor), editor, "{params}");
            if editor != mayi {
                assert_eq!(is_read_only(&params, Starter::Mayi(Dialect::Sh)), mayi, "{params}");
            }
        }
    }

    /// D1.13, attack 520: `LD_PRELOAD=/x:` with the value `y` is `LD_PRELOAD=/x:=y` to the program.
    #[test]
    fn given_a_variable_that_could_be_another_one_then_nothing_is_started_by_anybody() {
        let session = test_session(&std::env::temp_dir());
        let wanted = |env: Value| json!({"command": "ls", "env": env});
        let one = |name: &str| json!([{"name": name, "value": "y"}]);
        let twice = json!([{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]);
        let odd = ["", "LD_PRELOAD=/x:", "A;make", "A B", "A\nB", "A\0", "BASH_FUNC_ls%%"].map(one);
        for env in odd.into_iter().chain([twice, json!({"LD_PRELOAD=/x:": "y"})]) {
            for starts in [Starter::Editor, Starter::Mayi(Dialect::Sh)] {
                assert!(create_call(&session, &wanted(env.clone()), starts).is_err(), "{env}");
            }
        }
        for env in ["RUST_LOG", "npm_config_foo.bar", "_x-y", "A1"].map(one) {
            assert!(create_call(&session, &wanted(env.clone()), Starter::Editor).is_ok(), "{env}");
        }
    }

    #[test]
    fn given_no_folder_then_it_is_the_sessions_as_that_is_written() {
        let folder = std::env::temp_dir().canonicalize().unwrap();
        let (call, _) =
            create_call(&test_session(&folder), &json!({"command": "ls"}), Starter::Editor).unwrap();
        assert_eq!(call.cwd.as_os_str(), folder.as_os_str());
    }
}
