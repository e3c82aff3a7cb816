//! The program `mayi`; everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: a supervisor has to be there at once.
    mayi_doors::process::supervisor().unwrap_or_else(mayi::start)
}
