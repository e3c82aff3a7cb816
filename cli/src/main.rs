//! The program `mayi`; everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    mayi::start()
}
