//! The program `mayi`; everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: a supervisor has to be there at once.
    let supervisor = mayi_doors::process::supervisor();
    // A harness waits for a hook at each tool call, and has not much patience for a command line.
    #[cfg(unix)]
    let supervisor = supervisor.or_else(mayi::worker).or_else(mayi_hook::guard::guard);
    supervisor.unwrap_or_else(mayi::start)
}
