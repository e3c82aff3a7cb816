//! Running a command.

use std::process::Stdio;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    CreateTerminalRequest, CreateTerminalResponse, KillTerminalRequest, ReleaseTerminalRequest, Terminal,
    TerminalExitStatus, TerminalOutputRequest, ToolCall, ToolCallContent, ToolCallId, ToolCallUpdateFields,
    ToolKind, WaitForTerminalExitRequest,
};
use serde_json::json;
use tokio::process::Command;
use tokio::sync::oneshot;

use crate::calls::{CallOutcome, one_line_error};
use crate::turn::{DemoStop, Turn};

const LONGEST_OUTPUT: u64 = 64 * 1024;

/// Asks to run a command line, and runs it if it may.
pub(crate) async fn run(turn: &Turn, line: &str) -> Result<CallOutcome, DemoStop> {
    turn.say_slowly(format!("I would like to run: {line}")).await?;
    let outcome = run_quietly(turn, line).await?;
    let done = match &outcome {
        CallOutcome::Done(output) if !output.trim().is_empty() => format!("It printed: {}", output.trim()),
        _ => "It ran, and printed nothing.".to_owned(),
    };
    turn.report_outcome(&outcome, &done).await?;
    Ok(outcome)
}

/// The same without a word.
pub(crate) async fn run_quietly(turn: &Turn, line: &str) -> Result<CallOutcome, DemoStop> {
    let call = ToolCall::new(turn.next_call(), line)
        .name("run_command".to_owned())
        .kind(ToolKind::Execute)
        .raw_input(json!({ "command": line, "cwd": turn.session.cwd }));
    let id = call.tool_call_id.clone();
    let work = async {
        let (command, args) = split_command(line);
        if turn.offers.terminal {
            run_in_terminal(turn, &id, command, args).await
        } else {
            run_without_terminal(turn, &id, command, args).await
        }
    };
    turn.run_gated(call, work).await
}

/// Program and arguments of a line; through the shell, unless it is made of plain words.
fn split_command(line: &str) -> (String, Vec<String>) {
    let plain = |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "_-./:=@%+,".contains(c);
    let mut words = line.split_ascii_whitespace().map(str::to_owned);
    match words.next() {
        Some(program) if line.chars().all(plain) && !program.contains('=') => (program, words.collect()),
        _ => ("sh".to_owned(), vec!["-c".to_owned(), line.to_owned()]),
    }
}

/// Runs it in a terminal of the client.
async fn run_in_terminal(
    turn: &Turn,
    call: &ToolCallId,
    command: String,
    args: Vec<String>,
) -> Result<String, String> {
    let session = &turn.session.id;
    let wrong = |error: Error| one_line_error(&error);
    let terminal = create_terminal(turn, command, args).await.map_err(wrong)?.terminal_id;
    turn.terminal_opened(&terminal);
    let shown = ToolCallContent::Terminal(Terminal::new(terminal.clone()));
    // A lost connection shows in the next request.
    let _ = turn.update_call(call, ToolCallUpdateFields::new().content(vec![shown]));
    let wait = WaitForTerminalExitRequest::new(session.clone(), terminal.clone());
    let exit = turn.client.send_request(wait).block_task().await;
    let output = TerminalOutputRequest::new(session.clone(), terminal.clone());
    let output = turn.client.send_request(output).block_task().await;
    turn.terminal_closed(&terminal);
    let release = ReleaseTerminalRequest::new(session.clone(), terminal);
    let released = turn.client.send_request(release).block_task().await;
    let (exit, output) = (exit.map_err(wrong)?.exit_status, output.map_err(wrong)?.output);
    released.map_err(wrong)?;
    exit_result(&exit, output)
}

/// A new terminal. Should nobody wait for it any more when it is there, it is released again.
async fn create_terminal(
    turn: &Turn,
    command: String,
    args: Vec<String>,
) -> Result<CreateTerminalResponse, Error> {
    let session = turn.session.id.clone();
    let request = CreateTerminalRequest::new(session.clone(), command)
        .args(args)
        .cwd(turn.session.cwd.clone())
        .output_byte_limit(LONGEST_OUTPUT);
    let created = turn.client.send_request(request).block_task();
    let (tell, told) = oneshot::channel();
    let client = turn.client.clone();
    turn.client.spawn(async move {
        if let Err(Ok(terminal)) = tell.send(created.await) {
            let id = terminal.terminal_id;
            client.send_request(KillTerminalRequest::new(session.clone(), id.clone())).detach();
            client.send_request(ReleaseTerminalRequest::new(session, id)).detach();
        }
        Ok(())
    })?;
    told.await.map_err(Error::into_internal_error)?
}

/// Runs it itself.
async fn run_without_terminal(
    turn: &Turn,
    call: &ToolCallId,
    command: String,
    args: Vec<String>,
) -> Result<String, String> {
    let run = Command::new(&command)
        .args(args)
        .current_dir(&turn.session.cwd)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| format!("{command}: {error}"))?;
    let output = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
    if !output.is_empty() {
        let shown = ToolCallContent::from(output.to_string());
        let _ = turn.update_call(call, ToolCallUpdateFields::new().content(vec![shown]));
    }
    let code = run.status.code().and_then(|code| u32::try_from(code).ok());
    exit_result(&TerminalExitStatus::new().exit_code(code), output.into_owned())
}

/// The output, if the command ended well.
fn exit_result(exit: &TerminalExitStatus, output: String) -> Result<String, String> {
    match (exit.exit_code, &exit.signal) {
        (Some(0), _) => Ok(output),
        (Some(code), _) => Err(format!("exit code {code}, {}", printed_text(&output))),
        (None, Some(signal)) => Err(format!("ended by {signal}")),
        (None, None) => Err("ended by a signal".to_owned()),
    }
}

fn printed_text(output: &str) -> String {
    match output.trim() {
        "" => "nothing printed".to_owned(),
        output => format!("printed: {output}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_plain_words_then_the_program_is_run_without_a_shell() {
        let plain = split_command("ls  -l mayi-demo.txt");
        assert_eq!(plain, ("ls".into(), vec!["-l".into(), "mayi-demo.txt".into()]));
        assert_eq!(split_command("pwd"), ("pwd".into(), vec![]));
    }

    #[test]
    fn given_anything_a_shell_would_read_then_the_shell_runs_it() {
        for line in ["ls | wc", "A=1 env", "echo $HOME", "rm *.txt", "echo 'a b'", "cat ~/x", "a;b", "é", ""]
        {
            assert_eq!(split_command(line), ("sh".into(), vec!["-c".into(), line.into()]));
        }
    }

    #[test]
    fn given_an_exit_status_then_only_zero_is_fine() {
        let code = |code| TerminalExitStatus::new().exit_code(code);
        assert_eq!(exit_result(&code(0), "out".into()), Ok("out".into()));
        assert_eq!(exit_result(&code(2), "no\n".into()), Err("exit code 2, printed: no".into()));
        let killed = TerminalExitStatus::new().signal("SIGKILL".to_owned());
        assert_eq!(exit_result(&killed, String::new()), Err("ended by SIGKILL".into()));
    }
}
