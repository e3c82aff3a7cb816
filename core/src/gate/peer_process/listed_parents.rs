//! The parents of a process where there is no /proc, as on macOS: by the list that `ps` prints.

use std::collections::HashMap;
use std::process::{Command, Stdio};

/// Where it is on every system of the Unix kind: what PATH names could be anybody's.
const PS: &str = "/bin/ps";

/// As many parents are followed.
const LONGEST: usize = 1024;

/// The parents of `pid`, nearest first. `None`: the system does not tell.
pub(super) fn ancestors(pid: u32) -> Option<Vec<u32>> {
    let mut ps = Command::new(PS);
    ps.args(["-A", "-o", "pid=", "-o", "ppid="]).env_clear().stdin(Stdio::null()).stderr(Stdio::null());
    let listed = ps.output().ok().filter(|output| output.status.success())?;
    ancestors_in(&parents_listed(&String::from_utf8_lossy(&listed.stdout))?, pid)
}

/// The parent of each process. `None`: a line is something else than two numbers.
fn parents_listed(list: &str) -> Option<HashMap<u32, u32>> {
    let pair = |line: &str| {
        let mut numbers = line.split_ascii_whitespace().map(|number| number.parse().ok());
        let pair = (numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(pair)
    };
    list.lines().filter(|line| !line.trim().is_empty()).map(pair).collect()
}

/// `None`: the list does not lead to the first process. Who ended while it was made may be missing in it, with all that is above.
fn ancestors_in(parents: &HashMap<u32, u32>, pid: u32) -> Option<Vec<u32>> {
    let mut ancestors = Vec::new();
    let mut of = pid;
    // The first process, and what the system itself started.
    while of > 1 {
        // No list is as long; one that goes round ends here.
        if ancestors.len() == LONGEST {
            return None;
        }
        of = *parents.get(&of)?;
        ancestors.push(of);
    }
    ancestors.pop_if(|last| *last == 0);
    Some(ancestors)
}

// What the tests that cross crates use, whose crate no other knows.
#[cfg(test)]
#[allow(unreachable_pub, reason = "it is a library's there")]
#[path = "../../../../tests/src/skipped.rs"]
mod skipped;

#[cfg(test)]
mod tests {
    use super::{PS, ancestors, ancestors_in, parents_listed, skipped};

    #[test]
    fn given_a_list_then_the_parents_are_found_in_it_nearest_first() {
        let listed = parents_listed("    1     0\n  200     1\n  310   200\n  311   310\n").unwrap();
        assert_eq!(ancestors_in(&listed, 311), Some(vec![310, 200, 1]));
        // As with a process that a container's engine has started: its parent is outside.
        assert_eq!(ancestors_in(&parents_listed("7 0\n8 7\n").unwrap(), 8), Some(vec![7]));
        assert_eq!(ancestors_in(&listed, 1), Some(Vec::new()));
    }

    /// What is above a process that ended while the list was made is not known, and may be an agent.
    #[test]
    fn given_a_list_that_does_not_lead_to_the_first_process_then_nothing_is_told() {
        for (list, pid) in [("1 0\n311 310\n", 311), ("1 0\n200 1\n", 311), ("", 311), ("4 5\n5 4\n", 4)] {
            assert_eq!(ancestors_in(&parents_listed(list).unwrap(), pid), None, "{list}");
        }
    }

    #[test]
    fn given_another_kind_of_list_then_nothing_is_told() {
        for list in ["PID PPID\n1 0\n", "1\n", "1 0 init\n", "1 -1\n"] {
            assert!(parents_listed(list).is_none(), "{list}");
        }
    }

    #[test]
    fn given_this_process_then_its_parent_comes_first() {
        if !std::path::Path::new(PS).exists() {
            return skipped::skipped(&format!("there is no {PS}, whose list this reads"));
        }
        let parents = ancestors(std::process::id()).unwrap();
        assert_eq!(parents.first().copied().unwrap_or_default(), std::os::unix::process::parent_id());
    }
}
