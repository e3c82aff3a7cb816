//! A server that is a program: messages on its standard input and output, a line each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{ChildStdout, Command};
use tokio::sync::{mpsc, watch};

use super::{Incoming, LONGEST, WAITING, Wire, read_messages};
use crate::frame::code;
use crate::lines::{Line, Lines, write_all};
use mayi_core::approval::escape_line;
use mayi_core::config::find_program;
use mayi_doors::process::{self, read_some_line, without_own_variables};
use mayi_doors::task::spawn;

/// So long after a server has ended, what it started may still hold its output open.
const AFTER: Duration = Duration::from_millis(200);

/// So many lines that are no messages are told of; later ones are passed over without a word.
pub(super) const STRAY: usize = 20;

/// Hears what a server writes on its standard error, and what is odd about what it sends: one line, escaped.
pub(crate) type LineSink = Arc<dyn Fn(&str) + Send + Sync>;

/// The program of a server.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    /// Variables besides mayi's own environment.
    pub(crate) env: BTreeMap<String, String>,
    /// The folder that it starts in.
    pub(crate) cwd: PathBuf,
}

/// Starts the program.
///
/// # Errors
/// One line: it was not found, or could not be started.
pub(crate) fn start(program: &Program, say: LineSink) -> Result<Wire, String> {
    let (word, arguments) = program.command.split_first().ok_or("its command is empty")?;
    let path =
        find_program(word).ok_or_else(|| format!("`{}` was not found on the PATH", escape_line(word)))?;
    let mut command = Command::new(&path);
    command.args(arguments).current_dir(&program.cwd);
    without_own_variables(&mut command);
    command.envs(&program.env);
    let shown = escape_line(&path.display().to_string());
    let cant = move |error: &str| format!("`{shown}` can't be started: {error}");
    let started = process::start(command, true).map_err(|error| cant(&error.to_string()))?;
    let stdin = started.stdin.ok_or_else(|| cant("its standard input could not be opened"))?;
    spawn(pass_on(started.stderr, Arc::clone(&say)));
    let (family, exited, begins) = (started.family, started.exited, started.pending_start);
    let (out, outgoing) = mpsc::channel(WAITING);
    let (incoming, inc) = mpsc::channel(WAITING);
    // The pipe ends when nobody sends any more: a server's sign to end by itself.
    spawn(write_all(stdin, outgoing, |_| ()));
    let stdout = started.stdout;
    spawn(async move {
        match begins.wait_started().await {
            Ok(()) => OutputReader { exited, say, to: incoming, stray: 0 }.run(stdout).await,
            Err(error) => drop(incoming.send(Incoming::Ended(cant(&error.to_string()))).await),
        }
    });
    Ok(Wire { outgoing: out, incoming: inc, guard: Box::new(family) })
}

async fn pass_on(stderr: tokio::process::ChildStderr, say: LineSink) {
    let mut reader = tokio::io::BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_some_line(&mut reader, &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end_matches(['\n', '\r']);
                // An empty line says nothing.
                if !text.trim().is_empty() {
                    say(&escape_line(text));
                }
            }
        }
    }
}

struct OutputReader {
    exited: watch::Receiver<Option<ExitStatus>>,
    say: LineSink,
    to: mpsc::Sender<Incoming>,
    stray: usize,
}

impl OutputReader {
    async fn run(mut self, stdout: ChildStdout) {
        let mut lines = Lines::new(stdout, LONGEST);
        loop {
            let line = tokio::select! {
                biased;
                line = lines.next() => line,
                () = wait_for_exit(&mut self.exited) => Ok(None),
            };
            let incoming = match line {
                Ok(Some(Line::Text(text))) => read_messages(&text, &mut |what| self.report_stray(what)),
                Ok(Some(Line::NotText)) => {
                    self.report_stray("a line that is not UTF-8");
                    None
                }
                Ok(Some(Line::TooLong(ends))) => Some(too_long(&ends)),
                Ok(None) | Err(_) => break,
            };
            if let Some(incoming) = incoming {
                let last = matches!(incoming, Incoming::Ended(_));
                if self.to.send(incoming).await.is_err() || last {
                    return;
                }
            }
        }
        let why = match tokio::time::timeout(AFTER, self.exited.wait_for(Option::is_some)).await {
            Ok(Ok(status)) => {
                format!("it has ended ({})", status.map(|status| status.to_string()).unwrap_or_default())
            }
            _ => "it has closed its output".to_owned(),
        };
        let _ = self.to.send(Incoming::Ended(why)).await;
    }

    fn report_stray(&mut self, what: &str) {
        self.stray += 1;
        if self.stray <= STRAY {
            (self.say)(&format!("no message on its standard output: {what}"));
        }
    }
}

/// The server has ended, and what it wrote before has had the time to arrive.
async fn wait_for_exit(exited: &mut watch::Receiver<Option<ExitStatus>>) {
    let _ = exited.wait_for(Option::is_some).await;
    tokio::time::sleep(AFTER).await;
}

/// A message that was too long: the request that it answers has failed, if its ends tell which.
fn too_long(ends: &str) -> Incoming {
    let message = format!("its answer is longer than {} MiB", LONGEST / 1024 / 1024);
    let first = ends.find("\"id\":").and_then(|at| leading_number(ends.get(at + 5..)?));
    let last = ends.rfind("\"id\":").and_then(|at| leading_number(ends.get(at + 5..)?));
    match first.or(last) {
        Some(id) => Incoming::Failed { id, code: code::INTERNAL, message, sent: true },
        None => Incoming::Ended(format!("it sent a message longer than {} MiB", LONGEST / 1024 / 1024)),
    }
}

