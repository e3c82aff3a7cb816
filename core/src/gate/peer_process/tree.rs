//! Who has started whom, as `/proc` has it.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;

use super::{proc_folder, read_stat};

/// So many processes are looked at in one pass: an agent can start as many as it likes.
const MOST: usize = 1 << 16;

/// Who has started whom, of all processes that the system shows just now.
#[derive(Debug)]
pub struct ProcessTree {
    /// All of them, the latest first.
    pub(super) all: Vec<u32>,
    /// There are more.
    pub(super) cut: bool,
    children: HashMap<u32, Vec<u32>>,
    supervisors: Vec<u32>,
}

impl ProcessTree {
    /// Looks at them.
    ///
    /// # Errors
    /// If there is no way to look at processes.
    pub fn snapshot() -> io::Result<Self> {
        let numbers = fs::read_dir("/proc")?.flatten();
        let mut numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut all: Vec<u32> = numbers.by_ref().take(MOST).collect();
        let cut = numbers.next().is_some();
        all.sort_unstable_by(|a, b| b.cmp(a));
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut supervisors = Vec::new();
        for pid in &all {
            if let Some(stat) = read_stat(&proc_folder(*pid)) {
                children.entry(stat.parent).or_default().push(*pid);
                if stat.supervises {
                    supervisors.push(*pid);
                }
            }
        }
        Ok(Self { all, cut, children, supervisors })
    }

    /// What this process has started itself, or has got as its own because whoever had started it has ended.
    #[must_use]
    pub fn children_of(&self, of: u32) -> &[u32] {
        self.children.get(&of).map_or(&[], Vec::as_slice)
    }

    /// What one of these has started, itself or through others.
    #[must_use]
    pub fn descendants_of(&self, of: &[u32]) -> HashSet<u32> {
        let (mut found, mut next) = (HashSet::new(), of.to_vec());
        while let Some(pid) = next.pop() {
            for child in self.children_of(pid) {
                if found.insert(*child) {
                    next.push(*child);
                }
            }
        }
        found
    }

    /// What is within an agent: what one of `asking` has started, and what is under a supervisor, whose mayi may have
    /// been killed a moment ago.
    pub(super) fn within_agents(&self, asking: &[u32]) -> HashSet<u32> {
        self.descendants_of(&[asking, &self.supervisors].concat())
    }
}
