//! The parents of a process where there is no /proc, as on macOS: by the list that `ps` prints.

use std::collections::HashMap;
use std::process::{Command, Stdio};

/// Where it is on every system of the Unix kind: what PATH names could be anybody's.
const PS: &str = "/bin/ps";

/// The parents of `pid`, nearest first. `None`: the system does not tell.
pub(super) fn ancestors(pid: u32) -> Option<Vec<u32>> {
    let mut ps = Command::new(PS);
    ps.args(["-A", "-o", "pid=", "-o", "ppid="]).env_clear().stdin(Stdio::null()).stderr(Stdio::null());
    let listed = ps.output().ok().filter(|output| output.status.success())?;
    Some(ancestors_in(&parents_listed(&String::from_utf8_lossy(&listed.stdout))?, pid))
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

fn ancestors_in(parents: &HashMap<u32, u32>, pid: u32) -> Vec<u32> {
    let parent = |pid: &u32| parents.get(pid).copied().filter(|parent| parent > &0);
    // A list that goes round ends somewhere too.
    std::iter::successors(parent(&pid), parent).take(1024).collect()
}

#[cfg(test)]
mod tests {
    use super::{ancestors, ancestors_in, parents_listed};

    #[test]
    fn given_a_list_then_the_parents_are_found_in_it_nearest_first() {
        let listed = parents_listed("    1     0\n  200     1\n  310   200\n  311   310\n").unwrap();
        assert_eq!(ancestors_in(&listed, 311), [310, 200, 1]);
        assert!(ancestors_in(&listed, 1).is_empty() && ancestors_in(&listed, 9).is_empty());
        assert_eq!(ancestors_in(&parents_listed("4 5\n5 4\n").unwrap(), 4).len(), 1024);
    }

    #[test]
    fn given_another_kind_of_list_then_nothing_is_told() {
        for list in ["PID PPID\n1 0\n", "1\n", "1 0 init\n", "1 -1\n"] {
            assert!(parents_listed(list).is_none(), "{list}");
        }
    }

    #[test]
    fn given_this_process_then_its_parent_comes_first() {
        let parents = ancestors(std::process::id()).unwrap();
        assert_eq!(parents.first(), Some(&std::os::unix::process::parent_id()));
    }
}
