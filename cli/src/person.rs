//! Whether it is a person who answers: at a terminal, and not from within an agent.

use std::path::Path;

use mayi_core::store::Store;

use crate::commands::CliError;
use crate::memory;

/// Refuses to answer for anybody but the person at a terminal (decisions, section 6): "Answers from a
/// descendant of a gated agent are refused."
///
/// # Errors
/// Says who may answer, and how.
pub(crate) fn is_here(store: &dyn Store) -> Result<(), CliError> {
    #[cfg(unix)]
    let terminal = crate::surface::terminal_is_there();
    #[cfg(not(unix))]
    let terminal = false;
    if !terminal {
        return Err(CliError::usage("only a person at a terminal can answer, and there is no terminal here"));
    }
    is_no_agent(store)
}

/// Refuses what an agent, or something that one started, wants in the person's place.
///
/// # Errors
/// Says so.
pub(crate) fn is_no_agent(store: &dyn Store) -> Result<(), CliError> {
    let asking = memory::asking(store)?;
    if started_by(&asking, std::process::id()) {
        return Err(CliError::usage(
            "an agent can't answer for the person: this was started by one, or by the program that it works in; use a \
             terminal outside of that",
        ));
    }
    Ok(())
}

/// Whether one of the processes that ask is among the parents of `pid`: it is within an agent then.
fn started_by(asking: &[u32], pid: u32) -> bool {
    ancestors(pid).iter().any(|parent| asking.contains(parent))
}

/// The process's parents, nearest first, as far as the system tells.
fn ancestors(pid: u32) -> Vec<u32> {
    let parent = |pid: &u32| {
        let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
        // The second field is a name in parentheses that may hold anything.
        let after = stat.rsplit_once(')')?.1;
        after.split_ascii_whitespace().nth(1)?.parse::<u32>().ok().filter(|parent| *parent > 0)
    };
    std::iter::successors(parent(&pid), parent).take(1024).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{ancestors, started_by};

    #[test]
    fn given_this_process_then_its_parents_go_up_to_the_first_one() {
        let parents = ancestors(std::process::id());
        assert_eq!(parents.first(), Some(&std::os::unix::process::parent_id()));
        assert!(!parents.contains(&std::process::id()));
    }

    /// Attack 2: "the agent runs `mayi inbox approve`": what an agent starts has mayi among its parents.
    #[test]
    fn given_a_process_that_asks_among_the_parents_then_nobody_answers() {
        let own = std::process::id();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(started_by(&[1_000_000_000, own], child.id()));
        assert!(!started_by(&[child.id()], own), "a child that asks is no parent");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
