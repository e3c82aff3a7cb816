//! `mayi check --stdin`: JSON lines in, one decision a line out, in order.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use mayi_check::{CheckAnswer, CheckError, Checker, Request};
use mayi_core::call::Dialect;
use serde_json::Value;

use super::args::CheckArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::error::report_all;
use crate::exit::Exit;
use crate::print;

/// The longest line: 1 MiB.
const LONGEST: usize = 1 << 20;

/// What is read and written at once.
const BUFFER: usize = 64 * 1024;

pub(super) fn check_lines(checker: &mut Checker, args: &CheckArgs, ctx: &Context) -> Result<Exit, CliError> {
    let mut lines = BoundedLines::new(io::stdin().lock());
    let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    let (mut bad, mut told) = (false, false);
    while let Some(line) = lines.next(&mut out)? {
        let answer = match line {
            Err(TooLong) => Err((None, format!("the line is longer than {LONGEST} bytes"))),
            Ok(line) => match std::str::from_utf8(line) {
                Err(_) => Err((None, "the line is not UTF-8 text".to_owned())),
                Ok(line) if line.trim().is_empty() => continue,
                Ok(line) => check_line(checker, line, args, &mut |errors| {
                    if !std::mem::replace(&mut told, true) {
                        report_all(errors.all(), ctx.is_stderr_colored());
                    }
                }),
            },
        };
        match answer {
            Ok((id, decision)) => {
                bad |=
                    !write_answer(&mut out, &CheckAnswer::Decided { id: id.as_ref(), decision: &decision })?;
            }
            Err((id, error)) => {
                bad = true;
                write_answer(&mut out, &CheckAnswer::Error { id: id.as_ref(), error })?;
            }
        }
    }
    out.flush()?;
    Ok(if bad { Exit::Usage } else { Exit::Done })
}

type LineResult = Result<(Option<Value>, mayi_core::policy::Decision), (Option<Value>, String)>;

fn check_line(
    checker: &mut Checker,
    line: &str,
    args: &CheckArgs,
    refused: &mut dyn FnMut(&mayi_core::config::ConfigErrors),
) -> LineResult {
    let mut request = Request::from_json(line).map_err(|error| (id_of(line), error.to_string()))?;
    if !request.isolated && request.agent.is_none() {
        request.agent.clone_from(&args.agent);
    }
    if request.shell == Dialect::Unknown {
        request.shell = args.shell.unwrap_or_default();
    }
    match checker.decide(&request) {
        Ok(decision) => Ok((request.id, decision)),
        Err(error) => {
            if let CheckError::Config(errors) = &error {
                refused(errors);
            }
            Err((request.id, error.to_string()))
        }
    }
}

/// The id of a line that was not understood, as far as it can be made out.
fn id_of(line: &str) -> Option<Value> {
    let mut value: Value = serde_json::from_str(line).ok()?;
    let id = value.get_mut("id")?.take();
    (id.is_string() || id.is_number()).then_some(id)
}

/// Returns whether the answer could be written as it is.
fn write_answer(out: &mut impl Write, answer: &CheckAnswer<'_>) -> Result<bool, CliError> {
    // What can't be JSON, such as the name of a file that is not UTF-8, is no reason to stop.
    let text = print::json_line(answer);
    let whole = text.is_ok();
    let text = text.or_else(|error| {
        let id = match answer {
            CheckAnswer::Decided { id, .. } | CheckAnswer::Error { id, .. } => *id,
        };
        print::json_line(&CheckAnswer::Error { id, error: format!("the decision can't be written: {error}") })
    });
    out.write_all(text.map_err(io::Error::from)?.as_bytes())?;
    out.write_all(b"\n")?;
    Ok(whole)
}

/// Lines of bounded length.
struct BoundedLines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

/// The line was longer than it may be; it was read to its end.
struct TooLong;

impl<R: Read> BoundedLines<R> {
    fn new(input: R) -> Self {
        Self { reader: BufReader::with_capacity(BUFFER, input), line: Vec::new() }
    }

    /// The next line, without its end. Before it waits for more, `out` gets what it was given: whoever
    /// sends a line and waits for its answer is not kept waiting.
    fn next(&mut self, out: &mut impl Write) -> io::Result<Option<Result<&[u8], TooLong>>> {
        self.line.clear();
        let (mut any, mut long) = (false, false);
        loop {
            if self.reader.buffer().is_empty() {
                out.flush()?;
            }
            let bytes = match self.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if bytes.is_empty() {
                break;
            }
            any = true;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            long |= self.line.len() + part.len() > LONGEST;
            if !long {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(match (any, long) {
            (false, _) => None,
            (true, true) => Some(Err(TooLong)),
            (true, false) => Some(Ok(&self.line)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its input in small pieces, and notes what had been written when it was asked for more.
    fn read(input: &[u8]) -> Vec<Option<usize>> {
        let mut lines = BoundedLines::new(input);
        let mut lengths = Vec::new();
        while let Some(line) = lines.next(&mut io::sink()).unwrap() {
            lengths.push(line.ok().map(<[u8]>::len));
        }
        lengths
    }

    #[test]
    fn given_lines_then_each_comes_without_its_end() {
        assert_eq!(read(b"ab\n\nc"), [Some(2), Some(0), Some(1)]);
        assert_eq!(read(b""), []);
    }

    /// A line that is too long is an error of its own, and the next one is read as usual.
    #[test]
    fn given_a_line_that_is_too_long_then_the_rest_goes_on() {
        let mut input = vec![b'x'; LONGEST];
        input.extend_from_slice(b"\n");
        input.extend_from_slice(&vec![b'y'; LONGEST + 1]);
        input.extend_from_slice(b"\nz\n");
        assert_eq!(read(&input), [Some(LONGEST), None, Some(1)]);
    }
}
