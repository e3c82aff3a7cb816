//! A relay that does nothing: it copies bytes, each way in a thread that waits for them. What it adds is what any second process on
//! the way costs here, and no program between the two can be faster.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::common::Outcome;

/// The arguments that make a relay of this program: before an address, `127.0.0.1:PORT`, or before the words of a command.
const TO: &str = "relay-to";
const BEFORE: &str = "relay-before";

/// The process; ended with this.
pub(crate) struct Relay {
    child: Child,
    /// Where it listens, as `127.0.0.1:PORT`.
    pub(crate) at: String,
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Relay {
    /// Between connections, to what listens at `endpoint`.
    ///
    /// # Errors
    /// If this program can't be started a second time.
    pub(crate) fn start(endpoint: &str) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args([TO, endpoint]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut told = String::new();
        BufReader::new(child.stdout.take().ok_or("no standard output")?).read_line(&mut told)?;
        Ok(Self { child, at: told.trim().to_owned() })
    }
}

/// The words that start a relay which starts a command, between their standard streams.
///
/// # Errors
/// If it is not known where this program is.
pub(crate) fn words() -> Outcome<Vec<String>> {
    Ok(vec![std::env::current_exe()?.display().to_string(), BEFORE.to_owned()])
}

/// Is a relay, if the arguments ask for it, until nobody is there any more; else nothing. Whether it was one.
///
/// # Errors
/// If there is nowhere to listen, or nothing to start.
pub(crate) fn was_one() -> Outcome<bool> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [TO, endpoint] => between_connections(endpoint)?,
        [BEFORE, program, words @ ..] => before(program, words)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn between_connections(endpoint: &str) -> Outcome<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    for connection in listener.incoming() {
        let (near, far) = (connection?, TcpStream::connect(endpoint)?);
        near.set_nodelay(true)?;
        far.set_nodelay(true)?;
        let (near_again, far_again) = (near.try_clone()?, far.try_clone()?);
        thread::spawn(move || copied_to(near, far));
        thread::spawn(move || copied_to(far_again, near_again));
    }
    Ok(())
}

fn copied_to(from: TcpStream, to: TcpStream) {
    copied(from, &to);
    let _ = to.shutdown(Shutdown::Write);
}

fn before(program: &str, words: &[&str]) -> Outcome<()> {
    let mut child = Command::new(program).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take().ok_or("no standard input")?;
    let stdout = child.stdout.take().ok_or("no standard output")?;
    thread::spawn(move || copied(std::io::stdin().lock(), stdin));
    // Not by the standard library's own stream, which waits for the end of a line.
    let out = std::os::fd::AsFd::as_fd(&std::io::stdout()).try_clone_to_owned()?;
    copied(stdout, std::fs::File::from(out));
    child.wait()?;
    Ok(())
}

/// Every byte of one in the other, as soon as it is there.
fn copied(mut from: impl Read, mut to: impl Write) {
    let mut bytes = vec![0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        let Some(bytes) = bytes.get(..read) else { break };
        if to.write_all(bytes).is_err() {
            break;
        }
    }
}