fn leading_number(text: &str) -> Option<u64> {
    let digits: String = text.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frame;

    fn shell_program(script: &str) -> Program {
        let command = ["sh", "-c", script].map(str::to_owned).to_vec();
        Program { command, env: BTreeMap::new(), cwd: PathBuf::from("/") }
    }

    fn ignore_lines() -> LineSink {
        Arc::new(|_| ())
    }

    #[tokio::test]
    async fn given_a_program_then_messages_go_both_ways_and_its_end_is_told() {
        let script = r#"echo stray; read line; echo "$line"; exit 3"#;
        let mut wire = start(&shell_program(script), ignore_lines()).unwrap();
        wire.outgoing.send(Frame::request(7, "x", &serde_json::json!({"a": 1}))).await.unwrap();
        let Some(Incoming::Frame { frame, .. }) = wire.incoming.recv().await else { panic!() };
        assert_eq!((frame.method(), frame.numeric_id()), (Some("x"), Some(7)));
        let Some(Incoming::Ended(why)) = wire.incoming.recv().await else { panic!() };
        assert!(why.contains('3'), "{why}");
    }

    /// A 100 MiB result takes no memory and leaves the connection as it was.
    #[tokio::test]
    async fn given_a_result_that_is_too_long_then_its_request_fails_and_the_next_is_answered() {
        let script = r#"printf '{"jsonrpc":"2.0","id":4,"result":"'; head -c 104857600 /dev/zero | tr '\0' x; echo '"}'
            echo '{"jsonrpc":"2.0","id":5,"result":{}}'"#;
        let mut wire = start(&shell_program(script), ignore_lines()).unwrap();
        let Some(Incoming::Failed { id: 4, message, .. }) = wire.incoming.recv().await else { panic!() };
        assert!(message.contains("64 MiB"), "{message}");
        let Some(Incoming::Frame { frame, .. }) = wire.incoming.recv().await else { panic!() };
        assert_eq!(frame.numeric_id(), Some(5));
    }

    /// Every request gets exactly one answer.
    #[tokio::test]
    async fn given_an_answer_that_is_no_message_then_its_request_fails() {
        let script = r#"echo '{"jsonrpc":"2.0","id":4,"result":{},"Result":{}}'; echo '{"jsonrpc":"2.0","id":5,"x":1}'
            echo '{"jsonrpc":"2.0","id":6,"method":"x","result":{}}'; echo '{"jsonrpc":"2.0","id":7,"result":{}} done'
            printf '{"jsonrpc":"2.0","id":8,"result":{}}\r-\n{"jsonrpc":"2.0","id":9,"id":9,"result":{}}\n'
            echo '{"jsonrpc":"2.0","id":9,"method":"x","params":{}} done'; echo 'sent {"id":9,"result":{}}'
            echo '{"jsonrpc":"2.0","id":10,"result":{}}{'; sleep 5"#;
        let mut wire = start(&shell_program(script), ignore_lines()).unwrap();
        for answered in [4, 5, 6, 7, 8, 9, 10] {
            let Some(Incoming::Failed { id, message, .. }) = wire.incoming.recv().await else { panic!() };
            assert!(id == answered && message.starts_with("its answer is no message"), "{message}");
        }
    }

    /// Two messages in one line are none, and each of their requests has an answer.
    #[tokio::test]
    async fn given_two_answers_without_an_end_of_line_between_then_both_requests_fail() {
        let script = r#"echo '{"jsonrpc":"2.0","id":4,"result":{}}{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"m"}}'; sleep 5"#;
        let mut wire = start(&shell_program(script), ignore_lines()).unwrap();
        let Some(Incoming::Batch(messages)) = wire.incoming.recv().await else { panic!() };
        assert!(matches!(messages[..], [Incoming::Failed { id: 4, .. }, Incoming::Failed { id: 5, .. }]));
    }

    /// Found in review: the answers in an array were lost, and their requests waited for ever.
    #[tokio::test]
    async fn given_several_messages_in_an_array_then_each_of_them_comes() {
        let script = r#"echo '[{"jsonrpc":"2.0","id":4,"result":{}},{"jsonrpc":"2.0","id":5,"x":1},{"jsonrpc":"2.0","method":"n"}]'
            echo '[]'; echo '[1'; sleep 5"#;
        let mut wire = start(&shell_program(script), ignore_lines()).unwrap();
        let Some(Incoming::Batch(messages)) = wire.incoming.recv().await else { panic!() };
        assert!(matches!(&messages[0], Incoming::Frame { frame, .. } if frame.numeric_id() == Some(4)));
        assert!(matches!(&messages[1], Incoming::Failed { id: 5, .. }));
        assert!(matches!(&messages[2], Incoming::Frame { frame, .. } if frame.method() == Some("n")));
        assert_eq!(messages.len(), 3);
    }

    /// Found in review: an empty line of a server's error output was passed on as one.
    #[tokio::test]
    async fn given_empty_lines_on_its_error_output_then_only_the_others_are_said() {
        let (told, mut heard) = mpsc::unbounded_channel();
        let say: LineSink = Arc::new(move |text| drop(told.send(text.to_owned())));
        let wire = start(&shell_program(r"printf 'one\n\n \r\ntwo\n' >&2; cat"), say).unwrap();
        assert_eq!(heard.recv().await.as_deref(), Some("one"));
        assert_eq!(heard.recv().await.as_deref(), Some("two"));
        drop(wire);
    }

    #[tokio::test]
    async fn given_no_such_program_then_the_error_says_so() {
        let mut program = shell_program("");
        program.command = vec!["no-such-program-here".to_owned()];
        assert_eq!(
            start(&program, ignore_lines()).err().as_deref(),
            Some("`no-such-program-here` was not found on the PATH")
        );
    }
}
