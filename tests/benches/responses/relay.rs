//! A relay that does nothing: it copies bytes from one connection to another, each way in a thread that waits for them. What it adds
//! is what any second process on the way costs here, and no program between the two can be faster.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::common::Outcome;

/// The argument that makes a relay of this program; the next one is where it leads, as `127.0.0.1:PORT`.
const RELAY: &str = "relay-to";

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
    /// # Errors
    /// If this program can't be started a second time.
    pub(crate) fn start(endpoint: &str) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child =
            command.args([RELAY, endpoint]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut told = String::new();
        BufReader::new(child.stdout.take().ok_or("no standard output")?).read_line(&mut told)?;
        Ok(Self { child, at: told.trim().to_owned() })
    }
}

/// Is a relay for ever if the arguments ask for it; else nothing.
///
/// # Errors
/// If there is nowhere to listen.
pub(crate) fn be_if_asked() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(RELAY), Some(endpoint)) = (arguments.next().as_deref(), arguments.next()) else {
        return Ok(());
    };
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    for connection in listener.incoming() {
        let (near, far) = (connection?, TcpStream::connect(&endpoint)?);
        near.set_nodelay(true)?;
        far.set_nodelay(true)?;
        let (near_again, far_again) = (near.try_clone()?, far.try_clone()?);
        thread::spawn(move || copied(near, far));
        thread::spawn(move || copied(far_again, near_again));
    }
    Ok(())
}

/// Every byte of one in the other, as soon as it is there.
fn copied(mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = vec![0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        let Some(bytes) = bytes.get(..read) else { break };
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}
