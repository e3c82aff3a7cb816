//! How much memory a process takes.

use crate::common::Outcome;

/// What is resident now and what was at most, in KiB.
pub(crate) fn of(process: u32) -> Outcome<[u64; 2]> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let of = |name: &str| -> Outcome<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("no such figure")?;
        Ok(line.trim_matches([':', ' ', '\t']).trim_end_matches(" kB").parse()?)
    };
    Ok([of("VmRSS")?, of("VmHWM")?])
}

/// KiB as MiB.
pub(crate) fn mib(kib: u64) -> String {
    format!("{}.{}", kib / 1024, kib % 1024 * 10 / 1024)
}
