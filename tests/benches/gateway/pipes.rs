//! Lines on the standard streams of a program.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::Instant;

use crate::client::{self, Client, is_answer};
use crate::common::Outcome;
use crate::running::Running;

/// A program that is spoken to.
pub(crate) struct Pipes {
    stdin: ChildStdin,
    lines: BufReader<ChildStdout>,
    pub(crate) running: Running,
}

impl Pipes {
    pub(crate) fn new(mut running: Running) -> Outcome<Self> {
        let (stdin, stdout) = running.streams()?;
        Ok(Self { stdin, lines: BufReader::new(stdout), running })
    }

    /// Sends a message, and waits for nothing.
    pub(crate) fn send(&mut self, message: &str) -> Outcome<()> {
        Ok(self.stdin.write_all(format!("{message}\n").as_bytes())?)
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> Outcome<String> {
        let mut line = String::new();
        if self.lines.read_line(&mut line)? == 0 {
            return Err("the program has ended".into());
        }
        Ok(line)
    }

    /// The client has gone: waits until the program has ended by itself.
    pub(crate) fn end(self) -> Outcome<()> {
        drop(self.stdin);
        self.running.wait()
    }
}

impl Client for Pipes {
    fn ask(&mut self, request: &str, id: u64) -> Outcome<String> {
        self.tell(request)?;
        loop {
            let line = self.next()?;
            if is_answer(&line, id) {
                return Ok(line);
            }
        }
    }

    fn tell(&mut self, notification: &str) -> Outcome<()> {
        self.send(notification)
    }

    fn call_at_once(&mut self, flight: usize, calls: usize, id: u64) -> Outcome<Vec<i64>> {
        let (mut id, mut left) = (id, calls);
        let mut sent = HashMap::new();
        let mut times = Vec::with_capacity(calls);
        while times.len() < calls {
            while left > 0 && sent.len() < flight {
                id += 1;
                left -= 1;
                self.send(&client::request("", id))?;
                sent.insert(id, Instant::now());
            }
            let answer = self.next()?;
            let Some(id) = client::answered(&answer, sent.keys().copied()) else { continue };
            if let Some(begin) = sent.remove(&id) {
                times.push(i64::try_from(begin.elapsed().as_nanos())?);
            }
        }
        Ok(times)
    }
}
