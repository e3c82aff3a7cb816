//! The program `mayi`; everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: a supervisor has to be there at once, and a stage of a sandbox has to have one thread.
    let supervisor = mayi_doors::process::run_if_supervisor().or_else(mayi_sandbox::run_if_stage);
    // A harness waits for a hook at each tool call, and has not much patience for a command line.
    #[cfg(unix)]
    let supervisor = supervisor
        .or_else(mayi::run_as_worker)
        .or_else(|| mayi_hook::guard::run_as_guard(mayi::answer_and_exit));
    #[cfg(not(unix))]
    let supervisor = supervisor.or_else(mayi_hook::guard::block_event);
    supervisor.unwrap_or_else(mayi::start)
}
