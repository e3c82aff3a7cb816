//! An agent that a test speaks for: what it gets goes to a socket, and what comes from there it says.
//!
//! usage: `puppet_agent SOCKET`
//!
//! It ends when its input ends, or when the test closes the socket; with 3, where the test's last line is `exit`.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_default();
    let to_test = UnixStream::connect(path)?;
    let mut of_test = to_test.try_clone()?;
    let told = to_test.try_clone()?;
    std::thread::spawn(move || {
        let mut to_test = to_test;
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut to_test);
        let _ = told.shutdown(std::net::Shutdown::Both);
    });
    let mut out = std::io::stdout().lock();
    let mut part = vec![0; 64 * 1024];
    loop {
        let count = of_test.read(&mut part)?;
        let said = part.get(..count).unwrap_or_default();
        if said.is_empty() {
            return Ok(());
        }
        let over = said.strip_suffix(b"exit\n");
        out.write_all(over.unwrap_or(said))?;
        out.flush()?;
        if over.is_some() {
            std::process::exit(3);
        }
    }
}
