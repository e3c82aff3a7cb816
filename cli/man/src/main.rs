//! Writes the man pages of `mayi` and of each of its commands into a folder, from the same definitions that the program reads its
//! command line by: `mayi-man FOLDER`.
//!
//! A program of its own, for packages: what is installed does not carry what only its packages need.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let (Some(folder), None) = (words.next(), words.next()) else {
        return fail_with("usage: mayi-man FOLDER");
    };
    let folder = PathBuf::from(folder);
    let written = std::fs::create_dir_all(&folder)
        .and_then(|()| clap_mangen::generate_to(mayi::clap_command(), &folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail_with(&format!("mayi-man: {}: {error}", folder.display())),
    }
}

#[expect(clippy::print_stderr, reason = "nothing else is heard of it")]
fn fail_with(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}
