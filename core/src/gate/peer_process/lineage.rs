//! The parents of a process, as far up as they go.

use std::io;

use super::{ProcessStat, proc_folder, read_stat};

/// Maximum number of parents that are followed.
const MAX_DEPTH: usize = 1024;

/// Maximum number of walks until two of them say the same: parents may end meanwhile, and their numbers be used again.
const MAX_WALKS: usize = 16;

/// A process on the way up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Relative {
    pub(super) pid: u32,
    /// `None`: the system hides it, as it does with other users' processes where /proc is mounted so.
    pub(super) stat: Option<ProcessStat>,
}

impl Relative {
    /// Whether it is a supervisor.
    pub(super) fn supervises(&self) -> bool {
        self.stat.is_some_and(|stat| stat.supervises)
    }
}

/// The process itself and its parents, nearest first, up to the first process, to one that came from outside of this PID
/// namespace, or to one that the system hides.
///
/// # Errors
/// If the process has ended, or its parents change faster than they can be looked at: an agent may see to that.
pub(super) fn lineage_of(pid: u32) -> io::Result<Vec<Relative>> {
    let mut before = None;
    for _ in 0..MAX_WALKS {
        let found = walk_up(pid)?;
        if found.is_some() && found == before {
            return Ok(found.unwrap_or_default());
        }
        before = found;
    }
    Err(io::Error::other("what has started it changes all the time"))
}

/// `None`: a parent ended on the way.
fn walk_up(pid: u32) -> io::Result<Option<Vec<Relative>>> {
    let stat = read_stat(&proc_folder(pid)).filter(|stat| !stat.ended);
    let mut last = stat.ok_or_else(|| io::Error::other("it has ended"))?;
    let mut lineage = vec![Relative { pid, stat: Some(last) }];
    let mut child = pid;
    while last.parent > 0 {
        if lineage.len() > MAX_DEPTH {
            return Err(io::Error::other("it has too many parents"));
        }
        let parent = last.parent;
        let stat = read_stat(&proc_folder(parent));
        match stat {
            // Whoever has the parent's number was there before the child.
            Some(stat) if stat.began <= last.began => last = stat,
            Some(_) => return Ok(None),
            // It has ended, unless it is still said to be the parent.
            None if read_stat(&proc_folder(child)).is_some_and(|stat| stat.parent == parent) => {}
            None => return Ok(None),
        }
        lineage.push(Relative { pid: parent, stat });
        if stat.is_none() {
            break;
        }
        child = parent;
    }
    Ok(Some(lineage))
}
